/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_ROOM_H_
#define _TESSERA_CORE_ROOM_H_

struct tess_vgpu;

void tess_vgpu_make_room(struct tess_vgpu *vgpu);

#endif
