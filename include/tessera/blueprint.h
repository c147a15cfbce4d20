/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blueprints: what a vGPU is to be. Parser, canonical text, and generation from a workload
 * profile; pure functions, any context, that user space tests are built from, too.
 */
#ifndef _TESSERA_BLUEPRINT_H_
#define _TESSERA_BLUEPRINT_H_

#include <linux/types.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/hw/tess_regs.h>

#define TESS_WEIGHT_DEFAULT	100
#define TESS_WEIGHT_MAX		10000
#define TESS_CAP_MAX		100
#define TESS_SHARE_MAX		8	/* vslices that share a slice */
#define TESS_POOL_GPUS_MAX	64
#define TESS_BLUEPRINT_MAX	256	/* bytes of a canonical text with its NUL */

#define TESS_RATE_MAX		1000000	/* millions per second */

/**
 * struct tess_display_mode - what a display shows
 * @width: pixels; 0: nothing is known
 * @height: pixels
 * @refresh: Hz; 0: not known
 */
struct tess_display_mode {
	u32 width;
	u32 height;
	u32 refresh;
};

/**
 * struct tess_shown - what the heads of a vGPU show; all zeroes: nothing, to nobody elsewhere
 * @heads: heads that show something
 * @mode: of the one of which most is read
 * @vslice: in whose memory its frame is
 * @remote: there is a viewer elsewhere
 */
struct tess_shown {
	u32 heads;
	struct tess_display_mode mode;
	u32 vslice;
	bool remote;
};

/**
 * struct tess_blueprint - what is asked for
 * @slices: number of slices, 1 to TESS_MAX_SLICES
 * @min: fewest slices that it may be made of later; 0: @slices
 * @max: most slices that it may be made of later, and number of its vslices; 0: @slices
 * @kind: enum tess_slice_kind of all of them; TESS_KIND_NONE: any
 * @engines: TESS_ENGINE_* that the client may use; 0: all that the slices have
 * @memory: bytes of VRAM per vslice, a multiple of 2 MiB; 0: none is reserved
 * @topology: enum tess_topology
 * @heads: display heads
 * @gpus: number of GPUs that the slices come from; 0: one
 * @shared: other vGPUs may have the same slices, one at a time runs
 * @automatic: the swapper may move its vslices to other slices, and the analyzer change
 *	the number of slices between @min and @max
 * @leans: kind of slices that the host chose for what the client does, if @kind is
 *	TESS_KIND_NONE; not in a text. TESS_KIND_NONE: any
 * @texels: millions per second that its slices can sample together, in equal parts; 0: any number
 * @pixels: millions per second that they can fill, likewise
 * @displays: what its heads show; width 0: not known
 * @remote: what they show is copied for a viewer elsewhere
 * @shown: what they showed when an automatic one was composed; not in a text
 * @weight: of a shared one, 1 to TESS_WEIGHT_MAX; 0: TESS_WEIGHT_DEFAULT
 * @cap: percent of each slice that a shared one gets at most, to TESS_CAP_MAX; 0: no limit
 */
struct tess_blueprint {
	u32 slices;
	u32 min;
	u32 max;
	u32 kind;
	u32 engines;
	u32 topology;
	u32 heads;
	u32 gpus;
	u64 memory;
	bool shared;
	bool automatic;
	u32 leans;
	u32 texels;
	u32 pixels;
	struct tess_display_mode displays;
	bool remote;
	struct tess_shown shown;
	u32 weight;
	u32 cap;
};

#define TESS_REASON_MAX		128

/**
 * struct tess_reason - why something was refused, for people
 * @text: one line without newline, for instance "insufficient slices of kind render: 3
 *	free, 4 asked"; empty: nothing was refused
 */
struct tess_reason {
	char text[TESS_REASON_MAX];
};

/**
 * tess_reason_complete() - let a reason say something
 * @reason: of an attempt that failed; filled if nothing is there
 * @error: negative errno of it; 0: it did not fail
 */
void tess_reason_complete(struct tess_reason *reason, int error);

/**
 * tess_reason_show() - what a file "last_error" of sysfs says
 * @reason: of the last attempt
 * @error: negative errno of it; 0: it did not fail
 * @buf: of the file
 *
 * Return: bytes of "ENOSPC: reason", or of "none".
 */
ssize_t tess_reason_show(const struct tess_reason *reason, int error, char *buf);

/**
 * tess_blueprint_parse() - read a blueprint
 * @text: words "name=value" with white space between them, in any order, each at most once:
 *	slices=N min=N max=N kind=any|compute|render|mixed memory=BYTES[K|M|G]
 *	topology=none|chain|ring|mesh engines=all|LIST heads=N share=exclusive|shared
 *	weight=N cap=PERCENT policy=manual|auto gpus=N texels=MILLIONS pixels=MILLIONS
 *	displays=N[@WIDTHxHEIGHT[@HZ]], which says heads=N, too; path=local|remote
 * @base: what holds for words that are not there. Without a range of its own
 *	(min, max and slices are equal or 0) min and max follow slices. With kind= or heads=,
 *	rates, or displays and their path, that are not named are not asked for
 * @bp: result, untouched on failure; min, max, engines, gpus and weight are resolved
 * @reason: what is wrong and where: "column 10: unknown word \"slcies\""; may be NULL
 *
 * Columns count from 1. Refused are unknown and repeated words, values that are none, and
 * words that contradict each other (min > slices, weight of an exclusive one, ...).
 *
 * Return: 0, -EINVAL.
 */
int tess_blueprint_parse(const char *text, const struct tess_blueprint *base,
			 struct tess_blueprint *bp, struct tess_reason *reason);

/**
 * tess_blueprint_format() - the canonical text
 * @bp: valid blueprint
 * @buf: for the text, without newline
 * @size: bytes of @buf, TESS_BLUEPRINT_MAX is always enough
 *
 * All words in the order of tess_blueprint_parse(), so that parsing it gives @bp again;
 * weight and cap only of a shared one, texels, pixels, displays and path=remote only if they were
 * asked for.
 *
 * Return: length without the NUL.
 */
int tess_blueprint_format(const struct tess_blueprint *bp, char *buf, size_t size);

/**
 * struct tess_profile - what a workload does and how its virtual machine is displayed
 * @utilization: permille of the time of its slices that it kept them busy
 * @queue_milli: packets that waited, on average, in thousandths
 * @shader: instructions per busy cycle and core but those of units, permille of the possible
 * @texture: texels, permille of the possible
 * @pixel: pixels, permille of the possible
 * @ray: rays, permille of the possible
 * @units: busy time of kernels that can use units for textures, pixels or rays, permille, also
 *	where there are none
 * @memory: memory traffic, permille of the possible
 * @fps: pictures a second that its programs say they complete, in thousandths; 0: they do not say
 * @ops: thousand operations that they ask for, for each picture, as they count them; 0: not known
 * @slices: slices that it was measured on; 0: nothing was measured
 * @heads: displays
 * @mode: of the largest display
 * @remote: rendered for a remote viewer: frames are copied out of VRAM
 * @engines: TESS_ENGINE_* that the application needs; 0: not known
 */
struct tess_profile {
	u32 utilization;
	u32 queue_milli;
	u32 shader;
	u32 texture;
	u32 pixel;
	u32 ray;
	u32 units;
	u32 memory;
	u32 fps;
	u32 ops;
	u32 slices;
	u32 heads;
	struct tess_display_mode mode;
	bool remote;
	u32 engines;
};

/**
 * tess_profile_parse() - read a profile
 * @text: words as of tess_blueprint_parse(): utilization=P queue=MILLI shader=P texture=P
 *	pixel=P ray=P units=P memory=P fps=MILLI ops=KILO slices=N
 *	displays=N[@WIDTHxHEIGHT[@HZ]] path=local|remote engines=LIST; white space between them
 *	includes newlines, "#" starts a comment to the end of the line
 * @profile: result, untouched on failure
 * @reason: what is wrong and where; may be NULL
 *
 * Return: 0, -EINVAL.
 */
int tess_profile_parse(const char *text, struct tess_profile *profile,
		       struct tess_reason *reason);

/**
 * tess_profile_format() - the text of a profile
 * @profile: profile; what is more than can be is written as the most that can be read
 * @buf: for the text, one line without newline
 * @size: bytes of @buf, TESS_BLUEPRINT_MAX is always enough
 *
 * tess_profile_parse() reads the same from it.
 *
 * Return: length without the NUL.
 */
int tess_profile_format(const struct tess_profile *profile, char *buf, size_t size);

/**
 * tess_blueprint_generate() - the blueprint that fits a workload
 * @profile: what is known
 * @base: bounds (min, max) and everything that @profile says nothing about
 * @bp: result; its slices are within the bounds of @base
 *
 * Rules: Documentation/blueprint.rst.
 */
void tess_blueprint_generate(const struct tess_profile *profile,
			     const struct tess_blueprint *base, struct tess_blueprint *bp);

#endif
