// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Races that hardly anybody wins: one side is held in the middle (parameter "hold" of modules that
 * are built for tests) while the other side does all that it does. Needs a host with two GPUs.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "harness.h"
#include "crew.h"
#include "gpus.h"

#define POLL_MS 20000
#define SECRET 0x5ec2e75aU
#define DEAD 0xffffffffU

FIXTURE(held)
{
	struct pair p;
};

FIXTURE_SETUP(held)
{
	int ret = pair_begin(&self->p);

	if (ret == -ENODEV)
		SKIP(return, "needs two GPUs");
	ASSERT_EQ(0, ret);
	ret = hold("none");
	if (ret == -ENOENT)
		SKIP(return, "modules that are not built for tests");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(held)
{
	hold("none");
	gpu_answers(self->p.pci[self->p.away], true);
	gpu_bind(self->p.pci[self->p.away]);
	EXPECT_TRUE(pair_end(&self->p));
}

/* A vGPU of the GPU that goes */
static void open_away(struct __test_metadata *_metadata, struct __fixture_held *self,
		      const char *blueprint)
{
	ASSERT_EQ(0, mdev_create("blank", self->p.uuid));
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "blueprint", blueprint));
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "gpu", gpu_name_of(self->p.away)));
	ASSERT_EQ(0, pair_open(&self->p));
}

/* Somebody who does one thing, and is held in it */
struct side {
	const struct pair *p;
	struct vgpu *v;
	int ret;
	uint32_t word;
	pthread_t thread;
};

static void *unbind(void *arg)
{
	struct side *s = arg;

	s->ret = gpu_unbind(s->p->pci[s->p->away]);
	return NULL;
}

/* ---- a trapped access, and the GPU goes ---- */

static void *read_vram(void *arg)
{
	struct side *s = arg;

	s->ret = region_read(s->v, TESS_BAR_VRAM, 0, &s->word, sizeof(s->word));
	return NULL;
}

/* The access finds that the GPU is gone, not what is at its addresses now */
TEST_F_TIMEOUT(held, vram_is_read_when_the_gpu_is_gone, 120)
{
	struct side reader = { .v = &self->p.v }, goes = { .p = &self->p };
	volatile uint32_t *vram;

	open_away(_metadata, self, "slices=1 kind=compute memory=4M");
	/* Nobody else has room for it: it is lost */
	ASSERT_TRUE(crowd_home(&self->p.crowd, 0));
	vram = vgpu_mmap(&self->p.v, TESS_BAR_VRAM, 0, PAGE);
	ASSERT_NE(MAP_FAILED, (void *)vram);
	vram[0] = SECRET;
	read_vram(&reader);
	ASSERT_EQ(SECRET, reader.word);
	ASSERT_EQ(0, hold("bar"));
	ASSERT_EQ(0, pthread_create(&reader.thread, NULL, read_vram, &reader));
	ASSERT_TRUE(hold_taken());
	ASSERT_EQ(0, pthread_create(&goes.thread, NULL, unbind, &goes));
	/* The VMM is told that it is dead */
	EXPECT_LE(1, eventfd_wait(self->p.event, POLL_MS * patience()));
	ASSERT_EQ(0, hold("none"));
	ASSERT_EQ(0, pthread_join(reader.thread, NULL));
	ASSERT_EQ(0, pthread_join(goes.thread, NULL));
	EXPECT_EQ((int)sizeof(reader.word), reader.ret);
	EXPECT_EQ(DEAD, reader.word);
	EXPECT_EQ(0, goes.ret);
	pair_close(&self->p);
}

/* ---- a move, and the GPU where it leads to goes ---- */

static void *move_away(void *arg)
{
	struct side *s = arg;

	s->ret = mdev_attr_write(s->p->uuid, "gpu", gpu_name_of(s->p->away));
	return NULL;
}

static bool wait_dead(struct vgpu *v)
{
	long end = now_ms() + POLL_MS * patience();

	while (reg32(v, TESS_REG_ID) != DEAD) {
		if (now_ms() > end)
			return false;
		usleep(1000);
	}
	return true;
}

/* Vgpus of the GPU that goes, made before and after what is held: told, whatever the order is */
static void open_witness(struct __test_metadata *_metadata, struct __fixture_held *self,
			 struct vgpu *v)
{
	char uuid[37];

	ASSERT_EQ(0, mdev_create_on(self->p.pci[self->p.away], "C1", uuid));
	ASSERT_EQ(0, vgpu_open(v, uuid));
}

static void lost_on_the_way(struct __test_metadata *_metadata, struct __fixture_held *self,
			    const char *blueprint)
{
	struct side mover = { .p = &self->p }, goes = { .p = &self->p };
	struct vgpu witness[2];
	struct crew crew;

	ASSERT_EQ(0, mdev_create("blank", self->p.uuid));
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "blueprint", blueprint));
	ASSERT_EQ(0, pair_open(&self->p));
	open_witness(_metadata, self, &witness[0]);
	ASSERT_EQ(0, hold("move"));
	ASSERT_EQ(0, pthread_create(&mover.thread, NULL, move_away, &mover));
	ASSERT_TRUE(hold_taken());
	open_witness(_metadata, self, &witness[1]);
	/* Pulled: it is not drained, which would wait for who is held */
	ASSERT_EQ(0, gpu_answers(self->p.pci[self->p.away], false));
	ASSERT_EQ(0, pthread_create(&goes.thread, NULL, unbind, &goes));
	EXPECT_TRUE(wait_dead(&witness[0]));
	EXPECT_TRUE(wait_dead(&witness[1]));
	ASSERT_EQ(0, hold("none"));
	ASSERT_EQ(0, pthread_join(mover.thread, NULL));
	EXPECT_EQ(-ENODEV, mover.ret);
	ASSERT_EQ(0, pthread_join(goes.thread, NULL));
	EXPECT_EQ(0, goes.ret);
	/* It is where it was, and works */
	EXPECT_STREQ(gpu_name_of(self->p.home), mdev_attr(self->p.uuid, "gpu"));
	EXPECT_EQ(TESS_ID_VALUE, reg32(&self->p.v, TESS_REG_ID));
	ASSERT_EQ(0, crew_start(&crew, &self->p.v));
	EXPECT_TRUE(crew_goes_on(&crew));
	EXPECT_EQ(NULL, crew_end(&crew));
	vgpu_close(&witness[0]);
	vgpu_close(&witness[1]);
	pair_close(&self->p);
}

TEST_F_TIMEOUT(held, no_move_to_a_gpu_that_is_gone, 120)
{
	lost_on_the_way(_metadata, self, "slices=1 kind=compute memory=4M");
}

/* Nothing is copied, so nothing is noticed on the way */
TEST_F_TIMEOUT(held, no_move_to_a_gpu_that_is_gone_without_memory, 120)
{
	lost_on_the_way(_metadata, self, "slices=1 kind=compute memory=0");
}

/* ---- a page fault that waits for memory of the VMM's cgroup ---- */

#define ROUNDS 50

/*
 * With an address space of its own: one that waits in a page fault holds its lock, for which VFIO
 * waits that counts pinned pages, and for that all other faults, the neighbour's, too.
 */
static pid_t store_elsewhere(struct ring *r)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	ring_kick(r);
	_exit(0);
}

static unsigned int switches_of(const char *uuid)
{
	return vslice_get(uuid, 0, "switches");
}

/* A neighbour that is quick may do all that it has to in one turn */
static bool wait_turn(const char *uuid, unsigned int before)
{
	long end = now_ms() + POLL_MS * patience();

	while (switches_of(uuid) == before) {
		if (now_ms() > end)
			return false;
		usleep(1000);
	}
	return true;
}

/* The neighbour on its slice has its turns, and so has the vGPU itself */
TEST_F_TIMEOUT(held, a_fault_without_memory_stops_no_neighbour, 180)
{
	struct vgpu other;
	struct ring r[2];
	char uuid[37];
	unsigned int i, before;
	int status;
	pid_t vmm;

	ASSERT_EQ(0, mdev_create("C1S", self->p.uuid));
	ASSERT_EQ(0, mdev_create("C1S", uuid));
	ASSERT_EQ(0, pair_open(&self->p));
	ASSERT_EQ(0, vgpu_open(&other, uuid));
	ASSERT_EQ(0, vslice_move(uuid, 0, vslice_get(self->p.uuid, 0, "slice")));
	/* It wants the slice all the time */
	ring_start(&r[0], &self->p.v, 0);
	ring_await(&r[0], DATA_GPA);
	ring_fence(&r[0], false);
	ring_start(&r[1], &other, 0);
	ring_fill(&r[1], DATA_GPA, PAGE, 0);
	ASSERT_EQ(0, ring_finish(&r[1]));
	ASSERT_EQ(0, hold("table"));
	/* The doorbell was withdrawn since, with the turn of the other: this store faults */
	vmm = store_elsewhere(&r[0]);
	ASSERT_LT(0, vmm);
	ASSERT_TRUE(hold_taken());
	before = switches_of(self->p.uuid);
	for (i = 0; i < ROUNDS; i++) {
		ring_fill(&r[1], DATA_GPA, PAGE, i);
		ASSERT_EQ(0, ring_finish(&r[1]));
		EXPECT_EQ(i, *(uint32_t *)ram_at(&other, DATA_GPA));
	}
	EXPECT_TRUE(wait_turn(self->p.uuid, before));
	/* The fault was there all the time */
	EXPECT_TRUE(hold_taken());
	ASSERT_EQ(0, hold("none"));
	ASSERT_EQ(vmm, waitpid(vmm, &status, 0));
	EXPECT_EQ(0, status);
	*(volatile uint32_t *)ram_at(&self->p.v, DATA_GPA) = 1;
	EXPECT_EQ(0, ring_wait(&r[0]));
	vgpu_close(&other);
	pair_close(&self->p);
}

TEST_HARNESS_MAIN
