// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: migration
 *
 * A vGPU goes to another machine, or to a file, as linux/vfio.h has it (migration version 2). VFIO
 * knows the states and takes the way through them; here is what each step does:
 *
 *	RUNNING <-> RUNNING_P2P <-> STOP --> STOP_COPY	a file to read (save.c)
 *	   |             |            \---> RESUMING	a file to write (load.c)
 *	PRE_COPY <-> PRE_COPY_P2P --------> STOP_COPY	the file that PRE_COPY gave
 *	          stands still (stop.c)
 *
 * In all of them the vGPU can get another composition, and go to another GPU, as ever.
 * A step that fails leaves the state that it began in, but for a stream that is not complete or not
 * for this vGPU: that is ERROR, which a reset ends. A reset leads to RUNNING from everywhere. Each
 * file that a step gave ends with the state that it was given for; STOP_COPY goes on with that of
 * PRE_COPY.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/string.h>
#include <linux/vfio.h>
#include <tessera/vgpu.h>
#include "base/mdev.h"
#include "fsm.h"
#include "guest/reset.h"
#include "guest/stop.h"
#include "load.h"
#include "mem/dma.h"
#include "rounds.h"
#include "save.h"
#include "stream.h"

static int migration_stop(struct tess_mdev *tm)
{
	struct tess_reason reason = {};
	int ret;

	ret = tess_mdev_stop(tm, &reason);
	if (ret)
		tess_mdev_stream_refuse(tm, ret, &reason);
	return ret;
}

static struct file *migration_resume(struct tess_mdev *tm)
{
	/* VRAM that is not sent is zero */
	tess_mdev_reset_gpu(tm);
	return READ_ONCE(tm->dead) ? ERR_PTR(-ENODEV) : tess_mdev_load_begin(tm);
}

static int migration_arrive(struct tess_mdev *tm)
{
	static const struct tess_reason reason = { "what came of it is not complete" };

	tm->migration.stream = NULL;
	if (!tm->migration.complete) {
		tess_mdev_stream_refuse(tm, -EINVAL, &reason);
		return -EINVAL;
	}
	tm->migration.arrived = true;
	return 0;
}

/* What cannot be stopped later is refused before anything is sent */
static struct file *migration_save(struct tess_mdev *tm)
{
	struct tess_reason reason = {};
	int ret;

	ret = tess_mdev_can_stop(tm, &reason);
	if (ret) {
		tess_mdev_stream_refuse(tm, ret, &reason);
		return ERR_PTR(ret);
	}
	return tess_mdev_save_begin(tm);
}

/* The last round. A file that was closed is not read any more */
static int migration_finish(struct tess_mdev *tm)
{
	struct tess_mdev_stream *s = tm->migration.stream;

	return s ? tess_mdev_rounds_gather(tm, s->rounds) : 0;
}

#define STEP(from, to)	((from) << 8 | (to))

/* A file, NULL, or an error pointer; RUNNING is a step of its own */
static struct file *migration_step(struct tess_mdev *tm, enum vfio_device_mig_state to)
{
	switch (STEP(tm->migration.state, to)) {
	case STEP(VFIO_DEVICE_STATE_RUNNING, VFIO_DEVICE_STATE_RUNNING_P2P):
		return ERR_PTR(migration_stop(tm));
	case STEP(VFIO_DEVICE_STATE_PRE_COPY, VFIO_DEVICE_STATE_PRE_COPY_P2P):
		return ERR_PTR(migration_stop(tm));
	case STEP(VFIO_DEVICE_STATE_RUNNING_P2P, VFIO_DEVICE_STATE_RUNNING):
	case STEP(VFIO_DEVICE_STATE_PRE_COPY_P2P, VFIO_DEVICE_STATE_PRE_COPY):
		tess_mdev_run(tm);
		return NULL;
	case STEP(VFIO_DEVICE_STATE_RUNNING, VFIO_DEVICE_STATE_PRE_COPY):
	case STEP(VFIO_DEVICE_STATE_RUNNING_P2P, VFIO_DEVICE_STATE_PRE_COPY_P2P):
	case STEP(VFIO_DEVICE_STATE_STOP, VFIO_DEVICE_STATE_STOP_COPY):
		return migration_save(tm);
	case STEP(VFIO_DEVICE_STATE_PRE_COPY_P2P, VFIO_DEVICE_STATE_STOP_COPY):
		return ERR_PTR(migration_finish(tm));
	case STEP(VFIO_DEVICE_STATE_STOP, VFIO_DEVICE_STATE_RESUMING):
		return migration_resume(tm);
	case STEP(VFIO_DEVICE_STATE_STOP_COPY, VFIO_DEVICE_STATE_STOP):
	case STEP(VFIO_DEVICE_STATE_PRE_COPY, VFIO_DEVICE_STATE_RUNNING):
	case STEP(VFIO_DEVICE_STATE_PRE_COPY_P2P, VFIO_DEVICE_STATE_RUNNING_P2P):
		tm->migration.stream = NULL;
		return NULL;
	case STEP(VFIO_DEVICE_STATE_RESUMING, VFIO_DEVICE_STATE_STOP):
		return ERR_PTR(migration_arrive(tm));
	/* A peer that writes to it finds it as it was stopped */
	case STEP(VFIO_DEVICE_STATE_RUNNING_P2P, VFIO_DEVICE_STATE_STOP):
	case STEP(VFIO_DEVICE_STATE_STOP, VFIO_DEVICE_STATE_RUNNING_P2P):
		return NULL;
	default:
		return ERR_PTR(-EINVAL);
	}
}

static struct file *migration_go_to(struct tess_mdev *tm, enum vfio_device_mig_state to)
{
	struct tess_mdev_migration *migration = &tm->migration;
	enum vfio_device_mig_state next;
	struct file *file = NULL;
	int ret;

	lockdep_assert_held(&tm->lock);
	/* No step leads out of it. VFIO warns if it is asked for one */
	if (migration->state == VFIO_DEVICE_STATE_ERROR)
		return ERR_PTR(-EINVAL);
	while (migration->state != to) {
		ret = vfio_mig_get_next_state(&tm->vdev, migration->state, to, &next);
		if (ret)
			return ERR_PTR(ret);
		file = migration_step(tm, next);
		/* There is a way back from all other states: whatever it holds, nothing was lost */
		if (IS_ERR(file) && migration->state == VFIO_DEVICE_STATE_RESUMING)
			migration->state = VFIO_DEVICE_STATE_ERROR;
		if (IS_ERR(file))
			return file;
		migration->state = next;
	}
	return file;
}

static struct file *migration_set_state(struct vfio_device *vdev, enum vfio_device_mig_state to)
{
	struct tess_mdev *tm = to_tess_mdev(vdev);
	struct file *file;

	scoped_guard(mutex, &tm->lock)
		file = migration_go_to(tm, to);
	tess_mdev_dma_follow(tm);
	return file;
}

static int migration_get_state(struct vfio_device *vdev, enum vfio_device_mig_state *state)
{
	struct tess_mdev *tm = to_tess_mdev(vdev);

	guard(mutex)(&tm->lock);
	*state = tm->migration.state;
	return 0;
}

static int migration_get_data_size(struct vfio_device *vdev, unsigned long *size)
{
	u64 bytes = 0;
	int ret;

	ret = tess_mdev_save_size(to_tess_mdev(vdev), &bytes);
	*size = bytes;
	return ret;
}

static const struct vfio_migration_ops tess_mdev_migration_ops = {
	.migration_set_state = migration_set_state,
	.migration_get_state = migration_get_state,
	.migration_get_data_size = migration_get_data_size,
};

void tess_mdev_migration_init(struct tess_mdev *tm)
{
	tm->vdev.migration_flags = VFIO_MIGRATION_STOP_COPY | VFIO_MIGRATION_P2P |
				   VFIO_MIGRATION_PRE_COPY;
	tm->vdev.mig_ops = &tess_mdev_migration_ops;
}
