// SPDX-License-Identifier: GPL-2.0-or-later
/* The whole library on the simulated driver: results, splitting, order, live changes. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "files.h"
#include "kernels.h"
#include "sim.h"
#include "tap.h"
#include "tessera.h"

static unsigned char *elf;
static size_t elf_size;

/**
 * struct setup - an open device with the test kernels
 * @dev: device
 * @prog: kernels.elf
 */
struct setup {
	struct tess_device *dev;
	struct tess_program *prog;
};

/* The message becomes the name of the check: it must exist. */
static void refused(int ret, int want, struct tess_device *dev)
{
	const char *text = tess_strerror(dev);

	ok(ret == want && strcmp(text, "no error"), "%s", text);
}

static struct setup start(void)
{
	struct setup s = { 0 };

	sim_reset();
	if (tess_open(NULL, &s.dev) ||
	    tess_program_load(s.dev, "kernels.elf", elf, elf_size, &s.prog))
		exit(tap_bail("%s", tess_strerror(s.dev)));
	return s;
}

static void stop(struct setup *s)
{
	tess_close(s->dev);
	ok(!sim.leaks, "nothing is left in the kernel (%u objects)", sim.leaks);
}

static void test_open(void)
{
	struct tess_device *dev = NULL;
	struct tess_info info;
	struct tess_slice_info slice;

	sim_reset();
	sim.gpus = 3;
	ok(!tess_open("2", &dev) && !tess_get_info(dev, &info) && !strcmp(info.pci, "0000:00:06.0"),
	   "by index");
	ok(info.slice_mask == 0xff && info.slice_count == 8 && info.is_vgpu &&
		   info.clock_khz == 4000 && info.vram_free == 64 << 20,
	   "what it is");
	ok(!tess_get_slice(dev, 2, &slice) && slice.cores == 2 && slice.available &&
		   !strcmp(tess_kind_name(slice.kind), "mixed"),
	   "a slice");
	refused(tess_get_slice(dev, 8, &slice), -EINVAL, dev);
	tess_close(dev);
	ok(!tess_open("00:05.0", &dev) && !tess_get_info(dev, &info) &&
		   !strcmp(info.node, "/dev/dri/renderD129"),
	   "by PCI address");
	tess_close(dev);
	ok(!tess_open("/dev/dri/renderD130", &dev), "by path");
	tess_close(dev);
	setenv("TESSERA_DEVICE", "1", 1);
	ok(!tess_open(NULL, &dev) && !tess_get_info(dev, &info) && info.pci[9] == '5',
	   "by environment");
	tess_close(dev);
	unsetenv("TESSERA_DEVICE");
	refused(tess_open("3", &dev), -ENODEV, NULL);
	refused(tess_open("0000:01:00.0", &dev), -ENODEV, NULL);
	refused(tess_open("/dev/null", &dev), -ENOENT, NULL);
	sim.gpus = 0;
	refused(tess_open(NULL, &dev), -ENODEV, NULL);
	ok(!sim.leaks, "nothing is left in the kernel");
}

/* What the process has in the way is stepped over, and left as it is. */
static void test_same(struct setup *s)
{
	struct tess_buffer *a, *b;
	char *obstacle;
	int ret;

	ret = tess_buffer_create(s->dev, 5 << 20, TESS_BUFFER_VRAM | TESS_BUFFER_SAME, 0, &a);
	ok(!ret && (uintptr_t)tess_buffer_map(a) == tess_buffer_va(a), "one address for both");
	memset(tess_buffer_map(a), 0x5a, tess_buffer_size(a));
	obstacle = mmap((char *)tess_buffer_map(a) + (6 << 20), 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	*obstacle = 1;
	ret = tess_buffer_create(s->dev, 2 << 20, TESS_BUFFER_SYSTEM | TESS_BUFFER_SAME, 0, &b);
	ok(!ret && (uintptr_t)tess_buffer_map(b) == tess_buffer_va(b) &&
		   tess_buffer_va(b) > (uintptr_t)obstacle && *obstacle == 1,
	   "past what is in the way");
	munmap(obstacle, 4096);
	tess_buffer_destroy(a);
	tess_buffer_destroy(b);
	ret = tess_buffer_create(s->dev, 5 << 20, TESS_BUFFER_VRAM | TESS_BUFFER_SAME, 0, &a);
	ok(!ret && !*(char *)tess_buffer_map(a), "the address can be used again");
	tess_buffer_destroy(a);
}

/* Memory of a file takes the place of that of a driver. */
static void test_import(struct setup *s)
{
	int fd = memfd_create("shared", 0);
	struct tess_buffer *buf;
	struct tess_transfer t = { .bytes = 4096, .pattern = 0x600dcafe };
	uint32_t word = 0;

	refused(tess_buffer_import(s->dev, fd, 0, &buf), -EINVAL, s->dev);
	ok(!ftruncate(fd, 8192), "a file of two pages");
	refused(tess_buffer_import(s->dev, fd, TESS_BUFFER_VRAM, &buf), -EINVAL, s->dev);
	ok(!tess_buffer_import(s->dev, fd, TESS_BUFFER_SAME, &buf) &&
		   (uintptr_t)tess_buffer_map(buf) == tess_buffer_va(buf) &&
		   tess_buffer_size(buf) == 8192,
	   "imported memory, at one address");
	t.dst = buf;
	t.dst_offset = 4096;
	ok(!tess_transfer(s->dev, &t, NULL) && !tess_finish(s->dev, -1) &&
		   pread(fd, &word, sizeof(word), 8188) == sizeof(word) && word == t.pattern,
	   "others see what is written there");
	sim.deny_bind = -ENOMEM;
	tess_buffer_destroy(buf);
	refused(tess_buffer_import(s->dev, fd, TESS_BUFFER_SAME, &buf), -ENOMEM, s->dev);
	sim.deny_bind = 0;
	close(fd);
	refused(tess_buffer_import(s->dev, fd, 0, &buf), -EBADF, s->dev);
}

static void test_damage(struct setup *s)
{
	struct tess_buffer *a, *b;
	uint32_t first;

	tess_buffer_create(s->dev, 4096, TESS_BUFFER_VRAM, 0, &a);
	tess_buffer_create(s->dev, 4096, TESS_BUFFER_VRAM, 0, &b);
	ok(!tess_buffer_damage(a, NULL, 0, 0, 0, 0) && sim.damage.handle && !sim.damage.previous,
	   "a picture with none before it");
	first = sim.damage.handle;
	ok(!tess_buffer_damage(b, a, 1, 2, 3, 4) && sim.damage.handle != first &&
		   sim.damage.previous == first && sim.damage.x1 == 1 && sim.damage.y1 == 2 &&
		   sim.damage.x2 == 3 && sim.damage.y2 == 4,
	   "what differs from it");
	refused(tess_buffer_damage(b, a, 4, 2, 3, 4), -EINVAL, s->dev);
	refused(tess_buffer_damage(b, a, 1, 5, 3, 4), -EINVAL, s->dev);
	sim.deny_damage = -EINVAL;
	ok(!tess_buffer_damage(b, a, 1, 2, 3, 4), "an older driver is no error");
	sim.deny_damage = -ENODEV;
	refused(tess_buffer_damage(b, a, 1, 2, 3, 4), -ENODEV, s->dev);
	sim.deny_damage = 0;
	tess_buffer_destroy(a);
	tess_buffer_destroy(b);
}

static void test_buffers(void)
{
	struct setup s = start();
	struct tess_buffer *a, *b;

	ok(!tess_buffer_create(s.dev, 5000, TESS_BUFFER_SYSTEM, 0, &a) &&
		   tess_buffer_size(a) == 8192,
	   "sizes are rounded up to pages");
	ok(!tess_buffer_create(s.dev, 3 << 20, TESS_BUFFER_VRAM, TESS_NEAR_ANY, &b) &&
		   tess_buffer_va(b) % (2 << 20) == 0,
	   "large buffers can use large pages");
	ok(tess_buffer_map(a) && tess_buffer_map(a) == tess_buffer_map(a), "a mapping stays");
	tess_buffer_destroy(a);
	test_same(&s);
	test_import(&s);
	test_damage(&s);
	refused(tess_buffer_create(s.dev, 1ull << 30, TESS_BUFFER_VRAM, 0, &a), -ENOSPC, s.dev);
	refused(tess_buffer_create(s.dev, 0, 0, 0, &a), -EINVAL, s.dev);
	refused(tess_buffer_create(s.dev, 1, 0x80, 0, &a), -EINVAL, s.dev);
	sim.deny_bind = -ENOMEM;
	refused(tess_buffer_create(s.dev, 1, 0, 0, &a), -ENOMEM, s.dev);
	sim.deny_bind = 0;
	stop(&s);
}

static bool check_ids(const struct ids *out, const uint32_t *grid, const uint32_t *group)
{
	uint32_t i[3], d;
	bool good = true;

	for (i[2] = 0; i[2] < grid[2]; i[2]++) {
		for (i[1] = 0; i[1] < grid[1]; i[1]++) {
			for (i[0] = 0; i[0] < grid[0]; i[0]++, out++) {
				uint32_t edge[3];

				for (d = 0; d < 3; d++) {
					edge[d] = grid[d] - i[d] / group[d] * group[d];
					if (edge[d] > group[d])
						edge[d] = group[d];
					good &= out->global[d] == i[d];
					good &= out->local[d] == i[d] % group[d];
					good &= out->group[d] == i[d] / group[d];
					good &= out->local_size[d] == edge[d];
					good &= out->enqueued_size[d] == group[d];
					good &= out->global_size[d] == grid[d];
					good &= out->num_groups[d] ==
						(grid[d] + group[d] - 1) / group[d];
				}
				good &= out->linear ==
					out->local[0] +
						edge[0] * (out->local[1] + edge[1] * out->local[2]);
				good &= out->visits == 1;
			}
		}
	}
	return good;
}

static void run_ids(struct setup *s, uint32_t slices, const uint32_t *grid, const uint32_t *group)
{
	uint64_t items = (uint64_t)grid[0] * grid[1] * grid[2];
	struct tess_counters c = { 0 };
	struct tess_dispatch d = { .kernel = tess_program_kernel(s->prog, "ids"),
				   .slice_count = slices };
	struct ids_args args;
	struct tess_buffer *buf;
	int ret;

	ret = tess_buffer_create(s->dev, items * sizeof(struct ids), 0, 0, &buf);
	if (ret)
		exit(1);
	memcpy(d.grid, grid, sizeof(d.grid));
	memcpy(d.group, group, sizeof(d.group));
	args.out = tess_buffer_va(buf);
	d.args = &args;
	d.args_size = sizeof(args);
	ret = tess_run(s->dev, &d, &c);
	ok(!ret && check_ids(tess_buffer_map(buf), grid, group),
	   "ids of %ux%ux%u in groups of %ux%ux%u on %u slices%s%s", grid[0], grid[1], grid[2],
	   group[0], group[1], group[2], c.slices, ret ? ": " : "",
	   ret ? tess_strerror(s->dev) : "");
	ok(c.slices >= 1 && (!slices || c.slices <= slices) && c.jobs >= c.slices && c.cycles &&
		   c.instructions > items,
	   "counters make sense: %llu cycles, %llu instructions", (unsigned long long)c.cycles,
	   (unsigned long long)c.instructions);
	tess_buffer_destroy(buf);
}

static void test_times(void)
{
	struct setup s = start();
	struct tess_dispatch d = { .kernel = tess_program_kernel(s.prog, "ids"), .slice_count = 1 };
	struct tess_time before, after;
	struct tess_counters c = { 0 };
	struct tess_times t = { 0 };
	struct tess_fence *fence;
	struct tess_buffer *buf;
	int ret;

	ret = tess_buffer_create(s.dev, sizeof(struct ids), 0, 0, &buf);
	d.args = &(struct ids_args){ tess_buffer_va(buf) };
	d.args_size = sizeof(struct ids_args);
	ret = ret ? ret : tess_get_time(s.dev, &before);
	sim.stuck = true;
	ret = ret ? ret : tess_dispatch(s.dev, &d, &fence);
	if (ret)
		exit(1);
	refused(tess_fence_times(fence, &t), -EINVAL, s.dev);
	sim_unstick();
	ok(!tess_fence_wait(fence, -1, &c) && !tess_fence_times(fence, &t) && t.end > t.begin &&
		   t.end - t.begin == c.cycles,
	   "from %llu to %llu", (unsigned long long)t.begin, (unsigned long long)t.end);
	ok(!tess_get_time(s.dev, &after) && before.gpu_cycles <= t.begin &&
		   t.end <= after.gpu_cycles && after.cpu_ns > before.cpu_ns && after.span_ns,
	   "between the times before and after");
	tess_fence_destroy(fence);
	tess_buffer_destroy(buf);
	stop(&s);
}

static void test_ids(void)
{
	struct setup s = start();

	run_ids(&s, 0, (uint32_t[]){ 64, 1, 1 }, (uint32_t[]){ 16, 1, 1 });
	run_ids(&s, 0, (uint32_t[]){ 100, 1, 1 }, (uint32_t[]){ 16, 1, 1 });
	run_ids(&s, 3, (uint32_t[]){ 17, 9, 5 }, (uint32_t[]){ 4, 4, 2 });
	run_ids(&s, 1, (uint32_t[]){ 33, 7, 1 }, (uint32_t[]){ 8, 8, 1 });
	run_ids(&s, 0, (uint32_t[]){ 1, 1, 1 }, (uint32_t[]){ 1, 1, 1 });
	run_ids(&s, 0, (uint32_t[]){ 300, 1, 1 }, (uint32_t[]){ 256, 1, 1 });
	stop(&s);
}

static void test_proportion(void)
{
	struct setup s = start();

	run_ids(&s, 0, (uint32_t[]){ 160, 1, 1 }, (uint32_t[]){ 1, 1, 1 });
	ok(sim.groups[0] == 40 && sim.groups[1] == 40 && sim.groups[2] == 20 && sim.groups[7] == 10,
	   "slices work in proportion to their cores");
	memset(sim.groups, 0, sizeof(sim.groups));
	sim.engines[0] = TESS_HAS_COPY;
	sim_compose(0x15);
	run_ids(&s, 0, (uint32_t[]){ 30, 1, 1 }, (uint32_t[]){ 1, 1, 1 });
	ok(!sim.groups[0] && !sim.groups[1] && sim.groups[2] == 20 && sim.groups[4] == 10,
	   "only slices that are there and can compute");
	stop(&s);
}

static void test_kernels(void)
{
	struct setup s = start();
	const struct tess_kernel *k = tess_program_kernel(s.prog, "mix");
	struct tess_dispatch d = { .kernel = k, .grid = { 40 }, .group = { 8 } };
	struct tess_args *args = tess_args_create();
	struct tess_buffer *buf;
	uint32_t *out;
	float f;

	tess_buffer_create(s.dev, 4096, TESS_BUFFER_VRAM, 0, &buf);
	out = tess_buffer_map(buf);
	tess_args_add_buffer(args, buf);
	tess_args_add_local(args, k, 16);
	d.args = tess_args_data(args);
	d.args_size = (uint32_t)tess_args_size(args);
	d.local_bytes = tess_args_local_bytes(args);
	ok(!tess_run(s.dev, &d, NULL), "a kernel that uses everything");
	ok(out[0] == 302010, "relocated pointers: %u", out[0]);
	ok(out[1] == 16 && out[2] == 1, "memcpy, memset, memmove, memcmp: %u %u", out[1], out[2]);
	memcpy(&f, &out[5], sizeof(f));
	ok(out[3] == 40 && out[4] == 39 && f == 20.0f, "atomics: %u %u %f", out[3], out[4],
	   (double)f);
	ok(out[6] == 0xffff0020 && out[7] == 48, "local memory of the dispatch: %x, %u bytes",
	   out[6], out[7]);
	ok(out[8] == 144, "recursion: %u", out[8]);
	tess_args_destroy(args);

	memset(&d, 0, sizeof(d));
	d.kernel = tess_program_kernel(s.prog, "rotate");
	d.grid[0] = 250;
	d.group[0] = 50;
	d.args = &(struct ids_args){ tess_buffer_va(buf) };
	d.args_size = 8;
	ok(!tess_run(s.dev, &d, NULL) && out[0] == 1 && out[49] == 0 && out[249] == 200,
	   "barrier and local memory");

	d.kernel = tess_program_kernel(s.prog, "plain");
	ok(d.kernel && d.kernel == tess_program_kernel(s.prog, "plain") &&
		   !tess_run(s.dev, &d, NULL) && out[100] == 77,
	   "a function that is not declared runs by name");
	refused(tess_program_kernel(s.prog, "nothing") ? 0 : -ENOENT, -ENOENT, s.dev);
	refused(tess_program_kernel(s.prog, NULL) ? 0 : -ENOENT, -ENOENT, s.dev);
	ok(tess_program_kernel_at(s.prog, 4) && !tess_program_kernel_at(s.prog, 5),
	   "kernels are listed");
	stop(&s);
}

static void test_bad_dispatch(void)
{
	struct setup s = start();
	struct tess_dispatch good = { .kernel = tess_program_kernel(s.prog, "saxpy"),
				      .grid = { 1 },
				      .group = { 1 } };
	struct tess_dispatch d;
	uint8_t args[TESS_MAX_ARGS];

	d = good;
	d.group[0] = 257;
	refused(tess_dispatch(s.dev, &d, NULL), -EINVAL, s.dev);
	d.group[0] = d.group[1] = 0x10000;
	refused(tess_dispatch(s.dev, &d, NULL), -EINVAL, s.dev);
	d = good;
	d.grid[0] = d.grid[1] = d.grid[2] = 0xffffffff;
	refused(tess_dispatch(s.dev, &d, NULL), -EINVAL, s.dev);
	d = good;
	d.local_bytes = 0xffffffff;
	refused(tess_dispatch(s.dev, &d, NULL), -EINVAL, s.dev);
	d = good;
	d.args = args;
	d.args_size = TESS_MAX_ARGS + 1;
	refused(tess_dispatch(s.dev, &d, NULL), -E2BIG, s.dev);
	d = good;
	d.private_bytes = 2 << 20;
	refused(tess_dispatch(s.dev, &d, NULL), -EINVAL, s.dev);
	d = good;
	d.slice_mask = 1ull << 40;
	refused(tess_dispatch(s.dev, &d, NULL), -ENXIO, s.dev);
	d = good;
	d.flags = 0x100;
	refused(tess_dispatch(s.dev, &d, NULL), -EINVAL, s.dev);
	d.kernel = NULL;
	refused(tess_dispatch(s.dev, &d, NULL), -EINVAL, s.dev);
	ok(!sim.submits, "none of them reached the kernel");
	stop(&s);
}

static void test_transfers(void)
{
	struct setup s = start();
	struct tess_buffer *a, *b;
	struct tess_transfer t = { .bytes = 1000004, .dst_offset = 8, .pattern = 0xabcd1234 };
	struct tess_counters c;
	struct tess_fence *f;
	uint32_t *p;

	tess_buffer_create(s.dev, 1 << 20, TESS_BUFFER_VRAM, 0, &a);
	tess_buffer_create(s.dev, 1 << 20, TESS_BUFFER_SYSTEM, 0, &b);
	t.dst = a;
	ok(!tess_transfer(s.dev, &t, &f) && !tess_fence_wait(f, -1, &c), "fill");
	tess_fence_destroy(f);
	p = tess_buffer_map(a);
	ok(!p[1] && p[2] == t.pattern && p[2 + 250000] == t.pattern && !p[2 + 250001],
	   "exactly what was asked for");
	ok(c.bytes == t.bytes && c.slices == 8, "%llu bytes on %u slices",
	   (unsigned long long)c.bytes, c.slices);
	t.src = a;
	t.dst = b;
	t.src_offset = 8;
	t.dst_offset = 3;
	ok(!tess_transfer(s.dev, &t, NULL) && !tess_finish(s.dev, -1), "copy");
	ok(!memcmp((char *)tess_buffer_map(b) + 3, p + 2, t.bytes), "unaligned, but right");
	t.bytes = 70000;
	tess_transfer(s.dev, &t, &f);
	tess_fence_wait(f, -1, &c);
	tess_fence_destroy(f);
	ok(c.slices == 1, "a small copy stays on one slice");
	t.bytes = 2 << 20;
	refused(tess_transfer(s.dev, &t, NULL), -EINVAL, s.dev);
	t.dst_offset = ~0ull;
	t.bytes = 8;
	refused(tess_transfer(s.dev, &t, NULL), -EINVAL, s.dev);
	t.dst = a;
	t.dst_offset = 12;
	refused(tess_transfer(s.dev, &t, NULL), -EINVAL, s.dev);
	t.src = NULL;
	t.dst_offset = 2;
	refused(tess_transfer(s.dev, &t, NULL), -EINVAL, s.dev);
	stop(&s);
}

static void test_changes(void)
{
	struct setup s = start();

	run_ids(&s, 0, (uint32_t[]){ 64, 1, 1 }, (uint32_t[]){ 1, 1, 1 });
	sim.revoke_at = sim.submits + 3;
	sim.revoke = 0x3c;
	run_ids(&s, 0, (uint32_t[]){ 640, 1, 1 }, (uint32_t[]){ 1, 1, 1 });
	ok(sim.slice_mask == 0xc3, "four slices went away in the middle of a dispatch");
	run_ids(&s, 0, (uint32_t[]){ 64, 1, 1 }, (uint32_t[]){ 1, 1, 1 });
	sim_compose(0xff);
	memset(sim.groups, 0, sizeof(sim.groups));
	run_ids(&s, 0, (uint32_t[]){ 64, 1, 1 }, (uint32_t[]){ 1, 1, 1 });
	ok(sim.groups[2] && sim.groups[5], "they are used again once they are back");
	sim_compose(0);
	refused(tess_run(s.dev,
			 &(struct tess_dispatch){ .kernel = tess_program_kernel(s.prog, "saxpy") },
			 NULL),
		-ENXIO, s.dev);
	stop(&s);
}

/* The same work-items in each of @n dispatches, one after the other; before each, a change */
static void run_through(struct setup *s, const uint64_t *masks, unsigned int n)
{
	struct tess_dispatch d = { .kernel = tess_program_kernel(s->prog, "ids"),
				   .grid = { 320 },
				   .group = { 4 } };
	unsigned int i, wrong = 0, bad = 0;
	struct tess_buffer *buf;
	struct ids_args args;
	struct ids *ids;

	bad += !!tess_buffer_create(s->dev, 320 * sizeof(*ids), 0, 0, &buf);
	args.out = tess_buffer_va(buf);
	d.args = &args;
	d.args_size = sizeof(args);
	for (i = 0; i < n; i++) {
		sim_compose(masks[i]);
		bad += !!tess_dispatch(s->dev, &d, NULL);
	}
	ids = tess_buffer_map(buf);
	ok(!bad && !ids[0].visits && tess_finish(s->dev, 0) == -ETIME, "%u dispatches are queued",
	   n);
	sim_unstick();
	ok(!tess_finish(s->dev, 0), "they end, also on slices that are gone");
	for (i = 0; i < 320; i++)
		wrong += ids[i].visits != n || ids[i].global[0] != i;
	ok(!wrong, "each work-item ran once in each of them (%u did not)", wrong);
	tess_buffer_destroy(buf);
}

static void test_drain(void)
{
	static const uint64_t masks[] = { 0x03, 0x0f, 0x01, 0x07, 0x80, 0x02, 0xff };
	struct setup s = start();
	uint64_t generation = 0, queues;

	run_ids(&s, 0, (uint32_t[]){ 64, 1, 1 }, (uint32_t[]){ 1, 1, 1 });
	ok(tess_changed(s.dev, &generation) == 1 && generation == 1, "the first generation");
	ok(!tess_changed(s.dev, &generation), "nothing changed");
	queues = sim.queues;
	sim.stuck = true;
	run_through(&s, masks, 7);
	ok(sim.queues == queues, "slices that come back go on with the queues that they had");
	ok(tess_changed(s.dev, &generation) == 1 && generation == 8, "seven changes");
	stop(&s);
}

/* A slice refuses; what the driver says of it changes later, or not at all */
static void test_refusals(void)
{
	struct setup s = start();

	sim.blind = 1;
	run_ids(&s, 0, (uint32_t[]){ 80, 1, 1 }, (uint32_t[]){ 1, 1, 1 });
	ok(!sim.blind && !sim.groups[0] && sim.groups[1], "a slice that refuses is left out");
	sim.revoke_at = sim.submits + 3;
	sim.regain_at = sim.submits + 4;
	sim.revoke = 0xfe;
	run_ids(&s, 0, (uint32_t[]){ 80, 1, 1 }, (uint32_t[]){ 1, 1, 1 });
	ok(sim.submits >= sim.regain_at && sim.slice_mask == 0xff,
	   "slices went and came during a dispatch");
	memset(sim.groups, 0, sizeof(sim.groups));
	sim.flicker = 20;
	run_ids(&s, 0, (uint32_t[]){ 80, 1, 1 }, (uint32_t[]){ 1, 1, 1 });
	ok(!sim.flicker && sim.groups[0] && sim.groups[7], "slices that came back are used");
	sim.blind = 8;
	refused(tess_run(s.dev,
			 &(struct tess_dispatch){ .kernel = tess_program_kernel(s.prog, "saxpy"),
						  .grid = { 64 } },
			 NULL),
		-ENXIO, s.dev);
	stop(&s);
}

static void test_order(void)
{
	struct setup s = start();
	struct tess_buffer *buf;
	struct tess_transfer t = { .bytes = 1 << 20 };
	unsigned int i;

	tess_buffer_create(s.dev, 1 << 20, TESS_BUFFER_VRAM, 0, &buf);
	t.dst = buf;
	t.slice_count = 1;
	sim.stuck = true;
	for (i = 0; i < 8; i++) {
		t.slice_mask = 1ull << i;
		tess_transfer(s.dev, &t, NULL);
	}
	ok(sim.deps == 28, "each operation waits for all earlier ones: %llu dependencies",
	   (unsigned long long)sim.deps);
	t.flags = TESS_OP_CONCURRENT;
	tess_transfer(s.dev, &t, NULL);
	ok(sim.deps == 28, "a concurrent one waits for none");
	refused(tess_finish(s.dev, 0), -ETIME, s.dev);
	sim_unstick();
	ok(!tess_finish(s.dev, 0), "all is done");
	sim.deps = 0;
	t.flags = 0;
	t.bytes = 4096;
	for (i = 0; i < 200; i++)
		tess_transfer(s.dev, &t, NULL);
	ok(!sim.deps && !tess_finish(s.dev, -1), "200 operations through the slots of one queue");
	stop(&s);
}

static void test_hints(void)
{
	struct setup s = start();
	struct tess_transfer t = { .bytes = 4096 };
	struct tess_buffer *buf;

	tess_buffer_create(s.dev, 4096, TESS_BUFFER_VRAM, 0, &buf);
	t.dst = buf;
	tess_hint(s.dev, 1, 1000);
	tess_hint(s.dev, 2, 5);
	ok(!sim.frames && !sim.operations, "a hint alone is no submission");
	tess_transfer(s.dev, &t, NULL);
	ok(sim.frames == 3 && sim.operations == 1005, "hints go with the next operation");
	tess_transfer(s.dev, &t, NULL);
	ok(sim.frames == 3 && sim.operations == 1005, "once");
	ok(!tess_finish(s.dev, -1), "all is done");
	stop(&s);
}

static void test_priority(void)
{
	struct setup s = start();
	struct tess_transfer t = { .bytes = 4096 };
	struct tess_buffer *buf;

	tess_buffer_create(s.dev, 4096, TESS_BUFFER_VRAM, 0, &buf);
	t.dst = buf;
	ok(tess_set_priority(s.dev, 3) == -EINVAL, "no such priority");
	ok(!tess_set_priority(s.dev, TESS_PRIORITY_LOW), "a priority before there is work");
	tess_transfer(s.dev, &t, NULL);
	ok(!tess_finish(s.dev, -1) && sim.priority == DRM_TESSERA_PRIORITY_LOW, "queues have it");
	ok(tess_set_priority(s.dev, TESS_PRIORITY_NORMAL) == -EBUSY, "later it is too late");
	stop(&s);
}

struct worker {
	struct setup *s;
	unsigned int bad;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	struct tess_dispatch d = { .kernel = tess_program_kernel(w->s->prog, "saxpy"),
				   .grid = { 256 },
				   .group = { 16 } };
	struct saxpy_args args = { .a = 2.0f, .n = 256 };
	struct tess_buffer *x, *y;
	unsigned int i, round;
	float *px, *py;

	w->bad += !!tess_buffer_create(w->s->dev, 1024, 0, 0, &x);
	w->bad += !!tess_buffer_create(w->s->dev, 1024, TESS_BUFFER_VRAM, 1, &y);
	px = tess_buffer_map(x);
	py = tess_buffer_map(y);
	for (i = 0; i < 256; i++)
		px[i] = (float)i;
	args.x = tess_buffer_va(x);
	args.y = tess_buffer_va(y);
	d.args = &args;
	d.args_size = sizeof(args);
	for (round = 0; round < 20; round++)
		w->bad += !!tess_run(w->s->dev, &d, NULL);
	for (i = 0; i < 256; i++)
		w->bad += py[i] != 40.0f * (float)i;
	tess_buffer_destroy(x);
	tess_buffer_destroy(y);
	return NULL;
}

static void test_threads(void)
{
	struct setup s = start();
	struct worker w[4];
	pthread_t thread[4];
	unsigned int i, bad = 0;

	for (i = 0; i < 4; i++) {
		w[i] = (struct worker){ .s = &s };
		pthread_create(&thread[i], NULL, work, &w[i]);
	}
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		bad += w[i].bad;
	}
	ok(!bad, "four threads share a device");
	stop(&s);
}

int main(int argc, char **argv)
{
	elf = read_file(argv[argc - 1], "kernels.elf", &elf_size);
	test_open();
	test_buffers();
	test_ids();
	test_times();
	test_proportion();
	test_kernels();
	test_bad_dispatch();
	test_transfers();
	test_changes();
	test_drain();
	test_refusals();
	test_order();
	test_hints();
	test_priority();
	test_threads();
	free(elf);
	return done();
}
