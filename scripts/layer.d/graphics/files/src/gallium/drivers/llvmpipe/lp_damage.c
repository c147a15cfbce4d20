// SPDX-License-Identifier: MIT
#include <limits.h>
#include <string.h>

#include "util/format/u_format.h"
#include "util/u_inlines.h"
#include "util/u_math.h"
#include "frontend/sw_winsys.h"
#include "frontend/winsys_handle.h"

#include "lp_context.h"
#include "lp_damage.h"
#include "lp_offload.h"
#include "lp_scene.h"
#include "lp_screen.h"
#include "lp_texture.h"

/* Both ends of a rectangle belong to it */
static const struct u_rect nothing = { INT_MAX, INT_MIN, INT_MAX, INT_MIN };

static bool is_shown(struct pipe_resource *resource)
{
	return resource && llvmpipe_resource_is_texture(resource) &&
	       llvmpipe_resource(resource)->dt;
}

static bool clears_picture(const struct cmd_block *block, unsigned i)
{
	return block->cmd[i] == LP_RAST_OP_CLEAR_COLOR && block->arg[i].clear_rb->cbuf == 0;
}

/* Has a tile more than the clear that the scene began with? */
static bool is_drawn(const struct cmd_bin *bin)
{
	unsigned clears = 0;

	for (const struct cmd_block *block = bin->head; block; block = block->next) {
		for (unsigned i = 0; i < block->count; i++) {
			switch (block->cmd[i]) {
			case LP_RAST_OP_CLEAR_COLOR:
				clears += clears_picture(block, i);
				break;
			case LP_RAST_OP_CLEAR_ZSTENCIL:
			case LP_RAST_OP_BEGIN_QUERY:
			case LP_RAST_OP_END_QUERY:
			case LP_RAST_OP_SET_STATE:
				break;
			default:
				return true;
			}
		}
	}
	return clears > 1;
}

static void add_tiles(struct lp_scene *scene, struct u_rect *drawn)
{
	for (unsigned y = 0; y < scene->tiles_y; y++) {
		for (unsigned x = 0; x < scene->tiles_x; x++) {
			const struct u_rect tile = { x * TILE_SIZE, (x + 1) * TILE_SIZE - 1,
						     y * TILE_SIZE, (y + 1) * TILE_SIZE - 1 };

			if (is_drawn(lp_scene_get_bin(scene, x, y)))
				u_rect_union(drawn, drawn, &tile);
		}
	}
}

void lp_damage_scene(struct llvmpipe_context *llvmpipe, struct lp_scene *scene)
{
	struct lp_damage_picture *now = &llvmpipe->damage.now;
	struct pipe_surface *surface = scene->fb.nr_cbufs ? scene->fb.cbufs[0] : NULL;

	for (unsigned i = 1; i < scene->fb.nr_cbufs; i++) {
		if (scene->fb.cbufs[i] && scene->fb.cbufs[i]->texture == now->resource)
			now->known = false;
	}
	if (!surface || !is_shown(surface->texture))
		return;
	if (surface->texture != now->resource) {
		pipe_resource_reference(&now->resource, surface->texture);
		now->known = false;
	}
	if (scene->cleared) {
		now->known = true;
		now->color = scene->clear_color;
		now->drawn = nothing;
	}
	if (now->known)
		add_tiles(scene, &now->drawn);
}

void lp_damage_write(struct llvmpipe_context *llvmpipe, struct pipe_resource *resource)
{
	if (resource == llvmpipe->damage.now.resource)
		llvmpipe->damage.now.known = false;
}

static bool are_alike(const struct lp_damage_picture *a, const struct lp_damage_picture *b)
{
	return a->resource && b->resource && a->known && b->known &&
	       a->resource->format == b->resource->format &&
	       a->resource->width0 == b->resource->width0 &&
	       a->resource->height0 == b->resource->height0 &&
	       !memcmp(&a->color, &b->color, util_format_get_blocksize(a->resource->format));
}

static bool get_handle(struct sw_winsys *winsys, struct pipe_resource *resource, uint32_t *handle)
{
	struct winsys_handle name = { .type = WINSYS_HANDLE_TYPE_KMS };

	if (!winsys->displaytarget_get_handle(winsys, llvmpipe_resource(resource)->dt, &name))
		return false;
	*handle = name.handle;
	return true;
}

static void tell(struct llvmpipe_screen *screen, const struct lp_damage_picture *now,
		 const struct lp_damage_picture *before)
{
	struct sw_winsys *winsys = screen->winsys;
	const struct u_rect all = { 0, now->resource->width0 - 1, 0, now->resource->height0 - 1 };
	struct lp_offload_damage damage = { 0 };
	struct u_rect differs = all;

	if (!winsys->get_fd || !get_handle(winsys, now->resource, &damage.handle))
		return;
	if (are_alike(now, before) && get_handle(winsys, before->resource, &damage.previous)) {
		u_rect_union(&differs, &now->drawn, &before->drawn);
		u_rect_find_intersection(&all, &differs);
	}
	if (differs.x0 <= differs.x1 && differs.y0 <= differs.y1) {
		damage.x = differs.x0;
		damage.y = differs.y0;
		damage.width = differs.x1 - differs.x0 + 1;
		damage.height = differs.y1 - differs.y0 + 1;
	}
	lp_offload_damage(screen->offload, winsys->get_fd(winsys), &damage);
}

void lp_damage_frame(struct llvmpipe_context *llvmpipe)
{
	struct lp_damage *damage = &llvmpipe->damage;
	struct llvmpipe_screen *screen = llvmpipe_screen(llvmpipe->pipe.screen);

	lp_offload_frame(screen->offload);
	if (!damage->now.resource)
		return;
	if (screen->offload)
		tell(screen, &damage->now, &damage->before);
	pipe_resource_reference(&damage->before.resource, NULL);
	damage->before = damage->now;
	damage->now.resource = NULL;
}

void lp_damage_end(struct llvmpipe_context *llvmpipe)
{
	pipe_resource_reference(&llvmpipe->damage.now.resource, NULL);
	pipe_resource_reference(&llvmpipe->damage.before.resource, NULL);
}
