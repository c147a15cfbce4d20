// SPDX-License-Identifier: GPL-2.0-only
/*
 * PCI buses for GPUs that are served by processes.
 *
 * DOC: PCI identity
 *
 * libvirt and others that manage hosts list parents of mediated devices that are PCI devices, and
 * no others. So the device of a served GPU is a PCI function: each GPU gets a root bus in a domain
 * that the machine does not have, with one function. The number of the bus is that of the GPU. The
 * function has a configuration space that says what it is, and nothing else: no BARs, no interrupts
 * and no capabilities, so nothing can be done with it but to bind the driver. Stores to it are
 * dropped.
 */
#include <linux/err.h>
#include <linux/numa.h>
#include <linux/pci.h>
#include <tessera/hw/tess_regs.h>

#include "root.h"

/* Tried first; any that is free will do */
#define ROOT_DOMAIN	0x7e55

static const u32 root_config[PCI_STD_HEADER_SIZEOF / 4] = {
	[PCI_VENDOR_ID / 4] = TESS_USER_PCI_DEVICE_ID << 16 | TESS_PCI_VENDOR_ID,
	[PCI_CLASS_REVISION / 4] = TESS_PCI_CLASS << 8 | TESS_PCI_REVISION,
	[PCI_SUBSYSTEM_VENDOR_ID / 4] = TESS_USER_PCI_DEVICE_ID << 16 | TESS_PCI_VENDOR_ID,
};

/**
 * struct user_root - what belongs to a root bus, and goes with its bridge
 * @sysdata: what x86 wants to know of a bus
 * @number: the bus number, which it has alone
 */
struct user_root {
	struct pci_sysdata sysdata;
	struct resource number;
};

static struct device *root_parent;
static int root_domain = ROOT_DOMAIN;

static int root_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *val)
{
	if (devfn || where + size > PCI_CFG_SPACE_SIZE) {
		PCI_SET_ERROR_RESPONSE(val);
		return PCIBIOS_DEVICE_NOT_FOUND;
	}
	*val = where / 4 < ARRAY_SIZE(root_config) ? root_config[where / 4] : 0;
	*val = *val >> where % 4 * 8 & GENMASK(size * 8 - 1, 0);
	return PCIBIOS_SUCCESSFUL;
}

static int root_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 val)
{
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops root_ops = {
	.read = root_read,
	.write = root_write,
};

/**
 * tess_user_root_init() - find a domain
 *
 * Return: 0 or negative errno.
 */
int tess_user_root_init(void)
{
	while (pci_find_bus(root_domain, 0))
		root_domain++;
	root_parent = root_device_register("tessera_user");
	return PTR_ERR_OR_ZERO(root_parent);
}

void tess_user_root_exit(void)
{
	root_device_unregister(root_parent);
}

static struct pci_host_bridge *root_bridge(unsigned int index)
{
	struct pci_host_bridge *bridge = pci_alloc_host_bridge(sizeof(struct user_root));
	struct user_root *root;

	if (!bridge)
		return NULL;
	root = pci_host_bridge_priv(bridge);
	root->sysdata = (struct pci_sysdata){ .domain = root_domain, .node = NUMA_NO_NODE };
	root->number = (struct resource){
		.name = "tessera_user",
		.start = index,
		.end = index,
		.flags = IORESOURCE_BUS,
	};
	bridge->dev.parent = root_parent;
	bridge->sysdata = &root->sysdata;
	bridge->ops = &root_ops;
	pci_add_resource(&bridge->windows, &root->number);
	return bridge;
}

/**
 * tess_user_root_remove() - take a bus away, with its function
 * @bus: bus
 */
void tess_user_root_remove(struct pci_bus *bus)
{
	struct pci_host_bridge *bridge = pci_find_host_bridge(bus);

	pci_lock_rescan_remove();
	pci_stop_root_bus(bus);
	pci_remove_root_bus(bus);
	pci_unlock_rescan_remove();
	/* The reference of root_bridge(): removal of the bus keeps it */
	pci_free_host_bridge(bridge);
}

/**
 * tess_user_root_scan() - make the bus of a GPU
 * @index: number of the GPU, below TESS_USER_MAX_GPUS
 *
 * Its function is bound to no driver: it has no platform data, which the driver wants to have.
 *
 * Return: bus or error pointer.
 */
struct pci_bus *tess_user_root_scan(unsigned int index)
{
	struct pci_host_bridge *bridge = root_bridge(index);
	int rc;

	if (!bridge)
		return ERR_PTR(-ENOMEM);
	pci_lock_rescan_remove();
	rc = pci_scan_root_bus_bridge(bridge);
	if (!rc)
		pci_bus_add_devices(bridge->bus);
	pci_unlock_rescan_remove();
	if (rc) {
		pci_free_host_bridge(bridge);
		return ERR_PTR(rc);
	}
	return bridge->bus;
}

/**
 * tess_user_root_bind() - bind the driver to the function of a bus
 * @bus: bus
 * @data: platform data of the function
 *
 * Not part of the scan, because PCI devices of the whole system can neither come nor go meanwhile.
 *
 * Return: 0: the driver was asked; -ENODEV.
 */
int tess_user_root_bind(struct pci_bus *bus, void *data)
{
	struct pci_dev *pdev = pci_get_slot(bus, 0);
	int rc;

	/* Somebody may have removed it by sysfs */
	if (!pdev)
		return -ENODEV;
	pdev->dev.platform_data = data;
	rc = device_attach(&pdev->dev);
	pci_dev_put(pdev);
	return rc < 0 ? rc : 0;
}
