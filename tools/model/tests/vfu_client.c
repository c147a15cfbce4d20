// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: test client and test device, see vfu_client.h
 */
#define _GNU_SOURCE
#include "vfu_client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tap.h"

/* How often to poll for something that has to come. */
#define PATIENCE 2000

static void need(bool cond, const char *what)
{
	if (cond)
		return;
	exit(tap_bail("%s: %s", what, strerror(errno)));
}

static int region_read(void *opaque, unsigned int region, uint64_t off, void *buf, size_t len)
{
	struct dev *d = opaque;

	d->reads++;
	if (d->fail)
		return -d->fail;
	if (region == 0)
		memcpy(buf, d->bar0 + off, len);
	else
		memset(buf, region, len);
	return 0;
}

static int region_write(void *opaque, unsigned int region, uint64_t off, const void *buf,
			size_t len)
{
	struct dev *d = opaque;

	d->writes++;
	if (d->fail)
		return -d->fail;
	if (region == 0)
		memcpy(d->bar0 + off, buf, len);
	return 0;
}

static void reset(void *opaque, enum vfu_reset why)
{
	struct dev *d = opaque;

	if (why == VFU_RESET_GONE)
		d->resets_gone++;
	else
		d->resets++;
}

static void dma_map(void *opaque, uint64_t iova, uint64_t size, int prot)
{
	struct dev *d = opaque;

	(void)iova;
	(void)size;
	(void)prot;
	d->maps++;
}

static void dma_unmap(void *opaque, uint64_t iova, uint64_t size)
{
	struct dev *d = opaque;

	d->unmaps++;
	d->unmap_iova = iova;
	d->unmap_size = size;
	d->mapped_at_unmap = vfu_dma_count(d->vfu);
}

static void client_new(void *opaque)
{
	struct dev *d = opaque;

	d->news++;
}

static void client_gone(void *opaque)
{
	struct dev *d = opaque;

	d->gones++;
}

static void report(void *opaque, const char *msg)
{
	struct dev *d = opaque;

	snprintf(d->logged, sizeof(d->logged), "%s", msg);
}

static const struct vfu_ops ops = {
	.region_read = region_read,
	.region_write = region_write,
	.reset = reset,
	.dma_map = dma_map,
	.dma_unmap = dma_unmap,
	.client_new = client_new,
	.client_gone = client_gone,
};

static const struct vfu_area area = { DEV_AREA_OFFSET, DEV_AREA_SIZE };

struct vfu *dev_serve(struct dev *d, const char *path)
{
	const uint32_t rw = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	struct vfu_desc desc = { .nr_msix = DEV_NR_MSIX, .log = report };
	struct vfu_region *r = desc.regions;

	r[0] = (struct vfu_region){ .size = DEV_BAR0_SIZE, .flags = rw, .fd = -1 };
	r[2] = (struct vfu_region){ .size = DEV_BAR2_SIZE,
				    .flags = rw | VFIO_REGION_INFO_FLAG_MMAP,
				    .fd = d->bar2_fd,
				    .mem = d->bar2,
				    .mem_size = DEV_BAR2_SIZE };
	r[3] = (struct vfu_region){ .size = DEV_BAR3_SIZE,
				    .flags = rw | VFIO_REGION_INFO_FLAG_MMAP,
				    .fd = d->bar3_fd,
				    .areas = &area,
				    .nr_areas = 1 };
	r[4] = (struct vfu_region){ .size = 4096, .flags = VFIO_REGION_INFO_FLAG_READ, .fd = -1 };
	r[7] = (struct vfu_region){ .size = 4096, .flags = rw, .fd = -1 };
	return vfu_create(path, &desc, &ops, d);
}

static int poll_server(struct dev *d, int timeout_ms)
{
	return vfu_poll(d->vfu, timeout_ms);
}

void dev_open(struct dev *d)
{
	void *p;

	memset(d, 0, sizeof(*d));
	d->poll = poll_server;
	snprintf(d->path, sizeof(d->path), "/tmp/vfu-test-%d.sock", getpid());
	d->bar2_fd = vfu_memfd("bar2", DEV_BAR2_SIZE, &p);
	need(d->bar2_fd >= 0, "memfd");
	d->bar2 = p;
	d->bar3_fd = vfu_memfd("bar3", DEV_BAR3_SIZE, &p);
	need(d->bar3_fd >= 0, "memfd");
	d->bar3 = p;
	d->vfu = dev_serve(d, d->path);
	need(d->vfu, d->path);
}

void dev_close(struct dev *d)
{
	vfu_destroy(d->vfu);
	munmap(d->bar2, DEV_BAR2_SIZE);
	munmap(d->bar3, DEV_BAR3_SIZE);
	close(d->bar2_fd);
	close(d->bar3_fd);
}

void dev_run(struct dev *d)
{
	while (d->poll(d, 0) > 0)
		;
}

void client_connect(struct dev *d, struct client *c)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	strcpy(addr.sun_path, d->path);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	need(c->fd >= 0, "socket");
	need(!connect(c->fd, (struct sockaddr *)&addr, sizeof(addr)), "connect");
	c->id = 100;
	d->poll(d, 0);
}

void client_close(struct dev *d, struct client *c)
{
	close(c->fd);
	c->fd = -1;
	dev_run(d);
	d->poll(d, 0);
}

void client_drain(struct dev *d, struct client *c)
{
	static uint8_t buf[1 << 16];
	union {
		char buf[CMSG_SPACE(4 * sizeof(int))];
		struct cmsghdr align;
	} control;
	ssize_t n;

	do {
		struct iovec iov = { buf, sizeof(buf) };
		struct msghdr msg = { .msg_iov = &iov,
				      .msg_iovlen = 1,
				      .msg_control = &control,
				      .msg_controllen = sizeof(control) };
		struct cmsghdr *cmsg;
		int fd;

		n = recvmsg(c->fd, &msg, MSG_DONTWAIT);
		cmsg = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
		if (cmsg) {
			memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
			close(fd);
		}
	} while (n > 0);
	if (!n || errno != EAGAIN)
		client_close(d, c);
}

bool client_is_closed(struct dev *d, struct client *c)
{
	char byte;
	ssize_t n;

	dev_run(d);
	d->poll(d, 0);
	n = recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	return n == 0 || (n < 0 && errno != EAGAIN);
}

ssize_t send_fds(int sock, const void *buf, size_t len, const int *fds, unsigned int nr_fds)
{
	union {
		char buf[CMSG_SPACE(64 * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { (void *)buf, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (nr_fds) {
		struct cmsghdr *cmsg = &control.align;

		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(nr_fds * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fds, nr_fds * sizeof(int));
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
	}
	return sendmsg(sock, &msg, MSG_NOSIGNAL);
}

bool client_send(struct dev *d, struct client *c, const void *buf, size_t len, const int *fds,
		 unsigned int nr_fds)
{
	size_t sent = 0;
	unsigned int tries = 0;

	while (sent < len) {
		ssize_t n = send_fds(c->fd, (const uint8_t *)buf + sent, len - sent, fds,
				     sent ? 0 : nr_fds);

		if (n < 0 && errno != EAGAIN)
			return false;
		if (n > 0)
			sent += n;
		else if (++tries > PATIENCE)
			return false;
		d->poll(d, 0);
	}
	return true;
}

static bool recv_all(struct dev *d, struct client *c, void *buf, size_t len, struct reply *r)
{
	size_t got = 0;
	unsigned int tries = 0;

	while (got < len) {
		union {
			char buf[CMSG_SPACE(CLIENT_MAX_FDS * sizeof(int))];
			struct cmsghdr align;
		} control;
		struct iovec iov = { (uint8_t *)buf + got, len - got };
		struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
		struct cmsghdr *cmsg;
		ssize_t n;

		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		n = recvmsg(c->fd, &msg, MSG_CMSG_CLOEXEC);
		if (!n || (n < 0 && errno != EAGAIN) || ++tries > PATIENCE)
			return false;
		if (n < 0) {
			d->poll(d, 1);
			continue;
		}
		got += n;
		cmsg = CMSG_FIRSTHDR(&msg);
		if (cmsg) {
			r->nr_fds = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
			memcpy(r->fds, CMSG_DATA(cmsg), r->nr_fds * sizeof(int));
		}
	}
	return true;
}

bool client_recv(struct dev *d, struct client *c, struct reply *r)
{
	while (r->nr_fds)
		close(r->fds[--r->nr_fds]);
	if (!recv_all(d, c, &r->hdr, sizeof(r->hdr), r))
		return false;
	if (r->hdr.size < sizeof(r->hdr) || r->hdr.size - sizeof(r->hdr) > sizeof(r->data))
		return false;
	r->len = r->hdr.size - sizeof(r->hdr);
	return recv_all(d, c, r->data, r->len, r);
}

int client_call(struct dev *d, struct client *c, unsigned int command, const void *payload,
		size_t len, const int *fds, unsigned int nr_fds, struct reply *r)
{
	struct vfu_hdr hdr = { .id = ++c->id, .command = command, .size = sizeof(hdr) + len };
	uint8_t *msg = malloc(hdr.size);
	bool sent;

	need(msg, "malloc");
	memcpy(msg, &hdr, sizeof(hdr));
	if (len)
		memcpy(msg + sizeof(hdr), payload, len);
	sent = client_send(d, c, msg, hdr.size, fds, nr_fds);
	free(msg);
	if (!sent || !client_recv(d, c, r))
		return -1;
	if (r->hdr.id != c->id || r->hdr.command != command ||
	    (r->hdr.flags & VFU_HDR_TYPE_MASK) != VFU_HDR_TYPE_REPLY)
		return -1;
	if (!(r->hdr.flags & VFU_HDR_ERROR))
		return 0;
	return r->len || !r->hdr.error ? -1 : (int)r->hdr.error;
}

int client_version(struct dev *d, struct client *c, unsigned int major, const char *json,
		   struct reply *r)
{
	uint8_t payload[1024];
	struct vfu_msg_version v = { .major = major };
	size_t len = json ? strlen(json) + 1 : 0;

	memcpy(payload, &v, sizeof(v));
	if (len)
		memcpy(payload + sizeof(v), json, len);
	return client_call(d, c, VFU_CMD_VERSION, payload, sizeof(v) + len, NULL, 0, r);
}

void client_start(struct dev *d, struct client *c)
{
	static struct reply r;
	int ret;

	client_connect(d, c);
	ret = client_version(d, c, 0,
			     "{\"capabilities\":{\"max_msg_fds\":16,\"max_data_xfer_size\":1048576,"
			     "\"pgsizes\":4096,\"max_dma_maps\":65535,\"write_multiple\":true}}",
			     &r);
	need(!ret, "version negotiation");
}

int client_map(struct dev *d, struct client *c, uint64_t iova, uint64_t size, uint32_t flags,
	       int fd, uint64_t offset)
{
	static struct reply r;
	struct vfu_msg_dma_map m = {
		.argsz = sizeof(m),
		.flags = flags,
		.offset = offset,
		.iova = iova,
		.size = size,
	};

	return client_call(d, c, VFU_CMD_DMA_MAP, &m, sizeof(m), &fd, fd >= 0, &r);
}

int client_unmap(struct dev *d, struct client *c, uint64_t iova, uint64_t size)
{
	static struct reply r;
	struct vfu_msg_dma_unmap m = { .argsz = sizeof(m), .iova = iova, .size = size };
	int ret = client_call(d, c, VFU_CMD_DMA_UNMAP, &m, sizeof(m), NULL, 0, &r);

	/* the reply repeats the request */
	if (!ret && (r.len != sizeof(m) || memcmp(r.data, &m, sizeof(m))))
		return -1;
	return ret;
}

int client_set_irqs(struct dev *d, struct client *c, uint32_t flags, uint32_t start, uint32_t count,
		    const int *fds, unsigned int nr_fds)
{
	static struct reply r;
	struct vfu_msg_irq_set m = {
		.argsz = sizeof(m),
		.flags = flags,
		.index = VFIO_PCI_MSIX_IRQ_INDEX,
		.start = start,
		.count = count,
	};

	return client_call(d, c, VFU_CMD_SET_IRQS, &m, sizeof(m), fds, nr_fds, &r);
}

unsigned int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int nr = 0;

	need(dir, "/proc/self/fd");
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

int make_file(size_t size)
{
	int fd = memfd_create("client-memory", MFD_CLOEXEC);

	need(fd >= 0 && !ftruncate(fd, size), "memfd");
	return fd;
}
