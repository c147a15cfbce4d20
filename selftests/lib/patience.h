/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hosts that check themselves are slow: what waits for one, or works for a time, takes longer */
#ifndef TESS_SELFTESTS_PATIENCE_H
#define TESS_SELFTESTS_PATIENCE_H

#include <stdlib.h>

/* How many times as long as usual everything may take: TESSERA_PATIENCE */
static inline unsigned int patience(void)
{
	const char *times = getenv("TESSERA_PATIENCE");

	return times && atoi(times) > 0 ? atoi(times) : 1;
}

#endif /* TESS_SELFTESTS_PATIENCE_H */
