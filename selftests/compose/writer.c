// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: writers
 *
 * A writer has vGPUs of its own, one of which can be open in a process that keeps all of its
 * vslices busy, and takes part in the life of common ones. What happens to its own it knows: a
 * change that was refused has changed nothing, and is refused for one of the reasons that
 * there can be. Of common ones others may have made something else in the meantime.
 */
#include "writer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tenant.h"

#define OWN 3u
#define STEPS 16 /* of a composition that can be made to fail */

/**
 * struct own - a vGPU of a writer
 * @uuid: name, empty: none
 * @shape: what was written; its slices are 0 if nothing was yet
 * @owner: process that has it open, 0: nobody
 */
struct own {
	char uuid[SHAPE_UUID];
	struct shape shape;
	pid_t owner;
};

struct writer {
	struct table *t;
	unsigned int number;
	struct own own[OWN];
};

struct table *table_create(void)
{
	struct table *t =
		mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t mutex_attr;
	pthread_barrierattr_t attr;
	unsigned int i;

	if (t == MAP_FAILED)
		return NULL;
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&t->barrier, &attr, WRITERS + 1);
	pthread_mutexattr_init(&mutex_attr);
	pthread_mutexattr_setpshared(&mutex_attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&t->life, &mutex_attr);
	for (i = 0; i < COMMON; i++)
		file_read("/proc/sys/kernel/random/uuid", t->common[i], SHAPE_UUID);
	return t;
}

void table_round(struct table *t, bool last)
{
	atomic_store(&t->last, last);
	pthread_barrier_wait(&t->barrier);
	if (!last)
		pthread_barrier_wait(&t->barrier);
}

static void wrong(struct writer *w, const char *uuid, const char *what, int rc)
{
	char why[SHAPE_TEXT_MAX] = "";

	attr_read(uuid, "last_error", why, sizeof(why));
	printf("# writer %u, %.8s: %s: %s (%s)\n", w->number, uuid, what,
	       rc ? strerrorname_np(-rc) : "accepted", why);
	fflush(stdout);
	atomic_fetch_add(&w->t->wrong, 1);
}

static void count(struct writer *w, unsigned int result)
{
	atomic_fetch_add(&w->t->results[result], 1);
}

/* No room, or a failure that was injected, is an answer, too */
static void count_composed(struct writer *w, const char *uuid, const char *what, int rc)
{
	switch (rc) {
	case 0:
		count(w, RESULT_DONE);
		break;
	case -ENOSPC:
		count(w, RESULT_REFUSED);
		break;
	case -ENOMEM:
		count(w, RESULT_FAILED);
		break;
	default:
		wrong(w, uuid, what, rc);
	}
}

/* Sometimes the next composition of anybody fails, at whatever step it may be */
static void maybe_inject(void)
{
	if (!pick(3))
		inject_failure(1 + pick(STEPS));
}

/* ---- vGPUs of a writer ---- */

static void random_shape(struct shape *s, const struct own *o)
{
	struct shape any = {
		.max = 1 + pick(TENANT_VSLICES),
		.memory = (1 + pick(4)) * STREAM_BANK,
		.shared = !pick(3),
	};

	shape_random(s, o->owner ? &o->shape : &any);
}

/* What was written is what is read */
static void check_written(struct writer *w, const struct own *o, const struct shape *s)
{
	char text[SHAPE_TEXT_MAX];
	struct shape now = { 0 };

	if (attr_read(o->uuid, "blueprint", text, sizeof(text)) || shape_parse(text, &now) ||
	    now.slices != s->slices || now.max != s->max || now.kind != s->kind ||
	    now.memory != s->memory || now.shared != s->shared || now.topology != s->topology)
		wrong(w, o->uuid, text, 0);
	if (!last_error_is(o->uuid, 0))
		wrong(w, o->uuid, "last_error of a success", 0);
}

/* What there was is there */
static void check_kept(struct writer *w, const struct own *o, const char *blueprint,
		       const char *composition, int rc)
{
	char text[SHAPE_TEXT_MAX], now[4096];

	if (attr_read(o->uuid, "blueprint", text, sizeof(text)) || strcmp(text, blueprint))
		wrong(w, o->uuid, "another blueprint after a refusal", rc);
	if (attr_read(o->uuid, "composition", now, sizeof(now)) || strcmp(now, composition))
		wrong(w, o->uuid, "another composition after a refusal", rc);
	if (!last_error_is(o->uuid, rc))
		wrong(w, o->uuid, "last_error of a refusal", rc);
}

/* Write a blueprint, or what is none, to a vGPU of one's own: 0, -errno */
static int change(struct writer *w, struct own *o, const char *text, const struct shape *s)
{
	char before[SHAPE_TEXT_MAX], composition[4096];
	int rc;

	if (attr_read(o->uuid, "blueprint", before, sizeof(before)) ||
	    attr_read(o->uuid, "composition", composition, sizeof(composition)))
		wrong(w, o->uuid, "attributes cannot be read", -EIO);
	maybe_inject();
	rc = attr_write(o->uuid, "blueprint", text);
	if (rc) {
		check_kept(w, o, before, composition, rc);
	} else if (s) {
		check_written(w, o, s);
		o->shape = *s;
	}
	return rc;
}

static void do_compose(struct writer *w, struct own *o)
{
	char text[SHAPE_TEXT_MAX];
	struct shape s;

	random_shape(&s, o);
	shape_text(&s, text, sizeof(text));
	count_composed(w, o->uuid, text, change(w, o, text, &s));
}

static void do_impossible(struct writer *w, struct own *o)
{
	static const struct {
		const char *text;
		int rc;
	} requests[] = {
		{ "slices=0", -EINVAL },
		{ "slcies=2", -EINVAL },
		{ "slices=2 slices=2", -EINVAL },
		{ "slices=3 min=4 max=4 kind=compute memory=2M", -EINVAL },
		{ "slices=1 max=1 memory=3M kind=any", -EINVAL },
		{ "slices=1 min=1 max=1 kind=quantum memory=2M", -EINVAL },
		{ "slices=2 min=2 max=2 kind=compute engines=all memory=2M share=exclusive gpus=2",
		  -EOPNOTSUPP },
		{ "slices=1 min=1 max=1 kind=mixed engines=all memory=0 share=exclusive heads=1",
		  -EOPNOTSUPP },
		{ "slices=17 min=1 max=17 kind=any engines=all memory=2M share=exclusive",
		  -ENOSPC },
		{ "slices=7 min=1 max=7 kind=render engines=all memory=2M share=exclusive",
		  -ENOSPC },
		{ "slices=1 min=1 max=1 kind=any memory=1G share=exclusive", -EINVAL },
	};
	unsigned int i = pick(sizeof(requests) / sizeof(requests[0]));
	int rc = change(w, o, requests[i].text, NULL);

	if (rc == requests[i].rc || (rc == -EBUSY && o->owner))
		count(w, RESULT_IMPOSSIBLE);
	else if (rc == -ENOMEM)
		count(w, RESULT_FAILED);
	else
		wrong(w, o->uuid, requests[i].text, rc);
}

static void do_create(struct writer *w, struct own *o)
{
	static const char *const types[] = { "blank", "blank", "blank", "C1", "R2",
					     "M1",    "C2S",   "R1S",	"M2S" };
	const char *type = types[pick(sizeof(types) / sizeof(types[0]))];
	bool blank = !strcmp(type, "blank");
	int rc;

	memset(o, 0, sizeof(*o));
	maybe_inject();
	rc = mdev_create(type, o->uuid);
	if (rc)
		*o->uuid = 0;
	if (!rc)
		count(w, RESULT_DONE);
	else if (rc == -ENOMEM)
		count(w, RESULT_FAILED);
	else if (rc == -ENOSPC && !blank)
		count(w, RESULT_REFUSED);
	else
		wrong(w, "", type, rc);
}

static void do_remove(struct writer *w, struct own *o)
{
	int rc = mdev_remove(o->uuid);

	if (rc)
		wrong(w, o->uuid, "remove", rc);
	else
		count(w, RESULT_DONE);
	*o->uuid = 0;
}

/* ---- owners that are killed ---- */

/* A VMM that opens the vGPU and keeps all of it busy for ever; it is ready on return, or 0 */
static pid_t owner_start(const char *uuid)
{
	static struct tenant g;
	unsigned int i;
	int pipes[2];
	char byte;
	pid_t pid;

	if (pipe(pipes))
		return 0;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(pipes[0]);
		if (tenant_open_uuid(&g, uuid))
			_exit(1);
		for (i = 0; i < g.n; i++) {
			client_kernel(&g.c[i], TESS_K_LOOP, 1, 16);
			client_fence(&g.c[i]);
		}
		if (write(pipes[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(pipes[1]);
	if (pid > 0 && read(pipes[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = 0;
	}
	close(pipes[0]);
	return pid > 0 ? pid : 0;
}

static void owner_kill(struct writer *w, struct own *o)
{
	kill(o->owner, SIGKILL);
	waitpid(o->owner, NULL, 0);
	o->owner = 0;
	atomic_fetch_add(&w->t->killed, 1);
}

/* Kill the owner while its vGPU is being recomposed */
static void do_kill(struct writer *w, struct own *o)
{
	pid_t killer;

	fflush(stdout);
	killer = fork();
	if (!killer) {
		sleep_ms(pick(12));
		kill(o->owner, SIGKILL);
		_exit(0);
	}
	do_compose(w, o);
	if (killer > 0)
		waitpid(killer, NULL, 0);
	owner_kill(w, o);
}

static void do_open(struct writer *w, struct own *o)
{
	o->owner = owner_start(o->uuid);
	if (!o->owner)
		wrong(w, o->uuid, "open", -EIO);
	do_compose(w, o);
}

/* ---- what is done next ---- */

/* The one that is open, or NULL */
static struct own *find_open(struct writer *w)
{
	unsigned int i;

	for (i = 0; i < OWN; i++) {
		if (w->own[i].owner)
			return &w->own[i];
	}
	return NULL;
}

static void turn_own(struct writer *w)
{
	struct own *o = &w->own[pick(OWN)], *open = find_open(w);
	unsigned int what = pick(100);

	if (open && !pick(4))
		do_kill(w, open);
	else if (!*o->uuid)
		do_create(w, o);
	else if (what < 20)
		do_impossible(w, o);
	else if (!open && o->shape.slices && what < 60)
		do_open(w, o);
	else if (!o->owner && what < 70)
		do_remove(w, o);
	else
		do_compose(w, o);
}

static int common_life(struct table *t, char *uuid, int (*change)(char *uuid))
{
	int rc;

	pthread_mutex_lock(&t->life);
	rc = change(uuid);
	pthread_mutex_unlock(&t->life);
	return rc;
}

static int common_remove(char *uuid)
{
	return mdev_remove(uuid);
}

/* Others may make, change and remove it at the same time */
static void turn_common(struct writer *w)
{
	const struct own nobody = { 0 };
	char uuid[SHAPE_UUID];
	struct shape s;
	int rc;

	snprintf(uuid, sizeof(uuid), "%s", w->t->common[pick(COMMON)]);
	random_shape(&s, &nobody);
	maybe_inject();
	switch (pick(5)) {
	case 0:
		rc = common_life(w->t, uuid, common_remove);
		break;
	case 1:
		rc = common_life(w->t, uuid, shape_blank);
		break;
	default:
		rc = shape_write(uuid, &s);
	}
	switch (rc) {
	case -ENOENT:
	case -ENODEV:
	case -EEXIST:
	case -EAGAIN:
		count(w, RESULT_RACED);
		break;
	default:
		count_composed(w, uuid, "common", rc);
	}
}

static void __attribute__((noreturn)) run(struct writer *w)
{
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		pthread_barrier_wait(&w->t->barrier);
		if (atomic_load(&w->t->last))
			break;
		if (pick(4))
			turn_own(w);
		else
			turn_common(w);
		pthread_barrier_wait(&w->t->barrier);
	}
	for (i = 0; i < OWN; i++) {
		if (w->own[i].owner)
			owner_kill(w, &w->own[i]);
	}
	fflush(stdout);
	_exit(0);
}

pid_t writer_start(struct table *t, unsigned int number, long seed)
{
	struct writer w = { .t = t, .number = number };
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		srandom(seed);
		run(&w);
	}
	return pid;
}
