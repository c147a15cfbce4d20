/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_COREDUMP_H_
#define _TESSERA_DRM_COREDUMP_H_

struct tess_device;
struct tess_fault;
struct tess_submit;

void tess_coredump_init(struct tess_device *tdev);
void tess_coredump_stop(struct tess_device *tdev);
void tess_coredump_take(struct tess_submit *submit, const struct tess_fault *fault);

#endif
