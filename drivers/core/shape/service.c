// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slices that the administrator takes out of service.
 *
 * DOC: Service
 *
 * A slice that is out of service gets no new owner. The vGPU that has it keeps it, and works on:
 * the slice drains. The elastic vGPU gives it back at once, as it does for a composition. A slice
 * that nobody has is offline, a state of its own, so that nothing that looks for a free one finds
 * it. Back in service it is reset, also if it was faulty: it may have recovered.
 *
 * Rejected: taking the slice from a vGPU that has it. A vGPU has as many slices as it was composed
 * with, and the administrator decides where to move which vslice.
 */
#include "base/gpu.h"
#include "elastic.h"
#include "shape.h"
#include "slice/slice.h"

static void service_note(struct tess_slice *slice, bool out)
{
	struct tess_gpu *gpu = slice->gpu;

	spin_lock(&gpu->lock);
	slice->out = out;
	gpu->generation++;
	spin_unlock(&gpu->lock);
}

/* -ENODEV alone is no answer of the slice */
static int service_leave(struct tess_slice *slice)
{
	int rc = 0;

	service_note(slice, true);
	tess_slice_reclaim(slice);
	mutex_lock(&slice->hw);
	if (slice->state == TESS_SLICE_FREE)
		rc = tess_slice_renew(slice);
	mutex_unlock(&slice->hw);
	return rc == -ENODEV ? rc : 0;
}

static int service_return(struct tess_slice *slice)
{
	int rc = 0;

	service_note(slice, false);
	mutex_lock(&slice->hw);
	if (slice->state == TESS_SLICE_OFFLINE || slice->state == TESS_SLICE_FAULTY)
		rc = tess_slice_renew(slice);
	mutex_unlock(&slice->hw);
	tess_elastic_fill(slice->gpu);
	return rc;
}

/**
 * tess_slice_set_service() - take a slice out of service, or back
 * @slice: slice; no lock is held
 * @out: out of service
 *
 * Return: 0; -EIO it does not answer a reset, and is or stays faulty; -ENODEV.
 */
int tess_slice_set_service(struct tess_slice *slice, bool out)
{
	struct tess_gpu *gpu = slice->gpu;
	int rc = -ENODEV;

	mutex_lock(&gpu->compose);
	if (!READ_ONCE(gpu->gone))
		rc = out ? service_leave(slice) : service_return(slice);
	mutex_unlock(&gpu->compose);
	return rc;
}
