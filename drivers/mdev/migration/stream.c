// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of a vGPU that is saved or loaded: what both kinds have.
 */
#include <linux/anon_inodes.h>
#include <linux/crc32c.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vfio.h>
#include "base/mdev.h"
#include "rounds.h"
#include "stream.h"

struct file *tess_mdev_stream_open(struct tess_mdev *tm, const char *name,
				   const struct file_operations *fops, int flags)
{
	struct tess_mdev_stream *s;
	struct file *file;

	lockdep_assert_held(&tm->lock);
	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return ERR_PTR(-ENOMEM);
	s->tm = tm;
	s->checksum = ~0;
	mutex_init(&s->lock);
	file = anon_inode_getfile(name, fops, s, flags);
	if (IS_ERR(file)) {
		kfree(s);
		return file;
	}
	stream_open(file_inode(file), file);
	get_device(&tm->vdev.device);
	tm->migration.stream = s;
	return file;
}

int tess_mdev_stream_release(struct inode *inode, struct file *file)
{
	struct tess_mdev_stream *s = file->private_data;
	struct tess_mdev *tm = s->tm;

	scoped_guard(mutex, &tm->lock) {
		if (tm->migration.stream == s)
			tm->migration.stream = NULL;
	}
	tess_mdev_rounds_free(s->rounds);
	kvfree(s->buf);
	kfree(s);
	vfio_put_device(&tm->vdev);
	return 0;
}

int tess_mdev_stream_check(const struct tess_mdev_stream *s)
{
	lockdep_assert_held(&s->tm->lock);
	if (s->tm->migration.stream != s)
		return -EBADFD;
	return READ_ONCE(s->tm->dead) ? -ENODEV : 0;
}

void tess_mdev_stream_refuse(struct tess_mdev *tm, int error, const struct tess_reason *reason)
{
	guard(mutex)(&tm->shape.error_lock);
	tm->shape.error = error;
	tm->shape.reason = *reason;
	tess_reason_complete(&tm->shape.reason, error);
	dev_notice_ratelimited(tm->vdev.dev, "is not migrated: %s\n", tm->shape.reason.text);
}

int tess_mdev_stream_reserve(struct tess_mdev_stream *s, size_t size)
{
	void *buf;

	size += sizeof(struct tess_mig_record);
	if (size <= s->room)
		return 0;
	buf = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!buf)
		return -ENOMEM;
	memcpy(buf, s->buf, s->len);
	kvfree(s->buf);
	s->buf = buf;
	s->room = size;
	return 0;
}

void tess_mdev_stream_count(struct tess_mdev_stream *s)
{
	s->checksum = crc32c(s->checksum, s->buf, s->len);
	s->records++;
}
