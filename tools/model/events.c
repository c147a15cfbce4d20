// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Events of a slice
 *
 * What a host that shares a slice wants to be told: a context operation has
 * ended, the quantum is over, nothing is left to do. The timer counts GPU time,
 * whatever the slice does with it, but for the time that a context operation
 * takes: so a SWITCH can load it for the client that comes.
 *
 * A slice becomes idle by what it does in a step or by a write to a register.
 * After both it is looked at, but not while BUSY: what is in the registers then
 * has not begun yet.
 */
#include "events.h"

#include "gpu_priv.h"

void events_raise(struct slice *s, uint32_t events)
{
	s->host.events |= events;
	__atomic_fetch_or(&s->gpu->event_pending, BIT_ULL(s->id), __ATOMIC_RELAXED);
	gpu_irq(s->gpu, TESS_IRQ_EVENT);
}

void events_tick(struct slice *s, uint64_t cycles)
{
	uint64_t left = s->host.timer;

	if (!left)
		return;
	s->host.timer = left > cycles ? left - cycles : 0;
	if (!s->host.timer)
		events_raise(s, TESS_EVENTS_TIMER);
}

void events_notify(struct slice *s)
{
	if (!(s->host.notify & TESS_NOTIFY_IDLE) || s->ctx.left || !slice_is_idle(s))
		return;
	s->host.notify = 0;
	events_raise(s, TESS_EVENTS_IDLE);
}
