/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_FRONTEND_H_
#define _TESS_MDEV_FRONTEND_H_

struct tess_frontend;
struct tess_gpu;

/* Call-backs of the core */
int tess_mdev_gpu_add(struct tess_frontend *fe, struct tess_gpu *gpu);
void tess_mdev_gpu_drain(struct tess_frontend *fe, struct tess_gpu *gpu);
void tess_mdev_gpu_remove(struct tess_frontend *fe, struct tess_gpu *gpu);

#endif
