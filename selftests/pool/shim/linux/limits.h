/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESS_SELFTESTS_SHIM_LIMITS_H
#define TESS_SELFTESTS_SHIM_LIMITS_H

#include <limits.h>
#include <linux/types.h>

#define U16_MAX UINT16_MAX
#define U32_MAX UINT32_MAX
#define U64_MAX ((u64)~0ULL)

#endif
