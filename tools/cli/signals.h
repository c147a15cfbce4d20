/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals that end the program, as something to poll: no handler, nothing is cut off. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* Block SIGINT, SIGTERM and SIGHUP. Returns a descriptor that is readable once one came,
 * or negative errno. */
int signals_open(void);

/**
 * signals_wait() - wait for a signal, input, or the end of a time
 * @signals: from signals_open()
 * @input: descriptor, or -1
 * @ms: time; negative: no limit
 *
 * Return: WAIT_*; a signal is reported again and again.
 */
int signals_wait(int signals, int input, int ms);

enum { WAIT_TIME, WAIT_INPUT, WAIT_SIGNAL };

/* Milliseconds of a clock that only goes forward. */
long long signals_clock_ms(void);

#endif
