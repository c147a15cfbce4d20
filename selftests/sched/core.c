// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: the core's view of clients and slices, in sysfs
 *
 * A vGPU is found under the GPU that it is on, whatever the number of that.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

#define CLASS "/sys/class/tessera"

/* Directory of the GPU that has the vGPU */
static void gpu_path(const struct client *c, char *path, size_t size)
{
	DIR *d = opendir(CLASS);
	struct dirent *e;

	snprintf(path, size, CLASS "/gpu0");
	while (d && (e = readdir(d))) {
		char vgpu[PATH_MAX];

		snprintf(vgpu, sizeof(vgpu), CLASS "/%.16s/vgpus/%s", e->d_name, c->v.uuid);
		if (e->d_name[0] != '.' && !access(vgpu, F_OK))
			snprintf(path, size, CLASS "/%.16s", e->d_name);
	}
	if (d)
		closedir(d);
}

void client_path(const struct client *c, const char *file, char *path, size_t size)
{
	char gpu[64];

	gpu_path(c, gpu, sizeof(gpu));
	snprintf(path, size, "%s/vgpus/%s/%s", gpu, c->v.uuid, file);
}

static void slice_path(const struct client *c, int n, const char *file, char *path, size_t size)
{
	char gpu[64];

	gpu_path(c, gpu, sizeof(gpu));
	snprintf(path, size, "%s/slices/slice%d/%s", gpu, n, file);
}

static int read_string(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return -EIO;
	buf[n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return 0;
}

static long long read_value(const char *path)
{
	char buf[32];
	int ret = read_string(path, buf, sizeof(buf));

	if (ret)
		printf("# %s: %s\n", path, strerror(-ret));
	return ret ? ret : atoll(buf);
}

static int write_value(const char *path, long long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld\n", value);
	return file_write(path, text);
}

long long client_value(const struct client *c, const char *file)
{
	char path[PATH_MAX];

	client_path(c, file, path, sizeof(path));
	return read_value(path);
}

int client_set(const struct client *c, const char *file, const char *text)
{
	char path[PATH_MAX];

	client_path(c, file, path, sizeof(path));
	return file_write(path, text);
}

int client_set_value(const struct client *c, const char *file, long long value)
{
	char path[PATH_MAX];

	client_path(c, file, path, sizeof(path));
	return write_value(path, value);
}

long long slice_value(const struct client *c, int n, const char *file)
{
	char path[PATH_MAX];

	slice_path(c, n, file, path, sizeof(path));
	return read_value(path);
}

int slice_set(const struct client *c, int n, const char *file, const char *text)
{
	char path[PATH_MAX];

	slice_path(c, n, file, path, sizeof(path));
	return file_write(path, text);
}

int slice_set_value(const struct client *c, int n, const char *file, long long value)
{
	char path[PATH_MAX];

	slice_path(c, n, file, path, sizeof(path));
	return write_value(path, value);
}

int slice_string(const struct client *c, int n, const char *file, char *buf, size_t size)
{
	char path[PATH_MAX];

	slice_path(c, n, file, path, sizeof(path));
	return read_string(path, buf, size);
}

int slice_count(const struct client *c)
{
	char path[PATH_MAX];
	int n = 0;

	for (;; n++) {
		slice_path(c, n, "state", path, sizeof(path));
		if (access(path, F_OK))
			return n;
	}
}

int client_slice(const struct client *c)
{
	return client_value(c, "vslice0/slice");
}

int client_move(const struct client *c, int slice)
{
	return client_set_value(c, "vslice0/slice", slice);
}

int clients_together(struct client *c, unsigned int n)
{
	int slice = client_slice(&c[0]), ret;
	unsigned int i;

	for (i = 1; slice >= 0 && i < n; i++) {
		ret = client_slice(&c[i]) == slice ? 0 : client_move(&c[i], slice);
		if (ret)
			return ret;
	}
	return slice;
}

void fresh_start(void)
{
	static const struct client nobody;
	int n = slice_count(&nobody), i;

	mdev_remove_all();
	for (i = 0; i < n; i++) {
		slice_set(&nobody, i, "policy", "fair");
		slice_set(&nobody, i, "quantum_us", "2000");
		slice_set(&nobody, i, "preempt_timeout_us", "10000");
	}
}
