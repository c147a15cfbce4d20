/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESS_SELFTESTS_SHIM_BITOPS_H
#define TESS_SELFTESTS_SHIM_BITOPS_H

#include <linux/bits.h>
#include <linux/types.h>

static inline unsigned int hweight64(u64 mask)
{
	return (unsigned int)__builtin_popcountll(mask);
}

static inline unsigned int __ffs64(u64 mask)
{
	return (unsigned int)__builtin_ctzll(mask);
}

#endif
