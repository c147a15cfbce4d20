/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Products of matrices, with the kernel of examples/sgemm, as work of a client. */
#ifndef TESS_SELFTESTS_SCHED_PRODUCT_H
#define TESS_SELFTESTS_SCHED_PRODUCT_H

#include "client.h"

/* Memory of a product: matrices A, B and C */
#define PRODUCT_BYTES(size) (3ULL * (size) * (size) * sizeof(float))
/* Private memory of a work-item: more than the stack of the kernel */
#define PRODUCT_PRIVATE 320u
/* and of all that are in flight */
#define PRODUCT_SCRATCH(private) ((private) * PRODUCT_FLIGHT)
#define PRODUCT_FLIGHT (DRM_TESSERA_GROUP_SLOTS * 256u)

/* Put the kernel in the memory of the vGPU, once */
void product_code(struct client *c);
/* Make A and B, of @size rows and columns, at @gpa */
void product_fill(struct client *c, uint64_t gpa, unsigned int size);
/* Queue C = A * B; @private bytes for each work-item are at the VA @scratch */
void product_put(struct client *c, uint64_t gpa, uint64_t scratch, unsigned int private,
		 unsigned int size);
/* Elements of C that are not what the CPU gets; C is spoiled for the next time */
unsigned int product_wrong(struct client *c, uint64_t gpa, unsigned int size);

#endif
