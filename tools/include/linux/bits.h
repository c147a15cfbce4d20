/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of the kernel's linux/bits.h and linux/bitfield.h that the hardware
 * headers and their users need, for user space.
 */
#ifndef TESS_LINUX_BITS_H
#define TESS_LINUX_BITS_H

#define BIT(nr) (1UL << (nr))
#define BIT_ULL(nr) (1ULL << (nr))
#define GENMASK(h, l) ((~0UL << (l)) & (~0UL >> (8 * sizeof(long) - 1 - (h))))
#define GENMASK_ULL(h, l) ((~0ULL << (l)) & (~0ULL >> (63 - (h))))

/* The mask has to be a constant that is not zero. */
#define FIELD_SHIFT(mask) __builtin_ctzll(mask)
#define FIELD_PREP(mask, val) \
	((__typeof__(mask))(((unsigned long long)(val) << FIELD_SHIFT(mask)) & (mask)))
#define FIELD_GET(mask, reg) ((__typeof__(mask))(((reg) & (mask)) >> FIELD_SHIFT(mask)))
#define FIELD_MAX(mask) ((__typeof__(mask))((mask) >> FIELD_SHIFT(mask)))
#define FIELD_FIT(mask, val) ((unsigned long long)(val) <= (unsigned long long)FIELD_MAX(mask))

#endif /* TESS_LINUX_BITS_H */
