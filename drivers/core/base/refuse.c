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
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <tessera/blueprint.h>
#include <tessera/compat.h>

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

/* For errors that say all */
static const char *error_text(int error)
{
	switch (error) {
	case -ENODEV:
		return "the GPU is gone";
	case -ENOMEM:
		return "out of memory";
	default:
		return "no reason was given";
	}
}

void tess_reason_complete(struct tess_reason *reason, int error)
{
	if (error && !reason->text[0])
		strscpy(reason->text, error_text(error));
}
EXPORT_SYMBOL_NS_GPL(tess_reason_complete, TESS_NS);

ssize_t tess_reason_show(const struct tess_reason *reason, int error, char *buf)
{
	char name[24];

	if (!error)
		return sysfs_emit(buf, "none\n");
	/* "-ENOSPC" */
	snprintf(name, sizeof(name), "%pe", ERR_PTR(error));
	return sysfs_emit(buf, "%s: %s\n", name + 1, reason->text);
}
EXPORT_SYMBOL_NS_GPL(tess_reason_show, TESS_NS);
