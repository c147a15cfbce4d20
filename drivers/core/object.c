// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects of clients that have a part in the back-end.
 *
 * DOC: Objects
 *
 * Page tables, memory and rings have a shell, which belongs to the front-end and lives
 * until the front-end frees it, and a part in the back-end, which cannot outlive the
 * GPU. When a GPU goes away while a process still has its file open, the core destroys
 * the back-end's parts (tess_objects_orphan()) and leaves the shells: what the
 * front-end frees later is only memory. So no front-end has to find all its objects
 * within gpu_remove().
 *
 * Which of the two destroys is decided under tess_gpu.objects_lock: who takes the
 * object from the list. A front-end that does is inside an SRCU read section until it
 * has finished, and orphaning ends with a grace period; a front-end that comes too
 * late waits for the mutex until orphaning is over. Either way nobody frees what the
 * other still uses.
 */
#include "gpu.h"
#include "object.h"

/**
 * tess_object_add() - make an object known
 * @obj: object
 * @gpu: GPU; the caller is between tess_gpu_enter() and tess_gpu_exit()
 * @destroy: destroys the back-end's part
 */
void tess_object_add(struct tess_object *obj, struct tess_gpu *gpu,
		     void (*destroy)(struct tess_object *obj))
{
	obj->gpu = gpu;
	obj->destroy = destroy;
	get_device(&gpu->dev);
	mutex_lock(&gpu->objects_lock);
	list_add_tail(&obj->link, &gpu->objects);
	mutex_unlock(&gpu->objects_lock);
}

/**
 * tess_object_release() - destroy the back-end's part of an object
 * @obj: object
 *
 * On return it is gone, whoever destroyed it. Repeating the call is harmless.
 */
void tess_object_release(struct tess_object *obj)
{
	struct tess_gpu *gpu = obj->gpu;
	bool mine;
	int idx;

	idx = srcu_read_lock(&gpu->srcu);
	mutex_lock(&gpu->objects_lock);
	mine = !list_empty(&obj->link);
	list_del_init(&obj->link);
	mutex_unlock(&gpu->objects_lock);
	if (mine)
		obj->destroy(obj);
	srcu_read_unlock(&gpu->srcu, idx);
}

/**
 * tess_object_put() - the shell goes
 * @obj: object after tess_object_release(); the caller frees the structure around it
 */
void tess_object_put(struct tess_object *obj)
{
	put_device(&obj->gpu->dev);
}

/**
 * tess_objects_orphan() - destroy the back-end's part of all objects
 * @gpu: GPU that is gone, with all slices reset
 */
void tess_objects_orphan(struct tess_gpu *gpu)
{
	struct tess_object *obj;

	mutex_lock(&gpu->objects_lock);
	while ((obj = list_first_entry_or_null(&gpu->objects, struct tess_object, link))) {
		list_del_init(&obj->link);
		obj->destroy(obj);
	}
	mutex_unlock(&gpu->objects_lock);
	synchronize_srcu(&gpu->srcu);
}
