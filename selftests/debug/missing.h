/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's VFIO selftests of 7.2.12 use and do not have: a change without the one before */
#ifndef TESS_SELFTESTS_DEBUG_MISSING_H
#define TESS_SELFTESTS_DEBUG_MISSING_H

#include <stdlib.h>

#ifndef calloc_assert
static inline void *calloc_assert(size_t count, size_t size)
{
	void *p = calloc(count, size);

	if (!p)
		abort();
	return p;
}
#endif

#endif /* TESS_SELFTESTS_DEBUG_MISSING_H */
