// SPDX-License-Identifier: GPL-2.0-or-later
/* Context operations of ctx_rig.h. */
#include "ctx_rig.h"

#include <stdio.h>
#include <string.h>

static void run_bit(struct rig *r, unsigned int n, uint64_t run)
{
	uint64_t control = hreg(r, n, TESS_HREG_CONTROL) & ~(uint64_t)TESS_HCONTROL_RUN;

	hreg_write(r, n, TESS_HREG_CONTROL, control | run);
}

void ctx_halt(struct rig *r, unsigned int n)
{
	run_bit(r, n, 0);
}

void ctx_go(struct rig *r, unsigned int n)
{
	run_bit(r, n, TESS_HCONTROL_RUN);
}

unsigned int ctx_op(struct rig *r, unsigned int n, uint32_t op)
{
	hreg_write64(r, n, TESS_HREG_CTX_ADDR, CTX_BUFFER);
	hreg_write64(r, n, TESS_HREG_CTX_SIZE, CTX_SPACE);
	hreg_write(r, n, TESS_HREG_CTX_OP, op);
	return ctx_wait(r, n);
}

unsigned int ctx_wait(struct rig *r, unsigned int n)
{
	while (hreg(r, n, TESS_HREG_STATUS) & TESS_HSTATUS_BUSY)
		gpu_step(r->gpu, gpu_step_cycles(r->gpu));
	return (unsigned int)hreg(r, n, TESS_HREG_CTX_STATUS);
}

struct tess_ctx_switch ctx_desc(uint32_t flags)
{
	return (struct tess_ctx_switch){
		.flags = flags,
		.engines = TESS_ENGINE_ALL,
		.save_addr = CTX_SAVED,
		.save_size = CTX_SPACE,
		.restore_addr = CTX_BUFFER,
		.restore_size = CTX_SPACE,
		.links = ~0ULL,
		.throttle = 1024,
	};
}

struct tess_ctx_switch *ctx_result(struct rig *r)
{
	return rig_mem(r, CTX_DESC);
}

void ctx_switch_start(struct rig *r, unsigned int n, const struct tess_ctx_switch *d)
{
	*ctx_result(r) = *d;
	hreg_write64(r, n, TESS_HREG_CTX_ADDR, CTX_DESC);
	hreg_write(r, n, TESS_HREG_CTX_OP, TESS_CTX_SWITCH);
}

unsigned int ctx_switch(struct rig *r, unsigned int n, const struct tess_ctx_switch *d)
{
	ctx_switch_start(r, n, d);
	return ctx_wait(r, n);
}

uint64_t ctx_switch_move(struct rig *r, unsigned int from, unsigned int to)
{
	struct tess_ctx_switch d = ctx_desc(TESS_CTX_SWITCH_SAVE);
	uint64_t used;

	d.save_addr = CTX_BUFFER;
	if (ctx_switch(r, from, &d) != TESS_CTX_DONE)
		return 0;
	used = ctx_result(r)->used;
	d = ctx_desc(TESS_CTX_SWITCH_RESTORE | TESS_CTX_SWITCH_RUN);
	if (ctx_switch(r, to, &d) != TESS_CTX_DONE || ctx_result(r)->status != TESS_CTX_DONE)
		return 0;
	r->wptr[to] = sreg64(r, to, TESS_SREG_WPTR);
	return used;
}

uint64_t ctx_move(struct rig *r, unsigned int from, unsigned int to)
{
	uint64_t used;

	ctx_halt(r, from);
	if (ctx_op(r, from, TESS_CTX_SAVE) != TESS_CTX_DONE)
		return 0;
	used = hreg64(r, from, TESS_HREG_CTX_USED);
	hreg_write(r, from, TESS_HREG_RESET, 1);
	hreg_write(r, to, TESS_HREG_RESET, 1);
	ctx_halt(r, to);
	if (ctx_op(r, to, TESS_CTX_RESTORE) != TESS_CTX_DONE)
		return 0;
	r->wptr[to] = sreg64(r, to, TESS_SREG_WPTR);
	ctx_go(r, to);
	return hreg64(r, to, TESS_HREG_CTX_USED) == used ? used : 0;
}

void *ctx_image(struct rig *r)
{
	return rig_mem(r, CTX_BUFFER);
}

void *ctx_section(struct rig *r, uint32_t type, unsigned int nr)
{
	uint8_t *image = ctx_image(r);
	struct tess_ctx_header *h = (void *)image;
	uint8_t *at = image + h->header_size;

	for (uint32_t i = 0; i < h->sections; i++) {
		struct tess_ctx_section *sec = (void *)at;

		if (sec->type == type && !nr--)
			return sec;
		at += sec->size;
	}
	return NULL;
}

/* Bit by bit, unlike the model. */
static uint32_t crc_slow(const uint8_t *p, uint64_t size)
{
	uint32_t crc = ~0u;

	for (uint64_t i = 0; i < size; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
	}
	return ~crc;
}

void ctx_sign(void *image)
{
	struct tess_ctx_header *h = image;

	h->checksum = 0;
	h->checksum = crc_slow(image, h->size < CTX_SPACE ? h->size : CTX_SPACE);
}

uint32_t ctx_random(uint32_t n)
{
	static uint64_t seed = 7;

	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(seed >> 33) % n;
}
