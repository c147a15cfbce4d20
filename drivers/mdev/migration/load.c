// SPDX-License-Identifier: GPL-2.0-only
/*
 * A vGPU that stands still becomes what records say (format.h). They come by way of the VMM from
 * somewhere else, and are trusted as little as what a guest writes: each is bounded by what this
 * vGPU has, and does nothing that its guest could not have done. What is refused ends the stream;
 * VRAM and contexts may be half of it then, and only a reset leads on.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>
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
#include "load.h"
#include "map/area.h"
#include "map/doorbell.h"
#include "mem/record.h"
#include "stream.h"

/**
 * struct load_tag - a sort of record
 * @min: fewest bytes of it
 * @max: most
 * @many: there may be several
 * @load: takes it over. 0, or a negative errno with @reason, if there is something to say
 */
struct load_tag {
	size_t min;
	size_t max;
	bool many;
	int (*load)(struct tess_mdev_stream *s, u64 arg, const void *buf, size_t size,
		    struct tess_reason *reason);
};

static int load_header(struct tess_mdev_stream *s, u64 arg, const void *buf, size_t size,
		       struct tess_reason *reason)
{
	return tess_mdev_header_check(s->tm, buf, reason);
}

static int load_config(struct tess_mdev_stream *s, u64 arg, const void *buf, size_t size,
		       struct tess_reason *reason)
{
	/* A function level reset in it is none */
	tess_mdev_config_write(s->tm, 0, buf, size);
	return 0;
}

static int load_regs(struct tess_mdev_stream *s, u64 arg, const void *buf, size_t size,
		     struct tess_reason *reason)
{
	const struct tess_mig_regs *regs = buf;
	struct tess_mdev *tm = s->tm;
	struct tess_mdev_bars *bars = &tm->bars;

	scoped_guard(rwsem_write, &tm->map_lock)
		tm->time_base += le64_to_cpu(regs->time) - tess_mdev_time(tm);
	tess_mdev_page_arrive(tm, le64_to_cpu(regs->generation));
	atomic64_set(&bars->fault_pending, le64_to_cpu(regs->fault_pending));
	/* It has another composition */
	atomic64_set(&bars->event_pending, 1);
	bars->event_low = le32_to_cpu(regs->event_low);
	tess_mdev_msix_write(tm, 0, regs->msix, sizeof(regs->msix));
	return 0;
}

static void load_doorbell(struct tess_mdev *tm, unsigned int vslice,
			  const struct tess_mig_doorbell *db)
{
	unsigned int i;

	for (i = 0; i < TESS_MIG_LOW_HALVES; i++)
		tm->bars.low[vslice][i] = le32_to_cpu(db->low[i]);
	tess_mdev_doorbell_store(tm, vslice, le64_to_cpu(db->stored));
}

static int load_doorbells(struct tess_mdev_stream *s, u64 arg, const void *buf, size_t size,
			  struct tess_reason *reason)
{
	const struct tess_mig_doorbell *db = buf;
	unsigned int i;

	if (size != s->tm->vslices * sizeof(*db))
		return -EINVAL;
	for (i = 0; i < s->tm->vslices; i++)
		load_doorbell(s->tm, i, &db[i]);
	return 0;
}

static int load_context(struct tess_mdev_stream *s, u64 arg, const void *buf, size_t size,
			struct tess_reason *reason)
{
	struct tess_mdev *tm = s->tm;
	struct tess_mdev_vslice vs;
	int ret;

	if (arg >= tm->vslices || s->contexts & BIT_ULL(arg))
		return -EINVAL;
	vs = tess_mdev_find(&tm->parts, arg);
	ret = tess_vslice_unpack(vs.vgpu, vs.index, buf, size, reason);
	if (ret)
		return ret;
	s->contexts |= BIT_ULL(arg);
	tess_mdev_record_update(tm, arg);
	return 0;
}

static int load_head(struct tess_mdev_stream *s, u64 arg, const void *buf, size_t size,
		     struct tess_reason *reason)
{
	if (!s->tm->display.present || arg >= TESS_HEADS_MAX || s->heads & BIT(arg))
		return -EINVAL;
	s->heads |= BIT(arg);
	return tess_mdev_head_load(s->tm, arg, buf);
}

static int load_cursor(struct tess_mdev_stream *s, u64 arg, const void *buf, size_t size,
		       struct tess_reason *reason)
{
	if (arg >= TESS_HEADS_MAX || !(s->heads & BIT(arg)) || s->cursors & BIT(arg))
		return -EINVAL;
	s->cursors |= BIT(arg);
	return tess_mdev_cursor_load(s->tm, arg, buf);
}

static int load_edid(struct tess_mdev_stream *s, u64 arg, const void *buf, size_t size,
		     struct tess_reason *reason)
{
	struct tess_mdev_display *display = &s->tm->display;

	if (!display->present || arg > 1 || size % 128)
		return -EINVAL;
	guard(rwsem_write)(&s->tm->map_lock);
	display->monitor[0].link = arg;
	display->monitor[0].edid.size = size;
	memcpy(display->monitor[0].edid.blob, buf, size);
	return 0;
}

static int load_monitor(struct tess_mdev_stream *s, u64 arg, const void *buf, size_t size,
			struct tess_reason *reason)
{
	if (!s->tm->display.present || !arg || arg >= TESS_HEADS_MAX || s->monitors & BIT(arg))
		return -EINVAL;
	s->monitors |= BIT(arg);
	guard(rwsem_write)(&s->tm->map_lock);
	return tess_mdev_monitor_load(&s->tm->display, arg, buf);
}

static int load_vram(struct tess_mdev_stream *s, u64 arg, const void *buf, size_t size,
		     struct tess_reason *reason)
{
	struct tess_mdev *tm = s->tm;
	u64 end = tm->vram ? tm->vram->size : 0;

	if (arg % TESS_MIG_VRAM_PAGE || size % TESS_MIG_VRAM_PAGE || arg >= end ||
	    size > end - arg)
		return -EINVAL;
	scoped_guard(rwsem_read, &tm->map_lock)
		tess_mdev_touch(tm, arg, size);
	return tess_vram_write(tess_vgpu_gpu(tess_mdev_first(&tm->parts)), tm->vram, arg, buf,
			       size);
}

static bool load_has_all(const struct tess_mdev_stream *s)
{
	u32 seen = BIT(TESS_MIG_HEADER) | BIT(TESS_MIG_CONFIG) | BIT(TESS_MIG_REGS) |
		   BIT(TESS_MIG_DOORBELLS), heads = 0;

	if (s->tm->display.present) {
		seen |= BIT(TESS_MIG_EDID);
		heads = GENMASK(TESS_HEADS_MAX - 1, 0);
	}
	return !(seen & ~s->seen) && heads == s->heads &&
	       s->contexts == GENMASK_ULL(s->tm->vslices - 1, 0);
}

static int load_trailer(struct tess_mdev_stream *s, u64 arg, const void *buf, size_t size,
			struct tess_reason *reason)
{
	const struct tess_mig_trailer *trailer = buf;

	if (le32_to_cpu(trailer->checksum) != (u32)~s->checksum) {
		strscpy(reason->text, "it was changed on its way: the checksum is wrong");
		return -EINVAL;
	}
	if (arg || trailer->reserved || le64_to_cpu(trailer->records) != s->records + 1 ||
	    !load_has_all(s))
		return -EINVAL;
	s->tm->migration.complete = true;
	return 0;
}

static const struct load_tag load_tags[] = {
	[TESS_MIG_HEADER] = { sizeof(struct tess_mig_header), sizeof(struct tess_mig_header), false,
			      load_header },
	[TESS_MIG_CONFIG] = { TESS_MDEV_CONFIG_USED, TESS_MDEV_CONFIG_USED, false, load_config },
	[TESS_MIG_REGS] = { sizeof(struct tess_mig_regs), sizeof(struct tess_mig_regs), false,
			    load_regs },
	[TESS_MIG_DOORBELLS] = { sizeof(struct tess_mig_doorbell),
				 TESS_MAX_SLICES * sizeof(struct tess_mig_doorbell), false,
				 load_doorbells },
	[TESS_MIG_CONTEXT] = { sizeof(struct tess_vslice_state), TESS_VSLICE_PACK_MAX, true,
			       load_context },
	[TESS_MIG_HEAD] = { sizeof(struct tess_mig_head), sizeof(struct tess_mig_head), true,
			    load_head },
	[TESS_MIG_EDID] = { 0, TESS_EDID_MAX, false, load_edid },
	[TESS_MIG_VRAM] = { TESS_MIG_VRAM_PAGE, TESS_MIG_VRAM_BYTES, true, load_vram },
	[TESS_MIG_TRAILER] = { sizeof(struct tess_mig_trailer), sizeof(struct tess_mig_trailer),
			       false, load_trailer },
	[TESS_MIG_CURSOR] = { sizeof(struct tess_mig_cursor), sizeof(struct tess_mig_cursor), true,
			      load_cursor },
	[TESS_MIG_MONITOR] = { sizeof(struct tess_mig_monitor), sizeof(struct tess_mig_monitor),
			       true, load_monitor },
};

/* NULL: a tag that is not known */
static const struct load_tag *load_find(const struct tess_mig_record *record)
{
	u32 tag = le32_to_cpu(record->tag);

	return tag < ARRAY_SIZE(load_tags) && load_tags[tag].load ? &load_tags[tag] : NULL;
}

/* Can a record come that begins like this? */
static int load_check(const struct tess_mdev_stream *s, const struct tess_mig_record *record,
		      struct tess_reason *reason)
{
	const struct load_tag *tag = load_find(record);
	u64 size = le64_to_cpu(record->size);
	u32 number = le32_to_cpu(record->tag);
	bool is_first = number == TESS_MIG_HEADER;

	if (is_first != !s->records || s->seen & BIT(TESS_MIG_TRAILER)) {
		strscpy(reason->text, "what came is no vGPU");
		return -EINVAL;
	}
	if (!tag && le32_to_cpu(record->flags) & TESS_MIG_OPTIONAL)
		return size <= TESS_MIG_OPTIONAL_MAX ? 0 : -EINVAL;
	if (!tag) {
		scnprintf(reason->text, sizeof(reason->text),
			  "a newer Tessera saved it: record %u is not known here", number);
		return -EINVAL;
	}
	if (record->flags || size < tag->min || size > tag->max ||
	    (!tag->many && s->seen & BIT(number)))
		return -EINVAL;
	return 0;
}

static int load_record(struct tess_mdev_stream *s, struct tess_reason *reason)
{
	const struct tess_mig_record *record = s->buf;
	const struct load_tag *tag = load_find(record);
	int ret;

	guard(mutex)(&s->tm->lock);
	ret = tess_mdev_stream_check(s);
	if (ret || !tag)
		return ret;
	ret = tag->load(s, le64_to_cpu(record->arg), record + 1, le64_to_cpu(record->size),
			reason);
	s->seen |= BIT(le32_to_cpu(record->tag));
	return ret;
}

/* Bytes that the record lacks which is in the buffer; 0: it is whole */
static size_t load_lacks(const struct tess_mdev_stream *s)
{
	const struct tess_mig_record *record = s->buf;

	if (s->len < sizeof(*record))
		return sizeof(*record) - s->len;
	return sizeof(*record) + le64_to_cpu(record->size) - s->len;
}

/* A part of a record came, up to its end or that of its start */
static int load_part(struct tess_mdev_stream *s, struct tess_reason *reason)
{
	const struct tess_mig_record *record = s->buf;
	int ret;

	if (s->len == sizeof(*record)) {
		ret = load_check(s, record, reason);
		if (!ret)
			ret = tess_mdev_stream_reserve(s, le64_to_cpu(record->size));
		if (ret)
			return ret;
	}
	if (s->len < sizeof(*record) || load_lacks(s))
		return 0;
	ret = load_record(s, reason);
	if (ret)
		return ret;
	tess_mdev_stream_count(s);
	s->len = 0;
	return 0;
}

static int load_bytes(struct tess_mdev_stream *s, const char __user *buf, size_t count,
		      struct tess_reason *reason)
{
	size_t done = 0, len;
	int ret;

	ret = tess_mdev_stream_reserve(s, 0);
	while (!ret && done < count) {
		len = min(count - done, load_lacks(s));
		if (copy_from_user(s->buf + s->len, buf + done, len))
			return -EFAULT;
		s->len += len;
		done += len;
		ret = load_part(s, reason);
		if (!ret && fatal_signal_pending(current))
			ret = -EINTR;
	}
	return ret;
}

static ssize_t load_write_locked(struct tess_mdev_stream *s, const char __user *buf, size_t count)
{
	struct tess_reason reason = {};
	int ret;

	if (s->failed)
		return -EIO;
	ret = load_bytes(s, buf, count, &reason);
	if (!ret)
		return count;
	/* How much of a record came is not known any more */
	s->failed = true;
	if (ret == -EINVAL && !reason.text[0])
		scnprintf(reason.text, sizeof(reason.text), "record %llu of it is damaged",
			  s->records);
	tess_mdev_stream_refuse(s->tm, ret, &reason);
	return ret;
}

static ssize_t load_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	struct tess_mdev_stream *s = file->private_data;

	if (mutex_lock_interruptible(&s->lock))
		return -ERESTARTSYS;
	count = load_write_locked(s, buf, count);
	mutex_unlock(&s->lock);
	return count;
}

static const struct file_operations load_fops = {
	.owner = THIS_MODULE,
	.write = load_write,
	.release = tess_mdev_stream_release,
};

struct file *tess_mdev_load_begin(struct tess_mdev *tm)
{
	tm->migration.complete = false;
	return tess_mdev_stream_open(tm, "tessera-load", &load_fops, O_WRONLY);
}
