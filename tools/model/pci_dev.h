/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The GPU's PCI function behind a vfio-user socket: what the GPU itself uses.
 *
 * Everything runs in the thread that calls pci_dev_poll().
 */
#ifndef TESS_MODEL_PCI_DEV_H
#define TESS_MODEL_PCI_DEV_H

#include "pci.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

struct pci_dev;

/**
 * struct pci_dev_desc - the device
 * @socket: path of the socket to create
 * @vram: host memory of the VRAM, made with vfu_memfd()
 * @vram_fd: its descriptor
 * @vram_size: bytes, page-aligned; BAR2 is this rounded up to a power of two
 * @serial: device serial number
 * @log: where to report events; may be NULL
 */
struct pci_dev_desc {
	const char *socket;
	void *vram;
	int vram_fd;
	uint64_t vram_size;
	uint64_t serial;
	void (*log)(void *opaque, const char *msg);
};

/**
 * struct pci_dev_ops - the GPU
 *
 * All run inside pci_dev_poll() or pci_dev_destroy().
 */
struct pci_dev_ops {
	/**
	 * @reg_read: read @size bytes (1, 2, 4 or 8) at @off of BAR0, naturally
	 * aligned and inside the BAR.
	 */
	uint64_t (*reg_read)(void *opaque, uint32_t off, unsigned int size);

	/** @reg_write: the same for writing */
	void (*reg_write)(void *opaque, uint32_t off, uint64_t val, unsigned int size);

	/** @reset: the whole GPU goes to its power-on state; VRAM is scrubbed by the GPU */
	void (*reset)(void *opaque, enum pci_reset how);

	/**
	 * @dma_invalidate: forget pointers from pci_dev_dma_ptr() for
	 * [@addr, @addr + @size); 0 with UINT64_MAX means all. Also called
	 * when bus mastering goes off.
	 */
	void (*dma_invalidate)(void *opaque, uint64_t addr, uint64_t size);
};

struct pci_dev *pci_dev_create(const struct pci_dev_desc *desc, const struct pci_dev_ops *ops,
			       void *opaque);
void pci_dev_destroy(struct pci_dev *d);

/** pci_dev_fd() - descriptor that is readable when pci_dev_poll() has work */
int pci_dev_fd(const struct pci_dev *d);

/** pci_dev_poll() - as vfu_poll() */
int pci_dev_poll(struct pci_dev *d, int timeout_ms);

/**
 * pci_dev_dma_ptr() - host address of bus address @addr
 *
 * As vfu_dma_ptr(), and NULL if bus mastering is off or the range does not
 * fit into the function's 40-bit addresses.
 */
void *pci_dev_dma_ptr(struct pci_dev *d, uint64_t addr, uint64_t len, int prot);

/**
 * pci_dev_irq_raise() - raise MSI-X vector @vector
 *
 * Pending until the driver enables and unmasks it. Ignored for a vector
 * that does not exist.
 */
void pci_dev_irq_raise(struct pci_dev *d, unsigned int vector);

/** pci_dev_bus_master() - may the GPU do DMA now? */
bool pci_dev_bus_master(const struct pci_dev *d);

/** pci_dev_connected() - is a VMM attached? */
bool pci_dev_connected(const struct pci_dev *d);

#endif /* TESS_MODEL_PCI_DEV_H */
