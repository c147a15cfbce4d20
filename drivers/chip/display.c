// SPDX-License-Identifier: GPL-2.0-only
/*
 * Display heads of a vGPU: registers.
 *
 * DOC: display
 *
 * The registers of a picture are written one by one and taken over as one by COMMIT, which
 * the host has checked when ERROR is read. Writing the event FLIP before that forgets the one
 * of an earlier picture that nobody waited for.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/iopoll.h>

#include "base/chip.h"
#include "display.h"

/* Some frames */
#define DISPLAY_OFF_TIMEOUT_US	200000

static u32 display_read(struct tess_chip *chip, u32 page, u32 reg)
{
	u32 val;

	if (READ_ONCE(chip->dead))
		return 0;
	val = tess_chip_read32(chip, page, reg);
	return val == U32_MAX && !tess_chip_is_alive(chip) ? 0 : val;
}

static u32 display_heads(struct tess_backend *be)
{
	return display_read(to_tess_chip(be), TESS_GLOBAL_PAGE, TESS_REG_HEAD_MASK);
}

static u32 display_status(struct tess_backend *be, unsigned int head)
{
	return display_read(to_tess_chip(be), TESS_HEAD_PAGE(head), TESS_DREG_STATUS);
}

static int display_edid(struct tess_backend *be, unsigned int head, u32 off, void *buf, size_t len)
{
	struct tess_chip *chip = to_tess_chip(be);
	u32 page = TESS_HEAD_PAGE(head);
	u32 size = min_t(u32, display_read(chip, page, TESS_DREG_EDID_SIZE), TESS_EDID_MAX);
	__le32 *word = buf;
	size_t at;

	if (off > size || len > size - off)
		return -ENXIO;
	for (at = 0; at < len; at += sizeof(*word))
		*word++ = cpu_to_le32(tess_chip_read32(chip, page, TESS_DREG_EDID + off + at));
	return tess_chip_is_alive(chip) ? 0 : -ENODEV;
}

static int display_error(struct tess_chip *chip, unsigned int head)
{
	switch (display_read(chip, TESS_HEAD_PAGE(head), TESS_DREG_ERROR)) {
	case TESS_DISPLAY_OK:
		return READ_ONCE(chip->dead) ? -ENODEV : 0;
	case TESS_DISPLAY_ERR_ADDRESS:
		return -EFAULT;
	case TESS_DISPLAY_ERR_HEAD:
		return -ENXIO;
	case TESS_DISPLAY_ERR_CURSOR:
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

static int display_wait_off(struct tess_chip *chip, unsigned int head)
{
	u32 status;
	int rc;

	rc = read_poll_timeout(tess_chip_read32, status,
			       !(status & TESS_DSTATUS_ENABLED) || status == U32_MAX, 1000,
			       DISPLAY_OFF_TIMEOUT_US, false, chip, TESS_HEAD_PAGE(head),
			       TESS_DREG_STATUS);
	if (status == U32_MAX && !tess_chip_is_alive(chip))
		return -ENODEV;
	return rc ? -ETIME : 0;
}

static void display_write_picture(struct tess_chip *chip, u32 page,
				  const struct tess_head_picture *picture)
{
	const struct tess_head_rect *damage = &picture->damage;

	tess_chip_write32(chip, page, TESS_DREG_FORMAT, picture->format);
	tess_chip_write32(chip, page, TESS_DREG_WIDTH, picture->width);
	tess_chip_write32(chip, page, TESS_DREG_HEIGHT, picture->height);
	tess_chip_write32(chip, page, TESS_DREG_PITCH, picture->pitch);
	tess_chip_write64(chip, page, TESS_DREG_ADDRESS, picture->address);
	if (chip->info.caps & TESS_CAPS_FRAME_PERIOD)
		tess_chip_write32(chip, page, TESS_DREG_PERIOD, picture->period);
	if (!(chip->info.caps & TESS_CAPS_HEAD_DAMAGE))
		return;
	tess_chip_write32(chip, page, TESS_DREG_DAMAGE_START,
			  FIELD_PREP(TESS_DAMAGE_X, damage->x1) |
			  FIELD_PREP(TESS_DAMAGE_Y, damage->y1));
	tess_chip_write32(chip, page, TESS_DREG_DAMAGE_END,
			  FIELD_PREP(TESS_DAMAGE_X, damage->x2) |
			  FIELD_PREP(TESS_DAMAGE_Y, damage->y2));
}

static int display_show(struct tess_backend *be, unsigned int head,
			const struct tess_head_picture *picture)
{
	struct tess_chip *chip = to_tess_chip(be);
	u32 control = picture ? TESS_DCONTROL_ENABLE : 0;
	u32 page = TESS_HEAD_PAGE(head);
	int rc;

	if (READ_ONCE(chip->dead))
		return -ENODEV;
	if (picture)
		display_write_picture(chip, page, picture);
	if (picture && picture->now && chip->info.caps & TESS_CAPS_FRAME_PERIOD)
		control |= TESS_DCONTROL_NOW;
	tess_chip_write32(chip, page, TESS_DREG_CONTROL, control);
	tess_chip_write32(chip, page, TESS_DREG_EVENTS, TESS_DEVENT_FLIP);
	tess_chip_write32(chip, page, TESS_DREG_COMMIT, 1);
	rc = display_error(chip, head);
	if (rc || picture)
		return rc;
	return display_wait_off(chip, head);
}

static void display_listen(struct tess_backend *be, unsigned int head, u32 events)
{
	struct tess_chip *chip = to_tess_chip(be);

	if (!READ_ONCE(chip->dead))
		tess_chip_write32(chip, TESS_HEAD_PAGE(head), TESS_DREG_EVENT_MASK, events);
}

static u32 display_events(struct tess_backend *be, unsigned int head)
{
	struct tess_chip *chip = to_tess_chip(be);
	u32 events = display_read(chip, TESS_HEAD_PAGE(head), TESS_DREG_EVENTS) & TESS_DEVENT_ALL;

	/* Before they are looked at: what comes later raises the vector again */
	if (events)
		tess_chip_write32(chip, TESS_HEAD_PAGE(head), TESS_DREG_EVENTS, events);
	return events;
}

static u32 display_frame_age(struct tess_backend *be, unsigned int head)
{
	return display_read(to_tess_chip(be), TESS_HEAD_PAGE(head), TESS_DREG_FRAME_AGE);
}

static int display_set_cursor(struct tess_backend *be, unsigned int head,
			      const struct tess_head_cursor *cursor)
{
	struct tess_chip *chip = to_tess_chip(be);
	u32 page = TESS_HEAD_PAGE(head);

	if (!(chip->info.caps & TESS_CAPS_HEAD_CURSOR))
		return -EOPNOTSUPP;
	if (READ_ONCE(chip->dead))
		return -ENODEV;
	if (cursor) {
		tess_chip_write64(chip, page, TESS_DREG_CURSOR_ADDRESS, cursor->address);
		tess_chip_write32(chip, page, TESS_DREG_CURSOR_HOT,
				  FIELD_PREP(TESS_CURSOR_X, cursor->hot_x) |
				  FIELD_PREP(TESS_CURSOR_Y, cursor->hot_y));
	}
	tess_chip_write32(chip, page, TESS_DREG_CURSOR_CONTROL, cursor ? TESS_DCURSOR_ENABLE : 0);
	tess_chip_write32(chip, page, TESS_DREG_CURSOR_COMMIT, 1);
	return display_error(chip, head);
}

static void display_move_cursor(struct tess_backend *be, unsigned int head, s16 x, s16 y)
{
	struct tess_chip *chip = to_tess_chip(be);

	if (!READ_ONCE(chip->dead) && chip->info.caps & TESS_CAPS_HEAD_CURSOR)
		tess_chip_write32(chip, TESS_HEAD_PAGE(head), TESS_DREG_CURSOR_POSITION,
				  FIELD_PREP(TESS_CURSOR_X, (u16)x) |
				  FIELD_PREP(TESS_CURSOR_Y, (u16)y));
}

const struct tess_display_ops tess_chip_display_ops = {
	.heads = display_heads,
	.status = display_status,
	.edid = display_edid,
	.show = display_show,
	.listen = display_listen,
	.events = display_events,
	.frame_age = display_frame_age,
	.set_cursor = display_set_cursor,
	.move_cursor = display_move_cursor,
};

/**
 * tess_chip_display_stop() - show nothing
 * @chip: device, nobody uses its heads any more
 */
void tess_chip_display_stop(struct tess_chip *chip)
{
	unsigned int i;
	u32 heads;

	if (!chip->be.ops->display)
		return;
	heads = display_heads(&chip->be);
	for (i = 0; i < TESS_HEADS_MAX; i++) {
		if (!(heads & BIT(i)))
			continue;
		display_listen(&chip->be, i, 0);
		display_set_cursor(&chip->be, i, NULL);
		if (display_status(&chip->be, i) & TESS_DSTATUS_ENABLED)
			display_show(&chip->be, i, NULL);
	}
}
