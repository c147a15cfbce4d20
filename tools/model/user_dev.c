// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: the GPU behind /dev/tessera-user
 *
 * The kernel asks for register accesses; its memory is mapped: VRAM, doorbells, a clock, and a
 * window on the bus. A page of the window exists as long as the kernel lets the GPU reach it, and
 * an access to another one raises SIGBUS. So the kernel is asked before a pointer is given out.
 * It takes a page away only when the GPU cannot use it any more, by an invalidation that the model
 * has served; if one is used all the same, the page is replaced by zeroes of the process's own, so
 * that the access ends, and the window is repaired at the next poll.
 *
 * Doorbells are memory that virtual machines store to, without any notice. They are looked at
 * before each request, and by the main loop.
 */
#define _GNU_SOURCE
#include "user_dev.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/tessera_user.h>
#include <tessera/hw/tess_regs.h>

#define PAGE_BYTES 4096u
#define BUS_BYTES (1ull << TESSERA_USER_BUS_BITS)
#define BATCH 16
#define REPLACED_MAX 64

/**
 * struct user_dev - the device
 * @fd: its file
 * @nr_slices: slices
 * @ops: the GPU
 * @opaque: for them
 * @vram: memory
 * @vram_size: its bytes
 * @doorbells: a page for each slice that there may be
 * @clock: GPU time, for the kernel
 * @bus: window
 * @replaced: pages of the window that were replaced
 * @nr_replaced: their number; written by the signal handler
 * @over: the kernel does not want the GPU (any more)
 * @left: its clients stand still
 */
struct user_dev {
	int fd;
	unsigned int nr_slices;
	const struct user_dev_ops *ops;
	void *opaque;
	void *vram;
	uint64_t vram_size;
	uint8_t *doorbells;
	struct tessera_user_clock *clock;
	uint8_t *bus;
	uint8_t *replaced[REPLACED_MAX];
	volatile sig_atomic_t nr_replaced;
	bool over;
	bool left;
};

/* ---- pages that are gone ---- */

/* A signal handler has no argument of its own; a process serves one GPU. */
static struct user_dev *sigbus_dev;

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	struct user_dev *d = sigbus_dev;
	uint8_t *page = (uint8_t *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE_BYTES - 1));
	int saved_errno = errno;

	(void)context;
	if (page >= d->bus && page < d->bus + BUS_BYTES && d->nr_replaced < REPLACED_MAX &&
	    mmap(page, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) != MAP_FAILED) {
		d->replaced[d->nr_replaced++] = page;
		errno = saved_errno;
		return;
	}
	/* The instruction runs again and ends the process. */
	signal(sig, SIG_DFL);
}

static void repair(struct user_dev *d)
{
	if (!d->nr_replaced)
		return;
	d->ops->flush(d->opaque);
	d->ops->log(d->opaque, true, "the GPU used memory that was taken from it");
	while (d->nr_replaced) {
		uint8_t *page = d->replaced[--d->nr_replaced];

		mmap(page, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, d->fd,
		     (off_t)(TESSERA_USER_BUS + (uint64_t)(page - d->bus)));
	}
}

/* ---- life ---- */

static void *map(struct user_dev *d, uint64_t size, uint64_t off)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, d->fd,
		       (off_t)off);

	return p == MAP_FAILED ? NULL : p;
}

static int map_all(struct user_dev *d)
{
	struct sigaction action = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	d->vram = map(d, d->vram_size, TESSERA_USER_VRAM);
	d->doorbells = map(d, TESS_MAX_SLICES * PAGE_BYTES, TESSERA_USER_DOORBELLS);
	d->clock = map(d, PAGE_BYTES, TESSERA_USER_CLOCK);
	d->bus = map(d, BUS_BYTES, TESSERA_USER_BUS);
	if (!d->vram || !d->doorbells || !d->clock || !d->bus)
		return -errno;
	sigbus_dev = d;
	return sigaction(SIGBUS, &action, NULL) ? -errno : 0;
}

static int take_gpu(struct user_dev *d, int take)
{
	int chunks = ioctl(d->fd, TESSERA_USER_TAKE, (unsigned long)take);

	if (chunks < 0)
		return -errno;
	/* Its clients would lose it. */
	return (uint64_t)chunks << 21 == d->vram_size ? 0 : -EINVAL;
}

static int open_dev(struct user_dev *d, const char *path, int take)
{
	int err;
	struct tessera_user_add add = {
		.version = TESSERA_USER_VERSION,
		.vram_size = d->vram_size,
	};

	d->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (d->fd < 0)
		return -errno;
	if (take >= 0)
		err = take_gpu(d, take);
	else
		err = ioctl(d->fd, TESSERA_USER_ADD, &add) < 0 ? -errno : 0;
	return err ? err : map_all(d);
}

struct user_dev *user_dev_create(const char *path, int take, uint64_t vram_size,
				 unsigned int nr_slices, const struct user_dev_ops *ops,
				 void *opaque)
{
	struct user_dev *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return NULL;
	d->vram_size = vram_size;
	d->nr_slices = nr_slices;
	d->ops = ops;
	d->opaque = opaque;
	err = open_dev(d, path, take);
	if (err) {
		user_dev_destroy(d);
		errno = -err;
		return NULL;
	}
	return d;
}

static void unmap(void *p, uint64_t size)
{
	if (p)
		munmap(p, size);
}

void user_dev_destroy(struct user_dev *d)
{
	if (!d)
		return;
	unmap(d->bus, BUS_BYTES);
	unmap(d->clock, PAGE_BYTES);
	unmap(d->doorbells, TESS_MAX_SLICES * PAGE_BYTES);
	unmap(d->vram, d->vram_size);
	/* Else its clients would wait for another server. */
	if (d->fd >= 0 && !d->left)
		ioctl(d->fd, TESSERA_USER_END);
	if (d->fd >= 0)
		close(d->fd);
	free(d);
}

void *user_dev_vram(const struct user_dev *d)
{
	return d->vram;
}

int user_dev_start(struct user_dev *d)
{
	return ioctl(d->fd, TESSERA_USER_START) ? -errno : 0;
}

int user_dev_leave(struct user_dev *d)
{
	return ioctl(d->fd, TESSERA_USER_LEAVE) ? -errno : 0;
}

int user_dev_fd(const struct user_dev *d)
{
	return d->fd;
}

/* ---- requests ---- */

static void take_doorbells(struct user_dev *d)
{
	unsigned int i;

	for (i = 0; i < d->nr_slices; i++) {
		_Atomic uint64_t *word =
			(_Atomic uint64_t *)(d->doorbells + i * PAGE_BYTES + TESS_DOORBELL_WPTR);
		uint64_t val;

		if (atomic_load_explicit(word, memory_order_relaxed) == TESSERA_USER_NO_DOORBELL)
			continue;
		val = atomic_exchange(word, TESSERA_USER_NO_DOORBELL);
		if (val != TESSERA_USER_NO_DOORBELL)
			d->ops->reg_write(d->opaque, TESS_DOORBELL_PAGE(i) + TESS_DOORBELL_WPTR,
					  val, 8);
	}
}

static void log_started(struct user_dev *d, int64_t rc)
{
	char msg[96];

	if (rc)
		snprintf(msg, sizeof(msg), "the kernel does not take the GPU: %s",
			 strerror((int)-rc));
	else
		snprintf(msg, sizeof(msg), "the GPU is in the pool");
	d->ops->log(d->opaque, rc, msg);
}

static void log_left(struct user_dev *d, int64_t rc)
{
	char msg[96];

	if (!rc)
		return;
	snprintf(msg, sizeof(msg), "the clients of the GPU cannot stand still: %s",
		 strerror((int)-rc));
	d->ops->log(d->opaque, true, msg);
}

/* True: it is to be replied to */
static bool serve(struct user_dev *d, const struct tessera_user_request *req,
		  struct tessera_user_reply *reply)
{
	*reply = (struct tessera_user_reply){ .tag = req->tag };
	switch (req->op) {
	case TESSERA_USER_READ32:
	case TESSERA_USER_READ64:
		reply->val = d->ops->reg_read(d->opaque, (uint32_t)req->at,
					      req->op == TESSERA_USER_READ64 ? 8 : 4);
		return true;
	case TESSERA_USER_WRITE32:
	case TESSERA_USER_WRITE64:
		d->ops->reg_write(d->opaque, (uint32_t)req->at, req->val,
				  req->op == TESSERA_USER_WRITE64 ? 8 : 4);
		return true;
	case TESSERA_USER_STARTED:
		log_started(d, (int64_t)req->val);
		d->over |= !!req->val;
		return false;
	case TESSERA_USER_LEFT:
		log_left(d, (int64_t)req->val);
		d->left |= !req->val;
		return false;
	case TESSERA_USER_LOST:
		d->ops->log(d->opaque, true, "the kernel gave the GPU up");
		d->over = true;
		return false;
	default:
		return false;
	}
}

int user_dev_poll(struct user_dev *d)
{
	struct tessera_user_request req[BATCH];
	struct tessera_user_reply reply[BATCH];
	ssize_t got;
	int err;

	repair(d);
	for (;;) {
		size_t i, n = 0;

		got = read(d->fd, req, sizeof(req));
		err = errno;
		/* Not before: what was stored is for the client that a request may exchange. */
		take_doorbells(d);
		if (got < 0)
			return err == EAGAIN || err == EINTR ? 0 : -err;
		for (i = 0; i < (size_t)got / sizeof(*req); i++)
			n += serve(d, &req[i], &reply[n]);
		/* What is not waited for any more cannot be replied to. */
		if (n && write(d->fd, reply, n * sizeof(*reply)) < 0 && errno != EINVAL)
			return -errno;
		if (d->over || d->left)
			return d->left ? -ESHUTDOWN : -ENODEV;
	}
}

void user_dev_set_time(struct user_dev *d, uint64_t cycles)
{
	atomic_store_explicit((_Atomic uint64_t *)&d->clock->cycles, cycles, memory_order_release);
}

void user_dev_advance_time(struct user_dev *d, uint64_t cycles)
{
	_Atomic uint64_t *clock = (_Atomic uint64_t *)&d->clock->cycles;
	uint64_t now = atomic_load_explicit(clock, memory_order_relaxed);

	while (cycles > now &&
	       !atomic_compare_exchange_weak_explicit(clock, &now, cycles, memory_order_release,
						      memory_order_relaxed))
		;
}

/* ---- the bus ---- */

void *user_dev_dma_ptr(struct user_dev *d, uint64_t addr, uint64_t len, int prot)
{
	struct tessera_user_reach reach = {
		.addr = addr & ~(uint64_t)(PAGE_BYTES - 1),
		.write = !!(prot & PROT_WRITE),
	};

	if (!len || addr >= BUS_BYTES || len > BUS_BYTES - addr ||
	    ioctl(d->fd, TESSERA_USER_REACH, &reach))
		return NULL;
	return d->bus + addr;
}

void user_dev_irq_raise(struct user_dev *d, unsigned int vector)
{
	ioctl(d->fd, TESSERA_USER_RAISE, 1ul << vector);
}
