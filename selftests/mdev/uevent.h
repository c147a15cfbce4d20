/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of devices: who is told that something changed. */
#ifndef TESS_SELFTESTS_MDEV_UEVENT_H
#define TESS_SELFTESTS_MDEV_UEVENT_H

#include <stdbool.h>

/* All that are sent from now on; descriptor, or -1 */
int event_socket(void);
/* Does a change event of a path that ends so come, with this word if it is not NULL? */
bool event_comes(int fd, const char *end, const char *word);

#endif
