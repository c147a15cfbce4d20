// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: tessera-view
 *
 * Shows a display head of a vGPU to VNC viewers. viewer.c: the server; source.c: the head;
 * shadow.c: its picture and what differs in it; clients.c: a process for each client, which is
 * serve.c; rfb/: what is said to it. Exit status 0: it was ended, or the vGPU was; 1: it could not;
 * 2: usage.
 */
#include "viewer.h"

int main(int argc, char **argv)
{
	static struct options options;
	static struct viewer viewer;
	int status;

	if (!options_parse(&options, argc, argv, &status))
		return status;
	status = viewer_open(&viewer, &options);
	if (!status)
		status = viewer_run(&viewer);
	viewer_close(&viewer);
	return status;
}
