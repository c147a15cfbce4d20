// SPDX-License-Identifier: GPL-2.0-only
/*
 * vGPUs come and go.
 *
 * DOC: vGPUs of the pool
 *
 * User space sees a vGPU for as long as it can be used. Its directory appears when it is composed;
 * that of one that continues another appears when it is thawed or settled. The directory
 * goes before anything else of the vGPU.
 */
#include <linux/err.h>
#include <tessera/compat.h>
#include <tessera/transfer.h>
#include <tessera/vgpu.h>

#include "base/gpu.h"
#include "shape/shape.h"
#include "slice/vgpu.h"
#include "vgpu_sysfs.h"

struct tess_vgpu *tess_vgpu_create(struct tess_gpu *gpu, const struct tess_vgpu_params *params)
{
	struct tess_vgpu *vgpu;
	int rc;

	vgpu = tess_vgpu_make(gpu, params);
	if (IS_ERR(vgpu) || vgpu->continues)
		return vgpu;
	rc = tess_vgpu_sysfs_add(vgpu, params->replaces);
	if (rc) {
		tess_vgpu_destroy(vgpu);
		return ERR_PTR(rc);
	}
	return vgpu;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_create, TESS_NS);

void tess_vgpu_destroy(struct tess_vgpu *vgpu)
{
	/* Waits for those who use its files */
	tess_vgpu_sysfs_remove(vgpu);
	tess_vgpu_unmake(vgpu);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_destroy, TESS_NS);

/* One that continued another */
static void vgpus_show(struct tess_vgpu *vgpu)
{
	if (tess_vgpu_sysfs_add(vgpu, NULL))
		dev_warn(&vgpu->gpu->dev, "\"%s\" has no directory: out of memory\n", vgpu->name);
}

void tess_vgpu_settle(struct tess_vgpu *vgpu)
{
	bool first = vgpu->continues;

	tess_transfer_settle(vgpu);
	if (first)
		vgpus_show(vgpu);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_settle, TESS_NS);

void tess_vgpu_thaw(struct tess_vgpu *vgpu)
{
	bool first = vgpu->continues;

	tess_transfer_thaw(vgpu);
	if (first)
		vgpus_show(vgpu);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_thaw, TESS_NS);
