// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: random messages
 *
 * Commands with plausible, odd and absurd fields, random headers, plain noise,
 * with descriptors of all kinds attached; between them the device raises
 * interrupts and touches client memory, which the client truncates. The server
 * has to survive, leak nothing, and serve an honest client afterwards. The
 * sanitizers judge the rest.
 *
 * usage: vfu_fuzz_test [MESSAGES [SEED]]; the same seed gives the same messages.
 */
#define _GNU_SOURCE
#include "tap.h"
#include "vfu_client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAGE 4096ull
#define NR_POOL 8

static struct dev dev;
static struct client cl = { .fd = -1 };
static int pool[NR_POOL];
static uint64_t state;
static unsigned long sessions;

static uint64_t rnd(void)
{
	/* xorshift64* */
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dull;
}

static unsigned int below(unsigned int n)
{
	return (rnd() >> 33) % n;
}

/* Values of a field: small, aligned, at the edges, or anything. */
static uint64_t field(void)
{
	static const uint64_t edges[] = {
		0,
		1,
		2,
		15,
		16,
		20,
		24,
		31,
		32,
		64,
		4095,
		4096,
		DEV_BAR0_SIZE,
		VFU_MAX_XFER,
		INT32_MAX,
		UINT32_MAX,
		1ull << 32,
		INT64_MAX,
		1ull << 63,
		-4096,
		UINT64_MAX,
	};

	switch (below(4)) {
	case 0:
		return below(16);
	case 1:
		return below(64) * PAGE;
	case 2:
		return edges[below(sizeof(edges) / sizeof(edges[0]))];
	default:
		return rnd();
	}
}

static void put32(uint8_t *p, unsigned int off, uint64_t val)
{
	uint32_t v = val;

	memcpy(p + off, &v, sizeof(v));
}

static void put64(uint8_t *p, unsigned int off, uint64_t val)
{
	memcpy(p + off, &val, sizeof(val));
}

/* A payload whose fields are where the command has them; returns its length. */
static size_t make_payload(uint8_t *p, unsigned int cmd)
{
	size_t i, data = below(100);

	for (i = 0; i < 64; i += 8)
		put64(p, i, field());
	switch (cmd) {
	case VFU_CMD_DMA_MAP:
	case VFU_CMD_DMA_UNMAP:
		put32(p, 0, 32);
		put32(p, 4, below(8) ? cmd == VFU_CMD_DMA_MAP ? 1 + below(3) : 0 : field());
		for (i = 8; i < 32; i += 8)
			put64(p, i, below(8) ? below(32) * PAGE : field());
		return cmd == VFU_CMD_DMA_MAP ? 32 : 24;
	case VFU_CMD_SET_IRQS:
		put32(p, 0, 20);
		put32(p, 4, below(8) ? (1u << below(3)) | (8u << below(3)) : field());
		put32(p, 8, below(4) ? 2 : below(6));
		put32(p, 12, below(4) ? below(4) : field());
		put32(p, 16, below(4) ? below(5) : field());
		return 20 + below(8);
	case VFU_CMD_REGION_READ:
	case VFU_CMD_REGION_WRITE:
		put64(p, 0, below(4) ? below(DEV_BAR0_SIZE) : field());
		put32(p, 8, below(8) ? below(9) : field());
		put32(p, 12, below(4) ? data : field());
		return cmd == VFU_CMD_REGION_READ ? 16 : 16 + data;
	case VFU_CMD_REGION_WRITE_MULTI:
		data = below(4);
		put64(p, 0, below(8) ? data : field());
		for (i = 0; i < data; i++) {
			put64(p, 8 + 24 * i, below(DEV_BAR0_SIZE));
			put32(p, 16 + 24 * i, below(9));
			put32(p, 20 + 24 * i, below(4) ? below(9) : field());
		}
		return 8 + 24 * data;
	case VFU_CMD_VERSION:
		put32(p, 0, 0);
		p[4 + data] = 0;
		return 4 + data + 1;
	default:
		put32(p, 0, 16 + below(64));
		put32(p, 8, below(10));
		return 16 + 16 * below(3);
	}
}

static size_t make_message(uint8_t *msg)
{
	struct vfu_hdr hdr = { .id = rnd(), .command = below(VFU_CMD_COUNT + 1) };
	size_t i, len;

	if (!below(200)) {
		len = 1 + below(200);
		for (i = 0; i < len; i++)
			msg[i] = rnd();
		return len;
	}
	len = sizeof(hdr) + make_payload(msg + sizeof(hdr), hdr.command);
	if (!below(50))
		len = below(len) + 1;
	hdr.size = below(200) ? len : field();
	hdr.flags = below(4) ? 0 : VFU_HDR_NO_REPLY;
	if (!below(200))
		hdr.flags = field();
	memcpy(msg, &hdr, len < sizeof(hdr) ? len : sizeof(hdr));
	return len;
}

/* What a GPU does meanwhile. */
static void device_step(void)
{
	unsigned int i;

	for (i = 0; i < 8; i++) {
		volatile uint8_t *p = vfu_dma_ptr(dev.vfu, below(64) * PAGE + below(PAGE),
						  1 + below(64), PROT_READ | PROT_WRITE);

		if (p)
			p[0]++;
	}
	vfu_irq_raise(dev.vfu, below(6));
}

/* Mostly what the command takes: memory to map, eventfds for interrupts. */
static unsigned int pick_fds(const uint8_t *msg, size_t len, int *fds)
{
	const struct vfu_hdr *hdr = (const void *)msg;
	unsigned int i, nr;

	if (len >= 36 && hdr->command == VFU_CMD_DMA_MAP && below(8)) {
		fds[0] = pool[below(2)];
		return 1;
	}
	if (len >= 36 && hdr->command == VFU_CMD_SET_IRQS && below(8)) {
		nr = msg[32] < 24 ? msg[32] : 24;
		for (i = 0; i < nr; i++)
			fds[i] = pool[2 + below(2)];
		return nr;
	}
	nr = below(10) ? 0 : below(10) ? below(3) : below(24);
	for (i = 0; i < nr; i++)
		fds[i] = pool[below(NR_POOL)];
	return nr;
}

static void fuzz_one(void)
{
	_Alignas(8) uint8_t msg[4096];
	int fds[24];
	size_t len = make_message(msg);
	unsigned int nr_fds = pick_fds(msg, len, fds);

	if (cl.fd < 0) {
		sessions++;
		if (below(20))
			client_start(&dev, &cl);
		else
			client_connect(&dev, &cl);
	}
	send_fds(cl.fd, msg, len, fds, nr_fds);
	dev_run(&dev);
	client_drain(&dev, &cl);
	device_step();
	if (!below(50) && ftruncate(pool[below(2)], below(16) * PAGE))
		perror("ftruncate");
	if (cl.fd >= 0 && !below(200)) {
		client_close(&dev, &cl);
		cl.fd = -1;
	}
}

static void open_pool(void)
{
	pool[0] = make_file(16 * PAGE);
	pool[1] = make_file(16 * PAGE);
	pool[2] = eventfd(0, EFD_CLOEXEC);
	pool[3] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (pipe2(&pool[4], O_CLOEXEC) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, &pool[6]))
		perror("pool");
}

int main(int argc, char **argv)
{
	unsigned long i, nr = argc > 1 ? strtoul(argv[1], NULL, 0) : 300000;
	unsigned int fds = count_fds();
	static struct reply rep;
	struct vfu_stats stats;

	state = argc > 2 ? strtoul(argv[2], NULL, 0) : 0x7e55;
	state += !state;
	open_pool();
	dev_open(&dev);
	for (i = 0; i < nr; i++)
		fuzz_one();
	if (cl.fd >= 0)
		client_close(&dev, &cl);
	vfu_get_stats(dev.vfu, &stats);
	printf("# %lu sessions, %llu commands, %llu refused, %llu dropped, %llu SIGBUS\n", sessions,
	       (unsigned long long)stats.messages, (unsigned long long)stats.errors,
	       (unsigned long long)stats.drops, (unsigned long long)stats.sigbus);
	ok(stats.messages > nr / 2 && stats.messages - stats.errors > nr / 10 &&
		   stats.drops > nr / 1000,
	   "%lu random messages were handled, refused and dropped", nr);
	ok(!vfu_dma_count(dev.vfu) && !vfu_connected(dev.vfu), "nothing of the clients is left");
	client_start(&dev, &cl);
	ok(!client_call(&dev, &cl, VFU_CMD_DEVICE_RESET, NULL, 0, NULL, 0, &rep),
	   "an honest client is served");
	client_close(&dev, &cl);
	dev_close(&dev);
	for (i = 0; i < NR_POOL; i++)
		close(pool[i]);
	ok(count_fds() == fds, "no descriptor is left");
	return done();
}
