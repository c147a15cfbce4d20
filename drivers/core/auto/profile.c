// SPDX-License-Identifier: GPL-2.0-only
/*
 * The measured profile of a vGPU: what its vslices do, as one.
 *
 * DOC: Measured profiles
 *
 * A profile speaks of the slices that a vGPU has, the analyzer of its vslices, of which
 * several can be at home on a slice: what they use of it is added up, with the time for which
 * they wait for a turn. Else those that take turns would not seem busy, because of what the
 * switches take. How they use it, instructions, what they draw and memory, is averaged by how much
 * each of them does. A picture counts where its last job was sent to, and what was done for it
 * elsewhere, so pictures and operations are those of all vslices. What heads show, and to whom, is
 * what the front-end said last. Engines are not named: what a
 * client may use says nothing about what it needs.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <tessera/compat.h>
#include <tessera/vgpu.h>

#include "profile.h"
#include "run/run.h"
#include "slice/vgpu.h"

/**
 * struct profile_sum - over all vslices
 * @utilization: permille
 * @demand: permille, with what they wait for
 * @queue: thousandths of a packet
 * @shader: permille, times utilization
 * @texture: as above
 * @pixel: as above
 * @ray: as above
 * @units: as above
 * @memory: permille, times utilization
 * @frames: in 10^12 cycles
 * @operations: in 1000 cycles
 */
struct profile_sum {
	u64 utilization;
	u64 demand;
	u64 queue;
	u64 shader;
	u64 texture;
	u64 pixel;
	u64 ray;
	u64 units;
	u64 memory;
	u64 frames;
	u64 operations;
};

static void profile_add(struct profile_sum *sum, const struct tess_load *load)
{
	sum->utilization += load->utilization;
	sum->demand += load->demand;
	sum->queue += load->queue_depth;
	sum->shader += (u64)load->shader * load->utilization;
	sum->texture += (u64)load->texture * load->utilization;
	sum->pixel += (u64)load->pixel * load->utilization;
	sum->ray += (u64)load->ray * load->utilization;
	sum->units += (u64)load->units * load->utilization;
	sum->memory += (u64)load->memory * load->utilization;
	sum->frames += load->frames;
	sum->operations += load->operations;
}

static u32 profile_mean(u64 sum, u64 weight, u32 most)
{
	return weight ? min_t(u64, div64_u64(sum, weight), most) : 0;
}

static void profile_displays(struct tess_vgpu *vgpu, const struct tess_blueprint *bp,
			     struct tess_profile *profile)
{
	struct tess_shown shown;

	spin_lock(&vgpu->gpu->lock);
	shown = vgpu->shown;
	spin_unlock(&vgpu->gpu->lock);
	profile->heads = shown.heads ?: bp->heads;
	profile->mode = shown.mode;
	profile->remote = bp->heads && (bp->remote || shown.remote);
}

/**
 * tess_analyze_profile() - what the client of a vGPU does with it
 * @vgpu: vGPU
 * @who: for whom the profile is
 * @profile: result
 *
 * Return: 0, -ENODEV.
 */
int tess_analyze_profile(struct tess_vgpu *vgpu, enum tess_analyze_who who,
			 struct tess_profile *profile)
{
	struct profile_sum sum = { 0 };
	struct tess_blueprint bp;
	struct tess_load load;
	unsigned int i;
	int rc;

	tess_vgpu_blueprint(vgpu, &bp);
	for (i = 0; i < vgpu->nr_vslices; i++) {
		rc = tess_analyze_read(vgpu, i, who, &load);
		if (rc)
			return rc;
		profile_add(&sum, &load);
	}
	*profile = (struct tess_profile) {
		.utilization = profile_mean(sum.demand, bp.slices, 1000),
		.queue_milli = profile_mean(sum.queue, bp.slices, U32_MAX),
		.shader = profile_mean(sum.shader, sum.utilization, 1000),
		.texture = profile_mean(sum.texture, sum.utilization, 1000),
		.pixel = profile_mean(sum.pixel, sum.utilization, 1000),
		.ray = profile_mean(sum.ray, sum.utilization, 1000),
		.units = profile_mean(sum.units, sum.utilization, 1000),
		.memory = profile_mean(sum.memory, sum.utilization, 1000),
		.fps = tess_analysis_fps(sum.frames, vgpu->gpu->info.clock_khz),
		.ops = tess_analysis_frame_ops(sum.operations, sum.frames),
		.slices = bp.slices,
	};
	profile_displays(vgpu, &bp, profile);
	return 0;
}

int tess_vgpu_profile(struct tess_vgpu *vgpu, struct tess_profile *profile)
{
	return tess_analyze_profile(vgpu, TESS_ANALYZE_OBSERVE, profile);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_profile, TESS_NS);
