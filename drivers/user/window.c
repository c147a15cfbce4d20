// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a server maps: doorbells, the clock, VRAM, and the bus.
 */
#include <linux/io.h>
#include <linux/mm.h>
#include <tessera/gpu.h>
#include <tessera/hw/tess_regs.h>

#include "bus.h"
#include "user.h"
#include "window.h"

static struct tess_user *vma_user(struct vm_area_struct *vma)
{
	return vma->vm_private_data;
}

static u64 vma_offset(struct vm_area_struct *vma, unsigned long addr)
{
	return ((u64)vma->vm_pgoff << PAGE_SHIFT) + (addr - vma->vm_start);
}

/* ---- the bus ---- */

/* An entry has the rights of the grant, so a page that is written is one that may be */
static vm_fault_t bus_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct tess_user_bus *bus = &vma_user(vma)->bus;
	unsigned long pfn = PHYS_PFN(vma_offset(vma, vmf->address) - TESSERA_USER_BUS);
	vm_fault_t ret = VM_FAULT_SIGBUS;
	enum tess_user_grant grant;
	pgprot_t prot;

	down_read(&bus->sem);
	grant = tess_user_bus_granted(bus, pfn);
	if (grant == TESS_USER_GRANT_WRITE ||
	    (grant == TESS_USER_GRANT_READ && !(vmf->flags & FAULT_FLAG_WRITE))) {
		prot = vm_get_page_prot(grant == TESS_USER_GRANT_WRITE ?
					vma->vm_flags : vma->vm_flags & ~VM_WRITE);
		ret = vmf_insert_pfn_prot(vma, vmf->address & PAGE_MASK, pfn, prot);
	}
	up_read(&bus->sem);
	return ret;
}

/* An entry that is there is for reading only: the grant has not changed since */
static vm_fault_t bus_write_fault(struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;
}

static const struct vm_operations_struct bus_vm_ops = {
	.fault = bus_fault,
	.pfn_mkwrite = bus_write_fault,
};

/**
 * tess_user_reach() - may the server reach a page?
 * @user: GPU
 * @reach: from the server
 *
 * Return: 0; -EINVAL; -EFAULT no.
 */
int tess_user_reach(struct tess_user *user, const struct tessera_user_reach *reach)
{
	struct tess_user_bus *bus = &user->bus;
	enum tess_user_grant grant;

	if (reach->addr % PAGE_SIZE || reach->addr >> TESSERA_USER_BUS_BITS || reach->write > 1 ||
	    reach->pad)
		return -EINVAL;
	down_read(&bus->sem);
	grant = tess_user_bus_granted(bus, PHYS_PFN(reach->addr));
	up_read(&bus->sem);
	return grant == TESS_USER_GRANT_WRITE || (grant && !reach->write) ? 0 : -EFAULT;
}

static int bus_mmap(struct tess_user *user, struct vm_area_struct *vma)
{
	struct tess_user_bus *bus = &user->bus;

	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	vma->vm_ops = &bus_vm_ops;
	down_write(&bus->sem);
	bus->mapping = vma->vm_file->f_mapping;
	up_write(&bus->sem);
	return 0;
}

/* ---- VRAM ---- */

static vm_fault_t vram_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct tess_user_vram *vram = &vma_user(vma)->vram;
	u64 off = vma_offset(vma, vmf->address) - TESSERA_USER_VRAM;

	/* Checked by vram_mmap() */
	return vmf_insert_pfn(vma, vmf->address & PAGE_MASK,
			      PHYS_PFN(vram->phys[off / TESS_VRAM_CHUNK] + off % TESS_VRAM_CHUNK));
}

static const struct vm_operations_struct vram_vm_ops = {
	.fault = vram_fault,
};

static int vram_mmap(struct tess_user *user, struct vm_area_struct *vma)
{
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	vma->vm_ops = &vram_vm_ops;
	return 0;
}

/* ---- pages ---- */

static int pages_mmap(struct vm_area_struct *vma, void *mem)
{
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	return remap_pfn_range(vma, vma->vm_start, PHYS_PFN(virt_to_phys(mem)),
			       vma->vm_end - vma->vm_start, vma->vm_page_prot);
}

static bool is_in(u64 off, u64 size, u64 start, u64 length)
{
	return off >= start && size <= length && off - start <= length - size;
}

/**
 * tess_user_mmap() - mmap() of the server
 * @user: GPU after TESSERA_USER_ADD, which stays as long as the file
 * @vma: VMA
 *
 * Return: 0; -EINVAL it is not part of one thing that can be mapped, or private.
 */
int tess_user_mmap(struct tess_user *user, struct vm_area_struct *vma)
{
	u64 off = vma_offset(vma, vma->vm_start), size = vma->vm_end - vma->vm_start;

	if (!(vma->vm_flags & VM_SHARED) || (vma->vm_flags & VM_EXEC))
		return -EINVAL;
	vm_flags_clear(vma, VM_MAYEXEC);
	vma->vm_private_data = user;
	if (is_in(off, size, TESSERA_USER_BUS, BIT_ULL(TESSERA_USER_BUS_BITS)))
		return bus_mmap(user, vma);
	if (is_in(off, size, TESSERA_USER_VRAM, user->vram.size))
		return vram_mmap(user, vma);
	if (off == TESSERA_USER_DOORBELLS && size == TESS_MAX_SLICES * PAGE_SIZE)
		return pages_mmap(vma, user->doorbells);
	if (off == TESSERA_USER_CLOCK && size == PAGE_SIZE)
		return pages_mmap(vma, user->clock);
	return -EINVAL;
}
