// SPDX-License-Identifier: MIT
/**
 * DOC: kernels
 *
 * Each work-group of OpenCL runs on one hart, as a loop over its work-items (PoCL's compiler makes
 * it): barriers cost nothing there, and local memory is on the hart's stack. Some groups share a
 * work-group of the hardware, so that a shader core has several harts to run, but so few that
 * all cores get work.
 *
 * What a launch needs on the GPU is in a record: the arguments as the compiler lays them out,
 * each at a multiple of its size, and the images.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

#include "../device/launch.h"
#include "common.h"
#include "pocl_timing.h"
#include "pocl_util.h"

#define RECORD_ARGS 8192
#define RECORD_SIZE 32768
#define PRINTS_SIZE (1 << 20)
/* Harts of a work-group of the hardware */
#define MAX_HARTS 16
/* Work-groups of the hardware that each shader core should get, to have them end together */
#define ROUNDS 1
/* The first function, and what the compiler's launcher needs to align local memory */
#define STACK_MARGIN 1024
#define STACK_MAX (1u << 20)
/* All harts of a work-group of the hardware; a slice has memory for eight groups */
#define STACKS_MAX (1u << 20)
/* As the compiler aligns memory for local arguments */
#define LOCAL_ALIGN 128

/* ---- memory for a launch ---- */

int tess_cl_record_init(struct tess_cl_device *d, struct tess_cl_record *r)
{
	r->prints = NULL;
	return tess_buffer_create(d->tess, RECORD_SIZE, TESS_BUFFER_SYSTEM | TESS_BUFFER_SAME, 0,
				  &r->buf);
}

void tess_cl_record_fini(struct tess_cl_record *r)
{
	tess_buffer_destroy(r->prints);
	tess_buffer_destroy(r->buf);
}

static struct tess_cl_prints *start_prints(struct tess_cl_device *d, struct tess_cl_record *r)
{
	struct tess_cl_prints *p;

	if (!r->prints && tess_buffer_create(d->tess, PRINTS_SIZE,
					     TESS_BUFFER_SYSTEM | TESS_BUFFER_SAME, 0, &r->prints))
		return NULL;
	p = tess_buffer_map(r->prints);
	p->used = 0;
	p->size = PRINTS_SIZE - sizeof(*p);
	return p;
}

/* As one piece: several kernels may print at the same time. */
static void show_prints(const struct tess_cl_prints *p)
{
	if (p && p->used) {
		fwrite(p->text, 1, p->used < p->size ? p->used : p->size, stdout);
		fflush(stdout);
	}
}

/* ---- arguments ---- */

/**
 * struct args - the arguments of a launch, being written
 * @device: whose addresses count
 * @base: the record
 * @at: after the last argument
 * @images: after the last image
 * @local: bytes of local memory so far
 * @stack: what it takes on the stack
 * @full: they are more than the record takes
 */
struct args {
	cl_device_id device;
	char *base;
	size_t at;
	size_t images;
	uint64_t local;
	uint64_t stack;
	bool full;
};

static void put(struct args *a, const void *value, size_t size)
{
	a->at = pocl_align_value(a->at, pocl_size_ceil2(size));
	if (a->at + size > RECORD_ARGS) {
		a->full = true;
		return;
	}
	memcpy(a->base + a->at, value, size);
	a->at += size;
}

static void put_local(struct args *a, uint64_t size)
{
	put(a, &size, sizeof(size));
	/* No sum of these exceeds 64 bits */
	if (size > STACK_MAX)
		size = STACK_MAX;
	a->local += size;
	a->stack += pocl_align_value(size, LOCAL_ALIGN) + LOCAL_ALIGN;
}

static void put_pointer(struct args *a, const struct pocl_argument *arg)
{
	char *ptr = NULL;

	if (arg->value && arg->is_raw_ptr)
		ptr = *(char **)arg->value;
	else if (arg->value)
		ptr = (*(cl_mem *)arg->value)->device_ptrs[a->device->global_mem_id].mem_ptr;
	if (ptr)
		ptr += arg->offset;
	put(a, &ptr, sizeof(ptr));
}

static void put_image(struct args *a, struct pocl_argument *arg)
{
	char *image = a->base + a->images;

	if (a->images + sizeof(dev_image_t) > RECORD_SIZE) {
		a->full = true;
		return;
	}
	pocl_fill_dev_image_t((dev_image_t *)image, arg, a->device);
	a->images = pocl_align_value(a->images + sizeof(dev_image_t), 16);
	put(a, &image, sizeof(image));
}

static void put_sampler(struct args *a, struct pocl_argument *arg)
{
	dev_sampler_t sampler;

	pocl_fill_dev_sampler_t(&sampler, arg);
	put(a, &sampler, sizeof(sampler));
}

static void put_all(struct args *a, _cl_command_node *cmd)
{
	const pocl_kernel_metadata_t *meta = cmd->command.run.kernel->meta;
	unsigned int i;

	for (i = 0; i < meta->num_args; i++) {
		struct pocl_argument *arg = &cmd->command.run.arguments[i];

		if (ARG_IS_LOCAL(meta->arg_info[i]))
			put_local(a, arg->size);
		else if (meta->arg_info[i].type == POCL_ARG_TYPE_POINTER)
			put_pointer(a, arg);
		else if (meta->arg_info[i].type == POCL_ARG_TYPE_IMAGE)
			put_image(a, arg);
		else if (meta->arg_info[i].type == POCL_ARG_TYPE_SAMPLER)
			put_sampler(a, arg);
		else
			put(a, arg->value, arg->size);
	}
	for (i = 0; i < meta->num_locals; i++)
		put_local(a, meta->local_sizes[i]);
}

/* ---- running ---- */

/* A sub-device is a range of shader cores: the slices that have them. */
static uint64_t slices_of(struct tess_cl_device *d, cl_device_id device)
{
	uint64_t mask = 0;
	unsigned int i, core = 0;

	if (!device->parent_device)
		return 0;
	for (i = 0; i < TESS_MAX_SLICES; i++) {
		struct tess_slice_info s;

		if (tess_get_slice(d->tess, i, &s))
			break;
		if (!s.available || !(s.engines & TESS_HAS_COMPUTE))
			continue;
		if (core < device->core_start + device->core_count &&
		    core + s.cores > device->core_start)
			mask |= 1ull << i;
		core += s.cores;
	}
	return mask;
}

static uint32_t harts_of(cl_device_id device, uint64_t groups, uint64_t stack)
{
	uint64_t harts = groups / ((uint64_t)device->max_compute_units * ROUNDS);
	uint32_t n = 1;

	while (n < MAX_HARTS && 2 * n <= harts && 2 * n * stack <= STACKS_MAX)
		n *= 2;
	return n;
}

/* More than a dispatch takes if they do not fit into 64 bits */
static uint64_t count_groups(const struct pocl_context *pc)
{
	uint64_t n;

	if (__builtin_mul_overflow(pc->num_groups[0], pc->num_groups[1], &n) ||
	    __builtin_mul_overflow(n, pc->num_groups[2], &n))
		return UINT64_MAX;
	return n;
}

static void fill_context(struct tess_cl_context *c, const struct pocl_context *pc)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		c->num_groups[i] = pc->num_groups[i];
		c->global_offset[i] = pc->global_offset[i];
		c->local_size[i] = pc->local_size[i];
	}
	c->work_dim = pc->work_dim;
}

static uint64_t to_ns(const struct tess_cl_device *d, uint64_t cycles)
{
	return (uint64_t)((double)cycles * 1e6 / d->info.clock_khz);
}

/*
 * How long it took is GPU time; when is the time at which it was seen to be over. To ask the GPU for
 * its clock would be an access to a register, which in a guest is an exit, for each launch.
 */
static void take_times(struct tess_cl_device *d, struct tess_fence *fence,
		       struct tess_cl_times *times)
{
	uint64_t now = pocl_gettimemono_ns();
	struct tess_times t;

	if (tess_fence_times(fence, &t))
		return;
	times->duration = to_ns(d, t.end - t.begin);
	times->start = now - times->duration;
	times->known = true;
}

static int fail(struct tess_cl_device *d, const char *kernel, int err)
{
	tess_cl_report("kernel \"%s\": %s", kernel, tess_strerror(d->tess));
	switch (err) {
	case -ENOMEM:
	case -ENOSPC:
		return CL_OUT_OF_RESOURCES;
	case -ENODEV:
		return CL_DEVICE_NOT_AVAILABLE;
	default:
		return CL_FAILED;
	}
}

static int dispatch(struct tess_cl_device *d, _cl_command_node *cmd, struct tess_cl_binary *b,
		    const struct tess_cl_launch_args *args, uint64_t stack,
		    struct tess_cl_times *times)
{
	bool profiled = cmd->sync.event.event->queue->properties & CL_QUEUE_PROFILING_ENABLE;
	uint32_t harts = harts_of(cmd->device, args->groups, stack);
	struct tess_dispatch td = {
		.kernel = b->entry,
		.grid = { (uint32_t)args->groups },
		.group = { harts },
		.flags = TESS_OP_CONCURRENT,
		.args = args,
		.args_size = sizeof(*args),
		.private_bytes = (uint32_t)pocl_align_value(stack, 16),
		.slice_mask = slices_of(d, cmd->device),
	};
	struct tess_fence *fence;
	int ret;

	ret = tess_dispatch(d->tess, &td, &fence);
	if (ret)
		return ret;
	ret = tess_fence_wait(fence, -1, NULL);
	if (!ret && profiled)
		take_times(d, fence, times);
	tess_fence_destroy(fence);
	return ret;
}

static bool fits(struct tess_cl_device *d, const struct args *a, uint64_t stack, uint64_t groups,
		 const char *kernel)
{
	if (!a->full && a->local <= d->info.max_local_bytes && stack <= STACK_MAX &&
	    groups <= UINT32_MAX)
		return true;
	tess_cl_report("kernel \"%s\" is too large: %llu bytes of local memory, %llu of stack, "
		       "%llu groups%s",
		       kernel, (unsigned long long)a->local, (unsigned long long)stack,
		       (unsigned long long)groups, a->full ? ", too many arguments" : "");
	return false;
}

int tess_cl_launch(struct tess_cl_device *d, _cl_command_node *cmd, struct tess_cl_record *r,
		   struct tess_cl_times *times)
{
	const struct pocl_context *pc = &cmd->command.run.pc;
	const char *name = cmd->command.run.kernel->name;
	struct args a = { .device = cmd->device, .images = RECORD_ARGS };
	struct tess_cl_launch_args args = { 0 };
	struct tess_cl_prints *prints = NULL;
	struct tess_cl_binary *b;
	uint64_t stack;
	int ret;

	args.groups = count_groups(pc);
	if (!args.groups)
		return 0;
	ret = tess_cl_binary_get(d, cmd, &b);
	if (ret)
		return ret;
	a.base = tess_buffer_map(r->buf);
	put_all(&a, cmd);
	stack = b->stack + a.stack + STACK_MARGIN + (b->prints ? TESS_CL_PRINT_GROUP : 0);
	if (!fits(d, &a, stack, args.groups, name))
		return CL_OUT_OF_RESOURCES;
	if (b->prints) {
		prints = start_prints(d, r);
		if (!prints)
			return fail(d, name, -ENOMEM);
	}
	args.function = b->launcher;
	args.args = (uintptr_t)a.base;
	args.prints = (uintptr_t)prints;
	fill_context(&args.context, pc);
	ret = dispatch(d, cmd, b, &args, stack, times);
	show_prints(prints);
	return ret ? fail(d, name, ret) : 0;
}
