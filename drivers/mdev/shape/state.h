/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_SHAPE_STATE_H_
#define _TESS_MDEV_SHAPE_STATE_H_

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <tessera/blueprint.h>

/**
 * struct tess_mdev_shape - what a vGPU is made of, and who may change it
 * @lock: serializes changes of the shape as a whole with each other and with open and
 *	close; outermost
 * @open: a VMM has it: its frame stays the same. Under @lock
 * @asked: what was asked for by words or by the type, with nothing of what was made from a profile.
 *	Under @lock; of no meaning while the vGPU is blank
 * @error_lock: protects the following; innermost
 * @error: how the last change ended that was asked for: 0 or negative errno
 * @reason: why
 */
struct tess_mdev_shape {
	struct mutex lock;
	bool open;
	struct tess_blueprint asked;
	struct mutex error_lock;
	int error;
	struct tess_reason reason;
};

/**
 * struct tess_mdev_relocation - the core wants another GPU for a vGPU
 * @work: moves it
 * @gpu: number of the GPU in the pool; the last one that was wanted counts
 */
struct tess_mdev_relocation {
	struct work_struct work;
	unsigned int gpu;
};

#endif
