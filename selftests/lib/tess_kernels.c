// SPDX-License-Identifier: GPL-2.0-or-later
#include "tess_kernels.h"

#include <stdint.h>
#include <string.h>

static const uint32_t kernels[TESS_K_COUNT][TESS_K_BYTES / 4] = {
	[TESS_K_IDS] = {
		0x00053583, /* ld	a1, 0(a0) */
		0xcc302673, /* csrr	a2, 0xcc3	group id */
		0xcc9026f3, /* csrr	a3, 0xcc9	enqueued group size */
		0x02d60633, /* mul	a2, a2, a3 */
		0xcc0026f3, /* csrr	a3, 0xcc0	local id */
		0x00d60633, /* add	a2, a2, a3 */
		0x00261693, /* slli	a3, a2, 2 */
		0x00d585b3, /* add	a1, a1, a3 */
		0x00161693, /* slli	a3, a2, 1 */
		0x00d60633, /* add	a2, a2, a3 */
		0x00c5a023, /* sw	a2, 0(a1) */
		0x00008067, /* ret */
	},
	[TESS_K_LOAD] = {
		0x00053583, /* ld	a1, 0(a0) */
		0x0005a603, /* lw	a2, 0(a1) */
		0x00008067, /* ret */
	},
	[TESS_K_STORE] = {
		0x00053583, /* ld	a1, 0(a0) */
		0x0005a023, /* sw	zero, 0(a1) */
		0x00008067, /* ret */
	},
	[TESS_K_JUMP] = {
		0x00053583, /* ld	a1, 0(a0) */
		0x00058067, /* jr	a1 */
	},
	[TESS_K_ILLEGAL] = {
		0x00000000, /* unimp */
	},
	[TESS_K_BREAK] = {
		0x00100073, /* ebreak */
	},
	[TESS_K_ECALL] = {
		0x00000073, /* ecall */
	},
	[TESS_K_LOOP] = {
		0x0000006f, /* j	. */
	},
	[TESS_K_ADD] = {
		0x00053583, /* ld	a1, 0(a0) */
		0x00100613, /* li	a2, 1 */
		0x00c5b02f, /* amoadd.d	zero, a2, (a1) */
		0x00008067, /* ret */
	},
	[TESS_K_LR] = {
		0x00053583, /* ld	a1, 0(a0) */
		0x1005b62f, /* lr.d	a2, (a1) */
		0x00008067, /* ret */
	},
	[TESS_K_DELAY] = {
		0x00053583, /* ld	a1, 0(a0) */
		0x00853683, /* ld	a3, 8(a0) */
		0xfff68693, /* addi	a3, a3, -1 */
		0xfe069ee3, /* bnez	a3, .-4 */
		0x00100613, /* li	a2, 1 */
		0x00c5b02f, /* amoadd.d	zero, a2, (a1) */
		0x00008067, /* ret */
	},
	[TESS_K_WATCH] = {
		0x00053583, /* ld	a1, 0(a0) */
		0xc0102673, /* csrr	a2, time */
		0xc01026f3, /* csrr	a3, time */
		0x40c68733, /* sub	a4, a3, a2 */
		0x0005b783, /* ld	a5, 0(a1) */
		0x00e7f663, /* bgeu	a5, a4, .+12 */
		0x00e5b023, /* sd	a4, 0(a1) */
		0x00c5b423, /* sd	a2, 8(a1) */
		0x00d5b823, /* sd	a3, 16(a1) */
		0x00068613, /* mv	a2, a3 */
		0x0185b703, /* ld	a4, 24(a1) */
		0xfc070ee3, /* beqz	a4, .-36 */
		0x00008067, /* ret */
	},
};

void tess_kernels_write(void *code)
{
	memcpy(code, kernels, sizeof(kernels));
}
