// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement of vGPUs that share slices.
 *
 * DOC: Placement of shared vGPUs
 *
 * A pure function, as in place.c. vGPUs that share slices go where the sum of weights is
 * least: to free slices first, then to those where they get most. The slices of one vGPU
 * differ. How many fit follows from placing them one after the other.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <tessera/blueprint.h>

#include "place.h"

static bool place_can_share(const struct tess_place_shared *place, u32 kind, unsigned int i)
{
	return (place->open & BIT_ULL(i)) && place->members[i] < TESS_SHARE_MAX &&
	       (kind == TESS_KIND_NONE || place->kind[i] == kind);
}

static bool place_is_emptier(const struct tess_place_shared *place, unsigned int a, unsigned int b)
{
	if (place->load[a] != place->load[b])
		return place->load[a] < place->load[b];
	return place->members[a] < place->members[b];
}

/* The slice with the least load that is not in @taken; @place->count if there is none */
static unsigned int place_emptiest(const struct tess_place_shared *place, u32 kind, u64 taken)
{
	unsigned int i, best = place->count;

	for (i = 0; i < place->count; i++)
		if (!(taken & BIT_ULL(i)) && place_can_share(place, kind, i) &&
		    (best == place->count || place_is_emptier(place, i, best)))
			best = i;
	return best;
}

/**
 * tess_place_share() - choose slices to be shared
 * @place: what there is; who is placed is added if there is room
 * @kind: enum tess_slice_kind of all of them; TESS_KIND_NONE: any
 * @n: how many, at least 1
 * @weight: of the one that is placed
 * @chosen: result: @n slice numbers, ascending
 *
 * Return: 0 or -ENOSPC.
 */
int tess_place_share(struct tess_place_shared *place, u32 kind, unsigned int n, u32 weight,
		     u8 *chosen)
{
	unsigned int i, k;
	u64 taken = 0;

	for (k = 0; k < n; k++) {
		i = place_emptiest(place, kind, taken);
		if (i == place->count)
			return -ENOSPC;
		taken |= BIT_ULL(i);
	}
	for (i = 0, k = 0; i < place->count; i++) {
		if (!(taken & BIT_ULL(i)))
			continue;
		chosen[k++] = i;
		place->members[i]++;
		place->load[i] += weight;
	}
	return 0;
}

/**
 * tess_place_share_count() - how often can slices be chosen?
 * @place: what there is; it is used up
 * @kind: as in tess_place_share()
 * @n: as in tess_place_share()
 * @weight: as in tess_place_share()
 *
 * Return: the number.
 */
unsigned int tess_place_share_count(struct tess_place_shared *place, u32 kind, unsigned int n,
				    u32 weight)
{
	u8 chosen[TESS_MAX_SLICES];
	unsigned int count = 0;

	while (!tess_place_share(place, kind, n, weight, chosen))
		count++;
	return count;
}
