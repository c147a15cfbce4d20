// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: life and death of a connection: clients that are killed, hang up in the
 * middle, send nonsense, flood, or do not read; servers that start and stop.
 */
#define _GNU_SOURCE
#include "tap.h"
#include "vfu_client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define RW (VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE)
#define SET_FD (VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER)
#define PAGE 4096ull

/* payload of the reply to a VERSION without capabilities */
#define NO_CAPS_REPLY (sizeof(struct vfu_msg_version) + sizeof("{\"capabilities\":{}}"))

static struct dev dev;
static struct client cl;
static struct reply rep;
static unsigned int idle_fds;

static bool is_idle(void)
{
	return !vfu_connected(dev.vfu) && !vfu_dma_count(dev.vfu) &&
	       !vfu_irq_configured(dev.vfu, 0) && count_fds() == idle_fds;
}

static bool works(void)
{
	bool fine;

	client_start(&dev, &cl);
	fine = !client_call(&dev, &cl, VFU_CMD_DEVICE_RESET, NULL, 0, NULL, 0, &rep);
	client_close(&dev, &cl);
	return fine && is_idle();
}

/* In the child: one command, then its reply, of a length that is known. */
static void child_call(int sock, uint16_t command, const void *payload, size_t len, int fd,
		       size_t reply_len)
{
	struct vfu_hdr hdr = { .command = command, .size = sizeof(hdr) + len };
	uint8_t msg[64];

	memcpy(msg, &hdr, sizeof(hdr));
	memcpy(msg + sizeof(hdr), payload, len);
	send_fds(sock, msg, hdr.size, &fd, fd >= 0);
	recv(sock, rep.data, sizeof(hdr) + reply_len, MSG_WAITALL);
}

/* A client in a process of its own, which holds on to everything until it is killed. */
static pid_t fork_client(int ready)
{
	struct vfu_msg_version version = { 0 };
	struct vfu_msg_dma_map map = { .argsz = 32, .flags = RW, .iova = PAGE, .size = PAGE };
	struct vfu_msg_irq_set irq = { .argsz = 20, .flags = SET_FD, .index = 2, .count = 1 };
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	pid_t pid = fork();
	int sock;

	if (pid)
		return pid;
	strcpy(addr.sun_path, dev.path);
	sock = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(sock, (struct sockaddr *)&addr, sizeof(addr)))
		_exit(1);
	child_call(sock, VFU_CMD_VERSION, &version, sizeof(version), -1, NO_CAPS_REPLY);
	child_call(sock, VFU_CMD_DMA_MAP, &map, sizeof(map), make_file(PAGE), 0);
	child_call(sock, VFU_CMD_SET_IRQS, &irq, sizeof(irq), eventfd(0, 0), 0);
	if (write(ready, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void test_kill(void)
{
	int ready[2];
	struct pollfd pfd;
	pid_t pid;
	unsigned int i;

	if (pipe2(ready, O_CLOEXEC))
		return;
	pid = fork_client(ready[1]);
	pfd = (struct pollfd){ .fd = ready[0], .events = POLLIN };
	for (i = 0; i < 5000 && !poll(&pfd, 1, 0); i++)
		vfu_poll(dev.vfu, 1);
	ok(vfu_connected(dev.vfu) && vfu_dma_count(dev.vfu) == 1 && vfu_irq_configured(dev.vfu, 0),
	   "a client in another process has memory and an interrupt here");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	dev.unmaps = 0;
	dev.resets_gone = 0;
	dev.gones = 0;
	for (i = 0; i < 100 && vfu_connected(dev.vfu); i++)
		vfu_poll(dev.vfu, 10);
	ok(is_idle(), "killed: its memory, eventfds and connection are gone");
	ok(dev.unmaps == 1 && dev.resets_gone == 1 && dev.gones == 1, "the device is reset, once");
	ok(works(), "the next client is served");
}

static void test_hang_up(void)
{
	struct vfu_hdr hdr = { .command = VFU_CMD_REGION_WRITE, .size = 16 + 16 + 4096 };
	int fd = make_file(PAGE);
	size_t cut[] = { 1, 15, 16, 17, 40, 2000 };
	static uint8_t msg[16 + 16 + 4096];
	size_t i, bad = 0;

	memcpy(msg, &hdr, sizeof(hdr));
	for (i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
		client_start(&dev, &cl);
		client_send(&dev, &cl, msg, cut[i], &fd, 1);
		client_close(&dev, &cl);
		bad += count_fds() != idle_fds + 1 || vfu_connected(dev.vfu);
	}
	close(fd);
	ok(!bad && works(), "hanging up in the middle of a message, with a descriptor in it");
}

static bool hdr_closes(struct vfu_hdr hdr)
{
	bool closed;

	client_start(&dev, &cl);
	client_send(&dev, &cl, &hdr, sizeof(hdr), NULL, 0);
	closed = client_is_closed(&dev, &cl);
	client_close(&dev, &cl);
	return closed && is_idle();
}

static void test_headers(void)
{
	struct vfu_stats before, after;

	vfu_get_stats(dev.vfu, &before);
	ok(hdr_closes((struct vfu_hdr){ .command = 13, .size = 15 }), "a size below the header's");
	ok(hdr_closes((struct vfu_hdr){ .command = 13, .size = 0 }), "size 0");
	ok(hdr_closes((struct vfu_hdr){ .command = 10, .size = 16 + 16 + VFU_MAX_XFER + 1 }),
	   "one byte more than the largest message");
	ok(hdr_closes((struct vfu_hdr){ .command = 10, .size = UINT32_MAX }), "size 4 GiB - 1");
	ok(hdr_closes((struct vfu_hdr){ .command = 13, .size = 16, .flags = 1 }),
	   "a reply to nothing");
	ok(hdr_closes((struct vfu_hdr){ .command = 13, .size = 16, .flags = 15 }),
	   "a message of no known type");
	vfu_get_stats(dev.vfu, &after);
	ok(after.drops == before.drops + 6, "each counts as a protocol violation");
	ok(works(), "the next client is served");
}

static void test_pieces(void)
{
	struct {
		struct vfu_hdr hdr;
		struct vfu_msg_region_access m;
		uint64_t data;
	} w = {
		.hdr = { .id = 3, .command = VFU_CMD_REGION_WRITE, .size = sizeof(w) },
		.m = { .offset = 0x300, .region = 0, .count = 8 },
		.data = 0x0123456789abcdef,
	};
	size_t i;

	client_start(&dev, &cl);
	for (i = 0; i < sizeof(w); i++)
		client_send(&dev, &cl, (uint8_t *)&w + i, 1, NULL, 0);
	ok(client_recv(&dev, &cl, &rep) && !(rep.hdr.flags & VFU_HDR_ERROR) &&
		   !memcmp(dev.bar0 + 0x300, &w.data, 8),
	   "a message in single bytes");
	client_close(&dev, &cl);
}

/* Descriptors in every piece: more than a message can have, in total. */
static void test_fd_flood(void)
{
	struct vfu_hdr hdr = { .id = 9, .command = VFU_CMD_SET_IRQS, .size = 16 + 20 };
	struct vfu_msg_irq_set m = { .argsz = 20, .flags = 0x24, .index = 2, .count = 1 };
	uint8_t msg[36];
	int efd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int many[60];
	size_t i;

	memcpy(msg, &hdr, sizeof(hdr));
	memcpy(msg + 16, &m, sizeof(m));
	for (i = 0; i < 60; i++)
		many[i] = efd;
	client_start(&dev, &cl);
	for (i = 0; i < sizeof(msg); i++)
		client_send(&dev, &cl, msg + i, 1, many, 60);
	ok(client_recv(&dev, &cl, &rep) && rep.hdr.error == EINVAL,
	   "%zu descriptors with one message are refused", 60 * sizeof(msg));
	client_close(&dev, &cl);
	close(efd);
	ok(is_idle(), "and all closed");
}

/* Descriptor n belongs to message n, however the socket glues them together. */
static void test_pipelined_fds(void)
{
	struct {
		struct vfu_hdr hdr;
		struct vfu_msg_dma_map m;
	} map;
	int fd[3];
	unsigned int i, bad = 0;

	client_start(&dev, &cl);
	for (i = 0; i < 3; i++) {
		fd[i] = make_file(PAGE);
		pwrite(fd[i], &(char){ 'a' + i }, 1, 0);
		memset(&map, 0, sizeof(map));
		map.hdr = (struct vfu_hdr){ .id = i, .command = VFU_CMD_DMA_MAP, .size = 48 };
		map.m = (struct vfu_msg_dma_map){
			.argsz = 32, .flags = RW, .iova = i * PAGE, .size = PAGE
		};
		/* not client_send(): the server is to find all three at once */
		bad += send_fds(cl.fd, &map, sizeof(map), &fd[i], i != 1) != sizeof(map);
	}
	ok(!bad && vfu_poll(dev.vfu, 0) == 3 && vfu_dma_count(dev.vfu) == 3,
	   "three commands in one poll");
	ok(*(char *)vfu_dma_ptr(dev.vfu, 0, 1, PROT_READ) == 'a' &&
		   !vfu_dma_ptr(dev.vfu, PAGE, 1, PROT_READ) &&
		   *(char *)vfu_dma_ptr(dev.vfu, 2 * PAGE, 1, PROT_READ) == 'c',
	   "each has its own descriptor, or none");
	for (i = 0; i < 3; i++)
		close(fd[i]);
	client_close(&dev, &cl);
	ok(is_idle(), "nothing is left");
}

/* A client that sends reads of 1 MiB and never takes a reply. */
static void test_no_reader(void)
{
	struct {
		struct vfu_hdr hdr;
		struct vfu_msg_region_access m;
	} r = {
		.hdr = { .command = VFU_CMD_REGION_READ, .size = sizeof(r) },
		.m = { .region = 2, .count = VFU_MAX_XFER },
	};
	struct vfu_stats before, after;
	struct pollfd pfd = { .fd = vfu_fd(dev.vfu), .events = POLLIN };
	unsigned int i, replies = 0;

	client_start(&dev, &cl);
	vfu_get_stats(dev.vfu, &before);
	for (i = 0; i < 100; i++)
		send(cl.fd, &r, sizeof(r), MSG_DONTWAIT);
	for (i = 0; i < 100; i++)
		vfu_poll(dev.vfu, 0);
	vfu_get_stats(dev.vfu, &after);
	ok(after.messages - before.messages <= 2, "replies that nobody takes stop the reading");
	ok(!poll(&pfd, 1, 0), "and do not keep the owner busy");
	while (replies < 100 && client_recv(&dev, &cl, &rep) && rep.len == 16 + VFU_MAX_XFER)
		replies++;
	ok(replies == 100, "all replies come once they are taken");
	send(cl.fd, &r, sizeof(r), MSG_DONTWAIT);
	vfu_poll(dev.vfu, 0);
	client_close(&dev, &cl);
	ok(is_idle(), "hanging up with a reply under way");
}

/* A burst of posted writes does not keep the owner in vfu_poll(). */
static void test_burst(void)
{
	struct {
		struct vfu_hdr hdr;
		struct vfu_msg_region_access m;
		uint32_t data;
	} __attribute__((packed)) w = {
		.hdr = { .command = VFU_CMD_REGION_WRITE,
			 .size = sizeof(w),
			 .flags = VFU_HDR_NO_REPLY },
		.m = { .region = 0, .count = 4 },
	};
	unsigned int sent = 0;
	int first;

	client_start(&dev, &cl);
	dev.writes = 0;
	while (send(cl.fd, &w, sizeof(w), MSG_DONTWAIT) == sizeof(w))
		sent++;
	first = vfu_poll(dev.vfu, 0);
	ok(first > 0 && first < 200 && sent > 200, "one poll handles %d of %u messages", first,
	   sent);
	dev_run(&dev);
	ok(dev.writes == sent, "later ones handle the rest");
	client_close(&dev, &cl);
}

static void test_second_client(void)
{
	struct client second;

	client_start(&dev, &cl);
	client_connect(&dev, &second);
	ok(!client_is_closed(&dev, &second) && vfu_connected(dev.vfu), "a second client waits");
	client_close(&dev, &cl);
	vfu_poll(dev.vfu, 0);
	ok(!client_version(&dev, &second, 0, NULL, &rep), "until the first one leaves");
	client_close(&dev, &second);
}

static void test_poll(void)
{
	struct pollfd pfd = { .fd = vfu_fd(dev.vfu), .events = POLLIN };
	struct vfu_hdr hdr = { .command = VFU_CMD_DEVICE_RESET, .size = sizeof(hdr) };

	ok(!poll(&pfd, 1, 0) && !vfu_poll(dev.vfu, 0) && !vfu_poll(dev.vfu, 1), "nothing to do");
	client_start(&dev, &cl);
	ok(!poll(&pfd, 1, 0), "a client that is quiet");
	send(cl.fd, &hdr, sizeof(hdr), 0);
	ok(poll(&pfd, 1, 0) == 1 && vfu_poll(dev.vfu, -1) == 1 && !poll(&pfd, 1, 0),
	   "a message makes the descriptor readable until it is handled");
	client_recv(&dev, &cl, &rep);
	close(cl.fd);
	ok(poll(&pfd, 1, 0) == 1 && !vfu_poll(dev.vfu, 0) && !poll(&pfd, 1, 0),
	   "so does a client that leaves");
}

/* No descriptor numbers left: what cannot be received is refused, nothing else happens. */
static void test_out_of_fds(void)
{
	struct rlimit old, tight;
	struct client second;
	int fd = make_file(PAGE);
	int ret;

	client_start(&dev, &cl);
	client_connect(&dev, &second);
	getrlimit(RLIMIT_NOFILE, &old);
	tight = old;
	tight.rlim_cur = second.fd + 1;
	setrlimit(RLIMIT_NOFILE, &tight);
	ret = client_map(&dev, &cl, 0, PAGE, RW, fd, 0);
	ok(ret == EINVAL && !vfu_dma_count(dev.vfu), "a descriptor that there is no room for");
	shutdown(cl.fd, SHUT_RDWR);
	dev_run(&dev);
	ret = dup(fd);
	ok(ret >= 0 && !vfu_connected(dev.vfu) && !vfu_poll(dev.vfu, 0) && !vfu_poll(dev.vfu, 1),
	   "a client that there is no room for is not an error");
	close(ret);
	setrlimit(RLIMIT_NOFILE, &old);
	ok(!client_version(&dev, &second, 0, NULL, &rep), "it is served when there is");
	close(cl.fd);
	client_close(&dev, &second);
	close(fd);
	ok(is_idle(), "nothing is left");
}

static void leave_socket(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(addr.sun_path, path);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		perror(path);
	close(fd);
}

static int no_read(void *opaque, unsigned int region, uint64_t off, void *buf, size_t len)
{
	(void)opaque;
	(void)region;
	(void)off;
	memset(buf, 0, len);
	return 0;
}

static int no_write(void *opaque, unsigned int region, uint64_t off, const void *buf, size_t len)
{
	(void)opaque;
	(void)region;
	(void)off;
	(void)buf;
	(void)len;
	return 0;
}

static void no_reset(void *opaque, enum vfu_reset why)
{
	(void)opaque;
	(void)why;
}

static void no_unmap(void *opaque, uint64_t iova, uint64_t size)
{
	(void)opaque;
	(void)iova;
	(void)size;
}

/* The owner's mistakes: each is an error, and the last description shows that they were the cause. */
static void test_desc(void)
{
	static const struct vfu_area areas[] = {
		{ 0, 0 },	 { 1, PAGE },	     { 0, PAGE + 1 },
		{ 0, 9 * PAGE }, { 8 * PAGE, PAGE }, { 7 * PAGE, PAGE },
	};
	static const struct vfu_ops least = { .region_read = no_read,
					      .region_write = no_write,
					      .reset = no_reset,
					      .dma_unmap = no_unmap };
	const size_t nr = sizeof(areas) / sizeof(areas[0]);
	struct vfu_ops ops = least;
	struct vfu_desc desc = { 0 };
	struct vfu_region *r = &desc.regions[0];
	char path[128];
	struct vfu *v;
	size_t i, bad = 0;

	snprintf(path, sizeof(path), "%s.other", dev.path);
	r->size = 8 * PAGE;
	r->flags = VFIO_REGION_INFO_FLAG_MMAP;
	r->nr_areas = 1;
	for (i = 0; i < nr; i++) {
		r->areas = &areas[i];
		v = vfu_create(path, &desc, &ops, NULL);
		bad += !v != (i < nr - 1);
		vfu_destroy(v);
	}
	r->mem_size = 9 * PAGE;
	bad += !!vfu_create(path, &desc, &ops, NULL);
	r->mem_size = 0;
	r->fd = -1;
	bad += !!vfu_create(path, &desc, &ops, NULL);
	r->flags = 0;
	bad += !!vfu_create(path, &desc, &ops, NULL);
	r->nr_areas = 0;
	desc.nr_msix = VFU_MAX_IRQS + 1;
	bad += !!vfu_create(path, &desc, &ops, NULL);
	desc.nr_msix = VFU_MAX_IRQS;
	ops.dma_unmap = NULL;
	bad += !!vfu_create(path, &desc, &ops, NULL);
	ops = least;
	v = vfu_create(path, &desc, &ops, NULL);
	ok(!bad && v, "descriptions that make no sense");
	vfu_destroy(v);
}

static void test_create(void)
{
	unsigned int fds = count_fds();
	char path[128], long_path[200];
	struct stat st;

	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	snprintf(path, sizeof(path), "%s.other", dev.path);
	ok(!stat(dev.path, &st) && S_ISSOCK(st.st_mode) && (st.st_mode & 0777) == 0600,
	   "only the owner can connect");
	ok(!dev_serve(&dev, dev.path) && errno == EADDRINUSE, "a socket that is in use");
	ok(!dev_serve(&dev, long_path) && errno == ENAMETOOLONG, "a path that is too long");
	ok(!dev_serve(&dev, "") && errno == EINVAL, "no path");
	ok(!dev_serve(&dev, "/nonexistent/socket") && errno == ENOENT, "no directory");
	close(open(path, O_CREAT | O_WRONLY, 0600));
	ok(!dev_serve(&dev, path) && errno == EEXIST && !stat(path, &st) && S_ISREG(st.st_mode),
	   "a file in the way is left alone");
	unlink(path);
	leave_socket(path);
	vfu_destroy(dev_serve(&dev, path));
	ok(stat(path, &st) && errno == ENOENT,
	   "a stale socket is replaced, and removed at the end");
	vfu_destroy(NULL);
	vfu_poll(dev.vfu, 0);
	ok(count_fds() == fds, "no descriptor is left");
}

int main(void)
{
	unsigned int fds = count_fds();

	dev_open(&dev);
	idle_fds = count_fds();
	test_create();
	test_desc();
	test_poll();
	test_kill();
	test_hang_up();
	test_headers();
	test_pieces();
	test_fd_flood();
	test_pipelined_fds();
	test_no_reader();
	test_burst();
	test_second_client();
	test_out_of_fds();
	client_start(&dev, &cl);
	dev.resets_gone = 0;
	dev_close(&dev);
	ok(dev.resets_gone == 1, "destroying the server drops the client");
	close(cl.fd);
	ok(count_fds() == fds, "no descriptor is left");
	return done();
}
