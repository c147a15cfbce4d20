/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_MIGRATION_STATE_H_
#define _TESS_MDEV_MIGRATION_STATE_H_

#include <linux/types.h>
#include <linux/vfio.h>

struct tess_mdev_stream;

/**
 * struct tess_mdev_migration - a vGPU goes to another machine, or comes from one
 * @state: as VFIO has it; under &tess_mdev.lock, as all of this
 * @stopped: nothing runs, nothing is shown and nobody is told. Changes under &tess_mdev.map_lock,
 *	too
 * @complete: all of a stream came while it is RESUMING; its file may be closed by then
 * @arrived: it was, and is not told yet
 * @stream: that a file reads or writes just now; NULL: none
 */
struct tess_mdev_migration {
	enum vfio_device_mig_state state;
	bool stopped;
	bool complete;
	bool arrived;
	struct tess_mdev_stream *stream;
};

#endif
