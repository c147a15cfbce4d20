// SPDX-License-Identifier: MIT
/**
 * DOC: images
 *
 * An image is a buffer with rows and slices, which kernels address through a descriptor
 * (struct dev_image_t). Moving pixels is moving rectangles of bytes.
 */
#include <string.h>

#include "driver.h"

#include "common_driver.h"

static size_t pixel(const struct _cl_mem *image)
{
	return image->image_elem_size * image->image_channels;
}

/**
 * struct rect - bytes of an image
 * @origin: first one: byte, row, slice
 * @region: how many
 */
struct rect {
	size_t origin[3];
	size_t region[3];
};

static struct rect bytes_of(cl_mem image, const size_t *origin, const size_t *region)
{
	return (struct rect){
		.origin = { origin[0] * pixel(image), origin[1], origin[2] },
		.region = { region[0] * pixel(image), region[1], region[2] },
	};
}

/* Distances in memory that is not an image: 0 is as narrow as possible. */
static void default_pitches(const struct rect *r, size_t *row, size_t *slice)
{
	if (!*row)
		*row = r->region[0];
	if (!*slice)
		*slice = *row * r->region[1];
}

static const size_t zero[3];

static cl_int copy_image_rect(void *data, cl_mem src, cl_mem dst, pocl_mem_identifier *src_id,
			      pocl_mem_identifier *dst_id, const size_t *src_origin,
			      const size_t *dst_origin, const size_t *region)
{
	struct rect from = bytes_of(src, src_origin, region);
	struct rect to = bytes_of(dst, dst_origin, region);

	pocl_driver_copy_rect(data, dst_id, NULL, src_id, NULL, to.origin, from.origin, from.region,
			      dst->image_row_pitch, dst->image_slice_pitch, src->image_row_pitch,
			      src->image_slice_pitch);
	return CL_SUCCESS;
}

static cl_int write_image_rect(void *data, cl_mem image, pocl_mem_identifier *id,
			       const void *host_ptr, pocl_mem_identifier *src_id,
			       const size_t *origin, const size_t *region, size_t row, size_t slice,
			       size_t offset)
{
	const char *from = (const char *)(host_ptr ? host_ptr : src_id->mem_ptr) + offset;
	struct rect r = bytes_of(image, origin, region);

	default_pitches(&r, &row, &slice);
	pocl_driver_write_rect(data, from, id, NULL, r.origin, zero, r.region,
			       image->image_row_pitch, image->image_slice_pitch, row, slice);
	return CL_SUCCESS;
}

static cl_int read_image_rect(void *data, cl_mem image, pocl_mem_identifier *id, void *host_ptr,
			      pocl_mem_identifier *dst_id, const size_t *origin,
			      const size_t *region, size_t row, size_t slice, size_t offset)
{
	char *to = (char *)(host_ptr ? host_ptr : dst_id->mem_ptr) + offset;
	struct rect r = bytes_of(image, origin, region);

	default_pitches(&r, &row, &slice);
	pocl_driver_read_rect(data, to, id, NULL, r.origin, zero, r.region, image->image_row_pitch,
			      image->image_slice_pitch, row, slice);
	return CL_SUCCESS;
}

static bool in_place(const pocl_mem_identifier *id, const mem_mapping_t *map)
{
	return map->host_ptr == (char *)id->mem_ptr + map->offset;
}

static cl_int map_image(void *data, pocl_mem_identifier *id, cl_mem image, mem_mapping_t *map)
{
	if (map->map_flags & CL_MAP_WRITE_INVALIDATE_REGION || in_place(id, map))
		return CL_SUCCESS;
	return read_image_rect(data, image, id, map->host_ptr, NULL, map->origin, map->region,
			       map->row_pitch, map->slice_pitch, 0);
}

static cl_int unmap_image(void *data, pocl_mem_identifier *id, cl_mem image, mem_mapping_t *map)
{
	if (map->map_flags == CL_MAP_READ || in_place(id, map))
		return CL_SUCCESS;
	return write_image_rect(data, image, id, map->host_ptr, NULL, map->origin, map->region,
				map->row_pitch, map->slice_pitch, 0);
}

static cl_int fill_image(void *data, cl_mem image, pocl_mem_identifier *id, const size_t *origin,
			 const size_t *region, cl_uint4 color, pixel_t value, size_t size)
{
	size_t x, y, z;

	(void)data;
	(void)color;
	for (z = origin[2]; z < origin[2] + region[2]; z++) {
		for (y = origin[1]; y < origin[1] + region[1]; y++) {
			char *row = (char *)id->mem_ptr + z * image->image_slice_pitch +
				    y * image->image_row_pitch;

			for (x = origin[0]; x < origin[0] + region[0]; x++)
				memcpy(row + x * size, value, size);
		}
	}
	return CL_SUCCESS;
}

void tess_cl_image_ops(struct pocl_device_ops *ops)
{
	ops->copy_image_rect = copy_image_rect;
	ops->write_image_rect = write_image_rect;
	ops->read_image_rect = read_image_rect;
	ops->map_image = map_image;
	ops->unmap_image = unmap_image;
	ops->fill_image = fill_image;
}
