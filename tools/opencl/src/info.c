// SPDX-License-Identifier: MIT
/**
 * DOC: what the device is
 *
 * PoCL asks once, when it opens the device: compute units are the shader cores of the slices that
 * are there then. A vGPU that is recomposed later goes on to be used as a whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

#include "common.h"
#include "common_utils.h"
#include "pocl_util.h"

#define EXTENSIONS                                                              \
	"cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics "       \
	"cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics " \
	"cl_khr_local_int32_extended_atomics cl_khr_int64_base_atomics "        \
	"cl_khr_int64_extended_atomics cl_khr_3d_image_writes cl_khr_fp64"

#define FEATURES                                                                     \
	"__opencl_c_3d_image_writes __opencl_c_images __opencl_c_read_write_images " \
	"__opencl_c_atomic_order_acq_rel "                                           \
	"__opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device "            \
	"__opencl_c_generic_address_space __opencl_c_fp64 __opencl_c_int64"

#define FP_CONFIG                                                                      \
	(CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | \
	 CL_FP_ROUND_TO_INF | CL_FP_FMA)

/* Work-items are loops of a hart, so their number is not that of the hardware. */
#define MAX_GROUP_ITEMS 1024
/* Where the device has no memory of its own, slices of several GPUs share that of the system. */
#define SYSTEM_SHARE (1ull << 30)

static cl_device_partition_property partitions[] = { CL_DEVICE_PARTITION_EQUALLY,
						     CL_DEVICE_PARTITION_BY_COUNTS };

/**
 * struct shape - the slices that can run kernels
 * @cores: shader cores of all of them
 * @kinds: how many there are of each TESS_KIND_*
 */
struct shape {
	unsigned int cores;
	unsigned int kinds[TESS_KIND_MIXED + 1];
};

static void look(struct tess_cl_device *d, struct shape *s)
{
	unsigned int i;

	for (i = 0; i < d->info.slice_count; i++) {
		struct tess_slice_info slice;

		if (!(d->info.slice_mask >> i & 1) || tess_get_slice(d->tess, i, &slice))
			continue;
		if (!(slice.engines & TESS_HAS_COMPUTE) || slice.kind > TESS_KIND_MIXED)
			continue;
		s->cores += slice.cores;
		s->kinds[slice.kind]++;
	}
}

/* "Tessera vGPU (2x compute, 1x mixed)": what its type gives it */
static void make_name(struct tess_cl_device *d, const struct shape *s)
{
	size_t n;
	unsigned int kind;
	const char *before = " (";

	n = (size_t)snprintf(d->long_name, sizeof(d->long_name), "Tessera %s",
			     d->info.is_vgpu ? "vGPU" : "GPU");
	for (kind = 0; kind <= TESS_KIND_MIXED; kind++) {
		if (!s->kinds[kind])
			continue;
		n += (size_t)snprintf(d->long_name + n, sizeof(d->long_name) - n, "%s%ux %s",
				      before, s->kinds[kind], tess_kind_name(kind));
		before = ", ";
	}
	if (*before == ',')
		snprintf(d->long_name + n, sizeof(d->long_name) - n, ")");
}

static void describe_compiler(cl_device_id device)
{
	device->llvm_target_triplet = "riscv64-unknown-elf";
	device->llvm_cpu = "sifive-u54";
	device->llvm_abi = "lp64d";
	device->kernellib_name = "kernel-riscv64-unknown-elf-sifive-u54";
	device->kernellib_fallback_name = NULL;
	device->address_bits = 64;
	device->spmd = CL_FALSE;
	device->run_workgroup_pass = CL_TRUE;
	device->arg_buffer_launcher = CL_TRUE;
	device->device_alloca_locals = CL_TRUE;
	device->autolocals_to_args = POCL_AUTOLOCALS_TO_ARGS_ALWAYS;
	device->device_side_printf = 1;
	device->builtin_kernel_list = NULL;
	device->num_builtin_kernels = 0;
	device->run_program_scope_variables_pass = CL_FALSE;
	device->global_var_max_size = 0;
	device->global_var_pref_size = 0;
}

/* Vectors become scalar instructions: the library's own types are as good. */
static void describe_widths(cl_device_id device)
{
	device->preferred_vector_width_char = device->native_vector_width_char = 1;
	device->preferred_vector_width_short = device->native_vector_width_short = 1;
	device->preferred_vector_width_int = device->native_vector_width_int = 1;
	device->preferred_vector_width_long = device->native_vector_width_long = 1;
	device->preferred_vector_width_float = device->native_vector_width_float = 1;
	device->preferred_vector_width_double = device->native_vector_width_double = 1;
	device->preferred_vector_width_half = device->native_vector_width_half = 0;
	device->native_vector_width_in_bits = 64;
}

static void describe_memory(cl_device_id device, struct tess_cl_device *d)
{
	cl_ulong size = d->info.vram_size ? d->info.vram_size : SYSTEM_SHARE;

	d->mem.total_alloc_limit = size;
	device->global_memory = &d->mem;
	device->global_mem_size = size;
	device->max_mem_alloc_size = size / 4 * 3;
	device->max_constant_buffer_size = device->max_mem_alloc_size;
	device->global_mem_cache_type = CL_NONE;
	device->local_mem_type = CL_GLOBAL;
	device->local_mem_size = d->info.max_local_bytes;
	device->host_unified_memory = CL_FALSE;
	device->image_max_buffer_size = size / 64;
	device->svm_caps = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
	device->svm_allocation_priority = 1;
}

static void describe_groups(cl_device_id device, const struct shape *s)
{
	device->max_compute_units = s->cores;
	device->max_work_group_size = MAX_GROUP_ITEMS;
	device->max_work_item_sizes[0] = MAX_GROUP_ITEMS;
	device->max_work_item_sizes[1] = MAX_GROUP_ITEMS;
	device->max_work_item_sizes[2] = MAX_GROUP_ITEMS;
	device->preferred_wg_size_multiple = 1;
	device->max_sub_devices = s->cores;
	device->num_partition_properties = sizeof(partitions) / sizeof(partitions[0]);
	device->partition_properties = partitions;
}

static void describe_versions(cl_device_id device)
{
	SETUP_DEVICE_CL_VERSION(device, 3, 0);
	device->features = FEATURES;
	pocl_setup_opencl_c_with_version(device, CL_TRUE);
	pocl_setup_features_with_version(device);
	pocl_setup_extensions_with_version(device);
	device->single_fp_config = FP_CONFIG | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
	device->double_fp_config = FP_CONFIG;
	device->atomic_memory_capabilities =
		CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
		CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
		CL_DEVICE_ATOMIC_SCOPE_DEVICE;
	device->atomic_fence_capabilities = device->atomic_memory_capabilities |
					    CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM;
}

cl_int tess_cl_describe(cl_device_id device, struct tess_cl_device *d)
{
	struct shape s = { 0 };

	if (tess_get_info(d->tess, &d->info))
		return CL_DEVICE_NOT_AVAILABLE;
	look(d, &s);
	if (!s.cores) {
		tess_cl_report("%s has no slice that runs kernels", d->info.node);
		return CL_DEVICE_NOT_FOUND;
	}
	make_name(d, &s);
	pocl_init_default_device_infos(device, EXTENSIONS);
	device->type = CL_DEVICE_TYPE_GPU;
	device->vendor = "Tessera";
	device->vendor_id = 0x1234;
	device->long_name = d->long_name;
	device->short_name = TESS_CL_NAME;
	device->max_clock_frequency = d->info.clock_khz > 1000 ? d->info.clock_khz / 1000 : 1;
	device->execution_capabilities = CL_EXEC_KERNEL;
	device->on_host_queue_props = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
				      CL_QUEUE_PROFILING_ENABLE;
	device->has_own_timer = 1;
	device->profiling_timer_resolution = 1000000 / d->info.clock_khz + 1;
	describe_compiler(device);
	describe_widths(device);
	describe_memory(device, d);
	describe_groups(device, &s);
	describe_versions(device);
	return CL_SUCCESS;
}
