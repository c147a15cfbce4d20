// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: outputs
 *
 * A commit tells the GPU all of a picture at once; the GPU says by the event FLIP when it shows it
 * and by FRAME when a frame was shown, and both are handled in its interrupt. The GPU is the
 * host, and may do neither: refuse a picture that was good when it was checked, because the head
 * was taken meanwhile, send no more frames, or frames without the flip. The first ends the flip
 * at once. For the second a timer makes up frames, slowly. Frames of either sort are counted, and
 * a flip that does not come with one of so many ends; so no program hangs, and no helper warns,
 * that waits for a frame.
 */
#include <linux/jiffies.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <drm/drm_atomic.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_atomic_state_helper.h>
#include <drm/drm_damage_helper.h>
#include <drm/drm_drv.h>
#include <drm/drm_edid.h>
#include <drm/drm_fourcc.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_managed.h>
#include <drm/drm_modeset_helper_vtables.h>
#include <drm/drm_print.h>
#include <drm/drm_probe_helper.h>
#include <drm/drm_vblank.h>
#include <tessera/compat.h>
#include "base/device.h"
#include "crc.h"
#include "cursor.h"
#include "damage.h"
#include "kms.h"
#include "panic.h"
#include "picture.h"

/*
 * Twice the longest frame, less than anybody waits for one, and two seconds for a flip if all of
 * them are made up
 */
#define TESS_WATCHDOG_JIFFIES	(HZ / 10)
#define TESS_FLIP_FRAMES	20

/*
 * For so long the host's frames go on when nothing waits for one any more. A console whose cursor
 * blinks waits for some of them every second, and is not to have all.
 */
#define TESS_FRAMES_LINGER_MS	50

/* If the monitor says nothing */
#define TESS_DEFAULT_WIDTH	1024
#define TESS_DEFAULT_HEIGHT	768

static const u32 tess_formats[] = {
	DRM_FORMAT_XRGB8888,
	DRM_FORMAT_ARGB8888,
	DRM_FORMAT_RGB565,
};

static const u64 tess_modifiers[] = {
	DRM_FORMAT_MOD_LINEAR,
	DRM_FORMAT_MOD_INVALID,
};

static struct tess_output *crtc_to_output(struct drm_crtc *crtc)
{
	return container_of(crtc, struct tess_output, crtc);
}

static struct tess_output *connector_to_output(struct drm_connector *connector)
{
	return container_of(connector, struct tess_output, connector);
}

/* ---- events ---- */

static void output_send_event(struct tess_output *out)
{
	struct drm_pending_vblank_event *event = out->event;

	lockdep_assert_held(&out->tdev->drm->event_lock);
	if (!event)
		return;
	out->event = NULL;
	drm_crtc_send_vblank_event(&out->crtc, event);
	drm_crtc_vblank_put(&out->crtc);
}

static void output_flip_done(struct tess_output *out)
{
	struct drm_device *drm = out->tdev->drm;
	unsigned long flags;

	spin_lock_irqsave(&drm->event_lock, flags);
	output_send_event(out);
	spin_unlock_irqrestore(&drm->event_lock, flags);
}

static void output_frame(struct tess_output *out)
{
	struct drm_device *drm = out->tdev->drm;
	unsigned long flags;

	if (!drm_crtc_handle_vblank(&out->crtc))
		return;
	mod_timer(&out->watchdog, jiffies + TESS_WATCHDOG_JIFFIES);
	spin_lock_irqsave(&drm->event_lock, flags);
	if (out->event && ++out->late >= TESS_FLIP_FRAMES) {
		drm_dbg_kms(drm, "head %u does not flip\n", out->index);
		output_send_event(out);
	}
	spin_unlock_irqrestore(&drm->event_lock, flags);
}

static void output_watchdog(struct timer_list *timer)
{
	struct tess_output *out = container_of(timer, struct tess_output, watchdog);

	WRITE_ONCE(out->made_up, true);
	output_frame(out);
}

/**
 * tess_output_event() - what a head reports
 * @out: output
 * @events: TESS_DEVENT_*
 *
 * Hard interrupt context.
 */
void tess_output_event(struct tess_output *out, u32 events)
{
	/* A flip is shown with the frame that came with it */
	if (events & TESS_DEVENT_FRAME) {
		WRITE_ONCE(out->made_up, false);
		output_frame(out);
	}
	if (events & TESS_DEVENT_FLIP)
		output_flip_done(out);
	tess_crc_event(out, events);
}

static void output_listen_locked(struct tess_output *out)
{
	u32 events = TESS_DEVENT_FLIP | TESS_DEVENT_LINK;

	lockdep_assert_held(&out->listen_lock);
	if (out->frames)
		events |= TESS_DEVENT_FRAME;
	tess_head_listen(out->tdev->gpu, out->index, events);
}

/**
 * tess_output_listen() - the GPU is to raise its interrupt
 * @out: output, whose head was perhaps given just now
 */
void tess_output_listen(struct tess_output *out)
{
	unsigned long flags;

	spin_lock_irqsave(&out->listen_lock, flags);
	output_listen_locked(out);
	spin_unlock_irqrestore(&out->listen_lock, flags);
}

/* ---- the picture ---- */

static bool output_has_period(const struct tess_output *out)
{
	return out->tdev->info.caps & TESS_CAPS_FRAME_PERIOD;
}

static int output_plane_check(struct drm_plane *plane, struct tess_atomic_commit *state)
{
	struct drm_plane_state *new = drm_atomic_get_new_plane_state(state, plane);
	struct drm_crtc_state *crtc = NULL;
	struct tess_head_picture picture;
	int idx, ret;

	if (new->crtc)
		crtc = drm_atomic_get_new_crtc_state(state, new->crtc);
	ret = drm_atomic_helper_check_plane_state(new, crtc, DRM_PLANE_NO_SCALING,
						  DRM_PLANE_NO_SCALING, false, true);
	if (ret)
		return ret;
	if (!new->visible)
		return new->fb && crtc->enable ? -EINVAL : 0;
	drm_atomic_helper_check_plane_damage(state, new);
	/* Memory of a BO is there as long as the device; what is committed later is not shown */
	if (!drm_dev_enter(plane->dev, &idx))
		return 0;
	ret = tess_picture_find(new, &crtc->mode, &picture);
	drm_dev_exit(idx);
	return ret;
}

/* All of it is done by the CRTC's flush */
static void output_plane_update(struct drm_plane *plane, struct tess_atomic_commit *state)
{
}

static const struct drm_plane_helper_funcs output_plane_helpers = {
	.atomic_check = output_plane_check,
	.atomic_update = output_plane_update,
	.get_scanout_buffer = tess_panic_get_buffer,
	.panic_flush = tess_panic_flush,
};

#ifdef TESS_HAS_ASYNC_FORMATS
/* Which part of a frame has passed does not matter to the GPU */
static bool output_is_async_format(struct drm_plane *plane, u32 format, u64 modifier)
{
	return true;
}
#endif

static const struct drm_plane_funcs output_plane_funcs = {
#ifdef TESS_HAS_ASYNC_FORMATS
	.format_mod_supported_async = output_is_async_format,
#endif
	.update_plane = drm_atomic_helper_update_plane,
	.disable_plane = drm_atomic_helper_disable_plane,
	.destroy = drm_plane_cleanup,
	.reset = drm_atomic_helper_plane_reset,
	.atomic_duplicate_state = drm_atomic_helper_plane_duplicate_state,
	.atomic_destroy_state = drm_atomic_helper_plane_destroy_state,
};

static int output_show_picture(struct tess_output *out)
{
	int ret;

	lockdep_assert_held(&out->picture_lock);
	/* Before the flip can be reported */
	tess_crc_set_picture(out, &out->picture);
	ret = tess_head_show(out->tdev->gpu, out->index, &out->picture);
	if (ret)
		tess_crc_set_picture(out, NULL);
	return ret;
}

/* False: the GPU does not show it, and no flip will be reported */
static bool output_show(struct tess_output *out, struct tess_atomic_commit *commit)
{
	const struct drm_plane_state *state = out->plane.state;
	const struct drm_crtc_state *crtc = out->crtc.state;
	struct drm_device *drm = out->tdev->drm;
	int idx, ret;

	if (!drm_dev_enter(drm, &idx))
		return false;
	mutex_lock(&out->picture_lock);
	ret = tess_picture_find(state, &crtc->mode, &out->picture);
	out->shown = !ret;
	out->picture.now = crtc->async_flip;
	out->picture.damage = tess_damage_find(out, commit);
	if (!ret)
		ret = output_show_picture(out);
	out->refused = ret;
	mutex_unlock(&out->picture_lock);
	drm_dev_exit(idx);
	if (ret)
		drm_dbg_kms(drm, "head %u shows nothing new: %d\n", out->index, ret);
	return !ret;
}

static void output_hide(struct tess_output *out)
{
	struct drm_device *drm = out->tdev->drm;
	int idx, ret = 0;

	mutex_lock(&out->picture_lock);
	out->shown = false;
	tess_crc_set_picture(out, NULL);
	if (drm_dev_enter(drm, &idx)) {
		tess_cursor_hide(out);
		ret = tess_head_show(out->tdev->gpu, out->index, NULL);
		drm_dev_exit(idx);
	}
	mutex_unlock(&out->picture_lock);
	if (ret)
		drm_dbg_kms(drm, "head %u cannot be turned off: %d\n", out->index, ret);
}

/**
 * tess_output_restore() - the head may be back
 * @out: output of a device that is there
 */
void tess_output_restore(struct tess_output *out)
{
	struct tess_gpu *gpu = out->tdev->gpu;
	u32 status;

	mutex_lock(&out->picture_lock);
	status = tess_head_status(gpu, out->index);
	tess_cursor_restore(out, status);
	if (out->shown && (status & TESS_DSTATUS_CONNECTED) && !(status & TESS_DSTATUS_ENABLED)) {
		out->picture.damage = (struct tess_head_rect){};
		out->refused = output_show_picture(out);
	}
	mutex_unlock(&out->picture_lock);
}

/* ---- the CRTC ---- */

/* Only the host's frames are paced */
static enum drm_mode_status output_crtc_mode_valid(struct drm_crtc *crtc,
						   const struct drm_display_mode *mode)
{
	u32 period = tess_picture_period(mode);

	if (!output_has_period(crtc_to_output(crtc)) || !period)
		return MODE_OK;
	if (period < TESS_DISPLAY_PERIOD_MIN)
		return MODE_CLOCK_HIGH;
	return period > TESS_DISPLAY_PERIOD_MAX ? MODE_CLOCK_LOW : MODE_OK;
}

static int output_crtc_check(struct drm_crtc *crtc, struct tess_atomic_commit *state)
{
	struct drm_crtc_state *new = drm_atomic_get_new_crtc_state(state, crtc);

	return new->enable ? drm_atomic_helper_check_crtc_primary_plane(new) : 0;
}

/*
 * DRM finds out by the time stamps of the host how many frames there were meanwhile. The head has
 * none yet, as its picture comes later.
 */
static void output_crtc_enable(struct drm_crtc *crtc, struct tess_atomic_commit *state)
{
	const struct drm_vblank_crtc_config config = {
		.offdelay_ms = TESS_FRAMES_LINGER_MS,
	};
	struct tess_output *out = crtc_to_output(crtc);

	if (output_has_period(out)) {
		WRITE_ONCE(out->begins, true);
		drm_crtc_vblank_on_config(crtc, &config);
		WRITE_ONCE(out->begins, false);
	} else {
		drm_crtc_vblank_on(crtc);
	}
}

static void output_crtc_disable(struct drm_crtc *crtc, struct tess_atomic_commit *state)
{
	struct drm_crtc_state *new = drm_atomic_get_new_crtc_state(state, crtc);
	struct tess_output *out = crtc_to_output(crtc);

	output_hide(out);
	output_flip_done(out);
	drm_crtc_vblank_off(crtc);
	if (new->active || !new->event)
		return;
	spin_lock_irq(&crtc->dev->event_lock);
	drm_crtc_send_vblank_event(crtc, new->event);
	spin_unlock_irq(&crtc->dev->event_lock);
	new->event = NULL;
}

/* The event is there before the GPU can report the flip */
static void output_crtc_flush(struct drm_crtc *crtc, struct tess_atomic_commit *state)
{
	struct drm_crtc_state *new = drm_atomic_get_new_crtc_state(state, crtc);
	struct tess_output *out = crtc_to_output(crtc);

	if (new->event) {
		bool frames = !drm_crtc_vblank_get(crtc);

		spin_lock_irq(&crtc->dev->event_lock);
		/* Nobody would send it any more: DRM gave up waiting for it */
		output_send_event(out);
		if (frames) {
			out->event = new->event;
			out->late = 0;
		} else {
			drm_crtc_send_vblank_event(crtc, new->event);
		}
		spin_unlock_irq(&crtc->dev->event_lock);
		new->event = NULL;
	}
	if (!output_show(out, state))
		output_flip_done(out);
}

static const struct drm_crtc_helper_funcs output_crtc_helpers = {
	.mode_valid = output_crtc_mode_valid,
	.atomic_check = output_crtc_check,
	.atomic_enable = output_crtc_enable,
	.atomic_disable = output_crtc_disable,
	.atomic_flush = output_crtc_flush,
};

static int output_set_frames(struct tess_output *out, bool frames)
{
	unsigned long flags;
	int idx;

	if (!drm_dev_enter(out->tdev->drm, &idx))
		return -ENODEV;
	spin_lock_irqsave(&out->listen_lock, flags);
	out->frames = frames;
	output_listen_locked(out);
	spin_unlock_irqrestore(&out->listen_lock, flags);
	drm_dev_exit(idx);
	return 0;
}

static int output_enable_vblank(struct drm_crtc *crtc)
{
	struct tess_output *out = crtc_to_output(crtc);
	int ret = output_set_frames(out, true);

	if (!ret)
		mod_timer(&out->watchdog, jiffies + TESS_WATCHDOG_JIFFIES);
	return ret;
}

static void output_disable_vblank(struct drm_crtc *crtc)
{
	output_set_frames(crtc_to_output(crtc), false);
}

/* How far a time stamp moves, at most, to where it is now known to belong */
#define TESS_FRAME_STEP_NS	8000

/*
 * Frames of the host are a period apart, exactly, and what is read of one's age is off by @error at
 * most. So a frame that may have begun whole periods after the last one that was read, has. If this
 * was read less exactly, it is mended in steps that are less than anybody would see.
 */
static ktime_t output_frame_began(struct tess_output *out, ktime_t read, s64 error, int period)
{
	s64 since = ktime_to_ns(ktime_sub(read, out->frame_began));
	s64 whole = period > 0 ? div_s64(since + period / 2, period) * period : -1;
	s64 off = since - whole;

	if (whole < 0 || abs(off) > error + out->frame_error) {
		out->frame_error = error;
		out->frame_began = read;
		return read;
	}
	if (whole && error < out->frame_error) {
		off = clamp(off, -TESS_FRAME_STEP_NS, TESS_FRAME_STEP_NS);
		out->frame_error = max(error, out->frame_error - TESS_FRAME_STEP_NS);
		whole += off;
	}
	out->frame_began = ktime_add_ns(out->frame_began, whole);
	return out->frame_began;
}

/*
 * The host tells how old the frame is, not when it began: its clocks are not those of the guest.
 * A frame that was made up, or is too old, is taken to have begun now. DRM counts frames by the
 * differences of their times, which must not be negative: the same frame has the same time, and a
 * frame that was told counts as one, also if the one before was told so late that it had its time.
 * When frames begin, the last one is taken to have begun a period ago: without a time for it, DRM
 * would count from when the guest was started.
 */
static bool output_vblank_timestamp(struct drm_crtc *crtc, int *max_error, ktime_t *time,
				    bool in_irq)
{
	const struct drm_vblank_crtc *vblank = &crtc->dev->vblank[drm_crtc_index(crtc)];
	struct tess_output *out = crtc_to_output(crtc);
	ktime_t before, after;
	s64 error;
	u32 age;
	int idx;

	lockdep_assert_held(&crtc->dev->vblank_time_lock);

	if (!output_has_period(out))
		return false;
	if (READ_ONCE(out->begins)) {
		*time = ktime_sub_ns(ktime_get(), max(vblank->framedur_ns, 0));
		return true;
	}
	if (READ_ONCE(out->made_up) || !drm_dev_enter(crtc->dev, &idx))
		return false;
	before = ktime_get();
	age = tess_head_frame_age(out->tdev->gpu, out->index);
	after = ktime_get();
	drm_dev_exit(idx);
	if (age > NSEC_PER_SEC)
		return false;
	error = ktime_to_ns(ktime_sub(after, before)) / 2 + 1;
	*time = output_frame_began(out, ktime_sub_ns(ktime_add_ns(before, error), age), error,
				   vblank->framedur_ns);
	if (ktime_before(*time, ktime_add_ns(vblank->time, vblank->framedur_ns / 2))) {
		if (in_irq)
			return false;
		*time = vblank->time;
	}
	*max_error = min_t(s64, error, INT_MAX);
	return true;
}

static const struct drm_crtc_funcs output_crtc_funcs = {
	.set_config = drm_atomic_helper_set_config,
	.page_flip = drm_atomic_helper_page_flip,
	.destroy = drm_crtc_cleanup,
	.reset = drm_atomic_helper_crtc_reset,
	.atomic_duplicate_state = drm_atomic_helper_crtc_duplicate_state,
	.atomic_destroy_state = drm_atomic_helper_crtc_destroy_state,
	.enable_vblank = output_enable_vblank,
	.disable_vblank = output_disable_vblank,
	.get_vblank_timestamp = output_vblank_timestamp,
	.get_crc_sources = tess_crc_get_sources,
	.verify_crc_source = tess_crc_verify_source,
	.set_crc_source = tess_crc_set_source,
};

/* ---- encoder and connector ---- */

static const struct drm_encoder_funcs output_encoder_funcs = {
	.destroy = drm_encoder_cleanup,
};

static enum drm_connector_status output_detect(struct drm_connector *connector, bool force)
{
	struct tess_output *out = connector_to_output(connector);
	u32 status;
	int idx;

	if (!drm_dev_enter(connector->dev, &idx))
		return connector_status_disconnected;
	status = tess_head_status(out->tdev->gpu, out->index);
	drm_dev_exit(idx);
	return status & TESS_DSTATUS_CONNECTED ? connector_status_connected :
						 connector_status_disconnected;
}

static int output_edid_block(void *context, u8 *buf, unsigned int block, size_t len)
{
	struct tess_output *out = context;
	int idx, ret;

	if (!drm_dev_enter(out->tdev->drm, &idx))
		return -ENODEV;
	ret = tess_head_edid(out->tdev->gpu, out->index, block * EDID_LENGTH, buf, len);
	drm_dev_exit(idx);
	return ret;
}

static int output_get_modes(struct drm_connector *connector)
{
	const struct drm_edid *edid;
	int count;

	edid = drm_edid_read_custom(connector, output_edid_block, connector_to_output(connector));
	drm_edid_connector_update(connector, edid);
	count = drm_edid_connector_add_modes(connector);
	drm_edid_free(edid);
	if (count)
		return count;
	count = drm_add_modes_noedid(connector, TESS_DISPLAY_SIZE_MAX, TESS_DISPLAY_SIZE_MAX);
	drm_set_preferred_mode(connector, TESS_DEFAULT_WIDTH, TESS_DEFAULT_HEIGHT);
	return count;
}

static const struct drm_connector_helper_funcs output_connector_helpers = {
	.get_modes = output_get_modes,
};

static const struct drm_connector_funcs output_connector_funcs = {
	.detect = output_detect,
	.fill_modes = drm_helper_probe_single_connector_modes,
	.destroy = drm_connector_cleanup,
	.reset = drm_atomic_helper_connector_reset,
	.atomic_duplicate_state = drm_atomic_helper_connector_duplicate_state,
	.atomic_destroy_state = drm_atomic_helper_connector_destroy_state,
};

/* ---- all of it ---- */

static int output_init_output(struct tess_output *out, struct drm_device *drm)
{
	int ret;

	ret = drm_encoder_init(drm, &out->encoder, &output_encoder_funcs, DRM_MODE_ENCODER_VIRTUAL,
			       NULL);
	if (ret)
		return ret;
	out->encoder.possible_crtcs = drm_crtc_mask(&out->crtc);

	ret = drm_connector_init(drm, &out->connector, &output_connector_funcs,
				 DRM_MODE_CONNECTOR_VIRTUAL);
	if (ret)
		return ret;
	drm_connector_helper_add(&out->connector, &output_connector_helpers);
	drm_connector_attach_edid_property(&out->connector);
	out->connector.polled = DRM_CONNECTOR_POLL_HPD;
	return drm_connector_attach_encoder(&out->connector, &out->encoder);
}

/**
 * tess_output_init() - make the DRM objects of a head
 * @out: zeroed, lives as long as the DRM device
 * @tdev: device with an initialized mode_config, which destroys them
 * @index: number
 *
 * Return: 0 or negative errno.
 */
int tess_output_init(struct tess_output *out, struct tess_device *tdev, unsigned int index)
{
	bool has_cursor = tdev->info.caps & TESS_CAPS_HEAD_CURSOR;
	struct drm_device *drm = tdev->drm;
	int ret;

	out->tdev = tdev;
	out->index = index;
	spin_lock_init(&out->listen_lock);
	tess_crc_init(out);
	timer_setup(&out->watchdog, output_watchdog, 0);
	ret = drmm_mutex_init(drm, &out->picture_lock);
	if (ret)
		return ret;

	ret = drm_universal_plane_init(drm, &out->plane, 0, &output_plane_funcs, tess_formats,
				       ARRAY_SIZE(tess_formats), tess_modifiers,
				       DRM_PLANE_TYPE_PRIMARY, NULL);
	if (ret)
		return ret;
	drm_plane_helper_add(&out->plane, &output_plane_helpers);
	if (tdev->info.caps & TESS_CAPS_HEAD_DAMAGE)
		drm_plane_enable_fb_damage_clips(&out->plane);
	if (has_cursor)
		ret = tess_cursor_init(out);
	if (ret)
		return ret;
	ret = drm_crtc_init_with_planes(drm, &out->crtc, &out->plane,
					has_cursor ? &out->cursor.plane : NULL, &output_crtc_funcs,
					NULL);
	if (ret)
		return ret;
	drm_crtc_helper_add(&out->crtc, &output_crtc_helpers);
	out->plane.possible_crtcs = drm_crtc_mask(&out->crtc);
	out->cursor.plane.possible_crtcs = drm_crtc_mask(&out->crtc);
	return output_init_output(out, drm);
}

/**
 * tess_output_stop() - the head's timer runs no more, and nothing is read of its picture
 * @out: output of an unplugged device, turned off
 */
void tess_output_stop(struct tess_output *out)
{
	timer_shutdown_sync(&out->watchdog);
	tess_crc_stop(out);
}
