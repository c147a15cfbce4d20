/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes between the connection of a client and the library. */
#ifndef VIEW_RELAY_H
#define VIEW_RELAY_H

#include "share.h"

struct aml;
struct relay;

/* A socket that the library accepts a connection from, which is @near. Returns it or -1. */
int relay_listen(int *near);

/**
 * relay_start() - pass on bytes in both directions
 * @loop: of the process
 * @client: connection of the client
 * @near: that of the library
 * @counts: bytes are counted there
 *
 * The loop is left when one of the two is gone, and what the library said was passed on.
 *
 * Return: NULL if there is no memory.
 */
struct relay *relay_start(struct aml *loop, int client, int near, struct share_client *counts);

#endif
