// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a head shows as a dma-buf, which jobs of the host can read (TESSERA_VIEW_EXPORT).
 */
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/lockdep.h>
#include <linux/uaccess.h>
#include <tessera/memory.h>
#include <uapi/linux/tessera_view.h>
#include "base/mdev.h"
#include "base/parts.h"
#include "base/vram.h"
#include "export.h"

/**
 * tess_mdev_export_picture() - tell where the picture of a head is, and export it
 * @tm: vGPU, with its map_lock
 * @out: TESSERA_VIEW_EXPORT; head and flags are checked. Filled, but for the file
 *
 * Return: export; NULL: none was asked for; error pointer: -ENXIO there is no picture, -ENOMEM.
 */
struct tess_vram_export *tess_mdev_export_picture(struct tess_mdev *tm,
						  struct tessera_view_export *out)
{
	const struct tess_mdev_plane *picture = tess_mdev_picture(tm, out->head);

	lockdep_assert_held(&tm->map_lock);
	if (!picture)
		return ERR_PTR(-ENXIO);
	out->serial = tm->display.totals[out->head].serial;
	out->memory = tm->vram_number;
	out->address = picture->address;
	out->size = tess_mdev_picture_size(picture);
	if (!(out->flags & TESSERA_VIEW_EXPORT_FD))
		return NULL;
	/* COMMIT let only whole pages of its memory pass, which cannot change under the lock */
	return tess_vgpu_export(tess_mdev_first(&tm->parts), out->address, out->size);
}

/**
 * tess_mdev_export_file() - give user space a dma-buf
 * @export: of a picture; this takes over the reference
 * @arg: where @out goes
 * @out: the rest of it
 *
 * Return: 0; -EMFILE; -EFAULT; -ENOMEM.
 */
int tess_mdev_export_file(struct tess_vram_export *export, struct tessera_view_export __user *arg,
			  struct tessera_view_export *out)
{
	struct dma_buf *buf = tess_vram_export_file(export, NULL, NULL);
	int fd;

	if (IS_ERR(buf))
		return PTR_ERR(buf);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		dma_buf_put(buf);
		return fd;
	}
	out->fd = fd;
	if (copy_to_user(arg, out, sizeof(*out))) {
		put_unused_fd(fd);
		dma_buf_put(buf);
		return -EFAULT;
	}
	fd_install(fd, buf->file);
	return 0;
}
