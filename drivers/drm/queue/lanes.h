/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_LANES_H_
#define _TESSERA_DRM_LANES_H_

struct tess_device;
struct tess_lanes;

int tess_lanes_init(struct tess_lanes *lanes, struct tess_device *tdev, unsigned int vslice);
void tess_lanes_fini(struct tess_lanes *lanes);
int tess_lanes_start(struct tess_lanes *lanes);
void tess_lanes_stop(struct tess_lanes *lanes);
void tess_lanes_reclaim(struct tess_lanes *lanes);

#endif
