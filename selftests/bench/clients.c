// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	clients completions COUNT BATCH	COUNT completions over 4 clients, up to BATCH of
 *					them with one interrupt
 *	clients storm MS REPEATS	latencies of 3 clients while a 4th is calm or not,
 *					in turns of MS
 *	clients resident MAX	MAX clients; then, for each line "N COUNT" of standard
 *				input, COUNT interrupts while N of them have a record
 *	clients shared MAX	the same, but eight share a slice: most of them are parked
 *
 * The first two print a line of JSON. Exits 0 if everything could be done; what came of it is for
 * the caller to judge.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

#define GUESTS 4
#define ACTIVE 4
#define ATTACKER (GUESTS - 1)
#define READY_SECONDS 120

static const char *const phase_names[PHASES] = { "calm", "event", "garbage", "unmap" };
static char uuids[CLIENTS_MAX][37];
static pid_t pids[CLIENTS_MAX];

static void die(const char *what, int ret)
{
	fprintf(stderr, "clients: %s: %s\n", what, strerror(-ret));
	exit(1);
}

/* Each has a slice of its own, or eight have one in turns */
static void make_vgpus(unsigned int n, bool shared)
{
	static const char *const exclusive[] = { "C1", "R1", "M1" };
	static const char *const turns[] = { "C1S", "R1S", "M1S" };
	const char *const *types = shared ? turns : exclusive;
	unsigned int i, t = 0;

	mdev_remove_all();
	for (i = 0; i < n; i++) {
		while (t < 3 && mdev_available(types[t]) < 1)
			t++;
		if (t == 3)
			die("vGPUs", -ENOSPC);
		if (mdev_create(types[t], uuids[i]))
			die("create", -EIO);
	}
}

static struct shared *share(unsigned int n)
{
	struct shared *s = mmap(NULL, sizeof(*s) + n * sizeof(s->tally[0]), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (s == MAP_FAILED)
		die("mmap", -errno);
	return s;
}

/* A process for each client, which runs @run once all are there */
static void spawn(struct shared *s, unsigned int n, unsigned int attacker,
		  void (*run)(struct client *c, unsigned long arg), unsigned long arg)
{
	int64_t end = now_ns() + READY_SECONDS * 1000000000ll;
	struct client c = { .s = s };

	fflush(stdout);
	for (c.index = 0; c.index < n; c.index++) {
		pids[c.index] = fork();
		if (pids[c.index])
			continue;
		c.t = &s->tally[c.index];
		if (c.index == attacker)
			attacker_open(&c, uuids[c.index]);
		else
			client_open(&c, uuids[c.index]);
		atomic_store(&c.t->ready, true);
		while (!atomic_load(&s->go))
			usleep(1000);
		if (c.index == attacker)
			attacker_run(&c);
		else
			run(&c, arg);
		vgpu_close(&c.v);
		_exit(0);
	}
	for (unsigned int i = 0; i < n; i++) {
		while (!atomic_load(&s->tally[i].ready)) {
			if (now_ns() > end || waitpid(pids[i], NULL, WNOHANG))
				die("a client does not start", -ETIME);
			usleep(1000);
		}
	}
	atomic_store(&s->go, true);
}

/* All clients ended; true if each ended well */
static bool join(struct shared *s, unsigned int n)
{
	bool good = true;
	int status;

	for (unsigned int i = 0; i < n; i++) {
		waitpid(pids[i], &status, 0);
		good &= !status && !s->tally[i].failed;
		if (s->tally[i].failed)
			fprintf(stderr, "client %u: %s\n", i, strerror(s->tally[i].failed));
	}
	mdev_remove_all();
	return good;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Quantiles of what the first @n clients measured in a phase, ns */
static void print_latency(struct shared *s, unsigned int n, enum phase phase, const char *name)
{
	static uint32_t all[CLIENTS_MAX * SAMPLES];
	unsigned int count = 0;

	for (unsigned int i = 0; i < n; i++) {
		struct tally *t = &s->tally[i];
		unsigned int have = t->samples[phase] < SAMPLES ? t->samples[phase] : SAMPLES;

		memcpy(all + count, t->ns[phase], have * sizeof(*all));
		count += have;
	}
	qsort(all, count, sizeof(*all), compare);
	printf(", \"%s\": {\"samples\": %u, \"p50\": %u, \"p90\": %u, \"p99\": %u, \"max\": %u}",
	       name, count, count ? all[count / 2] : 0, count ? all[count * 9ul / 10] : 0,
	       count ? all[count * 99ul / 100] : 0, count ? all[count - 1] : 0);
}

static void print_tallies(struct shared *s, unsigned int n)
{
	struct tally sum = { 0 };

	for (unsigned int i = 0; i < n; i++) {
		struct tally *t = &s->tally[i];

		sum.completions += t->completions;
		sum.interrupts += t->interrupts;
		sum.lost += t->lost;
		sum.misrouted += t->misrouted + t->foreign;
		sum.attacks += t->attacks;
		sum.faults += t->faults;
	}
	printf("{\"completions\": %llu, \"interrupts\": %llu, \"lost\": %llu, "
	       "\"misrouted\": %llu, \"attacks\": %llu, \"faults\": %llu",
	       (unsigned long long)sum.completions, (unsigned long long)sum.interrupts,
	       (unsigned long long)sum.lost, (unsigned long long)sum.misrouted,
	       (unsigned long long)sum.attacks, (unsigned long long)sum.faults);
}

static unsigned int batch_max;

static void run_count(struct client *c, unsigned long count)
{
	while (c->t->completions < count) {
		if (!client_round(c, 1 + client_random(c) % batch_max))
			return;
	}
}

static int cmd_completions(unsigned long count, unsigned long batch)
{
	struct shared *s = share(GUESTS);
	int64_t start;
	bool good;

	batch_max = batch;
	make_vgpus(GUESTS, false);
	spawn(s, GUESTS, GUESTS, run_count, (count + GUESTS - 1) / GUESTS);
	start = now_ns();
	good = join(s, GUESTS);
	print_tallies(s, GUESTS);
	printf(", \"ns\": %lld", (long long)(now_ns() - start));
	print_latency(s, GUESTS, PHASE_CALM, "latency");
	printf("}\n");
	return !good;
}

static void run_until_stop(struct client *c, unsigned long arg)
{
	while (!atomic_load(&c->s->stop)) {
		if (!client_round(c, 1))
			return;
	}
}

static int cmd_storm(unsigned long ms, unsigned long repeats)
{
	struct shared *s = share(GUESTS);
	bool good;

	make_vgpus(GUESTS, false);
	spawn(s, GUESTS, ATTACKER, run_until_stop, 0);
	for (unsigned long i = 0; i < repeats; i++) {
		for (int phase = PHASE_EVENT; phase < PHASES; phase++) {
			atomic_store(&s->phase, PHASE_CALM);
			usleep(ms * 1000);
			atomic_store(&s->phase, phase);
			usleep(ms * 1000);
		}
	}
	atomic_store(&s->stop, true);
	good = join(s, GUESTS);
	print_tallies(s, GUESTS);
	for (int phase = 0; phase < PHASES; phase++)
		print_latency(s, GUESTS, phase, phase_names[phase]);
	printf("}\n");
	return !good;
}

/* Only the records of the first @n clients are looked at; the others are as if not there */
static void set_resident(struct client *c, unsigned int from, unsigned int n)
{
	for (unsigned int i = from; i < n; i++) {
		struct vgpu *v = &c[i].v;

		client_reg32_write(v, 0, TESS_SREG_CONTROL, 0);
		client_reg64_write(v, 0, TESS_SREG_COMPLETION, RECORD_GPA(0));
		client_reg32_write(v, 0, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
	}
	for (unsigned int i = n; i < from; i++) {
		struct vgpu *v = &c[i].v;

		client_reg32_write(v, 0, TESS_SREG_CONTROL, 0);
		client_reg64_write(v, 0, TESS_SREG_COMPLETION, 0);
	}
}

/* The first four take turns, so that it is not always the first slice */
static bool rounds(struct client *c, unsigned int n, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		if (!client_round(&c[i % (n < ACTIVE ? n : ACTIVE)], 1))
			return false;
	}
	return true;
}

static int cmd_resident(unsigned long max, bool shared)
{
	static struct client c[CLIENTS_MAX];
	unsigned int n, count, resident = max;
	struct shared *s = share(max);
	char line[64];

	make_vgpus(max, shared);
	for (unsigned int i = 0; i < max; i++) {
		c[i].index = i;
		c[i].s = s;
		c[i].t = &s->tally[i];
		client_open(&c[i], uuids[i]);
	}
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%u %u", &n, &count) != 2 || !n || n > max)
			return 2;
		set_resident(c, resident, n);
		resident = n;
		if (!rounds(c, n, count))
			die("no interrupt", -ETIME);
		printf("done\n");
		fflush(stdout);
	}
	for (unsigned int i = 0; i < max; i++)
		vgpu_close(&c[i].v);
	mdev_remove_all();
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long a = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long b = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;

	if (a && b && !strcmp(argv[1], "completions") && b <= BATCH_MAX)
		return cmd_completions(a, b);
	if (a && b && !strcmp(argv[1], "storm"))
		return cmd_storm(a, b);
	if (a && !strcmp(argv[1], "resident") && a <= CLIENTS_MAX)
		return cmd_resident(a, false);
	if (a && !strcmp(argv[1], "shared") && a <= CLIENTS_MAX)
		return cmd_resident(a, true);
	fprintf(stderr, "usage: clients completions COUNT BATCH | storm MS REPEATS |"
			" resident MAX\n");
	return 2;
}
