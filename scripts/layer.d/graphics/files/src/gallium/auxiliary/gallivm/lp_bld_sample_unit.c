// SPDX-License-Identifier: MIT
/* Textures that are sampled by lp_sample_quad(). */
#include "util/format/u_format.h"

#include "lp_bld_const.h"
#include "lp_bld_flow.h"
#include "lp_bld_sample.h"
#include "lp_bld_sample_unit.h"
#include "lp_bld_swizzle.h"
#include "lp_bld_target.h"

static bool are_all_bytes(const struct util_format_description *desc)
{
	if (desc->layout != UTIL_FORMAT_LAYOUT_PLAIN ||
	    desc->colorspace != UTIL_FORMAT_COLORSPACE_RGB)
		return false;
	for (unsigned i = 0; i < desc->nr_channels; i++) {
		const struct util_format_channel_description *c = &desc->channel[i];

		if (c->size != 8 || (c->type != UTIL_FORMAT_TYPE_VOID &&
				     (c->type != UTIL_FORMAT_TYPE_UNSIGNED || !c->normalized)))
			return false;
	}
	return true;
}

/* As it is in memory; which component is which comes from its description. 0: the unit does not know it */
static unsigned format_in_memory(const struct util_format_description *desc)
{
	if (are_all_bytes(desc))
		return desc->nr_channels == 4 ? LP_SAMPLE_RGBA8 :
		       desc->nr_channels == 1 ? LP_SAMPLE_R8 :
						0;
	switch (desc->format) {
	case PIPE_FORMAT_B5G6R5_UNORM:
		return LP_SAMPLE_RGB565;
	case PIPE_FORMAT_R16G16B16A16_FLOAT:
	case PIPE_FORMAT_R16G16B16X16_FLOAT:
		return LP_SAMPLE_RGBA16F;
	case PIPE_FORMAT_R32_FLOAT:
		return LP_SAMPLE_R32F;
	default:
		return 0;
	}
}

static bool is_wrap_known(unsigned wrap)
{
	return wrap == PIPE_TEX_WRAP_REPEAT || wrap == PIPE_TEX_WRAP_CLAMP_TO_EDGE;
}

bool lp_build_is_for_unit(const struct lp_build_sample_context *bld, const LLVMValueRef *offsets)
{
	const struct lp_static_texture_state *texture = bld->static_texture_state;
	const struct lp_static_sampler_state *sampler = bld->static_sampler_state;

	return lp_build_has_texture_unit() && texture->target == PIPE_TEXTURE_2D &&
	       !texture->tiled && texture->format == texture->res_format &&
	       format_in_memory(bld->format_desc) && is_wrap_known(sampler->wrap_s) &&
	       is_wrap_known(sampler->wrap_t) && sampler->normalized_coords && !sampler->aniso &&
	       sampler->compare_mode == PIPE_TEX_COMPARE_NONE &&
	       sampler->reduction_mode == PIPE_TEX_REDUCTION_WEIGHTED_AVERAGE &&
	       bld->num_mips == 1 && bld->coord_type.length == 4 && !bld->residency &&
	       !offsets[0] && !offsets[1];
}

/* Components as the format orders them */
static void swizzle(struct lp_build_sample_context *bld, const LLVMValueRef from[4],
		    LLVMValueRef to[4])
{
	for (unsigned i = 0; i < 4; i++)
		to[i] = lp_build_swizzle_soa_channel(&bld->texel_bld, from,
						     bld->format_desc->swizzle[i]);
}

static LLVMValueRef declare(struct gallivm_state *gallivm, LLVMTypeRef *type)
{
	LLVMTypeRef pointer = LLVMPointerTypeInContext(gallivm->context, 0);
	LLVMTypeRef word = LLVMInt32TypeInContext(gallivm->context);
	LLVMTypeRef args[] = { pointer, word, word, word, word, pointer, pointer };
	LLVMValueRef function = LLVMGetNamedFunction(gallivm->module, LP_SAMPLE_QUAD);

	*type = LLVMFunctionType(LLVMVoidTypeInContext(gallivm->context), args, ARRAY_SIZE(args),
				 0);
	return function ? function : LLVMAddFunction(gallivm->module, LP_SAMPLE_QUAD, *type);
}

/* A vector of an array of vectors */
static LLVMValueRef at(struct gallivm_state *gallivm, LLVMTypeRef vector, LLVMValueRef array,
		       unsigned i)
{
	LLVMValueRef index = lp_build_const_int32(gallivm, i);

	return LLVMBuildGEP2(gallivm->builder, vector, array, &index, 1, "");
}

void lp_build_sample_by_unit(struct lp_build_sample_context *bld, bool linear, LLVMValueRef size,
			     LLVMValueRef row_stride, LLVMValueRef texels,
			     const LLVMValueRef *coords, LLVMValueRef colors[4])
{
	const struct lp_static_sampler_state *sampler = bld->static_sampler_state;
	struct gallivm_state *gallivm = bld->gallivm;
	LLVMBuilderRef builder = gallivm->builder;
	LLVMTypeRef vector = bld->coord_bld.vec_type, type;
	LLVMValueRef zero = lp_build_const_int32(gallivm, 0),
		     one = lp_build_const_int32(gallivm, 1);
	LLVMValueRef in = lp_build_alloca_undef(gallivm, LLVMArrayType(vector, 2), "coords");
	LLVMValueRef out = lp_build_alloca_undef(gallivm, LLVMArrayType(vector, 4), "colors");
	LLVMValueRef function = declare(gallivm, &type), found[4];
	const unsigned mode =
		format_in_memory(bld->format_desc) | (linear ? LP_SAMPLE_LINEAR : 0) |
		(sampler->wrap_s == PIPE_TEX_WRAP_CLAMP_TO_EDGE ? LP_SAMPLE_CLAMP_S : 0) |
		(sampler->wrap_t == PIPE_TEX_WRAP_CLAMP_TO_EDGE ? LP_SAMPLE_CLAMP_T : 0);
	LLVMValueRef args[] = {
		texels,
		LLVMBuildExtractElement(builder, row_stride, zero, ""),
		LLVMBuildExtractElement(builder, size, zero, ""),
		LLVMBuildExtractElement(builder, size, one, ""),
		lp_build_const_int32(gallivm, mode),
		in,
		out,
	};

	for (unsigned i = 0; i < 2; i++)
		LLVMBuildStore(builder, coords[i], at(gallivm, vector, in, i));
	LLVMBuildCall2(builder, type, function, args, ARRAY_SIZE(args), "");
	for (unsigned i = 0; i < 4; i++)
		found[i] = LLVMBuildLoad2(builder, vector, at(gallivm, vector, out, i), "");
	swizzle(bld, found, colors);
}
