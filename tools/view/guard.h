/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading memory that may be gone at any time. */
#ifndef VIEW_GUARD_H
#define VIEW_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Do that once before guard_run() is used. */
void guard_begin(void);

/**
 * guard_run() - call a function that reads a mapping
 * @start: of the mapping
 * @size: of it
 * @act: it is left in the middle if a page of the mapping is gone, so it must hold nothing
 * @data: of it
 *
 * One thread of a process only.
 *
 * Return: false if @act was left.
 */
bool guard_run(const void *start, size_t size, void (*act)(void *data), void *data);

#endif
