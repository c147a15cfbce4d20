/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_REFUSE_H_
#define _TESSERA_CORE_REFUSE_H_

#include <linux/compiler_attributes.h>

struct tess_gpu;
struct tess_reason;

__printf(5, 6)
int tess_refuse(const struct tess_gpu *gpu, const char *name, struct tess_reason *reason, int rc,
		const char *fmt, ...);

#endif
