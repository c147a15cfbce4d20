// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: The vfio-user protocol
 *
 * A client of the whole model: server, PCI function and GPU. It sends messages, good, odd and
 * broken, with descriptors; in between it truncates the memory that it has mapped, hangs up and
 * connects again, and the GPU runs, which does DMA to that memory. Nothing of a client may be
 * left when it is gone, no descriptor may be lost, and an honest client is served.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "gpu.h"
#include "pci_dev.h"
#include "vfu_client.h"

#define VRAM_SIZE (4ULL << 20)
#define NR_SLICES 2
#define NR_POOL 6
#define FILE_SIZE 0x10000
#define FDS_MAX 24
#define PAYLOAD 88

enum op { MESSAGE, BYTES, STEP, TRUNCATE, HANG_UP, OPS };

/**
 * struct action - a record of the input
 * @op: enum op
 * @command: MESSAGE: command, and flags in the upper half of its header
 * @len: bytes of @data that are sent
 * @fds: number of descriptors
 * @which: descriptors
 * @flags: MESSAGE: of the header
 * @data: payload, or bytes as they are
 */
struct action {
	uint8_t op;
	uint8_t command;
	uint8_t len;
	uint8_t fds;
	uint16_t which;
	uint16_t flags;
	uint8_t data[PAYLOAD];
};

static struct dev dev;
static struct client cl = { .fd = -1 };
static struct pci_dev *pci;
static struct gpu *gpu;
static int pool[NR_POOL];
static int vram_fd;

static int poll_model(struct dev *d, int timeout_ms)
{
	(void)d;
	return pci_dev_poll(pci, timeout_ms);
}

static uint64_t reg_read(void *opaque, uint32_t off, unsigned int size)
{
	(void)opaque;
	return gpu_reg_read(gpu, off, size);
}

static void reg_write(void *opaque, uint32_t off, uint64_t val, unsigned int size)
{
	(void)opaque;
	gpu_reg_write(gpu, off, val, size);
}

static void reset(void *opaque, enum pci_reset how)
{
	(void)opaque;
	(void)how;
	gpu_reset(gpu);
}

static void dma_invalidate(void *opaque, uint64_t addr, uint64_t size)
{
	(void)opaque;
	(void)addr;
	(void)size;
	gpu_flush(gpu);
}

static void *dma_ptr(void *opaque, uint64_t addr, uint64_t len, int prot)
{
	(void)opaque;
	return pci_dev_dma_ptr(pci, addr, len, prot);
}

static void irq(void *opaque, unsigned int vector)
{
	(void)opaque;
	pci_dev_irq_raise(pci, vector);
}

static const struct pci_dev_ops ops = {
	.reg_read = reg_read,
	.reg_write = reg_write,
	.reset = reset,
	.dma_invalidate = dma_invalidate,
};

static void open_pool(void)
{
	pool[0] = make_file(FILE_SIZE);
	pool[1] = make_file(FILE_SIZE);
	pool[2] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pool[3] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	FUZZ_CHECK(!pipe2(&pool[4], O_CLOEXEC | O_NONBLOCK));
}

static void set_up(void)
{
	struct gpu_desc d = {
		.nr_slices = NR_SLICES,
		.kinds = { TESS_KIND_COMPUTE, TESS_KIND_RENDER },
		.bank_size = VRAM_SIZE / NR_SLICES,
		.bus = { .dma_ptr = dma_ptr, .irq = irq },
	};
	struct pci_dev_desc p = { .socket = dev.path, .vram_size = VRAM_SIZE };

	snprintf(dev.path, sizeof(dev.path), "/tmp/vfu-fuzz-%d.sock", getpid());
	dev.poll = poll_model;
	vram_fd = vfu_memfd("vram", VRAM_SIZE, &d.vram);
	d.vram_fd = p.vram_fd = vram_fd;
	p.vram = d.vram;
	gpu = gpu_create(&d);
	pci = pci_dev_create(&p, &ops, NULL);
	FUZZ_CHECK(vram_fd >= 0 && gpu && pci);
	open_pool();
}

static void send_action(const struct action *a)
{
	uint8_t msg[sizeof(struct vfu_hdr) + PAYLOAD];
	struct vfu_hdr hdr = { .id = 1, .command = a->command, .flags = a->flags };
	size_t len = a->len < PAYLOAD ? a->len : PAYLOAD;
	int fds[FDS_MAX];

	for (unsigned int i = 0; i < FDS_MAX; i++)
		fds[i] = pool[(a->which >> (i % 8 * 2) & 3) + (i & 2)];
	hdr.size = (uint32_t)(sizeof(hdr) + len);
	memcpy(msg, &hdr, sizeof(hdr));
	memcpy(msg + sizeof(hdr), a->data, len);
	if (a->op % OPS == MESSAGE)
		send_fds(cl.fd, msg, hdr.size, fds, a->fds % FDS_MAX);
	else
		send_fds(cl.fd, a->data, len, fds, a->fds % FDS_MAX);
}

static void act(const struct action *a)
{
	switch (a->op % OPS) {
	case STEP:
		for (unsigned int i = 0; i < 1U + a->len % 4; i++)
			gpu_step(gpu, 1 + a->which % GPU_STEP_CYCLES);
		break;
	case TRUNCATE:
		FUZZ_CHECK(!ftruncate(pool[a->fds & 1], a->which % (2 * FILE_SIZE)));
		break;
	case HANG_UP:
		client_close(&dev, &cl);
		break;
	default:
		send_action(a);
		dev_run(&dev);
		client_drain(&dev, &cl);
	}
}

/* Descriptors of the kinds that messages bring, and no pipes: libFuzzer has some of its own */
static unsigned int count_ours(void)
{
	char path[32], link[64];
	unsigned int n = 0;

	for (int fd = 0; fd < 64; fd++) {
		ssize_t len;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		len = readlink(path, link, sizeof(link) - 1);
		link[len > 0 ? len : 0] = 0;
		n += !strncmp(link, "socket:", 7) || !strncmp(link, "anon_inode:", 11) ||
		     !strncmp(link, "/memfd:", 7);
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned int fds;
	static struct reply rep;
	struct fuzz_in in = { data, size };
	struct action a;
	const void *rec;

	if (!pci) {
		set_up();
		fds = count_ours();
	}
	for (unsigned int i = 0; i < 2; i++)
		FUZZ_CHECK(!ftruncate(pool[i], 0) && !ftruncate(pool[i], FILE_SIZE));
	while ((rec = fuzz_record(&in, sizeof(a)))) {
		memcpy(&a, rec, sizeof(a));
		/* A client that says nothing first, now and then */
		if (cl.fd < 0 && a.flags >> 12 == 15)
			client_connect(&dev, &cl);
		else if (cl.fd < 0)
			client_start(&dev, &cl);
		act(&a);
	}
	if (cl.fd >= 0)
		client_close(&dev, &cl);
	FUZZ_CHECK(!pci_dev_connected(pci));
	FUZZ_CHECK(count_ours() == fds, "%u descriptors, not %u", count_ours(), fds);
	client_start(&dev, &cl);
	FUZZ_CHECK(!client_call(&dev, &cl, VFU_CMD_DEVICE_RESET, NULL, 0, NULL, 0, &rep));
	client_close(&dev, &cl);
	return 0;
}

static void put32(struct action *a, unsigned int off, uint64_t val)
{
	memcpy(a->data + off, &val, 4);
}

static void put64(struct action *a, unsigned int off, uint64_t val)
{
	memcpy(a->data + off, &val, 8);
}

static void make_dma(struct action *a, uint64_t *state)
{
	bool map = a->command == VFU_CMD_DMA_MAP;

	put32(a, 0, map ? 32 : 24);
	put32(a, 4, map ? 1 + fuzz_below(state, 3) : 0);
	for (unsigned int off = 8; off < 32; off += 8)
		put64(a, off, fuzz_below(state, 8) * 4096ULL);
	a->len = map ? 32 : 24;
	a->fds = map && fuzz_below(state, 8);
	a->which = (uint16_t)fuzz_below(state, 2);
}

static void make_irqs(struct action *a, uint64_t *state)
{
	uint32_t count = fuzz_below(state, 5);

	put32(a, 0, 20);
	put32(a, 4, (1U << fuzz_below(state, 3)) | (8U << fuzz_below(state, 3)));
	put32(a, 8, fuzz_below(state, 4) ? VFIO_PCI_MSIX_IRQ_INDEX : fuzz_below(state, 6));
	put32(a, 12, fuzz_below(state, 4));
	put32(a, 16, count);
	a->len = (uint8_t)(20 + fuzz_below(state, 5));
	a->fds = fuzz_below(state, 4) ? (uint8_t)count : 0;
	a->which = 0xaaaa;
}

/* A register, a byte of configuration space, VRAM */
static void make_access(struct action *a, uint64_t *state)
{
	static const uint16_t pages[] = { 0x00, 0x01, 0x40, 0x80, 0xc0 };
	static const uint8_t regions[] = { 0, 0, 0, 7, 7, 2, 4, 1, 8 };
	uint32_t region = regions[fuzz_below(state, sizeof(regions))];
	uint32_t width = 1U << fuzz_below(state, 4);
	uint64_t off = fuzz_below(state, 0x180) & ~(width - 1);

	if (!region)
		off += ((uint64_t)pages[fuzz_below(state, 5)] + fuzz_below(state, 2)) << 12;
	put64(a, 0, off);
	put32(a, 8, region);
	put32(a, 12, width);
	put64(a, 16, fuzz_value(state, (uint64_t[]){ 0x1000, 0x4000 }, 2));
	a->len = (uint8_t)(a->command == VFU_CMD_REGION_WRITE ? 16 + width : 16);
}

static void make_multi(struct action *a, uint64_t *state)
{
	uint32_t count = 1 + fuzz_below(state, 3);

	put64(a, 0, count);
	for (unsigned int i = 0; i < count; i++) {
		put64(a, 8 + 24 * i, 0x40000 + fuzz_below(state, 0x80) * 4);
		put32(a, 16 + 24 * i, 0);
		put32(a, 20 + 24 * i, 4U << fuzz_below(state, 2));
		put64(a, 24 + 24 * i, fuzz_random(state));
	}
	a->len = (uint8_t)(8 + 24 * count);
}

static void make_version(struct action *a, uint64_t *state)
{
	static const char *const json[] = {
		"{\"capabilities\":{\"max_msg_fds\":16}}",
		"{\"capabilities\":{\"max_data_xfer_size\":4096,\"write_multiple\":true}}",
		"{\"capabilities\":{\"pgsizes\":4096,\"max_dma_maps\":9,\"x\":[1,{}]}}",
		"{\"a\":[\"\\u0041\",-1e9,null,false]}",
		"",
	};
	const char *text = json[fuzz_below(state, 5)];

	memset(a->data, 0, sizeof(a->data));
	strncpy((char *)a->data + 4, text, PAYLOAD - 5);
	a->len = (uint8_t)(5 + strlen(text));
	/* The first message of a client */
	a->flags = 0xf000;
}

static void make_action(uint8_t *record, uint64_t *state)
{
	static const uint8_t commands[] = {
		VFU_CMD_DMA_MAP,     VFU_CMD_DMA_MAP,	   VFU_CMD_DMA_UNMAP,
		VFU_CMD_SET_IRQS,    VFU_CMD_REGION_WRITE, VFU_CMD_REGION_WRITE,
		VFU_CMD_REGION_READ, VFU_CMD_REGION_WRITE, VFU_CMD_REGION_WRITE_MULTI,
		VFU_CMD_VERSION,
	};
	struct action a = { .command = commands[fuzz_below(state, sizeof(commands))] };

	switch (a.command) {
	case VFU_CMD_DMA_MAP:
	case VFU_CMD_DMA_UNMAP:
		make_dma(&a, state);
		break;
	case VFU_CMD_SET_IRQS:
		make_irqs(&a, state);
		break;
	case VFU_CMD_REGION_WRITE_MULTI:
		make_multi(&a, state);
		break;
	case VFU_CMD_VERSION:
		make_version(&a, state);
		break;
	default:
		make_access(&a, state);
	}
	if (!fuzz_below(state, 4)) {
		a.op = (uint8_t)fuzz_below(state, OPS);
		a.which = (uint16_t)fuzz_random(state);
	}
	if (!fuzz_below(state, 16))
		a.command = (uint8_t)fuzz_below(state, VFU_CMD_COUNT + 1);
	memcpy(record, &a, sizeof(a));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	static const uint64_t near[] = { 0x1000, FILE_SIZE, 0x100000, VRAM_SIZE, 1ULL << 40 };
	static const struct fuzz_grammar g = { .record = sizeof(struct action),
					       .make = make_action,
					       .near = near,
					       .nr_near = sizeof(near) / sizeof(near[0]) };

	return fuzz_mutate(&g, data, size, max_size, seed);
}
