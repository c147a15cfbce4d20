/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SWAP_H_
#define _TESSERA_CORE_SWAP_H_

#include <linux/types.h>

/**
 * enum tess_swap_reason - why the swapper moves a vslice, or nothing
 * @TESS_SWAP_CROWDED: moved, its slice cannot do all that is asked of it
 * @TESS_SWAP_REBALANCE: moved, the load is spread more evenly
 * @TESS_SWAP_BALANCED: no move, no slice is asked for more than it can do
 * @TESS_SWAP_HELD: no move, those that would gain were moved a short time ago
 * @TESS_SWAP_GAIN: no move, the gain is too small
 * @TESS_SWAP_NOWHERE: no move, there is no other slice for those that may be moved
 */
enum tess_swap_reason {
	TESS_SWAP_CROWDED,
	TESS_SWAP_REBALANCE,
	TESS_SWAP_BALANCED,
	TESS_SWAP_HELD,
	TESS_SWAP_GAIN,
	TESS_SWAP_NOWHERE,
};

#endif
