// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "saved.h"

/* As much as QEMU reads at once */
#define PIECE (1 << 20)

void ends_begin(struct ends *e)
{
	mdev_remove_all();
	e->src.device = e->src.group = e->src.container = -1;
	e->dst.device = e->dst.group = e->dst.container = -1;
}

int ends_open(struct ends *e, const char *from, const char *to)
{
	int ret;

	ret = mdev_create("blank", e->uuid[0]) ?: mdev_create("blank", e->uuid[1]);
	if (!ret)
		ret = mdev_attr_write(e->uuid[0], "blueprint", from);
	if (!ret)
		ret = mdev_attr_write(e->uuid[1], "blueprint", to);
	if (!ret)
		ret = vgpu_open(&e->src, e->uuid[0]);
	return ret ?: vgpu_join(&e->dst, e->uuid[1], &e->src);
}

void ends_close(struct ends *e)
{
	/* It is the other one's */
	e->dst.ram = NULL;
	vgpu_close(&e->dst);
	vgpu_close(&e->src);
	mdev_remove_all();
}

/* A feature with its structure */
union feature {
	struct vfio_device_feature head;
	uint8_t space[sizeof(struct vfio_device_feature) + 64];
};

static int feature(struct vgpu *v, uint32_t flags, void *data, size_t size)
{
	union feature f = { .head = { .argsz = sizeof(f.head) + size, .flags = flags } };
	int ret;

	memcpy(f.head.data, data, size);
	ret = ioctl(v->device, VFIO_DEVICE_FEATURE, &f) < 0 ? -errno : 0;
	memcpy(data, f.head.data, size);
	return ret;
}

int mig_flags(struct vgpu *v)
{
	struct vfio_device_feature_migration mig = {};
	int ret;

	ret = feature(v, VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_MIGRATION, &mig,
		      sizeof(mig));
	return ret ?: (int)mig.flags;
}

int mig_state(struct vgpu *v)
{
	struct vfio_device_feature_mig_state state = {};
	int ret;

	ret = feature(v, VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_MIG_DEVICE_STATE, &state,
		      sizeof(state));
	return ret ?: (int)state.device_state;
}

int mig_set(struct vgpu *v, unsigned int to, int *file)
{
	struct vfio_device_feature_mig_state state = { .device_state = to, .data_fd = -1 };
	int ret;

	ret = feature(v, VFIO_DEVICE_FEATURE_SET | VFIO_DEVICE_FEATURE_MIG_DEVICE_STATE, &state,
		      sizeof(state));
	*file = ret ? -1 : state.data_fd;
	return ret;
}

int mig_go(struct vgpu *v, unsigned int state)
{
	int file, ret = mig_set(v, state, &file);

	if (file >= 0)
		close(file);
	return ret;
}

long long mig_size(struct vgpu *v)
{
	struct vfio_device_feature_mig_data_size size = {};
	int ret;

	ret = feature(v, VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_MIG_DATA_SIZE, &size,
		      sizeof(size));
	return ret ?: (long long)size.stop_copy_length;
}

static ssize_t read_piece(struct saved *s, int file)
{
	uint8_t *buf = realloc(s->buf, s->size + PIECE);
	ssize_t len;

	if (!buf)
		return -ENOMEM;
	s->buf = buf;
	len = read(file, buf + s->size, PIECE);
	if (len < 0)
		return -errno;
	s->size += len;
	return len;
}

int mig_read(int file, struct saved *s)
{
	ssize_t len;

	do {
		len = read_piece(s, file);
	} while (len > 0);
	return len;
}

int mig_save(struct vgpu *v, struct saved *s)
{
	int file, ret;

	*s = (struct saved){};
	ret = mig_set(v, VFIO_DEVICE_STATE_STOP_COPY, &file);
	if (ret)
		return ret;
	ret = mig_read(file, s);
	close(file);
	return ret;
}

int mig_precopy(struct vgpu *v, int *file)
{
	return mig_set(v, VFIO_DEVICE_STATE_PRE_COPY, file);
}

int mig_info(int file, struct vfio_precopy_info *info)
{
	*info = (struct vfio_precopy_info){ .argsz = sizeof(*info) };
	return ioctl(file, VFIO_MIG_GET_PRECOPY_INFO, info) ? -errno : 0;
}

int mig_finish(struct vgpu *v, int file, struct saved *s)
{
	int none, ret;

	ret = mig_set(v, VFIO_DEVICE_STATE_STOP_COPY, &none);
	if (!ret)
		ret = none < 0 ? mig_read(file, s) : -EBADF;
	close(file);
	return ret;
}

int mig_load(struct vgpu *v, const void *buf, size_t size, size_t piece, int *file)
{
	size_t done, len;
	int ret;

	ret = mig_set(v, VFIO_DEVICE_STATE_RESUMING, file);
	for (done = 0; !ret && done < size; done += len) {
		len = size - done < piece ? size - done : piece;
		if (write(*file, (const uint8_t *)buf + done, len) != (ssize_t)len)
			ret = -errno;
	}
	return ret;
}

int mig_reset(struct vgpu *v)
{
	return ioctl(v->device, VFIO_DEVICE_RESET) ? -errno : 0;
}

bool mig_logs(struct vgpu *v)
{
	return !feature(v,
			VFIO_DEVICE_FEATURE_PROBE | VFIO_DEVICE_FEATURE_SET |
				VFIO_DEVICE_FEATURE_DMA_LOGGING_START,
			NULL, 0);
}

int mig_log_start(struct vgpu *v)
{
	struct vfio_device_feature_dma_logging_range range = { RAM_GPA, RAM_SIZE };
	struct vfio_device_feature_dma_logging_control control = {
		.page_size = PAGE,
		.num_ranges = 1,
		.ranges = (uintptr_t)&range,
	};

	return feature(v, VFIO_DEVICE_FEATURE_SET | VFIO_DEVICE_FEATURE_DMA_LOGGING_START, &control,
		       sizeof(control));
}

int mig_log_stop(struct vgpu *v)
{
	return feature(v, VFIO_DEVICE_FEATURE_SET | VFIO_DEVICE_FEATURE_DMA_LOGGING_STOP, NULL, 0);
}

int mig_log_report(struct vgpu *v, uint64_t gpa, uint64_t size, uint64_t *bits)
{
	struct vfio_device_feature_dma_logging_report report = {
		.iova = gpa,
		.length = size,
		.page_size = PAGE,
		.bitmap = (uintptr_t)bits,
	};

	return feature(v, VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_DMA_LOGGING_REPORT, &report,
		       sizeof(report));
}
