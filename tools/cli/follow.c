// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "find.h"
#include "follow.h"
#include "signals.h"

int follow_interval(const char *text)
{
	char *end;
	double s = strtod(text, &end);

	/* The negation is for NaN */
	if (end == text || *end || !(s * 1000 >= FOLLOW_MS_MIN && s * 1000 <= FOLLOW_MS_MAX))
		return 0;
	return (int)(s * 1000);
}

int follow(const struct cli *cli, int interval_ms, unsigned int refreshes,
	   int (*show)(const struct sample *now, const struct sample *before, void *ctx), void *ctx)
{
	int rc, status = CLI_OK, signals = signals_open();
	struct sample now, before;
	unsigned int n;

	if (signals < 0)
		return cli_error(cli, "signalfd: %s", strerror(-signals));
	/* The first sample is only there to count from */
	rc = sample_read(cli->sysfs, &before);
	if (rc) {
		close(signals);
		return find_pool_error(cli, rc);
	}
	if (before.pool.denied)
		fputs("tesseractl: what clients do is shown to root only: try again as root\n",
		      stderr);
	for (n = 0; !status && (!refreshes || n < refreshes); n++) {
		if (signals_wait(signals, -1, interval_ms) == WAIT_SIGNAL)
			break;
		rc = sample_read(cli->sysfs, &now);
		if (rc) {
			status = find_pool_error(cli, rc);
			break;
		}
		status = show(&now, &before, ctx);
		pool_free(&before.pool);
		before = now;
	}
	pool_free(&before.pool);
	close(signals);
	return status;
}
