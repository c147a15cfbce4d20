/* SPDX-License-Identifier: GPL-2.0-only */
/* As <tessera/compat.h>, of what only this module needs. */
#ifndef _TESSERA_USER_COMPAT_H_
#define _TESSERA_USER_COMPAT_H_

#include <tessera/compat.h>

/* struct dma_map_ops maps physical addresses since 6.18, and pages before */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define TESS_USER_MAPS_PAGES
#endif

#endif
