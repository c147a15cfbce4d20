// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: the books of the pool
 *
 * Every slice is free, with the host's own DRM device, absent, with one vGPU, or shared; what
 * the slices say is added up and compared with what each vGPU's blueprint says that it has,
 * and so is the memory.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "books.h"
#include "client.h"

#define GPU "/sys/class/tessera/gpu0"
#define MDEVS "/sys/bus/mdev/devices"

/* What the slices say */
struct count {
	unsigned int idle;
	unsigned int used;
	unsigned int members;
	unsigned int wrong;
};

/* What the vGPUs say */
struct claims {
	unsigned int used;
	unsigned int members;
	unsigned int vgpus;
	long long memory;
	unsigned int wrong;
};

static const struct client nobody;

long long gpu_value(const char *file)
{
	char path[PATH_MAX], buf[32];
	int ret;

	snprintf(path, sizeof(path), GPU "/%s", file);
	ret = file_read(path, buf, sizeof(buf));
	return ret ? ret : atoll(buf);
}

static bool is_mdev(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), MDEVS "/%s", name);
	return !access(path, F_OK);
}

static void count_slice(struct count *c, unsigned int n)
{
	char state[32], owner[64];
	long long members = slice_value(&nobody, n, "members");

	if (slice_string(&nobody, n, "state", state, sizeof(state)) ||
	    slice_string(&nobody, n, "owner", owner, sizeof(owner))) {
		c->wrong++;
		return;
	}
	if (!strcmp(state, "free") || !strcmp(state, "elastic")) {
		c->idle++;
		if ((*owner && strcmp(owner, "drm")) || members) {
			printf("# slice %u is %s, but of \"%s\", members %lld\n", n, state, owner,
			       members);
			c->wrong++;
		}
	} else if (!strcmp(state, "used") && is_mdev(owner)) {
		c->used++;
	} else if (!strcmp(state, "shared") && members > 0 && (!*owner || is_mdev(owner))) {
		c->members += members;
	} else {
		printf("# slice %u is %s, of \"%s\", members %lld\n", n, state, owner, members);
		c->wrong++;
	}
}

unsigned int books_owned(const char *uuid, uint64_t *mask)
{
	unsigned int n = slice_count(&nobody), i, owned = 0;
	char state[32], owner[64];

	*mask = 0;
	for (i = 0; i < n; i++) {
		if (slice_string(&nobody, i, "state", state, sizeof(state)) ||
		    slice_string(&nobody, i, "owner", owner, sizeof(owner)) ||
		    strcmp(state, "used") || strcmp(owner, uuid))
			continue;
		owned++;
		*mask |= 1ULL << i;
	}
	return owned;
}

static void claim(struct claims *all, const char *uuid)
{
	char text[SHAPE_TEXT_MAX];
	struct shape s = { 0 };
	uint64_t mask;
	int ret = attr_read(uuid, "blueprint", text, sizeof(text));

	ret = ret ? ret : shape_parse(text, &s);
	if (ret == -ENODATA)
		ret = 0;
	if (ret) {
		printf("# %.8s: blueprint: %s\n", uuid, strerror(-ret));
		all->wrong++;
		return;
	}
	all->vgpus += s.slices > 0;
	all->memory += s.max * s.memory;
	if (s.shared)
		all->members += s.max;
	else
		all->used += s.slices;
	if (!s.shared && books_owned(uuid, &mask) != s.slices) {
		printf("# %.8s has slices %#llx, but \"%s\"\n", uuid, (unsigned long long)mask,
		       text);
		all->wrong++;
	}
}

/* Names in a directory, each to @each; their number */
static unsigned int list(const char *path, void (*each)(struct claims *, const char *),
			 struct claims *all)
{
	DIR *d = opendir(path);
	struct dirent *e;
	unsigned int n = 0;

	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.' || !strcmp(e->d_name, "drm"))
			continue;
		n++;
		if (each)
			each(all, e->d_name);
	}
	if (d)
		closedir(d);
	return n;
}

static unsigned int differs(const char *what, long long want, long long seen)
{
	if (want == seen)
		return 0;
	printf("# %s: %lld, not %lld\n", what, seen, want);
	return 1;
}

unsigned int books_wrong(const struct books *b)
{
	struct claims all = { 0 };
	struct count c = { 0 };
	unsigned int i, wrong;

	for (i = 0; i < b->slices; i++)
		count_slice(&c, i);
	list(MDEVS, claim, &all);
	wrong = c.wrong + all.wrong;
	wrong += differs("slices that are used", all.used, c.used);
	wrong += differs("members of shared slices", all.members, c.members);
	wrong += differs("slices_free", c.idle, gpu_value("slices_free"));
	wrong += differs("vram_free", b->vram_free - all.memory, gpu_value("vram_free"));
	wrong += differs("vGPUs", all.vgpus, list(GPU "/vgpus", NULL, NULL));
	return wrong;
}

static void list_types(struct books *b)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s/mdev_supported_types", gpu_dir() ?: "/none");
	d = opendir(path);
	while (d && (e = readdir(d)) && b->types < BOOKS_TYPES) {
		const char *name = strchr(e->d_name, '-');

		if (!name)
			continue;
		snprintf(b->names[b->types], sizeof(b->names[0]), "%.31s", name + 1);
		b->available[b->types] = mdev_available(b->names[b->types]);
		b->types++;
	}
	if (d)
		closedir(d);
}

void books_open(struct books *b)
{
	memset(b, 0, sizeof(*b));
	b->slices = slice_count(&nobody);
	b->vram_free = gpu_value("vram_free");
	b->pins = pins_held();
	list_types(b);
}

unsigned int books_unclosed(const struct books *b)
{
	unsigned int wrong = books_wrong(b), i;
	long long pins = pins_held();

	wrong += differs("mdevs", 0, list(MDEVS, NULL, NULL));
	wrong += differs("slices_free", b->slices, gpu_value("slices_free"));
	wrong += differs("vram_free", b->vram_free, gpu_value("vram_free"));
	for (i = 0; i < b->types; i++)
		wrong += differs(b->names[i], b->available[i], mdev_available(b->names[i]));
	if (pins > b->pins) {
		printf("# pages held: %lld before, %lld after\n", b->pins, pins);
		wrong++;
	}
	return wrong;
}
