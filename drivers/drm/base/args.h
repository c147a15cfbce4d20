/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_ARGS_H_
#define _TESSERA_DRM_ARGS_H_

#include <linux/stddef.h>
#include <linux/types.h>

struct drm_tessera_array;

/* Bytes of an element of an array, as user space may know it */
#define TESS_MAX_STRIDE		4096

void *tess_args_copy(const struct drm_tessera_array *arr, u32 max, size_t size, size_t min_size);

/**
 * tess_args_array() - copy an array of user space
 * @arr: struct drm_tessera_array
 * @max: elements that there may be
 * @type: of an element
 * @last: last member of @type in the first version
 *
 * Return: array of @type for kvfree(), NULL if there are no elements, or an error pointer of
 * tess_args_copy().
 */
#define tess_args_array(arr, max, type, last) \
	((type *)tess_args_copy(arr, max, sizeof(type), offsetofend(type, last)))

#endif
