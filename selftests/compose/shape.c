// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: blueprints in sysfs
 *
 * What the kernel says is read by itself here, word by word, and not with the kernel's parser.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "driver.h"
#include "shape.h"

#define MDEVS "/sys/bus/mdev/devices"
#define PARAMETER "/sys/module/tessera/parameters/compose_fail"

static const char *const kinds[] = { "any", "compute", "render", "mixed" };
static const char *const topologies[] = { "none", "chain", "ring", "mesh" };
static const char *const engines[] = { "compute", "copy", "raster", "display" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

unsigned int pick(unsigned int n)
{
	return random() % n;
}

const char *shape_kind(uint32_t kind)
{
	return kind < COUNT(kinds) ? kinds[kind] : "?";
}

static void engines_text(uint32_t mask, char *text, size_t size)
{
	unsigned int i;

	snprintf(text, size, "%s", mask ? "" : "all");
	for (i = 0; i < COUNT(engines); i++) {
		if (mask & 1U << i)
			snprintf(text + strlen(text), size - strlen(text), "%s%s", *text ? "," : "",
				 engines[i]);
	}
}

void shape_text(const struct shape *s, char *text, size_t size)
{
	char list[64];

	engines_text(s->engines, list, sizeof(list));
	snprintf(text, size,
		 "slices=%u min=1 max=%u kind=%s memory=%lluM topology=%s engines=%s share=%s",
		 s->slices, s->max, shape_kind(s->kind), (unsigned long long)(s->memory >> 20),
		 topologies[s->topology], list, s->shared ? "shared" : "exclusive");
}

/* The value of a word, or NULL */
static const char *word(const char *text, const char *name, char *value, size_t size)
{
	size_t n = strlen(name);

	while (*text) {
		size_t len = strcspn(text, " ");

		if (len > n && !strncmp(text, name, n) && text[n] == '=') {
			snprintf(value, size, "%.*s", (int)(len - n - 1), text + n + 1);
			return value;
		}
		text += len + strspn(text + len, " ");
	}
	return NULL;
}

static int number(const char *text, const char *name, uint64_t *n)
{
	char value[32], *end;

	if (!word(text, name, value, sizeof(value)))
		return -EPROTO;
	*n = strtoull(value, &end, 10);
	switch (*end) {
	case 'G':
		*n <<= 10;
		/* fallthrough */
	case 'M':
		*n <<= 10;
		/* fallthrough */
	case 'K':
		*n <<= 10;
		end++;
	}
	return end == value || *end ? -EPROTO : 0;
}

static int choice(const char *text, const char *name, const char *const *of, unsigned int n,
		  uint32_t *which)
{
	char value[32];

	if (!word(text, name, value, sizeof(value)))
		return -EPROTO;
	for (*which = 0; *which < n; ++*which) {
		if (!strcmp(of[*which], value))
			return 0;
	}
	return -EPROTO;
}

static int engine_list(const char *text, uint32_t *mask)
{
	char value[64], *name, *at;
	uint32_t i;

	if (!word(text, "engines", value, sizeof(value)))
		return -EPROTO;
	*mask = 0;
	if (!strcmp(value, "all"))
		return 0;
	for (name = strtok_r(value, ",", &at); name; name = strtok_r(NULL, ",", &at)) {
		for (i = 0; i < COUNT(engines) && strcmp(engines[i], name); i++)
			;
		if (i == COUNT(engines))
			return -EPROTO;
		*mask |= 1U << i;
	}
	return 0;
}

int shape_parse(const char *text, struct shape *s)
{
	static const char *const shares[] = { "exclusive", "shared" };
	uint64_t slices, max;
	uint32_t share;

	if (!strcmp(text, "none"))
		return -ENODATA;
	if (number(text, "slices", &slices) || number(text, "max", &max) ||
	    number(text, "memory", &s->memory) ||
	    choice(text, "kind", kinds, COUNT(kinds), &s->kind) ||
	    choice(text, "topology", topologies, COUNT(topologies), &s->topology) ||
	    choice(text, "share", shares, COUNT(shares), &share) ||
	    engine_list(text, &s->engines)) {
		printf("# not a canonical blueprint: %s\n", text);
		return -EPROTO;
	}
	s->slices = slices;
	s->max = max;
	s->shared = share;
	return 0;
}

void shape_random(struct shape *s, const struct shape *like)
{
	*s = *like;
	s->slices = 1 + pick(like->max);
	s->kind = pick(COUNT(kinds));
	/* Nobody else's slices are linked, so only one that has its own can be */
	s->topology = like->shared ? TESS_TOPOLOGY_NONE : pick(COUNT(topologies));
	s->engines = pick(2) ? 0 : TESS_ENGINE_COMPUTE | TESS_ENGINE_COPY;
}

static void attr_path(const char *uuid, const char *attr, char *path)
{
	snprintf(path, PATH_MAX, MDEVS "/%s/%s", uuid, attr);
}

int attr_read(const char *uuid, const char *attr, char *buf, size_t size)
{
	char path[PATH_MAX];
	int ret;

	attr_path(uuid, attr, path);
	ret = file_read(path, buf, size);
	if (!ret)
		buf[strcspn(buf, "\n")] = 0;
	return ret;
}

int attr_write(const char *uuid, const char *attr, const char *text)
{
	char path[PATH_MAX];

	attr_path(uuid, attr, path);
	return file_write(path, text);
}

int shape_blank(char *uuid)
{
	char path[PATH_MAX];

	if (!*uuid)
		return mdev_create("blank", uuid);
	snprintf(path, sizeof(path), "%s/mdev_supported_types/%s-blank/create", gpu_dir(),
		 gpu_driver());
	return file_write(path, uuid);
}

int shape_write(const char *uuid, const struct shape *s)
{
	char text[SHAPE_TEXT_MAX];

	shape_text(s, text, sizeof(text));
	return attr_write(uuid, "blueprint", text);
}

int shape_create(const struct shape *s, char *uuid)
{
	int ret;

	*uuid = 0;
	ret = shape_blank(uuid);
	if (ret)
		return ret;
	ret = shape_write(uuid, s);
	if (ret)
		mdev_remove(uuid);
	return ret;
}

uint64_t shape_generation(const char *uuid)
{
	char line[SHAPE_TEXT_MAX];
	uint64_t n;

	if (attr_read(uuid, "composition", line, sizeof(line)) || number(line, "generation", &n))
		return 0;
	return n;
}

bool last_error_is(const char *uuid, int rc)
{
	const char *want = rc ? strerrorname_np(-rc) : "none";
	char text[SHAPE_TEXT_MAX];
	size_t n = strlen(want);

	if (!attr_read(uuid, "last_error", text, sizeof(text)) && !strncmp(text, want, n) &&
	    (rc ? text[n] == ':' && text[n + 1] == ' ' && text[n + 2] : !text[n]))
		return true;
	printf("# %.8s: %s, but last_error is \"%s\"\n", uuid, want, text);
	return false;
}

int inject_failure(unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	return file_write(PARAMETER, text);
}
