// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: refusals
 *
 * The kernel is the only one who judges blueprints and profiles. It says why it refuses
 * one in last_error, "ENOSPC: insufficient slices of kind render: 3 free, 4 asked"; where
 * the text is wrong the reason starts with "column N:", or "line N, column N:" if it may
 * have several lines.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attr.h"
#include "mdev.h"
#include "near.h"
#include "refusal.h"
#include "write.h"

static const char *const words[] = {
	"slices",      "min",	 "max",	    "kind", "memory",	"topology", "engines",
	"heads",       "share",	 "weight",  "cap",  "policy",	"gpus",	    "queue",
	"utilization", "shader", "texture", "path", "displays", "texels",   "pixels",
};

/* The file was not even opened: what last_error says is of another time */
static bool was_not_tried(int rc)
{
	return rc == -EACCES || rc == -EPERM || rc == -EROFS || rc == -ENOENT || rc == -ENOTDIR;
}

/* Take "ENOSPC: reason" if it is of this errno */
static bool take_last_error(struct refusal *refusal, const char *line)
{
	const char *name = strerrorname_np(-refusal->rc);
	size_t len = name ? strlen(name) : 0;

	if (!len || strncmp(line, name, len) || strncmp(line + len, ": ", 2))
		return false;
	snprintf(refusal->reason, sizeof(refusal->reason), "%s", line + len + 2);
	return true;
}

static void take_position(struct refusal *refusal)
{
	refusal->line = 1;
	if (sscanf(refusal->reason, "column %u:", &refusal->column) == 1)
		return;
	if (sscanf(refusal->reason, "line %u, column %u:", &refusal->line, &refusal->column) != 2)
		refusal->column = 0;
}

void refusal_read(struct refusal *refusal, const struct cli *cli, const char *path,
		  const char *file, int rc)
{
	char line[REFUSAL_TEXT];
	int dir = was_not_tried(rc) ? -1 : mdev_open(cli, path);

	*refusal = (struct refusal){ .rc = rc };
	snprintf(refusal->reason, sizeof(refusal->reason), "%s", write_error(rc, file));
	if (dir < 0)
		return;
	attr_text(dir, "last_error", line, sizeof(line));
	close(dir);
	if (take_last_error(refusal, line))
		take_position(refusal);
}

/* A word that may have been meant, NULL if none is near */
static const char *meant_word(const struct refusal *refusal)
{
	const char *quote = strchr(refusal->reason, '"');
	struct near near;
	char word[32];
	unsigned int i;

	if (!refusal->column || !quote || !strstr(refusal->reason, "unknown word"))
		return NULL;
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(quote + 1, "\"="), quote + 1);
	near = near_to(word);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		near_offer(&near, words[i]);
	return near.best;
}

/* The line of the text that it is about, and a mark below the column */
static void print_mark(const char *text, const struct refusal *refusal)
{
	unsigned int i;
	char line[ATTR_MAX];

	for (i = 1; i < refusal->line && text; i++) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text || refusal->column > strcspn(text, "\n") + 1)
		return;
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	text_clean(line);
	fprintf(stderr, "  %s\n  %*s^\n", line, (int)refusal->column - 1, "");
}

static int print_json(const struct cli *cli, const struct refusal *refusal, char *message)
{
	struct json_object *obj = json_object_new_object();
	const char *name = strerrorname_np(-refusal->rc);

	text_clean(message);
	json_object_object_add(obj, "error", json_object_new_string(message));
	json_object_object_add(obj, "errno", json_object_new_string(name ? name : "-"));
	json_object_object_add(obj, "line",
			       num_json(refusal->column ? num(refusal->line) : NUM_UNKNOWN, 1));
	json_object_object_add(obj, "column",
			       num_json(refusal->column ? num(refusal->column) : NUM_UNKNOWN, 1));
	cli_print_json(cli, obj);
	return CLI_FAILED;
}

int refusal_print(const struct cli *cli, const struct refusal *refusal, const char *text,
		  const char *what)
{
	const char *meant = meant_word(refusal);
	char message[3 * REFUSAL_TEXT];

	snprintf(message, sizeof(message), "%s: %s%s%s%s", what, refusal->reason,
		 meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
	if (cli->json)
		return print_json(cli, refusal, message);
	cli_error(cli, "%s", message);
	if (refusal->column)
		print_mark(text, refusal);
	return CLI_FAILED;
}
