/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A vGPU without a virtual machine: what a VMM and a guest driver do together, in one
 * process. The process is the VMM that opens the VFIO device and maps memory for it,
 * and the guest that writes rings into that memory.
 *
 * Functions return 0 or a positive value, or a negative errno, unless they say
 * otherwise.
 */
#ifndef TESS_SELFTESTS_VGPU_H
#define TESS_SELFTESTS_VGPU_H

#include <linux/vfio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <drm/tessera_packet.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/hw/tess_regs.h>

/* Where the memory of the "guest" is, in its own addresses */
#define RAM_GPA 0x100000000ULL
#define RAM_SIZE (8ULL << 20)
#define PAGE 4096ULL
#define VRAM(off) (TESS_PA_VRAM + (off))

/* ---- GPUs and mdevs in sysfs ---- */

/* Directory of the first GPU that gives vGPUs; NULL: there is none */
const char *gpu_dir(void);
/* The directory that the core has of it: 0, -ENODEV */
int gpu_class(char *path, size_t size);
/* PCI address of it */
const char *gpu_name(void);
int mdev_available(const char *type);
/* @uuid has room for 37 bytes and gets a new name */
int mdev_create(const char *type, char *uuid);
/* The same below the GPU with this PCI address */
int mdev_create_on(const char *pci, const char *type, char *uuid);
int mdev_remove(const char *uuid);
/* Leave no vGPU of an earlier test behind */
void mdev_remove_all(void);
/* Counter in stats/, negative errno */
long long mdev_stat(const char *uuid, const char *name);
/* The contents of a file as a string, as much as there is room for */
int file_read(const char *path, char *buf, size_t size);
/* Attribute of an mdev without its newline; one buffer, "" if it cannot be read */
const char *mdev_attr(const char *uuid, const char *name);
int mdev_attr_write(const char *uuid, const char *name, const char *text);
/* Number in a file that the core has of that GPU, negative errno */
long long pool_value(const char *name);
/* Number in a file of a vslice in the core's part of sysfs, negative errno */
int vslice_get(const char *uuid, unsigned int vslice, const char *name);
int vslice_move(const char *uuid, unsigned int vslice, int slice);
/* Write a string to a file */
int file_write(const char *path, const char *text);
/* Pages that the kernel holds pinned, for anybody */
long long pins_held(void);

/* Physical address of our own memory, from the page map that only root may read; 0: unknown */
uint64_t physical(const void *p);

/* ---- the VFIO device ---- */

/**
 * struct vgpu - an open vGPU
 * @uuid: mdev
 * @container: VFIO container, or iommufd
 * @group: VFIO group, -1 with iommufd
 * @ioas: address space of the iommufd
 * @device: VFIO device
 * @region: by index
 * @doorbells: doorbell pages of all vslices, mapped
 * @vslices: number of them
 * @ram: memory at RAM_GPA
 * @maps: what vgpu_mmap() mapped, undone when it is closed
 * @nr_maps: number of them
 */
struct vgpu {
	char uuid[37];
	int container;
	int group;
	int device;
	uint32_t ioas;
	struct {
		uint64_t size;
		uint64_t offset;
		uint32_t flags;
	} region[VFIO_PCI_NUM_REGIONS];
	volatile uint8_t *doorbells;
	unsigned int vslices;
	uint8_t *ram;
	struct {
		void *addr;
		size_t size;
	} maps[16];
	unsigned int nr_maps;
};

/* Is the device opened by its own file and its memory an iommufd's? Else group and container */
bool vgpu_uses_iommufd(void);
/* Open without guest memory; vgpu_open() adds it */
int vgpu_open_bare(struct vgpu *v, const char *uuid);
int vgpu_open(struct vgpu *v, const char *uuid);
/* Open one more in the container or iommufd of @first, with its memory */
int vgpu_join(struct vgpu *v, const char *uuid, const struct vgpu *first);
void vgpu_close(struct vgpu *v);
int vgpu_map(struct vgpu *v, void *mem, uint64_t gpa, uint64_t size, bool writable);
int vgpu_unmap(struct vgpu *v, uint64_t gpa, uint64_t size);
/* Map a part of a region until the vGPU is closed; MAP_FAILED */
void *vgpu_mmap(struct vgpu *v, unsigned int region, uint64_t off, uint64_t size);
int vgpu_irq(struct vgpu *v, uint32_t index, uint32_t flags, uint32_t start, uint32_t count,
	     const void *data, size_t size);
/* Eventfd on one MSI-X vector; descriptor */
int vgpu_eventfd(struct vgpu *v, unsigned int vector);
/* Wait until an eventfd counts; its count, 0 after a timeout */
uint64_t eventfd_wait(int fd, int timeout_ms);

int region_read(struct vgpu *v, unsigned int region, uint64_t off, void *buf, size_t len);
int region_write(struct vgpu *v, unsigned int region, uint64_t off, const void *buf, size_t len);
uint32_t reg32(struct vgpu *v, uint32_t off);
uint64_t reg64(struct vgpu *v, uint32_t off);
void reg32_write(struct vgpu *v, uint32_t off, uint32_t val);
void reg64_write(struct vgpu *v, uint32_t off, uint64_t val);

/* ---- rings ---- */

/**
 * struct ring - ring of a vslice
 * @v: vGPU
 * @vslice: index
 * @pkts: the ring in our memory
 * @log2: of its size
 * @wptr: write index
 * @seq: of the last FENCE
 * @rec: completion record, the RAM_RECORD page
 */
struct ring {
	struct vgpu *v;
	unsigned int vslice;
	uint8_t *pkts;
	unsigned int log2;
	uint64_t wptr;
	uint64_t seq;
	volatile struct tess_completion_record *rec;
};

/* Layout of the memory: a ring for each vslice, then the records, then what tests use */
#define RING_GPA(vslice) (RAM_GPA + (vslice) * PAGE)
#define RECORD_GPA(vslice) (RAM_GPA + 16 * PAGE + (vslice) * TESS_COMPLETION_RECORD_SIZE)
#define DATA_GPA (RAM_GPA + (1ULL << 20))
#define DATA_SIZE (RAM_SIZE - (1ULL << 20))

long now_ms(void);
/* From now on this process may lock so much memory, root or not: 0, -errno */
int limit_locked_memory(unsigned long bytes);
/* Our address of a guest address */
void *ram_at(struct vgpu *v, uint64_t gpa);
/* Set the ring of a vslice up and enable it */
void ring_start(struct ring *r, struct vgpu *v, unsigned int vslice);
void ring_put(struct ring *r, const void *pkt);
void ring_fill(struct ring *r, uint64_t dst, uint64_t bytes, uint32_t pattern);
void ring_copy(struct ring *r, uint64_t dst, uint64_t src, uint64_t bytes);
void ring_set_vm(struct ring *r, uint64_t root);
/* Put a WAIT until the word at an address is 1 */
void ring_await(struct ring *r, uint64_t address);
/* Put a FENCE and ring the doorbell; its sequence number */
uint64_t ring_fence(struct ring *r, bool irq);
void ring_kick(struct ring *r);
/* Wait for the last FENCE: 0, -ETIME, or -EFAULT if the vslice faulted */
int ring_wait(struct ring *r);
/*
 * The same by the record alone, so that nobody looks at a register, but each second whether there
 * still is a GPU: 0, -ETIME, or -ENODEV
 */
int ring_wait_record(struct ring *r);
/* FENCE and wait */
int ring_finish(struct ring *r);
/* Drop the fault and whatever was in the ring; the vslice can be started again */
void ring_reset(struct ring *r);
uint32_t client_reg32(struct vgpu *v, unsigned int vslice, uint32_t off);
uint64_t client_reg64(struct vgpu *v, unsigned int vslice, uint32_t off);
void client_reg32_write(struct vgpu *v, unsigned int vslice, uint32_t off, uint32_t val);
void client_reg64_write(struct vgpu *v, unsigned int vslice, uint32_t off, uint64_t val);
/* Wait for a fault: its cause, or -1 */
int wait_fault(struct vgpu *v, unsigned int vslice);

/* ---- patterns ---- */

/* Fill and check memory with words that depend on position and seed */
void pattern_fill(void *mem, size_t size, uint32_t seed);
/* Offset of the first byte that differs, or -1 */
long pattern_check(const void *mem, size_t size, uint32_t seed);
/* Offset of the first byte that is not zero, or -1 */
long zero_check(const void *mem, size_t size);

#endif /* TESS_SELFTESTS_VGPU_H */
