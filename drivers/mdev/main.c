// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: tessera_mdev
 *
 * The front-end for virtual machines. It makes vGPUs available as mediated devices: a
 * VMM attaches one with VFIO and finds a PCI function with the register interface of a
 * GPU, which the unmodified driver in the guest drives.
 *
 * What happens often goes directly: the guest stores to the doorbell of a slice, reads
 * and writes its VRAM, and polls completion records in its own memory without the host
 * (mmap.c). What sets things up is trapped and checked (access.c, regs.c, config.c). The
 * GPU reaches memory of the guest through stage 2 only, which holds the vGPU's own VRAM
 * and pages of the guest that are pinned as they are touched (dma.c).
 */
#include <linux/mdev.h>
#include <linux/module.h>
#include <linux/vfio.h>
#include <tessera/compat.h>
#include <tessera/gpu.h>
#include <tessera/hw/tess_regs.h>
#include "device.h"
#include "display/view.h"
#include "frontend.h"
#include "shape/parent.h"
#include "shape/types.h"
#include "sysfs.h"

/* A page of the registers is what a guest can be given, or not: a larger one has a neighbour's */
static_assert(PAGE_SIZE == TESS_PAGE_SIZE, "doorbells are mapped page by page, of 4 KiB");

static struct mdev_driver tess_mdev_driver = {
	.device_api = VFIO_DEVICE_API_PCI_STRING,
	.probe = tess_mdev_probe,
	.remove = tess_mdev_remove,
	.get_available = tess_mdev_get_available,
	.show_description = tess_mdev_show_description,
	.driver = {
		.name = "tessera_mdev",
		.owner = THIS_MODULE,
		.mod_name = KBUILD_MODNAME,
		.dev_groups = tess_mdev_groups,
	},
};

static struct tess_mdev_frontend tess_mdev_frontend = {
	.base = {
		.name = "mdev",
		.owner = THIS_MODULE,
		.gpu_add = tess_mdev_gpu_add,
		.gpu_drain = tess_mdev_gpu_drain,
		.gpu_remove = tess_mdev_gpu_remove,
	},
	.driver = &tess_mdev_driver,
	.lock = __MUTEX_INITIALIZER(tess_mdev_frontend.lock),
	.parents = LIST_HEAD_INIT(tess_mdev_frontend.parents),
	.mdevs_lock = __MUTEX_INITIALIZER(tess_mdev_frontend.mdevs_lock),
	.mdevs = LIST_HEAD_INIT(tess_mdev_frontend.mdevs),
};

static int __init tess_mdev_init(void)
{
	int ret;

	tess_mdev_frontend.wq = alloc_workqueue("tessera_mdev", WQ_UNBOUND, 0);
	if (!tess_mdev_frontend.wq)
		return -ENOMEM;
	ret = tess_mdev_view_init();
	if (ret)
		goto err_destroy_wq;
	ret = mdev_register_driver(&tess_mdev_driver);
	if (ret)
		goto err_view_exit;
	ret = tess_frontend_register(&tess_mdev_frontend.base);
	if (ret)
		goto err_unregister_driver;
	return 0;

err_unregister_driver:
	mdev_unregister_driver(&tess_mdev_driver);
err_view_exit:
	tess_mdev_view_exit();
err_destroy_wq:
	destroy_workqueue(tess_mdev_frontend.wq);
	return ret;
}

static void __exit tess_mdev_exit(void)
{
	tess_frontend_unregister(&tess_mdev_frontend.base);
	/* Also waits for parents that linger */
	destroy_workqueue(tess_mdev_frontend.wq);
	mdev_unregister_driver(&tess_mdev_driver);
	tess_mdev_view_exit();
}

module_init(tess_mdev_init);
module_exit(tess_mdev_exit);

MODULE_DESCRIPTION("Tessera vGPUs for virtual machines");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(TESS_NS);
MODULE_IMPORT_NS(TESS_IOMMUFD_NS);
MODULE_IMPORT_NS(TESS_DMA_BUF_NS);
MODULE_SOFTDEP("pre: vfio_iommu_type1");
