// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "attr.h"
#include "write.h"

int write_open(const struct cli *cli, const struct find *object)
{
	char path[FIND_PATH];
	int root = attr_dir(AT_FDCWD, cli->sysfs), dir;

	if (root < 0)
		return root;
	dir = attr_dir(root, find_path(path, object));
	close(root);
	return dir;
}

/* What an errno means for one file, before what it means for any */
static const struct {
	const char *name;
	int rc;
	const char *text;
} meanings[] = {
	{ "create", EEXIST, "there is a mediated device with this UUID already" },
	{ "create", ENOSPC,
	  "not enough free slices or VRAM; the kernel log says what was missing" },
	{ "create", EUSERS, "the GPU gives no more vGPUs of this type" },
	{ "create", EINVAL, "the kernel does not take this UUID" },
	{ "blueprint", EBUSY,
	  "it is in use: more slices than its max, other memory or other sharing need a new vGPU" },
	{ "blueprint", ENOSPC, "not enough free slices or VRAM" },
	{ "blueprint", EOPNOTSUPP, "the GPU or the vGPU's client cannot do that" },
	{ "blueprint", EIO, "a slice does not work or did not answer; nothing was changed" },
	{ "service", EIO, "the slice does not answer a reset: it is faulty" },
	{ "reset", ENOTTY, "the device has no reset that the kernel can use" },
	{ "remove", ENODEV, "it is being removed already" },
	{ "remove", EAGAIN, "it is being removed already" },
};

const char *write_error(int rc, const char *name)
{
	unsigned int i;

	/* A profile ends as a blueprint, and so does another GPU */
	if (!strcmp(name, "profile") || !strcmp(name, "gpu"))
		name = "blueprint";
	for (i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].rc == -rc && !strcmp(meanings[i].name, name))
			return meanings[i].text;
	switch (-rc) {
	case EACCES:
	case EPERM:
	case EROFS:
		return "permission denied: try again as root";
	case ENOENT:
		return "there is no such file: it went just now, or the module tessera is older "
		       "than this program";
	case EINVAL:
		return "the kernel refused the value; its log says what is allowed (dmesg)";
	case EOPNOTSUPP:
		if (!strcmp(name, "weight") || !strcmp(name, "cap"))
			return "only a vGPU of a shared type has that";
		if (!strcmp(name, "policy"))
			return "this vGPU's client cannot be parked, so it cannot be moved";
		return "this vGPU's client cannot be parked, or the slice lacks an engine that "
		       "it has";
	case EIO:
		if (strcmp(name, "slice"))
			return "the kernel took only a part of it";
		return "the slice does not work or did not answer; nothing was moved";
	case EBUSY:
		return "another vGPU has the slice to itself";
	case ENOSPC:
		return "too many vGPUs share the slice";
	case ENODEV:
		return "the GPU is gone or does not answer";
	default:
		return strerror(-rc);
	}
}
