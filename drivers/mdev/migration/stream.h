/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_STREAM_H_
#define _TESS_MDEV_STREAM_H_

#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include "base/format.h"

struct tess_mdev;
struct tess_mdev_rounds;
struct tess_reason;

/**
 * struct tess_mdev_stream - a file of the VMM that tells what a vGPU is, or is told
 * @tm: vGPU, of which a reference is held. The file is of use as long as
 *	&tess_mdev_migration.stream points here
 * @lock: one call at a time; outside of &tess_mdev.lock. Protects all that follows
 * @buf: a record, its start included
 * @room: bytes of @buf
 * @len: bytes in it
 * @done: of a file that is read: bytes of them that were
 * @records: number of records before this one
 * @checksum: CRC-32C of them
 * @step: what comes next, of a file that is read
 * @index: of which vslice or head
 * @rounds: pages of VRAM that are to be sent, of a file that is read; under &tess_mdev.lock
 * @seen: tags that came, of a file that is written; a mask, as the following
 * @contexts: vslices whose context came
 * @heads: heads that came
 * @cursors: the same of their cursors
 * @monitors: the same of their monitors
 * @failed: a call failed, and so do all that follow
 */
struct tess_mdev_stream {
	struct tess_mdev *tm;
	struct mutex lock;
	void *buf;
	size_t room;
	size_t len;
	size_t done;
	u64 records;
	u32 checksum;
	unsigned int step;
	u64 index;
	struct tess_mdev_rounds *rounds;
	u32 seen;
	u64 contexts;
	u32 heads;
	u32 cursors;
	u32 monitors;
	bool failed;
};

/* A file, that is the vGPU's stream from now on; error pointer: -ENOMEM. Holds @tm->lock */
struct file *tess_mdev_stream_open(struct tess_mdev *tm, const char *name,
				   const struct file_operations *fops, int flags);
int tess_mdev_stream_release(struct inode *inode, struct file *file);
/* Is it of use? -ENODEV, -EBADFD another state was set. Holds @tm->lock */
int tess_mdev_stream_check(const struct tess_mdev_stream *s);
/* Tell why it cannot be done, in last_error and in the log */
void tess_mdev_stream_refuse(struct tess_mdev *tm, int error, const struct tess_reason *reason);
/* What another one has to be like to go on with it */
void tess_mdev_header_fill(const struct tess_mdev *tm, struct tess_mig_header *h);
/* Is it like that? -EINVAL with a reason that names the difference */
int tess_mdev_header_check(const struct tess_mdev *tm, const struct tess_mig_header *h,
			   struct tess_reason *reason);
/* Have room for a record with @size bytes; -ENOMEM */
int tess_mdev_stream_reserve(struct tess_mdev_stream *s, size_t size);
/* A record was written or read: it counts */
void tess_mdev_stream_count(struct tess_mdev_stream *s);

#endif
