// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hostile guest, and a hostile VMM: random accesses to registers, configuration space, MSI-X
 * table, doorbells, rings, completion records, page tables; random VFIO requests, and a viewer of
 * the heads. In the end, after a reset, the vGPU works as if nothing had been.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heads.h"
#include "kernel_fuzz.h"
#include "shape.h"
#include "vgpu.h"
#include "views.h"

#define OPS 600
#define VSLICES 2u
/* Page tables are made here, and packets */
#define TABLES_GPA (DATA_GPA + 16 * PAGE)
#define TABLES 8u

static const uint64_t near[] = {
	0,
	PAGE,
	RAM_GPA,
	RAM_GPA + RAM_SIZE,
	RAM_GPA + RAM_SIZE - PAGE,
	DATA_GPA,
	TABLES_GPA,
	RING_GPA(0),
	RECORD_GPA(0),
	TESS_PA_VRAM,
	TESS_PA_VRAM + (2ULL << 20),
	TESS_PA_VRAM + (256ULL << 20),
	TESS_PA_END,
	0xfee00000,
	1ULL << 30,
	1ULL << 38,
};

static const uint64_t near_reg[] = {
	0,
	0x100,
	TESS_CLIENT_PAGE(0),
	TESS_CLIENT_PAGE(1),
	TESS_CLIENT_PAGE(2),
	TESS_DOORBELL_PAGE(0),
	TESS_DOORBELL_PAGE(1),
	TESS_DOORBELL_PAGE(2),
	TESS_CLIENT_PAGE(15),
	TESS_REGS_SIZE,
};

/**
 * struct guest - it, and its VMM
 * @e: episode
 * @v: vGPU
 * @r: rings
 * @event: for whatever wants an eventfd
 * @view: file of a viewer, or -1
 * @seen: what it mapped, or NULL
 * @seen_bytes: size of it
 */
struct guest {
	struct episode *e;
	struct vgpu v;
	struct ring r[VSLICES];
	int event;
	int view;
	uint8_t *seen;
	size_t seen_bytes;
};

static uint64_t value(struct guest *g)
{
	return fuzz_value(&g->e->state, near, sizeof(near) / sizeof(*near));
}

/* ---- BARs and configuration space ---- */

static void any_access(struct guest *g, unsigned int region, uint64_t off)
{
	static uint8_t buf[64];
	unsigned int len = 1u << below(g->e, 4);
	uint64_t val = value(g);

	if (below(g->e, 4))
		off &= ~(uint64_t)(len - 1);
	if (!below(g->e, 16))
		len = 1 + below(g->e, sizeof(buf));
	memcpy(buf, &val, sizeof(val));
	if (below(g->e, 3))
		region_write(&g->v, region, off, buf, len);
	else
		region_read(&g->v, region, off, buf, len);
}

static void op_register(struct guest *g)
{
	uint64_t off = near_reg[below(g->e, sizeof(near_reg) / sizeof(*near_reg))];

	any_access(g, TESS_BAR_REGS, off + below(g->e, below(g->e, 4) ? 0x140 : PAGE));
}

static void op_region(struct guest *g)
{
	unsigned int region = below(g->e, VFIO_PCI_NUM_REGIONS);
	uint64_t size = g->v.region[region].size;

	any_access(g, region, below(g->e, 8) ? below(g->e, size ? (uint32_t)size : 256) : value(g));
}

/* Memory and bus mastering */
static void enable(struct guest *g)
{
	uint16_t command = 6;

	HOLDS(region_write(&g->v, VFIO_PCI_CONFIG_REGION_INDEX, 4, &command, 2) == 2);
}

static void op_config(struct guest *g)
{
	any_access(g, VFIO_PCI_CONFIG_REGION_INDEX, below(g->e, below(g->e, 2) ? 0x100 : 0x1100));
}

/* ---- memory of the guest ---- */

static struct ring *any_ring(struct guest *g)
{
	return &g->r[below(g->e, VSLICES)];
}

static void op_packet(struct guest *g)
{
	static const uint8_t types[] = {
		DRM_TESSERA_PKT_DISPATCH,	DRM_TESSERA_PKT_NOP,
		DRM_TESSERA_PKT_SET_VM,		DRM_TESSERA_PKT_INDIRECT,
		DRM_TESSERA_PKT_COPY,		DRM_TESSERA_PKT_FILL,
		DRM_TESSERA_PKT_FENCE,		DRM_TESSERA_PKT_WAIT,
		DRM_TESSERA_PKT_SIGNAL,		DRM_TESSERA_PKT_TIMESTAMP,
		DRM_TESSERA_PKT_DISPATCH_RANGE, DRM_TESSERA_PKT_DRAW,
	};
	struct ring *r = any_ring(g);
	uint64_t pkt[DRM_TESSERA_PKT_SIZE / 8];
	unsigned int i;

	if (below(g->e, 2)) {
		ring_fill(r, value(g), 64ULL << below(g->e, 12), 0xfabcafe);
		return;
	}
	for (i = 0; i < DRM_TESSERA_PKT_SIZE / 8; i++)
		pkt[i] = value(g);
	if (below(g->e, 8))
		pkt[0] = (pkt[0] & ~0xffffULL) | types[below(g->e, sizeof(types))];
	ring_put(r, pkt);
}

static void op_kick(struct guest *g)
{
	struct ring *r = any_ring(g);
	uint64_t wptr = below(g->e, 8) ? r->wptr : value(g);

	*(volatile uint64_t *)(g->v.doorbells + (uint64_t)r->vslice * PAGE + TESS_DOORBELL_WPTR) =
		wptr;
}

static void op_fence(struct guest *g)
{
	ring_fence(any_ring(g), below(g->e, 2));
}

static void op_scribble(struct guest *g)
{
	uint64_t *word = ram_at(&g->v, below(g->e, 2) ? RING_GPA(0) : RECORD_GPA(0));

	word[below(g->e, 512)] = value(g);
}

static void op_page_table(struct guest *g)
{
	uint64_t *table = ram_at(&g->v, TABLES_GPA);
	uint64_t pa = below(g->e, 2) ? TABLES_GPA + below(g->e, TABLES) * PAGE : value(g);

	table[below(g->e, TABLES) * 512 + below(g->e, 8)] = pa >> 12 << 10 | below(g->e, 1024);
	if (below(g->e, 4))
		return;
	ring_set_vm(any_ring(g), below(g->e, 4) ? TABLES_GPA : value(g));
}

static void op_set_up(struct guest *g)
{
	static const struct {
		uint32_t off;
		unsigned int bytes;
	} regs[] = {
		{ TESS_SREG_CONTROL, 4 },    { TESS_SREG_RESET, 4 },
		{ TESS_SREG_RING_BASE, 8 },  { TESS_SREG_RING_LOG2, 4 },
		{ TESS_SREG_IRQ_STATUS, 4 }, { TESS_SREG_RPTR, 8 },
		{ TESS_SREG_WPTR, 8 },	     { TESS_SREG_COMPLETION, 8 },
		{ TESS_SREG_FAULT_ACK, 4 },  { TESS_SREG_TLB_INVALIDATE, 4 },
	};
	unsigned int i = below(g->e, sizeof(regs) / sizeof(*regs)), vslice = below(g->e, VSLICES);
	uint64_t val = below(g->e, 2) ? below(g->e, 16) : value(g);

	region_write(&g->v, TESS_BAR_REGS, TESS_CLIENT_PAGE(vslice) + regs[i].off, &val,
		     regs[i].bytes);
}

/* As a driver that is loaded anew */
static void op_start_over(struct guest *g)
{
	unsigned int vslice = below(g->e, VSLICES);

	enable(g);
	client_reg32_write(&g->v, vslice, TESS_SREG_RESET, 1);
	ring_start(&g->r[vslice], &g->v, vslice);
}

/* ---- the VMM ---- */

static void op_irqs(struct guest *g)
{
	struct {
		struct vfio_irq_set set;
		int32_t fds[8];
	} irqs = { .set = {
			   .argsz = sizeof(irqs),
			   .flags = below(g->e, 64),
			   .index = below(g->e, VFIO_PCI_NUM_IRQS + 2),
			   .start = below(g->e, 4) ? below(g->e, 4) : (uint32_t)value(g),
			   .count = below(g->e, 4) ? below(g->e, 6) : (uint32_t)value(g),
		   } };
	unsigned int i;

	for (i = 0; i < 8; i++)
		irqs.fds[i] = below(g->e, 3) ? g->event : (int)value(g);
	if (!below(g->e, 8))
		irqs.set.argsz = (uint32_t)value(g);
	ioctl(g->v.device, VFIO_DEVICE_SET_IRQS, &irqs);
}

/* Memory of the guest goes while it is used, comes back, and does not have to fit */
static void op_dma(struct guest *g)
{
	uint64_t off = below(g->e, 2) ? 0 : below(g->e, 2048) * PAGE;
	uint64_t size = below(g->e, 2) ? RAM_SIZE : value(g);

	if (below(g->e, 2))
		vgpu_unmap(&g->v, below(g->e, 4) ? RAM_GPA : value(g), size);
	else
		vgpu_map(&g->v, g->v.ram + off, below(g->e, 4) ? RAM_GPA : value(g), size,
			 below(g->e, 4));
}

static void op_vfio(struct guest *g)
{
	/* Room for whatever the kernel has to say */
	static uint64_t arg[2048];
	size_t size = PAGE << below(g->e, 6);
	unsigned int i;
	void *map;

	for (i = 0; i < 32; i++)
		arg[i] = value(g);
	/* argsz comes first, always */
	arg[0] = arg[0] << 32 | (below(g->e, 4) ? 8 * below(g->e, 33) : (uint32_t)value(g));
	switch (below(g->e, 4)) {
	case 0:
		ioctl(g->v.device, _IO(VFIO_TYPE, VFIO_BASE + below(g->e, 24)), arg);
		break;
	case 1:
		map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, g->v.device,
			   (off_t)(value(g) & ~(PAGE - 1)));
		if (map != MAP_FAILED)
			munmap(map, size);
		break;
	case 2:
		ioctl(g->v.device, VFIO_DEVICE_RESET);
		break;
	default:
		ioctl(g->v.group, _IO(VFIO_TYPE, VFIO_BASE + below(g->e, 24)), arg);
		break;
	}
}

/* ---- heads, and who looks at them ---- */

static void op_head(struct guest *g)
{
	static const uint32_t formats[] = { XRGB8888, ARGB8888, RGB565, YUYV };
	struct head_plane p = {
		.format = formats[below(g->e, 4)],
		.width = 1 + below(g->e, 512),
		.height = 1 + below(g->e, 512),
		.pitch = 4 * below(g->e, 1024),
		.address = PAGE * below(g->e, 1024),
	};
	struct head_rect damage = { below(g->e, 600), below(g->e, 600), below(g->e, 600),
				    below(g->e, 600) };
	unsigned int n = below(g->e, TESS_HEADS_MAX);

	if (below(g->e, 8))
		head_show(&g->v, n, &p, below(g->e, 2) ? &damage : NULL);
	else
		head_disable(&g->v, n);
}

static void view_map_any(struct guest *g)
{
	uint64_t at = below(g->e, 4) ? (uint64_t)below(g->e, 5) << 32 : value(g) & ~(PAGE - 1);
	int prot = below(g->e, 8) ? PROT_READ : PROT_READ | PROT_WRITE;

	if (g->seen)
		munmap(g->seen, g->seen_bytes);
	g->seen_bytes = PAGE << below(g->e, 10);
	g->seen = mmap(NULL, g->seen_bytes, prot, below(g->e, 8) ? MAP_SHARED : MAP_PRIVATE,
		       g->view, (off_t)at);
	if (g->seen == MAP_FAILED)
		g->seen = NULL;
	HOLDS(!g->seen || prot == PROT_READ);
}

static void view_look_any(struct guest *g)
{
	struct tessera_view_look l;

	/* Whatever the guest says: damage is within the picture, and that within what is mapped */
	HOLDS(view_look(g->view, below(g->e, TESSERA_VIEW_HEADS), &l) != ~0U);
	HOLDS(l.x1 <= l.x2 && l.x2 <= l.width && l.y1 <= l.y2 && l.y2 <= l.height);
	HOLDS((uint64_t)l.pitch * l.height <= l.size && 2 * l.width <= l.pitch);
	HOLDS(l.state & TESSERA_VIEW_SHOWN ? l.width && l.height : !l.width && !l.size);
}

static void view_export_any(struct guest *g)
{
	struct tessera_view_export e = {
		.head = below(g->e, TESSERA_VIEW_HEADS + 1),
		.flags = below(g->e, 3),
		.fd = -1,
	};

	/* Whatever the guest says: whole pages of its memory */
	if (ioctl(g->view, TESSERA_VIEW_EXPORT, &e))
		return;
	HOLDS(e.head < TESSERA_VIEW_HEADS && e.size && !((e.address | e.size) % PAGE));
	HOLDS((e.fd >= 0) == (e.flags == TESSERA_VIEW_EXPORT_FD));
	if (e.fd < 0)
		return;
	HOLDS(lseek(e.fd, 0, SEEK_END) == (off_t)e.size);
	HOLDS(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, e.fd, 0) == MAP_FAILED);
	close(e.fd);
}

static void op_view(struct guest *g)
{
	volatile uint8_t *seen = g->seen;
	uint64_t arg[16];
	unsigned int i;

	for (i = 0; i < 16; i++)
		arg[i] = value(g);
	switch (below(g->e, 8)) {
	case 0:
		close(g->view);
		g->view = view_open_as(g->v.uuid, below(g->e, 2) ? O_RDONLY : O_RDWR);
		HOLDS(g->view >= 0);
		break;
	case 1:
		ioctl(g->view, below(g->e, 2) ? TESSERA_VIEW_LOOK : (uint32_t)value(g), arg);
		break;
	case 2:
		view_event(g->view, below(g->e, 4) ? below(g->e, 32) : (uint32_t)value(g),
			   below(g->e, 2) ? g->event : (int)value(g));
		break;
	case 3:
		view_map_any(g);
		break;
	case 4:
		if (seen)
			(void)seen[below(g->e, (uint32_t)g->seen_bytes)];
		break;
	case 5:
		view_export_any(g);
		break;
	default:
		view_look_any(g);
		break;
	}
}

static void (*const guest_ops[])(struct guest *g) = {
	op_register,   op_register,   op_region, op_config,	op_packet, op_packet,
	op_packet,     op_packet,     op_kick,	 op_kick,	op_fence,  op_scribble,
	op_page_table, op_page_table, op_set_up, op_start_over, op_irqs,   op_dma,
	op_vfio,       op_head,	      op_view,	 op_view,
};

/* ---- an episode ---- */

/* Whatever it was: after a reset, a guest that boots finds a vGPU that works */
static void works_after_reset(struct guest *g)
{
	struct vfio_iommu_type1_dma_unmap all = {
		.argsz = sizeof(all),
		.flags = VFIO_DMA_UNMAP_FLAG_ALL,
	};
	uint32_t *out = ram_at(&g->v, DATA_GPA);
	unsigned int i;

	HOLDS(!ioctl(g->v.container, VFIO_IOMMU_UNMAP_DMA, &all));
	HOLDS(!ioctl(g->v.device, VFIO_DEVICE_RESET));
	enable(g);
	HOLDS(!vgpu_map(&g->v, g->v.ram, RAM_GPA, RAM_SIZE, true));
	HOLDS(reg32(&g->v, TESS_REG_ID) == TESS_ID_VALUE);
	for (i = 0; i < VSLICES; i++) {
		memset(out, 0, 4096);
		ring_start(&g->r[i], &g->v, i);
		ring_fill(&g->r[i], DATA_GPA, 4096, 0x600d0000 + i);
		HOLDS(!ring_finish(&g->r[i]));
		HOLDS(out[0] == 0x600d0000 + i && out[1023] == 0x600d0000 + i);
	}
}

void fuzz_guest(struct episode *e)
{
	struct guest g = { .e = e, .view = -1 };
	unsigned int i;

	HOLDS(!attr_write(e->uuid, "blueprint",
			  below(e, 2) ? "slices=2 kind=compute memory=2M" :
					"slices=2 kind=mixed memory=2M heads=2 share=shared"));
	HOLDS(!vgpu_open(&g.v, e->uuid));
	g.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	g.view = view_open(e->uuid);
	HOLDS(g.view >= 0);
	for (i = 0; i < VSLICES; i++)
		ring_start(&g.r[i], &g.v, i);
	for (i = 0; i < OPS; i++) {
		guest_ops[below(e, sizeof(guest_ops) / sizeof(*guest_ops))](&g);
		++*e->ops;
	}
	/* The kernel cleans up after those that just end */
	if (below(e, 3))
		works_after_reset(&g);
}
