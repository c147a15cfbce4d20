/* SPDX-License-Identifier: MIT */
/* How much of a scene one dispatch draws. */
#ifndef TESS_GL_PACE_H
#define TESS_GL_PACE_H

#include <stdint.h>

#include <lp_offload.h>

/* Harts that draw a tile, and those of them that are neighbours and go together */
#define TESS_GL_HARTS 256u
#define TESS_GL_WAVE 16u

/**
 * struct tess_gl_pace - where the dispatches of a scene are
 * @scene: the scene
 * @first: harts that the first one has at most
 * @next: first hart of the next dispatch, counted over all tiles
 * @harts: harts that this dispatch has
 * @work: commands that they go through
 * @most: the largest @work so far
 * @rate: cycles for 1024 commands
 */
struct tess_gl_pace {
	const struct lp_offload_scene *scene;
	uint32_t first;
	uint32_t harts;
	uint64_t next;
	uint64_t work;
	uint64_t most;
	uint64_t rate;
};

/**
 * tess_gl_pace_begin() - before the first dispatch
 * @pace: out
 * @scene: the scene
 * @rate: that of an earlier scene with the same shaders, or 0
 */
void tess_gl_pace_begin(struct tess_gl_pace *pace, const struct lp_offload_scene *scene,
			uint64_t rate);

/** tess_gl_pace_next() - choose @harts of the next dispatch; 0: the scene is drawn */
uint32_t tess_gl_pace_next(struct tess_gl_pace *pace);

/** tess_gl_pace_group() - the work-group to use for them */
uint32_t tess_gl_pace_group(const struct tess_gl_pace *pace);

/** tess_gl_pace_took() - the dispatch is complete, and took that many cycles */
void tess_gl_pace_took(struct tess_gl_pace *pace, uint64_t cycles);

#endif
