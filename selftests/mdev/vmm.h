/* SPDX-License-Identifier: GPL-2.0-or-later */
/* VMMs in processes of their own, to be killed. */
#ifndef TESS_SELFTESTS_MDEV_VMM_H
#define TESS_SELFTESTS_MDEV_VMM_H

#include <sys/types.h>

#include "vgpu.h"

/* Put work that does not end by itself on every vslice */
void vmm_hang(struct vgpu *v);
/* A VMM whose vslices all work until it is killed; ready when this returns. -1: failed */
pid_t vmm_start(const char *uuid);
void vmm_kill(pid_t pid);
/* Open a vGPU whose VMM was killed: files are closed by the kernel after the parent was told */
int vmm_open_again(struct vgpu *v, const char *uuid);

#endif
