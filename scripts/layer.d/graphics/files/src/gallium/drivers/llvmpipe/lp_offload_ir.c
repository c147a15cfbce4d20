// SPDX-License-Identifier: MIT
/* Shaders as they come from Mesa: keys of what is stored are made from them. */
#include "nir_builder.h"

#include "lp_offload.h"

/* Channels that a source does not have may name any others. */
static bool tidy_sources(struct nir_builder *b, nir_instr *instr, void *data)
{
	nir_alu_instr *alu;

	if (instr->type != nir_instr_type_alu)
		return false;
	alu = nir_instr_as_alu(instr);
	for (unsigned i = 0; i < nir_op_infos[alu->op].num_inputs; i++) {
		const unsigned used = nir_ssa_alu_instr_src_components(alu, i);

		memset(alu->src[i].swizzle + used, 0, sizeof alu->src[i].swizzle - used);
	}
	return false;
}

void lp_offload_tidy(struct nir_shader *nir)
{
	nir_opt_dce(nir);
	nir_shader_instructions_pass(nir, tidy_sources, nir_metadata_all, NULL);
}
