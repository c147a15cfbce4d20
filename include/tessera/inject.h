/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moments that tests make long, and what a hostile host does, for tests only: see inject.c.
 */
#ifndef _TESSERA_INJECT_H_
#define _TESSERA_INJECT_H_

#include <linux/types.h>

/**
 * enum tess_hold_point - where a task can be made to wait
 * @TESS_HOLD_NONE: nowhere
 * @TESS_HOLD_MOVE: a vGPU moves to another GPU, and its memory is mapped there: nothing is
 *	exchanged yet, and the front-end does not keep gone() away
 * @TESS_HOLD_BAR: a trapped access has found the VRAM that it is for, and did not look yet whether
 *	the GPU is there
 * @TESS_HOLD_TABLE: the page fault of a doorbell allocates a page table, which is charged to the
 *	VMM
 * @TESS_HOLD_FAULT: a ring stands at a fault, and the work that is to find out of which job begins
 * @TESS_HOLD_LANES: the DRM front-end leaves a GPU: the lanes of a slice are ended, and not freed
 * @TESS_HOLD_COUNT: number of them
 */
enum tess_hold_point {
	TESS_HOLD_NONE,
	TESS_HOLD_MOVE,
	TESS_HOLD_BAR,
	TESS_HOLD_TABLE,
	TESS_HOLD_FAULT,
	TESS_HOLD_LANES,
	TESS_HOLD_COUNT,
};

#ifdef TESSERA_INJECT
void tess_hold(enum tess_hold_point point);
bool tess_inject_no_flip(void);
#else
static inline void tess_hold(enum tess_hold_point point)
{
}

static inline bool tess_inject_no_flip(void)
{
	return false;
}
#endif

#endif
