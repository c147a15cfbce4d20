// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access to the slice behind a vslice.
 *
 * DOC: Access
 *
 * tess_vslice_begin() turns an index that nobody has checked into a slice that the vGPU has and
 * keeps until tess_vslice_end(): it holds the slice's mutex, under which ownership cannot
 * change, and keeps the back-end there.
 */
#include <linux/err.h>
#include <tessera/compat.h>

#include "access.h"
#include "base/gpu.h"
#include "slice.h"
#include "vgpu.h"

static struct tess_slice *access_slice(struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_slice *slice;

	spin_lock(&vgpu->gpu->lock);
	slice = vgpu->vslices[vslice].slice;
	spin_unlock(&vgpu->gpu->lock);
	return slice;
}

/**
 * tess_vslice_begin() - begin an access to the slice behind a vslice
 * @vgpu: vGPU
 * @vslice: index, any value
 * @idx: for tess_vslice_end()
 *
 * The vslice may be parked, tess_vslice_is_resident() tells.
 *
 * Return: slice, its hw mutex held, or error pointer: -EINVAL no such vslice, -ENXIO
 * it has no slice now, -ENODEV.
 */
struct tess_slice *tess_vslice_begin(struct tess_vgpu *vgpu, unsigned int vslice, int *idx)
{
	struct tess_gpu *gpu = vgpu->gpu;
	struct tess_slice *slice;

	if (vslice >= vgpu->nr_vslices)
		return ERR_PTR(-EINVAL);
	if (!tess_gpu_enter(gpu, idx))
		return ERR_PTR(-ENODEV);
	while ((slice = access_slice(vgpu, vslice))) {
		mutex_lock(&slice->hw);
		if (access_slice(vgpu, vslice) == slice)
			return slice;
		mutex_unlock(&slice->hw);
	}
	tess_gpu_exit(gpu, *idx);
	return ERR_PTR(-ENXIO);
}

/**
 * tess_vslice_end() - end an access
 * @slice: from tess_vslice_begin()
 * @idx: as there
 */
void tess_vslice_end(struct tess_slice *slice, int idx)
{
	mutex_unlock(&slice->hw);
	tess_gpu_exit(slice->gpu, idx);
}
