/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_JOB_STATE_H_
#define _TESSERA_DRM_JOB_STATE_H_

#include <linux/types.h>
#include <linux/workqueue.h>
#include <tessera/gpu.h>

struct tess_queue;

/**
 * struct tess_coredump - the next dump of a device
 * @work: writes it; not pending: there is none
 * @queue: whose job failed, referenced
 * @submit_cmd: address of its command buffer
 * @count: packets in it
 * @cmd: index of it in its SUBMIT
 * @vslice: where it ran
 * @fault: why, if @faulted; else only its cause counts, 0: it has none
 * @faulted: it faulted; else it hung
 * @busy: bit 0: the members above are in use
 * @next: jiffies before which no other one is written
 */
struct tess_coredump {
	struct work_struct work;
	struct tess_queue *queue;
	u64 submit_cmd;
	u32 count;
	u32 cmd;
	unsigned int vslice;
	struct tess_fault fault;
	bool faulted;
	unsigned long busy;
	unsigned long next;
};

#endif
