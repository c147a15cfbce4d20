// SPDX-License-Identifier: GPL-2.0-only
/*
 * Automatic vGPUs get more slices when they starve, fewer when they idle, and slices of another
 * kind when they draw or compute.
 *
 * DOC: Adaption
 *
 * A vGPU with the policy "auto" and a range (min < max) or heads is looked at every
 * adapt_period_ms: the analyzer's profile of it goes through the same rules as a profile that
 * somebody wrote down (generate.c), and if they want more slices, or fewer, several times in a
 * row, it is composed anew. Engines and topology are what was asked for, and its memory cannot
 * change while it is in use. After a change it is left alone for a while, so that the averages can
 * follow, and after one that failed for longer.
 *
 * If any kind was asked for, a vGPU on compute slices whose kernels would use units leans to mixed
 * slices, one on mixed slices that does little else than draw to render slices, and one on render
 * slices that computes to mixed ones (tess_adapt_kind()), with the same patience. Its blueprint
 * still says any kind; a blueprint that somebody writes leans nowhere.
 *
 * The host follows heads in the same way: those that show something are read for each frame, and
 * copied while a viewer elsewhere looks, which makes the path remote. The vGPU has at least as many
 * slices as have the memory bandwidth for that. How much is drawn is seen from the load, so fill
 * rates count only if they were asked for. If not even the most slices can do it, it gets these,
 * and what is shown does not count. What the blueprint says of displays and their path is what was
 * asked for, and stays.
 *
 * One that never worked gets no fewer slices: it was given what was asked for, and its client may
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

/* Bytes per second of the slowest of its slices */
static u64 adapt_bandwidth(struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = vgpu->gpu;
	struct tess_slice_rates rates;
	u64 least = U64_MAX;
	unsigned int i;
	int idx;

	if (!tess_gpu_enter(gpu, &idx))
		return 0;
	for (i = 0; i < vgpu->nr_vslices; i++) {
		int slice = tess_vgpu_slice(vgpu, i);

		if (slice < 0)
			continue;
		tess_gpu_ops(gpu)->rates(gpu->be, slice, &rates);
		least = min(least, rates.bandwidth);
	}
	tess_gpu_exit(gpu, idx);
	return least;
}

/* What its heads show now, and the slices for that */
static void adapt_displays(struct tess_vgpu *vgpu, const struct tess_blueprint *now,
			   struct tess_blueprint *next)
{
	u32 least;

	if (!now->heads)
		return;
	spin_lock(&vgpu->gpu->lock);
	next->shown = vgpu->shown;
	spin_unlock(&vgpu->gpu->lock);
	if (!(now->engines & TESS_ENGINES_CAPTURE))
		next->shown.remote = false;
	least = tess_blueprint_display_slices(next, adapt_bandwidth(vgpu));
	if (least > next->max)
		next->shown = now->shown;
	next->slices = clamp(max(next->slices, least), next->min, next->max);
}

/* As many slices as its load takes */
static void adapt_load(struct tess_vgpu *vgpu, const struct tess_blueprint *now,
		       const struct tess_profile *profile, struct tess_blueprint *next)
{
	u32 least = DIV_ROUND_UP(vgpu->nr_vslices, TESS_SHARE_MAX);
	struct tess_blueprint wanted;

	tess_blueprint_generate(profile, now, &wanted);
	next->slices = max(wanted.slices, least);
}

static void adapt_look(struct tess_vgpu *vgpu)
{
	struct tess_blueprint now, next;
	struct tess_profile profile;
	bool worked;

	if (vgpu->adapt_hold) {
		vgpu->adapt_hold--;
		return;
	}
	/* The profile first: nothing else charges a vslice that never leaves its slice */
	if (tess_analyze_profile(vgpu, TESS_ANALYZE_DECIDE, &profile))
		return;
	worked = adapt_has_worked(vgpu);
	tess_vgpu_blueprint(vgpu, &now);
	next = now;
	if (worked)
		adapt_load(vgpu, &now, &profile, &next);
	adapt_displays(vgpu, &now, &next);
	/* The number first: there may be more slices of this kind and none of the other */
	if (worked && next.slices == now.slices)
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

void tess_vgpu_set_shown(struct tess_vgpu *vgpu, const struct tess_shown *shown)
{
	spin_lock(&vgpu->gpu->lock);
	vgpu->shown = *shown;
	spin_unlock(&vgpu->gpu->lock);
	tess_adapt_note(vgpu);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_set_shown, TESS_NS);

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
