// SPDX-License-Identifier: GPL-2.0-or-later
/* The pieces of tesseractl that need no files: numbers, rates, trace lines, tables. */
#include <json-c/json.h>

#include "attr.h"
#include "harness.h"
#include "mdev.h"
#include "near.h"
#include "sample.h"
#include "table.h"
#include "trace_event.h"
#include "uevent.h"

static const char *near_one(const char *typed, const char *candidate)
{
	struct near near = near_to(typed);

	near_offer(&near, candidate);
	return near.best ? near.best : "";
}

TEST(near_names)
{
	struct near near = near_to("composs");
	char many[200];

	EXPECT_STREQ(near_one("slcies", "slices"), "slices");
	EXPECT_STREQ(near_one("slices", "slices"), "slices");
	EXPECT_STREQ(near_one("lst", "list"), "list");
	EXPECT_STREQ(near_one("listx", "list"), "list");
	EXPECT_STREQ(near_one("nosuch", "list"), "");
	/* Everything is near to next to nothing */
	EXPECT_STREQ(near_one("", "a"), "");
	EXPECT_STREQ(near_one("x", "y"), "");
	near_offer(&near, "compass");
	EXPECT_EQ(near.distance, 1u);
	near_offer(&near, "composes");
	EXPECT_STREQ(near.best, "compass");
	near_offer(&near, "composs");
	EXPECT_EQ(near.distance, 0u);
	/* Only the beginning was typed */
	near = near_to("7f2d");
	near_offer(&near, "7f2c1a2b");
	EXPECT_TRUE(!near.best);
	near_offer_prefix(&near, "7f2c1a2b");
	EXPECT_STREQ(near.best, "7f2c1a2b");
	memset(many, 'x', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	EXPECT_STREQ(near_one(many, many), "");
	EXPECT_STREQ(near_one("xx", many), "");
}

TEST(uuids)
{
	char uuid[MDEV_UUID];

	EXPECT_TRUE(mdev_is_uuid("7f2c1a2b-0000-4000-8000-00000000000a"));
	EXPECT_FALSE(mdev_is_uuid("7f2c1a2b-0000-4000-8000-00000000000"));
	EXPECT_FALSE(mdev_is_uuid("7f2c1a2b-0000-4000-8000-00000000000a0"));
	EXPECT_FALSE(mdev_is_uuid("7F2c1a2b-0000-4000-8000-00000000000a"));
	EXPECT_FALSE(mdev_is_uuid("7f2c1a2b00000-4000-8000-00000000000a"));
	EXPECT_FALSE(mdev_is_uuid("7f2c1a2-b0000-4000-8000-00000000000a"));
	EXPECT_FALSE(mdev_is_uuid(""));
	EXPECT_TRUE(mdev_random_uuid(uuid) && mdev_is_uuid(uuid));
}

static bool parse_event(struct uevent *event, const char *text, size_t length)
{
	memcpy(event->buf, text, length);
	return uevent_parse(event, length);
}

TEST(uevents)
{
	static const char whole[] = "change@/d\0ACTION=change\0DEVPATH=/d\0SUBSYSTEM=mdev\0"
				    "TESSERA_EVENT=composition\0TESSERA_GENERATION=3";
	static const char odd[] = "x\0\0ACTION=a\x1b\0=x\0DEVPATH=/=\0TESSERA_GENERATION=x\0";
	const size_t first = sizeof("change@/d") + sizeof("ACTION=change") + strlen("DEVPATH=/");
	static struct uevent event;
	size_t i;

	EXPECT_TRUE(parse_event(&event, whole, sizeof(whole)));
	EXPECT_STREQ(event.action, "change");
	EXPECT_STREQ(event.devpath, "/d");
	EXPECT_STREQ(event.subsystem, "mdev");
	EXPECT_STREQ(event.tessera, "composition");
	EXPECT_TRUE(num_is(event.generation, 3));
	/* Cut anywhere, also without a NUL at the end */
	for (i = 0; i < sizeof(whole) - 1; i++)
		EXPECT_EQ(parse_event(&event, whole, i), i >= first);
	EXPECT_TRUE(parse_event(&event, odd, sizeof(odd) - 1));
	EXPECT_STREQ(event.action, "a?");
	EXPECT_STREQ(event.devpath, "/=");
	EXPECT_STREQ(event.subsystem, "");
	EXPECT_FALSE(event.generation.known);
	EXPECT_FALSE(uevent_parse(&event, UEVENT_MAX));
}

TEST(numbers)
{
	static const char *const bad[] = { "",
					   " 1",
					   "+1",
					   "--1",
					   "1 ",
					   "1\n2",
					   "0x",
					   "x",
					   "1e3",
					   "-",
					   "99999999999999999999",
					   "18446744073709551615",
					   "1.5",
					   "\n",
					   "nan",
					   "- 1" };
	unsigned int i;

	EXPECT_FALSE(num_parse("").known);
	EXPECT_TRUE(num_is(num_parse("0"), 0));
	EXPECT_TRUE(num_is(num_parse("42\n"), 42));
	EXPECT_TRUE(num_is(num_parse("-1\n"), -1));
	EXPECT_TRUE(num_is(num_parse("0x1f\n"), 31));
	EXPECT_TRUE(num_is(num_parse("010"), 10));
	EXPECT_TRUE(num_is(num_parse("9223372036854775807"), INT64_MAX));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_STREQ(num_parse(bad[i]).known ? bad[i] : "", "");
}

TEST(arithmetic)
{
	EXPECT_TRUE(num_is(num_add(num(1), NUM_UNKNOWN), 1));
	EXPECT_FALSE(num_add(NUM_UNKNOWN, NUM_UNKNOWN).known);
	EXPECT_FALSE(num_add(num(INT64_MAX), num(1)).known);
	EXPECT_TRUE(num_is(num_since(num(5), num(3)), 2));
	EXPECT_FALSE(num_since(num(3), num(5)).known);
	EXPECT_FALSE(num_since(num(INT64_MAX), num(INT64_MIN)).known);
	EXPECT_TRUE(num_is(num_ratio(num(INT64_MAX), 1000, num(INT64_MAX), 1000), 1000));
	EXPECT_TRUE(num_is(num_ratio(num(INT64_MAX), INT64_MAX, num(1), 1000), 1000));
	EXPECT_FALSE(num_ratio(num(1), 1, num(0), 1000).known);
	EXPECT_FALSE(num_ratio(num(-1), 1, num(1), 1000).known);
}

TEST(number_texts)
{
	char buf[NUM_TEXT];
	struct json_object *obj;

	EXPECT_STREQ(num_text(buf, NUM_UNKNOWN), "-");
	EXPECT_STREQ(num_text(buf, num(INT64_MIN)), "-9223372036854775808");
	EXPECT_STREQ(num_tenths(buf, num(1000), "%"), "100.0%");
	EXPECT_STREQ(num_tenths(buf, num(7), "%"), "0.7%");
	EXPECT_STREQ(num_tenths(buf, num(-7), ""), "-0.7");
	EXPECT_STREQ(num_tenths(buf, num(INT64_MIN), ""), "-922337203685477580.8");
	obj = num_json(num(1100), 1000);
	EXPECT_STREQ(json_object_to_json_string(obj), "1.100");
	json_object_put(obj);
}

TEST(indexes)
{
	EXPECT_EQ(attr_index("gpu0", "gpu"), 0);
	EXPECT_EQ(attr_index("slice63", "slice"), 63);
	EXPECT_EQ(attr_index("gpu", "gpu"), -1);
	EXPECT_EQ(attr_index("gpu01", "gpu"), -1);
	EXPECT_EQ(attr_index("gpu-1", "gpu"), -1);
	EXPECT_EQ(attr_index("gpu 1", "gpu"), -1);
	EXPECT_EQ(attr_index("gpu1x", "gpu"), -1);
	EXPECT_EQ(attr_index("gpu99999999999999999999", "gpu"), -1);
}

TEST(tables)
{
	static const struct table_column columns[] = { { "A", false }, { "B", true } };
	struct table *table = table_new(columns, 2);
	char line[TABLE_LINE], huge[3 * TABLE_LINE];

	table_add(table, "x");
	table_add(table, "1");
	table_add(table, "long");
	table_add(table, "22");
	EXPECT_EQ(table_rows(table), 3);
	EXPECT_STREQ(table_line(table, 0, line), "A      B");
	EXPECT_STREQ(table_line(table, 1, line), "x      1");
	EXPECT_STREQ(table_line(table, 2, line), "long  22");
	memset(huge, 'h', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	table_add(table, huge);
	table_add(table, huge);
	EXPECT_EQ(strlen(table_line(table, 3, line)), TABLE_LINE - 1);
	EXPECT_TRUE(table_ok(table));
	table_free(table);
}

/* ---- rates ---- */

static struct pool_vslice vslices[2][3];
static struct pool_vgpu vgpus[2][2];
static struct pool_slice slices[2][2];
static struct pool_gpu gpus[2];
static struct sample samples[2];

/* Two samples, two seconds and 1000 cycles of GPU time apart */
static void make_samples(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		strcpy(vgpus[i][0].dir, "b");
		strcpy(vgpus[i][0].share, "shared");
		vgpus[i][0].weight = num(100);
		vgpus[i][0].vslices = &vslices[i][0];
		vgpus[i][0].vslice_count = 1;
		vgpus[i][0].own_count = 1;
		strcpy(vgpus[i][1].dir, "a");
		strcpy(vgpus[i][1].share, "exclusive");
		vgpus[i][1].vslices = &vslices[i][1];
		vgpus[i][1].vslice_count = 2;
		vgpus[i][1].own_count = 2;
		vslices[i][0].run_cycles = num(50 + i * 250);
		vslices[i][0].switches = num(10 + i * 30);
		vslices[i][1].slice = num(0);
		vslices[i][2].index = 1;
		vslices[i][2].slice = num(7);
		slices[i][1].index = 7;
		slices[i][0].busy_cycles = num(1000 + i * 500);
		slices[i][1].busy_cycles = num(i * 900);
		slices[i][1].switches = num(4 + i);
		strcpy(gpus[i].name, "bus");
		gpus[i].time_cycles = num(5000 + i * 1000);
		gpus[i].slices = slices[i];
		gpus[i].slice_count = 2;
		gpus[i].vgpus = vgpus[i];
		gpus[i].vgpu_count = 2;
		samples[i].pool = (struct pool){ .gpus = &gpus[i], .gpu_count = 1 };
		samples[i].us = 1000000 + i * 2000000;
	}
}

TEST(rates)
{
	struct rates rates;

	make_samples();
	ASSERT_EQ(sample_rates(&samples[1], &samples[0], SORT_NAME, &rates), 0);
	ASSERT_EQ(rates.slice_count, 2);
	EXPECT_TRUE(num_is(rates.slices[0].utilization, 500));
	EXPECT_FALSE(rates.slices[0].switches.known);
	EXPECT_TRUE(num_is(rates.slices[1].utilization, 900));
	EXPECT_TRUE(num_is(rates.slices[1].switches, 500));
	ASSERT_EQ(rates.vgpu_count, 2);
	EXPECT_STREQ(rates.vgpus[0].vgpu->dir, "a");
	EXPECT_TRUE(num_is(rates.vgpus[0].utilization, 700));
	EXPECT_FALSE(rates.vgpus[0].run.known);
	/* A shared one's slice says nothing about it */
	EXPECT_FALSE(rates.vgpus[1].utilization.known);
	EXPECT_TRUE(num_is(rates.vgpus[1].run, 250));
	EXPECT_TRUE(num_is(rates.vgpus[1].switches, 15000));
	rates_free(&rates);
}

TEST(rates_after_a_reset)
{
	struct rates rates;

	make_samples();
	slices[1][0].busy_cycles = num(3);
	vslices[1][0].switches = num(3);
	ASSERT_EQ(sample_rates(&samples[1], &samples[0], SORT_WEIGHT, &rates), 0);
	EXPECT_FALSE(rates.slices[0].utilization.known);
	EXPECT_STREQ(rates.vgpus[0].vgpu->dir, "b");
	EXPECT_FALSE(rates.vgpus[0].switches.known);
	rates_free(&rates);
	/* Another GPU with the same number */
	strcpy(gpus[1].name, "elsewhere");
	ASSERT_EQ(sample_rates(&samples[1], &samples[0], SORT_SWITCHES, &rates), 0);
	EXPECT_FALSE(rates.slices[1].utilization.known);
	EXPECT_FALSE(rates.vgpus[0].run.known);
	EXPECT_FALSE(rates.vgpus[1].run.known);
	rates_free(&rates);
}

TEST(rates_without_time)
{
	struct rates rates;

	make_samples();
	gpus[1].time_cycles = gpus[0].time_cycles;
	samples[1].us = samples[0].us;
	ASSERT_EQ(sample_rates(&samples[1], &samples[0], SORT_UTILIZATION, &rates), 0);
	EXPECT_FALSE(rates.slices[0].utilization.known);
	EXPECT_FALSE(rates.slices[1].switches.known);
	rates_free(&rates);
}

/* ---- trace ---- */

#define HEAD "           <...>-1234    [001] d.h1.    55.123456: "

static const char *words_of(const char *line)
{
	static char words[TRACE_LINE];
	struct trace_event event;

	if (trace_parse(line, &event) != TRACE_EVENT_LINE)
		return "no event";
	return trace_words(words, &event) + strlen("   55.123456  ");
}

TEST(trace_line)
{
	struct trace_event event;

	ASSERT_EQ(trace_parse(HEAD "tess_kick: gpu=0 slice=2 vgpu=drm wptr=7", &event),
		  TRACE_EVENT_LINE);
	EXPECT_STREQ(event.process, "<...>");
	EXPECT_TRUE(num_is(event.pid, 1234));
	EXPECT_TRUE(num_is(event.cpu, 1));
	EXPECT_TRUE(num_is(event.us, 55123456));
	EXPECT_STREQ(event.name, "tess_kick");
	EXPECT_STREQ(trace_value(&event, "vgpu"), "drm");
	EXPECT_TRUE(num_is(trace_num(&event, "wptr"), 7));
	EXPECT_TRUE(!trace_value(&event, "slic"));
	EXPECT_TRUE(trace_has_slice(&event, 0, 2));
	EXPECT_FALSE(trace_has_slice(&event, 1, 2));
	EXPECT_TRUE(trace_has_vgpu(&event, "drm"));
	EXPECT_FALSE(trace_has_vgpu(&event, "dr"));
}

/* The name of a process says what its owner likes */
TEST(trace_hostile_process)
{
	struct trace_event event;

	ASSERT_EQ(trace_parse(" x [000] tess_a:-7       [003] ..... 1.000002: tess_kick: gpu=0",
			      &event),
		  TRACE_EVENT_LINE);
	EXPECT_STREQ(event.process, "x [000] tess_a:");
	EXPECT_TRUE(num_is(event.pid, 7));
	EXPECT_TRUE(num_is(event.cpu, 3));
	ASSERT_EQ(trace_parse(
			  "      \033[2J\nab\"\\-1234    [001] d.h1.    55.123456: tess_kick: a=b",
			  &event),
		  TRACE_OTHER_LINE);
	EXPECT_TRUE(!strchr(event.text, '\033'));
}

TEST(trace_nonsense)
{
	static const char *const lines[] = {
		"",
		"-",
		"                ",
		"                -",
		"                -1234",
		"                -1234    [001",
		"                -1234    [001] d.h1.",
		"                -1234    [001] d.h1.    55.123456",
		"                -1234    [001] d.h1.    55.123456:",
		"                -1234    [001] d.h1.    55.12345: tess_kick: a=b",
		"                -1234    [001] d.h1.    55: tess_kick: a=b",
		"                -x       [001] d.h1.    55.123456: tess_kick: a=b",
		HEAD "sched_switch: prev_comm=x",
		HEAD "tess_kick",
		"CPU:1 [LOST x EVENTS]",
	};
	struct trace_event event;
	char huge[4 * TRACE_LINE];
	unsigned int i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		EXPECT_STREQ(trace_parse(lines[i], &event) == TRACE_OTHER_LINE ? "" : lines[i], "");
	strcpy(huge, HEAD "tess_kick: ");
	while (strlen(huge) < sizeof(huge) - 4)
		strcat(huge, "a= ");
	EXPECT_EQ(trace_parse(huge, &event), TRACE_EVENT_LINE);
	EXPECT_EQ(event.field_count, TRACE_FIELDS);
	words_of(huge);
}

TEST(trace_lost)
{
	struct trace_event event;

	ASSERT_EQ(trace_parse("CPU:3 [LOST 12 EVENTS]", &event), TRACE_LOST_LINE);
	EXPECT_TRUE(num_is(event.pid, 12));
	EXPECT_TRUE(num_is(event.cpu, 3));
}

TEST(trace_words)
{
#define AT "gpu=0 slice=2 vgpu=u vslice=1 time=9 "
#define SAYS "gpu0/slice2: u vslice 1 "
	EXPECT_STREQ(words_of(HEAD "tess_sched_in: " AT "waited=5"),
		     SAYS "runs now, after waiting for 5 cycles");
	EXPECT_STREQ(words_of(HEAD "tess_sched_in: " AT "waited=0"), SAYS "runs now");
	EXPECT_STREQ(words_of(HEAD "tess_sched_out: " AT "ran=8 reason=quantum"),
		     SAYS "is parked after 8 cycles: its turn is over");
	EXPECT_STREQ(words_of(HEAD "tess_sched_out: " AT "ran=8 reason=fault"),
		     SAYS "is parked after 8 cycles: it waits for memory from the host");
	EXPECT_STREQ(words_of(HEAD "tess_sched_out: " AT "ran=8 reason=new"),
		     SAYS "is parked after 8 cycles: new");
	EXPECT_STREQ(words_of(HEAD "tess_save: " AT "bytes=4096"), SAYS "is saved, 4096 bytes");
	EXPECT_STREQ(words_of(HEAD "tess_restore: " AT "bytes=0"), SAYS "is restored");
	EXPECT_STREQ(words_of(HEAD "tess_move: " AT "from=0 reason=sysfs"),
		     SAYS "moved here from slice 0: the administrator requested it");
	EXPECT_STREQ(words_of(HEAD "tess_move: " AT "from=-1 reason=swap"),
		     SAYS "moved here: the swapper decided it");
	EXPECT_STREQ(words_of(HEAD "tess_kick: " AT "wptr=0 parked=1"),
		     SAYS "has new packets, and is parked");
	EXPECT_STREQ(words_of(HEAD "tess_complete: " AT "seq=3"),
		     SAYS "completed work, up to number 3");
	EXPECT_STREQ(words_of(HEAD "tess_swap_decision: " AT "to=0 gain=412 reason=crowded rc=-16"),
		     SAYS "should move: its slice is crowded; to slice 0, gain 41.2%; "
			  "failed: -16");
	EXPECT_STREQ(words_of(HEAD "tess_swap_decision: " AT
				   "to=3 gain=412 reason=crowded rc=0 to_gpu=1"),
		     SAYS "should move: its slice is crowded; to slice 3 of gpu1, "
			  "gain 41.2%");
	EXPECT_STREQ(words_of(HEAD "tess_swap_decision: " AT
				   "to=3 gain=412 reason=crowded rc=0 to_gpu=0"),
		     SAYS "should move: its slice is crowded; to slice 3 of gpu0, "
			  "gain 41.2%");
	EXPECT_STREQ(words_of(HEAD "tess_swap_decision: " AT
				   "to=-1 gain=0 reason=nowhere rc=0 to_gpu=-1"),
		     SAYS "stays: there is no better slice");
	EXPECT_STREQ(words_of(HEAD "tess_adapt: gpu=1 slice=-1 vgpu=u vslice=0 time=9 from=1 to=2"),
		     "gpu1: u tess_adapt from=1 to=2");
	EXPECT_STREQ(
		words_of(HEAD "tess_transfer: gpu=1 slice=-1 vgpu=u vslice=0 time=9 "
			      "from_gpu=0 slices=2 bytes=4194304 us=1234"),
		"gpu1: u moved here from gpu0: 2 slices, 4194304 bytes, stood still for 1234 us");
	EXPECT_STREQ(words_of(HEAD "tess_swap_decision: gpu=1 slice=-1 vgpu=- vslice=0 time=9 "
				   "to=-1 gain=0 reason=balanced rc=0"),
		     "gpu1: no vslice should move: the load is balanced");
	EXPECT_STREQ(words_of(HEAD "tess_analyze: " AT "utilization=1000 demand=7 queue_depth=1500 "
				   "shader=0 memory=25"),
		     SAYS "utilization 100.0%, demand 0.7%, queue 1.5, shaders 0.0%, memory 2.5%");
	EXPECT_STREQ(words_of(HEAD "tess_new: " AT "more=1"), SAYS "tess_new more=1");
	EXPECT_STREQ(words_of(HEAD "tess_sched_in: " AT "waited=0 more=1"), SAYS "runs now more=1");
	EXPECT_STREQ(words_of(HEAD "tess_sched_out: gpu=0"),
		     "gpu0/slice?: ? vslice ? is parked after ? cycles: ?");
}

TEST(trace_as_json)
{
	struct json_object *obj, *vgpu;
	struct trace_event event;

	trace_parse(HEAD "tess_kick: gpu=0 slice=-1 vgpu=123 x=\"\\", &event);
	obj = trace_json(&event);
	ASSERT_TRUE(json_object_object_get_ex(obj, "vgpu", &vgpu));
	EXPECT_TRUE(json_object_is_type(vgpu, json_type_string));
	json_object_object_get_ex(obj, "slice", &vgpu);
	EXPECT_EQ(json_object_get_int64(vgpu), -1);
	json_object_object_get_ex(obj, "x", &vgpu);
	EXPECT_STREQ(json_object_get_string(vgpu), "\"\\");
	json_object_put(obj);
}

TEST_HARNESS_MAIN
