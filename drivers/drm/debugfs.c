// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: debugfs
 *
 * gpuvas: what is mapped in each VM of the device.
 */
#include <linux/seq_file.h>
#include <drm/drm_debugfs.h>
#include <drm/drm_drv.h>
#include "base/device.h"
#include "debugfs.h"
#include "mem/vm.h"

static int tess_gpuvas_show(struct seq_file *m, void *unused)
{
	struct drm_debugfs_entry *entry = m->private;
	struct tess_device *tdev = to_tess_device(entry->dev);
	struct tess_vm *vm;
	int ret = 0;

	mutex_lock(&tdev->vm_lock);
	list_for_each_entry(vm, &tdev->vms, link) {
		mutex_lock(&vm->lock);
		ret = drm_debugfs_gpuva_info(m, &vm->base);
		mutex_unlock(&vm->lock);
		if (ret)
			break;
		seq_puts(m, "\n");
	}
	mutex_unlock(&tdev->vm_lock);
	return ret;
}

static const struct drm_debugfs_info tess_debugfs_list[] = {
	{ "gpuvas", tess_gpuvas_show, DRIVER_GEM_GPUVA, NULL },
};

/**
 * tess_debugfs_init() - add the driver's files
 * @tdev: device that is not registered yet
 */
void tess_debugfs_init(struct tess_device *tdev)
{
	drm_debugfs_add_files(tdev->drm, tess_debugfs_list, ARRAY_SIZE(tess_debugfs_list));
}
