// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: metrics
 *
 * A table names the families; each has the samples of all its objects together, as OpenMetrics
 * wants it. Units are base units: cycles are seconds of the GPU's clock. A value that is not known
 * has no sample, and a family without samples is not there. What only groups series together
 * (the type of a vGPU, the owner of a slice) is a label of an info metric, so that series do not
 * end when it changes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "metrics.h"

#define NANO 1000000000

/* What it takes from the value of a file to the unit */
enum scale {
	SCALE_ONE,
	SCALE_THOUSANDTHS,
	SCALE_PERCENT, /* 0 stands for no limit, which is no number */
	SCALE_KHZ,
	SCALE_PAGES,
	SCALE_CYCLES,
};

enum source {
	OF_GPU,
	OF_SLICE,
	OF_VGPU,
	OF_HEAD,
	SUM_OF_VSLICES,
	MEAN_OF_VSLICES,
};

/**
 * struct family - metrics of a name
 * @name: with its unit, without "tessera_"
 * @unit: NULL: a number of things
 * @counter: it only grows; else a gauge
 * @source: object that it is of
 * @member: its value, a struct num of that object, or of vslices
 * @scale: of the value
 * @depth: it is read from this one on
 * @help: a sentence
 */
struct family {
	const char *name, *unit;
	bool counter;
	enum source source;
	size_t member;
	enum scale scale;
	enum pool_depth depth;
	const char *help;
};

#define GPU(member) OF_GPU, offsetof(struct pool_gpu, member)
#define SLICE(member) OF_SLICE, offsetof(struct pool_slice, member)
#define VGPU(member) OF_VGPU, offsetof(struct pool_vgpu, member)
#define HEAD(member) OF_HEAD, offsetof(struct pool_head, member)
#define SUM(member) SUM_OF_VSLICES, offsetof(struct pool_vslice, member)
#define MEAN(member) MEAN_OF_VSLICES, offsetof(struct pool_vslice, member)

/* clang-format off */
static const struct family families[] = {
	{ "gpu_slices", NULL, false, GPU(slices_total), SCALE_ONE, POOL_STATE,
	  "Slices of the GPU." },
	{ "gpu_slices_free", NULL, false, GPU(slices_free), SCALE_ONE, POOL_STATE,
	  "Slices that are available to a new vGPU." },
	{ "gpu_vram_bytes", "bytes", false, GPU(vram_total), SCALE_ONE, POOL_STATE,
	  "VRAM of the GPU." },
	{ "gpu_vram_free_bytes", "bytes", false, GPU(vram_free), SCALE_ONE, POOL_STATE,
	  "VRAM that no client has." },
	{ "gpu_clock_hertz", "hertz", false, GPU(clock_khz), SCALE_KHZ, POOL_STATE,
	  "Nominal clock." },
	{ "gpu_time_seconds", "seconds", true, GPU(time_cycles), SCALE_CYCLES, POOL_WORK,
	  "GPU time; all seconds of slices and vGPUs are of this clock." },
	{ "gpu_generation", NULL, false, GPU(generation), SCALE_ONE, POOL_STATE,
	  "Grows when a slice gets another owner, state or shape." },

	{ "slice_cores", NULL, false, SLICE(cores), SCALE_ONE, POOL_STATE,
	  "Shader cores of the slice." },
	{ "slice_members", NULL, false, SLICE(members), SCALE_ONE, POOL_STATE,
	  "Vslices that share the slice." },
	{ "slice_busy_seconds", "seconds", true, SLICE(busy_cycles), SCALE_CYCLES, POOL_WORK,
	  "Time in which packets ran on the slice." },
	{ "slice_switches", NULL, true, SLICE(switches), SCALE_ONE, POOL_STATE,
	  "Vslices that became resident on the slice." },
	{ "slice_preemptions", NULL, true, SLICE(preemptions), SCALE_ONE, POOL_STATE,
	  "Turns on the slice that ended before the work did." },
	{ "slice_timeouts", NULL, true, SLICE(timeouts), SCALE_ONE, POOL_STATE,
	  "Clients of the slice that did not stop in time." },
	{ "slice_moves_in", NULL, true, SLICE(moves_in), SCALE_ONE, POOL_STATE,
	  "Vslices that moved to the slice." },
	{ "slice_moves_out", NULL, true, SLICE(moves_out), SCALE_ONE, POOL_STATE,
	  "Vslices that moved from the slice." },
	{ "slice_active_seconds", "seconds", true, SLICE(active_cycles), SCALE_CYCLES, POOL_ALL,
	  "Time in which a ring was enabled on the slice." },
	{ "slice_stall_seconds", "seconds", true, SLICE(stall_cycles), SCALE_CYCLES, POOL_ALL,
	  "Time that cores lost to translation and links, summed over the cores." },
	{ "slice_instructions", NULL, true, SLICE(instructions), SCALE_ONE, POOL_ALL,
	  "Shader instructions." },
	{ "slice_flops", NULL, true, SLICE(flops), SCALE_ONE, POOL_ALL,
	  "Floating-point operations." },
	{ "slice_texels", NULL, true, SLICE(texels), SCALE_ONE, POOL_ALL, "Texels." },
	{ "slice_pixels", NULL, true, SLICE(pixels), SCALE_ONE, POOL_ALL, "Pixels." },
	{ "slice_rays", NULL, true, SLICE(rays), SCALE_ONE, POOL_ALL, "Intersections of rays." },
	{ "slice_global_bytes", "bytes", true, SLICE(global_bytes), SCALE_ONE, POOL_ALL,
	  "Bytes that work-items loaded and stored in global memory." },
	{ "slice_private_bytes", "bytes", true, SLICE(private_bytes), SCALE_ONE, POOL_ALL,
	  "Bytes that work-items loaded and stored in private memory." },
	{ "slice_unit_seconds", "seconds", true, SLICE(unit_cycles), SCALE_CYCLES, POOL_ALL,
	  "Time of kernels that can use units for textures, pixels or rays." },
	{ "slice_copy_bytes", "bytes", true, SLICE(copy_bytes), SCALE_ONE, POOL_ALL,
	  "Bytes that the copy engine moved." },
	{ "slice_link_bytes", "bytes", true, SLICE(link_bytes), SCALE_ONE, POOL_ALL,
	  "Bytes that crossed a fabric link." },
	{ "slice_groups", NULL, true, SLICE(groups), SCALE_ONE, POOL_ALL, "Work-groups." },
	{ "slice_packets", NULL, true, SLICE(packets), SCALE_ONE, POOL_ALL, "Packets." },
	{ "slice_dispatches", NULL, true, SLICE(dispatches), SCALE_ONE, POOL_ALL, "Dispatches." },
	{ "slice_faults", NULL, true, SLICE(faults), SCALE_ONE, POOL_ALL,
	  "Faults of clients and of stage 2." },

	{ "vgpu_weight", NULL, false, VGPU(weight), SCALE_ONE, POOL_STATE,
	  "Share of shared slices, relative to the weights of other vGPUs." },
	{ "vgpu_cap_ratio", "ratio", false, VGPU(cap), SCALE_PERCENT, POOL_STATE,
	  "Largest part of each shared slice; without one there is no limit." },
	{ "vgpu_slices", NULL, false, VGPU(given), SCALE_ONE, POOL_STATE,
	  "Vslices with a slice of their own." },
	{ "vgpu_withheld", NULL, false, VGPU(withheld), SCALE_ONE, POOL_STATE,
	  "The other vslices." },
	{ "vgpu_vram_bytes", "bytes", false, VGPU(memory), SCALE_ONE, POOL_STATE,
	  "VRAM of the vGPU." },
	{ "vgpu_vram_free_bytes", "bytes", false, VGPU(vram_free), SCALE_ONE, POOL_STATE,
	  "VRAM of a render node that its processes have not taken." },
	{ "vgpu_generation", NULL, false, VGPU(generation), SCALE_ONE, POOL_STATE,
	  "Number of the composition." },
	{ "vgpu_utilization_ratio", "ratio", false, MEAN(utilization), SCALE_THOUSANDTHS, POOL_WORK,
	  "Part of the time in which packets ran, recent mean of the vslices." },
	{ "vgpu_shader_intensity_ratio", "ratio", false, MEAN(shader_intensity), SCALE_THOUSANDTHS,
	  POOL_WORK, "Instructions per cycle and core while packets ran, mean of the vslices." },
	{ "vgpu_memory_intensity_ratio", "ratio", false, MEAN(memory_intensity), SCALE_THOUSANDTHS,
	  POOL_WORK, "Use of memory bandwidth while packets ran, mean of the vslices." },
	{ "vgpu_texture_intensity_ratio", "ratio", false, MEAN(texture_intensity),
	  SCALE_THOUSANDTHS, POOL_WORK, "Use of texture units while packets ran, mean of the vslices." },
	{ "vgpu_pixel_intensity_ratio", "ratio", false, MEAN(pixel_intensity), SCALE_THOUSANDTHS,
	  POOL_WORK, "Use of pixel units while packets ran, mean of the vslices." },
	{ "vgpu_ray_intensity_ratio", "ratio", false, MEAN(ray_intensity), SCALE_THOUSANDTHS,
	  POOL_WORK, "Use of ray units while packets ran, mean of the vslices." },
	{ "vgpu_unit_intensity_ratio", "ratio", false, MEAN(unit_intensity), SCALE_THOUSANDTHS,
	  POOL_WORK, "Kernels that can use units while packets ran, mean of the vslices." },
	{ "vgpu_frames_per_second", NULL, false, SUM(frame_rate), SCALE_THOUSANDTHS, POOL_WORK,
	  "Pictures that programs of the vGPU say they complete, recent mean." },
	{ "vgpu_queue_packets", "packets", false, SUM(queue_depth), SCALE_THOUSANDTHS, POOL_WORK,
	  "Packets in the rings of the vGPU, recent mean." },
	{ "vgpu_run_seconds", "seconds", true, SUM(run_cycles), SCALE_CYCLES, POOL_WORK,
	  "Time in which slices ran packets of the vGPU, summed over its vslices." },
	{ "vgpu_wait_seconds", "seconds", true, SUM(wait_cycles), SCALE_CYCLES, POOL_WORK,
	  "Time in which the vGPU had work and waited for a slice, summed over its vslices." },
	{ "vgpu_switches", NULL, true, SUM(switches), SCALE_ONE, POOL_STATE,
	  "How often a vslice became resident." },
	{ "vgpu_wakeups", NULL, true, SUM(wakeups), SCALE_ONE, POOL_STATE,
	  "How often a parked vslice got work." },
	{ "vgpu_moves", NULL, true, SUM(moves), SCALE_ONE, POOL_STATE,
	  "Moves of vslices to another slice." },
	{ "vgpu_lost", NULL, true, SUM(lost), SCALE_ONE, POOL_STATE,
	  "How often work was dropped because it did not stop in time." },
	{ "vgpu_pinned_bytes", "bytes", false, VGPU(pinned_pages), SCALE_PAGES, POOL_STATE,
	  "Guest memory that is pinned." },
	{ "vgpu_stage2_faults", NULL, true, VGPU(stage2_faults), SCALE_ONE, POOL_STATE,
	  "Accesses to guest memory that were resolved by pinning it." },
	{ "vgpu_stage2_refused", NULL, true, VGPU(stage2_refused), SCALE_ONE, POOL_STATE,
	  "Accesses to guest memory that failed." },
	{ "vgpu_client_faults", NULL, true, VGPU(client_faults), SCALE_ONE, POOL_STATE,
	  "Faults that were reported to the guest." },
	{ "vgpu_completions", NULL, true, VGPU(completions), SCALE_ONE, POOL_STATE,
	  "Completion interrupts." },
	{ "vgpu_traps", NULL, true, VGPU(traps), SCALE_ONE, POOL_STATE,
	  "Accesses to trapped registers." },
	{ "vgpu_mmap_faults", NULL, true, VGPU(mmap_faults), SCALE_ONE, POOL_STATE,
	  "Page faults on directly mapped pages." },
	{ "vgpu_zeroed_bytes", "bytes", true, VGPU(zeroed_bytes), SCALE_ONE, POOL_STATE,
	  "VRAM that resets had to zero." },
	{ "vgpu_still_bytes", "bytes", true, VGPU(still_bytes), SCALE_ONE, POOL_STATE,
	  "VRAM that moves to other GPUs copied while the vGPU stood still." },
	{ "vgpu_head_width_pixels", "pixels", false, HEAD(width), SCALE_ONE, POOL_STATE,
	  "Width of what the display head shows; 0: it shows nothing." },
	{ "vgpu_head_height_pixels", "pixels", false, HEAD(height), SCALE_ONE, POOL_STATE,
	  "Height of what the display head shows." },
	{ "vgpu_head_pictures", NULL, true, HEAD(shown), SCALE_ONE, POOL_STATE,
	  "Pictures that the display head showed." },
	{ "vgpu_head_damaged_pixels", "pixels", true, HEAD(damaged), SCALE_ONE, POOL_STATE,
	  "Pixels of these that differed from the picture before, as the guest says." },
};
/* clang-format on */

/**
 * struct object - what a sample is of
 * @gpu: always set
 * @slice: set if it is a slice
 * @vgpu: set if it is a vGPU, or the part of it that is of @gpu
 * @head: set if it is a display head of @vgpu
 */
struct object {
	const struct pool_gpu *gpu;
	const struct pool_slice *slice;
	const struct pool_vgpu *vgpu;
	const struct pool_head *head;
};

/* ---- text ---- */

/**
 * struct out - where to, and how
 * @file: is written to
 * @format: of it
 */
struct out {
	FILE *file;
	enum metrics_format format;
};

/*
 * In the older format a family has the name of its samples, with their suffix; there are no units, and
 * what is no counter is a gauge.
 */
static void print_family(const struct out *out, const char *name, const char *suffix,
			 const char *type, const char *unit, const char *help)
{
	bool classic = out->format == METRICS_PROMETHEUS;

	if (!classic)
		suffix = "";
	else if (strcmp(type, "counter"))
		type = "gauge";
	fprintf(out->file, "# HELP tessera_%s%s %s\n# TYPE tessera_%s%s %s\n", name, suffix, help,
		name, suffix, type);
	if (unit && !classic)
		fprintf(out->file, "# UNIT tessera_%s %s\n", name, unit);
}

/* What is printed of it is ASCII already */
static void print_label(const struct out *out, const char *name, const char *value)
{
	fprintf(out->file, ",%s=\"", name);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', out->file);
		fputc(*value, out->file);
	}
	fputc('"', out->file);
}

static void print_text_label(const struct out *out, const char *name, const char *value)
{
	if (*value)
		print_label(out, name, value);
}

/* Name and labels up to those that an info metric adds */
static void print_object(const struct out *out, const char *name, const char *suffix,
			 const struct object *object)
{
	fprintf(out->file, "tessera_%s%s{gpu=\"gpu%u\"", name, suffix, object->gpu->index);
	if (object->slice)
		fprintf(out->file, ",slice=\"%u\"", object->slice->index);
	if (object->vgpu)
		print_label(out, "vgpu", object->vgpu->name);
	if (object->head)
		fprintf(out->file, ",head=\"%" PRId64 "\"", object->head->head.v);
}

/* ---- values ---- */

static struct num member(const void *object, size_t offset)
{
	return *(const struct num *)((const char *)object + offset);
}

static struct num value_of(const struct family *family, const struct object *object)
{
	switch (family->source) {
	case OF_GPU:
		return member(object->gpu, family->member);
	case OF_SLICE:
		return member(object->slice, family->member);
	case OF_VGPU:
		return member(object->vgpu, family->member);
	case OF_HEAD:
		return member(object->head, family->member);
	case SUM_OF_VSLICES:
		return pool_vgpu_sum(object->vgpu, family->member);
	case MEAN_OF_VSLICES:
		break;
	}
	return pool_vgpu_mean(object->vgpu, family->member);
}

/* Cycles per second; unknown if the GPU does not say, or says nonsense */
static struct num hertz(const struct pool_gpu *gpu)
{
	struct num hz = NUM_UNKNOWN;

	if (gpu->clock_khz.known && gpu->clock_khz.v > 0 &&
	    !__builtin_mul_overflow(gpu->clock_khz.v, 1000, &hz.v))
		hz.known = true;
	return hz;
}

/**
 * struct decimal - a number in a unit
 * @known: it is one
 * @whole: before the point
 * @rest: behind it, in units of 10^-@digits
 * @digits: behind the point, 0: none and no point
 */
struct decimal {
	bool known;
	int64_t whole, rest;
	int digits;
};

static struct decimal divided(struct num n, int64_t by, int digits, int64_t ten_to_digits)
{
	return (struct decimal){
		.known = n.known,
		.whole = n.v / by,
		.rest = (int64_t)((__int128)(n.v % by) * ten_to_digits / by),
		.digits = digits,
	};
}

static struct decimal multiplied(struct num n, int64_t by)
{
	struct decimal d = { .known = n.known };

	if (__builtin_mul_overflow(n.v, by, &d.whole))
		d.known = false;
	return d;
}

static struct decimal scaled(struct num n, enum scale scale, const struct pool_gpu *gpu)
{
	struct num hz;

	/* No file has a number below 0 that says something */
	if (n.v < 0)
		return (struct decimal){ 0 };
	switch (scale) {
	case SCALE_THOUSANDTHS:
		return divided(n, 1000, 3, 1000);
	case SCALE_PERCENT:
		return divided(n.v ? n : NUM_UNKNOWN, 100, 2, 100);
	case SCALE_KHZ:
		return multiplied(n, 1000);
	case SCALE_PAGES:
		return multiplied(n, sysconf(_SC_PAGESIZE));
	case SCALE_CYCLES:
		hz = hertz(gpu);
		return hz.known ? divided(n, hz.v, 9, NANO) : (struct decimal){ 0 };
	case SCALE_ONE:
		break;
	}
	return multiplied(n, 1);
}

/* ---- families ---- */

/* With its head if it is the first sample */
static void print_sample(const struct out *out, const struct family *family,
			 const struct object *object, bool *any)
{
	const char *suffix = family->counter ? "_total" : "";
	struct decimal d = scaled(value_of(family, object), family->scale, object->gpu);

	if (!d.known)
		return;
	if (!*any)
		print_family(out, family->name, suffix, family->counter ? "counter" : "gauge",
			     family->unit, family->help);
	*any = true;
	print_object(out, family->name, suffix, object);
	fprintf(out->file, "} %" PRId64, d.whole);
	if (d.digits)
		fprintf(out->file, ".%0*" PRId64, d.digits, d.rest);
	fputc('\n', out->file);
}

static unsigned int objects(const struct pool_gpu *gpu, enum source source)
{
	switch (source) {
	case OF_GPU:
		return 1;
	case OF_SLICE:
		return gpu->slice_count;
	case OF_VGPU:
	case OF_HEAD:
	case SUM_OF_VSLICES:
	case MEAN_OF_VSLICES:
		break;
	}
	return gpu->vgpu_count;
}

/* Of one of these objects, or of what that has several of */
static void print_samples_of(const struct out *out, const struct family *family,
			     struct object *object, bool *any)
{
	unsigned int i;

	if (family->source != OF_HEAD) {
		print_sample(out, family, object, any);
		return;
	}
	for (i = 0; i < object->vgpu->display_count; i++) {
		object->head = &object->vgpu->displays[i];
		print_sample(out, family, object, any);
	}
}

static void print_samples(const struct out *out, const struct pool *pool,
			  const struct family *family)
{
	unsigned int i, j;
	bool any = false;

	for (i = 0; i < pool->gpu_count; i++) {
		struct object object = { .gpu = &pool->gpus[i] };

		for (j = 0; j < objects(object.gpu, family->source); j++) {
			if (family->source == OF_SLICE)
				object.slice = &object.gpu->slices[j];
			else if (family->source != OF_GPU)
				object.vgpu = &object.gpu->vgpus[j];
			print_samples_of(out, family, &object, &any);
		}
	}
}

/* ---- what is no number ---- */

static void print_gpu_info(const struct out *out, const struct pool *pool)
{
	unsigned int i;

	print_family(out, "gpu", "_info", "info", NULL,
		     "Name of the GPU on its bus, and whether it is a vGPU.");
	for (i = 0; i < pool->gpu_count; i++) {
		const struct object object = { .gpu = &pool->gpus[i] };

		print_object(out, "gpu", "_info", &object);
		print_text_label(out, "name", object.gpu->name);
		print_text_label(out, "type", object.gpu->type);
		fputs("} 1\n", out->file);
	}
}

static void print_slice_info(const struct out *out, const struct pool *pool)
{
	unsigned int i, j;

	print_family(out, "slice", "_info", "info", NULL,
		     "Kind of the slice, and who is resident on it.");
	for (i = 0; i < pool->gpu_count; i++)
		for (j = 0; j < pool->gpus[i].slice_count; j++) {
			const struct pool_slice *slice = &pool->gpus[i].slices[j];
			const struct object object = { .gpu = &pool->gpus[i], .slice = slice };

			print_object(out, "slice", "_info", &object);
			print_text_label(out, "kind", slice->kind);
			print_text_label(out, "policy", slice->policy);
			print_text_label(out, "service", slice->service);
			print_text_label(out, "owner", slice->owner);
			fputs("} 1\n", out->file);
		}
}

static void print_slice_state(const struct out *out, const struct pool_gpu *gpu,
			      const struct pool_slice *slice)
{
	static const char *const states[] = { "free",	"elastic", "used",   "shared",
					      "faulty", "absent",  "offline" };
	const struct object object = { .gpu = gpu, .slice = slice };
	unsigned int i, count = sizeof(states) / sizeof(states[0]);

	for (i = 0; i < count && strcmp(states[i], slice->state);)
		i++;
	if (i == count)
		return;
	for (i = 0; i < count; i++) {
		print_object(out, "slice_state", "", &object);
		print_label(out, "tessera_slice_state", states[i]);
		fprintf(out->file, "} %d\n", !strcmp(states[i], slice->state));
	}
}

static void print_slice_states(const struct out *out, const struct pool *pool)
{
	unsigned int i, j;

	print_family(out, "slice_state", "", "stateset", NULL, "Who can use the slice.");
	for (i = 0; i < pool->gpu_count; i++)
		for (j = 0; j < pool->gpus[i].slice_count; j++)
			print_slice_state(out, &pool->gpus[i], &pool->gpus[i].slices[j]);
}

static void print_vgpu_info(const struct out *out, const struct pool *pool)
{
	unsigned int i, j;

	print_family(out, "vgpu", "_info", "info", NULL,
		     "UUID and type of the vGPU or device of the node, and how it is scheduled.");
	for (i = 0; i < pool->gpu_count; i++)
		for (j = 0; j < pool->gpus[i].vgpu_count; j++) {
			const struct pool_vgpu *vgpu = &pool->gpus[i].vgpus[j];
			const struct object object = { .gpu = &pool->gpus[i], .vgpu = vgpu };

			print_object(out, "vgpu", "_info", &object);
			print_text_label(out, "uuid", vgpu->mdev ? vgpu->name : "");
			print_text_label(out, "type", vgpu->mdev_type);
			print_text_label(out, "parent", vgpu->parent);
			print_text_label(out, "device", vgpu->device);
			print_text_label(out, "share", vgpu->share);
			print_text_label(out, "policy", vgpu->policy);
			fputs("} 1\n", out->file);
		}
}

void metrics_print(FILE *file, enum metrics_format format, const struct pool *pool,
		   enum pool_depth depth)
{
	const struct out out = { .file = file, .format = format };
	unsigned int i;

	print_gpu_info(&out, pool);
	print_slice_info(&out, pool);
	print_slice_states(&out, pool);
	print_vgpu_info(&out, pool);
	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (families[i].depth <= depth)
			print_samples(&out, pool, &families[i]);
	if (format == METRICS_OPEN)
		fputs("# EOF\n", file);
}
