// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One of two GPUs is taken from its driver in mid-work, and the other has no room. Who works on
 * the other one does not notice; who had a vGPU on it sees a dead device in bounded time, and it
 * can be used again.
 */
#include <dirent.h>
#include <limits.h>

#include "driver.h"
#include "harness.h"
#include "await.h"
#include "bystander.h"

#define MDEV_BUS "/sys/class/mdev_bus/"
#define DEVICES "/sys/bus/pci/devices/"
#define PATIENCE_MS 60000
#define MANY 16

FIXTURE(gone)
{
	struct bystander by;
	char stays[PATH_MAX - 64]; /* directory of the GPU that stays */
	long long slices, vram, pins; /* that are free there, or held */
	char bdf[64]; /* of the GPU that goes */
	char uuid[37];
	struct client victim;
	struct client share[2];
	int shares; /* that are open */
	char others[MANY][37];
	unsigned int nr_others;
};

/* The GPU that the bystander is not on */
static void find_other(char *bdf, size_t size)
{
	DIR *d = opendir(MDEV_BUS);
	struct dirent *e;

	*bdf = 0;
	while (d && (e = readdir(d)) && !*bdf) {
		if (e->d_name[0] != '.' && strcmp(e->d_name, gpu_name()))
			snprintf(bdf, size, "%.60s", e->d_name);
	}
	if (d)
		closedir(d);
}

static long long stays_value(const struct __fixture_gone *self, const char *name)
{
	char path[PATH_MAX], text[32];
	int ret;

	snprintf(path, sizeof(path), "%s/%s", self->stays, name);
	ret = file_read(path, text, sizeof(text));
	return ret ? ret : atoll(text);
}

/* No room for those who would go there instead of dying */
static void fill_other(struct __fixture_gone *self)
{
	static const char *const types[] = { "C1", "M1" };
	unsigned int i;

	for (i = 0; i < 2; i++)
		while (self->nr_others < MANY &&
		       !mdev_create_on(gpu_name(), types[i], self->others[self->nr_others]))
			self->nr_others++;
}

FIXTURE_SETUP(gone)
{
	fresh_start();
	find_other(self->bdf, sizeof(self->bdf));
	if (!*self->bdf)
		SKIP(return, "there is one GPU only");
	ASSERT_EQ(0, gpu_class(self->stays, sizeof(self->stays)));
	self->slices = stays_value(self, "slices_free");
	self->vram = stays_value(self, "vram_free");
	self->pins = pins_held();
	ASSERT_LT(0, self->slices);
	ASSERT_EQ(0, bystander_start(&self->by));
	fill_other(self);
	ASSERT_LT(0, self->nr_others);
	ASSERT_TRUE(bystander_goes_on(&self->by, 1));
	ASSERT_EQ(0, mdev_create_on(self->bdf, "C2", self->uuid));
	ASSERT_EQ(0, client_open_uuid(&self->victim, self->uuid));
	ASSERT_EQ(0, client_warm(&self->victim));
	/* In mid-work, without end */
	client_kernel(&self->victim, TESS_K_LOOP, 8, 256);
	client_fence(&self->victim);
}

FIXTURE_TEARDOWN(gone)
{
	while (self->nr_others)
		EXPECT_EQ(0, mdev_remove(self->others[--self->nr_others]));
	EXPECT_EQ(0, bystander_end(&self->by));
	EXPECT_EQ(self->slices, stays_value(self, "slices_free"));
	EXPECT_EQ(self->vram, stays_value(self, "vram_free"));
	EXPECT_GE(self->pins, pins_held());
}

static void expect_dead(struct __test_metadata *_metadata, struct __fixture_gone *self)
{
	struct vgpu *v = &self->victim.v;

	EXPECT_TRUE(await_dead(&self->victim));
	/* What was mapped can still be touched and means nothing */
	ring_kick(&self->victim.r);
	EXPECT_EQ(~0ULL, reg64(v, TESS_REG_TIME));
	EXPECT_EQ(0, vgpu_unmap(v, RAM_GPA, RAM_SIZE));
	EXPECT_TRUE(bystander_goes_on(&self->by, 2));
}

/* Somebody who writes to sysfs; it is over in time, whatever the VMM does */
static pid_t write_aside(const char *path, const char *text, struct __fixture_gone *self)
{
	pid_t pid = fork();

	if (!pid) {
		/* Do not hold devices open ourselves */
		vgpu_close(&self->victim.v);
		vgpu_close(&self->by.g.c[0].v);
		while (self->shares)
			vgpu_close(&self->share[--self->shares].v);
		_exit(file_write(path, text) ? 1 : 0);
	}
	return pid;
}

/* One file takes the GPU in mid-work, another gives it back */
static void take(struct __test_metadata *_metadata, struct __fixture_gone *self, const char *from,
		 const char *what, const char *back, const char *which)
{
	int status;
	pid_t pid;

	pid = write_aside(from, what, self);
	ASSERT_LT(0, pid);
	expect_dead(_metadata, self);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	vgpu_close(&self->victim.v);
	sleep_ms(300);
	ASSERT_EQ(0, file_write(back, which));
	ASSERT_EQ(0, mdev_create_on(self->bdf, "C2", self->uuid));
	ASSERT_EQ(0, client_open_uuid(&self->victim, self->uuid));
	EXPECT_EQ(0, client_warm(&self->victim));
	EXPECT_TRUE(client_counted(&self->victim));
	client_kernel(&self->victim, TESS_K_LOOP, 8, 256);
	client_fence(&self->victim);
}

TEST_F_TIMEOUT(gone, taken_from_its_driver, 150)
{
	unsigned int round;

	for (round = 0; round < 2; round++)
		take(_metadata, self, gpu_driver_file("unbind"), self->bdf, gpu_driver_file("bind"),
		     self->bdf);
	client_close(&self->victim);
}

/* What a hot-plug controller does when somebody asks for the slot */
TEST_F_TIMEOUT(gone, taken_from_the_bus, 150)
{
	unsigned int round;
	char path[128];

	snprintf(path, sizeof(path), DEVICES "%.60s/remove", self->bdf);
	for (round = 0; round < 2; round++)
		take(_metadata, self, path, "1", "/sys/bus/pci/rescan", "1");
	client_close(&self->victim);
}

/* Two endless kernels that take turns: one of them is being saved or restored nearly always */
TEST_F_TIMEOUT(gone, taken_in_the_middle_of_switches, 150)
{
	struct client *share = self->share;
	char uuid[2][37];
	int status, i;
	pid_t pid;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, mdev_create_on(self->bdf, "M1S", uuid[i]));
		ASSERT_EQ(0, client_open_uuid(&share[i], uuid[i]));
		self->shares++;
	}
	ASSERT_LE(0, clients_together(share, 2));
	ASSERT_EQ(0, slice_set(&share[0], client_slice(&share[0]), "quantum_us", "200"));
	for (i = 0; i < 2; i++) {
		client_kernel(&share[i], TESS_K_LOOP, 8, 256);
		client_fence(&share[i]);
	}
	while (slice_value(&share[0], client_slice(&share[0]), "switches") < 20)
		sleep_ms(1);
	pid = write_aside(gpu_driver_file("unbind"), self->bdf, self);
	ASSERT_LT(0, pid);
	expect_dead(_metadata, self);
	for (i = 0; i < 2; i++) {
		EXPECT_TRUE(await_dead(&share[i]));
		vgpu_close(&share[i].v);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	vgpu_close(&self->victim.v);
	EXPECT_TRUE(bystander_goes_on(&self->by, 2));
	ASSERT_EQ(0, file_write(gpu_driver_file("bind"), self->bdf));
}

/*
 * The process that is the GPU ends, when a file asks for it, and reads give all ones from then
 * on: as if it had been pulled without notice
 */
TEST_F_TIMEOUT(gone, for_good, 150)
{
	const char *ask = getenv("TESS_END_GPU");
	char path[128];
	int status;
	pid_t pid;
	long end;
	FILE *f;

	if (!ask) {
		client_close(&self->victim);
		SKIP(return, "nobody is there to end it");
	}
	f = fopen(ask, "w");
	ASSERT_NE(NULL, f);
	ASSERT_LT(0, fprintf(f, "%s\n", self->bdf));
	ASSERT_EQ(0, fclose(f));
	/* Nobody looks at it, until a guest's watchdog does */
	for (end = now_ms() + PATIENCE_MS; now_ms() < end; sleep_ms(20))
		if (reg64(&self->victim.v, TESS_REG_TIME) == ~0ULL)
			break;
	expect_dead(_metadata, self);
	vgpu_close(&self->victim.v);
	ASSERT_EQ(0, mdev_remove(self->uuid));
	/* Nothing waits for it when it is taken out */
	snprintf(path, sizeof(path), DEVICES "%.60s/remove", self->bdf);
	pid = write_aside(path, "1", self);
	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(bystander_goes_on(&self->by, 2));
}

TEST_HARNESS_MAIN
