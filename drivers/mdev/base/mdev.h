/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_MDEV_H_
#define _TESS_MDEV_MDEV_H_

#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/vfio.h>
#include <linux/workqueue.h>
#include "display/state.h"
#include "guest/state.h"
#include "irq.h"
#include "map/state.h"
#include "mem/state.h"
#include "migration/state.h"
#include "page.h"
#include "parts.h"
#include "shape/state.h"
#include "stats.h"

struct page;
struct tess_mdev_type;

/**
 * struct tess_mdev - the vGPU of a virtual machine
 * @vdev: VFIO device; holds the memory of this structure
 * @parts: composition; without a part it is blank. Changed with all locks of this structure but
 *	the error_lock, so each of them is enough to read it
 * @type: type that it was created as
 * @wq: that of the front-end
 * @ident: what the registers tell of it. As @vslices, @gpu_info and @vram it changes with
 *	@parts
 * @shape: the composition as a whole, with locks of its own
 * @vslices: number of vslices
 * @gpu_info: of the first GPU, for as long as it is there
 * @time_base: what is added to the time of the first GPU, so that it goes on when that is another.
 *	Under @map_lock
 * @vram: memory of the composition
 * @vram_number: of @vram, counted up when it becomes another
 * @lock: serializes trapped accesses and resets; protects @config and @bars
 * @map_lock: taken for reading by page faults, for writing when what is mapped becomes
 *	another; inside mmap_lock
 * @doorbell_lock: what is mapped as doorbells; inside mmap_lock and @map_lock, and inside
 *	tess_slice.hw, so that nothing is allocated under it
 * @dead: a GPU of @parts is gone, or a reset failed. Until it is composed anew; changes under
 *	@map_lock and @doorbell_lock
 * @parking: page that is mapped where there is no VRAM to map
 * @doorbells: doorbell pages, under @doorbell_lock
 * @nr_doorbells: number of them, as many as vslices of the composition; of the larger one
 *	while it is replaced
 * @config: PCI configuration space
 * @bars: state behind the trapped registers
 * @page: composition page, with a lock of its own
 * @display: display heads, under @map_lock
 * @irqs: interrupts, with a lock of their own
 * @dma: guest memory, with a lock of its own
 * @records: completion records, protected by @dma's lock
 * @migration: to or from another machine
 * @relocation: moves it to the GPU that the core wants for it
 * @link: in tess_mdev_frontend.mdevs
 * @stats: for sysfs
 *
 * Locks nest @shape.lock -> @lock -> @dma.lock; mmap_lock -> @map_lock -> @doorbell_lock. None is
 * held over a call of VFIO. The lock of @page is innermost.
 * Call-backs of the core take @dma.lock, @map_lock and those of the leaves, never @lock or
 * @shape.lock.
 */
struct tess_mdev {
	struct vfio_device vdev;
	struct tess_mdev_parts parts;
	struct tess_mdev_shape shape;
	const struct tess_mdev_type *type;
	struct workqueue_struct *wq;
	struct tess_mdev_ident ident;
	unsigned int vslices;
	const struct tess_gpu_info *gpu_info;
	u64 time_base;
	const struct tess_vram *vram;
	u64 vram_number;
	struct mutex lock;
	struct rw_semaphore map_lock;
	struct mutex doorbell_lock;
	bool dead;
	struct page *parking;
	struct tess_mdev_doorbell doorbells[TESS_MAX_SLICES];
	unsigned int nr_doorbells;
	struct tess_mdev_config config;
	struct tess_mdev_bars bars;
	struct tess_mdev_page page;
	struct tess_mdev_display display;
	struct tess_mdev_irqs irqs;
	struct tess_mdev_dma dma;
	struct tess_mdev_record records[TESS_MAX_SLICES];
	struct tess_mdev_migration migration;
	struct tess_mdev_relocation relocation;
	struct list_head link;
	struct tess_mdev_stats stats;
};

static inline struct tess_mdev *to_tess_mdev(struct vfio_device *vdev)
{
	return container_of(vdev, struct tess_mdev, vdev);
}

#endif
