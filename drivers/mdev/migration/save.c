// SPDX-License-Identifier: GPL-2.0-only
/*
 * A vGPU is read as records (format.h), as much as is known while it runs, the rest when it stands
 * still. Each is made when the one before was read, so that no more than one is in memory.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vfio.h>
#include <tessera/memory.h>
#include <tessera/transfer.h>
#include <tessera/vgpu.h>
#include "base/mdev.h"
#include "base/page.h"
#include "base/parts.h"
#include "base/vram.h"
#include "display/cursor.h"
#include "display/image.h"
#include "display/monitor.h"
#include "guest/config.h"
#include "guest/msix.h"
#include "map/doorbell.h"
#include "rounds.h"
#include "save.h"
#include "stream.h"

static_assert(TESS_MIG_LOW_HALVES == TESS_MDEV_WIDE_COUNT);

/* Where its contents go, which are zero */
static void *save_put(struct tess_mdev_stream *s, enum tess_mig_tag tag, u64 arg, size_t size)
{
	struct tess_mig_record *record;

	if (tess_mdev_stream_reserve(s, size))
		return NULL;
	record = s->buf;
	s->len = sizeof(*record) + size;
	memset(record, 0, s->len);
	record->size = cpu_to_le64(size);
	record->tag = cpu_to_le32(tag);
	record->arg = cpu_to_le64(arg);
	return record + 1;
}

/*
 * A step makes a record or none (s->len is 0). Return: 1 it has more to do, 0 it is over, or a
 * negative errno.
 */

static int save_header(struct tess_mdev_stream *s)
{
	struct tess_mig_header *h;

	h = save_put(s, TESS_MIG_HEADER, 0, sizeof(*h));
	if (!h)
		return -ENOMEM;
	tess_mdev_header_fill(s->tm, h);
	return 0;
}

static int save_config(struct tess_mdev_stream *s)
{
	void *config = save_put(s, TESS_MIG_CONFIG, 0, TESS_MDEV_CONFIG_USED);

	if (!config)
		return -ENOMEM;
	tess_mdev_config_read(s->tm, 0, config, TESS_MDEV_CONFIG_USED);
	return 0;
}

static int save_regs(struct tess_mdev_stream *s)
{
	struct tess_mdev *tm = s->tm;
	struct tess_mdev_bars *bars = &tm->bars;
	struct tess_mig_regs *regs;

	regs = save_put(s, TESS_MIG_REGS, 0, sizeof(*regs));
	if (!regs)
		return -ENOMEM;
	regs->generation = cpu_to_le64(tess_mdev_page_generation(tm));
	scoped_guard(rwsem_read, &tm->map_lock)
		regs->time = cpu_to_le64(tess_mdev_time(tm));
	regs->fault_pending = cpu_to_le64(atomic64_read(&bars->fault_pending));
	regs->event_low = cpu_to_le32(bars->event_low);
	tess_mdev_msix_read(tm, 0, regs->msix, sizeof(regs->msix));
	return 0;
}

static void save_doorbell(const struct tess_mdev *tm, unsigned int vslice,
			  struct tess_mig_doorbell *db)
{
	unsigned int i;

	db->stored = cpu_to_le64(tess_mdev_doorbell_parked(tm, vslice));
	for (i = 0; i < TESS_MIG_LOW_HALVES; i++)
		db->low[i] = cpu_to_le32(tm->bars.low[vslice][i]);
}

static int save_doorbells(struct tess_mdev_stream *s)
{
	struct tess_mig_doorbell *db;
	unsigned int i;

	db = save_put(s, TESS_MIG_DOORBELLS, 0, s->tm->vslices * sizeof(*db));
	if (!db)
		return -ENOMEM;
	for (i = 0; i < s->tm->vslices; i++)
		save_doorbell(s->tm, i, &db[i]);
	return 0;
}

static int save_context(struct tess_mdev_stream *s)
{
	const struct tess_mdev_vslice vs = tess_mdev_find(&s->tm->parts, s->index);
	ssize_t len;
	void *buf;

	len = tess_vslice_pack(vs.vgpu, vs.index, NULL, 0);
	if (len < 0)
		return len;
	buf = save_put(s, TESS_MIG_CONTEXT, s->index, len);
	if (!buf)
		return -ENOMEM;
	len = tess_vslice_pack(vs.vgpu, vs.index, buf, len);
	if (len < 0)
		return len;
	return ++s->index < s->tm->vslices;
}

static int save_head(struct tess_mdev_stream *s)
{
	struct tess_mig_head *head;

	if (!s->tm->display.present)
		return 0;
	head = save_put(s, TESS_MIG_HEAD, s->index, sizeof(*head));
	if (!head)
		return -ENOMEM;
	tess_mdev_head_save(s->tm, s->index, head);
	return ++s->index < TESS_HEADS_MAX;
}

static int save_cursor(struct tess_mdev_stream *s)
{
	struct tess_mig_cursor *cursor;

	if (!s->tm->display.present)
		return 0;
	cursor = save_put(s, TESS_MIG_CURSOR, s->index, sizeof(*cursor));
	if (!cursor)
		return -ENOMEM;
	if (!tess_mdev_cursor_save(s->tm, s->index, cursor))
		s->len = 0;
	return ++s->index < TESS_HEADS_MAX;
}

static int save_edid(struct tess_mdev_stream *s)
{
	const struct tess_mdev_display *display = &s->tm->display;
	void *blob;

	if (!display->present)
		return 0;
	guard(rwsem_read)(&s->tm->map_lock);
	blob = save_put(s, TESS_MIG_EDID, display->monitor[0].link,
			display->monitor[0].edid.size);
	if (!blob)
		return -ENOMEM;
	memcpy(blob, display->monitor[0].edid.blob, display->monitor[0].edid.size);
	return 0;
}

/* Of heads behind the first */
static int save_monitor(struct tess_mdev_stream *s)
{
	struct tess_mig_monitor *monitor;

	if (!s->tm->display.present || ++s->index >= TESS_HEADS_MAX)
		return 0;
	monitor = save_put(s, TESS_MIG_MONITOR, s->index, sizeof(*monitor));
	if (!monitor)
		return -ENOMEM;
	guard(rwsem_read)(&s->tm->map_lock);
	if (!tess_mdev_monitor_save(&s->tm->display, s->index, monitor))
		s->len = 0;
	return 1;
}

/* Of what was found */
static int save_pages(struct tess_mdev_stream *s)
{
	struct tess_mig_record *record;
	ssize_t len;
	void *buf;
	u64 off;

	buf = save_put(s, TESS_MIG_VRAM, 0, TESS_MIG_VRAM_BYTES);
	if (!buf)
		return -ENOMEM;
	len = tess_mdev_rounds_take(s->tm, s->rounds, buf, &off);
	s->len = 0;
	if (len <= 0)
		return len;
	record = s->buf;
	record->size = cpu_to_le64(len);
	record->arg = cpu_to_le64(off);
	s->len = sizeof(*record) + len;
	return 1;
}

/* There is no end of it while it runs */
static int save_vram(struct tess_mdev_stream *s)
{
	int ret;

	ret = save_pages(s);
	if (!ret)
		ret = tess_mdev_rounds_look(s->tm, s->rounds);
	if (!ret && s->tm->migration.state != VFIO_DEVICE_STATE_STOP_COPY)
		ret = -ENOMSG;
	return ret;
}

static int save_trailer(struct tess_mdev_stream *s)
{
	struct tess_mig_trailer *trailer;

	trailer = save_put(s, TESS_MIG_TRAILER, 0, sizeof(*trailer));
	if (!trailer)
		return -ENOMEM;
	trailer->records = cpu_to_le64(s->records + 1);
	trailer->checksum = cpu_to_le32(~s->checksum);
	return 0;
}

static int (*const save_steps[])(struct tess_mdev_stream *s) = {
	save_header, save_vram, save_config, save_regs, save_doorbells, save_context, save_head,
	save_cursor, save_edid, save_monitor, save_trailer,
};

static int save_step(struct tess_mdev_stream *s)
{
	int ret;

	scoped_guard(mutex, &s->tm->lock) {
		ret = tess_mdev_stream_check(s);
		if (!ret)
			ret = save_steps[s->step](s);
	}
	if (!ret) {
		s->step++;
		s->index = 0;
	}
	return ret;
}

/* The next record; there is none at the end. -ENOMSG: none yet */
static int save_next(struct tess_mdev_stream *s)
{
	int ret = 0;

	s->len = 0;
	s->done = 0;
	while (!s->len && s->step < ARRAY_SIZE(save_steps)) {
		ret = save_step(s);
		if (ret < 0)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	if (s->len)
		tess_mdev_stream_count(s);
	return 0;
}

static ssize_t save_read_locked(struct tess_mdev_stream *s, char __user *buf, size_t count)
{
	size_t total = 0, len;
	int ret = 0;

	while (!ret && total < count) {
		if (s->done == s->len)
			ret = save_next(s);
		len = ret ? 0 : min(count - total, s->len - s->done);
		if (!len)
			break;
		if (copy_to_user(buf + total, s->buf + s->done, len))
			return -EFAULT;
		s->done += len;
		total += len;
	}
	return total ?: ret;
}

static ssize_t save_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct tess_mdev_stream *s = file->private_data;

	if (mutex_lock_interruptible(&s->lock))
		return -ERESTARTSYS;
	count = save_read_locked(s, buf, count);
	mutex_unlock(&s->lock);
	return count;
}

/* ---- how much there is ---- */

/* One that is not in the middle of a packet has no more than that */
#define SAVE_CONTEXT_USUAL	1024

static u64 save_context_size(struct tess_mdev *tm, unsigned int vslice)
{
	const struct tess_mdev_vslice vs = tess_mdev_find(&tm->parts, vslice);
	ssize_t len = -EINVAL;

	if (tm->migration.stopped)
		len = tess_vslice_pack(vs.vgpu, vs.index, NULL, 0);
	return sizeof(struct tess_mig_record) + (len > 0 ? len : SAVE_CONTEXT_USUAL);
}

static u64 save_vram_size(const struct tess_mdev *tm)
{
	u64 pages = tm->vram ? tm->vram->size / TESS_MIG_VRAM_PAGE : 0;

	return pages * (TESS_MIG_VRAM_PAGE + sizeof(struct tess_mig_record));
}

/* All but VRAM */
static u64 save_state_size(struct tess_mdev *tm)
{
	u64 size = 2 * PAGE_SIZE + tm->vslices * sizeof(struct tess_mig_doorbell);
	unsigned int i;

	for (i = 0; i < tm->vslices; i++)
		size += save_context_size(tm, i);
	return size;
}

/* The file that is read just now; NULL: none is */
static struct tess_mdev_stream *save_stream(struct tess_mdev *tm)
{
	struct tess_mdev_stream *s = tm->migration.stream;

	lockdep_assert_held(&tm->lock);
	return s && s->rounds ? s : NULL;
}

/* 1: it was looked at a part of VRAM, and there is more to look at */
static int save_size_step(struct tess_mdev *tm, bool gather, u64 *size)
{
	struct tess_mdev_stream *s;
	int ret = 0;

	guard(mutex)(&tm->lock);
	if (READ_ONCE(tm->dead))
		return -ENODEV;
	s = save_stream(tm);
	if (s && gather && tm->migration.state != VFIO_DEVICE_STATE_STOP_COPY)
		ret = tess_mdev_rounds_gather(tm, s->rounds);
	if (s && !ret)
		ret = tess_mdev_rounds_look(tm, s->rounds);
	if (!ret)
		/* And a record that may be read in part */
		*size = save_state_size(tm) +
			(s ? tess_mdev_rounds_bytes(s->rounds) + TESS_MIG_VRAM_BYTES :
			     save_vram_size(tm));
	return ret;
}

int tess_mdev_save_size(struct tess_mdev *tm, u64 *size)
{
	int ret;

	ret = save_size_step(tm, true, size);
	while (ret == 1) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		ret = save_size_step(tm, false, size);
	}
	return ret;
}

static bool save_runs(const struct tess_mdev *tm)
{
	return tm->migration.state == VFIO_DEVICE_STATE_PRE_COPY ||
	       tm->migration.state == VFIO_DEVICE_STATE_PRE_COPY_P2P;
}

static int save_info_step(struct tess_mdev_stream *s, bool gather, struct vfio_precopy_info *info)
{
	struct tess_mdev *tm = s->tm;
	u64 bytes;
	int ret;

	guard(mutex)(&tm->lock);
	ret = tess_mdev_stream_check(s);
	if (!ret && !save_runs(tm))
		ret = -EINVAL;
	if (!ret && gather)
		ret = tess_mdev_rounds_gather(tm, s->rounds);
	if (!ret)
		ret = tess_mdev_rounds_look(tm, s->rounds);
	if (ret)
		return ret;
	bytes = tess_mdev_rounds_bytes(s->rounds) + s->len - s->done;
	if (tess_mdev_rounds_first(s->rounds))
		info->initial_bytes = bytes;
	else
		info->dirty_bytes = bytes;
	return 0;
}

/* It is looked at all that may have been written to, and told what was */
static int save_info(struct tess_mdev_stream *s, struct vfio_precopy_info *info)
{
	int ret;

	ret = save_info_step(s, true, info);
	while (ret == 1) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		ret = save_info_step(s, false, info);
	}
	return ret;
}

static long save_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	const size_t size = offsetofend(struct vfio_precopy_info, dirty_bytes);
	struct tess_mdev_stream *s = file->private_data;
	void __user *user = (void __user *)arg;
	struct vfio_precopy_info info;
	int ret;

	if (cmd != VFIO_MIG_GET_PRECOPY_INFO)
		return -ENOTTY;
	if (copy_from_user(&info, user, size))
		return -EFAULT;
	if (info.argsz < size)
		return -EINVAL;
	info.flags = 0;
	info.initial_bytes = 0;
	info.dirty_bytes = 0;
	if (mutex_lock_interruptible(&s->lock))
		return -ERESTARTSYS;
	ret = save_info(s, &info);
	mutex_unlock(&s->lock);
	if (ret)
		return ret;
	return copy_to_user(user, &info, size) ? -EFAULT : 0;
}

static const struct file_operations save_fops = {
	.owner = THIS_MODULE,
	.read = save_read,
	.unlocked_ioctl = save_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.release = tess_mdev_stream_release,
};

struct file *tess_mdev_save_begin(struct tess_mdev *tm)
{
	struct tess_mdev_rounds *rounds;
	struct file *file;

	rounds = tess_mdev_rounds_begin(tm);
	if (IS_ERR(rounds))
		return ERR_CAST(rounds);
	file = tess_mdev_stream_open(tm, "tessera-save", &save_fops, O_RDONLY);
	if (IS_ERR(file))
		tess_mdev_rounds_free(rounds);
	else
		tm->migration.stream->rounds = rounds;
	return file;
}
