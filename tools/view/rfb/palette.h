/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The colours of a piece of a picture. Pure. */
#ifndef RFB_PALETTE_H
#define RFB_PALETTE_H

#include <stdint.h>

#define PALETTE_MOST 256
/* More than twice as many, so that looking for one takes few steps */
#define PALETTE_SLOTS 1024

/**
 * struct palette - colours, in the order in which they were found
 * @most: as many are counted
 * @count: of them; @most + 1: there are more
 * @colours: them
 * @slots: index of a colour + 1; 0: none
 */
struct palette {
	unsigned int most, count;
	uint32_t colours[PALETTE_MOST];
	uint16_t slots[PALETTE_SLOTS];
};

static inline unsigned int palette_slot(const struct palette *p, uint32_t colour)
{
	unsigned int slot = colour * 0x9e3779b1U >> 22;

	while (p->slots[slot] && p->colours[p->slots[slot] - 1] != colour)
		slot = (slot + 1) % PALETTE_SLOTS;
	return slot;
}

static inline void palette_add(struct palette *p, uint32_t colour)
{
	unsigned int slot;

	if (p->count > p->most)
		return;
	slot = palette_slot(p, colour);
	if (p->slots[slot])
		return;
	if (p->count < p->most) {
		p->colours[p->count] = colour;
		p->slots[slot] = (uint16_t)(p->count + 1);
	}
	p->count++;
}

/* Of a colour that is there */
static inline uint8_t palette_index(const struct palette *p, uint32_t colour)
{
	return (uint8_t)(p->slots[palette_slot(p, colour)] - 1);
}

#endif
