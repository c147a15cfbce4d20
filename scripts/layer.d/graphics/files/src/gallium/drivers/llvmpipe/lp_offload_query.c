// SPDX-License-Identifier: MIT
/* What is counted of scenes, for Gallium's HUD and GL_AMD_performance_monitor. */
#include "pipe/p_screen.h"
#include "pipe/p_state.h"
#include "util/macros.h"

#include "lp_offload_priv.h"
#include "lp_query.h"
#include "lp_screen.h"

enum { GPU_SCENES, CPU_SCENES, GPU_INSTRUCTIONS, GPU_CYCLES, COUNTERS };

static const char *const names[COUNTERS] = {
	[GPU_SCENES] = "gpu-scenes",
	[CPU_SCENES] = "cpu-scenes",
	[GPU_INSTRUCTIONS] = "gpu-instructions",
	[GPU_CYCLES] = "gpu-cycles",
};

int lp_offload_query_info(struct pipe_screen *screen, unsigned index,
			  struct pipe_driver_query_info *info)
{
	(void)screen;
	if (!info)
		return COUNTERS;
	if (index >= COUNTERS)
		return 0;
	*info = (struct pipe_driver_query_info){
		.name = names[index],
		.query_type = PIPE_QUERY_DRIVER_SPECIFIC + index,
		.type = PIPE_DRIVER_QUERY_TYPE_UINT64,
		.result_type = PIPE_DRIVER_QUERY_RESULT_TYPE_CUMULATIVE,
	};
	return 1;
}

int lp_offload_query_group_info(struct pipe_screen *screen, unsigned index,
				struct pipe_driver_query_group_info *info)
{
	(void)screen;
	if (!info)
		return 1;
	if (index)
		return 0;
	*info = (struct pipe_driver_query_group_info){
		.name = "Tessera",
		.max_active_queries = COUNTERS,
		.num_queries = COUNTERS,
	};
	return 1;
}

static uint64_t count_so_far(struct lp_offload *offload, unsigned counter)
{
	uint64_t count;

	simple_mtx_lock(&offload->mutex);
	count = counter == GPU_SCENES	    ? offload->stats.gpu_scenes :
		counter == CPU_SCENES	    ? offload->stats.cpu_scenes :
		counter == GPU_INSTRUCTIONS ? offload->stats.cost.instructions :
					      offload->stats.cost.cycles;
	simple_mtx_unlock(&offload->mutex);
	return count;
}

bool lp_offload_is_counter(const struct llvmpipe_query *query)
{
	return query->type >= PIPE_QUERY_DRIVER_SPECIFIC;
}

void lp_offload_begin_counter(struct lp_offload *offload, struct llvmpipe_query *query)
{
	query->start[0] = count_so_far(offload, query->type - PIPE_QUERY_DRIVER_SPECIFIC);
}

void lp_offload_end_counter(struct lp_offload *offload, struct llvmpipe_query *query)
{
	query->end[0] =
		count_so_far(offload, query->type - PIPE_QUERY_DRIVER_SPECIFIC) - query->start[0];
}
