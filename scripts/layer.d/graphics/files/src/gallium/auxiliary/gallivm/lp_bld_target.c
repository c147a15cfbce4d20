// SPDX-License-Identifier: MIT
#include "lp_bld_target.h"
#include "lp_bld_type.h"
#include "util/u_thread.h"

static thread_local bool is_neutral, has_texture_unit;

/* Those of a CPU without extensions; what is no extension is that of this one. */
static struct util_cpu_caps_t neutral_caps;
static once_flag neutral_once = ONCE_FLAG_INIT;

static void init_neutral_caps(void)
{
	const struct util_cpu_caps_t *host = util_get_cpu_caps();

	neutral_caps.nr_cpus = host->nr_cpus;
	neutral_caps.max_cpus = host->max_cpus;
	neutral_caps.cacheline = host->cacheline;
	neutral_caps.max_vector_bits = LP_NEUTRAL_VECTOR_WIDTH;
}

const struct util_cpu_caps_t *lp_build_cpu_caps(void)
{
	if (!is_neutral)
		return util_get_cpu_caps();
	call_once(&neutral_once, init_neutral_caps);
	return &neutral_caps;
}

unsigned lp_build_vector_width(void)
{
	return is_neutral ? LP_NEUTRAL_VECTOR_WIDTH : lp_native_vector_width;
}

bool lp_build_is_neutral(void)
{
	return is_neutral;
}

void lp_build_set_neutral(bool neutral, bool texture_unit)
{
	is_neutral = neutral;
	has_texture_unit = neutral && texture_unit;
}

bool lp_build_has_texture_unit(void)
{
	return has_texture_unit;
}
