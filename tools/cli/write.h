/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes of the pool. */
#ifndef CLI_WRITE_H
#define CLI_WRITE_H

#include "find.h"

/* Open the directory of an object. Returns a descriptor or negative errno. */
int write_open(const struct cli *cli, const struct find *object);

/* What a failed write to the file @name means, for a person. */
const char *write_error(int rc, const char *name);

#endif
