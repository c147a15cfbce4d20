/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The GPU behind /dev/tessera-user: the other way to be reached, beside pci_dev.h.
 *
 * Everything runs in the thread that calls user_dev_poll().
 */
#ifndef TESS_MODEL_USER_DEV_H
#define TESS_MODEL_USER_DEV_H

#include <stdbool.h>
#include <stdint.h>

struct user_dev;

/**
 * struct user_dev_ops - the GPU
 * @reg_read: read @size bytes (4 or 8) at @off of BAR0
 * @reg_write: the same for writing
 * @flush: forget pointers from user_dev_dma_ptr()
 * @log: an event; @trouble: something is wrong
 *
 * All run inside user_dev_poll().
 */
struct user_dev_ops {
	uint64_t (*reg_read)(void *opaque, uint32_t off, unsigned int size);
	void (*reg_write)(void *opaque, uint32_t off, uint64_t val, unsigned int size);
	void (*flush)(void *opaque);
	void (*log)(void *opaque, bool trouble, const char *msg);
};

/**
 * user_dev_create() - make a GPU of the kernel's, with its memory
 * @path: the device file
 * @take: number of a GPU whose server left, to be served from now on; negative: a new one
 * @vram_size: bytes of VRAM, a multiple of 2 MiB
 * @nr_slices: slices
 * @ops: the GPU
 * @opaque: for them
 *
 * Returns NULL with errno set on failure.
 */
struct user_dev *user_dev_create(const char *path, int take, uint64_t vram_size,
				 unsigned int nr_slices, const struct user_dev_ops *ops,
				 void *opaque);
void user_dev_destroy(struct user_dev *d);

/** user_dev_vram() - memory of the VRAM */
void *user_dev_vram(const struct user_dev *d);

/** user_dev_leave() - make room for another server; 0, or a negative errno if nothing is served */
int user_dev_leave(struct user_dev *d);

/** user_dev_start() - have the kernel put the GPU in its pool; 0 or a negative errno */
int user_dev_start(struct user_dev *d);

/** user_dev_fd() - descriptor that is readable when user_dev_poll() has work */
int user_dev_fd(const struct user_dev *d);

/**
 * user_dev_poll() - serve requests, after the doorbells that were stored to before them
 * @d: device
 *
 * Returns 0; -ESHUTDOWN after user_dev_leave(), another process can serve the GPU; another negative
 * errno if that broke.
 */
int user_dev_poll(struct user_dev *d);

/** user_dev_set_time() - tell the kernel the GPU time in cycles, which may be less than it was */
void user_dev_set_time(struct user_dev *d, uint64_t cycles);

/** user_dev_advance_time() - tell the kernel the GPU time, unless it is known to be later */
void user_dev_advance_time(struct user_dev *d, uint64_t cycles);

/** user_dev_dma_ptr() - as pci_dev_dma_ptr() */
void *user_dev_dma_ptr(struct user_dev *d, uint64_t addr, uint64_t len, int prot);

/** user_dev_irq_raise() - raise vector @vector */
void user_dev_irq_raise(struct user_dev *d, unsigned int vector);

#endif /* TESS_MODEL_USER_DEV_H */
