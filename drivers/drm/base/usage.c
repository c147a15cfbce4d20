// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an open file uses, and whether it may use more.
 */
#include <linux/kref.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "device.h"
#include "usage.h"

static unsigned int ban_hangs = 8;
module_param(ban_hangs, uint, 0644);
MODULE_PARM_DESC(ban_hangs, "hangs after which an open file gets no more GPU time; 0: never");

/**
 * tess_usage_create() - begin to count for an open file
 *
 * Return: counters with one reference, NULL: no memory.
 */
struct tess_usage *tess_usage_create(void)
{
	struct tess_usage *usage = kzalloc(sizeof(*usage), GFP_KERNEL_ACCOUNT);

	if (!usage)
		return NULL;
	kref_init(&usage->ref);
	usage->pid = task_tgid_nr(current);
	get_task_comm(usage->comm, current);
	usage->memcg = get_mem_cgroup_from_mm(current->mm);
	return usage;
}

/**
 * tess_usage_get() - take a reference
 * @usage: counters
 *
 * Return: @usage.
 */
struct tess_usage *tess_usage_get(struct tess_usage *usage)
{
	kref_get(&usage->ref);
	return usage;
}

static void tess_usage_release(struct kref *ref)
{
	struct tess_usage *usage = container_of(ref, struct tess_usage, ref);

	mem_cgroup_put(usage->memcg);
	kfree(usage);
}

/**
 * tess_usage_put() - drop a reference
 * @usage: counters
 */
void tess_usage_put(struct tess_usage *usage)
{
	kref_put(&usage->ref, tess_usage_release);
}

/**
 * tess_usage_is_banned() - did jobs of an open file hang again and again?
 * @usage: of the file
 *
 * Return: true: it gets no more GPU time, unless the parameter is changed.
 */
bool tess_usage_is_banned(const struct tess_usage *usage)
{
	unsigned int limit = READ_ONCE(ban_hangs);

	return limit && atomic_read(&usage->hangs) >= limit;
}

/**
 * tess_usage_hung() - a job of an open file hung
 * @usage: of the file; any context
 *
 * Return: hangs, if it is banned from now on; else 0.
 */
unsigned int tess_usage_hung(struct tess_usage *usage)
{
	unsigned int hangs = atomic_inc_return(&usage->hangs);

	return hangs == READ_ONCE(ban_hangs) ? hangs : 0;
}
