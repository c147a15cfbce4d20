// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why something is refused, in words.
 *
 * DOC: Reasons
 *
 * An errno does not say what is missing, and by how much. So each refusal is explained in one
 * line, for the kernel log and for the caller.
 */
#include <linux/device.h>
#include <linux/kernel.h>
#include <tessera/blueprint.h>

#include "gpu.h"
#include "refuse.h"

/**
 * tess_refuse() - say why something is refused
 * @gpu: GPU
 * @name: of the vGPU
 * @reason: filled; may be NULL
 * @rc: negative errno
 * @fmt: one line
 *
 * Return: @rc.
 */
int tess_refuse(const struct tess_gpu *gpu, const char *name, struct tess_reason *reason, int rc,
		const char *fmt, ...)
{
	struct tess_reason text;
	va_list args;

	va_start(args, fmt);
	vscnprintf(text.text, sizeof(text.text), fmt, args);
	va_end(args);
	dev_info(&gpu->dev, "\"%s\": %s\n", name, text.text);
	if (reason)
		*reason = text;
	return rc;
}
