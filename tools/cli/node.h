/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vGPUs that are render nodes of the host, and what made vGPUs have in common. */
#ifndef CLI_NODE_H
#define CLI_NODE_H

#include "mdev.h"

/* Directory of the nodes of a GPU from the root of sysfs on, or of one of them; @name may be NULL.
 * Returns @buf of MDEV_PATH bytes. */
const char *node_path(char *buf, const struct pool_gpu *gpu, const char *name);

/* Where a vGPU that somebody made has its blueprint: as a node, or as a mediated device */
const char *node_made_path(char *buf, const struct pool_gpu *gpu, const struct pool_vgpu *vgpu);

/**
 * node_read_all() - add what is known of nodes to the vGPUs
 * @root: open root of sysfs
 * @pool: GPUs and vGPUs were read
 */
void node_read_all(int root, struct pool *pool);

#endif
