// SPDX-License-Identifier: GPL-2.0-only
/*
 * Display heads.
 *
 * DOC: Display heads
 *
 * A GPU has heads only in a guest, and they belong to no slice: who drives them is the one
 * front-end that asked first. The core checks numbers, sees to it that the back-end is there,
 * and passes on.
 *
 * Whoever is told of events is told inside tess_gpu_enter(), so detaching waits for a grace
 * period.
 */
#include <linux/rcupdate.h>
#include <linux/srcu.h>
#include <tessera/compat.h>
#include <tessera/display.h>

#include "gpu.h"

static const struct tess_display_ops *display_ops(const struct tess_gpu *gpu)
{
	return tess_gpu_ops(gpu)->display;
}

int tess_display_attach(struct tess_gpu *gpu, struct tess_display_client *client)
{
	int idx, rc = 0;

	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	spin_lock(&gpu->lock);
	if (!display_ops(gpu))
		rc = -EOPNOTSUPP;
	else if (rcu_access_pointer(gpu->display))
		rc = -EBUSY;
	else
		rcu_assign_pointer(gpu->display, client);
	spin_unlock(&gpu->lock);
	tess_gpu_exit(gpu, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_display_attach, TESS_NS);

void tess_display_detach(struct tess_gpu *gpu, struct tess_display_client *client)
{
	spin_lock(&gpu->lock);
	if (rcu_access_pointer(gpu->display) == client)
		RCU_INIT_POINTER(gpu->display, NULL);
	spin_unlock(&gpu->lock);
	synchronize_srcu(&gpu->srcu);
}
EXPORT_SYMBOL_NS_GPL(tess_display_detach, TESS_NS);

void tess_gpu_display_irq(struct tess_gpu *gpu)
{
	struct tess_display_client *client;
	int idx;

	if (!tess_gpu_enter(gpu, &idx))
		return;
	client = srcu_dereference(gpu->display, &gpu->srcu);
	if (client)
		client->event(client);
	tess_gpu_exit(gpu, idx);
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_display_irq, TESS_NS);

/* May this head be asked for? tess_gpu_exit() follows if so */
static bool display_enter(struct tess_gpu *gpu, unsigned int head, int *idx)
{
	if (head >= TESS_HEADS_MAX || !tess_gpu_enter(gpu, idx))
		return false;
	if (display_ops(gpu))
		return true;
	tess_gpu_exit(gpu, *idx);
	return false;
}

u32 tess_display_heads(struct tess_gpu *gpu)
{
	u32 heads;
	int idx;

	if (!display_enter(gpu, 0, &idx))
		return 0;
	heads = display_ops(gpu)->heads(gpu->be) & GENMASK(TESS_HEADS_MAX - 1, 0);
	tess_gpu_exit(gpu, idx);
	return heads;
}
EXPORT_SYMBOL_NS_GPL(tess_display_heads, TESS_NS);

u32 tess_head_status(struct tess_gpu *gpu, unsigned int head)
{
	u32 status;
	int idx;

	if (!display_enter(gpu, head, &idx))
		return 0;
	status = display_ops(gpu)->status(gpu->be, head);
	tess_gpu_exit(gpu, idx);
	return status;
}
EXPORT_SYMBOL_NS_GPL(tess_head_status, TESS_NS);

int tess_head_edid(struct tess_gpu *gpu, unsigned int head, u32 off, void *buf, size_t len)
{
	int idx, rc;

	if (off % sizeof(u32) || len % sizeof(u32))
		return -EINVAL;
	if (!display_enter(gpu, head, &idx))
		return -ENODEV;
	rc = display_ops(gpu)->edid(gpu->be, head, off, buf, len);
	tess_gpu_exit(gpu, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_head_edid, TESS_NS);

int tess_head_show(struct tess_gpu *gpu, unsigned int head,
		   const struct tess_head_picture *picture)
{
	int idx, rc;

	if (!display_enter(gpu, head, &idx))
		return -ENODEV;
	rc = display_ops(gpu)->show(gpu->be, head, picture);
	tess_gpu_exit(gpu, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_head_show, TESS_NS);

void tess_head_listen(struct tess_gpu *gpu, unsigned int head, u32 events)
{
	int idx;

	if (!display_enter(gpu, head, &idx))
		return;
	display_ops(gpu)->listen(gpu->be, head, events);
	tess_gpu_exit(gpu, idx);
}
EXPORT_SYMBOL_NS_GPL(tess_head_listen, TESS_NS);

u32 tess_head_events(struct tess_gpu *gpu, unsigned int head)
{
	u32 events;
	int idx;

	if (!display_enter(gpu, head, &idx))
		return 0;
	events = display_ops(gpu)->events(gpu->be, head);
	tess_gpu_exit(gpu, idx);
	return events;
}
EXPORT_SYMBOL_NS_GPL(tess_head_events, TESS_NS);

u32 tess_head_frame_age(struct tess_gpu *gpu, unsigned int head)
{
	u32 age;
	int idx;

	if (!display_enter(gpu, head, &idx))
		return 0;
	age = display_ops(gpu)->frame_age(gpu->be, head);
	tess_gpu_exit(gpu, idx);
	return age;
}
EXPORT_SYMBOL_NS_GPL(tess_head_frame_age, TESS_NS);

int tess_head_set_cursor(struct tess_gpu *gpu, unsigned int head,
			 const struct tess_head_cursor *cursor)
{
	int idx, rc;

	if (!display_enter(gpu, head, &idx))
		return -ENODEV;
	rc = display_ops(gpu)->set_cursor(gpu->be, head, cursor);
	tess_gpu_exit(gpu, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_head_set_cursor, TESS_NS);

void tess_head_move_cursor(struct tess_gpu *gpu, unsigned int head, s16 x, s16 y)
{
	int idx;

	if (!display_enter(gpu, head, &idx))
		return;
	display_ops(gpu)->move_cursor(gpu->be, head, x, y);
	tess_gpu_exit(gpu, idx);
}
EXPORT_SYMBOL_NS_GPL(tess_head_move_cursor, TESS_NS);
