/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests of GPUs that leave wait for, for a minute at most */
#ifndef TESS_SELFTESTS_AWAIT_H
#define TESS_SELFTESTS_AWAIT_H

#include <stdbool.h>

struct client;

/* The client's registers read all ones, as those of a vGPU whose GPU is gone; false: never */
bool await_dead(struct client *c);
/* The first GPU gives vGPUs of this type again; false: never */
bool await_type(const char *type);

#endif /* TESS_SELFTESTS_AWAIT_H */
