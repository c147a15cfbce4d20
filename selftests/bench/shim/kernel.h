/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What drivers/core/slice/complete.c needs of the kernel and of its neighbours, so that the
 * router itself is what the explorer runs. Its reads of the record come from the
 * explorer, one by one.
 */
#ifndef TESS_SELFTESTS_SHIM_KERNEL_H
#define TESS_SELFTESTS_SHIM_KERNEL_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <linux/types.h>
#include <tessera/hw/tess_mem.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int spinlock_t;

struct kernel_param {
	int unused;
};

struct kernel_param_ops {
	int (*set)(const char *val, const struct kernel_param *kp);
	int (*get)(char *buf, const struct kernel_param *kp);
};

struct tess_backend;
struct tess_vgpu;

struct tess_hw_ring {
	u64 event;
};

struct tess_backend_ops {
	bool (*completion_take)(struct tess_backend *be, unsigned int slice);
	u64 (*ring_completed)(const struct tess_hw_ring *ring);
};

struct tess_client_ops {
	void (*complete)(struct tess_vgpu *vgpu, unsigned int vslice);
};

struct tess_gpu;

struct tess_vgpu {
	const struct tess_client_ops *ops;
	struct tess_gpu *gpu;
};
struct tess_slice;

struct tess_ring_ops {
	void (*complete)(void *priv);
};

/* The vslice of the explorer is not that of a ring */
struct tess_ring;

/* Where the router looks: its own header has the structure */
#include "../../../drivers/core/slice/complete.h"

struct tess_vslice {
	struct tess_vgpu *vgpu;
	unsigned int index;
	struct tess_slice *slice;
	struct tess_ring *ring;
	const struct tess_ring_ops *ring_ops;
	void *ring_priv;
	struct tess_route_source source;
	u64 seen;
};

struct tess_slice {
	struct tess_gpu *gpu;
	unsigned int index;
	int hw;
	spinlock_t route_lock;
	struct tess_route_source source;
	struct tess_vslice *route;
	u64 seen;
};

struct tess_gpu {
	struct {
		unsigned int slice_count;
	} info;
	struct tess_backend *be;
	spinlock_t lock;
	struct tess_slice *slices;
};

void tess_gpu_completion_irq(struct tess_gpu *gpu);

/* The explorer's side */
u64 explored_read(const volatile void *addr, u64 now);
void explored_barrier(void);

#define READ_ONCE(x) ((__typeof__(x))explored_read(&(x), (u64)(x)))
#define WRITE_ONCE(x, v) ((x) = (v))
#define virt_mb() explored_barrier()
#define le64_to_cpu(x) ((u64)(x))

#define spin_lock(lock) ((void)(lock))
#define spin_unlock(lock) ((void)(lock))
#define spin_lock_irqsave(lock, flags) ((void)(lock), (flags) = 0)
#define spin_unlock_irqrestore(lock, flags) ((void)(lock), (void)(flags))
#define lockdep_assert_held(lock) ((void)(lock))
#define tess_gpu_enter(gpu, idx) ((void)(gpu), *(idx) = 0, true)
#define tess_gpu_exit(gpu, idx) ((void)(gpu), (void)(idx))
#define tess_vslice_is_resident(vs) ((vs)->slice->source.rec == (vs)->source.rec)
#define trace_tess_complete(slice, vgpu, vslice, seq) ((void)(slice), (void)(seq))
#define sysfs_streq(a, b) (!strcmp(a, b))
#define sysfs_emit sprintf
#define module_param_cb(name, ops, arg, mode) \
	static const struct kernel_param_ops *const param_##name __attribute__((unused)) = (ops)
#define MODULE_PARM_DESC(name, text) struct param_desc_##name
#define EXPORT_SYMBOL_NS_GPL(name, ns) struct exported_##name

static inline const struct tess_backend_ops *tess_gpu_ops(struct tess_gpu *gpu)
{
	(void)gpu;
	return NULL;
}

#endif
