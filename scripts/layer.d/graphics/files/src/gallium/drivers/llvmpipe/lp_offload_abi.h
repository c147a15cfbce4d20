/* SPDX-License-Identifier: MIT */
/*
 * What a GPU reads of a scene: shared by llvmpipe, the module that drives the GPU, and the
 * program on its shader cores. All addresses are the same for GPU and CPU.
 */
#ifndef LP_OFFLOAD_ABI_H
#define LP_OFFLOAD_ABI_H

#include <stdint.h>

/** Counts changes of this file and of struct lp_offload_ops. */
#define LP_OFFLOAD_VERSION 4

#define LP_OFFLOAD_TILE 64
#define LP_OFFLOAD_BLOCK 4
#define LP_OFFLOAD_COLORS 8
#define LP_OFFLOAD_QUERIES 64

/**
 * struct lp_offload_surface - a surface that is drawn to
 * @map: address of its first pixel; 0 is none
 * @stride: bytes from row to row
 * @bytes: of a pixel
 * @sample_stride: bytes from sample to sample
 * @samples: number of samples of a pixel
 * @layer_stride: bytes from layer to layer
 * @layers: number of layers
 */
struct lp_offload_surface {
	uint64_t map;
	uint32_t stride;
	uint32_t bytes;
	uint32_t sample_stride;
	uint32_t samples;
	uint32_t layer_stride;
	uint32_t layers;
};

/**
 * struct lp_offload_tile - a tile with commands
 * @head: address of its first struct cmd_block
 * @x: left edge in pixels
 * @y: upper edge in pixels
 */
struct lp_offload_tile {
	uint64_t head;
	uint32_t x;
	uint32_t y;
};

/**
 * struct lp_offload_scene - a scene
 * @tiles: address of @num_tiles tiles
 * @num_tiles: number of tiles
 * @width: of the framebuffer, in pixels
 * @height: of the framebuffer, in pixels
 * @num_colors: number of @color
 * @num_queries: number of @query
 * @max_layer: last layer that is cleared of depth
 * @samples: samples that are covered
 * @off_resources: of struct lp_rast_state
 * @off_entry: of struct lp_rast_state
 * @off_inputs: of struct lp_rast_triangle
 * @off_rect_inputs: of struct lp_rast_rectangle
 * @off_query_end: of struct llvmpipe_query: where a GPU counts
 * @off_query_type: of struct llvmpipe_query
 * @sample_pos: x and y of each sample, in 1/256 pixels
 * @color: colour buffers
 * @depth: depth and stencil buffer
 * @query: addresses of queries that go on at the end of the scene
 */
struct lp_offload_scene {
	uint64_t tiles;
	uint32_t num_tiles;
	uint32_t width;
	uint32_t height;
	uint32_t num_colors;
	uint32_t num_queries;
	uint32_t max_layer;
	uint32_t samples;
	uint32_t off_resources;
	uint32_t off_entry;
	uint32_t off_inputs;
	uint32_t off_rect_inputs;
	uint32_t off_query_end;
	uint32_t off_query_type;
	uint32_t pad;
	int32_t sample_pos[4][2];
	struct lp_offload_surface color[LP_OFFLOAD_COLORS];
	struct lp_offload_surface depth;
	uint64_t query[LP_OFFLOAD_QUERIES];
};

/**
 * struct lp_offload_cost - what scenes cost the GPU, added up
 */
struct lp_offload_cost {
	uint64_t cycles;
	uint64_t instructions;
};

#endif
