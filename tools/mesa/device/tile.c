// SPDX-License-Identifier: MIT
/*
 * What the shader cores do with a scene of llvmpipe: 256 harts draw a tile of 64x64 pixels,
 * each of them a block of 4x4. Each hart goes through all commands of its tile in their order, so a
 * pixel is drawn by one hart alone, and harts need not wait for each other.
 *
 * The structs of llvmpipe are those of its lp_scene.h and lp_rast.h; lp_offload.c checks that
 * they are laid out as here.
 */
#include <tessera_device.h>

#include "lp_offload_abi.h"

#define HARTS 256u /* of a tile */

/* Commands of llvmpipe: enum lp_rast_op */
enum op {
	OP_CLEAR_COLOR = 0x00,
	OP_CLEAR_DEPTH = 0x01,
	OP_TRIANGLE_1 = 0x02,
	OP_TRIANGLE_8 = 0x09,
	OP_TRIANGLE_3_4 = 0x0a,
	OP_TRIANGLE_3_16 = 0x0b,
	OP_TRIANGLE_4_16 = 0x0c,
	OP_SHADE_TILE = 0x0d,
	OP_SHADE_TILE_OPAQUE = 0x0e,
	OP_BEGIN_QUERY = 0x0f,
	OP_END_QUERY = 0x10,
	OP_SET_STATE = 0x11,
	/* the same with edges of 32 bits, and with four samples */
	OP_TRIANGLE_32_1 = 0x12,
	OP_TRIANGLE_MS_1 = 0x1d,
	OP_TRIANGLE_MS_LAST = 0x27,
	OP_RECTANGLE = 0x28,
	OP_BLIT = 0x29,
};

struct cmd_arg {
	uint64_t value;
	uint64_t more;
};

struct cmd_block {
	uint8_t cmd[32];
	struct cmd_arg arg[29];
	uint32_t count;
	uint32_t pad;
	const struct cmd_block *next;
};

struct inputs {
	uint32_t flags;
	uint32_t stride;
	uint32_t pad[2];
	uint8_t values[];
};

#define INPUT_FRONT 0x1u
#define INPUT_DISABLED 0x2u
#define INPUT_VIEWPORT(flags) ((flags) >> 3 & 0xf)
#define INPUT_LAYER(flags) ((flags) >> 7 & 0x7ff)
#define INPUT_VIEW(flags) ((flags) >> 18)

struct plane {
	int64_t c;
	int32_t dcdx;
	int32_t dcdy;
	uint32_t eo;
	uint32_t pad;
};

struct thread_data {
	uint64_t cache;
	uint64_t visible;
	uint64_t invocations;
	uint32_t viewport;
	uint32_t view;
};

typedef void (*shader)(const void *context, const void *resources, uint32_t x, uint32_t y,
		       uint32_t front, const void *a0, const void *dadx, const void *dady,
		       uint8_t **color, uint8_t *depth, uint64_t mask, struct thread_data *data,
		       uint32_t *stride, uint32_t depth_stride, uint32_t *sample_stride,
		       uint32_t depth_sample_stride);

enum { WHOLE, EDGES };

/* The block of a hart */
struct block {
	const struct lp_offload_scene *scene;
	const uint8_t *state;
	uint32_t x, y;
	uint64_t all;
	uint8_t *color[LP_OFFLOAD_COLORS];
	uint8_t *depth;
	uint32_t stride[LP_OFFLOAD_COLORS];
	uint32_t sample_stride[LP_OFFLOAD_COLORS];
	struct thread_data data;
};

#define COUNTS_SAMPLES 2u /* up to here types of queries count samples: enum pipe_query_type */

static uint8_t *pixel(const struct lp_offload_surface *s, uint32_t x, uint32_t y)
{
	return s->map ? (uint8_t *)s->map + (uint64_t)y * s->stride + (uint64_t)x * s->bytes : 0;
}

static void move_to_layer(struct block *b, uint32_t from, uint32_t to)
{
	uint32_t i;

	for (i = 0; i < b->scene->num_colors; i++) {
		int64_t by = ((int64_t)to - from) * b->scene->color[i].layer_stride;

		b->color[i] = b->color[i] ? b->color[i] + by : 0;
	}
	if (b->depth)
		b->depth += ((int64_t)to - from) * b->scene->depth.layer_stride;
}

static __attribute__((noinline)) void shade(struct block *b, const struct inputs *in, uint64_t mask,
					    int which)
{
	const struct lp_offload_scene *scene = b->scene;
	uint32_t layer = INPUT_LAYER(in->flags) + INPUT_VIEW(in->flags);
	const uint64_t *entry = (const uint64_t *)(b->state + scene->off_entry);

	b->data.viewport = INPUT_VIEWPORT(in->flags);
	b->data.view = INPUT_VIEW(in->flags);
	if (layer)
		move_to_layer(b, 0, layer);
	((shader)entry[which])(b->state, b->state + scene->off_resources, b->x, b->y,
			       in->flags & INPUT_FRONT, in->values, in->values + in->stride,
			       in->values + 2 * (uint64_t)in->stride, b->color, b->depth, mask,
			       &b->data, b->stride, scene->depth.stride, b->sample_stride,
			       scene->depth.sample_stride);
	if (layer)
		move_to_layer(b, layer, 0);
}

/*
 * Pixels of the block in which an edge function is negative; c is its value in the first one. From the
 * last one on, so that each takes an addition and a shift with addition.
 */
static uint32_t outside(int64_t c, int64_t dx, int64_t dy)
{
	int64_t at = c + 3 * dx + 3 * dy;
	uint64_t out = 0;
	uint32_t x, y;

	for (y = 0; y < LP_OFFLOAD_BLOCK; y++, at += 4 * dx - dy)
		for (x = 0; x < LP_OFFLOAD_BLOCK; x++, at -= dx)
			out = 2 * out + ((uint64_t)at >> 63);
	return (uint32_t)out;
}

/*
 * Does the function have the same sign in all pixels? 1: positive, -1: negative, 0: both. Eo is what dx
 * and dy add up to where they are positive.
 */
static int sign_of_block(int64_t c, int64_t dx, int64_t dy, int64_t eo)
{
	if (c + 3 * eo < 0)
		return -1;
	return c + 3 * (dx + dy - eo) >= 0;
}

/* Pixels of the block that are inside of all edges in the mask */
static uint64_t cover(const struct block *b, const struct plane *planes, uint32_t edges)
{
	uint64_t mask = 0xffff;

	for (; edges && mask; edges &= edges - 1) {
		const struct plane *p = &planes[__builtin_ctz(edges)];
		int64_t dx = -(int64_t)p->dcdx, dy = p->dcdy;
		int64_t c = p->c + dy * b->y + dx * b->x - 1;
		int sign = sign_of_block(c, dx, dy, p->eo);

		if (sign < 0)
			return 0;
		if (!sign)
			mask &= ~(uint64_t)outside(c, dx, dy);
	}
	return mask;
}

/* The same for four samples of each pixel, 16 bits for each sample */
static uint64_t cover_samples(const struct block *b, const struct plane *planes, uint32_t edges)
{
	uint64_t mask = ~0ull;
	uint32_t s;

	for (; edges && mask; edges &= edges - 1) {
		const struct plane *p = &planes[__builtin_ctz(edges)];
		int64_t dx = -(int64_t)p->dcdx, dy = p->dcdy;
		int64_t c = p->c + dy * b->y + dx * b->x;

		for (s = 0; s < 4; s++) {
			const int32_t *pos = b->scene->sample_pos[s];
			int64_t at = c + ((pos[1] * dy + pos[0] * dx) >> 8) - 1;

			mask &= ~((uint64_t)outside(at, dx, dy) << (16 * s));
		}
	}
	return mask;
}

/* Commands name their edges by a mask, or are for all of three or four */
static uint32_t edges_of(uint32_t nth, uint64_t arg)
{
	if (nth <= OP_TRIANGLE_8 - OP_TRIANGLE_1)
		return (uint32_t)arg;
	return nth == OP_TRIANGLE_4_16 - OP_TRIANGLE_1 ? 0xf : 0x7;
}

static void triangle(struct block *b, uint32_t op, const struct cmd_arg *arg)
{
	const struct inputs *in = (const void *)(arg->value + b->scene->off_inputs);
	const struct plane *planes = (const void *)(in->values + 3 * (uint64_t)in->stride);
	uint64_t mask;

	if (in->flags & INPUT_DISABLED)
		return;
	if (op >= OP_TRIANGLE_MS_1)
		mask = cover_samples(b, planes, edges_of(op - OP_TRIANGLE_MS_1, arg->more));
	else if (op >= OP_TRIANGLE_32_1)
		mask = cover(b, planes, edges_of(op - OP_TRIANGLE_32_1, arg->more));
	else
		mask = cover(b, planes, edges_of(op - OP_TRIANGLE_1, arg->more));
	/* Without edges for each sample, a pixel has all of its samples or none */
	if (op < OP_TRIANGLE_MS_1)
		mask *= b->all & 0x0001000100010001ull;
	if (mask)
		shade(b, in, mask, mask == b->all ? WHOLE : EDGES);
}

static void rectangle(struct block *b, const struct cmd_arg *arg)
{
	const struct inputs *in = (const void *)(arg->value + b->scene->off_rect_inputs);
	const int32_t *box = (const void *)(arg->value + b->scene->off_rect_inputs - 16);
	uint64_t mask = 0;
	uint32_t i;

	if (in->flags & INPUT_DISABLED)
		return;
	/* x0, x1, y0, y1, all of them inside */
	for (i = 0; i < 16; i++) {
		int32_t x = (int32_t)(b->x + (i & 3)), y = (int32_t)(b->y + (i >> 2));

		if (x >= box[0] && x <= box[1] && y >= box[2] && y <= box[3])
			mask |= 1u << i;
	}
	mask *= b->all & 0x0001000100010001ull;
	if (mask)
		shade(b, in, mask, mask == b->all ? WHOLE : EDGES);
}

/* The whole block, of pixels of four bytes */
static void fill_words(const struct lp_offload_surface *s, uint8_t *to, uint32_t value)
{
	uint64_t two = (uint64_t)value << 32 | value;
	uint32_t y;

	for (y = 0; y < LP_OFFLOAD_BLOCK; y++, to += s->stride) {
		((uint64_t *)to)[0] = two;
		((uint64_t *)to)[1] = two;
	}
}

static void fill_color(const struct lp_offload_surface *s, uint8_t *to, const uint8_t *value)
{
	uint32_t x, y, i;

	if (s->bytes == 4) {
		fill_words(s, to, *(const uint32_t *)value);
		return;
	}
	for (y = 0; y < LP_OFFLOAD_BLOCK; y++) {
		for (x = 0; x < LP_OFFLOAD_BLOCK; x++) {
			uint8_t *p = to + (uint64_t)y * s->stride + x * s->bytes;

			for (i = 0; i < s->bytes; i++)
				p[i] = value[i];
		}
	}
}

static void clear_color(struct block *b, const uint8_t *value)
{
	uint32_t n = *(const uint32_t *)(value + 32), layer, sample;
	const struct lp_offload_surface *s = &b->scene->color[n];

	for (layer = 0; layer < s->layers; layer++)
		for (sample = 0; sample < s->samples; sample++)
			fill_color(s,
				   b->color[n] + (uint64_t)layer * s->layer_stride +
					   (uint64_t)sample * s->sample_stride,
				   value);
}

static void fill_depth(const struct lp_offload_surface *s, uint8_t *to, uint64_t value,
		       uint64_t mask)
{
	uint32_t x, y;

	if (s->bytes == 4 && !~(uint32_t)mask) {
		fill_words(s, to, (uint32_t)value);
		return;
	}
	for (y = 0; y < LP_OFFLOAD_BLOCK; y++) {
		for (x = 0; x < LP_OFFLOAD_BLOCK; x++) {
			uint8_t *p = to + (uint64_t)y * s->stride + x * s->bytes;

			if (s->bytes == 4)
				*(uint32_t *)p = (uint32_t)value |
						 (*(uint32_t *)p & ~(uint32_t)mask);
			else if (s->bytes == 8)
				*(uint64_t *)p = value | (*(uint64_t *)p & ~mask);
			else if (s->bytes == 2)
				*(uint16_t *)p = (uint16_t)(value | (*(uint16_t *)p & ~mask));
			else
				*p = (uint8_t)value;
		}
	}
}

static void clear_depth(struct block *b, uint64_t value, uint64_t mask)
{
	const struct lp_offload_surface *s = &b->scene->depth;
	uint32_t layer, sample;

	if (!b->depth)
		return;
	value &= mask;
	/* All ones in the 40 bits of depth and stencil are all there is */
	if (mask == 0xffffffffffull)
		mask = ~0ull;
	for (sample = 0; sample < s->samples; sample++)
		for (layer = 0; layer <= b->scene->max_layer; layer++)
			fill_depth(s,
				   b->depth + (uint64_t)layer * s->layer_stride +
					   (uint64_t)sample * s->sample_stride,
				   value, mask);
}

/* A query counts what comes between its two commands: what came before is taken off. */
static void count(const struct block *b, uint64_t query, int sign)
{
	uint32_t type = *(const uint32_t *)(query + b->scene->off_query_type);
	uint64_t value = type <= COUNTS_SAMPLES ? b->data.visible : b->data.invocations;

	if (value)
		tess_atomic_add_u64((uint64_t *)(query + b->scene->off_query_end),
				    sign < 0 ? -value : value);
}

static void command(struct block *b, uint32_t op, const struct cmd_arg *arg)
{
	const struct inputs *in = (const void *)arg->value;

	switch (op) {
	case OP_CLEAR_COLOR:
		clear_color(b, (const uint8_t *)arg->value);
		break;
	case OP_CLEAR_DEPTH:
		clear_depth(b, arg->value, arg->more);
		break;
	case OP_SHADE_TILE:
	case OP_SHADE_TILE_OPAQUE:
	case OP_BLIT:
		if (!(in->flags & INPUT_DISABLED))
			shade(b, in, b->all, WHOLE);
		break;
	case OP_BEGIN_QUERY:
		count(b, arg->value, -1);
		break;
	case OP_END_QUERY:
		count(b, arg->value, 1);
		break;
	case OP_SET_STATE:
		b->state = (const uint8_t *)arg->value;
		break;
	case OP_RECTANGLE:
		rectangle(b, arg);
		break;
	default:
		triangle(b, op, arg);
		break;
	}
}

static void enter(struct block *b, const struct lp_offload_scene *scene, uint32_t x, uint32_t y)
{
	uint32_t i;

	b->scene = scene;
	b->state = 0;
	b->x = x;
	b->y = y;
	b->all = scene->samples == 4 ? ~0ull : 0xffff;
	b->data = (struct thread_data){ 0 };
	for (i = 0; i < scene->num_colors; i++) {
		b->color[i] = pixel(&scene->color[i], x, y);
		b->stride[i] = scene->color[i].stride;
		b->sample_stride[i] = scene->color[i].sample_stride;
	}
	b->depth = pixel(&scene->depth, x, y);
}

/* Without the stack of fragment shaders */
TESS_KERNEL(tess_gl_tile, 0, 1024, TESS_UNIT_TEX)
void tess_gl_tile(const uint64_t *args)
{
	const struct lp_offload_scene *scene = (const struct lp_offload_scene *)args[0];
	/* A dispatch has a part of the scene's harts: args[1] is the first one */
	uint64_t hart = args[1] + tess_get_global_id(0);
	const struct lp_offload_tile *tile =
		(const struct lp_offload_tile *)scene->tiles + hart / HARTS;
	uint32_t id = (uint32_t)(hart % HARTS), i;
	/* Harts of a wave have blocks that are beside each other: 4x4 of them */
	uint32_t x = tile->x + ((id & 3) | (id >> 2 & 12)) * LP_OFFLOAD_BLOCK;
	uint32_t y = tile->y + ((id >> 2 & 3) | (id >> 4 & 12)) * LP_OFFLOAD_BLOCK;
	const struct cmd_block *cmds;
	struct block b;

	if (x >= scene->width || y >= scene->height)
		return;
	enter(&b, scene, x, y);
	for (cmds = (const struct cmd_block *)tile->head; cmds; cmds = cmds->next)
		for (i = 0; i < cmds->count; i++)
			command(&b, cmds->cmd[i], &cmds->arg[i]);
	for (i = 0; i < scene->num_queries; i++)
		count(&b, scene->query[i], 1);
}
