/* SPDX-License-Identifier: MIT */
/* For structs that a program shares with its kernels. */
#ifndef GPU_PTR_H
#define GPU_PTR_H

#include <stdint.h>

/* A pointer for the kernel; for the host a GPU address, tess_buffer_va(). */
#ifdef TESSERA_DEVICE_H
#define GPU_PTR(type) type *
#else
#define GPU_PTR(type) uint64_t
#endif

#endif
