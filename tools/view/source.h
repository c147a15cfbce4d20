/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A head of a vGPU, as the kernel shows it to viewers. */
#ifndef VIEW_SOURCE_H
#define VIEW_SOURCE_H

#include <stdbool.h>

#include "capture.h"
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
 * @offset: where in the file it is mapped from
 * @size: bytes of the picture that was looked at last
 * @capture: the GPU reads it, if it can; NULL: it is not to
 * @by_gpu: it can read what was looked at last
 * @read: bytes that the CPU read of pictures in VRAM, for --stats
 * @gpu: what the GPU did, likewise
 * @cursor: serial number of the cursor's image that source_cursor() told
 */
struct source {
	int fd;
	unsigned int head;
	char uuid[SOURCE_UUID];
	const uint8_t *map;
	size_t mapped;
	uint64_t offset, size;
	struct capture *capture;
	bool by_gpu;
	uint64_t read;
	struct capture_counters gpu;
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

/*
 * @name: UUID of the vGPU, or how it begins. @gpu: the GPU is to read pictures where it can. Returns 0,
 * or -1 after it said why.
 */
int source_open(struct source *source, const char *name, unsigned int head, bool gpu);

/* Returns 0, or -ENODEV if the vGPU is gone, or another negative errno. */
int source_look(struct source *source, struct source_look *look);

/* What is on top of the picture now. Returns as source_look(). */
int source_cursor(struct source *source, struct shadow_cursor *cursor);

/* Plug in a monitor of that size. Returns 0; -ERANGE there is none of that size; as ioctl. */
int source_monitor(struct source *source, unsigned int width, unsigned int height);

/*
 * shadow_take() of what a look told. @all: also of tiles that are as before in the head, as what is on
 * top of them is not. Returns false if the picture went away: look again.
 */
bool source_take(struct source *source, const struct source_look *look,
		 const struct shadow_rect *rect, bool all, struct shadow *shadow,
		 unsigned int *found);

/* The same by the CPU, of what is mapped */
bool source_read(const struct source *source, const struct shadow_picture *picture,
		 const struct shadow_rect *rect, struct shadow *shadow, unsigned int *found);

/* Nobody watches: have nothing mapped until the next look */
void source_rest(struct source *source);

/* In a process that forked, and does not look: have nothing of it any more */
void source_forget(struct source *source);

void source_close(struct source *source);

#endif
