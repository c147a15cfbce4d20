/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_USER_GPU_H_
#define _TESSERA_USER_GPU_H_

#include <linux/types.h>

struct tess_user;

int tess_user_driver_register(void);
void tess_user_driver_unregister(void);

int tess_user_gpu_start(struct tess_user *user, unsigned int index);
int tess_user_gpu_suspend(struct tess_user *user);
int tess_user_gpu_crashed(struct tess_user *user);
int tess_user_gpu_resume(struct tess_user *user);
void tess_user_gpu_stop(struct tess_user *user);
void tess_user_gpu_raise(struct tess_user *user, unsigned long vectors);
void tess_user_gpu_irq_work(struct work_struct *work);

#endif
