// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel driver of the library's tests: objects and checks of the uAPI. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

#include "kmd.h"
#include "sim.h"
#include "tessera.h"

#define MAX_OBJECTS 1024
#define MAX_MAPPINGS 2048
#define PAGE 4096ull

struct bo {
	void *mem;
	uint64_t size;
	bool vram;
};

struct mapping {
	uint64_t va;
	uint64_t size;
	uint8_t *mem;
	uint32_t flags;
};

struct queue {
	bool used;
	unsigned int slice;
	uint32_t vm;
	struct drm_tessera_queue_state state;
};

struct job {
	uint32_t queue;
	struct drm_tessera_cmd cmd;
	struct drm_tessera_sync out;
};

struct tess_kmd {
	struct bo bos[MAX_OBJECTS];
	struct mapping maps[MAX_MAPPINGS];
	struct queue queues[MAX_OBJECTS];
	uint64_t points[MAX_OBJECTS];
	bool sync_used[MAX_OBJECTS];
	struct job jobs[MAX_OBJECTS];
	unsigned int job_count;
};

struct sim sim;

static struct tess_kmd *current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t unstuck = PTHREAD_COND_INITIALIZER;

void sim_reset(void)
{
	static const uint32_t cores[SIM_SLICES] = { 4, 4, 2, 2, 1, 1, 1, 1 };
	unsigned int i;

	memset(&sim, 0, sizeof(sim));
	sim.gpus = 1;
	sim.slice_mask = (1u << SIM_SLICES) - 1;
	sim.generation = 1;
	sim.caps = 1 | SIM_CAPS_UNITS;
	sim.vram_size = 64 << 20;
	sim.vram_free = sim.vram_size;
	sim.hang_after = 1000 * 1000 * 1000;
	for (i = 0; i < SIM_SLICES; i++) {
		sim.cores[i] = cores[i];
		sim.engines[i] = TESS_HAS_COMPUTE | TESS_HAS_COPY;
	}
}

void sim_compose(uint64_t slice_mask)
{
	sim.slice_mask = slice_mask;
	sim.generation++;
}

int tess_kmd_list(struct tess_node *list, unsigned int max)
{
	unsigned int i;

	for (i = 0; i < sim.gpus && i < max; i++) {
		snprintf(list[i].node, sizeof(list[i].node), "/dev/dri/renderD%u", 128 + i);
		snprintf(list[i].pci, sizeof(list[i].pci), "0000:00:%02x.0", 4 + i);
	}
	return (int)sim.gpus;
}

int tess_kmd_open(const char *node, struct tess_kmd **kmd)
{
	if (strncmp(node, "/dev/dri/renderD", 16))
		return -ENOENT;
	*kmd = calloc(1, sizeof(**kmd));
	current = *kmd;
	return *kmd ? 0 : -ENOMEM;
}

void tess_kmd_close(struct tess_kmd *kmd)
{
	unsigned int i;

	for (i = 0; i < MAX_OBJECTS; i++)
		sim.leaks += !!kmd->bos[i].mem + kmd->queues[i].used + kmd->sync_used[i];
	for (i = 0; i < MAX_MAPPINGS; i++)
		sim.leaks += !!kmd->maps[i].size;
	free(kmd);
}

static int query(struct drm_tessera_query *q)
{
	struct drm_tessera_query_gpu gpu = {
		.slice_mask = sim.slice_mask,
		.generation = sim.generation,
		.vram_size = sim.vram_size,
		.bank_size = 8 << 20,
		.va_end = 1ull << 38,
		.slice_count = SIM_SLICES,
		.clock_khz = 4000,
		.caps = sim.caps,
		.group_slots = DRM_TESSERA_GROUP_SLOTS,
		.max_group_items = DRM_TESSERA_MAX_GROUP_ITEMS,
		.max_local_bytes = DRM_TESSERA_MAX_LOCAL_BYTES,
		.max_submit_packets = DRM_TESSERA_MAX_INDIRECT,
	};
	struct drm_tessera_query_memory mem = {
		.vram_total = sim.vram_size,
		.vram_free = sim.vram_free,
		.vram_limit = sim.vram_size,
		.vram_used = sim.vram_size - sim.vram_free,
	};
	struct drm_tessera_query_slice slices[SIM_SLICES] = { 0 };
	struct drm_tessera_query_time time = {
		.gpu_cycles = sim_time(),
		.cpu_ns = sim_time() * 250,
		.span_ns = 10,
		.clock_khz = 4000,
	};
	const void *src[] = { &gpu, slices, &mem, NULL, &time };
	const uint32_t size[] = { sizeof(gpu), sizeof(slices), sizeof(mem), 0, sizeof(time) };
	unsigned int i;

	for (i = 0; i < SIM_SLICES; i++) {
		if (!(sim.slice_mask >> i & 1))
			continue;
		slices[i].kind = 1 + i % 3;
		slices[i].cores = sim.cores[i];
		slices[i].engines = sim.engines[i];
		slices[i].flags = DRM_TESSERA_SLICE_AVAILABLE;
	}
	if (q->type >= sizeof(src) / sizeof(src[0]) || !src[q->type])
		return -EINVAL;
	if (q->type == DRM_TESSERA_QUERY_TIME && q->arg != CLOCK_MONOTONIC)
		return -EINVAL;
	memcpy((void *)(uintptr_t)q->data, src[q->type],
	       q->size < size[q->type] ? q->size : size[q->type]);
	q->size = size[q->type];
	return 0;
}

/* A handle that is free, 0 if there is none */
static uint32_t free_handle(const struct tess_kmd *kmd)
{
	unsigned int i;

	for (i = 1; i < MAX_OBJECTS && kmd->bos[i].mem; i++)
		;
	return i < MAX_OBJECTS ? i : 0;
}

static int bo_create(struct tess_kmd *kmd, struct drm_tessera_bo_create *req)
{
	unsigned int i;

	if (++sim.bos == sim.deny_bo_at)
		return -ENOMEM;
	req->size = (req->size + PAGE - 1) & ~(PAGE - 1);
	if ((req->flags & DRM_TESSERA_BO_VRAM) && req->size > sim.vram_free)
		return -ENOSPC;
	i = free_handle(kmd);
	if (!i)
		return -ENOMEM;
	kmd->bos[i].mem =
		mmap(NULL, req->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (kmd->bos[i].mem == MAP_FAILED) {
		kmd->bos[i].mem = NULL;
		return -ENOMEM;
	}
	kmd->bos[i].size = req->size;
	kmd->bos[i].vram = req->flags & DRM_TESSERA_BO_VRAM;
	if (kmd->bos[i].vram)
		sim.vram_free -= req->size;
	req->handle = i;
	return 0;
}

/* The library binds what it allocated and unbinds buffers whole: no splitting here. */
static int bind(struct tess_kmd *kmd, const struct drm_tessera_vm_bind_op *op)
{
	struct bo *bo = &kmd->bos[op->handle % MAX_OBJECTS];
	unsigned int i;

	if (op->va % PAGE || op->size % PAGE || !op->size || op->va + op->size > 1ull << 38)
		return -EINVAL;
	if (op->op == DRM_TESSERA_BIND_UNMAP) {
		for (i = 0; i < MAX_MAPPINGS; i++) {
			if (kmd->maps[i].size && kmd->maps[i].va >= op->va &&
			    kmd->maps[i].va < op->va + op->size)
				kmd->maps[i].size = 0;
		}
		return 0;
	}
	if (sim.deny_bind)
		return sim.deny_bind;
	if (!bo->mem || op->offset + op->size > bo->size)
		return -EINVAL;
	for (i = 0; i < MAX_MAPPINGS && kmd->maps[i].size; i++)
		;
	if (i == MAX_MAPPINGS)
		return -ENOMEM;
	kmd->maps[i].va = op->va;
	kmd->maps[i].size = op->size;
	kmd->maps[i].mem = (uint8_t *)bo->mem + op->offset;
	kmd->maps[i].flags = op->flags;
	return 0;
}

void *sim_translate(struct tess_kmd *kmd, uint32_t vm, uint64_t va, uint32_t *flags)
{
	unsigned int i;

	(void)vm;
	*flags = 0;
	for (i = 0; i < MAX_MAPPINGS; i++) {
		if (va >= kmd->maps[i].va && va - kmd->maps[i].va < kmd->maps[i].size) {
			*flags = kmd->maps[i].flags;
			return kmd->maps[i].mem + (va - kmd->maps[i].va);
		}
	}
	return NULL;
}

static int queue_create(struct tess_kmd *kmd, struct drm_tessera_queue_create *req)
{
	unsigned int i;

	if (__builtin_popcountll(req->slices) != 1 || req->slices >> SIM_SLICES)
		return -EINVAL;
	if (!(sim.slice_mask & req->slices))
		return -ENXIO;
	for (i = 1; i < MAX_OBJECTS && kmd->queues[i].used; i++)
		;
	if (i == MAX_OBJECTS)
		return -EMFILE;
	memset(&kmd->queues[i], 0, sizeof(kmd->queues[i]));
	kmd->queues[i].used = true;
	kmd->queues[i].slice = (unsigned int)__builtin_ctzll(req->slices);
	kmd->queues[i].vm = req->vm;
	sim.queues++;
	sim.priority = req->priority;
	req->id = i;
	return 0;
}

static void run_job(struct tess_kmd *kmd, const struct job *job)
{
	struct queue *q = &kmd->queues[job->queue];

	if (!q->state.flags)
		q->state.flags =
			sim_run(kmd, q->vm, q->slice, job->cmd.va, job->cmd.count, &q->state);
	kmd->points[job->out.handle] = job->out.point;
}

void sim_unstick(void)
{
	unsigned int i;

	pthread_mutex_lock(&lock);
	sim.stuck = false;
	for (i = 0; i < current->job_count; i++)
		run_job(current, &current->jobs[i]);
	current->job_count = 0;
	pthread_cond_broadcast(&unstuck);
	pthread_mutex_unlock(&lock);
}

unsigned int sim_waiters(void)
{
	unsigned int n;

	pthread_mutex_lock(&lock);
	n = sim.waiters;
	pthread_mutex_unlock(&lock);
	return n;
}

static int submit(struct tess_kmd *kmd, const struct drm_tessera_submit *req)
{
	struct queue *q = &kmd->queues[req->queue % MAX_OBJECTS];
	struct job job = { .queue = req->queue };

	sim.submits++;
	if (sim.submits == sim.revoke_at)
		sim_compose(sim.slice_mask & ~sim.revoke);
	if (sim.submits == sim.regain_at)
		sim_compose(sim.slice_mask | sim.revoke);
	if (!q->used || req->out_syncs.count != 1 || req->cmds.count != 1)
		return -ENOENT;
	if (q->state.flags)
		return -EIO;
	if (!(sim.slice_mask >> q->slice & 1))
		return -ENXIO;
	if (sim.blind || sim.flicker) {
		sim.blind -= !!sim.blind;
		sim.generation += sim.flicker ? 2 : 0;
		sim.flicker -= !!sim.flicker;
		return -ENXIO;
	}
	sim.frames += req->frames;
	sim.operations += req->operations;
	sim.deps += req->in_syncs.count;
	memcpy(&job.cmd, (void *)(uintptr_t)req->cmds.array, sizeof(job.cmd));
	memcpy(&job.out, (void *)(uintptr_t)req->out_syncs.array, sizeof(job.out));
	if (sim.stuck)
		kmd->jobs[kmd->job_count++ % MAX_OBJECTS] = job;
	else
		run_job(kmd, &job);
	return 0;
}

static int handle_request(struct tess_kmd *kmd, unsigned long request, void *arg)
{
	switch (request) {
	case DRM_IOCTL_TESSERA_QUERY:
		return query(arg);
	case DRM_IOCTL_TESSERA_BO_CREATE:
		return bo_create(kmd, arg);
	case DRM_IOCTL_TESSERA_BO_MMAP_OFFSET: {
		struct drm_tessera_bo_mmap_offset *req = arg;

		req->offset = (uint64_t)req->handle * PAGE;
		return 0;
	}
	case DRM_IOCTL_TESSERA_VM_CREATE:
		((struct drm_tessera_vm_create *)arg)->id = 1;
		return 0;
	case DRM_IOCTL_TESSERA_VM_DESTROY:
		memset(kmd->maps, 0, sizeof(kmd->maps));
		return 0;
	case DRM_IOCTL_TESSERA_VM_BIND:
		return bind(kmd, (void *)(uintptr_t)((struct drm_tessera_vm_bind *)arg)->ops.array);
	case DRM_IOCTL_TESSERA_QUEUE_CREATE:
		return queue_create(kmd, arg);
	case DRM_IOCTL_TESSERA_QUEUE_DESTROY:
		kmd->queues[((struct drm_tessera_queue_destroy *)arg)->id].used = false;
		return 0;
	case DRM_IOCTL_TESSERA_QUEUE_STATE: {
		struct drm_tessera_queue_state *req = arg;
		uint32_t id = req->id;

		*req = kmd->queues[id].state;
		req->id = id;
		return 0;
	}
	case DRM_IOCTL_TESSERA_SUBMIT:
		return submit(kmd, arg);
	case DRM_IOCTL_TESSERA_BO_DAMAGE:
		sim.damage = *(struct drm_tessera_bo_damage *)arg;
		return sim.deny_damage;
	default:
		return -ENOTTY;
	}
}

int tess_kmd_ioctl(struct tess_kmd *kmd, unsigned long request, void *arg)
{
	int ret;

	pthread_mutex_lock(&lock);
	ret = handle_request(kmd, request, arg);
	pthread_mutex_unlock(&lock);
	return ret;
}

int tess_kmd_mmap(struct tess_kmd *kmd, uint64_t offset, size_t size, void *at, void **addr)
{
	struct bo *bo = &kmd->bos[offset / PAGE];

	if (at) {
		if (mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
			 0) == MAP_FAILED)
			return -errno;
		bo->mem = mremap(bo->mem, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at);
	}
	*addr = bo->mem;
	return 0;
}

void tess_kmd_munmap(void *addr, size_t size)
{
	(void)addr;
	(void)size;
}

/* Memory of any file that can be mapped */
int tess_kmd_import(struct tess_kmd *kmd, int fd, uint32_t *handle)
{
	off_t size = lseek(fd, 0, SEEK_END);
	int ret = 0;
	uint32_t i;
	void *mem;

	pthread_mutex_lock(&lock);
	i = free_handle(kmd);
	mem = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!i || mem == MAP_FAILED) {
		ret = i ? -EINVAL : -ENOMEM;
	} else {
		kmd->bos[i] = (struct bo){ .mem = mem, .size = (size_t)size };
		*handle = i;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

void tess_kmd_gem_close(struct tess_kmd *kmd, uint32_t handle)
{
	struct bo *bo = &kmd->bos[handle];

	munmap(bo->mem, bo->size);
	if (bo->vram)
		sim.vram_free += bo->size;
	bo->mem = NULL;
}

int tess_kmd_sync_create(struct tess_kmd *kmd, uint32_t *handle)
{
	unsigned int i;

	for (i = 1; i < MAX_OBJECTS && kmd->sync_used[i]; i++)
		;
	if (i == MAX_OBJECTS)
		return -ENOMEM;
	kmd->sync_used[i] = true;
	kmd->points[i] = 0;
	*handle = i;
	return 0;
}

void tess_kmd_sync_destroy(struct tess_kmd *kmd, uint32_t handle)
{
	kmd->sync_used[handle] = false;
}

static bool reached(const struct tess_kmd *kmd, const uint32_t *handles, const uint64_t *points,
		    unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (kmd->points[handles[i]] < points[i])
			return false;
	}
	return true;
}

/* A thread that would wait for ever is told so, unless the test wants it to wait. */
int tess_kmd_sync_wait(struct tess_kmd *kmd, uint32_t *handles, uint64_t *points,
		       unsigned int count, int64_t deadline_ns)
{
	bool forever = deadline_ns == INT64_MAX;
	int ret = 0;

	pthread_mutex_lock(&lock);
	sim.waiters++;
	while (forever && sim.patient && !reached(kmd, handles, points, count))
		pthread_cond_wait(&unstuck, &lock);
	sim.waiters--;
	if (!reached(kmd, handles, points, count))
		ret = forever ? -EDEADLK : -ETIME;
	pthread_mutex_unlock(&lock);
	return ret;
}
