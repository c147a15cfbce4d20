// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: vfio-user server
 *
 * One socket, one client at a time, one thread. The owner polls between slices
 * of its own work. An epoll instance of the server's own stands for whatever it
 * waits for at the moment (a client to accept, a command, room for a reply), so
 * that the owner has one descriptor to watch that never changes.
 *
 * While a client is served, others wait in the listen queue: a VMM that restarts
 * may connect before the old one is quite dead.
 */
#define _GNU_SOURCE
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Messages in one vfu_poll(): enough for a burst, short against a GPU quantum. */
#define POLL_BUDGET 64

#define LISTEN_BACKLOG 4

void vfu_log(struct vfu *v, const char *fmt, ...)
{
	char text[256];
	va_list args;

	if (!v->desc.log)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	v->desc.log(v->opaque, text);
}

static int watch(struct vfu *v, int op, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events };

	return epoll_ctl(v->epoll_fd, op, fd, &event) ? -errno : 0;
}

/* Errors of the one connection, and shortages that pass: the client stays queued. */
static bool accept_may_be_retried(int err)
{
	return err == EAGAIN || err == EINTR || err == ECONNABORTED || err == EMFILE ||
	       err == ENFILE || err == ENOBUFS || err == ENOMEM;
}

static int accept_client(struct vfu *v)
{
	int fd = accept4(v->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	int ret;

	if (fd < 0)
		return accept_may_be_retried(errno) ? 0 : -errno;
	ret = watch(v, EPOLL_CTL_ADD, fd, EPOLLIN);
	if (ret) {
		close(fd);
		return ret;
	}
	v->watched = EPOLLIN;
	watch(v, EPOLL_CTL_DEL, v->listen_fd, 0);
	vfu_conn_open(&v->conn, fd);
	v->stats.clients++;
	return 0;
}

/* Everything that was the client's goes; then the device is reset for the next one. */
static void drop_client(struct vfu *v, int why)
{
	bool had_device = v->conn.negotiated;

	if (why == -EPROTO) {
		v->stats.drops++;
		vfu_log(v, "client dropped: protocol violation");
	}
	watch(v, EPOLL_CTL_DEL, v->conn.fd, 0);
	vfu_conn_close(&v->conn);
	vfu_dma_drop_all(v);
	vfu_irq_drop_all(v);
	watch(v, EPOLL_CTL_ADD, v->listen_fd, EPOLLIN);
	if (!had_device)
		return;
	v->ops->reset(v->opaque, VFU_RESET_GONE);
	if (v->ops->client_gone)
		v->ops->client_gone(v->opaque);
}

static void update_watch(struct vfu *v)
{
	uint32_t events = v->conn.out_len ? EPOLLOUT : EPOLLIN;

	if (events == v->watched)
		return;
	watch(v, EPOLL_CTL_MOD, v->conn.fd, events);
	v->watched = events;
}

/* Returns 1 if a message was handled, 0 if there is nothing to do, or a negative errno. */
static int serve_one(struct vfu *v)
{
	struct vfu_conn *c = &v->conn;
	int ret;

	ret = vfu_conn_flush(c);
	if (ret <= 0)
		return ret;
	ret = vfu_conn_recv(c);
	if (ret <= 0)
		return ret;
	vfu_msg_handle(v);
	ret = vfu_conn_flush(c);
	if (ret < 0)
		return ret;
	return c->broken ? -EPROTO : 1;
}

static int serve(struct vfu *v)
{
	int handled;

	for (handled = 0; handled < POLL_BUDGET; handled++) {
		int ret = serve_one(v);

		if (ret < 0) {
			drop_client(v, ret);
			return handled;
		}
		if (!ret)
			break;
	}
	update_watch(v);
	return handled;
}

int vfu_poll(struct vfu *v, int timeout_ms)
{
	if (v->dma.lost)
		vfu_dma_drop_lost(v);
	if (timeout_ms) {
		struct epoll_event event;
		int ret = epoll_wait(v->epoll_fd, &event, 1, timeout_ms);

		if (ret <= 0)
			return ret ? -errno : 0;
	}
	if (v->conn.fd < 0) {
		int ret = accept_client(v);

		if (ret || v->conn.fd < 0)
			return ret;
	}
	return serve(v);
}

int vfu_fd(const struct vfu *v)
{
	return v->epoll_fd;
}

bool vfu_connected(const struct vfu *v)
{
	return v->conn.fd >= 0 && v->conn.negotiated;
}

void vfu_get_stats(const struct vfu *v, struct vfu_stats *stats)
{
	*stats = v->stats;
}

/* A socket that nobody listens on is left over from a server that was killed. */
static int remove_stale(const struct sockaddr_un *addr)
{
	struct stat st;
	int fd, ret;

	if (lstat(addr->sun_path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	ret = connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) ? -errno : -EADDRINUSE;
	close(fd);
	if (ret == -EAGAIN)
		return -EADDRINUSE;
	if (ret != -ECONNREFUSED)
		return ret;
	return unlink(addr->sun_path) ? -errno : 0;
}

static int open_listener(struct vfu *v)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	mode_t mask;
	int ret;

	memcpy(addr.sun_path, v->path, sizeof(addr.sun_path));
	ret = remove_stale(&addr);
	if (ret)
		return ret;
	v->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (v->listen_fd < 0)
		return -errno;
	/* Whoever can connect owns the GPU: leave the socket to its owner. */
	mask = umask(0177);
	ret = bind(v->listen_fd, (struct sockaddr *)&addr, sizeof(addr)) ? -errno : 0;
	umask(mask);
	if (ret)
		goto err_close;
	if (listen(v->listen_fd, LISTEN_BACKLOG)) {
		ret = -errno;
		goto err_unlink;
	}
	return 0;

err_unlink:
	unlink(v->path);
err_close:
	close(v->listen_fd);
	return ret;
}

static void close_epoll(struct vfu *v)
{
	close(v->wake_fd);
	close(v->epoll_fd);
}

static int open_epoll(struct vfu *v)
{
	int ret;

	v->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (v->epoll_fd < 0)
		return -errno;
	v->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (v->wake_fd < 0) {
		ret = -errno;
		close(v->epoll_fd);
		return ret;
	}
	ret = watch(v, EPOLL_CTL_ADD, v->wake_fd, EPOLLIN);
	if (!ret)
		ret = watch(v, EPOLL_CTL_ADD, v->listen_fd, EPOLLIN);
	if (ret)
		close_epoll(v);
	return ret;
}

static bool region_is_valid(const struct vfu_region *r)
{
	const uint64_t mask = VFU_PAGE_SIZE - 1;
	uint32_t i;

	if (r->mem_size > r->size)
		return false;
	if (!(r->flags & VFIO_REGION_INFO_FLAG_MMAP))
		return !r->nr_areas;
	if (r->fd < 0 || (r->fd_offset & mask) || r->nr_areas > VFU_PAGE_SIZE)
		return false;
	for (i = 0; i < r->nr_areas; i++) {
		const struct vfu_area *a = &r->areas[i];

		if (!a->size || ((a->offset | a->size) & mask) || a->size > r->size ||
		    a->offset > r->size - a->size)
			return false;
	}
	return true;
}

static int check_desc(const char *path, const struct vfu_desc *desc, const struct vfu_ops *ops)
{
	unsigned int i;

	if (strlen(path) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return -ENAMETOOLONG;
	if (!path[0] || desc->nr_msix > VFU_MAX_IRQS || !ops->region_read || !ops->region_write ||
	    !ops->reset || !ops->dma_unmap)
		return -EINVAL;
	for (i = 0; i < VFIO_PCI_NUM_REGIONS; i++) {
		if (!region_is_valid(&desc->regions[i]))
			return -EINVAL;
	}
	return 0;
}

struct vfu *vfu_create(const char *path, const struct vfu_desc *desc, const struct vfu_ops *ops,
		       void *opaque)
{
	struct vfu *v;
	int ret;

	ret = check_desc(path, desc, ops);
	if (ret) {
		errno = -ret;
		return NULL;
	}
	v = calloc(1, sizeof(*v));
	if (!v)
		return NULL;
	v->desc = *desc;
	v->ops = ops;
	v->opaque = opaque;
	strcpy(v->path, path);
	vfu_irq_init(v);
	vfu_dma_init(v);
	ret = vfu_conn_init(&v->conn);
	if (ret)
		goto err_conn;
	ret = open_listener(v);
	if (ret)
		goto err_conn;
	ret = open_epoll(v);
	if (ret)
		goto err_listener;
	ret = vfu_sigbus_register(v);
	if (ret)
		goto err_epoll;
	return v;

err_epoll:
	close_epoll(v);
err_listener:
	close(v->listen_fd);
	unlink(v->path);
err_conn:
	vfu_conn_fini(&v->conn);
	free(v);
	errno = -ret;
	return NULL;
}

void vfu_destroy(struct vfu *v)
{
	if (!v)
		return;
	if (v->conn.fd >= 0)
		drop_client(v, 0);
	vfu_sigbus_unregister(v);
	close_epoll(v);
	close(v->listen_fd);
	unlink(v->path);
	vfu_conn_fini(&v->conn);
	free(v);
}

int vfu_memfd(const char *name, size_t size, void **ptr)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *p;
	int err;

	if (fd < 0)
		return -errno;
	size = (size + VFU_PAGE_SIZE - 1) & ~((size_t)VFU_PAGE_SIZE - 1);
	if (ftruncate(fd, size) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		goto err_fd;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		goto err_fd;
	*ptr = p;
	return fd;

err_fd:
	err = -errno;
	close(fd);
	return err;
}
