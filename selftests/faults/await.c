// SPDX-License-Identifier: GPL-2.0-or-later
#include "await.h"
#include "client.h"

#define PATIENCE_MS 60000

bool await_dead(struct client *c)
{
	long end = now_ms() + PATIENCE_MS;

	while (reg32(&c->v, TESS_REG_ID) != 0xffffffff) {
		if (now_ms() > end)
			return false;
		sleep_ms(20);
	}
	return true;
}

bool await_type(const char *type)
{
	long end = now_ms() + PATIENCE_MS;

	while (mdev_available(type) <= 0) {
		if (now_ms() > end)
			return false;
		sleep_ms(20);
	}
	return true;
}
