// SPDX-License-Identifier: GPL-2.0-or-later
/* Shows a known picture on a display head by KMS, until it is told to end. */
#include <getopt.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tess_drm.h"
#include "tess_kms.h"

#define NAP_NS (50 * 1000 * 1000)

static const char usage[] =
	"usage: kms_pattern [-n HEAD] [-f XR24|AR24|RG16] [-r READY] [-u UNTIL] [-t SECONDS]\n"
	"       kms_pattern -p WIDTHxHEIGHT\n"
	"Shows a picture on a head in its preferred mode, says so, and makes the file READY.\n"
	"Ends when the file UNTIL is there, or after SECONDS (10).\n"
	"-p: writes the picture to standard output, as PPM: what a screen dump is to be like.\n";

static int write_ppm(const char *size)
{
	unsigned int width, height, x, y;

	if (sscanf(size, "%ux%u", &width, &height) != 2 || !width || !height)
		return 2;
	printf("P6\n%u %u\n255\n", width, height);
	for (y = 0; y < height; y++) {
		for (x = 0; x < width; x++) {
			uint32_t c = tess_kms_pixel(width, height, x, y);

			putchar(c >> 16 & 255);
			putchar(c >> 8 & 255);
			putchar(c & 255);
		}
	}
	return fflush(stdout) ? 1 : 0;
}

/* A flip with an event to the same picture: it is shown when that comes */
static void show(int fd, unsigned int head, uint32_t format)
{
	struct tess_kms_connector conn;
	struct drm_event_vblank event;
	struct tess_kms_resources res;
	struct tess_kms_fb fb;
	int rc;

	tess_kms_resources(fd, &res);
	if (head >= res.count_crtcs)
		tess_die("there is no head %u", head);
	tess_kms_connector(fd, res.connectors[head], &conn);
	if (!conn.connected || !conn.count_modes)
		tess_die("head %u is not connected", head);
	tess_kms_fb_create(fd, conn.mode.hdisplay, conn.mode.vdisplay, format, &fb);
	tess_kms_draw(&fb);
	rc = __tess_kms_set(fd, res.crtcs[head], res.connectors[head], fb.id, &conn.mode);
	if (!rc)
		rc = __tess_kms_flip(fd, res.crtcs[head], fb.id, DRM_MODE_PAGE_FLIP_EVENT, 0);
	if (!rc)
		rc = tess_kms_event(fd, 10000, &event);
	if (rc)
		tess_die("head %u: %s", head, strerror(-rc));
	printf("head %u shows %ux%u\n", head, fb.width, fb.height);
	fflush(stdout);
}

static uint32_t format_named(const char *name)
{
	if (strlen(name) != 4)
		return 0;
	return name[0] | name[1] << 8 | name[2] << 16 | (uint32_t)name[3] << 24;
}

int main(int argc, char **argv)
{
	const char *ready = NULL, *until = NULL;
	struct timespec nap = { .tv_nsec = NAP_NS };
	uint32_t format = TESS_KMS_XRGB8888;
	unsigned int head = 0, naps = 200;
	int fd, opt;

	while ((opt = getopt(argc, argv, "n:f:r:u:t:p:")) != -1) {
		switch (opt) {
		case 'n':
			head = (unsigned int)atoi(optarg);
			break;
		case 'f':
			format = format_named(optarg);
			break;
		case 'r':
			ready = optarg;
			break;
		case 'u':
			until = optarg;
			break;
		case 't':
			naps = (unsigned int)atoi(optarg) * (1000000000 / NAP_NS);
			break;
		case 'p':
			return write_ppm(optarg);
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	show(tess_kms_open(), head, format);
	if (ready) {
		fd = open(ready, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		if (fd < 0)
			tess_die("%s: %m", ready);
		close(fd);
	}
	while (naps-- && (!until || access(until, F_OK)))
		nanosleep(&nap, NULL);
	return 0;
}
