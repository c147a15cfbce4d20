// SPDX-License-Identifier: MIT
/* Scenes: which ones the GPU can draw, and what it is given. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "util/u_math.h"

#include "lp_context.h"
#include "lp_offload_priv.h"
#include "lp_query.h"
#include "lp_rast.h"
#include "lp_scene.h"
#include "lp_screen.h"
#include "lp_state_fs.h"
#include "lp_texture.h"

/* What a look at a scene found */
struct look {
	struct lp_offload *offload;
	uint32_t stack;
	const char *why;
};

static bool look_at_resource(struct pipe_resource *resource, void *data)
{
	struct llvmpipe_resource *lpr = llvmpipe_resource(resource);
	struct look *look = data;
	const void *memory = llvmpipe_resource_is_texture(resource) ? lpr->tex_data : lpr->data;

	if (lpr->base.flags & PIPE_RESOURCE_FLAG_SPARSE)
		look->why = "a resource is sparse";
	else if (memory && !lp_offload_reaches(look->offload, memory))
		look->why = "a resource is in memory that the GPU does not reach";
	return !look->why;
}

static bool look_at_variant(struct lp_fragment_shader_variant *variant, void *data)
{
	struct look *look = data;

	/* A scene that only clears has none */
	if (!variant)
		return true;
	if (!variant->offload_entry[RAST_EDGE_TEST])
		look->why = variant->offload_error;
	look->stack = MAX2(look->stack, variant->offload_stack);
	return !look->why;
}

static bool is_counted(const struct llvmpipe_query *query)
{
	switch (query->type) {
	case PIPE_QUERY_OCCLUSION_COUNTER:
	case PIPE_QUERY_OCCLUSION_PREDICATE:
	case PIPE_QUERY_OCCLUSION_PREDICATE_CONSERVATIVE:
	case PIPE_QUERY_PIPELINE_STATISTICS:
		return true;
	default:
		return false;
	}
}

/* Queries are in all bins. */
static bool queries_are_counted(const struct lp_scene *scene)
{
	const struct cmd_bin *bin = &scene->tiles[0];

	for (unsigned i = 0; i < scene->num_active_queries; i++) {
		if (!is_counted(scene->active_queries[i]))
			return false;
	}
	for (const struct cmd_block *block = bin->head; block; block = block->next) {
		for (unsigned i = 0; i < block->count; i++) {
			if ((block->cmd[i] == LP_RAST_OP_BEGIN_QUERY ||
			     block->cmd[i] == LP_RAST_OP_END_QUERY) &&
			    !is_counted(block->arg[i].query_obj))
				return false;
		}
	}
	return true;
}

static void describe_surface(struct lp_offload_surface *to, const struct lp_scene_surface *from)
{
	to->map = (uintptr_t)from->map;
	to->stride = from->stride;
	to->bytes = from->format_bytes;
	to->sample_stride = from->sample_stride;
	to->samples = from->nr_samples;
	to->layer_stride = from->layer_stride;
	to->layers = from->layer_count;
}

static unsigned list_tiles(const struct lp_scene *scene, struct lp_offload_tile *tiles)
{
	unsigned count = 0;

	for (unsigned y = 0; y < scene->tiles_y; y++) {
		for (unsigned x = 0; x < scene->tiles_x; x++) {
			const struct cmd_bin *bin = &scene->tiles[y * scene->tiles_x + x];

			if (!bin->head)
				continue;
			tiles[count++] = (struct lp_offload_tile){ (uintptr_t)bin->head,
								   x * TILE_SIZE, y * TILE_SIZE };
		}
	}
	return count;
}

/* The program on the GPU has structs of its own for these: those of lp_offload_abi.h are not all */
static_assert(TILE_SIZE == LP_OFFLOAD_TILE, "");
static_assert(PIPE_MAX_COLOR_BUFS == LP_OFFLOAD_COLORS, "");
static_assert(LP_MAX_ACTIVE_BINNED_QUERIES == LP_OFFLOAD_QUERIES, "");
static_assert(CMD_BLOCK_MAX == 29 && sizeof(union lp_rast_cmd_arg) == 16, "");
static_assert(offsetof(struct cmd_block, arg) == 32, "");
static_assert(offsetof(struct cmd_block, count) == 496, "");
static_assert(offsetof(struct cmd_block, next) == 504, "");
static_assert(sizeof(struct lp_rast_shader_inputs) == 16, "");
static_assert(sizeof(struct lp_rast_plane) == 24, "");
static_assert(sizeof(struct lp_jit_thread_data) == 32, "");
static_assert(offsetof(struct lp_rast_clear_rb, cbuf) == sizeof(union util_color), "");

static void describe_scene(struct lp_scene *scene, struct lp_offload_scene *to,
			   struct lp_offload_tile *tiles)
{
	memset(to, 0, sizeof *to);
	to->tiles = (uintptr_t)tiles;
	to->num_tiles = list_tiles(scene, tiles);
	to->width = scene->fb.width;
	to->height = scene->fb.height;
	to->num_colors = scene->fb.nr_cbufs;
	to->num_queries = scene->num_active_queries;
	to->max_layer = scene->fb_max_layer;
	to->samples = scene->fb_max_samples;
	to->off_resources = offsetof(struct lp_rast_state, jit_resources);
	to->off_entry = offsetof(struct lp_rast_state, offload_entry);
	to->off_inputs = offsetof(struct lp_rast_triangle, inputs);
	to->off_rect_inputs = offsetof(struct lp_rast_rectangle, inputs);
	to->off_query_end = offsetof(struct llvmpipe_query, end);
	to->off_query_type = offsetof(struct llvmpipe_query, type);
	memcpy(to->sample_pos, scene->fixed_sample_pos, sizeof to->sample_pos);
	for (unsigned i = 0; i < scene->fb.nr_cbufs; i++)
		describe_surface(&to->color[i], &scene->cbufs[i]);
	if (scene->fb.zsbuf)
		describe_surface(&to->depth, &scene->zsbuf);
	for (unsigned i = 0; i < scene->num_active_queries; i++)
		to->query[i] = (uintptr_t)scene->active_queries[i];
}

static const char *surfaces_are_reached(struct lp_offload *offload, const struct lp_scene *scene)
{
	for (unsigned i = 0; i < scene->fb.nr_cbufs; i++) {
		if (scene->cbufs[i].map && !lp_offload_reaches(offload, scene->cbufs[i].map))
			return "it draws to memory that the GPU does not reach";
	}
	if (scene->fb.zsbuf && !lp_offload_reaches(offload, scene->zsbuf.map))
		return "its depth is in memory that the GPU does not reach";
	return NULL;
}

/* Why the CPU has to draw a scene, or NULL */
static const char *look_at_scene(struct lp_offload *offload, const struct lp_scene *scene,
				 uint32_t *stack)
{
	struct look look = { .offload = offload };
	const char *why;

	if (offload->lost)
		return "the GPU failed before";
	if (offload->debug & DEBUG_OFFLOAD_CPU)
		return "TESSERA_DEBUG=cpu";
	why = surfaces_are_reached(offload, scene);
	if (why)
		return why;
	if (!queries_are_counted(scene))
		return "a query asks for the CPU's time";
	if (lp_scene_each_variant(scene, look_at_variant, &look))
		lp_scene_each_resource(scene, look_at_resource, &look);
	*stack = look.stack;
	return look.why;
}

static void count_reason(struct lp_offload *offload, const char *why)
{
	unsigned i;

	for (i = 0; i < REASONS - 1; i++) {
		if (!offload->stats.why[i].count)
			snprintf(offload->stats.why[i].text, sizeof offload->stats.why[i].text,
				 "%s", why);
		if (!strcmp(offload->stats.why[i].text, why))
			break;
	}
	offload->stats.why[i].count++;
}

static const char *draw(struct lp_offload *offload, struct lp_scene *scene, uint32_t stack)
{
	const size_t tiles = scene->tiles_x * scene->tiles_y * sizeof(struct lp_offload_tile);
	struct lp_offload_scene *to;
	struct lp_offload_cost cost = { 0 };
	const char *why = NULL;
	bool lost = false;

	to = lp_offload_alloc(offload, sizeof *to + tiles, 64);
	if (!to)
		return "there is no memory";
	describe_scene(scene, to, (struct lp_offload_tile *)(to + 1));
	if (to->num_tiles)
		why = offload->ops->draw(offload->gpu, to, stack, &cost, &lost);
	lp_offload_free(offload, to);
	if (lost) {
		fprintf(stderr, "tessera: %s; the CPU draws from now on\n", why);
		offload->lost = true;
	}
	offload->stats.cost.cycles += cost.cycles;
	offload->stats.cost.instructions += cost.instructions;
	return why;
}

void lp_offload_draw(struct lp_offload *offload, struct lp_scene *scene)
{
	const char *why;
	uint32_t stack;

	scene->offloaded = false;
	scene->shot = NULL;
	/* Without a framebuffer there are no tiles */
	if (!offload || !scene->tiles_x || !scene->tiles_y)
		return;
	why = look_at_scene(offload, scene, &stack);
	if (!why && (offload->debug & DEBUG_OFFLOAD_COMPARE))
		scene->shot = lp_offload_take_shot(scene);
	if (!why)
		why = draw(offload, scene, stack);
	if (why) {
		count_reason(offload, why);
		offload->stats.cpu_scenes++;
		return;
	}
	offload->stats.gpu_scenes++;
	if (scene->shot)
		lp_offload_exchange_shot(scene->shot);
	else
		scene->offloaded = true;
}
