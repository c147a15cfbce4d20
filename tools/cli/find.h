/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what is typed to an object of the pool, and messages that help. */
#ifndef CLI_FIND_H
#define CLI_FIND_H

#include "cli.h"
#include "pool.h"

/* Room for the path of an object, from the root of sysfs on */
#define FIND_PATH (3 * POOL_NAME)

/**
 * struct find - an object of the pool
 * @gpu: always set
 * @slice: set if it is a slice
 * @vgpu: set if it is a vGPU
 */
struct find {
	const struct pool_gpu *gpu;
	const struct pool_slice *slice;
	const struct pool_vgpu *vgpu;
};

/* As pool_read(), with a message that says what to do. Returns an exit status. */
int find_pool(const struct cli *cli, enum pool_depth depth, struct pool *pool);

/* Say why pool_read() returned @rc. Returns CLI_FAILED. */
int find_pool_error(const struct cli *cli, int rc);

/**
 * find_run() - run a command that takes common options and one name
 * @cli: for messages
 * @cmd: command
 * @argc: of @argv
 * @argv: of the command
 * @usage: what to say if there is not one name
 * @act: what to do with the name, in a pool that was read with POOL_BUSY
 *
 * Return: exit status, that of @act if it comes to that.
 */
int find_run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv,
	     const char *usage,
	     int (*act)(const struct cli *cli, const struct pool *pool, const char *name));

/**
 * find_object() - look up "gpuN", "gpuN/sliceM", "NAME" or "gpuN/NAME"
 * @cli: for messages
 * @pool: where
 * @name: what; a vGPU's may be cut as long as it is the only one that starts like that
 * @found: set
 *
 * Return: exit status; CLI_FAILED with a message that names what exists.
 */
int find_object(const struct cli *cli, const struct pool *pool, const char *name,
		struct find *found);

/* As find_object(), but it must be a vGPU. */
int find_vgpu(const struct cli *cli, const struct pool *pool, const char *name, struct find *found);

/* As find_vgpu(), but it must be a mediated device. */
int find_mdev(const struct cli *cli, const struct pool *pool, const char *name, struct find *found);

/* As find_vgpu(), but somebody made it: a mediated device or a node. */
int find_made(const struct cli *cli, const struct pool *pool, const char *name, struct find *found);

/* Short name of a vGPU: the first block of a UUID if no other vGPU of the pool starts
 * like that, else all of it. Returns @buf of POOL_NAME bytes. */
const char *find_short_name(char *buf, const struct pool *pool, const char *name);

/* Path of an object from the root of sysfs on. Returns @buf of FIND_PATH bytes. */
const char *find_path(char *buf, const struct find *object);

#endif
