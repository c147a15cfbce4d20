// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: reading memory that may be gone
 *
 * What a head shows is mapped, and reading it raises SIGBUS once the vGPU is gone. A jump out of
 * the signal handler ends the reading. Any other SIGBUS kills the process as it would without this.
 *
 * Rejected: process_vm_readv() on the own process, which returns EFAULT instead. It takes pages by
 * their struct page, which memory of devices does not have, so it always fails here.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>

#include "guard.h"

static sigjmp_buf out;
static const void *volatile guarded;
static volatile size_t guarded_size;

static void on_bus_error(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (guarded && (uintptr_t)info->si_addr - (uintptr_t)guarded < guarded_size)
		siglongjmp(out, 1);
	/* Again, and then for good */
	signal(number, SIG_DFL);
}

void guard_begin(void)
{
	struct sigaction action = { .sa_sigaction = on_bus_error,
				    .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGBUS, &action, NULL);
}

bool guard_run(const void *start, size_t size, void (*act)(void *data), void *data)
{
	volatile bool whole = false;

	if (!sigsetjmp(out, 0)) {
		guarded_size = size;
		guarded = start;
		act(data);
		whole = true;
	}
	guarded = NULL;
	return whole;
}
