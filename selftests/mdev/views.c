// SPDX-License-Identifier: GPL-2.0-or-later
/* What a viewer of a vGPU's heads does */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "views.h"

int view_open_as(const char *uuid, int flags)
{
	char path[80];

	snprintf(path, sizeof(path), "/dev/tessera/view/%s", uuid);
	return open(path, flags | O_CLOEXEC);
}

int view_open(const char *uuid)
{
	return view_open_as(uuid, O_RDONLY);
}

uint32_t view_look(int fd, unsigned int n, struct tessera_view_look *l)
{
	/* Whatever was there before is not told */
	memset(l, 0xff, sizeof(*l));
	l->head = n;
	l->pad = 0;
	return ioctl(fd, TESSERA_VIEW_LOOK, l) ? ~0U : l->state;
}

uint64_t view_serial(int fd, unsigned int n)
{
	struct tessera_view_look l;

	return view_look(fd, n, &l) == ~0U ? 0 : l.serial;
}

uint32_t view_cursor(int fd, unsigned int n, uint64_t had, uint32_t *pixels,
		     struct tessera_view_cursor *c)
{
	memset(c, 0xff, sizeof(*c));
	c->head = n;
	c->serial = had;
	c->pixels = (uintptr_t)pixels;
	return ioctl(fd, TESSERA_VIEW_CURSOR, c) ? ~0U : c->state;
}

int view_monitor(int fd, unsigned int n, const void *edid, uint32_t size)
{
	struct tessera_view_monitor m = { .head = n, .edid_size = size, .edid = (uintptr_t)edid };

	return ioctl(fd, TESSERA_VIEW_MONITOR, &m);
}

const uint8_t *view_map(int fd, unsigned int n, size_t size)
{
	struct tessera_view_look l;

	if (view_look(fd, n, &l) == ~0U)
		return MAP_FAILED;
	return mmap(NULL, size, PROT_READ, MAP_SHARED, fd, (off_t)l.offset);
}

short view_polled(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? -1 : p.revents;
}

int view_event(int fd, uint32_t heads, int event)
{
	struct tessera_view_event e = { .heads = heads, .fd = event };

	return ioctl(fd, TESSERA_VIEW_EVENT, &e);
}
