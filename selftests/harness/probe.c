// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests that end in every way there is; selftests/scripts/test_harness.sh knows which. Those
 * without a fixture come first in any case in the kernel's harness.
 */
#include <unistd.h>

#include "harness.h"

TEST(expectation)
{
	EXPECT_EQ(1, 2);
	ksft_print_msg("body goes on after an expectation\n");
}

TEST(loop)
{
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(3, i);
}

TEST_TIMEOUT(too_long, 1)
{
	pause();
}

TEST(errors)
{
	EXPECT_ERRNO(EBADF, close(-1));
}

FIXTURE(skipped)
{
	int value;
};

FIXTURE_SETUP(skipped)
{
	SKIP(return, "no reason");
}

FIXTURE_TEARDOWN(skipped)
{
	ksft_print_msg("teardown of skipped\n");
}

TEST_F(skipped, in_setup)
{
	ksft_print_msg("body of skipped.in_setup\n");
}

FIXTURE(torn_down)
{
	int value;
};

FIXTURE_SETUP(torn_down)
{
	self->value = 42;
}

FIXTURE_TEARDOWN(torn_down)
{
	ksft_print_msg("teardown with %d\n", self->value);
}

TEST_F(torn_down, after_success)
{
	EXPECT_EQ(42, self->value);
}

TEST_F(torn_down, after_an_assertion)
{
	self->value = 43;
	ASSERT_EQ(42, self->value);
	ksft_print_msg("body goes on after an assertion\n");
}

TEST_F(torn_down, after_a_skip)
{
	SKIP(return, "in the body");
}

FIXTURE(broken)
{
	int value;
};

FIXTURE_SETUP(broken)
{
	ASSERT_EQ(1, 2);
}

FIXTURE_TEARDOWN(broken)
{
	ksft_print_msg("teardown of broken\n");
}

TEST_F(broken, in_setup)
{
	ksft_print_msg("body of broken.in_setup\n");
}

TEST_HARNESS_MAIN
