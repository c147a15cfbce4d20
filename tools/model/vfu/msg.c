// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: commands
 *
 * One table: what a command needs and who handles it. Payload size and number
 * of descriptors are checked here, contents by the handler. A command that is
 * refused gets an error reply and the session goes on, except before VERSION:
 * a client that does not begin with it speaks something else.
 */
#include "server.h"

#include <errno.h>
#include <string.h>

struct command {
	int (*handle)(struct vfu *v, const void *payload, size_t len, int *reply_fd);
	size_t min_payload;
	unsigned int max_fds;
};

static int device_info(struct vfu *v, const void *payload, size_t len, int *reply_fd)
{
	struct vfu_msg_device_info info;

	(void)len;
	(void)reply_fd;
	memcpy(&info, payload, sizeof(info));
	if (info.argsz < sizeof(info))
		return -EINVAL;
	info.argsz = sizeof(info);
	info.flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET;
	info.num_regions = VFIO_PCI_NUM_REGIONS;
	info.num_irqs = VFIO_PCI_NUM_IRQS;
	memcpy(vfu_conn_reply_buf(&v->conn), &info, sizeof(info));
	return sizeof(info);
}

static int device_reset(struct vfu *v, const void *payload, size_t len, int *reply_fd)
{
	(void)payload;
	(void)len;
	(void)reply_fd;
	vfu_irq_clear(v);
	v->ops->reset(v->opaque, VFU_RESET_DEVICE);
	return 0;
}

/*
 * Commands without an entry are refused. GET_REGION_IO_FDS: registers have
 * side effects that an eventfd cannot carry. DMA_READ and DMA_WRITE go the other
 * way. DIRTY_PAGES, DEVICE_FEATURE, MIG_DATA_*: the function does not migrate.
 */
static const struct command commands[VFU_CMD_COUNT] = {
	[VFU_CMD_VERSION] = { vfu_version, sizeof(struct vfu_msg_version), 0 },
	[VFU_CMD_DMA_MAP] = { vfu_dma_do_map, sizeof(struct vfu_msg_dma_map), 1 },
	[VFU_CMD_DMA_UNMAP] = { vfu_dma_do_unmap, sizeof(struct vfu_msg_dma_unmap), 0 },
	[VFU_CMD_DEVICE_GET_INFO] = { device_info, sizeof(struct vfu_msg_device_info), 0 },
	[VFU_CMD_GET_REGION_INFO] = { vfu_region_info, sizeof(struct vfio_region_info), 0 },
	[VFU_CMD_GET_IRQ_INFO] = { vfu_irq_info, sizeof(struct vfio_irq_info), 0 },
	[VFU_CMD_SET_IRQS] = { vfu_irq_set, sizeof(struct vfu_msg_irq_set), VFU_MAX_MSG_FDS },
	[VFU_CMD_REGION_READ] = { vfu_region_do_read, sizeof(struct vfu_msg_region_access), 0 },
	[VFU_CMD_REGION_WRITE] = { vfu_region_do_write, sizeof(struct vfu_msg_region_access), 0 },
	[VFU_CMD_DEVICE_RESET] = { device_reset, 0, 0 },
	[VFU_CMD_REGION_WRITE_MULTI] = { vfu_region_do_write_multi, sizeof(uint64_t), 0 },
};

static int dispatch(struct vfu *v, int *reply_fd)
{
	struct vfu_conn *c = &v->conn;
	size_t len = c->hdr.size - sizeof(c->hdr);
	const struct command *cmd;

	if (!c->negotiated && c->hdr.command != VFU_CMD_VERSION)
		return -EPROTO;
	if (c->hdr.command >= VFU_CMD_COUNT || !commands[c->hdr.command].handle)
		return -EOPNOTSUPP;
	cmd = &commands[c->hdr.command];
	if (len < cmd->min_payload || c->nr_fds > cmd->max_fds || c->excess_fds)
		return -EINVAL;
	return cmd->handle(v, c->in, len, reply_fd);
}

void vfu_msg_handle(struct vfu *v)
{
	struct vfu_conn *c = &v->conn;
	int reply_fd = -1;
	int ret;

	v->stats.messages++;
	ret = dispatch(v, &reply_fd);
	if (ret < 0)
		v->stats.errors++;
	if (!c->negotiated)
		c->broken = true;
	vfu_conn_reply(c, ret < 0 ? -ret : 0, ret < 0 ? 0 : ret, reply_fd);
	vfu_conn_next(c);
}
