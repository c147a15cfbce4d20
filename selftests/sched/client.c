// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: clients of shared slices
 *
 * Work is judged by what it leaves in memory: jobs count their work-items, and the
 * completion record says which FENCE has passed. Waiting looks at memory only, for a
 * register access of a client is work for the scheduler under test.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "patience.h"

#define PTE_TABLE(pa) ((pa) >> 12 << 10 | TESS_PTE_V)
#define PTE_LEAF(pa)                                                                         \
	((pa) >> 12 << 10 | TESS_PTE_V | TESS_PTE_R | TESS_PTE_W | TESS_PTE_X | TESS_PTE_U | \
	 TESS_PTE_A | TESS_PTE_D)

/* A field of the line of a vslice in the composition page */
#define COMPOSITION_FIELD(vslice, field)                                    \
	(TESS_COMPOSITION_PAGE + offsetof(struct tess_composition, slice) + \
	 (vslice) * sizeof(struct tess_composition_slice) +                 \
	 offsetof(struct tess_composition_slice, field))

static void make_tables(struct client *c, unsigned int vslice)
{
	uint64_t tables = TABLES_GPA(vslice), i;
	uint64_t *root = ram_at(&c->v, tables), *middle = ram_at(&c->v, tables + PAGE);
	uint64_t bank = VRAM(reg64(&c->v, COMPOSITION_FIELD(vslice, bank_offset)));
	uint64_t bank_size = reg64(&c->v, COMPOSITION_FIELD(vslice, bank_size));

	memset(root, 0, 2 * PAGE);
	root[0] = PTE_TABLE(tables + PAGE);
	for (i = 0; i < RAM_SIZE >> 21; i++)
		middle[i] = PTE_LEAF(RAM_GPA + (i << 21));
	for (i = 0; i < bank_size >> 21; i++)
		middle[(BANK_VA >> 21) + i] = PTE_LEAF(bank + (i << 21));
}

static void start_vslice(struct client *c, unsigned int vslice)
{
	ring_start(&c->r, &c->v, vslice);
	ring_set_vm(&c->r, TABLES_GPA(vslice));
}

void client_start(struct client *c)
{
	start_vslice(c, c->r.vslice);
}

int client_open_uuid(struct client *c, const char *uuid)
{
	int ret;

	memset(c, 0, sizeof(*c));
	ret = vgpu_open(&c->v, uuid);
	if (ret)
		return ret;
	make_tables(c, 0);
	tess_kernels_write(ram_at(&c->v, CODE_GPA));
	client_start(c);
	return 0;
}

void client_sibling(struct client *c, const struct client *first, unsigned int vslice)
{
	*c = (struct client){ .v = first->v };
	make_tables(c, vslice);
	start_vslice(c, vslice);
}

int client_open(struct client *c, const char *type)
{
	char uuid[37];
	int ret = mdev_create(type, uuid);

	if (ret)
		return ret;
	ret = client_open_uuid(c, uuid);
	if (ret)
		mdev_remove(uuid);
	return ret;
}

void client_close(struct client *c)
{
	vgpu_close(&c->v);
	mdev_remove(c->v.uuid);
}

bool client_room(const struct client *c, unsigned int packets)
{
	return c->r.wptr - c->r.rec->rptr + packets + 1 <= 1ULL << c->r.log2;
}

/* The arguments stay as they are while the packet is in the ring */
static uint64_t put_args(struct client *c, const void *args, size_t size)
{
	uint64_t gpa = ARGS_GPA(c->r.vslice) + c->r.wptr % (1ULL << c->r.log2) * ARGS_BYTES;

	memcpy(ram_at(&c->v, gpa), args, size);
	return VA(gpa);
}

void client_dispatch_packet(struct client *c, struct tess_pkt_dispatch *pkt, const void *args,
			    size_t size)
{
	pkt->kernarg_address = put_args(c, args, size);
	ring_put(&c->r, pkt);
}

void client_dispatch(struct client *c, uint64_t code, uint32_t groups, uint32_t items,
		     const void *args, size_t size)
{
	struct tess_pkt_dispatch pkt = {
		.header = DRM_TESSERA_PKT_DISPATCH | DRM_TESSERA_PKT_ACQUIRE_SYSTEM,
		.setup = 1,
		.wg_size = { items, 1, 1 },
		.grid_size = { groups * items, 1, 1 },
		.kernel_object = VA(code),
	};

	client_dispatch_packet(c, &pkt, args, size);
}

void client_kernel(struct client *c, enum tess_kernel k, uint32_t groups, uint32_t items)
{
	uint64_t args[2] = { VA(SUM_GPA(c->r.vslice)), 0 };

	client_dispatch(c, CODE_GPA + k * TESS_K_BYTES, groups, items, args, sizeof(args));
}

void client_delay(struct client *c, uint32_t groups, uint32_t items, uint64_t count)
{
	uint64_t args[2] = { VA(SUM_GPA(c->r.vslice)), count };

	client_dispatch(c, CODE_GPA + TESS_K_DELAY * TESS_K_BYTES, groups, items, args,
			sizeof(args));
	c->items += (uint64_t)groups * items;
}

void client_fence(struct client *c)
{
	ring_fence(&c->r, true);
}

bool client_idle(const struct client *c)
{
	return c->r.rec->seq == c->r.seq;
}

/* Why nothing comes any more */
static int stopped(struct client *c)
{
	static const char *const files[] = { "slice",	    "resident", "runnable",
					     "queue_depth", "switches", "wakeups" };
	unsigned int vslice = c->r.vslice;
	uint32_t status = client_reg32(&c->v, vslice, TESS_SREG_STATUS);
	char path[64];
	size_t i;

	printf("# %.8s/%u:", c->v.uuid, vslice);
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "vslice%u/%s", vslice, files[i]);
		printf(" %s %lld", files[i], client_value(c, path));
	}
	printf("\n# %.8s/%u: status %#x, fault %u at %#llx, pc %#llx, packets %llu of %llu\n",
	       c->v.uuid, vslice, status, client_reg32(&c->v, vslice, TESS_SREG_FAULT_CAUSE),
	       (unsigned long long)client_reg64(&c->v, c->r.vslice, TESS_SREG_FAULT_ADDR),
	       (unsigned long long)client_reg64(&c->v, c->r.vslice, TESS_SREG_FAULT_PC),
	       (unsigned long long)client_reg64(&c->v, c->r.vslice, TESS_SREG_RPTR),
	       (unsigned long long)c->r.wptr);
	return status & TESS_STATUS_FAULTED ? -EFAULT : -ETIME;
}

int client_wait(struct client *c)
{
	long now = now_ms(), end = now + CLIENT_WAIT_MS * patience(), look = now + 2000;

	for (; !client_idle(c); now = now_ms()) {
		/* A register access costs a trap, so faults are asked for every two seconds */
		if (now > end || (now > look && reg64(&c->v, TESS_REG_FAULT_PENDING)))
			return client_idle(c) ? 0 : stopped(c);
		if (now > look)
			look = now + 2000;
		sleep_ms(1);
	}
	return 0;
}

bool client_counted(const struct client *c)
{
	uint64_t at = SUM_GPA(c->r.vslice) - RAM_GPA, sum = *(volatile uint64_t *)(c->v.ram + at);

	if (sum == c->items)
		return true;
	printf("# %.8s/%u: %llu work-items were counted, not %llu\n", c->v.uuid, c->r.vslice,
	       (unsigned long long)sum, (unsigned long long)c->items);
	return false;
}

int client_starts_over(struct client *c)
{
	int ret;

	ring_reset(&c->r);
	client_start(c);
	client_delay(c, 8, 16, 10);
	client_fence(c);
	ret = client_wait(c);
	if (ret)
		return ret;
	return client_counted(c) ? 0 : -EIO;
}

int client_warm(struct client *c)
{
	client_delay(c, 8, 16, 1);
	client_fence(c);
	return client_wait(c);
}

uint64_t client_counter(struct client *c, unsigned int counter)
{
	return client_reg64(&c->v, c->r.vslice, TESS_SREG_COUNTERS + counter);
}

uint64_t client_time(struct client *c)
{
	return reg64(&c->v, TESS_REG_TIME);
}

void figure(const char *name, double value)
{
	printf("# figure %s %.6g\n", name, value);
	fflush(stdout);
}

double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

void sleep_ms(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

long setting(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? atol(text) : otherwise;
}
