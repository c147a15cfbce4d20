// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: pictures that the GPU reads
 *
 * A CPU reads VRAM slowly. Where the host has slices that no vGPU has, a kernel on these, of low
 * priority, compares the picture in VRAM with a copy in memory of the system, and brings that up to
 * date. The CPU takes over tiles that differed, from the copy, as if that were the picture: so
 * formats, cursors and exactness are as without it, and a tile that only seems to differ costs
 * time and nothing else.
 *
 * The kernel lends the picture as a dma-buf (TESSERA_VIEW_EXPORT), one for each buffer that the
 * guest flips. Where the picture is now is asked before each job. When the vGPU leaves the memory,
 * jobs fail, and all begins anew, on its next GPU. Whatever fails, the CPU reads the picture as ever.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <linux/tessera_view.h>
#include <tessera.h>

#include "capture.h"
#include "capture_args.h"
#include "say.h"
#include "source.h"

/* Buffers that a guest flips */
#define IMPORTS 4
/* After a failure */
#define PAUSE_NS 5000000000ULL
/* A job that takes longer is not worth waiting for */
#define JOB_NS 10000000000LL

_Static_assert(CAPTURE_LINES == SHADOW_TILE && CAPTURE_COLUMNS == SHADOW_COLUMNS, "the same tiles");

__asm__(".section .rodata\n"
	".balign 16\n"
	".global capture_elf\ncapture_elf: .incbin \"capture.elf\"\n"
	".global capture_elf_end\ncapture_elf_end: .byte 0\n"
	".previous\n");
extern const unsigned char capture_elf[], capture_elf_end[];

/**
 * struct import - memory of a picture
 * @memory: as of TESSERA_VIEW_EXPORT
 * @address: likewise
 * @size: likewise; 0: none
 * @buffer: it
 */
struct import {
	uint64_t memory, address, size;
	struct tess_buffer *buffer;
};

/**
 * struct capture - state
 * @dev: DRM device of the vGPU's GPU; NULL: none. The rest is of it
 * @kernel: compares
 * @imports: of this memory, in no order
 * @next: the one that is replaced next
 * @current: of the picture that was looked at last
 * @last: copy of that picture
 * @pixels: the same, for the CPU
 * @changed: a byte for each tile
 * @bytes: the same, for the CPU
 * @layout: of the picture that @last has; NULL pixels: none
 * @stale: tiles may differ from the shadow that do not differ from @last
 * @retry: not before, ns
 * @told: what was said last
 * @counters: for --stats
 */
struct capture {
	struct tess_device *dev;
	const struct tess_kernel *kernel;
	struct import imports[IMPORTS];
	unsigned int next;
	struct tess_buffer *current, *last, *changed;
	uint8_t *pixels, *bytes;
	struct shadow_picture layout;
	bool stale;
	uint64_t retry;
	const char *told;
	struct capture_counters counters;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct capture *capture_create(void)
{
	return calloc(1, sizeof(struct capture));
}

static void tell(struct capture *c, const char *what)
{
	if (c->told != what)
		say("%s", what);
	c->told = what;
}

static void leave(struct capture *c)
{
	/* Buffers and programs go with it */
	tess_close(c->dev);
	*c = (struct capture){ .told = c->told, .retry = c->retry, .counters = c->counters };
}

/* The library's reason is of @dev, if there is one */
static bool fail(struct capture *c, const char *what)
{
	if (c->told != what)
		say("%s: %s", what, tess_strerror(c->dev));
	c->told = what;
	leave(c);
	c->counters.failures++;
	c->retry = now_ns() + PAUSE_NS;
	return false;
}

/* ---- the GPU ---- */

/* Nodes of vGPUs that processes have for themselves say whose they are */
static bool is_host_node(const char *dir, const char *name)
{
	char path[160];

	if (strncmp(name, "renderD", 7))
		return false;
	snprintf(path, sizeof(path), "%.80s/%.32s/vgpu", dir, name);
	return access(path, F_OK);
}

/* Render node of the GPU that a vGPU is on */
static bool find_node(const char *uuid, char node[64])
{
	char path[128], gpu[16] = "";
	struct dirent *entry;
	bool found = false;
	FILE *file;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/bus/mdev/devices/%s/gpu", uuid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fscanf(file, "%15s", gpu) != 1)
		*gpu = 0;
	fclose(file);
	snprintf(path, sizeof(path), "/sys/class/tessera/%s/device/drm", gpu);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		found = is_host_node(path, entry->d_name);
		if (found)
			snprintf(node, 64, "/dev/dri/%.32s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool open_gpu(struct capture *c, const char *uuid)
{
	struct tess_program *prog;
	struct tess_info info;
	char node[64];

	if (!find_node(uuid, node) || tess_open(node, &c->dev))
		return fail(c, "the CPU reads the picture: the host has no DRM device of the GPU");
	if (tess_get_info(c->dev, &info) || !info.slice_mask)
		return fail(c, "the CPU reads the picture: vGPUs have all slices of the GPU");
	tess_set_priority(c->dev, TESS_PRIORITY_LOW);
	if (tess_program_load(c->dev, "capture", capture_elf,
			      (size_t)(capture_elf_end - capture_elf), &prog) ||
	    tess_buffer_create(c->dev, SHADOW_COLUMNS * SHADOW_COLUMNS, TESS_BUFFER_SYSTEM, 0,
			       &c->changed))
		return fail(c, "the CPU reads the picture: the GPU has no room");
	c->kernel = tess_program_kernel(prog, NULL);
	c->bytes = tess_buffer_map(c->changed);
	if (!c->kernel || !c->bytes)
		return fail(c, "the CPU reads the picture: the GPU has no room");
	tell(c, "a GPU reads the picture, on slices that no vGPU has");
	return true;
}

/* ---- the picture ---- */

static struct import *find_import(struct capture *c, const struct tessera_view_export *e)
{
	unsigned int i;

	for (i = 0; i < IMPORTS; i++)
		if (c->imports[i].size == e->size && c->imports[i].memory == e->memory &&
		    c->imports[i].address == e->address)
			return &c->imports[i];
	return NULL;
}

static struct import *add_import(struct capture *c, int fd, const struct tessera_view_export *e)
{
	struct import *import = &c->imports[c->next];
	struct tess_buffer *buffer;

	if (tess_buffer_import(c->dev, fd, TESS_BUFFER_READONLY, &buffer))
		return NULL;
	c->next = (c->next + 1) % IMPORTS;
	tess_buffer_destroy(import->buffer);
	*import = (struct import){ e->memory, e->address, e->size, buffer };
	return import;
}

/* Memory that the vGPU has no more would keep all jobs from running */
static bool drop_old(struct capture *c, uint64_t memory)
{
	unsigned int i;

	for (i = 0; i < IMPORTS; i++)
		if (c->imports[i].size && c->imports[i].memory != memory)
			return true;
	return false;
}

/* 0, -ESTALE: begin anew; -ENXIO: no picture, which the next look knows */
static int find_picture(struct capture *c, const struct source *source, uint64_t size)
{
	struct tessera_view_export e = { .head = source->head };
	struct import *import;

	if (ioctl(source->fd, TESSERA_VIEW_EXPORT, &e))
		return -errno;
	if (drop_old(c, e.memory))
		return -ESTALE;
	import = find_import(c, &e);
	if (!import) {
		e = (struct tessera_view_export){ .head = source->head,
						  .flags = TESSERA_VIEW_EXPORT_FD };
		if (ioctl(source->fd, TESSERA_VIEW_EXPORT, &e))
			return -errno;
		import = drop_old(c, e.memory) ? NULL : find_import(c, &e);
		if (!import)
			import = add_import(c, e.fd, &e);
		close(e.fd);
		if (!import)
			return -ESTALE;
	}
	c->current = import->buffer;
	/* Another picture came since the look; the next one tells of all of it */
	return import->size < size ? -ENXIO : 0;
}

static bool same(const struct shadow_picture *a, const struct shadow_picture *b)
{
	return a->pitch == b->pitch && a->rgb565 == b->rgb565;
}

/* @last is as large as the largest picture so far */
static bool make_last(struct capture *c, const struct source_look *look)
{
	uint64_t size = look->picture.pitch * look->height;

	if (!c->last || tess_buffer_size(c->last) < size) {
		tess_buffer_destroy(c->last);
		c->last = NULL;
		if (tess_buffer_create(c->dev, size, TESS_BUFFER_SYSTEM, 0, &c->last))
			return false;
		c->pixels = tess_buffer_map(c->last);
		if (!c->pixels)
			return false;
		c->stale = true;
	}
	if (!same(&c->layout, &look->picture))
		c->stale = true;
	c->layout = look->picture;
	c->layout.pixels = c->pixels;
	return true;
}

bool capture_look(struct capture *c, const struct source *source, const struct source_look *look)
{
	int error;

	if (!c->dev && (now_ns() < c->retry || !open_gpu(c, source->uuid)))
		return false;
	error = find_picture(c, source, look->picture.pitch * look->height);
	if (error == -ESTALE) {
		/* It moved: all that is open is of the GPU before */
		leave(c);
		error = open_gpu(c, source->uuid) ?
				find_picture(c, source, look->picture.pitch * look->height) :
				-ESTALE;
	}
	if (error == -ENXIO)
		return false;
	if (error)
		return c->dev && fail(c, "the CPU reads the picture: the kernel does not lend it");
	return make_last(c, look) || fail(c, "the CPU reads the picture: the GPU has no room");
}

/* ---- tiles ---- */

/* Tiles that a part of a picture is in: their columns and lines, the last ones exclusive */
static struct shadow_rect tiles_of(const struct shadow_rect *rect, const struct shadow *shadow)
{
	unsigned int right = rect->x2 < shadow->width ? rect->x2 : shadow->width;
	unsigned int bottom = rect->y2 < shadow->height ? rect->y2 : shadow->height;

	return (struct shadow_rect){ rect->x1 / SHADOW_TILE, rect->y1 / SHADOW_TILE,
				     (right + SHADOW_TILE - 1) / SHADOW_TILE,
				     (bottom + SHADOW_TILE - 1) / SHADOW_TILE };
}

static bool compare(struct capture *c, const struct source_look *look,
		    const struct shadow_rect *tiles)
{
	unsigned int cpp = look->picture.rgb565 ? 2 : 4, row;
	unsigned int columns = tiles->x2 - tiles->x1, rows = tiles->y2 - tiles->y1;
	struct capture_args args = {
		.picture = tess_buffer_va(c->current),
		.last = tess_buffer_va(c->last),
		.changed = tess_buffer_va(c->changed),
		.pitch = (uint32_t)look->picture.pitch,
		/* A line of whole words: the kernel takes no other pitch */
		.line = (look->width * cpp + 3) & ~3U,
		.height = look->height,
		.tile = SHADOW_TILE * cpp,
		.column = tiles->x1,
		.row = tiles->y1,
	};
	struct tess_dispatch d = {
		.kernel = c->kernel,
		.grid = { columns * CAPTURE_LINES, rows, 1 },
		.group = { CAPTURE_LINES, 1, 1 },
		.args = &args,
		.args_size = sizeof(args),
	};
	struct tess_counters cost;
	struct tess_fence *fence;
	int error;

	for (row = tiles->y1; row < tiles->y2; row++)
		memset(c->bytes + row * SHADOW_COLUMNS + tiles->x1, 0, columns);
	if (tess_dispatch(c->dev, &d, &fence))
		return false;
	error = tess_fence_wait(fence, JOB_NS, &cost);
	tess_fence_destroy(fence);
	if (error)
		return false;
	c->counters.jobs++;
	c->counters.tiles += columns * rows;
	c->counters.cycles += cost.cycles;
	return true;
}

/* Those of a line of tiles that differed, side by side at once */
static unsigned int take_row(struct capture *c, const struct shadow_rect *tiles, unsigned int row,
			     bool all, struct shadow *shadow)
{
	const uint8_t *changed = c->bytes + row * SHADOW_COLUMNS;
	unsigned int column, end, found = 0;

	for (column = tiles->x1; column < tiles->x2; column = end + 1) {
		struct shadow_rect part;

		for (end = column; end < tiles->x2 && (all || changed[end]); end++)
			c->counters.changed++;
		part = (struct shadow_rect){ column * SHADOW_TILE, row * SHADOW_TILE,
					     end * SHADOW_TILE, (row + 1) * SHADOW_TILE };
		if (end > column)
			found += shadow_take(shadow, &c->layout, &part);
	}
	return found;
}

bool capture_take(struct capture *c, const struct source_look *look, const struct shadow_rect *rect,
		  bool all, struct shadow *shadow, unsigned int *found)
{
	struct shadow_rect whole = { 0, 0, shadow->width, shadow->height };
	struct shadow_rect tiles = tiles_of(c->stale ? &whole : rect, shadow);
	unsigned int row;

	*found = 0;
	if (tiles.x1 >= tiles.x2 || tiles.y1 >= tiles.y2)
		return true;
	if (!compare(c, look, &tiles))
		return fail(c, "the CPU reads the picture: the GPU failed");
	for (row = tiles.y1; row < tiles.y2; row++)
		*found += take_row(c, &tiles, row, all || c->stale, shadow);
	c->stale = false;
	return true;
}

void capture_missed(struct capture *c)
{
	c->stale = true;
}

const struct capture_counters *capture_totals(const struct capture *c)
{
	return &c->counters;
}

void capture_forget(struct capture *c)
{
	if (c)
		tess_abandon(c->dev);
}

void capture_destroy(struct capture *c)
{
	if (c)
		tess_close(c->dev);
	free(c);
}
