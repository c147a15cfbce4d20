/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modesetting for tests, by the ioctls of DRM. Functions return 0 or a negative errno;
 * those without a result end the test if they fail.
 */
#ifndef _TESS_KMS_H_
#define _TESS_KMS_H_

#include <drm/drm.h>
#include <drm/drm_mode.h>
#include <stdbool.h>
#include <stdint.h>

#define TESS_KMS_HEADS 4

#define TESS_KMS_XRGB8888 0x34325258u
#define TESS_KMS_ARGB8888 0x34325241u
#define TESS_KMS_RGB565 0x36314752u

/* The device as DRM_IOCTL_MODE_GETRESOURCES tells */
struct tess_kms_resources {
	uint32_t crtcs[TESS_KMS_HEADS];
	uint32_t connectors[TESS_KMS_HEADS];
	uint32_t count_crtcs, count_connectors, count_encoders;
	uint32_t max_width, max_height;
};

/* A connector as it is now; its preferred mode, else its first */
struct tess_kms_connector {
	bool connected;
	uint32_t type;
	uint32_t encoder;
	uint32_t count_modes;
	struct drm_mode_modeinfo mode;
};

/* A dumb buffer that the CPU has mapped, and its framebuffer */
struct tess_kms_fb {
	uint32_t handle, id;
	uint32_t width, height, pitch, format;
	uint64_t size;
	void *map;
};

/* Primary node of the GPU that the tests are about */
int __tess_kms_open(void);
int tess_kms_open(void);
void tess_kms_resources(int fd, struct tess_kms_resources *res);
/* Asks the monitor again */
void tess_kms_connector(int fd, uint32_t id, struct tess_kms_connector *conn);
/* Value of a property of an object, -ENOENT if it has none of that name */
int tess_kms_property(int fd, uint32_t object, uint32_t type, const char *name, uint64_t *value);
/* Number of such a property */
int tess_kms_property_id(int fd, uint32_t object, uint32_t type, const char *name, uint32_t *id);
/* Of all heads; by whom atomic commits can be made then */
void tess_kms_planes(int fd, uint32_t planes[TESS_KMS_HEADS]);
/* The same of their cursors */
void tess_kms_cursors(int fd, uint32_t planes[TESS_KMS_HEADS]);

int __tess_kms_dumb(int fd, struct drm_mode_create_dumb *dumb);
int __tess_kms_addfb(int fd, struct drm_mode_fb_cmd2 *cmd);
int __tess_kms_fb_create(int fd, uint32_t width, uint32_t height, uint32_t format,
			 struct tess_kms_fb *fb);
void tess_kms_fb_create(int fd, uint32_t width, uint32_t height, uint32_t format,
			struct tess_kms_fb *fb);
void tess_kms_fb_destroy(int fd, struct tess_kms_fb *fb);

/* @mode NULL: turn it off */
int __tess_kms_set(int fd, uint32_t crtc, uint32_t connector, uint32_t fb,
		   const struct drm_mode_modeinfo *mode);
int __tess_kms_flip(int fd, uint32_t crtc, uint32_t fb, uint32_t flags, uint64_t data);
/* An atomic flip with an event, with @count rectangles of FB_DAMAGE_CLIPS; it is @data */
int __tess_kms_flip_clips(int fd, uint32_t plane, uint32_t fb, const struct drm_mode_rect *clips,
			  unsigned int count, uint64_t data);
int __tess_kms_dirty(int fd, uint32_t fb, const struct drm_clip_rect *clips, unsigned int count);
/* By the ioctls for cursors: an image, whose pixel 3,5 points, or NULL; and where it begins */
int __tess_kms_cursor(int fd, uint32_t crtc, const struct tess_kms_fb *image, int32_t x, int32_t y);
int __tess_kms_cursor_move(int fd, uint32_t crtc, int32_t x, int32_t y);
/* The next event, -ETIME if there is none for so long */
int tess_kms_event(int fd, unsigned int ms, struct drm_event_vblank *event);

/* A picture that tells where each pixel is: bands of colours, a frame, a gradient */
void tess_kms_draw(struct tess_kms_fb *fb);
/* The colour of a pixel of it, XRGB8888 */
uint32_t tess_kms_pixel(uint32_t width, uint32_t height, uint32_t x, uint32_t y);

#endif
