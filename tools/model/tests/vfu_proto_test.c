// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: the server's replies to good and bad commands: negotiation, device,
 * region and interrupt information, region access.
 */
#include "tap.h"
#include "vfu_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct dev dev;
static struct client cl;
static struct reply rep;

static const char *reply_json(void)
{
	return rep.len > 4 && !rep.data[rep.len - 1] ? (const char *)rep.data + 4 : "";
}

static void test_version_good(void)
{
	client_connect(&dev, &cl);
	ok(!vfu_connected(dev.vfu), "a connection alone is no client");
	ok(!client_version(&dev, &cl, 0,
			   " { \"capabilities\" : { \"max_msg_fds\":8, \"x\":[1,{\"y\":null}],"
			   "\"migration\":{\"pgsize\":4096}, \"write_multiple\" : true,"
			   "\"max_data_xfer_size\":4096,\"twin_socket\":{\"supported\":true}}} ",
			   &rep),
	   "a proposal with known and unknown capabilities");
	ok(!strcmp(reply_json(), "{\"capabilities\":{\"max_msg_fds\":16,"
				 "\"max_data_xfer_size\":1048576,\"write_multiple\":true}}"),
	   "the reply is a subset with the server's limits: %s", reply_json());
	ok(vfu_connected(dev.vfu) && dev.news == 1, "now there is a client");
	ok(client_version(&dev, &cl, 0, NULL, &rep) == EINVAL, "a second VERSION is refused");
	ok(client_call(&dev, &cl, VFU_CMD_DEVICE_RESET, NULL, 0, NULL, 0, &rep) == 0,
	   "and the session goes on");
	client_close(&dev, &cl);
	client_connect(&dev, &cl);
	ok(!client_version(&dev, &cl, 0, NULL, &rep), "no version data at all");
	ok(!strcmp(reply_json(), "{\"capabilities\":{}}"), "gets no capabilities");
	client_close(&dev, &cl);
}

static void test_version_bad(void)
{
	static const struct {
		unsigned int major;
		const char *json;
		int error;
	} bad[] = {
		{ 1, "{}", EPROTONOSUPPORT },
		{ 0, "", EINVAL },
		{ 0, "[]", EINVAL },
		{ 0, "{", EINVAL },
		{ 0, "{\"capabilities\":{}", EINVAL },
		{ 0, "{\"capabilities\":{}} x", EINVAL },
		{ 0, "{\"capabilities\":{\"max_msg_fds\":\"8\"}}", EINVAL },
		{ 0, "{\"capabilities\":{\"max_msg_fds\":-8}}", EINVAL },
		{ 0, "{\"capabilities\":{\"max_msg_fds\":1.5}}", EINVAL },
		{ 0, "{\"capabilities\":{\"max_msg_fds\":99999999999999999999}}", EINVAL },
		{ 0, "{\"capabilities\":{\"max_data_xfer_size\":0}}", EINVAL },
		{ 0, "{\"capabilities\":{\"pgsizes\":65536}}", EINVAL },
		{ 0, "{\"capabilities\":{\"write_multiple\":1}}", EINVAL },
		{ 0, "{\"a\":[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}", E2BIG },
	};
	struct vfu_msg_version v = { 0 };
	unsigned int resets = dev.resets_gone;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		client_connect(&dev, &cl);
		ok(client_version(&dev, &cl, bad[i].major, bad[i].json, &rep) == bad[i].error &&
			   client_is_closed(&dev, &cl),
		   "version %u '%s' gets an error and is closed", bad[i].major, bad[i].json);
		client_close(&dev, &cl);
	}
	client_connect(&dev, &cl);
	ok(client_call(&dev, &cl, VFU_CMD_VERSION, "\0\0\0\0{} ", 7, NULL, 0, &rep) == EINVAL,
	   "version data without a NUL");
	client_close(&dev, &cl);
	client_connect(&dev, &cl);
	ok(client_call(&dev, &cl, VFU_CMD_VERSION, &v, 3, NULL, 0, &rep) == EINVAL,
	   "VERSION without room for a version");
	client_close(&dev, &cl);
	client_connect(&dev, &cl);
	ok(client_call(&dev, &cl, VFU_CMD_DEVICE_RESET, NULL, 0, NULL, 0, &rep) == EPROTO &&
		   client_is_closed(&dev, &cl),
	   "any other first command is refused and closed");
	client_close(&dev, &cl);
	ok(dev.resets == 1 && dev.resets_gone == resets, "none of them touched the device");
}

static void test_device_info(void)
{
	struct vfu_msg_device_info info = { .argsz = sizeof(info) };
	const struct vfu_msg_device_info *got = (void *)rep.data;

	ok(!client_call(&dev, &cl, VFU_CMD_DEVICE_GET_INFO, &info, sizeof(info), NULL, 0, &rep) &&
		   rep.len == sizeof(info),
	   "DEVICE_GET_INFO");
	ok(got->argsz == 16 && got->flags == (VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET) &&
		   got->num_regions == 9 && got->num_irqs == 5,
	   "a PCI device with reset, 9 regions, 5 interrupt types");
	info.argsz = 15;
	ok(client_call(&dev, &cl, VFU_CMD_DEVICE_GET_INFO, &info, sizeof(info), NULL, 0, &rep) ==
		   EINVAL,
	   "argsz too small");
	ok(client_call(&dev, &cl, VFU_CMD_DEVICE_GET_INFO, &info, 15, NULL, 0, &rep) == EINVAL,
	   "payload too small");
}

static int region_info(uint32_t index, uint32_t argsz)
{
	struct vfio_region_info info = { .argsz = argsz, .index = index };

	return client_call(&dev, &cl, VFU_CMD_GET_REGION_INFO, &info, sizeof(info), NULL, 0, &rep);
}

static void test_region_info(void)
{
	const uint32_t rw = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	const struct vfio_region_info *got = (void *)rep.data;
	const struct vfio_region_info_cap_sparse_mmap *cap = (void *)(rep.data + sizeof(*got));
	uint8_t *mem;

	ok(!region_info(0, 32) && got->size == DEV_BAR0_SIZE && got->flags == rw && !rep.nr_fds,
	   "BAR0: trapped, no descriptor");
	ok(!region_info(1, 32) && !got->size && !got->flags, "BAR1: absent");
	ok(!region_info(4, 32) && got->flags == VFIO_REGION_INFO_FLAG_READ, "BAR4: read-only");
	ok(!region_info(2, 32) && got->size == DEV_BAR2_SIZE && rep.len == 32 &&
		   got->flags == (rw | VFIO_REGION_INFO_FLAG_MMAP) && rep.nr_fds == 1,
	   "BAR2: mappable, with a descriptor");
	mem = mmap(NULL, DEV_BAR2_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, rep.fds[0],
		   got->offset);
	ok(mem != MAP_FAILED, "it can be mapped");
	if (mem != MAP_FAILED) {
		memcpy(mem + 0x1234, "client", 6);
		ok(!memcmp(dev.bar2 + 0x1234, "client", 6), "the device sees the client's store");
		memcpy(dev.bar2 + 0xff000, "device", 6);
		ok(!memcmp(mem + 0xff000, "device", 6), "and the other way round");
		munmap(mem, DEV_BAR2_SIZE);
	}
	ok(ftruncate(rep.fds[0], 0) < 0 && ftruncate(rep.fds[0], 2 * DEV_BAR2_SIZE) < 0,
	   "the client cannot change its size");
	ok(!region_info(3, 32) && got->argsz == 32 + 16 + 16 && rep.len == 32 &&
		   (got->flags & VFIO_REGION_INFO_FLAG_CAPS) && !got->cap_offset,
	   "BAR3: a short request learns the full size");
	ok(!region_info(3, 64) && rep.len == 64 && got->cap_offset == 32 && rep.nr_fds == 1 &&
		   cap->header.id == VFIO_REGION_INFO_CAP_SPARSE_MMAP && cap->header.version == 1 &&
		   !cap->header.next && cap->nr_areas == 1 &&
		   cap->areas[0].offset == DEV_AREA_OFFSET && cap->areas[0].size == DEV_AREA_SIZE,
	   "BAR3: sparse mmap capability");
	ok(region_info(9, 32) == EINVAL && region_info(UINT32_MAX, 32) == EINVAL,
	   "index out of range");
	ok(region_info(0, 31) == EINVAL && region_info(0, 0) == EINVAL, "argsz too small");
}

static int irq_info(uint32_t index, uint32_t argsz)
{
	struct vfio_irq_info info = { .argsz = argsz, .index = index };

	return client_call(&dev, &cl, VFU_CMD_GET_IRQ_INFO, &info, sizeof(info), NULL, 0, &rep);
}

static void test_irq_info(void)
{
	const struct vfio_irq_info *got = (void *)rep.data;

	ok(!irq_info(VFIO_PCI_MSIX_IRQ_INDEX, 16) && got->count == DEV_NR_MSIX &&
		   got->flags == (VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_MASKABLE),
	   "MSI-X: count and flags");
	ok(!irq_info(VFIO_PCI_INTX_IRQ_INDEX, 16) && !got->count, "INTx: none");
	ok(!irq_info(VFIO_PCI_ERR_IRQ_INDEX, 16) && got->count == 1 &&
		   got->flags == VFIO_IRQ_INFO_EVENTFD,
	   "error interrupt: one");
	ok(irq_info(5, 16) == EINVAL, "index out of range");
	ok(irq_info(2, 15) == EINVAL, "argsz too small");
}

static int region_read(uint32_t region, uint64_t offset, uint32_t count)
{
	struct vfu_msg_region_access m = { .offset = offset, .region = region, .count = count };

	return client_call(&dev, &cl, VFU_CMD_REGION_READ, &m, sizeof(m), NULL, 0, &rep);
}

static int region_write(uint32_t region, uint64_t offset, uint32_t count, const void *data,
			size_t len)
{
	struct vfu_msg_region_access m = { .offset = offset, .region = region, .count = count };
	uint8_t *payload = malloc(sizeof(m) + len);
	int ret;

	memcpy(payload, &m, sizeof(m));
	memcpy(payload + sizeof(m), data, len);
	ret = client_call(&dev, &cl, VFU_CMD_REGION_WRITE, payload, sizeof(m) + len, NULL, 0, &rep);
	free(payload);
	return ret;
}

static void test_region_access(void)
{
	static uint8_t big[VFU_MAX_XFER];
	const struct vfu_msg_region_access *got = (void *)rep.data;

	ok(!region_write(0, 0x10, 4, "\x11\x22\x33\x44", 4) && rep.len == 16 &&
		   got->offset == 0x10 && got->region == 0 && got->count == 4 &&
		   !memcmp(dev.bar0 + 0x10, "\x11\x22\x33\x44", 4),
	   "write, and the reply repeats the request");
	ok(!region_read(0, 0x11, 2) && rep.len == 18 && !memcmp(rep.data + 16, "\x22\x33", 2),
	   "read");
	ok(!region_read(0, DEV_BAR0_SIZE - 8, 8), "the last bytes");
	ok(region_read(0, DEV_BAR0_SIZE - 7, 8) == EINVAL, "across the end");
	ok(region_read(0, DEV_BAR0_SIZE, 1) == EINVAL, "at the end");
	ok(region_read(0, UINT64_MAX, 1) == EINVAL && region_read(0, UINT64_MAX - 3, 8) == EINVAL,
	   "offsets that overflow");
	ok(region_read(0, 0, 0) == EINVAL, "nothing");
	ok(region_read(1, 0, 4) == EINVAL && region_read(9, 0, 4) == EINVAL &&
		   region_read(UINT32_MAX, 0, 4) == EINVAL,
	   "regions that do not exist");
	ok(region_write(4, 0, 4, "abcd", 4) == EPERM && !region_read(4, 0, 4),
	   "a read-only region");
	ok(region_write(0, 0, 8, "abcd", 4) == EINVAL, "less data than announced");
	ok(region_write(0, 0, 2, "abcd", 4) == EINVAL, "more data than announced");
	ok(region_read(2, 0, VFU_MAX_XFER + 1) == EINVAL && region_read(2, 0, UINT32_MAX) == EINVAL,
	   "more than the maximum");

	dev.reads = 0;
	dev.writes = 0;
	memset(big, 0x5a, sizeof(big));
	ok(!region_write(2, 0, sizeof(big), big, sizeof(big)) &&
		   !memcmp(dev.bar2, big, sizeof(big)),
	   "1 MiB into memory");
	ok(!region_read(2, 0, sizeof(big)) && !memcmp(rep.data + 16, big, sizeof(big)),
	   "1 MiB from memory");
	ok(!dev.reads && !dev.writes, "memory needs no callback");
	ok(!region_read(3, DEV_AREA_OFFSET, 4) && dev.reads == 1, "a mappable area by message");
	dev.fail = EIO;
	ok(region_read(0, 0, 4) == EIO && region_write(0, 0, 4, "abcd", 4) == EIO,
	   "the device's error reaches the client");
	dev.fail = 0;
}

static void test_small_xfer(void)
{
	client_close(&dev, &cl);
	client_connect(&dev, &cl);
	ok(!client_version(&dev, &cl, 0, "{\"capabilities\":{\"max_data_xfer_size\":64}}", &rep),
	   "a client that takes 64 bytes at most");
	ok(!region_read(0, 0, 64) && region_read(0, 0, 65) == E2BIG, "gets 64 but not 65");
	client_close(&dev, &cl);
	client_start(&dev, &cl);
}

static int write_multi(uint64_t count, const struct vfu_msg_write_one *w, size_t nr, size_t extra)
{
	uint8_t payload[1024];
	size_t len = nr * sizeof(*w);

	memset(payload, 0, sizeof(payload));
	memcpy(payload, &count, sizeof(count));
	memcpy(payload + sizeof(count), w, len);
	return client_call(&dev, &cl, VFU_CMD_REGION_WRITE_MULTI, payload,
			   sizeof(count) + len + extra, NULL, 0, &rep);
}

static uint64_t multi_done(void)
{
	uint64_t n;

	memcpy(&n, rep.data, sizeof(n));
	return n;
}

static void test_write_multi(void)
{
	struct vfu_msg_write_one w[3] = {
		{ .offset = 0x100, .region = 0, .count = 4, .data = "ABCD" },
		{ .offset = 0x108, .region = 0, .count = 8, .data = "abcdefg" },
		{ .offset = 0x110, .region = 2, .count = 1, .data = "x" },
	};

	ok(!write_multi(3, w, 3, 0) && rep.len == 8 && multi_done() == 3, "WRITE_MULTI of three");
	ok(!memcmp(dev.bar0 + 0x100, "ABCD", 4) && !memcmp(dev.bar0 + 0x108, "abcdefg", 8) &&
		   dev.bar2[0x110] == 'x',
	   "all arrived");
	ok(write_multi(4, w, 3, 0) == EINVAL && write_multi(2, w, 3, 0) == EINVAL &&
		   write_multi(0, w, 0, 0) == EINVAL && write_multi(3, w, 3, 1) == EINVAL &&
		   write_multi(1ull << 61, w, 3, 0) == EINVAL &&
		   write_multi(UINT64_MAX, w, 3, 0) == EINVAL,
	   "count and size have to agree");
	w[1].count = 9;
	ok(!write_multi(3, w, 3, 0) && multi_done() == 1, "stops at a write of 9 bytes");
	w[0].region = 77;
	ok(write_multi(3, w, 3, 0) == EINVAL, "an error if the first one fails");
	client_close(&dev, &cl);
	client_connect(&dev, &cl);
	client_version(&dev, &cl, 0, "{\"capabilities\":{\"write_multiple\":false}}", &rep);
	ok(write_multi(3, w, 3, 0) == EOPNOTSUPP, "refused if it was not negotiated");
	client_close(&dev, &cl);
	client_start(&dev, &cl);
}

static void test_refused(void)
{
	static const uint16_t cmds[] = { 0,
					 VFU_CMD_GET_REGION_IO_FDS,
					 VFU_CMD_DMA_READ,
					 VFU_CMD_DMA_WRITE,
					 VFU_CMD_DIRTY_PAGES,
					 VFU_CMD_DEVICE_FEATURE,
					 VFU_CMD_MIG_DATA_READ,
					 VFU_CMD_MIG_DATA_WRITE,
					 VFU_CMD_COUNT,
					 UINT16_MAX };
	uint8_t payload[64] = { 0 };
	size_t i;

	for (i = 0; i < sizeof(cmds) / sizeof(cmds[0]); i++)
		ok(client_call(&dev, &cl, cmds[i], payload, sizeof(payload), NULL, 0, &rep) ==
			   EOPNOTSUPP,
		   "command %u is not supported", cmds[i]);
}

static void test_no_reply(void)
{
	struct {
		struct vfu_hdr hdr;
		struct vfu_msg_region_access m;
		uint32_t data;
	} __attribute__((packed)) w = {
		.hdr = { .id = 7,
			 .command = VFU_CMD_REGION_WRITE,
			 .size = sizeof(w),
			 .flags = VFU_HDR_NO_REPLY },
		.m = { .offset = 0x200, .region = 0, .count = 4 },
		.data = 0x600dcafe,
	};
	struct vfu_stats before, after;

	client_send(&dev, &cl, &w, sizeof(w), NULL, 0);
	w.m.region = 99;
	vfu_get_stats(dev.vfu, &before);
	client_send(&dev, &cl, &w, sizeof(w), NULL, 0);
	dev_run(&dev);
	vfu_get_stats(dev.vfu, &after);
	ok(!memcmp(dev.bar0 + 0x200, &w.data, 4), "a posted write is done");
	ok(after.errors == before.errors + 1, "a posted write that fails is counted");
	ok(!region_read(0, 0x200, 4), "and the next reply is to the next command");
}

static void test_reset(void)
{
	unsigned int resets = dev.resets;

	ok(!client_call(&dev, &cl, VFU_CMD_DEVICE_RESET, NULL, 0, NULL, 0, &rep) && !rep.len &&
		   dev.resets == resets + 1,
	   "DEVICE_RESET");
}

int main(void)
{
	unsigned int fds = count_fds();

	dev_open(&dev);
	test_version_good();
	test_version_bad();
	client_start(&dev, &cl);
	test_device_info();
	test_region_info();
	test_irq_info();
	test_region_access();
	test_small_xfer();
	test_write_multi();
	test_refused();
	test_no_reply();
	test_reset();
	client_close(&dev, &cl);
	dev_close(&dev);
	ok(count_fds() == fds, "no descriptor is left");
	return done();
}
