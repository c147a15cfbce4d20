// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: callout
 *
 * What mdevctl runs at events of a vGPU (mdevctl(8), "call-out event scripts"); libvirt
 * uses mdevctl and so this. It does three things that mdevctl cannot by itself:
 *
 * - "get attributes": the attributes of a vGPU that runs, so that its list is complete and
 *   a definition can be made from the device. It is the blueprint, and that has weight, cap
 *   and policy in it: it can be written to any vGPU, while a weight can only be written to
 *   one that shares its slices. Behind it comes the GPU that carries it, if it is not the one
 *   that it was made on: numbers of GPUs may be others after the next boot, so that a
 *   definition names one only if somebody wants it. The same holds of what planes are.
 * - "live modify": attributes are written to a vGPU that runs, all or none: where one is
 *   refused, the blueprint and the GPU of before come back. What is not named stays.
 * - before a definition, a change of it or a start: attributes that no vGPU has are refused
 *   at once, instead of at the next boot.
 *
 * A program and not a script, because mdevctl runs it twice for each vGPU that it lists,
 * and it must be there at boot: no interpreter starts, and JSON is read by a library.
 */
#include <errno.h>
#include <getopt.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "callout.h"

#define NONE "none"

/**
 * struct call - what mdevctl wants
 * @type: of the device
 * @event: pre, post, get or live
 * @action: the command, or what to get
 * @uuid: device
 */
struct call {
	const char *type;
	const char *event;
	const char *action;
	const char *uuid;
};

static int print_json(struct json_object *json)
{
	puts(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN |
							  JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(json);
	return fflush(stdout) ? CALLOUT_FAILED : CALLOUT_OK;
}

/*
 * Version 2 of the interface is the first with live. An event or action that is not in the
 * lists would make the commands fail that it is for.
 */
static int get_capabilities(const struct call *call)
{
	(void)call;
	puts("{\"supports\":{\"version\":2,"
	     "\"actions\":[\"start\",\"stop\",\"define\",\"undefine\",\"modify\","
	     "\"attributes\",\"capabilities\"],"
	     "\"events\":[\"pre\",\"post\",\"notify\",\"get\",\"live\"]}}");
	return fflush(stdout) ? CALLOUT_FAILED : CALLOUT_OK;
}

static int failed(const char *what, int rc)
{
	fprintf(stderr, "%s: %s\n", what, strerror(-rc));
	return CALLOUT_FAILED;
}

static void add_attr(struct json_object *attrs, const char *name, const char *value)
{
	struct json_object *attr = json_object_new_object();

	json_object_object_add(attr, name, json_object_new_string(value));
	json_object_array_add(attrs, attr);
}

/* @gpu carries the vGPU: is it another one than that below which the vGPU is? */
static bool is_away(int dir, const char *gpu)
{
	char path[sizeof("../tessera/gpu") + 10];
	int len = snprintf(path, sizeof(path), "../tessera/%s", gpu);

	return len < (int)sizeof(path) && faccessat(dir, path, F_OK, 0);
}

/* A blank vGPU has no blueprint, and so nothing that could be given to another */
static int get_attributes(const struct call *call)
{
	char text[ATTR_SIZE], gpu[ATTR_SIZE], plane[ATTR_SIZE];
	struct json_object *attrs;
	int dir = vgpu_open(call->uuid), rc;

	if (dir < 0)
		return failed(call->uuid, dir);
	rc = attr_read(dir, "blueprint", text);
	if (rc) {
		close(dir);
		return failed("blueprint", rc);
	}
	attrs = json_object_new_array();
	if (strcmp(text, NONE)) {
		add_attr(attrs, "blueprint", text);
		if (!attr_read(dir, "gpu", gpu) && strcmp(gpu, NONE) && is_away(dir, gpu))
			add_attr(attrs, "gpu", gpu);
		if (!attr_read(dir, "plane", plane) && strcmp(plane, "region"))
			add_attr(attrs, "plane", plane);
	}
	close(dir);
	return print_json(attrs);
}

static int check_config(const struct call *call)
{
	struct config config;

	(void)call;
	if (!config_read(&config, STDIN_FILENO))
		return CALLOUT_FAILED;
	config_free(&config);
	return CALLOUT_OK;
}

/* The kernel says more about what becomes a transaction than an errno can */
static void say_why(int dir, const char *name, int rc)
{
	bool transaction = !strcmp(name, "blueprint") || !strcmp(name, "profile") ||
			   !strcmp(name, "gpu");
	char text[ATTR_SIZE];

	if (transaction && !attr_read(dir, "last_error", text) && strcmp(text, NONE))
		fprintf(stderr, "%s: %s\n", name, text);
	else
		failed(name, rc);
}

static bool write_all(int dir, const struct config *config)
{
	const char *name, *value;
	size_t i;
	int rc;

	for (i = 0; i < config_count(config); i++) {
		name = config_attr(config, i, &value);
		rc = attr_write(dir, name, value);
		if (rc) {
			say_why(dir, name, rc);
			return false;
		}
	}
	return true;
}

/* What cannot be read was not there before, either */
static void go_back(int dir, const char *name, const char *before)
{
	char now[ATTR_SIZE];
	int rc;

	if (!*before || (!attr_read(dir, name, now) && !strcmp(now, before)))
		return;
	rc = attr_write(dir, name, before);
	if (rc)
		fprintf(stderr, "cannot go back to the %s of before: %s\n", name, strerror(-rc));
}

static int apply(int dir, const struct config *config)
{
	char before[ATTR_SIZE], gpu[ATTR_SIZE];
	int rc = attr_read(dir, "blueprint", before);

	if (rc)
		return failed("blueprint", rc);
	/* That of a blank one is not to be written */
	if (attr_read(dir, "gpu", gpu) || !strcmp(gpu, NONE))
		gpu[0] = '\0';
	if (write_all(dir, config))
		return CALLOUT_OK;
	go_back(dir, "blueprint", before);
	go_back(dir, "gpu", gpu);
	return CALLOUT_FAILED;
}

static int live_modify(const struct call *call)
{
	struct config config;
	int dir, status;

	if (!config_read(&config, STDIN_FILENO))
		return CALLOUT_FAILED;
	dir = vgpu_open(call->uuid);
	if (dir < 0) {
		status = failed(call->uuid, dir);
	} else {
		status = apply(dir, &config);
		close(dir);
	}
	config_free(&config);
	return status;
}

static const struct {
	const char *event;
	const char *action;
	int (*run)(const struct call *call);
} handlers[] = {
	{ "get", "capabilities", get_capabilities },
	{ "get", "attributes", get_attributes },
	{ "pre", "define", check_config },
	{ "pre", "modify", check_config },
	{ "pre", "start", check_config },
	{ "live", "modify", live_modify },
};

static bool is_ours(const char *type)
{
	static const char *const prefixes[] = { "tessera_pci-", "tessera_user-" };
	size_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(type, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* There is nothing to do at other events: the kernel did it */
static int run(const struct call *call)
{
	size_t i;

	if (!is_ours(call->type))
		return CALLOUT_NOT_OURS;
	for (i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
		if (!strcmp(call->event, handlers[i].event) &&
		    !strcmp(call->action, handlers[i].action))
			return handlers[i].run(call);
	return CALLOUT_OK;
}

int main(int argc, char **argv)
{
	struct call call = { .type = "", .event = "", .action = "", .uuid = "" };
	int opt;

	while ((opt = getopt(argc, argv, "t:e:a:s:u:p:")) != -1) {
		switch (opt) {
		case 't':
			call.type = optarg;
			break;
		case 'e':
			call.event = optarg;
			break;
		case 'a':
			call.action = optarg;
			break;
		case 'u':
			call.uuid = optarg;
			break;
		case 's':
		case 'p':
			break;
		default:
			return CALLOUT_FAILED;
		}
	}
	return run(&call);
}
