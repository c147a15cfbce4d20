/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_BACKEND_H_
#define _TESSERA_CORE_BACKEND_H_

struct tess_backend;
struct tess_gpu_info;

int __must_check tess_backend_check(const struct tess_backend *be,
				    const struct tess_gpu_info *info);

#endif
