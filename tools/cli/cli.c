// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: options and messages
 *
 * Errors go to standard error as text, or to standard output as {"error": "..."} with
 * --json, so that a program that reads JSON gets to see why there is none.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "value.h"

#define MESSAGE_MAX 2048

static const char *json_text(struct json_object *obj)
{
	json_object_object_add(obj, "json_version", json_object_new_int(CLI_JSON_VERSION));
	return json_object_to_json_string_ext(obj, JSON_C_TO_STRING_SPACED);
}

static void print_error(const struct cli *cli, char *text)
{
	struct json_object *obj;

	/* It may quote what was typed, or a file */
	text_clean(text);
	fflush(stdout);
	if (!cli->json) {
		fprintf(stderr, "tesseractl: %s\n", text);
		return;
	}
	obj = json_object_new_object();
	json_object_object_add(obj, "error", json_object_new_string(text));
	puts(json_text(obj));
	fflush(stdout);
	json_object_put(obj);
}

int cli_error(const struct cli *cli, const char *fmt, ...)
{
	char text[MESSAGE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	print_error(cli, text);
	return CLI_FAILED;
}

int cli_usage(const struct cli *cli, const struct cli_command *cmd, const char *fmt, ...)
{
	char text[MESSAGE_MAX];
	size_t len;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	len = strlen(text);
	snprintf(text + len, sizeof(text) - len, " (try tesseractl %s%s--help)",
		 cmd ? cmd->name : "", cmd ? " " : "");
	print_error(cli, text);
	return CLI_USAGE;
}

static bool take_common(struct cli *cli, int opt)
{
	switch (opt) {
	case CLI_OPT_JSON:
		cli->json = true;
		return true;
	case CLI_OPT_SYSFS:
		cli->sysfs = optarg;
		return true;
	case CLI_OPT_TRACEFS:
		cli->tracefs = optarg;
		return true;
	default:
		return false;
	}
}

int cli_parse(struct cli *cli, const struct cli_command *cmd, const struct cli_parse *parse,
	      int argc, char **argv, int *status)
{
	int opt;

	optind = 0;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":jh", parse->options, NULL)) != -1) {
		if (take_common(cli, opt))
			continue;
		*status = CLI_OK;
		if (opt == CLI_OPT_HELP)
			fputs(cmd->help, stdout);
		else if (opt == ':')
			*status = cli_usage(cli, cmd, "%s needs a value", argv[optind - 1]);
		else if (opt == '?')
			*status = cli_usage(cli, cmd, "unknown option %s for %s", argv[optind - 1],
					    cmd->name);
		else if (parse->own(cli, opt, optarg, parse->ctx))
			continue;
		else
			*status = CLI_USAGE;
		return -1;
	}
	return optind;
}

int cli_parse_common(struct cli *cli, const struct cli_command *cmd, int argc, char **argv,
		     int *status)
{
	static const struct option options[] = { CLI_COMMON_OPTIONS, { 0 } };
	const struct cli_parse parse = { .options = options };

	return cli_parse(cli, cmd, &parse, argc, argv, status);
}

int cli_flush(const struct cli *cli)
{
	if (!fflush(stdout) && !ferror(stdout))
		return CLI_OK;
	/* A reader that has seen enough ("| head") is no reason for a message */
	if (errno == EPIPE)
		return CLI_FAILED;
	return cli_error(cli, "cannot write the output: %s", strerror(errno));
}

int cli_print_json(const struct cli *cli, struct json_object *obj)
{
	const char *text = obj ? json_text(obj) : NULL;
	int status;

	if (!text) {
		json_object_put(obj);
		return cli_error(cli, "out of memory");
	}
	puts(text);
	status = cli_flush(cli);
	json_object_put(obj);
	return status;
}
