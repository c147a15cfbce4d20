// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: products of matrices
 *
 * The CPU computes each element with the same operations in the same order, so that results
 * are compared bit by bit.
 */
#include <math.h>
#include <string.h>

#include "product.h"

#include "../../examples/sgemm.h"

_Static_assert(PRODUCT_FLIGHT == DRM_TESSERA_GROUP_SLOTS * SGEMM_TILE * SGEMM_TILE,
	       "private memory for the groups in flight");

/* The kernel of examples/sgemm, position-independent, its entry first */
__asm__(".pushsection .rodata\n.balign 8\nsgemm_code:\n.incbin \"sgemm.bin\"\n"
	"sgemm_code_end:\n.popsection\n");
extern const char sgemm_code[], sgemm_code_end[];

void product_code(struct client *c)
{
	memcpy(ram_at(&c->v, CODE_FREE_GPA), sgemm_code, sgemm_code_end - sgemm_code);
}

/* Matrices A, B and C one after the other */
static uint64_t matrix(uint64_t gpa, unsigned int size, unsigned int i)
{
	return gpa + (uint64_t)i * size * size * sizeof(float);
}

void product_fill(struct client *c, uint64_t gpa, unsigned int size)
{
	float *a = ram_at(&c->v, matrix(gpa, size, 0));
	unsigned int i;

	for (i = 0; i < 2 * size * size; i++)
		a[i] = (float)(int)(i * 2654435761U >> 20) / 512 - 4;
}

void product_put(struct client *c, uint64_t gpa, uint64_t scratch, unsigned int private,
		 unsigned int size)
{
	struct sgemm_args args = {
		.a = VA(matrix(gpa, size, 0)),
		.b = VA(matrix(gpa, size, 1)),
		.c = VA(matrix(gpa, size, 2)),
		.n = size,
	};
	uint32_t grid = (size + SGEMM_TILE - 1) / SGEMM_TILE * SGEMM_TILE;
	struct tess_pkt_dispatch pkt = {
		.header = DRM_TESSERA_PKT_DISPATCH | DRM_TESSERA_PKT_ACQUIRE_SYSTEM,
		.setup = 2,
		.wg_size = { SGEMM_TILE, SGEMM_TILE, 1 },
		.grid_size = { grid, grid, 1 },
		.private_segment_size = private,
		.scratch_address = scratch,
		.group_segment_size = 2 * SGEMM_TILE * SGEMM_TILE * sizeof(float),
		.kernel_object = VA(CODE_FREE_GPA),
	};

	client_dispatch_packet(c, &pkt, &args, sizeof(args));
}

unsigned int product_wrong(struct client *c, uint64_t gpa, unsigned int size)
{
	const float *a = ram_at(&c->v, matrix(gpa, size, 0));
	const float *b = ram_at(&c->v, matrix(gpa, size, 1));
	float *got = ram_at(&c->v, matrix(gpa, size, 2));
	unsigned int row, column, k, wrong = 0;

	for (row = 0; row < size; row++) {
		for (column = 0; column < size; column++) {
			float sum = 0;

			for (k = 0; k < size; k++)
				sum = fmaf(a[row * size + k], b[k * size + column], sum);
			wrong += memcmp(&sum, &got[row * size + column], sizeof(sum)) != 0;
		}
	}
	memset(got, 0xff, size * size * sizeof(float));
	return wrong;
}
