// SPDX-License-Identifier: GPL-2.0-or-later
/* tessera-model: options, signals, exit status. The work is in model.c. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "model.h"
#include "options.h"

/* [1] Signals are blocked but while the loop waits, so none is missed before it does. */
static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	stop = sig == SIGUSR2 ? MODEL_LEAVES : MODEL_STOPS;
}

static void block_signals(sigset_t *unblocked)
{
	struct sigaction sa = { .sa_handler = on_signal };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, unblocked);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sigaction(SIGUSR2, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int serve(const struct options *o, struct log *log)
{
	struct model *m;
	sigset_t unblocked;
	int err;

	block_signals(&unblocked);
	m = model_new(o, log, &unblocked, &stop);
	if (!m) {
		log_msg(log, LOG_ERROR, "%s: %s", o->serve ? o->serve : o->socket, strerror(errno));
		return 1;
	}
	err = model_loop(m);
	if (err)
		log_msg(log, LOG_ERROR, "server: %s", strerror(-err));
	model_free(m);
	return err ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct options o;
	struct log *log;
	int status;

	switch (options_parse(&o, argc, argv, stdout, stderr)) {
	case OPTIONS_RUN:
		break;
	case OPTIONS_EXIT:
		return 0;
	case OPTIONS_BAD:
		return 2;
	}
	log = log_open(o.log_file, o.log_level);
	if (!log) {
		perror(o.log_file);
		return 1;
	}
	status = serve(&o, log);
	log_close(log);
	return status;
}
