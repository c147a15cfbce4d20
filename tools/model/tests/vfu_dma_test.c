// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: the client's DMA map: look-up, permissions, overlap, unmap as a range,
 * limits, bad descriptors, and files that shrink under a mapping.
 */
#define _GNU_SOURCE
#include "tap.h"
#include "vfu_client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define RW (VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE)
#define PAGE 4096ull

static struct dev dev;
static struct client cl;
static struct reply rep;

static uint8_t *ptr(uint64_t iova, uint64_t len, int prot)
{
	return vfu_dma_ptr(dev.vfu, iova, len, prot);
}

static int unmap_all(void)
{
	struct vfu_msg_dma_unmap m = { .argsz = sizeof(m), .flags = VFIO_DMA_UNMAP_FLAG_ALL };

	return client_call(&dev, &cl, VFU_CMD_DMA_UNMAP, &m, sizeof(m), NULL, 0, &rep);
}

static void test_map(int fd)
{
	char buf[8];

	ok(!ptr(0, 1, PROT_READ), "nothing is mapped at first");
	ok(!client_map(&dev, &cl, 0x100000, 4 * PAGE, RW, fd, 2 * PAGE), "map");
	ok(dev.maps == 1 && vfu_dma_count(dev.vfu) == 1, "the device is told");
	pwrite(fd, "hello", 6, 2 * PAGE + 0x123);
	ok(ptr(0x100123, 6, PROT_READ) && !memcmp(ptr(0x100123, 6, PROT_READ), "hello", 6),
	   "the device reads what the client wrote");
	memcpy(ptr(0x100ff0, 32, PROT_WRITE), "world", 6);
	pread(fd, buf, 6, 2 * PAGE + 0xff0);
	ok(!memcmp(buf, "world", 6), "the client reads what the device wrote");
	ok(ptr(0x100000, 4 * PAGE, PROT_READ | PROT_WRITE), "all of it at once");
	ok(!ptr(0x100000, 4 * PAGE + 1, PROT_READ) && !ptr(0xfffff, 2, PROT_READ) &&
		   !ptr(0x104000, 1, PROT_READ) && !ptr(0x103fff, 2, PROT_READ) &&
		   !ptr(0x100000, 0, PROT_READ) && !ptr(0x100001, UINT64_MAX, PROT_READ) &&
		   !ptr(UINT64_MAX, 2, PROT_READ),
	   "nothing outside it");
	ok(client_map(&dev, &cl, 0x100000, PAGE, RW, fd, 0) == EEXIST &&
		   client_map(&dev, &cl, 0x103000, 2 * PAGE, RW, fd, 0) == EEXIST &&
		   client_map(&dev, &cl, 0xff000, 16 * PAGE, RW, fd, 0) == EEXIST &&
		   client_map(&dev, &cl, 0x101000, PAGE, RW, -1, 0) == EEXIST,
	   "mapping over it is refused");
	ok(!client_map(&dev, &cl, 0x104000, PAGE, VFIO_DMA_MAP_FLAG_READ, fd, 0) &&
		   ptr(0x104000, PAGE, PROT_READ) && !ptr(0x104000, 1, PROT_WRITE) &&
		   !ptr(0x104000, 1, PROT_READ | PROT_WRITE),
	   "a read-only mapping next to it");
	ok(!ptr(0x103fff, 2, PROT_READ), "an access does not span two mappings");
	ok(!client_map(&dev, &cl, 0x105000, PAGE, VFIO_DMA_MAP_FLAG_WRITE, fd, 0) &&
		   !ptr(0x105000, 1, PROT_READ) && ptr(0x105000, 1, PROT_WRITE),
	   "a write-only mapping");
	ok(!client_map(&dev, &cl, 0x200000, PAGE, RW, -1, 0) && vfu_dma_count(dev.vfu) == 4 &&
		   !ptr(0x200000, 1, PROT_READ),
	   "a mapping without a descriptor cannot be reached");
	ok(!client_map(&dev, &cl, -PAGE, PAGE, RW, fd, 0) && ptr(UINT64_MAX, 1, PROT_READ) &&
		   !ptr(UINT64_MAX, 2, PROT_READ),
	   "the last page of the address space");
	ok(!unmap_all() && !vfu_dma_count(dev.vfu) && dev.unmap_iova == 0 &&
		   dev.unmap_size == UINT64_MAX,
	   "unmap all");
}

static void test_map_bad(int fd)
{
	int pipes[2], ro;
	char path[32];
	struct vfu_msg_dma_map m = { .argsz = 31, .flags = RW, .size = PAGE };
	int two[2] = { fd, fd };

	ok(client_map(&dev, &cl, 0, 0, RW, fd, 0) == EINVAL, "no size");
	ok(client_map(&dev, &cl, 1, PAGE, RW, fd, 0) == EINVAL &&
		   client_map(&dev, &cl, 0, PAGE + 1, RW, fd, 0) == EINVAL &&
		   client_map(&dev, &cl, 0, PAGE, RW, fd, 1) == EINVAL,
	   "address, size or offset not aligned");
	ok(client_map(&dev, &cl, -PAGE, 2 * PAGE, RW, fd, 0) == EINVAL &&
		   client_map(&dev, &cl, PAGE, -PAGE, RW, -1, 0) == 0 && !unmap_all(),
	   "a range that wraps, and the longest that does not");
	ok(client_map(&dev, &cl, 0, PAGE, 0, fd, 0) == EINVAL &&
		   client_map(&dev, &cl, 0, PAGE, RW | 4, fd, 0) == EINVAL,
	   "no permission, unknown flags");
	ok(client_map(&dev, &cl, 0, 17 * PAGE, RW, fd, 0) == EINVAL &&
		   client_map(&dev, &cl, 0, PAGE, RW, fd, 16 * PAGE) == EINVAL &&
		   client_map(&dev, &cl, 0, PAGE, RW, fd, 1ull << 63) == EINVAL &&
		   client_map(&dev, &cl, 0, 1ull << 63, RW, fd, 0) == EINVAL &&
		   client_map(&dev, &cl, 0, PAGE, RW, fd, -PAGE) == EINVAL,
	   "beyond the end of the file");
	ok(client_call(&dev, &cl, VFU_CMD_DMA_MAP, &m, sizeof(m), NULL, 0, &rep) == EINVAL,
	   "argsz too small");
	m.argsz = sizeof(m);
	ok(client_call(&dev, &cl, VFU_CMD_DMA_MAP, &m, 31, NULL, 0, &rep) == EINVAL,
	   "payload too small");
	ok(client_call(&dev, &cl, VFU_CMD_DMA_MAP, &m, sizeof(m), two, 2, &rep) == EINVAL,
	   "two descriptors");
	ok(!pipe(pipes) && client_map(&dev, &cl, 0, PAGE, RW, pipes[0], 0) == EINVAL,
	   "a pipe is not memory");
	close(pipes[0]);
	close(pipes[1]);
	ro = open("/dev/zero", O_RDWR);
	ok(client_map(&dev, &cl, 0, PAGE, RW, ro, 0) == EINVAL, "nor is a device");
	close(ro);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ro = open(path, O_RDONLY);
	ok(client_map(&dev, &cl, 0, PAGE, RW, ro, 0) == EACCES &&
		   !client_map(&dev, &cl, 0, PAGE, VFIO_DMA_MAP_FLAG_READ, ro, 0),
	   "a read-only descriptor gives read-only memory");
	close(ro);
	ok(!unmap_all() && !vfu_dma_count(dev.vfu), "nothing else stayed");
}

static void test_unmap(int fd)
{
	struct vfu_msg_dma_unmap m = { .argsz = sizeof(m), .size = PAGE };
	unsigned int unmaps = dev.unmaps;
	uint8_t *before;

	ok(!client_unmap(&dev, &cl, 0, 1ull << 40) && dev.unmaps == unmaps,
	   "a range with nothing in it: success, and the device is not bothered");
	client_map(&dev, &cl, 0x10000, 4 * PAGE, RW, fd, 0);
	ok(!client_unmap(&dev, &cl, 0x10000, 4 * PAGE) && !vfu_dma_count(dev.vfu), "exact");
	ok(dev.unmaps == unmaps + 1 && dev.unmap_iova == 0x10000 && dev.unmap_size == 4 * PAGE &&
		   dev.mapped_at_unmap == 1,
	   "the device is told before the mapping goes");

	client_map(&dev, &cl, 0x10000, 8 * PAGE, RW, fd, 0);
	before = ptr(0x10000, 1, PROT_READ);
	ok(!client_unmap(&dev, &cl, 0x12000, 2 * PAGE) && vfu_dma_count(dev.vfu) == 2,
	   "a hole in the middle leaves two");
	ok(ptr(0x10000, 2 * PAGE, PROT_READ) == before &&
		   ptr(0x14000, 4 * PAGE, PROT_READ) == before + 4 * PAGE &&
		   !ptr(0x12000, 1, PROT_READ) && !ptr(0x13fff, 1, PROT_READ) &&
		   !ptr(0x11fff, 2, PROT_READ),
	   "both are where they were");
	ok(!client_map(&dev, &cl, 0x12000, PAGE, RW, fd, 15 * PAGE), "the hole can be used again");
	ok(!client_unmap(&dev, &cl, 0x10000, PAGE) && !ptr(0x10fff, 1, PROT_READ) &&
		   ptr(0x11000, PAGE, PROT_READ) == before + PAGE,
	   "cut off the front");
	ok(!client_unmap(&dev, &cl, 0x17000, 100 * PAGE) && !ptr(0x17000, 1, PROT_READ) &&
		   ptr(0x16fff, 1, PROT_READ),
	   "cut off the back, with a range that goes on");
	ok(!client_unmap(&dev, &cl, 0, 0x15000) && vfu_dma_count(dev.vfu) == 1 &&
		   ptr(0x15000, 2 * PAGE, PROT_READ) == before + 5 * PAGE,
	   "a range over several, cutting the last");
	ok(!client_map(&dev, &cl, 0x40000, 4 * PAGE, RW, -1, 0) &&
		   !client_unmap(&dev, &cl, 0x41000, PAGE) && vfu_dma_count(dev.vfu) == 3 &&
		   client_map(&dev, &cl, 0x42000, PAGE, RW, fd, 0) == EEXIST &&
		   !client_map(&dev, &cl, 0x41000, PAGE, RW, fd, 0),
	   "the same for one without a descriptor");
	ok(client_unmap(&dev, &cl, 0, 0) == EINVAL && client_unmap(&dev, &cl, 1, PAGE) == EINVAL &&
		   client_unmap(&dev, &cl, 0, 1) == EINVAL &&
		   client_unmap(&dev, &cl, -PAGE, 2 * PAGE) == EINVAL,
	   "bad ranges");
	client_map(&dev, &cl, 0x80000, PAGE, RW, fd, 0);
	ok(ptr(0x80000, PAGE, PROT_READ) && !client_unmap(&dev, &cl, 0x80000, PAGE) &&
		   !ptr(0x80000, PAGE, PROT_READ),
	   "the mapping that was used last is not remembered");
	m.argsz--;
	ok(client_call(&dev, &cl, VFU_CMD_DMA_UNMAP, &m, sizeof(m), NULL, 0, &rep) == EINVAL,
	   "argsz too small");
	m.argsz++;
	m.flags = VFIO_DMA_UNMAP_FLAG_ALL;
	ok(client_call(&dev, &cl, VFU_CMD_DMA_UNMAP, &m, sizeof(m), NULL, 0, &rep) == EINVAL,
	   "unmap-all with a size");
	m.flags = VFIO_DMA_UNMAP_FLAG_GET_DIRTY_BITMAP;
	ok(client_call(&dev, &cl, VFU_CMD_DMA_UNMAP, &m, sizeof(m), NULL, 0, &rep) == EOPNOTSUPP,
	   "dirty bitmap");
	ok(!unmap_all() && !unmap_all() && !vfu_dma_count(dev.vfu), "unmap all, twice");
}

static unsigned int owner[64];

static bool model_agrees(int fd)
{
	static uint8_t page_of[16];
	unsigned int i;

	for (i = 0; i < 64; i++) {
		uint8_t *p = ptr(i * PAGE, PAGE, PROT_READ);

		if (!p != !owner[i])
			return false;
		if (p && pread(fd, page_of, 1, (owner[i] - 1) * PAGE) == 1 && *p != page_of[0])
			return false;
	}
	return true;
}

/* Random maps and unmaps of a 64-page space, against an array of pages. */
static void test_random(int fd)
{
	unsigned int i, j, bad = 0;

	srand(1);
	memset(owner, 0, sizeof(owner));
	for (i = 0; i < 16; i++)
		pwrite(fd, &(uint8_t){ i + 1 }, 1, i * PAGE);
	for (i = 0; i < 20000 && !bad; i++) {
		unsigned int start = rand() % 64, nr = 1 + rand() % 16, offset = rand() % 16;
		bool taken = false;
		int ret;

		if (start + nr > 64 || offset + nr > 16)
			continue;
		for (j = start; j < start + nr; j++)
			taken |= owner[j];
		if (rand() % 2) {
			ret = client_map(&dev, &cl, start * PAGE, nr * PAGE, RW, fd, offset * PAGE);
			bad += ret != (taken ? EEXIST : 0);
			for (j = 0; !taken && j < nr; j++)
				owner[start + j] = offset + j + 1;
		} else {
			bad += !!client_unmap(&dev, &cl, start * PAGE, nr * PAGE);
			for (j = start; j < start + nr; j++)
				owner[j] = 0;
		}
		bad += !model_agrees(fd);
	}
	ok(!bad, "random maps and unmaps agree with an array of pages (step %u)", i);
	unmap_all();
}

static void test_limit(void)
{
	unsigned int i, bad = 0;

	for (i = 0; i < VFU_MAX_DMA; i++)
		bad += !!client_map(&dev, &cl, 2ull * i * PAGE, PAGE, RW, -1, 0);
	ok(!bad && vfu_dma_count(dev.vfu) == VFU_MAX_DMA, "%u mappings", VFU_MAX_DMA);
	ok(client_map(&dev, &cl, 1ull << 60, PAGE, RW, -1, 0) == ENOSPC, "and no more");
	ok(!client_unmap(&dev, &cl, 0, PAGE) &&
		   !client_map(&dev, &cl, 1ull << 60, 3 * PAGE, RW, -1, 0) &&
		   client_unmap(&dev, &cl, (1ull << 60) + PAGE, PAGE) == ENOSPC,
	   "a hole that would need one more is refused");
	ok(vfu_dma_count(dev.vfu) == VFU_MAX_DMA && !unmap_all() && !vfu_dma_count(dev.vfu),
	   "and changes nothing");
}

/*
 * As many mappings with memory as there can be, then a truncated file: the
 * handler still has what it needs.
 */
static void test_limit_with_memory(void)
{
	int fd = make_file(4 * PAGE);
	volatile uint8_t *p;
	unsigned int nr = 0;
	int ret;

	/* the same pages again and again, so that the kernel cannot merge neighbours */
	do {
		ret = client_map(&dev, &cl, 2ull * nr * PAGE, 2 * PAGE, RW, fd,
				 (nr % 2) * 2 * PAGE);
		nr += !ret;
	} while (!ret);
	ok(ret == ENOSPC && nr > 1000 && nr < VFU_MAX_DMA, "%u mappings with memory", nr);
	ok(!client_unmap(&dev, &cl, PAGE, PAGE) && vfu_dma_count(dev.vfu) == nr,
	   "cutting off an end needs no further one");
	p = ptr(0, PAGE, PROT_READ | PROT_WRITE);
	ok(p && !ftruncate(fd, 0) && !p[0], "truncated under all of them");
	vfu_poll(dev.vfu, 0);
	ok(vfu_dma_count(dev.vfu) == nr - 1 && !unmap_all() && !vfu_dma_count(dev.vfu),
	   "what was touched is dropped");
	close(fd);
}

static void test_truncated(void)
{
	int fd = make_file(8 * PAGE);
	int other = make_file(PAGE);
	struct pollfd pfd = { .fd = vfu_fd(dev.vfu), .events = POLLIN };
	struct vfu_stats before, stats;
	volatile uint8_t *p;
	uint8_t byte;

	vfu_get_stats(dev.vfu, &before);
	client_map(&dev, &cl, 0, 8 * PAGE, RW, fd, 0);
	client_map(&dev, &cl, 0x100000, PAGE, RW, other, 0);
	p = ptr(0, 8 * PAGE, PROT_READ | PROT_WRITE);
	p[0] = 1;
	p[7 * PAGE] = 7;
	ok(!ftruncate(fd, PAGE), "the client truncates its memory");
	ok(p[7 * PAGE] == 0 && p[3 * PAGE + 5] == 0, "reads give zero");
	p[5 * PAGE] = 9;
	ok(p[5 * PAGE] == 9 && pread(fd, &byte, 1, 0) == 1 && byte == 1,
	   "writes complete, and change nothing of the client's");
	vfu_get_stats(dev.vfu, &stats);
	ok(stats.sigbus == before.sigbus + 1, "the event is recorded");
	ok(poll(&pfd, 1, 0) == 1, "the server asks to be polled");
	vfu_poll(dev.vfu, 0);
	ok(!poll(&pfd, 1, 0), "once");
	ok(!ptr(0, 1, PROT_READ) && ptr(0x100000, 1, PROT_READ) && vfu_dma_count(dev.vfu) == 1 &&
		   dev.unmap_iova == 0 && dev.unmap_size == 8 * PAGE,
	   "at the next poll the mapping is gone, others are not");
	close(fd);
	close(other);
	unmap_all();
}

static void test_huge_pages(void)
{
	const size_t size = 2ull << 21;
	int fd = memfd_create("huge", MFD_CLOEXEC | MFD_HUGETLB);
	volatile uint8_t *p;

	if (fd < 0 || ftruncate(fd, size) || client_map(&dev, &cl, 0, size, RW, fd, 0)) {
		skip("no huge pages on this machine");
		skip("no huge pages on this machine");
	} else {
		p = ptr(0, size, PROT_READ);
		ok(p && !ftruncate(fd, 0) && !p[size / 2 + 12345], "truncated huge pages");
		vfu_poll(dev.vfu, 0);
		ok(!vfu_dma_count(dev.vfu), "are dropped as well");
	}
	if (fd >= 0)
		close(fd);
	unmap_all();
}

/* A SIGBUS that is not of the client's making is a bug, and ends the program as ever. */
static void test_other_sigbus(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		int fd = make_file(PAGE);
		volatile uint8_t *p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

		close(STDERR_FILENO);
		if (p != MAP_FAILED && !ftruncate(fd, 0))
			_exit(p[0]);
		_exit(0);
	}
	ok(waitpid(pid, &status, 0) == pid && (!WIFEXITED(status) || WEXITSTATUS(status)),
	   "a SIGBUS elsewhere is not hidden");
}

int main(void)
{
	unsigned int fds = count_fds();
	int fd = make_file(16 * PAGE);

	dev_open(&dev);
	client_start(&dev, &cl);
	test_map(fd);
	test_map_bad(fd);
	test_unmap(fd);
	test_random(fd);
	test_limit();
	test_limit_with_memory();
	test_truncated();
	test_huge_pages();
	test_other_sigbus();
	client_map(&dev, &cl, 0, PAGE, RW, fd, 0);
	client_close(&dev, &cl);
	ok(!vfu_dma_count(dev.vfu) && dev.unmap_size == UINT64_MAX && dev.mapped_at_unmap == 1,
	   "a client that leaves takes its map with it");
	dev_close(&dev);
	close(fd);
	ok(count_fds() == fds, "no descriptor is left");
	return done();
}
