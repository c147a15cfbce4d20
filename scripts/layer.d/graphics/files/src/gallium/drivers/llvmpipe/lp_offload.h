/* SPDX-License-Identifier: MIT */
/*
 * Scenes that a GPU draws. Vertices are transformed and scenes are binned by the CPU; tiles and
 * fragment shaders run on the shader cores of a GPU that has the memory of scenes and resources
 * at the addresses that the CPU has it at. What it cannot draw is drawn by the CPU, by the same
 * code, and looks the same.
 *
 * The GPU is driven by a module, which is loaded at run time: it knows nothing of Mesa but this
 * file and lp_offload_abi.h.
 */
#ifndef LP_OFFLOAD_H
#define LP_OFFLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <llvm-c/Types.h>

#include "lp_offload_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct lp_offload_code - a compiled fragment shader
 * @count: number of functions
 * @name: their names in the module
 * @entry: out: their addresses
 * @stack: out: bytes that a call of one of them needs at most
 * @object: in: what compile() stored before, or NULL; out: what to store, to be freed
 * @object_size: bytes of it
 * @handle: out: for release()
 * @error: out: why there is none
 */
struct lp_offload_code {
	unsigned count;
	const char *name[2];
	uint64_t entry[2];
	uint32_t stack;
	void *object;
	size_t object_size;
	void *handle;
	char error[120];
};

/**
 * struct lp_offload_damage - what of a picture that a screen may show differs from another one
 *
 * @handle: of the buffer, on a DRM device
 * @previous: of the one with the other picture; 0: that is not known
 * @x: of the rectangle outside of which both are the same
 * @y: of it
 * @width: of it; 0: they do not differ
 * @height: of it
 */
struct lp_offload_damage {
	uint32_t handle;
	uint32_t previous;
	uint32_t x;
	uint32_t y;
	uint32_t width;
	uint32_t height;
};

/**
 * struct lp_offload_ops - a module
 *
 * @version: LP_OFFLOAD_VERSION
 * @id: text that is another one whenever the module compiles otherwise
 * @name: name of the opened GPU
 * @map: allocates zeroed memory that both sides have at the address that is returned, or NULL
 * @unmap: frees it
 * @import: maps a dma-buf of the same GPU in the same way, @size bytes of it; NULL: it cannot be
 * @samples: has it units that sample textures? Then modules call lp_sample_quad()
 *	(lp_bld_sample_unit.h), if they can
 * @compile: compiles the functions of a copy of a module; false: see error
 * @complete: adds to a module for the CPU what compile() adds to its copy: lp_sample_quad(), with the
 *	same arithmetic, and functions of util_format, if it calls them
 * @release: frees the code of a shader that nothing draws with any more
 * @draw: draws a scene and waits for its end; @stack is the largest one of its shaders;
 *	returns NULL, or why it was not drawn. After an error of the GPU lost is set, too: what
 *	was drawn is undefined then
 * @frame: a program has a picture complete, of which some may not be drawn yet
 * @damage: what of that picture differs, if the DRM device @fd is to show it
 * @close: closes the GPU
 */
struct lp_offload_ops {
	unsigned version;
	const char *id;
	const char *(*name)(void *gpu);
	void *(*map)(void *gpu, size_t size);
	void (*unmap)(void *gpu, void *memory);
	void *(*import)(void *gpu, int fd, size_t *size);
	bool (*samples)(void *gpu);
	bool (*compile)(void *gpu, LLVMModuleRef module, struct lp_offload_code *code);
	void (*complete)(void *gpu, LLVMModuleRef module);
	void (*release)(void *gpu, void *handle);
	const char *(*draw)(void *gpu, const struct lp_offload_scene *scene, uint32_t stack,
			    struct lp_offload_cost *cost, bool *lost);
	void (*frame)(void *gpu);
	void (*damage)(void *gpu, int fd, const struct lp_offload_damage *damage);
	void (*close)(void *gpu);
};

/**
 * The function of a module: opens a GPU.
 * @param ops  out: the module's functions
 * @return what they are called with, or NULL: there is none
 */
#define LP_OFFLOAD_MODULE "/usr/lib/tessera/mesa/lib/libtessera-gl.so"
#define LP_OFFLOAD_OPEN "lp_offload_module_open"
typedef void *(*lp_offload_open_func)(const struct lp_offload_ops **ops);

struct lp_offload;
struct lp_scene;
struct lp_jit_resources;
struct lp_fragment_shader_variant;
struct llvmpipe_screen;
struct llvmpipe_query;
struct pipe_screen;
struct pipe_driver_query_info;
struct pipe_driver_query_group_info;
struct nir_shader;

/**
 * Opens the GPU of the module that the environment variable TESSERA_GL_MODULE names, or of
 * LP_OFFLOAD_MODULE if there is one. NULL: the CPU draws.
 */
struct lp_offload *lp_offload_open(void);

void lp_offload_close(struct lp_offload *offload);

/** Threads that may draw the scenes of the CPU. */
unsigned lp_offload_max_threads(const struct lp_offload *offload);

/** Has the GPU units that sample textures? */
bool lp_offload_samples(const struct lp_offload *offload);

/** Text that is another one whenever code is generated otherwise; empty without a GPU. */
const char *lp_offload_id(const struct lp_offload *offload);

/** Text for the name of the renderer. */
const char *lp_offload_name(struct lp_offload *offload);

/** Memory that GPU and CPU reach; that of align_malloc() without a GPU. It is not zeroed. */
void *lp_offload_alloc(struct lp_offload *offload, size_t size, size_t alignment);

/** Frees what lp_offload_alloc() returned, or NULL. */
void lp_offload_free(struct lp_offload *offload, void *memory);

/**
 * What a screen shows becomes memory of both: a dma-buf is mapped where the GPU has it, or NULL.
 * For sw_winsys::share.
 */
void *lp_offload_share(void *offload, int fd);

/** The end of lp_offload_share(). */
void lp_offload_unshare(void *offload, void *memory);

/** lp_offload_alloc() and lp_offload_free() for pictures that are copied into windows. */
void *lp_offload_alloc_picture(void *offload, size_t size, size_t alignment);
void lp_offload_free_picture(void *offload, void *memory);

/** Memory of this process that stands for what is not bound becomes memory of both. */
void lp_offload_replace_dummies(struct lp_offload *offload, struct lp_jit_resources *resources);

/**
 * The same shader is the same, word for word, whether Mesa has compiled it or had it in its cache:
 * otherwise nothing that was stored under it is found in the second run.
 */
void lp_offload_tidy(struct nir_shader *nir);

/** Compiles a variant for the GPU, before its module is compiled for the CPU. */
void lp_offload_compile(struct llvmpipe_screen *screen, struct lp_fragment_shader_variant *variant,
			const unsigned char key[20]);

void lp_offload_release(struct lp_offload *offload, void *code);

/** Draws a scene, if the GPU can; sets scene->offloaded. */
void lp_offload_draw(struct lp_offload *offload, struct lp_scene *scene);

/** A picture is complete: whoever gives the GPU its slices is told. */
void lp_offload_frame(struct lp_offload *offload);

/** So is what of it differs from the picture before. */
void lp_offload_damage(struct lp_offload *offload, int fd, const struct lp_offload_damage *damage);

/** If TESSERA_DEBUG=compare: compares the pictures of CPU and GPU. */
void lp_offload_compare(struct lp_scene *scene);

/** Counters of scenes, for pipe_screen, and queries of them. */
int lp_offload_query_info(struct pipe_screen *screen, unsigned index,
			  struct pipe_driver_query_info *info);
int lp_offload_query_group_info(struct pipe_screen *screen, unsigned index,
				struct pipe_driver_query_group_info *info);
bool lp_offload_is_counter(const struct llvmpipe_query *query);
void lp_offload_begin_counter(struct lp_offload *offload, struct llvmpipe_query *query);
void lp_offload_end_counter(struct lp_offload *offload, struct llvmpipe_query *query);

/** Shader cores have denormals, so the CPU has them, too. */
void lp_offload_set_fpstate(struct lp_offload *offload);

#ifdef __cplusplus
}
#endif

#endif
