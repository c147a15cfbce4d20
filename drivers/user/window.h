/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_USER_WINDOW_H_
#define _TESSERA_USER_WINDOW_H_

struct tess_user;
struct tessera_user_reach;
struct vm_area_struct;

int tess_user_mmap(struct tess_user *user, struct vm_area_struct *vma);
int tess_user_reach(struct tess_user *user, const struct tessera_user_reach *reach);

#endif
