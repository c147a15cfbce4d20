// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: lives of virtual machines
 *
 * A life makes a vGPU of random shape, is its VMM and its guest, and removes it. Most work and
 * check all results; some never end a kernel, fault all the time, or reset the device in
 * mid-work. Whatever else happens to them comes from outside: they are recomposed, moved,
 * killed, and lose their GPU. Only the last one excuses wrong answers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "soak.h"
#include "tenant.h"

#define NOWHERE_VA (256ULL << 20)
#define IRQ_ROUNDS 5
#define PATIENCE_MS 60000
#define POLL_MS 50

bool life_is_over(const struct life *l)
{
	return atomic_load(&l->board->stop) || atomic_load(&l->board->epoch) != l->epoch ||
	       now_ms() >= l->end_ms;
}

static void wrong(struct life *l, const char *what)
{
	if (atomic_load(&l->board->epoch) != l->epoch)
		return;
	atomic_fetch_add(&l->seat->wrong, 1);
	printf("# %.8s: wrong: %s\n", l->seat->uuid, what);
}

static void did(struct life *l, unsigned long n)
{
	atomic_fetch_add(&l->seat->operations, n);
}

/* ---- work ---- */

static bool irq_comes(const struct life *l, int fd)
{
	long end = now_ms() + PATIENCE_MS;

	while (now_ms() < end && atomic_load(&l->board->epoch) == l->epoch) {
		if (eventfd_wait(fd, 200))
			return true;
	}
	return false;
}

/* Completions that are waited for with the interrupt only */
static void check_irqs(struct life *l, struct client *c)
{
	int fd = vgpu_eventfd(&c->v, TESS_IRQ_COMPLETION), i;

	if (fd < 0) {
		wrong(l, "no eventfd");
		return;
	}
	for (i = 0; i < IRQ_ROUNDS && !life_is_over(l); i++) {
		c->r.rec->event = c->r.seq + 1;
		client_fence(c);
		if (irq_comes(l, fd)) {
			did(l, 1);
			continue;
		}
		if (atomic_load(&l->board->epoch) == l->epoch && client_idle(c))
			atomic_fetch_add(&l->seat->lost_irqs, 1);
		else
			wrong(l, "a fence is not completed");
		break;
	}
	close(fd);
}

static unsigned long checked(const struct tenant *g)
{
	unsigned long n = 0;
	unsigned int i;

	for (i = 0; i < g->n; i++)
		n += g->s[i].checked;
	return n;
}

/* Results are counted as they come: it may be killed at any time */
static int work(struct life *l, struct tenant *g)
{
	unsigned long seen = 0, now;
	unsigned int i;

	if (tenant_start(g, &l->board->jobs, pick(2)))
		return END_WRONG;
	while (!life_is_over(l)) {
		sleep_ms(POLL_MS);
		now = checked(g);
		did(l, now - seen);
		seen = now;
	}
	if (tenant_stop(g))
		wrong(l, "work does not end");
	did(l, checked(g) - seen);
	for (i = 0; i < g->n; i++) {
		if (g->s[i].mismatches || stream_lost(&g->s[i]))
			wrong(l, "results");
	}
	if (g->backwards)
		wrong(l, "generations");
	l->end_ms = now_ms() + PATIENCE_MS;
	for (i = 0; i < g->n && !life_is_over(l); i++)
		check_irqs(l, &g->c[i]);
	return END_WELL;
}

/* ---- misdeeds ---- */

static int endless(struct life *l, struct tenant *g)
{
	unsigned int i;

	for (i = 0; i < g->n; i++) {
		client_kernel(&g->c[i], TESS_K_LOOP, 8, 256);
		client_fence(&g->c[i]);
		atomic_fetch_add(&l->seat->faults, 1);
	}
	while (!life_is_over(l))
		sleep_ms(POLL_MS);
	return END_WELL;
}

static void restart(struct client *c)
{
	ring_reset(&c->r);
	client_start(c);
}

/* What was done after all faults and resets is right */
static void check_alive(struct life *l, struct client *c)
{
	volatile uint64_t *sum = ram_at(&c->v, SUM_GPA(c->r.vslice));

	*sum = 0;
	c->items = 0;
	client_delay(c, 2, 16, 10);
	client_fence(c);
	if (client_wait(c) || !client_counted(c))
		wrong(l, "no work after faults");
	did(l, 1);
}

static int fault_of(const struct life *l, struct client *c)
{
	long end = now_ms() + PATIENCE_MS;
	int cause;

	do {
		cause = wait_fault(&c->v, c->r.vslice);
	} while (cause < 0 && now_ms() < end && atomic_load(&l->board->epoch) == l->epoch);
	return cause;
}

static int storm(struct life *l, struct tenant *g)
{
	static const struct {
		enum tess_kernel k;
		int cause;
	} act[] = {
		{ TESS_K_ILLEGAL, DRM_TESSERA_CAUSE_ILLEGAL_INSN },
		{ TESS_K_LOAD, DRM_TESSERA_CAUSE_LOAD_PAGE },
		{ TESS_K_STORE, DRM_TESSERA_CAUSE_STORE_PAGE },
		{ TESS_K_JUMP, DRM_TESSERA_CAUSE_FETCH_PAGE },
	};

	while (!life_is_over(l)) {
		struct client *c = &g->c[pick(g->n)];
		unsigned int n = pick(sizeof(act) / sizeof(*act));
		uint64_t args[2] = { NOWHERE_VA + pick(1000) * PAGE, 0 };

		client_dispatch(c, CODE_GPA + act[n].k * TESS_K_BYTES, 8, 64, args, sizeof(args));
		client_fence(c);
		if (fault_of(l, c) != act[n].cause)
			wrong(l, "not that fault");
		atomic_fetch_add(&l->seat->faults, 1);
		did(l, 1);
		restart(c);
		if (!pick(8))
			check_alive(l, c);
	}
	return END_WELL;
}

static int resets(struct life *l, struct tenant *g)
{
	unsigned int i;

	while (!life_is_over(l)) {
		for (i = 0; i < g->n; i++) {
			client_kernel(&g->c[i], TESS_K_LOOP, 8, 16);
			client_fence(&g->c[i]);
		}
		sleep_ms(pick(200));
		if (ioctl(g->c[0].v.device, VFIO_DEVICE_RESET)) {
			wrong(l, "reset");
			break;
		}
		atomic_fetch_add(&l->seat->faults, 1);
		for (i = 0; i < g->n; i++)
			client_start(&g->c[i]);
		check_alive(l, &g->c[pick(g->n)]);
	}
	return END_WELL;
}

/* ---- a life ---- */

static void random_shape(struct shape *s)
{
	struct shape any = {
		.max = 1 + pick(TENANT_VSLICES),
		.memory = (1 + pick(2)) * STREAM_BANK,
		.shared = pick(2),
	};

	shape_random(s, &any);
	s->engines = 0;
}

/* Refusals for want of something, for an injected failure, and because the GPU is going */
static int refused(struct life *l, int rc)
{
	if (rc == -ENOSPC || rc == -ENOMEM || rc == -EUSERS)
		return END_REFUSED;
	if (atomic_load(&l->board->epoch) == l->epoch) {
		printf("# %.8s: %s\n", l->seat->uuid, strerror(-rc));
		wrong(l, "it cannot be made");
	}
	return END_GONE;
}

static int create(struct life *l)
{
	struct seat *seat = l->seat;
	char uuid[SHAPE_UUID];
	int rc;

	random_shape(&seat->shape);
	rc = file_read("/proc/sys/kernel/random/uuid", uuid, sizeof(uuid));
	if (rc)
		return rc;
	memcpy(seat->uuid, uuid, sizeof(uuid));
	rc = shape_blank(uuid);
	return rc ? rc : shape_write(uuid, &seat->shape);
}

static int live(struct life *l, struct tenant *g)
{
	unsigned int what = pick(10);

	if (what < 6)
		return work(l, g);
	return what < 7 ? endless(l, g) : what < 9 ? storm(l, g) : resets(l, g);
}

int life_of_vm(struct life *l)
{
	static struct tenant g;
	int rc = create(l), ret;

	if (!rc)
		rc = tenant_open_uuid(&g, l->seat->uuid);
	if (rc)
		return refused(l, rc);
	did(l, 1);
	atomic_store(&l->seat->working, true);
	ret = live(l, &g);
	atomic_store(&l->seat->working, false);
	/* The one who reaps removes it; sometimes it is closed by the end of the process */
	if (pick(2))
		vgpu_close(&g.c[0].v);
	if (atomic_load(&l->board->epoch) != l->epoch)
		return END_GONE;
	return atomic_load(&l->seat->wrong) || atomic_load(&l->seat->lost_irqs) ? END_WRONG : ret;
}
