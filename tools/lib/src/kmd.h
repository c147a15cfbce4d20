/* SPDX-License-Identifier: MIT */
/*
 * The kernel driver as the library sees it. kmd_drm.c talks to a real one; the
 * tests link a simulation instead (tests/kmd_sim.c).
 */
#ifndef TESS_LIB_KMD_H
#define TESS_LIB_KMD_H

#include <stddef.h>
#include <stdint.h>

struct tess_kmd;
struct tess_node;

/* Like tess_list_devices(). */
int tess_kmd_list(struct tess_node *list, unsigned int max);

/* Returns -ENOTTY if @node belongs to another driver, or an error of open(2). */
int tess_kmd_open(const char *node, struct tess_kmd **kmd);
void tess_kmd_close(struct tess_kmd *kmd);

/* A DRM_IOCTL_TESSERA_* request. Restarted when a signal interrupts it. */
int tess_kmd_ioctl(struct tess_kmd *kmd, unsigned long request, void *arg);

/*
 * @offset is that of BO_MMAP_OFFSET. Where is the kernel's choice if @at is NULL; else it is @at,
 * or -EEXIST as there is something else.
 */
int tess_kmd_mmap(struct tess_kmd *kmd, uint64_t offset, size_t size, void *at, void **addr);
void tess_kmd_munmap(void *addr, size_t size);

/* A handle for a dma-buf. One that this file has already is the same handle, and not counted. */
int tess_kmd_import(struct tess_kmd *kmd, int fd, uint32_t *handle);
void tess_kmd_gem_close(struct tess_kmd *kmd, uint32_t handle);

/* Timeline synchronization objects. */
int tess_kmd_sync_create(struct tess_kmd *kmd, uint32_t *handle);
void tess_kmd_sync_destroy(struct tess_kmd *kmd, uint32_t handle);

/*
 * Wait until each of @handles reached its of @points, at most until @deadline_ns of
 * CLOCK_MONOTONIC. Returns 0 or -ETIME. A failed job reaches its point too.
 */
int tess_kmd_sync_wait(struct tess_kmd *kmd, uint32_t *handles, uint64_t *points,
		       unsigned int count, int64_t deadline_ns);

#endif
