// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: tesseractl set
 *
 * All settings are checked before the first is written, and if the kernel refuses one,
 * those before it get their old values back: all of a command takes effect, or nothing.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attr.h"
#include "cli.h"
#include "find.h"
#include "knob.h"
#include "write.h"

#define SETTINGS_MAX 3

/**
 * struct setting - a change
 * @knob: what
 * @to: new value
 * @from: old one, "-" if it cannot be read
 */
struct setting {
	const struct knob *knob;
	char to[KNOB_VALUE];
	char from[KNOB_VALUE];
};

static int bad_value(const struct cli *cli, const struct knob *knob, const char *value)
{
	char allowed[KNOB_ALLOWED];

	return cli_error(cli, "%s cannot be %s; allowed: %s", knob->name, *value ? value : "empty",
			 knob_allowed(allowed, knob));
}

static int parse_setting(const struct cli *cli, const struct cli_command *cmd,
			 const struct find *found, const char *text, struct setting *setting)
{
	const struct knob *knobs = found->slice ? knobs_of_slices : knobs_of_vgpus;
	const char *equals = strchr(text, '=');

	if (!equals)
		return cli_usage(cli, cmd, "%s is not of the form KEY=VALUE", text);
	setting->knob = knob_find(knobs, text, (size_t)(equals - text));
	if (!setting->knob)
		return cli_usage(cli, cmd, "a %s has no %.*s; it has %s, %s, %s",
				 found->slice ? "slice" : "vGPU", (int)(equals - text), text,
				 knobs[0].name, knobs[1].name, knobs[2].name);
	if (!knob_fits(setting->knob, equals + 1))
		return bad_value(cli, setting->knob, equals + 1);
	snprintf(setting->to, sizeof(setting->to), "%s", equals + 1);
	return CLI_OK;
}

static int parse_settings(const struct cli *cli, const struct cli_command *cmd,
			  const struct find *found, char **argv, int count,
			  struct setting *settings)
{
	int i, j, status;

	for (i = 0; i < count; i++) {
		status = parse_setting(cli, cmd, found, argv[i], &settings[i]);
		if (status)
			return status;
		for (j = 0; j < i; j++)
			if (settings[j].knob == settings[i].knob)
				return cli_usage(cli, cmd, "%s is given twice",
						 settings[i].knob->name);
	}
	return CLI_OK;
}

static void undo(int dir, const struct setting *settings, int count)
{
	while (count--)
		attr_write(dir, settings[count].knob->name, settings[count].from);
}

static int write_settings(const struct cli *cli, int dir, struct setting *settings, int count)
{
	int i, rc;

	for (i = 0; i < count; i++) {
		struct setting *s = &settings[i];

		attr_text(dir, s->knob->name, s->from, sizeof(s->from));
		rc = attr_write(dir, s->knob->name, s->to);
		if (!rc)
			continue;
		undo(dir, settings, i);
		return cli_error(cli, "cannot set %s to %s: %s%s", s->knob->name, s->to,
				 write_error(rc, s->knob->name), i ? "; nothing was changed" : "");
	}
	return CLI_OK;
}

static struct json_object *settings_json(const char *name, const struct setting *settings,
					 int count)
{
	struct json_object *obj = json_object_new_object(), *changes = json_object_new_object();
	int i;

	for (i = 0; i < count; i++) {
		struct json_object *change = json_object_new_object();

		json_object_object_add(change, "from", json_object_new_string(settings[i].from));
		json_object_object_add(change, "to", json_object_new_string(settings[i].to));
		json_object_object_add(changes, settings[i].knob->name, change);
	}
	json_object_object_add(obj, "name", json_object_new_string(name));
	json_object_object_add(obj, "set", changes);
	return obj;
}

static int print_settings(const struct cli *cli, const struct find *found,
			  const struct setting *settings, int count)
{
	char name[POOL_NAME];
	int i;

	if (found->slice)
		snprintf(name, sizeof(name), "gpu%u/slice%u", found->gpu->index,
			 found->slice->index);
	else
		snprintf(name, sizeof(name), "%s", found->vgpu->name);
	if (cli->json)
		return cli_print_json(cli, settings_json(name, settings, count));
	for (i = 0; i < count; i++)
		printf("%s: %s %s -> %s\n", name, settings[i].knob->name,
		       *settings[i].from ? settings[i].from : "-", settings[i].to);
	return cli_flush(cli);
}

static int set(const struct cli *cli, const struct cli_command *cmd, const struct pool *pool,
	       char **argv, int count)
{
	struct setting settings[SETTINGS_MAX] = { 0 };
	struct find found;
	int dir, status = find_object(cli, pool, argv[0], &found);

	if (status)
		return status;
	if (!found.vgpu && !found.slice)
		return cli_usage(cli, cmd, "a whole GPU has no settings");
	status = parse_settings(cli, cmd, &found, argv + 1, count, settings);
	if (status)
		return status;
	dir = write_open(cli, &found);
	if (dir < 0)
		return cli_error(cli, "cannot change %s: %s", argv[0], write_error(dir, ""));
	status = write_settings(cli, dir, settings, count);
	close(dir);
	return status ? status : print_settings(cli, &found, settings, count);
}

static int run(struct cli *cli, const struct cli_command *cmd, int argc, char **argv)
{
	struct pool pool;
	int at, status;

	at = cli_parse_common(cli, cmd, argc, argv, &status);
	if (at < 0)
		return status;
	if (argc - at < 2)
		return cli_usage(cli, cmd, "a vGPU or a slice, and KEY=VALUE, are required");
	if (argc - at - 1 > SETTINGS_MAX)
		return cli_usage(cli, cmd, "too many settings");
	status = find_pool(cli, POOL_STATE, &pool);
	if (status)
		return status;
	status = set(cli, cmd, &pool, argv + at, argc - at - 1);
	pool_free(&pool);
	return status;
}

const struct cli_command cmd_set = {
	.name = "set",
	.summary = "set weight, cap and policies",
	.help = "usage: tesseractl set NAME [weight=N] [cap=PERCENT] [policy=manual|auto]\n"
		"       tesseractl set gpuN/sliceM [policy=fair|fixed|besteffort]\n"
		"                      [quantum_us=N] [preempt_timeout_us=N]\n"
		"Changes a vGPU or a slice while it works. Either all settings take effect or none.\n"
		"\n"
		"  weight              1 to 10000; share of a slice relative to the others on it\n"
		"  cap                 largest percentage of a slice's time, 0: no limit\n"
		"  policy              of a vGPU: whether its vslices may be moved automatically\n"
		"  policy              of a slice: how its time is divided\n"
		"  quantum_us          100 to 1000000; length of a turn in GPU time\n"
		"  preempt_timeout_us  1000 to 10000000; GPU time in which a client has to stop\n"
		"\n" CLI_COMMON_HELP,
	.run = run,
};
