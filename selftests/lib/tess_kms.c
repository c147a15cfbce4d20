// SPDX-License-Identifier: GPL-2.0-or-later
#include "tess_kms.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tess_drm.h"

#define MODES 256
#define PROPERTIES 64

static void must(int rc, const char *what)
{
	if (rc)
		tess_die("%s: %s", what, strerror(-rc));
}

int __tess_kms_open(void)
{
	return __tess_open_node("card");
}

int tess_kms_open(void)
{
	int fd = __tess_kms_open();

	if (fd < 0)
		tess_die("primary node: %s", strerror(-fd));
	return fd;
}

void tess_kms_resources(int fd, struct tess_kms_resources *res)
{
	struct drm_mode_card_res args = {
		.crtc_id_ptr = (uintptr_t)res->crtcs,
		.count_crtcs = TESS_KMS_HEADS,
		.connector_id_ptr = (uintptr_t)res->connectors,
		.count_connectors = TESS_KMS_HEADS,
	};

	memset(res, 0, sizeof(*res));
	must(tess_ioctl(fd, DRM_IOCTL_MODE_GETRESOURCES, &args), "resources");
	res->count_crtcs = args.count_crtcs;
	res->count_connectors = args.count_connectors;
	res->count_encoders = args.count_encoders;
	res->max_width = args.max_width;
	res->max_height = args.max_height;
}

void tess_kms_connector(int fd, uint32_t id, struct tess_kms_connector *conn)
{
	static struct drm_mode_modeinfo modes[MODES];
	/* Without room for modes the kernel looks again */
	struct drm_mode_get_connector probe = { .connector_id = id };
	struct drm_mode_get_connector args = {
		.connector_id = id,
		.modes_ptr = (uintptr_t)modes,
		.count_modes = MODES,
	};
	uint32_t i;

	must(tess_ioctl(fd, DRM_IOCTL_MODE_GETCONNECTOR, &probe), "probe of a connector");
	must(tess_ioctl(fd, DRM_IOCTL_MODE_GETCONNECTOR, &args), "connector");
	*conn = (struct tess_kms_connector){
		.connected = args.connection == 1,
		.type = args.connector_type,
		.encoder = args.encoder_id,
		.count_modes = args.count_modes,
	};
	if (!args.count_modes || args.count_modes > MODES)
		return;
	conn->mode = modes[0];
	for (i = args.count_modes; i--;)
		if (modes[i].type & DRM_MODE_TYPE_PREFERRED)
			conn->mode = modes[i];
}

static int property(int fd, uint32_t object, uint32_t type, const char *name, uint32_t *id,
		    uint64_t *value)
{
	uint32_t ids[PROPERTIES], i;
	uint64_t values[PROPERTIES];
	struct drm_mode_obj_get_properties args = {
		.props_ptr = (uintptr_t)ids,
		.prop_values_ptr = (uintptr_t)values,
		.count_props = PROPERTIES,
		.obj_id = object,
		.obj_type = type,
	};
	int rc = tess_ioctl(fd, DRM_IOCTL_MODE_OBJ_GETPROPERTIES, &args);

	if (rc)
		return rc;
	for (i = 0; i < args.count_props && i < PROPERTIES; i++) {
		struct drm_mode_get_property prop = { .prop_id = ids[i] };

		rc = tess_ioctl(fd, DRM_IOCTL_MODE_GETPROPERTY, &prop);
		if (rc)
			return rc;
		if (!strncmp(prop.name, name, sizeof(prop.name))) {
			*id = ids[i];
			*value = values[i];
			return 0;
		}
	}
	return -ENOENT;
}

int tess_kms_property(int fd, uint32_t object, uint32_t type, const char *name, uint64_t *value)
{
	uint32_t id;

	return property(fd, object, type, name, &id, value);
}

int tess_kms_property_id(int fd, uint32_t object, uint32_t type, const char *name, uint32_t *id)
{
	uint64_t value;

	return property(fd, object, type, name, id, &value);
}

/* As the property "type" of planes has it */
#define PLANE_PRIMARY 1
#define PLANE_CURSOR 2

static void planes_of_type(int fd, uint64_t type, uint32_t planes[TESS_KMS_HEADS])
{
	/* Atomic is all planes, too */
	struct drm_set_client_cap cap = { .capability = DRM_CLIENT_CAP_ATOMIC, .value = 1 };
	uint32_t all[2 * TESS_KMS_HEADS];
	struct drm_mode_get_plane_res args = {
		.plane_id_ptr = (uintptr_t)all,
		.count_planes = 2 * TESS_KMS_HEADS,
	};
	unsigned int i, n = 0;
	uint64_t its;

	must(tess_ioctl(fd, DRM_IOCTL_SET_CLIENT_CAP, &cap), "atomic commits");
	must(tess_ioctl(fd, DRM_IOCTL_MODE_GETPLANERESOURCES, &args), "planes");
	for (i = 0; i < args.count_planes && n < TESS_KMS_HEADS; i++)
		if (!tess_kms_property(fd, all[i], DRM_MODE_OBJECT_PLANE, "type", &its) &&
		    its == type)
			planes[n++] = all[i];
	must(n == TESS_KMS_HEADS ? 0 : -ENOENT, "a plane for each head");
}

void tess_kms_planes(int fd, uint32_t planes[TESS_KMS_HEADS])
{
	planes_of_type(fd, PLANE_PRIMARY, planes);
}

void tess_kms_cursors(int fd, uint32_t planes[TESS_KMS_HEADS])
{
	planes_of_type(fd, PLANE_CURSOR, planes);
}

int __tess_kms_cursor(int fd, uint32_t crtc, const struct tess_kms_fb *image, int32_t x, int32_t y)
{
	struct drm_mode_cursor2 args = {
		.flags = DRM_MODE_CURSOR_BO | DRM_MODE_CURSOR_MOVE,
		.crtc_id = crtc,
		.x = x,
		.y = y,
		.width = image ? image->width : 0,
		.height = image ? image->height : 0,
		.handle = image ? image->handle : 0,
		.hot_x = 3,
		.hot_y = 5,
	};

	return tess_ioctl(fd, DRM_IOCTL_MODE_CURSOR2, &args);
}

int __tess_kms_cursor_move(int fd, uint32_t crtc, int32_t x, int32_t y)
{
	struct drm_mode_cursor args = {
		.flags = DRM_MODE_CURSOR_MOVE,
		.crtc_id = crtc,
		.x = x,
		.y = y,
	};

	return tess_ioctl(fd, DRM_IOCTL_MODE_CURSOR, &args);
}

int __tess_kms_dumb(int fd, struct drm_mode_create_dumb *dumb)
{
	return tess_ioctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, dumb);
}

int __tess_kms_addfb(int fd, struct drm_mode_fb_cmd2 *cmd)
{
	return tess_ioctl(fd, DRM_IOCTL_MODE_ADDFB2, cmd);
}

static void *dumb_map(int fd, uint32_t handle, uint64_t size)
{
	struct drm_mode_map_dumb args = { .handle = handle };
	void *map;

	if (tess_ioctl(fd, DRM_IOCTL_MODE_MAP_DUMB, &args))
		return NULL;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)args.offset);
	return map == MAP_FAILED ? NULL : map;
}

int __tess_kms_fb_create(int fd, uint32_t width, uint32_t height, uint32_t format,
			 struct tess_kms_fb *fb)
{
	struct drm_mode_create_dumb dumb = {
		.width = width,
		.height = height,
		.bpp = format == TESS_KMS_RGB565 ? 16 : 32,
	};
	struct drm_mode_fb_cmd2 cmd = {
		.width = width,
		.height = height,
		.pixel_format = format,
	};
	int rc = __tess_kms_dumb(fd, &dumb);

	if (rc)
		return rc;
	*fb = (struct tess_kms_fb){
		.handle = dumb.handle,
		.width = width,
		.height = height,
		.pitch = dumb.pitch,
		.format = format,
		.size = dumb.size,
		.map = dumb_map(fd, dumb.handle, dumb.size),
	};
	cmd.handles[0] = dumb.handle;
	cmd.pitches[0] = dumb.pitch;
	rc = fb->map ? __tess_kms_addfb(fd, &cmd) : -ENOMEM;
	fb->id = cmd.fb_id;
	if (rc)
		tess_kms_fb_destroy(fd, fb);
	return rc;
}

void tess_kms_fb_create(int fd, uint32_t width, uint32_t height, uint32_t format,
			struct tess_kms_fb *fb)
{
	must(__tess_kms_fb_create(fd, width, height, format, fb), "framebuffer");
}

void tess_kms_fb_destroy(int fd, struct tess_kms_fb *fb)
{
	struct drm_mode_destroy_dumb args = { .handle = fb->handle };

	if (fb->id)
		must(tess_ioctl(fd, DRM_IOCTL_MODE_RMFB, &fb->id), "end of a framebuffer");
	if (fb->map)
		munmap(fb->map, fb->size);
	must(tess_ioctl(fd, DRM_IOCTL_MODE_DESTROY_DUMB, &args), "end of a dumb buffer");
	memset(fb, 0, sizeof(*fb));
}

int __tess_kms_set(int fd, uint32_t crtc, uint32_t connector, uint32_t fb,
		   const struct drm_mode_modeinfo *mode)
{
	struct drm_mode_crtc args = { .crtc_id = crtc };

	if (mode) {
		args.set_connectors_ptr = (uintptr_t)&connector;
		args.count_connectors = 1;
		args.fb_id = fb;
		args.mode_valid = 1;
		args.mode = *mode;
	}
	return tess_ioctl(fd, DRM_IOCTL_MODE_SETCRTC, &args);
}

int __tess_kms_flip(int fd, uint32_t crtc, uint32_t fb, uint32_t flags, uint64_t data)
{
	struct drm_mode_crtc_page_flip args = {
		.crtc_id = crtc,
		.fb_id = fb,
		.flags = flags,
		.user_data = data,
	};

	return tess_ioctl(fd, DRM_IOCTL_MODE_PAGE_FLIP, &args);
}

int __tess_kms_flip_clips(int fd, uint32_t plane, uint32_t fb, const struct drm_mode_rect *clips,
			  unsigned int count, uint64_t data)
{
	struct drm_mode_create_blob blob = {
		.data = (uintptr_t)clips,
		.length = (uint32_t)(count * sizeof(*clips)),
	};
	uint32_t props[2], count_props = 2;
	uint64_t values[2];
	struct drm_mode_atomic args = {
		.flags = DRM_MODE_PAGE_FLIP_EVENT | DRM_MODE_ATOMIC_NONBLOCK,
		.count_objs = 1,
		.objs_ptr = (uintptr_t)&plane,
		.count_props_ptr = (uintptr_t)&count_props,
		.props_ptr = (uintptr_t)props,
		.prop_values_ptr = (uintptr_t)values,
		.user_data = data,
	};
	int rc;

	rc = tess_kms_property_id(fd, plane, DRM_MODE_OBJECT_PLANE, "FB_ID", &props[0]);
	if (!rc)
		rc = tess_kms_property_id(fd, plane, DRM_MODE_OBJECT_PLANE, "FB_DAMAGE_CLIPS",
					  &props[1]);
	if (!rc)
		rc = tess_ioctl(fd, DRM_IOCTL_MODE_CREATEPROPBLOB, &blob);
	if (rc)
		return rc;
	values[0] = fb;
	values[1] = blob.blob_id;
	rc = tess_ioctl(fd, DRM_IOCTL_MODE_ATOMIC, &args);
	tess_ioctl(fd, DRM_IOCTL_MODE_DESTROYPROPBLOB,
		   &(struct drm_mode_destroy_blob){ .blob_id = blob.blob_id });
	return rc;
}

int __tess_kms_dirty(int fd, uint32_t fb, const struct drm_clip_rect *clips, unsigned int count)
{
	struct drm_mode_fb_dirty_cmd args = {
		.fb_id = fb,
		.num_clips = count,
		.clips_ptr = (uintptr_t)clips,
	};

	return tess_ioctl(fd, DRM_IOCTL_MODE_DIRTYFB, &args);
}

int tess_kms_event(int fd, unsigned int ms, struct drm_event_vblank *event)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t n;
	int rc;

	do {
		rc = poll(&pfd, 1, (int)ms);
	} while (rc < 0 && errno == EINTR);
	if (rc <= 0)
		return rc ? -errno : -ETIME;
	/* One at a time: what does not fit stays */
	n = read(fd, event, sizeof(*event));
	if (n < 0)
		return -errno;
	return n == sizeof(*event) ? 0 : -EPROTO;
}

uint32_t tess_kms_pixel(uint32_t width, uint32_t height, uint32_t x, uint32_t y)
{
	static const uint32_t bands[] = { 0xff0000, 0x00ff00, 0x0000ff, 0xffff00,
					  0x00ffff, 0xff00ff, 0x000000, 0xffffff };
	const uint32_t count = sizeof(bands) / sizeof(bands[0]);
	uint32_t grey;

	if (x < 8 || y < 8 || x >= width - 8 || y >= height - 8)
		return 0xff8000;
	if (y < height / 2)
		return bands[x * count / width];
	grey = x * 256 / width;
	return grey << 16 | grey << 8 | grey;
}

static uint16_t to_rgb565(uint32_t c)
{
	return (uint16_t)((c >> 8 & 0xf800) | (c >> 5 & 0x07e0) | (c >> 3 & 0x001f));
}

void tess_kms_draw(struct tess_kms_fb *fb)
{
	uint32_t x, y;

	for (y = 0; y < fb->height; y++) {
		void *line = (char *)fb->map + (size_t)y * fb->pitch;

		for (x = 0; x < fb->width; x++) {
			uint32_t c = tess_kms_pixel(fb->width, fb->height, x, y);

			if (fb->format == TESS_KMS_RGB565)
				((uint16_t *)line)[x] = to_rgb565(c);
			else
				((uint32_t *)line)[x] = c | 0xff000000;
		}
	}
}
