// SPDX-License-Identifier: MIT
/*
 * The Mandelbrot set as a PNG: a two-dimensional grid, double precision, work-items
 * that take very different times.
 */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "mandelbrot.h"

EXAMPLE_KERNELS(mandelbrot);

#define MAX_PIXELS (16u << 20)

static uint64_t width = 320;
static uint64_t height = 240;
static uint64_t limit = 100;
static const char *output = "mandelbrot.png";

static const struct option_def options[] = {
	{ "width", "pixels (default: 320)", &width, NULL },
	{ "height", "pixels (default: 240)", &height, NULL },
	{ "limit", "most iterations (default: 100)", &limit, NULL },
	{ "output", "picture (default: mandelbrot.png)", NULL, &output },
	{ 0 },
};

static unsigned long compare(const struct mandelbrot_args *a, const uint32_t *out)
{
	unsigned long mismatches = 0;

	for (uint32_t y = 0; y < a->height; y++) {
		for (uint32_t x = 0; x < a->width; x++)
			mismatches += out[y * a->width + x] !=
				      mandelbrot_point(a->left + x * a->step, a->top + y * a->step,
						       a->limit);
	}
	return mismatches;
}

/* Black inside; outside from dark blue over white to orange, the slower the brighter */
static void colour(uint32_t n, uint8_t *rgb)
{
	double t = (double)n / (double)limit;
	double s = 1.0 - t;

	if (n >= limit) {
		memset(rgb, 0, 3);
		return;
	}
	rgb[0] = (uint8_t)(255.0 * (9.0 * s * t * t * t + 6.0 * s * s * t * t));
	rgb[1] = (uint8_t)(255.0 * 15.0 * s * s * t * t);
	rgb[2] = (uint8_t)(40.0 + 215.0 * 8.5 * s * s * s * t);
}

static void write_png(struct example *ex, const uint32_t *out)
{
	png_image image = { .version = PNG_IMAGE_VERSION };
	uint8_t *rgb = malloc(3 * width * height);

	if (!rgb)
		example_die(ex, 1, "out of memory");
	for (uint64_t i = 0; i < width * height; i++)
		colour(out[i], rgb + 3 * i);
	image.width = (png_uint_32)width;
	image.height = (png_uint_32)height;
	image.format = PNG_FORMAT_RGB;
	if (!png_image_write_to_file(&image, output, 0, rgb, 0, NULL))
		example_die(ex, 1, "cannot write %s: %s", output, image.message);
	free(rgb);
}

int main(int argc, char **argv)
{
	struct example ex = {
		.name = "mandelbrot",
		.summary = "Draws the Mandelbrot set and compares each pixel with the CPU.",
		.operands = "",
		.options = options,
		.elf = mandelbrot_elf,
		.elf_end = mandelbrot_elf_end,
	};
	struct mandelbrot_args args;
	struct tess_buffer *buf;
	uint32_t *out;

	example_start(&ex, argc, argv);
	if (!width || !height || width > MAX_PIXELS || height > MAX_PIXELS ||
	    width * height > MAX_PIXELS || !limit || limit > 1000000)
		example_die(&ex, 2, "a picture has 1 to 16M pixels, --limit is at most 1000000");
	out = example_buffer(&ex, width * height * sizeof(*out), TESS_BUFFER_VRAM, &buf);

	memset(&args, 0, sizeof(args));
	args.out = tess_buffer_va(buf);
	args.step = 3.0 / (double)width;
	args.left = -2.2;
	args.top = -args.step * (double)height / 2.0;
	args.width = (uint32_t)width;
	args.height = (uint32_t)height;
	args.limit = (uint32_t)limit;
	example_run(&ex,
		    &(struct tess_dispatch){
			    .kernel = example_kernel(&ex, "mandelbrot"),
			    .grid = { args.width, args.height },
			    .group = { 8, 8 },
			    .args = &args,
			    .args_size = sizeof(args),
		    },
		    NULL);
	write_png(&ex, out);
	example_extra(&ex, "\"width\": %llu, \"height\": %llu", (unsigned long long)width,
		      (unsigned long long)height);
	if (!ex.json)
		printf("mandelbrot: wrote %s (%llux%llu)\n", output, (unsigned long long)width,
		       (unsigned long long)height);
	return example_finish(&ex, ex.verify ? compare(&args, out) : 0, false);
}
