/* SPDX-License-Identifier: MIT */
#ifndef TESS_LIB_BUFFER_H
#define TESS_LIB_BUFFER_H

#include <stdint.h>
#include <sys/queue.h>

struct tess_device;

/**
 * struct tess_buffer - memory with an address on the GPU
 * @link: in tess_device::buffers
 * @dev: constant
 * @handle: constant: GEM handle
 * @flags: constant: TESS_BUFFER_*
 * @size: constant: bytes
 * @va: constant: address
 * @map: CPU address once mapped; protected by tess_device::lock
 */
struct tess_buffer {
	LIST_ENTRY(tess_buffer) link;
	struct tess_device *dev;
	uint32_t handle;
	unsigned int flags;
	uint64_t size;
	uint64_t va;
	void *map;
};

/**
 * struct tess_buffer_bind - what a page of a buffer is bound with
 * @offset: first byte, whole pages
 * @size: bytes, whole pages
 * @flags: DRM_TESSERA_BIND_*
 */
struct tess_buffer_bind {
	uint64_t offset;
	uint64_t size;
	uint32_t flags;
};

/* As the public functions, with tess_device::lock held and, for a program, bound in parts. */
int tess_buffer_create_locked(struct tess_device *dev, uint64_t size, unsigned int flags,
			      unsigned int near_slice, const struct tess_buffer_bind *binds,
			      unsigned int bind_count, struct tess_buffer **buf);
int tess_buffer_map_locked(struct tess_buffer *buf);

/* No work uses the buffer. */
void tess_buffer_destroy_locked(struct tess_buffer *buf);

#endif
