/* SPDX-License-Identifier: MIT */
/*
 * What of a picture that a screen may show differs from the picture before it, at most: tiles with
 * more than a clear, of both, if both are cleared to one color. Whoever shows them is told.
 */
#ifndef LP_DAMAGE_H
#define LP_DAMAGE_H

#include <stdbool.h>

#include "util/u_pack_color.h"
#include "util/u_rect.h"

struct llvmpipe_context;
struct lp_scene;
struct pipe_resource;

/**
 * struct lp_damage_picture - a picture
 *
 * @resource: display target, or NULL; a reference
 * @known: outside of @drawn it has one color, since its beginning
 * @color: as it is in memory
 * @drawn: pixels; both ends belong to it
 */
struct lp_damage_picture {
	struct pipe_resource *resource;
	bool known;
	union util_color color;
	struct u_rect drawn;
};

/**
 * struct lp_damage - pictures of a context
 *
 * @now: that is drawn
 * @before: that was complete before it
 */
struct lp_damage {
	struct lp_damage_picture now;
	struct lp_damage_picture before;
};

/** All commands of a scene are there. */
void lp_damage_scene(struct llvmpipe_context *llvmpipe, struct lp_scene *scene);

/** The CPU writes to a texture. */
void lp_damage_write(struct llvmpipe_context *llvmpipe, struct pipe_resource *resource);

/** A picture is complete. */
void lp_damage_frame(struct llvmpipe_context *llvmpipe);

/** The context goes. */
void lp_damage_end(struct llvmpipe_context *llvmpipe);

#endif
