// SPDX-License-Identifier: GPL-2.0-only
/*
 * What user space sees and sets of vGPUs: gpuN/vgpus/NAME/ and its vslices.
 *
 * DOC: vGPUs in sysfs
 *
 * Documentation/ABI/testing/sysfs-tessera is the authority. The directories are made and
 * removed with the vGPU. They are allocated apart from it, because somebody who has one
 * open may keep its kobject longer; what they show belongs to the vGPU, and removing a file
 * waits until no reader or writer of it is left. So:
 *
 * - a vGPU's directory is removed before anything of the vGPU goes, without a lock that a
 *   file could want: moving a vslice by its file takes tess_gpu.compose;
 * - a GPU that goes removes the directories that are left before its own, as the empty
 *   shells of vGPUs may stay longer. tess_vgpu_dirs.lock decides who of the two does it,
 *   and makes the other one wait for the end.
 *
 * What a vGPU consists of can be read by anybody. What its client does can be read by the
 * administrator only (mode 0440): from how busy a guest is at which moment another user could
 * tell what it computes. Reading changes nothing that the scheduler decides by.
 */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <tessera/vgpu.h>

#include "base/gpu.h"
#include "run/run.h"
#include "shape/shape.h"
#include "slice/trace.h"
#include "slice/vgpu.h"
#include "vgpu_sysfs.h"

/**
 * struct tess_vslice_dir - directory of a vslice
 * @kobj: holds a reference to @dir, whose memory it is in
 * @dir: directory of the vGPU
 * @index: of the vslice
 */
struct tess_vslice_dir {
	struct kobject kobj;
	struct tess_vgpu_dir *dir;
	unsigned int index;
};

/**
 * struct tess_vgpu_dir - directory of a vGPU
 * @kobj: the directory
 * @link: in tess_vgpu_dirs.list
 * @vgpu: vGPU, there as long as files can be read
 * @shown: directories of vslices that were made, or could not be
 * @count: entries of @vslices
 * @vslices: by index
 */
struct tess_vgpu_dir {
	struct kobject kobj;
	struct list_head link;
	struct tess_vgpu *vgpu;
	unsigned int shown;
	unsigned int count;
	struct tess_vslice_dir vslices[] __counted_by(count);
};

/* ---- files of a vGPU ---- */

/**
 * struct vgpu_attribute - a file of a vGPU
 * @attr: name and mode
 * @show: its value
 * @store: sets it; NULL: it is read-only
 */
struct vgpu_attribute {
	struct attribute attr;
	ssize_t (*show)(struct tess_vgpu *vgpu, char *buf);
	int (*store)(struct tess_vgpu *vgpu, const char *buf);
};

#define VGPU_ATTR(_name, _mode, _store)					\
	static struct vgpu_attribute vgpu_attr_##_name = {		\
		.attr = { .name = #_name, .mode = _mode },		\
		.show = _name##_show,					\
		.store = _store,					\
	}

static ssize_t share_show(struct tess_vgpu *vgpu, char *buf)
{
	if (vgpu->elastic && !vgpu->claims)
		return sysfs_emit(buf, "elastic\n");
	return sysfs_emit(buf, "%s\n", vgpu->blueprint.shared ? "shared" : "exclusive");
}
VGPU_ATTR(share, 0444, NULL);

static ssize_t weight_show(struct tess_vgpu *vgpu, char *buf)
{
	struct tess_blueprint bp;

	tess_vgpu_blueprint(vgpu, &bp);
	return sysfs_emit(buf, "%u\n", bp.weight);
}

static int weight_store(struct tess_vgpu *vgpu, const char *buf)
{
	u32 weight;

	/* What is no number gets the message about the range, too */
	if (kstrtou32(buf, 0, &weight))
		weight = 0;
	return tess_vgpu_set_weight(vgpu, weight);
}
VGPU_ATTR(weight, 0644, weight_store);

static ssize_t cap_show(struct tess_vgpu *vgpu, char *buf)
{
	struct tess_blueprint bp;

	tess_vgpu_blueprint(vgpu, &bp);
	return sysfs_emit(buf, "%u\n", bp.cap);
}

static int cap_store(struct tess_vgpu *vgpu, const char *buf)
{
	u32 cap;

	if (kstrtou32(buf, 0, &cap))
		cap = U32_MAX;
	return tess_vgpu_set_cap(vgpu, cap);
}
VGPU_ATTR(cap, 0644, cap_store);

static const char * const vgpu_policies[] = { "manual", "auto" };

static ssize_t policy_show(struct tess_vgpu *vgpu, char *buf)
{
	struct tess_blueprint bp;

	tess_vgpu_blueprint(vgpu, &bp);
	return sysfs_emit(buf, "%s\n", vgpu_policies[bp.automatic]);
}

static int policy_store(struct tess_vgpu *vgpu, const char *buf)
{
	int policy = sysfs_match_string(vgpu_policies, buf);

	if (policy < 0) {
		dev_info(&vgpu->gpu->dev, "\"%s\": policy must be manual or auto\n", vgpu->name);
		return -EINVAL;
	}
	return tess_vgpu_set_automatic(vgpu, policy);
}
VGPU_ATTR(policy, 0644, policy_store);

static ssize_t blueprint_show(struct tess_vgpu *vgpu, char *buf)
{
	char text[TESS_BLUEPRINT_MAX];
	struct tess_blueprint bp;

	if (vgpu->elastic && !vgpu->claims)
		return sysfs_emit(buf, "none\n");
	tess_vgpu_blueprint(vgpu, &bp);
	tess_blueprint_format(&bp, text, sizeof(text));
	return sysfs_emit(buf, "%s\n", text);
}
VGPU_ATTR(blueprint, 0444, NULL);

static ssize_t generation_show(struct tess_vgpu *vgpu, char *buf)
{
	u64 generation;

	spin_lock(&vgpu->gpu->lock);
	generation = vgpu->generation;
	spin_unlock(&vgpu->gpu->lock);
	return sysfs_emit(buf, "%llu\n", generation);
}
VGPU_ATTR(generation, 0444, NULL);

static ssize_t given_show(struct tess_vgpu *vgpu, char *buf)
{
	return sysfs_emit(buf, "%u\n", (unsigned int)hweight64(tess_vgpu_slice_mask(vgpu)));
}
VGPU_ATTR(given, 0444, NULL);

static ssize_t withheld_show(struct tess_vgpu *vgpu, char *buf)
{
	unsigned int given = hweight64(tess_vgpu_slice_mask(vgpu));

	return sysfs_emit(buf, "%u\n", vgpu->nr_vslices - given);
}
VGPU_ATTR(withheld, 0444, NULL);

static struct attribute *vgpu_attrs[] = {
	&vgpu_attr_blueprint.attr,
	&vgpu_attr_generation.attr,
	&vgpu_attr_given.attr,
	&vgpu_attr_withheld.attr,
	&vgpu_attr_share.attr,
	&vgpu_attr_weight.attr,
	&vgpu_attr_cap.attr,
	&vgpu_attr_policy.attr,
	NULL,
};
ATTRIBUTE_GROUPS(vgpu);

static struct tess_vgpu_dir *to_vgpu_dir(struct kobject *kobj)
{
	return container_of(kobj, struct tess_vgpu_dir, kobj);
}

static ssize_t vgpu_attr_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct vgpu_attribute *va = container_of(attr, struct vgpu_attribute, attr);

	return va->show(to_vgpu_dir(kobj)->vgpu, buf);
}

static ssize_t vgpu_attr_store(struct kobject *kobj, struct attribute *attr, const char *buf,
			       size_t len)
{
	struct vgpu_attribute *va = container_of(attr, struct vgpu_attribute, attr);
	int rc;

	if (!va->store)
		return -EIO;
	rc = va->store(to_vgpu_dir(kobj)->vgpu, buf);
	return rc ?: len;
}

static const struct sysfs_ops vgpu_sysfs_ops = {
	.show = vgpu_attr_show,
	.store = vgpu_attr_store,
};

static void vgpu_dir_release(struct kobject *kobj)
{
	kfree(to_vgpu_dir(kobj));
}

static const struct kobj_type vgpu_ktype = {
	.sysfs_ops = &vgpu_sysfs_ops,
	.default_groups = vgpu_groups,
	.release = vgpu_dir_release,
};

/* ---- files of a vslice ---- */

enum vslice_value {
	VSLICE_SLICE,
	VSLICE_RESIDENT,
	VSLICE_RUNNABLE,
	VSLICE_RUN_CYCLES,
	VSLICE_WAIT_CYCLES,
	VSLICE_SWITCHES,
	VSLICE_WAKEUPS,
	VSLICE_MOVES,
	VSLICE_LOST,
	VSLICE_UTILIZATION,
	VSLICE_QUEUE_DEPTH,
	VSLICE_SHADER_INTENSITY,
	VSLICE_MEMORY_INTENSITY,
	VSLICE_TEXTURE_INTENSITY,
	VSLICE_PIXEL_INTENSITY,
	VSLICE_RAY_INTENSITY,
	VSLICE_UNIT_INTENSITY,
	VSLICE_FLOP_INTENSITY,
	VSLICE_STALL_INTENSITY,
	VSLICE_FRAME_RATE,
};

/**
 * struct vslice_attribute - a file of a vslice
 * @attr: name and mode
 * @show: its value
 * @value: which one
 */
struct vslice_attribute {
	struct attribute attr;
	ssize_t (*show)(struct tess_vgpu *vgpu, unsigned int vslice, enum vslice_value value,
			char *buf);
	enum vslice_value value;
};

#define VSLICE_ATTR(_name, _mode, _show, _value)			\
	static struct vslice_attribute vslice_attr_##_name = {		\
		.attr = { .name = #_name, .mode = _mode },		\
		.show = _show,						\
		.value = _value,					\
	}

static ssize_t vslice_show_sched(struct tess_vgpu *vgpu, unsigned int vslice,
				 enum vslice_value value, char *buf)
{
	struct tess_sched_stats stats;
	int rc;

	rc = tess_sched_stats(vgpu, vslice, &stats);
	if (rc)
		return rc;
	switch (value) {
	case VSLICE_RESIDENT:
		return sysfs_emit(buf, "%d\n", stats.resident);
	case VSLICE_RUNNABLE:
		return sysfs_emit(buf, "%d\n", stats.runnable);
	case VSLICE_RUN_CYCLES:
		return sysfs_emit(buf, "%llu\n", stats.run_cycles);
	case VSLICE_WAIT_CYCLES:
		return sysfs_emit(buf, "%llu\n", stats.wait_cycles);
	case VSLICE_SWITCHES:
		return sysfs_emit(buf, "%llu\n", stats.switches);
	case VSLICE_WAKEUPS:
		return sysfs_emit(buf, "%llu\n", stats.wakeups);
	case VSLICE_MOVES:
		return sysfs_emit(buf, "%llu\n", stats.moves);
	case VSLICE_LOST:
		return sysfs_emit(buf, "%llu\n", stats.lost);
	default:
		return -EINVAL;
	}
}

static ssize_t vslice_show_load(struct tess_vgpu *vgpu, unsigned int vslice,
				enum vslice_value value, char *buf)
{
	struct tess_load load;
	int rc;

	rc = tess_analyze_read(vgpu, vslice, TESS_ANALYZE_OBSERVE, &load);
	if (rc)
		return rc;
	switch (value) {
	case VSLICE_UTILIZATION:
		return sysfs_emit(buf, "%u\n", load.utilization);
	case VSLICE_QUEUE_DEPTH:
		return sysfs_emit(buf, "%u\n", load.queue_depth);
	case VSLICE_SHADER_INTENSITY:
		return sysfs_emit(buf, "%u\n", load.shader);
	case VSLICE_MEMORY_INTENSITY:
		return sysfs_emit(buf, "%u\n", load.memory);
	case VSLICE_TEXTURE_INTENSITY:
		return sysfs_emit(buf, "%u\n", load.texture);
	case VSLICE_PIXEL_INTENSITY:
		return sysfs_emit(buf, "%u\n", load.pixel);
	case VSLICE_RAY_INTENSITY:
		return sysfs_emit(buf, "%u\n", load.ray);
	case VSLICE_UNIT_INTENSITY:
		return sysfs_emit(buf, "%u\n", load.units);
	case VSLICE_FLOP_INTENSITY:
		return sysfs_emit(buf, "%u\n", load.flop);
	case VSLICE_STALL_INTENSITY:
		return sysfs_emit(buf, "%u\n", load.stall);
	case VSLICE_FRAME_RATE:
		return sysfs_emit(buf, "%u\n",
				  tess_analysis_fps(load.frames, vgpu->gpu->info.clock_khz));
	default:
		return -EINVAL;
	}
}

static ssize_t vslice_show_slice(struct tess_vgpu *vgpu, unsigned int vslice,
				 enum vslice_value value, char *buf)
{
	return sysfs_emit(buf, "%d\n", tess_sched_home(vgpu, vslice));
}

VSLICE_ATTR(slice, 0644, vslice_show_slice, VSLICE_SLICE);

/* What a client does when is nobody's business but the administrator's */
VSLICE_ATTR(resident, 0440, vslice_show_sched, VSLICE_RESIDENT);
VSLICE_ATTR(runnable, 0440, vslice_show_sched, VSLICE_RUNNABLE);
VSLICE_ATTR(run_cycles, 0440, vslice_show_sched, VSLICE_RUN_CYCLES);
VSLICE_ATTR(wait_cycles, 0440, vslice_show_sched, VSLICE_WAIT_CYCLES);
VSLICE_ATTR(switches, 0440, vslice_show_sched, VSLICE_SWITCHES);
VSLICE_ATTR(wakeups, 0440, vslice_show_sched, VSLICE_WAKEUPS);
VSLICE_ATTR(moves, 0440, vslice_show_sched, VSLICE_MOVES);
VSLICE_ATTR(lost, 0440, vslice_show_sched, VSLICE_LOST);
VSLICE_ATTR(utilization, 0440, vslice_show_load, VSLICE_UTILIZATION);
VSLICE_ATTR(queue_depth, 0440, vslice_show_load, VSLICE_QUEUE_DEPTH);
VSLICE_ATTR(shader_intensity, 0440, vslice_show_load, VSLICE_SHADER_INTENSITY);
VSLICE_ATTR(memory_intensity, 0440, vslice_show_load, VSLICE_MEMORY_INTENSITY);
VSLICE_ATTR(texture_intensity, 0440, vslice_show_load, VSLICE_TEXTURE_INTENSITY);
VSLICE_ATTR(pixel_intensity, 0440, vslice_show_load, VSLICE_PIXEL_INTENSITY);
VSLICE_ATTR(ray_intensity, 0440, vslice_show_load, VSLICE_RAY_INTENSITY);
VSLICE_ATTR(unit_intensity, 0440, vslice_show_load, VSLICE_UNIT_INTENSITY);
VSLICE_ATTR(flop_intensity, 0440, vslice_show_load, VSLICE_FLOP_INTENSITY);
VSLICE_ATTR(stall_intensity, 0440, vslice_show_load, VSLICE_STALL_INTENSITY);
VSLICE_ATTR(frame_rate, 0440, vslice_show_load, VSLICE_FRAME_RATE);

static struct attribute *vslice_attrs[] = {
	&vslice_attr_slice.attr,
	&vslice_attr_resident.attr,
	&vslice_attr_runnable.attr,
	&vslice_attr_run_cycles.attr,
	&vslice_attr_wait_cycles.attr,
	&vslice_attr_switches.attr,
	&vslice_attr_wakeups.attr,
	&vslice_attr_moves.attr,
	&vslice_attr_lost.attr,
	&vslice_attr_utilization.attr,
	&vslice_attr_queue_depth.attr,
	&vslice_attr_shader_intensity.attr,
	&vslice_attr_memory_intensity.attr,
	&vslice_attr_texture_intensity.attr,
	&vslice_attr_pixel_intensity.attr,
	&vslice_attr_ray_intensity.attr,
	&vslice_attr_unit_intensity.attr,
	&vslice_attr_flop_intensity.attr,
	&vslice_attr_stall_intensity.attr,
	&vslice_attr_frame_rate.attr,
	NULL,
};
ATTRIBUTE_GROUPS(vslice);

static struct tess_vslice_dir *to_vslice_dir(struct kobject *kobj)
{
	return container_of(kobj, struct tess_vslice_dir, kobj);
}

static ssize_t vslice_attr_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct vslice_attribute *va = container_of(attr, struct vslice_attribute, attr);
	struct tess_vslice_dir *vd = to_vslice_dir(kobj);

	return va->show(vd->dir->vgpu, vd->index, va->value, buf);
}

/* The only file that can be written is "slice" */
static ssize_t vslice_attr_store(struct kobject *kobj, struct attribute *attr, const char *buf,
				 size_t len)
{
	struct tess_vslice_dir *vd = to_vslice_dir(kobj);
	struct tess_vgpu *vgpu = vd->dir->vgpu;
	struct tess_gpu *gpu = vgpu->gpu;
	unsigned int slice;
	int rc;

	if (kstrtouint(buf, 0, &slice) || slice >= gpu->info.slice_count) {
		dev_info(&gpu->dev, "\"%s\": slice must be 0 to %u\n", vgpu->name,
			 gpu->info.slice_count - 1);
		return -EINVAL;
	}
	rc = tess_sched_move(vgpu, vd->index, slice, TESS_MOVE_SYSFS);
	return rc ?: len;
}

static const struct sysfs_ops vslice_sysfs_ops = {
	.show = vslice_attr_show,
	.store = vslice_attr_store,
};

static void vslice_dir_release(struct kobject *kobj)
{
	kobject_put(&to_vslice_dir(kobj)->dir->kobj);
}

static const struct kobj_type vslice_ktype = {
	.sysfs_ops = &vslice_sysfs_ops,
	.default_groups = vslice_groups,
	.release = vslice_dir_release,
};

/* ---- directories ---- */

/* On return nobody reads or writes a file of it; it may be one that could not be added */
static void kobj_hide(struct kobject *kobj)
{
	if (kobj->state_in_sysfs)
		kobject_del(kobj);
	kobject_put(kobj);
}

static void vgpu_dir_hide(struct tess_vgpu_dir *dir)
{
	struct tess_vgpu *vgpu = dir->vgpu;

	lockdep_assert_held(&vgpu->gpu->dirs.lock);
	list_del(&dir->link);
	vgpu->dir = NULL;
	while (dir->shown)
		kobj_hide(&dir->vslices[--dir->shown].kobj);
	kobj_hide(&dir->kobj);
}

static int vgpu_dir_show_vslice(struct tess_vgpu_dir *dir, unsigned int index)
{
	struct tess_vslice_dir *vd = &dir->vslices[index];

	vd->dir = dir;
	vd->index = index;
	kobject_get(&dir->kobj);
	dir->shown++;
	return kobject_init_and_add(&vd->kobj, &vslice_ktype, &dir->kobj, "vslice%u", index);
}

/* A kobject would say so with a stack dump */
static bool vgpu_dir_is_taken(const struct tess_vgpu_dirs *dirs, const char *name)
{
	const struct tess_vgpu_dir *dir;

	lockdep_assert_held(&dirs->lock);
	list_for_each_entry(dir, &dirs->list, link)
		if (!strcmp(dir->vgpu->name, name))
			return true;
	return false;
}

static int vgpu_dir_show(struct tess_vgpu *vgpu)
{
	struct tess_vgpu_dirs *dirs = &vgpu->gpu->dirs;
	struct tess_vgpu_dir *dir;
	unsigned int i;
	int rc;

	if (vgpu_dir_is_taken(dirs, vgpu->name))
		return -EEXIST;
	dir = kzalloc(struct_size(dir, vslices, vgpu->nr_vslices), GFP_KERNEL);
	if (!dir)
		return -ENOMEM;
	dir->count = vgpu->nr_vslices;
	dir->vgpu = vgpu;
	list_add_tail(&dir->link, &dirs->list);
	vgpu->dir = dir;
	rc = kobject_init_and_add(&dir->kobj, &vgpu_ktype, dirs->kobj, "%s", vgpu->name);
	for (i = 0; !rc && i < dir->count; i++)
		rc = vgpu_dir_show_vslice(dir, i);
	if (rc)
		vgpu_dir_hide(dir);
	return rc;
}

/**
 * tess_vgpu_sysfs_add() - the directory of a vGPU appears
 * @vgpu: vGPU that is complete; tess_gpu.compose is not held
 * @old: the one whose directory it is to take over when that goes; NULL: it has its own now
 *
 * Return: 0, also if the GPU goes; -EEXIST there is one of this name; -ENOMEM.
 */
int tess_vgpu_sysfs_add(struct tess_vgpu *vgpu, struct tess_vgpu *old)
{
	struct tess_vgpu_dirs *dirs = &vgpu->gpu->dirs;
	int rc = 0;

	mutex_lock(&dirs->lock);
	if (old) {
		vgpu->predecessor = old;
		old->successor = vgpu;
	} else if (dirs->kobj) {
		rc = vgpu_dir_show(vgpu);
	}
	mutex_unlock(&dirs->lock);
	return rc;
}

/* One name, one directory: it changes hands here */
static void vgpu_dir_hand_over(struct tess_vgpu *vgpu)
{
	struct tess_vgpu *next = vgpu->successor;

	lockdep_assert_held(&vgpu->gpu->dirs.lock);
	if (vgpu->predecessor)
		vgpu->predecessor->successor = NULL;
	if (!next)
		return;
	next->predecessor = NULL;
	/* A vGPU works without a directory, too */
	if (vgpu->gpu->dirs.kobj && vgpu_dir_show(next))
		dev_warn(&vgpu->gpu->dev, "\"%s\" has no directory: out of memory\n", next->name);
}

/**
 * tess_vgpu_sysfs_remove() - the directory of a vGPU goes
 * @vgpu: vGPU, complete; no lock is held that one of its files could take
 *
 * On return nobody reaches it by a file.
 */
void tess_vgpu_sysfs_remove(struct tess_vgpu *vgpu)
{
	struct tess_vgpu_dirs *dirs = &vgpu->gpu->dirs;

	mutex_lock(&dirs->lock);
	if (vgpu->dir)
		vgpu_dir_hide(vgpu->dir);
	vgpu_dir_hand_over(vgpu);
	mutex_unlock(&dirs->lock);
}

/**
 * tess_vgpus_show() - the directory of the vGPUs appears
 * @gpu: GPU with its device added
 *
 * Return: 0, -ENOMEM.
 */
int tess_vgpus_show(struct tess_gpu *gpu)
{
	mutex_init(&gpu->dirs.lock);
	INIT_LIST_HEAD(&gpu->dirs.list);
	gpu->dirs.kobj = kobject_create_and_add("vgpus", &gpu->dev.kobj);
	return gpu->dirs.kobj ? 0 : -ENOMEM;
}

/**
 * tess_vgpus_hide() - the directories of vGPUs go
 * @gpu: GPU; no lock is held that one of their files could take
 */
void tess_vgpus_hide(struct tess_gpu *gpu)
{
	struct tess_vgpu_dirs *dirs = &gpu->dirs;

	mutex_lock(&dirs->lock);
	while (!list_empty(&dirs->list))
		vgpu_dir_hide(list_first_entry(&dirs->list, struct tess_vgpu_dir, link));
	kobject_put(dirs->kobj);
	dirs->kobj = NULL;
	mutex_unlock(&dirs->lock);
}
