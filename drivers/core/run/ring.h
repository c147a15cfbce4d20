/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_RING_H_
#define _TESSERA_CORE_RING_H_

struct tess_ring;

void tess_ring_parked(struct tess_ring *ring);
void tess_ring_resumed(struct tess_ring *ring);

#endif
