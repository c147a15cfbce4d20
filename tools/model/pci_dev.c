// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: the function on its socket
 *
 * Joins struct pci_func (what software sees in configuration space) and struct
 * vfu (how a VMM reaches it), and applies the rules that need both: no register
 * access while memory decoding is off, no DMA and no interrupt while bus
 * mastering is off, reset in all its forms.
 */
#include "pci_dev.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tessera/hw/tess_mem.h"
#include "tessera/hw/tess_regs.h"
#include "vfu/vfu.h"

#define MSIX_BAR_SIZE 4096

/**
 * struct pci_dev - the device
 * @vram_area: the part of BAR2 that has memory
 * @held: vectors raised while MSI-X could not send; they go out when it can
 * @master: bus mastering was on when it was last looked at
 */
struct pci_dev {
	const struct pci_dev_ops *ops;
	void *opaque;
	void (*log)(void *opaque, const char *msg);
	struct vfu *vfu;
	struct pci_func *func;
	struct vfu_area vram_area;
	uint64_t held;
	bool master;
};

static void send_held(struct pci_dev *d)
{
	unsigned int i;

	for (i = 0; i < TESS_IRQ_COUNT; i++) {
		if (d->held & (1ull << i))
			vfu_irq_raise(d->vfu, i);
	}
	d->held = 0;
}

static void func_changed(void *opaque)
{
	struct pci_dev *d = opaque;
	bool master = pci_bus_master(d->func);

	if (d->master && !master)
		d->ops->dma_invalidate(d->opaque, 0, UINT64_MAX);
	d->master = master;
	if (d->held && pci_msix_enabled(d->func))
		send_held(d);
}

static void func_reset(void *opaque, enum pci_reset how)
{
	struct pci_dev *d = opaque;

	d->ops->reset(d->opaque, how);
	d->held = 0;
	vfu_irq_clear(d->vfu);
}

static const struct pci_ops func_ops = {
	.reset = func_reset,
	.changed = func_changed,
};

static bool is_register_access(uint64_t off, size_t len)
{
	return (len == 1 || len == 2 || len == 4 || len == 8) && off % len == 0;
}

static void regs_read(struct pci_dev *d, uint64_t off, void *buf, size_t len)
{
	uint64_t val;

	memset(buf, 0, len);
	if (!is_register_access(off, len))
		return;
	val = d->ops->reg_read(d->opaque, off, len);
	memcpy(buf, &val, len);
}

static void regs_write(struct pci_dev *d, uint64_t off, const void *buf, size_t len)
{
	uint64_t val = 0;

	if (!is_register_access(off, len))
		return;
	memcpy(&val, buf, len);
	d->ops->reg_write(d->opaque, off, val, len);
}

static int region_read(void *opaque, unsigned int region, uint64_t off, void *buf, size_t len)
{
	struct pci_dev *d = opaque;

	if (region == VFIO_PCI_CONFIG_REGION_INDEX)
		return pci_cfg_read(d->func, off, buf, len);
	if (!pci_mem_enabled(d->func)) {
		memset(buf, 0xff, len);
		return 0;
	}
	switch (region) {
	case TESS_BAR_REGS:
		regs_read(d, off, buf, len);
		return 0;
	case TESS_BAR_MSIX:
		return pci_msix_read(d->func, off, buf, len, d->held | vfu_irq_pending(d->vfu));
	default:
		/* the part of BAR2 that has no VRAM */
		memset(buf, 0, len);
		return 0;
	}
}

static int region_write(void *opaque, unsigned int region, uint64_t off, const void *buf,
			size_t len)
{
	struct pci_dev *d = opaque;

	if (region == VFIO_PCI_CONFIG_REGION_INDEX)
		return pci_cfg_write(d->func, off, buf, len);
	if (!pci_mem_enabled(d->func))
		return 0;
	if (region == TESS_BAR_REGS)
		regs_write(d, off, buf, len);
	else if (region == TESS_BAR_MSIX)
		return pci_msix_write(d->func, off, buf, len);
	return 0;
}

static void vfu_reset(void *opaque, enum vfu_reset why)
{
	struct pci_dev *d = opaque;

	func_reset(d, why == VFU_RESET_GONE ? PCI_RESET_GONE : PCI_RESET_BUS);
	pci_reset(d->func);
	func_changed(d);
}

static void dma_unmap(void *opaque, uint64_t iova, uint64_t size)
{
	struct pci_dev *d = opaque;

	d->ops->dma_invalidate(d->opaque, iova, size);
}

static void client_new(void *opaque)
{
	struct pci_dev *d = opaque;

	if (d->log)
		d->log(d->opaque, "VMM attached");
}

static void client_gone(void *opaque)
{
	struct pci_dev *d = opaque;

	if (d->log)
		d->log(d->opaque, "VMM gone");
}

static void report(void *opaque, const char *msg)
{
	struct pci_dev *d = opaque;

	if (d->log)
		d->log(d->opaque, msg);
}

static const struct vfu_ops server_ops = {
	.region_read = region_read,
	.region_write = region_write,
	.reset = vfu_reset,
	.dma_unmap = dma_unmap,
	.client_new = client_new,
	.client_gone = client_gone,
};

static uint64_t round_up_pow2(uint64_t size)
{
	uint64_t pow2 = TESS_PAGE_SIZE;

	while (pow2 < size)
		pow2 <<= 1;
	return pow2;
}

static struct pci_func *create_func(const struct pci_dev_desc *desc, struct pci_dev *d)
{
	struct pci_desc func = {
		.bars = {
			[TESS_BAR_REGS] = { TESS_REGS_SIZE, false },
			[TESS_BAR_VRAM] = { round_up_pow2(desc->vram_size), true },
			[TESS_BAR_MSIX] = { MSIX_BAR_SIZE, false },
		},
		.serial = desc->serial,
		.nr_msix = TESS_IRQ_COUNT,
	};

	return pci_create(&func, &func_ops, d);
}

static struct vfu *create_server(const struct pci_dev_desc *desc, struct pci_dev *d)
{
	const uint32_t rw = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	struct vfu_desc server = { .nr_msix = TESS_IRQ_COUNT, .log = report };
	struct vfu_region *r = server.regions;
	unsigned int i;

	for (i = 0; i < VFIO_PCI_NUM_REGIONS; i++)
		r[i].fd = -1;
	r[TESS_BAR_REGS].size = TESS_REGS_SIZE;
	r[TESS_BAR_REGS].flags = rw;
	r[TESS_BAR_MSIX].size = MSIX_BAR_SIZE;
	r[TESS_BAR_MSIX].flags = rw;
	r[VFIO_PCI_CONFIG_REGION_INDEX].size = PCI_CFG_SIZE;
	r[VFIO_PCI_CONFIG_REGION_INDEX].flags = rw;
	r[TESS_BAR_VRAM].size = round_up_pow2(desc->vram_size);
	r[TESS_BAR_VRAM].flags = rw | VFIO_REGION_INFO_FLAG_MMAP;
	r[TESS_BAR_VRAM].fd = desc->vram_fd;
	r[TESS_BAR_VRAM].mem = desc->vram;
	r[TESS_BAR_VRAM].mem_size = desc->vram_size;
	/* A BAR larger than the VRAM: the memory ends before the region does. */
	if (r[TESS_BAR_VRAM].size != desc->vram_size) {
		d->vram_area.size = desc->vram_size;
		r[TESS_BAR_VRAM].areas = &d->vram_area;
		r[TESS_BAR_VRAM].nr_areas = 1;
	}
	return vfu_create(desc->socket, &server, &server_ops, d);
}

struct pci_dev *pci_dev_create(const struct pci_dev_desc *desc, const struct pci_dev_ops *ops,
			       void *opaque)
{
	struct pci_dev *d;
	int err;

	if (!desc->vram_size || desc->vram_size % TESS_PAGE_SIZE ||
	    desc->vram_size > 1ull << TESS_BUS_BITS) {
		errno = EINVAL;
		return NULL;
	}
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->ops = ops;
	d->opaque = opaque;
	d->log = desc->log;
	d->func = create_func(desc, d);
	if (!d->func) {
		err = ENOMEM;
		goto err_free;
	}
	d->vfu = create_server(desc, d);
	if (!d->vfu) {
		err = errno;
		goto err_func;
	}
	return d;

err_func:
	pci_destroy(d->func);
err_free:
	free(d);
	errno = err;
	return NULL;
}

void pci_dev_destroy(struct pci_dev *d)
{
	if (!d)
		return;
	vfu_destroy(d->vfu);
	pci_destroy(d->func);
	free(d);
}

int pci_dev_fd(const struct pci_dev *d)
{
	return vfu_fd(d->vfu);
}

int pci_dev_poll(struct pci_dev *d, int timeout_ms)
{
	return vfu_poll(d->vfu, timeout_ms);
}

void *pci_dev_dma_ptr(struct pci_dev *d, uint64_t addr, uint64_t len, int prot)
{
	const uint64_t end = 1ull << TESS_BUS_BITS;

	if (!d->master || len > end || addr > end - len)
		return NULL;
	return vfu_dma_ptr(d->vfu, addr, len, prot);
}

void pci_dev_irq_raise(struct pci_dev *d, unsigned int vector)
{
	if (vector >= TESS_IRQ_COUNT)
		return;
	if (pci_msix_enabled(d->func))
		vfu_irq_raise(d->vfu, vector);
	else
		d->held |= 1ull << vector;
}

bool pci_dev_bus_master(const struct pci_dev *d)
{
	return d->master;
}

bool pci_dev_connected(const struct pci_dev *d)
{
	return vfu_connected(d->vfu);
}
