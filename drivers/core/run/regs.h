/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_REGS_H_
#define _TESSERA_CORE_REGS_H_

#include <linux/types.h>

struct tess_slice;
struct tess_vslice;

int tess_regs_read(struct tess_slice *slice, const struct tess_vslice *vs, u32 off,
		   unsigned int width, u64 *val);
int tess_regs_restart(struct tess_slice *slice);
int tess_regs_write(struct tess_slice *slice, u32 off, unsigned int width, u64 val);
bool tess_regs_write_parked(struct tess_slice *slice, struct tess_vslice *vs, u32 off,
			    unsigned int width, u64 val);
void tess_regs_restart_parked(struct tess_slice *slice, struct tess_vslice *vs);

#endif
