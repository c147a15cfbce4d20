// SPDX-License-Identifier: GPL-2.0-or-later
/* Writers of blueprints */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "patience.h"
#include "vgpu.h"
#include "writer.h"

static bool may_be(const struct writer *w, int ret)
{
	const int *may;

	for (may = w->may; *may; may++)
		if (ret == *may)
			return true;
	return false;
}

static void *write_shapes(void *arg)
{
	struct writer *w = arg;
	unsigned int n = 0;

	while (w->shapes[n])
		n++;
	while (now_ms() < __atomic_load_n(&w->end, __ATOMIC_RELAXED)) {
		int ret = mdev_attr_write(w->uuid, "blueprint", w->shapes[rand_r(&w->seed) % n]);

		if (!ret)
			__atomic_add_fetch(&w->done, 1, __ATOMIC_RELAXED);
		if (ret && !may_be(w, ret))
			w->unexpected = ret;
		else if (ret == -ENOENT || ret == -ENODEV)
			break;
	}
	return NULL;
}

int writer_start(struct writer *w, long ms)
{
	w->end = now_ms() + ms;
	return -pthread_create(&w->thread, NULL, write_shapes, w);
}

bool writer_goes(struct writer *w)
{
	long end = now_ms() + 30000 * patience();

	while (!__atomic_load_n(&w->done, __ATOMIC_RELAXED) && now_ms() < end)
		usleep(1000);
	return now_ms() < end;
}

int writer_stop(struct writer *w)
{
	__atomic_store_n(&w->end, 0, __ATOMIC_RELAXED);
	return writer_end(w);
}

int writer_end(struct writer *w)
{
	int ret = pthread_join(w->thread, NULL);

	return ret ? -ret : w->unexpected;
}
