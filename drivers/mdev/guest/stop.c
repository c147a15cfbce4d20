// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: standstill
 *
 * A vGPU that is about to leave this machine, or that has just come, stands still: no vslice is on
 * a slice, no frame is shown, nobody is interrupted. What the VMM stores to registers is dropped:
 * it would wait for a turn that does not come. Stores to doorbells that it has mapped are caught
 * on parking pages, as ever.
 *
 * A reset ends that, as VFIO has it: the vGPU runs, with nothing to do.
 */
#include <linux/string.h>
#include <tessera/transfer.h>
#include <tessera/vgpu.h>
#include "base/irq.h"
#include "base/mdev.h"
#include "base/parts.h"
#include "display/head.h"
#include "stop.h"

static void stop_set(struct tess_mdev *tm, bool stopped)
{
	guard(rwsem_write)(&tm->map_lock);
	tm->migration.stopped = stopped;
	tess_mdev_heads_pace(tm);
}

int tess_mdev_can_stop(const struct tess_mdev *tm, struct tess_reason *reason)
{
	lockdep_assert_held(&tm->lock);
	if (READ_ONCE(tm->dead))
		return -ENODEV;
	if (tess_mdev_spans(&tm->parts)) {
		strscpy(reason->text, "it is of several GPUs, which cannot be migrated");
		return -EOPNOTSUPP;
	}
	return tess_vgpu_can_freeze(tess_mdev_first(&tm->parts), reason);
}

int tess_mdev_stop(struct tess_mdev *tm, struct tess_reason *reason)
{
	int ret;

	ret = tess_mdev_can_stop(tm, reason);
	if (ret)
		return ret;
	ret = tess_vgpu_freeze(tess_mdev_first(&tm->parts), reason);
	if (ret)
		return ret;
	tess_vgpu_settle(tess_mdev_first(&tm->parts));
	stop_set(tm, true);
	return 0;
}

/* What became of interrupts on the way is not known. One too many does no harm */
static void stop_tell_all(struct tess_mdev *tm)
{
	unsigned int i;

	for (i = 0; i < TESS_IRQ_COUNT; i++)
		tess_mdev_irq_signal(tm, i);
}

void tess_mdev_run(struct tess_mdev *tm)
{
	struct tess_mdev_migration *migration = &tm->migration;

	lockdep_assert_held(&tm->lock);
	if (!migration->stopped)
		return;
	stop_set(tm, false);
	tess_vgpu_thaw(tess_mdev_first(&tm->parts));
	if (migration->arrived)
		stop_tell_all(tm);
	migration->arrived = false;
}

void tess_mdev_go(struct tess_mdev *tm)
{
	tm->migration.state = VFIO_DEVICE_STATE_RUNNING;
	tm->migration.stream = NULL;
	tess_mdev_run(tm);
}
