/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of text. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Longest line, with its NUL */
#define TABLE_LINE 1024

/**
 * struct table_column - a column
 * @title: its head
 * @right: numbers
 */
struct table_column {
	const char *title;
	bool right;
};

struct table;

/* New, with the titles as row 0; NULL without memory. @columns outlives it. */
struct table *table_new(const struct table_column *columns, unsigned int count);
void table_free(struct table *table);

/* The next cell, row by row. Without memory it is empty, and table_ok() tells. */
void table_add(struct table *table, const char *text);

/* Was there memory for all cells? */
bool table_ok(const struct table *table);

/* Number of rows, with that of the titles. */
unsigned int table_rows(const struct table *table);

/* A row as text, without spaces at its end. Returns @buf of TABLE_LINE bytes. */
const char *table_line(const struct table *table, unsigned int row, char *buf);

/* Print it, each line behind @indent. */
void table_print(const struct table *table, const char *indent);

#endif
