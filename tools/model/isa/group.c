// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: work-groups
 *
 * Registers are kept by row for 16 harts at a time, as execution wants them;
 * isa_hart_get() and isa_hart_set() convert one hart from and to the form of
 * the context image.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"
#include "sched.h"

size_t isa_group_size(unsigned int nr_harts)
{
	size_t waves = (nr_harts + ISA_LANES - 1) / ISA_LANES;

	return sizeof(struct isa_group) + waves * sizeof(struct isa_wave);
}

/* 0 if there are none or too many. */
static unsigned int count_harts(const uint32_t size[3])
{
	uint64_t n = 1;
	unsigned int dim;

	for (dim = 0; dim < 3; dim++) {
		if (!size[dim] || size[dim] > ISA_MAX_HARTS)
			return 0;
		n *= size[dim];
	}
	return n <= ISA_MAX_HARTS ? (unsigned int)n : 0;
}

int isa_group_init(struct isa_group *g, const struct isa_dispatch *d, void *local)
{
	unsigned int n = count_harts(d->group_size);
	unsigned int hart;

	if (!n || d->local_bytes > ISA_LOCAL_MAX)
		return -EINVAL;
	memset(g, 0, isa_group_size(n));
	g->d = *d;
	g->local = local;
	g->nr_harts = n;
	g->nr_waves = (n + ISA_LANES - 1) / ISA_LANES;
	g->sched.quantum = ISA_QUANTUM;
	for (hart = 0; hart < n; hart++) {
		struct isa_wave *w = &g->waves[hart / ISA_LANES];
		unsigned int l = hart % ISA_LANES;
		uint64_t top =
			d->private_base + (uint64_t)hart * d->private_stride + d->private_bytes;

		w->pc[l] = d->entry;
		w->x[1][l] = ISA_EXIT_ADDR;
		w->x[2][l] = top & ~15ull;
		w->x[10][l] = d->kernarg;
		w->running |= (uint16_t)(1u << l);
	}
	return 0;
}

int isa_hart_get(const struct isa_group *g, unsigned int index, struct isa_hart *hart)
{
	const struct isa_wave *w = &g->waves[index / ISA_LANES];
	unsigned int l = index % ISA_LANES;
	unsigned int r;

	if (index >= g->nr_harts)
		return -EINVAL;
	hart->pc = w->pc[l];
	for (r = 0; r < 32; r++) {
		hart->x[r] = w->x[r][l];
		hart->f[r] = w->f[r][l];
	}
	hart->fcsr = w->fcsr[l];
	if (w->running >> l & 1)
		hart->state = ISA_HART_RUNNING;
	else if (w->barrier >> l & 1)
		hart->state = ISA_HART_AT_BARRIER;
	else
		hart->state = ISA_HART_DONE;
	return 0;
}

int isa_hart_set(struct isa_group *g, unsigned int index, const struct isa_hart *hart)
{
	struct isa_wave *w = &g->waves[index / ISA_LANES];
	unsigned int l = index % ISA_LANES;
	uint16_t bit = (uint16_t)(1u << l);
	unsigned int r;

	if (index >= g->nr_harts || hart->state > ISA_HART_DONE)
		return -EINVAL;
	w->pc[l] = hart->pc;
	for (r = 1; r < 32; r++)
		w->x[r][l] = hart->x[r];
	for (r = 0; r < 32; r++)
		w->f[r][l] = hart->f[r];
	w->fcsr[l] = (uint8_t)hart->fcsr;
	w->running &= (uint16_t)~bit;
	w->barrier &= (uint16_t)~bit;
	w->resv_valid &= (uint16_t)~bit;
	if (hart->state == ISA_HART_RUNNING)
		w->running |= bit;
	else if (hart->state == ISA_HART_AT_BARRIER)
		w->barrier |= bit;
	return 0;
}
