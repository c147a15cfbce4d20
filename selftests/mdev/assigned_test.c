// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A whole device of the host beside a vGPU, in the container of one VM: its IOMMU reaches the
 * guest's memory, and never the vGPU's BARs, which may be somebody else's by the time it uses them.
 * Needs a host with an IOMMU and two GPUs, of which one is assigned.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"
#include "gpus.h"
#include "vgpu.h"

#define DEVICES "/sys/bus/pci/devices/"
#define BLUEPRINT "slices=2 max=2 kind=compute memory=4M"
#define BAR_GPA 0x500000000ULL

/**
 * struct area - what a VMM can map of a vGPU, and where it tries to show it to the other device
 * @mem: mapped here
 * @gpa: there
 * @size: bytes
 */
struct area {
	void *mem;
	uint64_t gpa;
	uint64_t size;
};

enum { VRAM_AREA, DOORBELLS, COMPOSITION, AREAS };

FIXTURE(assigned)
{
	struct pair p;
	struct area area[AREAS];
	int group;
};

static int pci_write(const char *pci, const char *name, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), DEVICES "%s/%s", pci, name);
	return file_write(path, text);
}

static int assign(const char *pci)
{
	int ret = gpu_unbind(pci);

	ret = ret ?: pci_write(pci, "driver_override", "vfio-pci");
	return ret ?: file_write("/sys/bus/pci/drivers_probe", pci);
}

static int give_back(const char *pci)
{
	int ret = file_write("/sys/bus/pci/drivers/vfio-pci/unbind", pci);

	ret = ret ?: pci_write(pci, "driver_override", "\n");
	return ret ?: gpu_bind(pci);
}

static int open_group_of(const char *pci)
{
	char path[PATH_MAX], link[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), DEVICES "%s/iommu_group", pci);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return -errno;
	link[n] = 0;
	snprintf(path, sizeof(path), "/dev/vfio/%.16s", strrchr(link, '/') + 1);
	return open(path, O_RDWR | O_CLOEXEC);
}

static struct area map_area(struct vgpu *v, unsigned int bar, uint64_t off, uint64_t size,
			    uint64_t gpa)
{
	return (struct area){ vgpu_mmap(v, bar, off, size), gpa, size };
}

FIXTURE_SETUP(assigned)
{
	struct vgpu *v = &self->p.v;
	int ret = pair_begin(&self->p);

	if (ret == -ENODEV)
		SKIP(return, "needs two GPUs");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, mdev_create("blank", self->p.uuid));
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "blueprint", BLUEPRINT));
	ASSERT_EQ(0, pair_open(&self->p));
	self->area[VRAM_AREA] = map_area(v, TESS_BAR_VRAM, 0, 4 << 20, BAR_GPA);
	self->area[DOORBELLS] =
		map_area(v, TESS_BAR_REGS, TESS_DOORBELL_PAGE(0), 2 * PAGE, BAR_GPA + (8 << 20));
	self->area[COMPOSITION] =
		map_area(v, TESS_BAR_REGS, TESS_COMPOSITION_PAGE, PAGE, BAR_GPA + (16 << 20));
	ASSERT_EQ(0, assign(self->p.pci[self->p.away]));
	self->group = open_group_of(self->p.pci[self->p.away]);
	ASSERT_LE(0, self->group);
}

FIXTURE_TEARDOWN(assigned)
{
	pair_close(&self->p);
	close(self->group);
	EXPECT_EQ(0, give_back(self->p.pci[self->p.away]));
	EXPECT_TRUE(pair_end(&self->p));
}

static int join(struct __fixture_assigned *self)
{
	return ioctl(self->group, VFIO_GROUP_SET_CONTAINER, &self->p.v.container) ? -errno : 0;
}

static void touch(const struct area *area)
{
	uint64_t i;

	for (i = 0; i < area->size; i += PAGE)
		(void)*((volatile uint64_t *)area->mem + i / 8);
}

/* Untouched, and with pages behind it; as a whole, and one page of it */
TEST_F(assigned, reaches_no_bar)
{
	struct vgpu *v = &self->p.v;
	unsigned int i, touched;

	ASSERT_EQ(0, join(self));
	for (i = 0; i < AREAS; i++) {
		struct area *area = &self->area[i];

		ASSERT_NE(MAP_FAILED, area->mem);
		for (touched = 0; touched < 2; touched++) {
			EXPECT_EQ(-EFAULT, vgpu_map(v, area->mem, area->gpa, area->size, true));
			EXPECT_EQ(-EFAULT, vgpu_map(v, area->mem, area->gpa, PAGE, false));
			touch(area);
		}
	}
}

/* The guest's memory is what both work with, and a recomposition changes nothing for them */
TEST_F(assigned, shares_memory)
{
	struct vgpu *v = &self->p.v;
	struct ring r;

	ASSERT_EQ(0, join(self));
	ring_start(&r, v, 0);
	ring_fill(&r, DATA_GPA, DATA_SIZE, 0x01020304);
	ASSERT_EQ(0, ring_finish(&r));
	EXPECT_EQ(0x01020304, *(uint32_t *)ram_at(v, DATA_GPA));
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "blueprint", "slices=1 min=1"));
	ring_fill(&r, DATA_GPA, DATA_SIZE, 0x05060708);
	ASSERT_EQ(0, ring_finish(&r));
	EXPECT_EQ(0x05060708, *(uint32_t *)ram_at(v, DATA_GPA));
}

/* Mapped while no IOMMU was there, it is in the way of one, until it is unmapped */
TEST_F(assigned, comes_later)
{
	const struct area *vram = &self->area[VRAM_AREA];
	struct vgpu *v = &self->p.v;

	touch(vram);
	ASSERT_EQ(0, vgpu_map(v, vram->mem, vram->gpa, vram->size, true));
	EXPECT_EQ(-EFAULT, join(self));
	ASSERT_EQ(0, vgpu_unmap(v, vram->gpa, vram->size));
	EXPECT_EQ(0, join(self));
}

/* Contiguous memory that lies otherwise in the guest: tables of its pages go with them as a whole */
TEST_F(assigned, unmaps_whole_tables)
{
	const uint64_t huge = 2 << 20, size = 32 * huge;
	struct vgpu *v = &self->p.v;
	char *mem, *start;

	ASSERT_EQ(0, join(self));
	mem = mmap(NULL, size + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, mem);
	ASSERT_EQ(0, madvise(mem, size + huge, MADV_HUGEPAGE));
	start = (char *)(((uintptr_t)mem + huge - 1) & ~(huge - 1)) + PAGE;
	EXPECT_EQ(0, vgpu_map(v, start, BAR_GPA, size - PAGE, true));
	EXPECT_EQ(0, vgpu_unmap(v, BAR_GPA, size - PAGE));
	munmap(mem, size + huge);
}

TEST_HARNESS_MAIN
