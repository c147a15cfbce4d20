// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: bystanders
 *
 * A bystander has slices of its own and looks at memory only, so nothing that happens to
 * others is a reason for it to wait. That it goes on is judged by what it has done, not by
 * the time that it took.
 */

#include "bystander.h"

#define PATIENCE_MS 60000

int bystander_start(struct bystander *b)
{
	static const struct shape shape = {
		.slices = 2,
		.max = 2,
		.memory = STREAM_BANK,
		.kind = TESS_KIND_COMPUTE,
		.topology = TESS_TOPOLOGY_MESH,
	};
	int ret = stream_jobs_make(&b->jobs, now_ms());

	if (!ret)
		ret = tenant_open(&b->g, &shape);
	if (ret)
		return ret;
	ret = tenant_start(&b->g, &b->jobs, false);
	if (ret)
		tenant_close(&b->g);
	return ret;
}

unsigned long bystander_done(const struct bystander *b)
{
	unsigned long done = 0;
	unsigned int i;

	for (i = 0; i < b->g.n; i++)
		done += __atomic_load_n(&b->g.s[i].done, __ATOMIC_RELAXED);
	return done;
}

bool bystander_goes_on(const struct bystander *b, unsigned long more)
{
	unsigned long before = bystander_done(b);
	long end = now_ms() + PATIENCE_MS;

	while (bystander_done(b) - before < more) {
		if (now_ms() > end) {
			printf("# the bystander did %lu jobs of %lu\n", bystander_done(b) - before,
			       more);
			return false;
		}
		sleep_ms(5);
	}
	return true;
}

unsigned long bystander_end(struct bystander *b)
{
	unsigned long wrong = tenant_stop(&b->g) != 0;
	unsigned int i;

	for (i = 0; i < b->g.n; i++)
		wrong += b->g.s[i].mismatches + stream_lost(&b->g.s[i]);
	wrong += reg64(&b->g.c[0].v, TESS_REG_FAULT_PENDING) != 0;
	printf("# the bystander did %lu random jobs, %lu things were wrong\n", bystander_done(b),
	       wrong);
	tenant_close(&b->g);
	return wrong;
}
