/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Test programs in the style of the kernel's kselftest_harness.h, with its names: TEST,
 * FIXTURE, FIXTURE_SETUP, FIXTURE_TEARDOWN, TEST_F, EXPECT_* (goes on), ASSERT_* (ends
 * the test), SKIP, TH_LOG. Each test runs in a process of its own with a time limit and
 * leaves nothing behind for the next one. Output is KTAP.
 *
 * TEST_HARNESS_MAIN is main(): "-l" lists the tests, "-t NAME" runs one.
 */
#ifndef TESS_SELFTESTS_HARNESS_H
#define TESS_SELFTESTS_HARNESS_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "patience.h"

#define TEST_TIMEOUT_DEFAULT 180

#define TH_WHY_BYTES 256

enum { TH_PASS = 0, TH_FAIL = 1, TH_SKIP = 4 };

/* Shared with the processes of the tests: why the last one was skipped */
static char *__skip_why;

/**
 * struct __test_metadata - a test
 * @name: with that of the fixture
 * @fn: runs it, set-up and tear-down included
 * @timeout: seconds
 * @next: in the order of definition
 * @status: TH_*
 */
struct __test_metadata {
	const char *name;
	void (*fn)(struct __test_metadata *_metadata);
	int timeout;
	struct __test_metadata *next;
	int status;
};

static struct {
	struct __test_metadata *first, *last;
} __tests;

static inline void __register_test(struct __test_metadata *t)
{
	if (__tests.last)
		__tests.last->next = t;
	else
		__tests.first = t;
	__tests.last = t;
}

#define __TEST(fn_, name_, seconds)                                            \
	static struct __test_metadata __meta_##fn_ = { .name = name_,          \
						       .fn = fn_,              \
						       .timeout = (seconds) }; \
	static __attribute__((constructor)) void __register_##fn_(void)        \
	{                                                                      \
		__register_test(&__meta_##fn_);                                \
	}

#define TEST_TIMEOUT(test, seconds)                                  \
	static void __run_##test(struct __test_metadata *_metadata); \
	__TEST(__run_##test, #test, seconds)                         \
	static void __run_##test(struct __test_metadata *_metadata __attribute__((unused)))
#define TEST(test) TEST_TIMEOUT(test, TEST_TIMEOUT_DEFAULT)

#define FIXTURE(name_)                                                                        \
	struct __fixture_##name_;                                                             \
	static void __setup_##name_(struct __test_metadata *, struct __fixture_##name_ *);    \
	static void __teardown_##name_(struct __test_metadata *, struct __fixture_##name_ *); \
	struct __fixture_##name_
#define FIXTURE_SETUP(name_)                                                                   \
	static void __setup_##name_(struct __test_metadata *_metadata __attribute__((unused)), \
				    struct __fixture_##name_ *self __attribute__((unused)))
#define FIXTURE_TEARDOWN(name_)                                                                   \
	static void __teardown_##name_(struct __test_metadata *_metadata __attribute__((unused)), \
				       struct __fixture_##name_ *self __attribute__((unused)))

#define TEST_F_TIMEOUT(fix, test, seconds)                                                     \
	static void __body_##fix##_##test(struct __test_metadata *, struct __fixture_##fix *); \
	static void __run_##fix##_##test(struct __test_metadata *_metadata)                    \
	{                                                                                      \
		static struct __fixture_##fix self;                                            \
		__setup_##fix(_metadata, &self);                                               \
		if (_metadata->status == TH_PASS)                                              \
			__body_##fix##_##test(_metadata, &self);                               \
		__teardown_##fix(_metadata, &self);                                            \
	}                                                                                      \
	__TEST(__run_##fix##_##test, #fix "." #test, seconds)                                  \
	static void __body_##fix##_##test(struct __test_metadata *_metadata                    \
					  __attribute__((unused)),                             \
					  struct __fixture_##fix *self __attribute__((unused)))
#define TEST_F(fix, test) TEST_F_TIMEOUT(fix, test, TEST_TIMEOUT_DEFAULT)

#define TH_LOG(fmt, ...) \
	(printf("# %s:%d: " fmt "\n", __FILE__, __LINE__, ##__VA_ARGS__), fflush(stdout))

#define SKIP(statement, fmt, ...)                                       \
	do {                                                            \
		snprintf(__skip_why, TH_WHY_BYTES, fmt, ##__VA_ARGS__); \
		_metadata->status = TH_SKIP;                            \
		statement;                                              \
	} while (0)

/* By the sign of what was seen; pointers and sizes have none */
#define __IS_SIGNED(value) \
	_Generic((value), signed char: 1, short: 1, int: 1, long: 1, long long: 1, default: 0)
#define __COMPARE(expected, op, seen, fatal)                                                     \
	do {                                                                                     \
		unsigned long long __e = (unsigned long long)(expected);                         \
		unsigned long long __s = (unsigned long long)(seen);                             \
		if (!(__IS_SIGNED(seen) ? (long long)__e op(long long) __s : __e op __s))        \
			__failed(_metadata, __FILE__, __LINE__, #expected, #op, #seen, __e, __s, \
				 fatal);                                                         \
	} while (0)

#define EXPECT_EQ(expected, seen) __COMPARE(expected, ==, seen, false)
#define EXPECT_NE(expected, seen) __COMPARE(expected, !=, seen, false)
#define EXPECT_LE(expected, seen) __COMPARE(expected, <=, seen, false)
#define EXPECT_LT(expected, seen) __COMPARE(expected, <, seen, false)
#define EXPECT_GE(expected, seen) __COMPARE(expected, >=, seen, false)
#define EXPECT_GT(expected, seen) __COMPARE(expected, >, seen, false)
#define EXPECT_TRUE(seen) __COMPARE(0, !=, !!(seen), false)
#define EXPECT_FALSE(seen) __COMPARE(0, ==, !!(seen), false)
#define ASSERT_EQ(expected, seen) __COMPARE(expected, ==, seen, true)
#define ASSERT_NE(expected, seen) __COMPARE(expected, !=, seen, true)
#define ASSERT_LE(expected, seen) __COMPARE(expected, <=, seen, true)
#define ASSERT_LT(expected, seen) __COMPARE(expected, <, seen, true)
#define ASSERT_GE(expected, seen) __COMPARE(expected, >=, seen, true)
#define ASSERT_GT(expected, seen) __COMPARE(expected, >, seen, true)
#define ASSERT_TRUE(seen) __COMPARE(0, !=, !!(seen), true)
#define ASSERT_FALSE(seen) __COMPARE(0, ==, !!(seen), true)

/* A call that has to fail with -1 and this errno */
#define EXPECT_ERRNO(expected, call)        \
	do {                                \
		errno = 0;                  \
		EXPECT_EQ(-1, (call));      \
		EXPECT_EQ(expected, errno); \
	} while (0)

static inline void __failed(struct __test_metadata *t, const char *file, int line,
			    const char *expected, const char *op, const char *seen,
			    unsigned long long e, unsigned long long s, bool fatal)
{
	printf("# %s:%d: %s: expected %s (%#llx) %s %s (%#llx)\n", file, line, t->name, expected, e,
	       op, seen, s);
	fflush(stdout);
	t->status = TH_FAIL;
	if (fatal)
		exit(TH_FAIL);
}

static inline int __run_test(struct __test_metadata *t)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return TH_FAIL;
	if (!pid) {
		setpgid(0, 0);
		alarm(t->timeout * patience());
		t->fn(t);
		fflush(stdout);
		_exit(t->status);
	}
	if (waitpid(pid, &status, 0) != pid)
		return TH_FAIL;
	/* What the test started and left behind */
	kill(-pid, SIGKILL);
	if (WIFSIGNALED(status)) {
		printf("# %s: %s\n", t->name,
		       WTERMSIG(status) == SIGALRM ? "timed out" : strsignal(WTERMSIG(status)));
		return TH_FAIL;
	}
	return WEXITSTATUS(status);
}

static inline int __test_main(int argc, char **argv)
{
	const char *only = argc > 2 && !strcmp(argv[1], "-t") ? argv[2] : NULL;
	int count = 0, failed = 0, n = 0;
	struct __test_metadata *t;

	if (argc > 1 && !strcmp(argv[1], "-l")) {
		for (t = __tests.first; t; t = t->next)
			puts(t->name);
		return 0;
	}
	__skip_why =
		mmap(NULL, TH_WHY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (__skip_why == MAP_FAILED)
		return TH_FAIL;
	for (t = __tests.first; t; t = t->next)
		count += !only || !strcmp(only, t->name);
	printf("TAP version 13\n1..%d\n", count);
	for (t = __tests.first; t; t = t->next) {
		int status;

		if (only && strcmp(only, t->name))
			continue;
		status = __run_test(t);
		failed += status != TH_PASS && status != TH_SKIP;
		printf("%sok %d %s%s%s\n", status == TH_PASS || status == TH_SKIP ? "" : "not ",
		       ++n, t->name, status == TH_SKIP ? " # SKIP " : "",
		       status == TH_SKIP ? __skip_why : "");
		fflush(stdout);
	}
	return failed || !count;
}

#define TEST_HARNESS_MAIN                       \
	int main(int argc, char **argv)         \
	{                                       \
		return __test_main(argc, argv); \
	}

#endif /* TESS_SELFTESTS_HARNESS_H */
