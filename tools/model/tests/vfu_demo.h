/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of the demonstration device, shared with the program that drives it in a VM. */
#ifndef TESS_MODEL_TESTS_VFU_DEMO_H
#define TESS_MODEL_TESTS_VFU_DEMO_H

#define DEMO_SCRATCH 0x000 /* RW, 2 KiB */
#define DEMO_SCRATCH_END 0x800
#define DEMO_DMA_SRC 0x800 /* RW64: bus address */
#define DEMO_DMA_DST 0x808 /* RW64: bus address */
#define DEMO_DMA_LEN 0x810 /* RW32: bytes */
#define DEMO_DMA_GO 0x814 /* WO32: copy, then raise the vector written */
#define DEMO_DMA_ERRORS 0x818 /* RO32: copies refused since reset */
#define DEMO_IRQ 0x820 /* WO32: raise the vector written */
#define DEMO_RESETS 0x828 /* RO32: resets, never reset itself */

#define DEMO_DMA_MAX 0x10000

#endif /* TESS_MODEL_TESTS_VFU_DEMO_H */
