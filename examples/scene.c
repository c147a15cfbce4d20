// SPDX-License-Identifier: MIT
/*
 * A scene as two PNGs: drawn with textures, light, depth and something to see through, and traced
 * with shadows and a mirror. Slices of the kinds render and mixed have units for that, others
 * compute what these do: the pictures are the same to the last bit, and that is what is checked.
 */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "scene.h"

EXAMPLE_KERNELS(scene);

#define MAX_SIZE 4096
#define MAX_TRIANGLES 64
#define MAX_OBJECTS 8
#define TEXTURE_SIZE 64
#define TEXTURE_LEVELS 7
#define TEXTURE_BYTES 0x8000 /* more than all levels of one have */

static uint64_t width = 320;
static uint64_t height = 240;
static const char *output = "drawn.png";
static const char *traced = "traced.png";

static const struct option_def options[] = {
	{ "width", "pixels (default: 320)", &width, NULL },
	{ "height", "pixels (default: 240)", &height, NULL },
	{ "output", "picture that is drawn (default: drawn.png)", NULL, &output },
	{ "traced", "picture that is traced (default: traced.png)", NULL, &traced },
	{ 0 },
};

/**
 * struct corner - of a triangle
 * @at: place; the eye is at the origin and looks along z
 * @u: texture coordinate
 * @v: texture coordinate
 */
struct corner {
	float at[3];
	float u;
	float v;
};

/**
 * struct scene - what there is
 * @corner: of each triangle
 * @texture: of each triangle
 * @first: triangle of each object
 * @triangles: number
 * @objects: number
 */
struct scene {
	struct corner corner[MAX_TRIANGLES][3];
	uint32_t texture[MAX_TRIANGLES];
	uint32_t first[MAX_OBJECTS + 1];
	uint32_t triangles;
	uint32_t objects;
};

/* In memory of the GPU */
struct parts {
	struct tess_texture textures[SCENE_TEXTURES];
	struct tess_target solid;
	struct tess_target glass;
	struct tess_box boxes[MAX_OBJECTS];
	struct tess_triangle triangles[MAX_TRIANGLES];
	struct scene_plane planes[MAX_TRIANGLES];
};

enum { BRICKS, TILES, LEAVES };

/* 3/5 and 4/5: a length of 1 without a rounded root */
static const float sun[3] = { -0.48f, 0.8f, -0.36f };
static const float eye[3] = { 0, 1.5f, -5 };

/* ---- the scene ---- */

static void add_triangle(struct scene *s, const struct corner *a, const struct corner *b,
			 const struct corner *c, uint32_t texture)
{
	s->corner[s->triangles][0] = *a;
	s->corner[s->triangles][1] = *b;
	s->corner[s->triangles][2] = *c;
	s->texture[s->triangles++] = texture;
}

/* From @at along @right and @up */
static void add_quad(struct scene *s, const float *at, const float *right, const float *up,
		     float repeat, uint32_t texture)
{
	struct corner c[4];

	for (unsigned int n = 0; n < 4; n++) {
		c[n].u = n & 1 ? repeat : 0;
		c[n].v = n & 2 ? 0 : repeat;
		for (unsigned int k = 0; k < 3; k++)
			c[n].at[k] = at[k] + (n & 1 ? right[k] : 0) + (n & 2 ? up[k] : 0) - eye[k];
	}
	add_triangle(s, &c[0], &c[1], &c[2], texture);
	add_triangle(s, &c[2], &c[1], &c[3], texture);
}

/* All triangles since the last call are an object. */
static void end_object(struct scene *s)
{
	s->first[++s->objects] = s->triangles;
}

static void add_block(struct scene *s, const float *at, float size, uint32_t texture)
{
	/* Turned by the angle of a triangle of 3, 4 and 5 */
	const float x[3] = { 0.8f * size, 0, 0.6f * size }, y[3] = { 0, size, 0 };
	const float z[3] = { -0.6f * size, 0, 0.8f * size };
	float far[3];

	for (unsigned int k = 0; k < 3; k++)
		far[k] = at[k] + x[k] + y[k] + z[k];
	add_quad(s, at, x, y, 1, texture);
	add_quad(s, at, z, y, 1, texture);
	add_quad(s, at, x, z, 1, texture);
	add_quad(s, far, (const float[]){ -x[0], -x[1], -x[2] },
		 (const float[]){ -y[0], -y[1], -y[2] }, 1, texture);
	add_quad(s, far, (const float[]){ -z[0], -z[1], -z[2] },
		 (const float[]){ -y[0], -y[1], -y[2] }, 1, texture);
	add_quad(s, far, (const float[]){ -x[0], -x[1], -x[2] },
		 (const float[]){ -z[0], -z[1], -z[2] }, 1, texture);
	end_object(s);
}

static void add_pyramid(struct scene *s, const float *at, float size, uint32_t texture)
{
	struct corner c[5] = {
		{ { 0, 0, 0 }, 0, 1 },
		{ { size, 0, 0 }, 1, 1 },
		{ { size, 0, size }, 0, 1 },
		{ { 0, 0, size }, 1, 1 },
		{ { 0.5f * size, size, 0.5f * size }, 0.5f, 0 },
	};

	for (unsigned int n = 0; n < 5; n++)
		for (unsigned int k = 0; k < 3; k++)
			c[n].at[k] += at[k] - eye[k];
	for (unsigned int n = 0; n < 4; n++)
		add_triangle(s, &c[n], &c[(n + 1) % 4], &c[4], texture);
	end_object(s);
}

static void make_scene(struct scene *s)
{
	memset(s, 0, sizeof(*s));
	add_quad(s, (const float[]){ -8, 0, -4 }, (const float[]){ 16, 0, 0 },
		 (const float[]){ 0, 0, 20 }, 8, TILES | SCENE_MIRROR);
	end_object(s);
	add_block(s, (const float[]){ -1.6f, 0, 1 }, 1.5f, BRICKS);
	add_block(s, (const float[]){ 2.5f, 0, 4 }, 2, BRICKS);
	add_block(s, (const float[]){ -1.2f, 1.5f, 1.6f }, 0.6f, LEAVES);
	add_pyramid(s, (const float[]){ 0.6f, 0, -0.5f }, 1.2f, LEAVES);
}

/* ---- textures ---- */

static uint32_t texel_of(uint32_t texture, uint32_t x, uint32_t y)
{
	uint32_t noise = ((x * 73 + y * 151) ^ (x * y * 31)) % 40;
	uint32_t shift = y / 16 % 2 * 16;

	if (texture == TILES)
		return (x / 32 + y / 32) % 2 ? 0xc8c8c8 + noise * 0x010101 :
					       0x303848 + noise * 0x010101;
	if (texture == LEAVES)
		return 0x208020 + noise * 0x020301 + ((x ^ y) % 16 < 3 ? 0x402010 : 0);
	return y % 16 < 2 || (x + shift) % 32 < 2 ? 0xb0b0a8 : 0x3048a0 + noise * 0x010102;
}

static uint32_t mean(const uint32_t *texel, uint32_t size, uint32_t x, uint32_t y)
{
	uint32_t out = 0;

	for (unsigned int k = 0; k < 32; k += 8) {
		uint32_t sum = 2;

		for (unsigned int n = 0; n < 4; n++)
			sum += texel[(2 * y + n / 2) * size + 2 * x + n % 2] >> k & 255;
		out |= sum / 4 << k;
	}
	return out;
}

static void make_texture(struct tess_texture *t, uint32_t which, uint8_t *mem, uint64_t va)
{
	uint32_t *texel = (uint32_t *)(void *)mem, size = TEXTURE_SIZE;

	*t = (struct tess_texture){
		.address = va,
		.format = TESS_TEX_RGBA8,
		.filter = TESS_TEX_LINEAR,
		.width = TEXTURE_SIZE,
		.height = TEXTURE_SIZE,
		.levels = TEXTURE_LEVELS,
		.pitch = 4 * TEXTURE_SIZE,
	};
	for (uint32_t n = 0; n < size * size; n++)
		texel[n] = 0xff000000 | texel_of(which, n % size, n / size);
	for (; size > 1; size /= 2) {
		uint32_t half = size / 2, *next = texel + size * size;
		uint32_t row = (half + 1) & ~1u; /* multiples of 8 bytes */

		for (uint32_t n = 0; n < half * half; n++)
			next[n / half * row + n % half] = mean(texel, size, n % half, n / half);
		texel = next;
	}
}

/* ---- for drawing ---- */

static void cross(const float *a, const float *b, float *out)
{
	for (unsigned int k = 0; k < 3; k++)
		out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static float dot(const float *a, const float *b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Newton's method: each host rounds it alike */
static float root(float v)
{
	float r = v > 1 ? v : 1;

	for (unsigned int k = 0; k < 40; k++)
		r = 0.5f * (r + v / r);
	return r;
}

static float light_of(const struct corner *c)
{
	float a[3], b[3], n[3], slope;

	for (unsigned int k = 0; k < 3; k++) {
		a[k] = c[1].at[k] - c[0].at[k];
		b[k] = c[2].at[k] - c[0].at[k];
	}
	cross(a, b, n);
	slope = dot(n, sun) / root(dot(n, n));
	if (dot(n, c[0].at) > 0)
		slope = -slope;
	return 0.25f + (slope > 0 ? 0.75f * slope : 0);
}

/* Corner @k counts 1 at itself and 0 on the line through the two others. */
static void make_edge(const float (*p)[2], unsigned int k, float *edge)
{
	const float *a = p[(k + 1) % 3], *b = p[(k + 2) % 3];
	float dx = b[0] - a[0], dy = b[1] - a[1];
	float at_corner = dx * (p[k][1] - a[1]) - dy * (p[k][0] - a[0]);

	edge[0] = -dy / at_corner;
	edge[1] = dx / at_corner;
	edge[2] = (dy * a[0] - dx * a[1]) / at_corner;
}

static int32_t least(const float (*p)[2], unsigned int axis)
{
	float v = p[0][axis];

	v = p[1][axis] < v ? p[1][axis] : v;
	v = p[2][axis] < v ? p[2][axis] : v;
	return v < 0 ? 0 : v > MAX_SIZE ? MAX_SIZE : (int32_t)v;
}

static int32_t greatest(const float (*p)[2], unsigned int axis)
{
	float v = p[0][axis];

	v = p[1][axis] > v ? p[1][axis] : v;
	v = p[2][axis] > v ? p[2][axis] : v;
	return v < 0 ? 0 : v > MAX_SIZE ? MAX_SIZE : (int32_t)v + 1;
}

static void make_plane(struct scene_plane *out, const struct corner *c, uint32_t texture,
		       float focus)
{
	float p[3][2];

	memset(out, 0, sizeof(*out));
	for (unsigned int k = 0; k < 3; k++) {
		out->depth[k] = 1 / c[k].at[2];
		out->u[k] = c[k].u * out->depth[k];
		out->v[k] = c[k].v * out->depth[k];
		p[k][0] = 0.5f * (float)width + focus * c[k].at[0] * out->depth[k];
		p[k][1] = 0.5f * (float)height - focus * c[k].at[1] * out->depth[k];
	}
	for (unsigned int k = 0; k < 3; k++)
		make_edge((const float(*)[2])p, k, out->edge[k]);
	out->left = least((const float(*)[2])p, 0);
	out->top = least((const float(*)[2])p, 1);
	out->right = greatest((const float(*)[2])p, 0);
	out->bottom = greatest((const float(*)[2])p, 1);
	out->light = light_of(c);
	out->alpha = 1;
	out->texture = texture & 0xff;
}

/* All triangles, then a pane of glass */
static uint32_t make_planes(struct parts *parts, const struct scene *s, float focus)
{
	struct scene pane = { 0 };
	uint32_t n;

	for (n = 0; n < s->triangles; n++)
		make_plane(&parts->planes[n], s->corner[n], s->texture[n], focus);
	add_quad(&pane, (const float[]){ -0.4f, 0.3f, -1.5f }, (const float[]){ 1.4f, 0, 0.3f },
		 (const float[]){ 0, 1.6f, 0 }, 1, TILES);
	for (unsigned int k = 0; k < 2; k++) {
		make_plane(&parts->planes[n], pane.corner[k], TILES, focus);
		parts->planes[n++].alpha = 0.4f;
	}
	return n;
}

/* ---- for tracing ---- */

static void make_triangle(struct tess_triangle *out, const struct corner *c, uint32_t texture)
{
	memset(out, 0, sizeof(*out));
	for (unsigned int k = 0; k < 3; k++) {
		memcpy(out->corner[k], c[k].at, sizeof(c[k].at));
		out->corner[k][3] = c[k].u;
		memcpy(&out->tag[k], &c[k].v, sizeof(c[k].v));
	}
	out->tag[3] = texture;
}

static void make_box(struct tess_box *box, const struct scene *s, uint32_t object)
{
	const struct corner *first = s->corner[s->first[object]];

	*box = (struct tess_box){
		.tag0 = s->first[object],
		.tag1 = s->first[object + 1] - s->first[object],
	};
	memcpy(box->low, first->at, sizeof(box->low));
	memcpy(box->high, first->at, sizeof(box->high));
	for (uint32_t n = 0; n < 3 * box->tag1; n++)
		for (unsigned int k = 0; k < 3; k++) {
			float v = first[n].at[k];

			box->low[k] = v < box->low[k] ? v : box->low[k];
			box->high[k] = v > box->high[k] ? v : box->high[k];
		}
}

/* ---- pictures ---- */

static void make_targets(struct parts *parts, uint64_t va)
{
	parts->solid = (struct tess_target){
		.color = va,
		.depth = va + 4 * width * height,
		.width = (uint32_t)width,
		.height = (uint32_t)height,
		.color_pitch = 4 * (uint32_t)width,
		.depth_pitch = 4 * (uint32_t)width,
		.format = TESS_ROP_RGBA8,
		.depth_func = TESS_DEPTH_LESS,
		.write = TESS_WRITE_COLOR | TESS_WRITE_DEPTH,
		.src_factor = TESS_FACTOR_ONE,
	};
	parts->glass = parts->solid;
	parts->glass.write = TESS_WRITE_COLOR;
	parts->glass.src_factor = TESS_FACTOR_SRC_ALPHA;
	parts->glass.dst_factor = TESS_FACTOR_INV_SRC_ALPHA;
}

/* Sky, and nothing nearer than infinity */
static void clear(uint32_t *pixels)
{
	const float far = 1;

	for (uint64_t n = 0; n < width * height; n++) {
		pixels[n] = 0xffe8b890;
		memcpy(&pixels[width * height + n], &far, sizeof(far));
	}
}

static void render(struct example *ex, const char *kernel, const struct scene_args *args,
		   uint32_t step, uint32_t *pixels)
{
	clear(pixels);
	example_run(ex,
		    &(struct tess_dispatch){
			    .kernel = example_kernel(ex, kernel),
			    .grid = { (args->width + step - 1) / step,
				      (args->height + step - 1) / step },
			    .group = { 8, 4 },
			    .args = args,
			    .args_size = sizeof(*args),
		    },
		    NULL);
}

static void write_png(struct example *ex, const char *name, const uint32_t *pixels)
{
	png_image image = {
		.version = PNG_IMAGE_VERSION,
		.width = (png_uint_32)width,
		.height = (png_uint_32)height,
		.format = PNG_FORMAT_RGBA,
	};

	if (!png_image_write_to_file(&image, name, 0, pixels, 0, NULL))
		example_die(ex, 1, "cannot write %s: %s", name, image.message);
}

/* FNV-1a: pictures of other GPUs can be compared by it */
static uint32_t checksum(const uint32_t *pixels)
{
	const uint8_t *bytes = (const uint8_t *)pixels;
	uint32_t sum = 2166136261u;

	for (uint64_t n = 0; n < 4 * width * height; n++)
		sum = (sum ^ bytes[n]) * 16777619u;
	return sum;
}

/* With units where they are, then without: how many pixels differ? */
static unsigned long picture(struct example *ex, const char *kernel, const char *plain,
			     const struct scene_args *args, uint32_t step, uint32_t *pixels,
			     const char *name)
{
	uint64_t n = width * height;
	unsigned long mismatches = 0;
	uint32_t *first;

	render(ex, kernel, args, step, pixels);
	write_png(ex, name, pixels);
	example_extra(ex, "\"%s\": \"%08x\"", kernel, checksum(pixels));
	if (!ex->json)
		printf("scene: wrote %s (%llux%llu, %08x)\n", name, (unsigned long long)width,
		       (unsigned long long)height, checksum(pixels));
	if (!ex->verify)
		return 0;
	first = malloc(8 * n);
	if (!first)
		example_die(ex, 1, "out of memory");
	memcpy(first, pixels, 8 * n);
	render(ex, plain, args, step, pixels);
	for (uint64_t k = 0; k < 2 * n; k++)
		mismatches += first[k] != pixels[k];
	free(first);
	return mismatches;
}

int main(int argc, char **argv)
{
	struct example ex = {
		.name = "scene",
		.summary = "Draws and traces a scene, with units of the slices and without.",
		.operands = "",
		.options = options,
		.elf = scene_elf,
		.elf_end = scene_elf_end,
	};
	struct tess_buffer *parts_buf, *texels_buf, *pixels_buf;
	unsigned long mismatches;
	struct scene_args args;
	struct parts *parts;
	struct scene s;
	uint32_t *pixels;
	uint8_t *texels;

	example_start(&ex, argc, argv);
	if (!width || !height || width > MAX_SIZE || height > MAX_SIZE)
		example_die(&ex, 2, "width and height are 1 to %u", MAX_SIZE);
	parts = example_buffer(&ex, sizeof(*parts), TESS_BUFFER_SYSTEM, &parts_buf);
	texels = example_buffer(&ex, SCENE_TEXTURES * TEXTURE_BYTES, TESS_BUFFER_VRAM, &texels_buf);
	pixels = example_buffer(&ex, 8 * width * height, TESS_BUFFER_VRAM, &pixels_buf);

	make_scene(&s);
	memset(&args, 0, sizeof(args));
	args.width = (uint32_t)width;
	args.height = (uint32_t)height;
	args.focus = 0.9f * (float)width;
	memcpy(args.sun, sun, sizeof(sun));
	for (uint32_t n = 0; n < SCENE_TEXTURES; n++)
		make_texture(&parts->textures[n], n, texels + n * TEXTURE_BYTES,
			     tess_buffer_va(texels_buf) + n * TEXTURE_BYTES);
	make_targets(parts, tess_buffer_va(pixels_buf));
	args.nr_planes = make_planes(parts, &s, args.focus);
	args.nr_boxes = s.objects;
	for (uint32_t n = 0; n < s.objects; n++)
		make_box(&parts->boxes[n], &s, n);
	for (uint32_t n = 0; n < s.triangles; n++)
		make_triangle(&parts->triangles[n], s.corner[n], s.texture[n]);
	args.textures = tess_buffer_va(parts_buf) + offsetof(struct parts, textures);
	args.solid = tess_buffer_va(parts_buf) + offsetof(struct parts, solid);
	args.glass = tess_buffer_va(parts_buf) + offsetof(struct parts, glass);
	args.planes = tess_buffer_va(parts_buf) + offsetof(struct parts, planes);
	args.boxes = tess_buffer_va(parts_buf) + offsetof(struct parts, boxes);
	args.triangles = tess_buffer_va(parts_buf) + offsetof(struct parts, triangles);

	mismatches = picture(&ex, "draw", "draw_plain", &args, 4, pixels, output);
	mismatches += picture(&ex, "trace", "trace_plain", &args, 1, pixels, traced);
	return example_finish(&ex, mismatches, false);
}
