// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blueprints and profiles in sysfs: what is refused and why, what is read back, blank
 * vGPUs, events, and writers that stand in each other's way. What a guest sees of it is in
 * recompose_test.c.
 */
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <time.h>

#include "harness.h"
#include "uevent.h"
#include "vgpu.h"
#include "writer.h"

static const char *const types[] = { "C1", "C4", "R2", "M1S", "blank" };
#define TYPES (sizeof(types) / sizeof(*types))

/* What the pool has; the same after each test as before it */
struct books {
	long long slices_free;
	long long vram_free;
	int available[TYPES];
};

static struct books read_books(void)
{
	struct books b = { pool_value("slices_free"), pool_value("vram_free"), { 0 } };
	size_t i;

	for (i = 0; i < TYPES; i++)
		b.available[i] = mdev_available(types[i]);
	return b;
}

FIXTURE(pool)
{
	struct books books;
	char uuid[37];
};

FIXTURE_SETUP(pool)
{
	mdev_remove_all();
	self->books = read_books();
	ASSERT_LT(0, self->books.slices_free);
	ASSERT_LT(0, self->books.vram_free);
}

FIXTURE_TEARDOWN(pool)
{
	struct books after;
	size_t i;

	mdev_remove_all();
	after = read_books();
	EXPECT_EQ(self->books.slices_free, after.slices_free);
	EXPECT_EQ(self->books.vram_free, after.vram_free);
	for (i = 0; i < TYPES; i++)
		EXPECT_EQ(self->books.available[i], after.available[i]);
}

static bool reads(const char *uuid, const char *name, const char *text)
{
	const char *is = mdev_attr(uuid, name);

	if (!strcmp(is, text))
		return true;
	ksft_print_msg("%s is \"%s\", not \"%s\"\n", name, is, text);
	return false;
}

static unsigned long long generation_of(const char *uuid)
{
	unsigned long long n = 0;

	if (sscanf(mdev_attr(uuid, "composition"), "generation=%llu", &n) != 1)
		return 0;
	return n;
}

/* ---- what is refused ---- */

struct refusal {
	const char *text;
	int error;
	const char *why;
};

#define LONG_WORD                                                          \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* Of a C2 that nobody has open, in a pool of 6 compute, 6 render and 4 mixed slices */
static const struct refusal refusals[] = {
	{ " \n", -EINVAL, "no word is there" },
	{ "slices=0", -EINVAL, "column 8: slices: 0 is not from 1 to 64" },
	{ "slices=65", -EINVAL, "column 8: slices: 65 is not from 1 to 64" },
	{ "slices=-1", -EINVAL, "column 8: slices: \"-1\" is no number" },
	{ "slices=4294967297", -EINVAL, "column 8: slices: 4294967297 is not from 1 to 64" },
	{ "slices=99999999999999999999999", -EINVAL,
	  "column 8: slices: 99999999999999999999999 is not from 1 to 64" },
	{ "slices=", -EINVAL, "column 1: \"slices\" has no value" },
	{ "slices", -EINVAL, "column 1: \"slices\" has no value" },
	{ "=2", -EINVAL, "column 1: unknown word \"\"" },
	{ "slices=2 slices=2", -EINVAL, "column 10: repeated word \"slices\"" },
	{ "slcies=2", -EINVAL, "column 1: unknown word \"slcies\"" },
	{ "slices=2 knid=render", -EINVAL, "column 10: unknown word \"knid\"" },
	{ "none slices=1", -EINVAL, "column 1: unknown word \"none\"" },
	{ "kind=none", -EINVAL, "column 6: \"none\" is none of any, compute, render, mixed" },
	{ "kind=tensor", -EINVAL, "column 6: \"tensor\" is none of any, compute, render, mixed" },
	{ "memory=1", -EINVAL, "column 8: memory: 1 is no multiple of 2M" },
	{ "memory=3M", -EINVAL, "column 8: memory: 3M is no multiple of 2M" },
	{ "memory=17179869184G", -EINVAL, "column 8: memory: 17179869184G is more than 1024G" },
	{ "topology=torus", -EINVAL, "column 10: \"torus\" is none of none, chain, ring, mesh" },
	{ "engines=", -EINVAL, "column 1: \"engines\" has no value" },
	{ "engines=warp", -EINVAL, "column 9: \"warp\" is none of compute, copy, raster, display" },
	{ "engines=raster", -EINVAL, "column 1: slices of kind compute have no engine raster" },
	{ "min=3", -EINVAL, "column 1: min=3 is more than slices=2" },
	{ "max=1", -EINVAL, "column 1: max=1 is less than slices=2" },
	{ "weight=5", -EINVAL, "column 1: weight without share=shared" },
	{ "cap=50", -EINVAL, "column 1: cap without share=shared" },
	{ "share=shared weight=10001", -EINVAL, "column 21: weight: 10001 is not from 1 to 10000" },
	{ "policy=auto2", -EINVAL, "column 8: \"auto2\" is none of manual, auto" },
	{ LONG_WORD "=1", -EINVAL, "column 1: unknown word \"aaaaaaaaaaaaaaaaaaaaaaaa...\"" },
	{ "slices=7", -ENOSPC, "insufficient slices of kind compute: 4 free, 7 asked" },
	{ "slices=5 kind=mixed", -ENOSPC, "insufficient slices of kind mixed: 4 free, 5 asked" },
	{ "slices=64 kind=any memory=2M", -ENOSPC, "insufficient slices: 14 free, 64 asked" },
	{ "slices=2 kind=any memory=2M texels=1000000", -ENOSPC,
	  "insufficient slices of 500000000000 texels/s: 0 free, 2 asked" },
	{ "slices=1 kind=render memory=2M pixels=1000000 displays=1@800x600", -ENOSPC,
	  "insufficient slices of kind render of 1000000000000 pixels/s: 0 free, 1 asked" },
	/* Each gives 256 MB/s, and fills 32 million pixels per second if it is one of render */
	{ "slices=1 kind=render memory=2M displays=1@800x600 path=remote", -ENOSPC,
	  "displays with path=remote need 346 MB/s of memory, slices=1 of kind render give 256" },
	{ "slices=2 kind=any memory=2M displays=4@16384x16384@1000", -ENOSPC,
	  "displays need 4294968 MB/s of memory, slices=2 give 512" },
	{ "slices=3 kind=any memory=2M displays=4@16384x16384@1000 path=remote", -ENOSPC,
	  "displays with path=remote need 12884902 MB/s of memory, slices=3 give 768" },
	{ "slices=1 kind=mixed memory=2M displays=1@800x600", -ENOSPC,
	  "insufficient slices of kind mixed of 28800000 pixels/s: 0 free, 1 asked" },
	{ "slices=2 max=64 memory=2M share=shared", -ENOSPC,
	  "slices=2: too few for 64 vslices, 8 can have a slice" },
	{ "slices=2 gpus=2", -EOPNOTSUPP,
	  "gpus=2: memory=0 is needed, one GPU does not reach the memory of another" },
	{ "kind=render memory=0 heads=1", -EOPNOTSUPP,
	  "heads: what they show is memory, and it has none" },
};

/* Where there is one GPU */
static const struct refusal refusal_of_two = {
	"slices=2 gpus=2 memory=0 kind=compute", -ENOSPC,
	"gpus=2: 1 alike give vGPUs, with 4 free slices of kind compute, 2 asked"
};

static const char *error_name(int error)
{
	switch (error) {
	case -EBUSY:
		return "EBUSY: ";
	case -EINVAL:
		return "EINVAL: ";
	case -ENOSPC:
		return "ENOSPC: ";
	case -EOPNOTSUPP:
		return "EOPNOTSUPP: ";
	default:
		return "?";
	}
}

/* last_error says which error it was and why */
static bool says_why(const char *uuid, const struct refusal *r)
{
	const char *name = error_name(r->error), *is = mdev_attr(uuid, "last_error");

	ksft_print_msg("\"%.40s\": %s\n", r->text, is);
	if (strncmp(is, name, strlen(name)) || strlen(is) <= strlen(name))
		return false;
	return !r->why || !strcmp(is + strlen(name), r->why);
}

static bool gpu_is_alone(void)
{
	glob_t g;
	bool alone = !glob("/sys/class/tessera/gpu*", 0, NULL, &g) && g.gl_pathc == 1;

	globfree(&g);
	return alone;
}

/* Nothing changes */
static void refused(struct __test_metadata *_metadata, struct __fixture_pool *self,
		    const char *before, const struct refusal *r)
{
	EXPECT_EQ(r->error, mdev_attr_write(self->uuid, "blueprint", r->text));
	EXPECT_TRUE(says_why(self->uuid, r));
	EXPECT_TRUE(reads(self->uuid, "blueprint", before));
	EXPECT_EQ(1, generation_of(self->uuid));
	EXPECT_EQ(self->books.slices_free - 2, pool_value("slices_free"));
}

TEST_F(pool, refusals)
{
	char before[256];
	size_t i;

	ASSERT_EQ(0, mdev_create("C2", self->uuid));
	EXPECT_TRUE(reads(self->uuid, "last_error", "none"));
	snprintf(before, sizeof(before), "%s", mdev_attr(self->uuid, "blueprint"));
	for (i = 0; i < sizeof(refusals) / sizeof(*refusals); i++)
		refused(_metadata, self, before, &refusals[i]);
	if (gpu_is_alone())
		refused(_metadata, self, before, &refusal_of_two);
	/* The text is of the last change, and this one works */
	EXPECT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=1"));
	EXPECT_TRUE(reads(self->uuid, "last_error", "none"));
}

/* More memory than there is; how much that is depends on the GPU */
TEST_F(pool, refused_memory)
{
	long long all = pool_value("vram_total") >> 20;
	char text[64];

	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	snprintf(text, sizeof(text), "slices=1 memory=%lldM", all + 2);
	EXPECT_GT(0, mdev_attr_write(self->uuid, "blueprint", text));
	EXPECT_TRUE(strncmp(mdev_attr(self->uuid, "last_error"), "none", 4));
	snprintf(text, sizeof(text), "slices=3 memory=%lldM", (all / 4) & ~1LL);
	EXPECT_EQ(0, mdev_attr_write(self->uuid, "blueprint", text));
	snprintf(text, sizeof(text), "slices=4 memory=%lldM", (all / 4) & ~1LL);
	/* Not beside what it has */
	EXPECT_EQ(-ENOSPC, mdev_attr_write(self->uuid, "blueprint", text));
	EXPECT_TRUE(strstr(mdev_attr(self->uuid, "last_error"), "VRAM"));
}

static const char *slice_attr(int slice, const char *name)
{
	static char text[64];
	char path[128];
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/class/tessera/gpu0/slices/slice%d/%s", slice, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n - 1 : 0] = '\0';
	return text;
}

/* Millions per second of the fastest slices of a kind */
static unsigned int million_of(const char *kind, const char *rate)
{
	int i;

	for (i = 0; i < TESS_MAX_SLICES; i++)
		if (!strcmp(slice_attr(i, "kind"), kind))
			return atoll(slice_attr(i, rate)) / 1000000;
	return 0;
}

/* Are all slices as fast as that? */
static bool all_do(const char *uuid, unsigned int n, const char *rate, unsigned int millions)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (atoll(slice_attr(vslice_get(uuid, i, "slice"), rate)) < millions * 1000000ll)
			return false;
	return true;
}

/* Slices that do what was asked for, exclusive or shared, also when it is asked for later */
TEST_F(pool, rates)
{
	unsigned int render = million_of("render", "texture_fill_rate");
	unsigned int mixed = million_of("mixed", "pixel_fill_rate");
	char text[96];

	if (!render || !mixed || million_of("compute", "texture_fill_rate"))
		SKIP(return, "no slices of all kinds");
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	snprintf(text, sizeof(text), "slices=2 memory=2M texels=%u", 2 * render);
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", text));
	EXPECT_TRUE(all_do(self->uuid, 2, "texture_fill_rate", render));
	/* One slice is not as fast as two */
	EXPECT_EQ(-ENOSPC, mdev_attr_write(self->uuid, "blueprint", "slices=1"));
	EXPECT_TRUE(strstr(mdev_attr(self->uuid, "last_error"), " texels/s: 0 free, 1 asked"));
	EXPECT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=3 share=shared"));
	EXPECT_TRUE(all_do(self->uuid, 3, "texture_fill_rate", render * 2 / 3));

	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint",
				     "kind=any slices=2 share=exclusive heads=0"));
	snprintf(text, sizeof(text), "displays=1@1000x1000@%u", 2 * mixed);
	EXPECT_EQ(0, mdev_attr_write(self->uuid, "blueprint", text));
	EXPECT_TRUE(all_do(self->uuid, 2, "pixel_fill_rate", mixed));
	EXPECT_TRUE(strstr(mdev_attr(self->uuid, "blueprint"), text));
	EXPECT_EQ(-ENOSPC, mdev_attr_write(self->uuid, "blueprint", "displays=4@16384x16384"));
	EXPECT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "heads=1 slices=1"));
}

/* One slice has the memory to show a frame, and not to copy it as well; two have */
TEST_F(pool, path)
{
	unsigned int memory = million_of("render", "memory_bandwidth");
	unsigned int hz = memory / 12 + 1;
	char text[128], why[128];

	ASSERT_LT(hz, million_of("render", "pixel_fill_rate"));
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	snprintf(text, sizeof(text), "slices=1 kind=render memory=4M displays=1@1000x1000@%u", hz);
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", text));
	snprintf(why, sizeof(why),
		 "ENOSPC: displays with path=remote need %u MB/s of memory, "
		 "slices=1 of kind render give %u",
		 12 * hz, memory);
	EXPECT_EQ(-ENOSPC, mdev_attr_write(self->uuid, "blueprint", "path=remote"));
	EXPECT_TRUE(reads(self->uuid, "last_error", why));
	EXPECT_FALSE(strstr(mdev_attr(self->uuid, "blueprint"), "path="));
	EXPECT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "path=remote slices=2"));
	EXPECT_TRUE(all_do(self->uuid, 2, "memory_bandwidth", 6 * hz));
	EXPECT_EQ(-ENOSPC, mdev_attr_write(self->uuid, "blueprint", "slices=1"));
	EXPECT_TRUE(reads(self->uuid, "last_error", why));
	EXPECT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=1 path=local"));
}

/* ---- reading back ---- */

TEST_F(pool, read_back)
{
	static const char *const texts[] = {
		"slices=3",
		"kind=mixed",
		"kind=any slices=2\tmemory=2M\n",
		"slices=2 min=1 max=4 kind=render topology=ring engines=compute,copy,raster",
		"share=shared weight=300 cap=40 kind=compute engines=compute,copy memory=4M",
		"policy=auto topology=chain",
		"share=exclusive slices=1 min=1 max=1 kind=compute engines=all policy=manual",
	};
	char read[256];
	size_t i;

	ASSERT_EQ(0, mdev_create("C2", self->uuid));
	EXPECT_TRUE(
		strstr(mdev_attr(self->uuid, "blueprint"), "slices=2 min=2 max=2 kind=compute"));
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", texts[i]));
		snprintf(read, sizeof(read), "%s", mdev_attr(self->uuid, "blueprint"));
		TH_LOG("%s", read);
		EXPECT_EQ(0, mdev_attr_write(self->uuid, "blueprint", read));
		EXPECT_TRUE(reads(self->uuid, "blueprint", read));
	}
	EXPECT_TRUE(reads(self->uuid, "policy", "manual"));
	/* The same text makes the same of a blank one */
	EXPECT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "none"));
	EXPECT_TRUE(reads(self->uuid, "blueprint", "none"));
	EXPECT_EQ(0, mdev_attr_write(self->uuid, "blueprint", read));
	EXPECT_TRUE(reads(self->uuid, "blueprint", read));
}

/* Every preset is a blueprint that gives the same when it is written to a blank one */
/* The lines of more slices than a page has room for; needs a GPU with 64 */
TEST_F(pool, composition_of_many)
{
	const char *text, *line;
	unsigned int i;
	char want[16];

	if (self->books.slices_free < 64)
		SKIP(return, "needs 64 slices");
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=64 kind=any memory=2M"));
	text = mdev_attr(self->uuid, "composition");
	EXPECT_TRUE(strstr(text, " slices=64 slice_mask=0xffffffffffffffff "));
	line = text;
	for (i = 0; i < 64; i++) {
		line = strchr(line, '\n');
		ASSERT_TRUE(line);
		snprintf(want, sizeof(want), "slice %u: ", i);
		ASSERT_EQ(0, strncmp(++line, want, strlen(want)));
	}
	EXPECT_FALSE(strchr(line, '\n'));
	EXPECT_TRUE(strstr(line, " engines="));
}

TEST_F(pool, presets)
{
	static const char *const all[] = { "C1",  "C2",	 "C4",	"R1",  "R2",  "R4",
					   "M1",  "M2",	 "M4",	"C1S", "C2S", "C4S",
					   "R1S", "R2S", "R4S", "M1S", "M2S", "M4S" };
	char text[256], composition[4096];
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		ASSERT_EQ(0, mdev_create(all[i], self->uuid));
		snprintf(text, sizeof(text), "%s", mdev_attr(self->uuid, "blueprint"));
		snprintf(composition, sizeof(composition), "%s",
			 mdev_attr(self->uuid, "composition") + strlen("generation=1"));
		ASSERT_EQ(0, mdev_remove(self->uuid));
		ASSERT_EQ(0, mdev_create("blank", self->uuid));
		EXPECT_EQ(0, mdev_attr_write(self->uuid, "blueprint", text));
		EXPECT_TRUE(reads(self->uuid, "blueprint", text));
		EXPECT_EQ(2, generation_of(self->uuid));
		EXPECT_EQ(0, strcmp(composition,
				    mdev_attr(self->uuid, "composition") + strlen("generation=2")));
		ASSERT_EQ(0, mdev_remove(self->uuid));
	}
}

/* ---- blank ones ---- */

TEST_F(pool, blank_life)
{
	struct books *b = &self->books;
	struct ring r;
	struct vgpu v;

	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	EXPECT_EQ(b->available[4] - 1, mdev_available("blank"));
	EXPECT_EQ(b->slices_free, pool_value("slices_free"));
	EXPECT_TRUE(reads(self->uuid, "blueprint", "none"));
	EXPECT_TRUE(reads(self->uuid, "profile", "none"));
	EXPECT_TRUE(reads(self->uuid, "weight", "none"));
	EXPECT_TRUE(reads(self->uuid, "policy", "none"));
	EXPECT_TRUE(reads(self->uuid, "last_error", "none"));
	EXPECT_TRUE(reads(self->uuid, "composition",
			  "generation=1 slices=0 slice_mask=0x0 memory=0 heads=0x0 engines=none"));
	EXPECT_EQ(-ENXIO, mdev_attr_write(self->uuid, "weight", "50"));
	EXPECT_EQ(-ENXIO, mdev_attr_write(self->uuid, "policy", "auto"));
	EXPECT_EQ(-ENXIO, vgpu_open(&v, self->uuid));
	EXPECT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "none"));

	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=2 kind=compute"));
	EXPECT_EQ(b->available[4], mdev_available("blank"));
	EXPECT_EQ(b->slices_free - 2, pool_value("slices_free"));
	EXPECT_EQ(2, generation_of(self->uuid));
	ASSERT_EQ(0, vgpu_open(&v, self->uuid));
	EXPECT_EQ(2, v.vslices);
	ring_start(&r, &v, 1);
	ring_fill(&r, DATA_GPA, PAGE, 0xb1a4c);
	EXPECT_EQ(0, ring_finish(&r));
	EXPECT_EQ(0xb1a4c, *(uint32_t *)ram_at(&v, DATA_GPA));
	EXPECT_EQ(-EBUSY, mdev_attr_write(self->uuid, "blueprint", "none"));
	EXPECT_TRUE(reads(self->uuid, "last_error", "EBUSY: it is in use"));
	vgpu_close(&v);

	EXPECT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "none\n"));
	EXPECT_EQ(b->available[4] - 1, mdev_available("blank"));
	EXPECT_EQ(b->slices_free, pool_value("slices_free"));
	EXPECT_EQ(b->vram_free, pool_value("vram_free"));
	EXPECT_EQ(3, generation_of(self->uuid));
	EXPECT_EQ(-ENXIO, vgpu_open(&v, self->uuid));
}

TEST_F_TIMEOUT(pool, blank_count_is_exact, 120)
{
	int i, n = self->books.available[4];
	char composed[37];

	EXPECT_EQ(128, n);
	ASSERT_EQ(0, mdev_create("C1", composed));
	for (i = 0; i < n; i++) {
		if (!(i % 16))
			ASSERT_EQ(n - i, mdev_available("blank"));
		ASSERT_EQ(0, mdev_create("blank", self->uuid));
	}
	EXPECT_EQ(0, mdev_available("blank"));
	EXPECT_EQ(-ENOSPC, mdev_create("blank", self->uuid));
	EXPECT_EQ(-ENOSPC, mdev_attr_write(composed, "blueprint", "none"));
	EXPECT_TRUE(reads(composed, "last_error",
			  "ENOSPC: there are 128 blank vGPUs, which is the limit of this GPU"));
	EXPECT_EQ(self->books.slices_free - 1, pool_value("slices_free"));
	EXPECT_EQ(0, mdev_remove(composed));
}

/* ---- profiles ---- */

TEST_F(pool, profiles)
{
	static const struct refusal bad[] = {
		{ "utilization=1001", -EINVAL,
		  "line 1, column 13: utilization: 1001 is not from 0 to 1000" },
		{ "slices=2 speed=9", -EINVAL, "line 1, column 10: unknown word \"speed\"" },
		{ "displays=1@0x0", -EINVAL, "line 1, column 12: width: 0 is not from 1 to 16384" },
		{ "path=remotely", -EINVAL,
		  "line 1, column 6: \"remotely\" is none of local, remote" },
		{ "kind=render", -EINVAL, "line 1, column 1: unknown word \"kind\"" },
	};
	unsigned int busy, idle;
	size_t i;

	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		EXPECT_EQ(bad[i].error, mdev_attr_write(self->uuid, "profile", bad[i].text));
		EXPECT_TRUE(says_why(self->uuid, &bad[i]));
		EXPECT_TRUE(reads(self->uuid, "blueprint", "none"));
	}
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "profile",
				     "# measured\nutilization=1000 queue=8000 shader=900 slices=2\n"
				     "engines=compute,copy\n"));
	EXPECT_TRUE(reads(self->uuid, "last_error", "none"));
	TH_LOG("busy: %s", mdev_attr(self->uuid, "blueprint"));
	ASSERT_EQ(1, sscanf(mdev_attr(self->uuid, "blueprint"), "slices=%u", &busy));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "profile", "utilization=20 shader=900 slices=4"));
	TH_LOG("idle: %s", mdev_attr(self->uuid, "blueprint"));
	ASSERT_EQ(1, sscanf(mdev_attr(self->uuid, "blueprint"), "slices=%u", &idle));
	EXPECT_LT(2, busy);
	EXPECT_EQ(1, idle);
	/* What is measured is a profile */
	TH_LOG("measured: %s", mdev_attr(self->uuid, "profile"));
	EXPECT_EQ(0, mdev_attr_write(self->uuid, "profile", mdev_attr(self->uuid, "profile")));
}

#define AGAIN 10

/* What a profile makes does not depend on what was made from it before */
TEST_F_TIMEOUT(pool, same_profile_again, 60)
{
	static const char profile[] =
		"utilization=900 memory=900 shader=500 displays=1@800x600 path=remote slices=2";
	char first[256];
	unsigned int i;
	struct vgpu v;

	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint",
				     "slices=1 kind=compute memory=2M topology=mesh"));
	for (i = 0; i < AGAIN; i++) {
		EXPECT_EQ(0, mdev_attr_write(self->uuid, "profile", profile));
		if (!i)
			snprintf(first, sizeof(first), "%s", mdev_attr(self->uuid, "blueprint"));
		EXPECT_TRUE(reads(self->uuid, "blueprint", first));
	}
	TH_LOG("%s", first);
	EXPECT_TRUE(strstr(first, "slices=3 min=3 max=3 "));
	EXPECT_TRUE(strstr(first, " memory=6M "));
	/* Words are about what was asked for, too: memory is not taken for asked for */
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "engines=all"));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "profile", profile));
	EXPECT_TRUE(strstr(mdev_attr(self->uuid, "blueprint"), " memory=6M "));
	/* A VMM has it: what it was made with stays, and the rest is as before */
	ASSERT_EQ(0, vgpu_open(&v, self->uuid));
	for (i = 0; i < AGAIN; i++) {
		EXPECT_EQ(0, mdev_attr_write(self->uuid, "profile", profile));
		EXPECT_TRUE(reads(self->uuid, "last_error", "none"));
		EXPECT_TRUE(reads(self->uuid, "blueprint", first));
	}
	/* Also if it is less */
	EXPECT_EQ(0, mdev_attr_write(self->uuid, "profile", "utilization=900 shader=500 slices=2"));
	EXPECT_TRUE(strstr(mdev_attr(self->uuid, "blueprint"), " memory=6M "));
	vgpu_close(&v);
	/* More is asked for, and twice of that is made */
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "memory=4M"));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "profile", profile));
	EXPECT_TRUE(strstr(mdev_attr(self->uuid, "blueprint"), " memory=10M "));
}

/* ---- events ---- */

TEST_F(pool, events)
{
	int fd = event_socket();
	char word[64];

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=2 max=4"));
	EXPECT_TRUE(event_comes(fd, self->uuid, "TESSERA_EVENT=composition"));
	EXPECT_TRUE(event_comes(fd, gpu_name(), NULL));
	/* In place */
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=3"));
	snprintf(word, sizeof(word), "TESSERA_GENERATION=%llu", generation_of(self->uuid));
	EXPECT_TRUE(event_comes(fd, self->uuid, word));
	EXPECT_TRUE(event_comes(fd, gpu_name(), NULL));
	/* Another one in its place */
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=1 min=1 max=1"));
	snprintf(word, sizeof(word), "TESSERA_GENERATION=%llu", generation_of(self->uuid));
	EXPECT_TRUE(event_comes(fd, self->uuid, word));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "none"));
	snprintf(word, sizeof(word), "TESSERA_GENERATION=%llu", generation_of(self->uuid));
	EXPECT_TRUE(event_comes(fd, self->uuid, word));
	close(fd);
}

/* ---- everybody at once ---- */

#define WRITERS 4

/* Little memory: what is given has to be zeroed */
static const char *const shapes[] = {
	"slices=1 min=1 max=1 kind=compute memory=2M",
	"slices=2 min=1 max=4 kind=any memory=2M",
	"slices=3 min=1 max=4 kind=mixed memory=2M",
	"slices=4 min=4 max=4 kind=render engines=all memory=2M",
	"slices=1 min=1 max=2 kind=any memory=4M",
	"none",
	NULL,
};

/* An mdev that is being removed has no files any more */
static const int may[] = { -ENOSPC, -EBUSY, -EINVAL, -ENOENT, -ENODEV, 0 };

static void start_writers(struct __test_metadata *_metadata, const char *uuid, int ms,
			  struct writer w[WRITERS])
{
	unsigned int i;

	for (i = 0; i < WRITERS; i++) {
		w[i] = (struct writer){ .uuid = uuid, .shapes = shapes, .may = may, .seed = i + 1 };
		ASSERT_EQ(0, writer_start(&w[i], ms));
	}
}

static unsigned int end_writers(struct __test_metadata *_metadata, struct writer w[WRITERS])
{
	unsigned int i, done = 0;

	for (i = 0; i < WRITERS; i++) {
		EXPECT_EQ(0, writer_end(&w[i]));
		done += w[i].done;
	}
	return done;
}

/* Writers, and one who opens and closes all the time */
TEST_F_TIMEOUT(pool, writers_and_opener, 60)
{
	struct writer w[WRITERS];
	unsigned int done;
	int opened = 0;
	long end;

	ASSERT_EQ(0, mdev_create("C1", self->uuid));
	start_writers(_metadata, self->uuid, 4000 * patience(), w);
	end = now_ms() + 4000 * patience();
	while (now_ms() < end) {
		struct vgpu v;
		struct ring r;
		int ret = vgpu_open(&v, self->uuid);

		if (ret) {
			/* Just blank */
			EXPECT_EQ(-ENXIO, ret);
			continue;
		}
		opened++;
		ring_start(&r, &v, v.vslices - 1);
		ring_fill(&r, DATA_GPA, PAGE, opened);
		EXPECT_EQ(0, ring_finish(&r));
		EXPECT_EQ(opened, *(uint32_t *)ram_at(&v, DATA_GPA));
		vgpu_close(&v);
	}
	done = end_writers(_metadata, w);
	TH_LOG("%u changes, opened %d times", done, opened);
	EXPECT_LT(WRITERS, done);
	EXPECT_LT(1, opened);
	EXPECT_LT(0, strlen(mdev_attr(self->uuid, "blueprint")));
}

TEST_F_TIMEOUT(pool, removal_during_writes, 60)
{
	unsigned int round;

	for (round = 0; round < 5; round++) {
		struct writer w[WRITERS];

		ASSERT_EQ(0, mdev_create("blank", self->uuid));
		start_writers(_metadata, self->uuid, 5000, w);
		usleep(100000 + 37000 * round);
		ASSERT_EQ(0, mdev_remove(self->uuid));
		end_writers(_metadata, w);
		EXPECT_EQ(self->books.slices_free, pool_value("slices_free"));
		EXPECT_EQ(self->books.vram_free, pool_value("vram_free"));
	}
}

/* ---- nonsense ---- */

#define SEED 20261122
#define STRINGS 200

static const char *const good[] = { "slices=1",	 "slices=2",	  "slices=4",	   "min=1",
				    "max=4",	 "kind=any",	  "kind=compute",  "kind=mixed",
				    "memory=2M", "topology=ring", "engines=all",   "engines=copy",
				    "heads=0",	 "share=shared",  "policy=manual", "gpus=1" };
static const char *const good_profile[] = { "utilization=950", "queue=5000", "shader=800",
					    "slices=2",	       "displays=0", "memory=900",
					    "path=local",      "texture=0",  "engines=compute" };
static const char *const bad[] = {
	"slices=0",  "max=65",	 "kind=none",	    "memory=1G1", "memory=0x", "engines=copy,",
	"weight=-1", "gpus=2",	 "heads=9",	    "share",	  "=",	       "slices=4294967297",
	"%s%n",	     "\xff\xfe", "policy=auto\x01", "cap=1 cap=1"
};
static const char *const space[] = { " ", "\n", "\t", "  ", "#" };

#define PICK(seed, list) list[rand_r(seed) % (sizeof(list) / sizeof(*(list)))]

static void make_text(unsigned int *seed, bool profile, char *text, size_t size)
{
	unsigned int n = 1 + rand_r(seed) % 4;
	size_t at = 0;

	while (n--) {
		const char *word = profile ? PICK(seed, good_profile) : PICK(seed, good);

		if (!(rand_r(seed) % 5))
			word = PICK(seed, bad);
		at += snprintf(text + at, size - at, "%s%s", word, PICK(seed, space));
	}
}

TEST_F_TIMEOUT(pool, random_strings, 60)
{
	unsigned int seed = SEED, i;
	int taken = 0;
	char text[1024];

	TH_LOG("seed %u", seed);
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=1 max=4 memory=2M"));
	for (i = 0; i < STRINGS; i++) {
		const char *name = i % 3 ? "blueprint" : "profile";
		char last[8];
		int ret;

		make_text(&seed, !(i % 3), text, sizeof(text));
		ret = mdev_attr_write(self->uuid, name, text);
		snprintf(last, sizeof(last), "%s", mdev_attr(self->uuid, "last_error"));
		EXPECT_EQ(!ret, !strcmp(last, "none"));
		if (ret && ret != -EINVAL && ret != -ENOSPC && ret != -EOPNOTSUPP) {
			TH_LOG("%s \"%s\": %d", name, text, ret);
			EXPECT_EQ(0, ret);
		}
		if (ret)
			continue;
		taken++;
		snprintf(text, sizeof(text), "%s", mdev_attr(self->uuid, "blueprint"));
		EXPECT_EQ(0, mdev_attr_write(self->uuid, "blueprint", text));
		EXPECT_TRUE(reads(self->uuid, "blueprint", text));
	}
	TH_LOG("%d of %d were taken", taken, STRINGS);
	EXPECT_LT(STRINGS / 20, taken);
	EXPECT_LT(STRINGS / 20, STRINGS - taken);
}

TEST_HARNESS_MAIN
