// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: arguments
 *
 * Arrays of structures that may grow: user space says how large an element is for it. A
 * program that is older than the driver passes less, and the rest counts as zero; a newer
 * one passes more, which must be zero as it would be ignored otherwise.
 *
 * Arrays are copied before the device is entered: the memory of a process may take any time
 * to come, and an unplug waits for whoever is inside.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <drm/tessera_drm.h>
#include "args.h"

static int tess_args_fill(void *to, const struct drm_tessera_array *arr, size_t size)
{
	const void __user *from = u64_to_user_ptr(arr->array);
	u32 i;
	int ret;

	if (arr->stride == size)
		return copy_from_user(to, from, size * arr->count) ? -EFAULT : 0;

	for (i = 0; i < arr->count; i++) {
		ret = copy_struct_from_user(to + i * size, size, from + (size_t)i * arr->stride,
					    arr->stride);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * tess_args_copy() - copy an array of user space
 * @arr: where it is
 * @max: elements that there may be
 * @size: of an element
 * @min_size: of an element in the first version
 *
 * Use tess_args_array().
 *
 * Return: array for kvfree(), NULL if there are no elements, or error pointer: -EINVAL too
 * many, or their size; -E2BIG not zero where this driver knows nothing; -EFAULT; -ENOMEM.
 */
void *tess_args_copy(const struct drm_tessera_array *arr, u32 max, size_t size, size_t min_size)
{
	void *to;
	int ret;

	if (!arr->count)
		return NULL;
	if (arr->count > max || arr->stride < min_size || arr->stride > TESS_MAX_STRIDE)
		return ERR_PTR(-EINVAL);

	to = kvmalloc_array(arr->count, size, GFP_KERNEL_ACCOUNT);
	if (!to)
		return ERR_PTR(-ENOMEM);
	ret = tess_args_fill(to, arr, size);
	if (ret) {
		kvfree(to);
		return ERR_PTR(ret);
	}
	return to;
}
