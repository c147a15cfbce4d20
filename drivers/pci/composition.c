// SPDX-License-Identifier: GPL-2.0-only
/*
 * The composition of a vGPU.
 *
 * DOC: PCI composition
 *
 * The host changes a vGPU while it is in use: slices come and go, or become others. The
 * composition page says what there is, with a sequence number that is odd while the host
 * writes. What was read between two equal even numbers was all true at one time. Register
 * by register there is no such moment, and a slice that moves just then would look as if it
 * were gone.
 *
 * A page that never becomes whole changes nothing: what was known stays, and the host
 * raises the event again when it has finished.
 *
 * The driver core adds the files below when probing is over and removes them before the
 * device goes.
 */
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/pci.h>
#include <linux/sysfs.h>

#include "composition.h"
#include "hw.h"
#include "tess_pci.h"

/* The host writes for microseconds, but its processor may be busy otherwise */
#define COMPOSITION_TRIES	2000
#define COMPOSITION_WAIT_US	50

static u32 page_read32(struct tess_pci *tp, size_t off)
{
	return tess_pci_read32(tp, TESS_COMPOSITION_PAGE, off);
}

static u64 page_read64(struct tess_pci *tp, size_t off)
{
	return tess_pci_read64(tp, TESS_COMPOSITION_PAGE, off);
}

static void read_slice(struct tess_pci *tp, unsigned int i, struct tess_slice_info *info)
{
	size_t at = offsetof(struct tess_composition, slice[i]);

	info->kind = page_read32(tp, at + offsetof(struct tess_composition_slice, kind));
	info->cores = page_read32(tp, at + offsetof(struct tess_composition_slice, cores));
	info->engines = page_read32(tp, at + offsetof(struct tess_composition_slice, engines)) &
			TESS_ENGINE_ALL;
	if (info->kind > TESS_KIND_MIXED)
		*info = (struct tess_slice_info){ .kind = TESS_KIND_NONE };
}

static void read_once(struct tess_pci *tp, struct tess_slice_info *slices, u64 *generation)
{
	u64 mask = page_read64(tp, offsetof(struct tess_composition, slice_mask));
	unsigned int i;

	*generation = page_read64(tp, offsetof(struct tess_composition, generation));
	for (i = 0; i < tp->info.slice_count; i++) {
		slices[i] = (struct tess_slice_info){ .kind = TESS_KIND_NONE };
		if (mask & BIT_ULL(i))
			read_slice(tp, i, &slices[i]);
	}
}

/* False: the host was writing */
static bool read_whole(struct tess_pci *tp, struct tess_slice_info *slices, u64 *generation)
{
	u64 seq = page_read64(tp, offsetof(struct tess_composition, seq));

	if (seq & 1)
		return false;
	/* The page may be memory: number, contents, number, in this order */
	virt_rmb();
	read_once(tp, slices, generation);
	/* As above */
	virt_rmb();
	return page_read64(tp, offsetof(struct tess_composition, seq)) == seq;
}

/**
 * tess_pci_composition_read() - what the slices of a vGPU are now
 * @tp: vGPU; fills @tp->slices and @tp->generation
 *
 * Before interrupts are on, or under @tp->composition_lock. May sleep.
 *
 * Return: 0; -EINVAL there is no composition page; -EAGAIN the host did not finish writing
 * it. Nothing is changed then.
 */
int tess_pci_composition_read(struct tess_pci *tp)
{
	struct tess_slice_info slices[TESS_MAX_SLICES];
	unsigned int tries;
	u64 generation;

	if (page_read32(tp, offsetof(struct tess_composition, magic)) != TESS_COMPOSITION_MAGIC)
		return -EINVAL;
	for (tries = 0; tries < COMPOSITION_TRIES; tries++) {
		if (read_whole(tp, slices, &generation)) {
			memcpy(tp->slices, slices, tp->info.slice_count * sizeof(*slices));
			WRITE_ONCE(tp->generation, generation);
			return 0;
		}
		fsleep(COMPOSITION_WAIT_US);
	}
	return -EAGAIN;
}

/**
 * tess_pci_composition_changed() - the composition may have changed
 * @tp: vGPU, does nothing if it is not in the pool
 *
 * Process context.
 */
void tess_pci_composition_changed(struct tess_pci *tp)
{
	struct tess_gpu *gpu;
	int rc;

	guard(mutex)(&tp->composition_lock);
	gpu = READ_ONCE(tp->be.gpu);
	if (!gpu)
		return;
	rc = tess_pci_composition_read(tp);
	if (!tess_pci_is_alive(tp))
		return;
	if (rc) {
		dev_warn_ratelimited(tp->be.dev, "no whole composition: %d\n", rc);
		return;
	}
	tess_gpu_reconfigure(gpu, tp->slices);
	sysfs_notify(&tp->be.dev->kobj, NULL, "generation");
}

/* ---- sysfs ---- */

static ssize_t generation_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tess_pci *tp = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%llu\n", READ_ONCE(tp->generation));
}
static DEVICE_ATTR_RO(generation);

static struct attribute *tess_pci_attrs[] = {
	&dev_attr_generation.attr,
	NULL,
};

static umode_t tess_pci_attr_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	struct tess_pci *tp = dev_get_drvdata(kobj_to_dev(kobj));

	return tp->info.is_vgpu ? attr->mode : 0;
}

static const struct attribute_group tess_pci_group = {
	.attrs = tess_pci_attrs,
	.is_visible = tess_pci_attr_visible,
};

const struct attribute_group *tess_pci_groups[] = {
	&tess_pci_group,
	NULL,
};
