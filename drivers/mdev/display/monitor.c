// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: monitors
 *
 * What is plugged into a head, as its EDID says. That of head 0 is described by the VMM, in a
 * region of its own (gfx.c); those of other heads, which VFIO does not know, by viewers (view.c),
 * and so is that of head 0 if nobody looks at it through the VMM (path=remote). As long as nobody
 * says anything, each head has one of 1024x768.
 *
 * An EDID is taken over when the link comes up, and the guest is told. It is opaque to the host,
 * and copied to the guest as it is.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <tessera/compat.h>
#include "base/format.h"
#include "base/mdev.h"
#include "base/viewer.h"
#include "head.h"
#include "monitor.h"

/* 1024x768 at 60 Hz preferred, 640x480 and 800x600; of a vendor "TSR", no size */
static const u8 monitor_default[128] = {
	0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x52, 0x72, 0x55, 0x7e,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x24, 0x01, 0x04, 0xa0, 0x00, 0x00, 0x78,
	0x06, 0xee, 0x91, 0xa3, 0x54, 0x4c, 0x99, 0x26, 0x0f, 0x50, 0x54, 0x21,
	0x08, 0x00, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01,
	0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x64, 0x19, 0x00, 0x40, 0x41, 0x00,
	0x26, 0x30, 0x18, 0x88, 0x36, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x18,
	0x00, 0x00, 0x00, 0xfc, 0x00, 0x54, 0x65, 0x73, 0x73, 0x65, 0x72, 0x61,
	0x0a, 0x20, 0x20, 0x20, 0x20, 0x20, 0x00, 0x00, 0x00, 0xfd, 0x00, 0x32,
	0x4b, 0x1e, 0xa0, 0x3c, 0x01, 0x0a, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
	0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xad,
};

bool tess_mdev_monitor_is_connected(const struct tess_mdev_display *display, unsigned int n)
{
	return display->given & BIT(n) && display->monitor[n].link;
}

u32 tess_mdev_monitor_size(const struct tess_mdev_display *display, unsigned int n)
{
	return tess_mdev_monitor_is_connected(display, n) ? display->monitor[n].edid.size : 0;
}

u32 tess_mdev_monitor_read(const struct tess_mdev_display *display, unsigned int n, u32 off)
{
	__le32 val;

	if (off >= tess_mdev_monitor_size(display, n))
		return 0;
	memcpy(&val, display->monitor[n].edid.blob + off, sizeof(val));
	return le32_to_cpu(val);
}

void tess_mdev_monitor_default(struct tess_mdev_display *display, unsigned int n)
{
	struct tess_mdev_monitor *monitor = &display->monitor[n];

	memset(&monitor->next, 0, sizeof(monitor->next));
	memcpy(monitor->next.blob, monitor_default, sizeof(monitor_default));
	monitor->next.size = sizeof(monitor_default);
	monitor->edid = monitor->next;
	monitor->link = true;
}

void tess_mdev_set_link(struct tess_mdev *tm, unsigned int n, bool up)
{
	struct tess_mdev_display *display = &tm->display;
	struct tess_mdev_monitor *monitor = &display->monitor[n];

	lockdep_assert_held_write(&tm->map_lock);
	if (!up && !monitor->link)
		return;
	if (monitor->link != up && display->given & BIT(n))
		tess_mdev_viewers_tell(tm, n);
	monitor->link = up;
	if (up)
		monitor->edid = monitor->next;
	if (display->given & BIT(n))
		tess_mdev_head_raise(tm, &display->head[n], TESS_DEVENT_LINK);
}

int tess_mdev_monitor_plug(struct tess_mdev *tm, unsigned int n, const struct tess_mdev_edid *edid)
{
	struct tess_mdev_display *display = &tm->display;

	lockdep_assert_held_write(&tm->map_lock);
	if (tm->dead || !display->present || !(display->given & BIT(n)))
		return -ENXIO;
	if (!n && !display->remote)
		return -EBUSY;
	if (edid)
		display->monitor[n].next = *edid;
	tess_mdev_set_link(tm, n, edid);
	return 0;
}

bool tess_mdev_usual_size(unsigned int i, u32 *width, u32 *height)
{
	static const u32 sizes[][2] = {
		{ 7680, 4320 }, { 5120, 2880 }, { 3840, 2160 }, { 2560, 1440 },
		{ 1920, 1080 }, { 1280, 720 },	{ 1024, 768 },	{ 800, 600 },
	};

	if (i >= ARRAY_SIZE(sizes))
		return false;
	*width = sizes[i][0];
	*height = sizes[i][1];
	return true;
}

bool tess_mdev_pictures_fit(u64 memory, unsigned int heads, u32 width, u32 height)
{
	return (u64)width * height * 4 * 2 * heads <= memory;
}

void tess_mdev_max_resolution(u64 memory, unsigned int heads, u32 *width, u32 *height)
{
	unsigned int i;

	/* The smallest one if none fits */
	for (i = 0; tess_mdev_usual_size(i, width, height); i++)
		if (tess_mdev_pictures_fit(memory, heads, *width, *height))
			break;
}

/* ---- migration ---- */

bool tess_mdev_monitor_save(const struct tess_mdev_display *display, unsigned int n,
			    struct tess_mig_monitor *out)
{
	const struct tess_mdev_monitor *monitor = &display->monitor[n];

	out->link = cpu_to_le32(monitor->link);
	out->size = cpu_to_le32(monitor->edid.size);
	memcpy(out->edid, monitor->edid.blob, sizeof(out->edid));
	return !monitor->link || monitor->edid.size != sizeof(monitor_default) ||
	       memcmp(monitor->edid.blob, monitor_default, sizeof(monitor_default));
}

int tess_mdev_monitor_load(struct tess_mdev_display *display, unsigned int n,
			   const struct tess_mig_monitor *in)
{
	struct tess_mdev_monitor *monitor = &display->monitor[n];
	u32 size = le32_to_cpu(in->size), link = le32_to_cpu(in->link);

	if (size > TESS_EDID_MAX || size % 128 || link > 1)
		return -EINVAL;
	monitor->link = link;
	monitor->edid.size = size;
	memcpy(monitor->edid.blob, in->edid, sizeof(in->edid));
	monitor->next = monitor->edid;
	return 0;
}
