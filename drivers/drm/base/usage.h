/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_USAGE_H_
#define _TESSERA_DRM_USAGE_H_

#include <linux/types.h>

struct tess_usage;

struct tess_usage *tess_usage_create(void);
struct tess_usage *tess_usage_get(struct tess_usage *usage);
void tess_usage_put(struct tess_usage *usage);
bool tess_usage_is_banned(const struct tess_usage *usage);
unsigned int tess_usage_hung(struct tess_usage *usage);

#endif
