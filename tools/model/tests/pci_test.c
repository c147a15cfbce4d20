// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: configuration space and MSI-X BAR of the PCI function
 *
 * The expected values are written out here, from Documentation/hw/pci.rst and
 * the PCI specifications, and share nothing with pci.c's own table.
 */
#include "tap.h"
#include "pci.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct row {
	const char *name;
	uint16_t off;
	uint8_t width;
	uint32_t reset;
	uint32_t writable;
};

static const struct row rows[] = {
	{ "vendor", 0x00, 2, 0x1234, 0 },
	{ "device", 0x02, 2, 0x7e55, 0 },
	{ "command", 0x04, 2, 0x0000, 0x0546 },
	{ "status", 0x06, 2, 0x0010, 0 },
	{ "revision", 0x08, 1, 0x01, 0 },
	{ "class", 0x09, 3, 0x038000, 0 },
	{ "cache line size", 0x0c, 1, 0, 0xff },
	{ "latency timer", 0x0d, 1, 0, 0 },
	{ "header type", 0x0e, 1, 0, 0 },
	{ "BIST", 0x0f, 1, 0, 0 },
	{ "BAR0", 0x10, 4, 0x00000004, 0xfff00000 },
	{ "BAR0 high", 0x14, 4, 0, 0xffffffff },
	{ "BAR2", 0x18, 4, 0x0000000c, 0xf0000000 },
	{ "BAR2 high", 0x1c, 4, 0, 0xffffffff },
	{ "BAR4", 0x20, 4, 0x00000004, 0xfffff000 },
	{ "BAR4 high", 0x24, 4, 0, 0xffffffff },
	{ "CardBus CIS", 0x28, 4, 0, 0 },
	{ "subsystem vendor", 0x2c, 2, 0x1234, 0 },
	{ "subsystem", 0x2e, 2, 0x7e55, 0 },
	{ "expansion ROM", 0x30, 4, 0, 0 },
	{ "capabilities", 0x34, 4, 0x40, 0 },
	{ "reserved", 0x38, 4, 0, 0 },
	{ "interrupt line", 0x3c, 1, 0, 0xff },
	{ "interrupt pin", 0x3d, 1, 0, 0 },
	{ "grant, latency", 0x3e, 2, 0, 0 },
	{ "PM header", 0x40, 2, 0x5001, 0 },
	{ "PM capabilities", 0x42, 2, 0x0003, 0 },
	{ "PM control", 0x44, 2, 0x0008, 0x0003 },
	{ "PM bridge, data", 0x46, 2, 0, 0 },
	{ "PCIe header", 0x50, 2, 0x9010, 0 },
	{ "PCIe capabilities", 0x52, 2, 0x0002, 0 },
	{ "device capabilities", 0x54, 4, 0x10008000, 0 },
	{ "device control", 0x58, 2, 0x2810, 0x78ff },
	{ "device status", 0x5a, 2, 0, 0 },
	{ "link capabilities", 0x5c, 4, 0x00400011, 0 },
	{ "link control", 0x60, 2, 0, 0x00c8 },
	{ "link status", 0x62, 2, 0x0011, 0 },
	{ "slot, root", 0x64, 4, 0, 0 },
	{ "device capabilities 2", 0x74, 4, 0x00000010, 0 },
	{ "device control 2", 0x78, 2, 0, 0x0010 },
	{ "link capabilities 2", 0x7c, 4, 0x00000002, 0 },
	{ "link control 2", 0x80, 2, 0x0001, 0x000f },
	{ "MSI-X header", 0x90, 2, 0x0011, 0 },
	{ "MSI-X control", 0x92, 2, 0x0003, 0xc000 },
	{ "MSI-X table", 0x94, 4, 0x00000004, 0 },
	{ "MSI-X PBA", 0x98, 4, 0x00000804, 0 },
	{ "DSN header", 0x100, 4, 0x00010003, 0 },
	{ "DSN low", 0x104, 4, 0x55667788, 0 },
	{ "DSN high", 0x108, 4, 0x11223344, 0 },
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

static struct pci_func *pci;
static unsigned int flrs, changes;

static void on_reset(void *opaque, enum pci_reset how)
{
	(void)opaque;
	flrs += how == PCI_RESET_FLR;
}

static void on_changed(void *opaque)
{
	(void)opaque;
	changes++;
}

static const struct pci_ops ops = { .reset = on_reset, .changed = on_changed };

static struct pci_desc desc = {
	.bars = { [0] = { 1 << 20, false }, [2] = { 256 << 20, true }, [4] = { 4096, false } },
	.serial = 0x1122334455667788,
	.nr_msix = 4,
};

static uint32_t rd(uint64_t off, size_t len)
{
	uint32_t val = 0;

	return pci_cfg_read(pci, off, &val, len) ? 0xdeadbeef : val;
}

static void wr(uint64_t off, size_t len, uint32_t val)
{
	pci_cfg_write(pci, off, &val, len);
}

static uint32_t ones(unsigned int width)
{
	return width == 4 ? UINT32_MAX : (1u << 8 * width) - 1;
}

#define DEVICE_CONTROL 0x58
#define INITIATE_FLR 0x8000

/*
 * All ones, all zeros, by the whole register and byte by byte. Initiate FLR stays
 * zero: it has a test of its own.
 */
static bool row_holds(const struct row *r, bool bytewise)
{
	uint32_t all = r->off == DEVICE_CONTROL ? 0xffff & ~INITIATE_FLR : ones(r->width);
	unsigned int step = bytewise ? 1 : r->width;
	unsigned int i;
	uint32_t high, low;

	for (i = 0; i < r->width; i += step)
		wr(r->off + i, step, all >> 8 * i);
	high = rd(r->off, r->width);
	for (i = 0; i < r->width; i += step)
		wr(r->off + i, step, 0);
	low = rd(r->off, r->width);
	return high == (r->reset | r->writable) && low == (r->reset & ~r->writable);
}

static void test_rows(void)
{
	unsigned int i;

	for (i = 0; i < NR_ROWS; i++) {
		const struct row *r = &rows[i];
		bool fine = rd(r->off, r->width) == r->reset;

		fine &= row_holds(r, false);
		pci_reset(pci);
		fine &= row_holds(r, true);
		pci_reset(pci);
		fine &= rd(r->off, r->width) == r->reset;
		ok(fine, "%s: reset value 0x%x, writable bits 0x%x", r->name, r->reset,
		   r->writable);
	}
}

static bool in_a_row(unsigned int off)
{
	unsigned int i;

	for (i = 0; i < NR_ROWS; i++) {
		if (off >= rows[i].off && off < rows[i].off + rows[i].width)
			return true;
	}
	return false;
}

static void test_rest(void)
{
	unsigned int off, bad = 0;

	for (off = 0; off < PCI_CFG_SIZE; off++) {
		if (in_a_row(off))
			continue;
		bad += rd(off, 1) != 0;
		wr(off, 1, 0xff);
		bad += rd(off, 1) != 0;
	}
	ok(!bad, "everything else reads as zero and cannot be written");
}

static void test_bounds(void)
{
	static uint8_t buf[PCI_CFG_SIZE + 1];

	ok(!pci_cfg_read(pci, 0, buf, PCI_CFG_SIZE) && buf[0] == 0x34 && buf[0x90] == 0x11,
	   "all of it in one read");
	ok(pci_cfg_read(pci, 0, buf, PCI_CFG_SIZE + 1) == -EINVAL &&
		   pci_cfg_read(pci, PCI_CFG_SIZE, buf, 1) == -EINVAL &&
		   pci_cfg_read(pci, UINT64_MAX, buf, 2) == -EINVAL &&
		   pci_cfg_write(pci, PCI_CFG_SIZE - 1, buf, 2) == -EINVAL &&
		   pci_cfg_write(pci, UINT64_MAX, buf, 1) == -EINVAL,
	   "beyond the end");
	wr(0x0b, 4, UINT32_MAX);
	ok(rd(0x08, 4) == 0x03800001 && rd(0x0c, 4) == 0xff, "a write across registers");
	pci_reset(pci);
}

static void test_sizing(void)
{
	wr(0x18, 4, UINT32_MAX);
	wr(0x1c, 4, UINT32_MAX);
	ok(~(((uint64_t)rd(0x1c, 4) << 32 | rd(0x18, 4)) & ~15ull) + 1 == 256 << 20,
	   "sizing BAR2 gives 256 MiB");
	wr(0x18, 4, 0xe0000000);
	wr(0x1c, 4, 0x12);
	ok(rd(0x18, 4) == 0xe000000c && rd(0x1c, 4) == 0x12, "an address stays");
	pci_reset(pci);
}

static void test_caps(void)
{
	static const uint8_t want[] = { 0x01, 0x10, 0x11 };
	unsigned int off = rd(0x34, 1), nr = 0, bad = 0;

	while (off && nr < 16) {
		bad += nr >= sizeof(want) || rd(off, 1) != want[nr] || off % 4 || off < 0x40;
		nr++;
		off = rd(off + 1, 1);
	}
	ok(!bad && nr == 3, "capability list: PM, PCIe, MSI-X");
	ok(rd(0x100, 4) >> 20 == 0, "extended capability list: DSN only");
}

static void test_command(void)
{
	changes = 0;
	ok(!pci_bus_master(pci) && !pci_mem_enabled(pci), "off at power-on");
	wr(4, 2, 0x0002);
	ok(!pci_bus_master(pci) && pci_mem_enabled(pci), "memory decoding");
	wr(4, 1, 0x06);
	ok(pci_bus_master(pci) && pci_mem_enabled(pci) && changes == 2, "and bus mastering");
	wr(5, 1, 0x04);
	ok(pci_bus_master(pci) && rd(4, 2) == 0x0406, "the high byte alone");
	changes = 0;
	wr(4, 2, 0x0406);
	wr(6, 2, 0xffff);
	ok(!changes && rd(6, 2) == 0x0010, "the same value again is no change");
}

static void test_power(void)
{
	wr(0x44, 2, 3);
	ok((rd(0x44, 2) & 3) == 3 && !pci_bus_master(pci) && !pci_mem_enabled(pci),
	   "D3hot: no decoding, no bus mastering");
	wr(0x44, 2, 1);
	ok((rd(0x44, 2) & 3) == 3, "D1 does not exist: discarded");
	wr(0x44, 2, 2);
	ok((rd(0x44, 2) & 3) == 3, "D2 does not exist: discarded");
	wr(0x44, 2, 0);
	ok(pci_bus_master(pci) && pci_mem_enabled(pci) && rd(4, 2) == 0x0406,
	   "D0: everything as before");
	ok(!flrs, "none of this is a reset");
}

static void test_msix_control(void)
{
	ok(!pci_msix_enabled(pci), "off at power-on");
	changes = 0;
	wr(0x92, 2, 0x8000);
	ok(pci_msix_enabled(pci) && changes == 1, "on");
	wr(0x92, 2, 0xc000);
	ok(!pci_msix_enabled(pci) && changes == 2, "function mask");
	wr(0x93, 1, 0x80);
	ok(pci_msix_enabled(pci), "unmasked, with a byte write");
	wr(4, 2, 2);
	ok(!pci_msix_enabled(pci), "not without bus mastering");
	wr(4, 2, 6);
}

static void test_flr(void)
{
	wr(0x10, 4, 0xfe000000);
	wr(0x58, 2, 0x2810 | 0x8000);
	ok(flrs == 1, "FLR is reported");
	ok(rd(0x10, 4) == 4 && rd(4, 2) == 0 && rd(0x92, 2) == 3 && rd(0x58, 2) == 0x2810 &&
		   !pci_bus_master(pci) && !pci_msix_enabled(pci),
	   "configuration space is as at power-on, the bit reads as zero");
	wr(0x59, 1, 0x80);
	ok(flrs == 2, "FLR with a byte write");
	wr(0x58, 2, 0x2810);
	ok(flrs == 2, "device control without the bit is no FLR");
}

static bool bar4_is(uint64_t off, size_t len, uint64_t want, uint64_t pending)
{
	uint64_t val = 0x5555555555555555;

	return !pci_msix_read(pci, off, &val, len, pending) && !memcmp(&val, &want, len);
}

static void test_table(void)
{
	uint64_t val = UINT64_MAX;
	unsigned int i, bad = 0;

	for (i = 0; i < 4; i++)
		bad += !bar4_is(16 * i, 8, 0, 0) || !bar4_is(16 * i + 8, 8, 1ull << 32, 0);
	ok(!bad, "all vectors are masked at power-on");
	ok(!pci_msix_write(pci, 0x10, &val, 4) && bar4_is(0x10, 4, 0xfffffffc, 0),
	   "address: the low bits are zero");
	ok(!pci_msix_write(pci, 0x18, &val, 8) && bar4_is(0x18, 8, 0x00000001ffffffff, 0),
	   "data and control with one write; control has one bit");
	ok(!pci_msix_write(pci, 0x14, &val, 2) && !pci_msix_write(pci, 0x14, &val, 1) &&
		   bar4_is(0x14, 4, 0, 0),
	   "narrow writes are ignored");
	ok(!pci_msix_write(pci, 0x40, &val, 8) && bar4_is(0x40, 8, 0, 0) &&
		   !pci_msix_write(pci, 0xff8, &val, 8) && bar4_is(0xff8, 8, 0, 0),
	   "nothing behind the table");
	ok(bar4_is(0x800, 8, 0x8000000000000005, 0x8000000000000005) &&
		   bar4_is(0x800, 1, 5, 0x8000000000000005) &&
		   bar4_is(0x804, 4, 0x80000000, 0x8000000000000005) &&
		   !pci_msix_write(pci, 0x800, &val, 8) && bar4_is(0x800, 8, 0, 0),
	   "pending bits: any width, read-only");
	ok(pci_msix_read(pci, 4096, &val, 1, 0) == -EINVAL &&
		   pci_msix_read(pci, 4094, &val, 4, 0) == -EINVAL &&
		   pci_msix_read(pci, 1, &val, 4, 0) == -EINVAL &&
		   pci_msix_read(pci, 0, &val, 3, 0) == -EINVAL &&
		   pci_msix_read(pci, 0, &val, 16, 0) == -EINVAL &&
		   pci_msix_read(pci, 0, &val, 0, 0) == -EINVAL &&
		   pci_msix_write(pci, UINT64_MAX - 7, &val, 8) == -EINVAL,
	   "bad accesses");
	wr(0x58, 2, 0x8000);
	ok(bar4_is(0x18, 8, 1ull << 32, 0), "FLR clears the table");
}

static void test_desc(void)
{
	struct pci_desc bad = desc;

	bad.bars[1].size = 4096;
	ok(!pci_create(&bad, &ops, NULL), "a BAR in the second half of another");
	bad = desc;
	bad.bars[2].size = 3 << 20;
	ok(!pci_create(&bad, &ops, NULL), "a BAR that is no power of two");
	bad = desc;
	bad.nr_msix = 65;
	ok(!pci_create(&bad, &ops, NULL), "too many vectors");
	bad.nr_msix = 0;
	ok(!pci_create(&bad, &ops, NULL), "no vectors");
	bad = desc;
	bad.bars[2].size = 1ull << 40;
	pci_destroy(pci);
	pci = pci_create(&bad, &ops, NULL);
	wr(0x18, 4, UINT32_MAX);
	wr(0x1c, 4, UINT32_MAX);
	ok(rd(0x18, 4) == 0xc && rd(0x1c, 4) == 0xffffff00, "a BAR of 1 TiB");
}

int main(void)
{
	pci = pci_create(&desc, &ops, NULL);
	if (!ok(pci, "create"))
		return done();
	test_rows();
	flrs = 0;
	test_rest();
	test_bounds();
	test_sizing();
	test_caps();
	test_command();
	test_power();
	test_msix_control();
	test_flr();
	test_table();
	test_desc();
	pci_destroy(pci);
	return done();
}
