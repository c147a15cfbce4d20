/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a guest asks of its host (selftests/drm/kms.sh), by lines that it prints: "# totals NAME" is
 * answered by the vGPU's attribute "heads" as the file NAME of the directory TESSERA_ANSWERS, which
 * both have; "# heads N" and "# path PATH" compose the vGPU anew.
 */
#ifndef _TESS_KMS_HOST_H_
#define _TESS_KMS_HOST_H_

#include <stdbool.h>

/* Pixels from x1, y1 on, without x2, y2 */
struct tess_host_rect {
	unsigned int x1, y1, x2, y2;
};

/* What the host counted of head 0: pictures, pixels of them that changed, and which of the last one */
struct tess_host_totals {
	unsigned int width, height;
	unsigned long long shown, damaged;
	struct tess_host_rect last;
};

/* False: there is no answer */
bool tess_host_totals(struct tess_host_totals *t);
/* It is done some time later */
void tess_host_heads(unsigned int heads);
void tess_host_path(const char *path);

#endif
