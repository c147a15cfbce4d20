// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: mediated devices
 *
 * The pool of /sys/class/tessera knows a vGPU as soon as it has slices. What is asked for,
 * and what was refused, are files of its mediated device, which is a directory below that
 * of the GPU: class/mdev_bus/<GPU>/<UUID>. A blank one has no slices yet, so that it is
 * only there. One that was moved to another GPU is still there; its file "gpu" says where its
 * slices are.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "attr.h"
#include "mdev.h"

#define UUID_PATTERN "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"

bool mdev_is_uuid(const char *text)
{
	const char *pattern = UUID_PATTERN;

	for (; *pattern && *text; pattern++, text++) {
		if (*pattern == '-' ? *text != '-' : !strchr("0123456789abcdef", *text))
			return false;
	}
	return *pattern == *text;
}

bool mdev_random_uuid(char uuid[MDEV_UUID])
{
	unsigned char b[16];

	if (getrandom(b, sizeof(b), 0) != sizeof(b))
		return false;
	/* Version 4, variant 1 */
	b[6] = (b[6] & 0x0f) | 0x40;
	b[8] = (b[8] & 0x3f) | 0x80;
	snprintf(uuid, MDEV_UUID,
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
		 b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
		 b[15]);
	return true;
}

/* The value of a word "name=value" of a line; false: it is not there */
static bool word_text(const char *line, const char *name, char value[NUM_TEXT])
{
	size_t len = strlen(name);

	for (; *line; line += strspn(line, " ")) {
		size_t word = strcspn(line, " ");

		if (word > len + 1 && !strncmp(line, name, len) && line[len] == '=') {
			snprintf(value, NUM_TEXT, "%.*s", (int)(word - len - 1), line + len + 1);
			return true;
		}
		line += word;
	}
	return false;
}

static struct num word_num(const char *line, const char *name)
{
	char value[NUM_TEXT];

	return word_text(line, name, value) ? num_parse(value) : NUM_UNKNOWN;
}

/* All 64 bits of it, which are more than a number has */
static bool word_mask(const char *line, const char *name, uint64_t *mask)
{
	char value[NUM_TEXT], *end;

	if (!word_text(line, name, value) || value[0] < '0' || value[0] > '9')
		return false;
	errno = 0;
	*mask = strtoull(value, &end, 0);
	return !errno && (!*end || !strcmp(end, "\n"));
}

/* Its first line; those of the slices are in the pool anyway */
static void take_composition(struct pool_vgpu *vgpu, const char *line)
{
	unsigned int i;
	uint64_t mask;

	vgpu->generation = word_num(line, "generation");
	vgpu->memory = word_num(line, "memory");
	vgpu->heads = word_num(line, "heads");
	if (!word_mask(line, "slice_mask", &mask))
		return;
	vgpu->given = num(__builtin_popcountll(mask));
	vgpu->withheld = num_since(num(vgpu->vslice_count), vgpu->given);
	for (i = 0; i < vgpu->vslice_count; i++) {
		struct pool_vslice *vslice = &vgpu->vslices[i];

		if (vslice->index < 64)
			vslice->given = num(mask >> vslice->index & 1);
	}
}

/**
 * struct parent - whose mediated devices are read
 * @pool: all GPUs
 * @gpu: parent
 */
struct parent {
	struct pool *pool;
	struct pool_gpu *gpu;
};

/* The next GPU that carries it, of words "gpuN"; NULL behind the last */
static struct pool_gpu *carrier(char **words, const struct pool *pool)
{
	const char *word = strsep(words, " ");
	int index = word ? attr_index(word, "gpu") : -1;

	return index < 0 ? NULL : pool_gpu(pool, (unsigned int)index);
}

/* What it has of other GPUs than the first */
static int read_parts(struct pool_vgpu *vgpu, char *words, const struct pool *pool)
{
	struct pool_vgpu *part;
	struct pool_gpu *gpu;
	int rc = 0;

	while (!rc && (gpu = carrier(&words, pool))) {
		part = (struct pool_vgpu *)pool_vgpu(gpu, vgpu->dir);
		if (part && part != vgpu)
			rc = pool_add_part(vgpu, part);
	}
	return rc;
}

/* The link leads to "<driver>-<type>"; types of other drivers are none of ours */
static void read_type(int dir, struct pool_vgpu *vgpu)
{
	char link[MDEV_PATH];
	ssize_t len = readlinkat(dir, "mdev_type", link, sizeof(link) - 1);
	const char *type;

	link[len < 0 ? 0 : len] = '\0';
	type = strrchr(link, '-');
	snprintf(vgpu->mdev_type, sizeof(vgpu->mdev_type), "%s", type ? type + 1 : "");
	text_clean(vgpu->mdev_type);
}

static void read_stats(int dir, struct pool_vgpu *vgpu)
{
	int stats = attr_dir(dir, "stats");

	if (stats < 0)
		return;
	pool_read_attrs(stats, pool_stats_attrs, POOL_STATE, vgpu);
	close(stats);
}

/* "WIDTHxHEIGHT" */
static void take_size(struct pool_head *head, char *size)
{
	char *height = strchr(size, 'x');

	if (!height)
		return;
	*height++ = '\0';
	head->width = num_parse(size);
	head->height = num_parse(height);
}

/* A line for each */
static void read_heads(int dir, struct pool_vgpu *vgpu)
{
	char text[ATTR_MAX], size[NUM_TEXT], *rest = text, *line;

	if (attr_read(dir, "heads", text, sizeof(text)))
		return;
	while ((line = strsep(&rest, "\n")) && vgpu->display_count < POOL_HEADS) {
		struct pool_head *head = &vgpu->displays[vgpu->display_count];

		head->head = word_num(line, "head");
		if (!head->head.known)
			continue;
		head->shown = word_num(line, "shown");
		head->damaged = word_num(line, "damaged");
		if (word_text(line, "size", size))
			take_size(head, size);
		vgpu->display_count++;
	}
}

static int read_mdev(int dir, const char *name, void *ctx)
{
	const struct parent *parent = ctx;
	char line[ATTR_MAX], gpus[ATTR_MAX], *words = gpus;
	struct pool_gpu *gpu;
	struct pool_vgpu *vgpu;

	if (!mdev_is_uuid(name))
		return 0;
	/* That of its parent, unless it says otherwise */
	attr_text(dir, "gpu", gpus, sizeof(gpus));
	gpu = carrier(&words, parent->pool) ?: parent->gpu;
	vgpu = (struct pool_vgpu *)pool_vgpu(gpu, name);
	if (!vgpu) {
		vgpu = pool_add_vgpu(gpu, name);
		if (!vgpu)
			return -ENOMEM;
		snprintf(vgpu->share, sizeof(vgpu->share), "blank");
	}
	if (read_parts(vgpu, words, parent->pool))
		return -ENOMEM;
	vgpu->mdev = true;
	snprintf(vgpu->parent, sizeof(vgpu->parent), "%s", parent->gpu->name);
	pool_read_attrs(dir, pool_mdev_attrs, POOL_STATE, vgpu);
	read_type(dir, vgpu);
	read_stats(dir, vgpu);
	read_heads(dir, vgpu);
	attr_text(dir, "composition", line, sizeof(line));
	take_composition(vgpu, line);
	return 0;
}

/* The name is what a file says: it is not to lead elsewhere */
static const char *parent_name(const char *name)
{
	bool sound = name[0] && name[0] != '.' && !strchr(name, '/');

	return sound ? name : "-";
}

const char *mdev_path(char *buf, const struct pool_gpu *gpu, const char *uuid)
{
	snprintf(buf, MDEV_PATH, "class/mdev_bus/%s%s%s", parent_name(gpu->name), uuid ? "/" : "",
		 uuid ? uuid : "");
	return buf;
}

const char *mdev_path_of(char *buf, const struct pool_gpu *gpu, const struct pool_vgpu *vgpu)
{
	const char *parent = vgpu->parent[0] ? vgpu->parent : gpu->name;

	snprintf(buf, MDEV_PATH, "class/mdev_bus/%s/%s", parent_name(parent), vgpu->dir);
	return buf;
}

const char *mdev_types_path(char *buf, const struct pool_gpu *gpu, const char *type)
{
	snprintf(buf, MDEV_PATH, "class/mdev_bus/%s/mdev_supported_types%s%s",
		 parent_name(gpu->name), type ? "/" : "", type ? type : "");
	return buf;
}

const char *mdev_file(char *buf, const struct cli *cli, const char *dir, const char *file)
{
	snprintf(buf, MDEV_PATH, "%s/%s/%s", cli->sysfs, dir, file);
	return buf;
}

static int read_parent(int root, struct pool *pool, struct pool_gpu *gpu)
{
	struct parent parent = { .pool = pool, .gpu = gpu };
	char path[MDEV_PATH];
	int dir = attr_dir(root, mdev_path(path, gpu, NULL)), rc;

	if (dir < 0)
		return 0;
	rc = attr_each(dir, read_mdev, &parent);
	close(dir);
	return rc == -ENOMEM ? rc : 0;
}

int mdev_read_all(int root, struct pool *pool)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < pool->gpu_count; i++)
		rc = read_parent(root, pool, &pool->gpus[i]);
	return rc;
}

int mdev_open(const struct cli *cli, const char *path)
{
	int root = attr_dir(AT_FDCWD, cli->sysfs), dir;

	if (root < 0)
		return root;
	dir = attr_dir(root, path);
	close(root);
	return dir;
}

int mdev_write(const struct cli *cli, const char *path, const char *file, const char *text)
{
	int dir = mdev_open(cli, path), rc;

	if (dir < 0)
		return dir;
	rc = attr_write(dir, file, text);
	close(dir);
	return rc;
}
