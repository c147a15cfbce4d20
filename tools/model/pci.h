/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PCI function: configuration space and MSI-X, independent of how the
 * client reaches it. pci_dev.h puts it behind a vfio-user socket.
 * Specification: Documentation/hw/pci.rst.
 */
#ifndef TESS_MODEL_PCI_H
#define TESS_MODEL_PCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PCI_CFG_SIZE 4096
#define PCI_NUM_BARS 6

/**
 * enum pci_reset - kinds of reset, see Documentation/hw/pci.rst
 * @PCI_RESET_FLR: Initiate Function Level Reset was written
 * @PCI_RESET_BUS: conventional reset (the VMM resets the machine)
 * @PCI_RESET_GONE: the VMM went away
 */
enum pci_reset {
	PCI_RESET_FLR,
	PCI_RESET_BUS,
	PCI_RESET_GONE,
};

/**
 * struct pci_bar - one base address register
 * @size: bytes, a power of two, at least 4096; 0 if there is none
 * @prefetchable: reads have no side effects
 *
 * All are 64-bit memory BARs and take two registers.
 */
struct pci_bar {
	uint64_t size;
	bool prefetchable;
};

/**
 * struct pci_desc - what differs between functions
 * @bars: by BAR number; only 0, 2 and 4 can be used
 * @serial: device serial number (EUI-64)
 * @nr_msix: vectors, 1 to 64; table and PBA are in BAR4
 */
struct pci_desc {
	struct pci_bar bars[PCI_NUM_BARS];
	uint64_t serial;
	unsigned int nr_msix;
};

/**
 * struct pci_ops - what the function needs from those around it
 * @reset: FLR was asked for. The configuration space is reset after it returns
 * @changed: bus mastering, memory decoding, power state or the MSI-X control
 *	bits have changed
 */
struct pci_ops {
	void (*reset)(void *opaque, enum pci_reset how);
	void (*changed)(void *opaque);
};

struct pci_func;

/** pci_create() - make a function in its power-on state; NULL if out of memory or @desc is bad */
struct pci_func *pci_create(const struct pci_desc *desc, const struct pci_ops *ops, void *opaque);
void pci_destroy(struct pci_func *p);

/**
 * pci_cfg_read() - read configuration space
 * @p: function
 * @off: offset; @off + @len has to be at most PCI_CFG_SIZE
 * @buf: where to
 * @len: bytes, any number at any alignment
 *
 * Returns 0, or -EINVAL if the range is not inside the configuration space.
 */
int pci_cfg_read(const struct pci_func *p, uint64_t off, void *buf, size_t len);

/** pci_cfg_write() - the same for writing; each byte follows its own access rule */
int pci_cfg_write(struct pci_func *p, uint64_t off, const void *buf, size_t len);

/** pci_reset() - put configuration space and MSI-X into the power-on state */
void pci_reset(struct pci_func *p);

/** pci_bus_master() - may the function do DMA and send interrupts now? */
bool pci_bus_master(const struct pci_func *p);

/** pci_mem_enabled() - does the function decode its BARs now (and is it in D0)? */
bool pci_mem_enabled(const struct pci_func *p);

/** pci_msix_enabled() - may MSI-X messages be sent now (enabled, not function-masked, bus master)? */
bool pci_msix_enabled(const struct pci_func *p);

/**
 * pci_msix_read() - read BAR4: MSI-X table and pending bit array
 * @p: function
 * @off: offset into BAR4
 * @buf: where to
 * @len: 1, 2, 4 or 8
 * @pending: the vectors that are pending now
 *
 * Returns 0 or -EINVAL.
 */
int pci_msix_read(const struct pci_func *p, uint64_t off, void *buf, size_t len, uint64_t pending);

/** pci_msix_write() - write BAR4; the pending bit array ignores it */
int pci_msix_write(struct pci_func *p, uint64_t off, const void *buf, size_t len);

#endif /* TESS_MODEL_PCI_H */
