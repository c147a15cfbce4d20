// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: the server
 *
 * One thread looks at the head, keeps the shadow, and starts a process for each client. Without
 * clients it sleeps, and neither looks nor copies, and has nothing of the head mapped. What it shares with clients' processes is the
 * shadow, which they cannot write, and for each of them the set of tiles that changed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "door.h"
#include "guard.h"
#include "say.h"
#include "stats.h"
#include "viewer.h"

/* Of a head that showed nothing yet */
#define DARK_WIDTH 640
#define DARK_HEIGHT 480

#define NS_PER_S 1000000000ULL

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* ---- looking ---- */

/* Said once, until it is something else */
static void tell(struct viewer *v, const char *what)
{
	if (v->told == what)
		return;
	v->told = what;
	say("head %u of %s %s", v->source.head, v->source.uuid, what);
}

static void resize(struct viewer *v, unsigned int width, unsigned int height)
{
	shadow_resize(&v->shadow, width, height);
	atomic_store(&v->picture->size, (uint64_t)v->shadow.width << 32 | v->shadow.height);
}

static bool is_black(const struct viewer *v)
{
	size_t i, count = (size_t)v->shadow.width * v->shadow.height;

	for (i = 0; i < count; i++)
		if (v->shadow.pixels[i])
			return false;
	return true;
}

static void go_dark(struct viewer *v, bool given)
{
	tell(v, given ? "shows nothing; clients see black until it does" :
			"does not exist; clients see black until it does");
	if (!is_black(v))
		resize(v, v->shadow.width, v->shadow.height);
}

/* Take over part of the picture; how many tiles differed. What was not taken over is later. */
static unsigned int take(struct viewer *v, const struct source_look *look,
			 const struct shadow_rect *rect, bool all)
{
	unsigned int found = 0;

	/* What went away is told of by the next look */
	source_take(&v->source, look, rect, all, &v->shadow, &found);
	return found;
}

static void take_rect(struct viewer *v, const struct source_look *look,
		      const struct shadow_rect *rect, bool all)
{
	if (rect->x1 < rect->x2 && rect->y1 < rect->y2)
		take(v, look, rect, all);
}

/* What is under it has to be taken over anew, where it was and where it is */
static void take_cursor(struct viewer *v, const struct source_look *look)
{
	struct shadow_rect before = shadow_under(&v->shadow), now;
	struct shadow_cursor *c = &v->shadow.cursor;
	bool was = c->shown;
	uint64_t image = v->source.cursor;
	int x = c->x, y = c->y;

	/* If it cannot be told, the next look at the head fails, too */
	if (source_cursor(&v->source, c) || (!was && !c->shown))
		return;
	if (was == c->shown && x == c->x && y == c->y && image == v->source.cursor)
		return;
	v->counters.cursors++;
	now = shadow_under(&v->shadow);
	take_rect(v, look, &before, true);
	take_rect(v, look, &now, true);
}

/* All of it, as all of it is damaged, or as changes may not have been told of */
static void take_whole(struct viewer *v, const struct source_look *look, bool told)
{
	struct shadow_rect all = { 0, 0, look->width, look->height };
	uint64_t begin = now_ns(), end;
	unsigned int found = take(v, look, &all, false);

	end = now_ns();
	v->counters.whole++;
	pace_whole(&v->pace, end, end - begin, found && !told);
}

static void take_picture(struct viewer *v, const struct source_look *look, bool whole)
{
	const struct shadow_rect *d = &look->damage;
	uint64_t before = v->shadow.compared, compared;
	unsigned int tiles = shadow_count(look->width, look->height);

	tell(v, "shows a picture");
	if (look->width != v->shadow.width || look->height != v->shadow.height)
		resize(v, look->width, look->height);
	take_cursor(v, look);
	if (d->x1 < d->x2 && d->y1 < d->y2)
		v->counters.damaged += (uint64_t)(d->x2 - d->x1) * (d->y2 - d->y1);
	if (!d->x1 && !d->y1 && d->x2 == look->width && d->y2 == look->height) {
		take_whole(v, look, true);
	} else {
		take_rect(v, look, d, false);
		if (whole)
			take_whole(v, look, false);
	}
	compared = v->shadow.compared - before;
	v->counters.skipped += compared < tiles ? tiles - compared : 0;
}

static bool any_changed(const struct viewer *v)
{
	unsigned int i;

	for (i = 0; i < SHADOW_WORDS; i++)
		if (v->shadow.changed.words[i])
			return true;
	return false;
}

static void look(struct viewer *v, bool whole)
{
	struct source_look look;
	int error;

	pace_looked(&v->pace, now_ns());
	v->counters.looks++;
	error = source_look(&v->source, &look);
	if (error == -ENODEV) {
		say("the vGPU %s was removed", v->source.uuid);
		v->ended = true;
		return;
	}
	if (error) {
		errno = -error;
		say("cannot look at the head: %m");
		v->ended = true;
		return;
	}
	if (look.shown) {
		take_picture(v, &look, whole);
	} else {
		go_dark(v, look.given);
		pace_whole(&v->pace, now_ns(), 0, false);
	}
	if (any_changed(v)) {
		clients_tell(&v->clients, &v->shadow.changed);
		memset(&v->shadow.changed, 0, sizeof(v->shadow.changed));
	}
}

/* ---- other sizes ---- */

/* Clients may ask as often as they like, and a guest takes its time for each */
#define RESIZE_NS NS_PER_S

static void ask_for_size(struct viewer *v, uint64_t now)
{
	unsigned int width = (unsigned int)(v->wanted >> 32), height = (unsigned int)v->wanted;
	int error = 0;

	v->wanted = 0;
	v->resize_at = now + RESIZE_NS;
	if (width != v->shadow.width || height != v->shadow.height)
		error = source_monitor(&v->source, width, height);
	errno = -error;
	if (error == -EBUSY)
		tell(v, "has the monitor of its VMM: viewers choose one with path=remote");
	else if (error)
		say("no monitor of %ux%u: %m", width, height);
}

/* ---- events ---- */

/* In the process of a client: what only the server needs */
static void forget(void *data)
{
	struct viewer *v = data;

	munmap(v->picture, SHARE_SIZE);
	source_forget(&v->source);
	close(v->door);
	close(v->signals);
}

static void on_connection(struct viewer *v)
{
	char name[SOURCE_UUID + 32];
	struct serve serve = { .access = &v->options->access,
			       .name = name,
			       .picture = v->picture_of_clients,
			       .compression = v->options->compression,
			       .resize = v->options->resize,
			       .attention = v->attention };

	snprintf(name, sizeof(name), "vGPU %s head %u", v->source.uuid, v->source.head);
	/* So that it begins with the present size */
	look(v, true);
	if (!v->ended)
		clients_accept(&v->clients, v->door, &serve, forget, v);
}

static void on_signal(struct viewer *v)
{
	struct signalfd_siginfo info;

	while (read(v->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			clients_reap(&v->clients);
		else if (info.ssi_signo == SIGUSR1)
			stats_write(v);
		else
			v->ended = true;
	}
}

/* How long to wait, and whether the head is waited for */
static struct timespec *time_left(struct viewer *v, struct timespec *left, short *head_events)
{
	uint64_t now = now_ns(), next = UINT64_MAX;

	*head_events = 0;
	if (v->watched) {
		/* A head that changed is not looked at before its time */
		next = v->pace.next_look;
		if (next <= now) {
			next = pace_next(&v->pace);
			*head_events = POLLIN;
		}
	}
	if (v->wanted && v->resize_at < next)
		next = v->resize_at;
	if (next == UINT64_MAX)
		return NULL;
	next = next > now ? next - now : 0;
	left->tv_sec = (time_t)(next / NS_PER_S);
	left->tv_nsec = (long)(next % NS_PER_S);
	return left;
}

static void take_notice(struct viewer *v)
{
	bool watched = clients_count(&v->clients, true) > 0;

	if (watched && !v->watched)
		pace_wake(&v->pace, now_ns());
	if (!watched)
		source_rest(&v->source);
	v->watched = watched;
}

static void wait_and_act(struct viewer *v)
{
	struct pollfd fds[] = {
		{ .fd = v->source.fd },
		{ .fd = v->door, .events = POLLIN },
		{ .fd = v->attention, .events = POLLIN },
		{ .fd = v->signals, .events = POLLIN },
	};
	struct timespec left;
	eventfd_t count;

	take_notice(v);
	if (ppoll(fds, 4, time_left(v, &left, &fds[0].events), NULL) < 0)
		return;
	if (fds[2].revents) {
		eventfd_read(v->attention, &count);
		v->wanted = clients_wanted(&v->clients) ?: v->wanted;
	}
	if (v->wanted && v->resize_at <= now_ns())
		ask_for_size(v, now_ns());
	if (fds[3].revents)
		on_signal(v);
	if (fds[1].revents && !v->ended)
		on_connection(v);
	if (v->ended)
		return;
	if (fds[0].revents || (v->watched && pace_next(&v->pace) <= now_ns()))
		look(v, v->watched && v->pace.next_whole <= now_ns());
}

/* ---- beginning and end ---- */

static bool make_picture(struct viewer *v)
{
	int fd = memfd_create("tessera-view", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *own, *of_clients;

	if (fd < 0 || ftruncate(fd, SHARE_SIZE))
		return false;
	own = mmap(NULL, SHARE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	/* From here on nobody can have another mapping that can be written */
	if (own == MAP_FAILED || fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK))
		return false;
	of_clients = mmap(NULL, SHARE_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (of_clients == MAP_FAILED)
		return false;
	v->picture = own;
	v->picture_of_clients = of_clients;
	v->shadow.pixels = (uint32_t *)((char *)own + SHARE_PIXELS);
	resize(v, DARK_WIDTH, DARK_HEIGHT);
	return true;
}

static bool make_events(struct viewer *v)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	v->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	v->attention = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return v->signals >= 0 && v->attention >= 0;
}

int viewer_open(struct viewer *v, const struct options *options)
{
	char name[DOOR_NAME];

	*v = (struct viewer){ .options = options, .source.fd = -1, .door = -1 };
	pace_begin(&v->pace, options->rate);
	guard_begin();
	if (source_open(&v->source, options->vgpu, options->head, options->gpu))
		return OPTIONS_FAILED;
	v->door = door_open(options->address, options->port,
			    options->anyone || options->access.certificate);
	if (v->door < 0)
		return OPTIONS_FAILED;
	if (!make_picture(v) || !make_events(v)) {
		say("cannot begin: %m");
		return OPTIONS_FAILED;
	}
	look(v, true);
	say("head %u of %s on %s%s", v->source.head, v->source.uuid,
	    door_name(name, v->door, false), options->access.certificate ? ", by TLS" : "");
	return v->ended ? OPTIONS_FAILED : 0;
}

int viewer_run(struct viewer *v)
{
	while (!v->ended)
		wait_and_act(v);
	clients_end(&v->clients);
	return stats_write(v) ? 0 : OPTIONS_FAILED;
}

void viewer_close(struct viewer *v)
{
	if (v->door >= 0)
		close(v->door);
	source_close(&v->source);
}
