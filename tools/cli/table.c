// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

struct table {
	const struct table_column *columns;
	unsigned int column_count;
	size_t *widths;
	char **cells;
	size_t cell_count;
	bool failed;
};

struct table *table_new(const struct table_column *columns, unsigned int count)
{
	struct table *table = calloc(1, sizeof(*table));
	unsigned int i;

	if (!table)
		return NULL;
	table->widths = calloc(count, sizeof(*table->widths));
	if (!table->widths) {
		free(table);
		return NULL;
	}
	table->columns = columns;
	table->column_count = count;
	for (i = 0; i < count; i++)
		table_add(table, columns[i].title);
	return table;
}

void table_free(struct table *table)
{
	size_t i;

	if (!table)
		return;
	for (i = 0; i < table->cell_count; i++)
		free(table->cells[i]);
	free(table->cells);
	free(table->widths);
	free(table);
}

void table_add(struct table *table, const char *text)
{
	size_t *width = &table->widths[table->cell_count % table->column_count];
	char **cells = reallocarray(table->cells, table->cell_count + 1, sizeof(*cells));

	if (!cells) {
		table->failed = true;
		return;
	}
	table->cells = cells;
	cells[table->cell_count] = strdup(text);
	if (!cells[table->cell_count])
		table->failed = true;
	table->cell_count++;
	if (*width < strlen(text))
		*width = strlen(text);
}

bool table_ok(const struct table *table)
{
	return !table->failed;
}

unsigned int table_rows(const struct table *table)
{
	return (unsigned int)(table->cell_count / table->column_count);
}

const char *table_line(const struct table *table, unsigned int row, char *buf)
{
	unsigned int i;
	size_t len = 0;

	buf[0] = '\0';
	for (i = 0; i < table->column_count; i++) {
		const char *cell = table->cells[row * table->column_count + i];
		int width = (int)table->widths[i];

		snprintf(buf + len, TABLE_LINE - len, "%s%*s", i ? "  " : "",
			 table->columns[i].right ? width : -width, cell ? cell : "");
		len = strlen(buf);
	}
	while (len && buf[len - 1] == ' ')
		buf[--len] = '\0';
	return buf;
}

void table_print(const struct table *table, const char *indent)
{
	char line[TABLE_LINE];
	unsigned int i;

	for (i = 0; i < table_rows(table); i++)
		printf("%s%s\n", indent, table_line(table, i, line));
}
