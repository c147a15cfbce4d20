// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Main loop
 *
 * Joins the GPU and what it is reached by in one thread: its PCI function behind a socket, or
 * a device file of the kernel's. Other threads only run slices, while the loop does so itself
 * (crew.c). The loop gives the GPU steps while it has work and looks there
 * every 100 us of wall time, so that a register access waits for no more than that. It blocks
 * when the GPU is idle, and for a millisecond at a time when all that runs waits for a memory
 * word, or when doorbells are memory, which has to be looked at.
 *
 * GPU time is counted in steps and not taken from a clock; --clock keeps it from
 * getting ahead of one. As long as it is not behind either, one thread is enough. Only while nothing runs does it follow the clock, and
 * without --clock only if somebody waits for it to pass.
 */
#define _GNU_SOURCE
#include "model.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "gpu.h"
#include "log.h"
#include "options.h"
#include "pci_dev.h"
#include "user_dev.h"
#include "vfu/vfu.h"

#define NSEC_PER_SEC 1000000000LL
#define NSEC_PER_MSEC 1000000LL
#define POLL_INTERVAL_NS 100000LL
#define WAIT_INTERVAL_NS NSEC_PER_MSEC
#define BEHIND_NS NSEC_PER_MSEC /* that a GPU is behind its clock before other threads help */

/**
 * struct model - the GPU and what it is connected to
 * @gpu: GPU
 * @dev: its PCI function, or NULL
 * @user: its device file, or NULL
 * @log: messages
 * @clock_khz: limit of the clock, 0: none
 * @start: wall time at which the GPU's time was @begin
 * @begin: 0 after a reset, or what the host set
 * @polled: wall time at which the socket was looked at
 * @waited: wall time up to which a waiting GPU got cycles
 * @slow_us: of struct options
 * @vram: memory of the PCI function
 * @vram_size: its bytes
 * @vram_fd: its descriptor, or -1
 * @unblocked: signal mask while it waits
 * @stop: set by a signal
 */
struct model {
	struct gpu *gpu;
	struct pci_dev *dev;
	struct user_dev *user;
	struct log *log;
	uint64_t clock_khz;
	int64_t start;
	uint64_t begin;
	int64_t polled;
	int64_t waited;
	unsigned int slow_us;
	void *vram;
	uint64_t vram_size;
	int vram_fd;
	sigset_t unblocked;
	volatile sig_atomic_t *stop;
};

static int64_t wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* Cycles of a clock in a time; in two parts, for the product may need more than 64 bits. */
static uint64_t cycles_in(int64_t ns, uint64_t khz)
{
	uint64_t ms = (uint64_t)ns / NSEC_PER_MSEC, rest = (uint64_t)ns % NSEC_PER_MSEC;

	return ms * khz + rest * khz / NSEC_PER_MSEC;
}

static void *bus_dma_ptr(void *opaque, uint64_t addr, uint64_t len, int prot)
{
	struct model *m = opaque;

	return m->user ? user_dev_dma_ptr(m->user, addr, len, prot) :
			 pci_dev_dma_ptr(m->dev, addr, len, prot);
}

static void bus_irq(void *opaque, unsigned int vector)
{
	struct model *m = opaque;

	if (m->user)
		user_dev_irq_raise(m->user, vector);
	else
		pci_dev_irq_raise(m->dev, vector);
}

static void bus_restart(void *opaque, uint64_t now)
{
	struct model *m = opaque;

	m->start = wall_ns();
	m->begin = now;
	if (m->user)
		user_dev_set_time(m->user, now);
}

static void bus_told(void *opaque, uint64_t now)
{
	struct model *m = opaque;

	if (m->user)
		user_dev_advance_time(m->user, now);
}

static uint64_t bus_wall(void *opaque)
{
	struct model *m = opaque;

	return m->begin + cycles_in(wall_ns() - m->start, m->clock_khz);
}

static uint64_t dev_reg_read(void *opaque, uint32_t off, unsigned int size)
{
	struct model *m = opaque;

	return gpu_reg_read(m->gpu, off, size);
}

static void dev_reg_write(void *opaque, uint32_t off, uint64_t val, unsigned int size)
{
	struct model *m = opaque;

	gpu_reg_write(m->gpu, off, val, size);
}

static void dev_reset(void *opaque, enum pci_reset how)
{
	struct model *m = opaque;

	log_event(m->log, LOG_INFO, "reset %d", how);
	gpu_reset(m->gpu);
}

static void dev_dma_invalidate(void *opaque, uint64_t addr, uint64_t size)
{
	struct model *m = opaque;

	(void)addr;
	(void)size;
	gpu_flush(m->gpu);
}

static void dev_flush(void *opaque)
{
	struct model *m = opaque;

	gpu_flush(m->gpu);
}

static void dev_log(void *opaque, const char *msg)
{
	struct model *m = opaque;

	log_event(m->log, LOG_INFO, "%s", msg);
}

static const struct pci_dev_ops dev_ops = {
	.reg_read = dev_reg_read,
	.reg_write = dev_reg_write,
	.reset = dev_reset,
	.dma_invalidate = dev_dma_invalidate,
};

static void user_log(void *opaque, bool trouble, const char *msg)
{
	struct model *m = opaque;

	log_event(m->log, trouble ? LOG_WARN : LOG_INFO, "%s", msg);
}

static const struct user_dev_ops user_ops = {
	.reg_read = dev_reg_read,
	.reg_write = dev_reg_write,
	.flush = dev_flush,
	.log = user_log,
};

static int dev_fd(const struct model *m)
{
	return m->user ? user_dev_fd(m->user) : pci_dev_fd(m->dev);
}

static void be_slow(const struct model *m)
{
	if (m->slow_us)
		usleep(m->slow_us);
}

/* Doorbells of the device file are not announced */
static int dev_poll_user(struct model *m)
{
	int err;

	user_dev_advance_time(m->user, gpu_time(m->gpu));
	be_slow(m);
	err = user_dev_poll(m->user);
	be_slow(m);
	return err;
}

static int dev_poll(struct model *m, bool readable)
{
	if (m->user)
		return dev_poll_user(m);
	return readable ? pci_dev_poll(m->dev, 0) : 0;
}

/* Handle messages; waits for the first one for at most @timeout ns, for ever if it is negative. */
static int model_poll(struct model *m, int64_t timeout)
{
	struct timespec ts = { timeout / NSEC_PER_SEC, timeout % NSEC_PER_SEC };
	struct pollfd pfd = { .fd = dev_fd(m), .events = POLLIN };
	int n = ppoll(&pfd, 1, timeout < 0 ? NULL : &ts, &m->unblocked);

	n = n < 0 ? -errno : dev_poll(m, n);
	m->polled = wall_ns();
	return n < 0 && n != -EINTR ? n : 0;
}

/* Is the GPU ahead of the clock? Returns for how long, in ns. */
static int64_t model_ahead(struct model *m)
{
	uint64_t now = gpu_time(m->gpu), wall;

	if (!m->clock_khz)
		return 0;
	wall = bus_wall(m);
	return now > wall ? (int64_t)((now - wall) * NSEC_PER_MSEC / m->clock_khz) : 0;
}

static bool time_to_poll(const struct model *m)
{
	return wall_ns() - m->polled >= POLL_INTERVAL_NS;
}

/* Is it time to look at the socket or to wait, when the GPU's time is @now? */
static bool model_enough(void *opaque, uint64_t now)
{
	const struct model *m = opaque;

	return time_to_poll(m) || (m->clock_khz && now > bus_wall(opaque));
}

/* Is it worth to wake other threads? Without a clock the GPU is always late. */
static bool model_behind(struct model *m)
{
	return !m->clock_khz || gpu_time(m->gpu) + cycles_in(BEHIND_NS, m->clock_khz) < bus_wall(m);
}

/* Steps until it is time to look at the socket or to wait, or nothing is left to do. */
static void model_run(struct model *m)
{
	while (gpu_get_state(m->gpu) == GPU_RUNNING && !model_ahead(m)) {
		if (model_behind(m))
			gpu_run(m->gpu, model_enough, m);
		else
			gpu_step_in_turn(m->gpu, gpu_step_cycles(m->gpu));
		if (time_to_poll(m))
			break;
	}
}

/* Clock that waiting is measured with. */
static uint64_t wait_khz(const struct model *m)
{
	return m->clock_khz ? m->clock_khz : GPU_CLOCK_KHZ;
}

/* For how long to wait, in ns: to the next timer, but not long. */
static int64_t wait_time(const struct model *m)
{
	uint64_t cycles = gpu_event_cycles(m->gpu);

	if (cycles >= wait_khz(m) * WAIT_INTERVAL_NS / NSEC_PER_MSEC)
		return WAIT_INTERVAL_NS;
	return (int64_t)(cycles * NSEC_PER_MSEC / wait_khz(m));
}

/* Time passes at the nominal clock for slices that wait; steps end with the next timer. */
static void model_wait(struct model *m)
{
	int64_t now = wall_ns();
	uint64_t cycles = cycles_in(now - m->waited, wait_khz(m)), n;

	if (cycles > GPU_STEP_MAX)
		cycles = GPU_STEP_MAX;
	if (!cycles)
		cycles = 1;
	for (; cycles; cycles -= n) {
		n = gpu_event_cycles(m->gpu);
		n = n < cycles ? n : cycles;
		gpu_step(m->gpu, (unsigned int)n);
	}
	m->waited = now;
}

static int model_loop_once(struct model *m)
{
	enum gpu_state state = gpu_get_state(m->gpu);
	int64_t ahead;
	int err;

	switch (state) {
	case GPU_IDLE:
		err = model_poll(m, m->user ? WAIT_INTERVAL_NS : -1);
		m->waited = m->polled;
		return err;
	case GPU_WAITING:
		err = model_poll(m, wait_time(m));
		model_wait(m);
		return err;
	default:
		ahead = model_ahead(m);
		err = model_poll(m, ahead < WAIT_INTERVAL_NS ? ahead : WAIT_INTERVAL_NS);
		model_run(m);
		m->waited = m->polled;
		return err;
	}
}

/* A GPU behind a socket ends with its process. */
static int model_leave(struct model *m)
{
	if (!m->user) {
		*m->stop = MODEL_STOPS;
		return 0;
	}
	*m->stop = MODEL_GOES_ON;
	return user_dev_leave(m->user);
}

int model_loop(struct model *m)
{
	int err = 0;

	while (!err && *m->stop != MODEL_STOPS) {
		if (*m->stop == MODEL_LEAVES)
			err = model_leave(m);
		if (!err)
			err = model_loop_once(m);
	}
	return err == -ESHUTDOWN ? 0 : err;
}

static int model_start_gpu(struct model *m, const struct options *o, void *vram)
{
	struct gpu_desc gd = {
		.nr_slices = o->nr_slices,
		.threads = o->threads,
		.bank_size = o->bank_size,
		.vram = vram,
		.vram_fd = m->vram_fd,
		.bus = {
			.dma_ptr = bus_dma_ptr,
			.irq = bus_irq,
			.wall = o->clock_khz ? bus_wall : NULL,
			.restart = bus_restart,
			.told = bus_told,
			.opaque = m,
		},
		.log = m->log,
	};

	memcpy(gd.kinds, o->kinds, sizeof(gd.kinds));
	memcpy(gd.stuck, o->stuck, sizeof(gd.stuck));
	memcpy(gd.damage, o->damage, sizeof(gd.damage));
	memcpy(gd.refuse, o->refuse, sizeof(gd.refuse));
	m->clock_khz = o->clock_khz;
	m->slow_us = o->slow_us;
	m->gpu = gpu_create(&gd);
	return m->gpu ? 0 : -ENOMEM;
}

static int model_start_pci(struct model *m, const struct options *o)
{
	struct pci_dev_desc pd = {
		.socket = o->socket,
		.vram_size = o->nr_slices * o->bank_size,
		.serial = o->serial,
		.log = dev_log,
	};
	int err;

	m->vram_fd = vfu_memfd("tessera-vram", pd.vram_size, &m->vram);
	if (m->vram_fd < 0)
		return m->vram_fd;
	m->vram_size = pd.vram_size;
	err = model_start_gpu(m, o, m->vram);
	if (err)
		return err;
	pd.vram = m->vram;
	pd.vram_fd = m->vram_fd;
	m->dev = pci_dev_create(&pd, &dev_ops, m);
	return m->dev ? 0 : -errno;
}

static int model_start_user(struct model *m, const struct options *o)
{
	int err;

	m->user = user_dev_create(o->serve, o->take, o->nr_slices * o->bank_size, o->nr_slices,
				  &user_ops, m);
	if (!m->user)
		return -errno;
	err = model_start_gpu(m, o, user_dev_vram(m->user));
	return err ? err : user_dev_start(m->user);
}

struct model *model_new(const struct options *o, struct log *log, const sigset_t *unblocked,
			volatile sig_atomic_t *stop)
{
	struct model *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return NULL;
	m->log = log;
	m->unblocked = *unblocked;
	m->stop = stop;
	m->vram_fd = -1;
	err = o->serve ? model_start_user(m, o) : model_start_pci(m, o);
	if (err) {
		model_free(m);
		errno = -err;
		return NULL;
	}
	return m;
}

void model_free(struct model *m)
{
	/* [1] Dropping the client resets the GPU, so the device goes first. */
	pci_dev_destroy(m->dev);
	gpu_destroy(m->gpu);
	user_dev_destroy(m->user);
	if (m->vram_fd >= 0) {
		munmap(m->vram, m->vram_size);
		close(m->vram_fd);
	}
	free(m);
}
