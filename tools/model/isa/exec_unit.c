// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: instructions of units
 *
 * Operands are gathered from the registers of one lane after the other. Units
 * compute with the host's floating point, but neither its rounding mode nor its
 * flags are those of the hart.
 */
#include "fp.h"
#include "hostfp.h"
#include "unit.h"

static void gather(const struct isa_wave *w, unsigned int lane, unsigned int reg, unsigned int n,
		   float *out)
{
	for (unsigned int k = 0; k < n; k++)
		out[k] = fp_to_float(fp_unbox(w->f[reg + k][lane]));
}

/* Payloads and signs of NaNs are the host's. */
static void scatter(struct isa_wave *w, unsigned int lane, unsigned int reg, unsigned int n,
		    const float *in)
{
	for (unsigned int k = 0; k < n; k++) {
		uint32_t bits = fp_from_float(in[k]);

		w->f[reg + k][lane] = fp_box((bits & 0x7fffffff) > 0x7f800000 ? SF_NAN32 : bits);
	}
}

static bool lane_tex(struct unit *u, const struct isa_insn *i, unsigned int lane)
{
	struct isa_wave *w = u->c->w;
	float at[3], out[4];

	gather(w, lane, i->rs2, 3, at);
	if (!unit_tex(u, w->x[i->rs1][lane], at, out))
		return false;
	scatter(w, lane, i->rd, 4, out);
	return true;
}

static bool lane_rop(struct unit *u, const struct isa_insn *i, unsigned int lane)
{
	struct isa_wave *w = u->c->w;
	float in[5];

	gather(w, lane, i->rs3, 5, in);
	return unit_rop(u, w->x[i->rs1][lane], w->x[i->rs2][lane], in, &w->x[i->rd][lane]);
}

static bool lane_rop_blk(struct unit *u, const struct isa_insn *i, unsigned int lane)
{
	struct isa_wave *w = u->c->w;

	return unit_rop_blk(u, w->x[i->rs1][lane], w->x[i->rs2][lane], w->x[i->rs3][lane],
			    &w->x[i->rd][lane]);
}

static bool lane_ray_box(struct unit *u, const struct isa_insn *i, unsigned int lane)
{
	struct isa_wave *w = u->c->w;
	float ray[8], t;

	gather(w, lane, i->rs2, 8, ray);
	if (!unit_ray_box(u, w->x[i->rs1][lane], ray, &t))
		return false;
	scatter(w, lane, i->rd, 1, &t);
	return true;
}

static bool lane_ray_tri(struct unit *u, const struct isa_insn *i, unsigned int lane)
{
	struct isa_wave *w = u->c->w;
	float ray[8], out[3];

	gather(w, lane, i->rs2, 8, ray);
	if (!unit_ray_tri(u, w->x[i->rs1][lane], ray, out))
		return false;
	scatter(w, lane, i->rd, 3, out);
	return true;
}

static void count(const struct unit *u)
{
	struct isa_counters *n = &u->c->e->counters;

	n->load_bytes += u->loaded;
	n->store_bytes += u->stored;
	n->private_bytes += u->private_bytes;
	n->local_bytes += u->local_bytes;
	n->texels += u->texels;
	n->pixels += u->pixels;
	n->rays += u->rays;
	n->unit_wait += (uint64_t)u->steps * u->c->e->unit_cycles - 1;
}

ISA_INLINE enum isa_next exec_unit(struct isa_ctx *c, const struct isa_insn *i, uint32_t which,
				   bool (*lane)(struct unit *u, const struct isa_insn *i,
						unsigned int lane))
{
	uint32_t host;

	if (!(c->g->d.units & which))
		return isa_raise_illegal(c, i);
	host = isa_hostfp_enter();
	ISA_FOR_MASK(l, c->mask) {
		struct unit u = { .c = c };

		if (unlikely(!lane(&u, i, l))) {
			isa_hostfp_leave(host);
			return isa_raise(c, l, u.cause, u.va);
		}
		count(&u);
	}
	isa_hostfp_leave(host);
	return ISA_NEXT;
}

#define GEN_UNIT(id, unit) ISA_SAME_HANDLERS(id, exec_unit(c, i, ISA_UNIT_##unit, lane_##id))
#define X(id, mnemonic, match, mask, format, generator, semantics, attr) \
	GEN_##generator(id, semantics)
ISA_INSN_UNIT(X)
