// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: picture of the pool
 *
 *   compute  0:A   1:A   2:B3  3:.
 *   render   4:~   5:_2
 *
 * Slices of a kind in one line, each with the letter of the vGPU that is on it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "picture.h"

#define SLICES_PER_LINE 8
#define CELL_WIDTH 4

static const struct {
	const char *state;
	char sign;
} signs[] = {
	{ "free", '.' },   { "elastic", '~' }, { "faulty", '!' },
	{ "absent", '-' }, { "offline", 'x' },
};

#define SIGNS (sizeof(signs) / sizeof(signs[0]))

static bool is_elastic(const struct pool_vgpu *vgpu)
{
	return !strcmp(vgpu->share, "elastic");
}

/* What a part is of */
static const struct pool_vgpu *whole(const struct pool *pool, const struct pool_vgpu *part)
{
	const struct pool_vgpu *vgpu;
	unsigned int i;

	for (i = 0; i < pool->gpu_count; i++) {
		vgpu = pool_vgpu(&pool->gpus[i], part->dir);
		if (vgpu && !vgpu->part)
			return vgpu;
	}
	return part;
}

char picture_letter(const struct pool *pool, const struct pool_vgpu *vgpu)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	const struct pool_gpu *gpu;
	unsigned int j, n = 0;

	if (is_elastic(vgpu))
		return '~';
	if (vgpu->part)
		vgpu = whole(pool, vgpu);
	for (gpu = pool->gpus; gpu < pool->gpus + pool->gpu_count; gpu++)
		for (j = 0; j < gpu->vgpu_count; j++) {
			if (&gpu->vgpus[j] == vgpu)
				return n < sizeof(letters) - 1 ? letters[n] : '#';
			n += !is_elastic(&gpu->vgpus[j]) && !gpu->vgpus[j].part;
		}
	return '#';
}

static char slice_sign(const struct pool *pool, const struct pool_gpu *gpu,
		       const struct pool_slice *slice)
{
	const struct pool_vgpu *vgpu;
	unsigned int i;

	for (i = 0; i < SIGNS; i++)
		if (!strcmp(slice->state, signs[i].state))
			return signs[i].sign;
	if (!slice->owner[0])
		return '_';
	vgpu = pool_vgpu(gpu, slice->owner);
	return vgpu ? picture_letter(pool, vgpu) : '?';
}

const char *picture_cell(char *buf, const struct pool *pool, const struct pool_gpu *gpu,
			 const struct pool_slice *slice)
{
	char sign = slice_sign(pool, gpu, slice), members[NUM_TEXT] = "";

	if (!strcmp(slice->state, "shared"))
		num_text(members, slice->members);
	snprintf(buf, PICTURE_CELL, "%c%.8s", sign, members);
	return buf;
}

/* Is it the first slice of its kind? */
static bool opens_kind(const struct pool_gpu *gpu, const struct pool_slice *slice)
{
	const struct pool_slice *other;

	for (other = gpu->slices; other < slice; other++)
		if (!strcmp(other->kind, slice->kind))
			return false;
	return true;
}

static void print_kind(const struct pool *pool, const struct pool_gpu *gpu, const char *kind)
{
	char cell[PICTURE_CELL];
	unsigned int i, n = 0;
	int pad = 0;

	printf("  %-8s", *kind ? kind : "-");
	for (i = 0; i < gpu->slice_count; i++) {
		const struct pool_slice *slice = &gpu->slices[i];

		if (strcmp(slice->kind, kind))
			continue;
		if (n && n % SLICES_PER_LINE == 0) {
			printf("\n  %-8s", "");
			pad = 0;
		}
		printf("%*s %3u:%s", pad, "", slice->index, picture_cell(cell, pool, gpu, slice));
		pad = strlen(cell) < CELL_WIDTH ? CELL_WIDTH - (int)strlen(cell) : 0;
		n++;
	}
	putchar('\n');
}

void picture_print(const struct pool *pool, const struct pool_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < gpu->slice_count; i++)
		if (opens_kind(gpu, &gpu->slices[i]))
			print_kind(pool, gpu, gpu->slices[i].kind);
}

void picture_gpu(const struct pool *pool, const struct pool_gpu *gpu)
{
	char total[NUM_TEXT], available[NUM_TEXT], clock[NUM_TEXT], vram[2][NUM_TEXT];

	printf("gpu%u %s%s: %s slices, %s available, VRAM %s MiB (%s free), %s kHz\n", gpu->index,
	       gpu->name[0] ? gpu->name : "-", strcmp(gpu->type, "vgpu") ? "" : " (vGPU)",
	       num_text(total, gpu->slices_total), num_text(available, gpu->slices_free),
	       num_text(vram[0], num_ratio(gpu->vram_total, 1, num(1 << 20), INT64_MAX)),
	       num_text(vram[1], num_ratio(gpu->vram_free, 1, num(1 << 20), INT64_MAX)),
	       num_text(clock, gpu->clock_khz));
	picture_print(pool, gpu);
}

void picture_legend(void)
{
	puts("  A: a vGPU  B3: shared by 3, B is resident  _3: shared, none is resident  .: free\n"
	     "  ~: the host's own, given back on demand  !: faulty  -: absent\n"
	     "  x: out of service");
}
