/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What test programs are written with: the kernel's kselftest_harness.h where there is one
 * (rules.mk), else the same names here. Besides the kernel's there are TEST_TIMEOUT(), a TEST()
 * with another time limit, and EXPECT_ERRNO(); TESSERA_PATIENCE lengthens all limits.
 */
#ifndef TESS_SELFTESTS_HARNESS_H
#define TESS_SELFTESTS_HARNESS_H

#ifdef TESS_KSELFTEST
#include "harness_kernel.h"
#else
#include "harness_own.h"
#endif

/* A call that has to fail with -1 and this errno */
#define EXPECT_ERRNO(expected, call)        \
	do {                                \
		errno = 0;                  \
		EXPECT_EQ(-1, (call));      \
		EXPECT_EQ(expected, errno); \
	} while (0)

#endif /* TESS_SELFTESTS_HARNESS_H */
