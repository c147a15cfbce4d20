/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_MAP_STATE_H_
#define _TESS_MDEV_MAP_STATE_H_

#include <linux/types.h>

struct page;

/**
 * struct tess_mdev_doorbell - doorbell page of a vslice
 * @parking: what the client sees of it while no slice runs the vslice
 * @mapped: something may be mapped. Under &tess_mdev.doorbell_lock
 */
struct tess_mdev_doorbell {
	struct page *parking;
	bool mapped;
};

#endif
