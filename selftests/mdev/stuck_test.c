// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A VMM that is stuck in VFIO: one of its threads has, or waits for, the lock of the container in
 * which its vGPUs are. Its GPUs are taken from their driver all the same, in bounded time, and
 * nobody else waits. Needs a host with two GPUs, and FUSE.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "harness.h"
#include "gpus.h"
#include "log.h"
#include "slow.h"
#include "vgpu.h"

#define BLUEPRINT "slices=1 max=1 kind=compute memory=2M"
#define SLOW_GPA 0x600000000ULL
/* What is pinned around a fault, so that one call of VFIO brings it */
#define SLOW_SIZE (64 * PAGE)
/* What is unmapped while somebody waits */
#define OTHER_GPA 0x700000000ULL
#define OTHER_SIZE (16 * PAGE)
/* Until a thread that can go on has done so; longer than all that a GPU waits for in the end */
#define STUCK_MS 2000
#define BOUND_MS 90000
#define ROUNDS 10

enum { VGPU, BESIDE, VGPUS };

/**
 * struct scene - what the test and its VMM know
 * @uuid: the vGPU, and one more in the container
 * @slow: memory that does not come
 * @go: the VMM's threads may begin
 * @begun: threads that have begun
 * @tids: their numbers, in the order in which they began
 * @ended: threads that came to their end
 * @act: what the thread does to the vGPU
 */
struct scene {
	char uuid[VGPUS][37];
	struct slow *slow;
	bool go;
	unsigned int begun;
	pid_t tids[2];
	unsigned int ended;
	void (*act)(struct vgpu *v);
};

static struct scene *scene_new(void)
{
	struct scene *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return s == MAP_FAILED ? NULL : s;
}

static bool flag_wait(const bool *flag, long ms)
{
	long end = now_ms() + ms * patience();

	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) {
		if (now_ms() > end)
			return false;
		usleep(1000);
	}
	return true;
}

static bool count_wait(const unsigned int *count, unsigned int wanted, long ms)
{
	long end = now_ms() + ms * patience();

	while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < wanted) {
		if (now_ms() > end)
			return false;
		usleep(1000);
	}
	return true;
}

static void count(unsigned int *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_ACQ_REL);
}

/* The next thread begins */
static void begin(struct scene *s)
{
	s->tids[s->begun] = gettid();
	count(&s->begun);
}

static char state_of(pid_t tid)
{
	char path[32], text[256] = "", *name_end;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return '?';
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	name_end = strrchr(text, ')');
	return name_end ? name_end[2] : '?';
}

/* Until a thread queues for a lock of the kernel: whenever it is looked at, it waits for good */
static bool queue_wait(pid_t tid, long ms)
{
	long end = now_ms() + ms * patience();
	unsigned int looks = 0;

	while (looks < 5) {
		if (now_ms() > end)
			return false;
		usleep(20000);
		looks = state_of(tid) == 'D' ? looks + 1 : 0;
	}
	return true;
}

/* ---- the VMM ---- */

/* The one who watches is not to wait for the end of a VMM that has none */
static void be_silent(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC), i;

	for (i = 0; i < 3; i++)
		dup2(fd, i);
}

/* Let a vslice store: its fault is not answered before the page is there */
static void want_slow(struct ring *r)
{
	ring_fill(r, SLOW_GPA, 64, 1);
	ring_fence(r, false);
}

/* The vGPU has pinned memory at the end, and slow memory that nothing has touched */
static void open_first(struct scene *s, struct vgpu *v, struct ring *r)
{
	void *other =
		mmap(NULL, OTHER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	void *slow = slow_map(s->slow);

	if (other == MAP_FAILED || slow == MAP_FAILED || vgpu_open(v, s->uuid[VGPU]) ||
	    vgpu_map(v, slow, SLOW_GPA, SLOW_SIZE, true) ||
	    vgpu_map(v, other, OTHER_GPA, OTHER_SIZE, true))
		_exit(2);
	ring_start(r, v, 0);
	ring_fill(r, OTHER_GPA, OTHER_SIZE, 1);
	if (ring_finish(r))
		_exit(3);
}

struct thread {
	struct scene *s;
	struct vgpu *v;
};

static void *act(void *arg)
{
	struct thread *t = arg;

	flag_wait(&t->s->go, BOUND_MS);
	begin(t->s);
	t->s->act(t->v);
	count(&t->s->ended);
	return NULL;
}

static void reset(struct vgpu *v)
{
	reg32_write(v, TESS_REG_RESET, TESS_RESET_KEY);
}

static void reset_function(struct vgpu *v)
{
	ioctl(v->device, VFIO_DEVICE_RESET);
}

/* Nothing of it is mapped */
static void end(struct vgpu *v)
{
	close(v->device);
}

/* A thread waits for the memory that its own vGPU wants */
static void __attribute__((noreturn)) run_alone(struct scene *s)
{
	struct vgpu v;
	struct thread t = { s, &v };
	pthread_t thread;
	struct ring r;

	open_first(s, &v, &r);
	if (pthread_create(&thread, NULL, act, &t))
		_exit(5);
	want_slow(&r);
	pthread_join(thread, NULL);
	_exit(0);
}

/* Another vGPU of the container holds its lock, while a thread does something to the first one */
static void __attribute__((noreturn)) run_beside(struct scene *s)
{
	struct vgpu v, beside;
	struct thread t = { s, &v };
	pthread_t thread;
	struct ring r;

	open_first(s, &v, &r);
	if (vgpu_join(&beside, s->uuid[BESIDE], &v))
		_exit(4);
	munmap(v.maps[0].addr, v.maps[0].size);
	if (pthread_create(&thread, NULL, act, &t))
		_exit(5);
	ring_start(&r, &beside, 0);
	want_slow(&r);
	pthread_join(thread, NULL);
	_exit(0);
}

/* ---- taking GPUs away ---- */

static pid_t do_unbind(const char *pci)
{
	pid_t pid = fork();

	if (!pid)
		_exit(gpu_unbind(pci) ? 1 : 0);
	return pid;
}

static pid_t do_unload(const char *module)
{
	pid_t pid = fork();

	if (!pid)
		_exit(syscall(SYS_delete_module, module, O_NONBLOCK) ? 1 : 0);
	return pid;
}

/* Exit status of a process that ends in time; -1: it does not */
static int bounded(pid_t pid)
{
	long deadline = now_ms() + BOUND_MS * patience();
	int status;

	while (!waitpid(pid, &status, WNOHANG)) {
		if (now_ms() > deadline)
			return -1;
		usleep(10000);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256;
}

static int make(char uuid[37], unsigned int gpu)
{
	int ret = mdev_create("blank", uuid);

	ret = ret ?: mdev_attr_write(uuid, "blueprint", BLUEPRINT);
	return ret ?: mdev_attr_write(uuid, "gpu", gpu_name_of(gpu));
}

/* ---- the lock is held by a neighbour in the container ---- */

FIXTURE(stuck)
{
	struct pair p;
	struct scene *s;
};

FIXTURE_SETUP(stuck)
{
	int ret = pair_begin(&self->p);

	if (ret == -ENODEV)
		SKIP(return, "needs two GPUs");
	ASSERT_EQ(0, ret);
	self->s = scene_new();
	ASSERT_NE(NULL, self->s);
	self->s->slow = slow_start(SLOW_SIZE);
	ASSERT_NE(NULL, self->s->slow);
	ASSERT_EQ(0, make(self->s->uuid[VGPU], self->p.away));
	ASSERT_EQ(0, make(self->s->uuid[BESIDE], self->p.home));
}

FIXTURE_TEARDOWN(stuck)
{
	EXPECT_TRUE(pair_end(&self->p));
}

/* What the VMM waits for is not waited for by anybody else */
static void unbind_while(struct __test_metadata *_metadata, struct __fixture_stuck *self,
			 void (*vmm)(struct scene *s), void (*what)(struct vgpu *v),
			 unsigned int then)
{
	struct scene *s = self->s;
	pid_t pid, unbinds;
	int status = -1;

	s->act = what;
	pid = fork();
	if (!pid)
		vmm(s);
	ASSERT_LT(0, pid);
	ASSERT_TRUE(slow_wait(s->slow, 20000 * patience()));
	__atomic_store_n(&s->go, true, __ATOMIC_RELEASE);
	ASSERT_TRUE(count_wait(&s->begun, 1, 20000));
	EXPECT_FALSE(count_wait(&s->ended, 1, STUCK_MS));
	unbinds = do_unbind(self->p.pci[self->p.away]);
	EXPECT_EQ(0, bounded(unbinds));
	/* It was stuck all the time */
	EXPECT_EQ(0, s->ended);
	EXPECT_FALSE(s->slow->released);
	EXPECT_STREQ(gpu_name_of(then), mdev_attr(s->uuid[VGPU], "gpu"));
	slow_release(s->slow);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	EXPECT_EQ(1, s->ended);
	slow_end(s->slow);
	EXPECT_EQ(0, gpu_bind(self->p.pci[self->p.away]));
}

/* The vGPU works on, on the other GPU */
TEST_F_TIMEOUT(stuck, in_a_reset, 240)
{
	unbind_while(_metadata, self, run_beside, reset, self->p.home);
}

TEST_F_TIMEOUT(stuck, in_a_function_level_reset, 240)
{
	unbind_while(_metadata, self, run_beside, reset_function, self->p.home);
}

TEST_F_TIMEOUT(stuck, in_close, 240)
{
	unbind_while(_metadata, self, run_beside, end, self->p.home);
}

/* A vslice waits: the vGPU loses its GPU */
TEST_F_TIMEOUT(stuck, in_a_reset_with_its_own_memory, 240)
{
	unbind_while(_metadata, self, run_alone, reset, self->p.away);
}

/*
 * ---- for ever ----
 *
 * VFIO takes the container's two locks in one order when memory is unmapped that a vGPU has
 * pinned, and in the other when a vGPU joins. Such a VMM cannot be killed; the machine has to be
 * restarted in the end.
 */

FIXTURE(forever)
{
	char pci[GPUS][64];
	unsigned int home, away;
	struct crowd crowd;
};

FIXTURE_SETUP(forever)
{
	unsigned int i;

	mdev_remove_all();
	if (gpu_value(1, "slices_total") < 0)
		SKIP(return, "needs two GPUs");
	for (i = 0; i < GPUS; i++)
		ASSERT_EQ(0, gpu_text(i, "name", self->pci[i], sizeof(self->pci[i])));
	self->home = home_gpu();
	self->away = !self->home;
	/* The kernel is about to see tasks that wait for long, and need not say so */
	file_write("/proc/sys/kernel/hung_task_timeout_secs", "0");
}

FIXTURE_TEARDOWN(forever)
{
}

static void unmap_other(struct vgpu *v)
{
	vgpu_unmap(v, OTHER_GPA, OTHER_SIZE);
}

struct joiner {
	struct scene *s;
	struct vgpu *first;
};

static void *join(void *arg)
{
	struct joiner *j = arg;
	struct vgpu v;

	/* Second in the queue for the lock */
	count_wait(&j->s->begun, 1, BOUND_MS);
	queue_wait(j->s->tids[0], BOUND_MS);
	begin(j->s);
	vgpu_join(&v, j->s->uuid[BESIDE], j->first);
	count(&j->s->ended);
	return NULL;
}

/* Both threads queue for the lock, which is held until slow memory comes */
static void __attribute__((noreturn)) run_against_itself(struct scene *s)
{
	struct vgpu v;
	struct thread t = { s, &v };
	struct joiner j = { s, &v };
	pthread_t threads[2];
	struct ring r;

	be_silent();
	open_first(s, &v, &r);
	if (pthread_create(&threads[0], NULL, act, &t) ||
	    pthread_create(&threads[1], NULL, join, &j))
		_exit(5);
	want_slow(&r);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	_exit(0);
}

/* True: it is there, for good */
static bool deadlock(struct __test_metadata *_metadata, struct scene *s)
{
	pid_t pid;

	s->go = false;
	s->begun = 0;
	s->ended = 0;
	s->act = unmap_other;
	s->slow = slow_start(SLOW_SIZE);
	if (!s->slow)
		return false;
	pid = fork();
	if (!pid)
		run_against_itself(s);
	EXPECT_TRUE(slow_wait(s->slow, 20000 * patience()));
	__atomic_store_n(&s->go, true, __ATOMIC_RELEASE);
	EXPECT_TRUE(count_wait(&s->begun, 2, BOUND_MS));
	EXPECT_TRUE(queue_wait(s->tids[1], 20000));
	slow_release(s->slow);
	if (!count_wait(&s->ended, 1, 2 * STUCK_MS))
		return true;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	slow_end(s->slow);
	return false;
}

TEST_F_TIMEOUT(forever, two_vgpus_in_one_container, 500)
{
	struct scene *s = scene_new();
	int round = 0, mark;
	long start;

	ASSERT_NE(NULL, s);
	ASSERT_EQ(0, make(s->uuid[VGPU], self->away));
	ASSERT_EQ(0, make(s->uuid[BESIDE], self->home));
	while (!deadlock(_metadata, s))
		ASSERT_GT(ROUNDS, ++round);
	TH_LOG("deadlock after %d rounds", round);

	mark = log_mark();
	start = now_ms();
	ASSERT_EQ(0, bounded(do_unbind(self->pci[self->away])));
	TH_LOG("its GPU was unbound after %ld ms: it is on %s", now_ms() - start,
	       mdev_attr(s->uuid[VGPU], "gpu"));
	ASSERT_EQ(0, gpu_bind(self->pci[self->away]));
	ASSERT_EQ(0, bounded(do_unload("tessera_drm")));
	/* It is in use, and says so at once */
	EXPECT_EQ(1, bounded(do_unload("tessera_mdev")));
	/* Unless a vslice waits, too, it is moved as any other, and goes when there is no room */
	if (!strcmp(mdev_attr(s->uuid[VGPU], "gpu"), gpu_name_of(self->home))) {
		ASSERT_EQ(0, mdev_attr_write(s->uuid[VGPU], "gpu", gpu_name_of(self->away)));
		ASSERT_TRUE(crowd_home(&self->crowd, 0));
		mark = log_mark();
		start = now_ms();
		ASSERT_EQ(0, bounded(do_unbind(self->pci[self->away])));
		TH_LOG("its GPU was unbound after %ld ms: it has none", now_ms() - start);
		ASSERT_EQ(0, gpu_bind(self->pci[self->away]));
	}
	EXPECT_TRUE(log_says(mark, "stay pinned until it goes on"));
}

TEST_HARNESS_MAIN
