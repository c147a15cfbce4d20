/* SPDX-License-Identifier: MIT */
#ifndef SCENE_H
#define SCENE_H

#include "gpu_ptr.h"
#include "tessera_units.h"

#define SCENE_TEXTURES 3

/**
 * struct scene_plane - a triangle on the screen
 * @edge: weight of each corner at (x, y): edge[0] * x + edge[1] * y + edge[2]; inside if none is
 *	negative
 * @depth: 1 / distance at each corner. It, and what follows, is linear on the screen
 * @u: texture coordinate * @depth
 * @v: the same
 * @left: first column
 * @top: first row
 * @right: behind the last column
 * @bottom: behind the last row
 * @light: of the surface
 * @alpha: 1: nothing shines through
 * @texture: index
 */
struct scene_plane {
	float edge[3][3];
	float depth[3];
	float u[3];
	float v[3];
	int32_t left;
	int32_t top;
	int32_t right;
	int32_t bottom;
	float light;
	float alpha;
	uint32_t texture;
};

/**
 * struct scene_args - of all kernels
 * @textures: SCENE_TEXTURES of them
 * @solid: where opaque triangles go
 * @glass: the same pixels, where others go
 * @planes: triangles on the screen, glass last
 * @boxes: objects: tag0 is the first triangle, tag1 the number of them
 * @triangles: of objects; in corner[n][3] and tag[n] are the texture coordinates of a corner,
 *	tag[3] is a texture, SCENE_MIRROR or-ed in
 * @nr_planes: number
 * @nr_boxes: number
 * @width: of the picture
 * @height: likewise
 * @focus: distance of the screen from the eye, in pixels
 * @sun: direction to it, of length 1
 */
struct scene_args {
	GPU_PTR(const struct tess_texture) textures;
	GPU_PTR(const struct tess_target) solid;
	GPU_PTR(const struct tess_target) glass;
	GPU_PTR(const struct scene_plane) planes;
	GPU_PTR(const struct tess_box) boxes;
	GPU_PTR(const struct tess_triangle) triangles;
	uint32_t nr_planes;
	uint32_t nr_boxes;
	uint32_t width;
	uint32_t height;
	float focus;
	float sun[3];
};

#define SCENE_MIRROR 0x100

#endif
