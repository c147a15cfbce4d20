// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: registers
 *
 * The trapped part of BAR0. The global page is answered here, from a table, with what
 * this client has: its slices, engines and memory. Client pages are those of the
 * slices: they name client-physical addresses only, which stage 2 translates, so that
 * there is nothing in them that has to be checked beyond what the GPU itself checks.
 * Some writes have a meaning for the host too and are watched. Host pages do not exist.
 * Pages of display heads are in head.c.
 *
 * A client must not see whether its vslice is on a slice or parked. The core answers for
 * parked ones; what it does not know is the write index that was stored to a parked
 * doorbell and that the register would have by now. And a slice forgets the low half of a
 * 64-bit write when its client changes, so halves are joined here.
 *
 * What a slice is, is answered from the host's copy of the composition, so that registers,
 * page and generation always say the same. A vslice that is withheld reads as absent there;
 * all its other registers work as before, for a client that has not noticed.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/wordpart.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/memory.h>
#include <tessera/vslice.h>
#include "base/mdev.h"
#include "base/parts.h"
#include "base/vram.h"
#include "display/head.h"
#include "map/doorbell.h"
#include "mem/record.h"
#include "regs.h"
#include "reset.h"

/**
 * struct tess_mdev_reg - a register of the global page
 * @off: offset
 * @width: 4 or 8
 * @read: its value; NULL: reads as zero
 * @write: takes a value; NULL: ignored
 */
struct tess_mdev_reg {
	u16 off;
	u8 width;
	u64 (*read)(struct tess_mdev *tm);
	void (*write)(struct tess_mdev *tm, u64 val);
};

static u64 regs_read_id(struct tess_mdev *tm)
{
	return TESS_ID_VALUE;
}

static u64 regs_read_version(struct tess_mdev *tm)
{
	return FIELD_PREP(TESS_VERSION_MAJOR, 1);
}

static u64 regs_read_caps(struct tess_mdev *tm)
{
	/* A VMM that has it open finds that it has heads, or never will */
	return tm->ident.caps |
	       (tm->display.present ? TESS_CAPS_DISPLAY | TESS_CAPS_FRAME_PERIOD |
				      TESS_CAPS_HEAD_DAMAGE | TESS_CAPS_HEAD_CURSOR : 0);
}

static u64 regs_read_slice_count(struct tess_mdev *tm)
{
	return tm->vslices;
}

static u64 regs_comp_get64(struct tess_mdev *tm, const __le64 *field)
{
	guard(mutex)(&tm->page.lock);
	return le64_to_cpup(field);
}

static u32 regs_comp_get32(struct tess_mdev *tm, const __le32 *field)
{
	guard(mutex)(&tm->page.lock);
	return le32_to_cpup(field);
}

static u64 regs_read_slice_mask(struct tess_mdev *tm)
{
	return regs_comp_get64(tm, &tm->page.comp->slice_mask);
}

static u64 regs_read_engine_mask(struct tess_mdev *tm)
{
	return regs_comp_get32(tm, &tm->page.comp->engines);
}

static u64 regs_read_head_mask(struct tess_mdev *tm)
{
	return regs_comp_get32(tm, &tm->page.comp->heads);
}

static u64 regs_read_vram_size(struct tess_mdev *tm)
{
	return tm->vram ? tm->vram->size : 0;
}

static u64 regs_read_bank_size(struct tess_mdev *tm)
{
	return tm->ident.bank_size;
}

static u64 regs_read_clock_khz(struct tess_mdev *tm)
{
	return tm->ident.clock_khz;
}

static u64 regs_read_limits(struct tess_mdev *tm)
{
	return tm->ident.limits;
}

static u64 regs_read_time(struct tess_mdev *tm)
{
	guard(rwsem_read)(&tm->map_lock);
	return tess_mdev_time(tm);
}

static u64 regs_read_generation(struct tess_mdev *tm)
{
	return regs_comp_get64(tm, &tm->page.comp->generation);
}

static u64 regs_client_reg(struct tess_mdev *tm, unsigned int vslice, u32 off, unsigned int len)
{
	const struct tess_mdev_vslice vs = tess_mdev_find(&tm->parts, vslice);
	u64 val = 0;

	return tess_vslice_reg_read(vs.vgpu, vs.index, off, len, &val) ? 0 : val;
}

/*
 * The call-back that notes a fault can be later than the client, which may have seen
 * and acknowledged it in the slice's own page: ask the slices that are noted.
 */
static u64 regs_read_fault_pending(struct tess_mdev *tm)
{
	u64 noted = atomic64_read(&tm->bars.fault_pending), mask = 0;
	unsigned int i;

	for (i = 0; i < tm->vslices; i++) {
		if (!(noted & BIT_ULL(i)))
			continue;
		if (regs_client_reg(tm, i, TESS_SREG_STATUS, 4) & TESS_STATUS_FAULTED)
			mask |= BIT_ULL(i);
	}
	return mask;
}

static u64 regs_read_event_pending(struct tess_mdev *tm)
{
	return atomic64_read(&tm->bars.event_pending);
}

static void regs_write_event_pending(struct tess_mdev *tm, u64 val)
{
	atomic64_andnot(val, &tm->bars.event_pending);
}

static void regs_invalidate(struct tess_mdev *tm, u64 mask)
{
	unsigned int i;

	for (i = 0; i < tm->vslices; i++) {
		struct tess_mdev_vslice vs;

		if (!(mask & BIT_ULL(i)))
			continue;
		vs = tess_mdev_find(&tm->parts, i);
		tess_vslice_reg_write(vs.vgpu, vs.index, TESS_SREG_TLB_INVALIDATE, 4, 1);
	}
}

static void regs_write_invalidate_low(struct tess_mdev *tm, u64 val)
{
	regs_invalidate(tm, lower_32_bits(val));
}

static void regs_write_invalidate_high(struct tess_mdev *tm, u64 val)
{
	regs_invalidate(tm, val << TESS_TLB_INVALIDATE_SLICES);
}

static void regs_write_reset(struct tess_mdev *tm, u64 val)
{
	if (val == TESS_RESET_KEY)
		tess_mdev_reset_gpu(tm);
}

static const struct tess_mdev_reg tess_mdev_global_regs[] = {
	{ TESS_REG_ID, 4, regs_read_id, NULL },
	{ TESS_REG_VERSION, 4, regs_read_version, NULL },
	{ TESS_REG_CAPS, 4, regs_read_caps, NULL },
	{ TESS_REG_SLICE_COUNT, 4, regs_read_slice_count, NULL },
	{ TESS_REG_SLICE_MASK, 8, regs_read_slice_mask, NULL },
	{ TESS_REG_ENGINE_MASK, 4, regs_read_engine_mask, NULL },
	{ TESS_REG_HEAD_MASK, 4, regs_read_head_mask, NULL },
	{ TESS_REG_VRAM_SIZE, 8, regs_read_vram_size, NULL },
	{ TESS_REG_BANK_SIZE, 8, regs_read_bank_size, NULL },
	{ TESS_REG_CLOCK_KHZ, 4, regs_read_clock_khz, NULL },
	{ TESS_REG_LIMITS, 4, regs_read_limits, NULL },
	{ TESS_REG_TIME, 8, regs_read_time, NULL },
	{ TESS_REG_GENERATION, 8, regs_read_generation, NULL },
	{ TESS_REG_RESET, 4, NULL, regs_write_reset },
	{ TESS_REG_FAULT_PENDING, 8, regs_read_fault_pending, NULL },
	{ TESS_REG_HFAULT_PENDING, 8, NULL, NULL },
	{ TESS_REG_EVENT_PENDING, 8, regs_read_event_pending, regs_write_event_pending },
	{ TESS_REG_TLB_INVALIDATE(0), 4, NULL, regs_write_invalidate_low },
	{ TESS_REG_TLB_INVALIDATE(1), 4, NULL, regs_write_invalidate_high },
};

static const struct tess_mdev_reg *regs_find(u32 off)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tess_mdev_global_regs); i++) {
		const struct tess_mdev_reg *reg = &tess_mdev_global_regs[i];

		if (off >= reg->off && off - reg->off < reg->width)
			return reg;
	}
	return NULL;
}

static u64 regs_global_read(struct tess_mdev *tm, u32 off, unsigned int len)
{
	const struct tess_mdev_reg *reg = regs_find(off);
	u64 val;

	if (!reg || !reg->read || len > reg->width)
		return 0;
	val = reg->read(tm);
	return off == reg->off ? val : upper_32_bits(val);
}

/* True if @val is complete: a 64-bit register takes its halves over with the high one */
static bool regs_join_halves(u32 *low, u32 off, unsigned int len, u64 *val)
{
	if (len == 8)
		return true;
	if (!(off & 4)) {
		*low = *val;
		return false;
	}
	*val = *val << 32 | *low;
	return true;
}

static void regs_global_write(struct tess_mdev *tm, u32 off, unsigned int len, u64 val)
{
	const struct tess_mdev_reg *reg = regs_find(off);

	if (!reg || !reg->write || len > reg->width)
		return;
	/* There is one of 64 bits */
	if (reg->width == 4 || regs_join_halves(&tm->bars.event_low, off, len, &val))
		reg->write(tm, val);
}

static u64 regs_composition_read(struct tess_mdev *tm, u32 off, unsigned int len)
{
	u64 val = 0;

	mutex_lock(&tm->page.lock);
	memcpy(&val, (u8 *)tm->page.comp + off, len);
	mutex_unlock(&tm->page.lock);
	return val;
}

/* What a store to a parked doorbell makes of a register */
static u64 regs_client_parked(struct tess_mdev *tm, unsigned int vslice, u32 off, u64 val,
			      u64 parked)
{
	switch (off) {
	case TESS_SREG_WPTR:
		return parked;
	case TESS_SREG_WPTR + 4:
		return upper_32_bits(parked);
	case TESS_SREG_STATUS:
		if (regs_client_reg(tm, vslice, TESS_SREG_RPTR, 8) != parked)
			val |= TESS_STATUS_BUSY;
		return val;
	default:
		return val;
	}
}

/* The register of a slice's shape at @off; NULL: it is another */
static const __le32 *regs_shape_reg(const struct tess_composition_slice *slice, u32 off)
{
	switch (off) {
	case TESS_SREG_KIND:
		return &slice->kind;
	case TESS_SREG_CORES:
		return &slice->cores;
	case TESS_SREG_ENGINES:
		return &slice->engines;
	default:
		return NULL;
	}
}

static u64 regs_client_dynamic(struct tess_mdev *tm, unsigned int vslice, u32 off, unsigned int len)
{
	/* Before the register: what is forwarded in between is there then */
	u64 parked = tess_mdev_doorbell_parked(tm, vslice);
	u64 val = regs_client_reg(tm, vslice, off, len);

	if (parked)
		val = regs_client_parked(tm, vslice, off, val, parked);
	return len == 4 ? lower_32_bits(val) : val;
}

static u64 regs_client_read(struct tess_mdev *tm, unsigned int vslice, u32 off, unsigned int len)
{
	const __le32 *shape = regs_shape_reg(&tm->page.comp->slice[vslice], off);

	if (!shape)
		return regs_client_dynamic(tm, vslice, off, len);
	return len == 4 ? regs_comp_get32(tm, shape) : 0;
}

static void regs_client_reset(struct tess_mdev *tm, unsigned int vslice)
{
	const struct tess_mdev_vslice vs = tess_mdev_find(&tm->parts, vslice);

	memset(tm->bars.low[vslice], 0, sizeof(tm->bars.low[vslice]));
	/* First: what is parked was stored before, and must not come after */
	tess_mdev_doorbell_forget(tm, vslice);
	tess_vslice_reset(vs.vgpu, vs.index);
	tess_mdev_record_update(tm, vslice);
}

/* Low half of a register of 64 bits, NULL: it is none that can be written */
static u32 *regs_client_low(struct tess_mdev *tm, unsigned int vslice, u32 off)
{
	u32 *low = tm->bars.low[vslice];

	switch (off & ~4) {
	case TESS_SREG_RING_BASE:
		return &low[TESS_MDEV_WIDE_RING_BASE];
	case TESS_SREG_RPTR:
		return &low[TESS_MDEV_WIDE_RPTR];
	case TESS_SREG_WPTR:
		return &low[TESS_MDEV_WIDE_WPTR];
	case TESS_SREG_COMPLETION:
		return &low[TESS_MDEV_WIDE_COMPLETION];
	default:
		return NULL;
	}
}

static void regs_client_write_wide(struct tess_mdev *tm, unsigned int vslice, u32 off,
				   unsigned int len, u64 val)
{
	const struct tess_mdev_vslice vs = tess_mdev_find(&tm->parts, vslice);

	if (!regs_join_halves(regs_client_low(tm, vslice, off), off, len, &val))
		return;
	off &= ~4;
	tess_vslice_reg_write(vs.vgpu, vs.index, off, 8, val);
	if (off == TESS_SREG_COMPLETION)
		tess_mdev_record_update(tm, vslice);
}

static void regs_client_write(struct tess_mdev *tm, unsigned int vslice, u32 off, unsigned int len,
			      u64 val)
{
	const struct tess_mdev_vslice vs = tess_mdev_find(&tm->parts, vslice);

	if (regs_client_low(tm, vslice, off)) {
		regs_client_write_wide(tm, vslice, off, len, val);
		return;
	}
	/* Before the GPU goes on: a fault that follows must not be lost */
	if (off == TESS_SREG_FAULT_ACK || off == TESS_SREG_RESET)
		atomic64_andnot(BIT_ULL(vslice), &tm->bars.fault_pending);
	if (off != TESS_SREG_RESET)
		tess_vslice_reg_write(vs.vgpu, vs.index, off, len, val);
	else if (lower_32_bits(val) == 1)
		regs_client_reset(tm, vslice);
}

static void regs_doorbell_write(struct tess_mdev *tm, unsigned int vslice, u32 off,
				unsigned int len, u64 val)
{
	const struct tess_mdev_vslice vs = tess_mdev_find(&tm->parts, vslice);
	u32 at = off & (TESS_PAGE_SIZE - 1);

	if ((at & ~4) != TESS_DOORBELL_WPTR ||
	    !regs_join_halves(&tm->bars.low[vslice][TESS_MDEV_WIDE_DOORBELL], at, len, &val))
		return;
	/* An older value must not come after this one */
	if (tess_mdev_doorbell_parked(tm, vslice))
		tess_mdev_doorbell_forget(tm, vslice);
	tess_vslice_kick(vs.vgpu, vs.index, val);
}

/* Whether @off is in the @count pages that start at @first; @n tells in which */
static bool regs_in_pages(u32 off, u32 first, unsigned int count, unsigned int *n)
{
	if (off < first)
		return false;
	*n = (off - first) / TESS_PAGE_SIZE;
	return *n < count;
}

u64 tess_mdev_regs_read(struct tess_mdev *tm, u32 off, unsigned int len)
{
	unsigned int n;

	lockdep_assert_held(&tm->lock);
	atomic64_inc(&tm->stats.traps);
	if (off >= TESS_COMPOSITION_PAGE && off < TESS_COMPOSITION_PAGE + TESS_PAGE_SIZE)
		return regs_composition_read(tm, off - TESS_COMPOSITION_PAGE, len);
	if (len < 4)
		return 0;
	if (off < TESS_GLOBAL_PAGE + TESS_PAGE_SIZE)
		return regs_global_read(tm, off, len);
	if (regs_in_pages(off, TESS_CLIENT_PAGE(0), tm->vslices, &n))
		return regs_client_read(tm, n, off & (TESS_PAGE_SIZE - 1), len);
	if (regs_in_pages(off, TESS_HEAD_PAGE(0), TESS_HEADS_MAX, &n))
		return tess_mdev_head_read(tm, n, off & (TESS_PAGE_SIZE - 1), len);
	return 0;
}

void tess_mdev_regs_write(struct tess_mdev *tm, u32 off, unsigned int len, u64 val)
{
	unsigned int n;

	lockdep_assert_held(&tm->lock);
	atomic64_inc(&tm->stats.traps);
	if (len < 4)
		return;
	if (off < TESS_GLOBAL_PAGE + TESS_PAGE_SIZE)
		regs_global_write(tm, off, len, val);
	else if (regs_in_pages(off, TESS_CLIENT_PAGE(0), tm->vslices, &n))
		regs_client_write(tm, n, off & (TESS_PAGE_SIZE - 1), len, val);
	else if (regs_in_pages(off, TESS_DOORBELL_PAGE(0), tm->vslices, &n))
		regs_doorbell_write(tm, n, off, len, val);
	else if (regs_in_pages(off, TESS_HEAD_PAGE(0), TESS_HEADS_MAX, &n))
		tess_mdev_head_write(tm, n, off & (TESS_PAGE_SIZE - 1), len, val);
}
