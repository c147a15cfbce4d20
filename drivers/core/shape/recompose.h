/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_RECOMPOSE_H_
#define _TESSERA_CORE_RECOMPOSE_H_

struct recompose_plan;
struct tess_blueprint;
struct tess_reason;
struct tess_vgpu;

struct recompose_plan *tess_recompose_alloc(struct tess_vgpu *vgpu, const struct tess_blueprint *bp,
					    struct tess_reason *reason);
int tess_recompose_begin(struct recompose_plan *plan);
void tess_recompose_commit(struct recompose_plan *plan);
void tess_recompose_cancel(struct recompose_plan *plan);

#endif
