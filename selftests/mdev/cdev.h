/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The VFIO device by its own file, and guest memory in an address space of iommufd. */
#ifndef TESS_SELFTESTS_MDEV_CDEV_H
#define TESS_SELFTESTS_MDEV_CDEV_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu;

/*
 * Open, bind and attach to a new address space, or to that of @first; 0 or a negative errno, as all
 * of them
 */
int cdev_open(struct vgpu *v, const struct vgpu *first);
int cdev_map(struct vgpu *v, void *mem, uint64_t gpa, uint64_t size, bool writable);
int cdev_unmap(struct vgpu *v, uint64_t gpa, uint64_t size);

#endif /* TESS_SELFTESTS_MDEV_CDEV_H */
