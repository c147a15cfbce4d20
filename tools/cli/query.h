/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of the pool by their names, a row per object: CSV or JSON. */
#ifndef CLI_QUERY_H
#define CLI_QUERY_H

#include "cli.h"
#include "pool.h"

struct query;

/**
 * query_parse() - which values are asked for
 * @cli: for messages
 * @cmd: for messages
 * @text: names with commas between them, of one GPU and slice, or GPU, vGPU and vslice
 * @query: set; query_free() it
 *
 * Return: exit status.
 */
int query_parse(const struct cli *cli, const struct cli_command *cmd, const char *text,
		struct query **query);

void query_free(struct query *query);

/* What has to be read of the pool for it. */
enum pool_depth query_depth(const struct query *query);

/* Print a row per object, as CSV with the names as its first row, or as JSON. Returns an exit
 * status. */
int query_print(const struct cli *cli, const struct query *query, const struct pool *pool);

/* Call for the name of each value that there is. */
void query_each_field(void (*func)(const char *name, void *ctx), void *ctx);

/* Print the names that there are. Returns an exit status. */
int query_print_fields(const struct cli *cli);

#endif
