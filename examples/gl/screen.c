// SPDX-License-Identifier: MIT
/*
 * A screen by KMS and GBM: of a (v)GPU's display head, or of any other DRM device.
 */
#include <errno.h>
#include <fcntl.h>
#include <gbm.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include "screen.h"

#define CARDS 16
#define FLIP_MS 30000

struct screen {
	int fd;
	struct gbm_device *gbm;
	struct gbm_surface *surface;
	struct gbm_bo *shown;
	uint32_t connector;
	uint32_t crtc;
	drmModeModeInfo mode;
	bool set;
};

/* A CRTC that the connector can have; 0: none */
static uint32_t crtc_for(int fd, const drmModeRes *res, const drmModeConnector *connector)
{
	uint32_t crtc = 0;
	int e, i;

	for (e = 0; e < connector->count_encoders && !crtc; e++) {
		drmModeEncoder *encoder = drmModeGetEncoder(fd, connector->encoders[e]);

		for (i = 0; encoder && i < res->count_crtcs && !crtc; i++)
			if (encoder->possible_crtcs & (1u << i))
				crtc = res->crtcs[i];
		drmModeFreeEncoder(encoder);
	}
	return crtc;
}

static bool take_connector(struct screen *screen, const drmModeRes *res, uint32_t id)
{
	drmModeConnector *connector = drmModeGetConnector(screen->fd, id);
	bool taken = false;
	int i;

	if (!connector)
		return false;
	if (connector->connection == DRM_MODE_CONNECTED && connector->count_modes > 0) {
		screen->mode = connector->modes[0];
		for (i = 0; i < connector->count_modes; i++)
			if (connector->modes[i].type & DRM_MODE_TYPE_PREFERRED) {
				screen->mode = connector->modes[i];
				break;
			}
		screen->connector = id;
		screen->crtc = crtc_for(screen->fd, res, connector);
		taken = screen->crtc != 0;
	}
	drmModeFreeConnector(connector);
	return taken;
}

static bool take_device(struct screen *screen, const char *path)
{
	drmModeRes *res;
	bool taken = false;
	int i;

	screen->fd = open(path, O_RDWR | O_CLOEXEC);
	if (screen->fd < 0)
		return false;
	res = drmModeGetResources(screen->fd);
	for (i = 0; res && i < res->count_connectors && !taken; i++)
		taken = take_connector(screen, res, res->connectors[i]);
	if (res)
		drmModeFreeResources(res);
	if (!taken) {
		close(screen->fd);
		screen->fd = -1;
	}
	return taken;
}

static bool take_any(struct screen *screen)
{
	char path[32];
	int i;

	for (i = 0; i < CARDS; i++) {
		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		if (take_device(screen, path))
			return true;
	}
	return false;
}

struct screen *screen_open(const char *path)
{
	struct screen *screen = calloc(1, sizeof(*screen));

	if (!screen)
		return NULL;
	if (path ? !take_device(screen, path) : !take_any(screen)) {
		fprintf(stderr, "glcube: %s has no connected screen\n",
			path ? path : "no device of /dev/dri");
		free(screen);
		return NULL;
	}
	screen->gbm = gbm_create_device(screen->fd);
	if (screen->gbm)
		screen->surface = gbm_surface_create(screen->gbm, screen->mode.hdisplay,
						     screen->mode.vdisplay, SCREEN_VISUAL,
						     GBM_BO_USE_SCANOUT | GBM_BO_USE_RENDERING);
	if (!screen->surface) {
		fprintf(stderr, "glcube: no surface of %dx%d: %s\n", screen->mode.hdisplay,
			screen->mode.vdisplay, strerror(errno));
		screen_close(screen);
		return NULL;
	}
	return screen;
}

void screen_close(struct screen *screen)
{
	if (screen->shown)
		gbm_surface_release_buffer(screen->surface, screen->shown);
	if (screen->surface)
		gbm_surface_destroy(screen->surface);
	if (screen->gbm)
		gbm_device_destroy(screen->gbm);
	close(screen->fd);
	free(screen);
}

void *screen_device(const struct screen *screen)
{
	return screen->gbm;
}

struct gbm_surface *screen_surface(const struct screen *screen)
{
	return screen->surface;
}

int screen_width(const struct screen *screen)
{
	return screen->mode.hdisplay;
}

int screen_height(const struct screen *screen)
{
	return screen->mode.vdisplay;
}

static void forget_framebuffer(struct gbm_bo *bo, void *data)
{
	drmModeRmFB(gbm_device_get_fd(gbm_bo_get_device(bo)), (uint32_t)(uintptr_t)data);
}

/* Made once for each buffer of the surface; 0: it cannot be */
static uint32_t framebuffer(const struct screen *screen, struct gbm_bo *bo)
{
	uint32_t id = (uint32_t)(uintptr_t)gbm_bo_get_user_data(bo);

	if (id)
		return id;
	if (drmModeAddFB(screen->fd, gbm_bo_get_width(bo), gbm_bo_get_height(bo), 24, 32,
			 gbm_bo_get_stride(bo), gbm_bo_get_handle(bo).u32, &id))
		return 0;
	gbm_bo_set_user_data(bo, (void *)(uintptr_t)id, forget_framebuffer);
	return id;
}

static void flipped(int fd, unsigned int frame, unsigned int sec, unsigned int usec, void *data)
{
	(void)fd, (void)frame, (void)sec, (void)usec;
	*(bool *)data = true;
}

static int flip(struct screen *screen, uint32_t fb)
{
	drmEventContext events = { .version = 2, .page_flip_handler = flipped };
	struct pollfd p = { .fd = screen->fd, .events = POLLIN };
	bool done = false;

	if (drmModePageFlip(screen->fd, screen->crtc, fb, DRM_MODE_PAGE_FLIP_EVENT, &done))
		return -errno;
	while (!done) {
		int ret = poll(&p, 1, FLIP_MS);

		if (ret == 0)
			return -ETIMEDOUT;
		if (ret < 0 && errno != EINTR)
			return -errno;
		if (ret > 0)
			drmHandleEvent(screen->fd, &events);
	}
	return 0;
}

int screen_show(struct screen *screen)
{
	struct gbm_bo *bo = gbm_surface_lock_front_buffer(screen->surface);
	uint32_t fb = bo ? framebuffer(screen, bo) : 0;
	int ret = -ENOMEM;

	if (fb && screen->set)
		ret = flip(screen, fb);
	else if (fb)
		ret = drmModeSetCrtc(screen->fd, screen->crtc, fb, 0, 0, &screen->connector, 1,
				     &screen->mode) ?
			      -errno :
			      0;
	if (ret) {
		fprintf(stderr, "glcube: a frame cannot be shown: %s\n", strerror(-ret));
		if (bo)
			gbm_surface_release_buffer(screen->surface, bo);
		return -1;
	}
	screen->set = true;
	if (screen->shown)
		gbm_surface_release_buffer(screen->surface, screen->shown);
	screen->shown = bo;
	return 0;
}
