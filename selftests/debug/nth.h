/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls whose allocations fail one after the other: the kernel lets the n-th one of a thread
 * fail that writes n to /proc/thread-self/fail-nth.
 */
#ifndef TESS_SELFTESTS_DEBUG_NTH_H
#define TESS_SELFTESTS_DEBUG_NTH_H

/**
 * struct nth_op - a call that must not mind
 * @name: for people
 * @prepare: makes what @run needs; NULL: nothing
 * @run: the call: 0 or a negative errno, -ENOMEM if an allocation failed that it needs, and
 *	then nothing has happened
 * @undo: undoes a @run that succeeded; non-zero: it did not do what it should. NULL: nothing
 * @also: what else the kernel says for want of memory, a negative errno; 0: nothing
 */
struct nth_op {
	const char *name;
	int (*prepare)(void *data);
	int (*run)(void *data);
	int (*undo)(void *data);
	int also;
};

/* Have all allocations of the kernel fail that are asked to; 0 or a negative errno */
int nth_setup(void);

/* None that this function of the kernel makes, or has made: 0, -ENOENT: no such function, ... */
int nth_spare(const char *function);

/**
 * nth_try() - try a call once for each allocation that it makes
 * @op: call
 * @data: its own
 * @books: what there is, the same before and after each try; non-zero: it is not
 *
 * When a call failed, it is made again and must succeed. Prints what is wrong.
 *
 * Return: how many allocations failed, -1 if something was wrong.
 */
int nth_try(const struct nth_op *op, void *data, int (*books)(void *data));

#endif /* TESS_SELFTESTS_DEBUG_NTH_H */
