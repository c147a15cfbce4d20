// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files that an administrator writes: nonsense is refused and the log says what is
 * allowed; sense is taken over at once, and no work suffers from it.
 */
#include <fcntl.h>
#include <limits.h>

#include "harness.h"
#include "load.h"

#define CLIENTS 3

FIXTURE(knobs)
{
	struct client c[CLIENTS];
	struct load l[CLIENTS];
	unsigned int n;
	int slice;
};

FIXTURE_SETUP(knobs)
{
	fresh_start();
	for (self->n = 0; self->n < CLIENTS; self->n++) {
		ASSERT_EQ(0, client_open(&self->c[self->n], "C1S"));
		load_init(&self->l[self->n], &self->c[self->n], 5000, 10);
	}
	self->slice = clients_together(self->c, CLIENTS);
	ASSERT_LE(0, self->slice);
}

FIXTURE_TEARDOWN(knobs)
{
	while (self->n)
		client_close(&self->c[--self->n]);
}

/* The kernel's messages from now on */
static int log_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* Is there a message with both of these in it? */
static bool log_has(int fd, const char *a, const char *b)
{
	char line[8192];
	ssize_t n;
	bool found = false;

	while ((n = read(fd, line, sizeof(line) - 1)) > 0) {
		line[n] = 0;
		found |= strstr(line, a) && strstr(line, b);
	}
	return found;
}

/**
 * struct knob - a number with limits
 * @file: name
 * @of_slice: of a slice, not of a vGPU
 * @min: smallest value
 * @max: largest value
 * @usual: what it has at first
 */
struct knob {
	const char *file;
	bool of_slice;
	long long min, max, usual;
};

static const struct knob knobs[] = {
	{ "weight", false, 1, 10000, 100 },
	{ "cap", false, 0, 100, 0 },
	{ "quantum_us", true, 100, 1000000, 2000 },
	{ "preempt_timeout_us", true, 1000, 10000000, 10000 },
};

static int set(struct __fixture_knobs *self, const struct knob *k, const char *text)
{
	return k->of_slice ? slice_set(&self->c[0], self->slice, k->file, text) :
			     client_set(&self->c[0], k->file, text);
}

static long long get(struct __fixture_knobs *self, const struct knob *k)
{
	return k->of_slice ? slice_value(&self->c[0], self->slice, k->file) :
			     client_value(&self->c[0], k->file);
}

static int set_number(struct __fixture_knobs *self, const struct knob *k, long long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld\n", value);
	return set(self, k, text);
}

static void refuses(struct __test_metadata *_metadata, struct __fixture_knobs *self,
		    const struct knob *k, const char *text)
{
	long long before = get(self, k);
	char min[32], max[32];
	int log = log_open();

	snprintf(min, sizeof(min), "%lld", k->min);
	snprintf(max, sizeof(max), "%lld", k->max);
	if (set(self, k, text) != -EINVAL || get(self, k) != before) {
		TH_LOG("%s: '%s' is not refused", k->file, text);
		_metadata->exit_code = KSFT_FAIL;
	}
	if (!log_has(log, min, max)) {
		TH_LOG("%s: '%s': the log does not say %s to %s", k->file, text, min, max);
		_metadata->exit_code = KSFT_FAIL;
	}
	close(log);
}

TEST_F(knobs, numbers)
{
	static const char *const nonsense[] = { "",    "x",   "-1",
						"1x",  "1 2", "0x",
						"1.5", "NaN", "99999999999999999999" };
	unsigned int i, k;
	char text[32];

	for (k = 0; k < sizeof(knobs) / sizeof(*knobs); k++) {
		const struct knob *knob = &knobs[k];

		EXPECT_EQ(knob->usual, get(self, knob));
		for (i = 1; i < sizeof(nonsense) / sizeof(*nonsense); i++)
			refuses(_metadata, self, knob, nonsense[i]);
		snprintf(text, sizeof(text), "%lld", knob->max + 1);
		refuses(_metadata, self, knob, text);
		snprintf(text, sizeof(text), "%lld", knob->min - 1);
		refuses(_metadata, self, knob, text);
		EXPECT_EQ(0, set_number(self, knob, knob->max));
		EXPECT_EQ(knob->max, get(self, knob));
		EXPECT_EQ(0, set_number(self, knob, knob->min));
		EXPECT_EQ(knob->min, get(self, knob));
		EXPECT_EQ(0, set_number(self, knob, knob->usual));
	}
}

/* Words: the policies, and where a vslice is to go */
TEST_F(knobs, words)
{
	static const char *const bad[] = { "x", "fairer", "FAIR", "fair fixed", "0", "auto" };
	static const char *const good[] = { "fixed", "besteffort", "fair" };
	static const char *const nowhere[] = { "64", "16", "-2", "x", "1 2", "999999999999" };
	struct client *c = &self->c[0];
	char text[32];
	unsigned int i;
	int log;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		log = log_open();
		EXPECT_EQ(-EINVAL, slice_set(c, self->slice, "policy", bad[i]));
		EXPECT_TRUE(log_has(log, "fair", "besteffort"));
		close(log);
	}
	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		EXPECT_EQ(0, slice_set(c, self->slice, "policy", good[i]));
		EXPECT_EQ(0, slice_string(c, self->slice, "policy", text, sizeof(text)));
		EXPECT_EQ(0, strcmp(text, good[i]));
	}
	log = log_open();
	EXPECT_EQ(-EINVAL, client_set(c, "policy", "sometimes"));
	EXPECT_TRUE(log_has(log, "manual", "auto"));
	close(log);
	EXPECT_EQ(0, client_set(c, "policy", "auto"));
	EXPECT_EQ(0, client_set(c, "policy", "manual"));
	for (i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++)
		EXPECT_EQ(-EINVAL, client_set(c, "vslice0/slice", nowhere[i]));
	EXPECT_EQ(self->slice, client_slice(c));
}

/* The same knobs where mdevctl and libvirt look for them */
TEST_F(knobs, of_the_mdev)
{
	char path[PATH_MAX];
	struct client *c = &self->c[0];

	snprintf(path, sizeof(path), "/sys/bus/mdev/devices/%s/weight", c->v.uuid);
	EXPECT_EQ(-EINVAL, file_write(path, "0"));
	EXPECT_EQ(-EINVAL, file_write(path, "10001"));
	EXPECT_EQ(0, file_write(path, "250"));
	EXPECT_EQ(250, client_value(c, "weight"));
	snprintf(path, sizeof(path), "/sys/bus/mdev/devices/%s/cap", c->v.uuid);
	EXPECT_EQ(-EINVAL, file_write(path, "101"));
	EXPECT_EQ(0, file_write(path, "40"));
	EXPECT_EQ(40, client_value(c, "cap"));
	snprintf(path, sizeof(path), "/sys/bus/mdev/devices/%s/policy", c->v.uuid);
	EXPECT_EQ(-EINVAL, file_write(path, "both"));
	EXPECT_EQ(0, file_write(path, "auto"));
	EXPECT_EQ(0, file_write(path, "manual"));
}

static void twist(struct __test_metadata *_metadata, struct __fixture_knobs *self)
{
	static const char *const policies[] = { "fair", "besteffort", "fixed" };
	struct client *c = &self->c[random() % CLIENTS];

	switch (random() % 6) {
	case 0:
		EXPECT_EQ(0, client_set_value(c, "weight", 1 + random() % 10000));
		break;
	case 1:
		EXPECT_EQ(0, client_set_value(c, "cap", random() % 2 ? 20 + random() % 81 : 0));
		break;
	case 2:
		EXPECT_EQ(0, slice_set(c, self->slice, "policy", policies[random() % 3]));
		break;
	case 3:
		EXPECT_EQ(0, slice_set_value(c, self->slice, "quantum_us", 100 + random() % 5000));
		break;
	case 4:
		EXPECT_EQ(0, slice_set_value(c, self->slice, "preempt_timeout_us",
					     5000 + random() % 20000));
		break;
	default:
		EXPECT_EQ(-EINVAL, slice_set_value(c, self->slice, "quantum_us", 1));
	}
}

TEST_F_TIMEOUT(knobs, changes_lose_no_work, 180)
{
	unsigned int i, jobs = 0;

	srandom(1);
	for (i = 0; i < 150; i++) {
		twist(_metadata, self);
		ASSERT_EQ(0, load_settle(self->l, CLIENTS, 8));
	}
	EXPECT_EQ(0, slice_set(&self->c[0], self->slice, "policy", "fair"));
	for (i = 0; i < CLIENTS; i++)
		EXPECT_EQ(0, client_set_value(&self->c[i], "cap", 0));
	EXPECT_EQ(0, load_finish(self->l, CLIENTS));
	for (i = 0; i < CLIENTS; i++) {
		jobs += self->c[i].r.seq;
		EXPECT_EQ(0, client_value(&self->c[i], "vslice0/lost"));
	}
	printf("# 150 changes, %u jobs, none lost\n", jobs);
	EXPECT_LT(10, jobs);
	/* For the next one on this slice */
	EXPECT_EQ(0, slice_set(&self->c[0], self->slice, "quantum_us", "2000"));
	EXPECT_EQ(0, slice_set(&self->c[0], self->slice, "preempt_timeout_us", "10000"));
}

TEST_HARNESS_MAIN
