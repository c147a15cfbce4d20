// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * screen UUID: hold a vGPU as a VMM does, and do on its heads what a guest would, as told line by
 * line:
 *
 *	load ADDRESS FILE	copy a file into VRAM
 *	show HEAD FORMAT WIDTH HEIGHT PITCH ADDRESS [X1 Y1 X2 Y2]	flip, with damage
 *	dark HEAD
 *	cursor HEAD X Y ADDRESS
 *	monitor HEAD		answered by "ok", with the size of its preferred mode
 *
 * Each is answered by "ok", or by what was wrong. Ends with standard input.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "heads.h"
#include "vgpu.h"

/**
 * struct screen - the vGPU
 * @v: open
 * @vram: mapped
 * @size: of it
 */
struct screen {
	struct vgpu v;
	uint8_t *vram;
	uint64_t size;
};

static const char *load(struct screen *s, const char *line)
{
	unsigned long long address;
	char path[256];
	FILE *file;
	size_t got;

	if (sscanf(line, "load %llu %255s", &address, path) != 2 || address >= s->size)
		return "load what and where?";
	file = fopen(path, "re");
	if (!file)
		return "no such file";
	got = fread(s->vram + address, 1, s->size - address, file);
	fclose(file);
	return got ? "ok" : "nothing was read";
}

static const char *show(struct screen *s, const char *line)
{
	unsigned long long address;
	struct head_rect damage;
	struct head_plane p;
	unsigned int head;
	int got = sscanf(line, "show %u %u %u %u %u %llu %u %u %u %u", &head, &p.format, &p.width,
			 &p.height, &p.pitch, &address, &damage.x1, &damage.y1, &damage.x2,
			 &damage.y2);

	if (got != 6 && got != 10)
		return "show what?";
	p.address = address;
	if (got == 10)
		head_write_damage(&s->v, head, &damage);
	return head_commit(&s->v, head, &p) ? "refused" : "ok";
}

static const char *point(struct screen *s, const char *line)
{
	unsigned long long address;
	unsigned int head;
	int x, y;

	if (sscanf(line, "cursor %u %d %d %llu", &head, &x, &y, &address) != 4)
		return "which cursor?";
	head_move_cursor(&s->v, head, x, y);
	return head_cursor(&s->v, head, address, 0, 0) ? "refused" : "ok";
}

static const char *monitor(struct screen *s, const char *line)
{
	static char text[32];
	unsigned int head;
	uint32_t a, b;

	if (sscanf(line, "monitor %u", &head) != 1)
		return "which monitor?";
	/* Bytes 56 to 61 of the EDID: of the first detailed timing */
	a = head32(&s->v, head, TESS_DREG_EDID + 56);
	b = head32(&s->v, head, TESS_DREG_EDID + 60);
	snprintf(text, sizeof(text), "ok %ux%u", (a & 255) | (a >> 20 & 15) << 8,
		 (a >> 24) | (b >> 12 & 15) << 8);
	return text;
}

static const char *act(struct screen *s, const char *line)
{
	unsigned int head;

	if (!strncmp(line, "load ", 5))
		return load(s, line);
	if (!strncmp(line, "show ", 5))
		return show(s, line);
	if (!strncmp(line, "cursor ", 7))
		return point(s, line);
	if (!strncmp(line, "monitor ", 8))
		return monitor(s, line);
	if (sscanf(line, "dark %u", &head) != 1)
		return "unknown";
	head_disable(&s->v, head);
	return "ok";
}

int main(int argc, char **argv)
{
	struct screen s = { 0 };
	char line[512];

	if (argc != 2) {
		fprintf(stderr, "usage: screen UUID\n");
		return 2;
	}
	if (vgpu_open(&s.v, argv[1]))
		return 1;
	s.size = reg64(&s.v, TESS_REG_VRAM_SIZE);
	s.vram = vgpu_mmap(&s.v, TESS_BAR_VRAM, 0, s.size);
	while (s.vram != MAP_FAILED && fgets(line, sizeof(line), stdin)) {
		puts(act(&s, line));
		fflush(stdout);
	}
	vgpu_close(&s.v);
	return s.vram == MAP_FAILED;
}
