// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slices: who has one, and what happens when the owner changes.
 *
 * DOC: Slices
 *
 * A slice is free, held by the elastic vGPU (the host's own DRM node), used by another
 * vGPU, shared by several vslices, faulty, absent, or offline. The state and the client change
 * only under both tess_slice.hw and tess_gpu.lock, so either of the two is enough to read them:
 * calls into the back-end hold the mutex, accounting and sysfs the spinlock. The client
 * of a shared slice is the one that is resident at the time. An elastic vGPU is the client
 * of its slices all the time, and its rings (ring.c) are resident in turns. What one that claims
 * holds is in use for everybody else.
 *
 * A slice is reset whenever it changes hands, by the one who takes it and by the one
 * who gives it back: the first for isolation, the second so that no access for a
 * client is under way when its memory is freed. A slice that can not be reset before it
 * is used is faulty; one that can not be stopped costs the whole GPU.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <tessera/compat.h>

#include "base/gpu.h"
#include "complete.h"
#include "fault.h"
#include "slice.h"
#include "vgpu.h"

static const char * const kind_names[] = {
	[TESS_KIND_NONE] = "none",
	[TESS_KIND_COMPUTE] = "compute",
	[TESS_KIND_RENDER] = "render",
	[TESS_KIND_MIXED] = "mixed",
};

static const char * const state_names[] = {
	[TESS_SLICE_FREE] = "free",
	[TESS_SLICE_ELASTIC] = "elastic",
	[TESS_SLICE_USED] = "used",
	[TESS_SLICE_SHARED] = "shared",
	[TESS_SLICE_FAULTY] = "faulty",
	[TESS_SLICE_ABSENT] = "absent",
	[TESS_SLICE_OFFLINE] = "offline",
};

/*
 * For lockdep, two classes of tess_slice.hw. That of a slice with rings is taken on the way to a
 * fence. That of a slice of vGPUs is held while pages of VMMs are unmapped, for which MMU notifiers
 * may wait for fences. Who changes the one into the other holds it, and no ring is left then.
 */
static struct lock_class_key slice_hw_keys[2];
static const char * const slice_hw_names[] = {
	"tess_slice.hw of processes", "tess_slice.hw of vGPUs"
};

const char *tess_kind_name(u32 kind)
{
	return kind < ARRAY_SIZE(kind_names) ? kind_names[kind] : "unknown";
}

const char *tess_slice_state_name(enum tess_slice_state state)
{
	return state_names[state];
}

const struct tess_slice_info *tess_gpu_slice_info(const struct tess_gpu *gpu, unsigned int slice)
{
	return slice < gpu->info.slice_count ? &gpu->slices[slice].info : NULL;
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_slice_info, TESS_NS);

u64 tess_slice_bank_offset(const struct tess_slice *slice)
{
	return slice->index * slice->gpu->info.bank_size;
}

/**
 * tess_slice_is_withdrawn() - did the host of this GPU take the slice away?
 * @slice: slice, tess_gpu.lock is held
 *
 * Its owner may still have work on it, which runs.
 *
 * Return: true if it did.
 */
bool tess_slice_is_withdrawn(const struct tess_slice *slice)
{
	lockdep_assert_held(&slice->gpu->lock);
	return slice->info.kind == TESS_KIND_NONE;
}

/* Free, or at the disposal of whoever asks for it */
bool tess_slice_can_be_had(const struct tess_slice *slice)
{
	lockdep_assert_held(&slice->gpu->lock);
	return slice->state == TESS_SLICE_FREE ||
	       (slice->state == TESS_SLICE_ELASTIC && !slice->client->claims && !slice->leaving &&
		!slice->out && !tess_slice_is_withdrawn(slice));
}

/**
 * tess_slice_is_shared() - may more vslices come?
 * @slice: slice; its hw mutex or tess_gpu.lock is held
 * @vgpu: of this vGPU, that takes turns
 *
 * Return: true if its members are those of vGPUs that share, and @vgpu does, too; or if it is
 * dedicated to @vgpu.
 */
bool tess_slice_is_shared(const struct tess_slice *slice, const struct tess_vgpu *vgpu)
{
	return slice->state == TESS_SLICE_SHARED &&
	       slice->owner == (vgpu->dedicated ? vgpu : NULL);
}

void tess_slice_init(struct tess_slice *slice, struct tess_gpu *gpu, unsigned int index,
		     const struct tess_slice_info *info)
{
	slice->gpu = gpu;
	slice->index = index;
	slice->info = *info;
	slice->state = info->kind == TESS_KIND_NONE ? TESS_SLICE_ABSENT : TESS_SLICE_FREE;
	mutex_init(&slice->hw);
	lockdep_set_class_and_name(&slice->hw, &slice_hw_keys[0], slice_hw_names[0]);
	spin_lock_init(&slice->route_lock);
}

/**
 * tess_slice_counters() - counters over all clients
 * @slice: slice, its hw mutex is held, inside tess_gpu_enter()
 * @counters: result
 *
 * Return: 0, -ENODEV.
 */
int tess_slice_counters(struct tess_slice *slice, u64 counters[TESS_COUNTS])
{
	struct tess_gpu *gpu = slice->gpu;
	unsigned int i;
	int rc;

	lockdep_assert_held(&slice->hw);
	rc = tess_gpu_ops(gpu)->counters(gpu->be, slice->index, true, counters);
	for (i = 0; !rc && i < TESS_COUNTS; i++)
		counters[i] += slice->past[i];
	return rc;
}

/* A reset clears the slice's counters; what it did for its clients is not forgotten */
static void slice_keep_counters(struct tess_slice *slice)
{
	u64 counters[TESS_COUNTS];

	if (slice->state >= TESS_SLICE_ELASTIC && slice->state <= TESS_SLICE_SHARED &&
	    !tess_slice_counters(slice, counters))
		memcpy(slice->past, counters, sizeof(counters));
}

/**
 * tess_slice_reset() - power-on state
 * @slice: slice, its hw mutex is held
 *
 * Return: 0, -EIO, -ENODEV.
 */
int tess_slice_reset(struct tess_slice *slice)
{
	struct tess_gpu *gpu = slice->gpu;
	int idx, rc;

	lockdep_assert_held(&slice->hw);
	tess_route_clear(slice);
	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	slice_keep_counters(slice);
	rc = tess_gpu_ops(gpu)->slice_reset(gpu->be, slice->index);
	tess_gpu_exit(gpu, idx);
	tess_fault_forget(slice);
	return rc;
}

static void slice_set_class(struct tess_slice *slice, bool of_vgpus, unsigned int depth)
{
	lockdep_assert_held(&slice->hw);
	lock_set_class(&slice->hw.dep_map, slice_hw_names[of_vgpus], &slice_hw_keys[of_vgpus],
		       depth, _THIS_IP_);
}

/* The class that it has by its state */
static void slice_class_by_state(struct tess_slice *slice, unsigned int depth)
{
	if (!slice->is_paired)
		slice_set_class(slice, slice->state == TESS_SLICE_USED ||
				slice->state == TESS_SLICE_SHARED, depth);
}

/**
 * tess_slice_lock_two() - take the hw mutex of two slices
 * @a: slice without rings
 * @b: another one of the same GPU, without rings; tess_gpu.compose is held
 *
 * For lockdep both are slices of vGPUs until tess_slice_unlock_two(), also one that is free
 * before or after: pages of VMMs are unmapped under both.
 */
void tess_slice_lock_two(struct tess_slice *a, struct tess_slice *b)
{
	lockdep_assert_held(&a->gpu->compose);
	if (a->index > b->index)
		swap(a, b);
	mutex_lock(&a->hw);
	slice_set_class(a, true, 0);
	a->is_paired = true;
	mutex_lock_nested(&b->hw, SINGLE_DEPTH_NESTING);
	slice_set_class(b, true, SINGLE_DEPTH_NESTING);
	b->is_paired = true;
}

/**
 * tess_slice_unlock_two() - release the hw mutex of two slices
 * @a: one of those that tess_slice_lock_two() took
 * @b: the other one
 */
void tess_slice_unlock_two(struct tess_slice *a, struct tess_slice *b)
{
	if (a->index > b->index)
		swap(a, b);
	b->is_paired = false;
	slice_class_by_state(b, SINGLE_DEPTH_NESTING);
	mutex_unlock(&b->hw);
	a->is_paired = false;
	slice_class_by_state(a, 0);
	mutex_unlock(&a->hw);
}

static void slice_set(struct tess_slice *slice, enum tess_slice_state state,
		      struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_gpu *gpu = slice->gpu;

	lockdep_assert_held(&slice->hw);
	spin_lock(&gpu->lock);
	if (slice->client)
		slice->client->vslices[slice->vslice].slice = NULL;
	slice->state = state;
	slice->owner = NULL;
	slice->client = vgpu;
	slice->vslice = vslice;
	slice->resident = NULL;
	slice->leaving = false;
	if (vgpu)
		vgpu->vslices[vslice].slice = slice;
	/* An elastic vGPU has nothing on it before it makes a ring */
	if (state == TESS_SLICE_USED)
		slice->resident = &vgpu->vslices[vslice];
	gpu->generation++;
	spin_unlock(&gpu->lock);
	slice_class_by_state(slice, 0);
}

/* What the analyzer knows is of a time when others had the slice, or nobody */
static void slice_forget_load(struct tess_vslice *vs)
{
	memset(&vs->analysis, 0, sizeof(vs->analysis));
	memset(&vs->observed, 0, sizeof(vs->observed));
}

/**
 * tess_slice_take() - give a free slice to a vGPU
 * @slice: slice; tess_gpu.compose is held
 * @vgpu: new owner
 * @vslice: as which of its vslices
 *
 * Return: 0; -EIO the slice is faulty now; -ENODEV.
 */
int tess_slice_take(struct tess_slice *slice, struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_gpu *gpu = slice->gpu;
	int rc;

	lockdep_assert_held(&gpu->compose);
	mutex_lock(&slice->hw);
	rc = tess_slice_reset(slice);
	if (!rc && vgpu->elastic)
		slice_forget_load(&vgpu->vslices[vslice]);
	if (!rc)
		slice_set(slice, vgpu->elastic ? TESS_SLICE_ELASTIC : TESS_SLICE_USED, vgpu,
			  vslice);
	else if (rc == -EIO)
		slice_set(slice, TESS_SLICE_FAULTY, NULL, 0);
	mutex_unlock(&slice->hw);
	return rc;
}

/**
 * tess_slice_give_up() - a slice can not be reset
 * @slice: slice, its hw mutex held
 *
 * It may still work for a client whose memory is about to be freed, or with another's
 * registers. Nothing less than the whole GPU can be trusted to stop.
 */
void tess_slice_give_up(struct tess_slice *slice)
{
	struct tess_gpu *gpu = slice->gpu;
	int idx;

	dev_err(&gpu->dev, "slice %u can not be stopped, giving up the GPU\n", slice->index);
	if (tess_gpu_enter(gpu, &idx)) {
		tess_gpu_ops(gpu)->cut(gpu->be);
		tess_gpu_exit(gpu, idx);
	}
	tess_gpu_lost(gpu);
}

/**
 * tess_slice_share() - make a free slice one that is shared
 * @slice: slice, its hw mutex and tess_gpu.compose are held
 * @owner: vGPU that it is dedicated to; NULL: none
 *
 * Return: 0; -EIO the slice is faulty now; -ENODEV.
 */
int tess_slice_share(struct tess_slice *slice, struct tess_vgpu *owner)
{
	struct tess_gpu *gpu = slice->gpu;
	int rc;

	lockdep_assert_held(&gpu->compose);
	rc = tess_slice_reset(slice);
	if (rc == -EIO)
		slice_set(slice, TESS_SLICE_FAULTY, NULL, 0);
	if (rc)
		return rc;
	spin_lock(&gpu->lock);
	slice->state = TESS_SLICE_SHARED;
	slice->owner = owner;
	gpu->generation++;
	spin_unlock(&gpu->lock);
	slice_class_by_state(slice, 0);
	return 0;
}

/* What a slice is that nobody has */
static enum tess_slice_state slice_state_without_owner(const struct tess_slice *slice, int rc)
{
	if (slice->info.kind == TESS_KIND_NONE)
		return TESS_SLICE_ABSENT;
	if (rc == -EIO)
		return TESS_SLICE_FAULTY;
	return slice->out ? TESS_SLICE_OFFLINE : TESS_SLICE_FREE;
}

/**
 * tess_slice_renew() - reset a slice that nobody has
 * @slice: free, faulty or offline, its hw mutex and tess_gpu.compose are held
 *
 * It is what its answer and its service say afterwards.
 *
 * Return: 0; -EIO it is faulty; -ENODEV.
 */
int tess_slice_renew(struct tess_slice *slice)
{
	int rc;

	lockdep_assert_held(&slice->gpu->compose);
	rc = tess_slice_reset(slice);
	if (rc != -ENODEV)
		slice_set(slice, slice_state_without_owner(slice, rc), NULL, 0);
	return rc;
}

/**
 * tess_slice_vacate() - nobody has the slice any more
 * @slice: slice without members, its hw mutex and tess_gpu.compose are held
 *
 * On return it makes no access for the one who had it. It is free, or faulty or absent if it is
 * that.
 */
void tess_slice_vacate(struct tess_slice *slice)
{
	int rc;

	lockdep_assert_held(&slice->gpu->compose);
	rc = tess_slice_reset(slice);
	if (rc == -EIO)
		tess_slice_give_up(slice);
	slice_set(slice, slice_state_without_owner(slice, rc), NULL, 0);
}
