// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/tessera_view.h>

#include "options.h"
#include "say.h"

/* Where viewers look for the first screen of a machine */
#define FIRST_PORT 5900

#define RATE 60
#define RATE_MAX 250

enum {
	OPT_HEAD = 1,
	OPT_LISTEN,
	OPT_PORT,
	OPT_PASSWORD,
	OPT_USER,
	OPT_CERT,
	OPT_KEY,
	OPT_RESIZE,
	OPT_ANYONE,
	OPT_RATE,
	OPT_COMPRESSION,
	OPT_STATS,
	OPT_CAPTURE,
	OPT_VERSION,
	OPT_HELP
};

static const char usage_text[] =
	"usage: tessera-view UUID [OPTION...]\n"
	"Shows a display head of a vGPU to VNC viewers. Viewers see; keys and pointer do nothing.\n"
	"\n"
	"  UUID                 of the vGPU, or as much of it as no other one has\n"
	"  --head N             which head, 0 to 3 (0)\n"
	"  --listen ADDRESS     where viewers connect (127.0.0.1)\n"
	"  --port PORT          likewise (5900 + N; 0: one that is free)\n"
	"  --tls-cert FILE      certificate, and\n"
	"  --tls-key FILE       its key: viewers connect by TLS, and\n"
	"  --user NAME          say this name, and\n"
	"  --password-file FILE what the first line of this file has\n"
	"  --resize             viewers choose the size of the picture: the guest gets a monitor like that\n"
	"  --anyone             listen for other machines without TLS and password\n"
	"  --rate HZ            pictures a second at most (60)\n"
	"  --compression LEVEL  1 (fast) to 9 (small), of ZRLE and Tight (6)\n"
	"  --capture WHO        cpu, or gpu: its slices that no vGPU has, if any, read the picture (cpu)\n"
	"  --stats FILE         write counters there as JSON at the end, and on SIGUSR1\n"
	"  --version, --help\n";

static const struct option long_options[] = {
	{ "head", required_argument, NULL, OPT_HEAD },
	{ "listen", required_argument, NULL, OPT_LISTEN },
	{ "port", required_argument, NULL, OPT_PORT },
	{ "password-file", required_argument, NULL, OPT_PASSWORD },
	{ "user", required_argument, NULL, OPT_USER },
	{ "tls-cert", required_argument, NULL, OPT_CERT },
	{ "tls-key", required_argument, NULL, OPT_KEY },
	{ "resize", no_argument, NULL, OPT_RESIZE },
	{ "anyone", no_argument, NULL, OPT_ANYONE },
	{ "rate", required_argument, NULL, OPT_RATE },
	{ "compression", required_argument, NULL, OPT_COMPRESSION },
	{ "capture", required_argument, NULL, OPT_CAPTURE },
	{ "stats", required_argument, NULL, OPT_STATS },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "help", no_argument, NULL, OPT_HELP },
	{ 0 },
};

static bool number(const char *name, const char *text, unsigned long least, unsigned long most,
		   unsigned int *value)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || v < least || v > most) {
		say("--%s %s: it is a number from %lu to %lu", name, text, least, most);
		return false;
	}
	*value = (unsigned int)v;
	return true;
}

/* The first line; the file is to be read by its owner only */
static const char *read_password(const char *path)
{
	static char line[OPTIONS_SECRET + 1];
	FILE *file = fopen(path, "re");
	struct stat status;
	bool got;

	if (!file || fstat(fileno(file), &status)) {
		say("%s: %m", path);
		return NULL;
	}
	if (status.st_mode & 077) {
		say("%s: others can read the password; chmod 600 it", path);
		fclose(file);
		return NULL;
	}
	got = fgets(line, sizeof(line), file);
	fclose(file);
	line[strcspn(line, "\r\n")] = 0;
	if (got && *line && strlen(line) < OPTIONS_SECRET)
		return line;
	say("%s: its first line is to be a password of 1 to %d bytes", path, OPTIONS_SECRET - 1);
	return NULL;
}

static bool readable(const char *path)
{
	if (!access(path, R_OK))
		return true;
	say("%s: %m", path);
	return false;
}

/* All four, or none */
static bool check_access(struct serve_access *access, const char *password_file)
{
	bool any = access->certificate || access->key || access->user || password_file;

	if (!any)
		return true;
	if (!access->certificate || !access->key || !access->user || !password_file) {
		say("--tls-cert, --tls-key, --user and --password-file belong together: without "
		    "TLS everybody could read the password");
		return false;
	}
	if (strlen(access->user) >= OPTIONS_SECRET || !*access->user) {
		say("--user: a name has 1 to %d bytes", OPTIONS_SECRET - 1);
		return false;
	}
	access->password = read_password(password_file);
	return access->password && readable(access->certificate) && readable(access->key);
}

static bool take_capture(struct options *o, const char *value)
{
	o->gpu = !strcmp(value, "gpu");
	if (o->gpu || !strcmp(value, "cpu"))
		return true;
	say("--capture %s: it is cpu or gpu", value);
	return false;
}

/* Returns false for an option that is none, or has a wrong value. */
static bool take(struct options *o, int option, const char *value, const char **password_file)
{
	unsigned int port;

	switch (option) {
	case OPT_HEAD:
		return number("head", value, 0, TESSERA_VIEW_HEADS - 1, &o->head);
	case OPT_PORT:
		if (!number("port", value, 0, 65535, &port))
			return false;
		snprintf(o->port, sizeof(o->port), "%u", port);
		return true;
	case OPT_RATE:
		return number("rate", value, 1, RATE_MAX, &o->rate);
	case OPT_COMPRESSION:
		return number("compression", value, COMPRESS_LEAST, COMPRESS_MOST, &o->compression);
	case OPT_LISTEN:
		o->address = value;
		return true;
	case OPT_PASSWORD:
		*password_file = value;
		return true;
	case OPT_USER:
		o->access.user = value;
		return true;
	case OPT_CERT:
		o->access.certificate = value;
		return true;
	case OPT_KEY:
		o->access.key = value;
		return true;
	case OPT_RESIZE:
		o->resize = true;
		return true;
	case OPT_ANYONE:
		o->anyone = true;
		return true;
	case OPT_CAPTURE:
		return take_capture(o, value);
	case OPT_STATS:
		o->stats = value;
		return true;
	}
	return false;
}

bool options_parse(struct options *o, int argc, char **argv, int *status)
{
	const char *password_file = NULL;
	int option;

	*o = (struct options){ .address = "127.0.0.1",
			       .rate = RATE,
			       .compression = COMPRESS_USUAL };
	*status = OPTIONS_USAGE;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:h", long_options, NULL)) != -1 ||
	       (optind < argc && !o->vgpu)) {
		if (option == -1) {
			o->vgpu = argv[optind++];
			continue;
		}
		if (option == OPT_HELP || option == 'h' || option == OPT_VERSION) {
			fputs(option == OPT_VERSION ? "tessera-view " VIEW_VERSION "\n" :
						      usage_text,
			      stdout);
			*status = fflush(stdout) ? OPTIONS_FAILED : 0;
			return false;
		}
		if (option == ':' || option == '?') {
			say(option == ':' ? "%s needs a value; see --help" :
					    "unknown option %s; see --help",
			    argv[optind - 1]);
			return false;
		}
		if (!take(o, option, optarg, &password_file))
			return false;
	}
	if (!o->vgpu || !*o->vgpu || optind < argc) {
		say("say one vGPU by its UUID; see --help");
		return false;
	}
	if (!*o->port)
		snprintf(o->port, sizeof(o->port), "%u", FIRST_PORT + o->head);
	*status = OPTIONS_FAILED;
	return check_access(&o->access, password_file);
}
