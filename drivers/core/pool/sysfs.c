// SPDX-License-Identifier: GPL-2.0-only
/*
 * What user space sees of the pool: /sys/class/tessera, one value per file.
 *
 * DOC: sysfs
 *
 * Documentation/ABI/testing/sysfs-tessera is the authority. A slice is a kobject below
 * its GPU and not a device: it is no unit of binding, power or hotplug. Counters are
 * read from the GPU when a file is read; of a GPU that is gone they read as an error.
 */
#include <linux/device.h>
#include <linux/kobject.h>
#include <linux/sysfs.h>
#include <tessera/gpu.h>
#include <tessera/memory.h>

#include "base/gpu.h"
#include "run/run.h"
#include "shape/shape.h"
#include "slice/slice.h"
#include "slice/vgpu.h"
#include "sysfs.h"

/* ---- GPU ---- */

static ssize_t name_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tess_gpu *gpu = to_tess_gpu(dev);

	return sysfs_emit(buf, "%s\n", dev_name(gpu->parent));
}
static DEVICE_ATTR_RO(name);

static ssize_t type_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", to_tess_gpu(dev)->info.is_vgpu ? "vgpu" : "gpu");
}
static DEVICE_ATTR_RO(type);

static ssize_t slices_total_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", to_tess_gpu(dev)->info.slice_count);
}
static DEVICE_ATTR_RO(slices_total);

static ssize_t slices_free_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tess_gpu *gpu = to_tess_gpu(dev);
	unsigned int i, n = 0;

	spin_lock(&gpu->lock);
	for (i = 0; i < gpu->info.slice_count; i++)
		n += tess_slice_can_be_had(&gpu->slices[i]);
	spin_unlock(&gpu->lock);
	return sysfs_emit(buf, "%u\n", n);
}
static DEVICE_ATTR_RO(slices_free);

static ssize_t vram_total_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", to_tess_gpu(dev)->info.vram_size);
}
static DEVICE_ATTR_RO(vram_total);

static ssize_t vram_free_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", tess_gpu_vram_free(to_tess_gpu(dev)));
}
static DEVICE_ATTR_RO(vram_free);

static ssize_t clock_khz_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", to_tess_gpu(dev)->info.clock_khz);
}
static DEVICE_ATTR_RO(clock_khz);

static ssize_t time_cycles_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", tess_gpu_time(to_tess_gpu(dev)));
}
static DEVICE_ATTR_RO(time_cycles);

static ssize_t generation_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tess_gpu *gpu = to_tess_gpu(dev);
	u64 generation;

	spin_lock(&gpu->lock);
	generation = gpu->generation;
	spin_unlock(&gpu->lock);
	return sysfs_emit(buf, "%llu\n", generation);
}
static DEVICE_ATTR_RO(generation);

static struct attribute *tess_gpu_attrs[] = {
	&dev_attr_name.attr,
	&dev_attr_type.attr,
	&dev_attr_slices_total.attr,
	&dev_attr_slices_free.attr,
	&dev_attr_vram_total.attr,
	&dev_attr_vram_free.attr,
	&dev_attr_clock_khz.attr,
	&dev_attr_time_cycles.attr,
	&dev_attr_generation.attr,
	NULL,
};

static const struct attribute_group tess_gpu_group = {
	.attrs = tess_gpu_attrs,
};

const struct attribute_group *tess_gpu_groups[] = {
	&tess_gpu_group,
	NULL,
};

/* ---- slice ---- */

/**
 * struct slice_attribute - a file of a slice
 * @attr: name and mode
 * @show: its value
 * @store: sets it; NULL: it can not be set
 * @arg: for both
 */
struct slice_attribute {
	struct attribute attr;
	ssize_t (*show)(struct tess_slice *slice, unsigned int arg, char *buf);
	int (*store)(struct tess_slice *slice, unsigned int arg, const char *buf);
	unsigned int arg;
};

#define SLICE_ATTR(_name, _show, _arg) {				\
	.attr = { .name = _name, .mode = 0444 },			\
	.show = _show,							\
	.arg = _arg,							\
}

/* What clients do when is the administrator's business only */
#define SLICE_ATTR_ADMIN(_name, _show, _arg) {				\
	.attr = { .name = _name, .mode = 0440 },			\
	.show = _show,							\
	.arg = _arg,							\
}

#define SLICE_ATTR_RW(_name, _show, _store, _arg) {			\
	.attr = { .name = _name, .mode = 0644 },			\
	.show = _show,							\
	.store = _store,						\
	.arg = _arg,							\
}

enum slice_value {
	SLICE_CORES,
	SLICE_ENGINES,
	SLICE_BANK_OFFSET,
	SLICE_BANK_SIZE,
};

enum slice_rate {
	RATE_COMPUTE,
	RATE_BANDWIDTH,
	RATE_TEXELS,
	RATE_PIXELS,
	RATE_RAYS,
};

static ssize_t slice_show_kind(struct tess_slice *slice, unsigned int arg, char *buf)
{
	return sysfs_emit(buf, "%s\n", tess_kind_name(slice->info.kind));
}

static ssize_t slice_show_state(struct tess_slice *slice, unsigned int arg, char *buf)
{
	enum tess_slice_state state;

	spin_lock(&slice->gpu->lock);
	state = slice->owner || (slice->client && slice->client->claims) ? TESS_SLICE_USED :
									   slice->state;
	if (tess_slice_is_withdrawn(slice))
		state = TESS_SLICE_ABSENT;
	spin_unlock(&slice->gpu->lock);
	return sysfs_emit(buf, "%s\n", tess_slice_state_name(state));
}

static const char * const service_names[] = { "in", "out" };

static ssize_t slice_show_service(struct tess_slice *slice, unsigned int arg, char *buf)
{
	bool out, used;

	spin_lock(&slice->gpu->lock);
	out = slice->out;
	used = slice->client || slice->state == TESS_SLICE_SHARED;
	spin_unlock(&slice->gpu->lock);
	return sysfs_emit(buf, "%s\n", out && used ? "draining" : service_names[out]);
}

static int slice_store_service(struct tess_slice *slice, unsigned int arg, const char *buf)
{
	int out = __sysfs_match_string(service_names, ARRAY_SIZE(service_names), buf);

	if (out >= 0)
		return tess_slice_set_service(slice, out);
	dev_info(&slice->gpu->dev, "slice %u: service: in and out are allowed\n", slice->index);
	return -EINVAL;
}

static ssize_t slice_show_owner(struct tess_slice *slice, unsigned int arg, char *buf)
{
	const struct tess_vgpu *owner;
	ssize_t len;

	/* The name goes with the vGPU, which needs the lock to leave the slice */
	spin_lock(&slice->gpu->lock);
	owner = slice->owner ?: slice->client;
	len = sysfs_emit(buf, "%s\n", owner ? owner->name : "");
	spin_unlock(&slice->gpu->lock);
	return len;
}

static ssize_t slice_show_value(struct tess_slice *slice, unsigned int arg, char *buf)
{
	switch ((enum slice_value)arg) {
	case SLICE_CORES:
		return sysfs_emit(buf, "%u\n", slice->info.cores);
	case SLICE_ENGINES:
		return sysfs_emit(buf, "%#x\n", slice->info.engines);
	case SLICE_BANK_OFFSET:
		return sysfs_emit(buf, "%llu\n", tess_slice_bank_offset(slice));
	case SLICE_BANK_SIZE:
		return sysfs_emit(buf, "%llu\n", slice->gpu->info.bank_size);
	}
	return -EINVAL;
}

static ssize_t slice_show_rate(struct tess_slice *slice, unsigned int arg, char *buf)
{
	struct tess_slice_rates rates = { 0 };
	struct tess_gpu *gpu = slice->gpu;
	int idx;

	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	tess_gpu_ops(gpu)->rates(gpu->be, slice->index, &rates);
	tess_gpu_exit(gpu, idx);
	switch ((enum slice_rate)arg) {
	case RATE_COMPUTE:
		return sysfs_emit(buf, "%llu\n", rates.instructions);
	case RATE_BANDWIDTH:
		return sysfs_emit(buf, "%llu\n", rates.bandwidth);
	case RATE_TEXELS:
		return sysfs_emit(buf, "%llu\n", rates.texels);
	case RATE_PIXELS:
		return sysfs_emit(buf, "%llu\n", rates.pixels);
	case RATE_RAYS:
		return sysfs_emit(buf, "%llu\n", rates.rays);
	}
	return -EINVAL;
}

/* One look at all of them. @time: GPU time ahead of it */
static int slice_read_counters(struct tess_slice *slice, u64 *time, u64 counters[TESS_COUNTS])
{
	struct tess_gpu *gpu = slice->gpu;
	int idx, rc;

	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	mutex_lock(&slice->hw);
	*time = tess_gpu_ops(gpu)->time(gpu->be);
	rc = tess_slice_counters(slice, counters);
	mutex_unlock(&slice->hw);
	tess_gpu_exit(gpu, idx);
	return rc;
}

static ssize_t slice_show_counter(struct tess_slice *slice, unsigned int arg, char *buf)
{
	u64 counters[TESS_COUNTS], time;
	int rc;

	rc = slice_read_counters(slice, &time, counters);
	if (rc)
		return rc;
	return sysfs_emit(buf, "%llu\n", counters[arg]);
}

/* ---- slice: how it is shared ---- */

enum slice_share {
	SHARE_MEMBERS,
	SHARE_QUANTUM,
	SHARE_TIMEOUT,
	SHARE_SWITCHES,
	SHARE_PREEMPTIONS,
	SHARE_TIMEOUTS,
	SHARE_MOVES_IN,
	SHARE_MOVES_OUT,
};

static const char * const policy_names[TESS_POLICY_KINDS] = {
	[TESS_POLICY_FAIR] = "fair",
	[TESS_POLICY_FIXED] = "fixed",
	[TESS_POLICY_BESTEFFORT] = "besteffort",
};

static u64 slice_share_value(const struct tess_runq *rq, enum slice_share which)
{
	switch (which) {
	case SHARE_MEMBERS:
		return rq->policy.count;
	case SHARE_QUANTUM:
		return rq->quantum_us;
	case SHARE_TIMEOUT:
		return rq->timeout_us;
	case SHARE_SWITCHES:
		return rq->switches;
	case SHARE_PREEMPTIONS:
		return rq->preemptions;
	case SHARE_TIMEOUTS:
		return rq->timeouts;
	case SHARE_MOVES_IN:
		return rq->moves_in;
	case SHARE_MOVES_OUT:
		return rq->moves_out;
	}
	return 0;
}

static ssize_t slice_show_share(struct tess_slice *slice, unsigned int arg, char *buf)
{
	u64 value;

	mutex_lock(&slice->hw);
	value = slice_share_value(&slice->rq, arg);
	mutex_unlock(&slice->hw);
	return sysfs_emit(buf, "%llu\n", value);
}

static int slice_store_quantum(struct tess_slice *slice, unsigned int arg, const char *buf)
{
	u32 us;
	int rc;

	rc = kstrtou32(buf, 0, &us);
	if (!rc)
		rc = tess_sched_set_quantum(slice, us);
	if (rc != -EINVAL && rc != -ERANGE)
		return rc;
	dev_info(&slice->gpu->dev, "slice %u: quantum_us: %u to %u are allowed\n", slice->index,
		 TESS_QUANTUM_US_MIN, TESS_QUANTUM_US_MAX);
	return -EINVAL;
}

static int slice_store_timeout(struct tess_slice *slice, unsigned int arg, const char *buf)
{
	u32 us;
	int rc;

	rc = kstrtou32(buf, 0, &us);
	if (!rc)
		rc = tess_sched_set_timeout(slice, us);
	if (rc != -EINVAL && rc != -ERANGE)
		return rc;
	dev_info(&slice->gpu->dev, "slice %u: preempt_timeout_us: %u to %u are allowed\n",
		 slice->index, TESS_TIMEOUT_US_MIN, TESS_TIMEOUT_US_MAX);
	return -EINVAL;
}

static ssize_t slice_show_policy(struct tess_slice *slice, unsigned int arg, char *buf)
{
	return sysfs_emit(buf, "%s\n", policy_names[READ_ONCE(slice->rq.policy.kind)]);
}

static int slice_store_policy(struct tess_slice *slice, unsigned int arg, const char *buf)
{
	int kind = __sysfs_match_string(policy_names, ARRAY_SIZE(policy_names), buf);

	if (kind >= 0)
		return tess_sched_set_policy(slice, kind);
	dev_info(&slice->gpu->dev, "slice %u: policy: fair, fixed and besteffort are allowed\n",
		 slice->index);
	return -EINVAL;
}

static const struct slice_attribute slice_attributes[] = {
	SLICE_ATTR("kind", slice_show_kind, 0),
	SLICE_ATTR("state", slice_show_state, 0),
	SLICE_ATTR("owner", slice_show_owner, 0),
	SLICE_ATTR_RW("service", slice_show_service, slice_store_service, 0),
	SLICE_ATTR("members", slice_show_share, SHARE_MEMBERS),
	SLICE_ATTR_RW("policy", slice_show_policy, slice_store_policy, 0),
	SLICE_ATTR_RW("quantum_us", slice_show_share, slice_store_quantum, SHARE_QUANTUM),
	SLICE_ATTR_RW("preempt_timeout_us", slice_show_share, slice_store_timeout, SHARE_TIMEOUT),
	SLICE_ATTR_ADMIN("switches", slice_show_share, SHARE_SWITCHES),
	SLICE_ATTR_ADMIN("preemptions", slice_show_share, SHARE_PREEMPTIONS),
	SLICE_ATTR_ADMIN("timeouts", slice_show_share, SHARE_TIMEOUTS),
	SLICE_ATTR_ADMIN("moves_in", slice_show_share, SHARE_MOVES_IN),
	SLICE_ATTR_ADMIN("moves_out", slice_show_share, SHARE_MOVES_OUT),
	SLICE_ATTR("cores", slice_show_value, SLICE_CORES),
	SLICE_ATTR("engines", slice_show_value, SLICE_ENGINES),
	SLICE_ATTR("bank_offset", slice_show_value, SLICE_BANK_OFFSET),
	SLICE_ATTR("bank_size", slice_show_value, SLICE_BANK_SIZE),
	SLICE_ATTR("compute_rate", slice_show_rate, RATE_COMPUTE),
	SLICE_ATTR("memory_bandwidth", slice_show_rate, RATE_BANDWIDTH),
	SLICE_ATTR("texture_fill_rate", slice_show_rate, RATE_TEXELS),
	SLICE_ATTR("pixel_fill_rate", slice_show_rate, RATE_PIXELS),
	SLICE_ATTR("ray_rate", slice_show_rate, RATE_RAYS),
};

static const struct slice_attribute slice_counters[] = {
	SLICE_ATTR_ADMIN("active_cycles", slice_show_counter, TESS_COUNT_CYCLES),
	SLICE_ATTR_ADMIN("busy_cycles", slice_show_counter, TESS_COUNT_BUSY),
	SLICE_ATTR_ADMIN("stall_cycles", slice_show_counter, TESS_COUNT_STALL),
	SLICE_ATTR_ADMIN("instructions", slice_show_counter, TESS_COUNT_INSTRUCTIONS),
	SLICE_ATTR_ADMIN("flops", slice_show_counter, TESS_COUNT_FLOPS),
	SLICE_ATTR_ADMIN("texels", slice_show_counter, TESS_COUNT_TEXELS),
	SLICE_ATTR_ADMIN("pixels", slice_show_counter, TESS_COUNT_PIXELS),
	SLICE_ATTR_ADMIN("rays", slice_show_counter, TESS_COUNT_RAYS),
	SLICE_ATTR_ADMIN("global_bytes", slice_show_counter, TESS_COUNT_GLOBAL_BYTES),
	SLICE_ATTR_ADMIN("private_bytes", slice_show_counter, TESS_COUNT_PRIVATE_BYTES),
	SLICE_ATTR_ADMIN("unit_cycles", slice_show_counter, TESS_COUNT_UNIT_CYCLES),
	SLICE_ATTR_ADMIN("copy_bytes", slice_show_counter, TESS_COUNT_BYTES),
	SLICE_ATTR_ADMIN("link_bytes", slice_show_counter, TESS_COUNT_LINK_BYTES),
	SLICE_ATTR_ADMIN("groups", slice_show_counter, TESS_COUNT_GROUPS),
	SLICE_ATTR_ADMIN("packets", slice_show_counter, TESS_COUNT_PACKETS),
	SLICE_ATTR_ADMIN("dispatches", slice_show_counter, TESS_COUNT_DISPATCHES),
	SLICE_ATTR_ADMIN("faults", slice_show_counter, TESS_COUNT_FAULTS),
};

static ssize_t slice_show_counters(struct tess_slice *slice, unsigned int arg, char *buf)
{
	u64 counters[TESS_COUNTS], time;
	unsigned int i;
	ssize_t len;
	int rc;

	rc = slice_read_counters(slice, &time, counters);
	if (rc)
		return rc;
	len = sysfs_emit(buf, "time_cycles %llu\n", time);
	for (i = 0; i < ARRAY_SIZE(slice_counters); i++)
		len += sysfs_emit_at(buf, len, "%s %llu\n", slice_counters[i].attr.name,
				     counters[slice_counters[i].arg]);
	return len;
}

static const struct slice_attribute slice_all_counters =
	SLICE_ATTR_ADMIN("counters", slice_show_counters, 0);

static ssize_t slice_attr_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct slice_attribute *sa = container_of(attr, struct slice_attribute, attr);

	return sa->show(container_of(kobj, struct tess_slice, kobj), sa->arg, buf);
}

static ssize_t slice_attr_store(struct kobject *kobj, struct attribute *attr, const char *buf,
				size_t count)
{
	struct slice_attribute *sa = container_of(attr, struct slice_attribute, attr);
	int rc;

	if (!sa->store)
		return -EIO;
	rc = sa->store(container_of(kobj, struct tess_slice, kobj), sa->arg, buf);
	return rc ?: count;
}

static const struct sysfs_ops slice_sysfs_ops = {
	.show = slice_attr_show,
	.store = slice_attr_store,
};

static void slice_release(struct kobject *kobj)
{
	struct tess_slice *slice = container_of(kobj, struct tess_slice, kobj);

	/* Possibly the last reference to the memory that the kobject is in */
	put_device(&slice->gpu->dev);
}

static const struct kobj_type slice_ktype = {
	.sysfs_ops = &slice_sysfs_ops,
	.release = slice_release,
};

/**
 * tess_slice_kobject_init() - a slice holds a reference to its GPU from now on
 * @slice: slice of a new GPU
 */
void tess_slice_kobject_init(struct tess_slice *slice)
{
	get_device(&slice->gpu->dev);
	kobject_init(&slice->kobj, &slice_ktype);
}

static int slice_show_files(struct tess_slice *slice, const struct slice_attribute *files,
			    unsigned int count)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < count; i++)
		rc = sysfs_create_file(&slice->kobj, &files[i].attr);
	return rc;
}

static int slice_show(struct tess_slice *slice)
{
	int rc;

	rc = kobject_add(&slice->kobj, slice->gpu->slices_kobj, "slice%u", slice->index);
	if (!rc)
		rc = slice_show_files(slice, slice_attributes, ARRAY_SIZE(slice_attributes));
	if (!rc)
		rc = slice_show_files(slice, slice_counters, ARRAY_SIZE(slice_counters));
	if (!rc)
		rc = slice_show_files(slice, &slice_all_counters, 1);
	return rc;
}

/**
 * tess_slices_hide() - the directories of the slices go
 * @gpu: GPU
 */
void tess_slices_hide(struct tess_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < gpu->info.slice_count; i++)
		kobject_del(&gpu->slices[i].kobj);
	kobject_put(gpu->slices_kobj);
	gpu->slices_kobj = NULL;
}

/**
 * tess_slices_show() - the directories of the slices appear
 * @gpu: GPU with its device added
 *
 * Return: 0 or negative errno.
 */
int tess_slices_show(struct tess_gpu *gpu)
{
	unsigned int i;
	int rc = 0;

	gpu->slices_kobj = kobject_create_and_add("slices", &gpu->dev.kobj);
	if (!gpu->slices_kobj)
		return -ENOMEM;
	for (i = 0; !rc && i < gpu->info.slice_count; i++)
		rc = slice_show(&gpu->slices[i]);
	if (rc)
		tess_slices_hide(gpu);
	return rc;
}
