// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: reading the pool
 *
 * A table per kind of object names the files and where they go; the same names are those
 * of the JSON output. A file more is a line more there and in the struct.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attr.h"
#include "mdev.h"
#include "node.h"
#include "pool.h"

#define ATTR(object, member, type_, depth_)                \
	{                                                  \
		.name = #member,                           \
		.type = type_,                             \
		.depth = depth_,                           \
		.offset = offsetof(struct object, member), \
	}
#define TEXT(object, member) ATTR(object, member, POOL_TYPE_TEXT, POOL_STATE)
#define NUM(object, member) ATTR(object, member, POOL_TYPE_NUM, POOL_STATE)
#define SAMPLED(object, member) ATTR(object, member, POOL_TYPE_NUM, POOL_WORK)
#define COUNTER(object, member) ATTR(object, member, POOL_TYPE_NUM, POOL_ALL)

/* clang-format off */
const struct pool_attr pool_gpu_attrs[] = {
	TEXT(pool_gpu, name),
	TEXT(pool_gpu, type),
	NUM(pool_gpu, slices_total),
	NUM(pool_gpu, slices_free),
	NUM(pool_gpu, vram_total),
	NUM(pool_gpu, vram_free),
	NUM(pool_gpu, clock_khz),
	NUM(pool_gpu, generation),
	SAMPLED(pool_gpu, time_cycles),
	{ 0 },
};

const struct pool_attr pool_slice_attrs[] = {
	TEXT(pool_slice, kind),
	TEXT(pool_slice, state),
	ATTR(pool_slice, owner, POOL_TYPE_NAME, POOL_STATE),
	TEXT(pool_slice, service),
	NUM(pool_slice, members),
	TEXT(pool_slice, policy),
	NUM(pool_slice, quantum_us),
	NUM(pool_slice, preempt_timeout_us),
	NUM(pool_slice, switches),
	NUM(pool_slice, preemptions),
	NUM(pool_slice, timeouts),
	NUM(pool_slice, moves_in),
	NUM(pool_slice, moves_out),
	NUM(pool_slice, cores),
	ATTR(pool_slice, engines, POOL_TYPE_ENGINES, POOL_STATE),
	NUM(pool_slice, bank_offset),
	NUM(pool_slice, bank_size),
	COUNTER(pool_slice, compute_rate),
	COUNTER(pool_slice, memory_bandwidth),
	COUNTER(pool_slice, texture_fill_rate),
	COUNTER(pool_slice, pixel_fill_rate),
	COUNTER(pool_slice, ray_rate),
	COUNTER(pool_slice, active_cycles),
	ATTR(pool_slice, busy_cycles, POOL_TYPE_NUM, POOL_BUSY),
	COUNTER(pool_slice, stall_cycles),
	COUNTER(pool_slice, instructions),
	COUNTER(pool_slice, flops),
	COUNTER(pool_slice, texels),
	COUNTER(pool_slice, pixels),
	COUNTER(pool_slice, rays),
	COUNTER(pool_slice, global_bytes),
	COUNTER(pool_slice, private_bytes),
	COUNTER(pool_slice, unit_cycles),
	COUNTER(pool_slice, copy_bytes),
	COUNTER(pool_slice, link_bytes),
	COUNTER(pool_slice, groups),
	COUNTER(pool_slice, packets),
	COUNTER(pool_slice, dispatches),
	COUNTER(pool_slice, faults),
	{ 0 },
};

const struct pool_attr pool_vgpu_attrs[] = {
	TEXT(pool_vgpu, share),
	NUM(pool_vgpu, weight),
	NUM(pool_vgpu, cap),
	TEXT(pool_vgpu, policy),
	{ 0 },
};

const struct pool_attr pool_vslice_attrs[] = {
	NUM(pool_vslice, slice),
	NUM(pool_vslice, resident),
	NUM(pool_vslice, runnable),
	SAMPLED(pool_vslice, run_cycles),
	SAMPLED(pool_vslice, wait_cycles),
	NUM(pool_vslice, switches),
	NUM(pool_vslice, wakeups),
	NUM(pool_vslice, moves),
	NUM(pool_vslice, lost),
	SAMPLED(pool_vslice, utilization),
	SAMPLED(pool_vslice, shader_intensity),
	SAMPLED(pool_vslice, memory_intensity),
	SAMPLED(pool_vslice, texture_intensity),
	SAMPLED(pool_vslice, pixel_intensity),
	SAMPLED(pool_vslice, ray_intensity),
	SAMPLED(pool_vslice, unit_intensity),
	SAMPLED(pool_vslice, flop_intensity),
	SAMPLED(pool_vslice, stall_intensity),
	SAMPLED(pool_vslice, frame_rate),
	SAMPLED(pool_vslice, queue_depth),
	{ 0 },
};

const struct pool_attr pool_mdev_attrs[] = {
	ATTR(pool_vgpu, blueprint, POOL_TYPE_NAME, POOL_STATE),
	ATTR(pool_vgpu, last_error, POOL_TYPE_NAME, POOL_STATE),
	ATTR(pool_vgpu, features, POOL_TYPE_NAME, POOL_STATE),
	{ 0 },
};

const struct pool_attr pool_stats_attrs[] = {
	NUM(pool_vgpu, pinned_pages),
	NUM(pool_vgpu, stage2_faults),
	NUM(pool_vgpu, stage2_refused),
	NUM(pool_vgpu, client_faults),
	NUM(pool_vgpu, completions),
	NUM(pool_vgpu, traps),
	NUM(pool_vgpu, mmap_faults),
	NUM(pool_vgpu, zeroed_bytes),
	NUM(pool_vgpu, still_bytes),
	{ 0 },
};

const struct pool_attr pool_composition_attrs[] = {
	TEXT(pool_vgpu, mdev_type),
	NUM(pool_vgpu, generation),
	NUM(pool_vgpu, memory),
	NUM(pool_vgpu, heads),
	NUM(pool_vgpu, given),
	NUM(pool_vgpu, withheld),
	{ 0 },
};

const struct pool_attr pool_node_attrs[] = {
	TEXT(pool_vgpu, device),
	NUM(pool_vgpu, vram_total),
	NUM(pool_vgpu, vram_free),
	{ 0 },
};

const struct pool_attr pool_head_attrs[] = {
	NUM(pool_head, head),
	NUM(pool_head, width),
	NUM(pool_head, height),
	NUM(pool_head, shown),
	NUM(pool_head, damaged),
	{ 0 },
};

const struct pool_attr pool_given_attrs[] = {
	NUM(pool_vslice, given),
	{ 0 },
};
/* clang-format on */

static const char *const engine_names[] = { "compute", "copy", "raster", "display" };

const char *pool_engine_name(unsigned int i)
{
	return i < sizeof(engine_names) / sizeof(engine_names[0]) ? engine_names[i] : NULL;
}

void pool_read_attrs(int dir, const struct pool_attr *attr, enum pool_depth depth, void *object)
{
	for (; attr->name; attr++) {
		char *member = (char *)object + attr->offset;

		if (attr->depth > depth)
			continue;
		if (attr->type == POOL_TYPE_TEXT)
			attr_text(dir, attr->name, member, POOL_TEXT);
		else if (attr->type == POOL_TYPE_NAME)
			attr_text(dir, attr->name, member, POOL_NAME);
		else
			*(struct num *)member = attr_num(dir, attr->name);
	}
}

/* One more element, zeroed, at the end of the array at @array; NULL without memory */
static void *append(void *array, unsigned int *count, size_t size)
{
	char *base;

	memcpy(&base, array, sizeof(base));
	base = reallocarray(base, (size_t)*count + 1, size);
	if (!base)
		return NULL;
	memcpy(array, &base, sizeof(base));
	return memset(base + (size_t)(*count)++ * size, 0, size);
}

/* What attr_each() needs to know: where what it finds belongs */
struct reader {
	int root;
	enum pool_depth depth;
	struct pool *pool;
	struct pool_gpu *gpu;
	struct pool_vgpu *vgpu;
};

static int read_vslice(int dir, const char *name, void *ctx)
{
	int index = attr_index(name, "vslice");
	struct reader *r = ctx;
	struct pool_vslice *vslice;

	if (index < 0)
		return 0;
	vslice = append(&r->vgpu->vslices, &r->vgpu->vslice_count, sizeof(*vslice));
	if (!vslice)
		return -ENOMEM;
	vslice->index = (unsigned int)index;
	pool_read_attrs(dir, pool_vslice_attrs, r->depth, vslice);
	return 0;
}

struct pool_vgpu *pool_add_vgpu(struct pool_gpu *gpu, const char *name)
{
	struct pool_vgpu *vgpu = append(&gpu->vgpus, &gpu->vgpu_count, sizeof(*vgpu));

	if (!vgpu)
		return NULL;
	snprintf(vgpu->dir, sizeof(vgpu->dir), "%s", name);
	snprintf(vgpu->name, sizeof(vgpu->name), "%s", name);
	text_clean(vgpu->name);
	return vgpu;
}

int pool_add_part(struct pool_vgpu *vgpu, struct pool_vgpu *part)
{
	unsigned int i, first = vgpu->vslice_count;
	struct pool_vslice *vslice;

	for (i = 0; i < part->own_count; i++) {
		vslice = append(&vgpu->vslices, &vgpu->vslice_count, sizeof(*vslice));
		if (!vslice)
			return -ENOMEM;
		*vslice = part->vslices[i];
		vslice->index += first;
	}
	part->part = true;
	return 0;
}

struct pool_gpu *pool_gpu(const struct pool *pool, unsigned int index)
{
	unsigned int i;

	for (i = 0; i < pool->gpu_count; i++)
		if (pool->gpus[i].index == index)
			return &pool->gpus[i];
	return NULL;
}

static int read_vgpu(int dir, const char *name, void *ctx)
{
	struct reader *r = ctx;

	r->vgpu = pool_add_vgpu(r->gpu, name);
	if (!r->vgpu)
		return -ENOMEM;
	pool_read_attrs(dir, pool_vgpu_attrs, r->depth, r->vgpu);
	return attr_each(dir, read_vslice, r);
}

/* Does somebody have it? Only then can its counters grow. */
static bool is_in_use(const struct pool_slice *slice)
{
	return strcmp(slice->state, "free") && strcmp(slice->state, "faulty") &&
	       strcmp(slice->state, "offline");
}

static bool is_denied(int dir, const char *name)
{
	return faccessat(dir, name, R_OK, AT_EACCESS) && errno == EACCES;
}

static void take_counter(struct pool_slice *slice, const char *name, struct num value)
{
	const struct pool_attr *attr;

	for (attr = pool_slice_attrs; attr->name; attr++)
		if (attr->depth != POOL_STATE && !strcmp(attr->name, name))
			*(struct num *)((char *)slice + attr->offset) = value;
}

/* All of them in one file, and so in one look of the kernel. Returns false if it has none. */
static bool read_counters(int dir, struct pool_slice *slice)
{
	char text[ATTR_MAX], *rest = text, *line, *value;

	if (attr_read(dir, "counters", text, sizeof(text)))
		return false;
	while ((line = strsep(&rest, "\n"))) {
		value = strchr(line, ' ');
		if (!value)
			continue;
		*value++ = '\0';
		take_counter(slice, line, num_parse(value));
	}
	return true;
}

static void read_slice_attrs(int dir, enum pool_depth depth, struct pool_slice *slice)
{
	const struct pool_attr *attr;

	if (depth != POOL_ALL || !read_counters(dir, slice)) {
		pool_read_attrs(dir, pool_slice_attrs, depth, slice);
		return;
	}
	pool_read_attrs(dir, pool_slice_attrs, POOL_STATE, slice);
	/* What is no counter, such as rates */
	for (attr = pool_slice_attrs; attr->name; attr++)
		if (attr->depth != POOL_STATE && !pool_attr_num(slice, attr).known)
			take_counter(slice, attr->name, attr_num(dir, attr->name));
}

static int read_slice(int dir, const char *name, void *ctx)
{
	int index = attr_index(name, "slice");
	struct reader *r = ctx;
	struct pool_slice *slice;

	if (index < 0)
		return 0;
	slice = append(&r->gpu->slices, &r->gpu->slice_count, sizeof(*slice));
	if (!slice)
		return -ENOMEM;
	slice->index = (unsigned int)index;
	read_slice_attrs(dir, r->depth, slice);
	if (r->depth == POOL_WORK && is_in_use(slice))
		slice->busy_cycles = attr_num(dir, "busy_cycles");
	if (r->depth != POOL_STATE && !slice->busy_cycles.known && is_denied(dir, "busy_cycles"))
		r->pool->denied = true;
	return 0;
}

/* -ENOENT: the GPU goes, or its kernel has no such directory */
static int read_below(int dir, const char *name, int (*func)(int dir, const char *name, void *ctx),
		      void *ctx)
{
	int fd = attr_dir(dir, name), rc;

	if (fd < 0)
		return fd;
	rc = attr_each(fd, func, ctx);
	close(fd);
	return rc;
}

static int derive_vgpu(struct pool_gpu *gpu, const struct pool_slice *slice)
{
	struct pool_vgpu *vgpu = (struct pool_vgpu *)pool_vgpu(gpu, slice->owner);
	struct pool_vslice *vslice;

	if (!vgpu)
		vgpu = pool_add_vgpu(gpu, slice->owner);
	if (!vgpu)
		return -ENOMEM;
	vgpu->derived = true;
	snprintf(vgpu->share, sizeof(vgpu->share), "%s",
		 strcmp(slice->state, "elastic") ? "exclusive" : "elastic");
	vslice = append(&vgpu->vslices, &vgpu->vslice_count, sizeof(*vslice));
	if (!vslice)
		return -ENOMEM;
	vslice->index = vgpu->vslice_count - 1;
	vslice->slice = num(slice->index);
	return 0;
}

/* A kernel without vgpus/ still says who has which slice */
static int derive_vgpus(struct pool_gpu *gpu)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < gpu->slice_count; i++)
		if (gpu->slices[i].owner[0])
			rc = derive_vgpu(gpu, &gpu->slices[i]);
	return rc;
}

static void find_slices(const struct pool_gpu *gpu)
{
	unsigned int i, j;

	for (i = 0; i < gpu->vgpu_count; i++) {
		struct pool_vgpu *vgpu = &gpu->vgpus[i];

		vgpu->own_count = vgpu->vslice_count;
		for (j = 0; j < vgpu->vslice_count; j++) {
			vgpu->vslices[j].gpu = gpu->index;
			vgpu->vslices[j].on = pool_slice(gpu, vgpu->vslices[j].slice);
		}
	}
}

static int read_gpu(int dir, const char *name, void *ctx)
{
	int index = attr_index(name, "gpu"), rc;
	struct reader *r = ctx;

	if (index < 0)
		return 0;
	r->gpu = append(&r->pool->gpus, &r->pool->gpu_count, sizeof(*r->gpu));
	if (!r->gpu)
		return -ENOMEM;
	r->gpu->index = (unsigned int)index;
	pool_read_attrs(dir, pool_gpu_attrs, r->depth, r->gpu);
	rc = read_below(dir, "slices", read_slice, r);
	if (rc == -ENOMEM)
		return rc;
	rc = read_below(dir, "vgpus", read_vgpu, r);
	if (rc == -ENOENT)
		rc = derive_vgpus(r->gpu);
	find_slices(r->gpu);
	return rc == -ENOMEM ? rc : 0;
}

int pool_read(const char *sysfs, enum pool_depth depth, struct pool *pool)
{
	struct reader r = { .depth = depth, .pool = pool };
	int root, rc;

	*pool = (struct pool){ 0 };
	root = attr_dir(AT_FDCWD, sysfs);
	if (root < 0)
		return root;
	r.root = root;
	rc = read_below(root, "class/tessera", read_gpu, &r);
	if (!rc)
		rc = mdev_read_all(root, pool);
	if (!rc)
		node_read_all(root, pool);
	close(root);
	if (!rc && !pool->gpu_count)
		rc = -ENODEV;
	return rc;
}

void pool_read_counters(const char *sysfs, const struct pool_gpu *gpu, struct pool_slice *slice)
{
	char path[64];
	int root, dir;

	snprintf(path, sizeof(path), "class/tessera/gpu%u/slices/slice%u", gpu->index,
		 slice->index);
	root = attr_dir(AT_FDCWD, sysfs);
	dir = root < 0 ? root : attr_dir(root, path);
	if (dir >= 0) {
		read_slice_attrs(dir, POOL_ALL, slice);
		close(dir);
	}
	if (root >= 0)
		close(root);
}

static void free_gpu(struct pool_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < gpu->vgpu_count; i++)
		free(gpu->vgpus[i].vslices);
	free(gpu->vgpus);
	free(gpu->slices);
}

void pool_free(struct pool *pool)
{
	unsigned int i;

	for (i = 0; i < pool->gpu_count; i++)
		free_gpu(&pool->gpus[i]);
	free(pool->gpus);
	*pool = (struct pool){ 0 };
}

struct num pool_attr_num(const void *object, const struct pool_attr *attr)
{
	return *(const struct num *)((const char *)object + attr->offset);
}

bool pool_attr_is_known(const void *object, const struct pool_attr *attr)
{
	if (attr->type == POOL_TYPE_NUM || attr->type == POOL_TYPE_ENGINES)
		return pool_attr_num(object, attr).known;
	return *((const char *)object + attr->offset);
}

static void engines_text(char *buf, struct num engines)
{
	unsigned int i;
	size_t len = 0;

	snprintf(buf, POOL_NAME, engines.known ? "none" : "-");
	for (i = 0; pool_engine_name(i); i++)
		if (engines.v >> i & 1)
			len += (size_t)snprintf(buf + len, POOL_NAME - len, "%s%s", len ? " " : "",
						pool_engine_name(i));
}

const char *pool_attr_text(char *buf, const void *object, const struct pool_attr *attr)
{
	const char *text = (const char *)object + attr->offset;

	if (attr->type == POOL_TYPE_NUM)
		return num_text(buf, pool_attr_num(object, attr));
	if (attr->type == POOL_TYPE_ENGINES)
		engines_text(buf, pool_attr_num(object, attr));
	else
		snprintf(buf, POOL_NAME, "%s", *text ? text : "-");
	return buf;
}

const struct pool_slice *pool_slice(const struct pool_gpu *gpu, struct num index)
{
	unsigned int i;

	for (i = 0; i < gpu->slice_count; i++)
		if (num_is(index, gpu->slices[i].index))
			return &gpu->slices[i];
	return NULL;
}

const struct pool_vgpu *pool_vgpu(const struct pool_gpu *gpu, const char *dir)
{
	unsigned int i;

	for (i = 0; i < gpu->vgpu_count; i++)
		if (!strcmp(gpu->vgpus[i].dir, dir))
			return &gpu->vgpus[i];
	return NULL;
}

const struct pool_vslice *pool_vslice(const struct pool_vgpu *vgpu, unsigned int index)
{
	unsigned int i;

	for (i = 0; i < vgpu->vslice_count; i++)
		if (vgpu->vslices[i].index == index)
			return &vgpu->vslices[i];
	return NULL;
}

static struct num member_of(const struct pool_vslice *vslice, size_t member)
{
	return *(const struct num *)((const char *)vslice + member);
}

struct num pool_vgpu_sum(const struct pool_vgpu *vgpu, size_t member)
{
	struct num sum = NUM_UNKNOWN;
	unsigned int i;

	for (i = 0; i < vgpu->own_count; i++)
		sum = num_add(sum, member_of(&vgpu->vslices[i], member));
	return sum;
}

struct num pool_vgpu_mean(const struct pool_vgpu *vgpu, size_t member)
{
	struct num sum = pool_vgpu_sum(vgpu, member);
	unsigned int i, n = 0;

	for (i = 0; i < vgpu->own_count; i++)
		n += member_of(&vgpu->vslices[i], member).known;
	return sum.known ? num(sum.v / n) : sum;
}
