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
 * While the GPU is gone but was not stopped, a slice may still use page tables or write to
 * a context, and the front-end has no means any more to keep it from that. A front-end that
 * leaves an object then leaves the shell with it (tess_object.left); both go when the GPU is
 * stopped. The front-end does not wait for that: stopping may want locks that it holds.
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
 * @ops: what ends it
 */
void tess_object_add(struct tess_object *obj, struct tess_gpu *gpu,
		     const struct tess_object_ops *ops)
{
	obj->gpu = gpu;
	obj->ops = ops;
	get_device(&gpu->dev);
	mutex_lock(&gpu->objects_lock);
	list_add_tail(&obj->link, &gpu->objects);
	mutex_unlock(&gpu->objects_lock);
}

/**
 * tess_object_release() - destroy the back-end's part of an object now
 * @obj: object that no slice uses, or of which the back-end itself sees to that
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
		obj->ops->destroy(obj);
	srcu_read_unlock(&gpu->srcu, idx);
}

static void object_free(struct tess_object *obj)
{
	struct tess_gpu *gpu = obj->gpu;

	obj->ops->free(obj);
	put_device(&gpu->dev);
}

/*
 * Slices may still use it, and nobody can tell them not to. An object that was left belongs to
 * who stops the GPU, from when the lock is released.
 */
static bool object_leave(struct tess_object *obj)
{
	struct tess_gpu *gpu = obj->gpu;
	bool left;

	mutex_lock(&gpu->objects_lock);
	left = !list_empty(&obj->link) && READ_ONCE(gpu->gone) && !gpu->stopped;
	obj->left = left;
	mutex_unlock(&gpu->objects_lock);
	return left;
}

/**
 * tess_object_put() - an object goes
 * @obj: object that its owner uses no more and keeps slices from using, as long as the GPU
 *	is not gone
 *
 * If the GPU is gone and was not stopped, that happens when it is.
 */
void tess_object_put(struct tess_object *obj)
{
	struct tess_gpu *gpu = obj->gpu;
	bool left;
	int idx;

	/* If it finds that the GPU is not gone, that waits for the end of this section */
	idx = srcu_read_lock(&gpu->srcu);
	left = object_leave(obj);
	if (!left)
		tess_object_release(obj);
	srcu_read_unlock(&gpu->srcu, idx);
	if (!left)
		object_free(obj);
}

/**
 * tess_objects_stopped() - the GPU reaches no memory any more
 * @gpu: GPU that is gone, with all slices reset
 *
 * Objects that were left meanwhile go.
 */
void tess_objects_stopped(struct tess_gpu *gpu)
{
	struct tess_object *obj, *next;
	LIST_HEAD(left);

	mutex_lock(&gpu->objects_lock);
	WRITE_ONCE(gpu->stopped, true);
	list_for_each_entry_safe(obj, next, &gpu->objects, link)
		if (obj->left)
			list_move_tail(&obj->link, &left);
	mutex_unlock(&gpu->objects_lock);
	list_for_each_entry_safe(obj, next, &left, link) {
		obj->ops->destroy(obj);
		object_free(obj);
	}
}

/**
 * tess_objects_orphan() - destroy the back-end's part of all objects
 * @gpu: GPU that was stopped
 */
void tess_objects_orphan(struct tess_gpu *gpu)
{
	struct tess_object *obj;

	mutex_lock(&gpu->objects_lock);
	while ((obj = list_first_entry_or_null(&gpu->objects, struct tess_object, link))) {
		list_del_init(&obj->link);
		obj->ops->destroy(obj);
	}
	mutex_unlock(&gpu->objects_lock);
	synchronize_srcu(&gpu->srcu);
}
