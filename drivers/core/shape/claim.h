/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_CLAIM_H_
#define _TESSERA_CORE_CLAIM_H_

struct tess_blueprint;
struct tess_reason;
struct tess_vgpu;

int tess_claim_memory(struct tess_vgpu *vgpu, const struct tess_blueprint *bp,
		      struct tess_reason *reason);
void tess_claim_settle(struct tess_vgpu *vgpu, const struct tess_blueprint *bp);
int tess_claim_compose(struct tess_vgpu *vgpu, struct tess_reason *reason);
int tess_claim_recompose(struct tess_vgpu *vgpu, const struct tess_blueprint *blueprint,
			 struct tess_reason *reason);

#endif
