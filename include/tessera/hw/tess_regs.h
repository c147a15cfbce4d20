/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Registers of the Tessera GPU; Documentation/hw/registers.rst is the authority.
 *
 * BAR0 holds registers, 1 MiB:
 *
 *	0x00000		global page
 *	0x01000		composition page (struct tess_composition), read-only
 *	0x02000 + n * 0x1000	page of display head n; absent but on a vGPU with CAPS_DISPLAY
 *	0x40000 + n * 0x1000	client page of slice n
 *	0x80000 + n * 0x1000	doorbell page of slice n
 *	0xc0000 + n * 0x1000	host page of slice n; absent on a vGPU
 *
 * BAR2 is VRAM, BAR4 the MSI-X table. Registers are little endian and naturally
 * aligned. A 32-bit register takes 32-bit accesses only; a 64-bit register takes
 * 64-bit accesses or two 32-bit ones (low half first; a 64-bit value is taken over
 * when its high half is written). Any other access, and an access to an offset
 * without a register, reads as zero or is ignored.
 */
#ifndef _TESSERA_HW_REGS_H_
#define _TESSERA_HW_REGS_H_

#include <linux/bits.h>
#include <linux/types.h>

#define TESS_PCI_VENDOR_ID		0x1234
#define TESS_PCI_DEVICE_ID		0x7e55
#define TESS_PCI_CLASS			0x038000
#define TESS_PCI_REVISION		0x01

#define TESS_BAR_REGS			0
#define TESS_BAR_VRAM			2
#define TESS_BAR_MSIX			4

#define TESS_REGS_SIZE			0x100000
#define TESS_PAGE_SIZE			0x1000
#define TESS_MAX_SLICES			64
#define TESS_HEADS_MAX			4

#define TESS_GLOBAL_PAGE		0x00000
#define TESS_COMPOSITION_PAGE		0x01000
#define TESS_HEAD_PAGE(n)		(0x02000 + (n) * TESS_PAGE_SIZE)
#define TESS_CLIENT_PAGE(n)		(0x40000 + (n) * TESS_PAGE_SIZE)
#define TESS_DOORBELL_PAGE(n)		(0x80000 + (n) * TESS_PAGE_SIZE)
#define TESS_HOST_PAGE(n)		(0xc0000 + (n) * TESS_PAGE_SIZE)

/* MSI-X vectors */
#define TESS_IRQ_COMPLETION		0	/* a FENCE passed an event index */
#define TESS_IRQ_FAULT			1	/* a slice stopped: client or host fault */
#define TESS_IRQ_EVENT			2	/* something in EVENTS of a slice; vGPU: composition changed */
#define TESS_IRQ_DISPLAY		3	/* something in EVENTS of a head that its EVENT_MASK has */
#define TESS_IRQ_COUNT			4

/* ---- Global page ---- */
#define TESS_REG_ID			0x000	/* RO32 */
#define   TESS_ID_VALUE			0x53534554
#define TESS_REG_VERSION		0x004	/* RO32 */
#define   TESS_VERSION_MAJOR		GENMASK(31, 16)
#define   TESS_VERSION_MINOR		GENMASK(15, 0)
#define TESS_REG_CAPS			0x008	/* RO32 */
#define   TESS_CAPS_VGPU		BIT(0)	/* this is a vGPU: no host pages */
#define   TESS_CAPS_STAGE2		BIT(1)	/* host pages can enable stage 2 */
#define   TESS_CAPS_CONTEXT		BIT(2)	/* SAVE and RESTORE work */
#define   TESS_CAPS_DRAW		BIT(3)	/* DRAW works */
#define   TESS_CAPS_DISPLAY		BIT(4)	/* display heads are present */
#define   TESS_CAPS_FABRIC		BIT(5)	/* link masks are enforced */
#define   TESS_CAPS_SWITCH		BIT(6)	/* SWITCH, TIMER, NOTIFY and EVENTS work */
#define   TESS_CAPS_TEX			BIT(7)	/* slices with TESS_ENGINE_RASTER have a texture unit */
#define   TESS_CAPS_ROP			BIT(8)	/* the same, a raster output unit */
#define   TESS_CAPS_RAY			BIT(9)	/* the same, a ray unit; host pages count RAYS */
#define   TESS_CAPS_TRAFFIC		BIT(10)	/* host pages count GLOBAL_BYTES and PRIVATE_BYTES, SWITCH has COUNTS */
#define   TESS_CAPS_INVALIDATE		BIT(11)	/* TLB_INVALIDATE of the global page */
#define   TESS_CAPS_UNIT_CYCLES		BIT(12)	/* host pages count UNIT_CYCLES, SWITCH can write it */
#define   TESS_CAPS_FRAME_PERIOD		BIT(13)	/* heads have PERIOD, FRAME_AGE and CONTROL.NOW */
#define   TESS_CAPS_HEAD_DAMAGE		BIT(14)	/* heads have DAMAGE_START and DAMAGE_END */
#define   TESS_CAPS_HEAD_CURSOR		BIT(15)	/* heads have STATUS.CURSOR and CURSOR_* */
#define TESS_REG_SLICE_COUNT		0x00c	/* RO32: client pages that exist */
#define TESS_REG_SLICE_MASK		0x010	/* RO64: slices that can be used */
#define TESS_REG_ENGINE_MASK		0x018	/* RO32: union over the slices */
#define   TESS_ENGINE_COMPUTE		BIT(0)
#define   TESS_ENGINE_COPY		BIT(1)
#define   TESS_ENGINE_RASTER		BIT(2)
#define   TESS_ENGINE_DISPLAY		BIT(3)
#define   TESS_ENGINE_ALL		GENMASK(3, 0)
#define TESS_REG_HEAD_MASK		0x01c	/* RO32 */
#define TESS_REG_VRAM_SIZE		0x020	/* RO64: bytes; the BAR may be larger */
#define TESS_REG_BANK_SIZE		0x028	/* RO64: bytes of one slice's bank */
#define TESS_REG_CLOCK_KHZ		0x030	/* RO32: nominal clock */
#define TESS_REG_LIMITS			0x034	/* RO32 */
#define   TESS_LIMITS_GROUP_SLOTS	GENMASK(7, 0)	/* DRM_TESSERA_GROUP_SLOTS */
#define   TESS_LIMITS_GROUP_ITEMS_LOG2	GENMASK(15, 8)	/* DRM_TESSERA_MAX_GROUP_ITEMS */
#define   TESS_LIMITS_LOCAL_KIB		GENMASK(23, 16)	/* DRM_TESSERA_MAX_LOCAL_BYTES */
#define   TESS_LIMITS_RING_LOG2		GENMASK(31, 24)	/* TESS_RING_LOG2_MAX */
#define TESS_REG_TIME			0x038	/* RW64, vGPU: RO64: GPU time in cycles */
#define   TESS_TIME_MASK		GENMASK_ULL(62, 0)
#define TESS_REG_GENERATION		0x040	/* RO64: of the composition, from 1 */
#define TESS_REG_RESET			0x048	/* WO32: TESS_RESET_KEY resets the GPU as an FLR does, but for configuration space and MSI-X */
#define   TESS_RESET_KEY		0x54534552
#define TESS_REG_FAULT_PENDING		0x050	/* RO64: slices with a client fault not acknowledged */
#define TESS_REG_HFAULT_PENDING		0x058	/* RO64: slices with a host fault not acknowledged; vGPU: 0 */
#define TESS_REG_EVENT_PENDING		0x060	/* W1C64: slices whose EVENTS got a bit; vGPU: bit 0: composition changed */
#define TESS_REG_TLB_INVALIDATE(i)	(0x068 + 4 * (i))	/* WO32, with TESS_CAPS_INVALIDATE: mask of slices from 32 * i on that drop their translations; done when the write is */
#define   TESS_TLB_INVALIDATE_SLICES	32

/* ---- Client page of a slice ---- */
#define TESS_SREG_KIND			0x000	/* RO32: enum tess_slice_kind; 0 when the slice is absent */
#define TESS_SREG_CORES			0x004	/* RO32: shader cores */
#define TESS_SREG_ENGINES		0x008	/* RO32: engines of the slice that the host enabled */
#define TESS_SREG_STATUS		0x00c	/* RO32 */
#define   TESS_STATUS_ENABLED		BIT(0)
#define   TESS_STATUS_BUSY		BIT(1)	/* packets are left in the ring */
#define   TESS_STATUS_FAULTED		BIT(2)	/* client fault, not acknowledged */
#define   TESS_STATUS_WAITING		BIT(3)	/* a WAIT packet is not fulfilled */
#define TESS_SREG_CONTROL		0x010	/* RW32, reset 0 */
#define   TESS_CONTROL_ENABLE		BIT(0)	/* the ring runs; clearing it stops at an instruction boundary and keeps the state */
#define TESS_SREG_RESET			0x014	/* WO32: 1 drops all work, ring set-up, fault and counters of the client */
#define TESS_SREG_RING_BASE		0x018	/* RW64: client-physical, 4 KiB aligned; writable while disabled */
#define TESS_SREG_RING_LOG2		0x020	/* RW32: log2 of the packets, 4 to TESS_RING_LOG2_MAX; writable while disabled */
#define   TESS_RING_LOG2_MIN		4
#define   TESS_RING_LOG2_MAX		16
#define TESS_SREG_IRQ_STATUS		0x024	/* W1C32 */
#define   TESS_IRQ_STATUS_COMPLETION	BIT(0)	/* a FENCE of this slice raised the completion vector */
#define   TESS_IRQ_STATUS_FAULT		BIT(1)
#define TESS_SREG_RPTR			0x028	/* RW64: packets completed; writable while disabled, drops the packet in progress */
#define TESS_SREG_WPTR			0x030	/* RW64: last doorbell value; writable while disabled */
#define TESS_SREG_COMPLETION		0x038	/* RW64: client-physical address of the completion record, 64-byte aligned; 0: none; writable while disabled */
#define TESS_SREG_FAULT_CAUSE		0x040	/* RO32: enum tess_cause; valid while FAULTED */
#define TESS_SREG_FAULT_INFO		0x044	/* RO32 */
#define   TESS_FAULT_INFO_PACKET	GENMASK(7, 0)	/* type of the packet */
#define   TESS_FAULT_INFO_INDIRECT	BIT(8)		/* it was in an indirect buffer */
#define   TESS_FAULT_INFO_HART		BIT(9)		/* a work-item did it: FAULT_PC is valid */
#define   TESS_FAULT_INFO_ACCESS	GENMASK(11, 10)	/* 0 fetch, 1 load, 2 store */
#define TESS_SREG_FAULT_ADDR		0x048	/* RO64: VA, or the bad packet's client address */
#define TESS_SREG_FAULT_PC		0x050	/* RO64 */
#define TESS_SREG_FAULT_PACKET		0x058	/* RO64: ring index of the packet */
#define TESS_SREG_FAULT_INDIRECT	0x060	/* RO32: index inside the indirect buffer */
#define TESS_SREG_FAULT_ASID		0x064	/* RO32: asid of SET_VM */
#define TESS_SREG_FAULT_ACK		0x068	/* WO32 */
#define   TESS_FAULT_ACK_RESUME		1	/* repeat what faulted */
#define   TESS_FAULT_ACK_ABORT		2	/* drop the packet in progress, clear CONTROL.ENABLE */
#define TESS_SREG_TLB_INVALIDATE	0x06c	/* WO32: 1: drop stage-1 translations and decoded instructions; done when the write is */
#define TESS_SREG_FENCE_SEQ		0x070	/* RO64: last sequence number */
#define TESS_SREG_COUNTERS		0x100	/* RO64 each, since the reset of the client; saved and restored with the context */
#define   TESS_COUNTER_CYCLES		0x00	/* enabled and running */
#define   TESS_COUNTER_BUSY		0x08
#define   TESS_COUNTER_STALL		0x10
#define   TESS_COUNTER_INSTRUCTIONS	0x18
#define   TESS_COUNTER_FLOPS		0x20
#define   TESS_COUNTER_TEXELS		0x28
#define   TESS_COUNTER_PIXELS		0x30
#define   TESS_COUNTER_BYTES		0x38	/* copy engine */
#define   TESS_COUNTER_LINK_BYTES	0x40
#define   TESS_COUNTER_LINK_HOPS	0x48
#define   TESS_COUNTER_GROUPS		0x50
#define   TESS_COUNTER_PACKETS		0x58
#define   TESS_COUNTER_DISPATCHES	0x60
#define   TESS_COUNTER_SWITCHES		0x68	/* RESTOREs */
#define   TESS_COUNTER_FAULTS		0x70	/* client and host faults */
#define   TESS_COUNTER_COUNT		15
#define   TESS_COUNTER_RAYS		0x78	/* host page only, with TESS_CAPS_RAY */
#define   TESS_COUNTER_GLOBAL_BYTES	0x80	/* the same, with TESS_CAPS_TRAFFIC: of work-items, but private and local */
#define   TESS_COUNTER_PRIVATE_BYTES	0x88	/* the same: of work-items, in private memory of their group */
#define   TESS_COUNTER_UNIT_CYCLES	0x90	/* the same, with TESS_CAPS_UNIT_CYCLES: BUSY while a dispatch asks for units */
#define   TESS_HCOUNTER_COUNT		19

/**
 * enum tess_slice_kind - kinds of slices
 * @TESS_KIND_NONE: no slice
 * @TESS_KIND_COMPUTE: 8 shader cores; compute and copy engines
 * @TESS_KIND_RENDER: 2 shader cores; compute, copy, raster and display engines
 * @TESS_KIND_MIXED: 4 shader cores; compute, copy, raster and display engines
 */
enum tess_slice_kind {
	TESS_KIND_NONE = 0,
	TESS_KIND_COMPUTE = 1,
	TESS_KIND_RENDER = 2,
	TESS_KIND_MIXED = 3,
};

/* ---- Doorbell page: one 64-bit write-only register at offset 0: the write index (packets ever written) ---- */
#define TESS_DOORBELL_WPTR		0x000

/* ---- Page of a display head ---- */
#define TESS_DREG_STATUS		0x000	/* RO32 */
#define   TESS_DSTATUS_CONNECTED	BIT(0)	/* a monitor is there; 0 also if the head is not in HEAD_MASK */
#define   TESS_DSTATUS_ENABLED		BIT(1)	/* a picture is shown */
#define   TESS_DSTATUS_CURSOR		BIT(2)	/* whoever looks at the head shows a cursor */
#define TESS_DREG_CONTROL		0x004	/* RW32, reset 0; this to ADDRESS have an effect with COMMIT only */
#define   TESS_DCONTROL_ENABLE		BIT(0)
#define   TESS_DCONTROL_NOW		BIT(1)	/* not with the next frame but in the middle of this one */
#define   TESS_DCONTROL_ALL		GENMASK(1, 0)
#define TESS_DREG_FORMAT		0x008	/* RW32: DRM fourcc: XRGB8888, ARGB8888, RGB565 */
#define TESS_DREG_WIDTH			0x00c	/* RW32: pixels, 1 to TESS_DISPLAY_SIZE_MAX */
#define TESS_DREG_HEIGHT		0x010	/* RW32: lines, 1 to TESS_DISPLAY_SIZE_MAX */
#define   TESS_DISPLAY_SIZE_MAX		8192
#define TESS_DREG_PITCH			0x014	/* RW32: bytes from line to line, a multiple of 4 */
#define   TESS_DISPLAY_BYTES_MAX	0xfffff000ULL	/* PITCH times HEIGHT */
#define TESS_DREG_ADDRESS		0x018	/* RW64: offset in the client's VRAM, 4 KiB aligned */
#define TESS_DREG_COMMIT		0x020	/* WO32: 1: show that, from the next frame on */
#define TESS_DREG_ERROR			0x024	/* RO32: enum tess_display_error of the last COMMIT */
#define TESS_DREG_EVENTS		0x028	/* W1C32 */
#define   TESS_DEVENT_FRAME		BIT(0)	/* a frame was shown: vertical blank */
#define   TESS_DEVENT_FLIP		BIT(1)	/* a COMMIT was taken over */
#define   TESS_DEVENT_LINK		BIT(2)	/* STATUS.CONNECTED, STATUS.CURSOR or the EDID changed */
#define   TESS_DEVENT_ALL		GENMASK(2, 0)
#define TESS_DREG_EVENT_MASK		0x02c	/* RW32, reset 0: EVENTS that raise vector DISPLAY */
#define TESS_DREG_FRAMES		0x030	/* RO64: frames shown since it was enabled */
#define TESS_DREG_FRAME_TIME		0x038	/* RO64: TIME of the last one */
#define TESS_DREG_EDID_SIZE		0x040	/* RO32: bytes, a multiple of 128 */
#define   TESS_EDID_MAX			512
#define TESS_DREG_PERIOD		0x044	/* RW32, with COMMIT: ns from frame to frame, 0: 60 a second */
#define   TESS_DISPLAY_PERIOD_MIN	4000000U	/* 250 a second */
#define   TESS_DISPLAY_PERIOD_MAX	50000000U	/* 20 a second */
#define TESS_DREG_FRAME_AGE		0x048	/* RO32: ns since the last frame began, as told or, if none is waited for, due */
#define TESS_DREG_DAMAGE_START		0x04c	/* RW32, with COMMIT, which resets both: first pixel of what changed in the picture */
#define TESS_DREG_DAMAGE_END		0x050	/* RW32: pixel behind the last one; not right of and below the first: all changed */
#define   TESS_DAMAGE_X			GENMASK(15, 0)
#define   TESS_DAMAGE_Y			GENMASK(31, 16)
#define TESS_DREG_CURSOR_CONTROL	0x054	/* RW32, with CURSOR_COMMIT, as HOT and ADDRESS */
#define   TESS_DCURSOR_ENABLE		BIT(0)
#define TESS_DREG_CURSOR_HOT		0x058	/* RW32: the pixel of the image that points */
#define TESS_DREG_CURSOR_COMMIT		0x05c	/* WO32: 1: show that, at once; ERROR tells if it was refused */
#define TESS_DREG_CURSOR_ADDRESS	0x060	/* RW64: offset in the client's VRAM, 4 KiB aligned: ARGB8888, premultiplied */
#define   TESS_CURSOR_SIZE		64	/* pixels of an edge */
#define   TESS_CURSOR_BYTES		(TESS_CURSOR_SIZE * TESS_CURSOR_SIZE * 4)
#define TESS_DREG_CURSOR_POSITION	0x068	/* RW32, takes effect at once: pixel of the picture where the image begins, each signed */
#define   TESS_CURSOR_X			GENMASK(15, 0)
#define   TESS_CURSOR_Y			GENMASK(31, 16)
#define TESS_DREG_EDID			0x200	/* RO32 each: EDID_SIZE bytes */

/**
 * enum tess_display_error - why a COMMIT or CURSOR_COMMIT was refused
 * @TESS_DISPLAY_OK: it was not
 * @TESS_DISPLAY_ERR_FORMAT: FORMAT is none that can be shown
 * @TESS_DISPLAY_ERR_SIZE: WIDTH or HEIGHT is 0 or above TESS_DISPLAY_SIZE_MAX
 * @TESS_DISPLAY_ERR_PITCH: PITCH is less than a line has, or no multiple of 4, or all lines
 *	together have more than TESS_DISPLAY_BYTES_MAX
 * @TESS_DISPLAY_ERR_ADDRESS: ADDRESS, or CURSOR_ADDRESS, is not aligned, or not all of it is within
 *	VRAM
 * @TESS_DISPLAY_ERR_HEAD: the head was not given
 * @TESS_DISPLAY_ERR_PERIOD: PERIOD is neither 0 nor from TESS_DISPLAY_PERIOD_MIN to
 *	TESS_DISPLAY_PERIOD_MAX
 * @TESS_DISPLAY_ERR_CURSOR: nobody shows a cursor of this head, or CURSOR_HOT is not within the image
 */
enum tess_display_error {
	TESS_DISPLAY_OK = 0,
	TESS_DISPLAY_ERR_FORMAT = 1,
	TESS_DISPLAY_ERR_SIZE = 2,
	TESS_DISPLAY_ERR_PITCH = 3,
	TESS_DISPLAY_ERR_ADDRESS = 4,
	TESS_DISPLAY_ERR_HEAD = 5,
	TESS_DISPLAY_ERR_PERIOD = 6,
	TESS_DISPLAY_ERR_CURSOR = 7,
};

/* ---- Host page of a slice ---- */
#define TESS_HREG_CONTROL		0x000	/* RW32, reset RUN */
#define   TESS_HCONTROL_RUN		BIT(0)	/* clearing it stops at an instruction boundary and keeps the state */
#define   TESS_HCONTROL_STAGE2		BIT(1)	/* client-physical addresses pass stage 2 */
#define TESS_HREG_STATUS		0x004	/* RO32 */
#define   TESS_HSTATUS_HALTED		BIT(0)	/* nothing runs since RUN was cleared */
#define   TESS_HSTATUS_FAULTED		BIT(1)	/* host fault, not acknowledged */
#define   TESS_HSTATUS_BUSY		BIT(2)	/* SAVE or RESTORE in progress: nothing runs */
#define TESS_HREG_STAGE2_ROOT		0x008	/* RW64: physical address of the Sv39x4 root, 16 KiB aligned */
#define TESS_HREG_ENGINE_MASK		0x010	/* RW32, reset TESS_ENGINE_ALL */
#define TESS_HREG_THROTTLE		0x014	/* RW32, reset 1024: cycles of 1024 in which the cores issue, 1 to 1024 */
#define TESS_HREG_LINK_MASK		0x018	/* RW64, reset all ones: bit j: bank of slice j can be reached */
#define TESS_HREG_TLB_INVALIDATE	0x020	/* WO32: 1: drop all translations of the slice; done when the write is */
#define TESS_HREG_RESET			0x024	/* WO32: 1: all of the slice but the VRAM bank is as after power-on */
#define TESS_HREG_SCRUB			0x028	/* WO32: 1: zero the slice's own VRAM bank */
#define TESS_HREG_CTX_ADDR		0x030	/* RW64: physical address of the context image, 4 KiB aligned; SWITCH: of its descriptor */
#define TESS_HREG_CTX_SIZE		0x038	/* RW64: bytes of the buffer */
#define TESS_HREG_CTX_OP		0x040	/* WO32: starts an operation; ignored while one is in progress */
#define   TESS_CTX_SAVE			1
#define   TESS_CTX_RESTORE		2
#define   TESS_CTX_SWITCH		3	/* CTX_ADDR is that of a struct tess_ctx_switch */
#define TESS_HREG_CTX_STATUS		0x044	/* RO32 */
#define   TESS_CTX_IDLE			0
#define   TESS_CTX_BUSY			1
#define   TESS_CTX_DONE			2
#define   TESS_CTX_ERR_UNSUPPORTED	16	/* no TESS_CAPS_CONTEXT, or an unknown operation */
#define   TESS_CTX_ERR_SPACE		17	/* the buffer is too small: CTX_USED says what is needed */
#define   TESS_CTX_ERR_ADDRESS		18	/* the buffer is not memory */
#define   TESS_CTX_ERR_MAGIC		19	/* not a context image */
#define   TESS_CTX_ERR_VERSION		20
#define   TESS_CTX_ERR_CHECKSUM		21
#define   TESS_CTX_ERR_CONTENT		22	/* a field is out of range */
#define   TESS_CTX_ERR_STATE		23	/* the slice is not halted (SAVE and RESTORE) */
#define   TESS_CTX_ERR_ENGINE		24	/* the packet in progress needs an engine that is not enabled */
#define TESS_HREG_CTX_USED		0x048	/* RO64: bytes of the last image; after TESS_CTX_ERR_SPACE: bytes needed */
#define TESS_HREG_HFAULT_CAUSE		0x050	/* RO32: a guest-page cause of enum tess_cause */
#define TESS_HREG_HFAULT_ACCESS		0x054	/* RO32: 0 fetch, 1 load, 2 store */
#define TESS_HREG_HFAULT_GPA		0x058	/* RO64: client-physical address */
#define TESS_HREG_HFAULT_VA		0x060	/* RO64: VA, or the same address */
#define TESS_HREG_HFAULT_ACK		0x068	/* WO32 */
#define   TESS_HFAULT_ACK_RESUME	1	/* repeat the access */
#define   TESS_HFAULT_ACK_REFUSE	2	/* turn it into an access fault of the client */
#define TESS_HREG_TIMER			0x070	/* RW64: cycles of GPU time until EVENTS.TIMER, but for those of BUSY; 0: off */
#define TESS_HREG_NOTIFY		0x078	/* RW32, cleared when it happened */
#define   TESS_NOTIFY_IDLE		BIT(0)	/* nothing is left to do: EVENTS.IDLE, at once if it is so already */
#define TESS_HREG_EVENTS		0x07c	/* W1C32: what happened; each bit that is set raises vector EVENT */
#define   TESS_EVENTS_CONTEXT		BIT(0)	/* a context operation ended */
#define   TESS_EVENTS_TIMER		BIT(1)	/* TIMER reached 0 */
#define   TESS_EVENTS_IDLE		BIT(2)	/* ring empty, disabled, or stopped by a client fault */
#define TESS_HREG_COUNTERS		0x100	/* RO64 each, as TESS_SREG_COUNTERS but since power-on, over all clients */

#endif
