/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's kselftest_harness.h, as harness.h has it */
#ifndef TESS_SELFTESTS_HARNESS_KERNEL_H
#define TESS_SELFTESTS_HARNESS_KERNEL_H

/* Where results are, so that they stay in order */
#define TH_LOG_STREAM stdout

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <kselftest_harness.h>

#include "patience.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 180

/* Helpers of a test take struct __fixture_NAME *self */
#undef FIXTURE_DATA
#define FIXTURE_DATA(name) struct __fixture_##name

/* As TEST_F_TIMEOUT, without fixture */
#define TEST_TIMEOUT(test, seconds)                                                            \
	static struct __test_metadata _##test##_object;                                        \
	static __attribute__((constructor(KSELFTEST_PRIO_TEST))) void __set_timeout_of_##test( \
		void)                                                                          \
	{                                                                                      \
		_##test##_object.timeout = (seconds);                                          \
	}                                                                                      \
	TEST(test)

/*
 * One statement each, so that the only one in a loop ends that, too; without the block that may
 * follow those of the kernel
 */
#define __ASSERT(expected, expected_str, seen, seen_str, op)             \
	do {                                                             \
		__EXPECT(expected, expected_str, seen, seen_str, op, 1); \
	} while (0)
#undef ASSERT_EQ
#define ASSERT_EQ(expected, seen) __ASSERT(expected, #expected, seen, #seen, ==)
#undef ASSERT_NE
#define ASSERT_NE(expected, seen) __ASSERT(expected, #expected, seen, #seen, !=)
#undef ASSERT_LT
#define ASSERT_LT(expected, seen) __ASSERT(expected, #expected, seen, #seen, <)
#undef ASSERT_LE
#define ASSERT_LE(expected, seen) __ASSERT(expected, #expected, seen, #seen, <=)
#undef ASSERT_GT
#define ASSERT_GT(expected, seen) __ASSERT(expected, #expected, seen, #seen, >)
#undef ASSERT_GE
#define ASSERT_GE(expected, seen) __ASSERT(expected, #expected, seen, #seen, >=)
#undef ASSERT_TRUE
#define ASSERT_TRUE(seen) __ASSERT(0, "0", !!(seen), #seen, !=)
#undef ASSERT_FALSE
#define ASSERT_FALSE(seen) __ASSERT(0, "0", !!(seen), #seen, ==)

/* When all tests are there: constructors with a priority come first */
static __attribute__((constructor)) void __lend_patience(void)
{
	struct __fixture_metadata *f;
	struct __test_metadata *t;

	for (f = __fixture_list; f; f = f->next)
		for (t = f->tests; t; t = t->next)
			t->timeout *= patience();
}

#endif /* TESS_SELFTESTS_HARNESS_KERNEL_H */
