// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: tessera-info
 *
 * Lists the GPUs and vGPUs that programs can use, their slices and their memory.
 * Exit status 0: there is one; 1: there is none, or it cannot be asked; 2: usage.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

#include "report.h"

#define MAX_GPUS 64

static const char usage_text[] =
	"usage: tessera-info [--device GPU] [--json]\n"
	"Lists the Tessera GPUs and vGPUs of this machine, their slices and their memory.\n"
	"\n"
	"  --device GPU   only this one: render node, PCI address or index\n"
	"  --json         as JSON\n"
	"  --version, --help\n";

static const struct option options[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "json", no_argument, NULL, 'j' },
	{ "version", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static const char *const engine_names[] = { "compute", "copy", "raster", "display" };

static void print_engines(uint32_t engines, const char *quote, const char *separator)
{
	const char *between = "";
	unsigned int i;

	for (i = 0; i < 4; i++) {
		if (!(engines >> i & 1))
			continue;
		printf("%s%s%s%s", between, quote, engine_names[i], quote);
		between = separator;
	}
}

static void print_text(const struct tess_info *info, const struct tess_slice_info *slices)
{
	uint32_t i;

	printf("%s %s %s: %u of %u slices, %.3f MHz, VRAM %llu MiB (%llu MiB free)\n",
	       info->is_vgpu ? "vGPU" : "GPU", info->pci[0] ? info->pci : "-", info->node,
	       (unsigned int)__builtin_popcountll(info->slice_mask), info->slice_count,
	       (double)info->clock_khz / 1000.0, (unsigned long long)info->vram_size >> 20,
	       (unsigned long long)info->vram_free >> 20);
	for (i = 0; i < info->slice_count && i < TESS_MAX_SLICES; i++) {
		if (!slices[i].available)
			continue;
		printf("  slice %2u  %-7s  %2u cores  ", i, tess_kind_name(slices[i].kind),
		       slices[i].cores);
		print_engines(slices[i].engines, "", " ");
		printf("\n");
	}
}

static void print_json(const struct tess_info *info, const struct tess_slice_info *slices)
{
	const char *between = "";
	uint32_t i;

	printf("{\"node\": ");
	report_string(info->node);
	printf(", \"pci\": ");
	report_string(info->pci);
	printf(", \"vgpu\": %s, \"generation\": %llu, \"clock_khz\": %u, \"vram_size\": %llu, "
	       "\"vram_free\": %llu, \"bank_size\": %llu, \"max_group_items\": %u, "
	       "\"max_local_bytes\": %u, \"slices\": [",
	       info->is_vgpu ? "true" : "false", (unsigned long long)info->generation,
	       info->clock_khz, (unsigned long long)info->vram_size,
	       (unsigned long long)info->vram_free, (unsigned long long)info->bank_size,
	       info->max_group_items, info->max_local_bytes);
	for (i = 0; i < info->slice_count && i < TESS_MAX_SLICES; i++) {
		if (!slices[i].available)
			continue;
		printf("%s{\"slice\": %u, \"kind\": \"%s\", \"cores\": %u, \"engines\": [", between,
		       i, tess_kind_name(slices[i].kind), slices[i].cores);
		print_engines(slices[i].engines, "\"", ", ");
		printf("]}");
		between = ", ";
	}
	printf("]}");
}

static int show(const char *which, bool json)
{
	struct tess_slice_info slices[TESS_MAX_SLICES] = { 0 };
	struct tess_device *dev;
	struct tess_info info;
	uint32_t i;
	int ret;

	if (tess_open(which, &dev))
		return report_error("%s", tess_strerror(NULL));
	ret = tess_get_info(dev, &info);
	for (i = 0; !ret && i < info.slice_count && i < TESS_MAX_SLICES; i++)
		ret = tess_get_slice(dev, i, &slices[i]);
	if (ret)
		report_error("%s", tess_strerror(dev));
	else if (json)
		print_json(&info, slices);
	else
		print_text(&info, slices);
	tess_close(dev);
	return ret ? -1 : 0;
}

static int show_all(bool json)
{
	struct tess_node list[MAX_GPUS];
	int i, n, ret = 0;

	n = tess_list_devices(list, MAX_GPUS);
	if (n < 0)
		return report_error("%s", tess_strerror(NULL));
	if (!n)
		return report_error("no Tessera GPU in this machine (is the module tessera_drm "
				    "loaded, is /dev/dri accessible?)");
	if (json)
		printf("[");
	for (i = 0; i < n && i < MAX_GPUS && !ret; i++) {
		if (json && i)
			printf(", ");
		ret = show(list[i].node, json);
	}
	if (json && !ret)
		printf("]\n");
	return ret;
}

int main(int argc, char **argv)
{
	const char *device = NULL;
	bool json = false;
	int opt, ret;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'd':
			device = optarg;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			fputs(usage_text, stdout);
			return 0;
		case 'v':
			puts("tessera-info " RUN_VERSION);
			return 0;
		default:
			fputs("try tessera-info --help\n", stderr);
			return 2;
		}
	}
	if (optind != argc) {
		fputs(usage_text, stderr);
		return 2;
	}
	report_start("tessera-info", json);
	ret = device ? show(device, json) : show_all(json);
	if (!ret && device && json)
		printf("\n");
	return ret ? 1 : 0;
}
