// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes of the PCI function: in a guest, the generation of its vGPU.
 */
#include <linux/pci.h>
#include <linux/sysfs.h>

#include "tess_pci.h"

static ssize_t generation_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct tess_pci *tp = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%llu\n", tess_chip_generation(tp->chip));
}
static DEVICE_ATTR_RO(generation);

static struct attribute *tess_pci_attrs[] = {
	&dev_attr_generation.attr,
	NULL,
};

static umode_t tess_pci_attr_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	struct tess_pci *tp = dev_get_drvdata(kobj_to_dev(kobj));

	return tess_chip_info(tp->chip)->is_vgpu ? attr->mode : 0;
}

static const struct attribute_group tess_pci_group = {
	.attrs = tess_pci_attrs,
	.is_visible = tess_pci_attr_visible,
};

const struct attribute_group *tess_pci_groups[] = {
	&tess_pci_group,
	NULL,
};
