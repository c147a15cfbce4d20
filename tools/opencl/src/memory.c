// SPDX-License-Identifier: MIT
/**
 * DOC: memory
 *
 * A buffer of OpenCL is a buffer of libtessera that CPU and GPU have at the same address
 * (TESS_BUFFER_SAME), which pocl_mem_identifier::mem_ptr then means for both. It is made in the
 * memory of the GPU, but for one that the program wants to be near to the CPU
 * (CL_MEM_ALLOC_HOST_PTR), and for shared memory.
 */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

#include "common_driver.h"
#include "pocl_util.h"

/**
 * struct tess_cl_memory - shared memory of a program
 * @link: in tess_cl_device::memory
 * @buf: constant
 */
struct tess_cl_memory {
	LIST_ENTRY(tess_cl_memory) link;
	struct tess_buffer *buf;
};

static cl_int create(struct tess_cl_device *d, size_t size, unsigned int flags,
		     struct tess_buffer **buf)
{
	int ret;

	ret = tess_buffer_create(d->tess, size, flags | TESS_BUFFER_SAME, TESS_NEAR_ANY, buf);
	if (ret)
		POCL_MSG_ERR("%s\n", tess_strerror(d->tess));
	return ret ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS;
}

/* ---- buffers ---- */

/* The program wants to get at it without copies: its memory is that of the GPU's buffer. */
static void share(cl_mem mem, pocl_mem_identifier *p, const void *content)
{
	mem->mem_host_ptr = p->mem_ptr;
	mem->mem_host_ptr_refcount = 1;
	mem->mem_host_ptr_version = 0;
	if (!(mem->flags & CL_MEM_COPY_HOST_PTR) || !content)
		return;
	memcpy(p->mem_ptr, content, mem->size);
	mem->mem_host_ptr_version = 1;
	mem->latest_version = 1;
	p->version = 1;
}

static cl_int alloc_mem_obj(cl_device_id device, cl_mem mem, void *host_ptr)
{
	pocl_mem_identifier *p = &mem->device_ptrs[device->global_mem_id];
	bool near_cpu = mem->flags & CL_MEM_ALLOC_HOST_PTR;
	struct tess_buffer *buf;
	cl_int ret;

	p->version = 0;
	p->extra_ptr = NULL;
	if (mem->flags & CL_MEM_USE_HOST_PTR && mem->mem_host_ptr_is_svm) {
		p->version = mem->mem_host_ptr_version;
		p->mem_ptr = mem->mem_host_ptr;
		p->device_addr = p->mem_ptr;
		return CL_SUCCESS;
	}
	ret = create(device->data, mem->size, near_cpu ? TESS_BUFFER_SYSTEM : TESS_BUFFER_VRAM,
		     &buf);
	if (ret)
		return ret;
	p->extra_ptr = buf;
	p->mem_ptr = tess_buffer_map(buf);
	p->device_addr = p->mem_ptr;
	p->is_pinned = mem->has_device_address;
	if (near_cpu && !mem->mem_host_ptr)
		share(mem, p, host_ptr);
	return CL_SUCCESS;
}

static void free_mem_obj(cl_device_id device, cl_mem mem)
{
	pocl_mem_identifier *p = &mem->device_ptrs[device->global_mem_id];

	if (p->extra_ptr && mem->mem_host_ptr == p->mem_ptr) {
		mem->mem_host_ptr = NULL;
		mem->mem_host_ptr_refcount = 0;
		mem->mem_host_ptr_version = 0;
	}
	tess_buffer_destroy(p->extra_ptr);
	p->extra_ptr = NULL;
	p->mem_ptr = NULL;
	p->device_addr = NULL;
	p->version = 0;
}

/* ---- mappings ---- */

/* Where the program sees it: in its own memory if it gave some, else in the buffer itself. */
static cl_int get_mapping_ptr(void *data, pocl_mem_identifier *id, cl_mem mem, mem_mapping_t *map)
{
	bool users = mem->flags & CL_MEM_USE_HOST_PTR;

	(void)data;
	map->host_ptr = (char *)(users ? mem->mem_host_ptr : id->mem_ptr) + map->offset;
	return CL_SUCCESS;
}

static cl_int free_mapping_ptr(void *data, pocl_mem_identifier *id, cl_mem mem, mem_mapping_t *map)
{
	(void)data;
	(void)id;
	(void)mem;
	map->host_ptr = NULL;
	return CL_SUCCESS;
}

/* ---- shared memory ---- */

static void *svm_alloc(cl_device_id device, cl_svm_mem_flags flags, size_t size)
{
	struct tess_cl_device *d = device->data;
	struct tess_cl_memory *m = malloc(sizeof(*m));

	(void)flags;
	if (!m)
		return NULL;
	if (create(d, size, TESS_BUFFER_SYSTEM, &m->buf)) {
		free(m);
		return NULL;
	}
	pthread_mutex_lock(&d->memory_lock);
	LIST_INSERT_HEAD(&d->memory, m, link);
	pthread_mutex_unlock(&d->memory_lock);
	return tess_buffer_map(m->buf);
}

static void release(struct tess_cl_memory *m)
{
	tess_buffer_destroy(m->buf);
	free(m);
}

static void svm_free(cl_device_id device, void *ptr)
{
	struct tess_cl_device *d = device->data;
	struct tess_cl_memory *m;

	pthread_mutex_lock(&d->memory_lock);
	LIST_FOREACH(m, &d->memory, link) {
		if (tess_buffer_map(m->buf) == ptr)
			break;
	}
	if (m)
		LIST_REMOVE(m, link);
	pthread_mutex_unlock(&d->memory_lock);
	if (m)
		release(m);
}

void tess_cl_memory_fini(struct tess_cl_device *d)
{
	struct tess_cl_memory *m;

	while ((m = LIST_FIRST(&d->memory))) {
		LIST_REMOVE(m, link);
		release(m);
	}
}

void tess_cl_memory_ops(struct pocl_device_ops *ops)
{
	ops->alloc_mem_obj = alloc_mem_obj;
	ops->free = free_mem_obj;
	ops->read = pocl_driver_read;
	ops->read_rect = pocl_driver_read_rect;
	ops->write = pocl_driver_write;
	ops->write_rect = pocl_driver_write_rect;
	ops->copy = pocl_driver_copy;
	ops->copy_with_size = pocl_driver_copy_with_size;
	ops->copy_rect = pocl_driver_copy_rect;
	ops->memfill = pocl_driver_memfill;
	ops->map_mem = pocl_driver_map_mem;
	ops->unmap_mem = pocl_driver_unmap_mem;
	ops->get_mapping_ptr = get_mapping_ptr;
	ops->free_mapping_ptr = free_mapping_ptr;
	ops->svm_alloc = svm_alloc;
	ops->svm_free = svm_free;
	ops->svm_copy = pocl_driver_svm_copy;
	ops->svm_fill = pocl_driver_svm_fill;
	ops->svm_copy_rect = pocl_driver_svm_copy_rect;
	ops->svm_fill_rect = pocl_driver_svm_fill_rect;
	ops->get_synchronized_timestamps = pocl_driver_get_synchronized_timestamps;
}
