/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of the CSRs; Documentation/hw/isa.rst. */
#ifndef TESS_MODEL_ISA_CSR_H
#define TESS_MODEL_ISA_CSR_H

enum isa_csr {
	CSR_FFLAGS = 0x001,
	CSR_FRM = 0x002,
	CSR_FCSR = 0x003,
	CSR_CYCLE = 0xc00,
	CSR_TIME = 0xc01,
	CSR_INSTRET = 0xc02,
	CSR_LOCAL_ID = 0xcc0,
	CSR_GROUP_ID = 0xcc3,
	CSR_GROUP_SIZE = 0xcc6,
	CSR_ENQUEUED_SIZE = 0xcc9,
	CSR_GRID_SIZE = 0xccc,
	CSR_KERNARG = 0xccf,
	CSR_LOCAL_BYTES = 0xcd0,
	CSR_FLAT_ID = 0xcd1,
	CSR_PRIVATE_BYTES = 0xcd2,
	CSR_GLOBAL_ID = 0xcd3,
	CSR_NUM_GROUPS = 0xcd6,
	CSR_LAST_ID = 0xcd8,
};

#endif
