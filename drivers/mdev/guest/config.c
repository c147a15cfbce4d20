// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: PCI configuration space
 *
 * A vGPU has the identity and the capabilities of the GPU (Documentation/hw/pci.rst):
 * power management, PCI Express endpoint with function level reset, MSI-X. The space
 * is made from a table of fields; what is not in it is zero and read-only. No field
 * has bits that are set by events, so nothing needs write-one-to-clear.
 *
 * Turning decoding or bus mastering off has no effect of its own: the VMM withdraws the
 * BARs from the guest, and what the GPU reaches is decided by stage 2.
 */
#include <linux/bitfield.h>
#include <linux/wordpart.h>
#include "base/mdev.h"
#include "base/region.h"
#include "config.h"

#define CAP_PM		0x40
#define CAP_EXP		0x50
#define CAP_MSIX	0x90

/**
 * struct tess_mdev_config_field - a field of the configuration space
 * @off: offset
 * @width: bytes, 1, 2 or 4
 * @reset: value after a reset
 * @rw: bits that software can write
 */
struct tess_mdev_config_field {
	u16 off;
	u8 width;
	u32 reset;
	u32 rw;
};

static const struct tess_mdev_config_field tess_mdev_config_fields[] = {
	{ PCI_VENDOR_ID, 2, TESS_PCI_VENDOR_ID, 0 },
	{ PCI_DEVICE_ID, 2, TESS_PCI_DEVICE_ID, 0 },
	{ PCI_COMMAND, 2, 0, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY |
	  PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE },
	{ PCI_STATUS, 2, PCI_STATUS_CAP_LIST, 0 },
	{ PCI_CLASS_REVISION, 4, TESS_PCI_CLASS << 8 | TESS_PCI_REVISION, 0 },
	{ PCI_CACHE_LINE_SIZE, 1, 0, 0xff },
	{ PCI_SUBSYSTEM_VENDOR_ID, 2, TESS_PCI_VENDOR_ID, 0 },
	{ PCI_SUBSYSTEM_ID, 2, TESS_PCI_DEVICE_ID, 0 },
	{ PCI_CAPABILITY_LIST, 1, CAP_PM, 0 },
	{ PCI_INTERRUPT_LINE, 1, 0, 0xff },

	{ CAP_PM + PCI_CAP_LIST_ID, 2, CAP_EXP << 8 | PCI_CAP_ID_PM, 0 },
	{ CAP_PM + PCI_PM_PMC, 2, 3, 0 },
	{ CAP_PM + PCI_PM_CTRL, 2, PCI_PM_CTRL_NO_SOFT_RESET, PCI_PM_CTRL_STATE_MASK },

	{ CAP_EXP + PCI_CAP_LIST_ID, 2, CAP_MSIX << 8 | PCI_CAP_ID_EXP, 0 },
	{ CAP_EXP + PCI_EXP_FLAGS, 2, PCI_EXP_TYPE_ENDPOINT << 4 | 2, 0 },
	{ CAP_EXP + PCI_EXP_DEVCAP, 4, PCI_EXP_DEVCAP_FLR | PCI_EXP_DEVCAP_RBER, 0 },
	{ CAP_EXP + PCI_EXP_DEVCTL, 2,
	  PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN | PCI_EXP_DEVCTL_READRQ_512B,
	  PCI_EXP_DEVCTL_CERE | PCI_EXP_DEVCTL_NFERE | PCI_EXP_DEVCTL_FERE |
	  PCI_EXP_DEVCTL_URRE | PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_PAYLOAD |
	  PCI_EXP_DEVCTL_NOSNOOP_EN | PCI_EXP_DEVCTL_READRQ },
	{ CAP_EXP + PCI_EXP_LNKCAP, 4,
	  PCI_EXP_LNKCAP_SLS_2_5GB | FIELD_PREP_CONST(PCI_EXP_LNKCAP_MLW, 1), 0 },
	{ CAP_EXP + PCI_EXP_LNKCTL, 2, 0,
	  PCI_EXP_LNKCTL_RCB | PCI_EXP_LNKCTL_CCC | PCI_EXP_LNKCTL_ES },
	{ CAP_EXP + PCI_EXP_LNKSTA, 2, PCI_EXP_LNKSTA_CLS_2_5GB | PCI_EXP_LNKSTA_NLW_X1, 0 },
	{ CAP_EXP + PCI_EXP_DEVCAP2, 4, PCI_EXP_DEVCAP2_COMP_TMOUT_DIS, 0 },
	{ CAP_EXP + PCI_EXP_DEVCTL2, 2, 0, PCI_EXP_DEVCTL2_COMP_TMOUT_DIS },
	{ CAP_EXP + PCI_EXP_LNKCAP2, 4, PCI_EXP_LNKCAP2_SLS_2_5GB, 0 },
	{ CAP_EXP + PCI_EXP_LNKCTL2, 2, PCI_EXP_LNKCTL2_TLS_2_5GT, PCI_EXP_LNKCTL2_TLS },

	{ CAP_MSIX + PCI_CAP_LIST_ID, 2, PCI_CAP_ID_MSIX, 0 },
	{ CAP_MSIX + PCI_MSIX_FLAGS, 2, TESS_IRQ_COUNT - 1,
	  PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL },
	{ CAP_MSIX + PCI_MSIX_TABLE, 4, TESS_BAR_MSIX, 0 },
	{ CAP_MSIX + PCI_MSIX_PBA, 4, TESS_MDEV_PBA_OFFSET | TESS_BAR_MSIX, 0 },
};

static void put_field(u8 *space, unsigned int off, unsigned int width, u32 val)
{
	unsigned int i;

	for (i = 0; i < width; i++)
		space[off + i] = val >> (8 * i);
}

/* All BARs are 64-bit memory and take two registers */
static void init_bar(struct tess_mdev_config *config, unsigned int bar, u64 size, u32 flags)
{
	unsigned int off = PCI_BASE_ADDRESS_0 + 4 * bar;
	u64 mask = ~(size - 1);

	put_field(config->reset, off, 4, PCI_BASE_ADDRESS_MEM_TYPE_64 | flags);
	put_field(config->rw, off, 4, lower_32_bits(mask));
	put_field(config->rw, off + 4, 4, upper_32_bits(mask));
}

void tess_mdev_config_init(struct tess_mdev *tm)
{
	struct tess_mdev_config *config = &tm->config;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tess_mdev_config_fields); i++) {
		const struct tess_mdev_config_field *f = &tess_mdev_config_fields[i];

		put_field(config->reset, f->off, f->width, f->reset);
		put_field(config->rw, f->off, f->width, f->rw);
	}
	init_bar(config, TESS_BAR_REGS, tess_mdev_region_size(tm, TESS_BAR_REGS), 0);
	init_bar(config, TESS_BAR_VRAM, tess_mdev_region_size(tm, TESS_BAR_VRAM),
		 PCI_BASE_ADDRESS_MEM_PREFETCH);
	init_bar(config, TESS_BAR_MSIX, tess_mdev_region_size(tm, TESS_BAR_MSIX), 0);
	tess_mdev_config_reset(tm);
}

void tess_mdev_config_reset(struct tess_mdev *tm)
{
	memcpy(tm->config.val, tm->config.reset, sizeof(tm->config.val));
}

void tess_mdev_config_read(struct tess_mdev *tm, u32 off, void *buf, unsigned int len)
{
	u8 *p = buf;
	unsigned int i;

	for (i = 0; i < len; i++)
		p[i] = off + i < TESS_MDEV_CONFIG_USED ? tm->config.val[off + i] : 0;
}

/* The bit that starts a function level reset, which reads as zero */
static bool is_flr(u32 off, const u8 *buf, unsigned int len)
{
	u32 at = CAP_EXP + PCI_EXP_DEVCTL + 1;

	return off <= at && at - off < len && (buf[at - off] & (PCI_EXP_DEVCTL_BCR_FLR >> 8));
}

bool tess_mdev_config_write(struct tess_mdev *tm, u32 off, const void *buf, unsigned int len)
{
	struct tess_mdev_config *config = &tm->config;
	const u8 *p = buf;
	unsigned int i;

	for (i = 0; i < len && off + i < TESS_MDEV_CONFIG_USED; i++) {
		u8 rw = config->rw[off + i];

		config->val[off + i] = (config->val[off + i] & ~rw) | (p[i] & rw);
	}
	return is_flr(off, buf, len);
}
