// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: modesetting
 *
 * In a guest whose vGPU has display heads, the DRM device has a plane, a CRTC, an encoder and
 * a connector for each head that there may ever be; those that the host did not give are
 * disconnected (output.c). Any other device has none of it: DRIVER_MODESET is taken from it before
 * it is registered.
 *
 * Framebuffers are dumb buffers: VRAM in one piece. They stay where they are for life, as all
 * BOs do, so nothing has to be pinned while it is shown.
 *
 * The host can take heads, give them, and change monitors at any time. It says so by an event of
 * the head, and with a new composition; either way a worker looks at all connectors and
 * tells user space. A picture on a head that was taken is shown again when the head is back.
 *
 * While no program has set a mode, the heads show the console of the kernel. It draws in memory of
 * the system, and DRM's helpers copy that to a dumb buffer, which is in VRAM as any of those is.
 *
 * What leaves with a reset of the GPU, or with sleep that takes its power away, is the whole DRM
 * device; a new one comes, on which user space sets its modes. In suspend to idle heads go on
 * to show what they did.
 */
#include <linux/slab.h>
#include <drm/drm_atomic.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_drv.h>
#include <drm/drm_fourcc.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_gem_framebuffer_helper.h>
#include <drm/drm_managed.h>
#include <drm/drm_mode_config.h>
#include <drm/drm_modes.h>
#include <drm/drm_print.h>
#include <drm/drm_probe_helper.h>
#include <drm/drm_vblank.h>
#include <tessera/compat.h>
#include "base/device.h"
#include "kms.h"
#include "mem/gem.h"

/* What shows pictures handles lines by words */
#define TESS_FB_PITCH_ALIGN	4

static struct drm_framebuffer *tess_fb_create(struct drm_device *drm, struct drm_file *file,
					      TESS_FB_FORMAT_PARAM
					      const struct drm_mode_fb_cmd2 *cmd)
{
	struct drm_framebuffer *fb;

	if (cmd->pitches[0] % TESS_FB_PITCH_ALIGN) {
		drm_dbg_kms(drm, "pitch %u is no multiple of %u\n", cmd->pitches[0],
			    TESS_FB_PITCH_ALIGN);
		return ERR_PTR(-EINVAL);
	}
	/* Without damage DIRTYFB would do nothing but wait for a frame */
	if (to_tess_device(drm)->info.caps & TESS_CAPS_HEAD_DAMAGE)
		fb = drm_gem_fb_create_with_dirty(drm, file, TESS_FB_FORMAT cmd);
	else
		fb = drm_gem_fb_create(drm, file, TESS_FB_FORMAT cmd);
	if (!IS_ERR(fb) && !to_tess_bo(fb->obj[0])->is_contiguous) {
		drm_dbg_kms(drm, "a head shows VRAM without holes: a dumb buffer\n");
		drm_framebuffer_put(fb);
		return ERR_PTR(-EINVAL);
	}
	return fb;
}

/* Whatever else is in VRAM, a picture that is larger can never be shown */
static enum drm_mode_status tess_mode_valid(struct drm_device *drm,
					    const struct drm_display_mode *mode)
{
	u64 line = (u64)mode->hdisplay * sizeof(u32);

	return line * mode->vdisplay > to_tess_device(drm)->info.vram_size ? MODE_MEM : MODE_OK;
}

static const struct drm_mode_config_funcs tess_mode_config_funcs = {
	.fb_create = tess_fb_create,
	.mode_valid = tess_mode_valid,
	.atomic_check = drm_atomic_helper_check,
	.atomic_commit = drm_atomic_helper_commit,
};

/* A head is enabled by its first picture. Nothing here waits for frames without an end. */
static void tess_commit_tail(struct tess_atomic_commit *state)
{
	struct drm_device *drm = state->dev;

	drm_atomic_helper_commit_modeset_disables(drm, state);
	drm_atomic_helper_commit_modeset_enables(drm, state);
	drm_atomic_helper_commit_planes(drm, state, DRM_PLANE_COMMIT_ACTIVE_ONLY);
	drm_atomic_helper_commit_hw_done(state);
	drm_atomic_helper_wait_for_flip_done(drm, state);
	drm_atomic_helper_cleanup_planes(drm, state);
}

static const struct drm_mode_config_helper_funcs tess_mode_config_helpers = {
	.atomic_commit_tail = tess_commit_tail,
};

/* ---- events ---- */

static void tess_kms_event(struct tess_display_client *client)
{
	struct tess_kms *kms = container_of(client, struct tess_kms, client);
	u32 given = READ_ONCE(kms->given), links = 0;
	unsigned int i;

	for (i = 0; i < TESS_HEADS_MAX; i++) {
		u32 events;

		if (!(given & BIT(i)))
			continue;
		events = tess_head_events(kms->tdev->gpu, i);
		tess_output_event(&kms->outputs[i], events);
		if (events & TESS_DEVENT_LINK)
			links |= BIT(i);
	}
	if (links) {
		atomic_or(links, &kms->links);
		schedule_work(&kms->hotplug);
	}
}

static void tess_kms_listen(struct tess_kms *kms)
{
	u32 given = tess_display_heads(kms->tdev->gpu);
	unsigned int i;

	WRITE_ONCE(kms->given, given);
	for (i = 0; i < TESS_HEADS_MAX; i++)
		if (given & BIT(i))
			tess_output_listen(&kms->outputs[i]);
}

/* Another monitor on a head that stays connected is no change that DRM would see */
static void tess_kms_hotplug(struct work_struct *work)
{
	struct tess_kms *kms = container_of(work, struct tess_kms, hotplug);
	u32 links = atomic_xchg(&kms->links, 0);
	unsigned int i;

	tess_kms_listen(kms);
	for (i = 0; i < TESS_HEADS_MAX; i++) {
		struct tess_output *out = &kms->outputs[i];

		if (!drm_connector_helper_hpd_irq_event(&out->connector) && (links & BIT(i)))
			drm_kms_helper_connector_hotplug_event(&out->connector);
		tess_output_restore(out);
	}
}

/**
 * tess_kms_changed() - the host composed the vGPU anew
 * @tdev: device, with or without heads
 */
void tess_kms_changed(struct tess_device *tdev)
{
	/* Before it is registered nobody has seen a connector */
	if (tdev->kms && READ_ONCE(tdev->registered))
		schedule_work(&tdev->kms->hotplug);
}

/* ---- start and stop ---- */

static int tess_mode_config_init(struct drm_device *drm)
{
	int ret;

	ret = drmm_mode_config_init(drm);
	if (ret)
		return ret;
	drm->mode_config.min_width = 1;
	drm->mode_config.min_height = 1;
	drm->mode_config.max_width = TESS_DISPLAY_SIZE_MAX;
	drm->mode_config.max_height = TESS_DISPLAY_SIZE_MAX;
	drm->mode_config.cursor_width = TESS_CURSOR_SIZE;
	drm->mode_config.cursor_height = TESS_CURSOR_SIZE;
	drm->mode_config.preferred_depth = 24;
	drm->mode_config.async_page_flip =
		to_tess_device(drm)->info.caps & TESS_CAPS_FRAME_PERIOD;
	drm->mode_config.funcs = &tess_mode_config_funcs;
	drm->mode_config.helper_private = &tess_mode_config_helpers;
	return 0;
}

/**
 * tess_kms_init() - make heads, or let the device have none
 * @tdev: device that is not registered
 *
 * Return: 0 or negative errno.
 */
int tess_kms_init(struct tess_device *tdev)
{
	struct drm_device *drm = tdev->drm;
	struct tess_kms *kms;
	unsigned int i;
	int ret;

	if (!(tdev->info.caps & TESS_CAPS_DISPLAY)) {
		drm->driver_features &= ~(DRIVER_MODESET | DRIVER_ATOMIC);
		return 0;
	}
	kms = drmm_kzalloc(drm, sizeof(*kms), GFP_KERNEL);
	if (!kms)
		return -ENOMEM;
	kms->tdev = tdev;
	kms->client.event = tess_kms_event;
	INIT_WORK(&kms->hotplug, tess_kms_hotplug);

	ret = tess_mode_config_init(drm);
	for (i = 0; !ret && i < TESS_HEADS_MAX; i++)
		ret = tess_output_init(&kms->outputs[i], tdev, i);
	if (!ret)
		ret = drm_vblank_init(drm, TESS_HEADS_MAX);
	if (ret)
		return ret;
	drm_mode_config_reset(drm);
	tdev->kms = kms;
	return 0;
}

/**
 * tess_kms_is_console() - is a file being opened for the console?
 * @tdev: device
 *
 * DRM opens it in drm_client_setup(), and does not tell the driver whose it is.
 *
 * Return: as the name says.
 */
bool tess_kms_is_console(const struct tess_device *tdev)
{
	return tdev->kms && READ_ONCE(tdev->kms->console_task) == current;
}

#ifdef TESS_HAS_CONSOLE
static void tess_kms_console(struct tess_device *tdev)
{
	WRITE_ONCE(tdev->kms->console_task, current);
	drm_client_setup(tdev->drm, NULL);
	WRITE_ONCE(tdev->kms->console_task, NULL);
}
#else
static void tess_kms_console(struct tess_device *tdev)
{
}
#endif

/**
 * tess_kms_start() - heads tell what happens
 * @tdev: device that was registered
 */
void tess_kms_start(struct tess_device *tdev)
{
	struct tess_kms *kms = tdev->kms;
	unsigned int i;
	int ret;

	if (!kms)
		return;
	ret = tess_display_attach(tdev->gpu, &kms->client);
	if (ret) {
		drm_warn(tdev->drm, "no events of display heads: %d\n", ret);
		return;
	}
	kms->attached = true;
	tess_kms_listen(kms);
	for (i = 0; i < TESS_HEADS_MAX; i++)
		tess_output_restore(&kms->outputs[i]);
	tess_kms_console(tdev);
}

/**
 * tess_kms_quiesce() - look at no connector any more
 * @tdev: device that is about to be unplugged
 */
void tess_kms_quiesce(struct tess_device *tdev)
{
	struct tess_kms *kms = tdev->kms;

	if (!kms)
		return;
	if (kms->attached)
		tess_display_detach(tdev->gpu, &kms->client);
	disable_work_sync(&kms->hotplug);
}

/**
 * tess_kms_stop() - show nothing, and let nobody wait for a frame
 * @tdev: unplugged device, whose BOs still have their memory
 *
 * A GPU that is gone shows nothing that matters: its memory is zeroed, and its back-end turns
 * the heads off.
 */
void tess_kms_stop(struct tess_device *tdev)
{
	struct tess_kms *kms = tdev->kms;
	unsigned int i;

	if (!kms)
		return;
	for (i = 0; i < TESS_HEADS_MAX; i++)
		if (kms->given & BIT(i)) {
			tess_head_listen(tdev->gpu, i, 0);
			tess_head_set_cursor(tdev->gpu, i, NULL);
			tess_head_show(tdev->gpu, i, NULL);
		}
	drm_atomic_helper_shutdown(tdev->drm);
	for (i = 0; i < TESS_HEADS_MAX; i++)
		tess_output_stop(&kms->outputs[i]);
}
