/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a VMM does with a vGPU that goes to another machine: VFIO's states of migration, and the
 * stream. Functions return 0 or a positive value, or a negative errno.
 */
#ifndef TESS_SELFTESTS_MDEV_SAVED_H
#define TESS_SELFTESTS_MDEV_SAVED_H

#include <linux/vfio.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu.h"

/**
 * struct saved - a stream
 * @buf: its bytes
 * @size: number of them
 */
struct saved {
	uint8_t *buf;
	size_t size;
};

/**
 * struct ends - two vGPUs, of which one goes on with what the other was
 * @uuid: of both
 * @src: the one that is first
 * @dst: the other, which has the same memory
 */
struct ends {
	char uuid[2][37];
	struct vgpu src;
	struct vgpu dst;
};

/* No mdev is there, and nothing is open */
void ends_begin(struct ends *e);
/* Both, with these blueprints */
int ends_open(struct ends *e, const char *from, const char *to);
/* Close what is open, and remove all */
void ends_close(struct ends *e);

/* VFIO_MIGRATION_* of the device */
int mig_flags(struct vgpu *v);
/* enum vfio_device_mig_state */
int mig_state(struct vgpu *v);
/* A file, or -1 if the state has none; negative errno as below */
int mig_set(struct vgpu *v, unsigned int state, int *file);
/* The same, of a state without a file */
int mig_go(struct vgpu *v, unsigned int state);
/* What it says that it would send now */
long long mig_size(struct vgpu *v);
/* To STOP_COPY, and all that it is; it is there afterwards */
int mig_save(struct vgpu *v, struct saved *s);
/* To PRE_COPY, whose file has to be closed */
int mig_precopy(struct vgpu *v, int *file);
/* All that there is to be read just now: 0, -ENOMSG there will be more */
int mig_read(int file, struct saved *s);
/* What there is to be read, while it runs */
int mig_info(int file, struct vfio_precopy_info *info);
/* From PRE_COPY to STOP_COPY, and all that is left; closes the file */
int mig_finish(struct vgpu *v, int file, struct saved *s);
/* To RESUMING, and the first @size bytes in pieces of @piece; it is there afterwards, the file open */
int mig_load(struct vgpu *v, const void *buf, size_t size, size_t piece, int *file);
/* VFIO_DEVICE_RESET */
int mig_reset(struct vgpu *v);

/* ---- the log of writes to memory ---- */

/* Is there one? */
bool mig_logs(struct vgpu *v);
int mig_log_start(struct vgpu *v);
int mig_log_stop(struct vgpu *v);
/* Sets the bits of pages that were written to since the last question, from @gpa on */
int mig_log_report(struct vgpu *v, uint64_t gpa, uint64_t size, uint64_t *bits);

#endif
