/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_PACK_H_
#define _TESSERA_CHIP_PACK_H_

#include <linux/types.h>

struct tess_hw_context;

ssize_t tess_chip_context_pack(struct tess_hw_context *hw, void *buf, size_t size);
int tess_chip_context_unpack(struct tess_hw_context *hw, const void *buf, size_t size);

#endif
