// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: tracefs
 *
 * An instance, so that other users of tracing do not get to see our events, nor we
 * theirs. It is removed at the end; what a killed tesseractl left behind, by the next one.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attr.h"
#include "tracefs.h"

#define PREFIX "tesseractl-"
#define BUFFER_KB "4096"

/* Remove the instances of processes that are gone. One that is in use is busy. */
static int remove_stale(int dir, const char *name, void *ctx)
{
	int *instances = ctx;
	struct num pid;

	(void)dir;
	if (strncmp(name, PREFIX, strlen(PREFIX)))
		return 0;
	pid = num_parse(name + strlen(PREFIX));
	if (pid.known && pid.v > 0 && pid.v <= INT32_MAX && kill((pid_t)pid.v, 0) && errno == ESRCH)
		unlinkat(*instances, name, AT_REMOVEDIR);
	return 0;
}

/* The root of tracefs has instances; an empty mount point has not. Descriptor or -errno */
static int open_instances(const char *root)
{
	char path[ATTR_MAX];

	snprintf(path, sizeof(path), "%s/instances", root);
	return attr_dir(AT_FDCWD, path);
}

static int find_instances(const struct cli *cli)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	int first, fd;

	if (cli->tracefs)
		return open_instances(cli->tracefs);
	first = open_instances(usual[0]);
	if (first >= 0)
		return first;
	/* Why the second is not there says more only if it is about permission */
	fd = open_instances(usual[1]);
	return fd == -ENOENT ? first : fd;
}

static int no_tracefs(const struct cli *cli, int rc)
{
	const char *root = cli->tracefs ? cli->tracefs : "/sys/kernel/tracing";

	if (rc == -EACCES || rc == -EPERM)
		return cli_error(cli, "no permission for %s: try again as root", root);
	if (cli->tracefs)
		return cli_error(cli, "%s is not tracefs: %s", root, strerror(-rc));
	return cli_error(cli,
			 "tracefs is not there: mount -t tracefs nodev %s, or say where it is "
			 "with --tracefs",
			 root);
}

static int no_instance(const struct cli *cli, int rc)
{
	if (rc == -EACCES || rc == -EPERM || rc == -EROFS)
		return cli_error(cli, "no permission to trace: try again as root");
	return cli_error(cli, "cannot make an instance in tracefs: %s", strerror(-rc));
}

static int no_events(const struct cli *cli, int rc)
{
	if (rc == -ENOENT)
		return cli_error(cli, "the kernel has no events of tessera: load its module "
				      "(modprobe tessera_pci), one that has tracepoints");
	return cli_error(cli, "cannot turn the events of tessera on: %s", strerror(-rc));
}

static int make_instance(struct tracefs *trace)
{
	int rc;

	attr_each(trace->instances, remove_stale, &trace->instances);
	snprintf(trace->name, sizeof(trace->name), PREFIX "%d", (int)getpid());
	if (mkdirat(trace->instances, trace->name, 0700))
		return -errno;
	trace->dir = attr_dir(trace->instances, trace->name);
	if (trace->dir >= 0)
		return 0;
	rc = trace->dir;
	unlinkat(trace->instances, trace->name, AT_REMOVEDIR);
	return rc;
}

static int start_events(struct tracefs *trace)
{
	int rc;

	/* The default of other kernels and users may be anything; these are for reading */
	attr_write(trace->dir, "options/context-info", "1");
	attr_write(trace->dir, "trace_clock", "mono");
	attr_write(trace->dir, "buffer_size_kb", BUFFER_KB);
	trace->pipe = openat(trace->dir, "trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (trace->pipe < 0)
		return -errno;
	rc = attr_write(trace->dir, "events/tessera/enable", "1");
	if (rc)
		return rc;
	return attr_write(trace->dir, "tracing_on", "1");
}

int tracefs_open(const struct cli *cli, struct tracefs *trace)
{
	int rc;

	*trace = (struct tracefs){ .instances = -1, .dir = -1, .pipe = -1 };
	trace->instances = find_instances(cli);
	if (trace->instances < 0)
		return no_tracefs(cli, trace->instances);
	rc = make_instance(trace);
	if (rc) {
		close(trace->instances);
		return no_instance(cli, rc);
	}
	rc = start_events(trace);
	if (rc) {
		tracefs_close(trace);
		return no_events(cli, rc);
	}
	return CLI_OK;
}

/* An instance that is open cannot be removed */
void tracefs_close(struct tracefs *trace)
{
	attr_write(trace->dir, "events/tessera/enable", "0");
	if (trace->pipe >= 0)
		close(trace->pipe);
	close(trace->dir);
	unlinkat(trace->instances, trace->name, AT_REMOVEDIR);
	close(trace->instances);
}
