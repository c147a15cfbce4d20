// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: what happens to vGPUs from outside
 *
 * Recompositions, one in four made to fail at some step, and moves. The GPU is taken away as a
 * whole now and then: its driver is unbound, the function is reset, or the device is unplugged.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "client.h"
#include "driver.h"
#include "soak.h"

#define STEPS 14 /* of a recomposition that can be made to fail */
#define DEVICES "/sys/bus/pci/devices/"
#define BACK_MS 20000

static void recompose(struct seat *seat, struct chaos *c)
{
	bool inject = !pick(4);
	struct shape s;
	int rc;

	shape_random(&s, &seat->shape);
	s.engines = 0;
	if (inject)
		inject_failure(1 + pick(STEPS));
	rc = shape_write(seat->uuid, &s);
	if (inject)
		inject_failure(0);
	c->recompositions += !rc;
	c->refusals += rc == -ENOSPC;
	c->injected += rc == -ENOMEM && inject;
}

static void move(struct seat *seat, struct chaos *c)
{
	struct client name = { 0 };
	char path[PATH_MAX], to[16];

	memcpy(name.v.uuid, seat->uuid, sizeof(name.v.uuid));
	snprintf(path, sizeof(path), "/sys/class/tessera/gpu0/vgpus/%.36s/vslice%u/slice",
		 name.v.uuid, pick(seat->shape.max));
	snprintf(to, sizeof(to), "%u", pick(16));
	c->moves += !file_write(path, to);
}

void chaos_act(struct board *b, struct chaos *c)
{
	struct seat *seat = &b->seat[pick(VM_SEATS)];

	if (!atomic_load(&seat->working))
		return;
	if (pick(3))
		recompose(seat, c);
	else
		move(seat, c);
}

static int wait_back(void)
{
	long end = now_ms() + BACK_MS;

	/* The directory of types was another one before */
	while (mdev_available("C1") < 0 || gpu_value("slices_free") < 0) {
		if (now_ms() > end)
			return -ETIMEDOUT;
		sleep_ms(50);
	}
	return 0;
}

enum take { TAKE_UNBIND, TAKE_RESET, TAKE_UNPLUG, TAKES };

static int take_away(enum take how, const char *gpu)
{
	char path[PATH_MAX];

	if (how == TAKE_UNBIND)
		return file_write(gpu_driver_file("unbind"), gpu);
	snprintf(path, sizeof(path), DEVICES "%s/%s", gpu, how == TAKE_RESET ? "reset" : "remove");
	return file_write(path, "1");
}

static int give_back(enum take how, const char *gpu)
{
	int rc = 0;

	if (how == TAKE_UNPLUG)
		return file_write("/sys/bus/pci/rescan", "1");
	/* What lingered is closed now: registered anew, the GPU has its types again */
	if (how == TAKE_RESET)
		rc = file_write(gpu_driver_file("unbind"), gpu);
	return rc ? rc : file_write(gpu_driver_file("bind"), gpu);
}

int chaos_take(struct board *b, struct chaos *c, void (*end_all)(void))
{
	const char *gpu = gpu_name();
	enum take how = pick(TAKES);
	int rc;

	c->takes++;
	c->unplugs += how == TAKE_UNPLUG;
	atomic_fetch_add(&b->epoch, 1);
	rc = take_away(how, gpu);
	end_all();
	if (!rc)
		rc = give_back(how, gpu);
	return rc ? rc : wait_back();
}
