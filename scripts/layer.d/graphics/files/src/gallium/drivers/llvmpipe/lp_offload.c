// SPDX-License-Identifier: MIT
/* A GPU that draws: its module, memory that both reach, and shaders. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/disk_cache.h"
#include "util/mesa-sha1.h"
#include "util/u_debug.h"
#include "util/u_math.h"
#include "util/u_memory.h"
#include "util/vma.h"

#include "lp_memory.h"
#include "lp_offload_priv.h"
#include "lp_screen.h"
#include "lp_state_fs.h"

/* Memory is allocated in parts of chunks; what is larger gets a chunk of its own. */
#define CHUNK_SIZE (32ull << 20)
/* Before each part: what free() has to know. */
#define HEADER 64

static const struct debug_named_value debug_options[] = {
	{ "stats", DEBUG_OFFLOAD_STATS, "at exit: scenes of the GPU and of the CPU, and why" },
	{ "compare", DEBUG_OFFLOAD_COMPARE, "draw each scene on both, compare all pixels" },
	{ "cpu", DEBUG_OFFLOAD_CPU, "draw on the CPU, by the code that the GPU would have" },
	{ "nounits", DEBUG_OFFLOAD_NO_UNITS, "as on a GPU without units" },
	DEBUG_NAMED_VALUE_END
};

struct chunk {
	struct list_head link;
	struct util_vma_heap heap;
	uint8_t *base;
	uint64_t size;
};

/* In front of each part of a chunk */
struct part {
	struct chunk *chunk;
	uint64_t start;
	uint64_t size;
};

/* Memory of others */
struct share {
	struct list_head link;
	uint8_t *base;
	uint64_t size;
};

/* Those that are open: programs may end without closing theirs */
static simple_mtx_t open_lock = SIMPLE_MTX_INITIALIZER;
static struct list_head open_ones = { &open_ones, &open_ones };

struct lp_offload *lp_offload_open(void)
{
	const char *path = debug_get_option("TESSERA_GL_MODULE", LP_OFFLOAD_MODULE);
	struct lp_offload *offload;
	lp_offload_open_func open;

	if (!*path || access(path, F_OK))
		return NULL;
	offload = CALLOC_STRUCT(lp_offload);
	if (!offload)
		return NULL;
	offload->module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!offload->module) {
		fprintf(stderr, "tessera: %s\n", dlerror());
		goto no_module;
	}
	open = (lp_offload_open_func)dlsym(offload->module, LP_OFFLOAD_OPEN);
	if (!open) {
		fprintf(stderr, "tessera: %s is no module\n", path);
		goto no_gpu;
	}
	offload->gpu = open(&offload->ops);
	if (!offload->gpu)
		goto no_gpu;
	if (offload->ops->version != LP_OFFLOAD_VERSION) {
		fprintf(stderr, "tessera: %s is of version %u, not %u\n", path,
			offload->ops->version, LP_OFFLOAD_VERSION);
		offload->ops->close(offload->gpu);
		goto no_gpu;
	}
	offload->debug = debug_get_flags_option("TESSERA_DEBUG", debug_options, 0);
	offload->samples = !(offload->debug & DEBUG_OFFLOAD_NO_UNITS) &&
			   offload->ops->samples(offload->gpu);
	snprintf(offload->id, sizeof offload->id, "%s%s", offload->ops->id,
		 offload->samples ? " samples" : "");
	simple_mtx_init(&offload->mutex, mtx_plain);
	list_inithead(&offload->link);
	list_inithead(&offload->chunks);
	list_inithead(&offload->shares);
	offload->dummy = lp_offload_alloc(offload, sizeof lp_dummy_tile, 64);
	if (!offload->dummy) {
		lp_offload_close(offload);
		return NULL;
	}
	memset(offload->dummy, 0, sizeof lp_dummy_tile);
	simple_mtx_lock(&open_lock);
	list_addtail(&offload->link, &open_ones);
	simple_mtx_unlock(&open_lock);
	return offload;

no_gpu:
	dlclose(offload->module);
no_module:
	FREE(offload);
	return NULL;
}

static void print_stats(const struct lp_offload *offload)
{
	const uint64_t all = offload->stats.gpu_scenes + offload->stats.cpu_scenes;

	if (!(offload->debug & (DEBUG_OFFLOAD_STATS | DEBUG_OFFLOAD_COMPARE)))
		return;
	fprintf(stderr,
		"tessera: scenes %" PRIu64 " gpu %" PRIu64 " cpu %" PRIu64 " instructions %" PRIu64
		" cycles %" PRIu64 " compiled %" PRIu64 " cached %" PRIu64 "\n",
		all, offload->stats.gpu_scenes, offload->stats.cpu_scenes,
		offload->stats.cost.instructions, offload->stats.cost.cycles,
		offload->stats.compiled, offload->stats.cached);
	for (unsigned i = 0; i < REASONS && offload->stats.why[i].count; i++)
		fprintf(stderr, "tessera: cpu %" PRIu64 ": %s\n", offload->stats.why[i].count,
			offload->stats.why[i].text);
	if (offload->debug & DEBUG_OFFLOAD_COMPARE)
		fprintf(stderr, "tessera: compared %" PRIu64 " pixels, %" PRIu64 " differ\n",
			offload->stats.pixels, offload->stats.differ);
}

/* The process ends, and may have threads that still draw: nothing is freed. */
static void __attribute__((destructor)) print_open(void)
{
	simple_mtx_lock(&open_lock);
	list_for_each_entry(struct lp_offload, offload, &open_ones, link)
		print_stats(offload);
	list_inithead(&open_ones);
	simple_mtx_unlock(&open_lock);
}

void lp_offload_close(struct lp_offload *offload)
{
	if (!offload)
		return;
	simple_mtx_lock(&open_lock);
	list_del(&offload->link);
	simple_mtx_unlock(&open_lock);
	print_stats(offload);
	lp_offload_free(offload, offload->dummy);
	list_for_each_entry_safe(struct chunk, chunk, &offload->chunks, link) {
		util_vma_heap_finish(&chunk->heap);
		offload->ops->unmap(offload->gpu, chunk->base);
		FREE(chunk);
	}
	offload->ops->close(offload->gpu);
	simple_mtx_destroy(&offload->mutex);
	/* The module stays: LLVM does not like to be unloaded */
	FREE(offload);
}

unsigned lp_offload_max_threads(const struct lp_offload *offload)
{
	/* A scene is compared by the thread that drew all of it */
	return offload && (offload->debug & DEBUG_OFFLOAD_COMPARE) ? 1 : LP_MAX_THREADS;
}

bool lp_offload_samples(const struct lp_offload *offload)
{
	return offload && offload->samples;
}

const char *lp_offload_id(const struct lp_offload *offload)
{
	return offload ? offload->id : "";
}

const char *lp_offload_name(struct lp_offload *offload)
{
	return offload->ops->name(offload->gpu);
}

void lp_offload_frame(struct lp_offload *offload)
{
	if (offload)
		offload->ops->frame(offload->gpu);
}

void lp_offload_damage(struct lp_offload *offload, int fd, const struct lp_offload_damage *damage)
{
	offload->ops->damage(offload->gpu, fd, damage);
}

static struct chunk *new_chunk(struct lp_offload *offload, uint64_t size)
{
	struct chunk *chunk = CALLOC_STRUCT(chunk);

	if (!chunk)
		return NULL;
	chunk->size = MAX2(CHUNK_SIZE, align64(size, 4096));
	chunk->base = offload->ops->map(offload->gpu, chunk->size);
	if (!chunk->base) {
		FREE(chunk);
		return NULL;
	}
	util_vma_heap_init(&chunk->heap, (uintptr_t)chunk->base, chunk->size);
	list_add(&chunk->link, &offload->chunks);
	return chunk;
}

static uint64_t alloc_part(struct lp_offload *offload, uint64_t size, uint64_t alignment,
			   struct chunk **from)
{
	uint64_t at;

	list_for_each_entry(struct chunk, chunk, &offload->chunks, link) {
		at = util_vma_heap_alloc(&chunk->heap, size, alignment);
		if (at) {
			*from = chunk;
			return at;
		}
	}
	*from = new_chunk(offload, size + alignment);
	return *from ? util_vma_heap_alloc(&(*from)->heap, size, alignment) : 0;
}

void *lp_offload_alloc(struct lp_offload *offload, size_t size, size_t alignment)
{
	struct chunk *chunk;
	struct part *part;
	uint64_t start, total;

	if (!offload)
		return align_malloc(size, alignment);
	/* What is returned is aligned, and the header is directly in front of it */
	alignment = MAX2(alignment, HEADER);
	total = align64(size, HEADER) + alignment;
	simple_mtx_lock(&offload->mutex);
	start = alloc_part(offload, total, alignment, &chunk);
	simple_mtx_unlock(&offload->mutex);
	if (!start)
		return NULL;
	part = (struct part *)(uintptr_t)(start + alignment - HEADER);
	part->chunk = chunk;
	part->start = start;
	part->size = total;
	return (void *)(uintptr_t)(start + alignment);
}

void lp_offload_free(struct lp_offload *offload, void *memory)
{
	struct part *part;
	struct chunk *chunk;

	if (!offload) {
		align_free(memory);
		return;
	}
	if (!memory)
		return;
	part = (struct part *)((uint8_t *)memory - HEADER);
	chunk = part->chunk;
	simple_mtx_lock(&offload->mutex);
	util_vma_heap_free(&chunk->heap, part->start, part->size);
	/* One that is empty is kept, so that nothing goes to and fro */
	if (chunk->heap.free_size == chunk->size && chunk->size > CHUNK_SIZE) {
		list_del(&chunk->link);
		util_vma_heap_finish(&chunk->heap);
		offload->ops->unmap(offload->gpu, chunk->base);
		FREE(chunk);
	}
	simple_mtx_unlock(&offload->mutex);
}

static bool is_in(const uint8_t *memory, const uint8_t *base, uint64_t size)
{
	return memory >= base && memory < base + size;
}

bool lp_offload_reaches(struct lp_offload *offload, const void *memory)
{
	bool found = false;

	simple_mtx_lock(&offload->mutex);
	list_for_each_entry(struct chunk, chunk, &offload->chunks, link)
		found |= is_in(memory, chunk->base, chunk->size);
	list_for_each_entry(struct share, share, &offload->shares, link)
		found |= is_in(memory, share->base, share->size);
	simple_mtx_unlock(&offload->mutex);
	return found;
}

void *lp_offload_share(void *data, int fd)
{
	struct share *share = CALLOC_STRUCT(share);
	struct lp_offload *offload = data;
	size_t size;

	if (!share)
		return NULL;
	share->base = offload->ops->import(offload->gpu, fd, &size);
	if (!share->base) {
		FREE(share);
		return NULL;
	}
	share->size = size;
	simple_mtx_lock(&offload->mutex);
	list_add(&share->link, &offload->shares);
	simple_mtx_unlock(&offload->mutex);
	return share->base;
}

void lp_offload_unshare(void *data, void *memory)
{
	struct lp_offload *offload = data;

	simple_mtx_lock(&offload->mutex);
	list_for_each_entry_safe(struct share, share, &offload->shares, link) {
		if (share->base == memory) {
			list_del(&share->link);
			FREE(share);
		}
	}
	simple_mtx_unlock(&offload->mutex);
	offload->ops->unmap(offload->gpu, memory);
}

void *lp_offload_alloc_picture(void *data, size_t size, size_t alignment)
{
	return lp_offload_alloc(data, size, alignment);
}

void lp_offload_free_picture(void *data, void *memory)
{
	lp_offload_free(data, memory);
}

void lp_offload_replace_dummies(struct lp_offload *offload, struct lp_jit_resources *resources)
{
	if (!offload)
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(resources->constants); i++) {
		if (!resources->constants[i].num_elements)
			resources->constants[i].f = (const float *)offload->dummy;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(resources->ssbos); i++) {
		if (!resources->ssbos[i].num_elements)
			resources->ssbos[i].f = (const float *)offload->dummy;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(resources->textures); i++) {
		if (!resources->textures[i].base || resources->textures[i].base == lp_dummy_tile)
			resources->textures[i].base = offload->dummy;
	}
}

void lp_offload_set_fpstate(struct lp_offload *offload)
{
#if DETECT_ARCH_SSE
	/* Denormals are zero, and flushed to zero: neither */
	if (offload)
		util_fpstate_set(util_fpstate_get() & ~0x8040u);
#endif
}

void lp_offload_compile(struct llvmpipe_screen *screen, struct lp_fragment_shader_variant *variant,
			const unsigned char key[20])
{
	struct lp_offload *offload = screen->offload;
	struct lp_offload_code code = { 0 };
	unsigned index[2];
	struct mesa_sha1 ctx;
	unsigned char sha1[20];
	cache_key cache;
	bool stored = false;

	for (unsigned i = 0; i < 2; i++) {
		if (variant->function[i]) {
			index[code.count] = i;
			code.name[code.count++] = variant->function_name[i];
		}
	}
	if (screen->disk_shader_cache) {
		_mesa_sha1_init(&ctx);
		_mesa_sha1_update(&ctx, key, 20);
		_mesa_sha1_update(&ctx, offload->id, strlen(offload->id));
		_mesa_sha1_final(&ctx, sha1);
		disk_cache_compute_key(screen->disk_shader_cache, sha1, sizeof sha1, cache);
		code.object = disk_cache_get(screen->disk_shader_cache, cache, &code.object_size);
		stored = code.object != NULL;
	}
	if (!stored && variant->gallivm->cache->data_size) {
		/* Then there is nothing in the module that could be compiled */
		snprintf(variant->offload_error, sizeof variant->offload_error,
			 "a shader's cache has lost the GPU's code");
		return;
	}
	if (offload->ops->compile(offload->gpu, variant->gallivm->module, &code)) {
		variant->offload_code = code.handle;
		variant->offload_stack = code.stack;
		for (unsigned i = 0; i < code.count; i++)
			variant->offload_entry[index[i]] = code.entry[i];
		/* A variant that is not opaque has one function for both */
		if (!variant->offload_entry[RAST_WHOLE])
			variant->offload_entry[RAST_WHOLE] = variant->offload_entry[RAST_EDGE_TEST];
		if (screen->disk_shader_cache && !stored)
			disk_cache_put(screen->disk_shader_cache, cache, code.object,
				       code.object_size, NULL);
	} else {
		snprintf(variant->offload_error, sizeof variant->offload_error, "%s", code.error);
	}
	free(code.object);
	if (!variant->gallivm->cache->data_size)
		offload->ops->complete(offload->gpu, variant->gallivm->module);
	simple_mtx_lock(&offload->mutex);
	if (stored)
		offload->stats.cached++;
	else
		offload->stats.compiled++;
	simple_mtx_unlock(&offload->mutex);
}

void lp_offload_release(struct lp_offload *offload, void *code)
{
	if (offload && code)
		offload->ops->release(offload->gpu, code);
}
