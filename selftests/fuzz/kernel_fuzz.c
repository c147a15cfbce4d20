// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_fuzz SECONDS SEED [TARGET [EPISODE]]: clients that do anything, beside one that works
 *
 * A target runs in episodes, each in a process of its own that ends as it likes, and whose
 * random numbers follow from seed, target and number: the last argument repeats one. After each
 * episode the bystander must have gone on, and the books of the pool must balance.
 */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "books.h"
#include "bystander.h"
#include "driver.h"
#include "kernel_fuzz.h"
#include "tap.h"
#include "vgpu.h"

#define EPISODE_MS 60000
#define LINGER_MS 10000

/**
 * struct target - what does anything
 * @name: of it
 * @run: does it
 * @reaches: what some of it must reach, if it is to be worth anything; NULL: nothing
 * @serves: it serves GPUs, where the bystander's is one that is served, too
 */
static const struct target {
	const char *name;
	void (*run)(struct episode *e);
	const char *reaches;
	bool serves;
} targets[] = {
	{ "guest", fuzz_guest, NULL, false },
	{ "sysfs", fuzz_sysfs, NULL, false },
	{ "saved", fuzz_saved, "streams were accepted", false },
	{ "ioctl", fuzz_ioctl, NULL, false },
	{ "server", fuzz_server, "GPUs were in the pool", true },
};
#define TARGETS (sizeof(targets) / sizeof(*targets))

/* Of the target that runs: operations, and what they reached */
static unsigned long *ops, *reached;

void episode_fails(const char *file, int line, const char *what)
{
	printf("# %s:%d: does not hold: %s (%s)\n", file, line, what, strerror(errno));
	fflush(stdout);
	_exit(1);
}

/* Wait for a process; one that takes too long is killed, which has to end it */
static bool reap(pid_t pid, int *status)
{
	long end = now_ms() + EPISODE_MS, last = end + EPISODE_MS;
	bool killed = false;

	while (!waitpid(pid, status, WNOHANG)) {
		if (now_ms() > last)
			return false;
		if (now_ms() > end && !killed) {
			puts("# an episode takes too long, and is killed");
			killed = !kill(pid, SIGKILL);
		}
		usleep(2000);
	}
	return true;
}

/* A process may die of what it did to itself, but not find that something does not hold */
static bool play(const struct target *t, uint64_t state)
{
	char uuid[SHAPE_UUID] = "";
	struct episode e = { .uuid = uuid, .state = state | 1, .ops = ops, .reached = reached };
	int status, ret;
	pid_t pid;

	ret = shape_blank(uuid);
	if (ret) {
		printf("# no vGPU: %s\n", strerror(-ret));
		return false;
	}
	fflush(stdout);
	pid = fork();
	if (!pid) {
		t->run(&e);
		_exit(0);
	}
	if (!reap(pid, &status)) {
		puts("# an episode cannot be killed");
		return false;
	}
	ret = mdev_remove(uuid);
	if (ret)
		printf("# the vGPU cannot be removed: %s\n", strerror(-ret));
	return !ret && !(WIFEXITED(status) && WEXITSTATUS(status));
}

static uint64_t mix(uint64_t seed, uint64_t target, uint64_t episode)
{
	uint64_t state =
		seed * 0x9e3779b97f4a7c15ULL + target * 1000003 + episode * 0xd1342543de82ef95ULL;

	return state ? state : 1;
}

/* What a process had goes after it: its jobs have to end first */
static bool books_balance(const struct books *books)
{
	long end = now_ms() + LINGER_MS;

	while (books_wrong(books)) {
		if (now_ms() > end)
			return false;
		sleep_ms(10);
	}
	return true;
}

static size_t gpus(void)
{
	glob_t g;
	size_t n;

	n = glob("/sys/class/tessera/gpu*", 0, NULL, &g) ? 0 : g.gl_pathc;
	globfree(&g);
	return n;
}

/* GPUs that an episode served go, some after the time in which they may be taken over */
static bool gpus_gone(size_t before)
{
	long end = now_ms() + LINGER_MS;

	while (gpus() != before) {
		if (now_ms() > end) {
			printf("# %zu GPUs are there, %zu were\n", gpus(), before);
			return false;
		}
		sleep_ms(10);
	}
	return true;
}

/* The bystander's server ends, and nothing that others left holds its module */
static bool module_goes(void)
{
	long end = now_ms() + LINGER_MS;

	if (system("kill -TERM $(cat /run/tessera/gpu*.pid)"))
		return false;
	while (system("rmmod tessera_user 2>/dev/null")) {
		if (now_ms() > end)
			return false;
		sleep_ms(100);
	}
	return true;
}

/* Episodes @from to @to, until the time is over */
static void run_target(const struct target *t, const struct bystander *b, const struct books *books,
		       uint64_t seed, unsigned long from, unsigned long to, long end)
{
	size_t before = gpus();
	unsigned long n;

	*ops = 0;
	*reached = 0;
	for (n = from; n < to && (n == from || now_ms() < end); n++) {
		bool good = play(t, mix(seed, (uint64_t)(t - targets), n));

		good = bystander_goes_on(b, 1) && good;
		good = gpus_gone(before) && good;
		good = books_balance(books) && good;
		if (!good) {
			printf("# again: kernel_fuzz 1 %" PRIu64 " %s %lu\n", seed, t->name, n);
			ok(good, "%s: episode %lu", t->name, n);
			return;
		}
	}
	printf("# figure fuzz_%s_operations %lu\n", t->name, *ops);
	ok(*ops > 0, "%s: %lu episodes, nobody else disturbed", t->name, n - from);
	if (t->reaches)
		ok(*reached > 0 || to - from == 1, "%s: %lu %s", t->name, *reached, t->reaches);
}

int main(int argc, char **argv)
{
	static struct bystander b;
	unsigned long from = 0, to = ~0UL;
	bool served = !strcmp(gpu_driver(), "tessera_user");
	struct books books;
	long seconds;
	uint64_t seed;
	size_t i;
	int ret;

	if (argc < 3 || argc > 5) {
		fprintf(stderr, "usage: kernel_fuzz SECONDS SEED [TARGET [EPISODE]]\n");
		return 2;
	}
	seconds = atol(argv[1]);
	seed = strtoull(argv[2], NULL, 0);
	if (argc == 5) {
		from = strtoul(argv[4], NULL, 0);
		to = from + 1;
	}
	ops = mmap(NULL, 2 * sizeof(*ops), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		   0);
	if (ops == MAP_FAILED)
		return 1;
	reached = ops + 1;
	tap_begin();
	mdev_remove_all();
	books_open(&books);
	ret = bystander_start(&b);
	if (ret)
		return tap_bail("bystander: %s", strerror(-ret));
	for (i = 0; i < TARGETS; i++)
		if ((argc < 4 || !strcmp(argv[3], targets[i].name)) &&
		    (served || !targets[i].serves))
			run_target(&targets[i], &b, &books, seed, from, to,
				   now_ms() + seconds * 1000);
	ok(!bystander_end(&b), "every result of the bystander was right");
	mdev_remove_all();
	ok(!books_unclosed(&books), "nothing is left in the pool");
	if (served)
		ok(module_goes(), "the module of the served GPU can be unloaded");
	return done() || tap.run < 3;
}
