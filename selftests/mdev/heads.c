// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "harness.h"
#include "heads.h"
#include "vgpu.h"

uint32_t head32(struct vgpu *v, unsigned int n, uint32_t off)
{
	return reg32(v, TESS_HEAD_PAGE(n) + off);
}

uint64_t head64(struct vgpu *v, unsigned int n, uint32_t off)
{
	return reg64(v, TESS_HEAD_PAGE(n) + off);
}

void head_write(struct vgpu *v, unsigned int n, uint32_t off, uint32_t val)
{
	reg32_write(v, TESS_HEAD_PAGE(n) + off, val);
}

static uint32_t head_commit_as(struct vgpu *v, unsigned int n, const struct head_plane *p,
			       uint32_t control)
{
	head_write(v, n, TESS_DREG_CONTROL, control);
	head_write(v, n, TESS_DREG_FORMAT, p->format);
	head_write(v, n, TESS_DREG_WIDTH, p->width);
	head_write(v, n, TESS_DREG_HEIGHT, p->height);
	head_write(v, n, TESS_DREG_PITCH, p->pitch);
	reg64_write(v, TESS_HEAD_PAGE(n) + TESS_DREG_ADDRESS, p->address);
	head_write(v, n, TESS_DREG_COMMIT, 1);
	return head32(v, n, TESS_DREG_ERROR);
}

uint32_t head_commit(struct vgpu *v, unsigned int n, const struct head_plane *p)
{
	return head_commit_as(v, n, p, TESS_DCONTROL_ENABLE);
}

uint32_t head_show(struct vgpu *v, unsigned int n, const struct head_plane *p,
		   const struct head_rect *damage)
{
	if (damage)
		head_write_damage(v, n, damage);
	return head_commit_as(v, n, p, TESS_DCONTROL_ENABLE | TESS_DCONTROL_NOW);
}

void head_disable(struct vgpu *v, unsigned int n)
{
	head_write(v, n, TESS_DREG_CONTROL, 0);
	head_write(v, n, TESS_DREG_COMMIT, 1);
}

static uint32_t cursor_commit(struct vgpu *v, unsigned int n, uint32_t control)
{
	head_write(v, n, TESS_DREG_CURSOR_CONTROL, control);
	head_write(v, n, TESS_DREG_CURSOR_COMMIT, 1);
	return head32(v, n, TESS_DREG_ERROR);
}

uint32_t head_cursor(struct vgpu *v, unsigned int n, uint64_t address, unsigned int hot_x,
		     unsigned int hot_y)
{
	reg64_write(v, TESS_HEAD_PAGE(n) + TESS_DREG_CURSOR_ADDRESS, address);
	head_write(v, n, TESS_DREG_CURSOR_HOT, hot_x | hot_y << 16);
	return cursor_commit(v, n, TESS_DCURSOR_ENABLE);
}

uint32_t head_no_cursor(struct vgpu *v, unsigned int n)
{
	return cursor_commit(v, n, 0);
}

void head_move_cursor(struct vgpu *v, unsigned int n, int x, int y)
{
	head_write(v, n, TESS_DREG_CURSOR_POSITION, ((uint32_t)x & 0xffff) | (uint32_t)y << 16);
}

bool head_wait(struct vgpu *v, unsigned int n, uint32_t event)
{
	long end = now_ms() + 5000 * patience();

	while (!(head32(v, n, TESS_DREG_EVENTS) & event)) {
		if (now_ms() > end)
			return false;
		usleep(1000);
	}
	head_write(v, n, TESS_DREG_EVENTS, event);
	return true;
}

bool head_totals(const char *uuid, unsigned int n, struct head_totals *t)
{
	const char *line = mdev_attr(uuid, "heads");
	unsigned int number;

	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "head=%u size=%ux%u shown=%llu damaged=%llu last=%u,%u-%u,%u",
			   &number, &t->width, &t->height, &t->shown, &t->damaged, &t->last.x1,
			   &t->last.y1, &t->last.x2, &t->last.y2) == 9 &&
		    number == n)
			return true;
	}
	return false;
}

void head_write_damage(struct vgpu *v, unsigned int n, const struct head_rect *r)
{
	head_write(v, n, TESS_DREG_DAMAGE_START, r->x1 | r->y1 << 16);
	head_write(v, n, TESS_DREG_DAMAGE_END, r->x2 | r->y2 << 16);
}

int head_query(struct vgpu *v, uint32_t flags, uint32_t type,
	       struct vfio_device_gfx_plane_info *info)
{
	memset(info, 0, sizeof(*info));
	info->argsz = sizeof(*info);
	info->flags = flags;
	info->drm_plane_type = type;
	return ioctl(v->device, VFIO_DEVICE_QUERY_GFX_PLANE, info);
}
