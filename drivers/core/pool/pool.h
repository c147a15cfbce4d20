/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_POOL_H_
#define _TESSERA_CORE_POOL_H_

int tess_pool_init(void);
void tess_pool_exit(void);

#endif
