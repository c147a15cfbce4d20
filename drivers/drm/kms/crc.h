/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_CRC_H_
#define _TESSERA_DRM_CRC_H_

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <tessera/display.h>

struct drm_crtc;
struct tess_output;

/**
 * struct tess_crc - checksums of what a head shows
 * @lock: protects all below but @work and @line. Innermost
 * @on: somebody reads them
 * @is_next: @next was given to the GPU, and no flip was reported since
 * @next: picture that is shown with the next flip
 * @is_shown: the GPU said that it shows @shown
 * @shown: picture
 * @flips: how often @shown changed
 * @changes: how often that or the cursor did
 * @since: first frame that shows all of this, and that has no entry
 * @frame: the last frame that was shown
 * @work: makes one
 * @line: pixels of a line, while @on
 */
struct tess_crc {
	spinlock_t lock;
	bool on;
	bool is_next;
	struct tess_head_picture next;
	bool is_shown;
	struct tess_head_picture shown;
	u64 flips;
	u64 changes;
	u64 since;
	u64 frame;
	struct work_struct work;
	void *line;
};

void tess_crc_init(struct tess_output *out);
void tess_crc_stop(struct tess_output *out);
void tess_crc_set_picture(struct tess_output *out, const struct tess_head_picture *picture);
void tess_crc_set_cursor(struct tess_output *out);
void tess_crc_event(struct tess_output *out, u32 events);

const char *const *tess_crc_get_sources(struct drm_crtc *crtc, size_t *count);
int tess_crc_verify_source(struct drm_crtc *crtc, const char *source, size_t *count);
int tess_crc_set_source(struct drm_crtc *crtc, const char *source);

#endif
