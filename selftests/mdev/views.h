/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a viewer of a vGPU's heads does. */
#ifndef _MDEV_VIEWS_H_
#define _MDEV_VIEWS_H_

#include <linux/tessera_view.h>
#include <stddef.h>
#include <stdint.h>

#define VIEW_GIVEN TESSERA_VIEW_GIVEN
#define VIEW_CONNECTED (VIEW_GIVEN | TESSERA_VIEW_CONNECTED)
#define VIEW_SHOWN (VIEW_CONNECTED | TESSERA_VIEW_SHOWN)

/* Open the file of a vGPU, to be read: file, or -1 */
int view_open(const char *uuid);
/* The same with other flags */
int view_open_as(const char *uuid, int flags);
/* Look at head @n: its state, ~0 if that failed */
uint32_t view_look(int fd, unsigned int n, struct tessera_view_look *l);
/* The same: its serial number, 0 if that failed */
uint64_t view_serial(int fd, unsigned int n);
/* Look at the cursor of head @n: its state, ~0 if that failed; @pixels: NULL, or for its image */
uint32_t view_cursor(int fd, unsigned int n, uint64_t had, uint32_t *pixels,
		     struct tessera_view_cursor *c);
/* Plug in a monitor with this EDID, or none (0 bytes): 0, -1 */
int view_monitor(int fd, unsigned int n, const void *edid, uint32_t size);
/* Map head @n, at which that looks: MAP_FAILED */
const uint8_t *view_map(int fd, unsigned int n, size_t size);
/* What poll() says now */
short view_polled(int fd);
/* Have an eventfd told of some heads: 0, -1 */
int view_event(int fd, uint32_t heads, int event);

#endif
