// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: config
 *
 * The configuration of a device as mdevctl stores it and hands it to callouts:
 *
 *	{ "mdev_type": "...", "start": "auto", "attrs": [ { "NAME": "VALUE" }, ... ] }
 *
 * Only the attributes matter here, mdevctl checks the rest. They are an array of objects
 * with one member because they are written one after the other, in this order.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "callout.h"

/* The attributes of a vGPU that can be written; Documentation/ABI/testing */
static const char *const names[] = { "blueprint", "profile", "gpu",  "policy",
				     "weight",	  "cap",     "plane" };

static bool known(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static const char *attr_name(struct json_object *attr, struct json_object **value)
{
	struct json_object_iterator it = json_object_iter_begin(attr);

	*value = json_object_iter_peek_value(&it);
	return json_object_iter_peek_name(&it);
}

/* A NUL would hide what comes behind it */
static bool is_text(struct json_object *value)
{
	return json_object_is_type(value, json_type_string) &&
	       strlen(json_object_get_string(value)) == (size_t)json_object_get_string_len(value);
}

static bool check_attr(struct json_object *attr)
{
	struct json_object *value;
	const char *name;

	if (!json_object_is_type(attr, json_type_object) || json_object_object_length(attr) != 1) {
		fputs("an attribute must be an object with one member\n", stderr);
		return false;
	}
	name = attr_name(attr, &value);
	if (!known(name)) {
		fprintf(stderr, "a vGPU has no attribute %s to write\n", name);
		return false;
	}
	if (!is_text(value)) {
		fprintf(stderr, "%s: the value must be text\n", name);
		return false;
	}
	return true;
}

static bool check(const struct config *config)
{
	size_t i;

	if (!config->attrs)
		return true;
	if (!json_object_is_type(config->attrs, json_type_array)) {
		fputs("the attributes must be an array\n", stderr);
		return false;
	}
	for (i = 0; i < config_count(config); i++)
		if (!check_attr(json_object_array_get_idx(config->attrs, i)))
			return false;
	return true;
}

bool config_read(struct config *config, int fd)
{
	struct json_object *json = json_object_from_fd(fd);

	*config = (struct config){ .json = json };
	if (!json_object_is_type(json, json_type_object)) {
		fputs("the configuration is no JSON object\n", stderr);
		config_free(config);
		return false;
	}
	json_object_object_get_ex(json, "attrs", &config->attrs);
	if (check(config))
		return true;
	config_free(config);
	return false;
}

size_t config_count(const struct config *config)
{
	return config->attrs ? json_object_array_length(config->attrs) : 0;
}

const char *config_attr(const struct config *config, size_t n, const char **value)
{
	struct json_object *text;
	const char *name = attr_name(json_object_array_get_idx(config->attrs, n), &text);

	*value = json_object_get_string(text);
	return name;
}

void config_free(struct config *config)
{
	json_object_put(config->json);
	*config = (struct config){};
}
