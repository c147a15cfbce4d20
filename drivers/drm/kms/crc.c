// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: checksums of what is shown
 *
 * For tests: debugfs has a CRC of frames that a head shows (crtc-N/crc). The GPU makes none, so the
 * CPU reads VRAM, outside of the interrupt. That takes longer than a frame, perhaps much longer, so
 * what it finds is that of all frames which showed the same picture with the same cursor, and work
 * does not pile up. A picture that was replaced before it was read has none: what is in its
 * buffer since then may not have been shown.
 *
 * It is the usual CRC-32 of all pixels from left to right and from top to bottom, each as 32 bits
 * XRGB8888 with zeros for what is not shown. So it does not depend on the format or the pitch. The
 * cursor is on top of them, as viewers see it.
 */
#include <linux/crc32.h>
#include <linux/cleanup.h>
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <drm/drm_crtc.h>
#include <drm/drm_debugfs_crc.h>
#include <drm/drm_drv.h>
#include <drm/drm_fourcc.h>
#include <drm/drm_vblank.h>
#include "base/device.h"
#include "crc.h"
#include "kms.h"

static const char *const tess_crc_sources[] = { "auto" };

/**
 * struct tess_crc_cursor - what is on top of a picture
 * @shown: there is something
 * @x: where its image begins
 * @y: the same
 * @address: of the image, in VRAM
 */
struct tess_crc_cursor {
	bool shown;
	int x;
	int y;
	u64 address;
};

static __le32 crc_from_565(u16 pixel)
{
	u32 r = pixel >> 11, g = pixel >> 5 & 0x3f, b = pixel & 0x1f;

	r = r << 3 | r >> 2;
	g = g << 2 | g >> 4;
	b = b << 3 | b >> 2;
	return cpu_to_le32(r << 16 | g << 8 | b);
}

/* In place, from the end: RGB565 becomes longer */
static void crc_convert_line(void *line, u32 format, u32 width)
{
	__le16 *half = line;
	__le32 *word = line;

	if (format == DRM_FORMAT_RGB565) {
		while (width--)
			word[width] = crc_from_565(le16_to_cpu(half[width]));
		return;
	}
	while (width--)
		word[width] &= cpu_to_le32(0xffffff);
}

/* Colours of @over are multiplied by its alpha */
static u32 crc_blend(u32 under, u32 over)
{
	u32 rest = 255 - (over >> 24), pixel = 0;
	unsigned int shift;

	for (shift = 0; shift < 24; shift += 8) {
		u32 value = (over >> shift & 0xff) + ((under >> shift & 0xff) * rest + 127) / 255;

		pixel |= min(value, 255) << shift;
	}
	return pixel;
}

static void crc_draw_cursor(const struct tess_device *tdev, const struct tess_crc_cursor *cursor,
			    __le32 *line, u32 width, u32 y)
{
	const void __iomem *at = tdev->info.vram + cursor->address;
	__le32 row[TESS_CURSOR_SIZE];
	int x;

	if (!cursor->shown || (int)y < cursor->y || (int)y >= cursor->y + TESS_CURSOR_SIZE)
		return;
	memcpy_fromio(row, at + ((int)y - cursor->y) * sizeof(row), sizeof(row));
	for (x = max(cursor->x, 0); x < min(cursor->x + TESS_CURSOR_SIZE, (int)width); x++)
		line[x] = cpu_to_le32(crc_blend(le32_to_cpu(line[x]),
						le32_to_cpu(row[x - cursor->x])));
}

static u32 crc_of_picture(const struct tess_device *tdev, const struct tess_head_picture *picture,
			  const struct tess_crc_cursor *cursor, void *line)
{
	size_t cpp = picture->format == DRM_FORMAT_RGB565 ? sizeof(u16) : sizeof(u32);
	const void __iomem *at = tdev->info.vram + picture->address;
	u32 crc = ~0, y;

	for (y = 0; y < picture->height; y++, at += picture->pitch) {
		memcpy_fromio(line, at, picture->width * cpp);
		crc_convert_line(line, picture->format, picture->width);
		crc_draw_cursor(tdev, cursor, line, picture->width, y);
		crc = crc32_le(crc, line, picture->width * sizeof(u32));
		cond_resched();
	}
	return ~crc;
}

/* At once: half of what DRM keeps for its reader */
#define TESS_CRC_FRAMES	64

/* What work has to know, and whether something is shown */
static bool crc_now(struct tess_output *out, struct tess_crc *now)
{
	struct tess_crc *crc = &out->crc;
	bool shown;

	spin_lock_irq(&crc->lock);
	shown = crc->on && crc->is_shown;
	now->shown = crc->shown;
	now->flips = crc->flips;
	now->changes = crc->changes;
	now->since = crc->since;
	now->frame = crc->frame;
	spin_unlock_irq(&crc->lock);
	return shown;
}

/*
 * Frames that show what was read: the last one of @then, and those before and after it up to a
 * change. False: there are none
 */
static bool crc_frames(struct tess_output *out, const struct tess_crc *then, u64 *first, u64 *last)
{
	struct tess_crc *crc = &out->crc;
	bool same;

	spin_lock_irq(&crc->lock);
	same = crc->on && crc->is_shown && crc->flips == then->flips;
	*first = then->since;
	*last = crc->changes == then->changes ? crc->frame : then->frame;
	*last = min(*last, *first + TESS_CRC_FRAMES - 1);
	if (same)
		crc->since = max(crc->since, *last + 1);
	spin_unlock_irq(&crc->lock);
	return same;
}

static struct tess_crc_cursor crc_cursor(struct tess_output *out)
{
	const struct tess_cursor *cursor = &out->cursor;

	guard(mutex)(&out->picture_lock);
	return (struct tess_crc_cursor){ cursor->shown, cursor->x, cursor->y,
					 cursor->image.address };
}

/* The memory is there as long as the device, whoever it belongs to meanwhile */
static void crc_work(struct work_struct *work)
{
	struct tess_output *out = container_of(work, struct tess_output, crc.work);
	struct tess_crc_cursor cursor;
	struct tess_crc now, before;
	u64 first, last;
	u32 value;
	int idx;

	crc_now(out, &before);
	cursor = crc_cursor(out);
	/* Whatever came in between, the next frame asks for this again */
	if (!crc_now(out, &now) || now.changes != before.changes ||
	    !drm_dev_enter(out->tdev->drm, &idx))
		return;
	value = crc_of_picture(out->tdev, &now.shown, &cursor, out->crc.line);
	drm_dev_exit(idx);
	if (!crc_frames(out, &now, &first, &last))
		return;
	for (; first <= last; first++)
		drm_crtc_add_crc_entry(&out->crtc, true, first, &value);
}

/**
 * tess_crc_set_picture() - what the next flip is to
 * @out: output
 * @picture: picture that the GPU is about to be told of; NULL: nothing, or it is not known
 */
void tess_crc_set_picture(struct tess_output *out, const struct tess_head_picture *picture)
{
	struct tess_crc *crc = &out->crc;
	unsigned long flags;

	spin_lock_irqsave(&crc->lock, flags);
	crc->is_next = picture;
	if (picture)
		crc->next = *picture;
	else
		crc->is_shown = false;
	spin_unlock_irqrestore(&crc->lock, flags);
}

/**
 * tess_crc_set_cursor() - the cursor was changed
 * @out: output
 *
 * The frame in which that happens shows a part of both.
 */
void tess_crc_set_cursor(struct tess_output *out)
{
	struct tess_crc *crc = &out->crc;
	unsigned long flags;

	spin_lock_irqsave(&crc->lock, flags);
	crc->changes++;
	crc->since = max(crc->since, crc->frame + 1);
	spin_unlock_irqrestore(&crc->lock, flags);
}

/**
 * tess_crc_event() - the head showed a frame, or has flipped
 * @out: output
 * @events: TESS_DEVENT_*, of which the frame was counted
 *
 * Hard interrupt context.
 */
void tess_crc_event(struct tess_output *out, u32 events)
{
	struct tess_crc *crc = &out->crc;
	unsigned long flags;
	u64 frame = drm_crtc_vblank_count(&out->crtc);

	spin_lock_irqsave(&crc->lock, flags);
	if ((events & TESS_DEVENT_FLIP) && crc->is_next) {
		crc->shown = crc->next;
		crc->is_shown = true;
		crc->is_next = false;
		crc->flips++;
		crc->changes++;
		/* A flip that did not wait for a frame is in the middle of one */
		crc->since = events & TESS_DEVENT_FRAME ? frame : frame + 1;
	}
	if (events & TESS_DEVENT_FRAME) {
		crc->frame = frame;
		if (crc->on && crc->is_shown)
			queue_work(out->tdev->wq, &crc->work);
	}
	spin_unlock_irqrestore(&crc->lock, flags);
}

/**
 * tess_crc_get_sources() - as drm_crtc_funcs.get_crc_sources()
 * @crtc: of an output
 * @count: set
 *
 * Return: names.
 */
const char *const *tess_crc_get_sources(struct drm_crtc *crtc, size_t *count)
{
	*count = ARRAY_SIZE(tess_crc_sources);
	return tess_crc_sources;
}

/**
 * tess_crc_verify_source() - as drm_crtc_funcs.verify_crc_source()
 * @crtc: of an output
 * @source: name, or NULL
 * @count: set to the values of an entry
 *
 * Return: 0, -EINVAL no such source.
 */
int tess_crc_verify_source(struct drm_crtc *crtc, const char *source, size_t *count)
{
	if (source && strcmp(source, tess_crc_sources[0]))
		return -EINVAL;
	*count = 1;
	return 0;
}

static int crc_begin(struct tess_output *out)
{
	struct tess_crc *crc = &out->crc;
	int ret;

	crc->line = kvmalloc_array(TESS_DISPLAY_SIZE_MAX, sizeof(u32), GFP_KERNEL);
	if (!crc->line)
		return -ENOMEM;
	ret = drm_crtc_vblank_get(&out->crtc);
	if (ret) {
		kvfree(crc->line);
		crc->line = NULL;
		return ret;
	}
	spin_lock_irq(&crc->lock);
	crc->on = true;
	crc->frame = drm_crtc_vblank_count(&out->crtc);
	crc->since = crc->frame + 1;
	spin_unlock_irq(&crc->lock);
	return 0;
}

static void crc_end(struct tess_output *out)
{
	struct tess_crc *crc = &out->crc;
	bool was;

	spin_lock_irq(&crc->lock);
	was = crc->on;
	crc->on = false;
	spin_unlock_irq(&crc->lock);
	if (!was)
		return;
	drm_crtc_vblank_put(&out->crtc);
	cancel_work_sync(&crc->work);
	kvfree(crc->line);
	crc->line = NULL;
}

/**
 * tess_crc_set_source() - as drm_crtc_funcs.set_crc_source()
 * @crtc: of an output
 * @source: name; NULL: nobody reads them any more. DRM has one reader at a time
 *
 * Return: 0; -EINVAL no such source, or no frames; -ENOMEM.
 */
int tess_crc_set_source(struct drm_crtc *crtc, const char *source)
{
	struct tess_output *out = container_of(crtc, struct tess_output, crtc);
	size_t count;
	int ret;

	ret = tess_crc_verify_source(crtc, source, &count);
	if (ret)
		return ret;
	crc_end(out);
	return source ? crc_begin(out) : 0;
}

/**
 * tess_crc_init() - before anything is shown
 * @out: output
 */
void tess_crc_init(struct tess_output *out)
{
	spin_lock_init(&out->crc.lock);
	INIT_WORK(&out->crc.work, crc_work);
}

/**
 * tess_crc_stop() - read VRAM no more
 * @out: output of an unplugged device, without interrupts
 */
void tess_crc_stop(struct tess_output *out)
{
	cancel_work_sync(&out->crc.work);
}
