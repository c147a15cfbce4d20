// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: display heads
 *
 * The GPU does not know heads, and the core only what it is told (shown.c): what a head of a vGPU
 * shows is a buffer in the vGPU's VRAM that the host reads (gfx.c). Here are its registers, and
 * what a scanout does of its own accord: at a frame it takes over what was committed, and tells.
 *
 *	registers --COMMIT, checked--> next --frame--> shown
 *	                       \                      /
 *	                        +-- nothing shown ---+
 *
 * What is shown was checked as a whole when it was committed, and VRAM does not change its size
 * while a VMM has it open. So nothing needs to be checked when it is read.
 *
 * Frames come from a timer of the host, one for each head, that runs only while a client waits
 * for one. It does nothing but queue a work item, which may sleep: a flip withdraws what is
 * mapped. A client that is slow to look at its events makes the vector an event that is pending,
 * and no queue grows.
 */
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/wordpart.h>
#include <tessera/compat.h>
#include <tessera/inject.h>
#include <tessera/memory.h>
#include <tessera/vgpu.h>
#include <uapi/drm/drm_fourcc.h>
#include "base/irq.h"
#include "base/mdev.h"
#include "base/page.h"
#include "base/parts.h"
#include "base/viewer.h"
#include "base/vram.h"
#include "cursor.h"
#include "damage.h"
#include "head.h"
#include "map/area.h"
#include "monitor.h"
#include "shown.h"

#define FRAME_NS	(NSEC_PER_SEC / 60)

/* ---- frames ---- */

void tess_mdev_head_raise(struct tess_mdev *tm, struct tess_mdev_head *head, u32 events)
{
	head->events |= events;
	if (events & head->event_mask)
		tess_mdev_irq_signal(tm, TESS_IRQ_DISPLAY);
}

static bool head_is_enabled(const struct tess_mdev_head *head)
{
	return head->shown.control & TESS_DCONTROL_ENABLE;
}

/* Is it the same memory, of which what is mapped can stay? A console draws in what is shown */
static bool head_shows_there(const struct tess_mdev_head *head, const struct tess_mdev_plane *plane)
{
	return head_is_enabled(head) && plane->control & TESS_DCONTROL_ENABLE &&
	       head->shown.address == plane->address &&
	       tess_mdev_picture_size(&head->shown) == tess_mdev_picture_size(plane);
}

static void head_show(struct tess_mdev *tm, struct tess_mdev_head *head,
		      const struct tess_mdev_plane *plane)
{
	unsigned int n = head - tm->display.head;
	struct tess_mdev_clock *clock = &tm->display.clock[n];
	bool was_enabled = head_is_enabled(head), stays = head_shows_there(head, plane);

	if (!was_enabled) {
		head->frames = 0;
		head->frame_time = 0;
		clock->began = ktime_get_ns();
	}
	head->shown = *plane;
	head->shown_at = ktime_get_ns();
	tess_mdev_damage_count(tm, n);
	WRITE_ONCE(clock->period, plane->period ?: FRAME_NS);
	head->waits = false;
	tess_mdev_shown_tell(tm, false);
	if (!stays)
		tess_mdev_zap_picture(tm, n);
	if (was_enabled || head_is_enabled(head))
		tess_mdev_viewers_flip(tm, n);
	if (!tess_inject_no_flip())
		tess_mdev_head_raise(tm, head, TESS_DEVENT_FLIP);
}

static bool head_waits_for_frame(const struct tess_mdev_head *head)
{
	return head_is_enabled(head) &&
	       (head->waits || head->event_mask & TESS_DEVENT_FRAME);
}

/* How long before @now the last frame began, though nobody waited for it; less than a period */
static u32 clock_age(const struct tess_mdev_clock *clock, u64 now)
{
	u64 began = READ_ONCE(clock->began);
	u32 age = 0;

	if (began < now)
		div_u64_rem(now - began, clock->period, &age);
	return age;
}

static u64 clock_began(const struct tess_mdev_clock *clock)
{
	u64 now = ktime_get_ns();

	return now - clock_age(clock, now);
}

/* The next frame is a multiple of the period after the last one, however long ago that was */
static void head_pace(struct tess_mdev *tm, unsigned int n)
{
	struct tess_mdev_clock *clock = &tm->display.clock[n];
	struct tess_mdev_head *head = &tm->display.head[n];

	lockdep_assert_held_write(&tm->map_lock);
	if (tm->dead || tm->migration.stopped || !head_waits_for_frame(head)) {
		hrtimer_cancel(&clock->timer);
		return;
	}
	if (hrtimer_active(&clock->timer))
		return;
	clock->began = clock_began(clock);
	head->frame_began = clock->began;
	hrtimer_set_expires(&clock->timer, ns_to_ktime(clock->began));
	hrtimer_forward_now(&clock->timer, clock->period);
	hrtimer_start_expires(&clock->timer, HRTIMER_MODE_ABS);
}

static void head_show_frame(struct tess_mdev *tm, unsigned int n)
{
	struct tess_mdev_head *head = &tm->display.head[n];

	head->frames++;
	head->frame_time = tess_mdev_time(tm);
	head->frame_began = READ_ONCE(tm->display.clock[n].began);
	if (head->waits)
		head_show(tm, head, &head->next);
	tess_mdev_head_raise(tm, head, TESS_DEVENT_FRAME);
}

static void head_frame_work(struct work_struct *work)
{
	struct tess_mdev_clock *clock = container_of(work, struct tess_mdev_clock, frame);
	struct tess_mdev *tm = clock->tm;
	unsigned int n = clock - tm->display.clock;

	guard(rwsem_write)(&tm->map_lock);
	/* The timer may have fired once more while the work was late */
	if (!tm->dead && !tm->migration.stopped && head_waits_for_frame(&tm->display.head[n]))
		head_show_frame(tm, n);
	head_pace(tm, n);
}

static enum hrtimer_restart head_frame_timer(struct hrtimer *timer)
{
	struct tess_mdev_clock *clock = container_of(timer, struct tess_mdev_clock, timer);

	WRITE_ONCE(clock->began, ktime_to_ns(hrtimer_get_expires(timer)));
	queue_work(clock->tm->wq, &clock->frame);
	hrtimer_forward_now(timer, READ_ONCE(clock->period));
	return HRTIMER_RESTART;
}

/* ---- COMMIT ---- */

static u32 bytes_per_pixel(u32 format)
{
	switch (format) {
	case DRM_FORMAT_XRGB8888:
	case DRM_FORMAT_ARGB8888:
		return 4;
	case DRM_FORMAT_RGB565:
		return 2;
	default:
		return 0;
	}
}

static bool is_in_vram(const struct tess_mdev *tm, const struct tess_mdev_plane *plane)
{
	u64 size = tm->vram ? tm->vram->size : 0;

	return IS_ALIGNED(plane->address, TESS_PAGE_SIZE) && plane->address < size &&
	       (u64)plane->pitch * plane->height <= size - plane->address;
}

enum tess_display_error tess_mdev_head_check(const struct tess_mdev *tm, unsigned int n,
					     const struct tess_mdev_plane *plane)
{
	u32 cpp = bytes_per_pixel(plane->format);

	if (!(tm->display.given & BIT(n)))
		return TESS_DISPLAY_ERR_HEAD;
	if (!(plane->control & TESS_DCONTROL_ENABLE))
		return TESS_DISPLAY_OK;
	if (!cpp)
		return TESS_DISPLAY_ERR_FORMAT;
	if (!plane->width || plane->width > TESS_DISPLAY_SIZE_MAX || !plane->height ||
	    plane->height > TESS_DISPLAY_SIZE_MAX)
		return TESS_DISPLAY_ERR_SIZE;
	/* VMMs end if they are given lines that are not whole words */
	if (plane->pitch < plane->width * cpp || plane->pitch % 4 ||
	    (u64)plane->pitch * plane->height > TESS_DISPLAY_BYTES_MAX)
		return TESS_DISPLAY_ERR_PITCH;
	if (plane->period && (plane->period < TESS_DISPLAY_PERIOD_MIN ||
			      plane->period > TESS_DISPLAY_PERIOD_MAX))
		return TESS_DISPLAY_ERR_PERIOD;
	return is_in_vram(tm, plane) ? TESS_DISPLAY_OK : TESS_DISPLAY_ERR_ADDRESS;
}

static void head_commit(struct tess_mdev *tm, unsigned int n)
{
	struct tess_mdev_head *head = &tm->display.head[n];
	struct tess_mdev_plane plane = head->set;

	head->error = tess_mdev_head_check(tm, n, &plane);
	if (!head->error)
		tess_mdev_damage_take(head, &plane);
	/* A driver that does not know these registers damages all of each picture */
	head->damage_start = 0;
	head->damage_end = 0;
	if (head->error)
		return;
	if (!head_is_enabled(head) || !(plane.control & TESS_DCONTROL_ENABLE) ||
	    plane.control & TESS_DCONTROL_NOW) {
		head_show(tm, head, &plane);
		return;
	}
	head->next = plane;
	head->waits = true;
}

/* ---- registers ---- */

static u32 read_status(const struct tess_mdev_display *display, unsigned int n)
{
	return (tess_mdev_monitor_is_connected(display, n) ? TESS_DSTATUS_CONNECTED : 0) |
	       (head_is_enabled(&display->head[n]) ? TESS_DSTATUS_ENABLED : 0) |
	       (tess_mdev_cursor_is_shown(display, n) ? TESS_DSTATUS_CURSOR : 0);
}

/* Those that hold what was written to them */
static u32 *plain_reg(struct tess_mdev_head *head, u32 off)
{
	switch (off) {
	case TESS_DREG_CONTROL:
		return &head->set.control;
	case TESS_DREG_FORMAT:
		return &head->set.format;
	case TESS_DREG_WIDTH:
		return &head->set.width;
	case TESS_DREG_HEIGHT:
		return &head->set.height;
	case TESS_DREG_PITCH:
		return &head->set.pitch;
	case TESS_DREG_PERIOD:
		return &head->set.period;
	case TESS_DREG_DAMAGE_START:
		return &head->damage_start;
	case TESS_DREG_DAMAGE_END:
		return &head->damage_end;
	case TESS_DREG_EVENT_MASK:
		return &head->event_mask;
	default:
		return NULL;
	}
}

/* Of what was told, as long as somebody is told */
static u32 read_frame_age(const struct tess_mdev_display *display, unsigned int n)
{
	const struct tess_mdev_clock *clock = &display->clock[n];
	const struct tess_mdev_head *head = &display->head[n];
	u64 now = ktime_get_ns();

	if (!head_is_enabled(head))
		return 0;
	if (!hrtimer_active(&clock->timer))
		return clock_age(clock, now);
	return min_t(u64, now - head->frame_began, U32_MAX);
}

static u32 head_read32(struct tess_mdev_display *display, unsigned int n, u32 off)
{
	struct tess_mdev_head *head = &display->head[n];
	const u32 *plain = plain_reg(head, off);

	if (plain)
		return *plain;
	if (off >= TESS_DREG_EDID)
		return tess_mdev_monitor_read(display, n, off - TESS_DREG_EDID);
	switch (off) {
	case TESS_DREG_STATUS:
		return read_status(display, n);
	case TESS_DREG_ERROR:
		return head->error;
	case TESS_DREG_EVENTS:
		return head->events;
	case TESS_DREG_EDID_SIZE:
		return tess_mdev_monitor_size(display, n);
	case TESS_DREG_FRAME_AGE:
		return read_frame_age(display, n);
	default:
		return 0;
	}
}

static const u64 *wide_reg(const struct tess_mdev_head *head, u32 off)
{
	switch (off & ~4) {
	case TESS_DREG_ADDRESS:
		return &head->set.address;
	case TESS_DREG_FRAMES:
		return &head->frames;
	case TESS_DREG_FRAME_TIME:
		return &head->frame_time;
	default:
		return NULL;
	}
}

u64 tess_mdev_head_read(struct tess_mdev *tm, unsigned int n, u32 off, unsigned int len)
{
	struct tess_mdev_display *display = &tm->display;
	const u64 *wide = wide_reg(&display->head[n], off);
	u64 val;

	guard(rwsem_read)(&tm->map_lock);
	if (!display->present)
		return 0;
	if (tess_mdev_cursor_read(tm, n, off, len, &val))
		return val;
	if (wide)
		return len == 8 ? *wide : off & 4 ? upper_32_bits(*wide) : lower_32_bits(*wide);
	return len == 4 ? head_read32(display, n, off) : 0;
}

static void write_address(struct tess_mdev_head *head, u32 off, unsigned int len, u64 val)
{
	if (len == 8)
		head->set.address = val;
	else if (off & 4)
		head->set.address = val << 32 | head->address_low;
	else
		head->address_low = val;
}

static void head_write32(struct tess_mdev *tm, unsigned int n, u32 off, u32 val)
{
	struct tess_mdev_head *head = &tm->display.head[n];
	u32 *plain = plain_reg(head, off);

	if (off == TESS_DREG_CONTROL)
		val &= TESS_DCONTROL_ALL;
	else if (off == TESS_DREG_EVENT_MASK)
		val &= TESS_DEVENT_ALL;
	if (plain)
		*plain = val;
	else if (off == TESS_DREG_EVENTS)
		head->events &= ~val;
	else if (off == TESS_DREG_COMMIT && val == 1)
		head_commit(tm, n);
}

void tess_mdev_head_write(struct tess_mdev *tm, unsigned int n, u32 off, unsigned int len, u64 val)
{
	guard(rwsem_write)(&tm->map_lock);
	if (!tm->display.present || tess_mdev_cursor_write(tm, n, off, len, val))
		return;
	if ((off & ~4) == TESS_DREG_ADDRESS)
		write_address(&tm->display.head[n], off, len, val);
	else if (len == 4)
		head_write32(tm, n, off, val);
	head_pace(tm, n);
}

/* ---- life ---- */

/* As after a reset, but for what it tells with */
static void head_forget(struct tess_mdev_head *head)
{
	const u32 events = head->events, mask = head->event_mask;

	memset(head, 0, sizeof(*head));
	head->events = events;
	head->event_mask = mask;
}

/* Whether cursors are shown follows */
static bool heads_are_remote(const struct tess_mdev *tm)
{
	const struct tess_vgpu *vgpu = tess_mdev_first(&tm->parts);
	struct tess_blueprint bp = {};

	if (vgpu)
		tess_vgpu_blueprint(vgpu, &bp);
	return bp.remote;
}

static void heads_follow_path(struct tess_mdev *tm)
{
	struct tess_mdev_display *display = &tm->display;
	bool remote = heads_are_remote(tm);

	if (display->remote == remote)
		return;
	display->remote = remote;
	if (display->given & BIT(0))
		tess_mdev_head_raise(tm, &display->head[0], TESS_DEVENT_LINK);
}

void tess_mdev_heads_follow(struct tess_mdev *tm)
{
	struct tess_mdev_display *display = &tm->display;
	u32 now = tess_mdev_page_heads(tm), changed;
	unsigned int n;

	guard(rwsem_write)(&tm->map_lock);
	if (!display->present)
		return;
	changed = now ^ display->given;
	display->given = now;
	for (n = 0; n < TESS_HEADS_MAX; n++) {
		if (!(changed & BIT(n)))
			continue;
		tess_mdev_viewers_change(tm, n);
		head_forget(&display->head[n]);
		/* That of head 0 is the VMM's */
		if (n)
			tess_mdev_monitor_default(display, n);
		tess_mdev_zap_picture(tm, n);
		tess_mdev_head_raise(tm, &display->head[n], TESS_DEVENT_LINK);
		head_pace(tm, n);
	}
	heads_follow_path(tm);
	tess_mdev_shown_tell(tm, true);
}

void tess_mdev_heads_pace(struct tess_mdev *tm)
{
	unsigned int n;

	lockdep_assert_held_write(&tm->map_lock);
	for (n = 0; tm->display.present && n < TESS_HEADS_MAX; n++)
		head_pace(tm, n);
}

void tess_mdev_head_install(struct tess_mdev *tm, unsigned int n, const struct tess_mdev_head *head)
{
	struct tess_mdev_clock *clock = &tm->display.clock[n];

	lockdep_assert_held_write(&tm->map_lock);
	tm->display.head[n] = *head;
	tm->display.head[n].shown_at = ktime_get_ns();
	WRITE_ONCE(clock->period, head->shown.period ?: FRAME_NS);
	clock->began = ktime_get_ns();
	tess_mdev_shown_tell(tm, false);
	tess_mdev_zap_picture(tm, n);
	tess_mdev_viewers_flip(tm, n);
}

void tess_mdev_heads_reset(struct tess_mdev *tm)
{
	struct tess_mdev_display *display = &tm->display;
	struct tess_mdev_clock *clock;
	unsigned int n;

	lockdep_assert_held(&tm->lock);
	down_write(&tm->map_lock);
	for (n = 0; n < TESS_HEADS_MAX; n++) {
		if (tess_mdev_picture(tm, n))
			tess_mdev_viewers_flip(tm, n);
		tess_mdev_viewers_hide_cursor(tm, n);
		memset(&display->head[n], 0, sizeof(display->head[n]));
		tess_mdev_zap_picture(tm, n);
	}
	tess_mdev_shown_tell(tm, false);
	up_write(&tm->map_lock);
	/* Nothing is enabled, so that the work does not begin it again */
	for (clock = display->clock; clock < display->clock + TESS_HEADS_MAX; clock++) {
		hrtimer_cancel(&clock->timer);
		cancel_work_sync(&clock->frame);
	}
}

static void heads_tell(struct tess_mdev *tm, u32 heads)
{
	unsigned int n;

	for (n = 0; n < TESS_HEADS_MAX; n++)
		if (heads & BIT(n))
			tess_mdev_viewers_tell(tm, n);
}

void tess_mdev_heads_open(struct tess_mdev *tm)
{
	struct tess_mdev_display *display = &tm->display;
	u32 given = tess_mdev_page_heads(tm);
	unsigned int n;

	lockdep_assert_held(&tm->lock);
	guard(rwsem_write)(&tm->map_lock);
	display->given = given;
	display->present = given;
	display->remote = heads_are_remote(tm);
	for (n = 0; n < TESS_HEADS_MAX; n++)
		tess_mdev_monitor_default(display, n);
	heads_tell(tm, given);
	tess_mdev_shown_tell(tm, true);
}

void tess_mdev_heads_close(struct tess_mdev *tm)
{
	lockdep_assert_held(&tm->lock);
	guard(rwsem_write)(&tm->map_lock);
	heads_tell(tm, tm->display.given);
	tm->display.present = false;
	tm->display.given = 0;
	tess_mdev_shown_tell(tm, false);
}

void tess_mdev_heads_init(struct tess_mdev *tm)
{
	struct tess_mdev_clock *clock = tm->display.clock;

	INIT_LIST_HEAD(&tm->display.viewers);
	INIT_LIST_HEAD(&tm->display.dmabufs.files);
	for (; clock < tm->display.clock + TESS_HEADS_MAX; clock++) {
		clock->tm = tm;
		clock->period = FRAME_NS;
		tess_hrtimer_setup(&clock->timer, head_frame_timer, CLOCK_MONOTONIC,
				   HRTIMER_MODE_ABS);
		INIT_WORK(&clock->frame, head_frame_work);
	}
}
