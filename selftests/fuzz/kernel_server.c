// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process that serves a GPU (/dev/tessera-user) and does anything: registers of a GPU that could
 * be one, with values that are not; replies that come late, out of order, twice, to nothing, or in
 * part; interrupts, time, doorbells and completion records at random; calls in any order with any
 * arguments; files that are closed in the middle and taken over. Clients use its GPU meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/tessera_user.h>

#include "kernel_fuzz.h"
#include "tess_ctx.h"
#include "vgpu.h"

#define DEV "/dev/tessera-user"
#define PARAMETER "/sys/module/tessera_user/parameters/"
#define OPS 1500
#define SLICES 4u
#define CHUNK (2ull << 20)
#define BUS_SIZE (1ull << TESSERA_USER_BUS_BITS)
#define DOORBELLS_SIZE (TESS_MAX_SLICES * PAGE)
#define KEPT 8u
#define BATCH 16u
#define CLIENTS 4u
/* Of so many replies, @strange of a server are what they should not be */
#define OF 1000u

static const uint64_t near[] = {
	0,
	PAGE,
	CHUNK,
	TESSERA_USER_DOORBELLS + DOORBELLS_SIZE,
	TESSERA_USER_CLOCK,
	TESSERA_USER_VRAM,
	TESSERA_USER_VRAM + CHUNK,
	TESSERA_USER_BUS,
	TESSERA_USER_BUS + BUS_SIZE,
	TESS_PA_VRAM,
	1ull << 30,
	1ull << 32,
	TESS_ID_VALUE,
	TESS_RESET_KEY,
};

/**
 * struct server - of a GPU
 * @e: episode
 * @fd: /dev/tessera-user
 * @index: number of the GPU, or what else is taken
 * @regs: BAR 0
 * @vram_size: of the GPU
 * @vram: mapped, or NULL
 * @doorbells: mapped, or NULL
 * @clock: mapped, or NULL
 * @bus: mapped, or NULL
 * @strange: see OF
 * @kept: requests that are not replied to yet
 * @nr_kept: their number
 * @tag: of the last request
 * @left: the clients stand still
 * @client: processes that use the GPU
 */
struct server {
	struct episode *e;
	int fd;
	int index;
	uint8_t regs[TESS_REGS_SIZE];
	uint64_t vram_size;
	uint8_t *vram;
	uint8_t *doorbells;
	uint8_t *clock;
	uint8_t *bus;
	unsigned int strange;
	struct tessera_user_request kept[KEPT];
	unsigned int nr_kept;
	uint32_t tag;
	bool left;
	pid_t client[CLIENTS];
};

static uint64_t value(struct server *s)
{
	return fuzz_value(&s->e->state, near, sizeof(near) / sizeof(*near));
}

static bool is_strange(struct server *s)
{
	return below(s->e, OF) < s->strange;
}

/* ---- memory that may not be there ---- */

static sigjmp_buf gone;

static void on_fault(int sig)
{
	(void)sig;
	siglongjmp(gone, 1);
}

static bool copy(void *dst, const void *src, size_t len)
{
	if (sigsetjmp(gone, 1))
		return false;
	memcpy(dst, src, len);
	return true;
}

static bool bus_read(struct server *s, uint64_t addr, void *buf, size_t len)
{
	return s->bus && addr < BUS_SIZE - len && copy(buf, s->bus + addr, len);
}

static bool bus_write(struct server *s, uint64_t addr, const void *buf, size_t len)
{
	return s->bus && addr < BUS_SIZE - len && copy(s->bus + addr, buf, len);
}

/* ---- registers ---- */

static uint64_t get(struct server *s, uint32_t at, unsigned int width)
{
	uint64_t val = 0;

	memcpy(&val, s->regs + at, width);
	return val;
}

static void put(struct server *s, uint32_t at, uint64_t val, unsigned int width)
{
	memcpy(s->regs + at, &val, width);
}

static void reset(struct server *s)
{
	uint32_t caps = TESS_CAPS_STAGE2 | TESS_CAPS_CONTEXT | TESS_CAPS_SWITCH | TESS_CAPS_FABRIC;
	unsigned int i;

	memset(s->regs, 0, sizeof(s->regs));
	put(s, TESS_REG_ID, TESS_ID_VALUE, 4);
	put(s, TESS_REG_VERSION, 1u << 16 | 3, 4);
	put(s, TESS_REG_CAPS, below(s->e, 2) ? caps : caps & (uint32_t)value(s), 4);
	put(s, TESS_REG_SLICE_COUNT, SLICES, 4);
	put(s, TESS_REG_SLICE_MASK, (1ull << SLICES) - 1, 8);
	put(s, TESS_REG_ENGINE_MASK, TESS_ENGINE_COMPUTE | TESS_ENGINE_COPY, 4);
	put(s, TESS_REG_VRAM_SIZE, s->vram_size, 8);
	put(s, TESS_REG_BANK_SIZE, s->vram_size / SLICES, 8);
	put(s, TESS_REG_CLOCK_KHZ, 4000, 4);
	put(s, TESS_REG_LIMITS,
	    DRM_TESSERA_GROUP_SLOTS | 8 << 8 | 64 << 16 | (uint32_t)TESS_RING_LOG2_MAX << 24, 4);
	put(s, TESS_REG_GENERATION, 1, 8);
	for (i = 0; i < SLICES; i++) {
		put(s, TESS_CLIENT_PAGE(i) + TESS_SREG_KIND, TESS_KIND_COMPUTE, 4);
		put(s, TESS_CLIENT_PAGE(i) + TESS_SREG_CORES, 8, 4);
		put(s, TESS_CLIENT_PAGE(i) + TESS_SREG_ENGINES,
		    TESS_ENGINE_COMPUTE | TESS_ENGINE_COPY, 4);
		put(s, TESS_HOST_PAGE(i) + TESS_HREG_CONTROL, TESS_HCONTROL_RUN, 4);
	}
}

static void raise_irq(struct server *s, unsigned int vector)
{
	ioctl(s->fd, TESSERA_USER_RAISE, 1ul << vector);
}

/* An operation on a context ends, one way or another, at once or never */
static void context_op(struct server *s, uint32_t page)
{
	uint32_t status = is_strange(s) ? below(s->e, 32) : TESS_CTX_DONE;

	put(s, page + TESS_HREG_CTX_STATUS, status, 4);
	put(s, page + TESS_HREG_CTX_USED, is_strange(s) ? value(s) : PAGE, 8);
	put(s, page + TESS_HREG_EVENTS, TESS_EVENTS_CONTEXT, 4);
	put(s, TESS_REG_EVENT_PENDING, value(s), 8);
	if (!is_strange(s))
		raise_irq(s, TESS_IRQ_EVENT);
}

static void host_write(struct server *s, uint32_t page, uint32_t reg, uint64_t val)
{
	switch (reg) {
	case TESS_HREG_CONTROL:
		put(s, page + TESS_HREG_STATUS, val & TESS_HCONTROL_RUN ? 0 : TESS_HSTATUS_HALTED,
		    4);
		break;
	case TESS_HREG_CTX_OP:
		context_op(s, page);
		break;
	case TESS_HREG_EVENTS:
	case TESS_HREG_HFAULT_ACK:
		put(s, page + reg, 0, 4);
		put(s, TESS_REG_HFAULT_PENDING, 0, 8);
		break;
	}
}

static void client_write(struct server *s, uint32_t page, uint32_t reg, uint64_t val)
{
	switch (reg) {
	case TESS_SREG_CONTROL:
		put(s, page + TESS_SREG_STATUS, val & TESS_CONTROL_ENABLE ? TESS_STATUS_ENABLED : 0,
		    4);
		break;
	case TESS_SREG_RESET:
	case TESS_SREG_FAULT_ACK:
		put(s, page + TESS_SREG_STATUS, 0, 4);
		put(s, TESS_REG_FAULT_PENDING, 0, 8);
		break;
	}
}

static void reg_write(struct server *s, uint64_t at, uint64_t val, unsigned int width)
{
	uint32_t page = (uint32_t)at & ~(uint32_t)(PAGE - 1), reg = at % PAGE;

	HOLDS(at <= TESS_REGS_SIZE - width && at % width == 0);
	if (at == TESS_REG_RESET) {
		if (val == TESS_RESET_KEY)
			reset(s);
		return;
	}
	put(s, (uint32_t)at, val, width);
	if (page >= TESS_HOST_PAGE(0))
		host_write(s, page, reg, val);
	else if (page >= TESS_CLIENT_PAGE(0) && page < TESS_DOORBELL_PAGE(0))
		client_write(s, page, reg, val);
}

/* ---- rings ---- */

/* What a FENCE says, or almost */
static void complete(struct server *s, uint32_t page, uint64_t seq, uint64_t rptr)
{
	uint64_t addr = get(s, page + TESS_SREG_COMPLETION, 8);
	struct tess_completion_record rec = { .seq = seq, .rptr = rptr };

	if (is_strange(s))
		rec.seq = value(s);
	if (is_strange(s))
		rec.rptr = value(s);
	put(s, page + TESS_SREG_FENCE_SEQ, rec.seq, 8);
	bus_write(s, addr + offsetof(struct tess_completion_record, rptr), &rec.rptr, 8);
	bus_write(s, addr, &rec.seq, 8);
	if (!is_strange(s))
		raise_irq(s, TESS_IRQ_COMPLETION);
}

/* The packets of a ring between the indexes; only FENCEs of clients without stage 2 are seen */
static void ring_run(struct server *s, unsigned int slice, uint64_t wptr)
{
	uint32_t page = TESS_CLIENT_PAGE(slice);
	uint64_t base = get(s, page + TESS_SREG_RING_BASE, 8);
	uint64_t rptr = get(s, page + TESS_SREG_RPTR, 8);
	uint64_t mask = (1ull << (get(s, page + TESS_SREG_RING_LOG2, 4) & 31)) - 1;
	_Alignas(8) uint8_t p[DRM_TESSERA_PKT_SIZE];

	put(s, page + TESS_SREG_WPTR, wptr, 8);
	if (wptr - rptr > 4096)
		return;
	for (; rptr != wptr; rptr++) {
		const struct tess_pkt_fence *f = (const struct tess_pkt_fence *)p;

		if (!bus_read(s, base + (rptr & mask) * sizeof(p), p, sizeof(p)))
			break;
		if ((p[0] & DRM_TESSERA_PKT_TYPE_MASK) == DRM_TESSERA_PKT_FENCE)
			complete(s, page, f->seq, rptr + 1);
	}
	put(s, page + TESS_SREG_RPTR, wptr, 8);
}

static void take_doorbells(struct server *s)
{
	unsigned int i;

	for (i = 0; s->doorbells && i < SLICES; i++) {
		uint64_t *word = (uint64_t *)(s->doorbells + i * PAGE + TESS_DOORBELL_WPTR);
		uint64_t val =
			__atomic_exchange_n(word, TESSERA_USER_NO_DOORBELL, __ATOMIC_SEQ_CST);

		if (val != TESSERA_USER_NO_DOORBELL)
			ring_run(s, i, val);
	}
}

/* ---- requests ---- */

static void answer(struct server *s, const struct tessera_user_request *req)
{
	bool wide = req->op == TESSERA_USER_READ64 || req->op == TESSERA_USER_WRITE64;
	bool is_read = req->op == TESSERA_USER_READ32 || req->op == TESSERA_USER_READ64;
	struct tessera_user_reply r[3] = { { .tag = req->tag } };
	unsigned int count = 1;

	HOLDS(req->at <= TESS_REGS_SIZE - (wide ? 8 : 4));
	if (!is_read)
		reg_write(s, req->at, req->val, wide ? 8 : 4);
	r[0].val = is_strange(s) ? value(s) : get(s, (uint32_t)req->at, wide ? 8 : 4);
	if (is_strange(s)) {
		/* Twice, or behind another one */
		r[1] = r[0];
		r[2] = (struct tessera_user_reply){ .tag = (uint32_t)value(s), .val = value(s) };
		count = 1 + below(s->e, 3);
	}
	if (is_strange(s))
		r[0].pad = below(s->e, 2);
	write(s->fd, r, count * sizeof(*r) - (is_strange(s) ? below(s->e, 16) : 0));
}

static void keep(struct server *s, const struct tessera_user_request *req)
{
	if (s->nr_kept == KEPT)
		answer(s, &s->kept[below(s->e, KEPT)]);
	else
		s->kept[s->nr_kept++] = *req;
}

static void one(struct server *s, const struct tessera_user_request *req)
{
	switch (req->op) {
	case TESSERA_USER_READ32:
	case TESSERA_USER_READ64:
	case TESSERA_USER_WRITE32:
	case TESSERA_USER_WRITE64:
		s->tag = req->tag;
		if (is_strange(s))
			keep(s, req);
		else
			answer(s, req);
		break;
	case TESSERA_USER_KICK:
		take_doorbells(s);
		break;
	case TESSERA_USER_STARTED:
		*s->e->reached += !req->val;
		break;
	case TESSERA_USER_LEFT:
		s->left |= !req->val;
		break;
	default:
		HOLDS(req->op == TESSERA_USER_LOST);
		break;
	}
}

static void op_serve(struct server *s)
{
	static struct tessera_user_request req[BATCH];
	struct pollfd pfd = { .fd = s->fd, .events = POLLIN };
	ssize_t got, i;

	poll(&pfd, 1, 1);
	take_doorbells(s);
	got = read(s->fd, req, (1 + below(s->e, BATCH)) * sizeof(*req));
	HOLDS(got < 0 || got % (ssize_t)sizeof(*req) == 0);
	for (i = 0; i < got / (ssize_t)sizeof(*req); i++)
		one(s, &req[i]);
}

static void op_late(struct server *s)
{
	unsigned int n;

	if (!s->nr_kept)
		return;
	n = below(s->e, s->nr_kept);
	answer(s, &s->kept[n]);
	s->kept[n] = s->kept[--s->nr_kept];
}

/* To nothing that was asked, from and to wherever */
static void op_garbage(struct server *s)
{
	struct tessera_user_reply r[2] = {
		{ .tag = s->tag + below(s->e, 5) - 2, .val = value(s) },
		{ .tag = (uint32_t)value(s), .val = value(s) },
	};
	uint8_t *const places[] = { NULL,    (uint8_t *)r, s->bus,
				    s->vram, s->clock,	   (uint8_t *)(value(s) & 0x7fffffffffff) };
	uint8_t *place = places[below(s->e, 6)];
	size_t size = below(s->e, 4) ? sizeof(r) : below(s->e, PAGE);

	if (below(s->e, 4))
		write(s->fd, place == (uint8_t *)r || below(s->e, 2) ? (void *)r : place,
		      size > sizeof(r) ? sizeof(r) : size);
	else if (place != (uint8_t *)r)
		/* What is lost so is never answered */
		read(s->fd, place, below(s->e, 4) ? below(s->e, 24) : size);
}

/* ---- what needs no request ---- */

static void op_registers(struct server *s)
{
	static const uint32_t at[] = {
		TESS_REG_FAULT_PENDING,
		TESS_REG_HFAULT_PENDING,
		TESS_REG_EVENT_PENDING,
		TESS_REG_CAPS,
		TESS_REG_SLICE_MASK,
		TESS_CLIENT_PAGE(0) + TESS_SREG_STATUS,
		TESS_CLIENT_PAGE(1) + TESS_SREG_FAULT_CAUSE,
		TESS_CLIENT_PAGE(0) + TESS_SREG_RPTR,
		TESS_HOST_PAGE(0) + TESS_HREG_STATUS,
		TESS_HOST_PAGE(0) + TESS_HREG_EVENTS,
		TESS_HOST_PAGE(1) + TESS_HREG_HFAULT_CAUSE,
		TESS_HOST_PAGE(0) + TESS_HREG_HFAULT_GPA,
		TESS_HOST_PAGE(0) + TESS_HREG_CTX_STATUS,
		TESS_HOST_PAGE(0) + TESS_HREG_COUNTERS,
	};

	if (is_strange(s))
		put(s, at[below(s->e, sizeof(at) / sizeof(*at))], value(s), 8);
}

static void op_raise(struct server *s)
{
	ioctl(s->fd, TESSERA_USER_RAISE,
	      below(s->e, 8) ? below(s->e, 1 << TESS_IRQ_COUNT) : value(s));
}

static void op_pages(struct server *s)
{
	uint64_t val = value(s);

	if (s->clock)
		copy(s->clock + below(s->e, 2) * 8 * below(s->e, 512), &val, 8);
	if (s->doorbells && is_strange(s))
		copy(s->doorbells + below(s->e, DOORBELLS_SIZE / 8) * 8, &val, 8);
	if (s->vram)
		copy(s->vram + below(s->e, (uint32_t)s->vram_size / 8) * 8, &val, 8);
}

/* Where the drivers said that there is something, and elsewhere */
static void op_bus(struct server *s)
{
	unsigned int slice = below(s->e, SLICES);
	const uint64_t there[] = {
		get(s, TESS_CLIENT_PAGE(slice) + TESS_SREG_RING_BASE, 8),
		get(s, TESS_CLIENT_PAGE(slice) + TESS_SREG_COMPLETION, 8),
		get(s, TESS_HOST_PAGE(slice) + TESS_HREG_STAGE2_ROOT, 8),
		get(s, TESS_HOST_PAGE(slice) + TESS_HREG_CTX_ADDR, 8),
		value(s),
	};
	uint64_t addr = (there[below(s->e, 5)] + below(s->e, 512) * 8) % BUS_SIZE;
	struct tessera_user_reach reach = {
		.addr = below(s->e, 4) ? addr & ~(PAGE - 1) : value(s),
		.write = below(s->e, 8) ? below(s->e, 2) : (uint32_t)value(s),
	};
	uint64_t val = value(s);

	ioctl(s->fd, TESSERA_USER_REACH, &reach);
	if (!below(s->e, 4))
		bus_write(s, addr, &val, 8);
	else if (bus_read(s, addr, &val, 8) && below(s->e, 2))
		/* Where that points to */
		bus_write(s, val % BUS_SIZE & ~7ull, &val, 8);
}

static void op_completion(struct server *s)
{
	uint32_t page = TESS_CLIENT_PAGE(below(s->e, SLICES));

	complete(s, page, get(s, page + TESS_SREG_FENCE_SEQ, 8) + below(s->e, 3),
		 get(s, page + TESS_SREG_RPTR, 8));
}

/* ---- mappings ---- */

static uint8_t *map(struct server *s, uint64_t size, uint64_t off)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, s->fd,
		       (off_t)off);

	return p == MAP_FAILED ? NULL : p;
}

static void unmap(uint8_t **p, uint64_t size)
{
	if (*p)
		munmap(*p, size);
	*p = NULL;
}

static void map_all(struct server *s)
{
	s->vram = map(s, s->vram_size, TESSERA_USER_VRAM);
	s->doorbells = map(s, DOORBELLS_SIZE, TESSERA_USER_DOORBELLS);
	s->clock = map(s, PAGE, TESSERA_USER_CLOCK);
	s->bus = map(s, BUS_SIZE, TESSERA_USER_BUS);
}

static void unmap_all(struct server *s)
{
	unmap(&s->vram, s->vram_size);
	unmap(&s->doorbells, DOORBELLS_SIZE);
	unmap(&s->clock, PAGE);
	unmap(&s->bus, BUS_SIZE);
}

static void op_map(struct server *s)
{
	uint64_t size = below(s->e, 4) ? PAGE << below(s->e, 12) : value(s) % (BUS_SIZE * 2);
	int prot = below(s->e, 4) ? PROT_READ | PROT_WRITE : (int)below(s->e, 8);
	uint64_t val = value(s);
	uint8_t *p = mmap(NULL, size, prot,
			  MAP_NORESERVE | (below(s->e, 8) ? MAP_SHARED : MAP_PRIVATE), s->fd,
			  (off_t)(value(s) & ~(PAGE - 1) & INT64_MAX));

	if (p == MAP_FAILED)
		return;
	if (prot & PROT_READ)
		copy(&val, p + below(s->e, 512) * 8, 8);
	if (below(s->e, 2) && prot & PROT_WRITE)
		copy(p + size - PAGE, &val, 8);
	madvise(p, size, (int)below(s->e, 26));
	mprotect(p, PAGE, (int)below(s->e, 8));
	/* In two parts */
	munmap(p + (size / 2 & ~(PAGE - 1)), size - (size / 2 & ~(PAGE - 1)));
	munmap(p, size);
}

/* Its own are gone for a while */
static void op_remap(struct server *s)
{
	unmap_all(s);
	map_all(s);
}

/* ---- calls ---- */

static void op_ioctl(struct server *s)
{
	struct tessera_user_add add = {
		.version = below(s->e, 4) ? TESSERA_USER_VERSION : (uint32_t)value(s),
		.flags = below(s->e, 4) ? 0 : (uint32_t)value(s),
		.vram_size = below(s->e, 2) ? CHUNK : value(s),
	};

	switch (below(s->e, 6)) {
	case 0:
		HOLDS(ioctl(s->fd, TESSERA_USER_ADD, &add) < 0);
		break;
	case 1:
		ioctl(s->fd, TESSERA_USER_START);
		break;
	case 2:
		HOLDS(ioctl(s->fd, TESSERA_USER_TAKE, value(s)) < 0);
		break;
	case 3:
		if (!below(s->e, 8))
			ioctl(s->fd, TESSERA_USER_END);
		break;
	case 4:
		ioctl(s->fd, TESSERA_USER_LEAVE);
		break;
	default:
		ioctl(s->fd, _IOC(below(s->e, 4), 'U', 0xa0 + below(s->e, 9), below(s->e, 32)),
		      below(s->e, 2) ? value(s) : (uintptr_t)s->regs);
		break;
	}
}

/* Somebody else, at the same time. Nobody takes a GPU that has a server */
static void op_other_file(struct server *s)
{
	int fd = open(DEV, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	struct tessera_user_add add = { .version = TESSERA_USER_VERSION, .vram_size = CHUNK };

	HOLDS(fd >= 0);
	HOLDS(ioctl(fd, TESSERA_USER_TAKE, (unsigned long)s->index) < 0);
	if (below(s->e, 2) && ioctl(fd, TESSERA_USER_ADD, &add) >= 0 && below(s->e, 2))
		ioctl(fd, TESSERA_USER_START);
	close(fd);
}

static void forget(struct server *s)
{
	unmap_all(s);
	close(s->fd);
	s->nr_kept = 0;
	s->left = false;
}

static void begin(struct server *s)
{
	map_all(s);
	reset(s);
	if (below(s->e, 16))
		HOLDS(!ioctl(s->fd, TESSERA_USER_START));
}

static void open_gpu(struct server *s)
{
	struct tessera_user_add add = { .version = TESSERA_USER_VERSION };

	s->fd = open(DEV, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	HOLDS(s->fd >= 0);
	s->vram_size = add.vram_size = CHUNK * SLICES << below(s->e, 2);
	s->index = ioctl(s->fd, TESSERA_USER_ADD, &add);
	HOLDS(s->index >= 0);
	begin(s);
}

/* The next server: after this one was killed, or left; or a new GPU if that is gone */
static void op_take_over(struct server *s)
{
	int fd;

	if (!s->left && below(s->e, 4))
		return;
	forget(s);
	fd = open(DEV, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	HOLDS(fd >= 0);
	if (ioctl(fd, TESSERA_USER_TAKE, (unsigned long)s->index) < 0) {
		close(fd);
		open_gpu(s);
		return;
	}
	s->fd = fd;
	begin(s);
}

/* ---- clients ---- */

static void pci_name(const struct server *s, char *name, size_t size)
{
	snprintf(name, size, "7e55:%02x:00.0", s->index);
}

static void compute(const char *pci)
{
	struct tess_ctx ctx;
	char pattern[PATH_MAX], path[PATH_MAX];
	glob_t g;
	int fd;

	snprintf(pattern, sizeof(pattern), "/sys/bus/pci/devices/%s/drm/renderD*", pci);
	if (glob(pattern, 0, NULL, &g))
		return;
	snprintf(path, sizeof(path), "/dev/dri/%s", strrchr(g.gl_pathv[0], '/') + 1);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	tess_ctx_open_on(&ctx, fd, 0);
	for (;;) {
		tess_begin(&ctx);
		tess_nop(&ctx);
		tess_fill(&ctx, TESS_DATA_VA, PAGE, 0);
		if (tess_ctx_run(&ctx))
			return;
	}
}

static void be_a_guest(const char *pci)
{
	struct ring ring;
	struct vgpu v;
	char uuid[37];

	if (mdev_create_on(pci, "C1", uuid) || vgpu_open(&v, uuid))
		return;
	ring_start(&ring, &v, 0);
	ring_fill(&ring, DATA_GPA, PAGE, 0);
	ring_fence(&ring, true);
	for (;;) {
		client_reg64(&v, 0, TESS_SREG_RPTR);
		ring_kick(&ring);
		usleep(5000);
	}
}

/* A process of its own: what it waits for may come only with the end of this one */
static void op_client(struct server *s)
{
	pid_t *client = &s->client[below(s->e, CLIENTS)];
	bool process = below(s->e, 2);
	char pci[32];

	pci_name(s, pci, sizeof(pci));
	if (*client > 0) {
		kill(*client, SIGKILL);
		waitpid(*client, NULL, WNOHANG);
	}
	*client = fork();
	if (*client)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(s->fd);
	/* What a program would say of its errors is of no interest */
	dup2(open("/dev/null", O_WRONLY), 1);
	dup2(1, 2);
	if (process)
		compute(pci);
	else
		be_a_guest(pci);
	_exit(0);
}

static void (*const server_ops[])(struct server *s) = {
	op_serve, op_serve, op_serve, op_serve,	     op_serve,	   op_serve, op_serve,
	op_late,  op_late,  op_late,  op_garbage,    op_registers, op_raise, op_pages,
	op_bus,	  op_bus,   op_bus,   op_completion, op_map,
};

/* Rarely, for each makes an end of much */
static void (*const rare_ops[])(struct server *s) = {
	op_remap, op_ioctl, op_ioctl, op_other_file, op_take_over, op_client, op_client, op_client,
};

static void set(const char *parameter, unsigned int val)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), PARAMETER "%s", parameter);
	snprintf(text, sizeof(text), "%u", val);
	HOLDS(!file_write(path, text));
}

void fuzz_server(struct episode *e)
{
	static const unsigned int strange[] = { 0, 0, 1, 3, 10, 100 };
	static struct server s;
	unsigned int i;

	s.e = e;
	s.strange = strange[below(e, 6)];
	signal(SIGBUS, on_fault);
	signal(SIGSEGV, on_fault);
	set("leave_s", below(e, 3));
	open_gpu(&s);
	for (i = 0; i < OPS; i++) {
		if (below(e, 64))
			server_ops[below(e, sizeof(server_ops) / sizeof(*server_ops))](&s);
		else
			rare_ops[below(e, sizeof(rare_ops) / sizeof(*rare_ops))](&s);
		++*e->ops;
	}
	for (i = 0; i < CLIENTS; i++)
		if (s.client[i] > 0)
			kill(s.client[i], SIGKILL);
	/* Else the GPU waits for another server, in vain */
	if (below(e, 4))
		ioctl(s.fd, TESSERA_USER_END);
}
