// SPDX-License-Identifier: GPL-2.0-or-later
/* GPUs and mdevs in sysfs */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "vgpu.h"

#define MDEV_BUS "/sys/class/mdev_bus"
#define MDEVS "/sys/bus/mdev/devices"

const char *gpu_name(void)
{
	static char name[64];
	struct dirent *e;
	DIR *d;

	if (*name)
		return name;
	d = opendir(MDEV_BUS);
	while (d && (e = readdir(d)) && !*name) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), MDEV_BUS "/%s/mdev_supported_types/%s-C1", e->d_name,
			 gpu_driver());
		if (e->d_name[0] != '.' && !access(path, F_OK))
			snprintf(name, sizeof(name), "%.63s", e->d_name);
	}
	if (d)
		closedir(d);
	return *name ? name : NULL;
}

const char *gpu_dir(void)
{
	static char dir[128];

	if (!gpu_name())
		return NULL;
	snprintf(dir, sizeof(dir), MDEV_BUS "/%s", gpu_name());
	return dir;
}

int gpu_class(char *path, size_t size)
{
	char pattern[PATH_MAX];
	int ret = -ENODEV;
	glob_t g;

	if (!gpu_name())
		return ret;
	/* It has another number each time that it comes back */
	snprintf(pattern, sizeof(pattern), "/sys/bus/pci/devices/%s/tessera/gpu*", gpu_name());
	if (!glob(pattern, 0, NULL, &g) && g.gl_pathc == 1) {
		snprintf(path, size, "%s", g.gl_pathv[0]);
		ret = 0;
	}
	globfree(&g);
	return ret;
}

int file_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0;
	size_t len = 0;

	if (fd < 0)
		return -errno;
	while (len < size - 1 && (n = read(fd, buf + len, size - 1 - len)) > 0)
		len += n;
	if (n < 0)
		n = -errno;
	buf[len] = 0;
	close(fd);
	return n < 0 ? n : 0;
}

int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static void type_path(char *path, const char *type, const char *file)
{
	snprintf(path, PATH_MAX, "%s/mdev_supported_types/%s-%s/%s", gpu_dir() ?: "/none",
		 gpu_driver(), type, file);
}

int mdev_available(const char *type)
{
	char path[PATH_MAX], buf[32];
	int ret;

	type_path(path, type, "available_instances");
	ret = file_read(path, buf, sizeof(buf));
	return ret ? ret : atoi(buf);
}

int mdev_create_on(const char *pci, const char *type, char *uuid)
{
	char path[PATH_MAX];
	int ret;

	ret = file_read("/proc/sys/kernel/random/uuid", uuid, 37);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), MDEV_BUS "/%s/mdev_supported_types/%s-%s/create", pci,
		 gpu_driver(), type);
	return file_write(path, uuid);
}

int mdev_create(const char *type, char *uuid)
{
	return gpu_name() ? mdev_create_on(gpu_name(), type, uuid) : -ENODEV;
}

int mdev_remove(const char *uuid)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), MDEVS "/%s/remove", uuid);
	return file_write(path, "1");
}

void mdev_remove_all(void)
{
	struct dirent *e;
	DIR *d = opendir(MDEVS);

	while (d && (e = readdir(d))) {
		if (e->d_name[0] != '.')
			mdev_remove(e->d_name);
	}
	if (d)
		closedir(d);
}

long long mdev_stat(const char *uuid, const char *name)
{
	char path[PATH_MAX], buf[32];
	int ret;

	snprintf(path, sizeof(path), MDEVS "/%s/stats/%s", uuid, name);
	ret = file_read(path, buf, sizeof(buf));
	return ret ? ret : atoll(buf);
}

int mdev_attr_write(const char *uuid, const char *name, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), MDEVS "/%s/%s", uuid, name);
	return file_write(path, text);
}

const char *mdev_attr(const char *uuid, const char *name)
{
	static _Thread_local char buf[16384];
	char path[PATH_MAX];

	snprintf(path, sizeof(path), MDEVS "/%s/%s", uuid, name);
	if (file_read(path, buf, sizeof(buf)))
		*buf = 0;
	if (*buf)
		buf[strlen(buf) - 1] = 0;
	return buf;
}

long long pool_value(const char *name)
{
	char path[PATH_MAX], file[PATH_MAX + 64], buf[32];
	int ret;

	ret = gpu_class(path, sizeof(path));
	if (ret)
		return ret;
	snprintf(file, sizeof(file), "%s/%.60s", path, name);
	ret = file_read(file, buf, sizeof(buf));
	return ret ? ret : atoll(buf);
}

/* Path of a file of a vslice in the core's part of sysfs; false: there is none */
static bool vslice_path(const char *uuid, unsigned int vslice, const char *name, char *path)
{
	char pattern[PATH_MAX];
	bool found;
	glob_t g;

	snprintf(pattern, sizeof(pattern), "/sys/class/tessera/gpu*/vgpus/%s/vslice%u/%s", uuid,
		 vslice, name);
	found = !glob(pattern, 0, NULL, &g) && g.gl_pathc == 1;
	if (found)
		snprintf(path, PATH_MAX, "%s", g.gl_pathv[0]);
	globfree(&g);
	return found;
}

int vslice_get(const char *uuid, unsigned int vslice, const char *name)
{
	char path[PATH_MAX], buf[32];
	int ret;

	if (!vslice_path(uuid, vslice, name, path))
		return -ENOENT;
	ret = file_read(path, buf, sizeof(buf));
	return ret ? ret : atoi(buf);
}

int vslice_move(const char *uuid, unsigned int vslice, int slice)
{
	char path[PATH_MAX], text[16];

	if (!vslice_path(uuid, vslice, "slice", path))
		return -ENOENT;
	snprintf(text, sizeof(text), "%d", slice);
	return file_write(path, text);
}

static long long vmstat(const char *name)
{
	char key[64];
	long long val;
	FILE *f = fopen("/proc/vmstat", "re");

	while (f && fscanf(f, "%63s %lld", key, &val) == 2) {
		if (!strcmp(key, name)) {
			fclose(f);
			return val;
		}
	}
	if (f)
		fclose(f);
	return -ENOENT;
}

uint64_t physical(const void *p)
{
	FILE *f = fopen("/proc/self/pagemap", "re");
	uint64_t entry = 0;

	if (!f)
		return 0;
	if (fseek(f, (uintptr_t)p / PAGE * 8, SEEK_SET) || fread(&entry, 8, 1, f) != 1)
		entry = 0;
	fclose(f);
	return (entry & ((1ULL << 55) - 1)) * PAGE;
}

long long pins_held(void)
{
	/* The counters are per processor and added up now and then: now */
	if (file_write("/proc/sys/vm/stat_refresh", "1"))
		return -EIO;
	return vmstat("nr_foll_pin_acquired") - vmstat("nr_foll_pin_released");
}
