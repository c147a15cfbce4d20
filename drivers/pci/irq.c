// SPDX-License-Identifier: GPL-2.0-only
/*
 * Vectors of MSI-X. Handlers run only while the GPU is started: they begin before it is in the
 * pool, so that none is lost, and end before it leaves.
 */
#include <linux/interrupt.h>
#include <linux/pci.h>

#include "irq.h"
#include "tess_pci.h"

static const char *const irq_names[TESS_IRQ_COUNT] = {
	[TESS_IRQ_COMPLETION] = "tessera-completion",
	[TESS_IRQ_FAULT] = "tessera-fault",
	[TESS_IRQ_EVENT] = "tessera-event",
	[TESS_IRQ_DISPLAY] = "tessera-display",
};

static irqreturn_t irq_hard(int irq, void *data)
{
	struct tess_pci_irq *v = data;

	return tess_chip_irq(v->chip, v->vector) ? IRQ_WAKE_THREAD : IRQ_HANDLED;
}

static irqreturn_t irq_thread(int irq, void *data)
{
	struct tess_pci_irq *v = data;

	tess_chip_irq_thread(v->chip, v->vector);
	return IRQ_HANDLED;
}

/* Only a GPU with heads raises the last one */
static unsigned int irq_vectors(const struct tess_pci *tp)
{
	return tp->be->ops->display ? TESS_IRQ_COUNT : TESS_IRQ_DISPLAY;
}

static void irq_stop(struct tess_pci *tp, unsigned int count)
{
	while (count--)
		free_irq(pci_irq_vector(tp->pdev, count), &tp->irqs[count]);
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
		tp->irqs[i] = (struct tess_pci_irq){ .chip = tp->chip, .vector = i };
		rc = request_threaded_irq(pci_irq_vector(tp->pdev, i), irq_hard, irq_thread, 0,
					  irq_names[i], &tp->irqs[i]);
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
		disable_irq(pci_irq_vector(tp->pdev, i));
}

/**
 * tess_pci_irq_unmask() - handlers may run again
 * @tp: device
 */
void tess_pci_irq_unmask(struct tess_pci *tp)
{
	unsigned int i;

	for (i = 0; i < irq_vectors(tp); i++)
		enable_irq(pci_irq_vector(tp->pdev, i));
}

/**
 * tess_pci_irq_stop() - no handler runs any more
 * @tp: device
 */
void tess_pci_irq_stop(struct tess_pci *tp)
{
	irq_stop(tp, irq_vectors(tp));
}
