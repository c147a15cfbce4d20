/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where clients connect. */
#ifndef VIEW_DOOR_H
#define VIEW_DOOR_H

#include <stdbool.h>

/* Room for an address and a port as text */
#define DOOR_NAME 80

/**
 * door_open() - listen
 * @address: number, or name of a machine
 * @port: number
 * @anyone: other machines may connect, too
 *
 * Return: a socket, or -1 after it said why.
 */
int door_open(const char *address, const char *port, bool anyone);

/* Where a socket is bound, or with @peer connected to. Returns @name of DOOR_NAME bytes. */
const char *door_name(char *name, int fd, bool peer);

#endif
