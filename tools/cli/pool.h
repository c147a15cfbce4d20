/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pool as sysfs shows it: GPUs, slices, vGPUs, vslices. */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include <limits.h>
#include <stddef.h>

#include "value.h"

#define POOL_TEXT 64
#define POOL_NAME (NAME_MAX + 1)

/* What pool_read() reads of the values that cost accesses to the GPU */
enum pool_depth {
	POOL_STATE, /* none */
	POOL_WORK, /* the GPU's time, what is measured of vslices, busy_cycles of slices in use */
	POOL_BUSY, /* busy_cycles of all slices */
	POOL_ALL, /* all counters of slices, too */
};

struct pool_slice;

/**
 * struct pool_vslice - a slice as its vGPU sees it
 * @index: number in the vGPU
 * @gpu: number of the GPU that its slice is of
 * @on: its slice, NULL if it has none
 * @given: 1 if a slice of its own is given for it, 0 if it is withheld and works in turns
 *
 * The others are the files of the same names, see sysfs-tessera in Documentation/ABI.
 */
struct pool_vslice {
	unsigned int index, gpu;
	const struct pool_slice *on;
	struct num slice, resident, runnable;
	struct num run_cycles, wait_cycles, switches, wakeups, moves, lost;
	struct num utilization, shader_intensity, memory_intensity, queue_depth;
	struct num texture_intensity, pixel_intensity, ray_intensity, unit_intensity;
	struct num flop_intensity, stall_intensity, frame_rate;
	struct num given;
};

/* As many display heads as a vGPU can have */
#define POOL_HEADS 4

/**
 * struct pool_head - a display head, as the file heads of the mediated device has it
 * @head: number
 * @width: pixels of what is shown, 0: nothing is
 * @height: lines
 * @shown: pictures
 * @damaged: pixels of them
 */
struct pool_head {
	struct num head, width, height, shown, damaged;
};

/**
 * struct pool_vgpu - a vGPU
 * @dir: its directory; the owner in the slices if the kernel has no directory for it
 * @name: @dir made printable
 * @derived: known from the owners of slices alone, as the kernel is an older one
 * @node: it is a render node with slices of its own
 * @device: name of its file in /dev/dri, of a node, as the following
 * @vram_total: bytes of VRAM that it has
 * @vram_free: bytes of them that are free
 * @mdev: it is a mediated device; what follows is known of those, and in part of nodes
 * @parent: device below which that is, which need not be the GPU that carries it
 * @part: it is the part on this GPU of one that has slices of several, and is whole on the first
 * @blueprint: what is asked for, "none" for a blank one
 * @last_error: why the last change was refused, "none" if it was not
 * @mdev_type: its type without the name of the driver, of the mediated device
 * @generation: of its composition
 * @memory: bytes of VRAM
 * @heads: display heads, a mask
 * @displays: what they show
 * @display_count: of them
 * @given: vslices that slices are given for
 * @withheld: the others
 * @vslices: by index; those of other GPUs are behind its own
 * @vslice_count: of them
 * @own_count: of those that are of this GPU
 *
 * The others are the files of the same names, also those below stats of a mediated device.
 */
struct pool_vgpu {
	char dir[POOL_NAME];
	char name[POOL_NAME];
	bool derived;
	char share[POOL_TEXT], policy[POOL_TEXT];
	struct num weight, cap;
	bool node;
	char device[POOL_TEXT];
	struct num vram_total, vram_free;
	bool mdev;
	char parent[POOL_TEXT];
	bool part;
	char blueprint[POOL_NAME], last_error[POOL_NAME], features[POOL_NAME];
	char mdev_type[POOL_TEXT];
	struct num generation, memory, heads, given, withheld;
	struct num pinned_pages, stage2_faults, stage2_refused, client_faults;
	struct num completions, traps, mmap_faults, zeroed_bytes, still_bytes;
	struct pool_head displays[POOL_HEADS];
	unsigned int display_count;
	struct pool_vslice *vslices;
	unsigned int vslice_count, own_count;
};

/**
 * struct pool_slice - a slice
 * @index: number in the GPU
 * @owner: may be cut to the length of a name
 */
struct pool_slice {
	unsigned int index;
	char kind[POOL_TEXT], state[POOL_TEXT], owner[POOL_NAME], policy[POOL_TEXT];
	char service[POOL_TEXT];
	struct num members, quantum_us, preempt_timeout_us;
	struct num switches, preemptions, timeouts, moves_in, moves_out;
	struct num cores, engines, bank_offset, bank_size;
	struct num compute_rate, memory_bandwidth, texture_fill_rate, pixel_fill_rate, ray_rate;
	struct num active_cycles, busy_cycles, stall_cycles, instructions, flops, texels, pixels;
	struct num rays, global_bytes, private_bytes, unit_cycles;
	struct num copy_bytes, link_bytes, groups, packets, dispatches, faults;
};

/**
 * struct pool_gpu - a GPU
 * @index: N of gpuN
 * @name: on its bus
 * @slices: by index
 * @vgpus: by name
 */
struct pool_gpu {
	unsigned int index;
	char name[POOL_TEXT], type[POOL_TEXT];
	struct num slices_total, slices_free, vram_total, vram_free, clock_khz, time_cycles;
	struct num generation;
	struct pool_slice *slices;
	unsigned int slice_count;
	struct pool_vgpu *vgpus;
	unsigned int vgpu_count;
};

/**
 * struct pool - all GPUs
 * @gpus: by number
 * @gpu_count: of them
 * @denied: what clients do was to be read, and only root can
 */
struct pool {
	struct pool_gpu *gpus;
	unsigned int gpu_count;
	bool denied;
};

enum pool_type {
	POOL_TYPE_TEXT,
	POOL_TYPE_NAME, /* text of POOL_NAME bytes */
	POOL_TYPE_NUM,
	POOL_TYPE_ENGINES, /* a mask of engines */
};

/**
 * struct pool_attr - a file and the member it is read into
 * @name: of the file, and of the member in JSON; NULL ends a list
 * @type: of the member
 * @offset: of the member
 * @depth: read from this one on
 */
struct pool_attr {
	const char *name;
	enum pool_type type;
	size_t offset;
	enum pool_depth depth;
};

extern const struct pool_attr pool_gpu_attrs[];
extern const struct pool_attr pool_slice_attrs[];
extern const struct pool_attr pool_vgpu_attrs[];
extern const struct pool_attr pool_vslice_attrs[];

/* Of a vGPU: the files of its mediated device, those below its stats, and what the link to its
 * type and its composition say */
extern const struct pool_attr pool_mdev_attrs[];
extern const struct pool_attr pool_stats_attrs[];
extern const struct pool_attr pool_composition_attrs[];
/* The files of its directory as a node, but for those that mediated devices have, too */
extern const struct pool_attr pool_node_attrs[];
/* Of a head */
extern const struct pool_attr pool_head_attrs[];
/* Of a vslice: what the composition of its vGPU says */
extern const struct pool_attr pool_given_attrs[];

/**
 * pool_read() - read the whole pool
 * @sysfs: root of sysfs
 * @depth: which counters
 * @pool: filled; pool_free() it, also after an error
 *
 * What comes or goes meanwhile is there or not there as a whole, except for values that
 * are unknown then.
 *
 * Return: 0 or negative errno: -ENOENT no module, -ENODEV no GPU, -EACCES, -ENOMEM.
 */
int pool_read(const char *sysfs, enum pool_depth depth, struct pool *pool);

/* Read all of a slice again, with all counters: the pool as a whole takes long that way. */
void pool_read_counters(const char *sysfs, const struct pool_gpu *gpu, struct pool_slice *slice);

/* Read files into the members of an object. */
void pool_read_attrs(int dir, const struct pool_attr *attr, enum pool_depth depth, void *object);

/* The GPU of a number, NULL if there is none. */
struct pool_gpu *pool_gpu(const struct pool *pool, unsigned int index);

/* The vslices of @part follow those that a vGPU has: -ENOMEM. */
int pool_add_part(struct pool_vgpu *vgpu, struct pool_vgpu *part);

/* One more vGPU, of which only the name is known; NULL without memory. */
struct pool_vgpu *pool_add_vgpu(struct pool_gpu *gpu, const char *name);

/* Free what pool_read() allocated. */
void pool_free(struct pool *pool);

/* Number behind a member that is a num. */
struct num pool_attr_num(const void *object, const struct pool_attr *attr);

/* Does it say something? */
bool pool_attr_is_known(const void *object, const struct pool_attr *attr);

/* Text of any member, "-" if unknown or empty. Returns @buf of POOL_NAME bytes. */
const char *pool_attr_text(char *buf, const void *object, const struct pool_attr *attr);

/* Name of engine @i of a mask, NULL behind the last. */
const char *pool_engine_name(unsigned int i);

/* Slice @index of a GPU, NULL if there is none. */
const struct pool_slice *pool_slice(const struct pool_gpu *gpu, struct num index);

/* vGPU by the name of its directory, NULL if there is none. */
const struct pool_vgpu *pool_vgpu(const struct pool_gpu *gpu, const char *dir);

/* vslice @index of a vGPU, NULL if there is none. */
const struct pool_vslice *pool_vslice(const struct pool_vgpu *vgpu, unsigned int index);

/* Sum of a member of all vslices of its GPU. @member: offset in struct pool_vslice. */
struct num pool_vgpu_sum(const struct pool_vgpu *vgpu, size_t member);

/* Mean of a member over those vslices where it is known. */
struct num pool_vgpu_mean(const struct pool_vgpu *vgpu, size_t member);

#endif
