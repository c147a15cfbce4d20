/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_VGPU_H_
#define _TESSERA_CORE_VGPU_H_

#include <linux/list.h>
#include <linux/wait.h>
#include <tessera/backend.h>

struct tess_slice;

/**
 * struct tess_vslice - a slice as a vGPU sees it
 * @slice: slice that runs it, or NULL. Under tess_gpu.lock
 * @ring: of a kernel client, or NULL. Under tess_slice.hw of @slice
 * @setup: what the host allows. Under tess_slice.hw of @slice
 * @stage2: translation, or NULL. Under tess_slice.hw of @slice
 */
struct tess_vslice {
	struct tess_slice *slice;
	struct tess_ring *ring;
	struct tess_slice_setup setup;
	struct tess_as *stage2;
};

/**
 * struct tess_vgpu - a composition
 * @link: in tess_gpu.vgpus
 * @gpu: GPU, a reference to its device is held
 * @name: owner
 * @blueprint: what was asked for, engines resolved
 * @elastic: holds what is free
 * @ops: call-backs
 * @priv: of the owner
 * @owner: its module, pinned; NULL if elastic: that vGPU is there as long as the
 *	front-end and the GPU are, and would keep both from ever leaving
 * @dying: no new call-back starts. Under tess_gpu.lock
 * @active: call-backs that run. Under tess_gpu.lock
 * @idle: woken when @active is 0
 * @published: tess_vgpu_create() is past the point of failure. Under tess_gpu.lock,
 *	written once
 * @told_gone: gone() was called. Under tess_gpu.lock
 * @generation: of the composition. Under tess_gpu.lock
 * @banks: memory of each vslice, or NULL
 * @vram: all of it, in order
 * @nr_vslices: entries of @vslices
 * @vslices: by index
 */
struct tess_vgpu {
	struct list_head link;
	struct tess_gpu *gpu;
	char *name;
	struct tess_blueprint blueprint;
	bool elastic;
	const struct tess_client_ops *ops;
	void *priv;
	struct module *owner;
	bool dying;
	unsigned int active;
	wait_queue_head_t idle;
	bool published;
	bool told_gone;
	u64 generation;
	struct tess_vram **banks;
	struct tess_vram vram;
	unsigned int nr_vslices;
	struct tess_vslice vslices[] __counted_by(nr_vslices);
};

struct tess_vgpu *tess_vgpu_get_client(struct tess_slice *slice, unsigned int *vslice);
void tess_vgpu_put_client(struct tess_vgpu *vgpu);
void tess_vgpu_wait_idle(struct tess_vgpu *vgpu);
void tess_vgpus_tell_gone(struct tess_gpu *gpu);

#endif
