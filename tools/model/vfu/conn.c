// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: the connection
 *
 * A non-blocking stream socket. Each receive asks for no more than what the
 * message at hand still lacks: a descriptor is then always delivered with the
 * message it belongs to, never with one that shares a buffer with it.
 *
 * There is at most one reply under way. While the client does not take it, its
 * further commands are not read, so that a client that only sends costs no
 * memory.
 */
#include "server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Both buffers have their full size for ever; untouched pages cost nothing. */
int vfu_conn_init(struct vfu_conn *c)
{
	c->fd = -1;
	c->out_fd = -1;
	c->in = malloc(VFU_MAX_PAYLOAD);
	c->out = malloc(sizeof(struct vfu_hdr) + VFU_MAX_PAYLOAD);
	return c->in && c->out ? 0 : -ENOMEM;
}

void vfu_conn_fini(struct vfu_conn *c)
{
	free(c->in);
	free(c->out);
}

void vfu_conn_open(struct vfu_conn *c, int fd)
{
	c->fd = fd;
	c->negotiated = false;
	c->broken = false;
	c->multi = false;
	c->client_xfer = 0;
	c->in_got = 0;
	c->out_len = 0;
	c->out_sent = 0;
	c->out_fd = -1;
}

static void put_fds(struct vfu_conn *c)
{
	unsigned int i;

	for (i = 0; i < c->nr_fds; i++) {
		if (c->fds[i] >= 0)
			close(c->fds[i]);
	}
	c->nr_fds = 0;
	c->excess_fds = false;
}

void vfu_conn_close(struct vfu_conn *c)
{
	put_fds(c);
	close(c->fd);
	c->fd = -1;
	c->negotiated = false;
}

/* The message is done with: forget it and what came with it. */
void vfu_conn_next(struct vfu_conn *c)
{
	put_fds(c);
	c->in_got = 0;
}

static void take_fd(struct vfu_conn *c, int fd)
{
	if (c->nr_fds < VFU_MAX_MSG_FDS) {
		c->fds[c->nr_fds++] = fd;
		return;
	}
	close(fd);
	c->excess_fds = true;
}

static void take_fds(struct vfu_conn *c, struct msghdr *msg)
{
	struct cmsghdr *cmsg;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		size_t i, nr;

		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		nr = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < nr; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(fd), sizeof(fd));
			take_fd(c, fd);
		}
	}
	/* Those that did not fit never got a number here. */
	if (msg->msg_flags & MSG_CTRUNC)
		c->excess_fds = true;
}

/* Returns bytes received, 0 if there are none now, or a negative errno. */
static ssize_t recv_some(struct vfu_conn *c, void *buf, size_t len)
{
	union {
		char buf[CMSG_SPACE(VFU_MAX_MSG_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = buf, .iov_len = len };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	ssize_t n;

	do {
		n = recvmsg(c->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	take_fds(c, &msg);
	return n ? n : -ECONNRESET;
}

static bool hdr_is_sane(const struct vfu_hdr *hdr)
{
	return hdr->size >= sizeof(*hdr) && hdr->size - sizeof(*hdr) <= VFU_MAX_PAYLOAD &&
	       (hdr->flags & VFU_HDR_TYPE_MASK) == VFU_HDR_TYPE_COMMAND;
}

/*
 * Receive until one message is complete. Returns 1 if it is, 0 if more has to
 * come, -ECONNRESET if the client is gone, or -EPROTO if its stream is nonsense.
 */
int vfu_conn_recv(struct vfu_conn *c)
{
	const size_t hdr_size = sizeof(c->hdr);

	for (;;) {
		uint8_t *to = (uint8_t *)&c->hdr + c->in_got;
		size_t want = hdr_size - c->in_got;
		ssize_t n;

		if (c->in_got >= hdr_size) {
			to = c->in + (c->in_got - hdr_size);
			want = c->hdr.size - c->in_got;
			if (!want)
				return 1;
		}
		n = recv_some(c, to, want);
		if (n <= 0)
			return n;
		c->in_got += n;
		if (c->in_got == hdr_size && !hdr_is_sane(&c->hdr))
			return -EPROTO;
	}
}

static ssize_t send_some(struct vfu_conn *c)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = {
		.iov_base = c->out + c->out_sent,
		.iov_len = c->out_len - c->out_sent,
	};
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (c->out_fd >= 0 && !c->out_sent) {
		struct cmsghdr *cmsg;

		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &c->out_fd, sizeof(int));
	}
	do {
		n = sendmsg(c->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	return n;
}

/* Returns 1 if nothing is left to send, 0 if the client has to read first, or a negative errno. */
int vfu_conn_flush(struct vfu_conn *c)
{
	while (c->out_sent < c->out_len) {
		ssize_t n = send_some(c);

		if (n <= 0)
			return n;
		c->out_sent += n;
	}
	c->out_len = 0;
	c->out_sent = 0;
	return 1;
}

/* Where the payload of the reply goes: room for VFU_MAX_PAYLOAD bytes. */
void *vfu_conn_reply_buf(struct vfu_conn *c)
{
	return c->out + sizeof(struct vfu_hdr);
}

/* Queue the reply to the message at hand: error @err (positive), or @len bytes and @fd. */
void vfu_conn_reply(struct vfu_conn *c, int err, size_t len, int fd)
{
	struct vfu_hdr hdr = {
		.id = c->hdr.id,
		.command = c->hdr.command,
		.flags = VFU_HDR_TYPE_REPLY | (err ? VFU_HDR_ERROR : 0),
		.error = err,
	};

	if (c->hdr.flags & VFU_HDR_NO_REPLY)
		return;
	hdr.size = sizeof(hdr) + (err ? 0 : len);
	memcpy(c->out, &hdr, sizeof(hdr));
	c->out_len = hdr.size;
	c->out_sent = 0;
	c->out_fd = err ? -1 : fd;
}
