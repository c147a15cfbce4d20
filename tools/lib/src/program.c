// SPDX-License-Identifier: MIT
/**
 * DOC: programs
 *
 * A program lives in system memory: all slices of a vGPU reach it at the same cost,
 * whatever links they have, and shader cores keep what they decoded. Code pages are
 * read-only for the GPU, data pages are not executable.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer.h"
#include "device.h"
#include "program.h"
#include "queue.h"

#define PAGE 4096ull
#define MAX_FILE (256ll << 20)

static uint32_t bind_flags(uint32_t prot)
{
	return (prot & TESS_IMAGE_WRITE ? 0 : DRM_TESSERA_BIND_READONLY) |
	       (prot & TESS_IMAGE_EXEC ? 0 : DRM_TESSERA_BIND_NOEXEC);
}

/* Runs of pages with the same protection; pages of no segment stay unmapped. */
static unsigned int make_binds(const struct tess_image *img, struct tess_buffer_bind *binds)
{
	unsigned int n = 0;
	uint64_t at;

	for (at = 0; at < img->size; at += PAGE) {
		uint32_t prot = tess_image_page_prot(img, at);
		struct tess_buffer_bind *b = &binds[n];

		if (!prot)
			continue;
		if (n && b[-1].offset + b[-1].size == at && b[-1].flags == bind_flags(prot)) {
			b[-1].size += PAGE;
			continue;
		}
		b->offset = at;
		b->size = PAGE;
		b->flags = bind_flags(prot);
		n++;
	}
	return n;
}

static int place(struct tess_program *prog)
{
	struct tess_device *dev = prog->dev;
	struct tess_buffer_bind *binds;
	int ret;

	/* Each segment starts and ends at most one run, and pages may be shared. */
	binds = calloc(4 * (size_t)prog->image.segment_count + 1, sizeof(*binds));
	if (!binds)
		return tess_fail(dev, -ENOMEM, "out of memory");
	pthread_mutex_lock(&dev->lock);
	ret = tess_buffer_create_locked(dev, prog->image.size, TESS_BUFFER_SYSTEM, 0, binds,
					make_binds(&prog->image, binds), &prog->code);
	if (!ret) {
		ret = tess_buffer_map_locked(prog->code);
		if (ret)
			tess_buffer_destroy_locked(prog->code);
	}
	pthread_mutex_unlock(&dev->lock);
	free(binds);
	if (!ret)
		tess_image_load(&prog->image, prog->code->map, prog->code->va);
	return ret;
}

static int make_kernels(struct tess_program *prog)
{
	const struct tess_image *img = &prog->image;
	unsigned int i;

	prog->kernels = calloc((size_t)img->kernel_count + 1, sizeof(*prog->kernels));
	if (!prog->kernels)
		return tess_fail(prog->dev, -ENOMEM, "out of memory");
	for (i = 0; i < img->kernel_count; i++) {
		struct tess_kernel *k = &prog->kernels[i];

		k->prog = prog;
		k->entry = prog->code->va + img->kernels[i].entry;
		k->private_bytes = img->kernels[i].private_bytes;
		k->local_bytes = img->kernels[i].local_bytes;
		k->units = img->kernels[i].units;
		k->name = img->kernels[i].name;
	}
	return 0;
}

/* Everything but the memory on the GPU */
static void free_parts(struct tess_program *prog)
{
	struct tess_kernel *k;

	while ((k = prog->found)) {
		prog->found = k->next;
		free(k);
	}
	tess_image_fini(&prog->image);
	free(prog->kernels);
	free(prog->data);
	free(prog->name);
	free(prog);
}

static int parse(struct tess_program *prog, const void *elf, size_t size)
{
	char why[200];
	int ret;

	if (!prog->name || !prog->data)
		return tess_fail(prog->dev, -ENOMEM, "out of memory");
	memcpy(prog->data, elf, size);
	ret = tess_image_parse(&prog->image, prog->data, size, why, sizeof(why));
	if (ret == -ENOEXEC)
		return tess_fail(prog->dev, ret, "cannot load %.200s: %s", prog->name, why);
	return ret ? tess_fail(prog->dev, ret, "cannot load %.200s: %m", prog->name) : 0;
}

int tess_program_load(struct tess_device *dev, const char *name, const void *elf, size_t size,
		      struct tess_program **out)
{
	struct tess_program *prog;
	int ret;

	prog = calloc(1, sizeof(*prog));
	if (!prog)
		return tess_fail(dev, -ENOMEM, "out of memory");
	prog->dev = dev;
	prog->name = strdup(name ? name : "program");
	prog->data = malloc(size + 1);
	ret = parse(prog, elf, size);
	if (ret)
		goto err_free;
	ret = place(prog);
	if (ret)
		goto err_free;
	ret = make_kernels(prog);
	if (ret)
		goto err_code;
	pthread_mutex_lock(&dev->lock);
	LIST_INSERT_HEAD(&dev->programs, prog, link);
	pthread_mutex_unlock(&dev->lock);
	*out = prog;
	return 0;

err_code:
	tess_buffer_destroy(prog->code);
err_free:
	free_parts(prog);
	return ret;
}

static int check_file(int fd, size_t *size)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (st.st_size > MAX_FILE)
		return -EFBIG;
	*size = (size_t)st.st_size;
	return 0;
}

static int read_all(int fd, void *data, size_t *size)
{
	size_t done = 0;
	ssize_t n;

	while (done < *size) {
		n = read(fd, (char *)data + done, *size - done);
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	*size = done;
	return 0;
}

static int read_file(const char *path, void **data, size_t *size)
{
	int fd, ret;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = check_file(fd, size);
	if (ret)
		goto out;
	*data = malloc(*size + 1);
	ret = *data ? read_all(fd, *data, size) : -ENOMEM;
	if (ret)
		free(*data);
out:
	close(fd);
	return ret;
}

int tess_program_load_file(struct tess_device *dev, const char *path, struct tess_program **prog)
{
	const char *slash = strrchr(path, '/');
	void *data = NULL;
	size_t size = 0;
	int ret;

	ret = read_file(path, &data, &size);
	if (ret)
		return tess_fail(dev, ret, "cannot read %s: %m", path);
	ret = tess_program_load(dev, slash ? slash + 1 : path, data, size, prog);
	free(data);
	return ret;
}

void tess_program_free_locked(struct tess_program *prog)
{
	LIST_REMOVE(prog, link);
	tess_buffer_destroy_locked(prog->code);
	free_parts(prog);
}

void tess_program_unload(struct tess_program *prog)
{
	struct tess_device *dev;

	if (!prog)
		return;
	dev = prog->dev;
	tess_device_wait(dev, INT64_MAX);
	pthread_mutex_lock(&dev->lock);
	tess_program_free_locked(prog);
	pthread_mutex_unlock(&dev->lock);
}

struct tess_program *tess_program_at_locked(struct tess_device *dev, uint64_t va)
{
	struct tess_program *prog;

	LIST_FOREACH(prog, &dev->programs, link) {
		if (va >= prog->code->va && va - prog->code->va < prog->code->size)
			return prog;
	}
	return NULL;
}

/* A function that TESS_KERNEL() does not declare can run too, with defaults. */
static const struct tess_kernel *find_function_locked(struct tess_program *prog, const char *name)
{
	const struct tess_image *img = &prog->image;
	struct tess_kernel *k;
	unsigned int i;

	for (k = prog->found; k; k = k->next) {
		if (!strcmp(k->name, name))
			return k;
	}
	for (i = 0; i < img->symbol_count; i++) {
		if (!strcmp(img->symbols[i].name, name))
			break;
	}
	if (i == img->symbol_count)
		return NULL;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	k->prog = prog;
	k->entry = prog->code->va + img->symbols[i].start;
	k->private_bytes = TESS_DEFAULT_PRIVATE;
	k->name = img->symbols[i].name;
	k->next = prog->found;
	prog->found = k;
	return k;
}

static const struct tess_kernel *only_kernel(struct tess_program *prog)
{
	unsigned int n = prog->image.kernel_count;

	if (n == 1)
		return &prog->kernels[0];
	if (n)
		tess_fail(prog->dev, -ENOENT, "%s declares %u kernels (%s, %s...): name one",
			  prog->name, n, prog->kernels[0].name, prog->kernels[1].name);
	else
		tess_fail(prog->dev, -ENOENT,
			  "%s declares no kernel with TESS_KERNEL(): name a "
			  "function",
			  prog->name);
	return NULL;
}

const struct tess_kernel *tess_program_kernel(struct tess_program *prog, const char *name)
{
	const struct tess_kernel *k;
	unsigned int i;

	if (!name)
		return only_kernel(prog);
	for (i = 0; i < prog->image.kernel_count; i++) {
		if (!strcmp(prog->kernels[i].name, name))
			return &prog->kernels[i];
	}
	pthread_mutex_lock(&prog->dev->lock);
	k = find_function_locked(prog, name);
	pthread_mutex_unlock(&prog->dev->lock);
	if (!k)
		tess_fail(prog->dev, -ENOENT, "%s has no kernel \"%s\"", prog->name, name);
	return k;
}

const struct tess_kernel *tess_program_kernel_at(struct tess_program *prog, unsigned int index)
{
	return index < prog->image.kernel_count ? &prog->kernels[index] : NULL;
}

const char *tess_kernel_name(const struct tess_kernel *kernel)
{
	return kernel->name;
}

uint64_t tess_kernel_va(const struct tess_kernel *kernel)
{
	return kernel->entry;
}

uint32_t tess_kernel_private_bytes(const struct tess_kernel *kernel)
{
	return kernel->private_bytes;
}

uint32_t tess_kernel_local_bytes(const struct tess_kernel *kernel)
{
	return kernel->local_bytes;
}
