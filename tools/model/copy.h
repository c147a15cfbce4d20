/* SPDX-License-Identifier: GPL-2.0-or-later */
/* COPY and FILL: the copy engine of a slice. */
#ifndef TESS_MODEL_COPY_H
#define TESS_MODEL_COPY_H

#include "cp.h"

struct slice;

/** copy_check(), fill_check() - check the packet in progress; a cause, or 0 */
int copy_check(struct slice *s);
int fill_check(struct slice *s);

/** copy_begin() - start with the first row (also of a FILL) */
void copy_begin(struct slice *s);

/** copy_exec(), fill_exec() - go on until @until */
enum cp_result copy_exec(struct slice *s, uint64_t until);
enum cp_result fill_exec(struct slice *s, uint64_t until);

/** copy_progress_valid() - can the packet in progress, if it is a COPY or FILL, be where it is? */
bool copy_progress_valid(const struct slice *s);

#endif /* TESS_MODEL_COPY_H */
