/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_DEBUGFS_H_
#define _TESSERA_DRM_DEBUGFS_H_

struct tess_device;

void tess_debugfs_init(struct tess_device *tdev);

#endif
