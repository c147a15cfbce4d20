/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * GPUs that are served by a process: /dev/tessera-user.
 *
 * One open file, which CAP_SYS_ADMIN is needed for, is one GPU with the registers of
 * Documentation/hw. The process, its *server*, says
 * what the GPU has (TESSERA_USER_ADD), maps its memory, and starts it (TESSERA_USER_START). From
 * then on it reads requests from the file and writes replies to it, and the GPU is in the pool as
 * if it were hardware. When the file is closed its clients stand still until another server has taken
 * its place, unless TESSERA_USER_END was said before: then the GPU is gone. A server that left by
 * TESSERA_USER_LEAVE takes nothing from the clients; of one that ends without, as when it is killed,
 * each slice's present client loses what was in progress, by a fault.
 *
 * The server is trusted as much as hardware behind an IOMMU: it reaches the memory that the drivers
 * map for DMA of this GPU, and no other, and whatever it answers harms its own clients only.
 */
#ifndef _UAPI_LINUX_TESSERA_USER_H
#define _UAPI_LINUX_TESSERA_USER_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Version of this interface */
#define TESSERA_USER_VERSION	1

/**
 * struct tessera_user_add - argument of TESSERA_USER_ADD
 * @version: TESSERA_USER_VERSION
 * @flags: 0
 * @vram_size: bytes of VRAM, a multiple of 2 MiB; the kernel allocates it
 */
struct tessera_user_add {
	__u32 version;
	__u32 flags;
	__u64 vram_size;
};

/**
 * struct tessera_user_reach - argument of TESSERA_USER_REACH
 * @addr: bus address of a page, a multiple of 4096
 * @write: 1: to write to it, 0: to read it
 * @pad: 0
 */
struct tessera_user_reach {
	__u64 addr;
	__u32 write;
	__u32 pad;
};

/**
 * enum tessera_user_op - what a request asks for
 * @TESSERA_USER_READ32: read the register at offset @at of BAR 0; to be replied to
 * @TESSERA_USER_READ64: the same of 64 bits
 * @TESSERA_USER_WRITE32: write @val to the register; to be replied to, with any value, when it has
 *	taken effect
 * @TESSERA_USER_WRITE64: the same of 64 bits
 * @TESSERA_USER_KICK: something was stored to doorbells of the slices in mask @val. No reply.
 *	Stores of virtual machines come without a request
 * @TESSERA_USER_STARTED: the GPU is in the pool, or will not be: @val is a negative errno. No reply
 * @TESSERA_USER_LOST: the drivers gave the GPU up. No reply. Close the file
 * @TESSERA_USER_LEFT: answer to TESSERA_USER_LEAVE: @val is 0, or a negative errno and nothing has
 *	changed: -EBUSY a client cannot stand still; -EOPNOTSUPP no client can, because the GPU
 *	cannot save contexts; -ENOMEM; -ENODEV it is in no pool. No reply. Close the file if it is 0
 */
enum tessera_user_op {
	TESSERA_USER_READ32 = 1,
	TESSERA_USER_READ64 = 2,
	TESSERA_USER_WRITE32 = 3,
	TESSERA_USER_WRITE64 = 4,
	TESSERA_USER_KICK = 5,
	TESSERA_USER_STARTED = 6,
	TESSERA_USER_LOST = 7,
	TESSERA_USER_LEFT = 8,
};

/**
 * struct tessera_user_request - what read() returns, one or more
 * @op: enum tessera_user_op
 * @tag: for the reply
 * @at: offset in BAR 0
 * @val: value
 *
 * Requests that are to be replied to come one at a time for each thread of the kernel that makes
 * them, and have to be served in the order in which they are read.
 */
struct tessera_user_request {
	__u32 op;
	__u32 tag;
	__u64 at;
	__u64 val;
};

/**
 * struct tessera_user_reply - what is written with write(), one or more
 * @tag: of the request
 * @pad: 0
 * @val: value that was read
 */
struct tessera_user_reply {
	__u32 tag;
	__u32 pad;
	__u64 val;
};

/**
 * struct tessera_user_clock - the page at TESSERA_USER_CLOCK
 * @cycles: GPU time; the server stores it, it only grows. When a request is replied to it is not behind
 *	the time at which the request had its effect: the drivers count from there
 */
struct tessera_user_clock {
	__u64 cycles;
};

/*
 * Offsets for mmap() of the file, shared. Doorbells: a page for each slice, whose 64-bit word at
 * TESS_DOORBELL_WPTR is TESSERA_USER_NO_DOORBELL, or what was stored last. The server takes a value
 * by exchanging it for TESSERA_USER_NO_DOORBELL. It does so when it has read requests, and before it
 * serves them: what was stored before a slice is told to exchange its client is that client's, and a
 * server that looks at doorbells first and then reads would give it to the next one.
 *
 * Bus: TESSERA_USER_BUS + a bus address. A page that the drivers do not map for this GPU (any more)
 * raises SIGBUS.
 */
#define TESSERA_USER_DOORBELLS		0ULL
#define TESSERA_USER_CLOCK		(1ULL << 32)
#define TESSERA_USER_VRAM		(1ULL << 40)
#define TESSERA_USER_BUS		(1ULL << 41)
#define TESSERA_USER_BUS_BITS		40
#define TESSERA_USER_NO_DOORBELL	(~0ULL)

/**
 * TESSERA_USER_ADD - say what the GPU has
 *
 * Once for each file. Return: number of the GPU, which is a PCI function on the bus of that number;
 * -EINVAL; -EBUSY was done; -ENOMEM; -ENOSPC more VRAM than one GPU may have (module parameter
 * vram_mib), or too many GPUs.
 */
#define TESSERA_USER_ADD	_IOW('U', 0xa0, struct tessera_user_add)

/**
 * TESSERA_USER_START - put the GPU in the pool
 *
 * Does not wait: requests come, and TESSERA_USER_STARTED at the end. Return: 0; -EINVAL before
 * TESSERA_USER_ADD; -EBUSY was done.
 */
#define TESSERA_USER_START	_IO('U', 0xa1)

/**
 * TESSERA_USER_RAISE - raise interrupt vectors
 *
 * Argument: mask of TESS_IRQ_*, by value. Return: 0; -EINVAL.
 */
#define TESSERA_USER_RAISE	_IO('U', 0xa2)

/**
 * TESSERA_USER_LEAVE - make room for another server
 *
 * Does not wait: requests come until TESSERA_USER_LEFT says that all contexts are saved. After the
 * file is closed another server has some time to TAKE the GPU (module parameter leave_s). Return: 0;
 * -EINVAL before TESSERA_USER_START; -EBUSY was done.
 */
#define TESSERA_USER_LEAVE	_IO('U', 0xa4)

/**
 * TESSERA_USER_TAKE - take the place of a server that is gone, instead of TESSERA_USER_ADD
 *
 * Argument: number of the GPU, by value. Memory is as the other server left it but for registers,
 * which are as after power-on. TESSERA_USER_START gives its clients their contexts back; they lose
 * a GPU that has not as many slices and as much VRAM as before. Return: bytes of VRAM in units of
 * 2 MiB; -ENOENT there is no such GPU, or it has a server; -EBUSY the file has a GPU.
 */
#define TESSERA_USER_TAKE	_IO('U', 0xa5)

/**
 * TESSERA_USER_END - the GPU is gone when the file is closed
 *
 * For a server that ends for good. Return: 0; -EINVAL no GPU.
 */
#define TESSERA_USER_END	_IO('U', 0xa6)

/**
 * TESSERA_USER_REACH - may the GPU reach a page?
 *
 * Return: 0: an access by the mapping at TESSERA_USER_BUS works, until the drivers take the page
 * away; -EFAULT.
 */
#define TESSERA_USER_REACH	_IOW('U', 0xa3, struct tessera_user_reach)

#endif
