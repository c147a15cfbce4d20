// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: surviving a client that truncates its memory
 *
 * A mapping of a file that became shorter raises SIGBUS on access. Demanding
 * F_SEAL_SHRINK would refuse what QEMU passes by default, and a size check at
 * map time cannot see the future. So the handler puts zeroed private memory
 * in the place of the whole mapping, and the access completes. (Not of the page
 * alone: that would cost the process two more mappings each time, and need the
 * size of huge pages.) The mapping is marked; the next vfu_poll() drops it, after
 * which the address is an ordinary DMA fault. Faults elsewhere go to whoever
 * handled SIGBUS before: they are bugs.
 *
 * The list of servers is the only global state of the library; a signal
 * handler has no argument of its own.
 */
#include "server.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct vfu *servers;
static struct sigaction old_action;

static bool replace(const struct vfu_dma *d)
{
	return mmap(d->host, d->last - d->iova + 1, PROT_READ | (d->prot & PROT_WRITE),
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

static bool handle_fault(struct vfu *v, uintptr_t addr)
{
	static const uint64_t one = 1;
	unsigned int i;

	for (i = 0; i < v->dma.nr; i++) {
		struct vfu_dma *d = &v->dma.v[i];
		uintptr_t start = (uintptr_t)d->host;

		if (!start || addr < start || addr - start > d->last - d->iova)
			continue;
		/* Another thread may be just here for it: then the access is tried again. */
		if (__atomic_exchange_n(&d->lost, true, __ATOMIC_ACQ_REL))
			return true;
		if (!replace(d))
			return false;
		__atomic_store_n(&v->dma.lost, true, __ATOMIC_RELEASE);
		__atomic_fetch_add(&v->stats.sigbus, 1, __ATOMIC_RELAXED);
		/* A full counter wakes as well as one more would. */
		(void)!write(v->wake_fd, &one, sizeof(one));
		return true;
	}
	return false;
}

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	struct vfu *v;

	(void)context;
	for (v = servers; v; v = v->next) {
		if (handle_fault(v, (uintptr_t)info->si_addr)) {
			errno = saved_errno;
			return;
		}
	}
	/* The instruction runs again and faults under the old action. */
	sigaction(sig, &old_action, NULL);
}

int vfu_sigbus_register(struct vfu *v)
{
	struct sigaction action = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	if (!servers && sigaction(SIGBUS, &action, &old_action))
		return -errno;
	v->next = servers;
	servers = v;
	return 0;
}

void vfu_sigbus_unregister(struct vfu *v)
{
	struct vfu **p;

	for (p = &servers; *p; p = &(*p)->next) {
		if (*p == v) {
			*p = v->next;
			if (!servers)
				sigaction(SIGBUS, &old_action, NULL);
			return;
		}
	}
}
