// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "mdev.h"

/* "slices=4": a name of letters, and a value */
static bool is_word(const char *text)
{
	size_t name = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");

	return name && text[name] == '=';
}

static int take_words(const struct cli *cli, const struct cli_command *cmd, char **words, int count,
		      struct ask *ask)
{
	size_t len = 0;
	int i;

	ask->file = "blueprint";
	ask->text[0] = '\0';
	for (i = 0; i < count; i++) {
		if (!is_word(words[i]) && !(count == 1 && !strcmp(words[i], "none")))
			return cli_usage(cli, cmd, "%s is not of the form WORD=VALUE", words[i]);
		len += (size_t)snprintf(ask->text + len, sizeof(ask->text) - len, "%s%s",
					i ? " " : "", words[i]);
		/* One byte is for the newline */
		if (len + 1 >= sizeof(ask->text))
			return cli_error(cli, "the blueprint is too long");
	}
	return CLI_OK;
}

/* Bytes that were read, at most @size, or negative errno */
static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t got;

	while (len < size && (got = read(fd, buf + len, size - len)) != 0) {
		if (got > 0)
			len += (size_t)got;
		else if (errno != EINTR)
			return -errno;
	}
	return (ssize_t)len;
}

static ssize_t read_profile(const char *name, char *buf, size_t size)
{
	ssize_t got;
	int fd;

	if (!strcmp(name, "-"))
		return read_all(STDIN_FILENO, buf, size);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	got = read_all(fd, buf, size);
	close(fd);
	return got;
}

static int take_profile(const struct cli *cli, const char *name, struct ask *ask)
{
	ssize_t got = read_profile(name, ask->text, sizeof(ask->text) - 1);

	ask->file = "profile";
	if (got < 0)
		return cli_error(cli, "cannot read %s: %s", name, strerror((int)-got));
	if (got == sizeof(ask->text) - 1)
		return cli_error(cli, "%s is too long for a profile: at most %zu bytes", name,
				 sizeof(ask->text) - 2);
	ask->text[got] = '\0';
	if (strlen(ask->text) != (size_t)got)
		return cli_error(cli, "%s is not a text file", name);
	/* Its newline is written by attr_write() */
	if (got && ask->text[got - 1] == '\n')
		ask->text[got - 1] = '\0';
	if (!ask->text[strspn(ask->text, " \t\n")])
		return cli_error(cli, "%s is empty", name);
	return CLI_OK;
}

int ask_take(const struct cli *cli, const struct cli_command *cmd, const char *profile,
	     char **words, int count, struct ask *ask)
{
	if (!profile)
		return take_words(cli, cmd, words, count, ask);
	if (count)
		return cli_usage(cli, cmd, "either --profile or WORD=VALUE, not both");
	return take_profile(cli, profile, ask);
}

static struct json_object *steps_json(const struct cli *cli, const struct ask_step *steps,
				      int count)
{
	struct json_object *obj = json_object_new_object(), *list = json_object_new_array();
	char path[MDEV_PATH];
	int i;

	for (i = 0; i < count; i++) {
		struct json_object *step = json_object_new_object();

		mdev_file(path, cli, steps[i].dir, steps[i].file);
		json_object_object_add(step, "file", json_object_new_string(path));
		json_object_object_add(step, "text", json_object_new_string(steps[i].text));
		json_object_array_add(list, step);
	}
	json_object_object_add(obj, "dry_run", json_object_new_boolean(true));
	json_object_object_add(obj, "writes", list);
	return obj;
}

int ask_print_steps(const struct cli *cli, const struct ask_step *steps, int count)
{
	char path[MDEV_PATH];
	int i;

	if (cli->json)
		return cli_print_json(cli, steps_json(cli, steps, count));
	for (i = 0; i < count; i++)
		printf("would write \"%s\" to %s\n", steps[i].text,
		       mdev_file(path, cli, steps[i].dir, steps[i].file));
	return cli_flush(cli);
}
