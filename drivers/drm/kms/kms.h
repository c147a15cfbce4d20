/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_KMS_H_
#define _TESSERA_DRM_KMS_H_

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <drm/drm_connector.h>
#include <drm/drm_crtc.h>
#include <drm/drm_encoder.h>
#include <drm/drm_fbdev_ttm.h>
#include <drm/drm_plane.h>
#include <tessera/display.h>
#include "crc.h"
#include "cursor.h"

struct tess_device;

/* Of the console of the kernel. Helpers for it are built for drivers that the kernel has itself */
#if defined(TESS_DRM_CLIENT) && IS_REACHABLE(CONFIG_DRM_TTM_HELPER)
#define TESS_HAS_CONSOLE
#define TESS_FBDEV_OPS	DRM_FBDEV_TTM_DRIVER_OPS,
#else
#define TESS_FBDEV_OPS
#endif

/**
 * struct tess_output - a display head as DRM sees it: plane, CRTC, encoder, connector
 * @tdev: device
 * @index: number
 * @plane: the picture
 * @cursor: on top of it, if the GPU has TESS_CAPS_HEAD_CURSOR
 * @crtc: its frames
 * @encoder: does nothing
 * @connector: the monitor
 * @picture_lock: protects @picture and @shown, and the order in which the GPU is told. Inside of
 *	DRM's modesetting locks, outside of drm_device.event_lock
 * @picture: what is to be shown
 * @shown: it is to be shown, whatever the GPU does
 * @serial: of @picture, as struct tess_bo_picture has it. Under @picture_lock, as @refused
 * @refused: so was @picture: what the GPU shows is an older one
 * @event: sent when the GPU shows @picture, or NULL. Under drm_device.event_lock; holds a
 *	reference to the vertical blank
 * @late: frames since @event is waited for, made up or not. Under drm_device.event_lock
 * @watchdog: makes up for frames that do not come
 * @made_up: so it did for the last one
 * @begins: DRM is told that there will be frames
 * @frame_began: the last one that the host told. Under drm_device.vblank_time_lock
 * @frame_error: by how much that may be off, in ns. Under drm_device.vblank_time_lock
 * @listen_lock: protects @frames, and the order in which the GPU is told. Innermost
 * @frames: somebody waits for frames
 * @crc: checksums
 */
struct tess_output {
	struct tess_device *tdev;
	unsigned int index;
	struct drm_plane plane;
	struct tess_cursor cursor;
	struct drm_crtc crtc;
	struct drm_encoder encoder;
	struct drm_connector connector;
	struct mutex picture_lock;
	struct tess_head_picture picture;
	bool shown;
	u64 serial;
	bool refused;
	struct drm_pending_vblank_event *event;
	unsigned int late;
	struct timer_list watchdog;
	bool made_up;
	bool begins;
	ktime_t frame_began;
	s64 frame_error;
	spinlock_t listen_lock;
	bool frames;
	struct tess_crc crc;
};

/**
 * struct tess_kms - modesetting of a device
 * @tdev: device
 * @client: for the core
 * @attached: so it is
 * @console_task: opens the console's file now
 * @given: heads that the GPU has now
 * @links: heads whose link changed, for @hotplug
 * @hotplug: looks at all connectors
 * @outputs: of all that can be given
 */
struct tess_kms {
	struct tess_device *tdev;
	struct tess_display_client client;
	bool attached;
	struct task_struct *console_task;
	u32 given;
	atomic_t links;
	struct work_struct hotplug;
	struct tess_output outputs[TESS_HEADS_MAX];
};

int tess_output_init(struct tess_output *out, struct tess_device *tdev, unsigned int index);
void tess_output_listen(struct tess_output *out);
void tess_output_event(struct tess_output *out, u32 events);
void tess_output_restore(struct tess_output *out);
void tess_output_stop(struct tess_output *out);

int tess_kms_init(struct tess_device *tdev);
void tess_kms_start(struct tess_device *tdev);
bool tess_kms_is_console(const struct tess_device *tdev);
void tess_kms_changed(struct tess_device *tdev);
void tess_kms_quiesce(struct tess_device *tdev);
void tess_kms_stop(struct tess_device *tdev);

#endif
