/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blueprints of vGPUs, written to and read from their attributes in sysfs. Functions return 0
 * or a negative errno unless they say otherwise.
 */
#ifndef TESS_SELFTESTS_COMPOSE_SHAPE_H
#define TESS_SELFTESTS_COMPOSE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tessera/hw/tess_mem.h>
#include <tessera/hw/tess_regs.h>

/* Bytes of a canonical blueprint, as in the kernel */
#define SHAPE_TEXT_MAX 256
#define SHAPE_UUID 37

/**
 * struct shape - what is asked for, and what a vGPU says that it is
 * @slices: that it is given
 * @max: vslices that it has for life
 * @memory: bytes of VRAM of each vslice
 * @kind: enum tess_slice_kind; TESS_KIND_NONE: any
 * @topology: enum tess_topology
 * @engines: TESS_ENGINE_*, 0: all
 * @shared: with other vGPUs
 */
struct shape {
	unsigned int slices;
	unsigned int max;
	uint64_t memory;
	uint32_t kind;
	uint32_t topology;
	uint32_t engines;
	bool shared;
};

const char *shape_kind(uint32_t kind);
/* The words of @s, min is 1 */
void shape_text(const struct shape *s, char *text, size_t size);
/* From what the attribute "blueprint" says; -ENODATA: "none", -EPROTO: not understood */
int shape_parse(const char *text, struct shape *s);
/* One of those that a vGPU with the vslices and memory of @like can take while it is open */
void shape_random(struct shape *s, const struct shape *like);

/* An attribute of an mdev without its newline */
int attr_read(const char *uuid, const char *attr, char *buf, size_t size);
int attr_write(const char *uuid, const char *attr, const char *text);
/* Blank vGPU @uuid; a new name if that is empty */
int shape_blank(char *uuid);
/* Blank vGPU with this blueprint: opened next, it is that */
int shape_create(const struct shape *s, char *uuid);
int shape_write(const char *uuid, const struct shape *s);
/* The number behind "generation=" of the attribute "composition"; 0: none */
uint64_t shape_generation(const char *uuid);
/* last_error tells of @rc, a negative errno, or of nothing if it is 0 */
bool last_error_is(const char *uuid, int rc);
/* The @n-th step of a composition from now on fails with -ENOMEM; 0: none */
int inject_failure(unsigned int n);
/* Below @n */
unsigned int pick(unsigned int n);

#endif
