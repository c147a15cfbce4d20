// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: tesseractl profile
 *
 * What a vGPU's workload does, in the grammar in which "compose --profile" takes it. The
 * file of a mediated device says it all; of another vGPU, or with an older module, what
 * is measured of its vslices makes one.
 */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attr.h"
#include "cli.h"
#include "find.h"
#include "mdev.h"

static bool add_value(char *buf, const char *word, struct num value)
{
	size_t len = strlen(buf);

	if (!value.known || value.v < 0)
		return false;
	snprintf(buf + len, ATTR_MAX - len, "%s%s=%" PRId64, len ? " " : "", word, value.v);
	return true;
}

static bool add_measure(char *buf, const char *word, const struct pool_vgpu *vgpu, size_t member)
{
	return add_value(buf, word, pool_vgpu_mean(vgpu, member));
}

/* From the files of the vslices; false if nothing was measured */
static bool measured(char *buf, const struct pool_vgpu *vgpu)
{
	unsigned int given = 0, i;
	size_t len;

	buf[0] = '\0';
	for (i = 0; i < vgpu->vslice_count; i++)
		given += !num_is(vgpu->vslices[i].given, 0);
	if (!add_measure(buf, "utilization", vgpu, offsetof(struct pool_vslice, utilization)))
		return false;
	add_measure(buf, "queue", vgpu, offsetof(struct pool_vslice, queue_depth));
	add_measure(buf, "shader", vgpu, offsetof(struct pool_vslice, shader_intensity));
	add_measure(buf, "texture", vgpu, offsetof(struct pool_vslice, texture_intensity));
	add_measure(buf, "pixel", vgpu, offsetof(struct pool_vslice, pixel_intensity));
	add_measure(buf, "ray", vgpu, offsetof(struct pool_vslice, ray_intensity));
	add_measure(buf, "units", vgpu, offsetof(struct pool_vslice, unit_intensity));
	add_measure(buf, "memory", vgpu, offsetof(struct pool_vslice, memory_intensity));
	add_value(buf, "fps", pool_vgpu_sum(vgpu, offsetof(struct pool_vslice, frame_rate)));
	len = strlen(buf);
	snprintf(buf + len, ATTR_MAX - len, " slices=%u", given);
	return true;
}

static int read_profile(const struct cli *cli, const struct find *found, char *buf)
{
	char path[MDEV_PATH];
	int dir, rc = -ENOENT;

	buf[0] = '\0';
	if (found->vgpu->mdev) {
		dir = mdev_open(cli, mdev_path_of(path, found->gpu, found->vgpu));
		rc = dir < 0 ? dir : attr_read(dir, "profile", buf, ATTR_MAX);
		if (dir >= 0)
			close(dir);
	}
	if (!rc)
		buf[strcspn(buf, "\n")] = '\0';
	else if (rc == -ENOENT && measured(buf, found->vgpu))
		rc = 0;
	if (rc == -ENOENT || !strcmp(buf, "none"))
		return cli_error(cli, "%s has no profile, because it has no slices",
				 found->vgpu->name);
	if (rc)
		return cli_error(cli, "cannot read the profile of %s: %s", found->vgpu->name,
				 strerror(-rc));
	text_clean(buf);
	return CLI_OK;
}

/* A member for each word: numbers as such, engines as an array */
static void add_word(struct json_object *obj, const char *word, char *value)
{
	struct num n = num_parse(value);
	struct json_object *list;
	char *name, *save = NULL;

	if (n.known || strcmp(word, "engines")) {
		json_object_object_add(obj, word,
				       n.known ? num_json(n, 1) : json_object_new_string(value));
		return;
	}
	list = json_object_new_array();
	for (name = strtok_r(value, ",", &save); name; name = strtok_r(NULL, ",", &save))
		json_object_array_add(list, json_object_new_string(name));
	json_object_object_add(obj, word, list);
}

static struct json_object *profile_json(const struct find *found, char *text)
{
	struct json_object *obj = json_object_new_object(), *words = json_object_new_object();
	char gpu[32], *word, *save = NULL;

	snprintf(gpu, sizeof(gpu), "gpu%u", found->gpu->index);
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = '\0';
		add_word(words, word, value);
	}
	json_object_object_add(obj, "vgpu", json_object_new_string(found->vgpu->name));
	json_object_object_add(obj, "gpu", json_object_new_string(gpu));
	json_object_object_add(obj, "profile", words);
	return obj;
}

static int profile(const struct cli *cli, const struct pool *pool, const char *name)
{
	char text[ATTR_MAX];
	struct find found;
	int status = find_vgpu(cli, pool, name, &found);

	if (!status)
		status = read_profile(cli, &found, text);
	if (status)
		return status;
	if (cli->json)
		return cli_print_json(cli, profile_json(&found, text));
	printf("# %s on gpu%u\n%s\n", found.vgpu->name, found.gpu->index, text);
	return cli_flush(cli);
}

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	return find_run(cli, cmd, argc, argv, "NAME is required", profile);
}

const struct cli_command cmd_profile = {
	.name = "profile",
	.summary = "print the measured profile of a workload, for compose --profile",
	.help = "usage: tesseractl profile NAME [--json]\n"
		"Prints the measured profile of a vGPU's workload, as a file for create --profile\n"
		"and compose --profile: utilization, shader, texture and memory intensity in\n"
		"permille, queue in thousandths of a packet, fps in thousandths of a picture a second\n"
		"and ops in thousand operations a picture, as programs tell them, and the number of\n"
		"slices. These words\n"
		"can be added by hand: displays=N@WIDTHxHEIGHT@HZ, path=local|remote, engines=LIST.\n"
		"\n" CLI_COMMON_HELP,
	.run = run,
};
