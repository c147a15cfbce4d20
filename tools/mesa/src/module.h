/* SPDX-License-Identifier: MIT */
/* The module that draws scenes of llvmpipe on a GPU: libtessera below, LLVM beside. */
#ifndef TESS_GL_MODULE_H
#define TESS_GL_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include <lp_bld_sample_unit.h>
#include <lp_offload.h>

#if defined(__cplusplus)
extern "C" {
#endif

struct tess_gl;
struct tess_gl_compiler;

/** lp_offload_module_open() - see LP_OFFLOAD_OPEN in lp_offload.h */
__attribute__((visibility("default"))) void *
lp_offload_module_open(const struct lp_offload_ops **out);

/**
 * tess_gl_code_alloc() - memory for code
 * @gl: GPU
 * @size: bytes
 *
 * Returns memory that the CPU writes and shader cores run, at one address; NULL without memory.
 */
void *tess_gl_code_alloc(struct tess_gl *gl, size_t size);

/** tess_gl_code_free() - free memory for code */
void tess_gl_code_free(struct tess_gl *gl, void *memory);

/**
 * tess_gl_damage() - tell the driver of a display what of a picture differs from another one
 * @fd: DRM device with the buffers; other drivers than Tessera's are told nothing
 * @damage: see lp_offload.h
 */
void tess_gl_damage(int fd, const struct lp_offload_damage *damage);

/**
 * tess_gl_compiler_create() - a compiler for shader cores
 * @gl: GPU, whose memory for code it uses
 *
 * Returns NULL, and says why on stderr, if LLVM has no code generator for RISC-V.
 */
struct tess_gl_compiler *tess_gl_compiler_create(struct tess_gl *gl);

/** tess_gl_compiler_destroy() - all code must have been released */
void tess_gl_compiler_destroy(struct tess_gl_compiler *compiler);

/** tess_gl_compiler_id() - another text whenever code is generated otherwise */
const char *tess_gl_compiler_id(void);

/**
 * tess_gl_compile() - compile, or link what was compiled before
 * @compiler: compiler
 * @module: a copy of it is compiled; not looked at if there is an object in @code
 * @code: see lp_offload.h
 */
bool tess_gl_compile(struct tess_gl_compiler *compiler, LLVMModuleRef module,
		     struct lp_offload_code *code);

/** tess_gl_complete() - add to a module for the CPU what it calls of lp_sample_quad() and util_format */
void tess_gl_complete(LLVMModuleRef module);

/** tess_gl_release() - free the code of a shader */
void tess_gl_release(struct tess_gl_compiler *compiler, void *handle);

#if defined(__cplusplus)
}
#endif

#endif
