/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_CLIENT_H_
#define _TESS_MDEV_CLIENT_H_

#include <tessera/vgpu.h>

extern const struct tess_client_ops tess_mdev_client_ops;

#endif
