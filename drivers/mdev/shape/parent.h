/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_PARENT_H_
#define _TESS_MDEV_PARENT_H_

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mdev.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/workqueue.h>
#include <tessera/gpu.h>
#include "types.h"

struct device;

/**
 * struct tess_mdev_frontend - the front-end
 * @base: registration with the core
 * @driver: driver of the mdevs
 * @wq: parents that leave
 * @lock: protects @parents; inside tess_mdev_parent.lock
 * @parents: all, also those that linger, and those that wait until these are gone
 * @mdevs_lock: protects @mdevs; outermost, held while a GPU is drained
 * @mdevs: all vGPUs, also those that linger
 */
struct tess_mdev_frontend {
	struct tess_frontend base;
	struct mdev_driver *driver;
	struct workqueue_struct *wq;
	struct mutex lock;
	struct list_head parents;
	struct mutex mdevs_lock;
	struct list_head mdevs;
};

/**
 * struct tess_mdev_parent - a GPU that gives vGPUs to virtual machines
 * @base: mdev parent
 * @ref: the registration and whoever waits for its end
 * @frontend: front-end
 * @dev: PCI device of the GPU, referenced
 * @lock: protects @gpu, as tess_mdev_frontend.lock does; held for reading while @gpu is in use
 * @gpu: the GPU, NULL when it is gone
 * @offered: registered with the mdev core, or about to be; of those with the same @dev one is.
 *	Changed under tess_mdev_frontend.lock
 * @offer: begins the registration, when it had to wait
 * @unregister: ends the registration
 * @done: @unregister has ended
 * @link: in the front-end
 * @types: types that this GPU has
 * @nr_types: number of them
 * @list: the same for the mdev core
 * @blanks: vGPUs without a composition
 * @max_blanks: at most so many
 */
struct tess_mdev_parent {
	struct mdev_parent base;
	struct kref ref;
	struct tess_mdev_frontend *frontend;
	struct device *dev;
	struct rw_semaphore lock;
	struct tess_gpu *gpu;
	bool offered;
	struct work_struct offer;
	struct work_struct unregister;
	struct completion done;
	struct list_head link;
	struct tess_mdev_type types[TESS_MDEV_MAX_TYPES];
	unsigned int nr_types;
	struct mdev_type *list[TESS_MDEV_MAX_TYPES];
	atomic_t blanks;
	int max_blanks;
};

struct tess_mdev;

/* The parent with the (first) GPU that carries a vGPU; if it is gone, that of its mdev */
struct tess_mdev_parent *tess_mdev_parent_of(struct tess_mdev *tm);
/* The one whose GPU has this number in the pool; NULL: none */
struct tess_mdev_parent *tess_mdev_parent_by_index(struct tess_mdev_frontend *frontend,
						   unsigned int index);
/*
 * The one that could give most vGPUs of a blueprint, of those whose GPU is not in @tried, which
 * it joins; NULL: none can
 */
struct tess_mdev_parent *tess_mdev_parent_for(struct tess_mdev_frontend *frontend,
					      unsigned long *tried,
					      const struct tess_blueprint *bp);
/* The one of a GPU; NULL: it has none (any more) */
struct tess_mdev_parent *tess_mdev_parent_find(struct tess_mdev_frontend *frontend,
					       struct tess_gpu *gpu);
/* All of them are referenced */
void tess_mdev_parent_put(struct tess_mdev_parent *parent);

/* Numbers of the GPUs of which there is less as long as there is this vGPU; they join @gpus */
void tess_mdev_touched(struct tess_mdev *tm, unsigned long *gpus);
/*
 * Tell user space that the counts of available instances changed: of those whose GPUs have these
 * numbers in the pool
 */
void tess_mdev_parents_changed(struct tess_mdev_frontend *frontend, const unsigned long *gpus);

#endif
