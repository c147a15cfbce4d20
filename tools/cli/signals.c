// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>

#include "signals.h"

int signals_open(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int signals_wait(int signals, int input, int ms)
{
	struct pollfd fds[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = input, .events = POLLIN },
	};

	/* Interrupted, e.g. by a change of the window: the input's reader knows more */
	if (poll(fds, 2, ms) < 0)
		return WAIT_INPUT;
	if (fds[0].revents)
		return WAIT_SIGNAL;
	return fds[1].revents ? WAIT_INPUT : WAIT_TIME;
}

long long signals_clock_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}
