/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of the vfio-user protocol, version 0.0 (QEMU docs/interop/vfio-user.rst).
 * All values are in the byte order of the host. Payloads that equal a structure of
 * <linux/vfio.h> use that one.
 */
#ifndef TESS_MODEL_VFU_PROTO_H
#define TESS_MODEL_VFU_PROTO_H

#include <linux/vfio.h>
#include <stdint.h>

#define VFU_VERSION_MAJOR 0
#define VFU_VERSION_MINOR 0

enum vfu_command {
	VFU_CMD_VERSION = 1,
	VFU_CMD_DMA_MAP = 2,
	VFU_CMD_DMA_UNMAP = 3,
	VFU_CMD_DEVICE_GET_INFO = 4,
	VFU_CMD_GET_REGION_INFO = 5,
	VFU_CMD_GET_REGION_IO_FDS = 6,
	VFU_CMD_GET_IRQ_INFO = 7,
	VFU_CMD_SET_IRQS = 8,
	VFU_CMD_REGION_READ = 9,
	VFU_CMD_REGION_WRITE = 10,
	VFU_CMD_DMA_READ = 11,
	VFU_CMD_DMA_WRITE = 12,
	VFU_CMD_DEVICE_RESET = 13,
	VFU_CMD_DIRTY_PAGES = 14,
	VFU_CMD_REGION_WRITE_MULTI = 15,
	VFU_CMD_DEVICE_FEATURE = 16,
	VFU_CMD_MIG_DATA_READ = 17,
	VFU_CMD_MIG_DATA_WRITE = 18,
	VFU_CMD_COUNT,
};

#define VFU_HDR_TYPE_MASK 0xfu
#define VFU_HDR_TYPE_COMMAND 0x0u
#define VFU_HDR_TYPE_REPLY 0x1u
#define VFU_HDR_NO_REPLY 0x10u
#define VFU_HDR_ERROR 0x20u

struct vfu_hdr {
	uint16_t id;
	uint16_t command;
	uint32_t size;
	uint32_t flags;
	uint32_t error;
};

struct vfu_msg_version {
	uint16_t major;
	uint16_t minor;
};

struct vfu_msg_dma_map {
	uint32_t argsz;
	uint32_t flags;
	uint64_t offset;
	uint64_t iova;
	uint64_t size;
};

struct vfu_msg_dma_unmap {
	uint32_t argsz;
	uint32_t flags;
	uint64_t iova;
	uint64_t size;
};

/* without the fields that later kernels appended to struct vfio_device_info */
struct vfu_msg_device_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t num_regions;
	uint32_t num_irqs;
};

struct vfu_msg_irq_set {
	uint32_t argsz;
	uint32_t flags;
	uint32_t index;
	uint32_t start;
	uint32_t count;
};

struct vfu_msg_region_access {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
};

struct vfu_msg_write_one {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
	uint8_t data[8];
};

_Static_assert(sizeof(struct vfu_hdr) == 16, "header layout");
_Static_assert(sizeof(struct vfu_msg_dma_map) == 32, "DMA_MAP layout");
_Static_assert(sizeof(struct vfu_msg_dma_unmap) == 24, "DMA_UNMAP layout");
_Static_assert(sizeof(struct vfu_msg_irq_set) == 20, "SET_IRQS layout");
_Static_assert(sizeof(struct vfu_msg_region_access) == 16, "REGION_READ layout");
_Static_assert(sizeof(struct vfu_msg_write_one) == 24, "REGION_WRITE_MULTI layout");

#endif /* TESS_MODEL_VFU_PROTO_H */
