// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A slice that does not reset (option --refuse-reset of the model). While a GPU waits for it, its
 * other slices run; what their clients give back must be out of their reach all the same. And
 * what the client of that slice left must not reach the next one.
 *
 * TESS_REFUSE_SLICE is its number.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "driver.h"
#include "harness.h"
#include "await.h"
#include "client.h"
#include "log.h"
#include "uevent.h"

#define DEVICES "/sys/bus/pci/devices/"
#define RECOVERIES "/sys/module/tessera_pci/parameters/recoveries"
#define RECOVERIES_DEFAULT "3"
#define ROUNDS 10
#define PATIENCE_MS 60000
#define WATCH_GPA WORK_GPA
#define SECRET 0x5ec2e75a

FIXTURE(stop)
{
	int slice;
	char bdf[64];
	struct client slow;
};

/* A vGPU of its own slice: that one, or any other */
static int open_on(struct client *c, int slice, bool that)
{
	int ret = client_open(c, "C1");

	if (!ret && (client_slice(c) == slice) != that) {
		client_close(c);
		ret = -EXDEV;
	}
	return ret;
}

/* A vGPU on that slice, which cannot be reset from here on: it has executed a DISPATCH */
static int open_slow(struct client *c, int slice)
{
	long end = now_ms() + CLIENT_WAIT_MS;
	int ret = open_on(c, slice, true);

	if (ret)
		return ret;
	client_kernel(c, TESS_K_LOOP, 8, 16);
	client_fence(c);
	while (!client_counter(c, TESS_COUNTER_INSTRUCTIONS)) {
		if (now_ms() > end)
			return -ETIME;
		sleep_ms(1);
	}
	return 0;
}

FIXTURE_SETUP(stop)
{
	fresh_start();
	self->slice = setting("TESS_REFUSE_SLICE", -1);
	if (self->slice < 0)
		SKIP(return, "TESS_REFUSE_SLICE is not set");
	snprintf(self->bdf, sizeof(self->bdf), "%s", gpu_name());
	/* An administrator does it, unless a test is about that */
	ASSERT_EQ(0, file_write(RECOVERIES, "0"));
	ASSERT_EQ(0, open_slow(&self->slow, self->slice));
}

FIXTURE_TEARDOWN(stop)
{
	EXPECT_EQ(0, file_write(RECOVERIES, RECOVERIES_DEFAULT));
}

static bool bus_master(const char *bdf)
{
	char path[PATH_MAX];
	uint16_t command = PCI_COMMAND_MASTER;
	int fd;

	snprintf(path, sizeof(path), DEVICES "%.60s/config", bdf);
	fd = open(path, O_RDONLY);
	if (fd < 0 || pread(fd, &command, sizeof(command), PCI_COMMAND) != sizeof(command))
		command = PCI_COMMAND_MASTER;
	close(fd);
	return command & PCI_COMMAND_MASTER;
}

/* The GPU is taken from its driver, aside */
static pid_t unbind_aside(struct client *slow, struct client *victim, const char *bdf)
{
	pid_t pid = fork();

	if (!pid) {
		vgpu_close(&slow->v);
		vgpu_close(&victim->v);
		_exit(file_write(gpu_driver_file("unbind"), bdf) ? 1 : 0);
	}
	return pid;
}

/* True: its time stands at 0, as calls for it fail; false: it is dead for its client already */
static bool wait_gone(struct client *c)
{
	uint64_t time;

	do {
		time = reg64(&c->v, TESS_REG_TIME);
	} while (time && time != ~0ULL);
	return !time;
}

/*
 * A VMM closes while its GPU goes and its slice still runs: 1 it was in time and nothing was
 * written to its memory after that, 0 it came too late, -1 it was written to
 */
static int close_in_between(struct __test_metadata *_metadata, struct __fixture_stop *self)
{
	volatile struct tess_watch *watch;
	struct client victim;
	uint64_t args[1] = { VA(WATCH_GPA) }, beat;
	bool gone, early;
	uint8_t *ram;
	int status;
	pid_t pid;

	ASSERT_EQ(0, open_on(&victim, self->slice, false));
	/* It is ours for longer than the VMM's */
	ram = mremap(victim.v.ram, 0, RAM_SIZE, MREMAP_MAYMOVE);
	ASSERT_NE(MAP_FAILED, (void *)ram);
	watch = (struct tess_watch *)(ram + (WATCH_GPA - RAM_GPA));
	client_dispatch(&victim, CODE_GPA + TESS_K_WATCH * TESS_K_BYTES, 1, 1, args, sizeof(args));
	client_fence(&victim);
	for (beat = watch->beat; watch->beat == beat;)
		sleep_ms(1);
	pid = unbind_aside(&self->slow, &victim, self->bdf);
	ASSERT_LT(0, pid);
	gone = wait_gone(&victim);
	vgpu_close(&victim.v);
	/* Before it is known whether there is still time */
	beat = watch->beat;
	early = gone && bus_master(self->bdf);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	printf("# %s, beat %llu and %llu\n", early ? "in between" : "too late",
	       (unsigned long long)beat, (unsigned long long)watch->beat);
	beat = watch->beat - beat;
	munmap(ram, RAM_SIZE);
	return beat ? -1 : early;
}

static int rebind(const char *bdf)
{
	int ret = file_write(gpu_driver_file("bind"), bdf);

	return ret || await_type("C1") ? ret : -ETIME;
}

TEST_F_TIMEOUT(stop, nothing_is_written_after_an_unpin, 300)
{
	int round, ret = 0;

	for (round = 0; round < ROUNDS && !ret; round++) {
		if (round)
			ASSERT_EQ(0, open_slow(&self->slow, self->slice));
		ret = close_in_between(_metadata, self);
		vgpu_close(&self->slow.v);
		sleep_ms(200);
		ASSERT_EQ(0, rebind(self->bdf));
	}
	EXPECT_EQ(1, ret);
}

static bool all_are(const volatile uint32_t *words, size_t size, uint32_t val)
{
	size_t i;

	for (i = 0; i < size / sizeof(*words); i++)
		if (words[i] != val)
			return false;
	return true;
}

static void expect_as_new(struct __test_metadata *_metadata, struct __fixture_stop *self)
{
	struct client c;
	uint64_t size;
	uint32_t *vram;

	ASSERT_EQ(0, open_on(&c, self->slice, true));
	size = reg64(&c.v, TESS_REG_VRAM_SIZE);
	vram = vgpu_mmap(&c.v, TESS_BAR_VRAM, 0, size);
	ASSERT_NE(MAP_FAILED, (void *)vram);
	EXPECT_TRUE(all_are(vram, size, 0));
	/* Without a DISPATCH: that slice is the same as ever */
	EXPECT_EQ(0, ring_finish(&c.r));
	client_close(&c);
}

static void expect_new_life(struct __test_metadata *_metadata, struct __fixture_stop *self)
{
	ASSERT_EQ(0, file_write(gpu_driver_file("unbind"), self->bdf));
	ASSERT_EQ(0, rebind(self->bdf));
	expect_as_new(_metadata, self);
}

/* What it left in VRAM, and what it runs, are nobody's business: the vGPU is dead */
TEST_F_TIMEOUT(stop, nobody_finds_what_was_left, 150)
{
	struct vgpu *v = &self->slow.v;
	char uuid[sizeof(v->uuid)];
	uint64_t size = reg64(v, TESS_REG_VRAM_SIZE);
	uint32_t *vram = vgpu_mmap(v, TESS_BAR_VRAM, 0, size), word = 0;
	struct vgpu next;
	size_t i;

	ASSERT_NE(MAP_FAILED, (void *)vram);
	for (i = 0; i < size / sizeof(*vram); i++)
		vram[i] = SECRET;
	memcpy(uuid, v->uuid, sizeof(uuid));
	vgpu_close(v);
	/* The slice runs on, and reaches no memory of the host, whatever translates for it */
	EXPECT_FALSE(bus_master(self->bdf));
	if (!vgpu_open(&next, uuid)) {
		EXPECT_TRUE(false);
		region_read(&next, TESS_BAR_VRAM, 0, &word, sizeof(word));
		EXPECT_NE(SECRET, word);
		vgpu_close(&next);
	}
	EXPECT_EQ(-ENODEV, vgpu_open(&next, uuid));
	EXPECT_EQ(0, mdev_remove(uuid));
	expect_new_life(_metadata, self);
}

/* The same while it is open: it sees a device that is dead, and nothing of what was before */
TEST_F_TIMEOUT(stop, a_reset_that_fails_is_the_end, 150)
{
	struct vgpu *v = &self->slow.v;
	uint64_t size = reg64(v, TESS_REG_VRAM_SIZE);
	volatile uint32_t *vram = vgpu_mmap(v, TESS_BAR_VRAM, 0, size);

	ASSERT_NE(MAP_FAILED, (void *)vram);
	vram[0] = SECRET;
	EXPECT_ERRNO(ENODEV, ioctl(v->device, VFIO_DEVICE_RESET));
	EXPECT_EQ(0xffffffff, reg32(v, TESS_REG_ID));
	EXPECT_NE(SECRET, vram[0]);
	EXPECT_FALSE(bus_master(self->bdf));
	client_close(&self->slow);
	expect_new_life(_metadata, self);
}

/* The client of the slice that cannot be stopped loses the GPU for all: another vGPU is told */
static void lose_it_for_all(struct __test_metadata *_metadata, struct __fixture_stop *self)
{
	struct client other;

	ASSERT_EQ(0, open_on(&other, self->slice, false));
	ASSERT_EQ(0, client_warm(&other));
	EXPECT_ERRNO(ENODEV, ioctl(self->slow.v.device, VFIO_DEVICE_RESET));
	EXPECT_TRUE(await_dead(&other));
	client_close(&other);
	client_close(&self->slow);
}

/* Nobody but the kernel resets the GPU: it is there again for everybody, also for its processes */
TEST_F_TIMEOUT(stop, the_gpu_comes_back_by_itself, 150)
{
	char path[PATH_MAX];

	ASSERT_EQ(0, file_write(RECOVERIES, RECOVERIES_DEFAULT));
	lose_it_for_all(_metadata, self);
	ASSERT_TRUE(await_type("C1"));
	expect_as_new(_metadata, self);
	snprintf(path, sizeof(path), DEVICES "%.60s/drm", self->bdf);
	EXPECT_EQ(0, access(path, F_OK));
}

/* 1 the kernel resets it, 0 it says that it does not, -ETIME */
static int is_reset(int mark)
{
	long end = now_ms() + PATIENCE_MS;

	while (now_ms() < end) {
		if (mdev_available("C1") > 0)
			return 1;
		/* A copy goes on where the last one stopped to read */
		if (log_says(dup(mark), "the GPU stays lost"))
			return 0;
		sleep_ms(100);
	}
	return -ETIME;
}

/* Kernels since 6.17 have the event of DRM for a device that somebody has to help */
static bool tells_wedged(void)
{
	struct utsname name;
	int major, minor;

	return !uname(&name) && sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 17));
}

/* As often as an administrator allows; what the kernel does not do, writing to "reset" does */
TEST_F_TIMEOUT(stop, the_gpu_comes_back_by_itself_so_often, 290)
{
	int allowed = atoi(RECOVERIES_DEFAULT), rounds, reset = 1, mark, events;
	char path[PATH_MAX];

	events = event_socket();
	ASSERT_LE(0, events);
	ASSERT_EQ(0, file_write(RECOVERIES, RECOVERIES_DEFAULT));
	for (rounds = 0; reset == 1 && rounds <= allowed; rounds++) {
		if (rounds)
			ASSERT_EQ(0, open_slow(&self->slow, self->slice));
		mark = log_mark();
		ASSERT_LE(0, mark);
		lose_it_for_all(_metadata, self);
		reset = is_reset(mark);
		close(mark);
	}
	/* Other tests may have used some of them */
	EXPECT_EQ(0, reset);
	EXPECT_EQ(tells_wedged(), event_comes(events, "", "WEDGED=rebind,bus-reset"));
	close(events);
	/* Who hears of it does what it says; else there is the kernel's log */
	if (tells_wedged()) {
		ASSERT_EQ(0, file_write(gpu_driver_file("unbind"), self->bdf));
		ASSERT_EQ(0, file_write(gpu_driver_file("bind"), self->bdf));
	} else {
		snprintf(path, sizeof(path), DEVICES "%.60s/reset", self->bdf);
		ASSERT_EQ(0, file_write(path, "1"));
	}
	ASSERT_TRUE(await_type("C1"));
	expect_as_new(_metadata, self);
}

TEST_HARNESS_MAIN
