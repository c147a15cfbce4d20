// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: soak
 *
 * soak SECONDS SEED: eight virtual machines' worth of vGPUs and two processes live at random,
 * and faults happen to them. All results are checked meanwhile, and at the end the books: of
 * slices, memory of the GPU and of the host, pinned pages and interrupts. Runs in a host VM;
 * selftests/soak/soak makes a table of the figures.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "soak.h"

#define LIFE_MS 6000
#define TICK_MS 100
#define TAKE_EVERY 350 /* ticks, on average */
#define KILL_EVERY 25
#define END_S 100
#define SETTLE_MS 15000

/**
 * struct lives - processes of the seats, and what became of those that ended
 * @pid: by seat, 0: none
 * @life: by seat
 * @killed: by seat: from outside
 * @ends: by enum end, of those that were not killed
 * @died: of those that were
 * @operations: of all, as the following
 * @faults: caused by clients
 * @wrong: results
 * @lost_irqs: interrupts
 * @stuck: did not come to an end
 */
static struct lives {
	pid_t pid[SEATS];
	struct life life[SEATS];
	bool killed[SEATS];
	unsigned long ends[END_GONE + 1];
	unsigned long died;
	unsigned long operations, faults, wrong, lost_irqs, stuck;
} lives;

static struct board *board;
static struct chaos chaos;

/* ---- births and deaths ---- */

static void live(unsigned int n, long seed)
{
	int end;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	srandom(seed);
	end = n < VM_SEATS ? life_of_vm(&lives.life[n]) : life_of_process(&lives.life[n]);
	fflush(stdout);
	_exit(end);
}

static void begin(unsigned int n)
{
	struct seat *seat = &board->seat[n];
	long seed = random();

	memset(seat, 0, sizeof(*seat));
	lives.killed[n] = false;
	lives.life[n] = (struct life){
		.board = board,
		.seat = seat,
		.epoch = atomic_load(&board->epoch),
		.end_ms = now_ms() + 500 + pick(LIFE_MS),
	};
	fflush(stdout);
	lives.pid[n] = fork();
	if (lives.pid[n] < 0)
		lives.pid[n] = 0;
	else if (!lives.pid[n])
		live(n, seed);
}

static void count(unsigned int n, int status)
{
	struct seat *seat = &board->seat[n];
	bool gone = atomic_load(&board->epoch) != lives.life[n].epoch;
	bool died = lives.killed[n] && WIFSIGNALED(status);

	lives.died += died;
	lives.operations += atomic_load(&seat->operations);
	lives.faults += atomic_load(&seat->faults);
	if (gone) {
		lives.ends[END_GONE] += !died;
		return;
	}
	lives.wrong += atomic_load(&seat->wrong);
	lives.lost_irqs += atomic_load(&seat->lost_irqs);
	if (died)
		return;
	if (!WIFEXITED(status) || WEXITSTATUS(status) > END_GONE) {
		printf("# seat %u ended with status %#x\n", n, status);
		lives.wrong++;
		return;
	}
	lives.ends[WEXITSTATUS(status)]++;
	/* A register access that failed; a process may have found its slice taken */
	if (WEXITSTATUS(status) == END_WRONG && n < VM_SEATS && !atomic_load(&seat->wrong) &&
	    !atomic_load(&seat->lost_irqs))
		lives.wrong++;
}

/* True: nobody is there any more */
static bool reap(unsigned int n)
{
	int status;

	if (!lives.pid[n])
		return true;
	if (waitpid(lives.pid[n], &status, WNOHANG) != lives.pid[n])
		return false;
	lives.pid[n] = 0;
	count(n, status);
	if (*board->seat[n].uuid)
		mdev_remove(board->seat[n].uuid);
	return true;
}

static void end_all(void)
{
	long end = now_ms() + END_S * 1000;
	unsigned int n, left;

	do {
		for (n = left = 0; n < SEATS; n++)
			left += !reap(n);
		sleep_ms(20);
	} while (left && now_ms() < end);
	for (n = 0; left && n < SEATS; n++) {
		if (!lives.pid[n])
			continue;
		printf("# seat %u does not come to an end\n", n);
		lives.stuck++;
		lives.killed[n] = true;
		kill(lives.pid[n], SIGKILL);
	}
	for (n = 0; left && n < SEATS; n++) {
		while (!reap(n))
			sleep_ms(20);
	}
}

static void kill_one(void)
{
	unsigned int n = pick(SEATS);

	if (!lives.pid[n] || lives.killed[n])
		return;
	lives.killed[n] = true;
	kill(lives.pid[n], SIGKILL);
}

static int soak(unsigned int seconds)
{
	long end = now_ms() + seconds * 1000L;
	unsigned int n;
	int rc = 0;

	while (!rc && now_ms() < end) {
		for (n = 0; n < SEATS; n++) {
			if (reap(n) && !pick(4))
				begin(n);
		}
		chaos_act(board, &chaos);
		if (!pick(KILL_EVERY))
			kill_one();
		if (!pick(TAKE_EVERY))
			rc = chaos_take(board, &chaos, end_all);
		sleep_ms(TICK_MS);
	}
	atomic_store(&board->stop, true);
	end_all();
	return rc;
}

/* ---- accounts ---- */

static long long meminfo(const char *name)
{
	char line[128];
	long long kib = 0;
	size_t n = strlen(name);
	FILE *f = fopen("/proc/meminfo", "re");

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, name, n) && line[n] == ':')
			kib = atoll(line + n + 1);
	}
	if (f)
		fclose(f);
	return kib;
}

/* Memory of the host that is neither free nor can be */
static long long kept_kib(void)
{
	file_write("/proc/sys/vm/drop_caches", "3");
	sleep_ms(1000);
	return meminfo("MemTotal") - meminfo("MemFree") - meminfo("Buffers") - meminfo("Cached") -
	       meminfo("AnonPages") - meminfo("SReclaimable");
}

static long long missing(const char *file, long long before)
{
	long long now = gpu_value(file);

	return now < 0 ? before : before - now;
}

/* Files are closed by the kernel after their process has ended */
static void settle(const struct books *b)
{
	long end = now_ms() + SETTLE_MS;

	mdev_remove_all();
	while (now_ms() < end && (missing("vram_free", b->vram_free) || pins_held() > b->pins))
		sleep_ms(100);
}

static void report(const struct books *b, long long kib, int rc)
{
	long long pins = pins_held() - b->pins;

	figure("operations", lives.operations + chaos.recompositions + chaos.moves);
	figure("faults_injected", lives.faults + chaos.injected + lives.died + chaos.takes);
	figure("recompositions", chaos.recompositions);
	figure("recompositions_failed", chaos.injected);
	figure("moves", chaos.moves);
	figure("lives",
	       lives.ends[END_WELL] + lives.ends[END_WRONG] + lives.ends[END_GONE] + lives.died);
	figure("killed", lives.died);
	figure("gpu_taken_away", chaos.takes);
	figure("gpu_unplugged", chaos.unplugs);
	figure("wrong_results", lives.wrong + !!rc);
	figure("lost_interrupts", lives.lost_irqs);
	figure("stuck", lives.stuck);
	figure("leaked_bytes", missing("vram_free", b->vram_free));
	figure("leaked_pins", pins > 0 ? pins : 0);
	figure("leaked_slices", missing("slices_free", b->slices));
	figure("books_wrong", books_unclosed(b));
	figure("memory_growth_kib", kept_kib() - kib);
}

int main(int argc, char **argv)
{
	static struct books books;
	long long kib;
	int rc;

	if (argc != 3) {
		fprintf(stderr, "usage: soak SECONDS SEED\n");
		return 2;
	}
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (board == MAP_FAILED)
		return 1;
	srandom(atol(argv[2]));
	fresh_start();
	books_open(&books);
	rc = stream_jobs_make(&board->jobs, atol(argv[2]));
	kib = kept_kib();
	if (!rc)
		rc = soak(atol(argv[1]));
	if (rc)
		printf("# soak: %s\n", strerror(-rc));
	settle(&books);
	report(&books, kib, rc);
	return rc || lives.wrong || lives.lost_irqs || lives.stuck;
}
