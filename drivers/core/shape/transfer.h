/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_TRANSFER_H_
#define _TESSERA_CORE_TRANSFER_H_

struct tess_blueprint;
struct tess_gpu;
struct tess_reason;
struct tess_vgpu;

int tess_transfer_check(struct tess_gpu *gpu, const struct tess_vgpu *from,
			const struct tess_blueprint *bp, struct tess_reason *reason);

#endif
