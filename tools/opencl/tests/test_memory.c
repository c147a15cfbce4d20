// SPDX-License-Identifier: GPL-2.0-or-later
/* Buffers and their parts, mappings, images, memory that is shared. */
#include <stdlib.h>
#include <string.h>

#include "cl.h"
#include "tap.h"

static struct cl c;

static const char add_source[] = "kernel void add(global uint *p, uint x)\n"
				 "{\n"
				 "	p[get_global_id(0)] += x;\n"
				 "}\n";

static void test_map(void)
{
	static const cl_mem_flags flags[] = { 0, CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR,
					      CL_MEM_COPY_HOST_PTR };
	static const char *const names[] = { "plain", "of the host", "of the program", "copied" };
	cl_kernel kernel = cl_kernel_of(&c, add_source, "add");
	const cl_uint x = 7;
	unsigned int i, k;

	for (i = 0; i < 4; i++) {
		cl_uint *mine = aligned_alloc(4096, 4096), *p, wrong = 0;
		cl_mem mem;
		cl_int err;

		for (k = 0; k < 1024; k++)
			mine[k] = k;
		mem = clCreateBuffer(c.context, flags[i], 4096, i >= 2 ? mine : NULL, &err);
		cl_must(err, names[i]);
		if (i < 2) {
			p = clEnqueueMapBuffer(c.queue, mem, CL_TRUE, CL_MAP_WRITE, 0, 4096, 0,
					       NULL, NULL, &err);
			cl_must(err, "map for writing");
			memcpy(p, mine, 4096);
			clEnqueueUnmapMemObject(c.queue, mem, p, 0, NULL, NULL);
		}
		cl_arg_mem(kernel, 0, mem);
		cl_arg(kernel, 1, sizeof(x), &x);
		cl_must(cl_run(&c, kernel, 1024, 64), "add");
		p = clEnqueueMapBuffer(c.queue, mem, CL_TRUE, CL_MAP_READ, 1024, 2048, 0, NULL,
				       NULL, &err);
		cl_must(err, "map for reading");
		for (k = 0; k < 512; k++)
			wrong += p[k] != 256 + k + x;
		ok(!wrong && (i != 2 || p == mine + 256), "a mapped buffer, %s: %u wrong", names[i],
		   wrong);
		clEnqueueUnmapMemObject(c.queue, mem, p, 0, NULL, NULL);
		clFinish(c.queue);
		clReleaseMemObject(mem);
		free(mine);
	}
	cl_done(kernel);
}

static void test_parts(void)
{
	cl_kernel kernel = cl_kernel_of(&c, add_source, "add");
	const cl_buffer_region region = { 4096, 4096 };
	const size_t src[3] = { 16, 2, 0 }, dst[3] = { 0, 0, 0 }, size[3] = { 32, 4, 1 };
	const cl_uchar pattern[16] = "0123456789abcdef";
	const cl_uint x = 1;
	cl_uint *all = calloc(1, 16384), i, wrong = 0;
	cl_mem mem = cl_buffer(&c, 16384, NULL), part;
	cl_uchar rect[128], *bytes = (cl_uchar *)all;
	cl_int err;

	part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
	cl_must(err, "clCreateSubBuffer");
	cl_arg_mem(kernel, 0, part);
	cl_arg(kernel, 1, sizeof(x), &x);
	cl_must(cl_run(&c, kernel, 1024, 0), "add");
	cl_get(&c, mem, all, 16384);
	for (i = 0; i < 4096; i++)
		wrong += all[i] != (i >= 1024 && i < 2048);
	ok(!wrong, "a part of a buffer: %u wrong", wrong);

	err = clEnqueueFillBuffer(c.queue, mem, pattern, 16, 32, 4096, 0, NULL, NULL);
	cl_get(&c, mem, all, 16384);
	ok(!err && !bytes[31] && !memcmp(bytes + 32, pattern, 16) &&
		   !memcmp(bytes + 4112, pattern, 16) && bytes[4128] != '0',
	   "filled with a pattern of 16 bytes");
	for (i = 0; i < 16384; i++)
		bytes[i] = (cl_uchar)(i * 7 + i / 256);
	cl_must(clEnqueueWriteBuffer(c.queue, mem, CL_TRUE, 0, 16384, all, 0, NULL, NULL), "write");
	err = clEnqueueReadBufferRect(c.queue, mem, CL_TRUE, src, dst, size, 128, 0, 32, 0, rect, 0,
				      NULL, NULL);
	for (wrong = 0, i = 0; i < 128; i++)
		wrong += rect[i] != bytes[(2 + i / 32) * 128 + 16 + i % 32];
	ok(!err && !wrong, "a rectangle of it: %u wrong", wrong);
	err = clEnqueueCopyBuffer(c.queue, mem, mem, 0, 8192, 4096, 0, NULL, NULL);
	cl_get(&c, mem, all, 16384);
	ok(!err && !memcmp(bytes, bytes + 8192, 4096), "copied within the buffer");
	clReleaseMemObject(part);
	clReleaseMemObject(mem);
	cl_done(kernel);
	free(all);
}

static const char image_source[] =
	"kernel void flip(read_only image2d_t in, write_only image2d_t out, sampler_t s)\n"
	"{\n"
	"	int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"	int2 size = get_image_dim(in);\n"
	"	float4 v = read_imagef(in, s, (int2)(size.x - 1 - at.x, at.y + 1));\n"
	"	write_imagef(out, at, v.zyxw);\n"
	"}\n";

static void test_image(void)
{
	enum { W = 40, H = 12 };
	const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
	const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D,
				     .image_width = W,
				     .image_height = H };
	const cl_sampler_properties props[] = { CL_SAMPLER_NORMALIZED_COORDS,
						CL_FALSE,
						CL_SAMPLER_ADDRESSING_MODE,
						CL_ADDRESS_CLAMP_TO_EDGE,
						CL_SAMPLER_FILTER_MODE,
						CL_FILTER_NEAREST,
						0 };
	const size_t origin[3] = { 0 }, region[3] = { W, H, 1 }, items[2] = { W, H };
	cl_kernel kernel = cl_kernel_of(&c, image_source, "flip");
	cl_uchar in[H][W][4], out[H][W][4];
	unsigned int x, y, wrong = 0;
	cl_mem src, dst;
	cl_sampler sampler;
	cl_int err;

	for (y = 0; y < H; y++) {
		for (x = 0; x < W; x++) {
			in[y][x][0] = (cl_uchar)x;
			in[y][x][1] = (cl_uchar)(y * 20);
			in[y][x][2] = (cl_uchar)(x * y);
			in[y][x][3] = 200;
		}
	}
	src = clCreateImage(c.context, CL_MEM_READ_ONLY, &format, &desc, NULL, &err);
	cl_must(err, "clCreateImage");
	dst = clCreateImage(c.context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &err);
	cl_must(err, "clCreateImage");
	sampler = clCreateSamplerWithProperties(c.context, props, &err);
	cl_must(err, "clCreateSampler");
	cl_must(clEnqueueWriteImage(c.queue, src, CL_TRUE, origin, region, 0, 0, in, 0, NULL, NULL),
		"clEnqueueWriteImage");
	cl_arg_mem(kernel, 0, src);
	cl_arg_mem(kernel, 1, dst);
	cl_arg(kernel, 2, sizeof(sampler), &sampler);
	err = clEnqueueNDRangeKernel(c.queue, kernel, 2, NULL, items, NULL, 0, NULL, NULL);
	cl_must(err, "clEnqueueNDRangeKernel");
	cl_must(clEnqueueReadImage(c.queue, dst, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL),
		"clEnqueueReadImage");
	for (y = 0; y < H; y++) {
		for (x = 0; x < W; x++) {
			const cl_uchar *want = in[y + 1 < H ? y + 1 : H - 1][W - 1 - x];

			wrong += out[y][x][0] != want[2] || out[y][x][1] != want[1] ||
				 out[y][x][2] != want[0] || out[y][x][3] != want[3];
		}
	}
	ok(!wrong, "an image, read with a sampler and written: %u wrong", wrong);
	clReleaseSampler(sampler);
	clReleaseMemObject(src);
	clReleaseMemObject(dst);
	cl_done(kernel);
}

static const char in_place_source[] =
	"kernel void more(read_write image2d_t image)\n"
	"{\n"
	"	int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"	write_imageui(image, at, read_imageui(image, at) + 3);\n"
	"	atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel,\n"
	"			       memory_scope_work_item);\n"
	"	write_imageui(image, at, read_imageui(image, at) * 2);\n"
	"}\n";

/* A kernel reads what it has written to an image */
static void test_image_in_place(void)
{
	enum { W = 20, H = 7 };
	const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT32 };
	const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D,
				     .image_width = W,
				     .image_height = H };
	const size_t origin[3] = { 0 }, region[3] = { W, H, 1 }, items[2] = { W, H };
	cl_program program = cl_build(&c, in_place_source, "-cl-std=CL3.0");
	static cl_uint in[W * H * 4], out[W * H * 4];
	unsigned int i, wrong = 0;
	cl_kernel kernel;
	cl_mem image;
	cl_int err;

	for (i = 0; i < W * H * 4; i++)
		in[i] = i * 2654435761u;
	image = clCreateImage(c.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc,
			      in, &err);
	cl_must(err, "clCreateImage");
	kernel = clCreateKernel(program, "more", &err);
	cl_must(err, "clCreateKernel");
	cl_arg_mem(kernel, 0, image);
	err = clEnqueueNDRangeKernel(c.queue, kernel, 2, NULL, items, NULL, 0, NULL, NULL);
	cl_must(err, "clEnqueueNDRangeKernel");
	cl_must(clEnqueueReadImage(c.queue, image, CL_TRUE, origin, region, 0, 0, out, 0, NULL,
				   NULL),
		"clEnqueueReadImage");
	for (i = 0; i < W * H * 4; i++)
		wrong += out[i] != (in[i] + 3) * 2;
	ok(!wrong, "an image, read and written by one kernel: %u wrong", wrong);
	clReleaseMemObject(image);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
}

static const char list_source[] = "struct node { global struct node *next; ulong value; };\n"
				  "kernel void sum(global struct node *n, global ulong *out)\n"
				  "{\n"
				  "	ulong sum = 0;\n"
				  "	for (; n; n = n->next) {\n"
				  "		sum += n->value;\n"
				  "		n->value = sum;\n"
				  "	}\n"
				  "	*out = sum;\n"
				  "}\n";

struct node {
	struct node *next;
	cl_ulong value;
};

/* A list whose pointers the CPU writes and the GPU follows */
static void test_shared(void)
{
	cl_kernel kernel = cl_kernel_of(&c, list_source, "sum");
	struct node *nodes;
	cl_ulong *out;
	unsigned int i;
	cl_int err;

	nodes = clSVMAlloc(c.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
			   100 * sizeof(*nodes), 0);
	out = clSVMAlloc(c.context, CL_MEM_READ_WRITE, sizeof(*out), 0);
	if (!nodes || !out)
		cl_must(-1, "clSVMAlloc");
	for (i = 0; i < 100; i++) {
		nodes[i].next = i ? &nodes[i - 1] : NULL;
		nodes[i].value = i;
	}
	cl_must(clSetKernelArgSVMPointer(kernel, 0, &nodes[99]), "clSetKernelArgSVMPointer");
	cl_must(clSetKernelArgSVMPointer(kernel, 1, out), "clSetKernelArgSVMPointer");
	err = cl_run(&c, kernel, 1, 1);
	ok(!err && *out == 4950 && nodes[0].value == 4950 && nodes[99].value == 99,
	   "the GPU follows pointers of the CPU: %llu", (unsigned long long)*out);
	cl_must(clEnqueueSVMFree(c.queue, 1, (void *[]){ out }, NULL, NULL, 0, NULL, NULL),
		"clEnqueueSVMFree");
	clFinish(c.queue);
	clSVMFree(c.context, nodes);
	cl_done(kernel);
}

int main(void)
{
	cl_start(&c);
	test_map();
	test_parts();
	test_image();
	test_image_in_place();
	test_shared();
	cl_stop(&c);
	return done();
}
