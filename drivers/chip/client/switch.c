// SPDX-License-Identifier: GPL-2.0-only
/*
 * Switching: another client on a slice.
 *
 * DOC: Switching
 *
 * The GPU exchanges a slice's client in one operation, from a descriptor in memory: it
 * halts, saves, restores, takes over the new masks and translation, and runs. The slice
 * stands still for the cycles of that, not for accesses of the host to registers, of
 * which there is one.
 *
 * The end is told by an interrupt, and by a status that the GPU writes into the
 * descriptor last. The status is what counts. The interrupt only wakes whoever waits, so
 * that one too many, one too few, or one of an operation before has no effect but a
 * look at the status; a lost one costs a tick. Most operations take some hundred cycles, far less
 * than an interrupt and a thread that wakes up, so the thread looks for a moment before it sleeps.
 *
 * Events of slices are acknowledged before they are acted upon: first EVENT_PENDING, then
 * EVENTS of each slice, of which exactly those bits that were read. What happens later
 * sets its bit again and raises the vector again; and nothing that a reaction causes can
 * be acknowledged along with what it reacts to.
 *
 * How long the present client may take to stop is counted in cycles of the GPU, which is
 * what a client gets and what does not depend on the host's load. A GPU whose time stands
 * still is covered by a limit of the waits in which it did, and one whose time creeps by a
 * limit of all waits. They count as long as they were meant to be: a host that did not run
 * for seconds has waited once, and the process that serves a GPU did not run then either. A
 * slice that works stops within a step, so one that is overdue does not work and is reset by
 * the core. Should the operation end in between after all, another client is on the slice than
 * the one that was overdue: nothing is captured then, and the core asks for the same exchange
 * again to have what became of it.
 */
#include <linux/dma-mapping.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>

#include "base/chip.h"
#include "context.h"
#include "counters.h"
#include "mem/as.h"
#include "mem/pt.h"
#include "switch.h"

#define SWITCH_THROTTLE		1024		/* not at all */
#define SWITCH_SOON_NS		(100 * NSEC_PER_USEC)	/* before the thread sleeps */
#define SWITCH_LOOK		(HZ / 10)	/* is it there, does its time pass? */
#define SWITCH_STILL_LIMIT	(2 * HZ)	/* in which the time is the same */
#define SWITCH_LIMIT		(20 * HZ)	/* beyond ten times the nominal time */
#define SWITCH_ALL_EVENTS	(TESS_EVENTS_CONTEXT | TESS_EVENTS_TIMER | TESS_EVENTS_IDLE)

static u32 switch_status(struct tess_chip *chip, unsigned int slice)
{
	u32 status = le32_to_cpu(READ_ONCE(chip->switcher.desc[slice].status));

	/* It was written last: all else that the GPU wrote is there */
	dma_rmb();
	return status;
}

/* ---- start ---- */

static void desc_put_clients(struct tess_ctx_switch *desc, const struct tess_hw_switch *sw,
			     u32 flags)
{
	if (sw->save) {
		flags |= TESS_CTX_SWITCH_SAVE;
		desc->save_addr = cpu_to_le64(to_tess_chip_context(sw->save)->dma);
		desc->save_size = cpu_to_le64(TESS_CTX_MAX_SIZE);
	}
	if (sw->restore) {
		flags |= TESS_CTX_SWITCH_RUN;
		/* An empty context is what the slice has without a RESTORE */
		if (sw->restore->used) {
			tess_chip_context_put(to_tess_chip_context(sw->restore));
			flags |= TESS_CTX_SWITCH_RESTORE;
			desc->restore_addr = cpu_to_le64(to_tess_chip_context(sw->restore)->dma);
			desc->restore_size = cpu_to_le64(sw->restore->used);
		}
	}
	if (sw->stage2) {
		flags |= TESS_CTX_SWITCH_STAGE2;
		desc->stage2_root = cpu_to_le64(tess_chip_as_root(to_tess_chip_as(sw->stage2)));
	}
	desc->flags = cpu_to_le32(flags);
}

static u32 desc_counters(const struct tess_chip *chip)
{
	u32 flags = 0;

	if (chip->info.caps & TESS_CAPS_TRAFFIC)
		flags |= TESS_CTX_SWITCH_COUNTS;
	if (chip->info.caps & TESS_CAPS_UNIT_CYCLES)
		flags |= TESS_CTX_SWITCH_UNIT_CYCLES;
	return flags;
}

static void switch_start(struct tess_chip *chip, unsigned int slice,
			 const struct tess_hw_switch *sw)
{
	struct tess_chip_switch *s = &chip->switcher.slice[slice];
	struct tess_ctx_switch *desc = &chip->switcher.desc[slice];
	u32 page = TESS_HOST_PAGE(slice);

	memset(desc, 0, sizeof(*desc));
	desc_put_clients(desc, sw, desc_counters(chip));
	desc->engines = cpu_to_le32(sw->setup.engines);
	desc->links = cpu_to_le64(sw->setup.links);
	desc->timer = cpu_to_le64(sw->timer);
	desc->throttle = cpu_to_le32(SWITCH_THROTTLE);
	desc->notify = cpu_to_le32(sw->notify_idle ? TESS_NOTIFY_IDLE : 0);
	desc->status = cpu_to_le32(TESS_CTX_IDLE);
	reinit_completion(&s->done);
	if (!s->ready) {
		tess_chip_write64(chip, page, TESS_HREG_CTX_ADDR,
				  chip->switcher.dma + slice * sizeof(*desc));
		s->ready = true;
	}
	/* writel() is ordered behind the descriptor */
	tess_chip_write32(chip, page, TESS_HREG_CTX_OP, TESS_CTX_SWITCH);
}

/* ---- end ---- */

static unsigned long cycles_to_jiffies(const struct tess_chip *chip, u64 cycles)
{
	u64 ms = div_u64(cycles, max(chip->info.clock_khz, 1U));

	return msecs_to_jiffies(min_t(u64, ms, MSEC_PER_SEC * 60));
}

static bool switch_ends_soon(struct tess_chip *chip, unsigned int slice)
{
	u64 end = ktime_get_ns() + SWITCH_SOON_NS;

	while (switch_status(chip, slice) == TESS_CTX_IDLE) {
		if (need_resched() || ktime_get_ns() > end)
			return false;
		cpu_relax();
	}
	return true;
}

static int switch_wait(struct tess_chip *chip, unsigned int slice, u64 start, u64 timeout)
{
	struct tess_chip_switch *s = &chip->switcher.slice[slice];
	unsigned long nominal = cycles_to_jiffies(chip, timeout);
	unsigned long wait = clamp(nominal, 1UL, SWITCH_LOOK), slept, all = 0, still = 0;
	u64 time, last = start;

	for (;;) {
		slept = wait - wait_for_completion_timeout(&s->done, wait);
		if (switch_status(chip, slice) != TESS_CTX_IDLE)
			return 0;
		/* It may have ended just before */
		if (!tess_chip_is_alive(chip))
			return switch_status(chip, slice) == TESS_CTX_IDLE ? -ENODEV : 0;
		time = chip->be.ops->time(&chip->be);
		/* Also an interrupt at once counts, lest there be no end of them */
		slept = max(slept, 1UL);
		all += slept;
		still = time == last ? still + slept : 0;
		last = time;
		if (time - start < timeout && still < SWITCH_STILL_LIMIT &&
		    all < SWITCH_LIMIT + 10 * nominal)
			continue;
		/* Reading a register has pushed what the GPU wrote before: a last look */
		s->stuck = switch_status(chip, slice) == TESS_CTX_IDLE;
		return s->stuck ? -ETIME : 0;
	}
}

static int switch_result(u32 status)
{
	switch (status) {
	case TESS_CTX_DONE:
		return 0;
	case TESS_CTX_ERR_MAGIC:
	case TESS_CTX_ERR_VERSION:
	case TESS_CTX_ERR_CHECKSUM:
	case TESS_CTX_ERR_CONTENT:
	case TESS_CTX_ERR_ENGINE:
		return -EBADMSG;
	default:
		return -EIO;
	}
}

static int switch_run(struct tess_chip *chip, unsigned int slice, struct tess_hw_switch *sw)
{
	u64 start;

	switch_start(chip, slice, sw);
	if (switch_ends_soon(chip, slice))
		return 0;
	/* Not before: this processor may have stood still on the way */
	start = chip->be.ops->time(&chip->be);
	return switch_wait(chip, slice, start, sw->timeout);
}

/* Where the slice is now, as far as that is known */
static void switch_settle(struct tess_chip *chip, unsigned int slice, struct tess_chip_as *as,
			  int rc)
{
	if (!rc)
		tess_chip_stage2_end(chip, slice, as);
	else if (rc != -ENODEV && !chip->switcher.slice[slice].stuck)
		tess_chip_stage2_cancel(chip, slice);
}

/* The operation has ended, in time or not */
static int switch_end(struct tess_chip *chip, unsigned int slice, struct tess_hw_switch *sw)
{
	const struct tess_ctx_switch *desc = &chip->switcher.desc[slice];
	u32 status = switch_status(chip, slice);
	int rc = switch_result(status);

	chip->switcher.slice[slice].stuck = false;
	if (rc)
		dev_err_ratelimited(chip->be.dev, "slice %u: context operation failed: %u\n", slice,
				    status);
	switch_settle(chip, slice, sw->stage2 ? to_tess_chip_as(sw->stage2) : NULL, rc);
	if (rc)
		return rc;
	chip->switcher.slice[slice].anew = false;
	if (sw->save)
		tess_chip_context_saved(to_tess_chip_context(sw->save), le64_to_cpu(desc->used));
	tess_chip_counters_exchanged(chip, slice, desc,
				     sw->save ? to_tess_chip_context(sw->save) : NULL,
				     sw->restore ? to_tess_chip_context(sw->restore) : NULL);
	sw->time = le64_to_cpu(desc->time);
	return 0;
}

int tess_chip_context_switch(struct tess_backend *be, unsigned int slice,
			     struct tess_hw_switch *sw)
{
	struct tess_chip_as *as = sw->stage2 ? to_tess_chip_as(sw->stage2) : NULL;
	struct tess_chip *chip = to_tess_chip(be);
	int rc;

	if (READ_ONCE(chip->dead))
		return -ENODEV;
	if (tess_chip_switch_came_late(chip, slice))
		return switch_end(chip, slice, sw);
	if (chip->switcher.slice[slice].stuck)
		return -EIO;
	if (sw->restore && to_tess_chip_context(sw->restore)->bad)
		return -EBADMSG;
	if (sw->save)
		tess_chip_context_begin(to_tess_chip_context(sw->save));
	tess_chip_stage2_begin(chip, slice, as);
	rc = switch_run(chip, slice, sw);
	if (!rc)
		return switch_end(chip, slice, sw);
	switch_settle(chip, slice, as, rc);
	return rc;
}

/**
 * tess_chip_switch_came_late() - did an operation end that nobody waited for any more?
 * @chip: device
 * @slice: number
 *
 * Return: true if the slice's client is not who it was.
 */
bool tess_chip_switch_came_late(struct tess_chip *chip, unsigned int slice)
{
	return chip->switcher.slice[slice].stuck && switch_status(chip, slice) != TESS_CTX_IDLE;
}

/**
 * tess_chip_switch_reset() - a slice was reset by the host
 * @chip: device, with or without SWITCH
 * @slice: number
 */
void tess_chip_switch_reset(struct tess_chip *chip, unsigned int slice)
{
	struct tess_chip_switch *s = &chip->switcher.slice[slice];

	s->ready = false;
	s->stuck = false;
	s->anew = false;
	memset(s->others, 0, sizeof(s->others));
	tess_chip_stage2_end(chip, slice, NULL);
}

/* ---- notification ---- */

void tess_chip_slice_notify(struct tess_backend *be, unsigned int slice, u64 timer, bool idle)
{
	struct tess_chip *chip = to_tess_chip(be);
	u32 page = TESS_HOST_PAGE(slice);

	if (READ_ONCE(chip->dead))
		return;
	tess_chip_write64(chip, page, TESS_HREG_TIMER, timer);
	tess_chip_write32(chip, page, TESS_HREG_NOTIFY, idle ? TESS_NOTIFY_IDLE : 0);
}

static void slice_events(struct tess_chip *chip, struct tess_gpu *gpu, unsigned int slice)
{
	u32 events = tess_chip_read32(chip, TESS_HOST_PAGE(slice), TESS_HREG_EVENTS);
	u32 report = 0;

	if (!events || (events == U32_MAX && !tess_chip_is_alive(chip)))
		return;
	tess_chip_write32(chip, TESS_HOST_PAGE(slice), TESS_HREG_EVENTS,
			  events & SWITCH_ALL_EVENTS);
	if (events & TESS_EVENTS_CONTEXT)
		complete(&chip->switcher.slice[slice].done);
	if (events & TESS_EVENTS_TIMER)
		report |= TESS_SLICE_EVENT_TIMER;
	if (events & TESS_EVENTS_IDLE)
		report |= TESS_SLICE_EVENT_IDLE;
	if (gpu && report)
		tess_gpu_slice_event(gpu, slice, report);
}

/**
 * tess_chip_switch_irq() - something happened on slices
 * @chip: device
 *
 * Hard interrupt context.
 */
void tess_chip_switch_irq(struct tess_chip *chip)
{
	struct tess_gpu *gpu = READ_ONCE(chip->be.gpu);
	unsigned int i;
	u64 pending;

	if (!chip->switcher.desc || READ_ONCE(chip->dead))
		return;
	pending = tess_chip_read64(chip, TESS_GLOBAL_PAGE, TESS_REG_EVENT_PENDING);
	if (!pending || (pending == U64_MAX && !tess_chip_is_alive(chip)))
		return;
	tess_chip_write64(chip, TESS_GLOBAL_PAGE, TESS_REG_EVENT_PENDING, pending);
	for (i = 0; i < chip->info.slice_count; i++)
		if (pending & BIT_ULL(i))
			slice_events(chip, gpu, i);
}

/* ---- life ---- */

static size_t switcher_size(const struct tess_chip *chip)
{
	return chip->info.slice_count * sizeof(*chip->switcher.desc);
}

/**
 * tess_chip_switcher_init() - get ready for switches
 * @chip: device, identified and reset
 *
 * Return: 0, -ENOMEM.
 */
int tess_chip_switcher_init(struct tess_chip *chip)
{
	struct tess_chip_switcher *sr = &chip->switcher;
	unsigned int i;

	for (i = 0; i < TESS_MAX_SLICES; i++) {
		sr->slice[i].ready = false;
		sr->slice[i].stuck = false;
		init_completion(&sr->slice[i].done);
	}
	if (!(chip->info.caps & TESS_CAPS_SWITCH) || chip->info.is_vgpu)
		return 0;
	sr->desc = dma_alloc_coherent(chip->be.dev, switcher_size(chip), &sr->dma, GFP_KERNEL);
	return sr->desc ? 0 : -ENOMEM;
}

/**
 * tess_chip_switcher_fini() - no more switches
 * @chip: device; it accesses no memory any more
 */
void tess_chip_switcher_fini(struct tess_chip *chip)
{
	struct tess_chip_switcher *sr = &chip->switcher;

	if (sr->desc)
		dma_free_coherent(chip->be.dev, switcher_size(chip), sr->desc, sr->dma);
	sr->desc = NULL;
}
