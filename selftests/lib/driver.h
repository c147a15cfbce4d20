/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The driver that the GPUs of this machine are bound to */
#ifndef TESS_SELFTESTS_DRIVER_H
#define TESS_SELFTESTS_DRIVER_H

#include <stdio.h>
#include <stdlib.h>

/* Its name: TESSERA_DRIVER */
static inline const char *gpu_driver(void)
{
	const char *name = getenv("TESSERA_DRIVER");

	return name && *name ? name : "tessera_pci";
}

/* Path of its file "bind" or "unbind"; valid until the next call for that file */
static inline const char *gpu_driver_file(const char *name)
{
	static char paths[2][128];
	char *path = paths[*name == 'u'];

	snprintf(path, sizeof(paths[0]), "/sys/bus/pci/drivers/%s/%s", gpu_driver(), name);
	return path;
}

#endif /* TESS_SELFTESTS_DRIVER_H */
