/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the pure parts of drivers/core need of the kernel, for a test in user space. */
#ifndef TESS_SELFTESTS_SHIM_TYPES_H
#define TESS_SELFTESTS_SHIM_TYPES_H

#include_next <linux/types.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int32_t s32;
typedef long long s64;

#define __printf(fmt, args) __attribute__((format(printf, fmt, args)))

#endif
