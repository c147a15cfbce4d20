/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_OBJECT_H_
#define _TESSERA_CORE_OBJECT_H_

#include <linux/list.h>
#include <linux/types.h>

struct tess_gpu;
struct tess_object;

/**
 * struct tess_object_ops - how a sort of objects ends
 * @destroy: destroys the back-end's part. Called once, the back-end is there
 * @free: frees the structure around the object
 */
struct tess_object_ops {
	void (*destroy)(struct tess_object *obj);
	void (*free)(struct tess_object *obj);
};

/**
 * struct tess_object - something of a client that has a part in the back-end
 * @link: in tess_gpu.objects; empty when the back-end's part is gone
 * @gpu: GPU, a reference to its device is held
 * @ops: how it ends
 * @left: its owner has left it, it goes when the GPU is stopped. Under tess_gpu.objects_lock
 */
struct tess_object {
	struct list_head link;
	struct tess_gpu *gpu;
	const struct tess_object_ops *ops;
	bool left;
};

void tess_object_add(struct tess_object *obj, struct tess_gpu *gpu,
		     const struct tess_object_ops *ops);
void tess_object_release(struct tess_object *obj);
void tess_object_put(struct tess_object *obj);
void tess_objects_stopped(struct tess_gpu *gpu);
void tess_objects_orphan(struct tess_gpu *gpu);

#endif
