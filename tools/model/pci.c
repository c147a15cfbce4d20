// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: PCI function
 *
 * Configuration space is a table of registers, expanded at creation into three
 * byte arrays: value, writable bits, write-1-to-clear bits. Accesses of any
 * width and alignment are then the same loop over bytes; registers with side
 * effects have a hook that runs when the bytes are in place. Whatever is in no
 * row reads as zero and ignores writes.
 *
 * The MSI-X table is storage: a VMM keeps the real one, and tells the transport
 * which vectors are connected and masked. Only the two control bits in
 * configuration space act here.
 */
#include "pci.h"

#include <errno.h>
#include <linux/pci_regs.h>
#include <stdlib.h>
#include <string.h>

#include "tessera/hw/tess_regs.h"

/* Where the capabilities are. */
#define CAP_PM 0x40
#define CAP_EXP 0x50
#define CAP_MSIX 0x90
#define CAP_DSN 0x100

#define MSIX_PBA_OFFSET 0x800
#define MSIX_MAX_VECTORS 64

#define MSIX_ADDRESS_MASK 0xfffffffcu

#define POWER_D0 0
#define POWER_D3HOT 3

#define EXP_VERSION 2
#define EXP_LINK_WIDTH_X1 (1u << 4)

struct pci_func {
	const struct pci_ops *ops;
	void *opaque;
	struct pci_desc desc;
	bool flr;
	uint8_t val[PCI_CFG_SIZE];
	uint8_t reset_val[PCI_CFG_SIZE];
	uint8_t rw[PCI_CFG_SIZE];
	uint8_t w1c[PCI_CFG_SIZE];
	uint8_t table[MSIX_MAX_VECTORS * PCI_MSIX_ENTRY_SIZE];
};

/**
 * struct cfg_reg - a row of the configuration space
 * @off: offset
 * @width: bytes
 * @reset: power-on value
 * @rw: bits that can be written
 * @w1c: bits that writing 1 clears
 * @wrote: runs after a write that touched the register; @old is what it held
 */
struct cfg_reg {
	uint16_t off;
	uint8_t width;
	uint32_t reset;
	uint32_t rw;
	uint32_t w1c;
	void (*wrote)(struct pci_func *p, const struct cfg_reg *r, uint32_t old);
};

static uint32_t get(const uint8_t *bytes, unsigned int off, unsigned int width)
{
	uint32_t val = 0;

	while (width--)
		val = val << 8 | bytes[off + width];
	return val;
}

static void put(uint8_t *bytes, unsigned int off, unsigned int width, uint32_t val)
{
	for (; width--; off++, val >>= 8)
		bytes[off] = val;
}

static void control_wrote(struct pci_func *p, const struct cfg_reg *r, uint32_t old)
{
	if (get(p->val, r->off, r->width) != old)
		p->ops->changed(p->opaque);
}

/* A power state that does not exist is discarded; the rest of the write holds. */
static void pmcsr_wrote(struct pci_func *p, const struct cfg_reg *r, uint32_t old)
{
	uint32_t val = get(p->val, r->off, r->width);
	uint32_t state = val & PCI_PM_CTRL_STATE_MASK;

	if (state != POWER_D0 && state != POWER_D3HOT)
		put(p->val, r->off, r->width,
		    (val & ~PCI_PM_CTRL_STATE_MASK) | (old & PCI_PM_CTRL_STATE_MASK));
	control_wrote(p, r, old);
}

static void devctl_wrote(struct pci_func *p, const struct cfg_reg *r, uint32_t old)
{
	uint32_t val = get(p->val, r->off, r->width);

	(void)old;
	if (!(val & PCI_EXP_DEVCTL_BCR_FLR))
		return;
	put(p->val, r->off, r->width, val & ~PCI_EXP_DEVCTL_BCR_FLR);
	p->flr = true;
}

static const struct cfg_reg cfg_regs[] = {
	/* header */
	{ PCI_VENDOR_ID, 2, TESS_PCI_VENDOR_ID, 0, 0, NULL },
	{ PCI_DEVICE_ID, 2, TESS_PCI_DEVICE_ID, 0, 0, NULL },
	{ PCI_COMMAND, 2, 0,
	  PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY | PCI_COMMAND_SERR |
		  PCI_COMMAND_INTX_DISABLE,
	  0, control_wrote },
	{ PCI_STATUS, 2, PCI_STATUS_CAP_LIST, 0,
	  PCI_STATUS_PARITY | PCI_STATUS_SIG_TARGET_ABORT | PCI_STATUS_REC_TARGET_ABORT |
		  PCI_STATUS_REC_MASTER_ABORT | PCI_STATUS_SIG_SYSTEM_ERROR |
		  PCI_STATUS_DETECTED_PARITY,
	  NULL },
	{ PCI_CLASS_REVISION, 4, TESS_PCI_CLASS << 8 | TESS_PCI_REVISION, 0, 0, NULL },
	{ PCI_CACHE_LINE_SIZE, 1, 0, 0xff, 0, NULL },
	{ PCI_SUBSYSTEM_VENDOR_ID, 2, TESS_PCI_VENDOR_ID, 0, 0, NULL },
	{ PCI_SUBSYSTEM_ID, 2, TESS_PCI_DEVICE_ID, 0, 0, NULL },
	{ PCI_CAPABILITY_LIST, 1, CAP_PM, 0, 0, NULL },
	{ PCI_INTERRUPT_LINE, 1, 0, 0xff, 0, NULL },

	/* power management: D0 and D3hot, no PME, state survives D3hot */
	{ CAP_PM, 2, CAP_EXP << 8 | PCI_CAP_ID_PM, 0, 0, NULL },
	{ CAP_PM + PCI_PM_PMC, 2, 3, 0, 0, NULL },
	{ CAP_PM + PCI_PM_CTRL, 2, PCI_PM_CTRL_NO_SOFT_RESET, PCI_PM_CTRL_STATE_MASK, 0,
	  pmcsr_wrote },

	/* PCI Express endpoint, 2.5 GT/s x1 */
	{ CAP_EXP, 2, CAP_MSIX << 8 | PCI_CAP_ID_EXP, 0, 0, NULL },
	{ CAP_EXP + PCI_EXP_FLAGS, 2, PCI_EXP_TYPE_ENDPOINT << 4 | EXP_VERSION, 0, 0, NULL },
	{ CAP_EXP + PCI_EXP_DEVCAP, 4, PCI_EXP_DEVCAP_FLR | PCI_EXP_DEVCAP_RBER, 0, 0, NULL },
	{ CAP_EXP + PCI_EXP_DEVCTL, 2,
	  PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN | PCI_EXP_DEVCTL_READRQ_512B,
	  PCI_EXP_DEVCTL_CERE | PCI_EXP_DEVCTL_NFERE | PCI_EXP_DEVCTL_FERE | PCI_EXP_DEVCTL_URRE |
		  PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_PAYLOAD | PCI_EXP_DEVCTL_NOSNOOP_EN |
		  PCI_EXP_DEVCTL_READRQ | PCI_EXP_DEVCTL_BCR_FLR,
	  0, devctl_wrote },
	{ CAP_EXP + PCI_EXP_DEVSTA, 2, 0, 0,
	  PCI_EXP_DEVSTA_CED | PCI_EXP_DEVSTA_NFED | PCI_EXP_DEVSTA_FED | PCI_EXP_DEVSTA_URD,
	  NULL },
	{ CAP_EXP + PCI_EXP_LNKCAP, 4,
	  PCI_EXP_LNKCAP_SLS_2_5GB | EXP_LINK_WIDTH_X1 | 1u << 22 /* ASPM optionality */, 0, 0,
	  NULL },
	{ CAP_EXP + PCI_EXP_LNKCTL, 2, 0,
	  PCI_EXP_LNKCTL_RCB | PCI_EXP_LNKCTL_CCC | PCI_EXP_LNKCTL_ES, 0, NULL },
	{ CAP_EXP + PCI_EXP_LNKSTA, 2, PCI_EXP_LNKSTA_CLS_2_5GB | EXP_LINK_WIDTH_X1, 0, 0, NULL },
	{ CAP_EXP + PCI_EXP_DEVCAP2, 4, PCI_EXP_DEVCAP2_COMP_TMOUT_DIS, 0, 0, NULL },
	{ CAP_EXP + PCI_EXP_DEVCTL2, 2, 0, PCI_EXP_DEVCTL2_COMP_TMOUT_DIS, 0, NULL },
	{ CAP_EXP + PCI_EXP_LNKCAP2, 4, PCI_EXP_LNKCAP2_SLS_2_5GB, 0, 0, NULL },
	{ CAP_EXP + PCI_EXP_LNKCTL2, 2, PCI_EXP_LNKCTL2_TLS_2_5GT, PCI_EXP_LNKCTL2_TLS, 0, NULL },

	/* MSI-X; the table size is filled in at creation */
	{ CAP_MSIX, 2, PCI_CAP_ID_MSIX, 0, 0, NULL },
	{ CAP_MSIX + PCI_MSIX_FLAGS, 2, 0, PCI_MSIX_FLAGS_MASKALL | PCI_MSIX_FLAGS_ENABLE, 0,
	  control_wrote },
	{ CAP_MSIX + PCI_MSIX_TABLE, 4, TESS_BAR_MSIX, 0, 0, NULL },
	{ CAP_MSIX + PCI_MSIX_PBA, 4, MSIX_PBA_OFFSET | TESS_BAR_MSIX, 0, 0, NULL },

	/* device serial number; the number is filled in at creation */
	{ CAP_DSN, 4, 1u << 16 | PCI_EXT_CAP_ID_DSN, 0, 0, NULL },
};

#define NR_CFG_REGS (sizeof(cfg_regs) / sizeof(cfg_regs[0]))

static void init_bar(struct pci_func *p, unsigned int bar)
{
	unsigned int off = PCI_BASE_ADDRESS_0 + 4 * bar;
	uint64_t mask = ~(p->desc.bars[bar].size - 1);

	if (!p->desc.bars[bar].size)
		return;
	put(p->reset_val, off, 4,
	    PCI_BASE_ADDRESS_MEM_TYPE_64 |
		    (p->desc.bars[bar].prefetchable ? PCI_BASE_ADDRESS_MEM_PREFETCH : 0));
	put(p->rw, off, 4, mask & PCI_BASE_ADDRESS_MEM_MASK);
	put(p->rw, off + 4, 4, mask >> 32);
}

static void init_config(struct pci_func *p)
{
	unsigned int i;

	for (i = 0; i < NR_CFG_REGS; i++) {
		const struct cfg_reg *r = &cfg_regs[i];

		put(p->reset_val, r->off, r->width, r->reset);
		put(p->rw, r->off, r->width, r->rw);
		put(p->w1c, r->off, r->width, r->w1c);
	}
	for (i = 0; i < PCI_NUM_BARS; i += 2)
		init_bar(p, i);
	put(p->reset_val, CAP_MSIX + PCI_MSIX_FLAGS, 2, p->desc.nr_msix - 1);
	put(p->reset_val, CAP_DSN + 4, 4, p->desc.serial);
	put(p->reset_val, CAP_DSN + 8, 4, p->desc.serial >> 32);
}

static bool desc_is_valid(const struct pci_desc *desc)
{
	unsigned int i;

	for (i = 0; i < PCI_NUM_BARS; i++) {
		uint64_t size = desc->bars[i].size;

		if (size && ((i & 1) || size < 4096 || (size & (size - 1))))
			return false;
	}
	return desc->nr_msix && desc->nr_msix <= MSIX_MAX_VECTORS;
}

struct pci_func *pci_create(const struct pci_desc *desc, const struct pci_ops *ops, void *opaque)
{
	struct pci_func *p;

	if (!desc_is_valid(desc))
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->desc = *desc;
	p->ops = ops;
	p->opaque = opaque;
	init_config(p);
	pci_reset(p);
	return p;
}

void pci_destroy(struct pci_func *p)
{
	free(p);
}

void pci_reset(struct pci_func *p)
{
	unsigned int i;

	memcpy(p->val, p->reset_val, sizeof(p->val));
	memset(p->table, 0, sizeof(p->table));
	for (i = 0; i < p->desc.nr_msix; i++)
		p->table[i * PCI_MSIX_ENTRY_SIZE + PCI_MSIX_ENTRY_VECTOR_CTRL] =
			PCI_MSIX_ENTRY_CTRL_MASKBIT;
}

static bool in_config(uint64_t off, size_t len)
{
	return len <= PCI_CFG_SIZE && off <= PCI_CFG_SIZE - len;
}

int pci_cfg_read(const struct pci_func *p, uint64_t off, void *buf, size_t len)
{
	if (!in_config(off, len))
		return -EINVAL;
	memcpy(buf, p->val + off, len);
	return 0;
}

static void run_hooks(struct pci_func *p, const uint8_t *old, uint64_t off, size_t len)
{
	unsigned int i;

	for (i = 0; i < NR_CFG_REGS; i++) {
		const struct cfg_reg *r = &cfg_regs[i];

		if (r->wrote && r->off < off + len && r->off + r->width > off)
			r->wrote(p, r, get(old, r->off, r->width));
	}
}

int pci_cfg_write(struct pci_func *p, uint64_t off, const void *buf, size_t len)
{
	const uint8_t *in = buf;
	uint8_t old[PCI_CFG_SIZE];
	size_t i;

	if (!in_config(off, len))
		return -EINVAL;
	memcpy(old, p->val, sizeof(old));
	for (i = 0; i < len; i++) {
		uint8_t *val = &p->val[off + i];
		uint8_t rw = p->rw[off + i];

		*val = (*val & ~rw) | (in[i] & rw);
		*val &= ~(in[i] & p->w1c[off + i]);
	}
	run_hooks(p, old, off, len);
	if (p->flr) {
		p->flr = false;
		p->ops->reset(p->opaque, PCI_RESET_FLR);
		pci_reset(p);
		p->ops->changed(p->opaque);
	}
	return 0;
}

static bool in_d0(const struct pci_func *p)
{
	return (get(p->val, CAP_PM + PCI_PM_CTRL, 2) & PCI_PM_CTRL_STATE_MASK) == POWER_D0;
}

bool pci_bus_master(const struct pci_func *p)
{
	return in_d0(p) && (get(p->val, PCI_COMMAND, 2) & PCI_COMMAND_MASTER);
}

bool pci_mem_enabled(const struct pci_func *p)
{
	return in_d0(p) && (get(p->val, PCI_COMMAND, 2) & PCI_COMMAND_MEMORY);
}

bool pci_msix_enabled(const struct pci_func *p)
{
	uint32_t control = get(p->val, CAP_MSIX + PCI_MSIX_FLAGS, 2);

	return pci_bus_master(p) && (control & PCI_MSIX_FLAGS_ENABLE) &&
	       !(control & PCI_MSIX_FLAGS_MASKALL);
}

static bool bar4_access_is_valid(uint64_t off, size_t len)
{
	return (len == 1 || len == 2 || len == 4 || len == 8) && off % len == 0 &&
	       off <= 4096 - len;
}

static size_t table_size(const struct pci_func *p)
{
	return p->desc.nr_msix * PCI_MSIX_ENTRY_SIZE;
}

int pci_msix_read(const struct pci_func *p, uint64_t off, void *buf, size_t len, uint64_t pending)
{
	if (!bar4_access_is_valid(off, len))
		return -EINVAL;
	memset(buf, 0, len);
	if (off < table_size(p)) {
		memcpy(buf, p->table + off, len);
	} else if (off >= MSIX_PBA_OFFSET && off < MSIX_PBA_OFFSET + sizeof(pending)) {
		uint8_t pba[sizeof(pending)];

		put(pba, 0, 4, pending);
		put(pba, 4, 4, pending >> 32);
		memcpy(buf, pba + (off - MSIX_PBA_OFFSET), len);
	}
	return 0;
}

static void write_table(struct pci_func *p, uint64_t off, uint32_t val)
{
	switch (off % PCI_MSIX_ENTRY_SIZE) {
	case PCI_MSIX_ENTRY_LOWER_ADDR:
		val &= MSIX_ADDRESS_MASK;
		break;
	case PCI_MSIX_ENTRY_VECTOR_CTRL:
		val &= PCI_MSIX_ENTRY_CTRL_MASKBIT;
		break;
	}
	put(p->table, off, 4, val);
}

/* The table takes 32-bit and 64-bit writes, as specified; others are ignored. */
int pci_msix_write(struct pci_func *p, uint64_t off, const void *buf, size_t len)
{
	size_t i;

	if (!bar4_access_is_valid(off, len))
		return -EINVAL;
	if (len < 4 || off >= table_size(p))
		return 0;
	for (i = 0; i < len; i += 4)
		write_table(p, off + i, get(buf, i, 4));
	return 0;
}
