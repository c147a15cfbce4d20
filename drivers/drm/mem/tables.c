// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables of a VM: all that writes to them takes their lock.
 */
#include <tessera/memory.h>
#include "tables.h"
#include "vm.h"

/**
 * tess_vm_map() - map memory into the page tables
 * @vm: VM, and the reservation of what is mapped is held
 * @va: where
 * @pa: what, as the GPU sees it
 * @size: bytes
 * @prot: TESS_AS_*
 *
 * Inside drm_dev_enter().
 *
 * Return: as tess_as_map().
 */
int tess_vm_map(struct tess_vm *vm, u64 va, u64 pa, u64 size, u32 prot)
{
	int ret;

	mutex_lock(&vm->tables);
	ret = tess_as_map(vm->as, va, pa, size, prot);
	mutex_unlock(&vm->tables);
	return ret;
}

/**
 * tess_vm_unmap() - take a range out of the page tables
 * @vm: VM with page tables
 * @va: start
 * @size: bytes
 *
 * Return: as tess_as_unmap().
 */
int tess_vm_unmap(struct tess_vm *vm, u64 va, u64 size)
{
	int ret;

	mutex_lock(&vm->tables);
	ret = tess_as_unmap(vm->as, va, size);
	mutex_unlock(&vm->tables);
	return ret;
}
