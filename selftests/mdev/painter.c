// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A guest that shows pictures on head 0, without drivers, through the PCI resources of its
 * vGPU: picture n while it has n heads, with a cursor if the host shows one. It ends when it has no
 * head. Then there is nothing to see. It says what monitor there is, each time that one is plugged in.
 *
 * "painter N" prints picture N as it has to look, as a PPM file; "painter N cursor" with the cursor.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tessera/hw/tess_regs.h>

#define XRGB8888 0x34325258
#define PICTURES 2
#define POLL_US 100000

/**
 * struct picture - what is shown
 * @width: pixels
 * @height: lines
 * @pitch: bytes
 * @address: in VRAM
 */
static const struct picture {
	uint32_t width, height, pitch;
	uint64_t address;
} pictures[PICTURES] = {
	{ 640, 480, 640 * 4, 0 },
	{ 320, 240, 2048, 2 << 20 },
};

/* Where its image is in the picture, and in VRAM */
#define CURSOR_X 40
#define CURSOR_Y 30
#define CURSOR_ADDRESS (3U << 20)

static uint32_t pixel(unsigned int n, uint32_t x, uint32_t y)
{
	return ((x * 5 + n * 40) & 0xff) << 16 | ((y * 3) & 0xff) << 8 | ((x ^ y) & 0xff);
}

/* A triangle: what is above it cannot be seen */
static uint32_t cursor_pixel(uint32_t x, uint32_t y)
{
	return x > y ? 0 : 0xff000000 | (0xff - x) << 16 | y << 8 | 0x55;
}

static uint32_t pixel_shown(unsigned int n, uint32_t x, uint32_t y)
{
	uint32_t in_x = x - CURSOR_X, in_y = y - CURSOR_Y, c = 0;

	if (in_x < TESS_CURSOR_SIZE && in_y < TESS_CURSOR_SIZE)
		c = cursor_pixel(in_x, in_y);
	return c ? c : pixel(n, x, y);
}

static int print_ppm(unsigned int n, bool cursor)
{
	const struct picture *p = &pictures[n - 1];
	uint32_t x, y, c;

	printf("P6\n%u %u\n255\n", p->width, p->height);
	for (y = 0; y < p->height; y++) {
		for (x = 0; x < p->width; x++) {
			c = cursor ? pixel_shown(n, x, y) : pixel(n, x, y);
			putchar(c >> 16);
			putchar(c >> 8);
			putchar(c);
		}
	}
	return fflush(stdout) ? 1 : 0;
}

/* ---- the vGPU ---- */

static volatile uint8_t *regs;
static volatile uint8_t *vram;

static uint32_t head32(uint32_t off)
{
	return *(volatile uint32_t *)(regs + TESS_HEAD_PAGE(0) + off);
}

static void head_write(uint32_t off, uint32_t val)
{
	*(volatile uint32_t *)(regs + TESS_HEAD_PAGE(0) + off) = val;
}

static bool is_vgpu(const char *name)
{
	char path[PATH_MAX], id[8] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/device", name);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(id, sizeof(id), f))
		id[0] = 0;
	fclose(f);
	return strtol(id, NULL, 16) == TESS_PCI_DEVICE_ID;
}

static int open_file(const char *name, const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", name, file);
	return open(path, O_RDWR | O_CLOEXEC);
}

static void *map_bar(const char *name, const char *file, size_t size)
{
	int fd = open_file(name, file);
	void *p = MAP_FAILED;

	if (fd >= 0)
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	return p == MAP_FAILED ? NULL : p;
}

static bool map_vgpu(const char *name)
{
	int fd = open_file(name, "enable");
	bool ok = fd >= 0 && write(fd, "1", 1) == 1;

	if (fd >= 0)
		close(fd);
	if (!ok)
		return false;
	regs = map_bar(name, "resource0", TESS_REGS_SIZE);
	vram = map_bar(name, "resource2", 4 << 20);
	return regs && vram;
}

static bool find_vgpu(void)
{
	DIR *d = opendir("/sys/bus/pci/devices");
	struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d)))
		found = is_vgpu(e->d_name) && map_vgpu(e->d_name);
	if (d)
		closedir(d);
	return found;
}

/* ---- showing ---- */

/* Size that the monitor prefers, after it is there */
static void print_monitor(void)
{
	uint8_t timing[8];
	uint32_t words[2];

	while (!(head32(TESS_DREG_STATUS) & TESS_DSTATUS_CONNECTED))
		usleep(POLL_US);
	words[0] = head32(TESS_DREG_EDID + 56);
	words[1] = head32(TESS_DREG_EDID + 60);
	memcpy(timing, words, sizeof(timing));
	printf("monitor %ux%u\n", timing[0] | (timing[2] & 0xf0) << 4,
	       timing[3] | (timing[5] & 0xf0) << 4);
	fflush(stdout);
}

static bool show_cursor(void)
{
	uint32_t x, y;

	for (y = 0; y < TESS_CURSOR_SIZE; y++)
		for (x = 0; x < TESS_CURSOR_SIZE; x++)
			*(volatile uint32_t *)(vram + CURSOR_ADDRESS +
					       (y * TESS_CURSOR_SIZE + x) * 4) = cursor_pixel(x, y);
	head_write(TESS_DREG_CURSOR_CONTROL, TESS_DCURSOR_ENABLE);
	head_write(TESS_DREG_CURSOR_HOT, 0);
	head_write(TESS_DREG_CURSOR_ADDRESS, CURSOR_ADDRESS);
	head_write(TESS_DREG_CURSOR_ADDRESS + 4, 0);
	head_write(TESS_DREG_CURSOR_POSITION, CURSOR_Y << 16 | CURSOR_X);
	head_write(TESS_DREG_CURSOR_COMMIT, 1);
	return !head32(TESS_DREG_ERROR);
}

static bool show(unsigned int n)
{
	const struct picture *p = &pictures[n - 1];
	uint32_t x, y;

	for (y = 0; y < p->height; y++)
		for (x = 0; x < p->width; x++)
			*(volatile uint32_t *)(vram + p->address + y * p->pitch + x * 4) =
				pixel(n, x, y);
	head_write(TESS_DREG_CONTROL, TESS_DCONTROL_ENABLE);
	head_write(TESS_DREG_FORMAT, XRGB8888);
	head_write(TESS_DREG_WIDTH, p->width);
	head_write(TESS_DREG_HEIGHT, p->height);
	head_write(TESS_DREG_PITCH, p->pitch);
	head_write(TESS_DREG_ADDRESS, p->address);
	head_write(TESS_DREG_ADDRESS + 4, 0);
	head_write(TESS_DREG_EVENTS, TESS_DEVENT_FLIP);
	head_write(TESS_DREG_COMMIT, 1);
	if (head32(TESS_DREG_ERROR))
		return false;
	while (!(head32(TESS_DREG_EVENTS) & TESS_DEVENT_FLIP))
		usleep(POLL_US);
	return !(head32(TESS_DREG_STATUS) & TESS_DSTATUS_CURSOR) || show_cursor();
}

static unsigned int heads(void)
{
	return __builtin_popcount(*(volatile uint32_t *)(regs + TESS_REG_HEAD_MASK));
}

static int paint(void)
{
	unsigned int shown = 0, n;

	if (!find_vgpu()) {
		printf("no vGPU\n");
		return 1;
	}
	print_monitor();
	while ((n = heads())) {
		if (n != shown && n <= PICTURES) {
			if (!show(n))
				return 1;
			printf("shown %u\n", n);
			fflush(stdout);
			shown = n;
		}
		if (head32(TESS_DREG_EVENTS) & TESS_DEVENT_LINK) {
			head_write(TESS_DREG_EVENTS, TESS_DEVENT_LINK);
			print_monitor();
		}
		usleep(POLL_US);
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	if (argc > 1)
		return n && n <= PICTURES ? print_ppm(n, argc > 2) : 1;
	return paint();
}
