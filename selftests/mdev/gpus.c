// SPDX-License-Identifier: GPL-2.0-or-later
/* The two GPUs of a host */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "gpus.h"
#include "patience.h"
#include "vgpu.h"

#define CLASS "/sys/class/tessera"
#define BIND_MS 10000
#define RECOVERIES "/sys/module/tessera_pci/parameters/recoveries"
#define RECOVERIES_DEFAULT "3"
#define COMPOSE_FAIL "/sys/module/tessera/parameters/compose_fail"
#define HOLD "/sys/module/tessera/parameters/hold"
#define HOLD_MS 20000
/* What lingers goes after its file */
#define LINGER_MS 20000

int gpu_text(unsigned int gpu, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX];
	int ret;

	snprintf(path, sizeof(path), CLASS "/gpu%u/%s", gpu, name);
	ret = file_read(path, buf, size);
	if (!ret)
		buf[strcspn(buf, "\n")] = 0;
	return ret;
}

long long gpu_value(unsigned int gpu, const char *name)
{
	char buf[64];
	int ret = gpu_text(gpu, name, buf, sizeof(buf));

	return ret ? ret : atoll(buf);
}

const char *gpu_name_of(unsigned int gpu)
{
	return gpu ? "gpu1" : "gpu0";
}

unsigned int home_gpu(void)
{
	char buf[64];

	return gpu_text(1, "name", buf, sizeof(buf)) || strcmp(buf, gpu_name()) ? 0 : 1;
}

int gpu_unbind(const char *pci)
{
	return file_write(gpu_driver_file("unbind"), pci);
}

static bool in_pool(const char *pci)
{
	char buf[64];
	unsigned int i;

	for (i = 0; i < GPUS; i++)
		if (!gpu_text(i, "name", buf, sizeof(buf)) && !strcmp(buf, pci))
			return gpu_value(i, "slices_total") > 0;
	return false;
}

int gpu_bind(const char *pci)
{
	long end = now_ms() + BIND_MS * patience();
	int ret = file_write(gpu_driver_file("bind"), pci);

	while (!ret && !in_pool(pci)) {
		if (now_ms() > end)
			return -ETIMEDOUT;
		usleep(10000);
	}
	return ret;
}

int gpu_answers(const char *pci, bool answers)
{
	char path[PATH_MAX];
	uint16_t command;
	int fd, ret;

	/* One that was pulled is not there to be reset */
	ret = file_write(RECOVERIES, answers ? RECOVERIES_DEFAULT : "0");
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", pci);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (pread(fd, &command, sizeof(command), PCI_COMMAND) != sizeof(command))
		ret = -EIO;
	command &= ~PCI_COMMAND_MEMORY;
	command |= answers ? PCI_COMMAND_MEMORY : 0;
	if (!ret && pwrite(fd, &command, sizeof(command), PCI_COMMAND) != sizeof(command))
		ret = -EIO;
	close(fd);
	return ret;
}

void books_take(struct books *b)
{
	unsigned int i;

	for (i = 0; i < GPUS; i++) {
		b->slices[i] = gpu_value(i, "slices_free");
		b->vram[i] = gpu_value(i, "vram_free");
	}
	b->pins = pins_held();
}

bool books_balance(const struct books *b)
{
	struct books now;

	books_take(&now);
	return !memcmp(&now, b, sizeof(now));
}

unsigned int slices_taken(const struct books *b, unsigned int gpu)
{
	return b->slices[gpu] - gpu_value(gpu, "slices_free");
}

bool crowd_home(struct crowd *c, unsigned int but)
{
	c->nr = 0;
	while (c->nr < CROWD_MAX && !mdev_create("C1", c->uuid[c->nr]))
		c->nr++;
	if (c->nr <= but)
		return false;
	for (; but; but--)
		if (mdev_remove(c->uuid[--c->nr]))
			return false;
	return true;
}

bool crowd_leaves(struct crowd *c)
{
	while (c->nr)
		if (mdev_remove(c->uuid[--c->nr]))
			return false;
	return true;
}

int compose_fail(const char *step)
{
	return file_write(COMPOSE_FAIL, step);
}

int hold(const char *point)
{
	return file_write(HOLD, point);
}

bool hold_taken(void)
{
	long end = now_ms() + HOLD_MS * patience();
	char text[32];

	for (;;) {
		if (!file_read(HOLD, text, sizeof(text)) && strstr(text, " held"))
			return true;
		if (now_ms() > end)
			return false;
		usleep(1000);
	}
}

int pair_begin(struct pair *p)
{
	unsigned int i;
	int ret;

	mdev_remove_all();
	if (gpu_value(1, "slices_total") < 0)
		return -ENODEV;
	p->home = home_gpu();
	p->away = !p->home;
	for (i = 0; i < GPUS; i++) {
		ret = gpu_text(i, "name", p->pci[i], sizeof(p->pci[i]));
		if (ret)
			return ret;
	}
	books_take(&p->books);
	return compose_fail("0");
}

bool pair_end(struct pair *p)
{
	long end = now_ms() + LINGER_MS * patience();

	compose_fail("0");
	pair_close(p);
	mdev_remove_all();
	while (!books_balance(&p->books)) {
		if (now_ms() > end)
			return false;
		usleep(20000);
	}
	return true;
}

int pair_open(struct pair *p)
{
	int ret = vgpu_open(&p->v, p->uuid);

	if (ret)
		return ret;
	p->is_open = true;
	p->event = vgpu_eventfd(&p->v, TESS_IRQ_EVENT);
	return p->event < 0 ? p->event : 0;
}

void pair_close(struct pair *p)
{
	if (!p->is_open)
		return;
	close(p->event);
	vgpu_close(&p->v);
	p->is_open = false;
}
