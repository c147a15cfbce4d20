// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: demonstration device
 *
 * The smallest device on the PCI function: scratch registers, a DMA copy, an
 * interrupt, VRAM. It shows how pci_dev.h is used, and tests the transport
 * with a real VMM without the GPU (vfu_qemu_test.sh).
 *
 * usage: vfu_demo_device SOCKET [VRAM-MIB]
 */
#include "pci_dev.h"
#include "vfu/vfu.h"
#include "vfu_demo.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct demo {
	struct pci_dev *pci;
	void *vram;
	size_t vram_size;
	uint8_t scratch[DEMO_SCRATCH_END];
	uint64_t src;
	uint64_t dst;
	uint32_t len;
	uint32_t errors;
	uint32_t resets;
};

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static uint64_t reg_read(void *opaque, uint32_t off, unsigned int size)
{
	struct demo *d = opaque;
	uint64_t val = 0;

	if (off < DEMO_SCRATCH_END)
		memcpy(&val, d->scratch + off, size);
	else if (off == DEMO_DMA_SRC && size == 8)
		val = d->src;
	else if (off == DEMO_DMA_DST && size == 8)
		val = d->dst;
	else if (off == DEMO_DMA_LEN && size == 4)
		val = d->len;
	else if (off == DEMO_DMA_ERRORS && size == 4)
		val = d->errors;
	else if (off == DEMO_RESETS && size == 4)
		val = d->resets;
	return val;
}

static void copy(struct demo *d)
{
	const void *src = pci_dev_dma_ptr(d->pci, d->src, d->len, PROT_READ);
	void *dst = pci_dev_dma_ptr(d->pci, d->dst, d->len, PROT_WRITE);

	if (d->len > DEMO_DMA_MAX || !src || !dst)
		d->errors++;
	else
		memmove(dst, src, d->len);
}

static void reg_write(void *opaque, uint32_t off, uint64_t val, unsigned int size)
{
	struct demo *d = opaque;

	if (off < DEMO_SCRATCH_END) {
		memcpy(d->scratch + off, &val, size);
	} else if (off == DEMO_DMA_SRC && size == 8) {
		d->src = val;
	} else if (off == DEMO_DMA_DST && size == 8) {
		d->dst = val;
	} else if (off == DEMO_DMA_LEN && size == 4) {
		d->len = val;
	} else if (off == DEMO_DMA_GO && size == 4) {
		copy(d);
		pci_dev_irq_raise(d->pci, val);
	} else if (off == DEMO_IRQ && size == 4) {
		pci_dev_irq_raise(d->pci, val);
	}
}

static void reset(void *opaque, enum pci_reset how)
{
	struct demo *d = opaque;

	printf("reset %d\n", how);
	fflush(stdout);
	memset(d->scratch, 0, sizeof(d->scratch));
	memset(d->vram, 0, d->vram_size);
	d->src = 0;
	d->dst = 0;
	d->len = 0;
	d->errors = 0;
	d->resets++;
}

/* Every copy looks its addresses up: nothing is cached. */
static void dma_invalidate(void *opaque, uint64_t addr, uint64_t size)
{
	(void)opaque;
	(void)addr;
	(void)size;
}

static void report(void *opaque, const char *msg)
{
	(void)opaque;
	printf("%s\n", msg);
	fflush(stdout);
}

static const struct pci_dev_ops ops = {
	.reg_read = reg_read,
	.reg_write = reg_write,
	.reset = reset,
	.dma_invalidate = dma_invalidate,
};

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	static struct demo d;
	struct pci_dev_desc desc = { .serial = 0x7e55000000000001, .log = report };
	int ret = 0;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: %s SOCKET [VRAM-MIB]\n", argv[0]);
		return 2;
	}
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	d.vram_size = strtoul(argc > 2 ? argv[2] : "256", NULL, 0) << 20;
	desc.vram_fd = vfu_memfd("vram", d.vram_size, &d.vram);
	if (desc.vram_fd < 0) {
		fprintf(stderr, "VRAM: %s\n", strerror(-desc.vram_fd));
		return 1;
	}
	desc.socket = argv[1];
	desc.vram = d.vram;
	desc.vram_size = d.vram_size;
	d.pci = pci_dev_create(&desc, &ops, &d);
	if (!d.pci) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	while (!stop && (ret >= 0 || ret == -EINTR))
		ret = pci_dev_poll(d.pci, -1);
	pci_dev_destroy(d.pci);
	close(desc.vram_fd);
	return stop ? 0 : 1;
}
