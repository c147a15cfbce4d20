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
 * has neither the parameter nor the calls.
 */
#include <linux/atomic.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/sysfs.h>

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
