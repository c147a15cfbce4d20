/* SPDX-License-Identifier: MIT */
/* What the files of lp_offload share. */
#ifndef LP_OFFLOAD_PRIV_H
#define LP_OFFLOAD_PRIV_H

#include "util/list.h"
#include "util/simple_mtx.h"

#include "lp_offload.h"

/* Reasons that are counted apart */
#define REASONS 16

enum {
	DEBUG_OFFLOAD_STATS = 1 << 0,
	DEBUG_OFFLOAD_COMPARE = 1 << 1,
	DEBUG_OFFLOAD_CPU = 1 << 2,
	DEBUG_OFFLOAD_NO_UNITS = 1 << 3,
};

struct lp_offload {
	struct list_head link;
	const struct lp_offload_ops *ops;
	void *gpu;
	void *module;
	unsigned debug;
	bool lost;
	/* Shaders sample textures by units */
	bool samples;
	char id[96];

	simple_mtx_t mutex;
	struct list_head chunks;
	struct list_head shares;
	uint8_t *dummy;

	struct {
		uint64_t gpu_scenes;
		uint64_t cpu_scenes;
		uint64_t compiled;
		uint64_t cached;
		uint64_t pixels;
		uint64_t differ;
		struct lp_offload_cost cost;
		struct {
			char text[120];
			uint64_t count;
		} why[REASONS];
	} stats;
};

/** Is the memory some that the GPU reaches? */
bool lp_offload_reaches(struct lp_offload *offload, const void *memory);

/** What the scene draws to is kept as it is. */
struct lp_offload_shot *lp_offload_take_shot(struct lp_scene *scene);

/** What was drawn is kept, and what was there before is there again. */
void lp_offload_exchange_shot(struct lp_offload_shot *shot);

#endif
