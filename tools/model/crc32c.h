/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CRC-32C (Castagnoli), the checksum of context images; RFC 3720, appendix B.4. */
#ifndef TESS_MODEL_CRC32C_H
#define TESS_MODEL_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/** crc32c() - checksum of @size bytes that follow those of which @crc is; 0 at the start */
uint32_t crc32c(uint32_t crc, const void *data, size_t size);

/** crc32c_by_table() - the same, on processors without an instruction for it */
uint32_t crc32c_by_table(uint32_t crc, const void *data, size_t size);

#endif /* TESS_MODEL_CRC32C_H */
