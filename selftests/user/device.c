// SPDX-License-Identifier: GPL-2.0-or-later
/* /dev/tessera-user: what it refuses, and what it does for a server that is none */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <linux/tessera_user.h>
#include <tessera/hw/tess_regs.h>

#include "harness.h"
#include "patience.h"
#include "tess_drm.h"

#define DEV "/dev/tessera-user"
#define VRAM (4ull << 20)
#define PAGE 4096
#define BUS_SIZE (1ull << TESSERA_USER_BUS_BITS)

FIXTURE(device)
{
	int fd;
};

FIXTURE_SETUP(device)
{
	self->fd = open(DEV, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(device)
{
	close(self->fd);
}

static int call(int fd, unsigned long request, void *arg)
{
	int ret = ioctl(fd, request, arg);

	return ret < 0 ? -errno : ret;
}

static int add(int fd, struct tessera_user_add args)
{
	return call(fd, TESSERA_USER_ADD, &args);
}

static const struct tessera_user_add good = { .version = TESSERA_USER_VERSION, .vram_size = VRAM };

static void *map(int fd, uint64_t size, uint64_t off, int prot, int flags)
{
	return mmap(NULL, size, prot, flags | MAP_NORESERVE, fd, (off_t)off);
}

/* How a process ends that reads, or writes, a byte */
static int access_ends(volatile uint8_t *p, bool write)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGBUS, SIG_DFL);
		if (write)
			*p = 1;
		else
			(void)*p;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST_F(device, add)
{
	struct tessera_user_add bad = good;
	int index;

	bad.version++;
	EXPECT_EQ(-EINVAL, add(self->fd, bad));
	bad = good;
	bad.flags = 1;
	EXPECT_EQ(-EINVAL, add(self->fd, bad));
	bad = good;
	bad.vram_size = 0;
	EXPECT_EQ(-EINVAL, add(self->fd, bad));
	bad.vram_size = VRAM + PAGE;
	EXPECT_EQ(-EINVAL, add(self->fd, bad));
	bad.vram_size = 1ull << 60;
	EXPECT_EQ(-ENOSPC, add(self->fd, bad));
	EXPECT_EQ(-EFAULT, call(self->fd, TESSERA_USER_ADD, (void *)8));
	EXPECT_EQ(-EINVAL, call(self->fd, TESSERA_USER_START, NULL));
	EXPECT_EQ(-ENOENT, call(self->fd, TESSERA_USER_TAKE, (void *)0));
	EXPECT_EQ(-ENOENT, call(self->fd, TESSERA_USER_TAKE, (void *)~0ul));
	index = add(self->fd, good);
	EXPECT_LE(0, index);
	EXPECT_EQ(-EBUSY, add(self->fd, good));
	EXPECT_EQ(-EBUSY, call(self->fd, TESSERA_USER_TAKE, (void *)0));
	EXPECT_EQ(-ENOTTY, call(self->fd, _IO('U', 0xff), NULL));
}

TEST_F(device, needs_the_administrator)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (chmod(DEV, 0666) || setuid(65534))
			_exit(1);
		_exit(open(DEV, O_RDWR) < 0 && errno == EPERM ? 0 : 2);
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, chmod(DEV, 0600));
	EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
}

TEST_F(device, mmap)
{
	const int rw = PROT_READ | PROT_WRITE;
	uint8_t *p;

	EXPECT_EQ(MAP_FAILED, map(self->fd, PAGE, TESSERA_USER_CLOCK, rw, MAP_SHARED));
	ASSERT_LE(0, add(self->fd, good));
	EXPECT_EQ(MAP_FAILED, map(self->fd, PAGE, TESSERA_USER_CLOCK, rw, MAP_PRIVATE));
	EXPECT_EQ(MAP_FAILED, map(self->fd, PAGE, TESSERA_USER_CLOCK, rw | PROT_EXEC, MAP_SHARED));
	EXPECT_EQ(MAP_FAILED, map(self->fd, 2 * PAGE, TESSERA_USER_CLOCK, rw, MAP_SHARED));
	EXPECT_EQ(MAP_FAILED, map(self->fd, PAGE, TESSERA_USER_DOORBELLS, rw, MAP_SHARED));
	EXPECT_EQ(MAP_FAILED, map(self->fd, VRAM + PAGE, TESSERA_USER_VRAM, rw, MAP_SHARED));
	EXPECT_EQ(MAP_FAILED, map(self->fd, PAGE, TESSERA_USER_VRAM + VRAM, rw, MAP_SHARED));
	EXPECT_EQ(MAP_FAILED,
		  map(self->fd, 2 * PAGE, TESSERA_USER_BUS + BUS_SIZE - PAGE, rw, MAP_SHARED));
	p = map(self->fd, VRAM, TESSERA_USER_VRAM, rw, MAP_SHARED);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(0, p[VRAM - 1]);
	p[VRAM - 1] = 1;
	EXPECT_EQ(0, mprotect(p, PAGE, PROT_READ));
	EXPECT_NE(0, mprotect(p, PAGE, PROT_READ | PROT_EXEC));
}

/* Nothing is mapped for this GPU's DMA: it reaches nothing, of memory or of what is none */
TEST_F(device, reaches_nothing)
{
	uint64_t end = (uint64_t)sysconf(_SC_PHYS_PAGES) * PAGE + (2ull << 30), addr;
	struct tessera_user_reach reach = { .addr = 1 };
	unsigned int reached = 0;
	uint8_t *bus;

	ASSERT_LE(0, add(self->fd, good));
	bus = map(self->fd, BUS_SIZE, TESSERA_USER_BUS, PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_NE(MAP_FAILED, bus);
	EXPECT_EQ(-EINVAL, call(self->fd, TESSERA_USER_REACH, &reach));
	reach.addr = BUS_SIZE;
	EXPECT_EQ(-EINVAL, call(self->fd, TESSERA_USER_REACH, &reach));
	reach = (struct tessera_user_reach){ .write = 2 };
	EXPECT_EQ(-EINVAL, call(self->fd, TESSERA_USER_REACH, &reach));
	for (addr = 0; addr < end; addr += PAGE) {
		reach = (struct tessera_user_reach){ .addr = addr };
		reached += call(self->fd, TESSERA_USER_REACH, &reach) != -EFAULT;
	}
	EXPECT_EQ(0, reached);
	for (addr = 0; addr < end; addr += 64ull << 20) {
		/* The pages of a mapping like this are not inherited */
		volatile uint8_t *p = bus + addr;
		pid_t pid = fork();
		int status;

		if (!pid) {
			int fd = self->fd;

			p = (uint8_t *)map(fd, BUS_SIZE, TESSERA_USER_BUS, PROT_READ | PROT_WRITE,
					   MAP_SHARED) +
			    addr;
			signal(SIGBUS, SIG_DFL);
			if (addr & 64ull << 20)
				*p = 1;
			else
				(void)*p;
			_exit(0);
		}
		waitpid(pid, &status, 0);
		EXPECT_EQ(SIGBUS, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	}
	EXPECT_EQ(SIGSEGV, access_ends(bus, false));
}

TEST_F(device, read_and_write)
{
	struct tessera_user_request req[2];
	struct tessera_user_reply reply = { .tag = 1 };

	EXPECT_EQ(-1, read(self->fd, req, sizeof(req)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-EINVAL, call(self->fd, TESSERA_USER_LEAVE, NULL));
	ASSERT_LE(0, add(self->fd, good));
	EXPECT_EQ(-EINVAL, call(self->fd, TESSERA_USER_LEAVE, NULL));
	EXPECT_EQ(-1, read(self->fd, req, sizeof(req)));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(-1, read(self->fd, req, sizeof(req[0]) - 1));
	EXPECT_EQ(EINVAL, errno);
	/* To what was not asked, and half of one */
	EXPECT_EQ(-1, write(self->fd, &reply, sizeof(reply)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, write(self->fd, &reply, sizeof(reply) - 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-EINVAL, call(self->fd, TESSERA_USER_RAISE, (void *)(1ul << TESS_IRQ_COUNT)));
	EXPECT_EQ(0, call(self->fd, TESSERA_USER_RAISE, (void *)((1ul << TESS_IRQ_COUNT) - 1)));
}

static long answer_ms(void)
{
	FILE *f = fopen("/sys/module/tessera_user/parameters/answer_ms", "r");
	long ms = 0;

	if (!f || fscanf(f, "%ld", &ms) != 1)
		tess_die("answer_ms: %s", strerror(errno));
	fclose(f);
	return ms;
}

/* Milliseconds until TESSERA_USER_STARTED comes, with its value; nothing is replied to */
static long started_after(int fd, int64_t *value)
{
	struct tessera_user_request req;
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (;;) {
		struct pollfd pfd = { .fd = fd, .events = POLLIN };

		if (poll(&pfd, 1, 10 * answer_ms() * patience()) <= 0)
			return -1;
		if (read(fd, &req, sizeof(req)) == sizeof(req) && req.op == TESSERA_USER_STARTED)
			break;
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	*value = (int64_t)req.val;
	return (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000;
}

/* It is not taken, and nobody waits longer than for one answer */
TEST_F(device, server_that_never_answers)
{
	int64_t value = 0;
	long ms;

	ASSERT_LE(0, add(self->fd, good));
	ASSERT_EQ(0, call(self->fd, TESSERA_USER_START, NULL));
	EXPECT_EQ(-EBUSY, call(self->fd, TESSERA_USER_START, NULL));
	ms = started_after(self->fd, &value);
	EXPECT_EQ(-ENODEV, value);
	EXPECT_LE(answer_ms() / 2, ms);
	EXPECT_GE(3 * answer_ms() * (long)patience(), ms);
}

static int gpus(void)
{
	int n = 0, i;

	for (i = 0; i < 8; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/sys/class/tessera/gpu%d", i);
		n += !access(path, F_OK);
	}
	return n;
}

/* Each answer is one value, or random: no GPU comes of it, or one that goes with the file */
TEST_F(device, server_without_sense)
{
	int before = gpus(), seed;

	for (seed = 0; seed < 16; seed++) {
		int fd = open(DEV, O_RDWR | O_CLOEXEC);
		struct tessera_user_request req[16];
		bool over = false;
		int n = 0;

		srand(seed);
		ASSERT_LE(0, add(fd, good));
		ASSERT_EQ(0, call(fd, TESSERA_USER_START, NULL));
		while (!over && n < 2000) {
			ssize_t got = read(fd, req, sizeof(req)), i;

			ASSERT_LT(0, got);
			for (i = 0; i < got / (ssize_t)sizeof(*req); i++) {
				struct tessera_user_reply r = {
					.tag = req[i].tag,
					.val = seed < 4 ? (uint64_t)(seed - 1) : (uint64_t)rand(),
				};

				if (req[i].at == TESS_REG_ID && seed % 2)
					r.val = TESS_ID_VALUE;
				if (req[i].at == TESS_REG_VERSION && seed % 2)
					r.val = 1 << 16;
				if (req[i].op <= TESSERA_USER_WRITE64)
					EXPECT_TRUE(write(fd, &r, sizeof(r)) == sizeof(r) ||
						    errno == EINVAL);
				over |= req[i].op == TESSERA_USER_STARTED && req[i].val;
				n++;
			}
		}
		close(fd);
	}
	for (seed = 0; seed < 100 && gpus() != before; seed++)
		usleep(100000);
	EXPECT_EQ(before, gpus());
}

/* Files that come and go at all moments leave nothing */
TEST_F(device, opened_and_closed)
{
	int round;

	for (round = 0; round < 64; round++) {
		int fd = open(DEV, O_RDWR | O_NONBLOCK | O_CLOEXEC);

		ASSERT_LE(0, fd);
		if (round % 4 > 0)
			ASSERT_LE(0, add(fd, good));
		if (round % 4 > 1)
			ASSERT_EQ(0, call(fd, TESSERA_USER_START, NULL));
		if (round % 4 > 2)
			usleep(round * 100);
		close(fd);
	}
}

TEST_HARNESS_MAIN
