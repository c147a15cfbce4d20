/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The DRM interface for tests: __f() returns 0 or a negative errno, f() ends the test if
 * it fails.
 */
#ifndef _TESS_DRM_H_
#define _TESS_DRM_H_

#include <drm/tessera_drm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TESS_PAGE 4096ull
#define TESS_2M (2ull << 20)

/* Array of @n structures for the driver */
#define TESS_ARRAY(p, n)             \
	((struct drm_tessera_array){ \
		.stride = sizeof(*(p)), .count = (n), .array = (uintptr_t)(p) })

/* ioctl() that repeats what a signal interrupted: 0 or negative errno */
int tess_ioctl(int fd, unsigned long request, void *arg);
/* Message, then the end of the test */
void tess_die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Node of the GPU that the tests are about whose name begins so, or negative errno */
int __tess_open_node(const char *name);
/* Render node of the GPU that the tests are about, or negative errno */
int __tess_open(void);
int tess_open(void);
/* Card of another driver, or -1 */
int __tess_open_card(const char *driver);
/* Its directory: the first one in /sys/class/tessera */
const char *tess_sysfs_dir(void);
/* A decimal value of a file of a GPU in sysfs */
uint64_t tess_sysfs_value(const char *name);
/* Until a file in sysfs has this value again, or @seconds are over: the last value */
uint64_t tess_sysfs_wait(const char *name, uint64_t value, unsigned int seconds);

/* Write to a file in one go: 0 or negative errno */
int tess_put(const char *path, const char *text);

int __tess_query(int fd, uint32_t type, void *data, uint32_t size);
void tess_query_gpu(int fd, struct drm_tessera_query_gpu *gpu);
uint64_t tess_vram_free(int fd);
/* First slice that is available and, if @kind is not 0, of that kind; -1: none */
int tess_find_slice(int fd, uint32_t kind);

int __tess_bo_create(int fd, uint64_t size, uint32_t flags, uint32_t *handle);
uint32_t tess_bo_create(int fd, uint64_t size, uint32_t flags);
int __tess_bo_close(int fd, uint32_t handle);
void *__tess_bo_mmap(int fd, uint32_t handle, uint64_t size);
void *tess_bo_mmap(int fd, uint32_t handle, uint64_t size);

int __tess_vm_create(int fd, uint32_t *id);
uint32_t tess_vm_create(int fd);
int __tess_vm_destroy(int fd, uint32_t id);
/* @count: of @ops; then of those that were done */
int __tess_vm_bind(int fd, uint32_t vm, struct drm_tessera_vm_bind_op *ops, uint32_t *count);
int __tess_vm_map(int fd, uint32_t vm, uint32_t handle, uint64_t offset, uint64_t va, uint64_t size,
		  uint32_t flags);
void tess_vm_map(int fd, uint32_t vm, uint32_t handle, uint64_t offset, uint64_t va, uint64_t size);
int __tess_vm_unmap(int fd, uint32_t vm, uint64_t va, uint64_t size);
void tess_vm_unmap(int fd, uint32_t vm, uint64_t va, uint64_t size);

int __tess_queue_create(int fd, uint32_t vm, uint32_t slice, uint32_t priority, uint32_t *id);
uint32_t tess_queue_create(int fd, uint32_t vm, uint32_t slice);
int __tess_queue_destroy(int fd, uint32_t id);
int __tess_queue_state(int fd, uint32_t id, struct drm_tessera_queue_state *state);
uint32_t tess_queue_flags(int fd, uint32_t id);

uint32_t tess_syncobj_create(int fd);
void tess_syncobj_destroy(int fd, uint32_t handle);
int __tess_syncobj_wait(int fd, uint32_t handle, uint64_t point, unsigned int ms);
uint64_t tess_syncobj_point(int fd, uint32_t handle);
void tess_syncobj_signal(int fd, uint32_t handle);
/* Error of a signalled syncobj: 0 or negative errno; 1: not signalled */
int tess_syncobj_status(int fd, uint32_t handle);

#endif
