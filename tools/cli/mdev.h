/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vGPUs as mediated devices: where they are, making, changing and removing them. */
#ifndef CLI_MDEV_H
#define CLI_MDEV_H

#include "cli.h"
#include "pool.h"

/* A UUID with its NUL */
#define MDEV_UUID 37

/* Room for a path from the root of sysfs on, and for the name of a type */
#define MDEV_PATH 1024

/* Is it a UUID in the spelling of the kernel? */
bool mdev_is_uuid(const char *text);

/* A random one. Returns false, with errno, if there is no randomness. */
bool mdev_random_uuid(char uuid[MDEV_UUID]);

/**
 * mdev_read_all() - add what is known of mediated devices to the vGPUs
 * @root: open root of sysfs
 * @pool: GPUs and vGPUs were read; one without slices is not among them, and is added
 *
 * Return: 0 or -ENOMEM.
 */
int mdev_read_all(int root, struct pool *pool);

/* Path of the parent of a GPU's mediated devices, or of one of them, from the root of
 * sysfs on; @uuid may be NULL. Returns @buf of MDEV_PATH bytes. */
const char *mdev_path(char *buf, const struct pool_gpu *gpu, const char *uuid);

/* Likewise of a mediated device that was found on @gpu */
const char *mdev_path_of(char *buf, const struct pool_gpu *gpu, const struct pool_vgpu *vgpu);

/* Likewise of the types of vGPUs that a GPU gives, or of one of them; @type may be NULL. */
const char *mdev_types_path(char *buf, const struct pool_gpu *gpu, const char *type);

/* Path of a file of sysfs for messages, with the root. Returns @buf of MDEV_PATH bytes. */
const char *mdev_file(char *buf, const struct cli *cli, const char *dir, const char *file);

/* Open a directory by its path from the root of sysfs on. Descriptor or negative errno. */
int mdev_open(const struct cli *cli, const char *path);

/* Write a file in a directory given by its path. Returns 0 or negative errno. */
int mdev_write(const struct cli *cli, const char *path, const char *file, const char *text);

#endif
