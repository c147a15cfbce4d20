/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_QUEUE_H_
#define _TESSERA_DRM_QUEUE_H_

#include <linux/types.h>
#include <drm/tessera_drm.h>

#define TESS_MAX_QUEUES		1024
#define TESS_PRIORITY_COUNT	(DRM_TESSERA_PRIORITY_HIGH + 1)

struct drm_device;
struct drm_file;
struct tess_device;
struct tess_file;
struct tess_queue;

struct tess_queue *tess_queue_lookup(struct tess_file *tfile, u32 id);
int tess_queue_may(struct drm_file *file, u32 priority);
void tess_queue_close_all(struct tess_file *tfile);
void tess_queue_kill_all(struct tess_device *tdev);

int tess_queue_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int tess_queue_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int tess_queue_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
