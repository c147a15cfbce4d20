/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_TABLES_H_
#define _TESSERA_DRM_TABLES_H_

#include <linux/types.h>

struct tess_vm;

int tess_vm_map(struct tess_vm *vm, u64 va, u64 pa, u64 size, u32 prot);
int tess_vm_unmap(struct tess_vm *vm, u64 va, u64 size);

#endif
