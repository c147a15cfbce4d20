// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts.
 *
 * DOC: Interrupts
 *
 * Completions are handled in hard interrupt context: the router reads memory and signals
 * eventfds and fences, which is short, and a thread would add a scheduling delay to
 * every submission of every client. So are events of slices: a few registers are read,
 * and who waits is woken. Faults, and changes of a vGPU's composition, read many
 * registers and are rare; they have threads. Events of display heads are told in hard
 * interrupt context: the time of a frame is when its interrupt came.
 */
#include <linux/bits.h>
#include <tessera/compat.h>

#include "base/chip.h"
#include "client/switch.h"
#include "composition.h"

bool tess_chip_irq(struct tess_chip *chip, unsigned int vector)
{
	struct tess_gpu *gpu = READ_ONCE(chip->be.gpu);

	switch (vector) {
	case TESS_IRQ_COMPLETION:
		if (gpu)
			tess_gpu_completion_irq(gpu);
		return false;
	case TESS_IRQ_EVENT:
		if (!chip->info.is_vgpu)
			tess_chip_switch_irq(chip);
		return chip->info.is_vgpu;
	case TESS_IRQ_DISPLAY:
		if (gpu)
			tess_gpu_display_irq(gpu);
		return false;
	default:
		return vector == TESS_IRQ_FAULT;
	}
}
EXPORT_SYMBOL_NS_GPL(tess_chip_irq, TESS_NS);

/* A vGPU's composition changed */
static void irq_composition(struct tess_chip *chip)
{
	u64 events;

	if (READ_ONCE(chip->dead))
		return;
	events = tess_chip_read64(chip, TESS_GLOBAL_PAGE, TESS_REG_EVENT_PENDING);
	if (events == U64_MAX && !tess_chip_is_alive(chip))
		return;
	/* Acknowledge first: a change that comes while it is read raises it again */
	tess_chip_write64(chip, TESS_GLOBAL_PAGE, TESS_REG_EVENT_PENDING, events);
	if (events & BIT_ULL(0))
		tess_chip_composition_changed(chip);
}

void tess_chip_irq_thread(struct tess_chip *chip, unsigned int vector)
{
	struct tess_gpu *gpu = READ_ONCE(chip->be.gpu);

	if (vector == TESS_IRQ_FAULT && gpu)
		tess_gpu_fault_irq(gpu);
	else if (vector == TESS_IRQ_EVENT)
		irq_composition(chip);
}
EXPORT_SYMBOL_NS_GPL(tess_chip_irq_thread, TESS_NS);
