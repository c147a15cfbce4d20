// SPDX-License-Identifier: MIT
/**
 * DOC: scenes of any size
 *
 * The driver stops a dispatch that runs for too long, and while one runs, its slices do nothing
 * else. A scene is a row of harts, 256 for each tile, which need nothing of each other, so it can be
 * cut anywhere. A hart goes through all commands of its tile: their number says how much work
 * it has, and the dispatches before tell how many cycles that takes. The first one of a scene is
 * smaller, as its shaders may be others than those before, and if one of them is new it is a probe.
 */
#include "pace.h"

/* Cycles that a dispatch should take: 4 % of what it may (hang_ms of tessera_drm) */
#define TARGET 10000000u
/* Before anything is known: what a core needs to find that a triangle is elsewhere */
#define FIRST_RATE (32u << 10)
#define FIRST_TILES 16u
#define PROBE_TILES 1u
/* The next dispatch is at most that many times as large as the largest one before */
#define GROWTH 16u

/* What llvmpipe has of its struct cmd_block (lp_offload_scene.c checks it), as in device/tile.c */
struct cmd_block {
	uint8_t commands[496];
	uint32_t count;
	uint32_t pad;
	const struct cmd_block *next;
};

static uint64_t commands_of(const struct tess_gl_pace *pace, uint64_t tile)
{
	const struct lp_offload_tile *tiles = (const void *)(uintptr_t)pace->scene->tiles;
	const struct cmd_block *block = (const void *)(uintptr_t)tiles[tile].head;
	uint64_t count = 1;

	for (; block; block = block->next)
		count += block->count;
	return count;
}

void tess_gl_pace_begin(struct tess_gl_pace *pace, const struct lp_offload_scene *scene,
			uint64_t rate)
{
	*pace = (struct tess_gl_pace){
		.scene = scene,
		.first = (rate ? FIRST_TILES : PROBE_TILES) * TESS_GL_HARTS,
		.rate = rate ? rate : FIRST_RATE,
	};
}

static uint64_t allowed_work(const struct tess_gl_pace *pace)
{
	uint64_t by_rate = ((uint64_t)TARGET << 10) / pace->rate;
	uint64_t by_growth = GROWTH * pace->most;

	return pace->most && by_growth < by_rate ? by_growth : by_rate;
}

uint32_t tess_gl_pace_next(struct tess_gl_pace *pace)
{
	uint64_t end = (uint64_t)pace->scene->num_tiles * TESS_GL_HARTS, at = pace->next;
	uint64_t allowed = allowed_work(pace);

	if (!pace->most && end > pace->first)
		end = pace->first;
	pace->work = 0;
	while (at < end) {
		uint64_t commands = commands_of(pace, at / TESS_GL_HARTS);
		uint64_t harts = TESS_GL_HARTS - at % TESS_GL_HARTS;
		uint64_t fit = (allowed - pace->work) / commands / TESS_GL_WAVE * TESS_GL_WAVE;

		/* A wave is the least that is drawn at a time */
		if (!fit && at == pace->next)
			fit = TESS_GL_WAVE;
		if (fit < harts)
			harts = fit;
		at += harts;
		pace->work += harts * commands;
		if (at % TESS_GL_HARTS || !harts || pace->work >= allowed)
			break;
	}
	pace->harts = (uint32_t)(at - pace->next);
	pace->next = at;
	return pace->harts;
}

uint32_t tess_gl_pace_group(const struct tess_gl_pace *pace)
{
	/* Few harts with much to do: all slices shall have some of them */
	return pace->harts < FIRST_TILES * TESS_GL_HARTS &&
			       pace->harts < pace->scene->num_tiles * TESS_GL_HARTS ?
		       TESS_GL_WAVE :
		       TESS_GL_HARTS;
}

void tess_gl_pace_took(struct tess_gl_pace *pace, uint64_t cycles)
{
	uint64_t rate = (cycles << 10) / pace->work;

	/* What comes next may be like what was before it */
	if (rate < pace->rate / 2)
		rate = pace->rate / 2;
	pace->rate = rate ? rate : 1;
	if (pace->work > pace->most)
		pace->most = pace->work;
}
