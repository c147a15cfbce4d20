// SPDX-License-Identifier: GPL-2.0-or-later
/* The device tells the truth: the same as libtessera does. */
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

#include "cl.h"
#include "tap.h"

static struct cl c;

static void ask(cl_device_info what, size_t size, void *value)
{
	cl_must(clGetDeviceInfo(c.device, what, size, value, NULL), "clGetDeviceInfo");
}

/* What a kernel can run on, from the library */
static unsigned int count_cores(struct tess_device *dev, const struct tess_info *info)
{
	struct tess_slice_info s;
	unsigned int i, cores = 0;

	for (i = 0; i < info->slice_count; i++) {
		if (!tess_get_slice(dev, i, &s) && s.available && s.engines & TESS_HAS_COMPUTE)
			cores += s.cores;
	}
	return cores;
}

static void test_truth(void)
{
	struct tess_info info = { 0 };
	struct tess_device *dev;
	char name[128] = "";
	cl_device_type type = 0;
	cl_ulong memory = 0, local = 0, largest = 0;
	cl_uint units = 0, mhz = 0;

	if (tess_open(NULL, &dev) || tess_get_info(dev, &info)) {
		printf("Bail out! %s\n", tess_strerror(NULL));
		exit(1);
	}
	ask(CL_DEVICE_TYPE, sizeof(type), &type);
	ok(type == CL_DEVICE_TYPE_GPU, "it is a GPU");
	ask(CL_DEVICE_NAME, sizeof(name), &name);
	ok(strstr(name, info.is_vgpu ? "Tessera vGPU (" : "Tessera GPU ("), "%s", name);
	ask(CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units);
	ok(units == count_cores(dev, &info), "%u compute units: the shader cores of its slices",
	   units);
	ask(CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(memory), &memory);
	ok((!info.vram_size || memory == info.vram_size), "%llu bytes of memory",
	   (unsigned long long)memory);
	ask(CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(largest), &largest);
	ok(largest >= memory / 4 && largest <= memory, "up to %llu at once",
	   (unsigned long long)largest);
	ask(CL_DEVICE_LOCAL_MEM_SIZE, sizeof(local), &local);
	ok(local == info.max_local_bytes, "%llu bytes of local memory", (unsigned long long)local);
	ask(CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof(mhz), &mhz);
	ok(mhz >= 1 && mhz <= info.clock_khz / 1000 + 1, "%u MHz", mhz);
	tess_close(dev);
}

static void test_abilities(void)
{
	char extensions[2048] = "", version[128] = "";
	cl_device_svm_capabilities svm = 0;
	cl_device_fp_config fp64 = 0;
	cl_bool compiler = CL_FALSE, images = CL_FALSE, available = CL_FALSE;
	cl_uint bits = 0;

	ask(CL_DEVICE_VERSION, sizeof(version), &version);
	ok(!strncmp(version, "OpenCL 3.0 ", 11), "%s", version);
	ask(CL_DEVICE_AVAILABLE, sizeof(available), &available);
	ok(available, "it is available");
	ask(CL_DEVICE_COMPILER_AVAILABLE, sizeof(compiler), &compiler);
	ok(compiler, "with a compiler");
	ask(CL_DEVICE_ADDRESS_BITS, sizeof(bits), &bits);
	ok(bits == 64, "of 64 bits");
	ask(CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(fp64), &fp64);
	ok(fp64 & CL_FP_FMA, "with double precision");
	ask(CL_DEVICE_EXTENSIONS, sizeof(extensions), &extensions);
	ok(strstr(extensions, "cl_khr_fp64") && !strstr(extensions, "cl_khr_fp16"), "%s",
	   extensions);
	ask(CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images);
	ok(images, "with images");
	ask(CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm);
	ok(svm == (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER),
	   "buffers can be shared, not all memory");
}

int main(void)
{
	cl_start(&c);
	test_truth();
	test_abilities();
	cl_stop(&c);
	return done();
}
