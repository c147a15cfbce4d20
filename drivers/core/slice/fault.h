/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_FAULT_H_
#define _TESSERA_CORE_FAULT_H_

struct tess_gpu;
struct tess_slice;
struct tess_vslice;

int tess_fault_init(void);
void tess_fault_exit(void);
void tess_fault_init_slice(struct tess_slice *slice);
void tess_fault_init_vslice(struct tess_vslice *vs);
void tess_fault_queue(struct tess_slice *slice);
void tess_fault_forget(struct tess_slice *slice);
void tess_fault_drop(struct tess_vslice *vs);
void tess_fault_resumed(struct tess_slice *slice, struct tess_vslice *vs);
void tess_fault_acked(struct tess_slice *slice);
void tess_fault_acked_parked(struct tess_slice *slice, struct tess_vslice *vs);
void tess_fault_stop(struct tess_gpu *gpu);

#endif
