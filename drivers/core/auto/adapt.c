// SPDX-License-Identifier: GPL-2.0-only
/*
 * Automatic vGPUs get more slices when they starve, fewer when they idle, and slices of another
 * kind when they draw or compute.
 *
 * DOC: Adaption
 *
 * A vGPU with the policy "auto" and a range (min < max) is looked at every adapt_period_ms: the
 * analyzer's profile of it goes through the same rules as a profile that somebody wrote down
 * (generate.c), and if they want more slices, or fewer, several times in a row, it is
 * composed anew. Engines and topology are what was asked for, and its memory cannot change while
 * it is in use. After a change it is left alone for a while, so that the averages can follow,
 * and after one that failed for longer.
 *
 * If any kind was asked for, a vGPU on compute slices whose kernels would use units leans to mixed
 * slices, one on mixed slices that does little else than draw to render slices, and one on render
 * slices that computes to mixed ones (tess_adapt_kind()), with the same patience. Its blueprint
 * still says any kind; a blueprint that somebody writes leans nowhere.
 *
 * One that never worked is left alone: it was given what was asked for, and its client may
 * be about to start. No timer runs while a GPU has no such vGPU.
 */
#include <linux/moduleparam.h>
#include <tessera/compat.h>
#include <tessera/gpu.h>
#include <tessera/vgpu.h>

#include "algo/blueprint.h"
#include "auto.h"
#include "base/gpu.h"
#include "profile.h"
#include "run/run.h"
#include "slice/note.h"
#include "slice/slice.h"
#include "slice/trace.h"
#include "slice/vgpu.h"

#define ADAPT_PERIOD_MS_MIN	50
#define ADAPT_PERIOD_MS_MAX	60000
/* Looks in a row that must want the same */
#define ADAPT_PATIENCE		4
/* Looks that are left out after a change, and after one that failed */
#define ADAPT_HOLD		8
#define ADAPT_HOLD_FAILED	64

static int adapt_period_set(const char *val, const struct kernel_param *kp)
{
	int rc = param_set_uint_minmax(val, kp, ADAPT_PERIOD_MS_MIN, ADAPT_PERIOD_MS_MAX);

	return rc == -ERANGE ? -EINVAL : rc;
}

static const struct kernel_param_ops adapt_period_ops = {
	.set = adapt_period_set,
	.get = param_get_uint,
};
module_param_cb(adapt_period_ms, &adapt_period_ops, &tess_adapt_period_ms, 0644);
MODULE_PARM_DESC(adapt_period_ms,
		 "time between two looks at automatic vGPUs, 50 to 60000, default 500");

static bool adapt_has_worked(const struct tess_vgpu *vgpu)
{
	unsigned int i;

	for (i = 0; i < vgpu->nr_vslices; i++)
		if (READ_ONCE(vgpu->vslices[i].sched.run_cycles))
			return true;
	return false;
}

static void adapt_compose(struct tess_vgpu *vgpu, const struct tess_blueprint *now,
			  const struct tess_blueprint *wanted, const struct tess_profile *profile)
{
	int rc;

	rc = tess_vgpu_recompose(vgpu, wanted, NULL);
	vgpu->adapt_hold = rc ? ADAPT_HOLD_FAILED : ADAPT_HOLD;
	if (trace_tess_adapt_enabled())
		trace_tess_adapt(vgpu, tess_gpu_time(vgpu->gpu), now->slices, wanted, profile, rc);
}

/* Of the slices that it has; TESS_KIND_NONE: they differ */
static u32 adapt_kind_of(const struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = vgpu->gpu;
	u32 kind = TESS_KIND_NONE;
	unsigned int i;

	spin_lock(&gpu->lock);
	for (i = 0; i < vgpu->nr_vslices; i++) {
		const struct tess_slice *slice = vgpu->vslices[i].slice;

		if (!slice)
			continue;
		if (kind != TESS_KIND_NONE && slice->info.kind != kind) {
			kind = TESS_KIND_NONE;
			break;
		}
		kind = slice->info.kind;
	}
	spin_unlock(&gpu->lock);
	return kind;
}

static u32 adapt_leans(const struct tess_vgpu *vgpu, const struct tess_blueprint *now,
		       const struct tess_profile *profile)
{
	u32 kind, wanted;

	if (now->kind != TESS_KIND_NONE)
		return TESS_KIND_NONE;
	kind = adapt_kind_of(vgpu);
	wanted = tess_adapt_kind(profile, kind);
	return wanted == kind ? now->leans : wanted;
}

static void adapt_look(struct tess_vgpu *vgpu)
{
	struct tess_blueprint now, wanted, next;
	struct tess_profile profile;
	u32 least;

	if (vgpu->adapt_hold) {
		vgpu->adapt_hold--;
		return;
	}
	/* The profile first: nothing else charges a vslice that never leaves its slice */
	if (tess_analyze_profile(vgpu, TESS_ANALYZE_DECIDE, &profile) || !adapt_has_worked(vgpu))
		return;
	tess_vgpu_blueprint(vgpu, &now);
	tess_blueprint_generate(&profile, &now, &wanted);
	least = DIV_ROUND_UP(vgpu->nr_vslices, TESS_SHARE_MAX);
	next = now;
	next.slices = max(wanted.slices, least);
	/* The number first: there may be more slices of this kind and none of the other */
	if (next.slices == now.slices)
		next.leans = adapt_leans(vgpu, &now, &profile);
	if (tess_adapt_propose(&vgpu->adapt, &now, &next, ADAPT_PATIENCE))
		adapt_compose(vgpu, &now, &vgpu->adapt.wanted, &profile);
}

static void adapt_work(struct work_struct *work)
{
	struct tess_gpu *gpu = container_of(work, struct tess_gpu, swapper.adapt.work);

	if (tess_vgpus_each(gpu, tess_adapt_is_meant, adapt_look))
		tess_adapt_queue(gpu);
}

/**
 * tess_adapt_init() - prepare the looks at a GPU's vGPUs
 * @gpu: GPU
 */
void tess_adapt_init(struct tess_gpu *gpu)
{
	INIT_DELAYED_WORK(&gpu->swapper.adapt, adapt_work);
}

/**
 * tess_adapt_stop() - no look is taken any more
 * @gpu: GPU; no lock is held
 */
void tess_adapt_stop(struct tess_gpu *gpu)
{
	disable_delayed_work_sync(&gpu->swapper.adapt);
}
