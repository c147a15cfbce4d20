// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: SWITCH
 *
 * Halt, SAVE, RESTORE, new settings and RUN in one operation, from a descriptor in
 * memory. It is done in two parts: everything is checked, and what is restored is
 * read, while the slice is as it was; then nothing can fail any more. So a host
 * that makes a mistake, or finds a damaged image, still has its present client.
 *
 * TIMER and NOTIFY are loaded at once. They begin when the operation ends, for
 * both stand still while the slice is BUSY.
 */
#include <endian.h>
#include <stddef.h>

#include "context.h"
#include "gpu_priv.h"

#define FLAGS                                                                   \
	(TESS_CTX_SWITCH_SAVE | TESS_CTX_SWITCH_RESTORE | TESS_CTX_SWITCH_RUN | \
	 TESS_CTX_SWITCH_STAGE2 | TESS_CTX_SWITCH_COUNTS | TESS_CTX_SWITCH_UNIT_CYCLES)

_Static_assert(sizeof(struct tess_ctx_switch) == 128 &&
		       offsetof(struct tess_ctx_switch, status) >= 64 &&
		       offsetof(struct tess_ctx_switch, used) >= 64 &&
		       offsetof(struct tess_ctx_switch, time) >= 64 &&
		       offsetof(struct tess_ctx_switch, unit_cycles) >= 64 &&
		       offsetof(struct tess_ctx_switch, counts) >= 64,
	       "results are in one half, which does not cross a page");

_Static_assert(TESS_COUNTER_COUNT + TESS_CTX_SWITCH_NR_COUNTS == COUNTER(UNIT_CYCLES) &&
		       COUNTER(UNIT_CYCLES) + 1 == TESS_HCOUNTER_COUNT,
	       "counts and unit_cycles are those that no context has");

static bool desc_valid(const struct tess_ctx_switch *d)
{
	if (le32toh(d->flags) & ~FLAGS || le32toh(d->engines) & ~(uint32_t)TESS_ENGINE_ALL ||
	    le32toh(d->notify) & ~(uint32_t)TESS_NOTIFY_IDLE)
		return false;
	if (le32toh(d->throttle) < 1 || le32toh(d->throttle) > THROTTLE_MAX)
		return false;
	if (le64toh(d->stage2_root) & ~STAGE2_ROOT_MASK)
		return false;
	for (unsigned int i = 0; i < TESS_CTX_SWITCH_NR_COUNTS; i++)
		if (d->counts[i] && !(le32toh(d->flags) & TESS_CTX_SWITCH_COUNTS))
			return false;
	if (d->unit_cycles && !(le32toh(d->flags) & TESS_CTX_SWITCH_UNIT_CYCLES))
		return false;
	return !d->reserved1;
}

/* The host page as it will be. */
static struct host_regs settings_of(const struct slice *s, const struct tess_ctx_switch *d)
{
	struct host_regs h = s->host;

	h.control = 0;
	if (le32toh(d->flags) & TESS_CTX_SWITCH_RUN)
		h.control |= TESS_HCONTROL_RUN;
	if (le32toh(d->flags) & TESS_CTX_SWITCH_STAGE2)
		h.control |= TESS_HCONTROL_STAGE2;
	h.engine_mask = le32toh(d->engines);
	h.throttle = le32toh(d->throttle);
	h.stage2_root = le64toh(d->stage2_root);
	h.link_mask = le64toh(d->links);
	h.timer = le64toh(d->timer);
	h.notify = le32toh(d->notify);
	/* What the former client's timer and notification said concerns nobody now. */
	h.events &= ~(uint32_t)(TESS_EVENTS_TIMER | TESS_EVENTS_IDLE);
	return h;
}

static uint32_t check(struct slice *s, const struct tess_ctx_switch *d, const struct host_regs *h,
		      struct ctx_load *l, struct ctx_op *op)
{
	uint32_t flags = le32toh(d->flags), status;
	uint64_t loaded = 0;

	if (flags & TESS_CTX_SWITCH_SAVE) {
		status = context_save_check(s, le64toh(d->save_addr), le64toh(d->save_size),
					    &op->used);
		if (status != TESS_CTX_DONE)
			return status;
		op->left += context_cycles(op->used);
	}
	if (!(flags & TESS_CTX_SWITCH_RESTORE))
		return TESS_CTX_DONE;
	status = context_restore_check(l, s, h, le64toh(d->restore_addr), le64toh(d->restore_size),
				       &loaded);
	if (status != TESS_CTX_DONE)
		op->used = loaded;
	op->left += context_cycles(loaded);
	op->restored = true;
	return status;
}

/* Saving comes first: it is the last thing that can fail. */
static uint32_t commit(struct slice *s, const struct tess_ctx_switch *d, const struct host_regs *h,
		       const struct ctx_load *l, struct ctx_op *op)
{
	if (le32toh(d->flags) & TESS_CTX_SWITCH_SAVE &&
	    context_save(s, le64toh(d->save_addr)) != TESS_CTX_DONE) {
		op->used = 0;
		return TESS_CTX_ERR_ADDRESS;
	}
	if (op->restored)
		context_apply(s, l);
	else
		slice_reset_client(s);
	s->host = *h;
	if (!op->left)
		op->left = CYCLES_CTX;
	return TESS_CTX_DONE;
}

uint32_t context_switch(struct slice *s, struct ctx_op *op)
{
	struct tess_ctx_switch d;
	struct host_regs h;
	struct ctx_load l;
	uint32_t status;

	op->desc = s->host.ctx_addr;
	if (!context_present(s, op->desc, sizeof(d), true) ||
	    !context_move(s, op->desc, &d, sizeof(d), false))
		return TESS_CTX_ERR_ADDRESS;
	op->answer = true;
	if (!desc_valid(&d))
		return TESS_CTX_ERR_CONTENT;
	op->counts = le32toh(d.flags) & TESS_CTX_SWITCH_COUNTS;
	op->unit_cycles = le32toh(d.flags) & TESS_CTX_SWITCH_UNIT_CYCLES;
	h = settings_of(s, &d);
	status = check(s, &d, &h, &l, op);
	return status == TESS_CTX_DONE ? commit(s, &d, &h, &l, op) : status;
}

/* A field of the second half of a descriptor: the halves need not be neighbours. */
static void *result(uint8_t *half, size_t field)
{
	return half + (field - sizeof(struct tess_ctx_switch) / 2);
}

void context_switch_answer(struct slice *s, const struct ctx_op *op, uint32_t status, uint64_t time)
{
	uint64_t at = op->desc + sizeof(struct tess_ctx_switch) / 2;
	uint8_t *half = mmu_phys(s, at, true);
	uint64_t *used, *end, *counts, *unit_cycles;
	uint32_t *done;

	/* [1] It was there when the operation began; the host may have taken it away. */
	if (!half)
		return;
	half += at & (TESS_PAGE_SIZE - 1);
	used = result(half, offsetof(struct tess_ctx_switch, used));
	end = result(half, offsetof(struct tess_ctx_switch, time));
	done = result(half, offsetof(struct tess_ctx_switch, status));
	counts = result(half, offsetof(struct tess_ctx_switch, counts));
	unit_cycles = result(half, offsetof(struct tess_ctx_switch, unit_cycles));
	__atomic_store_n(used, htole64(op->used), __ATOMIC_RELAXED);
	__atomic_store_n(end, htole64(time), __ATOMIC_RELAXED);
	for (unsigned int i = 0; op->counts && i < TESS_CTX_SWITCH_NR_COUNTS; i++)
		__atomic_store_n(&counts[i], htole64(s->totals[TESS_COUNTER_COUNT + i]),
				 __ATOMIC_RELAXED);
	if (op->unit_cycles)
		__atomic_store_n(unit_cycles, htole64(s->totals[COUNTER(UNIT_CYCLES)]),
				 __ATOMIC_RELAXED);
	__atomic_store_n(done, htole32(status), __ATOMIC_RELEASE);
}
