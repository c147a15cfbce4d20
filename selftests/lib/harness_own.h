/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of the kernel's kselftest_harness.h that tests here use, with its names and its rules:
 * a set-up that skips or fails ends the test, and nothing is torn down that was not set up;
 * what was set up is torn down after an assertion, too. Each test runs in a process of its own
 * with a time limit, and leaves no process behind for the next one. Output is KTAP.
 *
 * TEST_HARNESS_MAIN is main(): "-l" lists the tests, "-r NAME" runs one. Anything else is refused.
 */
#ifndef TESS_SELFTESTS_HARNESS_OWN_H
#define TESS_SELFTESTS_HARNESS_OWN_H

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
#include "tap.h"

#define TEST_TIMEOUT_DEFAULT 180

#define TH_WHY_BYTES 256

enum { KSFT_PASS = 0, KSFT_FAIL = 1, KSFT_SKIP = 4 };

/* Shared with the processes of the tests: why the last one was skipped */
static char *__skip_why;

/**
 * struct __test_metadata - a test
 * @name: with that of the fixture
 * @fn: runs it, set-up and tear-down included
 * @teardown: undoes the set-up of @self
 * @self: the fixture
 * @pid: of the process that runs it, once it is set up and until it is torn down
 * @timeout: seconds
 * @next: in the order of definition
 * @exit_code: KSFT_*
 */
struct __test_metadata {
	const char *name;
	void (*fn)(struct __test_metadata *_metadata);
	void (*teardown)(struct __test_metadata *_metadata, void *self);
	void *self;
	pid_t pid;
	int timeout;
	struct __test_metadata *next;
	int exit_code;
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

#define FIXTURE_DATA(name_) struct __fixture_##name_
#define FIXTURE(name_)                                                                        \
	struct __fixture_##name_;                                                             \
	static void __setup_##name_(struct __test_metadata *, struct __fixture_##name_ *);    \
	static void __teardown_##name_(struct __test_metadata *, struct __fixture_##name_ *); \
	static void __undo_##name_(struct __test_metadata *_metadata, void *self)             \
	{                                                                                     \
		__teardown_##name_(_metadata, self);                                          \
	}                                                                                     \
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
		if (_metadata->exit_code != KSFT_PASS)                                         \
			return;                                                                \
		_metadata->teardown = __undo_##fix;                                            \
		_metadata->self = &self;                                                       \
		_metadata->pid = getpid();                                                     \
		__body_##fix##_##test(_metadata, &self);                                       \
		__tear_down(_metadata);                                                        \
	}                                                                                      \
	__TEST(__run_##fix##_##test, #fix "." #test, seconds)                                  \
	static void __body_##fix##_##test(struct __test_metadata *_metadata                    \
					  __attribute__((unused)),                             \
					  struct __fixture_##fix *self __attribute__((unused)))
#define TEST_F(fix, test) TEST_F_TIMEOUT(fix, test, TEST_TIMEOUT_DEFAULT)

/* Once, and by the process that set it up: not by one that the test forked */
static inline void __tear_down(struct __test_metadata *t)
{
	if (t->pid != getpid())
		return;
	t->pid = 0;
	t->teardown(t, t->self);
}

#define ksft_print_msg(fmt, ...) (printf("# " fmt, ##__VA_ARGS__), fflush(stdout))
#define TH_LOG(fmt, ...) \
	(printf("# %s:%d: " fmt "\n", __FILE__, __LINE__, ##__VA_ARGS__), fflush(stdout))

#define SKIP(statement, fmt, ...)                                       \
	do {                                                            \
		snprintf(__skip_why, TH_WHY_BYTES, fmt, ##__VA_ARGS__); \
		_metadata->exit_code = KSFT_SKIP;                       \
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

#define EXPECT_STREQ(expected, seen)                                                    \
	do {                                                                            \
		const char *__e = (expected), *__s = (seen);                            \
		if (strcmp(__e, __s)) {                                                 \
			TH_LOG("%s: expected '%s' == '%s'", _metadata->name, __e, __s); \
			_metadata->exit_code = KSFT_FAIL;                               \
		}                                                                       \
	} while (0)

static inline void __failed(struct __test_metadata *t, const char *file, int line,
			    const char *expected, const char *op, const char *seen,
			    unsigned long long e, unsigned long long s, bool fatal)
{
	printf("# %s:%d: %s: expected %s (%#llx) %s %s (%#llx)\n", file, line, t->name, expected, e,
	       op, seen, s);
	fflush(stdout);
	t->exit_code = KSFT_FAIL;
	if (!fatal)
		return;
	__tear_down(t);
	exit(KSFT_FAIL);
}

static inline int __run_test(struct __test_metadata *t)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return KSFT_FAIL;
	if (!pid) {
		setpgid(0, 0);
		alarm(t->timeout * patience());
		t->fn(t);
		fflush(stdout);
		_exit(t->exit_code);
	}
	if (waitpid(pid, &status, 0) != pid)
		return KSFT_FAIL;
	/* What the test started and left behind */
	kill(-pid, SIGKILL);
	if (WIFSIGNALED(status)) {
		printf("# %s: %s\n", t->name,
		       WTERMSIG(status) == SIGALRM ? "timed out" : strsignal(WTERMSIG(status)));
		return KSFT_FAIL;
	}
	return WEXITSTATUS(status);
}

static inline int __test_main(int argc, char **argv)
{
	const char *only = argc > 2 && !strcmp(argv[1], "-r") ? argv[2] : NULL;
	int count = 0;
	struct __test_metadata *t;

	if (argc > 1 && !strcmp(argv[1], "-l")) {
		for (t = __tests.first; t; t = t->next)
			puts(t->name);
		return 0;
	}
	if (argc > 1 && (argc != 3 || !only)) {
		fprintf(stderr, "usage: %s [-l | -r TEST]\n", argv[0]);
		return KSFT_FAIL;
	}
	__skip_why =
		mmap(NULL, TH_WHY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (__skip_why == MAP_FAILED)
		return KSFT_FAIL;
	for (t = __tests.first; t; t = t->next)
		count += !only || !strcmp(only, t->name);
	tap_begin();
	plan(count);
	for (t = __tests.first; t; t = t->next) {
		int status;

		if (only && strcmp(only, t->name))
			continue;
		status = __run_test(t);
		tap_result(status == KSFT_PASS || status == KSFT_SKIP,
			   status == KSFT_SKIP ? __skip_why : NULL, "%s", t->name);
	}
	return done();
}

#define TEST_HARNESS_MAIN                       \
	int main(int argc, char **argv)         \
	{                                       \
		return __test_main(argc, argv); \
	}

#endif /* TESS_SELFTESTS_HARNESS_OWN_H */
