// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A GPU that does nothing, served to the kernel by /dev/tessera-user: the smallest server there is,
 * to start from, and to measure all that is above a GPU.
 *
 * It has the registers of Documentation/hw with no bit in CAPS: no contexts, no stage 2 and no
 * display, so nobody can share it and no virtual machine can have it. Rings run, but the packets of a
 * process (INDIRECT) are taken as done without a look at them: each job completes and has no effect.
 *
 * Options make it a bad server, for tests: it lies, delays, answers twice, falls silent, dies, or
 * looks for what is not its business.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <drm/tessera_packet.h>
#include <linux/tessera_user.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/hw/tess_regs.h>

#define SLICES 4u
#define BANK (16ull << 20)
#define CLOCK_KHZ 1000000u
#define BATCH 16
#define BUS_SIZE (1ull << TESSERA_USER_BUS_BITS)

/**
 * struct bad - what is wrong with the server
 * @lies: of 1000 registers that are read, so many have a random value
 * @seed: of the lies
 * @delay_ms: before each reply
 * @twice: each reply comes twice
 * @silent_after: no request is replied to after so many; 0: all are
 * @dies_after: it ends after so many requests; 0: it does not
 * @secret: what it looks for in the memory of the machine at each SIGUSR1, or NULL
 */
struct bad {
	unsigned long lies;
	unsigned int seed;
	unsigned long delay_ms;
	bool twice;
	unsigned long silent_after;
	unsigned long dies_after;
	const char *secret;
};

/**
 * struct slice - a ring
 * @last: sequence number of the last FENCE
 */
struct slice {
	uint64_t last;
};

/**
 * struct gpu - the GPU
 * @fd: /dev/tessera-user
 * @regs: BAR 0; registers without an effect are just memory
 * @slices: rings
 * @doorbells: a page for each slice
 * @clock: GPU time
 * @bus: memory of the machine, those pages of it that the kernel lets the GPU reach
 * @served: requests
 * @bad: what is wrong with it
 */
struct gpu {
	int fd;
	uint8_t regs[TESS_REGS_SIZE];
	struct slice slices[SLICES];
	uint8_t *doorbells;
	struct tessera_user_clock *clock;
	uint8_t *bus;
	unsigned long served;
	struct bad bad;
};

static struct gpu gpu;

/* ---- registers ---- */

static uint32_t get32(uint32_t at)
{
	uint32_t val;

	memcpy(&val, gpu.regs + at, sizeof(val));
	return val;
}

static uint64_t get64(uint32_t at)
{
	uint64_t val;

	memcpy(&val, gpu.regs + at, sizeof(val));
	return val;
}

static void put32(uint32_t at, uint32_t val)
{
	memcpy(gpu.regs + at, &val, sizeof(val));
}

static void put64(uint32_t at, uint64_t val)
{
	memcpy(gpu.regs + at, &val, sizeof(val));
}

static void reset(void)
{
	unsigned int i;

	memset(gpu.regs, 0, sizeof(gpu.regs));
	memset(gpu.slices, 0, sizeof(gpu.slices));
	put32(TESS_REG_ID, TESS_ID_VALUE);
	put32(TESS_REG_VERSION, 1u << 16 | 3);
	put32(TESS_REG_SLICE_COUNT, SLICES);
	put64(TESS_REG_SLICE_MASK, (1ull << SLICES) - 1);
	put32(TESS_REG_ENGINE_MASK, TESS_ENGINE_COMPUTE | TESS_ENGINE_COPY);
	put64(TESS_REG_VRAM_SIZE, SLICES * BANK);
	put64(TESS_REG_BANK_SIZE, BANK);
	put32(TESS_REG_CLOCK_KHZ, CLOCK_KHZ);
	put32(TESS_REG_LIMITS,
	      DRM_TESSERA_GROUP_SLOTS | 8 << 8 | 64 << 16 | (uint32_t)TESS_RING_LOG2_MAX << 24);
	put64(TESS_REG_GENERATION, 1);
	for (i = 0; i < SLICES; i++) {
		put32(TESS_CLIENT_PAGE(i) + TESS_SREG_KIND, TESS_KIND_COMPUTE);
		put32(TESS_CLIENT_PAGE(i) + TESS_SREG_CORES, 8);
		put32(TESS_CLIENT_PAGE(i) + TESS_SREG_ENGINES,
		      TESS_ENGINE_COMPUTE | TESS_ENGINE_COPY);
		put32(TESS_HOST_PAGE(i) + TESS_HREG_CONTROL, TESS_HCONTROL_RUN);
	}
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * CLOCK_KHZ * 1000 + (uint64_t)t.tv_nsec * CLOCK_KHZ / 1000000;
}

/* ---- memory of the machine ---- */

static sigjmp_buf gone;

static void on_sigbus(int sig)
{
	(void)sig;
	siglongjmp(gone, 1);
}

/* What the kernel does not let the GPU reach (any more) raises SIGBUS */
static bool bus_copy(void *buf, uint64_t addr, size_t len, bool write)
{
	if (addr >= BUS_SIZE || len > BUS_SIZE - addr || sigsetjmp(gone, 1))
		return false;
	if (write)
		memcpy(gpu.bus + addr, buf, len);
	else
		memcpy(buf, gpu.bus + addr, len);
	return true;
}

static volatile sig_atomic_t scan_wanted;

static void on_sigusr1(int sig)
{
	(void)sig;
	scan_wanted = 1;
}

static bool is_granted(uint64_t addr)
{
	struct tessera_user_reach reach = { .addr = addr };

	return !ioctl(gpu.fd, TESSERA_USER_REACH, &reach);
}

/* Try to read all of the machine's memory, and count what the kernel does not say the truth about */
static void scan(const char *secret)
{
	unsigned long reached = 0, wrong = 0, secrets = 0;
	uint64_t addr, end = (uint64_t)sysconf(_SC_PHYS_PAGES) * TESS_PAGE_SIZE + (2ull << 30);
	static uint8_t page[TESS_PAGE_SIZE];

	for (addr = 0; addr < end; addr += sizeof(page)) {
		bool granted = is_granted(addr), there;

		/* To fail takes long: of pages that are not granted, one of 16 is tried */
		if (!granted && addr / sizeof(page) % 16)
			continue;
		there = bus_copy(page, addr, sizeof(page), false);
		reached += there;
		wrong += there != granted && there != is_granted(addr);
		secrets += there && memmem(page, sizeof(page), secret, strlen(secret));
	}
	printf("scan: %lu pages reached, %lu wrong, %lu secrets\n", reached, wrong, secrets);
	fflush(stdout);
}

/* ---- rings ---- */

static void ring_fault(unsigned int slice, uint32_t cause, uint64_t addr)
{
	uint32_t page = TESS_CLIENT_PAGE(slice);

	put32(page + TESS_SREG_FAULT_CAUSE, cause);
	put64(page + TESS_SREG_FAULT_ADDR, addr);
	put64(page + TESS_SREG_FAULT_PACKET, get64(page + TESS_SREG_RPTR));
	put32(page + TESS_SREG_STATUS, TESS_STATUS_ENABLED | TESS_STATUS_FAULTED);
	put64(TESS_REG_FAULT_PENDING, get64(TESS_REG_FAULT_PENDING) | 1ull << slice);
	ioctl(gpu.fd, TESSERA_USER_RAISE, 1ul << TESS_IRQ_FAULT);
}

static bool fence(unsigned int slice, const struct tess_pkt_fence *p, uint64_t rptr)
{
	uint32_t page = TESS_CLIENT_PAGE(slice);
	uint64_t addr = get64(page + TESS_SREG_COMPLETION), seq = p->seq, event;
	struct tess_completion_record rec = { .rptr = rptr, .time = now() };
	struct slice *s = &gpu.slices[slice];

	if (!bus_copy(&rec.rptr, addr + offsetof(struct tess_completion_record, rptr), 16, true) ||
	    !bus_copy(&seq, addr, sizeof(seq), true))
		return false;
	atomic_thread_fence(memory_order_seq_cst);
	if (!bus_copy(&event, addr + offsetof(struct tess_completion_record, event), sizeof(event),
		      false))
		return false;
	put64(page + TESS_SREG_FENCE_SEQ, seq);
	if ((p->flags & DRM_TESSERA_FENCE_IRQ) && seq - event < seq - s->last)
		ioctl(gpu.fd, TESSERA_USER_RAISE, 1ul << TESS_IRQ_COMPLETION);
	s->last = seq;
	return true;
}

static bool timestamp(const struct tess_pkt_timestamp *p)
{
	struct tess_counter_block block = { .time = now() };
	bool all = p->flags & DRM_TESSERA_TIMESTAMP_COUNTERS;

	return bus_copy(&block, p->address, all ? sizeof(block) : sizeof(block.time), true);
}

/* False: it faults */
static bool packet(unsigned int slice, const uint8_t *p, uint64_t rptr)
{
	uint16_t header;

	memcpy(&header, p, sizeof(header));
	switch (header & DRM_TESSERA_PKT_TYPE_MASK) {
	case DRM_TESSERA_PKT_FENCE:
		return fence(slice, (const struct tess_pkt_fence *)p, rptr);
	case DRM_TESSERA_PKT_TIMESTAMP:
		return timestamp((const struct tess_pkt_timestamp *)p);
	case DRM_TESSERA_PKT_NOP:
	case DRM_TESSERA_PKT_SET_VM:
	case DRM_TESSERA_PKT_INDIRECT:
		return true;
	default:
		return false;
	}
}

static void ring_run(unsigned int slice)
{
	uint32_t page = TESS_CLIENT_PAGE(slice), status;
	_Alignas(8) uint8_t p[DRM_TESSERA_PKT_SIZE];
	uint64_t rptr, wptr, mask, base;

	if (!(get32(page + TESS_SREG_CONTROL) & TESS_CONTROL_ENABLE) ||
	    get32(page + TESS_SREG_STATUS) & TESS_STATUS_FAULTED ||
	    !(get32(TESS_HOST_PAGE(slice) + TESS_HREG_CONTROL) & TESS_HCONTROL_RUN))
		return;
	rptr = get64(page + TESS_SREG_RPTR);
	wptr = get64(page + TESS_SREG_WPTR);
	mask = (1ull << (get32(page + TESS_SREG_RING_LOG2) & 31)) - 1;
	base = get64(page + TESS_SREG_RING_BASE);
	if (wptr - rptr > mask + 1) {
		ring_fault(slice, DRM_TESSERA_CAUSE_DOORBELL, wptr);
		return;
	}
	for (; rptr != wptr; rptr++) {
		uint64_t addr = base + (rptr & mask) * sizeof(p);

		put64(page + TESS_SREG_RPTR, rptr);
		if (!bus_copy(p, addr, sizeof(p), false) || !packet(slice, p, rptr + 1)) {
			ring_fault(slice, DRM_TESSERA_CAUSE_ILLEGAL_PACKET, addr);
			return;
		}
	}
	put64(page + TESS_SREG_RPTR, rptr);
	status = get32(page + TESS_SREG_STATUS);
	put32(page + TESS_SREG_STATUS, status & ~TESS_STATUS_BUSY);
}

/* ---- what registers do ---- */

static void slice_write(unsigned int slice, uint32_t reg, uint64_t val)
{
	uint32_t page = TESS_CLIENT_PAGE(slice);

	switch (reg) {
	case TESS_SREG_CONTROL:
		put32(page + TESS_SREG_STATUS, val & TESS_CONTROL_ENABLE ? TESS_STATUS_ENABLED : 0);
		break;
	case TESS_SREG_RESET:
		memset(gpu.regs + page + TESS_SREG_STATUS, 0, TESS_PAGE_SIZE - TESS_SREG_STATUS);
		gpu.slices[slice].last = 0;
		break;
	case TESS_SREG_FAULT_ACK:
		put32(page + TESS_SREG_STATUS, 0);
		put32(page + TESS_SREG_CONTROL, 0);
		put64(TESS_REG_FAULT_PENDING, get64(TESS_REG_FAULT_PENDING) & ~(1ull << slice));
		break;
	}
}

static void reg_write(uint32_t at, uint64_t val, unsigned int width)
{
	unsigned int slice = at / TESS_PAGE_SIZE % TESS_MAX_SLICES;

	if (at > TESS_REGS_SIZE - width)
		return;
	if (at == TESS_REG_RESET) {
		if (val == TESS_RESET_KEY)
			reset();
		return;
	}
	/* Nothing else of the global page, nor of slices that are not there */
	if (at < TESS_CLIENT_PAGE(0) || slice >= SLICES)
		return;
	if (at >= TESS_HOST_PAGE(0) && at % TESS_PAGE_SIZE == TESS_HREG_RESET) {
		slice_write(slice, TESS_SREG_RESET, 1);
		return;
	}
	memcpy(gpu.regs + at, &val, width);
	if (at < TESS_DOORBELL_PAGE(0))
		slice_write(slice, at % TESS_PAGE_SIZE, val);
}

static uint64_t reg_read(uint32_t at, unsigned int width)
{
	uint64_t val = 0;

	if (gpu.bad.lies && (unsigned long)rand_r(&gpu.bad.seed) % 1000 < gpu.bad.lies)
		return (uint64_t)rand_r(&gpu.bad.seed) << 33 ^ (uint64_t)rand_r(&gpu.bad.seed);
	if (at == TESS_REG_TIME)
		return now();
	if (at <= TESS_REGS_SIZE - width)
		memcpy(&val, gpu.regs + at, width);
	return val;
}

/* ---- requests ---- */

static void take_doorbells(void)
{
	unsigned int i;

	for (i = 0; i < SLICES; i++) {
		_Atomic uint64_t *word = (_Atomic uint64_t *)(gpu.doorbells + i * TESS_PAGE_SIZE +
							      TESS_DOORBELL_WPTR);
		uint64_t val = atomic_exchange(word, TESSERA_USER_NO_DOORBELL);

		if (val != TESSERA_USER_NO_DOORBELL)
			put64(TESS_CLIENT_PAGE(i) + TESS_SREG_WPTR, val);
		ring_run(i);
	}
}

static void reply(uint32_t tag, uint64_t val)
{
	struct tessera_user_reply r = { .tag = tag, .val = val };
	unsigned int times = gpu.bad.twice ? 2 : 1;

	if (gpu.bad.delay_ms)
		usleep(gpu.bad.delay_ms * 1000);
	gpu.clock->cycles = now();
	while (times--) {
		/* It was given up meanwhile, or this is the second time */
		if (write(gpu.fd, &r, sizeof(r)) < 0 && errno != EINVAL)
			perror("null-gpu: reply");
	}
}

/* 1: the kernel is done with the GPU */
static int serve(const struct tessera_user_request *req)
{
	bool wide = req->op == TESSERA_USER_READ64 || req->op == TESSERA_USER_WRITE64;

	gpu.served++;
	if (gpu.bad.dies_after && gpu.served > gpu.bad.dies_after)
		_exit(0);
	if (gpu.bad.silent_after && gpu.served > gpu.bad.silent_after &&
	    req->op != TESSERA_USER_LOST)
		return 0;
	switch (req->op) {
	case TESSERA_USER_READ32:
	case TESSERA_USER_READ64:
		reply(req->tag, reg_read(req->at, wide ? 8 : 4));
		return 0;
	case TESSERA_USER_WRITE32:
	case TESSERA_USER_WRITE64:
		reg_write(req->at, req->val, wide ? 8 : 4);
		reply(req->tag, 0);
		return 0;
	case TESSERA_USER_STARTED:
		if (req->val)
			fprintf(stderr, "null-gpu: the kernel does not take the GPU: %s\n",
				strerror(-(int)req->val));
		return !!req->val;
	case TESSERA_USER_LOST:
		fprintf(stderr, "null-gpu: the kernel gave the GPU up\n");
		return 1;
	default:
		return 0;
	}
}

static int serve_all(void)
{
	struct tessera_user_request req[BATCH];
	struct pollfd pfd = { .fd = gpu.fd, .events = POLLIN };
	ssize_t got, i;

	for (;;) {
		/* Doorbells come without notice */
		poll(&pfd, 1, 1);
		gpu.clock->cycles = now();
		if (scan_wanted) {
			scan_wanted = 0;
			scan(gpu.bad.secret);
		}
		got = read(gpu.fd, req, sizeof(req));
		if (got < 0 && errno != EAGAIN && errno != EINTR)
			return 1;
		/* Not before: a store was made by the client that a request takes from the slice */
		take_doorbells();
		for (i = 0; i < got / (ssize_t)sizeof(*req); i++) {
			if (serve(&req[i]))
				return 1;
		}
	}
}

/* ---- life ---- */

static void *map(uint64_t size, uint64_t off)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, gpu.fd,
		       (off_t)off);

	return p == MAP_FAILED ? NULL : p;
}

static int start(void)
{
	struct tessera_user_add add = { .version = TESSERA_USER_VERSION,
					.vram_size = SLICES * BANK };

	gpu.fd = open("/dev/tessera-user", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (gpu.fd < 0 || ioctl(gpu.fd, TESSERA_USER_ADD, &add) < 0)
		return -errno;
	gpu.doorbells = map(TESS_MAX_SLICES * TESS_PAGE_SIZE, TESSERA_USER_DOORBELLS);
	gpu.clock = map(TESS_PAGE_SIZE, TESSERA_USER_CLOCK);
	gpu.bus = map(BUS_SIZE, TESSERA_USER_BUS);
	if (!gpu.doorbells || !gpu.clock || !gpu.bus)
		return -errno;
	signal(SIGBUS, on_sigbus);
	return ioctl(gpu.fd, TESSERA_USER_START) ? -errno : 0;
}

static const char usage[] =
	"usage: null-gpu [options]\n"
	"Serves a GPU that does nothing to this machine's kernel, until it is killed.\n"
	"\n"
	"A bad server, for tests:\n"
	"  --lies N          of 1000 registers that are read, N have a random value\n"
	"  --seed N          of the lies\n"
	"  --delay MS        each reply takes so long\n"
	"  --twice           each reply comes twice\n"
	"  --silent-after N  no request is replied to after the first N\n"
	"  --dies-after N    it ends after N requests\n"
	"  --scan TEXT       SIGUSR1 makes it read all memory that it reaches and look for TEXT\n"
	"  --help\n";

static bool parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "lies", required_argument, NULL, 'l' },
		{ "seed", required_argument, NULL, 's' },
		{ "delay", required_argument, NULL, 'd' },
		{ "twice", no_argument, NULL, 't' },
		{ "silent-after", required_argument, NULL, 'q' },
		{ "dies-after", required_argument, NULL, 'k' },
		{ "scan", required_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		unsigned long n = optarg ? strtoul(optarg, NULL, 0) : 0;

		switch (opt) {
		case 'l':
			gpu.bad.lies = n;
			break;
		case 's':
			gpu.bad.seed = n;
			break;
		case 'd':
			gpu.bad.delay_ms = n;
			break;
		case 't':
			gpu.bad.twice = true;
			break;
		case 'q':
			gpu.bad.silent_after = n;
			break;
		case 'k':
			gpu.bad.dies_after = n;
			break;
		case 'm':
			gpu.bad.secret = optarg;
			signal(SIGUSR1, on_sigusr1);
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			return false;
		}
	}
	return optind == argc;
}

int main(int argc, char **argv)
{
	int err;

	if (!parse(argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	reset();
	err = start();
	if (err) {
		fprintf(stderr, "null-gpu: /dev/tessera-user: %s\n", strerror(-err));
		return 1;
	}
	return serve_all();
}
