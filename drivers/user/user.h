/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_USER_USER_H_
#define _TESSERA_USER_USER_H_

#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <tessera/chip.h>
#include <uapi/linux/tessera_user.h>

struct address_space;
struct pci_bus;

/**
 * struct tess_user_bus - memory that the server may reach
 * @grants: by page frame number: how many mappings for DMA there are, see bus.c
 * @sem: held for reading while an entry of page tables is made of a grant
 * @mapping: of the file, whose entries are removed when grants go
 * @silent: the GPU may access nothing. Written under @sem
 */
struct tess_user_bus {
	struct xarray grants;
	struct rw_semaphore sem;
	struct address_space *mapping;
	bool silent;
};

/**
 * struct tess_user_requests - requests to the server
 * @lock: protects all of it. Innermost
 * @wait: of the server
 * @queue: not read by the server yet
 * @asked: read, and not replied to
 * @tag: of the last one
 * @kicks: slices whose doorbells were stored to
 * @events: TESSERA_USER_STARTED, LOST and LEFT that are to be told, BIT(op)
 * @result: value of TESSERA_USER_STARTED, or LEFT
 * @broken: no answer will come
 * @absent: it is not known yet if another server comes. With @broken
 */
struct tess_user_requests {
	spinlock_t lock;
	wait_queue_head_t wait;
	struct list_head queue;
	struct list_head asked;
	u32 tag;
	u64 kicks;
	u32 events;
	int result;
	bool broken;
	bool absent;
};

/**
 * struct tess_user_vram - VRAM of a GPU
 * @size: bytes
 * @pages: its memory in pieces of TESS_VRAM_CHUNK
 * @phys: their addresses
 * @map: all of it
 */
struct tess_user_vram {
	u64 size;
	struct page **pages;
	phys_addr_t *phys;
	void *map;
};

/**
 * struct tess_user_file - an open file
 * @lock: protects that there is a GPU, and the calls that begin and end its service; outermost
 * @user: GPU that it serves, or NULL. Stays until the file is closed
 */
struct tess_user_file {
	struct mutex lock;
	struct tess_user *user;
};

/**
 * struct tess_user - a GPU that is served by a process
 * @starting: TESSERA_USER_START was done. Under &tess_user_file.lock
 * @leaving: TESSERA_USER_LEAVE was done, and did not fail
 * @ending: TESSERA_USER_END was done
 * @left: the GPU has no server, and its clients stand still. Written by @leave, @start, and when
 *	the file is closed
 * @index: number of @root, if there is one
 * @root: PCI bus with its device, or NULL. Of @start, and then of @stop
 * @start: adds @root, or lets the clients go on that stand still
 * @leave: makes them stand still
 * @abandon: ends that when no other server came
 * @stop: removes it, and frees the GPU
 * @raised: vectors whose part in process context is to be run
 * @irq: runs it
 * @chip: while the device is bound. Written before interrupts are on and after they are off
 * @started: in the pool. Under the device's lock
 * @interrupts: vectors are passed on. Under @irq_lock
 * @irq_lock: held while a vector is passed on
 * @requests: to the server
 * @bus: memory that it may reach
 * @vram: VRAM
 * @doorbells: a page for each slice
 * @clock: page of struct tessera_user_clock
 * @time: GPU time that was told last
 */
struct tess_user {
	bool starting;
	bool leaving;
	bool ending;
	bool left;
	int index;
	struct pci_bus *root;
	struct work_struct start;
	struct work_struct leave;
	struct delayed_work abandon;
	struct work_struct stop;
	unsigned long raised;
	struct work_struct irq;
	struct tess_chip *chip;
	bool started;
	bool interrupts;
	spinlock_t irq_lock;
	struct tess_user_requests requests;
	struct tess_user_bus bus;
	struct tess_user_vram vram;
	void *doorbells;
	struct tessera_user_clock *clock;
	atomic64_t time;
};

#endif
