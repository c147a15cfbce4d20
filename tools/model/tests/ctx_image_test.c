// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Images that are damaged, foreign or forged. Without a good checksum each is
 * refused and the slice is as it was. A forger makes the checksum good: then each
 * field that has a wrong value is refused, and what is accepted runs, within the
 * client's own memory, whatever it says.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ctx_rig.h"
#include "rv.h"
#include "tap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define CODE RIG_DATA
#define OUT (RIG_SYS + (2ULL << 20)) /* 2 MiB: all that the client's VM and stage 2 map */
/* Nothing is left to set in the tables, which stage 2 lets nobody write. */
#define PTE_USED (PTE_ALL | TESS_PTE_A | TESS_PTE_D)
#define GUARD (RIG_SYS + (4ULL << 20))
#define GUARD_SIZE (4ULL << 20)

static uint8_t good[CTX_SPACE];
static uint64_t good_size;

/* Save slice 0 into @good. */
static void keep(struct rig *r)
{
	ctx_halt(r, 0);
	ctx_op(r, 0, TESS_CTX_SAVE);
	good_size = hreg64(r, 0, TESS_HREG_CTX_USED);
	memcpy(good, ctx_image(r), good_size);
}

static void bring_back(struct rig *r)
{
	memcpy(ctx_image(r), good, good_size);
}

/* Slice 2, where images are tried, has a context of its own: is it still the same? */
static uint8_t own[CTX_SPACE];
static uint64_t own_size;

static bool unchanged(struct rig *r)
{
	struct tess_ctx_header *now = ctx_image(r);

	if (ctx_op(r, 2, TESS_CTX_SAVE) != TESS_CTX_DONE ||
	    hreg64(r, 2, TESS_HREG_CTX_USED) != own_size)
		return false;
	now->time = ((struct tess_ctx_header *)own)->time;
	now->checksum = ((struct tess_ctx_header *)own)->checksum;
	return !memcmp(now, own, own_size);
}

static void put_kernel(struct rig *r)
{
	const uint32_t code[] = {
		CSRRS(T0, 0xcd3, X0), SLLI(T1, T0, 3), ADD(T1, T1, A0), LUI(T2, 0xffff0),
		SD(T0, 0, T2),	      BARRIER,	       LD(S0, 0, T2),	ADD(S1, S1, S0),
		SD(S1, 0, T1),	      SD(S1, -8, SP),  JAL(X0, -20),
	};

	memcpy(rig_mem(r, CODE), code, sizeof(code));
}

static void push_kernel(struct rig *r, unsigned int n, uint32_t items, uint64_t root)
{
	struct tess_pkt_dispatch d = pkt_dispatch(CODE, OUT, items, 5);

	d.group_segment_size = 13;
	d.private_segment_size = 32;
	d.scratch_address = OUT + 0x10000;
	rig_set_vm(r, n, root);
	rig_push(r, n, &d);
	rig_doorbell(r, n);
	gpu_step(r->gpu, 700);
}

/* All of the client's memory is the first 4 MiB; stage 2, if it is on, enforces it. */
static uint64_t root1, root2;

/**
 * enum scene - what is in the image
 * @IDLE: nothing
 * @SMALL: one group
 * @KERNEL: three groups
 * @LARGE: eight groups
 * @FAULT: a COPY of an indirect buffer that has a client fault in its third row
 * @HFAULT: the same with a host fault
 */
enum scene { IDLE, SMALL, KERNEL, LARGE, FAULT, HFAULT };

static void make_tables(struct rig *r)
{
	root1 = rig_table(r, 1);
	root2 = rig_table(r, 4);
	for (uint64_t off = 0; off < 4ULL << 20; off += 2ULL << 20) {
		rig_map(r, root1, RIG_SYS + off, RIG_SYS + off, PTE_USED, 1);
		rig_map(r, root2, RIG_SYS + off, RIG_SYS + off, PTE_ALL, 1);
	}
	rig_map(r, root2, RIG_TABLES, RIG_TABLES, PTE_ALL & ~TESS_PTE_W, 1);
	/* Both stages lack something here. */
	rig_map(r, root1, 0x80000000, RIG_SYS + (6ULL << 20), PTE_USED, 1);
}

/* Rows of 4 KiB to the client's memory, the third one to @hole. */
static void push_faulting(struct rig *r, uint64_t hole)
{
	struct tess_pkt_indirect i = pkt_indirect(OUT + 0x40000, 2);
	struct tess_pkt_copy c = pkt_copy(hole - 2 * 0x1000 - 0x800, RIG_DATA, 0x1000);
	uint8_t *buffer = rig_mem(r, OUT + 0x40000);

	c.rows = 3;
	c.dst_pitch = 0x1000;
	for (uint64_t off = 0x1000; off <= 0x3000; off += 0x1000)
		rig_map(r, root1, hole - off, OUT + 0x90000 - off, PTE_USED, 0);
	memset(buffer, 0, DRM_TESSERA_PKT_SIZE);
	buffer[0] = DRM_TESSERA_PKT_NOP;
	memcpy(buffer + DRM_TESSERA_PKT_SIZE, &c, sizeof(c));
	hreg_write64(r, 0, TESS_HREG_STAGE2_ROOT, root2);
	hreg_write(r, 0, TESS_HREG_CONTROL, TESS_HCONTROL_RUN | TESS_HCONTROL_STAGE2);
	rig_set_vm(r, 0, root1);
	ok(rig_do(r, 0, &i) || hreg(r, 0, TESS_HREG_STATUS) & TESS_HSTATUS_FAULTED,
	   "a COPY that faults");
}

static void make_scene(struct rig *r, enum scene scene)
{
	static const uint8_t items[] = { [SMALL] = 5, [KERNEL] = 15, [LARGE] = 40 };

	put_kernel(r);
	switch (scene) {
	case IDLE:
		break;
	case FAULT:
		push_faulting(r, 0x60000000);
		break;
	case HFAULT:
		push_faulting(r, 0x80000000);
		break;
	default:
		push_kernel(r, 0, items[scene], root1);
	}
}

static struct rig *set_up(enum scene scene)
{
	struct rig *r = rig_new();

	make_tables(r);
	make_scene(r, scene);
	keep(r);
	/* The victim of the attempts has work of its own. */
	push_kernel(r, 2, 15, root1);
	ctx_halt(r, 2);
	ctx_op(r, 2, TESS_CTX_SAVE);
	own_size = hreg64(r, 2, TESS_HREG_CTX_USED);
	memcpy(own, ctx_image(r), own_size);
	return r;
}

static bool is_error(unsigned int status)
{
	return status >= TESS_CTX_ERR_UNSUPPORTED && status <= TESS_CTX_ERR_ENGINE;
}

/* Flip each bit of each byte, sign nothing. */
static void test_flips(enum scene scene, unsigned int stride)
{
	struct rig *r = set_up(scene);
	uint8_t *image = ctx_image(r);
	unsigned int tried = 0, refused = 0;

	for (uint64_t at = 0; at < good_size; at += 1 + (stride > 1 ? ctx_random(stride) : 0)) {
		bring_back(r);
		image[at] ^= (uint8_t)(1 << ctx_random(8));
		tried++;
		refused += is_error(ctx_op(r, 2, TESS_CTX_RESTORE));
	}
	ok(refused == tried && unchanged(r),
	   "%llu bytes, %u of them damaged one by one: all refused", (unsigned long long)good_size,
	   tried);
	rig_free(r);
}

static void test_errors(void)
{
	struct rig *r = set_up(IDLE);
	struct tess_ctx_header *h = ctx_image(r);

	memset(h, 0, good_size);
	ok(ctx_op(r, 2, TESS_CTX_RESTORE) == TESS_CTX_ERR_MAGIC, "zeros: MAGIC");
	bring_back(r);
	h->version = 2;
	ctx_sign(h);
	ok(ctx_op(r, 2, TESS_CTX_RESTORE) == TESS_CTX_ERR_VERSION, "another version: VERSION");
	bring_back(r);
	h->time++;
	ok(ctx_op(r, 2, TESS_CTX_RESTORE) == TESS_CTX_ERR_CHECKSUM, "damaged: CHECKSUM");
	bring_back(r);
	h->sections++;
	ctx_sign(h);
	ok(ctx_op(r, 2, TESS_CTX_RESTORE) == TESS_CTX_ERR_CONTENT, "forged: CONTENT");
	bring_back(r);
	h->size = ~7ULL;
	ok(ctx_op(r, 2, TESS_CTX_RESTORE) == TESS_CTX_ERR_CONTENT, "huge: CONTENT");
	bring_back(r);
	hreg_write64(r, 2, TESS_HREG_CTX_SIZE, 63);
	hreg_write(r, 2, TESS_HREG_CTX_OP, TESS_CTX_RESTORE);
	ok(hreg(r, 2, TESS_HREG_CTX_STATUS) == TESS_CTX_ERR_SPACE, "no header: SPACE");
	ok(unchanged(r), "the slice is as it was");
	rig_free(r);
}

/* Cut off at each multiple of 8: by the buffer, and by a header that says so. */
static void test_truncated(enum scene scene)
{
	struct rig *r = set_up(scene);
	struct tess_ctx_header *h = ctx_image(r);
	unsigned int tried = 0, refused = 0;

	for (uint64_t size = 0; size < good_size;
	     size += size < 2048 ? 8 : 8 * (1 + ctx_random(99))) {
		bring_back(r);
		hreg_write64(r, 2, TESS_HREG_CTX_SIZE, size);
		hreg_write64(r, 2, TESS_HREG_CTX_ADDR, CTX_BUFFER);
		hreg_write(r, 2, TESS_HREG_CTX_OP, TESS_CTX_RESTORE);
		refused += hreg(r, 2, TESS_HREG_CTX_STATUS) == TESS_CTX_ERR_SPACE;
		h->size = size;
		ctx_sign(h);
		refused += ctx_op(r, 2, TESS_CTX_RESTORE) == TESS_CTX_ERR_CONTENT;
		tried++;
	}
	ok(refused == 2 * tried && unchanged(r), "%llu bytes, cut off at %u places: all refused",
	   (unsigned long long)good_size, tried);
	rig_free(r);
}

/**
 * struct forgery - a field and a value that it must not have
 * @name: of the field
 * @type: of the section, 0: header
 * @off: in it
 * @size: bytes
 * @value: the value
 */
struct forgery {
	const char *name;
	uint32_t type;
	size_t off;
	size_t size;
	uint64_t value;
};

#define HEAD(field, val)                                                \
	{ "header." #field, 0, offsetof(struct tess_ctx_header, field), \
	  sizeof(((struct tess_ctx_header *)0)->field), val }
#define FIELD(t, s, field, val)                                   \
	{ #s "." #field, t, offsetof(struct tess_ctx_##s, field), \
	  sizeof(((struct tess_ctx_##s *)0)->field), val }
#define PAGE(reg, width, val) { #reg, TESS_CTX_CLIENT, 16 + TESS_SREG_##reg, width, val }
#define PACKET(off, size, val)                                                                  \
	{ "packet at " #off, TESS_CTX_PACKET, offsetof(struct tess_ctx_packet, packet) + (off), \
	  size, val }

static const struct forgery forgeries[] = {
	HEAD(header_size, 72),
	HEAD(sections, 0),
	HEAD(sections, 5),
	HEAD(sections, 0xffffffff),
	HEAD(kind, 0),
	HEAD(kind, 4),
	HEAD(size, 504),
	{ "header.reserved", 0, 60, 4, 1 },
	{ "CLIENT type", TESS_CTX_CLIENT, 0, 4, 2 },
	{ "CLIENT flags", TESS_CTX_CLIENT, 4, 4, 1 },
	{ "CLIENT size", TESS_CTX_CLIENT, 8, 8, 280 },
	{ "GROUP size", TESS_CTX_GROUP, 8, 8, 8 },
	{ "GROUP size", TESS_CTX_GROUP, 8, 8, ~7ULL },
	PAGE(KIND, 4, 1),
	PAGE(CORES, 4, 8),
	PAGE(ENGINES, 4, 3),
	PAGE(STATUS, 4, 0),
	PAGE(STATUS, 4, TESS_STATUS_ENABLED),
	PAGE(STATUS, 4, TESS_STATUS_ENABLED | TESS_STATUS_BUSY | TESS_STATUS_WAITING),
	PAGE(STATUS, 4, 0x13),
	PAGE(CONTROL, 4, 3),
	PAGE(CONTROL, 4, 0),
	PAGE(RESET, 4, 1),
	PAGE(RING_BASE, 8, RIG_SYS + 8),
	PAGE(RING_BASE, 8, 1ULL << 41),
	PAGE(RING_LOG2, 4, 3),
	PAGE(RING_LOG2, 4, 17),
	PAGE(RING_LOG2, 4, 64),
	PAGE(IRQ_STATUS, 4, 4),
	PAGE(COMPLETION, 8, RIG_SYS + 32),
	PAGE(COMPLETION, 8, 1ULL << 63),
	PAGE(FAULT_CAUSE, 4, 5),
	PAGE(FAULT_ADDR, 8, 5),
	PAGE(FAULT_ACK, 4, 1),
	PAGE(TLB_INVALIDATE, 4, 1),
	{ "hole of the page", TESS_CTX_CLIENT, 16 + 0x78, 8, 1 },
	FIELD(TESS_CTX_PROCESSOR, processor, root, 1ULL << 41),
	FIELD(TESS_CTX_PROCESSOR, processor, root, RIG_TABLES + 8),
	FIELD(TESS_CTX_PROCESSOR, processor, root, 0),
	FIELD(TESS_CTX_PROCESSOR, processor, ahead, TESS_CTX_TIME_END),
	FIELD(TESS_CTX_PROCESSOR, processor, ahead, ~0ULL),
	{ "processor.reserved", TESS_CTX_PROCESSOR, 26, 2, 1 },
	FIELD(TESS_CTX_PACKET, packet, phase, 0),
	FIELD(TESS_CTX_PACKET, packet, phase, 1),
	FIELD(TESS_CTX_PACKET, packet, phase, 3),
	FIELD(TESS_CTX_PACKET, packet, reserved0, 1),
	FIELD(TESS_CTX_PACKET, packet, indirect_count, 65537),
	FIELD(TESS_CTX_PACKET, packet, indirect_index, 1),
	FIELD(TESS_CTX_PACKET, packet, indirect_address, 64),
	FIELD(TESS_CTX_PACKET, packet, row, 1),
	FIELD(TESS_CTX_PACKET, packet, reserved1, 1),
	FIELD(TESS_CTX_PACKET, packet, offset, 4),
	FIELD(TESS_CTX_PACKET, packet, next_group, 0),
	FIELD(TESS_CTX_PACKET, packet, next_group, 1ULL << 32),
	FIELD(TESS_CTX_PACKET, packet, end_group, 1000),
	FIELD(TESS_CTX_PACKET, packet, last_end, TESS_CTX_TIME_END),
	PACKET(0, 1, 0x81),
	PACKET(0, 1, 0xff),
	PACKET(0, 2, 0x8002),
	PACKET(2, 2, 0),
	PACKET(4, 2, 0),
	PACKET(4, 2, 257),
	PACKET(10, 2, 1),
	PACKET(12, 4, 0),
	PACKET(12, 4, 1),
	PACKET(24, 4, 8),
	PACKET(28, 4, 65537),
	PACKET(28, 4, 12),
	PACKET(32, 8, 1),
	PACKET(48, 8, 0),
	PACKET(48, 8, 1ULL << 38),
	FIELD(TESS_CTX_GROUP, group, slot, 8),
	FIELD(TESS_CTX_GROUP, group, slot, 1),
	FIELD(TESS_CTX_GROUP, group, slot, 0xffffffff),
	FIELD(TESS_CTX_GROUP, group, index, 1),
	FIELD(TESS_CTX_GROUP, group, index, 1000),
	FIELD(TESS_CTX_GROUP, group, index, 0xffffffff),
	FIELD(TESS_CTX_GROUP, group, items, 0),
	FIELD(TESS_CTX_GROUP, group, items, 257),
	FIELD(TESS_CTX_GROUP, group, items, 0xffffffff),
	FIELD(TESS_CTX_GROUP, group, local_bytes, 16),
	FIELD(TESS_CTX_GROUP, group, local_bytes, 0xfffffff8),
	FIELD(TESS_CTX_GROUP, group, ahead, TESS_CTX_TIME_END),
	{ "fcsr", TESS_CTX_GROUP, 72 + 512, 4, 0x100 },
	{ "state", TESS_CTX_GROUP, 72 + 516, 4, 3 },
	{ "padding of local memory", TESS_CTX_GROUP, 72 + 5 * 520 + 13, 1, 1 },
};

static const struct forgery fault_forgeries[] = {
	PAGE(STATUS, 4, TESS_STATUS_ENABLED | TESS_STATUS_BUSY),
	PAGE(FAULT_CAUSE, 4, 9),
	PAGE(FAULT_CAUSE, 4, 21),
	PAGE(FAULT_CAUSE, 4, 32),
	PAGE(FAULT_CAUSE, 4, 0xffffffff),
	PAGE(FAULT_INFO, 4, 0x1000),
	PAGE(FAULT_INFO, 4, 0xc00),
	PAGE(FAULT_INDIRECT, 4, 65536),
	PAGE(FAULT_ASID, 4, 65536),
	FIELD(TESS_CTX_PROCESSOR, processor, root, 0),
	FIELD(TESS_CTX_PACKET, packet, row, 3),
	FIELD(TESS_CTX_PACKET, packet, offset, 0x1000),
	FIELD(TESS_CTX_PACKET, packet, next_group, 1),
	FIELD(TESS_CTX_PACKET, packet, indirect_index, 2),
	FIELD(TESS_CTX_PACKET, packet, indirect_count, 1),
	FIELD(TESS_CTX_PACKET, packet, indirect_count, 0),
	FIELD(TESS_CTX_PACKET, packet, indirect_address, 32),
	FIELD(TESS_CTX_PACKET, packet, phase, 0),
	PACKET(0, 1, 0x85),
	PACKET(0, 1, 0x82),
	PACKET(4, 4, 0),
	PACKET(24, 8, 0),
	PACKET(24, 8, (1ULL << 32) + 1),
	PACKET(48, 8, 1),
};

static const struct forgery hfault_forgeries[] = {
	PAGE(STATUS, 4, TESS_STATUS_ENABLED | TESS_STATUS_BUSY | TESS_STATUS_FAULTED),
	FIELD(TESS_CTX_HFAULT, hfault, cause, 0),
	FIELD(TESS_CTX_HFAULT, hfault, cause, 22),
	FIELD(TESS_CTX_HFAULT, hfault, cause, 15),
	FIELD(TESS_CTX_HFAULT, hfault, access, 3),
	FIELD(TESS_CTX_HFAULT, hfault, gpa, 1ULL << 41),
	FIELD(TESS_CTX_HFAULT, hfault, refused.cause, 15),
	FIELD(TESS_CTX_HFAULT, hfault, refused.cause, 0x10007),
	FIELD(TESS_CTX_HFAULT, hfault, refused.info, 0x80000000),
	FIELD(TESS_CTX_HFAULT, hfault, refused.indirect, 65536),
	FIELD(TESS_CTX_HFAULT, hfault, refused.asid, 65536),
	{ "HFAULT type", TESS_CTX_HFAULT, 0, 4, 7 },
	{ "HFAULT type", TESS_CTX_HFAULT, 0, 4, 4 },
	{ "HFAULT size", TESS_CTX_HFAULT, 8, 8, 72 },
};

static bool forgery_refused(struct rig *r, const struct forgery *f)
{
	uint8_t *at;

	bring_back(r);
	at = f->type ? ctx_section(r, f->type, 0) : ctx_image(r);
	if (!at)
		return false;
	memcpy(at + f->off, &f->value, f->size);
	ctx_sign(ctx_image(r));
	return ctx_op(r, 2, TESS_CTX_RESTORE) == TESS_CTX_ERR_CONTENT;
}

static void test_forgeries(enum scene scene, const struct forgery *f, size_t n)
{
	struct rig *r = set_up(scene);

	for (; n > 0; n--, f++)
		ok(forgery_refused(r, f), "%s = 0x%llx: CONTENT", f->name,
		   (unsigned long long)f->value);
	ok(unchanged(r), "the slice is as it was");
	bring_back(r);
	ok(ctx_op(r, 2, TESS_CTX_RESTORE) == TESS_CTX_DONE, "the good image is accepted");
	ok(ctx_op(r, 2, TESS_CTX_SAVE) == TESS_CTX_DONE &&
		   hreg64(r, 2, TESS_HREG_CTX_USED) == good_size,
	   "and saved again");
	rig_free(r);
}

/* What runs after a forged RESTORE: the work-items may do anything to the client's own memory. */
static void run_forged(struct rig *r)
{
	hreg_write64(r, 2, TESS_HREG_STAGE2_ROOT, root2);
	hreg_write(r, 2, TESS_HREG_CONTROL, TESS_HCONTROL_RUN | TESS_HCONTROL_STAGE2);
	for (unsigned int i = 0; i < 6; i++) {
		gpu_step(r->gpu, 1 + ctx_random(1500));
		if (hreg(r, 2, TESS_HREG_STATUS) & TESS_HSTATUS_FAULTED)
			hreg_write(r, 2, TESS_HREG_HFAULT_ACK, 1 + ctx_random(2));
		if (sreg(r, 2, TESS_SREG_STATUS) & TESS_STATUS_FAULTED)
			sreg_write(r, 2, TESS_SREG_FAULT_ACK, 1 + ctx_random(2));
	}
	hreg_write(r, 2, TESS_HREG_CONTROL, TESS_HCONTROL_STAGE2);
}

/* Change up to four words somewhere, favouring the first 1 KiB and small values. */
static void forge(uint8_t *image)
{
	for (uint32_t n = 1 + ctx_random(4); n > 0; n--) {
		uint64_t span = ctx_random(2) ? good_size : 1024;
		uint64_t at =
			64 +
			ctx_random((uint32_t)((span < good_size ? span : good_size) - 64)) / 4 * 4;
		uint32_t v = ctx_random(3) ? ctx_random(40) : ctx_random(0xffffffff);

		if (ctx_random(3) == 0)
			image[at] ^= (uint8_t)(1 << ctx_random(8));
		else
			memcpy(image + at, &v, sizeof(v));
	}
	ctx_sign(image);
}

static void test_fuzz(enum scene scene, unsigned int rounds)
{
	struct rig *r = set_up(scene);
	unsigned int accepted = 0, refused = 0, resaved = 0;
	uint8_t *guard = rig_mem(r, GUARD);
	bool clean = true;

	memset(guard, 0xa5, GUARD_SIZE);
	for (unsigned int i = 0; i < rounds; i++) {
		unsigned int status;

		bring_back(r);
		forge(ctx_image(r));
		status = ctx_op(r, 2, TESS_CTX_RESTORE);
		refused += is_error(status);
		if (status != TESS_CTX_DONE)
			continue;
		accepted++;
		run_forged(r);
		put_kernel(r);
		/* What was accepted can be saved, and that is accepted again. */
		resaved += ctx_op(r, 2, TESS_CTX_SAVE) == TESS_CTX_DONE &&
			   ctx_op(r, 2, TESS_CTX_RESTORE) == TESS_CTX_DONE;
	}
	for (uint64_t i = 0; i < GUARD_SIZE; i++)
		clean &= guard[i] == 0xa5;
	ok(accepted + refused == rounds && accepted > rounds / 50 && refused > rounds / 50,
	   "%u forged images: %u accepted and run, the others refused", rounds, accepted);
	ok(resaved == accepted, "what was accepted can be saved and restored again");
	ok(clean, "nothing outside of the client's memory was touched");
	rig_free(r);
}

/* The image is in memory that somebody changes between the looks that are taken at it. */
static void change(struct rig *r, uint64_t addr, bool write)
{
	struct tess_ctx_header *h = ctx_image(r);

	if (addr == CTX_BUFFER && !write)
		h->size = 8ULL * ctx_random(0x40000);
}

static void test_changing(void)
{
	struct rig *r = set_up(KERNEL);
	bool fine = true;

	for (unsigned int i = 0; i < 2000; i++) {
		bring_back(r);
		r->on_dma = change;
		fine &= is_error(ctx_op(r, 2, TESS_CTX_RESTORE));
		r->on_dma = NULL;
	}
	ok(fine && unchanged(r), "a header that changes all the time does no harm");
	rig_free(r);
}

int main(void)
{
	test_errors();
	test_flips(IDLE, 1);
	test_flips(SMALL, 1);
	test_flips(FAULT, 1);
	test_flips(HFAULT, 1);
	test_flips(LARGE, 40);
	test_truncated(IDLE);
	test_truncated(KERNEL);
	test_truncated(HFAULT);
	test_forgeries(KERNEL, forgeries, ARRAY_SIZE(forgeries));
	test_forgeries(FAULT, fault_forgeries, ARRAY_SIZE(fault_forgeries));
	test_forgeries(HFAULT, hfault_forgeries, ARRAY_SIZE(hfault_forgeries));
	test_fuzz(IDLE, 2000);
	test_fuzz(KERNEL, 4000);
	test_fuzz(FAULT, 2000);
	test_fuzz(HFAULT, 2000);
	test_changing();
	return done();
}
