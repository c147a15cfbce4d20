/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the callout of mdevctl share. */
#ifndef CALLOUT_H
#define CALLOUT_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

/* Exit status, as mdevctl wants it */
enum { CALLOUT_OK = 0, CALLOUT_FAILED = 1, CALLOUT_NOT_OURS = 2 };

/* A page, which is what an attribute of sysfs has room for, with a NUL */
#define ATTR_SIZE 4097

/**
 * struct config - the attributes of a device's configuration
 * @json: where they are from
 * @attrs: its array, NULL: it has none
 */
struct config {
	struct json_object *json;
	struct json_object *attrs;
};

/**
 * config_read() - read a configuration and check it
 * @config: result
 * @fd: file with JSON
 *
 * On failure a message was printed and there is nothing to free.
 *
 * Return: is it one, and are its attributes those that a vGPU has?
 */
bool config_read(struct config *config, int fd);

/**
 * config_count() - number of attributes
 * @config: configuration
 *
 * Return: the number.
 */
size_t config_count(const struct config *config);

/**
 * config_attr() - an attribute
 * @config: configuration
 * @n: index
 * @value: result
 *
 * Return: its name.
 */
const char *config_attr(const struct config *config, size_t n, const char **value);

/**
 * config_free() - free a configuration
 * @config: configuration
 */
void config_free(struct config *config);

/**
 * vgpu_open() - find the device of a vGPU
 * @uuid: its name
 *
 * Return: directory in sysfs, negative errno.
 */
int vgpu_open(const char *uuid);

/**
 * attr_read() - read an attribute
 * @dir: from vgpu_open()
 * @name: file name
 * @text: result without the newline at its end
 *
 * Return: 0, negative errno.
 */
int attr_read(int dir, const char *name, char text[ATTR_SIZE]);

/**
 * attr_write() - write an attribute
 * @dir: from vgpu_open()
 * @name: file name
 * @text: value
 *
 * Return: 0, negative errno.
 */
int attr_write(int dir, const char *name, const char *text);

#endif
