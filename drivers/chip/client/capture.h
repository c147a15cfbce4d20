/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_CAPTURE_H_
#define _TESSERA_CHIP_CAPTURE_H_

#include <tessera/backend.h>

int tess_chip_context_capture(struct tess_backend *be, unsigned int slice,
			      struct tess_hw_context *hw, u32 cause);
int tess_chip_context_lose(struct tess_backend *be, unsigned int slice,
			   struct tess_hw_context *hw, u32 cause);
void tess_chip_context_forget(struct tess_backend *be, unsigned int slice,
			      struct tess_hw_context *hw, u32 cause);

#endif
