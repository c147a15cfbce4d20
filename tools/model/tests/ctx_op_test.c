// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The operations themselves: status, time, events, errors that leave all as it
 * was, what is in an image and what is not, the checksum.
 */
#include <string.h>

#include "crc32c.h"
#include "ctx_rig.h"
#include "rv.h"
#include "tap.h"

static void test_crc(const char *name, uint32_t (*crc)(uint32_t, const void *, size_t))
{
	uint8_t buf[32];

	ok(crc(0, "123456789", 9) == 0xe3069283, "%s: check value", name);
	memset(buf, 0, sizeof(buf));
	ok(crc(0, buf, 32) == 0x8a9136aa, "%s: RFC 3720: zeros", name);
	memset(buf, 0xff, sizeof(buf));
	ok(crc(0, buf, 32) == 0x62a8ab43, "%s: RFC 3720: ones", name);
	for (unsigned int i = 0; i < 32; i++)
		buf[i] = (uint8_t)i;
	ok(crc(0, buf, 32) == 0x46dd794e, "%s: RFC 3720: ascending", name);
	ok(crc(crc(0, buf, 13), buf + 13, 19) == 0x46dd794e, "%s: in two parts", name);
}

static void test_states(struct rig *r)
{
	unsigned int irqs = r->irqs[TESS_IRQ_EVENT];

	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_IDLE, "IDLE after power-on");
	ok(ctx_op(r, 0, TESS_CTX_SAVE) == TESS_CTX_ERR_STATE, "SAVE of a running slice: STATE");
	ok(ctx_op(r, 0, TESS_CTX_RESTORE) == TESS_CTX_ERR_STATE, "RESTORE there: STATE");
	ok(ctx_op(r, 0, 0) == TESS_CTX_ERR_UNSUPPORTED &&
		   ctx_op(r, 0, 4) == TESS_CTX_ERR_UNSUPPORTED,
	   "unknown operations: UNSUPPORTED");
	ok(greg64(r, TESS_REG_EVENT_PENDING) == 1 && r->irqs[TESS_IRQ_EVENT] == irqs + 4,
	   "each ends with an event");
	gpu_reg_write(r->gpu, TESS_REG_EVENT_PENDING, 1, 8);
	ctx_halt(r, 0);
	hreg_write64(r, 0, TESS_HREG_CTX_ADDR, CTX_BUFFER);
	hreg_write64(r, 0, TESS_HREG_CTX_SIZE, CTX_SPACE);
	irqs = r->irqs[TESS_IRQ_EVENT];
	hreg_write(r, 0, TESS_HREG_CTX_OP, TESS_CTX_SAVE);
	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_BUSY &&
		   hreg(r, 0, TESS_HREG_STATUS) == (TESS_HSTATUS_HALTED | TESS_HSTATUS_BUSY) &&
		   !greg64(r, TESS_REG_EVENT_PENDING) && gpu_get_state(r->gpu) == GPU_RUNNING,
	   "BUSY");
	hreg_write(r, 0, TESS_HREG_CTX_OP, 9);
	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_BUSY, "CTX_OP is ignored while BUSY");
	gpu_step(r->gpu, 16);
	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_BUSY,
	   "16 cycles and one for up to 32 KiB:");
	gpu_step(r->gpu, 1);
	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_DONE &&
		   hreg64(r, 0, TESS_HREG_CTX_USED) == TESS_CTX_IDLE_SIZE &&
		   hreg(r, 0, TESS_HREG_STATUS) == TESS_HSTATUS_HALTED,
	   "after 17 it is DONE, 512 bytes");
	ok(greg64(r, TESS_REG_EVENT_PENDING) == 1 && r->irqs[TESS_IRQ_EVENT] == irqs + 1 &&
		   gpu_get_state(r->gpu) == GPU_IDLE,
	   "and says so once");
	hreg_write(r, 0, TESS_HREG_CTX_OP, TESS_CTX_SAVE);
	hreg_write(r, 0, TESS_HREG_RESET, 1);
	gpu_step(r->gpu, 512);
	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_IDLE && hreg(r, 0, TESS_HREG_STATUS) == 0 &&
		   r->irqs[TESS_IRQ_EVENT] == irqs + 1,
	   "a host RESET ends it without an event");
	rig_ring(r, 0);
}

/* Is the slice as it was when @image was saved? Two images of one state differ in time only. */
static bool still(struct rig *r, unsigned int n, const void *image, uint64_t size)
{
	struct tess_ctx_header *now = ctx_image(r);

	if (ctx_op(r, n, TESS_CTX_SAVE) != TESS_CTX_DONE ||
	    hreg64(r, n, TESS_HREG_CTX_USED) != size)
		return false;
	now->time = ((const struct tess_ctx_header *)image)->time;
	ctx_sign(now);
	return !memcmp(now, image, size);
}

static void test_addresses(struct rig *r)
{
	uint8_t image[TESS_CTX_IDLE_SIZE], *buf = ctx_image(r);

	ctx_halt(r, 0);
	ctx_op(r, 0, TESS_CTX_SAVE);
	memcpy(image, buf, sizeof(image));
	memset(buf, 0xee, TESS_PAGE_SIZE);
	hreg_write64(r, 0, TESS_HREG_CTX_SIZE, TESS_CTX_IDLE_SIZE - 1);
	hreg_write(r, 0, TESS_HREG_CTX_OP, TESS_CTX_SAVE);
	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_ERR_SPACE &&
		   hreg64(r, 0, TESS_HREG_CTX_USED) == TESS_CTX_IDLE_SIZE && buf[0] == 0xee,
	   "one byte less: SPACE, CTX_USED says how much, nothing is written");
	hreg_write64(r, 0, TESS_HREG_CTX_SIZE, TESS_CTX_IDLE_SIZE);
	hreg_write(r, 0, TESS_HREG_CTX_OP, TESS_CTX_SAVE);
	gpu_step(r->gpu, 32);
	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_DONE && buf[TESS_CTX_IDLE_SIZE] == 0xee,
	   "exactly enough");
	hreg_write64(r, 0, TESS_HREG_CTX_SIZE, TESS_CTX_IDLE_SIZE - 8);
	hreg_write(r, 0, TESS_HREG_CTX_OP, TESS_CTX_RESTORE);
	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_ERR_SPACE &&
		   hreg64(r, 0, TESS_HREG_CTX_USED) == TESS_CTX_IDLE_SIZE,
	   "RESTORE of a larger image: SPACE");
	for (unsigned int op = TESS_CTX_SAVE; op <= TESS_CTX_RESTORE; op++) {
		hreg_write64(r, 0, TESS_HREG_CTX_SIZE, CTX_SPACE);
		hreg_write64(r, 0, TESS_HREG_CTX_ADDR, 0);
		hreg_write(r, 0, TESS_HREG_CTX_OP, op);
		ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_ERR_ADDRESS, "no memory: ADDRESS");
		hreg_write64(r, 0, TESS_HREG_CTX_ADDR, RIG_VRAM(RIG_SLICES));
		hreg_write(r, 0, TESS_HREG_CTX_OP, op);
		ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_ERR_ADDRESS, "beyond the VRAM");
		hreg_write64(r, 0, TESS_HREG_CTX_ADDR, CTX_BUFFER + 64);
		hreg_write(r, 0, TESS_HREG_CTX_OP, op);
		ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_ERR_ADDRESS,
		   "not aligned to 4 KiB");
		hreg_write64(r, 0, TESS_HREG_CTX_ADDR, RIG_VRAM(2));
		hreg_write(r, 0, TESS_HREG_CTX_OP, op);
		gpu_step(r->gpu, 32);
		ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_DONE, "in VRAM it works");
	}
	hreg_write64(r, 0, TESS_HREG_CTX_ADDR, CTX_BUFFER);
	r->read_only = true;
	hreg_write(r, 0, TESS_HREG_CTX_OP, TESS_CTX_SAVE);
	r->read_only = false;
	ok(hreg(r, 0, TESS_HREG_CTX_STATUS) == TESS_CTX_ERR_ADDRESS, "SAVE to read-only memory");
	((struct tess_ctx_counters *)(image + 336))->counter[TESS_COUNTER_SWITCHES / 8] = 1;
	ctx_sign(image);
	ok(still(r, 0, image, sizeof(image)), "the slice is as it was, but for one RESTORE");
	hreg_write(r, 0, TESS_HREG_RESET, 1);
	rig_ring(r, 0);
}

/* Everything the client page shows, on a slice of another kind. */
static void test_registers(struct rig *r)
{
	static const uint32_t regs[] = {
		TESS_SREG_STATUS,     TESS_SREG_CONTROL,    TESS_SREG_RING_LOG2,
		TESS_SREG_IRQ_STATUS, TESS_SREG_RING_BASE,  TESS_SREG_RPTR,
		TESS_SREG_WPTR,	      TESS_SREG_COMPLETION, TESS_SREG_FENCE_SEQ,
	};
	struct tess_pkt_fence f = pkt_fence(6, DRM_TESSERA_FENCE_IRQ);
	struct tess_pkt_set_vm vm = pkt_set_vm(RIG_TABLES, 9, 0);
	uint64_t want[sizeof(regs) / sizeof(regs[0])], counters[TESS_COUNTER_COUNT];
	const struct tess_ctx_client *image;
	unsigned int irqs;
	bool good = true;

	rig_write64(r, RIG_RECORD(0) + 8, 6);
	rig_do(r, 0, &vm);
	rig_do(r, 0, &f);
	sreg_write(r, 0, TESS_SREG_CONTROL, 0);
	rig_push(r, 0, &f);
	rig_doorbell(r, 0);
	for (size_t i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		want[i] = sreg64(r, 0, regs[i]) + sreg(r, 0, regs[i]);
	for (unsigned int i = 0; i < TESS_COUNTER_COUNT; i++)
		counters[i] = counter(r, 0, i * 8);
	irqs = r->irqs[TESS_IRQ_COMPLETION];
	ok(ctx_move(r, 0, 1) == TESS_CTX_IDLE_SIZE, "moved to another kind");
	for (size_t i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		good &= sreg64(r, 1, regs[i]) + sreg(r, 1, regs[i]) == want[i];
	ok(good, "its registers read the same");
	ok(sreg(r, 1, TESS_SREG_KIND) == TESS_KIND_RENDER && sreg(r, 1, TESS_SREG_CORES) == 2,
	   "but for what the slice is");
	for (unsigned int i = 0, g = 1; i < TESS_COUNTER_COUNT; i++, good = g)
		g &= counter(r, 1, i * 8) == counters[i] + (i == TESS_COUNTER_SWITCHES / 8);
	ok(good, "its counters too, and one SWITCH more");
	ok(r->irqs[TESS_IRQ_COMPLETION] == irqs + 1,
	   "the completion not cleared is reported again");
	ok(counter(r, 0, TESS_COUNTER_PACKETS) == 0 && sreg64(r, 0, TESS_SREG_RING_BASE) == 0,
	   "nothing is left on the old slice after its reset");
	ok(gpu_reg_read(r->gpu, TESS_HOST_PAGE(1) + TESS_HREG_COUNTERS + TESS_COUNTER_SWITCHES,
			8) == 1 &&
		   gpu_reg_read(r->gpu,
				TESS_HOST_PAGE(1) + TESS_HREG_COUNTERS + TESS_COUNTER_PACKETS,
				8) == 0,
	   "the host's counters are the slice's own");
	image = ctx_section(r, TESS_CTX_CLIENT, 0);
	good = image != NULL;
	for (uint32_t off = 12; good && off < TESS_CTX_PAGE_BYTES; off += 4)
		good = !memcmp(image->page + off,
			       &(uint32_t){ (uint32_t)gpu_reg_read(r->gpu,
								   TESS_CLIENT_PAGE(1) + off, 4) },
			       4) ||
		       !memcmp(image->page + (off & ~7U),
			       &(uint64_t){
				       gpu_reg_read(r->gpu, TESS_CLIENT_PAGE(1) + (off & ~7U), 8) },
			       8);
	ok(good, "the CLIENT section is the page as it reads");
	sreg_write(r, 1, TESS_SREG_CONTROL, 1);
	rig_run(r, 100);
	ok(sreg64(r, 1, TESS_SREG_RPTR) == 3 && !rig_fault(r, 1), "and it goes on");
}

/* Host settings stay those of the slice. */
static void test_host_settings(struct rig *r)
{
	ctx_halt(r, 2);
	ctx_op(r, 2, TESS_CTX_SAVE);
	hreg_write(r, 3, TESS_HREG_THROTTLE, 99);
	hreg_write(r, 3, TESS_HREG_ENGINE_MASK, TESS_ENGINE_COPY);
	hreg_write64(r, 3, TESS_HREG_LINK_MASK, 5);
	hreg_write64(r, 3, TESS_HREG_STAGE2_ROOT, 0x4000);
	hreg_write(r, 3, TESS_HREG_CONTROL, TESS_HCONTROL_STAGE2);
	ok(ctx_op(r, 3, TESS_CTX_RESTORE) == TESS_CTX_DONE &&
		   hreg(r, 3, TESS_HREG_THROTTLE) == 99 &&
		   hreg(r, 3, TESS_HREG_ENGINE_MASK) == TESS_ENGINE_COPY &&
		   hreg64(r, 3, TESS_HREG_LINK_MASK) == 5 &&
		   hreg64(r, 3, TESS_HREG_STAGE2_ROOT) == 0x4000 &&
		   hreg(r, 3, TESS_HREG_CONTROL) == TESS_HCONTROL_STAGE2,
	   "throttle, masks and stage 2 are no part of a context");
	hreg_write(r, 3, TESS_HREG_RESET, 1);
	hreg_write(r, 2, TESS_HREG_RESET, 1);
	rig_ring(r, 2);
	rig_ring(r, 3);
}

/* RUN set while BUSY: the slice goes on once the operation has ended. */
static void test_run_while_busy(struct rig *r)
{
	struct tess_pkt_fence f = pkt_fence(r->wptr[2] + 50, 0);

	ctx_halt(r, 2);
	rig_push(r, 2, &f);
	rig_doorbell(r, 2);
	hreg_write64(r, 2, TESS_HREG_CTX_ADDR, CTX_BUFFER);
	hreg_write64(r, 2, TESS_HREG_CTX_SIZE, CTX_SPACE);
	hreg_write(r, 2, TESS_HREG_CTX_OP, TESS_CTX_SAVE);
	ctx_go(r, 2);
	gpu_step(r->gpu, 10);
	ok(sreg64(r, 2, TESS_SREG_RPTR) == 0 && hreg(r, 2, TESS_HREG_STATUS) == TESS_HSTATUS_BUSY,
	   "nothing runs while BUSY");
	rig_run(r, 100);
	ok(sreg64(r, 2, TESS_SREG_RPTR) == 1 && hreg(r, 2, TESS_HREG_CTX_STATUS) == TESS_CTX_DONE,
	   "then it does");
}

/* A COPY in progress needs the copy engine. */
static void test_engine(struct rig *r)
{
	struct tess_pkt_copy c = pkt_copy(RIG_DATA, RIG_DATA + 0x10000, 0x8000);

	rig_push(r, 2, &c);
	rig_doorbell(r, 2);
	gpu_step(r->gpu, 100);
	ctx_halt(r, 2);
	ok(ctx_op(r, 2, TESS_CTX_SAVE) == TESS_CTX_DONE &&
		   hreg64(r, 2, TESS_HREG_CTX_USED) ==
			   TESS_CTX_IDLE_SIZE + sizeof(struct tess_ctx_packet),
	   "a COPY is saved");
	ctx_halt(r, 1);
	hreg_write(r, 1, TESS_HREG_ENGINE_MASK, TESS_ENGINE_COMPUTE);
	ok(ctx_op(r, 1, TESS_CTX_RESTORE) == TESS_CTX_ERR_ENGINE, "without the engine: ENGINE");
	hreg_write(r, 1, TESS_HREG_ENGINE_MASK, TESS_ENGINE_ALL);
	ok(ctx_op(r, 1, TESS_CTX_RESTORE) == TESS_CTX_DONE, "with it: DONE");
	ctx_go(r, 1);
	rig_run(r, 1000);
	ok(counter(r, 1, TESS_COUNTER_BYTES) == 0x8000, "and it completes");
	hreg_write(r, 2, TESS_HREG_RESET, 1);
	rig_ring(r, 2);
}

/* The size follows the groups in flight, and what they have. */
static void test_size(struct rig *r)
{
	const uint32_t loop[] = { JAL(X0, 0) };
	uint64_t root = rig_table(r, 1), want;
	struct tess_pkt_dispatch d;

	memcpy(rig_mem(r, RIG_DATA), loop, sizeof(loop));
	rig_map(r, root, RIG_DATA, RIG_DATA, PTE_ALL, 0);
	for (uint32_t groups = 1; groups <= 12; groups += 3) {
		hreg_write(r, 0, TESS_HREG_RESET, 1);
		rig_ring(r, 0);
		rig_set_vm(r, 0, root);
		d = pkt_dispatch(RIG_DATA, 0, groups * 40 - 3, 40);
		d.group_segment_size = 1001;
		rig_push(r, 0, &d);
		rig_doorbell(r, 0);
		gpu_step(r->gpu, 1000);
		ctx_halt(r, 0);
		ctx_op(r, 0, TESS_CTX_SAVE);
		want = TESS_CTX_IDLE_SIZE + 144 +
		       (groups < 8 ? groups : 8) * (72 + 40 * 520 + 1008) -
		       (groups <= 8 ? 3 * 520 : 0);
		ok(hreg64(r, 0, TESS_HREG_CTX_USED) == want, "%u groups: %llu bytes", groups,
		   (unsigned long long)want);
	}
	d = pkt_dispatch(RIG_DATA, 0, 256 * 8, 256);
	d.group_segment_size = 65536;
	hreg_write(r, 0, TESS_HREG_RESET, 1);
	rig_ring(r, 0);
	rig_set_vm(r, 0, root);
	rig_push(r, 0, &d);
	rig_doorbell(r, 0);
	gpu_step(r->gpu, 1000);
	ctx_halt(r, 0);
	ctx_op(r, 0, TESS_CTX_SAVE);
	want = hreg64(r, 0, TESS_HREG_CTX_USED);
	ok(want == TESS_CTX_IDLE_SIZE + 144 + 8 * (72 + 256 * 520 + 65536ULL) &&
		   want <= TESS_CTX_MAX_SIZE,
	   "the largest: %llu bytes", (unsigned long long)want);
	hreg_write(r, 0, TESS_HREG_CTX_OP, TESS_CTX_SAVE);
	gpu_step(r->gpu, (unsigned int)(16 + (want + 32767) / 32768 - 1));
	ok(hreg(r, 0, TESS_HREG_STATUS) & TESS_HSTATUS_BUSY, "takes its time");
	gpu_step(r->gpu, 1);
	ok(!(hreg(r, 0, TESS_HREG_STATUS) & TESS_HSTATUS_BUSY), "and no more");
}

int main(void)
{
	struct rig *r = rig_new();

	test_crc("CRC-32C", crc32c);
	test_crc("by table", crc32c_by_table);
	test_states(r);
	test_addresses(r);
	test_registers(r);
	test_host_settings(r);
	test_run_while_busy(r);
	test_engine(r);
	test_size(r);
	rig_free(r);
	return done();
}
