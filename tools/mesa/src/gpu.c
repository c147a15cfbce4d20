// SPDX-License-Identifier: MIT
/**
 * DOC: scenes on a GPU
 *
 * A scene is one dispatch, or several of them (pace.c), with a hart for each block of the tiles
 * that have commands. The program of the tiles (device/tile.c) reads what llvmpipe has binned where
 * it is, and calls the fragment shaders by their addresses. All memory is at one address for CPU
 * and GPU.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tessera.h>
#include <tessera_units.h>

#include "module.h"
#include "pace.h"

#define MAX_FAULTS 3
#define MAX_TIMES 256
/* Of a block */
#define HART_PIXELS 16u
#define CODE_CHUNK (1u << 20)

/* Buffers by their address, newest first */
struct memory {
	struct memory *next;
	struct tess_buffer *buf;
	void *at;
};

/**
 * struct tess_gl - a GPU of a screen
 * @next: in open_ones
 * @dev: GPU
 * @program: of the tiles
 * @tile: its kernel
 * @compiler: of shaders
 * @name: for people
 * @why: the GPU failed last
 * @lock: protects @memory and what is counted
 * @memory: buffers, newest first
 * @samples: slices have units for textures, or had them when the GPU was opened
 * @rate: of struct tess_gl_pace, 0 after a new shader. A hint, so that of any thread will do
 * @dispatches: so far
 * @longest: cycles of the longest one
 * @compiled: shaders, of which the first ones are in @took
 * @took: microseconds of a processor to compile each
 * @faults: scenes in a row that failed
 */
struct tess_gl {
	struct tess_gl *next;
	struct tess_device *dev;
	struct tess_program *program;
	const struct tess_kernel *tile;
	struct tess_gl_compiler *compiler;
	char name[96];
	char why[200];
	pthread_mutex_t lock;
	struct memory *memory;
	bool samples;
	uint64_t rate;
	uint64_t dispatches;
	uint64_t longest;
	unsigned int compiled;
	uint32_t took[MAX_TIMES];
	unsigned int faults;
};

/* Programs may end without closing theirs */
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static struct tess_gl *open_ones;

static void *keep(struct tess_gl *gl, struct memory *m)
{
	m->at = tess_buffer_map(m->buf);
	pthread_mutex_lock(&gl->lock);
	m->next = gl->memory;
	gl->memory = m;
	pthread_mutex_unlock(&gl->lock);
	return m->at;
}

static void *allocate(struct tess_gl *gl, size_t size, unsigned int flags)
{
	struct memory *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	if (tess_buffer_create(gl->dev, size, TESS_BUFFER_SYSTEM | TESS_BUFFER_SAME | flags,
			       TESS_NEAR_ANY, &m->buf)) {
		free(m);
		return NULL;
	}
	return keep(gl, m);
}

static void release(struct tess_gl *gl, void *at)
{
	struct memory **link, *m;

	pthread_mutex_lock(&gl->lock);
	for (link = &gl->memory; *link && (*link)->at != at; link = &(*link)->next)
		;
	m = *link;
	if (m)
		*link = m->next;
	pthread_mutex_unlock(&gl->lock);
	if (m)
		tess_buffer_destroy(m->buf);
	free(m);
}

void *tess_gl_code_alloc(struct tess_gl *gl, size_t size)
{
	return allocate(gl, size, TESS_BUFFER_CODE);
}

void tess_gl_code_free(struct tess_gl *gl, void *memory)
{
	release(gl, memory);
}

static void *gl_map(void *gpu, size_t size)
{
	return allocate(gpu, size, 0);
}

static void *gl_import(void *gpu, int fd, size_t *size)
{
	struct memory *m = calloc(1, sizeof(*m));
	struct tess_gl *gl = gpu;

	if (!m)
		return NULL;
	if (tess_buffer_import(gl->dev, fd, TESS_BUFFER_SAME, &m->buf)) {
		free(m);
		return NULL;
	}
	*size = tess_buffer_size(m->buf);
	return keep(gl, m);
}

static void gl_unmap(void *gpu, void *memory)
{
	release(gpu, memory);
}

static const char *gl_name(void *gpu)
{
	struct tess_gl *gl = gpu;

	return gl->name;
}

/*
 * Of one answer for good: textures are not filtered to the same bits with units and without. Where a slice
 * has none, shaders compute what the unit would.
 */
static bool gl_samples(void *gpu)
{
	struct tess_gl *gl = gpu;

	return gl->samples;
}

static void gl_complete(void *gpu, LLVMModuleRef module)
{
	(void)gpu;
	tess_gl_complete(module);
}

static uint64_t processor_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static bool gl_compile(void *gpu, LLVMModuleRef module, struct lp_offload_code *code)
{
	bool stored = code->object, good;
	uint64_t start = processor_us();
	struct tess_gl *gl = gpu;

	/* How long it takes to draw with it is not known */
	__atomic_store_n(&gl->rate, 0, __ATOMIC_RELAXED);
	good = tess_gl_compile(gl->compiler, module, code);
	pthread_mutex_lock(&gl->lock);
	if (!stored && gl->compiled < MAX_TIMES)
		gl->took[gl->compiled++] = (uint32_t)(processor_us() - start);
	pthread_mutex_unlock(&gl->lock);
	return good;
}

static void gl_release(void *gpu, void *handle)
{
	struct tess_gl *gl = gpu;

	tess_gl_release(gl->compiler, handle);
}

static const char *failed(struct tess_gl *gl, const char *what)
{
	snprintf(gl->why, sizeof(gl->why), "%s: %s", what, tess_strerror(gl->dev));
	return gl->why;
}

/* The harts of one dispatch; they take part in all slices */
static int draw_part(struct tess_gl *gl, const struct tess_gl_pace *pace, uint32_t stack,
		     uint64_t first, struct tess_counters *counters)
{
	uint64_t args[] = { (uintptr_t)pace->scene, first };
	struct tess_dispatch d = {
		.kernel = gl->tile,
		.grid = { pace->harts },
		.group = { tess_gl_pace_group(pace) },
		.args = args,
		.args_size = sizeof(args),
		.private_bytes = tess_kernel_private_bytes(gl->tile) + stack,
	};

	return tess_run(gl->dev, &d, counters);
}

static void count(struct tess_gl *gl, const struct tess_counters *counters)
{
	pthread_mutex_lock(&gl->lock);
	gl->dispatches++;
	if (counters->cycles > gl->longest)
		gl->longest = counters->cycles;
	pthread_mutex_unlock(&gl->lock);
}

/*
 * The library replaces the queues of a failed dispatch, and the next scene may be a good one. What
 * fails always would cost a wait each time, though.
 */
static const char *fault(struct tess_gl *gl, bool *lost)
{
	failed(gl, "a scene failed");
	*lost = __atomic_add_fetch(&gl->faults, 1, __ATOMIC_RELAXED) >= MAX_FAULTS;
	if (!*lost)
		fprintf(stderr, "tessera: %s; the CPU draws this one\n", gl->why);
	return gl->why;
}

static const char *gl_draw(void *gpu, const struct lp_offload_scene *scene, uint32_t stack,
			   struct lp_offload_cost *cost, bool *lost)
{
	struct tess_counters counters;
	struct tess_gl *gl = gpu;
	struct tess_gl_pace pace;
	uint64_t first = 0;

	tess_gl_pace_begin(&pace, scene, __atomic_load_n(&gl->rate, __ATOMIC_RELAXED));
	while (tess_gl_pace_next(&pace)) {
		/* A command of a tile, for each of its pixels, is an operation */
		tess_hint(gl->dev, 0, pace.work * HART_PIXELS);
		if (draw_part(gl, &pace, stack, first, &counters))
			return fault(gl, lost);
		count(gl, &counters);
		cost->cycles += counters.cycles;
		cost->instructions += counters.instructions;
		tess_gl_pace_took(&pace, counters.cycles);
		first = pace.next;
	}
	__atomic_store_n(&gl->rate, pace.rate, __ATOMIC_RELAXED);
	__atomic_store_n(&gl->faults, 0, __ATOMIC_RELAXED);
	return NULL;
}

static void gl_frame(void *gpu)
{
	struct tess_gl *gl = gpu;

	tess_hint(gl->dev, 1, 0);
}

static void gl_damage(void *gpu, int fd, const struct lp_offload_damage *damage)
{
	(void)gpu;
	tess_gl_damage(fd, damage);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void print_stats(struct tess_gl *gl)
{
	const char *debug = getenv("TESSERA_DEBUG");

	if (!debug || !strstr(debug, "stats"))
		return;
	fprintf(stderr, "tessera: dispatches %" PRIu64 ", the longest %" PRIu64 " cycles\n",
		gl->dispatches, gl->longest);
	qsort(gl->took, gl->compiled, sizeof(gl->took[0]), by_value);
	if (gl->compiled)
		fprintf(stderr, "tessera: a shader took %" PRIu32 " us\n",
			gl->took[gl->compiled / 2]);
}

static void __attribute__((destructor)) print_open(void)
{
	struct tess_gl *gl;

	pthread_mutex_lock(&open_lock);
	for (gl = open_ones; gl; gl = gl->next)
		print_stats(gl);
	open_ones = NULL;
	pthread_mutex_unlock(&open_lock);
}

static void gl_close(void *gpu)
{
	struct tess_gl *gl = gpu, **link;

	pthread_mutex_lock(&open_lock);
	for (link = &open_ones; *link && *link != gl; link = &(*link)->next)
		;
	if (*link)
		*link = gl->next;
	pthread_mutex_unlock(&open_lock);
	print_stats(gl);
	if (gl->compiler)
		tess_gl_compiler_destroy(gl->compiler);
	while (gl->memory)
		release(gl, gl->memory->at);
	tess_program_unload(gl->program);
	tess_close(gl->dev);
	pthread_mutex_destroy(&gl->lock);
	free(gl);
}

/* The program of the tiles is beside this module. */
static int load_tile(struct tess_gl *gl)
{
	char path[1024];
	Dl_info info;
	char *slash;
	int ret;

	if (!dladdr((void *)gl_close, &info))
		return -1;
	snprintf(path, sizeof(path), "%s", info.dli_fname);
	slash = strrchr(path, '/');
	snprintf(slash ? slash + 1 : path, sizeof(path) - (slash ? slash + 1 - path : 0),
		 "tessera-gl-tile.elf");
	ret = tess_program_load_file(gl->dev, path, &gl->program);
	if (ret) {
		fprintf(stderr, "tessera: %s: %s\n", path, tess_strerror(gl->dev));
		return ret;
	}
	gl->tile = tess_program_kernel(gl->program, NULL);
	return gl->tile ? 0 : -1;
}

static struct lp_offload_ops ops = {
	.version = LP_OFFLOAD_VERSION,
	.name = gl_name,
	.map = gl_map,
	.unmap = gl_unmap,
	.import = gl_import,
	.samples = gl_samples,
	.compile = gl_compile,
	.complete = gl_complete,
	.release = gl_release,
	.draw = gl_draw,
	.frame = gl_frame,
	.damage = gl_damage,
	.close = gl_close,
};

void *lp_offload_module_open(const struct lp_offload_ops **out)
{
	struct tess_gl *gl = calloc(1, sizeof(*gl));
	struct tess_info info;

	/* Programs start without a word where there is no GPU */
	if (!gl || (!getenv("TESSERA_DEVICE") && tess_list_devices(NULL, 0) <= 0)) {
		free(gl);
		return NULL;
	}
	pthread_mutex_init(&gl->lock, NULL);
	if (tess_open(NULL, &gl->dev)) {
		fprintf(stderr, "tessera: %s\n", tess_strerror(NULL));
		goto err_free;
	}
	if (tess_get_info(gl->dev, &info) || load_tile(gl))
		goto err_close;
	gl->samples = info.units & TESS_UNIT_TEX;
	snprintf(gl->name, sizeof(gl->name), "Tessera %s", info.is_vgpu ? "vGPU" : "GPU");
	gl->compiler = tess_gl_compiler_create(gl);
	if (!gl->compiler)
		goto err_close;
	ops.id = tess_gl_compiler_id();
	*out = &ops;
	pthread_mutex_lock(&open_lock);
	gl->next = open_ones;
	open_ones = gl;
	pthread_mutex_unlock(&open_lock);
	return gl;

err_close:
	tess_program_unload(gl->program);
	tess_close(gl->dev);
err_free:
	pthread_mutex_destroy(&gl->lock);
	free(gl);
	return NULL;
}
