// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Display heads: their registers, what a VMM is told of the picture and sees of it, EDID and
 * link, heads that come and go while the vGPU is open, and what is refused.
 */
#include <linux/vfio.h>
#include <sys/ioctl.h>

#include "gpus.h"
#include "harness.h"
#include "heads.h"
#include "vgpu.h"

/* Regions of VFIO behind those of PCI */
#define PICTURE VFIO_PCI_NUM_REGIONS
#define EDID (VFIO_PCI_NUM_REGIONS + 1)

#define WIDTH 640
#define HEIGHT 480
#define PITCH (WIDTH * 4)
#define SIZE (PITCH * HEIGHT)

static const struct head_plane picture = { XRGB8888, WIDTH, HEIGHT, PITCH, 0 };

FIXTURE(heads)
{
	struct vgpu v;
	char uuid[37];
	int display;
};

static void open_heads(struct __test_metadata *_metadata, struct __fixture_heads *self,
		       const char *blueprint)
{
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", blueprint));
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
	self->display = vgpu_eventfd(&self->v, TESS_IRQ_DISPLAY);
	ASSERT_LE(0, self->display);
}

FIXTURE_SETUP(heads)
{
	mdev_remove_all();
	open_heads(_metadata, self, "slices=1 kind=render heads=2");
}

FIXTURE_TEARDOWN(heads)
{
	close(self->display);
	vgpu_close(&self->v);
	mdev_remove_all();
}

static uint64_t region_offset(struct vgpu *v, unsigned int index)
{
	struct vfio_region_info info = { .argsz = sizeof(info), .index = index };

	return ioctl(v->device, VFIO_DEVICE_GET_REGION_INFO, &info) ? 0 : info.offset;
}

/* Until the vGPU is closed */
static const uint8_t *map_picture(struct vgpu *v, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, v->device, region_offset(v, PICTURE));

	if (p != MAP_FAILED) {
		v->maps[v->nr_maps].addr = p;
		v->maps[v->nr_maps++].size = size;
	}
	return p;
}

static void set_link(struct __test_metadata *_metadata, struct vgpu *v, uint32_t state)
{
	off_t at = region_offset(v, EDID) + offsetof(struct vfio_region_gfx_edid, link_state);

	EXPECT_EQ(4, pwrite(v->device, &state, 4, at));
}

/* ---- registers ---- */

TEST_F(heads, registers)
{
	struct vgpu *v = &self->v;
	uint8_t edid[128], sum = 0;
	unsigned int i;

	EXPECT_EQ(TESS_CAPS_DISPLAY, reg32(v, TESS_REG_CAPS) & TESS_CAPS_DISPLAY);
	EXPECT_EQ(3, reg32(v, TESS_REG_HEAD_MASK));
	EXPECT_TRUE(strstr(mdev_attr(self->uuid, "composition"), " heads=0x3 "));
	EXPECT_EQ(TESS_DSTATUS_CONNECTED, head32(v, 0, TESS_DREG_STATUS));
	EXPECT_EQ(TESS_DSTATUS_CONNECTED | TESS_DSTATUS_CURSOR, head32(v, 1, TESS_DREG_STATUS));
	EXPECT_EQ(0, head32(v, 2, TESS_DREG_STATUS));
	EXPECT_EQ(0, head32(v, 2, TESS_DREG_EDID_SIZE));
	ASSERT_EQ(128, head32(v, 0, TESS_DREG_EDID_SIZE));
	ASSERT_EQ(128, head32(v, 1, TESS_DREG_EDID_SIZE));
	for (i = 0; i < 128; i += 4)
		*(uint32_t *)(edid + i) = head32(v, 1, TESS_DREG_EDID + i);
	for (i = 0; i < 128; i++)
		sum += edid[i];
	EXPECT_EQ(0, sum);
	EXPECT_EQ(0, memcmp(edid, "\0\xff\xff\xff\xff\xff\xff\0", 8));
	EXPECT_EQ(1024, edid[56] | (edid[58] & 0xf0) << 4);
	EXPECT_EQ(768, edid[59] | (edid[61] & 0xf0) << 4);
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_EDID + 128));
	/* What does not exist of a control cannot be set; halves are joined */
	head_write(v, 0, TESS_DREG_CONTROL, ~0U);
	EXPECT_EQ(TESS_DCONTROL_ALL, head32(v, 0, TESS_DREG_CONTROL));
	head_write(v, 0, TESS_DREG_EVENT_MASK, ~0U);
	EXPECT_EQ(TESS_DEVENT_ALL, head32(v, 0, TESS_DREG_EVENT_MASK));
	head_write(v, 0, TESS_DREG_ADDRESS, 0x1000);
	EXPECT_EQ(0, head64(v, 0, TESS_DREG_ADDRESS));
	head_write(v, 0, TESS_DREG_ADDRESS + 4, 2);
	EXPECT_EQ(0x200001000, head64(v, 0, TESS_DREG_ADDRESS));
	EXPECT_EQ(2, head32(v, 0, TESS_DREG_ADDRESS + 4));
	head_write(v, 0, TESS_DREG_STATUS, ~0U);
	EXPECT_EQ(TESS_DSTATUS_CONNECTED, head32(v, 0, TESS_DREG_STATUS));
	/* A register of 32 bits takes no access of 64 */
	reg64_write(v, TESS_HEAD_PAGE(0) + TESS_DREG_FORMAT, ~0ULL);
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_FORMAT) | head32(v, 0, TESS_DREG_WIDTH));
	EXPECT_EQ(0, head64(v, 0, TESS_DREG_EVENT_MASK & ~7));
	EXPECT_EQ(0, reg32(v, TESS_HEAD_PAGE(4)));
}

TEST_F(heads, none)
{
	struct vfio_region_info info = { .argsz = sizeof(info), .index = PICTURE };
	struct vfio_device_info dev = { .argsz = sizeof(dev) };
	struct vfio_device_gfx_plane_info plane;
	char uuid[37];
	struct vgpu v;

	ASSERT_EQ(0, mdev_create("R1", uuid));
	ASSERT_EQ(0, vgpu_open(&v, uuid));
	EXPECT_EQ(0, reg32(&v, TESS_REG_CAPS) & (TESS_CAPS_DISPLAY | TESS_CAPS_HEAD_DAMAGE));
	EXPECT_EQ(0, reg32(&v, TESS_REG_HEAD_MASK));
	EXPECT_STREQ("", mdev_attr(uuid, "heads"));
	head_write(&v, 0, TESS_DREG_WIDTH, 5);
	EXPECT_EQ(0, head32(&v, 0, TESS_DREG_WIDTH));
	EXPECT_EQ(0, head_commit(&v, 0, &picture));
	EXPECT_EQ(0, head32(&v, 0, TESS_DREG_STATUS));
	ASSERT_EQ(0, ioctl(v.device, VFIO_DEVICE_GET_INFO, &dev));
	EXPECT_EQ(VFIO_PCI_NUM_REGIONS, dev.num_regions);
	EXPECT_ERRNO(EINVAL, ioctl(v.device, VFIO_DEVICE_GET_REGION_INFO, &info));
	EXPECT_ERRNO(ENOTTY, head_query(&v, VFIO_GFX_PLANE_TYPE_REGION, 0, &plane));
	EXPECT_ERRNO(EINVAL, pread(v.device, &info, 4, (uint64_t)EDID << 40));
	/* Its VMM would not know what to do with one */
	EXPECT_EQ(-EBUSY, mdev_attr_write(uuid, "blueprint", "heads=1"));
	EXPECT_STREQ("EBUSY: heads=1: it is in use and had none when it was opened",
		     mdev_attr(uuid, "last_error"));
	vgpu_close(&v);
	EXPECT_EQ(0, mdev_attr_write(uuid, "blueprint", "heads=1"));
	ASSERT_EQ(0, vgpu_open(&v, uuid));
	EXPECT_EQ(1, reg32(&v, TESS_REG_HEAD_MASK));
	EXPECT_EQ(0, head_commit(&v, 0, &picture));
	EXPECT_EQ(TESS_DSTATUS_CONNECTED | TESS_DSTATUS_ENABLED, head32(&v, 0, TESS_DREG_STATUS));
	vgpu_close(&v);
}

TEST_F(heads, refused_commits)
{
	struct vgpu *v = &self->v;
	const uint64_t vram = reg64(v, TESS_REG_VRAM_SIZE);
	const struct {
		struct head_plane plane;
		uint32_t error;
	} cases[] = {
		{ { YUYV, WIDTH, HEIGHT, PITCH, 0 }, TESS_DISPLAY_ERR_FORMAT },
		{ { 0, WIDTH, HEIGHT, PITCH, 0 }, TESS_DISPLAY_ERR_FORMAT },
		{ { XRGB8888, 0, HEIGHT, PITCH, 0 }, TESS_DISPLAY_ERR_SIZE },
		{ { XRGB8888, WIDTH, 0, PITCH, 0 }, TESS_DISPLAY_ERR_SIZE },
		{ { XRGB8888, 8193, 1, 32772, 0 }, TESS_DISPLAY_ERR_SIZE },
		{ { XRGB8888, 1, 8193, 4, 0 }, TESS_DISPLAY_ERR_SIZE },
		{ { XRGB8888, ~0U, ~0U, ~0U, 0 }, TESS_DISPLAY_ERR_SIZE },
		{ { XRGB8888, WIDTH, HEIGHT, PITCH - 4, 0 }, TESS_DISPLAY_ERR_PITCH },
		{ { XRGB8888, WIDTH, HEIGHT, PITCH + 2, 0 }, TESS_DISPLAY_ERR_PITCH },
		{ { RGB565, 3, 3, 6, 0 }, TESS_DISPLAY_ERR_PITCH },
		{ { XRGB8888, WIDTH, HEIGHT, 0, 0 }, TESS_DISPLAY_ERR_PITCH },
		{ { XRGB8888, WIDTH, HEIGHT, PITCH, 4 }, TESS_DISPLAY_ERR_ADDRESS },
		{ { XRGB8888, WIDTH, HEIGHT, PITCH, vram }, TESS_DISPLAY_ERR_ADDRESS },
		{ { XRGB8888, 1, 1, 4, ~0xfffULL }, TESS_DISPLAY_ERR_ADDRESS },
		/* VMMs are told of its size in 32 bits */
		{ { XRGB8888, 1, 8192, ~3U, 0 }, TESS_DISPLAY_ERR_PITCH },
		{ { XRGB8888, 1, 4096, 1 << 20, 0 }, TESS_DISPLAY_ERR_PITCH },
		{ { XRGB8888, 1, 4095, 1 << 20, 0 }, TESS_DISPLAY_ERR_ADDRESS },
		{ { XRGB8888, WIDTH, HEIGHT, PITCH, vram - SIZE + 4096 },
		  TESS_DISPLAY_ERR_ADDRESS },
		/* To the last byte */
		{ { ARGB8888, WIDTH, HEIGHT, PITCH, vram - SIZE }, TESS_DISPLAY_OK },
		{ { RGB565, 3, 3, 8, vram - 4096 }, TESS_DISPLAY_OK },
	};
	struct vfio_device_gfx_plane_info info;
	unsigned int i;

	ASSERT_EQ(0, head_commit(v, 0, &picture));
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		EXPECT_EQ(cases[i].error, head_commit(v, 0, &cases[i].plane));
		if (!cases[i].error) {
			EXPECT_TRUE(head_wait(v, 0, TESS_DEVENT_FLIP));
			continue;
		}
		ASSERT_EQ(0, head_query(v, VFIO_GFX_PLANE_TYPE_REGION, 0, &info));
		EXPECT_EQ(XRGB8888, info.drm_format);
		EXPECT_EQ(WIDTH, info.width);
		EXPECT_EQ(PITCH, info.stride);
	}
	EXPECT_EQ(TESS_DISPLAY_ERR_HEAD, head_commit(v, 2, &picture));
	EXPECT_EQ(0, head32(v, 2, TESS_DREG_STATUS));
	/* What is not shown may be anything */
	head_write(v, 0, TESS_DREG_FORMAT, YUYV);
	head_disable(v, 0);
	EXPECT_EQ(TESS_DISPLAY_OK, head32(v, 0, TESS_DREG_ERROR));
	EXPECT_EQ(TESS_DSTATUS_CONNECTED, head32(v, 0, TESS_DREG_STATUS));
}

/* ---- frames ---- */

TEST_F(heads, frames)
{
	struct vgpu *v = &self->v;
	uint64_t frames, time;
	long start;

	/* The first picture is there at once */
	head_write(v, 1, TESS_DREG_EVENT_MASK, TESS_DEVENT_FLIP);
	ASSERT_EQ(0, head_commit(v, 1, &picture));
	EXPECT_EQ(TESS_DEVENT_FLIP, head32(v, 1, TESS_DREG_EVENTS));
	EXPECT_EQ(1, eventfd_wait(self->display, 1000));
	head_write(v, 1, TESS_DREG_EVENTS, TESS_DEVENT_FLIP);
	/* Nobody waits for a frame, so there is none */
	EXPECT_EQ(0, eventfd_wait(self->display, 200));
	EXPECT_EQ(0, head64(v, 1, TESS_DREG_FRAMES));
	/* The next one comes with a frame, of which only the flip is told */
	ASSERT_EQ(0, head_commit(v, 1, &picture));
	EXPECT_EQ(1, eventfd_wait(self->display, 5000));
	EXPECT_EQ(TESS_DEVENT_FLIP | TESS_DEVENT_FRAME, head32(v, 1, TESS_DREG_EVENTS));
	EXPECT_EQ(1, head64(v, 1, TESS_DREG_FRAMES));
	time = head64(v, 1, TESS_DREG_FRAME_TIME);
	EXPECT_LE(time, reg64(v, TESS_REG_TIME));
	EXPECT_EQ(0, eventfd_wait(self->display, 200));
	head_write(v, 1, TESS_DREG_EVENTS, TESS_DEVENT_ALL);
	EXPECT_EQ(0, head32(v, 1, TESS_DREG_EVENTS));
	/* Frames, as long as they are waited for: 60 a second, fewer if the host is slow */
	head_write(v, 1, TESS_DREG_EVENT_MASK, TESS_DEVENT_FRAME);
	start = now_ms();
	while (head64(v, 1, TESS_DREG_FRAMES) < 31 && now_ms() - start < 20000)
		eventfd_wait(self->display, 1000);
	frames = head64(v, 1, TESS_DREG_FRAMES);
	TH_LOG("%lu frames in %ld ms", (unsigned long)frames - 1, now_ms() - start);
	EXPECT_LE(31, frames);
	EXPECT_LE((long)(frames - 2) * 1000 / 60 - 20, now_ms() - start);
	EXPECT_LE(time, head64(v, 1, TESS_DREG_FRAME_TIME));
	/* Nothing of it concerns the other head */
	EXPECT_EQ(0, head64(v, 0, TESS_DREG_FRAMES));
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_EVENTS));
	head_disable(v, 1);
	eventfd_wait(self->display, 0);
	EXPECT_EQ(0, eventfd_wait(self->display, 200));
	EXPECT_EQ(TESS_DSTATUS_CONNECTED | TESS_DSTATUS_CURSOR, head32(v, 1, TESS_DREG_STATUS));
}

static uint32_t commit_period(struct vgpu *v, unsigned int n, uint32_t period)
{
	head_write(v, n, TESS_DREG_PERIOD, period);
	return head_commit(v, n, &picture);
}

/* Each head has frames of its own rate */
TEST_F(heads, periods)
{
	const uint32_t slow = 1000000000 / 30, fast = 1000000000 / 240;
	struct vgpu *v = &self->v;
	uint64_t first, second;
	unsigned int i;
	long start;

	EXPECT_EQ(TESS_CAPS_FRAME_PERIOD, reg32(v, TESS_REG_CAPS) & TESS_CAPS_FRAME_PERIOD);
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_PERIOD) | head32(v, 0, TESS_DREG_FRAME_AGE));
	EXPECT_EQ(TESS_DISPLAY_ERR_PERIOD, commit_period(v, 0, 1));
	EXPECT_EQ(TESS_DISPLAY_ERR_PERIOD, commit_period(v, 0, TESS_DISPLAY_PERIOD_MIN - 1));
	EXPECT_EQ(TESS_DISPLAY_ERR_PERIOD, commit_period(v, 0, TESS_DISPLAY_PERIOD_MAX + 1));
	EXPECT_EQ(TESS_DISPLAY_ERR_PERIOD, commit_period(v, 0, ~0U));
	EXPECT_EQ(TESS_DSTATUS_CONNECTED, head32(v, 0, TESS_DREG_STATUS));
	ASSERT_EQ(0, commit_period(v, 0, slow));
	EXPECT_EQ(slow, head32(v, 0, TESS_DREG_PERIOD));
	ASSERT_EQ(0, commit_period(v, 1, fast));
	/* Frames have an age, whether anybody waits for them or not */
	EXPECT_EQ(0, head64(v, 0, TESS_DREG_FRAMES));
	for (i = 0, first = 0, second = 0; i < 100; i++) {
		uint32_t age = head32(v, 0, TESS_DREG_FRAME_AGE);

		EXPECT_GT(slow, age);
		first = age > first ? age : first;
		age = head32(v, 1, TESS_DREG_FRAME_AGE);
		EXPECT_GT(fast, age);
		second = age > second ? age : second;
		usleep(1000);
	}
	EXPECT_LT(slow / 2, first);
	EXPECT_LT(fast / 2, second);
	/* Both at the same time; a host that is late leaves some out */
	start = now_ms();
	head_write(v, 0, TESS_DREG_EVENT_MASK, TESS_DEVENT_FRAME);
	head_write(v, 1, TESS_DREG_EVENT_MASK, TESS_DEVENT_FRAME);
	do {
		eventfd_wait(self->display, 1000);
		first = head64(v, 0, TESS_DREG_FRAMES);
		second = head64(v, 1, TESS_DREG_FRAMES);
	} while (first < 16 && now_ms() - start < 20000 * patience());
	TH_LOG("%lu frames and %lu in %ld ms", (unsigned long)first, (unsigned long)second,
	       now_ms() - start);
	EXPECT_LE(16, first);
	EXPECT_LT(2 * first, second);
	EXPECT_LE((long)((first - 1) * slow / 1000000) - 20, now_ms() - start);
	EXPECT_LE((long)((second - 1) * fast / 1000000) - 20, now_ms() - start);
	/* At once, without a frame that anybody would wait for, and in place of one that waits */
	head_write(v, 0, TESS_DREG_EVENT_MASK, 0);
	first = head64(v, 0, TESS_DREG_FRAMES);
	EXPECT_EQ(0, commit_period(v, 0, slow));
	head_write(v, 0, TESS_DREG_EVENTS, TESS_DEVENT_ALL);
	head_write(v, 0, TESS_DREG_CONTROL, TESS_DCONTROL_ENABLE | TESS_DCONTROL_NOW);
	head_write(v, 0, TESS_DREG_ADDRESS, 1 << 20);
	head_write(v, 0, TESS_DREG_ADDRESS + 4, 0);
	head_write(v, 0, TESS_DREG_COMMIT, 1);
	EXPECT_EQ(TESS_DISPLAY_OK, head32(v, 0, TESS_DREG_ERROR));
	EXPECT_TRUE(head32(v, 0, TESS_DREG_EVENTS) & TESS_DEVENT_FLIP);
	usleep(100000);
	EXPECT_GE(first + 1, head64(v, 0, TESS_DREG_FRAMES));
	/* A picture that waits has its rate from the frame on that shows it */
	head_write(v, 1, TESS_DREG_EVENTS, TESS_DEVENT_ALL);
	ASSERT_EQ(0, commit_period(v, 1, TESS_DISPLAY_PERIOD_MAX));
	ASSERT_TRUE(head_wait(v, 1, TESS_DEVENT_FLIP));
	start = now_ms();
	second = head64(v, 1, TESS_DREG_FRAMES);
	while (head64(v, 1, TESS_DREG_FRAMES) < second + 6 && now_ms() - start < 20000 * patience())
		usleep(1000);
	EXPECT_LE(5 * 50 - 20, now_ms() - start);
	head_disable(v, 0);
	head_disable(v, 1);
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_FRAME_AGE));
}

/* ---- the picture ---- */

TEST_F(heads, plane_query)
{
	struct vfio_device_gfx_plane_info info;
	struct vgpu *v = &self->v;
	uint32_t bad;

	EXPECT_EQ(0,
		  head_query(v, VFIO_GFX_PLANE_TYPE_PROBE | VFIO_GFX_PLANE_TYPE_REGION, 0, &info));
	EXPECT_ERRNO(EINVAL, head_query(v, VFIO_GFX_PLANE_TYPE_PROBE | VFIO_GFX_PLANE_TYPE_DMABUF,
					0, &info));
	EXPECT_ERRNO(EINVAL, head_query(v, VFIO_GFX_PLANE_TYPE_DMABUF, 0, &info));
	EXPECT_ERRNO(EINVAL, head_query(v, VFIO_GFX_PLANE_TYPE_PROBE, 0, &info));
	for (bad = 8; bad; bad <<= 1)
		EXPECT_ERRNO(EINVAL, head_query(v, VFIO_GFX_PLANE_TYPE_REGION | bad, 0, &info));
	info.argsz = 16;
	EXPECT_ERRNO(EINVAL, ioctl(v->device, VFIO_DEVICE_QUERY_GFX_PLANE, &info));
	EXPECT_ERRNO(EFAULT, ioctl(v->device, VFIO_DEVICE_QUERY_GFX_PLANE, NULL));
	EXPECT_ERRNO(ENOTTY, ioctl(v->device, VFIO_DEVICE_GET_GFX_DMABUF, &bad));

	/* No picture is no error */
	ASSERT_EQ(0, head_query(v, VFIO_GFX_PLANE_TYPE_REGION, 0, &info));
	EXPECT_EQ(0, info.drm_format | info.size | info.width | info.height);
	ASSERT_EQ(0, head_commit(v, 1, &picture));
	ASSERT_EQ(0, head_query(v, VFIO_GFX_PLANE_TYPE_REGION, 0, &info));
	EXPECT_EQ(0, info.drm_format | info.size);
	ASSERT_EQ(0, head_commit(v, 0, &(struct head_plane){ RGB565, 800, 600, 1604, 0x1000 }));
	ASSERT_EQ(0, head_query(v, VFIO_GFX_PLANE_TYPE_REGION, 0, &info));
	EXPECT_EQ(RGB565, info.drm_format);
	EXPECT_EQ(0, info.drm_format_mod);
	EXPECT_EQ(800, info.width);
	EXPECT_EQ(600, info.height);
	EXPECT_EQ(1604, info.stride);
	EXPECT_EQ((1604 * 600 + 4095) & ~4095, info.size);
	EXPECT_EQ(~0U, info.x_hot & info.y_hot);
	EXPECT_EQ(PICTURE, info.region_index);
	head_disable(v, 0);
	ASSERT_EQ(0, head_query(v, VFIO_GFX_PLANE_TYPE_REGION, 0, &info));
	EXPECT_EQ(0, info.drm_format | info.size | info.width | info.height);
}

TEST_F(heads, region_info)
{
	union {
		struct vfio_region_info info;
		uint8_t raw[256];
	} u = { .info = { .argsz = sizeof(u), .index = PICTURE } };
	struct vfio_device_info dev = { .argsz = sizeof(dev) };
	struct vfio_region_info_cap_type *cap;
	struct vgpu *v = &self->v;

	ASSERT_EQ(0, ioctl(v->device, VFIO_DEVICE_GET_INFO, &dev));
	EXPECT_EQ(VFIO_PCI_NUM_REGIONS + 2, dev.num_regions);
	ASSERT_EQ(0, ioctl(v->device, VFIO_DEVICE_GET_REGION_INFO, &u.info));
	EXPECT_EQ(VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_MMAP |
			  VFIO_REGION_INFO_FLAG_CAPS,
		  u.info.flags);
	EXPECT_LE(reg64(v, TESS_REG_VRAM_SIZE), u.info.size);
	cap = (void *)(u.raw + u.info.cap_offset);
	EXPECT_EQ(VFIO_REGION_INFO_CAP_TYPE, cap->header.id);
	EXPECT_EQ((uint32_t)VFIO_REGION_TYPE_PCI_VENDOR_TYPE | TESS_PCI_VENDOR_ID, cap->type);
	u.info.argsz = sizeof(u);
	u.info.index = EDID;
	ASSERT_EQ(0, ioctl(v->device, VFIO_DEVICE_GET_REGION_INFO, &u.info));
	EXPECT_EQ(VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE |
			  VFIO_REGION_INFO_FLAG_CAPS,
		  u.info.flags);
	cap = (void *)(u.raw + u.info.cap_offset);
	EXPECT_EQ(VFIO_REGION_TYPE_GFX, cap->type);
	EXPECT_EQ(VFIO_REGION_SUBTYPE_GFX_EDID, cap->subtype);
	u.info.index = EDID + 1;
	EXPECT_ERRNO(EINVAL, ioctl(v->device, VFIO_DEVICE_GET_REGION_INFO, &u.info));
}

TEST_F(heads, picture_follows_flips)
{
	const uint64_t second = 4 << 20;
	struct vgpu *v = &self->v;
	uint8_t *vram = vgpu_mmap(v, TESS_BAR_VRAM, 0, reg64(v, TESS_REG_VRAM_SIZE));
	const uint8_t *seen = map_picture(v, SIZE);
	struct head_plane p = picture;
	uint8_t copy[2 * PAGE];

	ASSERT_NE(MAP_FAILED, vram);
	ASSERT_NE(MAP_FAILED, (void *)seen);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, v->device,
				   region_offset(v, PICTURE)));
	EXPECT_ERRNO(EACCES, mprotect((void *)seen, SIZE, PROT_READ | PROT_WRITE));
	pattern_fill(vram, SIZE, 1);
	pattern_fill(vram + second, SIZE, 2);
	/* Nothing is shown */
	EXPECT_EQ(-1, zero_check(seen, SIZE));
	ASSERT_EQ(0, head_commit(v, 0, &p));
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 1));
	EXPECT_EQ(sizeof(copy), pread(v->device, copy, sizeof(copy), region_offset(v, PICTURE)));
	EXPECT_EQ(-1, pattern_check(copy, sizeof(copy), 1));
	EXPECT_ERRNO(EINVAL, pwrite(v->device, copy, 4, region_offset(v, PICTURE)));
	/* It is the memory itself, not a copy */
	pattern_fill(vram, SIZE, 3);
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 3));
	EXPECT_TRUE(head_wait(v, 0, TESS_DEVENT_FLIP));
	p.address = second;
	ASSERT_EQ(0, head_commit(v, 0, &p));
	ASSERT_TRUE(head_wait(v, 0, TESS_DEVENT_FLIP));
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 2));
	/* What is refused changes nothing, another head neither */
	p.address = 4;
	EXPECT_EQ(TESS_DISPLAY_ERR_ADDRESS, head_commit(v, 0, &p));
	EXPECT_EQ(0, head_commit(v, 1, &picture));
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 2));
	head_disable(v, 0);
	EXPECT_EQ(-1, zero_check(seen, SIZE));
	ASSERT_EQ(0, head_commit(v, 0, &picture));
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 3));
	/* As after power-on, but for the monitor */
	head_write(v, 0, TESS_DREG_EVENT_MASK, TESS_DEVENT_FRAME);
	ASSERT_EQ(0, ioctl(v->device, VFIO_DEVICE_RESET));
	EXPECT_EQ(TESS_DSTATUS_CONNECTED, head32(v, 0, TESS_DREG_STATUS));
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_EVENTS) | head32(v, 0, TESS_DREG_EVENT_MASK) |
			     head32(v, 0, TESS_DREG_WIDTH));
	EXPECT_EQ(0, head64(v, 0, TESS_DREG_FRAMES));
	pattern_fill(vram, SIZE, 4);
	EXPECT_EQ(-1, zero_check(seen, SIZE));
}

/* What is behind VRAM is nobody's memory */
TEST_F(heads, region_ends_with_vram)
{
	struct vgpu *v = &self->v;
	const uint64_t vram = reg64(v, TESS_REG_VRAM_SIZE);
	const struct head_plane p = { XRGB8888, 16, 16, 64, vram - 4096 };
	uint8_t *last = vgpu_mmap(v, TESS_BAR_VRAM, vram - 4096, 4096);
	const uint8_t *seen = map_picture(v, 4 * 4096);

	ASSERT_NE(MAP_FAILED, last);
	ASSERT_NE(MAP_FAILED, (void *)seen);
	pattern_fill(last, 4096, 7);
	ASSERT_EQ(0, head_commit(v, 0, &p));
	EXPECT_EQ(-1, pattern_check(seen, 4096, 7));
	EXPECT_EQ(-1, zero_check(seen + 4096, 3 * 4096));
}

static uint64_t random64(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* What is shown can be anything, but is within VRAM */
static void look(struct __test_metadata *_metadata, struct vgpu *v, const uint8_t *seen)
{
	const uint64_t vram = reg64(v, TESS_REG_VRAM_SIZE);
	struct vfio_device_gfx_plane_info info;
	volatile uint8_t byte;

	ASSERT_EQ(0, head_query(v, VFIO_GFX_PLANE_TYPE_REGION, 0, &info));
	EXPECT_LE((uint64_t)info.stride * info.height, vram);
	EXPECT_LE((uint64_t)info.width * 2, info.stride);
	byte = seen[0];
	byte = seen[vram - 1];
	(void)byte;
}

/* Random values in the registers of all heads while the VMM looks */
TEST_F(heads, fuzz)
{
	static const uint32_t formats[] = { XRGB8888, ARGB8888, RGB565, YUYV };
	uint64_t seed = 0x452821e638d01377ULL;
	struct vgpu *v = &self->v;
	const uint8_t *seen = map_picture(v, reg64(v, TESS_REG_VRAM_SIZE));
	unsigned int i, n, shown = 0;

	ASSERT_NE(MAP_FAILED, (void *)seen);
	for (i = 0; i < 2000; i++) {
		struct head_plane p = {
			.format = formats[random64(&seed) % 4],
			.width = random64(&seed) >> (48 + random64(&seed) % 16),
			.height = random64(&seed) >> (48 + random64(&seed) % 16),
			.pitch = random64(&seed) >> (45 + random64(&seed) % 19) & ~3,
			.address = random64(&seed) >> (36 + random64(&seed) % 28) & ~0xfffULL,
		};

		n = random64(&seed) % 4;
		if (i % 4) {
			head_write(v, n, random64(&seed) & 0xfc, random64(&seed));
			reg64_write(v, TESS_HEAD_PAGE(n) + (random64(&seed) & 0xff8),
				    random64(&seed));
			continue;
		}
		if (!head_commit(v, n % 2, &p) && !(n % 2))
			shown++;
		look(_metadata, v, seen);
	}
	TH_LOG("%u were shown", shown);
	EXPECT_LT(0, shown);
	for (n = 0; n < 2; n++) {
		struct head_totals t;

		ASSERT_TRUE(head_totals(self->uuid, n, &t));
		EXPECT_LE(t.last.x1, t.last.x2);
		EXPECT_LE(t.last.y1, t.last.y2);
		EXPECT_GE(8192, t.last.x2);
		EXPECT_GE(8192, t.last.y2);
		EXPECT_GE(t.shown * 8192 * 8192, t.damaged);
	}
	ASSERT_EQ(0, ioctl(v->device, VFIO_DEVICE_RESET));
	EXPECT_EQ(-1, zero_check(seen, PAGE));
	EXPECT_EQ(0, head_commit(v, 0, &picture));
}

/* ---- EDID and link ---- */

TEST_F(heads, edid)
{
	static const uint32_t bad_sizes[] = { 1, 127, 129, 640, ~0U };
	struct vgpu *v = &self->v;
	const uint64_t at = region_offset(v, EDID);
	struct vfio_region_gfx_edid regs;
	uint8_t blob[256], back[256];
	uint32_t val;
	unsigned int i;

	ASSERT_EQ(sizeof(regs), pread(v->device, &regs, sizeof(regs), at));
	EXPECT_EQ(512, regs.edid_max_size);
	EXPECT_EQ(128, regs.edid_size);
	EXPECT_LE(sizeof(regs), regs.edid_offset);
	EXPECT_EQ(VFIO_DEVICE_GFX_LINK_STATE_UP, regs.link_state);
	EXPECT_LE(800, regs.max_xres);
	head_write(v, 0, TESS_DREG_EVENT_MASK, TESS_DEVENT_LINK);
	set_link(_metadata, v, VFIO_DEVICE_GFX_LINK_STATE_DOWN);
	EXPECT_EQ(1, eventfd_wait(self->display, 1000));
	EXPECT_EQ(TESS_DEVENT_LINK, head32(v, 0, TESS_DREG_EVENTS));
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_STATUS));
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_EDID_SIZE));
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_EDID));
	EXPECT_EQ(TESS_DSTATUS_CONNECTED | TESS_DSTATUS_CURSOR, head32(v, 1, TESS_DREG_STATUS));
	/* Again is no event */
	set_link(_metadata, v, VFIO_DEVICE_GFX_LINK_STATE_DOWN);
	EXPECT_EQ(0, eventfd_wait(self->display, 100));

	pattern_fill(blob, sizeof(blob), 9);
	ASSERT_EQ(sizeof(blob), pwrite(v->device, blob, sizeof(blob), at + regs.edid_offset));
	val = sizeof(blob);
	ASSERT_EQ(4, pwrite(v->device, &val, 4, at + 8));
	set_link(_metadata, v, VFIO_DEVICE_GFX_LINK_STATE_UP);
	EXPECT_EQ(1, eventfd_wait(self->display, 1000));
	EXPECT_EQ(256, head32(v, 0, TESS_DREG_EDID_SIZE));
	for (i = 0; i < sizeof(back); i += 4)
		*(uint32_t *)(back + i) = head32(v, 0, TESS_DREG_EDID + i);
	EXPECT_EQ(0, memcmp(blob, back, sizeof(blob)));
	/* Until the link comes up again the guest has what it had */
	for (i = 0; i < sizeof(bad_sizes) / sizeof(*bad_sizes); i++)
		EXPECT_ERRNO(EINVAL, pwrite(v->device, &bad_sizes[i], 4, at + 8));
	val = 0;
	EXPECT_EQ(4, pwrite(v->device, &val, 4, at + 8));
	EXPECT_EQ(256, head32(v, 0, TESS_DREG_EDID_SIZE));
	set_link(_metadata, v, VFIO_DEVICE_GFX_LINK_STATE_UP);
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_EDID_SIZE));
	/* States that are none, what is read-only, odd sizes, the end of the region */
	val = 3;
	EXPECT_ERRNO(EINVAL, pwrite(v->device, &val, 4, at + 12 + 8));
	EXPECT_ERRNO(EINVAL, pwrite(v->device, &val, 4, at));
	EXPECT_ERRNO(EINVAL, pwrite(v->device, &val, 4, at + 4));
	EXPECT_ERRNO(EINVAL, pwrite(v->device, &val, 1, at + 8));
	EXPECT_ERRNO(EINVAL, pwrite(v->device, &val, 4, at + 64));
	EXPECT_ERRNO(EINVAL, pwrite(v->device, &val, 4, at + regs.edid_offset + 512));
	EXPECT_EQ(1, pwrite(v->device, &val, 4, at + regs.edid_offset + 511));
	/* A reset does not unplug the monitor, the next VMM finds another */
	set_link(_metadata, v, VFIO_DEVICE_GFX_LINK_STATE_DOWN);
	ASSERT_EQ(0, ioctl(v->device, VFIO_DEVICE_RESET));
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_STATUS));
	vgpu_close(v);
	ASSERT_EQ(0, vgpu_open(v, self->uuid));
	EXPECT_EQ(TESS_DSTATUS_CONNECTED, head32(v, 0, TESS_DREG_STATUS));
	EXPECT_EQ(128, head32(v, 0, TESS_DREG_EDID_SIZE));
}

/* ---- heads that come and go ---- */

/* The VMM shows head 0, and shows no cursors */
static uint32_t given_status(unsigned int n)
{
	return TESS_DSTATUS_CONNECTED | (n ? TESS_DSTATUS_CURSOR : 0);
}

static void recompose(struct __test_metadata *_metadata, struct __fixture_heads *self,
		      const char *text, uint32_t mask)
{
	struct vgpu *v = &self->v;
	unsigned int n;
	uint32_t was[TESS_HEADS_MAX], before = reg32(v, TESS_REG_HEAD_MASK);

	for (n = 0; n < TESS_HEADS_MAX; n++) {
		was[n] = head32(v, n, TESS_DREG_STATUS);
		head_write(v, n, TESS_DREG_EVENTS, TESS_DEVENT_ALL);
	}
	eventfd_wait(self->display, 0);
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", text));
	EXPECT_EQ(mask, reg32(v, TESS_REG_HEAD_MASK));
	EXPECT_LE(1, eventfd_wait(self->display, 1000));
	for (n = 0; n < TESS_HEADS_MAX; n++) {
		uint32_t bit = 1U << n, status = head32(v, n, TESS_DREG_STATUS);

		if ((before ^ mask) & bit) {
			EXPECT_EQ(mask & bit ? given_status(n) : 0, status);
			EXPECT_EQ(TESS_DEVENT_LINK, head32(v, n, TESS_DREG_EVENTS));
		} else {
			EXPECT_EQ(was[n], status);
			EXPECT_EQ(0, head32(v, n, TESS_DREG_EVENTS));
		}
		EXPECT_EQ(TESS_DEVENT_LINK, head32(v, n, TESS_DREG_EVENT_MASK));
	}
	EXPECT_EQ(TESS_CAPS_DISPLAY, reg32(v, TESS_REG_CAPS) & TESS_CAPS_DISPLAY);
}

TEST_F(heads, recomposed)
{
	struct vgpu *v = &self->v;
	uint8_t *vram = vgpu_mmap(v, TESS_BAR_VRAM, 0, SIZE);
	const uint8_t *seen = map_picture(v, SIZE);
	unsigned int n;

	ASSERT_NE(MAP_FAILED, vram);
	ASSERT_NE(MAP_FAILED, (void *)seen);
	pattern_fill(vram, SIZE, 5);
	for (n = 0; n < TESS_HEADS_MAX; n++)
		head_write(v, n, TESS_DREG_EVENT_MASK, TESS_DEVENT_LINK);
	ASSERT_EQ(0, head_commit(v, 0, &picture));
	ASSERT_EQ(0, head_commit(v, 1, &picture));
	recompose(_metadata, self, "heads=1", 1);
	EXPECT_EQ(TESS_DISPLAY_ERR_HEAD, head_commit(v, 1, &picture));
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 5));
	recompose(_metadata, self, "heads=4", 0xf);
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 5));
	recompose(_metadata, self, "heads=0", 0);
	EXPECT_EQ(-1, zero_check(seen, SIZE));
	EXPECT_EQ(TESS_DISPLAY_ERR_HEAD, head_commit(v, 0, &picture));
	recompose(_metadata, self, "heads=1", 1);
	EXPECT_EQ(-1, zero_check(seen, SIZE));
	ASSERT_EQ(0, head_commit(v, 0, &picture));
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 5));
}

TEST_F(heads, refused_blueprints)
{
	static const struct {
		const char *text;
		int error;
		const char *why;
	} cases[] = {
		{ "slices=1 kind=render memory=0 heads=1", -EOPNOTSUPP,
		  "EOPNOTSUPP: heads: what they show is memory, and it has none" },
		{ "slices=2 gpus=2 memory=0 kind=render heads=1", -EOPNOTSUPP,
		  "EOPNOTSUPP: gpus=2: heads=0 is needed, they show memory of one GPU" },
		{ "slices=1 kind=compute heads=1", -EINVAL,
		  "EINVAL: column 23: slices of kind compute have no heads" },
		{ "slices=1 engines=compute heads=2", -EINVAL,
		  "EINVAL: column 26: heads=2 without the engine display" },
		{ "slices=1 path=remote", -EINVAL, "EINVAL: column 10: path=remote without heads" },
		{ "slices=1 heads=1 path=remote engines=raster,display", -EINVAL,
		  "EINVAL: column 30: path=remote without the engine copy or compute" },
		{ "slices=1 heads=5", -EINVAL, "EINVAL: column 16: heads: 5 is not from 0 to 4" },
	};
	char uuid[37];
	unsigned int i;

	ASSERT_EQ(0, mdev_create("blank", uuid));
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		EXPECT_EQ(cases[i].error, mdev_attr_write(uuid, "blueprint", cases[i].text));
		EXPECT_STREQ(cases[i].why, mdev_attr(uuid, "last_error"));
		EXPECT_STREQ("none", mdev_attr(uuid, "blueprint"));
	}
	/* A profile with displays makes one that has them */
	EXPECT_EQ(0, mdev_attr_write(uuid, "profile", "displays=2@800x600 texture=600"));
	EXPECT_TRUE(strstr(mdev_attr(uuid, "blueprint"), " heads=2 "));
	EXPECT_TRUE(strstr(mdev_attr(uuid, "composition"), " heads=0x3 "));
	/* Also for a viewer elsewhere, and on slices that cannot show them here */
	EXPECT_EQ(0, mdev_attr_write(uuid, "profile", "displays=1@800x600 path=remote shader=900"));
	EXPECT_TRUE(strstr(mdev_attr(uuid, "blueprint"), " kind=compute "));
	EXPECT_TRUE(strstr(mdev_attr(uuid, "blueprint"), " heads=1 "));
	EXPECT_TRUE(strstr(mdev_attr(uuid, "blueprint"), " path=remote"));
	EXPECT_TRUE(strstr(mdev_attr(uuid, "composition"), " heads=0x1 "));
}

/* A path is another one while the device is open; slices of compute can only have a remote one */
TEST_F(heads, path)
{
	const char *uuid = self->uuid;

	EXPECT_FALSE(strstr(mdev_attr(uuid, "blueprint"), "path="));
	ASSERT_EQ(0, head_commit(&self->v, 0, &picture));
	ASSERT_EQ(0, mdev_attr_write(uuid, "blueprint", "path=remote"));
	EXPECT_TRUE(strstr(mdev_attr(uuid, "blueprint"), " path=remote"));
	ASSERT_EQ(0, mdev_attr_write(uuid, "blueprint", "kind=compute"));
	EXPECT_EQ(-EINVAL, mdev_attr_write(uuid, "blueprint", "path=local"));
	EXPECT_STREQ("EINVAL: column 1: slices of kind compute have no heads",
		     mdev_attr(uuid, "last_error"));
	/* Its guest notices nothing but that somebody shows cursors */
	EXPECT_EQ(TESS_DSTATUS_CONNECTED | TESS_DSTATUS_ENABLED | TESS_DSTATUS_CURSOR,
		  head32(&self->v, 0, TESS_DREG_STATUS));
	ASSERT_EQ(0, mdev_attr_write(uuid, "blueprint", "kind=mixed path=local"));
	EXPECT_EQ(TESS_DSTATUS_CONNECTED | TESS_DSTATUS_ENABLED,
		  head32(&self->v, 0, TESS_DREG_STATUS));
	EXPECT_FALSE(strstr(mdev_attr(uuid, "blueprint"), "path="));
}

/* ---- two GPUs ---- */

TEST_F(heads, picture_moves)
{
	struct vgpu *v = &self->v;
	uint8_t *vram = vgpu_mmap(v, TESS_BAR_VRAM, 0, SIZE);
	const uint8_t *seen = map_picture(v, SIZE);
	unsigned int i, gpu = home_gpu();
	uint64_t frames, damaged;
	struct head_totals t;

	if (gpu_value(1, "slices_total") < 0)
		SKIP(return, "needs two GPUs");
	ASSERT_NE(MAP_FAILED, vram);
	ASSERT_NE(MAP_FAILED, (void *)seen);
	pattern_fill(vram, SIZE, 6);
	ASSERT_EQ(0, head_commit(v, 0, &picture));
	ASSERT_TRUE(head_totals(self->uuid, 0, &t));
	EXPECT_EQ(1, t.shown);
	head_write(v, 0, TESS_DREG_EVENT_MASK, TESS_DEVENT_FRAME);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-1, pattern_check(seen, SIZE, 6 + i));
		frames = head64(v, 0, TESS_DREG_FRAMES);
		gpu = !gpu;
		ASSERT_EQ(0, mdev_attr_write(self->uuid, "gpu", gpu_name_of(gpu)));
		EXPECT_EQ(-1, pattern_check(seen, SIZE, 6 + i));
		EXPECT_EQ(TESS_DSTATUS_CONNECTED | TESS_DSTATUS_ENABLED,
			  head32(v, 0, TESS_DREG_STATUS));
		/* It is the memory there, and frames go on */
		pattern_fill(vram, SIZE, 7 + i);
		EXPECT_EQ(-1, pattern_check(seen, SIZE, 7 + i));
		head_write(v, 0, TESS_DREG_EVENTS, TESS_DEVENT_ALL);
		EXPECT_TRUE(head_wait(v, 0, TESS_DEVENT_FRAME));
		EXPECT_LT(frames, head64(v, 0, TESS_DREG_FRAMES));
		/* The picture is the same as there, of which only a part changes */
		head_write(v, 0, TESS_DREG_EVENTS, TESS_DEVENT_ALL);
		head_write_damage(v, 0, &(struct head_rect){ 1, 2, 3, 4 });
		ASSERT_EQ(0, head_commit(v, 0, &picture));
		ASSERT_TRUE(head_wait(v, 0, TESS_DEVENT_FLIP));
		damaged = t.damaged;
		ASSERT_TRUE(head_totals(self->uuid, 0, &t));
		EXPECT_EQ(2 + i, t.shown);
		EXPECT_EQ(damaged + 4, t.damaged);
	}
}

/* A GPU that is pulled leaves no picture, and nobody waits for it */
TEST_F(heads, pulled)
{
	struct vfio_device_gfx_plane_info info;
	struct vgpu *v = &self->v;
	uint8_t *vram = vgpu_mmap(v, TESS_BAR_VRAM, 0, SIZE);
	const uint8_t *seen = map_picture(v, SIZE);
	char pci[32];
	unsigned int away = !home_gpu();

	if (gpu_value(1, "slices_total") < 0)
		SKIP(return, "needs two GPUs");
	ASSERT_NE(MAP_FAILED, vram);
	ASSERT_NE(MAP_FAILED, (void *)seen);
	ASSERT_EQ(0, gpu_text(away, "name", pci, sizeof(pci)));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "gpu", gpu_name_of(away)));
	pattern_fill(vram, SIZE, 8);
	ASSERT_EQ(0, head_commit(v, 0, &picture));
	head_write(v, 0, TESS_DREG_EVENT_MASK, TESS_DEVENT_FRAME);
	EXPECT_EQ(-1, pattern_check(seen, SIZE, 8));
	gpu_answers(pci, false);
	ASSERT_EQ(0, gpu_unbind(pci));
	EXPECT_EQ(~0U, head32(v, 0, TESS_DREG_STATUS));
	ASSERT_EQ(0, head_query(v, VFIO_GFX_PLANE_TYPE_REGION, 0, &info));
	EXPECT_EQ(0, info.drm_format | info.size);
	EXPECT_EQ(-1, zero_check(seen, SIZE));
	eventfd_wait(self->display, 0);
	EXPECT_EQ(0, eventfd_wait(self->display, 200));
	vgpu_close(v);
	ASSERT_EQ(0, gpu_answers(pci, true));
	ASSERT_EQ(0, gpu_bind(pci));
}

TEST_HARNESS_MAIN
