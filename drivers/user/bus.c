// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bus of a GPU that is served by a process.
 *
 * DOC: Bus
 *
 * The device has DMA operations of its own. A bus address is the physical address; what is mapped
 * for DMA is *granted*: for each page the number of mappings that let the device read it, and of
 * those that let it write, in an xarray. The server's mapping of the bus gets an entry of page
 * tables for a page that is granted, when it touches it. When the last grant of a page goes, so do
 * the entries, before the page is unmapped for the driver: on return of dma_unmap_*() the server
 * does not reach it. So the CPU's page tables are the IOMMU of this device.
 *
 * An entry is made with @sem held for reading. Who takes a grant away changes the number, waits for
 * those who may have seen the old one, and removes entries. So DMA of this device is unmapped where
 * sleeping is allowed, as all drivers of this stack do.
 *
 * A mapping needs memory for its number. If there is none it fails, as one does for which an IOMMU
 * has no room.
 */
#include <linux/device.h>
#include <linux/dma-map-ops.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/xarray.h>
#include <tessera/hw/tess_mem.h>

#include "bus.h"
#include "compat.h"
#include "user.h"

/* Number of a page: writers above, readers below */
#define GRANT_WRITER	BIT(24)
#define GRANT_READERS	(GRANT_WRITER - 1)
#define GRANT_MAX	(BIT(23) - 1)

void tess_user_bus_init(struct tess_user_bus *bus)
{
	xa_init(&bus->grants);
	init_rwsem(&bus->sem);
}

void tess_user_bus_fini(struct tess_user_bus *bus)
{
	xa_destroy(&bus->grants);
}

static struct tess_user_bus *dev_bus(struct device *dev)
{
	struct tess_user *user = dev_get_platdata(dev);

	return &user->bus;
}

/* ---- the server's mapping ---- */

/**
 * tess_user_bus_granted() - may the server reach a page?
 * @bus: bus; @sem is held
 * @pfn: page frame number
 *
 * Return: what it may do.
 */
enum tess_user_grant tess_user_bus_granted(struct tess_user_bus *bus, unsigned long pfn)
{
	void *entry;

	lockdep_assert_held(&bus->sem);
	entry = bus->silent ? NULL : xa_load(&bus->grants, pfn);
	if (!entry)
		return TESS_USER_GRANT_NONE;
	return xa_to_value(entry) >= GRANT_WRITER ? TESS_USER_GRANT_WRITE : TESS_USER_GRANT_READ;
}

/* Entries that were made of what a page was, or is being made, are gone on return */
static void bus_zap(struct tess_user_bus *bus, unsigned long pfn, unsigned long count)
{
	struct address_space *mapping;

	down_write(&bus->sem);
	mapping = bus->mapping;
	up_write(&bus->sem);
	if (mapping)
		unmap_mapping_range(mapping, TESSERA_USER_BUS + ((loff_t)pfn << PAGE_SHIFT),
				    (loff_t)count << PAGE_SHIFT, 1);
}

/**
 * tess_user_bus_silence() - let the GPU access memory, or keep it from that
 * @bus: bus
 * @silent: nothing can be accessed
 *
 * May sleep.
 */
void tess_user_bus_silence(struct tess_user_bus *bus, bool silent)
{
	down_write(&bus->sem);
	bus->silent = silent;
	up_write(&bus->sem);
	if (silent)
		bus_zap(bus, 0, BIT(TESSERA_USER_BUS_BITS - PAGE_SHIFT));
}

/* ---- grants ---- */

static unsigned long grant_unit(enum dma_data_direction dir)
{
	return dir == DMA_TO_DEVICE ? 1 : GRANT_WRITER;
}

static bool grant_is_full(unsigned long value)
{
	return (value & GRANT_READERS) >= GRANT_MAX || value / GRANT_WRITER >= GRANT_MAX;
}

/* Returns 1 if a page that could be read only can be written from now on */
static int grant_page(struct tess_user_bus *bus, unsigned long pfn, unsigned long unit)
{
	unsigned long value;
	void *entry;
	int rc;

	xa_lock(&bus->grants);
	entry = xa_load(&bus->grants, pfn);
	value = entry ? xa_to_value(entry) : 0;
	rc = grant_is_full(value) ? -ENOSPC :
		xa_err(__xa_store(&bus->grants, pfn, xa_mk_value(value + unit), GFP_ATOMIC));
	xa_unlock(&bus->grants);
	return rc ?: value && value < GRANT_WRITER && unit == GRANT_WRITER;
}

/* True: entries of the page have to go */
static bool revoke_page(struct tess_user_bus *bus, unsigned long pfn, unsigned long unit)
{
	unsigned long value;

	xa_lock(&bus->grants);
	value = xa_to_value(xa_load(&bus->grants, pfn)) - unit;
	if (value)
		__xa_store(&bus->grants, pfn, xa_mk_value(value), GFP_ATOMIC);
	else
		__xa_erase(&bus->grants, pfn);
	xa_unlock(&bus->grants);
	return !value || (unit == GRANT_WRITER && value < GRANT_WRITER);
}

static void bus_revoke(struct tess_user_bus *bus, phys_addr_t phys, size_t size,
		       enum dma_data_direction dir)
{
	unsigned long pfn = PHYS_PFN(phys), end = PHYS_PFN(phys + size - 1) + 1, i;
	bool zap = false;

	might_sleep();
	for (i = pfn; i < end; i++)
		zap |= revoke_page(bus, i, grant_unit(dir));
	if (zap)
		bus_zap(bus, pfn, end - pfn);
}

static int bus_grant(struct tess_user_bus *bus, phys_addr_t phys, size_t size,
		     enum dma_data_direction dir)
{
	unsigned long pfn = PHYS_PFN(phys), end = PHYS_PFN(phys + size - 1) + 1, i;
	bool zap = false;

	if (phys + size > BIT_ULL(TESS_BUS_BITS))
		return -EIO;
	for (i = pfn; i < end; i++) {
		int rc = grant_page(bus, i, grant_unit(dir));

		if (rc < 0) {
			if (i > pfn)
				bus_revoke(bus, phys, PFN_PHYS(i) - phys, dir);
			return rc;
		}
		zap |= rc;
	}
	if (zap)
		bus_zap(bus, pfn, end - pfn);
	return 0;
}

/* ---- DMA operations ---- */

static void *bus_alloc(struct device *dev, size_t size, dma_addr_t *dma, gfp_t gfp,
		       unsigned long attrs)
{
	void *mem = alloc_pages_exact(size, (gfp & ~__GFP_COMP) | __GFP_ZERO);

	if (!mem)
		return NULL;
	if (bus_grant(dev_bus(dev), virt_to_phys(mem), size, DMA_BIDIRECTIONAL)) {
		free_pages_exact(mem, size);
		return NULL;
	}
	*dma = virt_to_phys(mem);
	return mem;
}

static void bus_free(struct device *dev, size_t size, void *mem, dma_addr_t dma,
		     unsigned long attrs)
{
	bus_revoke(dev_bus(dev), dma, size, DMA_BIDIRECTIONAL);
	free_pages_exact(mem, size);
}

static dma_addr_t bus_map_phys(struct device *dev, phys_addr_t phys, size_t size,
			       enum dma_data_direction dir, unsigned long attrs)
{
	return bus_grant(dev_bus(dev), phys, size, dir) ? DMA_MAPPING_ERROR : phys;
}

static void bus_unmap_phys(struct device *dev, dma_addr_t dma, size_t size,
			   enum dma_data_direction dir, unsigned long attrs)
{
	bus_revoke(dev_bus(dev), dma, size, dir);
}

static void bus_unmap_sg(struct device *dev, struct scatterlist *list, int count,
			 enum dma_data_direction dir, unsigned long attrs)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(list, sg, count, i)
		bus_revoke(dev_bus(dev), sg_phys(sg), sg->length, dir);
}

static int bus_map_sg(struct device *dev, struct scatterlist *list, int count,
		      enum dma_data_direction dir, unsigned long attrs)
{
	struct scatterlist *sg;
	int i, rc;

	for_each_sg(list, sg, count, i) {
		rc = bus_grant(dev_bus(dev), sg_phys(sg), sg->length, dir);
		if (rc) {
			bus_unmap_sg(dev, list, i, dir, attrs);
			return rc;
		}
		sg_dma_address(sg) = sg_phys(sg);
		sg_dma_len(sg) = sg->length;
	}
	return count;
}

#ifdef TESS_USER_MAPS_PAGES
static dma_addr_t bus_map_page(struct device *dev, struct page *page, unsigned long offset,
			       size_t size, enum dma_data_direction dir, unsigned long attrs)
{
	return bus_map_phys(dev, page_to_phys(page) + offset, size, dir, attrs);
}
#endif

static const struct dma_map_ops bus_dma_ops = {
	.alloc = bus_alloc,
	.free = bus_free,
#ifdef TESS_USER_MAPS_PAGES
	.map_page = bus_map_page,
	.unmap_page = bus_unmap_phys,
#else
	.map_phys = bus_map_phys,
	.unmap_phys = bus_unmap_phys,
#endif
	.map_sg = bus_map_sg,
	.unmap_sg = bus_unmap_sg,
};

/**
 * tess_user_bus_attach() - DMA of a device goes to its server
 * @dev: device whose platform data is its struct tess_user
 */
void tess_user_bus_attach(struct device *dev)
{
	set_dma_ops(dev, &bus_dma_ops);
}
