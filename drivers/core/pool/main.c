// SPDX-License-Identifier: GPL-2.0-only
/*
 * tessera.ko: the core of the vGPU stack.
 *
 * DOC: Core
 *
 * The core owns the pool of GPUs, composes vGPUs of their slices, and routes what the
 * GPUs report to the clients that it concerns. It includes no PCI, DRM or VFIO header:
 * back-ends (include/tessera/backend.h) know a chip, front-ends (include/tessera/vgpu.h
 * and others) know a type of client, and calls go from front-ends through the core to
 * back-ends, never the other way but for the call-backs named there.
 */
#include <linux/module.h>
#include <tessera/compat.h>

#include "pool.h"
#include "slice/fault.h"
#include "slice/look.h"

static int __init tessera_init(void)
{
	int rc;

	rc = tess_fault_init();
	if (rc)
		return rc;
	rc = tess_look_init();
	if (rc)
		goto err_fault;
	rc = tess_pool_init();
	if (rc)
		goto err_look;
	return 0;

err_look:
	tess_look_exit();
err_fault:
	tess_fault_exit();
	return rc;
}

static void __exit tessera_exit(void)
{
	tess_pool_exit();
	tess_look_exit();
	tess_fault_exit();
}

module_init(tessera_init);
module_exit(tessera_exit);

MODULE_AUTHOR("Tessera developers");
MODULE_DESCRIPTION("Composable vGPUs: pool, composition, completion router");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(TESS_DMA_BUF_NS);
