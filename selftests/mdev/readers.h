/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes of the host whose jobs read what a head shows, from a dma-buf. */
#ifndef _MDEV_READERS_H_
#define _MDEV_READERS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tess_ctx.h"

/* Where jobs see the picture, and what they copy of it to */
#define PICTURE_VA TESS_FREE_VA
#define COPY_VA (TESS_FREE_VA * 2)

/**
 * struct reader - a process of the host with jobs that read
 * @ctx: on a slice that no vGPU has
 * @copy: what they read
 * @size: bytes of a picture
 * @handle: of the picture, imported and bound
 */
struct reader {
	struct tess_ctx ctx;
	uint8_t *copy;
	size_t size;
	uint32_t handle;
};

/* Render node of a GPU of the pool, or -1 */
int node_open(unsigned int gpu);
/* A client of that GPU that reads @size bytes: false if there is no slice */
bool reader_open(struct reader *r, unsigned int gpu, size_t size);
void reader_close(struct reader *r);
/* A BO of what a dma-buf has: 0, negative errno */
int dmabuf_import(int fd, int dmabuf, uint32_t *handle);
/* Bind @r->handle at PICTURE_VA: 0, negative errno */
int reader_bind(struct reader *r, uint32_t flags);
/* A job that reads all of it to @r->copy: 0, negative errno */
int reader_copy(struct reader *r);

#endif
