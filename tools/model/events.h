/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TIMER, NOTIFY and EVENTS of the host page; Documentation/hw/registers.rst. */
#ifndef TESS_MODEL_EVENTS_H
#define TESS_MODEL_EVENTS_H

#include <stdint.h>

struct slice;

/** events_raise() - set TESS_EVENTS_* bits and raise vector EVENT */
void events_raise(struct slice *s, uint32_t events);

/** events_tick() - let @cycles pass for the timer of a slice that is not BUSY */
void events_tick(struct slice *s, uint64_t cycles);

/** events_notify() - report IDLE if it is wanted and so; after whatever can make it so */
void events_notify(struct slice *s);

#endif /* TESS_MODEL_EVENTS_H */
