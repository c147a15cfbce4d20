// SPDX-License-Identifier: GPL-2.0-only
/*
 * Failures on demand, for tests.
 *
 * DOC: Injected failures
 *
 * The steps of compositions call tess_compose_step(), and the tests make each of them fail.
 * The kernel's own means, CONFIG_FAULT_INJECTION and ALLOW_ERROR_INJECTION(), were the first
 * choice, but the distribution's kernels that the tests run on have neither, and both choose at
 * random or by a probe on a function, not "the third step from now". So this file is part of
 * modules that are built for tests (TESSERA_INJECT=y, which the Makefile sets in the
 * environment whose modules scripts/vm loads), and a module that is built to be installed
 * has neither the parameters nor the calls.
 *
 * A race that hardly anybody wins is no test. So the first task that comes to the point that the
 * parameter "hold" names waits there until the parameter is written again, or the task is killed;
 * the test does what the other side of the race does, sees by the same parameter that the task
 * is held, and lets it go.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/wait.h>
#include <tessera/compat.h>
#include <tessera/inject.h>

#include "compose.h"

static atomic_t compose_fail = ATOMIC_INIT(0);

static int compose_fail_set(const char *val, const struct kernel_param *kp)
{
	unsigned int n;
	int rc;

	rc = kstrtouint(val, 0, &n);
	if (rc || n > INT_MAX)
		return -EINVAL;
	atomic_set(&compose_fail, n);
	return 0;
}

static int compose_fail_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&compose_fail));
}

static const struct kernel_param_ops compose_fail_ops = {
	.set = compose_fail_set,
	.get = compose_fail_get,
};
module_param_cb(compose_fail, &compose_fail_ops, NULL, 0600);
MODULE_PARM_DESC(compose_fail, "this step of compositions fails, once; default 0, none");

/**
 * tess_compose_step() - a step that can be made to fail
 *
 * Return: 0, -ENOMEM.
 */
int tess_compose_step(void)
{
	return atomic_dec_if_positive(&compose_fail) ? 0 : -ENOMEM;
}

/* ---- tasks that are held ---- */

static const char *const hold_names[TESS_HOLD_COUNT] = {
	[TESS_HOLD_NONE] = "none",
	[TESS_HOLD_MOVE] = "move",
	[TESS_HOLD_BAR] = "bar",
	[TESS_HOLD_TABLE] = "table",
	[TESS_HOLD_FAULT] = "fault",
	[TESS_HOLD_LANES] = "lanes",
};

/* Protects all of hold but its waiters */
static DEFINE_SPINLOCK(hold_lock);

/**
 * struct hold - which task waits, and where
 * @waiters: the task
 * @point: the first task that comes here waits
 * @taken: it came
 * @turn: number of writes to the parameter; the task waits for the next one
 */
static struct hold {
	wait_queue_head_t waiters;
	enum tess_hold_point point;
	bool taken;
	unsigned int turn;
} hold = {
	.waiters = __WAIT_QUEUE_HEAD_INITIALIZER(hold.waiters),
};

static int hold_set(const char *val, const struct kernel_param *kp)
{
	int point = sysfs_match_string(hold_names, val);

	if (point < 0)
		return point;
	spin_lock(&hold_lock);
	hold.point = point;
	hold.taken = false;
	WRITE_ONCE(hold.turn, hold.turn + 1);
	spin_unlock(&hold_lock);
	wake_up_all(&hold.waiters);
	return 0;
}

static int hold_get(char *buf, const struct kernel_param *kp)
{
	int len;

	spin_lock(&hold_lock);
	len = sysfs_emit(buf, "%s%s\n", hold_names[hold.point], hold.taken ? " held" : "");
	spin_unlock(&hold_lock);
	return len;
}

static const struct kernel_param_ops hold_ops = {
	.set = hold_set,
	.get = hold_get,
};
module_param_cb(hold, &hold_ops, NULL, 0600);
MODULE_PARM_DESC(hold, "where the next task waits until this is written again; default none");

/* True: the caller waits for another turn than @turn */
static bool hold_take(enum tess_hold_point point, unsigned int *turn)
{
	bool mine;

	spin_lock(&hold_lock);
	mine = hold.point == point && !hold.taken;
	if (mine)
		hold.taken = true;
	*turn = hold.turn;
	spin_unlock(&hold_lock);
	return mine;
}

/**
 * tess_hold() - a point where the caller can be made to wait
 * @point: which one
 *
 * It sleeps, unless nobody asked for it.
 */
void tess_hold(enum tess_hold_point point)
{
	unsigned int turn;

	if (hold_take(point, &turn))
		wait_event_killable(hold.waiters, READ_ONCE(hold.turn) != turn);
}
EXPORT_SYMBOL_NS_GPL(tess_hold, TESS_NS);

/* ---- a host that is not good to its guests ---- */

static bool no_flip;
module_param(no_flip, bool, 0600);
MODULE_PARM_DESC(no_flip, "heads of vGPUs show pictures and do not say so; default no");

/**
 * tess_inject_no_flip() - are guests told that a head shows their picture?
 *
 * Return: true, they are not: they see frames only.
 */
bool tess_inject_no_flip(void)
{
	return READ_ONCE(no_flip);
}
EXPORT_SYMBOL_NS_GPL(tess_inject_no_flip, TESS_NS);
