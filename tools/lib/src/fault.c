// SPDX-License-Identifier: MIT
/* Faults of the GPU in words: what happened, at which data, in which line of work. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "buffer.h"
#include "device.h"
#include "fault.h"
#include "program.h"
#include "queue.h"

#define INFO_TYPE(info) ((info) & 0xff)
#define INFO_BY_WORK_ITEM (1u << 9)

/* An address this near to a buffer was probably meant to be in it. */
#define NEAR (64ull << 10)

#define LOCAL_BASE 0xffffffffffff0000ull

static const char *const causes[] = {
	[DRM_TESSERA_CAUSE_FETCH_MISALIGNED] = "jump to a misaligned address",
	[DRM_TESSERA_CAUSE_FETCH_ACCESS] = "jump to where there is no memory",
	[DRM_TESSERA_CAUSE_ILLEGAL_INSN] = "illegal instruction",
	[DRM_TESSERA_CAUSE_BREAKPOINT] = "breakpoint (ebreak)",
	[DRM_TESSERA_CAUSE_LOAD_MISALIGNED] = "misaligned atomic load, or descriptor of a unit",
	[DRM_TESSERA_CAUSE_LOAD_ACCESS] =
		"load from where there is no memory, or bad field of a descriptor",
	[DRM_TESSERA_CAUSE_STORE_MISALIGNED] = "misaligned atomic operation",
	[DRM_TESSERA_CAUSE_STORE_ACCESS] = "store to where there is no memory",
	[DRM_TESSERA_CAUSE_ECALL] = "system call (ecall)",
	[DRM_TESSERA_CAUSE_FETCH_PAGE] = "jump to an address that is not code",
	[DRM_TESSERA_CAUSE_LOAD_PAGE] = "load from an unmapped address",
	[DRM_TESSERA_CAUSE_STORE_PAGE] = "store to an unmapped or read-only address",
	[DRM_TESSERA_CAUSE_FETCH_GUEST_PAGE] = "instruction fetch that the host refused",
	[DRM_TESSERA_CAUSE_LOAD_GUEST_PAGE] = "load that the host refused",
	[DRM_TESSERA_CAUSE_STORE_GUEST_PAGE] = "store that the host refused",
	[DRM_TESSERA_CAUSE_ILLEGAL_PACKET] = "illegal packet",
	[DRM_TESSERA_CAUSE_PRIVILEGED_PACKET] = "privileged packet",
	[DRM_TESSERA_CAUSE_ENGINE_DISABLED] = "use of an engine that this GPU was not given",
	[DRM_TESSERA_CAUSE_LINK_DISABLED] = "access to the VRAM of a slice without a link to it",
	[DRM_TESSERA_CAUSE_DOORBELL] = "bad ring index",
	[DRM_TESSERA_CAUSE_NO_COMPLETION] = "fence without a completion record",
	[DRM_TESSERA_CAUSE_NOT_PREEMPTED] = "work dropped by the host: it did not stop in time",
	[DRM_TESSERA_CAUSE_CONTEXT_LOST] = "work dropped by the host: its state was lost",
};

static const char *cause_name(uint32_t cause)
{
	const char *name = NULL;

	if (cause < sizeof(causes) / sizeof(causes[0]))
		name = causes[cause];
	return name ? name : "unknown fault";
}

static const char *packet_name(uint32_t type)
{
	switch (type) {
	case DRM_TESSERA_PKT_DISPATCH:
	case DRM_TESSERA_PKT_DISPATCH_RANGE:
		return "dispatch";
	case DRM_TESSERA_PKT_COPY:
		return "copy";
	case DRM_TESSERA_PKT_FILL:
		return "fill";
	case DRM_TESSERA_PKT_TIMESTAMP:
		return "timestamp";
	default:
		return "packet";
	}
}

/* Distance of @addr from a buffer, 0 inside; after tells on which side */
static uint64_t distance(const struct tess_buffer *buf, uint64_t addr, int *after)
{
	*after = addr >= buf->va + buf->size;
	if (addr < buf->va)
		return buf->va - addr;
	return *after ? addr - (buf->va + buf->size) + 1 : 0;
}

static void describe_addr(struct tess_device *dev, uint64_t addr, char *text, size_t size)
{
	const struct tess_buffer *buf, *best = NULL;
	uint64_t d, best_d = NEAR;
	int after, best_after = 0;

	if (addr >= LOCAL_BASE) {
		snprintf(text, size, " (local memory + 0x%llx)",
			 (unsigned long long)(addr - LOCAL_BASE));
		return;
	}
	text[0] = '\0';
	LIST_FOREACH(buf, &dev->buffers, link) {
		d = distance(buf, addr, &after);
		if (d < best_d) {
			best = buf;
			best_d = d;
			best_after = after;
		}
	}
	if (!best)
		return;
	if (!best_d)
		snprintf(text, size, " (in the buffer at 0x%llx of %llu bytes)",
			 (unsigned long long)best->va, (unsigned long long)best->size);
	else
		snprintf(text, size, " (%llu bytes %s the buffer at 0x%llx of %llu bytes)",
			 (unsigned long long)(best_after ? best_d - 1 : best_d),
			 best_after ? "after the end of" : "before", (unsigned long long)best->va,
			 (unsigned long long)best->size);
}

static void describe_pc(struct tess_device *dev, uint64_t pc, char *text, size_t size)
{
	const struct tess_image_symbol *sym;
	struct tess_program *prog;

	text[0] = '\0';
	prog = tess_program_at_locked(dev, pc);
	if (!prog)
		return;
	sym = tess_image_lookup(&prog->image, pc - prog->code->va);
	if (sym)
		snprintf(text, size, " in %.64s+0x%llx (%.64s)", sym->name,
			 (unsigned long long)(pc - prog->code->va - sym->start), prog->name);
	else
		snprintf(text, size, " in %.64s+0x%llx", prog->name,
			 (unsigned long long)(pc - prog->code->va + prog->image.base));
}

static void describe_fault(struct tess_queue *q, const struct drm_tessera_queue_state *s,
			   char *text, size_t size)
{
	char where[200], place[200];

	describe_addr(q->dev, s->addr, where, sizeof(where));
	if (!(s->info & INFO_BY_WORK_ITEM)) {
		snprintf(text, size, "slice %u: %s at 0x%llx%s by the %s engine (packet %u)",
			 q->slice, cause_name(s->cause), (unsigned long long)s->addr, where,
			 packet_name(INFO_TYPE(s->info)), s->packet);
		return;
	}
	describe_pc(q->dev, s->pc, place, sizeof(place));
	if (s->cause == DRM_TESSERA_CAUSE_ILLEGAL_INSN ||
	    s->cause == DRM_TESSERA_CAUSE_BREAKPOINT || s->cause == DRM_TESSERA_CAUSE_ECALL)
		snprintf(text, size, "slice %u: %s, pc 0x%llx%s", q->slice, cause_name(s->cause),
			 (unsigned long long)s->pc, place);
	else
		snprintf(text, size, "slice %u: %s, VA 0x%llx%s, pc 0x%llx%s", q->slice,
			 cause_name(s->cause), (unsigned long long)s->addr, where,
			 (unsigned long long)s->pc, place);
}

int tess_fault_describe_locked(struct tess_queue *q, const struct drm_tessera_queue_state *state,
			       char *text, size_t size)
{
	if (state->flags & DRM_TESSERA_QUEUE_FAULTED) {
		describe_fault(q, state, text, size);
		return -EFAULT;
	}
	if (state->flags & DRM_TESSERA_QUEUE_HUNG) {
		snprintf(text, size, "slice %u: ran too long and was stopped", q->slice);
		return -ETIMEDOUT;
	}
	if (state->flags & DRM_TESSERA_QUEUE_LOST) {
		snprintf(text, size, "slice %u: was taken away while work ran on it", q->slice);
		return -ENXIO;
	}
	if (state->flags & DRM_TESSERA_QUEUE_BANNED) {
		snprintf(text, size, "slice %u: too many jobs of this program ran too long",
			 q->slice);
		return -EACCES;
	}
	snprintf(text, size, "slice %u: a job did not complete and the driver does not say why",
		 q->slice);
	return -EIO;
}
