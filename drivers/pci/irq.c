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
 *
 * Handlers run only while the GPU is started. They begin before it is in the pool, so
 * that none is lost, and end before it leaves.
 */
#include <linux/interrupt.h>
#include <linux/pci.h>

#include "composition.h"
#include "hw.h"
#include "irq.h"
#include "tess_pci.h"

static irqreturn_t irq_completion(int irq, void *data)
{
	struct tess_pci *tp = data;
	struct tess_gpu *gpu = READ_ONCE(tp->be.gpu);

	if (gpu)
		tess_gpu_completion_irq(gpu);
	return IRQ_HANDLED;
}

static irqreturn_t irq_fault(int irq, void *data)
{
	struct tess_pci *tp = data;
	struct tess_gpu *gpu = READ_ONCE(tp->be.gpu);

	if (gpu)
		tess_gpu_fault_irq(gpu);
	return IRQ_HANDLED;
}

static irqreturn_t irq_event(int irq, void *data)
{
	struct tess_pci *tp = data;

	if (tp->info.is_vgpu)
		return IRQ_WAKE_THREAD;
	tess_pci_switch_irq(tp);
	return IRQ_HANDLED;
}

/* A vGPU's composition changed */
static irqreturn_t irq_composition(int irq, void *data)
{
	struct tess_pci *tp = data;
	u64 events;

	if (READ_ONCE(tp->dead))
		return IRQ_HANDLED;
	events = tess_pci_read64(tp, TESS_GLOBAL_PAGE, TESS_REG_EVENT_PENDING);
	if (events == U64_MAX && !tess_pci_is_alive(tp))
		return IRQ_HANDLED;
	/* Acknowledge first: a change that comes while it is read raises it again */
	tess_pci_write64(tp, TESS_GLOBAL_PAGE, TESS_REG_EVENT_PENDING, events);
	if (events & BIT_ULL(0))
		tess_pci_composition_changed(tp);
	return IRQ_HANDLED;
}

static irqreturn_t irq_display(int irq, void *data)
{
	struct tess_pci *tp = data;
	struct tess_gpu *gpu = READ_ONCE(tp->be.gpu);

	if (gpu)
		tess_gpu_display_irq(gpu);
	return IRQ_HANDLED;
}

static const struct {
	unsigned int vector;
	const char *name;
	irq_handler_t hard;
	irq_handler_t thread;
} irqs[] = {
	{ TESS_IRQ_COMPLETION, "tessera-completion", irq_completion, NULL },
	{ TESS_IRQ_FAULT, "tessera-fault", NULL, irq_fault },
	{ TESS_IRQ_EVENT, "tessera-event", irq_event, irq_composition },
	/* The last one: only a GPU with heads raises it */
	{ TESS_IRQ_DISPLAY, "tessera-display", irq_display, NULL },
};

static unsigned int irq_vectors(const struct tess_pci *tp)
{
	return ARRAY_SIZE(irqs) - !tp->be.ops->display;
}

static void irq_stop(struct tess_pci *tp, unsigned int count)
{
	while (count--)
		free_irq(pci_irq_vector(tp->pdev, irqs[count].vector), tp);
}

/**
 * tess_pci_irq_start() - handlers may run
 * @tp: device with its vectors allocated
 *
 * Return: 0 or negative errno.
 */
int tess_pci_irq_start(struct tess_pci *tp)
{
	unsigned int i;
	int rc;

	for (i = 0; i < irq_vectors(tp); i++) {
		rc = request_threaded_irq(pci_irq_vector(tp->pdev, irqs[i].vector), irqs[i].hard,
					  irqs[i].thread, irqs[i].hard ? 0 : IRQF_ONESHOT,
					  irqs[i].name, tp);
		if (rc) {
			irq_stop(tp, i);
			return rc;
		}
	}
	return 0;
}

/**
 * tess_pci_irq_mask() - no handler runs until tess_pci_irq_unmask()
 * @tp: device whose handlers were started
 */
void tess_pci_irq_mask(struct tess_pci *tp)
{
	unsigned int i;

	for (i = 0; i < irq_vectors(tp); i++)
		disable_irq(pci_irq_vector(tp->pdev, irqs[i].vector));
}

/**
 * tess_pci_irq_unmask() - handlers may run again
 * @tp: device
 */
void tess_pci_irq_unmask(struct tess_pci *tp)
{
	unsigned int i;

	for (i = 0; i < irq_vectors(tp); i++)
		enable_irq(pci_irq_vector(tp->pdev, irqs[i].vector));
}

/**
 * tess_pci_irq_stop() - no handler runs any more
 * @tp: device
 */
void tess_pci_irq_stop(struct tess_pci *tp)
{
	irq_stop(tp, irq_vectors(tp));
}
