// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Command line
 *
 * Without --serial the number is made from the socket's path: GPUs that run side
 * by side differ in it, and it is the same each time.
 *
 * --slices and --kinds say the same thing with more or less detail: a number
 * alone is filled with kinds in the proportion of the default GPU (3 compute to
 * 3 render to 2 mixed), kinds alone give the number, both have to agree.
 */
#define _GNU_SOURCE
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "gpu.h"

#define DEFAULT_SLICES 16
#define DEFAULT_VRAM (256ULL << 20)
#define VRAM_MAX (64ULL << 30)
#define BANK_ALIGN (2ULL << 20)
#define CLOCK_MAX_KHZ 1000000000
#define SLOW_MAX_US 1000000
#define SERIAL_PREFIX 0x7e55e4a000000000ULL /* of numbers that are made from a path */

static const char usage[] =
	"usage: tessera-model --socket PATH | --serve DEVICE [options]\n"
	"A Tessera GPU for QEMU's vfio-user-pci device, or for the kernel of this machine.\n"
	"\n"
	"  -s, --socket PATH    socket to listen on\n"
	"  -d, --serve DEVICE   serve the GPU to the kernel by /dev/tessera-user\n"
	"  -t, --take N         with --serve: go on with GPU N, whose server got SIGUSR2\n"
	"  -n, --slices N       number of slices, 1 to 64 (16)\n"
	"  -k, --kinds LIST     slices of each kind, in this order (compute:6,render:6,mixed:4)\n"
	"  -m, --vram SIZE      VRAM of all slices, with K, M or G (256M)\n"
	"  -c, --clock KHZ      run at most at this clock, or 'nominal' (4000); default: no limit\n"
	"  -j, --threads N      threads that slices run in, 1 to 64 (processors, at most slices)\n"
	"  -S, --serial N       PCI serial number, decimal or 0x...; default: from PATH\n"
	"      --stuck-slice N[:TIMES]\n"
	"                       fault injection: slice N does not halt after a DISPATCH\n"
	"      --damage-context N[:TIMES]\n"
	"                       fault injection: slice N flips a bit of contexts that it saves\n"
	"      --refuse-reset N[:TIMES]\n"
	"                       fault injection: slice N is not reset after a DISPATCH\n"
	"      --slow US        fault injection: with --serve, pauses before and after it replies\n"
	"  -l, --log FILE       where messages go, - for standard error (-)\n"
	"  -L, --log-level LVL  error, warn, info or debug (warn)\n"
	"  -h, --help           show this\n"
	"  -V, --version        show the version\n";

static const struct option long_options[] = {
	{ "socket", required_argument, NULL, 's' },
	{ "serve", required_argument, NULL, 'd' },
	{ "take", required_argument, NULL, 't' },
	{ "slices", required_argument, NULL, 'n' },
	{ "kinds", required_argument, NULL, 'k' },
	{ "vram", required_argument, NULL, 'm' },
	{ "clock", required_argument, NULL, 'c' },
	{ "threads", required_argument, NULL, 'j' },
	{ "log", required_argument, NULL, 'l' },
	{ "log-level", required_argument, NULL, 'L' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ "serial", required_argument, NULL, 'S' },
	{ "stuck-slice", required_argument, NULL, 1 },
	{ "damage-context", required_argument, NULL, 2 },
	{ "refuse-reset", required_argument, NULL, 3 },
	{ "slow", required_argument, NULL, 4 },
	{ 0 },
};

/**
 * struct parse - options as given
 * @o: result
 * @slices: of --slices, 0: not given
 * @kinds: of --kinds: number of slices in it, 0: not given
 * @vram: of --vram
 * @injected: slices that shall misbehave: one more than the highest number
 * @injector: the option that named it
 * @err: for messages
 */
struct parse {
	struct options *o;
	unsigned int slices;
	unsigned int kinds;
	uint64_t vram;
	unsigned int injected;
	int injector;
	FILE *err;
};

static bool parse_number(const char *s, uint64_t min, uint64_t max, uint64_t *val)
{
	char *end;

	errno = 0;
	*val = strtoull(s, &end, 10);
	return !errno && end != s && !*end && *s != '-' && *val >= min && *val <= max;
}

static bool parse_size(const char *s, uint64_t *val)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	unsigned int shift;
	char *end;

	errno = 0;
	*val = strtoull(s, &end, 10);
	if (errno || end == s || *s == '-')
		return false;
	if (!*end)
		return true;
	suffix = strchr(suffixes, *end);
	if (!suffix || end[1])
		return false;
	shift = 10 * (unsigned int)(suffix - suffixes + 1);
	if (*val > UINT64_MAX >> shift)
		return false;
	*val <<= shift;
	return true;
}

static int parse_kind(const char *name)
{
	static const char *const names[] = {
		[TESS_KIND_COMPUTE] = "compute",
		[TESS_KIND_RENDER] = "render",
		[TESS_KIND_MIXED] = "mixed",
	};

	for (int i = TESS_KIND_COMPUTE; i <= TESS_KIND_MIXED; i++)
		if (!strcmp(name, names[i]))
			return i;
	return TESS_KIND_NONE;
}

/* One entry of --kinds: KIND:N or KIND. */
static bool parse_kind_entry(struct parse *p, char *entry)
{
	char *colon = strchr(entry, ':');
	uint64_t n = 1;
	int kind;

	if (colon)
		*colon = '\0';
	kind = parse_kind(entry);
	if (kind == TESS_KIND_NONE || (colon && !parse_number(colon + 1, 0, TESS_MAX_SLICES, &n)))
		return false;
	if (p->kinds + n > TESS_MAX_SLICES)
		return false;
	memset(p->o->kinds + p->kinds, kind, n);
	p->kinds += (unsigned int)n;
	return true;
}

static bool parse_kinds(struct parse *p, const char *list)
{
	char *copy = strdup(list), *save = NULL;
	bool ok = copy;

	p->kinds = 0;
	for (char *e = copy ? strtok_r(copy, ",", &save) : NULL; ok && e;
	     e = strtok_r(NULL, ",", &save))
		ok = parse_kind_entry(p, e);
	free(copy);
	return ok && p->kinds;
}

static bool parse_clock(struct parse *p, const char *s)
{
	if (!strcmp(s, "nominal")) {
		p->o->clock_khz = GPU_CLOCK_KHZ;
		return true;
	}
	return parse_number(s, 1, CLOCK_MAX_KHZ, &p->o->clock_khz);
}

static bool parse_serial(struct parse *p, const char *s)
{
	char *end;

	errno = 0;
	p->o->serial = strtoull(s, &end, 0);
	return !errno && end != s && !*end && *s != '-' && p->o->serial;
}

/* N or N:TIMES, of the option @opt */
static bool parse_injected(struct parse *p, int opt, const char *s)
{
	uint32_t *const injected[] = { p->o->stuck, p->o->damage, p->o->refuse };
	uint64_t n, times = UINT32_MAX;
	char *end;

	errno = 0;
	n = strtoull(s, &end, 10);
	if (errno || end == s || *s == '-' || n >= TESS_MAX_SLICES)
		return false;
	if (*end == ':' ? !parse_number(end + 1, 1, UINT32_MAX - 1, &times) : *end)
		return false;
	injected[opt - 1][n] = (uint32_t)times;
	if (n >= p->injected) {
		p->injected = (unsigned int)n + 1;
		p->injector = opt;
	}
	return true;
}

static bool parse_log_level(struct parse *p, const char *s)
{
	int level = log_level_parse(s);

	p->o->log_level = level < 0 ? LOG_WARN : (enum log_level)level;
	return level >= 0;
}

static bool parse_option(struct parse *p, int opt, const char *arg)
{
	uint64_t n = 0;

	switch (opt) {
	case 's':
		p->o->socket = arg;
		return *arg;
	case 'd':
		p->o->serve = arg;
		return *arg;
	case 't':
		if (!parse_number(arg, 0, INT_MAX, &n))
			return false;
		p->o->take = (int)n;
		return true;
	case 'n':
		if (!parse_number(arg, 1, TESS_MAX_SLICES, &n))
			return false;
		p->slices = (unsigned int)n;
		return true;
	case 'k':
		return parse_kinds(p, arg);
	case 'm':
		return parse_size(arg, &p->vram) && p->vram && p->vram <= VRAM_MAX;
	case 'c':
		return parse_clock(p, arg);
	case 'j':
		if (!parse_number(arg, 1, CREW_THREADS_MAX, &n))
			return false;
		p->o->threads = (unsigned int)n;
		return true;
	case 'S':
		return parse_serial(p, arg);
	case 1:
	case 2:
	case 3:
		return parse_injected(p, opt, arg);
	case 4:
		if (!parse_number(arg, 1, SLOW_MAX_US, &n))
			return false;
		p->o->slow_us = (unsigned int)n;
		return true;
	case 'l':
		p->o->log_file = arg;
		return true;
	default:
		return parse_log_level(p, arg);
	}
}

/* Kinds in the proportion of the default GPU. */
static void default_kinds(struct options *o, unsigned int n)
{
	unsigned int compute = (3 * n + 7) / 8, render = (3 * n + 4) / 8;

	memset(o->kinds, TESS_KIND_MIXED, n);
	memset(o->kinds, TESS_KIND_COMPUTE, compute);
	memset(o->kinds + compute, TESS_KIND_RENDER, render < n - compute ? render : n - compute);
}

/* One for each processor that this process may use, as far as there is a slice for it. */
static unsigned int default_threads(unsigned int slices)
{
	cpu_set_t set;
	unsigned int n = sched_getaffinity(0, sizeof(set), &set) ? 1 :
								   (unsigned int)CPU_COUNT(&set);

	return n < slices ? n : slices;
}

/* FNV-1a, folded to 32 bits. */
static uint64_t serial_of(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *path; path++)
		hash = (hash ^ (uint8_t)*path) * 0x100000001b3ULL;
	return SERIAL_PREFIX | ((hash ^ hash >> 32) & UINT32_MAX);
}

static const char *option_name(int opt)
{
	for (const struct option *o = long_options; o->name; o++)
		if (o->val == opt)
			return o->name;
	return "?";
}

static bool complete(struct parse *p)
{
	struct options *o = p->o;

	if (!o->socket == !o->serve) {
		fprintf(p->err, "tessera-model: give either --socket or --serve\n");
		return false;
	}
	if (o->take >= 0 && !o->serve) {
		fprintf(p->err, "tessera-model: --take needs --serve\n");
		return false;
	}
	if (p->slices && p->kinds && p->slices != p->kinds) {
		fprintf(p->err, "tessera-model: --slices says %u, --kinds %u\n", p->slices,
			p->kinds);
		return false;
	}
	o->nr_slices = p->kinds ? p->kinds : p->slices ? p->slices : DEFAULT_SLICES;
	if (!p->kinds)
		default_kinds(o, o->nr_slices);
	if (p->injected > o->nr_slices) {
		fprintf(p->err, "tessera-model: --%s: there is no slice %u\n",
			option_name(p->injector), p->injected - 1);
		return false;
	}
	if (!o->threads)
		o->threads = default_threads(o->nr_slices);
	if (!o->serial)
		o->serial = serial_of(o->serve ? o->serve : o->socket);
	o->bank_size = p->vram / o->nr_slices;
	o->bank_size -= o->bank_size % (o->bank_size < BANK_ALIGN ? TESS_PAGE_SIZE : BANK_ALIGN);
	if (!o->bank_size) {
		fprintf(p->err, "tessera-model: --vram is too small for %u slices\n", o->nr_slices);
		return false;
	}
	return true;
}

enum options_result options_parse(struct options *o, int argc, char **argv, FILE *out, FILE *err)
{
	struct parse p = { .o = o, .vram = DEFAULT_VRAM, .err = err };
	int opt;

	memset(o, 0, sizeof(*o));
	o->log_level = LOG_WARN;
	o->take = -1;
	optind = 1;
	while ((opt = getopt_long(argc, argv, "s:d:t:n:k:m:c:j:S:l:L:hV", long_options, NULL)) !=
	       -1) {
		if (opt == 'h') {
			fputs(usage, out);
			return OPTIONS_EXIT;
		}
		if (opt == 'V') {
			fprintf(out, "tessera-model %s\n", TESS_VERSION_STRING);
			return OPTIONS_EXIT;
		}
		if (opt == '?')
			return OPTIONS_BAD;
		if (!parse_option(&p, opt, optarg)) {
			fprintf(err, "tessera-model: bad --%s: %s\n", option_name(opt), optarg);
			return OPTIONS_BAD;
		}
	}
	if (optind < argc) {
		fprintf(err, "tessera-model: unexpected argument: %s\n", argv[optind]);
		return OPTIONS_BAD;
	}
	return complete(&p) ? OPTIONS_RUN : OPTIONS_BAD;
}
