// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A head that a test draws: the vGPU is a directory with the picture as a file "pixels", and a pipe
 * "flips" which says what the kernel would (drawn.h). A picture whose file is cut raises SIGBUS.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drawn.h"
#include "say.h"
#include "source.h"

/* What was said last, and all damage since the last look */
static struct drawn now;

/* Of a cursor; its image may be another one each time that it is asked for */
static int cursor_image = -1;
/* What is plugged in, line by line */
static int monitor = -1;

static int open_in(const char *dir, const char *file, int flags)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return open(path, flags | O_CLOEXEC);
}

int source_open(struct source *source, const char *name, unsigned int head, bool gpu)
{
	int fd = open_in(name, "pixels", O_RDONLY);
	struct stat status;

	(void)gpu;
	*source = (struct source){ .head = head, .uuid = "drawn" };
	source->fd = open_in(name, "flips", O_RDWR | O_NONBLOCK);
	if (fd < 0 || source->fd < 0 || fstat(fd, &status)) {
		say("%s: %m", name);
		return -1;
	}
	source->mapped = (size_t)status.st_size;
	source->map = mmap(NULL, source->mapped, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	cursor_image = open_in(name, "cursor", O_RDONLY);
	monitor = open_in(name, "monitor", O_WRONLY | O_APPEND);
	return 0;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Damage is joined; all is damaged by another size */
static void join(struct drawn *next)
{
	if (next->width != now.width || next->height != now.height || next->pitch != now.pitch ||
	    next->rgb565 != now.rgb565) {
		next->x1 = next->y1 = 0;
		next->x2 = next->width;
		next->y2 = next->height;
	} else if (now.x1 < now.x2 && next->x1 < next->x2) {
		next->x1 = least(next->x1, now.x1);
		next->y1 = least(next->y1, now.y1);
		next->x2 = most(next->x2, now.x2);
		next->y2 = most(next->y2, now.y2);
	} else if (now.x1 < now.x2) {
		memcpy(&next->x1, &now.x1, 4 * sizeof(now.x1));
	}
	now = *next;
}

int source_look(struct source *source, struct source_look *look)
{
	struct drawn next;

	while (read(source->fd, &next, sizeof(next)) == sizeof(next))
		join(&next);
	if (now.state & DRAWN_GONE)
		return -ENODEV;
	*look = (struct source_look){ .given = now.state & DRAWN_GIVEN,
				      .shown = now.state & DRAWN_SHOWN,
				      .width = now.width,
				      .height = now.height,
				      .picture = { source->map, now.pitch, now.rgb565 != 0 },
				      .damage = { now.x1, now.y1, now.x2, now.y2 } };
	now.x1 = now.x2 = now.y1 = now.y2 = 0;
	return 0;
}

bool source_take(struct source *source, const struct source_look *look,
		 const struct shadow_rect *rect, bool all, struct shadow *shadow,
		 unsigned int *found)
{
	(void)all;
	return source_read(source, &look->picture, rect, shadow, found);
}

int source_cursor(struct source *source, struct shadow_cursor *cursor)
{
	cursor->shown = (now.state & DRAWN_CURSOR) &&
			pread(cursor_image, cursor->pixels, sizeof(cursor->pixels), 0) ==
				sizeof(cursor->pixels);
	cursor->x = now.cursor_x;
	cursor->y = now.cursor_y;
	source->cursor++;
	return 0;
}

/* Tells the test, by the file "monitor", if that is there */
int source_monitor(struct source *source, unsigned int width, unsigned int height)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%ux%u\n", width, height);

	(void)source;
	if (monitor < 0)
		return -EBUSY;
	return write(monitor, text, (size_t)length) == length ? 0 : -EIO;
}

/* Counts for no vGPU */
void source_rest(struct source *source)
{
	(void)source;
}

void source_forget(struct source *source)
{
	source_close(source);
}

void source_close(struct source *source)
{
	munmap((void *)source->map, source->mapped);
	close(source->fd);
}
