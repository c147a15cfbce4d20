/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages for people, on standard error */
#ifndef VIEW_SAY_H
#define VIEW_SAY_H

/* A line with the program's name; errno stays as it is. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

#endif
