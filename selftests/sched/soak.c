// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * soak record FILE SEED JOBS | check FILE SECONDS | endless SECONDS
 *
 * Random jobs through DRM, on the first slice there is: "record" notes what each leaves in
 * memory, "check" compares, over and over; in guests, while the host preempts and moves
 * their vGPUs. "endless" runs a kernel that does not end, again whenever it is stopped.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "job.h"
#include "tess_ctx.h"

#define INNER 30
#define JOBS_MAX 64

_Static_assert(JOB_BYTES <= TESS_DATA_BYTES, "the memory of a context is too small");

static uint64_t run(struct tess_ctx *ctx, const struct job *j)
{
	struct tess_pkt_dispatch *pkt;
	int rc;

	job_load(j, ctx->data);
	tess_begin(ctx);
	pkt = tess_packet(ctx, DRM_TESSERA_PKT_DISPATCH);
	*pkt = j->pkt;
	rc = tess_ctx_run(ctx);
	if (rc)
		tess_die("job %" PRIu64 ": %s", j->seed, strerror(-rc));
	return job_digest(ctx->data);
}

static int record(struct tess_ctx *ctx, const char *path, uint64_t seed, unsigned int jobs)
{
	FILE *f = fopen(path, "w");
	unsigned int i;

	if (!f)
		tess_die("%s: %s", path, strerror(errno));
	for (i = 0; i < jobs; i++) {
		struct job j;

		job_make(&j, seed + i, TESS_DATA_VA, INNER);
		fprintf(f, "%" PRIu64 " %016" PRIx64 "\n", j.seed, run(ctx, &j));
	}
	return fclose(f) ? 1 : 0;
}

static unsigned int load(const char *path, struct job *jobs, uint64_t *want)
{
	FILE *f = fopen(path, "r");
	unsigned int n = 0;
	uint64_t seed;

	if (!f)
		tess_die("%s: %s", path, strerror(errno));
	while (n < JOBS_MAX && fscanf(f, "%" SCNu64 " %" SCNx64, &seed, &want[n]) == 2)
		job_make(&jobs[n++], seed, TESS_DATA_VA, INNER);
	fclose(f);
	if (!n)
		tess_die("%s has no jobs", path);
	return n;
}

static int check(struct tess_ctx *ctx, const char *path, unsigned int seconds)
{
	static struct job jobs[JOBS_MAX];
	uint64_t want[JOBS_MAX], got;
	unsigned int n = load(path, jobs, want), done = 0, wrong = 0;
	time_t end = time(NULL) + seconds;

	/* Each at least once */
	for (; done < n || time(NULL) < end; done++) {
		got = run(ctx, &jobs[done % n]);
		if (got == want[done % n])
			continue;
		wrong++;
		printf("job %" PRIu64 ": %016" PRIx64 ", not %016" PRIx64 "\n", jobs[done % n].seed,
		       got, want[done % n]);
	}
	printf("soak: %u jobs, %u mismatches\n", done, wrong);
	return wrong != 0;
}

static int endless(struct tess_ctx *ctx, unsigned int seconds)
{
	time_t end = time(NULL) + seconds;
	unsigned int stopped = 0;

	while (time(NULL) < end) {
		tess_begin(ctx);
		tess_dispatch(ctx, TESS_K_LOOP, 8, 64, TESS_DATA_VA, 0);
		tess_ctx_submit(ctx);
		while (time(NULL) < end && __tess_syncobj_wait(ctx->fd, ctx->done, 0, 1000))
			;
		if (time(NULL) >= end)
			break;
		stopped++;
		tess_ctx_new_queue(ctx);
	}
	printf("soak: endless for %u s, stopped %u times\n", seconds, stopped);
	return 0;
}

int main(int argc, char **argv)
{
	struct tess_ctx ctx;
	int ret = 2;

	if (argc < 3) {
		fprintf(stderr, "usage: soak record FILE SEED JOBS | check FILE SECONDS | "
				"endless SECONDS\n");
		return 2;
	}
	tess_ctx_open(&ctx);
	if (!strcmp(argv[1], "record") && argc == 5)
		ret = record(&ctx, argv[2], strtoull(argv[3], NULL, 0), atoi(argv[4]));
	else if (!strcmp(argv[1], "check") && argc == 4)
		ret = check(&ctx, argv[2], atoi(argv[3]));
	else if (!strcmp(argv[1], "endless"))
		ret = endless(&ctx, atoi(argv[2]));
	tess_ctx_close(&ctx);
	return ret;
}
