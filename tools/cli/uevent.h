/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of devices, from the kernel itself. */
#ifndef CLI_UEVENT_H
#define CLI_UEVENT_H

#include <stddef.h>

#include "value.h"

/* More than the kernel puts into one */
#define UEVENT_MAX 8192

/**
 * struct uevent - an event
 * @buf: what the strings are parts of
 * @action: "add", "bind", "change", "remove", ...
 * @devpath: of the device, below the root of sysfs
 * @subsystem: of the device
 * @tessera: TESSERA_EVENT
 * @generation: TESSERA_GENERATION
 *
 * Strings are never NULL, printable, and empty if they are not there.
 */
struct uevent {
	char buf[UEVENT_MAX];
	const char *action, *devpath, *subsystem, *tessera;
	struct num generation;
};

/* Listen from now on. Returns a descriptor to poll, or negative errno. */
int uevent_open(void);

/**
 * uevent_read() - the next event
 * @fd: from uevent_open()
 * @event: filled
 *
 * Return: 1; 0 nothing is there now, or what came is not from the kernel; -ENOBUFS events
 * were lost; another negative errno.
 */
int uevent_read(int fd, struct uevent *event);

/* Take a message of @length bytes in @event->buf apart; false if it is none. */
bool uevent_parse(struct uevent *event, size_t length);

#endif
