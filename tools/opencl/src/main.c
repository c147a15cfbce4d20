// SPDX-License-Identifier: MIT
/**
 * DOC: OpenCL on Tessera GPUs
 *
 * PoCL has the platform: objects, checks of arguments, the order of commands, and the compiler to
 * bitcode. A driver makes memory, code and the execution of commands of that. This one uses
 * libtessera for all of it, so that an OpenCL program follows a recomposition of its vGPU, and
 * learns of faults, as any other program of the library does.
 *
 * Every buffer has the same address on the CPU and the GPU. So PoCL's helpers that copy by CPU
 * work on it, mapping it is free, and fine-grained shared memory is nothing special.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

#include "common_driver.h"
#include "devices.h"
#include "pocl_util.h"

void pocl_tessera_init_device_ops(struct pocl_device_ops *ops);

void tess_cl_report(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "tessera: %s\n", text);
}

/* All GPUs, unless the user says how many (POCL_DEVICES) or which (TESSERA_DEVICE). */
static unsigned int probe(struct pocl_device_ops *ops)
{
	int wanted = pocl_device_get_env_count(ops->device_name);
	int found = tess_list_devices(NULL, 0);
	const char *which = getenv("TESSERA_DEVICE");

	if (found < 0)
		return 0;
	if (found && which && *which)
		found = 1;
	return (unsigned int)(wanted >= 0 && wanted < found ? wanted : found);
}

static int open_device(struct tess_cl_device *d, unsigned int index, const char *parameters)
{
	const char *which = getenv("TESSERA_DEVICE");
	char number[16];

	snprintf(number, sizeof(number), "%u", index);
	if (parameters && *parameters)
		which = parameters;
	else if (!which || !*which)
		which = number;
	return tess_open(which, &d->tess);
}

static void close_device(struct tess_cl_device *d)
{
	tess_close(d->tess);
	d->tess = NULL;
}

static cl_int init(unsigned int index, cl_device_id device, const char *parameters)
{
	struct tess_cl_device *d = calloc(1, sizeof(*d));
	cl_int ret;

	if (!d)
		return CL_OUT_OF_HOST_MEMORY;
	pthread_mutex_init(&d->memory_lock, NULL);
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->work, NULL);
	device->data = d;
	device->available = &d->available;
	if (open_device(d, index, parameters)) {
		tess_cl_report("%s", tess_strerror(NULL));
		return CL_DEVICE_NOT_FOUND;
	}
	ret = tess_cl_describe(device, d);
	if (ret == CL_SUCCESS)
		ret = tess_cl_workers_start(d);
	if (ret != CL_SUCCESS)
		close_device(d);
	d->available = ret == CL_SUCCESS;
	return ret;
}

/* PoCL takes a device away that no context uses: it keeps what it knows of it. */
static cl_int uninit(unsigned int index, cl_device_id device)
{
	struct tess_cl_device *d = device->data;

	(void)index;
	tess_cl_workers_stop(d);
	tess_cl_memory_fini(d);
	close_device(d);
	return CL_SUCCESS;
}

static cl_int reinit(unsigned int index, cl_device_id device, const char *parameters)
{
	struct tess_cl_device *d = device->data;
	cl_int ret;

	if (open_device(d, index, parameters))
		return CL_DEVICE_NOT_AVAILABLE;
	ret = tess_cl_workers_start(d);
	if (ret != CL_SUCCESS)
		close_device(d);
	return ret;
}

/*
 * Binaries fit every Tessera GPU. They go with what the driver links to them and with its
 * compiler, whose checksum the Makefile gives: PoCL's cache has none of another driver.
 */
static char *build_hash(cl_device_id device)
{
	(void)device;
	return strdup("tessera-rv64imafdc_zba_zbb_zbs-" TESS_CL_CODE);
}

__attribute__((visibility("default"))) void
pocl_tessera_init_device_ops(struct pocl_device_ops *ops)
{
	ops->device_name = TESS_CL_NAME;
	ops->probe = probe;
	ops->init = init;
	ops->uninit = uninit;
	ops->reinit = reinit;
	ops->build_hash = build_hash;
	tess_cl_memory_ops(ops);
	tess_cl_image_ops(ops);
	tess_cl_compile_ops(ops);
	tess_cl_command_ops(ops);
}
