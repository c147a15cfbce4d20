/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What drivers/core/place.c needs of the kernel, for a test in user space. */
#ifndef TESS_SELFTESTS_SHIM_TYPES_H
#define TESS_SELFTESTS_SHIM_TYPES_H

#include_next <linux/types.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#endif
