/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_LOOK_H_
#define _TESSERA_CORE_LOOK_H_

struct tess_slice;

int tess_look_init(void);
void tess_look_exit(void);
void tess_slice_look(struct tess_slice *slice);

#endif
