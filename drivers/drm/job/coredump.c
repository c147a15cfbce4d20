// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: dumps
 *
 * A job that faults or hangs leaves a text in /sys/class/devcoredump: what failed, the packet at
 * which it did, and what its VM has mapped around. It is written by a work item after the job
 * was dropped, because the locks that protect mappings are outside of those of a recovery: mappings
 * are those of that moment, which the text says.
 *
 * The text has a limit. The framework keeps one dump for a device until it is read or five minutes
 * old; a device makes one a second at most, so that a program whose jobs fail all the time costs
 * no more than that.
 */
#include <linux/bitops.h>
#include <linux/devcoredump.h>
#include <linux/dma-resv.h>
#include <linux/highmem.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>
#include <drm/drm_drv.h>
#include <drm/drm_gpuvm.h>
#include <drm/drm_print.h>
#include <drm/tessera_drm.h>
#include <tessera/memory.h>
#include "base/device.h"
#include "coredump.h"
#include "jobs.h"
#include "lane.h"
#include "mem/gem.h"
#include "mem/vm.h"
#include "queue_state.h"

#define TESS_DUMP_BYTES		SZ_32K
#define TESS_DUMP_PERIOD	HZ
/* Mappings in the text: those before, at and behind an address */
#define TESS_DUMP_REACH		SZ_16M
#define TESS_DUMP_MAPPINGS	64

/* Memory of a BO as a job sees it, inside of a page */
static int tess_dump_read(struct tess_device *tdev, struct tess_bo *bo, u64 offset, void *buf,
			  size_t size)
{
	struct page **pages = bo->is_vram ? bo->pages : bo->shmem.pages;
	void *at;

	dma_resv_assert_held(bo->shmem.base.resv);
	if (bo->vram)
		return tess_vram_read(tdev->gpu, bo->vram, offset, buf, size);
	if (!pages)
		return -ENODATA;
	at = kmap_local_page(pages[offset >> PAGE_SHIFT]);
	memcpy(buf, at + offset_in_page(offset), size);
	kunmap_local(at);
	return 0;
}

/* The VM is locked: a packet does not go beyond a page */
static int tess_dump_fetch(struct tess_vm *vm, u64 va, __le64 *packet)
{
	struct drm_gpuva *node = drm_gpuva_find_first(&vm->base, va, DRM_TESSERA_PKT_SIZE);
	struct drm_gem_object *obj;
	int ret;

	if (!node || node->va.addr > va)
		return -ENODATA;
	obj = node->gem.obj;
	dma_resv_lock(obj->resv, NULL);
	ret = tess_dump_read(to_tess_device(vm->base.drm), to_tess_bo(obj),
			     node->gem.offset + (va - node->va.addr), packet,
			     DRM_TESSERA_PKT_SIZE);
	dma_resv_unlock(obj->resv);
	return ret;
}

static void tess_dump_packet(struct drm_printer *p, struct tess_vm *vm, u64 va)
{
	__le64 packet[DRM_TESSERA_PKT_SIZE / sizeof(__le64)];
	unsigned int i;

	drm_printf(p, "packet-address: %#llx\npacket:", va);
	if (tess_dump_fetch(vm, va, packet)) {
		drm_puts(p, " not readable\n");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(packet); i++)
		drm_printf(p, " %016llx", le64_to_cpu(packet[i]));
	drm_puts(p, "\n");
}

static const char *tess_dump_where(const struct drm_gpuva *va)
{
	const struct tess_bo *bo = to_tess_bo(va->gem.obj);

	if (va->gem.obj == to_tess_vm(va->vm)->scratch)
		return "null";
	return READ_ONCE(bo->vram) ? "vram" : bo->is_vram ? "evicted" : "system";
}

static void tess_dump_mappings(struct drm_printer *p, struct tess_vm *vm, u64 addr)
{
	u64 from = addr > TESS_DUMP_REACH ? addr - TESS_DUMP_REACH : 0;
	u64 to = min_t(u64, addr + TESS_DUMP_REACH, to_tess_device(vm->base.drm)->info.va_end);
	unsigned int count = 0;
	struct drm_gpuva *va;

	drm_printf(p, "mappings around %#llx:\n", addr);
	if (from >= to)
		return;
	drm_gpuvm_for_each_va_range(va, &vm->base, from, to) {
		u32 prot = to_tess_va(va)->prot;

		if (count++ == TESS_DUMP_MAPPINGS) {
			drm_puts(p, "  more\n");
			break;
		}
		drm_printf(p, "  %#llx-%#llx r%c%c offset %#llx %s\n", va->va.addr,
			   va->va.addr + va->va.range, prot & TESS_AS_WRITE ? 'w' : '-',
			   prot & TESS_AS_EXEC ? 'x' : '-', va->gem.offset, tess_dump_where(va));
	}
}

static void tess_dump_fault(struct drm_printer *p, const struct tess_fault *fault)
{
	drm_printf(p, "cause: %u\naddress: %#llx\npc: %#llx\ninfo: %#x\npacket-index: %u\n",
		   fault->cause, fault->addr, fault->pc, fault->info, fault->indirect);
}

static void tess_dump_print(struct drm_printer *p, struct tess_coredump *dump)
{
	struct tess_queue *queue = dump->queue;
	struct tess_vm *vm = queue->vm;
	u64 addr = dump->faulted ? dump->fault.addr : dump->submit_cmd;
	u64 index = dump->faulted ? dump->fault.indirect : 0;

	drm_printf(p, "**** Tessera device coredump ****\nversion: 1\nkernel: %s\n",
		   init_utsname()->release);
	drm_printf(p, "reason: %s\nprocess: %s\npid: %d\nslice: %u\n",
		   dump->faulted ? "fault" : "hang", queue->usage->comm, queue->usage->pid,
		   dump->vslice);
	drm_printf(p, "command-buffer: %#llx\npackets: %u\ncommand-buffer-index: %u\n",
		   dump->submit_cmd, dump->count, dump->cmd);
	if (dump->faulted)
		tess_dump_fault(p, &dump->fault);
	else if (dump->fault.cause)
		drm_printf(p, "cause: %u\n", dump->fault.cause);

	mutex_lock(&vm->lock);
	if (index < dump->count)
		tess_dump_packet(p, vm, dump->submit_cmd + index * DRM_TESSERA_PKT_SIZE);
	tess_dump_mappings(p, vm, addr);
	mutex_unlock(&vm->lock);
}

static void tess_dump_write(struct tess_device *tdev, struct tess_coredump *dump)
{
	struct drm_print_iterator it = { .remain = TESS_DUMP_BYTES };
	struct drm_printer p;
	void *data;

	data = vzalloc(TESS_DUMP_BYTES);
	if (!data)
		return;
	it.data = data;
	p = drm_coredump_printer(&it);
	tess_dump_print(&p, dump);
	dev_coredumpv(tdev->drm->dev, data, TESS_DUMP_BYTES - it.remain, GFP_KERNEL);
}

static void tess_coredump_work(struct work_struct *work)
{
	struct tess_coredump *dump = container_of(work, struct tess_coredump, work);
	struct tess_queue *queue = dump->queue;
	struct tess_device *tdev = queue->tdev;
	int idx;

	if (drm_dev_enter(tdev->drm, &idx)) {
		tess_dump_write(tdev, dump);
		drm_dev_exit(idx);
	}
	dump->next = jiffies + TESS_DUMP_PERIOD;
	clear_bit_unlock(0, &dump->busy);
	tess_queue_put(queue);
}

/**
 * tess_coredump_init() - prepare for dumps
 * @tdev: device
 */
void tess_coredump_init(struct tess_device *tdev)
{
	INIT_WORK(&tdev->dump.work, tess_coredump_work);
	tdev->dump.next = jiffies;
}

/**
 * tess_coredump_stop() - the last dump is written
 * @tdev: unplugged device whose jobs have ended
 */
void tess_coredump_stop(struct tess_device *tdev)
{
	flush_work(&tdev->dump.work);
}

/**
 * tess_coredump_take() - let a dump be written of a job that failed
 * @submit: job that is not freed yet
 * @fault: why; NULL: it hung. One that is NOT_PREEMPTED hung, too: where it stood is not known
 *
 * Atomic. Nothing happens if one is being written, or was in the last second.
 */
void tess_coredump_take(struct tess_submit *submit, const struct tess_fault *fault)
{
	struct tess_coredump *dump = &submit->queue->tdev->dump;

	if (test_and_set_bit_lock(0, &dump->busy))
		return;
	if (time_before(jiffies, dump->next)) {
		clear_bit_unlock(0, &dump->busy);
		return;
	}
	kref_get(&submit->queue->ref);
	dump->queue = submit->queue;
	dump->submit_cmd = submit->job.cmd;
	dump->count = submit->job.count;
	dump->cmd = submit->cmd;
	dump->vslice = submit->lane->lanes->vslice;
	dump->fault = fault ? *fault : (struct tess_fault){};
	dump->faulted = fault && fault->cause != DRM_TESSERA_CAUSE_NOT_PREEMPTED;
	schedule_work(&dump->work);
}
