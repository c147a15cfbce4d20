// SPDX-License-Identifier: GPL-2.0-or-later
/* The VFIO device: ioctls, regions, configuration space, mappings */
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "driver.h"
#include "harness.h"
#include "vgpu.h"

FIXTURE(device)
{
	struct vgpu v;
	char uuid[37];
};

FIXTURE_SETUP(device)
{
	mdev_remove_all();
	ASSERT_EQ(0, mdev_create("C2", self->uuid));
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
}

FIXTURE_TEARDOWN(device)
{
	vgpu_close(&self->v);
	EXPECT_EQ(0, mdev_remove(self->uuid));
}

static uint32_t config32(struct vgpu *v, unsigned int off)
{
	uint32_t val = 0;

	region_read(v, VFIO_PCI_CONFIG_REGION_INDEX, off, &val, 4);
	return val;
}

static void config32_write(struct vgpu *v, unsigned int off, uint32_t val)
{
	region_write(v, VFIO_PCI_CONFIG_REGION_INDEX, off, &val, 4);
}

static unsigned int find_cap(struct vgpu *v, unsigned int id)
{
	unsigned int at = config32(v, PCI_CAPABILITY_LIST) & 0xff, n;

	for (n = 0; at && n < 48; n++) {
		uint32_t head = config32(v, at);

		if ((head & 0xff) == id)
			return at;
		at = (head >> 8) & 0xff;
	}
	return 0;
}

TEST_F(device, info)
{
	struct vfio_device_info info = { .argsz = sizeof(info) };

	ASSERT_EQ(0, ioctl(self->v.device, VFIO_DEVICE_GET_INFO, &info));
	EXPECT_EQ(VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET, info.flags);
	EXPECT_EQ(VFIO_PCI_NUM_REGIONS, info.num_regions);
	EXPECT_EQ(VFIO_PCI_NUM_IRQS, info.num_irqs);
	info.argsz = 8;
	EXPECT_ERRNO(EINVAL, ioctl(self->v.device, VFIO_DEVICE_GET_INFO, &info));
	EXPECT_ERRNO(EFAULT, ioctl(self->v.device, VFIO_DEVICE_GET_INFO, NULL));
	EXPECT_ERRNO(ENOTTY, ioctl(self->v.device, VFIO_DEVICE_PCI_HOT_RESET, NULL));
}

TEST_F(device, regions)
{
	struct vfio_region_info info = { .argsz = sizeof(info) };
	uint32_t rw = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	struct vgpu *v = &self->v;
	unsigned int i;

	EXPECT_EQ(TESS_REGS_SIZE, v->region[TESS_BAR_REGS].size);
	EXPECT_EQ(rw | VFIO_REGION_INFO_FLAG_MMAP | VFIO_REGION_INFO_FLAG_CAPS,
		  v->region[TESS_BAR_REGS].flags);
	EXPECT_LE(reg64(v, TESS_REG_VRAM_SIZE), v->region[TESS_BAR_VRAM].size);
	EXPECT_EQ(0, v->region[TESS_BAR_VRAM].size & (v->region[TESS_BAR_VRAM].size - 1));
	EXPECT_EQ(4096, v->region[TESS_BAR_MSIX].size);
	EXPECT_EQ(rw, v->region[TESS_BAR_MSIX].flags);
	EXPECT_EQ(4096, v->region[VFIO_PCI_CONFIG_REGION_INDEX].size);
	for (i = 0; i < VFIO_PCI_NUM_REGIONS; i++) {
		if (i != TESS_BAR_REGS && i != TESS_BAR_VRAM && i != TESS_BAR_MSIX &&
		    i != VFIO_PCI_CONFIG_REGION_INDEX)
			EXPECT_EQ(0, v->region[i].size);
	}
	info.index = VFIO_PCI_NUM_REGIONS;
	EXPECT_ERRNO(EINVAL, ioctl(v->device, VFIO_DEVICE_GET_REGION_INFO, &info));
	info.index = 0;
	info.argsz = 8;
	EXPECT_ERRNO(EINVAL, ioctl(v->device, VFIO_DEVICE_GET_REGION_INFO, &info));
}

TEST_F(device, sparse_areas)
{
	union {
		struct vfio_region_info info;
		uint8_t raw[256];
	} u = { .info = { .argsz = sizeof(u), .index = TESS_BAR_REGS } };
	struct vfio_region_info_cap_sparse_mmap *cap;

	ASSERT_EQ(0, ioctl(self->v.device, VFIO_DEVICE_GET_REGION_INFO, &u.info));
	ASSERT_NE(0, u.info.cap_offset);
	cap = (void *)(u.raw + u.info.cap_offset);
	EXPECT_EQ(VFIO_REGION_INFO_CAP_SPARSE_MMAP, cap->header.id);
	ASSERT_EQ(2, cap->nr_areas);
	EXPECT_EQ(TESS_COMPOSITION_PAGE, cap->areas[0].offset);
	EXPECT_EQ(PAGE, cap->areas[0].size);
	EXPECT_EQ(TESS_DOORBELL_PAGE(0), cap->areas[1].offset);
	EXPECT_EQ(2 * PAGE, cap->areas[1].size);
}

TEST_F(device, identity)
{
	struct vgpu *v = &self->v;

	EXPECT_EQ(TESS_PCI_DEVICE_ID << 16 | TESS_PCI_VENDOR_ID, config32(v, PCI_VENDOR_ID));
	EXPECT_EQ(TESS_PCI_CLASS << 8 | TESS_PCI_REVISION, config32(v, PCI_CLASS_REVISION));
	EXPECT_EQ(TESS_PCI_DEVICE_ID << 16 | TESS_PCI_VENDOR_ID,
		  config32(v, PCI_SUBSYSTEM_VENDOR_ID));
	EXPECT_NE(0, find_cap(v, PCI_CAP_ID_PM));
	EXPECT_NE(0, find_cap(v, PCI_CAP_ID_EXP));
	ASSERT_NE(0, find_cap(v, PCI_CAP_ID_MSIX));
	EXPECT_EQ(TESS_IRQ_COUNT - 1,
		  config32(v, find_cap(v, PCI_CAP_ID_MSIX)) >> 16 & PCI_MSIX_FLAGS_QSIZE);
	EXPECT_EQ(0, config32(v, 0x100));
	/* Read-only fields stay */
	config32_write(v, PCI_VENDOR_ID, 0xffffffff);
	config32_write(v, PCI_CLASS_REVISION, 0xffffffff);
	EXPECT_EQ(TESS_PCI_DEVICE_ID << 16 | TESS_PCI_VENDOR_ID, config32(v, PCI_VENDOR_ID));
	EXPECT_EQ(TESS_PCI_CLASS << 8 | TESS_PCI_REVISION, config32(v, PCI_CLASS_REVISION));
}

TEST_F(device, bar_sizing)
{
	static const unsigned int bars[] = { TESS_BAR_REGS, TESS_BAR_VRAM, TESS_BAR_MSIX };
	struct vgpu *v = &self->v;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		unsigned int off = PCI_BASE_ADDRESS_0 + 4 * bars[i];
		uint64_t val;

		config32_write(v, off, 0xffffffff);
		config32_write(v, off + 4, 0xffffffff);
		val = config32(v, off) | (uint64_t)config32(v, off + 4) << 32;
		EXPECT_EQ(PCI_BASE_ADDRESS_MEM_TYPE_64, val & PCI_BASE_ADDRESS_MEM_TYPE_MASK);
		EXPECT_EQ(v->region[bars[i]].size, -(val & PCI_BASE_ADDRESS_MEM_MASK));
	}
}

TEST_F(device, config_edges)
{
	struct vgpu *v = &self->v;
	uint8_t buf[8192];

	EXPECT_EQ(4096, region_read(v, VFIO_PCI_CONFIG_REGION_INDEX, 0, buf, sizeof(buf)));
	EXPECT_EQ(1, region_read(v, VFIO_PCI_CONFIG_REGION_INDEX, 4095, buf, 8));
	EXPECT_EQ(-EINVAL, region_read(v, VFIO_PCI_CONFIG_REGION_INDEX, 4096, buf, 4));
	EXPECT_EQ(-EINVAL, region_write(v, VFIO_PCI_CONFIG_REGION_INDEX, 4096, buf, 4));
	EXPECT_EQ(-EINVAL, region_read(v, 1, 0, buf, 4));
	EXPECT_ERRNO(EINVAL, pread(v->device, buf, 4, (off_t)200 << 40));
	EXPECT_EQ(-EFAULT, region_read(v, VFIO_PCI_CONFIG_REGION_INDEX, 0, NULL, 4));
	EXPECT_EQ(-EFAULT, region_write(v, VFIO_PCI_CONFIG_REGION_INDEX, 0, NULL, 4));
}

TEST_F(device, flr)
{
	struct vgpu *v = &self->v;
	unsigned int exp = find_cap(v, PCI_CAP_ID_EXP);
	struct ring r;

	ring_start(&r, v, 0);
	config32_write(v, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	ASSERT_EQ(TESS_CONTROL_ENABLE, client_reg32(v, 0, TESS_SREG_CONTROL));
	ASSERT_NE(0, config32(v, exp + PCI_EXP_DEVCAP) & PCI_EXP_DEVCAP_FLR);
	config32_write(v, exp + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR);
	EXPECT_EQ(0, config32(v, exp + PCI_EXP_DEVCTL) & PCI_EXP_DEVCTL_BCR_FLR);
	EXPECT_EQ(0, config32(v, PCI_COMMAND) & PCI_COMMAND_MASTER);
	EXPECT_EQ(0, client_reg32(v, 0, TESS_SREG_CONTROL));
	EXPECT_EQ(0, client_reg64(v, 0, TESS_SREG_RING_BASE));
}

TEST_F(device, reset_ways)
{
	struct vgpu *v = &self->v;
	struct ring r;

	ring_start(&r, v, 1);
	ASSERT_EQ(0, ioctl(v->device, VFIO_DEVICE_RESET));
	EXPECT_EQ(0, client_reg32(v, 1, TESS_SREG_CONTROL));
	EXPECT_EQ(0, mdev_stat(self->uuid, "pinned_pages"));
	ring_start(&r, v, 1);
	reg32_write(v, TESS_REG_RESET, 1);
	EXPECT_EQ(TESS_CONTROL_ENABLE, client_reg32(v, 1, TESS_SREG_CONTROL));
	reg32_write(v, TESS_REG_RESET, TESS_RESET_KEY);
	EXPECT_EQ(0, client_reg32(v, 1, TESS_SREG_CONTROL));
	EXPECT_EQ(0, mdev_stat(self->uuid, "pinned_pages"));
	/* And it works again */
	ring_start(&r, v, 1);
	EXPECT_EQ(0, ring_finish(&r));
}

TEST_F(device, mmap_limits)
{
	struct vgpu *v = &self->v;
	uint64_t vram = v->region[TESS_BAR_VRAM].size;

	EXPECT_EQ(MAP_FAILED, vgpu_mmap(v, TESS_BAR_REGS, 0, PAGE));
	EXPECT_EQ(MAP_FAILED, vgpu_mmap(v, TESS_BAR_REGS, TESS_CLIENT_PAGE(0), PAGE));
	EXPECT_EQ(MAP_FAILED, vgpu_mmap(v, TESS_BAR_REGS, TESS_COMPOSITION_PAGE, 2 * PAGE));
	EXPECT_EQ(MAP_FAILED, vgpu_mmap(v, TESS_BAR_REGS, TESS_DOORBELL_PAGE(2), PAGE));
	EXPECT_EQ(MAP_FAILED, vgpu_mmap(v, TESS_BAR_REGS, TESS_DOORBELL_PAGE(0), 3 * PAGE));
	EXPECT_EQ(MAP_FAILED, vgpu_mmap(v, TESS_BAR_REGS, TESS_HOST_PAGE(0), PAGE));
	EXPECT_EQ(MAP_FAILED, vgpu_mmap(v, TESS_BAR_VRAM, vram, PAGE));
	EXPECT_EQ(MAP_FAILED, vgpu_mmap(v, TESS_BAR_VRAM, 0, vram + PAGE));
	EXPECT_EQ(MAP_FAILED, vgpu_mmap(v, TESS_BAR_MSIX, 0, PAGE));
	EXPECT_EQ(MAP_FAILED, vgpu_mmap(v, VFIO_PCI_CONFIG_REGION_INDEX, 0, PAGE));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, v->device,
				   v->region[TESS_BAR_VRAM].offset));
	EXPECT_NE(MAP_FAILED, vgpu_mmap(v, TESS_BAR_VRAM, vram - PAGE, PAGE));
}

TEST_F(device, composition_page)
{
	struct vgpu *v = &self->v;
	struct tess_composition *comp = vgpu_mmap(v, TESS_BAR_REGS, TESS_COMPOSITION_PAGE, PAGE);
	unsigned int i;

	ASSERT_NE(MAP_FAILED, comp);
	EXPECT_EQ(TESS_COMPOSITION_MAGIC, comp->magic);
	EXPECT_EQ(1, comp->version);
	EXPECT_EQ(0, comp->seq & 1);
	EXPECT_EQ(reg64(v, TESS_REG_GENERATION), comp->generation);
	EXPECT_EQ(reg64(v, TESS_REG_SLICE_MASK), comp->slice_mask);
	EXPECT_EQ(reg64(v, TESS_REG_VRAM_SIZE), comp->vram_size);
	ASSERT_EQ(2, comp->slice_count);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(TESS_KIND_COMPUTE, comp->slice[i].kind);
		EXPECT_EQ(client_reg32(v, i, TESS_SREG_CORES), comp->slice[i].cores);
	}
	/* A client that writes there deceives only itself: registers and resets tell the truth */
	memset(comp, 0xee, PAGE);
	EXPECT_EQ(TESS_COMPOSITION_MAGIC, reg32(v, TESS_COMPOSITION_PAGE));
	ASSERT_EQ(0, ioctl(v->device, VFIO_DEVICE_RESET));
	EXPECT_EQ(TESS_COMPOSITION_MAGIC, comp->magic);
	EXPECT_EQ(reg64(v, TESS_REG_GENERATION), comp->generation);
	EXPECT_EQ(-1, zero_check(comp->reserved, sizeof(comp->reserved)));
}

TEST_F(device, vram)
{
	struct vgpu *v = &self->v;
	uint64_t size = reg64(v, TESS_REG_VRAM_SIZE);
	long long faults = mdev_stat(self->uuid, "mmap_faults");
	uint8_t *vram = vgpu_mmap(v, TESS_BAR_VRAM, 0, size), back[64];

	ASSERT_NE(MAP_FAILED, vram);
	EXPECT_EQ(-1, zero_check(vram, size));
	pattern_fill(vram, size, 7);
	EXPECT_EQ(-1, pattern_check(vram, size, 7));
	/* Huge mappings where possible: far fewer faults than pages. Not of memory of the host */
	if (strcmp(gpu_driver(), "tessera_user"))
		EXPECT_LT(mdev_stat(self->uuid, "mmap_faults") - faults, size / PAGE / 4);
	/* The same memory through read() and write() */
	EXPECT_EQ(64, region_read(v, TESS_BAR_VRAM, size - 64, back, 64));
	EXPECT_EQ(0, memcmp(back, vram + size - 64, 64));
	memset(back, 0x11, sizeof(back));
	EXPECT_EQ(63, region_write(v, TESS_BAR_VRAM, 4097, back, 63));
	EXPECT_EQ(0, memcmp(back, vram + 4097, 63));
}

TEST_F(device, has_one_user)
{
	struct vgpu other;
	struct ring r;

	ring_start(&r, &self->v, 0);
	EXPECT_EQ(-EBUSY, vgpu_open_bare(&other, self->uuid));
	EXPECT_EQ(0, ring_finish(&r));
}

TEST_F(device, opens)
{
	struct vgpu *v = &self->v;
	struct ring r;
	int fd;

	if (vgpu_uses_iommufd())
		SKIP(return, "about groups");
	/* A second descriptor is the same device; closing it resets nothing */
	fd = ioctl(v->group, VFIO_GROUP_GET_DEVICE_FD, self->uuid);
	ASSERT_LE(0, fd);
	ring_start(&r, v, 0);
	close(fd);
	EXPECT_EQ(TESS_CONTROL_ENABLE, client_reg32(v, 0, TESS_SREG_CONTROL));
	EXPECT_EQ(0, ring_finish(&r));
}

TEST_HARNESS_MAIN
