// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Driver of the Tessera GPU for libvfio, the library of the kernel's VFIO selftests: memory is
 * copied by the copy engine of slice 0, the interrupt is that of a FENCE. There is no stage 1, so
 * that addresses of the GPU are those of the IOMMU.
 */
#include <linux/sizes.h>
#include <unistd.h>

#include <libvfio.h>

#include <drm/tessera_packet.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/hw/tess_regs.h>

#define RING_LOG2 10
#define RING_PACKETS (1UL << RING_LOG2)
/* Copies in the emulator take time, and so does each page that a vGPU touches first */
#define COPY_SIZE SZ_256K
#define COPY_COUNT (RING_PACKETS - 2)

/**
 * struct shared - the driver's region, which the GPU reaches
 * @ring: packets
 * @record: where a FENCE reports
 * @wptr: packets written, our own business
 * @seq: of the last FENCE
 */
struct shared {
	u8 ring[RING_PACKETS][DRM_TESSERA_PKT_SIZE];
	struct tess_completion_record record;
	u64 wptr;
	u64 seq;
};

static struct shared *to_shared(struct vfio_pci_device *device)
{
	return device->driver.region.vaddr;
}

static void reg_write(struct vfio_pci_device *device, u32 off, u64 val, size_t len)
{
	VFIO_ASSERT_EQ(pwrite(device->fd, &val, len, device->bars[TESS_BAR_REGS].info.offset + off),
		       (ssize_t)len);
}

static u32 reg_read(struct vfio_pci_device *device, u32 off)
{
	u32 val;

	VFIO_ASSERT_EQ(pread(device->fd, &val, 4, device->bars[TESS_BAR_REGS].info.offset + off),
		       4);
	return val;
}

static void slice_write(struct vfio_pci_device *device, u32 off, u64 val, size_t len)
{
	reg_write(device, TESS_CLIENT_PAGE(0) + off, val, len);
}

static int tessera_probe(struct vfio_pci_device *device)
{
	return vfio_pci_device_match(device, TESS_PCI_VENDOR_ID, TESS_PCI_DEVICE_ID) ? 0 : -EINVAL;
}

static void start(struct vfio_pci_device *device)
{
	struct shared *shared = to_shared(device);

	memset(shared, 0, sizeof(*shared));
	slice_write(device, TESS_SREG_RING_BASE, to_iova(device, shared->ring), 8);
	slice_write(device, TESS_SREG_RING_LOG2, RING_LOG2, 4);
	slice_write(device, TESS_SREG_COMPLETION, to_iova(device, &shared->record), 8);
	slice_write(device, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE, 4);
}

/* Drops all work, a fault, and what start() set up */
static void stop(struct vfio_pci_device *device)
{
	slice_write(device, TESS_SREG_RESET, 1, 4);
	slice_write(device, TESS_SREG_TLB_INVALIDATE, 1, 4);
}

static void tessera_init(struct vfio_pci_device *device)
{
	VFIO_ASSERT_GE(device->driver.region.size, sizeof(struct shared));
	VFIO_ASSERT_NOT_NULL(device->bars[TESS_BAR_REGS].vaddr);

	vfio_pci_config_writew(device, PCI_COMMAND,
			       PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_INTX_DISABLE);
	VFIO_ASSERT_EQ(reg_read(device, TESS_REG_ID), TESS_ID_VALUE);
	stop(device);
	start(device);
	vfio_pci_msix_enable(device, 0, device->msix_info.count);
	device->driver.msi = TESS_IRQ_COMPLETION;
	device->driver.max_memcpy_size = COPY_SIZE;
	device->driver.max_memcpy_count = COPY_COUNT;
}

static void tessera_remove(struct vfio_pci_device *device)
{
	stop(device);
	vfio_pci_msix_disable(device);
}

static void put(struct shared *shared, const void *pkt)
{
	memcpy(shared->ring[shared->wptr++ % RING_PACKETS], pkt, DRM_TESSERA_PKT_SIZE);
}

/* A FENCE behind what was put; go */
static void kick(struct vfio_pci_device *device, u16 flags)
{
	struct shared *shared = to_shared(device);
	struct tess_pkt_fence fence = {
		.header = DRM_TESSERA_PKT_FENCE,
		.flags = flags,
		.seq = ++shared->seq,
	};
	volatile u64 *doorbell = device->bars[TESS_BAR_REGS].vaddr + TESS_DOORBELL_PAGE(0);

	put(shared, &fence);
	if (flags & DRM_TESSERA_FENCE_IRQ)
		shared->record.event = shared->seq;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*doorbell = shared->wptr;
}

static void tessera_memcpy_start(struct vfio_pci_device *device, iova_t src, iova_t dst, u64 size,
				 u64 count)
{
	struct tess_pkt_copy copy = {
		.header = DRM_TESSERA_PKT_COPY,
		.rows = 1,
		.src = src,
		.dst = dst,
		.row_bytes = size,
		.src_pitch = size,
		.dst_pitch = size,
	};

	while (count--)
		put(to_shared(device), &copy);
	kick(device, 0);
}

static int tessera_memcpy_wait(struct vfio_pci_device *device)
{
	struct shared *shared = to_shared(device);
	volatile __le64 *seq = &shared->record.seq;

	while (*seq != shared->seq) {
		if (reg_read(device, TESS_CLIENT_PAGE(0) + TESS_SREG_STATUS) &
		    TESS_STATUS_FAULTED) {
			stop(device);
			start(device);
			return -EFAULT;
		}
		usleep(500);
	}
	return 0;
}

static void tessera_send_msi(struct vfio_pci_device *device)
{
	kick(device, DRM_TESSERA_FENCE_IRQ);
	VFIO_ASSERT_EQ(tessera_memcpy_wait(device), 0);
}

const struct vfio_pci_driver_ops tessera_ops = {
	.name = "tessera",
	.probe = tessera_probe,
	.init = tessera_init,
	.remove = tessera_remove,
	.memcpy_start = tessera_memcpy_start,
	.memcpy_wait = tessera_memcpy_wait,
	.send_msi = tessera_send_msi,
};
