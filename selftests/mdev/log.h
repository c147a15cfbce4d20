/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel's log says from some moment on. Nothing is ever cleared: scripts/vm looks for
 * splats in all of it when the tests have ended.
 */
#ifndef TESS_SELFTESTS_MDEV_LOG_H
#define TESS_SELFTESTS_MDEV_LOG_H

#include <stdbool.h>

/* Now; negative errno */
int log_mark(void);
/* Has a message since then these words? The mark is used up */
bool log_says(int mark, const char *what);

#endif
