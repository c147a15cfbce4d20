// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes of a vGPU's mdev; Documentation/ABI/testing/sysfs-bus-mdev-tessera
 */
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/mm.h>
#include <linux/seq_buf.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <tessera/compat.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/vgpu.h>
#include "base/mdev.h"
#include "base/parts.h"
#include "display/damage.h"
#include "display/dmabuf.h"
#include "shape/shape.h"
#include "shape/types.h"
#include "sysfs.h"

static const char * const tess_mdev_engine_names[] = { "compute", "copy", "raster", "display" };

static void put_engines(struct seq_buf *out, u32 engines)
{
	const char *sep = "";
	unsigned int i;

	if (!engines)
		seq_buf_puts(out, "none");
	for (i = 0; i < ARRAY_SIZE(tess_mdev_engine_names); i++) {
		if (!(engines & BIT(i)))
			continue;
		seq_buf_printf(out, "%s%s", sep, tess_mdev_engine_names[i]);
		sep = ",";
	}
}

static void put_slice(struct seq_buf *out, unsigned int n,
		      const struct tess_composition_slice *slice)
{
	seq_buf_printf(out, "slice %u: gpu=%u id=%u kind=%s cores=%u memory=%llu engines=", n,
		       le32_to_cpu(slice->gpu), le32_to_cpu(slice->id),
		       tess_mdev_kind_name(le32_to_cpu(slice->kind)), le32_to_cpu(slice->cores),
		       le64_to_cpu(slice->bank_size));
	put_engines(out, le32_to_cpu(slice->engines));
	seq_buf_putc(out, '\n');
}

static void put_composition(struct seq_buf *out, const struct tess_composition *comp)
{
	unsigned int i;

	seq_buf_printf(out, "generation=%llu slices=%lu slice_mask=%#llx ",
		       le64_to_cpu(comp->generation), hweight64(le64_to_cpu(comp->slice_mask)),
		       le64_to_cpu(comp->slice_mask));
	seq_buf_printf(out, "memory=%llu heads=%#x engines=", le64_to_cpu(comp->vram_size),
		       le32_to_cpu(comp->heads));
	put_engines(out, le32_to_cpu(comp->engines));
	seq_buf_putc(out, '\n');
	for (i = 0; i < le32_to_cpu(comp->slice_count); i++)
		if (le64_to_cpu(comp->slice_mask) & BIT_ULL(i))
			put_slice(out, i, &comp->slice[i]);
}

#define COMPOSITION_LINE_BYTES	160

/* A page, which is what other attributes have, is too little for all slices */
static ssize_t composition_read(struct file *file, struct kobject *kobj,
				TESS_BIN_ATTR struct bin_attribute *attr, char *buf, loff_t off,
				size_t count)
{
	const size_t size = (1 + TESS_MAX_SLICES) * COMPOSITION_LINE_BYTES;
	struct tess_mdev *tm = dev_get_drvdata(kobj_to_dev(kobj));
	struct seq_buf out;
	ssize_t ret;
	char *text;

	text = kvmalloc(size, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	seq_buf_init(&out, text, size);
	scoped_guard(mutex, &tm->page.lock)
		put_composition(&out, tm->page.comp);
	ret = memory_read_from_buffer(buf, count, &off, text, seq_buf_used(&out));
	kvfree(text);
	return ret;
}
static TESS_BIN_ATTR struct bin_attribute bin_attr_composition = {
	.attr = { .name = "composition", .mode = 0444 },
	.read = composition_read,
};

static const char * const tess_mdev_features[] = {
	"composition", "direct-doorbell", "direct-vram", "demand-pinning", "reset", "sharing",
	"move", "blueprint", "profile", "migrate", "span", "display", "damage", "view", "dmabuf"
};

static ssize_t features_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	unsigned int i;
	int at = 0;

	for (i = 0; i < ARRAY_SIZE(tess_mdev_features); i++)
		at += sysfs_emit_at(buf, at, "%s%c", tess_mdev_features[i],
				    i + 1 < ARRAY_SIZE(tess_mdev_features) ? ' ' : '\n');
	return at;
}
static DEVICE_ATTR_RO(features);

/* ---- the composition as a whole ---- */

static ssize_t blueprint_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tess_blueprint bp;
	int len;

	if (!tess_mdev_blueprint(dev_get_drvdata(dev), &bp))
		return sysfs_emit(buf, "none\n");
	len = tess_blueprint_format(&bp, buf, TESS_BLUEPRINT_MAX);
	return len + sysfs_emit_at(buf, len, "\n");
}

static ssize_t blueprint_store(struct device *dev, struct device_attribute *attr,
			       const char *buf, size_t count)
{
	return tess_mdev_write_blueprint(dev_get_drvdata(dev), buf) ?: count;
}
static DEVICE_ATTR_RW(blueprint);

static ssize_t profile_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tess_profile profile;
	int len;

	len = tess_mdev_profile(dev_get_drvdata(dev), &profile);
	if (len)
		return len == -ENXIO ? sysfs_emit(buf, "none\n") : len;
	len = tess_profile_format(&profile, buf, TESS_BLUEPRINT_MAX);
	return len + sysfs_emit_at(buf, len, "\n");
}

static ssize_t profile_store(struct device *dev, struct device_attribute *attr, const char *buf,
			     size_t count)
{
	return tess_mdev_write_profile(dev_get_drvdata(dev), buf) ?: count;
}

/* What a guest does when is the administrator's business only */
static struct device_attribute dev_attr_profile =
	__ATTR(profile, 0640, profile_show, profile_store);

static ssize_t gpu_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tess_mdev *tm = dev_get_drvdata(dev);
	int gpu, i, at = 0;

	for (i = 0; (gpu = tess_mdev_gpu(tm, i)) >= 0; i++)
		at += sysfs_emit_at(buf, at, "%sgpu%d", i ? " " : "", gpu);
	return at + sysfs_emit_at(buf, at, i ? "\n" : "none\n");
}

static ssize_t gpu_store(struct device *dev, struct device_attribute *attr, const char *buf,
			 size_t count)
{
	return tess_mdev_write_gpu(dev_get_drvdata(dev), buf) ?: count;
}
static DEVICE_ATTR_RW(gpu);

static ssize_t last_error_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return tess_mdev_show_error(dev_get_drvdata(dev), buf);
}
static DEVICE_ATTR_RO(last_error);

static ssize_t heads_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return tess_mdev_damage_format(dev_get_drvdata(dev), buf);
}

/* As of the profile, but that nothing is to be written */
static struct device_attribute dev_attr_heads = __ATTR(heads, 0440, heads_show, NULL);

static const char * const tess_mdev_plane_kinds[] = { "region", "dmabuf" };

static ssize_t plane_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tess_mdev *tm = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%s\n",
			  tess_mdev_plane_kinds[READ_ONCE(tm->display.dmabufs.offered)]);
}

static ssize_t plane_store(struct device *dev, struct device_attribute *attr, const char *buf,
			   size_t count)
{
	int kind = sysfs_match_string(tess_mdev_plane_kinds, buf);

	if (kind < 0) {
		dev_info(dev, "plane must be region or dmabuf\n");
		return -EINVAL;
	}
	return tess_mdev_offer_dmabufs(dev_get_drvdata(dev), kind) ?: count;
}
static DEVICE_ATTR_RW(plane);

/* ---- share of the slices ---- */

static ssize_t weight_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tess_blueprint bp;

	if (!tess_mdev_blueprint(dev_get_drvdata(dev), &bp))
		return sysfs_emit(buf, "none\n");
	return sysfs_emit(buf, "%u\n", bp.weight);
}

/* Changes one thing of the composition that there is, which cannot be replaced meanwhile */
static ssize_t attr_set_locked(struct tess_mdev *tm, int (*set)(struct tess_vgpu *vgpu, u32 val),
			       u32 val)
{
	guard(mutex)(&tm->shape.lock);
	if (!tm->parts.count)
		return -ENXIO;
	if (tess_mdev_spans(&tm->parts)) {
		dev_info(tm->vdev.dev, "of several GPUs: not shared, and moved by nobody\n");
		return -EOPNOTSUPP;
	}
	return set(tess_mdev_first(&tm->parts), val);
}

static ssize_t weight_store(struct device *dev, struct device_attribute *attr, const char *buf,
			    size_t count)
{
	u32 weight;

	/* What is no number is out of range, too, and gets the core's message about it */
	if (kstrtou32(buf, 0, &weight))
		weight = 0;
	return attr_set_locked(dev_get_drvdata(dev), tess_vgpu_set_weight, weight) ?: count;
}
static DEVICE_ATTR_RW(weight);

static ssize_t cap_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tess_blueprint bp;

	if (!tess_mdev_blueprint(dev_get_drvdata(dev), &bp))
		return sysfs_emit(buf, "none\n");
	return sysfs_emit(buf, "%u\n", bp.cap);
}

static ssize_t cap_store(struct device *dev, struct device_attribute *attr, const char *buf,
			 size_t count)
{
	u32 cap;

	if (kstrtou32(buf, 0, &cap))
		cap = U32_MAX;
	return attr_set_locked(dev_get_drvdata(dev), tess_vgpu_set_cap, cap) ?: count;
}
static DEVICE_ATTR_RW(cap);

static const char * const tess_mdev_policies[] = { "manual", "auto" };

static ssize_t policy_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tess_blueprint bp;

	if (!tess_mdev_blueprint(dev_get_drvdata(dev), &bp))
		return sysfs_emit(buf, "none\n");
	return sysfs_emit(buf, "%s\n", tess_mdev_policies[bp.automatic]);
}

static int set_policy(struct tess_vgpu *vgpu, u32 policy)
{
	return tess_vgpu_set_automatic(vgpu, policy);
}

static ssize_t policy_store(struct device *dev, struct device_attribute *attr, const char *buf,
			    size_t count)
{
	int policy;

	policy = sysfs_match_string(tess_mdev_policies, buf);
	if (policy < 0) {
		dev_info(dev, "policy must be manual or auto\n");
		return -EINVAL;
	}
	return attr_set_locked(dev_get_drvdata(dev), set_policy, policy) ?: count;
}
static DEVICE_ATTR_RW(policy);

static struct attribute *tess_mdev_attrs[] = {
	&dev_attr_features.attr,
	&dev_attr_blueprint.attr,
	&dev_attr_profile.attr,
	&dev_attr_gpu.attr,
	&dev_attr_last_error.attr,
	&dev_attr_heads.attr,
	&dev_attr_plane.attr,
	&dev_attr_weight.attr,
	&dev_attr_cap.attr,
	&dev_attr_policy.attr,
	NULL,
};

static TESS_BIN_ATTR struct bin_attribute *TESS_BIN_ATTR tess_mdev_bin_attrs[] = {
	&bin_attr_composition,
	NULL,
};

static const struct attribute_group tess_mdev_group = {
	.attrs = tess_mdev_attrs,
	.bin_attrs = tess_mdev_bin_attrs,
};

/**
 * struct tess_mdev_stat_attr - attribute of a counter
 * @attr: attribute
 * @offset: of the counter in struct tess_mdev_stats
 */
struct tess_mdev_stat_attr {
	struct device_attribute attr;
	size_t offset;
};

static ssize_t stat_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tess_mdev_stat_attr *stat = container_of(attr, struct tess_mdev_stat_attr, attr);
	struct tess_mdev *tm = dev_get_drvdata(dev);
	const atomic64_t *counter = (void *)&tm->stats + stat->offset;

	return sysfs_emit(buf, "%lld\n", atomic64_read(counter));
}

#define TESS_MDEV_STAT(_name)							\
	static struct tess_mdev_stat_attr tess_mdev_stat_##_name = {		\
		.attr = __ATTR(_name, 0440, stat_show, NULL),			\
		.offset = offsetof(struct tess_mdev_stats, _name),		\
	}

TESS_MDEV_STAT(pinned_pages);
TESS_MDEV_STAT(stage2_faults);
TESS_MDEV_STAT(stage2_refused);
TESS_MDEV_STAT(client_faults);
TESS_MDEV_STAT(completions);
TESS_MDEV_STAT(traps);
TESS_MDEV_STAT(mmap_faults);
TESS_MDEV_STAT(zeroed_bytes);
TESS_MDEV_STAT(still_bytes);

static struct attribute *tess_mdev_stat_attrs[] = {
	&tess_mdev_stat_pinned_pages.attr.attr,
	&tess_mdev_stat_stage2_faults.attr.attr,
	&tess_mdev_stat_stage2_refused.attr.attr,
	&tess_mdev_stat_client_faults.attr.attr,
	&tess_mdev_stat_completions.attr.attr,
	&tess_mdev_stat_traps.attr.attr,
	&tess_mdev_stat_mmap_faults.attr.attr,
	&tess_mdev_stat_zeroed_bytes.attr.attr,
	&tess_mdev_stat_still_bytes.attr.attr,
	NULL,
};

static const struct attribute_group tess_mdev_stat_group = {
	.name = "stats",
	.attrs = tess_mdev_stat_attrs,
};

const struct attribute_group *tess_mdev_groups[] = {
	&tess_mdev_group,
	&tess_mdev_stat_group,
	NULL,
};
