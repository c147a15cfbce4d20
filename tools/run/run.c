// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: tessera-run
 *
 * Runs any kernel of an ELF program from the command line: arguments are named there,
 * files go in and out. Exit status 0: it ran; 1: something failed; 2: usage.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>
#include <time.h>

#include "buffers.h"
#include "report.h"
#include "spec.h"

/**
 * struct job - what the command line asks for
 * @elf: program
 * @kernel: name of the kernel, NULL for the only one
 * @device: GPU
 * @d: shape of the dispatch
 * @repeat: number of runs
 * @timeout_s: seconds to wait for each run, 0 for ever
 * @system: buffers in system memory
 * @json: result as JSON
 * @args: arguments of the kernel
 * @arg_count: how many
 * @stuck: out: a run did not end in time
 */
struct job {
	const char *elf;
	const char *kernel;
	const char *device;
	struct tess_dispatch d;
	uint64_t repeat;
	uint64_t timeout_s;
	int system;
	int json;
	struct spec_arg args[SPEC_MAX_ARGS];
	unsigned int arg_count;
	int stuck;
};

/**
 * struct result - what all runs cost
 * @sum: counters of all runs, cycles included
 * @best_cycles: cycles of the fastest run
 * @wall_us: microseconds of all runs, submission to completion
 */
struct result {
	struct tess_counters sum;
	uint64_t best_cycles;
	double wall_us;
};

static const char usage_text[] =
	"usage: tessera-run PROGRAM.elf --grid X[,Y,Z] --group X[,Y,Z] [OPTION...]\n"
	"Runs a kernel on a Tessera GPU or vGPU and prints what it cost.\n"
	"\n"
	"  --grid X[,Y,Z]     work-items of the grid\n"
	"  --group X[,Y,Z]    work-items of a work-group (default: 1)\n"
	"  --kernel NAME      kernel (default: the only one that the program declares)\n"
	"  --arg KIND:VALUE   next argument of the kernel, in the order of its struct:\n"
	"      in:FILE          pointer to a copy of FILE, read-only for the kernel\n"
	"      out:FILE:SIZE    pointer to SIZE zeroed bytes that are written to FILE\n"
	"      inout:FILE       pointer to a copy of FILE that is written back\n"
	"      zero:SIZE        pointer to SIZE zeroed bytes\n"
	"      local:SIZE       pointer to SIZE bytes of local memory\n"
	"      u32:V            a number: u8 u16 u32 u64 i8 i16 i32 i64 f32 f64\n"
	"                     SIZE may end in K, M or G; FILE - is standard input or output\n"
	"  --local BYTES      more local memory of a work-group than the kernel declares\n"
	"  --private BYTES    private memory (stack) of a work-item\n"
	"  --slices N         use at most N slices (default: all)\n"
	"  --repeat N         run N times, each time with fresh buffers (default: 1)\n"
	"  --system           buffers in system memory (default: VRAM)\n"
	"  --timeout SECONDS  give up waiting for a run after that time (default: never)\n"
	"  --device GPU       render node, PCI address or index (default: $TESSERA_DEVICE, 0)\n"
	"  --json             result and errors as JSON\n"
	"  --version, --help\n";

enum {
	OPT_GRID = 256,
	OPT_GROUP,
	OPT_KERNEL,
	OPT_ARG,
	OPT_LOCAL,
	OPT_PRIVATE,
	OPT_SLICES,
	OPT_REPEAT,
	OPT_SYSTEM,
	OPT_TIMEOUT,
	OPT_DEVICE,
	OPT_JSON,
	OPT_VERSION,
	OPT_HELP,
};

static const struct option options[] = {
	{ "grid", required_argument, NULL, OPT_GRID },
	{ "group", required_argument, NULL, OPT_GROUP },
	{ "kernel", required_argument, NULL, OPT_KERNEL },
	{ "arg", required_argument, NULL, OPT_ARG },
	{ "local", required_argument, NULL, OPT_LOCAL },
	{ "private", required_argument, NULL, OPT_PRIVATE },
	{ "slices", required_argument, NULL, OPT_SLICES },
	{ "repeat", required_argument, NULL, OPT_REPEAT },
	{ "system", no_argument, NULL, OPT_SYSTEM },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "device", required_argument, NULL, OPT_DEVICE },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "help", no_argument, NULL, OPT_HELP },
	{ 0 },
};

static int parse_u32(const char *text, uint32_t *value, const char **why)
{
	uint64_t v;
	int ret = spec_parse_number(text, UINT32_MAX, &v, why);

	*value = (uint32_t)v;
	return ret;
}

static int parse_bytes(const char *text, uint32_t *value, const char **why)
{
	uint64_t v = 0;
	int ret = spec_parse_size(text, &v, why);

	if (!ret && v > UINT32_MAX) {
		*why = "the number is too large";
		return -1;
	}
	*value = (uint32_t)v;
	return ret;
}

static int add_arg(struct job *job, const char *text, const char **why)
{
	if (job->arg_count == SPEC_MAX_ARGS) {
		*why = "too many arguments";
		return -1;
	}
	return spec_parse_arg(text, &job->args[job->arg_count++], why);
}

/* Returns 0, or -1 with the reason. */
static int take_option(struct job *job, int opt, const char **why)
{
	switch (opt) {
	case OPT_GRID:
		return spec_parse_dims(optarg, UINT32_MAX, job->d.grid, why);
	case OPT_GROUP:
		return spec_parse_dims(optarg, UINT32_MAX, job->d.group, why);
	case OPT_ARG:
		return add_arg(job, optarg, why);
	case OPT_LOCAL:
		return parse_bytes(optarg, &job->d.local_bytes, why);
	case OPT_PRIVATE:
		return parse_bytes(optarg, &job->d.private_bytes, why);
	case OPT_SLICES:
		return parse_u32(optarg, &job->d.slice_count, why);
	case OPT_REPEAT:
		return spec_parse_number(optarg, 1000000, &job->repeat, why);
	case OPT_TIMEOUT:
		return spec_parse_number(optarg, 1000000, &job->timeout_s, why);
	case OPT_KERNEL:
		job->kernel = optarg;
		return 0;
	case OPT_DEVICE:
		job->device = optarg;
		return 0;
	case OPT_SYSTEM:
		job->system = 1;
		return 0;
	default:
		return 0; /* JSON was looked for before */
	}
}

static const char *option_name(int opt)
{
	const struct option *o;

	for (o = options; o->name; o++) {
		if (o->val == opt)
			return o->name;
	}
	return "?";
}

/* Returns the exit status, or -1 to go on. */
static int parse(struct job *job, int argc, char **argv)
{
	const char *why = NULL;
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt == '?') {
			fputs("try tessera-run --help\n", stderr);
			return 2;
		}
		if (opt == OPT_HELP) {
			fputs(usage_text, stdout);
			return 0;
		}
		if (opt == OPT_VERSION) {
			puts("tessera-run " RUN_VERSION);
			return 0;
		}
		if (take_option(job, opt, &why)) {
			report_error("--%s %s: %s", option_name(opt), optarg, why);
			return 2;
		}
	}
	if (optind + 1 != argc || !job->d.grid[0] || !job->repeat) {
		report_error(optind == argc ? "give a program (see --help)" :
			     !job->repeat   ? "--repeat must not be 0" :
			     job->d.grid[0] ? "give one program only (see --help)" :
					      "give the size of the grid with --grid (see --help)");
		return 2;
	}
	job->elf = argv[optind];
	return -1;
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int run_once(struct tess_device *dev, struct job *job, struct result *r)
{
	int64_t timeout = job->timeout_s ? (int64_t)job->timeout_s * 1000000000 : -1;
	double start = now_us();
	struct tess_fence *fence;
	struct tess_counters c;
	int ret;

	if (tess_dispatch(dev, &job->d, &fence))
		return report_error("%s", tess_strerror(dev));
	ret = tess_fence_wait(fence, timeout, &c);
	job->stuck = ret == -ETIME;
	if (ret)
		return report_error("%s", tess_strerror(dev));
	tess_fence_destroy(fence);
	r->wall_us += now_us() - start;
	r->sum.cycles += c.cycles;
	r->sum.busy += c.busy;
	r->sum.stall += c.stall;
	r->sum.instructions += c.instructions;
	r->sum.flops += c.flops;
	r->sum.link_bytes += c.link_bytes;
	r->sum.groups += c.groups;
	r->sum.slices = c.slices;
	r->sum.jobs += c.jobs;
	if (!r->best_cycles || c.cycles < r->best_cycles)
		r->best_cycles = c.cycles;
	return 0;
}

static void print_result(const struct job *job, const struct result *r)
{
	const struct tess_counters *c = &r->sum;

	if (!job->json) {
		fprintf(stderr,
			"%s: %llu GPU cycles, %llu instructions, %llu flops, %llu groups, %u slices, "
			"%.3f ms",
			tess_kernel_name(job->d.kernel), (unsigned long long)c->cycles,
			(unsigned long long)c->instructions, (unsigned long long)c->flops,
			(unsigned long long)c->groups, c->slices, r->wall_us / 1000.0);
		if (job->repeat > 1)
			fprintf(stderr, " in %llu runs (fastest: %llu cycles)",
				(unsigned long long)job->repeat,
				(unsigned long long)r->best_cycles);
		fprintf(stderr, "\n");
		return;
	}
	printf("{\"kernel\": ");
	report_string(tess_kernel_name(job->d.kernel));
	printf(", \"runs\": %llu, \"slices\": %u, \"jobs\": %u, \"cycles\": %llu, "
	       "\"best_cycles\": %llu, \"busy_cycles\": %llu, \"stall_cycles\": %llu, "
	       "\"instructions\": %llu, \"flops\": %llu, \"link_bytes\": %llu, \"groups\": %llu, "
	       "\"wall_us\": %.1f}\n",
	       (unsigned long long)job->repeat, c->slices, c->jobs, (unsigned long long)c->cycles,
	       (unsigned long long)r->best_cycles, (unsigned long long)c->busy,
	       (unsigned long long)c->stall, (unsigned long long)c->instructions,
	       (unsigned long long)c->flops, (unsigned long long)c->link_bytes,
	       (unsigned long long)c->groups, r->wall_us);
}

static int run_all(struct tess_device *dev, struct job *job, struct run_buffer *bufs)
{
	struct result r = { 0 };
	uint64_t i;

	for (i = 0; i < job->repeat; i++) {
		if (i)
			run_buffers_reset(job->args, job->arg_count, bufs);
		if (run_once(dev, job, &r))
			return -1;
	}
	if (run_buffers_write(job->args, job->arg_count, bufs))
		return -1;
	print_result(job, &r);
	return 0;
}

static int run_on(struct tess_device *dev, struct job *job)
{
	struct run_buffer bufs[SPEC_MAX_ARGS] = { 0 };
	struct tess_args *args = tess_args_create();
	struct tess_program *prog;
	int ret = -1;

	if (!args || tess_program_load_file(dev, job->elf, &prog)) {
		report_error("%s", tess_strerror(args ? dev : NULL));
		goto out;
	}
	job->d.kernel = tess_program_kernel(prog, job->kernel);
	if (!job->d.kernel) {
		report_error("%s", tess_strerror(dev));
		goto out;
	}
	ret = run_buffers_make(dev, job->d.kernel, job->args, job->arg_count, job->system, bufs,
			       args);
	if (!ret) {
		job->d.args = tess_args_data(args);
		job->d.args_size = (uint32_t)tess_args_size(args);
		job->d.local_bytes += tess_args_local_bytes(args);
		ret = run_all(dev, job, bufs);
	}
out:
	if (!job->stuck)
		run_buffers_free(bufs, job->arg_count);
	tess_args_destroy(args);
	return ret;
}

static int asks_for_json(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct job job = { .repeat = 1, .json = asks_for_json(argc, argv) };
	struct tess_device *dev;
	unsigned int i;
	int ret;

	report_start("tessera-run", job.json);
	ret = parse(&job, argc, argv);
	if (ret >= 0)
		return ret;
	if (tess_open(job.device, &dev)) {
		report_error("%s", tess_strerror(NULL));
		return 1;
	}
	ret = run_on(dev, &job);
	/* Work that did not end in time would be waited for: it ends with the process. */
	if (!job.stuck)
		tess_close(dev);
	for (i = 0; i < job.arg_count; i++)
		spec_free_arg(&job.args[i]);
	return ret ? 1 : 0;
}
