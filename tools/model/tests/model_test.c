// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program as a VMM sees it: started with options, driven through its socket.
 * $TESSERA_MODEL is the program, $TESSERA_MODEL_PLAIN the one without sanitizers,
 * whose memory is measured.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <drm/tessera_packet.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/hw/tess_regs.h>

#include "rv.h"
#include "tap.h"
#include "vfu_client.h"

#define RW (VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE)
#define CONFIG VFIO_PCI_CONFIG_REGION_INDEX
#define RAM 0x200000ULL /* bus address of the VM's memory; VA too, as 2 MiB pages */
#define RAM_SIZE (4ULL << 20)
#define ROOT (RAM + 0x1000)
#define CODE (RAM + 0x3000)
#define RING(n) (RAM + 0x10000 + (n) * 0x1000ULL)
#define RECORD(n) (RAM + 0x8000 + (n) * 64ULL)
#define OUT (RAM + 0x100000)
#define SLICES 16
#define MAX_RSS_KIB (256 * 1024 + 64 * 1024)

/**
 * struct vm - a VMM and its model
 * @dev: the client's idea of the server; only path and poll are used
 * @client: connection
 * @ram: the VM's memory
 * @ram_fd: its descriptor
 * @pid: the model
 */
struct vm {
	struct dev dev;
	struct client client;
	uint8_t *ram;
	int ram_fd;
	pid_t pid;
};

static struct reply rep;

/* The server is another process: give it time. */
static int poll_other(struct dev *d, int timeout_ms)
{
	(void)d;
	if (timeout_ms > 0)
		usleep((useconds_t)timeout_ms * 1000);
	return 0;
}

static pid_t spawn(const char *program, const char *const *args)
{
	const char *argv[16] = { program };
	pid_t pid;
	int null;

	for (unsigned int i = 0; args[i]; i++)
		argv[i + 1] = args[i];
	pid = fork();
	if (pid)
		return pid;
	null = open("/dev/null", O_WRONLY);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execv(program, (char *const *)argv);
	_exit(127);
}

/* Exit status of a process that ends by itself. */
static int exit_status(pid_t pid)
{
	int status;

	for (unsigned int i = 0; i < 2000; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		usleep(10000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -2;
}

static int run_status(const char *const *args)
{
	return exit_status(spawn(getenv("TESSERA_MODEL"), args));
}

static void test_options(void)
{
	static const char *const bad[][6] = {
		{ NULL },
		{ "--socket", "", NULL },
		{ "--socket", "/x", "--slices", "0", NULL },
		{ "--socket", "/x", "--slices", "65", NULL },
		{ "--socket", "/x", "--slices", "3x", NULL },
		{ "--socket", "/x", "--kinds", "compute:3,noise", NULL },
		{ "--socket", "/x", "--kinds", "", NULL },
		{ "--socket", "/x", "--kinds", "compute:40,mixed:40", NULL },
		{ "--socket", "/x", "--kinds=mixed:2", "--slices=3", NULL },
		{ "--socket", "/x", "--vram", "12Q", NULL },
		{ "--socket", "/x", "--vram", "4K", NULL },
		{ "--socket", "/x", "--vram", "-1", NULL },
		{ "--socket", "/x", "--clock", "0", NULL },
		{ "--socket", "/x", "--threads", "0", NULL },
		{ "--socket", "/x", "--threads", "65", NULL },
		{ "--socket", "/x", "--log-level", "loud", NULL },
		{ "--socket", "/x", "--serial", "0", NULL },
		{ "--socket", "/x", "--serial", "12x", NULL },
		{ "--socket", "/x", "--serial", "-1", NULL },
		{ "--socket", "/x", "--stuck-slice", "64", NULL },
		{ "--socket", "/x", "--stuck-slice", "16", NULL },
		{ "--socket", "/x", "--stuck-slice", "1:0", NULL },
		{ "--socket", "/x", "--stuck-slice", "1:2x", NULL },
		{ "--socket", "/x", "--stuck-slice", "", NULL },
		{ "--socket", "/x", "--damage-context", "16", NULL },
		{ "--socket", "/x", "--refuse-reset", "16", NULL },
		{ "--socket", "/x", "--refuse-reset", "1:0", NULL },
		{ "--socket", "/x", "--slow", "0", NULL },
		{ "--socket", "/x", "--damage-context", "-1", NULL },
		{ "--socket", "/x", "--nonsense", NULL },
		{ "--socket", "/x", "more", NULL },
	};
	static const char *const help[] = { "--help", NULL };
	static const char *const version[] = { "--version", NULL };
	static const char *const nowhere[] = { "--socket", "/nonexistent/dir/s", NULL };

	ok(run_status(help) == 0 && run_status(version) == 0, "--help and --version");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(run_status(bad[i]) == 2, "wrong command line %zu: exit 2", i);
	ok(run_status(nowhere) == 1, "no such directory: exit 1");
}

static bool can_connect(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	bool can;

	strcpy(addr.sun_path, path);
	can = !connect(fd, (struct sockaddr *)&addr, sizeof(addr));
	close(fd);
	return can;
}

static uint64_t rd(struct vm *vm, uint32_t region, uint64_t offset, uint32_t count)
{
	struct vfu_msg_region_access m = { .offset = offset, .region = region, .count = count };
	uint64_t val = 0;

	if (client_call(&vm->dev, &vm->client, VFU_CMD_REGION_READ, &m, sizeof(m), NULL, 0, &rep))
		return ~0ULL;
	memcpy(&val, rep.data + sizeof(m), count);
	return val;
}

static void wr(struct vm *vm, uint32_t region, uint64_t offset, uint32_t count, uint64_t val)
{
	struct vfu_msg_region_access m = { .offset = offset, .region = region, .count = count };
	uint8_t payload[sizeof(m) + 8];

	memcpy(payload, &m, sizeof(m));
	memcpy(payload + sizeof(m), &val, sizeof(val));
	client_call(&vm->dev, &vm->client, VFU_CMD_REGION_WRITE, payload, sizeof(m) + count, NULL,
		    0, &rep);
}

/* Connect, give it memory, enable memory decoding and bus mastering. */
static void attach(struct vm *vm)
{
	client_start(&vm->dev, &vm->client);
	client_map(&vm->dev, &vm->client, RAM, RAM_SIZE, RW, vm->ram_fd, 0);
	wr(vm, CONFIG, 4, 2, 6);
}

static void start(struct vm *vm, const char *program, const char *option, const char *value)
{
	const char *args[] = { "--socket", vm->dev.path, option, value, NULL };

	memset(vm, 0, sizeof(*vm));
	vm->dev.poll = poll_other;
	snprintf(vm->dev.path, sizeof(vm->dev.path), "/tmp/tessera-test-%d.sock", getpid());
	vm->ram_fd = make_file(RAM_SIZE);
	vm->ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, vm->ram_fd, 0);
	vm->pid = spawn(program, args);
	for (unsigned int i = 0; i < 1000 && !can_connect(vm->dev.path); i++)
		usleep(10000);
	attach(vm);
}

static int finish(struct vm *vm)
{
	int status;

	close(vm->client.fd);
	kill(vm->pid, SIGTERM);
	status = exit_status(vm->pid);
	munmap(vm->ram, RAM_SIZE);
	close(vm->ram_fd);
	return status;
}

static void *ram(struct vm *vm, uint64_t addr)
{
	return vm->ram + (addr - RAM);
}

static void enable_ring(struct vm *vm, unsigned int n)
{
	uint32_t page = TESS_CLIENT_PAGE(n);

	wr(vm, 0, page + TESS_SREG_RING_BASE, 8, RING(n));
	wr(vm, 0, page + TESS_SREG_RING_LOG2, 4, 6);
	wr(vm, 0, page + TESS_SREG_COMPLETION, 8, RECORD(n));
	wr(vm, 0, page + TESS_SREG_CONTROL, 4, TESS_CONTROL_ENABLE);
}

static void put(struct vm *vm, unsigned int n, unsigned int i, const void *pkt)
{
	memcpy(ram(vm, RING(n) + i * DRM_TESSERA_PKT_SIZE), pkt, DRM_TESSERA_PKT_SIZE);
}

/* Wait for a fence; false if it does not come. */
static bool fence_comes(struct vm *vm, unsigned int n, uint64_t seq)
{
	volatile uint64_t *rec = ram(vm, RECORD(n));

	for (unsigned int i = 0; i < 10000; i++) {
		if (*rec == seq)
			return true;
		usleep(1000);
	}
	return false;
}

static void test_fence_and_irq(struct vm *vm)
{
	struct tess_pkt_fill fill = { .header = DRM_TESSERA_PKT_FILL,
				      .rows = 1,
				      .dst = OUT,
				      .row_bytes = 8192,
				      .pattern = 0x5e5e5e5e };
	struct tess_pkt_fence fence = { .header = DRM_TESSERA_PKT_FENCE,
					.flags = DRM_TESSERA_FENCE_IRQ,
					.seq = 1 };
	struct pollfd pfd = { .fd = eventfd(0, 0), .events = POLLIN };
	uint64_t *rec = ram(vm, RECORD(0));

	wr(vm, CONFIG, 0x92, 2, 0x8000);
	client_set_irqs(&vm->dev, &vm->client,
			VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER, 0, 1, &pfd.fd, 1);
	enable_ring(vm, 0);
	rec[1] = 1;
	put(vm, 0, 0, &fill);
	put(vm, 0, 1, &fence);
	wr(vm, 0, TESS_DOORBELL_PAGE(0), 8, 2);
	ok(fence_comes(vm, 0, 1), "FENCE after the doorbell");
	ok(*(uint8_t *)ram(vm, OUT + 8191) == 0x5e, "FILL before it");
	ok(poll(&pfd, 1, 5000) == 1, "the completion vector");
	close(pfd.fd);
}

/* Kernels with all that a group can have, on all slices: the most memory that is used. */
static void load_all_slices(struct vm *vm)
{
	const uint32_t code[] = { CSRRS(T0, 0xcd3, X0), SLLI(T0, T0, 3),
				  ADD(T0, T0, A0),	LUI(T1, 0xffff0),
				  SD(T0, 0, T1),	BARRIER,
				  SD(T0, 0, T0),	RET };
	struct tess_pkt_set_vm set_vm = { .header = DRM_TESSERA_PKT_SET_VM, .root = ROOT };
	struct tess_pkt_dispatch d = { .header = DRM_TESSERA_PKT_DISPATCH,
				       .setup = 1,
				       .wg_size = { 256, 1, 1 },
				       .grid_size = { 256 * 64, 1, 1 },
				       .group_segment_size = 65536,
				       .kernel_object = CODE,
				       .kernarg_address = OUT };
	struct tess_pkt_fence fence = { .header = DRM_TESSERA_PKT_FENCE, .seq = 10 };
	uint64_t *table = ram(vm, ROOT), flags = 0x1f;

	table[0] = (ROOT + 0x1000) >> 12 << 10 | TESS_PTE_V;
	for (uint64_t i = 0; i < RAM_SIZE >> 21; i++)
		table[512 + (RAM >> 21) + i] = (RAM + (i << 21)) >> 12 << 10 | flags;
	memcpy(ram(vm, CODE), code, sizeof(code));
	for (unsigned int n = 1; n < SLICES; n++) {
		enable_ring(vm, n);
		put(vm, n, 0, &set_vm);
		put(vm, n, 1, &d);
		put(vm, n, 2, &fence);
		wr(vm, 0, TESS_DOORBELL_PAGE(n), 8, 3);
	}
}

static void test_all_slices(struct vm *vm)
{
	uint64_t *out = ram(vm, OUT);
	bool good = true;

	load_all_slices(vm);
	for (unsigned int n = 1; n < SLICES; n++)
		good &= fence_comes(vm, n, 10);
	ok(good, "kernels on %u slices at once", SLICES - 1);
	for (unsigned int i = 0; i < 256 * 64; i++)
		good &= out[i] == OUT + i * 8;
	ok(good, "with the right result");
}

/* Peak of resident memory, in KiB. */
static unsigned long peak_rss(pid_t pid)
{
	char path[64], line[256];
	unsigned long kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %lu", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

static void touch_vram(struct vm *vm)
{
	struct tess_pkt_fill fill = { .header = DRM_TESSERA_PKT_FILL,
				      .rows = 1,
				      .dst = TESS_PA_VRAM,
				      .row_bytes = 256 << 20,
				      .pattern = 1 };
	struct tess_pkt_fence fence = { .header = DRM_TESSERA_PKT_FENCE, .seq = 20 };

	enable_ring(vm, 0);
	put(vm, 0, 0, &fill);
	put(vm, 0, 1, &fence);
	wr(vm, 0, TESS_DOORBELL_PAGE(0), 8, 2);
	ok(fence_comes(vm, 0, 20), "all of the VRAM is filled");
}

static void test_memory(void)
{
	const char *program = getenv("TESSERA_MODEL_PLAIN");
	unsigned long kib;
	struct vm vm;

	if (!program) {
		skip("TESSERA_MODEL_PLAIN is not set");
		return;
	}
	start(&vm, program, "--slices", "16");
	test_all_slices(&vm);
	touch_vram(&vm);
	kib = peak_rss(vm.pid);
	ok(kib > 256 * 1024 && kib <= MAX_RSS_KIB, "peak memory: %lu KiB, limit %u", kib,
	   MAX_RSS_KIB);
	ok(finish(&vm) == 0, "ends");
}

/* CPU time of a process in ms. */
static unsigned long cpu_ms(pid_t pid)
{
	unsigned long user = 0, sys = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
			   &sys) != 2)
			user = sys = 0;
		fclose(f);
	}
	return (user + sys) * 1000 / (unsigned long)sysconf(_SC_CLK_TCK);
}

static void test_no_busy_loop(struct vm *vm)
{
	struct tess_pkt_wait wait = { .header = DRM_TESSERA_PKT_WAIT,
				      .op = DRM_TESSERA_WAIT_EQ,
				      .address = OUT,
				      .value = 1,
				      .mask = ~0ULL };
	struct tess_pkt_fence fence = { .header = DRM_TESSERA_PKT_FENCE, .seq = 2 };
	unsigned long before = cpu_ms(vm->pid);

	usleep(500000);
	ok(cpu_ms(vm->pid) - before <= 20, "idle: no time is used");
	*(uint64_t *)ram(vm, OUT) = 0;
	put(vm, 0, 2, &wait);
	put(vm, 0, 3, &fence);
	wr(vm, 0, TESS_DOORBELL_PAGE(0), 8, 4);
	before = cpu_ms(vm->pid);
	usleep(500000);
	ok(cpu_ms(vm->pid) - before <= 150, "waiting: little time is used");
	ok(rd(vm, 0, TESS_CLIENT_PAGE(0) + TESS_SREG_STATUS, 4) & TESS_STATUS_WAITING,
	   "it does wait");
	__atomic_store_n((uint64_t *)ram(vm, OUT), 1, __ATOMIC_RELEASE);
	ok(fence_comes(vm, 0, 2), "the word that the CPU wrote is seen");
}

/* Endless work on all slices leaves the registers within reach. */
static void test_responsive(struct vm *vm)
{
	struct tess_pkt_copy copy = {
		.header = DRM_TESSERA_PKT_COPY, .rows = ~0U, .src = OUT, .dst = OUT, .row_bytes = 1
	};
	uint64_t t;

	for (unsigned int n = 1; n < SLICES; n++) {
		enable_ring(vm, n);
		put(vm, n, 0, &copy);
		wr(vm, 0, TESS_DOORBELL_PAGE(n), 8, 1);
	}
	t = rd(vm, 0, TESS_REG_TIME, 8);
	for (unsigned int i = 0; i < 20; i++)
		rd(vm, 0, TESS_REG_ID, 4);
	ok(rd(vm, 0, TESS_REG_ID, 4) == TESS_ID_VALUE && rd(vm, 0, TESS_REG_TIME, 8) > t,
	   "registers answer beside endless work");
	wr(vm, 0, TESS_REG_RESET, 4, TESS_RESET_KEY);
	ok(rd(vm, 0, TESS_REG_TIME, 8) == 0, "RESET ends it");
}

/* A timer runs while nothing else does, without --clock, and costs little. */
static void test_timer(struct vm *vm)
{
	const uint32_t page = TESS_HOST_PAGE(5);
	uint64_t start = rd(vm, 0, TESS_REG_TIME, 8), time;
	unsigned long before = cpu_ms(vm->pid);

	wr(vm, 0, page + TESS_HREG_TIMER, 8, 4000000);
	usleep(100000);
	time = rd(vm, 0, TESS_REG_TIME, 8) - start;
	ok(time >= 90 * 4000, "a tenth of a second of a timer: %llu cycles",
	   (unsigned long long)time);
	for (unsigned int i = 0; i < 100 && !rd(vm, 0, page + TESS_HREG_EVENTS, 4); i++)
		usleep(100000);
	ok(rd(vm, 0, page + TESS_HREG_EVENTS, 4) == TESS_EVENTS_TIMER &&
		   rd(vm, 0, TESS_REG_TIME, 8) - start >= 4000000,
	   "it ends");
	ok(cpu_ms(vm->pid) - before <= 300, "a second of it takes little time");
	time = rd(vm, 0, TESS_REG_TIME, 8);
	usleep(20000);
	ok(rd(vm, 0, TESS_REG_TIME, 8) == time, "then time stands still again");
}

static uint64_t serial(struct vm *vm)
{
	return rd(vm, CONFIG, 0x104, 4) | rd(vm, CONFIG, 0x108, 4) << 32;
}

static void test_serial(uint64_t by_path)
{
	struct vm vm;

	start(&vm, getenv("TESSERA_MODEL"), "--serial", "0x1234567890abcdef");
	ok(serial(&vm) == 0x1234567890abcdef && by_path >> 32 == 0x7e55e4a0 &&
		   by_path != 0x7e55e4a000000000,
	   "--serial, and one made from the path");
	ok(finish(&vm) == 0, "ends");
}

static void test_reconnect(struct vm *vm)
{
	struct tess_pkt_copy copy = { .header = DRM_TESSERA_PKT_COPY,
				      .rows = ~0U,
				      .src = OUT,
				      .dst = OUT,
				      .row_bytes = 4096 };

	wr(vm, 2, 0x1000, 8, 0x123456789abcdefULL);
	ok(rd(vm, 2, 0x1000, 8) == 0x123456789abcdefULL, "VRAM through its BAR");
	enable_ring(vm, 3);
	put(vm, 3, 0, &copy);
	wr(vm, 0, TESS_DOORBELL_PAGE(3), 8, 1);
	close(vm->client.fd);
	usleep(50000);
	attach(vm);
	ok(rd(vm, 2, 0x1000, 8) == 0, "the next client finds VRAM of zeroes");
	ok(rd(vm, 0, TESS_CLIENT_PAGE(3) + TESS_SREG_STATUS, 4) == 0 &&
		   rd(vm, 0, TESS_CLIENT_PAGE(3) + TESS_SREG_RING_BASE, 8) == 0,
	   "and slices that nobody used");
}

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

/* With --clock time follows the wall while idle, and does not get ahead of it while busy. */
static void test_clock(void)
{
	struct tess_pkt_copy copy = {
		.header = DRM_TESSERA_PKT_COPY, .rows = ~0U, .src = OUT, .dst = OUT, .row_bytes = 1
	};
	uint64_t t[4], before, after;
	struct vm vm;

	start(&vm, getenv("TESSERA_MODEL"), "--clock", "1000");
	t[0] = now_us();
	before = rd(&vm, 0, TESS_REG_TIME, 8);
	t[1] = now_us();
	usleep(200000);
	t[2] = now_us();
	after = rd(&vm, 0, TESS_REG_TIME, 8);
	t[3] = now_us();
	ok(after - before >= t[2] - t[1] - 1 && after - before <= t[3] - t[0] + 1,
	   "idle at 1 MHz: %llu cycles in %llu us", (unsigned long long)(after - before),
	   (unsigned long long)(t[3] - t[0]));
	enable_ring(&vm, 0);
	put(&vm, 0, 0, &copy);
	t[0] = now_us();
	before = rd(&vm, 0, TESS_REG_TIME, 8);
	wr(&vm, 0, TESS_DOORBELL_PAGE(0), 8, 1);
	usleep(200000);
	after = rd(&vm, 0, TESS_REG_TIME, 8);
	t[3] = now_us();
	ok(after > before && after - before <= t[3] - t[0] + 1000,
	   "busy at 1 MHz: %llu cycles in %llu us", (unsigned long long)(after - before),
	   (unsigned long long)(t[3] - t[0]));
	t[0] = now_us();
	wr(&vm, 0, TESS_REG_RESET, 4, TESS_RESET_KEY);
	after = rd(&vm, 0, TESS_REG_TIME, 8);
	t[3] = now_us();
	ok(after <= t[3] - t[0] + 1, "RESET at 1 MHz: TIME is %llu after %llu us",
	   (unsigned long long)after, (unsigned long long)(t[3] - t[0]));
	ok(finish(&vm) == 0, "ends");
}

int main(void)
{
	uint64_t number;
	struct stat st;
	struct vm vm;

	if (!getenv("TESSERA_MODEL")) {
		skip("TESSERA_MODEL is not set");
		return done();
	}
	signal(SIGPIPE, SIG_IGN);
	test_options();
	start(&vm, getenv("TESSERA_MODEL"), "--log-level", "debug");
	ok(rd(&vm, 0, TESS_REG_ID, 4) == TESS_ID_VALUE &&
		   rd(&vm, 0, TESS_REG_SLICE_COUNT, 4) == SLICES,
	   "identification");
	test_fence_and_irq(&vm);
	test_no_busy_loop(&vm);
	test_responsive(&vm);
	test_timer(&vm);
	test_reconnect(&vm);
	number = serial(&vm);
	ok(finish(&vm) == 0 && stat(vm.dev.path, &st), "SIGTERM: exit 0, the socket is gone");
	test_clock();
	test_serial(number);
	test_memory();
	return done();
}
