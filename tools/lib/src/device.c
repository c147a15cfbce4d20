// SPDX-License-Identifier: MIT
/**
 * DOC: devices
 *
 * A handle is one open file of the kernel driver with one address space. One mutex
 * serializes the library's own state; no call waits for the GPU with it held. Another one
 * keeps operations in order while one of them waits for room in a queue.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "buffer.h"
#include "device.h"
#include "fence.h"
#include "kmd.h"
#include "program.h"
#include "queue.h"

/* Addresses below are never given out, so that a null pointer plus an offset faults. */
#define VA_START (1ull << 20)

static const char *const kind_names[] = { "none", "compute", "render", "mixed" };

const char *tess_kind_name(unsigned int kind)
{
	return kind < sizeof(kind_names) / sizeof(kind_names[0]) ? kind_names[kind] : "unknown";
}

int64_t tess_deadline(int64_t timeout_ns)
{
	struct timespec now;
	int64_t ns;

	if (timeout_ns < 0)
		return INT64_MAX;
	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	return timeout_ns > INT64_MAX - ns ? INT64_MAX : ns + timeout_ns;
}

int tess_device_fail(struct tess_device *dev, int err, const char *what)
{
	if (err == -ENODEV)
		return tess_fail(dev, err, "cannot %s: the GPU is gone", what);
	return tess_fail(dev, err, "cannot %s: %m", what);
}

int tess_list_devices(struct tess_node *list, unsigned int max)
{
	int ret = tess_kmd_list(list, max);

	return ret < 0 ? tess_fail(NULL, ret, "cannot list the GPUs: %m") : ret;
}

static int query(struct tess_device *dev, uint32_t type, uint32_t stride, void *data, size_t size)
{
	struct drm_tessera_query q = {
		.type = type,
		.size = (uint32_t)size,
		.data = (uintptr_t)data,
		.stride = stride,
	};

	memset(data, 0, size);
	return tess_kmd_ioctl(dev->kmd, DRM_IOCTL_TESSERA_QUERY, &q);
}

int tess_device_refresh_locked(struct tess_device *dev)
{
	int ret;

	ret = query(dev, DRM_TESSERA_QUERY_GPU, 0, &dev->gpu, sizeof(dev->gpu));
	if (!ret)
		ret = query(dev, DRM_TESSERA_QUERY_SLICES, sizeof(dev->slices[0]), dev->slices,
			    sizeof(dev->slices));
	return ret ? tess_device_fail(dev, ret, "ask for the state of the GPU") : 0;
}

/* Is @which the PCI address of @node, with or without its domain? */
static int same_pci(const struct tess_node *node, const char *which)
{
	return !strcmp(node->pci, which) ||
	       (!strncmp(node->pci, "0000:", 5) && !strcmp(node->pci + 5, which));
}

static int pick(const struct tess_node *list, int n, const char *which, struct tess_node *node)
{
	char *end;
	long index = strtol(which, &end, 10);
	int i;

	if (!*end && end != which) {
		if (index >= 0 && index < n) {
			*node = list[index];
			return 0;
		}
		return tess_fail(NULL, -ENODEV, "no GPU %s: this machine has %d", which, n);
	}
	for (i = 0; i < n; i++) {
		if (same_pci(&list[i], which) || !strcmp(list[i].node, which)) {
			*node = list[i];
			return 0;
		}
	}
	return tess_fail(NULL, -ENODEV,
			 "no Tessera GPU is called \"%s\"; give a render node, a PCI "
			 "address or an index",
			 which);
}

static int find(const char *which, struct tess_node *node)
{
	struct tess_node *list;
	int n, ret;

	n = tess_list_devices(NULL, 0);
	if (n < 0)
		return n;
	list = calloc((size_t)n + 1, sizeof(*list));
	if (!list)
		return tess_fail(NULL, -ENOMEM, "out of memory");
	ret = tess_list_devices(list, (unsigned int)n);
	if (ret >= 0 && ret < n)
		n = ret;
	if (ret >= 0)
		ret = n ? pick(list, n, which, node) :
			  tess_fail(NULL, -ENODEV,
				    "no Tessera GPU in this machine (is the module "
				    "tessera_drm loaded, is /dev/dri accessible?)");
	free(list);
	return ret;
}

static int choose(const char *which, struct tess_node *node)
{
	if (!which || !*which)
		which = getenv("TESSERA_DEVICE");
	if (!which || !*which)
		which = "0";
	if (which[0] != '/')
		return find(which, node);
	/* A path needs no look at the other devices; its PCI address is not needed to use it. */
	if (find(which, node)) {
		memset(node, 0, sizeof(*node));
		snprintf(node->node, sizeof(node->node), "%s", which);
	}
	return 0;
}

static int create_vm(struct tess_device *dev)
{
	struct drm_tessera_vm_create vm = { 0 };
	int ret = tess_kmd_ioctl(dev->kmd, DRM_IOCTL_TESSERA_VM_CREATE, &vm);

	dev->vm = vm.id;
	return ret;
}

int tess_open(const char *which, struct tess_device **out)
{
	struct tess_device *dev;
	struct tess_node node;
	int ret;

	ret = choose(which, &node);
	if (ret)
		return ret;
	dev = calloc(1, sizeof(*dev));
	if (!dev)
		return tess_fail(NULL, -ENOMEM, "out of memory");
	tess_error_init(&dev->error);
	pthread_mutex_init(&dev->order, NULL);
	pthread_mutex_init(&dev->lock, NULL);
	dev->id = node;
	ret = tess_kmd_open(node.node, &dev->kmd);
	if (ret) {
		tess_fail(NULL, ret,
			  ret == -ENOTTY ? "%s is not a Tessera GPU" : "cannot open %s: %m",
			  node.node);
		goto err_free;
	}
	ret = tess_device_refresh_locked(dev);
	if (!ret)
		ret = create_vm(dev);
	if (ret) {
		tess_fail(NULL, ret, "cannot use %s: %m", node.node);
		goto err_close;
	}
	dev->limits = dev->gpu;
	tess_fence_spin_init(dev);
	tess_va_init(&dev->va, VA_START, dev->limits.va_end);
	*out = dev;
	return 0;

err_close:
	tess_kmd_close(dev->kmd);
err_free:
	pthread_mutex_destroy(&dev->lock);
	pthread_mutex_destroy(&dev->order);
	free(dev);
	return ret;
}

/* All mappings at once: faster than to unbind each buffer. No queue is left. */
static void destroy_vm(struct tess_device *dev)
{
	struct drm_tessera_vm_destroy req = { .id = dev->vm };

	tess_kmd_ioctl(dev->kmd, DRM_IOCTL_TESSERA_VM_DESTROY, &req);
	dev->vm = 0;
}

void tess_close(struct tess_device *dev)
{
	unsigned int i;

	if (!dev)
		return;
	tess_finish(dev, -1);
	pthread_mutex_lock(&dev->lock);
	while (!LIST_EMPTY(&dev->fences))
		tess_fence_free_locked(LIST_FIRST(&dev->fences));
	for (i = 0; i < TESS_MAX_SLICES; i++)
		tess_queue_stop_locked(dev->queues[i]);
	destroy_vm(dev);
	for (i = 0; i < TESS_MAX_SLICES; i++)
		tess_queue_free_locked(dev->queues[i]);
	while (!LIST_EMPTY(&dev->programs))
		tess_program_free_locked(LIST_FIRST(&dev->programs));
	while (!LIST_EMPTY(&dev->buffers))
		tess_buffer_destroy_locked(LIST_FIRST(&dev->buffers));
	pthread_mutex_unlock(&dev->lock);
	tess_va_fini(&dev->va);
	tess_kmd_close(dev->kmd);
	pthread_mutex_destroy(&dev->lock);
	pthread_mutex_destroy(&dev->order);
	pthread_mutex_destroy(&dev->error.lock);
	free(dev);
}

/* Another thread of the parent may have held the locks: they are not for this process */
void tess_abandon(struct tess_device *dev)
{
	struct tess_buffer *buf;

	if (!dev)
		return;
	LIST_FOREACH(buf, &dev->buffers, link)
		if (buf->map)
			tess_kmd_munmap(buf->map, buf->size);
	tess_kmd_close(dev->kmd);
}

/* Slices have all that the GPU knows of with their raster engines. */
static uint32_t units_locked(const struct tess_device *dev)
{
	unsigned int i;

	for (i = 0; i < TESS_MAX_SLICES; i++)
		if (dev->gpu.slice_mask >> i & 1 && dev->slices[i].engines & TESS_HAS_RASTER)
			return tess_known_units(dev);
	return 0;
}

int tess_get_info(struct tess_device *dev, struct tess_info *info)
{
	struct drm_tessera_query_memory mem;
	int ret;

	memset(info, 0, sizeof(*info));
	pthread_mutex_lock(&dev->lock);
	ret = tess_device_refresh_locked(dev);
	if (!ret) {
		ret = query(dev, DRM_TESSERA_QUERY_MEMORY, 0, &mem, sizeof(mem));
		if (ret)
			tess_device_fail(dev, ret, "ask for the state of VRAM");
	}
	if (!ret) {
		memcpy(info->node, dev->id.node, sizeof(info->node));
		memcpy(info->pci, dev->id.pci, sizeof(info->pci));
		info->slice_mask = dev->gpu.slice_mask;
		info->generation = dev->gpu.generation;
		/* Of a node with a quota, that */
		info->vram_size = mem.vram_total;
		info->vram_free = mem.vram_free;
		info->bank_size = dev->gpu.bank_size;
		info->slice_count = dev->gpu.slice_count;
		info->clock_khz = dev->gpu.clock_khz;
		info->is_vgpu = dev->gpu.caps & 1;
		info->max_group_items = dev->gpu.max_group_items;
		info->max_local_bytes = dev->gpu.max_local_bytes;
		info->units = units_locked(dev);
	}
	pthread_mutex_unlock(&dev->lock);
	return ret;
}

int tess_changed(struct tess_device *dev, uint64_t *generation)
{
	uint64_t seen = *generation;
	int ret;

	pthread_mutex_lock(&dev->lock);
	ret = tess_device_refresh_locked(dev);
	if (!ret)
		*generation = dev->gpu.generation;
	pthread_mutex_unlock(&dev->lock);
	return ret ? ret : *generation != seen;
}

void tess_hint(struct tess_device *dev, unsigned int frames, uint64_t operations)
{
	pthread_mutex_lock(&dev->lock);
	dev->hint_frames += frames;
	dev->hint_operations += operations;
	pthread_mutex_unlock(&dev->lock);
}

_Static_assert(TESS_PRIORITY_NORMAL == DRM_TESSERA_PRIORITY_NORMAL, "the kernel's numbers");
_Static_assert(TESS_PRIORITY_LOW == DRM_TESSERA_PRIORITY_LOW, "the same");
_Static_assert(TESS_PRIORITY_HIGH == DRM_TESSERA_PRIORITY_HIGH, "the same");

int tess_set_priority(struct tess_device *dev, unsigned int priority)
{
	unsigned int i;
	int ret = 0;

	if (priority > TESS_PRIORITY_HIGH)
		return tess_fail(dev, -EINVAL, "no priority %u", priority);
	pthread_mutex_lock(&dev->lock);
	for (i = 0; !ret && i < TESS_MAX_SLICES; i++)
		if (dev->queues[i])
			ret = tess_fail(dev, -EBUSY, "work of another priority was started");
	if (!ret)
		dev->priority = priority;
	pthread_mutex_unlock(&dev->lock);
	return ret;
}

int tess_get_time(struct tess_device *dev, struct tess_time *time)
{
	struct drm_tessera_query_time t = { 0 };
	struct drm_tessera_query q = {
		.type = DRM_TESSERA_QUERY_TIME,
		.size = sizeof(t),
		.data = (uintptr_t)&t,
		.arg = CLOCK_MONOTONIC,
	};
	int ret;

	ret = tess_kmd_ioctl(dev->kmd, DRM_IOCTL_TESSERA_QUERY, &q);
	if (ret)
		return tess_device_fail(dev, ret, "read the GPU's clock");
	time->gpu_cycles = t.gpu_cycles;
	time->cpu_ns = t.cpu_ns;
	time->span_ns = t.span_ns;
	return 0;
}

int tess_get_slice(struct tess_device *dev, unsigned int slice, struct tess_slice_info *info)
{
	int ret;

	pthread_mutex_lock(&dev->lock);
	ret = tess_device_refresh_locked(dev);
	if (!ret && (slice >= dev->gpu.slice_count || slice >= TESS_MAX_SLICES)) {
		ret = tess_fail(dev, -EINVAL, "no slice %u: the GPU has %u", slice,
				dev->gpu.slice_count);
	} else if (!ret) {
		info->kind = dev->slices[slice].kind;
		info->cores = dev->slices[slice].cores;
		info->engines = dev->slices[slice].engines;
		info->available = dev->gpu.slice_mask >> slice & 1;
	}
	pthread_mutex_unlock(&dev->lock);
	return ret;
}
