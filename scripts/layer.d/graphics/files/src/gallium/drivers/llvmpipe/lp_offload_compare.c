// SPDX-License-Identifier: MIT
/* TESSERA_DEBUG=compare: a scene is drawn by the GPU, and again by the CPU. */
#include <stdlib.h>
#include <string.h>

#include "util/u_math.h"
#include "util/u_memory.h"

#include "lp_context.h"
#include "lp_offload_priv.h"
#include "lp_scene.h"
#include "lp_screen.h"
#include "lp_texture.h"

/* What the GPU drew, and what was there before */
struct lp_offload_shot {
	struct lp_scene_surface *surface[PIPE_MAX_COLOR_BUFS + 1];
	unsigned width[PIPE_MAX_COLOR_BUFS + 1];
	unsigned height[PIPE_MAX_COLOR_BUFS + 1];
	uint8_t *pixels[PIPE_MAX_COLOR_BUFS + 1];
	unsigned count;
};

static size_t surface_size(const struct lp_scene_surface *surface, unsigned height)
{
	const size_t layer = MAX2((size_t)surface->layer_stride, (size_t)surface->stride * height);

	return layer * MAX2(surface->layer_count, 1) +
	       (size_t)surface->sample_stride * (MAX2(surface->nr_samples, 1) - 1);
}

struct lp_offload_shot *lp_offload_take_shot(struct lp_scene *scene)
{
	struct lp_offload_shot *shot = CALLOC_STRUCT(lp_offload_shot);

	if (!shot)
		return NULL;
	for (unsigned i = 0; i <= scene->fb.nr_cbufs; i++) {
		const bool is_depth = i == scene->fb.nr_cbufs;
		struct lp_scene_surface *surface = is_depth ? &scene->zsbuf : &scene->cbufs[i];

		if ((is_depth && !scene->fb.zsbuf) || !surface->map)
			continue;
		shot->surface[shot->count] = surface;
		shot->width[shot->count] = scene->fb.width;
		shot->height[shot->count] = align(scene->fb.height, LP_RASTER_BLOCK_SIZE);
		shot->pixels[shot->count] =
			malloc(surface_size(surface, shot->height[shot->count]));
		if (shot->pixels[shot->count])
			memcpy(shot->pixels[shot->count], surface->map,
			       surface_size(surface, shot->height[shot->count]));
		shot->count++;
	}
	return shot;
}

/* What the GPU drew is kept, and what was there before is there again. */
void lp_offload_exchange_shot(struct lp_offload_shot *shot)
{
	for (unsigned i = 0; i < shot->count; i++) {
		const size_t size = surface_size(shot->surface[i], shot->height[i]);
		uint8_t *map = shot->surface[i]->map;

		for (size_t at = 0; shot->pixels[i] && at < size; at++) {
			const uint8_t drawn = map[at];

			map[at] = shot->pixels[i][at];
			shot->pixels[i][at] = drawn;
		}
	}
}

static uint64_t count_differing(const struct lp_offload_shot *shot, unsigned i, uint64_t *all)
{
	const struct lp_scene_surface *s = shot->surface[i];
	uint64_t differ = 0;

	for (unsigned layer = 0; layer < MAX2(s->layer_count, 1); layer++) {
		for (unsigned sample = 0; sample < MAX2(s->nr_samples, 1); sample++) {
			for (unsigned y = 0; y < shot->height[i]; y++) {
				size_t at = (size_t)layer * s->layer_stride +
					    (size_t)sample * s->sample_stride +
					    (size_t)y * s->stride;

				for (unsigned x = 0; x < shot->width[i]; x++, at += s->format_bytes)
					differ += memcmp(s->map + at, shot->pixels[i] + at,
							 s->format_bytes) != 0;
				*all += shot->width[i];
			}
		}
	}
	return differ;
}

void lp_offload_compare(struct lp_scene *scene)
{
	struct lp_offload_shot *shot = scene->shot;
	struct lp_offload *offload;

	if (!shot)
		return;
	offload = llvmpipe_screen(scene->pipe->screen)->offload;
	for (unsigned i = 0; i < shot->count; i++) {
		if (shot->pixels[i])
			offload->stats.differ += count_differing(shot, i, &offload->stats.pixels);
		free(shot->pixels[i]);
	}
	FREE(shot);
	scene->shot = NULL;
}
