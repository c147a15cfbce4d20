// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Layouts and numbers of the hardware headers against those of Documentation/hw/,
 * written down here a second time. Registers are in regs_test.c.
 */
#include <stddef.h>

#include <drm/tessera_packet.h>
#include <tessera/hw/tess_context.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/hw/tess_regs.h>

#include "tap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/**
 * struct field - a member of a structure
 * @name: to show
 * @offset: by the header
 * @size: by the header
 * @want_offset: by the specification
 * @want_size: by the specification
 */
struct field {
	const char *name;
	size_t offset;
	size_t size;
	size_t want_offset;
	size_t want_size;
};

#define FIELD(type, member, at, bytes)                                                          \
	{ #type "." #member, offsetof(struct type, member), sizeof(((struct type *)0)->member), \
	  at, bytes }

static const struct field fields[] = {
	FIELD(tess_pkt_dispatch, header, 0, 2),
	FIELD(tess_pkt_dispatch, setup, 2, 2),
	FIELD(tess_pkt_dispatch, wg_size, 4, 6),
	FIELD(tess_pkt_dispatch, reserved0, 10, 2),
	FIELD(tess_pkt_dispatch, grid_size, 12, 12),
	FIELD(tess_pkt_dispatch, private_segment_size, 24, 4),
	FIELD(tess_pkt_dispatch, group_segment_size, 28, 4),
	FIELD(tess_pkt_dispatch, kernel_object, 32, 8),
	FIELD(tess_pkt_dispatch, kernarg_address, 40, 8),
	FIELD(tess_pkt_dispatch, scratch_address, 48, 8),
	FIELD(tess_pkt_dispatch, completion_signal, 56, 8),
	FIELD(tess_pkt_set_vm, flags, 2, 2),
	FIELD(tess_pkt_set_vm, asid, 4, 2),
	FIELD(tess_pkt_set_vm, reserved0, 6, 2),
	FIELD(tess_pkt_set_vm, root, 8, 8),
	FIELD(tess_pkt_set_vm, reserved1, 16, 48),
	FIELD(tess_pkt_indirect, reserved0, 2, 2),
	FIELD(tess_pkt_indirect, count, 4, 4),
	FIELD(tess_pkt_indirect, address, 8, 8),
	FIELD(tess_pkt_indirect, reserved1, 16, 48),
	FIELD(tess_pkt_copy, reserved0, 2, 2),
	FIELD(tess_pkt_copy, rows, 4, 4),
	FIELD(tess_pkt_copy, src, 8, 8),
	FIELD(tess_pkt_copy, dst, 16, 8),
	FIELD(tess_pkt_copy, row_bytes, 24, 8),
	FIELD(tess_pkt_copy, src_pitch, 32, 8),
	FIELD(tess_pkt_copy, dst_pitch, 40, 8),
	FIELD(tess_pkt_copy, reserved1, 48, 16),
	FIELD(tess_pkt_fill, reserved0, 2, 2),
	FIELD(tess_pkt_fill, rows, 4, 4),
	FIELD(tess_pkt_fill, dst, 8, 8),
	FIELD(tess_pkt_fill, row_bytes, 16, 8),
	FIELD(tess_pkt_fill, dst_pitch, 24, 8),
	FIELD(tess_pkt_fill, pattern, 32, 4),
	FIELD(tess_pkt_fill, reserved1, 36, 4),
	FIELD(tess_pkt_fill, reserved2, 40, 24),
	FIELD(tess_pkt_fence, flags, 2, 2),
	FIELD(tess_pkt_fence, reserved0, 4, 4),
	FIELD(tess_pkt_fence, seq, 8, 8),
	FIELD(tess_pkt_fence, reserved1, 16, 48),
	FIELD(tess_pkt_wait, op, 2, 2),
	FIELD(tess_pkt_wait, reserved0, 4, 4),
	FIELD(tess_pkt_wait, address, 8, 8),
	FIELD(tess_pkt_wait, value, 16, 8),
	FIELD(tess_pkt_wait, mask, 24, 8),
	FIELD(tess_pkt_wait, reserved1, 32, 32),
	FIELD(tess_pkt_signal, op, 2, 2),
	FIELD(tess_pkt_signal, reserved0, 4, 4),
	FIELD(tess_pkt_signal, address, 8, 8),
	FIELD(tess_pkt_signal, value, 16, 8),
	FIELD(tess_pkt_signal, reserved1, 24, 40),
	FIELD(tess_pkt_timestamp, flags, 2, 2),
	FIELD(tess_pkt_timestamp, reserved0, 4, 4),
	FIELD(tess_pkt_timestamp, address, 8, 8),
	FIELD(tess_pkt_timestamp, reserved1, 16, 48),
	FIELD(tess_pkt_draw, flags, 2, 2),
	FIELD(tess_pkt_draw, count, 4, 4),
	FIELD(tess_pkt_draw, state, 8, 8),
	FIELD(tess_pkt_draw, vertices, 16, 8),
	FIELD(tess_pkt_draw, reserved1, 24, 40),
	FIELD(tess_counter_block, time, 0, 8),
	FIELD(tess_counter_block, busy, 8, 8),
	FIELD(tess_counter_block, stall, 16, 8),
	FIELD(tess_counter_block, instructions, 24, 8),
	FIELD(tess_counter_block, flops, 32, 8),
	FIELD(tess_counter_block, bytes, 40, 8),
	FIELD(tess_counter_block, link_bytes, 48, 8),
	FIELD(tess_counter_block, groups, 56, 8),
	FIELD(tess_completion_record, seq, 0, 8),
	FIELD(tess_completion_record, event, 8, 8),
	FIELD(tess_completion_record, rptr, 16, 8),
	FIELD(tess_completion_record, time, 24, 8),
	FIELD(tess_completion_record, reserved, 32, 32),
	FIELD(tess_composition, magic, 0x00, 4),
	FIELD(tess_composition, version, 0x04, 4),
	FIELD(tess_composition, seq, 0x08, 8),
	FIELD(tess_composition, generation, 0x10, 8),
	FIELD(tess_composition, slice_mask, 0x18, 8),
	FIELD(tess_composition, vram_size, 0x20, 8),
	FIELD(tess_composition, slice_count, 0x28, 4),
	FIELD(tess_composition, topology, 0x2c, 4),
	FIELD(tess_composition, engines, 0x30, 4),
	FIELD(tess_composition, heads, 0x34, 4),
	FIELD(tess_composition, reserved, 0x38, 72),
	FIELD(tess_composition, slice, 0x80, 3072),
	FIELD(tess_composition_slice, id, 0x00, 4),
	FIELD(tess_composition_slice, kind, 0x04, 4),
	FIELD(tess_composition_slice, cores, 0x08, 4),
	FIELD(tess_composition_slice, engines, 0x0c, 4),
	FIELD(tess_composition_slice, bank_offset, 0x10, 8),
	FIELD(tess_composition_slice, bank_size, 0x18, 8),
	FIELD(tess_composition_slice, links, 0x20, 8),
	FIELD(tess_composition_slice, flags, 0x28, 4),
	FIELD(tess_composition_slice, gpu, 0x2c, 4),
	FIELD(tess_ctx_header, magic, 0, 4),
	FIELD(tess_ctx_header, version, 4, 2),
	FIELD(tess_ctx_header, header_size, 6, 2),
	FIELD(tess_ctx_header, size, 8, 8),
	FIELD(tess_ctx_header, sections, 16, 4),
	FIELD(tess_ctx_header, kind, 20, 4),
	FIELD(tess_ctx_header, time, 24, 8),
	FIELD(tess_ctx_header, checksum, 32, 4),
	FIELD(tess_ctx_header, reserved, 36, 28),
	FIELD(tess_ctx_section, type, 0, 4),
	FIELD(tess_ctx_section, flags, 4, 4),
	FIELD(tess_ctx_section, size, 8, 8),
	FIELD(tess_ctx_client, page, 16, 256),
	FIELD(tess_ctx_counters, counter, 16, 120),
	FIELD(tess_ctx_processor, root, 16, 8),
	FIELD(tess_ctx_processor, asid, 24, 2),
	FIELD(tess_ctx_processor, reserved, 26, 6),
	FIELD(tess_ctx_processor, ahead, 32, 8),
	FIELD(tess_ctx_packet, phase, 16, 4),
	FIELD(tess_ctx_packet, reserved0, 20, 4),
	FIELD(tess_ctx_packet, packet, 24, 64),
	FIELD(tess_ctx_packet, indirect_address, 88, 8),
	FIELD(tess_ctx_packet, indirect_count, 96, 4),
	FIELD(tess_ctx_packet, indirect_index, 100, 4),
	FIELD(tess_ctx_packet, row, 104, 4),
	FIELD(tess_ctx_packet, reserved1, 108, 4),
	FIELD(tess_ctx_packet, offset, 112, 8),
	FIELD(tess_ctx_packet, next_group, 120, 8),
	FIELD(tess_ctx_packet, end_group, 128, 8),
	FIELD(tess_ctx_packet, last_end, 136, 8),
	FIELD(tess_ctx_hfault, cause, 16, 4),
	FIELD(tess_ctx_hfault, access, 20, 4),
	FIELD(tess_ctx_hfault, gpa, 24, 8),
	FIELD(tess_ctx_hfault, va, 32, 8),
	FIELD(tess_ctx_hfault, refused, 40, 40),
	FIELD(tess_ctx_fault, cause, 0, 4),
	FIELD(tess_ctx_fault, info, 4, 4),
	FIELD(tess_ctx_fault, addr, 8, 8),
	FIELD(tess_ctx_fault, pc, 16, 8),
	FIELD(tess_ctx_fault, packet, 24, 8),
	FIELD(tess_ctx_fault, indirect, 32, 4),
	FIELD(tess_ctx_fault, asid, 36, 4),
	FIELD(tess_ctx_group, slot, 16, 4),
	FIELD(tess_ctx_group, index, 20, 4),
	FIELD(tess_ctx_group, items, 24, 4),
	FIELD(tess_ctx_group, local_bytes, 28, 4),
	FIELD(tess_ctx_group, wave, 32, 2),
	FIELD(tess_ctx_group, pending, 34, 2),
	FIELD(tess_ctx_group, quantum, 36, 4),
	FIELD(tess_ctx_group, leader, 40, 16),
	FIELD(tess_ctx_group, instret, 56, 8),
	FIELD(tess_ctx_group, ahead, 64, 8),
	FIELD(tess_ctx_item, pc, 0, 8),
	FIELD(tess_ctx_item, x, 8, 248),
	FIELD(tess_ctx_item, f, 256, 256),
	FIELD(tess_ctx_item, fcsr, 512, 4),
	FIELD(tess_ctx_item, state, 516, 4),
	FIELD(tess_ctx_switch, flags, 0, 4),
	FIELD(tess_ctx_switch, engines, 4, 4),
	FIELD(tess_ctx_switch, save_addr, 8, 8),
	FIELD(tess_ctx_switch, save_size, 16, 8),
	FIELD(tess_ctx_switch, restore_addr, 24, 8),
	FIELD(tess_ctx_switch, restore_size, 32, 8),
	FIELD(tess_ctx_switch, stage2_root, 40, 8),
	FIELD(tess_ctx_switch, links, 48, 8),
	FIELD(tess_ctx_switch, timer, 56, 8),
	FIELD(tess_ctx_switch, throttle, 64, 4),
	FIELD(tess_ctx_switch, notify, 68, 4),
	FIELD(tess_ctx_switch, reserved0, 72, 8),
	FIELD(tess_ctx_switch, status, 80, 4),
	FIELD(tess_ctx_switch, reserved1, 84, 4),
	FIELD(tess_ctx_switch, used, 88, 8),
	FIELD(tess_ctx_switch, time, 96, 8),
	FIELD(tess_ctx_switch, reserved2, 104, 24),
};

static const struct {
	const char *name;
	unsigned long long value;
	unsigned long long want;
} numbers[] = {
#define NUMBER(name, want) { #name, name, want }
	NUMBER(TESS_PKT_DISPATCH, 0x02),
	NUMBER(TESS_PKT_NOP, 0x80),
	NUMBER(TESS_PKT_SET_VM, 0x81),
	NUMBER(TESS_PKT_INDIRECT, 0x82),
	NUMBER(TESS_PKT_COPY, 0x83),
	NUMBER(TESS_PKT_FILL, 0x84),
	NUMBER(TESS_PKT_FENCE, 0x85),
	NUMBER(TESS_PKT_WAIT, 0x86),
	NUMBER(TESS_PKT_SIGNAL, 0x87),
	NUMBER(TESS_PKT_TIMESTAMP, 0x88),
	NUMBER(TESS_PKT_DISPATCH_RANGE, 0x89),
	NUMBER(TESS_PKT_DRAW, 0x90),
	NUMBER(TESS_PKT_HEADER_RESERVED, 0xe000),
	NUMBER(TESS_PKT_ACQUIRE_MASK, 0x600),
	NUMBER(TESS_PKT_RELEASE_MASK, 0x1800),
	NUMBER(TESS_PKT_BARRIER, 0x100),
	NUMBER(TESS_MAX_INDIRECT, 65536),
	NUMBER(TESS_MAX_GROUP_ITEMS, 256),
	NUMBER(TESS_MAX_LOCAL_BYTES, 65536),
	NUMBER(TESS_GROUP_SLOTS, 8),
	NUMBER(TESS_WAIT_EQ, 0),
	NUMBER(TESS_WAIT_NE, 1),
	NUMBER(TESS_WAIT_GE, 2),
	NUMBER(TESS_WAIT_LT, 3),
	NUMBER(TESS_SIGNAL_SET, 0),
	NUMBER(TESS_SIGNAL_ADD, 1),
	NUMBER(TESS_SIGNAL_OR, 2),
	NUMBER(TESS_CAUSE_FETCH_MISALIGNED, 0),
	NUMBER(TESS_CAUSE_FETCH_ACCESS, 1),
	NUMBER(TESS_CAUSE_ILLEGAL_INSN, 2),
	NUMBER(TESS_CAUSE_BREAKPOINT, 3),
	NUMBER(TESS_CAUSE_LOAD_MISALIGNED, 4),
	NUMBER(TESS_CAUSE_LOAD_ACCESS, 5),
	NUMBER(TESS_CAUSE_STORE_MISALIGNED, 6),
	NUMBER(TESS_CAUSE_STORE_ACCESS, 7),
	NUMBER(TESS_CAUSE_ECALL, 8),
	NUMBER(TESS_CAUSE_FETCH_PAGE, 12),
	NUMBER(TESS_CAUSE_LOAD_PAGE, 13),
	NUMBER(TESS_CAUSE_STORE_PAGE, 15),
	NUMBER(TESS_CAUSE_FETCH_GUEST_PAGE, 20),
	NUMBER(TESS_CAUSE_LOAD_GUEST_PAGE, 21),
	NUMBER(TESS_CAUSE_STORE_GUEST_PAGE, 23),
	NUMBER(TESS_CAUSE_ILLEGAL_PACKET, 24),
	NUMBER(TESS_CAUSE_PRIVILEGED_PACKET, 25),
	NUMBER(TESS_CAUSE_ENGINE_DISABLED, 26),
	NUMBER(TESS_CAUSE_LINK_DISABLED, 27),
	NUMBER(TESS_CAUSE_DOORBELL, 28),
	NUMBER(TESS_CAUSE_NO_COMPLETION, 29),
	NUMBER(TESS_CAUSE_NOT_PREEMPTED, 30),
	NUMBER(TESS_CAUSE_CONTEXT_LOST, 31),
	NUMBER(TESS_FAULT_INFO_PACKET, 0xff),
	NUMBER(TESS_FAULT_INFO_INDIRECT, 0x100),
	NUMBER(TESS_FAULT_INFO_HART, 0x200),
	NUMBER(TESS_FAULT_INFO_ACCESS, 0xc00),
	NUMBER(TESS_IRQ_COMPLETION, 0),
	NUMBER(TESS_IRQ_FAULT, 1),
	NUMBER(TESS_IRQ_EVENT, 2),
	NUMBER(TESS_IRQ_DISPLAY, 3),
	NUMBER(TESS_ENGINE_COMPUTE, 1),
	NUMBER(TESS_ENGINE_COPY, 2),
	NUMBER(TESS_ENGINE_RASTER, 4),
	NUMBER(TESS_ENGINE_DISPLAY, 8),
	NUMBER(TESS_PA_VRAM, 1ULL << 40),
	NUMBER(TESS_PA_END, 1ULL << 41),
	NUMBER(TESS_VA_END, 1ULL << 38),
	NUMBER(TESS_PTE_V, 0x01),
	NUMBER(TESS_PTE_R, 0x02),
	NUMBER(TESS_PTE_W, 0x04),
	NUMBER(TESS_PTE_X, 0x08),
	NUMBER(TESS_PTE_U, 0x10),
	NUMBER(TESS_PTE_G, 0x20),
	NUMBER(TESS_PTE_A, 0x40),
	NUMBER(TESS_PTE_D, 0x80),
	NUMBER(TESS_PTE_PPN, 0x003ffffffffffc00),
	NUMBER(TESS_PTE_RESERVED, 0xffc0000000000000),
	NUMBER(TESS_PT_SHIFT(0), 12),
	NUMBER(TESS_PT_SHIFT(1), 21),
	NUMBER(TESS_PT_SHIFT(2), 30),
	NUMBER(TESS_PT_ROOT2_ENTRIES, 2048),
	NUMBER(TESS_CAPS_SWITCH, 0x40),
	NUMBER(TESS_NOTIFY_IDLE, 1),
	NUMBER(TESS_EVENTS_CONTEXT, 1),
	NUMBER(TESS_EVENTS_TIMER, 2),
	NUMBER(TESS_EVENTS_IDLE, 4),
	NUMBER(TESS_CTX_SAVE, 1),
	NUMBER(TESS_CTX_RESTORE, 2),
	NUMBER(TESS_CTX_SWITCH, 3),
	NUMBER(TESS_CTX_SWITCH_SAVE, 1),
	NUMBER(TESS_CTX_SWITCH_RESTORE, 2),
	NUMBER(TESS_CTX_SWITCH_RUN, 4),
	NUMBER(TESS_CTX_SWITCH_STAGE2, 8),
	NUMBER(TESS_CTX_ERR_UNSUPPORTED, 16),
	NUMBER(TESS_CTX_ERR_SPACE, 17),
	NUMBER(TESS_CTX_ERR_ADDRESS, 18),
	NUMBER(TESS_CTX_ERR_MAGIC, 19),
	NUMBER(TESS_CTX_ERR_VERSION, 20),
	NUMBER(TESS_CTX_ERR_CHECKSUM, 21),
	NUMBER(TESS_CTX_ERR_CONTENT, 22),
	NUMBER(TESS_CTX_ERR_STATE, 23),
	NUMBER(TESS_CTX_ERR_ENGINE, 24),
	NUMBER(TESS_CTX_MAGIC, 0x58544354),
	NUMBER(TESS_CTX_VERSION, 1),
	NUMBER(TESS_CTX_IDLE_SIZE, 512),
	NUMBER(TESS_CTX_CLIENT, 1),
	NUMBER(TESS_CTX_COUNTERS, 2),
	NUMBER(TESS_CTX_PROCESSOR, 3),
	NUMBER(TESS_CTX_PACKET, 4),
	NUMBER(TESS_CTX_HFAULT, 5),
	NUMBER(TESS_CTX_GROUP, 6),
};

static void test_sizes(void)
{
	ok(sizeof(struct tess_pkt_dispatch) == 64 && sizeof(struct tess_pkt_set_vm) == 64 &&
		   sizeof(struct tess_pkt_indirect) == 64 && sizeof(struct tess_pkt_copy) == 64 &&
		   sizeof(struct tess_pkt_fill) == 64 && sizeof(struct tess_pkt_fence) == 64 &&
		   sizeof(struct tess_pkt_wait) == 64 && sizeof(struct tess_pkt_signal) == 64 &&
		   sizeof(struct tess_pkt_timestamp) == 64 && sizeof(struct tess_pkt_draw) == 64,
	   "packets have 64 bytes");
	ok(sizeof(struct tess_completion_record) == 64 && sizeof(struct tess_counter_block) == 64 &&
		   sizeof(struct tess_composition_slice) == 48,
	   "records");
	ok(sizeof(struct tess_ctx_header) == 64 && sizeof(struct tess_ctx_section) == 16 &&
		   sizeof(struct tess_ctx_client) == 272 &&
		   sizeof(struct tess_ctx_counters) == 136 &&
		   sizeof(struct tess_ctx_processor) == 40 &&
		   sizeof(struct tess_ctx_packet) == 144 && sizeof(struct tess_ctx_hfault) == 80 &&
		   sizeof(struct tess_ctx_group) == 72 && sizeof(struct tess_ctx_item) == 520,
	   "sections of a context image");
	ok(sizeof(struct tess_ctx_switch) == 128, "descriptor of a SWITCH");
}

int main(void)
{
	test_sizes();
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		ok(fields[i].offset == fields[i].want_offset &&
			   fields[i].size == fields[i].want_size,
		   "%s: %zu bytes at %zu", fields[i].name, fields[i].want_size,
		   fields[i].want_offset);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		ok(numbers[i].value == numbers[i].want, "%s is 0x%llx", numbers[i].name,
		   numbers[i].want);
	return done();
}
