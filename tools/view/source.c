// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: the device of a vGPU for viewers
 *
 * /dev/tessera/view/UUID (include/uapi/linux/tessera_view.h). One file of it is open, and looks at
 * one head. The kernel says what was damaged since this file's last look, however long ago that
 * was, so nothing has to be looked at while there is no client. The picture is mapped while there
 * are clients, as that is what makes the path of its frames a remote one: what is read is the
 * picture that is shown then. If the GPU reads it (capture.c) nothing is mapped: no slice of the
 * vGPU has to copy frames for that.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm/drm_fourcc.h>
#include <linux/tessera_view.h>

#include "capture.h"
#include "edid.h"
#include "say.h"
#include "source.h"

#define DIRECTORY "/dev/tessera/view"

/* How many vGPUs begin like that; one of them */
static unsigned int find(DIR *dir, const char *name, char uuid[SOURCE_UUID])
{
	unsigned int found = 0;
	struct dirent *entry;

	while ((entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);

		if (length != SOURCE_UUID - 1 || strncmp(entry->d_name, name, strlen(name)))
			continue;
		memcpy(uuid, entry->d_name, SOURCE_UUID);
		found++;
	}
	return found;
}

static int find_uuid(const char *name, char uuid[SOURCE_UUID])
{
	DIR *dir = opendir(DIRECTORY);
	unsigned int found;

	if (!dir) {
		say(errno == ENOENT ? "no %s: is tessera_mdev loaded, and does a vGPU exist?" :
				      "%s: %m",
		    DIRECTORY);
		return -1;
	}
	found = find(dir, name, uuid);
	closedir(dir);
	if (!found)
		say("no vGPU %s; \"tesseractl list\" shows those that exist", name);
	else if (found > 1)
		say("%u vGPUs begin with \"%s\": say more of the UUID", found, name);
	return found == 1 ? 0 : -1;
}

int source_open(struct source *source, const char *name, unsigned int head, bool gpu)
{
	char path[sizeof(DIRECTORY) + SOURCE_UUID];

	*source = (struct source){ .fd = -1, .head = head };
	if (find_uuid(name, source->uuid))
		return -1;
	memcpy(path, DIRECTORY "/", sizeof(DIRECTORY));
	memcpy(path + sizeof(DIRECTORY), source->uuid, SOURCE_UUID);
	source->fd = open(path, O_RDWR | O_CLOEXEC);
	if (source->fd < 0)
		say(errno == EACCES || errno == EPERM ? "%s: only root may look at heads" :
							"%s: %m",
		    path);
	if (source->fd < 0)
		return -1;
	source->capture = gpu ? capture_create() : NULL;
	return 0;
}

void source_rest(struct source *source)
{
	if (source->map)
		munmap((void *)source->map, source->mapped);
	source->map = NULL;
}

/* The mapping of an earlier picture serves if that was not smaller */
static int map(struct source *source)
{
	void *start;

	if (source->map && source->mapped >= source->size)
		return 0;
	source_rest(source);
	start = mmap(NULL, source->size, PROT_READ, MAP_SHARED, source->fd, (off_t)source->offset);
	if (start == MAP_FAILED)
		return -errno;
	source->map = start;
	source->mapped = source->size;
	return 0;
}

/* Nothing is read beyond what is mapped, whatever the kernel says */
static bool fits(const struct tessera_view_look *l)
{
	uint64_t line = (uint64_t)l->width * (l->format == DRM_FORMAT_RGB565 ? 2 : 4);

	return l->width && l->height && l->width <= SHADOW_SIZE_MAX &&
	       l->height <= SHADOW_SIZE_MAX && line <= l->pitch &&
	       (uint64_t)l->pitch * l->height <= l->size;
}

int source_look(struct source *source, struct source_look *look)
{
	struct tessera_view_look l = { .head = source->head };

	memset(look, 0, sizeof(*look));
	if (ioctl(source->fd, TESSERA_VIEW_LOOK, &l))
		return -errno;
	look->given = l.state & TESSERA_VIEW_GIVEN;
	if (!(l.state & TESSERA_VIEW_SHOWN))
		return 0;
	if (l.format != DRM_FORMAT_XRGB8888 && l.format != DRM_FORMAT_ARGB8888 &&
	    l.format != DRM_FORMAT_RGB565)
		return -EPROTO;
	if (!fits(&l))
		return -EPROTO;
	source->offset = l.offset;
	source->size = l.size;
	look->shown = true;
	look->width = l.width;
	look->height = l.height;
	look->picture = (struct shadow_picture){ .pitch = l.pitch,
						 .rgb565 = l.format == DRM_FORMAT_RGB565 };
	look->damage = (struct shadow_rect){ l.x1, l.y1, l.x2, l.y2 };
	source->by_gpu = source->capture && capture_look(source->capture, source, look);
	if (!source->by_gpu)
		return map(source);
	source_rest(source);
	return 0;
}

/* The GPU reads all of each tile, and the CPU of those that differ; else the CPU what it is told */
bool source_take(struct source *source, const struct source_look *look,
		 const struct shadow_rect *rect, bool all, struct shadow *shadow,
		 unsigned int *found)
{
	struct shadow_picture picture = look->picture;

	if (source->by_gpu)
		source->by_gpu = capture_take(source->capture, look, rect, all, shadow, found);
	if (source->capture)
		source->gpu = *capture_totals(source->capture);
	if (source->by_gpu)
		return true;
	if (source->capture)
		capture_missed(source->capture);
	if (map(source))
		return false;
	picture.pixels = source->map;
	source->read +=
		(uint64_t)(rect->x2 - rect->x1) * (rect->y2 - rect->y1) * (picture.rgb565 ? 2 : 4);
	return source_read(source, &picture, rect, shadow, found);
}

/* Kernels of before know no cursors */
int source_cursor(struct source *source, struct shadow_cursor *cursor)
{
	struct tessera_view_cursor c = { .head = source->head,
					 .serial = source->cursor,
					 .pixels = (uintptr_t)cursor->pixels };

	_Static_assert(SHADOW_CURSOR == TESSERA_VIEW_CURSOR_SIZE, "size of a cursor");
	if (ioctl(source->fd, TESSERA_VIEW_CURSOR, &c))
		return errno == ENOTTY ? 0 : -errno;
	source->cursor = c.serial;
	cursor->shown = c.state & TESSERA_VIEW_CURSOR_SHOWN;
	cursor->x = c.x;
	cursor->y = c.y;
	return 0;
}

int source_monitor(struct source *source, unsigned int width, unsigned int height)
{
	uint8_t edid[EDID_SIZE];
	struct tessera_view_monitor m = { .head = source->head,
					  .edid_size = sizeof(edid),
					  .edid = (uintptr_t)edid };

	if (!edid_make(edid, width, height))
		return -ERANGE;
	return ioctl(source->fd, TESSERA_VIEW_MONITOR, &m) ? -errno : 0;
}

void source_forget(struct source *source)
{
	capture_forget(source->capture);
	source->capture = NULL;
	source_close(source);
}

void source_close(struct source *source)
{
	source_rest(source);
	capture_destroy(source->capture);
	source->capture = NULL;
	if (source->fd >= 0)
		close(source->fd);
	source->fd = -1;
}
