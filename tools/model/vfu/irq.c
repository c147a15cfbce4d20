// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: interrupts
 *
 * MSI-X, and the error interrupt with which a device tells its client that it
 * failed (nothing raises that one here, but a client that finds it missing
 * warns its user). The client assigns an eventfd to each vector that its guest
 * uses; raising the vector writes to it. A vector that cannot be sent now is
 * pending, and goes out when the client assigns an eventfd or unmasks it, so
 * that no interrupt is lost while a guest reconfigures.
 *
 * Vectors of all indexes share one array of slots, MSI-X first.
 */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ACTIONS \
	(VFIO_IRQ_SET_ACTION_MASK | VFIO_IRQ_SET_ACTION_UNMASK | VFIO_IRQ_SET_ACTION_TRIGGER)
#define DATA_TYPES (VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_DATA_BOOL | VFIO_IRQ_SET_DATA_EVENTFD)

#define ERR_SLOT VFU_MAX_IRQS

static uint32_t nr_vectors(const struct vfu *v, uint32_t index)
{
	switch (index) {
	case VFIO_PCI_MSIX_IRQ_INDEX:
		return v->desc.nr_msix;
	case VFIO_PCI_ERR_IRQ_INDEX:
		return 1;
	default:
		return 0;
	}
}

static unsigned int first_slot(uint32_t index)
{
	return index == VFIO_PCI_ERR_IRQ_INDEX ? ERR_SLOT : 0;
}

void vfu_irq_init(struct vfu *v)
{
	unsigned int i;

	for (i = 0; i < VFU_IRQ_SLOTS; i++)
		v->irq.fd[i] = -1;
}

static void set_fd(struct vfu *v, unsigned int slot, int fd)
{
	if (v->irq.fd[slot] >= 0)
		close(v->irq.fd[slot]);
	v->irq.fd[slot] = fd;
}

void vfu_irq_clear(struct vfu *v)
{
	v->irq.pending = 0;
}

static void drop_index(struct vfu *v, uint32_t index)
{
	uint32_t i;

	for (i = 0; i < nr_vectors(v, index); i++)
		set_fd(v, first_slot(index) + i, -1);
	if (index == VFIO_PCI_MSIX_IRQ_INDEX) {
		v->irq.masked = 0;
		v->irq.pending = 0;
	}
}

void vfu_irq_drop_all(struct vfu *v)
{
	uint32_t index;

	for (index = 0; index < VFIO_PCI_NUM_IRQS; index++)
		drop_index(v, index);
}

static bool signal_slot(struct vfu *v, unsigned int slot)
{
	static const uint64_t one = 1;

	/* EAGAIN: the counter is full, so the client has been signalled. */
	if (write(v->irq.fd[slot], &one, sizeof(one)) == sizeof(one) || errno == EAGAIN)
		return true;
	vfu_log(v, "eventfd: %s", strerror(errno));
	set_fd(v, slot, -1);
	return false;
}

bool vfu_irq_raise(struct vfu *v, unsigned int vector)
{
	uint64_t bit;

	if (vector >= v->desc.nr_msix)
		return false;
	bit = 1ull << vector;
	if (v->irq.fd[vector] < 0 || (v->irq.masked & bit)) {
		v->irq.pending |= bit;
		return false;
	}
	v->irq.pending &= ~bit;
	return signal_slot(v, vector);
}

static void send_pending(struct vfu *v, unsigned int vector)
{
	if (v->irq.pending & (1ull << vector))
		vfu_irq_raise(v, vector);
}

bool vfu_irq_configured(const struct vfu *v, unsigned int vector)
{
	return vector < v->desc.nr_msix && v->irq.fd[vector] >= 0;
}

uint64_t vfu_irq_pending(const struct vfu *v)
{
	return v->irq.pending;
}

int vfu_irq_info(struct vfu *v, const void *payload, size_t len, int *reply_fd)
{
	struct vfio_irq_info info;

	(void)len;
	(void)reply_fd;
	memcpy(&info, payload, sizeof(info));
	if (info.argsz < sizeof(info) || info.index >= VFIO_PCI_NUM_IRQS)
		return -EINVAL;
	info.argsz = sizeof(info);
	info.count = nr_vectors(v, info.index);
	info.flags = info.count ? VFIO_IRQ_INFO_EVENTFD : 0;
	if (info.index == VFIO_PCI_MSIX_IRQ_INDEX)
		info.flags |= VFIO_IRQ_INFO_MASKABLE;
	memcpy(vfu_conn_reply_buf(&v->conn), &info, sizeof(info));
	return sizeof(info);
}

/*
 * An eventfd and its like have no file type. Anything that has one (pipe,
 * socket, file, device) could block a write or do who knows what.
 */
static bool is_eventfd(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && !(st.st_mode & S_IFMT);
}

static int check_eventfds(const struct vfu_conn *c)
{
	unsigned int i;

	for (i = 0; i < c->nr_fds; i++) {
		int flags = fcntl(c->fds[i], F_GETFL);

		if (flags < 0 || !is_eventfd(c->fds[i]))
			return -EINVAL;
		if (!(flags & O_NONBLOCK) && fcntl(c->fds[i], F_SETFL, flags | O_NONBLOCK))
			return -errno;
	}
	return 0;
}

static int assign(struct vfu *v, const struct vfu_msg_irq_set *m)
{
	struct vfu_conn *c = &v->conn;
	uint32_t i;
	int ret;

	if (c->nr_fds && c->nr_fds != m->count)
		return -EINVAL;
	ret = check_eventfds(c);
	if (ret)
		return ret;
	for (i = 0; i < m->count; i++) {
		int fd = -1;

		if (c->nr_fds) {
			fd = c->fds[i];
			c->fds[i] = -1;
		}
		set_fd(v, first_slot(m->index) + m->start + i, fd);
		if (m->index == VFIO_PCI_MSIX_IRQ_INDEX)
			send_pending(v, m->start + i);
	}
	return 0;
}

static void act(struct vfu *v, uint32_t index, unsigned int vector, uint32_t action)
{
	if (index == VFIO_PCI_ERR_IRQ_INDEX) {
		if (v->irq.fd[ERR_SLOT] >= 0)
			signal_slot(v, ERR_SLOT);
		return;
	}
	switch (action) {
	case VFIO_IRQ_SET_ACTION_MASK:
		v->irq.masked |= 1ull << vector;
		break;
	case VFIO_IRQ_SET_ACTION_UNMASK:
		v->irq.masked &= ~(1ull << vector);
		send_pending(v, vector);
		break;
	default:
		vfu_irq_raise(v, vector);
		break;
	}
}

static int check_set(const struct vfu *v, const struct vfu_msg_irq_set *m, size_t data_len)
{
	uint32_t action = m->flags & ACTIONS;
	uint32_t data = m->flags & DATA_TYPES;
	uint32_t nr = nr_vectors(v, m->index);

	if (m->argsz < sizeof(*m) || (m->flags & ~(ACTIONS | DATA_TYPES)) ||
	    __builtin_popcount(action) != 1 || __builtin_popcount(data) != 1)
		return -EINVAL;
	if (m->index >= VFIO_PCI_NUM_IRQS || m->start > nr || m->count > nr - m->start)
		return -EINVAL;
	if (data == VFIO_IRQ_SET_DATA_BOOL && data_len < m->count)
		return -EINVAL;
	if (m->index != VFIO_PCI_MSIX_IRQ_INDEX && action != VFIO_IRQ_SET_ACTION_TRIGGER)
		return -EINVAL;
	/* A signal back when the guest masks: nothing here masks by itself. */
	if (data == VFIO_IRQ_SET_DATA_EVENTFD && action != VFIO_IRQ_SET_ACTION_TRIGGER)
		return -EOPNOTSUPP;
	if (data != VFIO_IRQ_SET_DATA_EVENTFD && v->conn.nr_fds)
		return -EINVAL;
	return 0;
}

int vfu_irq_set(struct vfu *v, const void *payload, size_t len, int *reply_fd)
{
	struct vfu_msg_irq_set m;
	const uint8_t *bools;
	uint32_t i;
	int ret;

	(void)reply_fd;
	memcpy(&m, payload, sizeof(m));
	ret = check_set(v, &m, len - sizeof(m));
	if (ret)
		return ret;
	if (m.flags & VFIO_IRQ_SET_DATA_EVENTFD)
		return assign(v, &m);
	if (m.flags == (VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER) && !m.start &&
	    !m.count) {
		drop_index(v, m.index);
		return 0;
	}
	bools = (const uint8_t *)payload + sizeof(m);
	for (i = 0; i < m.count; i++) {
		if ((m.flags & VFIO_IRQ_SET_DATA_NONE) || bools[i])
			act(v, m.index, m.start + i, m.flags & ACTIONS);
	}
	return 0;
}
