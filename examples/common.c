// SPDX-License-Identifier: MIT
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define MAX_OPTIONS 16

/* Values of getopt_long(); own options of an example count from OPT_OWN. */
enum {
	OPT_DEVICE = 1,
	OPT_SLICES,
	OPT_JSON,
	OPT_NO_VERIFY,
	OPT_HELP,
	OPT_OWN = 256,
};

static const struct option common_options[] = {
	{ "device", required_argument, NULL, OPT_DEVICE },
	{ "slices", required_argument, NULL, OPT_SLICES },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "no-verify", no_argument, NULL, OPT_NO_VERIFY },
	{ "help", no_argument, NULL, OPT_HELP },
};

#define COMMON_COUNT (sizeof(common_options) / sizeof(common_options[0]))

void example_die(const struct example *ex, int status, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "%s: ", ex->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	exit(status);
}

static void usage(const struct example *ex, FILE *to)
{
	const struct option_def *o;

	fprintf(to, "usage: %s [OPTION...]%s%s\n%s\n\n", ex->name, *ex->operands ? " " : "",
		ex->operands, ex->summary);
	for (o = ex->options; o->name; o++)
		fprintf(to, "  --%-10s %s\n", o->name, o->help);
	fprintf(to, "  --%-10s %s\n", "slices", "use at most this many slices (default: all)");
	fprintf(to, "  --%-10s %s\n", "device", "render node, PCI address or index of the GPU");
	fprintf(to, "  --%-10s %s\n", "no-verify", "do not check the results");
	fprintf(to, "  --%-10s %s\n", "json", "print the result as JSON");
	fprintf(to, "  --%-10s %s\n", "help", "this text");
}

static uint64_t number(const struct example *ex, const char *name, const char *text)
{
	uint64_t value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (*end == 'K' || *end == 'M')
		value <<= *end++ == 'K' ? 10 : 20;
	if (errno || end == text || *end || *text == '-')
		example_die(ex, 2, "--%s: \"%s\" is not a number", name, text);
	return value;
}

static void take_option(struct example *ex, int opt)
{
	switch (opt) {
	case OPT_DEVICE:
		ex->device = optarg;
		break;
	case OPT_SLICES:
		ex->slices = number(ex, "slices", optarg);
		break;
	case OPT_JSON:
		ex->json = true;
		break;
	case OPT_NO_VERIFY:
		ex->verify = false;
		break;
	case OPT_HELP:
		usage(ex, stdout);
		exit(0);
	default:
		if (opt < OPT_OWN) {
			usage(ex, stderr);
			exit(2);
		}
		if (ex->options[opt - OPT_OWN].number)
			*ex->options[opt - OPT_OWN].number =
				number(ex, ex->options[opt - OPT_OWN].name, optarg);
		else
			*ex->options[opt - OPT_OWN].text = optarg;
	}
}

static void parse(struct example *ex, int argc, char **argv)
{
	struct option all[MAX_OPTIONS + COMMON_COUNT + 1];
	unsigned int i, n = 0;
	int opt;

	memset(all, 0, sizeof(all));
	for (i = 0; i < COMMON_COUNT; i++)
		all[n++] = common_options[i];
	for (i = 0; ex->options[i].name && i < MAX_OPTIONS; i++)
		all[n++] = (struct option){ ex->options[i].name, required_argument, NULL,
					    OPT_OWN + (int)i };
	while ((opt = getopt_long(argc, argv, "", all, NULL)) != -1)
		take_option(ex, opt);
	if (optind < argc && !*ex->operands) {
		usage(ex, stderr);
		exit(2);
	}
}

int example_start(struct example *ex, int argc, char **argv)
{
	ex->verify = true;
	parse(ex, argc, argv);
	if (tess_open(ex->device, &ex->dev))
		example_die(ex, 1, "%s", tess_strerror(NULL));
	if (ex->elf && tess_program_load(ex->dev, ex->name, ex->elf,
					 (size_t)(ex->elf_end - ex->elf), &ex->prog))
		example_die(ex, 1, "%s", tess_strerror(ex->dev));
	return optind;
}

const struct tess_kernel *example_kernel(struct example *ex, const char *name)
{
	const struct tess_kernel *k = tess_program_kernel(ex->prog, name);

	if (!k)
		example_die(ex, 1, "%s", tess_strerror(ex->dev));
	return k;
}

void *example_buffer(struct example *ex, uint64_t size, unsigned int flags,
		     struct tess_buffer **buf)
{
	void *mem = NULL;

	if (!tess_buffer_create(ex->dev, size, flags, TESS_NEAR_ANY, buf))
		mem = tess_buffer_map(*buf);
	if (!mem)
		example_die(ex, 1, "%s", tess_strerror(ex->dev));
	return mem;
}

static void account(struct example *ex, const struct tess_counters *c, struct tess_counters *out)
{
	ex->dispatches++;
	ex->total.cycles += c->cycles;
	ex->total.instructions += c->instructions;
	ex->total.flops += c->flops;
	ex->total.bytes += c->bytes;
	ex->total.link_bytes += c->link_bytes;
	if (c->slices > ex->total.slices)
		ex->total.slices = c->slices;
	if (out)
		*out = *c;
}

void example_run(struct example *ex, struct tess_dispatch *d, struct tess_counters *counters)
{
	struct tess_counters c;

	d->slice_count = (uint32_t)ex->slices;
	if (tess_run(ex->dev, d, &c))
		example_die(ex, 1, "%s", tess_strerror(ex->dev));
	account(ex, &c, counters);
}

void example_transfer(struct example *ex, struct tess_transfer *t, struct tess_counters *counters)
{
	struct tess_fence *fence;
	struct tess_counters c;

	t->slice_count = (uint32_t)ex->slices;
	if (tess_transfer(ex->dev, t, &fence) || tess_fence_wait(fence, -1, &c))
		example_die(ex, 1, "%s", tess_strerror(ex->dev));
	tess_fence_destroy(fence);
	account(ex, &c, counters);
}

uint32_t example_cores(struct example *ex)
{
	struct tess_slice_info slice;
	struct tess_info info;
	uint32_t i, used = 0, cores = 0;

	if (tess_get_info(ex->dev, &info))
		example_die(ex, 1, "%s", tess_strerror(ex->dev));
	for (i = 0; i < info.slice_count; i++) {
		if (tess_get_slice(ex->dev, i, &slice) || !slice.available ||
		    !(slice.engines & TESS_HAS_COMPUTE) || (ex->slices && used == ex->slices))
			continue;
		cores += slice.cores;
		used++;
	}
	return cores ? cores : 1;
}

void example_extra(struct example *ex, const char *fmt, ...)
{
	size_t n = strlen(ex->extra);
	va_list ap;

	n += (size_t)snprintf(ex->extra + n, sizeof(ex->extra) - n, ", ");
	if (n >= sizeof(ex->extra))
		return;
	va_start(ap, fmt);
	vsnprintf(ex->extra + n, sizeof(ex->extra) - n, fmt, ap);
	va_end(ap);
}

void example_json_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			printf("\\u%04x", *text);
		else
			putchar(*text);
	}
	putchar('"');
}

int example_finish(struct example *ex, unsigned long mismatches, bool quiet)
{
	const struct tess_counters *t = &ex->total;
	const char *word = mismatches ? "FAILED" : ex->verify ? "ok" : "done, not verified,";

	if (ex->json) {
		printf("{\"name\": \"%s\", \"ok\": %s, \"verified\": %s, \"mismatches\": %lu, "
		       "\"cycles\": %llu, \"instructions\": %llu, \"flops\": %llu, "
		       "\"dispatches\": %lu, \"slices\": %u%s}\n",
		       ex->name, mismatches ? "false" : "true", ex->verify ? "true" : "false",
		       mismatches, (unsigned long long)t->cycles,
		       (unsigned long long)t->instructions, (unsigned long long)t->flops,
		       ex->dispatches, t->slices, ex->extra);
	} else {
		fflush(stdout);
		fprintf(quiet ? stderr : stdout,
			"%s: %s %llu GPU cycles, %llu instructions, %lu dispatches, %u slices",
			ex->name, word, (unsigned long long)t->cycles,
			(unsigned long long)t->instructions, ex->dispatches, t->slices);
		if (mismatches)
			fprintf(quiet ? stderr : stdout, ", %lu mismatches", mismatches);
		fprintf(quiet ? stderr : stdout, "\n");
	}
	tess_close(ex->dev);
	return mismatches ? 1 : 0;
}

uint32_t example_random(uint64_t *state)
{
	/* xorshift64* */
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)((*state * 0x2545f4914f6cdd1dull) >> 32);
}
