/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A head of a vGPU, as the kernel shows it to viewers. */
#ifndef VIEW_SOURCE_H
#define VIEW_SOURCE_H

#include <stdbool.h>

#include "shadow.h"

/* A UUID with its NUL */
#define SOURCE_UUID 37

/**
 * struct source - an open head
 * @fd: readable when the head changed since the last look; hung up when the vGPU is gone
 * @head: number
 * @uuid: of the vGPU
 * @map: picture; NULL: nothing is mapped
 * @mapped: bytes of it
 * @cursor: serial number of the cursor's image that source_cursor() told
 */
struct source {
	int fd;
	unsigned int head;
	char uuid[SOURCE_UUID];
	const uint8_t *map;
	size_t mapped;
	uint64_t cursor;
};

/**
 * struct source_look - what a head shows
 * @given: the vGPU has such a head
 * @shown: there is a picture; the rest is of it
 * @width: pixels
 * @height: lines
 * @picture: it
 * @damage: what may differ from the picture of the look before
 */
struct source_look {
	bool given, shown;
	unsigned int width, height;
	struct shadow_picture picture;
	struct shadow_rect damage;
};

/* @name: UUID of the vGPU, or how it begins. Returns 0, or -1 after it said why. */
int source_open(struct source *source, const char *name, unsigned int head);

/* Returns 0, or -ENODEV if the vGPU is gone, or another negative errno. */
int source_look(struct source *source, struct source_look *look);

/* What is on top of the picture now. Returns as source_look(). */
int source_cursor(struct source *source, struct shadow_cursor *cursor);

/* Plug in a monitor of that size. Returns 0; -ERANGE there is none of that size; as ioctl. */
int source_monitor(struct source *source, unsigned int width, unsigned int height);

/* shadow_take() of what a look told. Returns false if the picture went away: look again. */
bool source_take(const struct source *source, const struct source_look *look,
		 const struct shadow_rect *rect, struct shadow *shadow, unsigned int *found);

/* Nobody watches: have nothing mapped until the next look */
void source_rest(struct source *source);

void source_close(struct source *source);

#endif
