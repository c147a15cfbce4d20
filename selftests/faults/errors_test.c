// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors of the link that the port above the GPU reports (AER): the kernel resets the bus, and the
 * GPU has lost its configuration by that. Asks for an error NAME by a line "# error NAME", which
 * whoever runs this host VM gives to QEMU's port.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/pci_regs.h>

#include "harness.h"
#include "await.h"
#include "client.h"

#define DEVICES "/sys/bus/pci/devices/"
#define ROUNDS 2
/* Up to the last BAR; what is behind differs from run to run */
#define CONFIG_SIZE (PCI_BASE_ADDRESS_5 + 4)

FIXTURE(errors)
{
	char bdf[64];
	uint8_t config[CONFIG_SIZE];
	struct client victim;
};

static int read_config(const char *bdf, uint8_t *config)
{
	char path[PATH_MAX];
	int fd, ret;

	snprintf(path, sizeof(path), DEVICES "%.60s/config", bdf);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	ret = pread(fd, config, CONFIG_SIZE, 0) == CONFIG_SIZE ? 0 : -EIO;
	close(fd);
	return ret;
}

/* A vGPU in mid-work, without end */
static void open_victim(struct __test_metadata *_metadata, struct __fixture_errors *self)
{
	ASSERT_EQ(0, client_open(&self->victim, "C2"));
	ASSERT_EQ(0, client_warm(&self->victim));
	EXPECT_TRUE(client_counted(&self->victim));
	client_kernel(&self->victim, TESS_K_LOOP, 8, 256);
	client_fence(&self->victim);
}

FIXTURE_SETUP(errors)
{
	fresh_start();
	if (!getenv("TESS_ERRORS"))
		SKIP(return, "nobody is there to report errors");
	snprintf(self->bdf, sizeof(self->bdf), "%s", gpu_name());
	ASSERT_EQ(0, read_config(self->bdf, self->config));
	open_victim(_metadata, self);
}

FIXTURE_TEARDOWN(errors)
{
	client_close(&self->victim);
}

static void ask_for(const char *error)
{
	printf("# error %s\n", error);
	fflush(stdout);
}

/* Its client is told; the GPU is as it was, for the next one, and so it is after the next error */
static void survive(struct __test_metadata *_metadata, struct __fixture_errors *self,
		    const char *error)
{
	uint8_t config[CONFIG_SIZE] = { 0 };
	char path[PATH_MAX];
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		ask_for(error);
		EXPECT_TRUE(await_dead(&self->victim));
		vgpu_close(&self->victim.v);
		ASSERT_TRUE(await_type("C2"));
		EXPECT_EQ(0, read_config(self->bdf, config));
		EXPECT_EQ(0, memcmp(self->config, config, sizeof(config)));
		fresh_start();
		open_victim(_metadata, self);
	}
	snprintf(path, sizeof(path), DEVICES "%.60s/drm", self->bdf);
	EXPECT_EQ(0, access(path, F_OK));
}

/* The link is in doubt, and is reset with all that is behind it */
TEST_F_TIMEOUT(errors, fatal, 200)
{
	survive(_metadata, self, "DLP");
}

/* A transaction was lost; the driver asks for a reset */
TEST_F_TIMEOUT(errors, not_fatal, 200)
{
	survive(_metadata, self, "COMP_TIME");
}

TEST_HARNESS_MAIN
