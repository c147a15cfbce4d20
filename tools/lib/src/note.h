/* SPDX-License-Identifier: MIT */
/*
 * The ELF note that declares a kernel. device/tessera_device.h writes it in
 * assembly; Documentation/kernel-authors-guide.rst describes it.
 */
#ifndef TESS_LIB_NOTE_H
#define TESS_LIB_NOTE_H

#include <stdint.h>

#define TESS_NOTE_NAME "Tessera"
#define TESS_NOTE_KERNEL 1

/**
 * struct tess_note_kernel - descriptor, followed by the terminated name of the kernel
 * @entry: address of the first instruction, relative to this field
 * @private_bytes: private memory of a work-item, 0 for the default
 * @local_bytes: local memory of a work-group
 * @units: that it can use, TESS_UNIT_* of device/tessera_units.h
 */
struct tess_note_kernel {
	int32_t entry;
	uint32_t private_bytes;
	uint32_t local_bytes;
	uint32_t units;
};

#endif
