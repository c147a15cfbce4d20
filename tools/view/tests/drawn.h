/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a test writes to the pipe of a head that it draws (source_drawn.c) */
#ifndef VIEW_DRAWN_H
#define VIEW_DRAWN_H

#include <stdint.h>

/* struct drawn::state. DRAWN_CURSOR: the image is the file "cursor" */
#define DRAWN_GIVEN 1
#define DRAWN_SHOWN 2
#define DRAWN_GONE 4
#define DRAWN_CURSOR 8

/**
 * struct drawn - a flip, or the like
 * @state: DRAWN_*
 * @rgb565: format
 * @width: pixels
 * @height: lines
 * @pitch: bytes
 * @x1: damage
 * @y1: damage
 * @x2: damage
 * @y2: damage
 * @cursor_x: where the cursor is
 * @cursor_y: the same
 */
struct drawn {
	uint32_t state, rgb565, width, height, pitch, x1, y1, x2, y2;
	int32_t cursor_x, cursor_y;
};

#endif
