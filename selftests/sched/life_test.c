// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A vGPU that is parked is all there: registers, counters, faults, completions; and the
 * others go on when its owner dies. Also many at once.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "harness.h"
#include "load.h"

#define MANY 64u
/* More than the host maps at once */
#define MAP_STEP 0x40000u

FIXTURE(life)
{
	struct client c[2];
	struct load l[2];
	unsigned int n;
	int slice;
};

FIXTURE_SETUP(life)
{
	fresh_start();
	for (self->n = 0; self->n < 2; self->n++) {
		ASSERT_EQ(0, client_open(&self->c[self->n], "C1S"));
		load_init(&self->l[self->n], &self->c[self->n], 10000, 20);
	}
	self->slice = clients_together(self->c, 2);
	ASSERT_LE(0, self->slice);
}

FIXTURE_TEARDOWN(life)
{
	while (self->n)
		client_close(&self->c[--self->n]);
}

/* Client 1 keeps the slice from now on, but for what client 0 asks for */
static void occupy(struct __test_metadata *_metadata, struct __fixture_life *self)
{
	client_kernel(&self->c[1], TESS_K_LOOP, 8, 64);
	client_fence(&self->c[1]);
}

/* Wait until a file of a client has this value */
static bool comes_to(const struct client *c, const char *file, long long value)
{
	long end = now_ms() + 10000 * patience();

	while (client_value(c, file) != value) {
		if (now_ms() > end)
			return false;
		sleep_ms(2);
	}
	return true;
}

static const uint32_t registers[] = {
	TESS_SREG_KIND,	      TESS_SREG_CORES,	    TESS_SREG_ENGINES,	  TESS_SREG_STATUS,
	TESS_SREG_CONTROL,    TESS_SREG_RING_BASE,  TESS_SREG_RING_LOG2,  TESS_SREG_IRQ_STATUS,
	TESS_SREG_RPTR,	      TESS_SREG_WPTR,	    TESS_SREG_COMPLETION, TESS_SREG_FAULT_CAUSE,
	TESS_SREG_FAULT_INFO, TESS_SREG_FAULT_ADDR, TESS_SREG_FAULT_PC,	  TESS_SREG_FAULT_PACKET,
	TESS_SREG_FAULT_ASID, TESS_SREG_FENCE_SEQ,
};

#define REGISTERS (sizeof(registers) / sizeof(*registers))

struct page {
	uint32_t reg[REGISTERS];
	uint64_t counter[TESS_COUNTER_COUNT];
};

static void read_page(struct client *c, struct page *p)
{
	unsigned int i;

	for (i = 0; i < REGISTERS; i++)
		p->reg[i] = client_reg32(&c->v, 0, registers[i]);
	for (i = 0; i < TESS_COUNTER_COUNT; i++)
		p->counter[i] = client_counter(c, i * 8);
}

/* Differences that there may be: time enabled grows while resident, and so do restores */
static unsigned int page_differs(const struct page *a, const struct page *b)
{
	unsigned int i, n = 0;

	for (i = 0; i < REGISTERS; i++) {
		if (a->reg[i] == b->reg[i])
			continue;
		printf("# register %#x: %#x, parked %#x\n", registers[i], a->reg[i], b->reg[i]);
		n++;
	}
	for (i = 0; i < TESS_COUNTER_COUNT; i++) {
		if (i * 8 == TESS_COUNTER_CYCLES || i * 8 == TESS_COUNTER_SWITCHES ||
		    a->counter[i] == b->counter[i])
			continue;
		printf("# counter %#x: %llu, parked %llu\n", i * 8,
		       (unsigned long long)a->counter[i], (unsigned long long)b->counter[i]);
		n++;
	}
	return n;
}

TEST_F(life, parked_reads_as_before)
{
	struct client *c = &self->c[0];
	struct page resident, parked, again;

	client_delay(c, 8, 16, 100);
	client_fence(c);
	ASSERT_EQ(0, client_wait(c));
	read_page(c, &resident);
	EXPECT_EQ(1, client_value(c, "vslice0/resident"));
	occupy(_metadata, self);
	ASSERT_TRUE(comes_to(c, "vslice0/resident", 0));
	read_page(c, &parked);
	EXPECT_EQ(0, page_differs(&resident, &parked));
	/* Reading does not bring it back; nothing changes while it is away */
	read_page(c, &again);
	EXPECT_EQ(0, memcmp(&parked, &again, sizeof(again)));
	EXPECT_EQ(0, client_value(c, "vslice0/resident"));
	EXPECT_EQ(TESS_KIND_COMPUTE, parked.reg[0]);
	EXPECT_EQ(8, parked.reg[1]);
	/* And it works on from there */
	client_delay(c, 8, 16, 100);
	client_fence(c);
	ASSERT_EQ(0, client_wait(c));
	EXPECT_TRUE(client_counted(c));
	EXPECT_EQ(2, client_counter(c, TESS_COUNTER_DISPATCHES));
}

/* Registers that are written while it is parked take effect */
TEST_F(life, parked_writes)
{
	struct client *c = &self->c[0];
	unsigned int round;

	occupy(_metadata, self);
	for (round = 0; round < 20; round++) {
		ASSERT_TRUE(comes_to(c, "vslice0/resident", 0));
		ring_reset(&c->r);
		EXPECT_EQ(0, client_reg32(&c->v, 0, TESS_SREG_CONTROL));
		EXPECT_EQ(0, client_reg64(&c->v, 0, TESS_SREG_RING_BASE));
		client_start(c);
		EXPECT_EQ(RING_GPA(0), client_reg64(&c->v, 0, TESS_SREG_RING_BASE));
		EXPECT_EQ(TESS_CONTROL_ENABLE, client_reg32(&c->v, 0, TESS_SREG_CONTROL));
		client_delay(c, 1, 16, 10);
		client_fence(c);
		ASSERT_EQ(0, client_wait(c));
	}
	EXPECT_TRUE(client_counted(c));
}

/* Each interrupt that is asked for comes, though the slice is somebody else's mostly */
TEST_F_TIMEOUT(life, completion_interrupts, 120)
{
	struct client *c = &self->c[0];
	unsigned int i, lost = 0, undone = 0;
	int fd = vgpu_eventfd(&c->v, TESS_IRQ_COMPLETION);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, slice_set(c, self->slice, "quantum_us", "500"));
	occupy(_metadata, self);
	for (i = 0; i < 150 && !lost && !undone; i++) {
		/* Some end while the vslice is on the slice, some have to be cut in two */
		client_delay(c, 8, 16, 1 + i % 5 * 100);
		((struct tess_completion_record *)c->r.rec)->event = c->r.seq + 1;
		client_fence(c);
		while (!client_idle(c)) {
			if (eventfd_wait(fd, 10000))
				continue;
			lost = client_idle(c);
			undone = !lost;
			break;
		}
	}
	printf("# %u completions, %u interrupts lost, %u jobs not done\n", i, lost, undone);
	EXPECT_EQ(0, lost);
	EXPECT_EQ(0, undone);
	EXPECT_EQ(0, client_wait(c));
	EXPECT_TRUE(client_counted(c));
	close(fd);
}

/*
 * One with a cap that is alone is parked when it has nothing to do, and gets its next job at
 * any moment of that; nobody else is there on whose behalf it would be looked at again
 */
TEST_F_TIMEOUT(life, alone_with_a_cap, 120)
{
	struct client *c = &self->c[0];
	unsigned int jobs, pause;
	long end, last = now_ms() + 15000;
	bool done = true;

	ASSERT_EQ(0, slice_set(c, self->slice, "quantum_us", "500"));
	ASSERT_EQ(0, client_set_value(c, "cap", 60));
	for (jobs = 0; done && now_ms() < last; jobs++) {
		client_delay(c, 8, 16, 1 + jobs % 7 * 100);
		client_fence(c);
		for (end = now_ms() + 5000 * patience(); !client_idle(c) && now_ms() < end;)
			;
		done = client_idle(c);
		for (pause = jobs % 5 * 2000; pause; pause--)
			__asm__ volatile("");
	}
	printf("# %u jobs, %lld switches\n", jobs, client_value(c, "vslice0/switches"));
	EXPECT_TRUE(done);
	/* It was parked again and again; how often depends on how many jobs the host gave it */
	EXPECT_LT(jobs / 20, client_value(c, "vslice0/switches"));
	EXPECT_EQ(0, client_wait(c));
	EXPECT_TRUE(client_counted(c));
}

/* A fault is reported once and can be read, parked or not */
TEST_F_TIMEOUT(life, faults, 120)
{
	struct client *c = &self->c[0];
	int fd = vgpu_eventfd(&c->v, TESS_IRQ_FAULT);
	unsigned int i, lost = 0, parked = 0;

	ASSERT_LE(0, fd);
	occupy(_metadata, self);
	for (i = 0; i < 40 && !lost; i++) {
		/* One interrupt too many is legal, but not the one that is waited for */
		eventfd_wait(fd, 0);
		client_kernel(c, TESS_K_BREAK, 4, 16);
		client_fence(c);
		do {
			lost = !eventfd_wait(fd, 10000);
		} while (!lost && !reg64(&c->v, TESS_REG_FAULT_PENDING));
		/* It has nothing to do now and leaves the slice */
		if (i % 2)
			parked += comes_to(c, "vslice0/resident", 0);
		EXPECT_EQ(DRM_TESSERA_CAUSE_BREAKPOINT,
			  client_reg32(&c->v, 0, TESS_SREG_FAULT_CAUSE));
		EXPECT_EQ(VA(CODE_GPA + TESS_K_BREAK * TESS_K_BYTES),
			  client_reg64(&c->v, 0, TESS_SREG_FAULT_PC));
		EXPECT_EQ(1, reg64(&c->v, TESS_REG_FAULT_PENDING));
		if (i % 4 < 2) {
			ring_reset(&c->r);
			client_start(c);
		} else {
			client_reg32_write(&c->v, 0, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_ABORT);
			EXPECT_EQ(0, reg64(&c->v, TESS_REG_FAULT_PENDING));
			client_start(c);
		}
	}
	printf("# %u faults, %u of them read while parked, %u lost\n", i, parked, lost);
	EXPECT_EQ(0, lost);
	EXPECT_EQ(20, parked);
	client_delay(c, 8, 16, 10);
	client_fence(c);
	EXPECT_EQ(0, client_wait(c));
	EXPECT_FALSE(client_idle(&self->c[1]));
	close(fd);
}

/*
 * Memory that the host has to map first, by one whose turn is often over before it has done so:
 * what comes too late for one turn counts in the next, and is asked for only once
 */
TEST_F_TIMEOUT(life, maps_in_short_turns, 120)
{
	const unsigned int n = (RAM_GPA + RAM_SIZE - WORK_GPA) / MAP_STEP;
	struct client *c = &self->c[0];
	long long faults;
	unsigned int i;

	ASSERT_EQ(0, client_warm(c));
	faults = mdev_stat(c->v.uuid, "stage2_faults");
	ASSERT_EQ(0, slice_set(c, self->slice, "quantum_us", "100"));
	occupy(_metadata, self);
	for (i = 0; i < n; i++)
		ring_fill(&c->r, VA(WORK_GPA + i * MAP_STEP), 4, 0x7e550000 + i);
	client_fence(c);
	EXPECT_EQ(0, client_wait(c));
	for (i = 0; i < n; i++)
		EXPECT_EQ(0x7e550000 + i, *(uint32_t *)ram_at(&c->v, WORK_GPA + i * MAP_STEP));
	faults = mdev_stat(c->v.uuid, "stage2_faults") - faults;
	EXPECT_EQ(n, faults);
	EXPECT_FALSE(client_idle(&self->c[1]));
	printf("# %lld faults for %u windows, %lld turns\n", faults, n,
	       client_value(c, "vslice0/switches"));
}

/* A VMM with an endless kernel, in a process of its own; ready when this returns */
static pid_t vmm(const char *uuid)
{
	int pipes[2];
	char byte;
	pid_t pid;

	if (pipe(pipes))
		return -1;
	pid = fork();
	if (!pid) {
		struct client c;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (client_open_uuid(&c, uuid))
			_exit(1);
		client_kernel(&c, TESS_K_LOOP, 8, 256);
		client_fence(&c);
		if (write(pipes[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(pipes[1]);
	if (pid > 0 && read(pipes[0], &byte, 1) != 1)
		pid = -1;
	close(pipes[0]);
	return pid;
}

/* Killed in mid-work, on the slice or parked: the others notice nothing, nothing is lost */
TEST_F_TIMEOUT(life, killed, 120)
{
	/* The time is theirs again, but for what switches take */
	const double least = 1 - 0.05 * patience();
	int available = mdev_available("C1S"), round, tries;
	long long pins;
	struct window w;
	double share;
	char uuid[37];
	pid_t pid;

	ASSERT_EQ(0, load_settle(self->l, 2, 20));
	ASSERT_EQ(0, load_finish(self->l, 2));
	pins = pins_held();
	ASSERT_EQ(0, mdev_create("C1S", uuid));
	for (round = 0; round < 6; round++) {
		struct client name = { 0 };

		pid = vmm(uuid);
		ASSERT_LT(0, pid);
		strcpy(name.v.uuid, uuid);
		if (client_slice(&name) != self->slice)
			ASSERT_EQ(0, client_move(&name, self->slice));
		ASSERT_EQ(0, load_window(self->l, 2, 2, 100, 0, &w));
		EXPECT_LT(0, client_value(&name, "vslice0/run_cycles"));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		/* A host that is late with their work leaves the slice idle, but not each time */
		for (share = 0, tries = 0; share < least && tries < 5; tries++) {
			ASSERT_EQ(0, load_window(self->l, 2, 2, 100, 0, &w));
			share = window_share(&w, 0) + window_share(&w, 1);
			printf("# without the third: %.4f of the slice\n", share);
		}
		EXPECT_TRUE(share >= least);
	}
	EXPECT_EQ(0, mdev_remove(uuid));
	ASSERT_EQ(0, load_finish(self->l, 2));
	EXPECT_EQ(available, mdev_available("C1S"));
	EXPECT_EQ(2, slice_value(&self->c[0], self->slice, "members"));
	printf("# pages held: %lld before, %lld after\n", pins, pins_held());
	EXPECT_LE(pins_held(), pins);
}

/* ---- many ---- */

static const char *const many_types[] = { "C1S", "R1S", "M1S", "R1S" };
static struct client many[MANY];

TEST_TIMEOUT(many_at_once, 300)
{
	struct rlimit files = { .rlim_cur = 4096, .rlim_max = 4096 };
	unsigned int n, round, used[TESS_MAX_SLICES] = { 0 }, shared = 0;
	int i, slice;

	fresh_start();
	setrlimit(RLIMIT_NOFILE, &files);
	for (n = 0; n < MANY; n++) {
		const char *type = many_types[n % 4];

		/* Any kind, as long as there is room */
		for (i = 0; i < 4 && mdev_available(type) <= 0; i++)
			type = many_types[i];
		ASSERT_EQ(0, client_open(&many[n], type));
	}
	/* What passes while the GPU is idle is nobody's time */
	sleep_ms(500);
	for (round = 0; round < 4; round++) {
		for (n = 0; n < MANY; n++) {
			client_delay(&many[n], 8, 16, 200 + n * 10);
			client_fence(&many[n]);
		}
	}
	for (n = 0; n < MANY; n++) {
		ASSERT_EQ(0, client_wait(&many[n]));
		EXPECT_TRUE(client_counted(&many[n]));
		slice = client_slice(&many[n]);
		ASSERT_LE(0, slice);
		ASSERT_GT(TESS_MAX_SLICES, slice);
		used[slice]++;
	}
	for (i = 0; i < TESS_MAX_SLICES; i++) {
		shared += !!used[i];
		EXPECT_GE(8, used[i]);
	}
	printf("# %u vGPUs on %u slices, %u jobs each\n", MANY, shared, round);
	for (n = 0; n < MANY; n++)
		client_close(&many[n]);
}

TEST_HARNESS_MAIN
