// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a vGPU has to be like to go on with what another one was: its guest knows all of this, and
 * learns of no change.
 */
#include <linux/kernel.h>
#include <tessera/gpu.h>
#include <tessera/memory.h>
#include "base/mdev.h"
#include "stream.h"

void tess_mdev_header_fill(const struct tess_mdev *tm, struct tess_mig_header *h)
{
	const struct tess_mdev_ident *ident = &tm->ident;

	*h = (struct tess_mig_header){
		.magic = cpu_to_le32(TESS_MIG_MAGIC),
		.version = cpu_to_le32(TESS_MIG_VERSION),
		.caps = cpu_to_le32(ident->caps),
		.clock_khz = cpu_to_le32(ident->clock_khz),
		.limits = cpu_to_le32(ident->limits),
		.vslices = cpu_to_le32(tm->vslices),
		.heads = cpu_to_le32(tm->display.present ? TESS_HEADS_MAX : 0),
		.vram = cpu_to_le64(tm->vram ? tm->vram->size : 0),
		.bank = cpu_to_le64(ident->bank_size),
		.bar = cpu_to_le64(ident->bar_size),
	};
}

static int header_differs(struct tess_reason *reason, const char *what, u64 there, u64 here)
{
	if (there == here)
		return 0;
	scnprintf(reason->text, sizeof(reason->text), "%s: %llu there, %llu here", what, there,
		  here);
	return -EINVAL;
}

static int header_differs32(struct tess_reason *reason, const char *what, __le32 there, __le32 here)
{
	return header_differs(reason, what, le32_to_cpu(there), le32_to_cpu(here));
}

static int header_differs64(struct tess_reason *reason, const char *what, __le64 there, __le64 here)
{
	return header_differs(reason, what, le64_to_cpu(there), le64_to_cpu(here));
}

int tess_mdev_header_check(const struct tess_mdev *tm, const struct tess_mig_header *h,
			   struct tess_reason *reason)
{
	struct tess_mig_header own;

	tess_mdev_header_fill(tm, &own);
	if (h->magic != own.magic) {
		strscpy(reason->text, "what came is no vGPU");
		return -EINVAL;
	}
	return header_differs32(reason, "version of the stream", h->version, own.version) ?:
	       header_differs32(reason, "vslices", h->vslices, own.vslices) ?:
	       header_differs64(reason, "bytes of VRAM", h->vram, own.vram) ?:
	       header_differs32(reason, "possible heads", h->heads, own.heads) ?:
	       header_differs32(reason, "capabilities of the GPU", h->caps, own.caps) ?:
	       header_differs32(reason, "clock of the GPU in kHz", h->clock_khz, own.clock_khz) ?:
	       header_differs32(reason, "limits of the GPU", h->limits, own.limits) ?:
	       header_differs64(reason, "bytes of a bank", h->bank, own.bank) ?:
	       header_differs64(reason, "bytes of BAR2", h->bar, own.bar);
}
