// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process at the DRM node: requests whose fields are right one by one, or near, or
 * nonsense, from two threads of one file. Another file computes in the end as if nothing
 * had been.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel_fuzz.h"
#include "tess_ctx.h"

#define OPS 400
#define KEPT 16
#define PACKETS 8u
#define BUFFERS 4u

static const uint64_t near[] = {
	0,	     TESS_PAGE,	   TESS_2M,	 8 * TESS_PAGE,
	TESS_CMD_VA, TESS_CODE_VA, TESS_DATA_VA, TESS_FREE_VA,
	1ull << 30,  1ull << 32,   1ull << 38,	 1ull << 47,
};

enum kind { BO, VM, QUEUE, SYNC, KINDS };

/**
 * struct process - a thread of it
 * @e: episode, with random numbers of its own
 * @fd: of all threads
 * @kept: handles that were given, and some that were not
 * @cmds_bo: what new VMs have mapped at TESS_CMD_VA
 * @cmds: where it writes command buffers in that
 * @cmds_va: the same for the GPU
 */
struct process {
	struct episode e;
	int fd;
	uint32_t kept[KINDS][KEPT];
	uint32_t cmds_bo;
	uint64_t (*cmds)[DRM_TESSERA_PKT_SIZE / 8];
	uint64_t cmds_va;
};

static uint64_t value(struct process *p)
{
	return fuzz_value(&p->e.state, near, sizeof(near) / sizeof(*near));
}

static uint32_t handle(struct process *p, enum kind kind)
{
	return below(&p->e, 8) ? p->kept[kind][below(&p->e, KEPT)] : (uint32_t)value(p);
}

static void keep(struct process *p, enum kind kind, uint32_t handle)
{
	p->kept[kind][below(&p->e, KEPT)] = handle;
}

/* Flags are mostly none */
static uint32_t flags(struct process *p, uint32_t known)
{
	return below(&p->e, 8) ? below(&p->e, 2) * known : (uint32_t)value(p);
}

static uint64_t pointer(struct process *p, const void *good)
{
	return below(&p->e, 16) ? (uintptr_t)good : value(p);
}

static uint32_t stride(struct process *p, uint32_t good)
{
	return below(&p->e, 16) ? good :
	       below(&p->e, 2)	? good + below(&p->e, 64) :
				  (uint32_t)value(p);
}

static struct drm_tessera_array array(struct process *p, const void *good, uint32_t size,
				      uint32_t max)
{
	return (struct drm_tessera_array){
		.stride = stride(p, size),
		.count = below(&p->e, 16) ? below(&p->e, max + 1) : (uint32_t)value(p),
		.array = pointer(p, good),
	};
}

/* One slice that there may be, some, or nonsense */
static uint64_t slices(struct process *p)
{
	return below(&p->e, 2) ? 1ull << below(&p->e, 16) :
	       below(&p->e, 4) ? 1 + below(&p->e, 255) :
				 value(p);
}

static int request(struct process *p, unsigned long nr, void *arg)
{
	int ret = tess_ioctl(p->fd, nr, arg);

	HOLDS(ret <= 0);
	return ret;
}

static void op_query(struct process *p)
{
	char data[4096];
	struct drm_tessera_query q = {
		.type = below(&p->e, 5),
		.size = below(&p->e, 4) ? below(&p->e, sizeof(data)) : sizeof(data),
		.data = pointer(p, data),
	};

	if (q.type == DRM_TESSERA_QUERY_SLICES || !below(&p->e, 16))
		q.stride = stride(p, sizeof(struct drm_tessera_query_slice));

	request(p, DRM_IOCTL_TESSERA_QUERY, &q);
}

static void op_bo(struct process *p)
{
	struct drm_tessera_bo_create bo = {
		.size = below(&p->e, 4) ? (1 + below(&p->e, 32)) * TESS_PAGE : value(p),
		.flags = flags(p, DRM_TESSERA_BO_VRAM),
		.near_slice = below(&p->e, 2) ? ~0u : below(&p->e, 70),
		.vm = !below(&p->e, 16),
	};

	if (!request(p, DRM_IOCTL_TESSERA_BO_CREATE, &bo))
		keep(p, BO, bo.handle);
}

static void op_map(struct process *p)
{
	struct drm_tessera_bo_mmap_offset m = { .handle = handle(p, BO) };
	uint32_t *map;

	if (request(p, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &m))
		return;
	map = mmap(NULL, TESS_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, (off_t)m.offset);
	if (map == MAP_FAILED)
		return;
	*map = (uint32_t)value(p);
	munmap(map, TESS_PAGE);
}

static void op_damage(struct process *p)
{
	struct drm_tessera_bo_damage d = {
		.handle = handle(p, BO),
		.previous = below(&p->e, 4) ? handle(p, BO) : 0,
		.x2 = (uint32_t)value(p),
		.y1 = below(&p->e, 4) ? 0 : (uint32_t)value(p),
		.y2 = (uint32_t)value(p),
		.flags = flags(p, 0),
	};

	request(p, DRM_IOCTL_TESSERA_BO_DAMAGE, &d);
}

static void op_close(struct process *p)
{
	__tess_bo_close(p->fd, handle(p, BO));
}

static void op_vm(struct process *p)
{
	struct drm_tessera_vm_create create = { .flags = flags(p, 0) };
	struct drm_tessera_vm_destroy destroy = { .id = handle(p, VM) };

	if (!below(&p->e, 4))
		request(p, DRM_IOCTL_TESSERA_VM_DESTROY, &destroy);
	else if (!request(p, DRM_IOCTL_TESSERA_VM_CREATE, &create)) {
		/* The other thread may have unmapped or destroyed what this one has made */
		__tess_vm_map(p->fd, create.id, p->cmds_bo, 0, TESS_CMD_VA, TESS_PAGE, 0);
		keep(p, VM, create.id);
	}
}

static void op_bind(struct process *p)
{
	struct drm_tessera_vm_bind_op ops[4];
	struct drm_tessera_vm_bind bind = {
		.vm = handle(p, VM),
		.flags = flags(p, 0),
		.ops = array(p, ops, sizeof(ops[0]), 4),
		.done = !below(&p->e, 16),
	};
	unsigned int i;

	for (i = 0; i < 4; i++)
		ops[i] = (struct drm_tessera_vm_bind_op){
			.op = below(&p->e, 3) ? DRM_TESSERA_BIND_MAP : below(&p->e, 3),
			.flags = flags(p, DRM_TESSERA_BIND_READONLY),
			.handle = handle(p, BO),
			.offset = below(&p->e, 2) ? 0 : value(p),
			.va = value(p) & (below(&p->e, 8) ? ~(TESS_PAGE - 1) : ~0ull),
			.size = below(&p->e, 2) ? TESS_PAGE << below(&p->e, 6) : value(p),
		};
	request(p, DRM_IOCTL_TESSERA_VM_BIND, &bind);
}

static void op_queue(struct process *p)
{
	struct drm_tessera_queue_create create = {
		.vm = handle(p, VM),
		.slices = slices(p),
		.priority = below(&p->e, 8) ? below(&p->e, 3) : (uint32_t)value(p),
	};
	struct drm_tessera_queue_destroy destroy = { .id = handle(p, QUEUE) };
	struct drm_tessera_queue_state state = { .id = handle(p, QUEUE) };

	switch (below(&p->e, 4)) {
	case 0:
		request(p, DRM_IOCTL_TESSERA_QUEUE_DESTROY, &destroy);
		break;
	case 1:
		request(p, DRM_IOCTL_TESSERA_QUEUE_STATE, &state);
		break;
	default:
		if (!request(p, DRM_IOCTL_TESSERA_QUEUE_CREATE, &create))
			keep(p, QUEUE, create.id);
	}
}

static void op_sync(struct process *p)
{
	struct drm_syncobj_create create = { 0 };
	struct drm_syncobj_destroy destroy = { .handle = handle(p, SYNC) };

	if (!below(&p->e, 4))
		tess_ioctl(p->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy);
	else if (!tess_ioctl(p->fd, DRM_IOCTL_SYNCOBJ_CREATE, &create))
		keep(p, SYNC, create.handle);
}

static void op_submit(struct process *p)
{
	static const uint8_t types[] = {
		DRM_TESSERA_PKT_DISPATCH,	DRM_TESSERA_PKT_NOP,	DRM_TESSERA_PKT_COPY,
		DRM_TESSERA_PKT_FILL,		DRM_TESSERA_PKT_SIGNAL, DRM_TESSERA_PKT_TIMESTAMP,
		DRM_TESSERA_PKT_DISPATCH_RANGE, DRM_TESSERA_PKT_DRAW,	DRM_TESSERA_PKT_SET_VM,
	};
	uint64_t(*pkts)[DRM_TESSERA_PKT_SIZE / 8] = p->cmds;
	struct drm_tessera_cmd cmds[BUFFERS];
	struct drm_tessera_sync syncs[4];
	struct drm_tessera_submit s = {
		.queue = handle(p, QUEUE),
		.flags = flags(p, DRM_TESSERA_SUBMIT_PARALLEL),
		.slices = below(&p->e, 4) ? 0 : slices(p),
		.cmds = array(p, cmds, sizeof(cmds[0]), BUFFERS),
		.in_syncs = array(p, syncs, sizeof(syncs[0]), 2),
		.out_syncs = array(p, syncs + 2, sizeof(syncs[0]), 2),
	};
	unsigned int i, k;

	for (i = 0; i < BUFFERS; i++)
		cmds[i] = (struct drm_tessera_cmd){
			.va = below(&p->e, 16) ? p->cmds_va : value(p),
			.count = below(&p->e, 16) ? 1 + below(&p->e, PACKETS) : (uint32_t)value(p),
			.slices = below(&p->e, 8) ? 0 : slices(p),
		};
	for (i = 0; i < PACKETS; i++) {
		for (k = 0; k < DRM_TESSERA_PKT_SIZE / 8; k++)
			pkts[i][k] = value(p);
		if (below(&p->e, 16))
			pkts[i][0] = (pkts[i][0] & ~0xffffull) | types[below(&p->e, sizeof(types))];
	}
	for (i = 0; i < 4; i++)
		syncs[i] = (struct drm_tessera_sync){
			.handle = handle(p, SYNC),
			.point = below(&p->e, 2) ? 0 : value(p),
		};
	request(p, DRM_IOCTL_TESSERA_SUBMIT, &s);
}

/* Numbers that the driver does not have, sizes that it does not know */
static void op_unknown(struct process *p)
{
	uint64_t arg[512];
	unsigned int i;

	for (i = 0; i < 16; i++)
		arg[i] = value(p);
	ioctl(p->fd,
	      _IOC(below(&p->e, 4), 'd', DRM_COMMAND_BASE + below(&p->e, 16), below(&p->e, 129)),
	      arg);
}

static void (*const process_ops[])(struct process *p) = {
	op_query, op_bo,     op_bo,	op_map,	   op_close,  op_damage,
	op_vm,	  op_bind,   op_bind,	op_bind,   op_queue,  op_queue,
	op_sync,  op_submit, op_submit, op_submit, op_submit, op_unknown,
};

static void *live(void *arg)
{
	struct process *p = arg;
	unsigned int i;

	for (i = 0; i < OPS; i++) {
		process_ops[below(&p->e, sizeof(process_ops) / sizeof(*process_ops))](p);
		__atomic_fetch_add(p->e.ops, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void computes(void)
{
	const uint32_t *data;
	struct tess_ctx ctx;

	tess_ctx_open(&ctx);
	data = (const uint32_t *)ctx.data;
	tess_begin(&ctx);
	tess_fill(&ctx, TESS_DATA_VA, TESS_PAGE, 0x600dda7a);
	HOLDS(!tess_ctx_run(&ctx));
	HOLDS(data[0] == 0x600dda7a && data[1023] == 0x600dda7a);
	tess_ctx_close(&ctx);
}

void fuzz_ioctl(struct episode *e)
{
	static struct process p[2];
	pthread_t thread;

	p[0] = (struct process){ .e = *e, .fd = tess_open() };
	p[0].cmds_bo = tess_bo_create(p[0].fd, TESS_PAGE, 0);
	p[0].cmds = tess_bo_mmap(p[0].fd, p[0].cmds_bo, TESS_PAGE);
	p[0].cmds_va = TESS_CMD_VA;
	p[1] = p[0];
	p[1].e.state ^= 0x5bd1e995;
	p[1].cmds += PACKETS;
	p[1].cmds_va += PACKETS * DRM_TESSERA_PKT_SIZE;
	HOLDS(!pthread_create(&thread, NULL, live, &p[1]));
	live(&p[0]);
	pthread_join(thread, NULL);
	munmap(p[0].cmds, TESS_PAGE);
	if (below(e, 2))
		close(p[0].fd);
	computes();
}
