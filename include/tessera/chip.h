/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interface of tessera_chip.ko: GPUs with the registers of Documentation/hw, however they are
 * reached.
 *
 * A back-end for such a GPU finds it, says how its registers and its VRAM are reached, and passes
 * its interrupts on. All else is here: contexts, page tables, rings, faults, VRAM, display heads.
 */
#ifndef _TESSERA_CHIP_H_
#define _TESSERA_CHIP_H_

#include <linux/types.h>

struct device;
struct tess_backend;
struct tess_chip;
struct tess_gpu_info;

/**
 * struct tess_chip_io - how a GPU is reached
 * @read: read a register of @width 4 or 8 bytes; all ones: it does not answer. Process context, may
 *	sleep, allocates nothing. NULL: registers are memory (tess_chip_params.regs)
 * @write: write a register; it has taken effect on return. As @read
 * @kick: a store to the doorbell of a slice. Any context. With @read
 * @doorbell: CPU physical address of the doorbell page of a slice, which its client is about to
 *	map. Any context. NULL: tess_chip_params.doorbell_phys
 * @time: GPU time in cycles. Any context. With @read
 * @silence: the GPU makes no access to memory on return, nor later. Any context, any number of
 *	times
 * @unsilence: it may access memory again. Process context
 * @mask: no interrupt is passed on until it is called without @on. Process context
 * @absent: does it answer nothing because it forgot all it had, and may come back? It is not dead
 *	then, and tess_chip_crashed() or tess_chip_bury() follows. Any context. NULL: never
 * @lost: the GPU was given up: all clients were told, and nothing enters the back-end. It may reset
 *	the GPU, but not in this call. Process context
 */
struct tess_chip_io {
	u64 (*read)(struct tess_chip *chip, u32 at, unsigned int width);
	void (*write)(struct tess_chip *chip, u32 at, u64 val, unsigned int width);
	void (*kick)(struct tess_chip *chip, unsigned int slice, u64 wptr);
	phys_addr_t (*doorbell)(struct tess_chip *chip, unsigned int slice);
	u64 (*time)(struct tess_chip *chip);
	void (*silence)(struct tess_chip *chip);
	void (*unsilence)(struct tess_chip *chip);
	void (*mask)(struct tess_chip *chip, bool on);
	bool (*absent)(struct tess_chip *chip);
	void (*lost)(struct tess_chip *chip);
};

/**
 * struct tess_chip_params - arguments of tess_chip_create()
 * @dev: device, for DMA, messages and managed memory
 * @io: how it is reached
 * @priv: tess_chip_priv()
 * @regs: registers, TESS_REGS_SIZE bytes; NULL: they are reached by @io
 * @doorbell_phys: CPU physical address of the doorbell page of slice 0; the others follow
 * @vram: VRAM, mapped write-combined or ordinary memory
 * @vram_phys: its CPU physical address
 * @vram_chunks: tess_gpu_info.vram_chunks
 * @vram_size: bytes that are mapped
 */
struct tess_chip_params {
	struct device *dev;
	const struct tess_chip_io *io;
	void *priv;
	void __iomem *regs;
	phys_addr_t doorbell_phys;
	void __iomem *vram;
	phys_addr_t vram_phys;
	const phys_addr_t *vram_chunks;
	u64 vram_size;
};

/**
 * tess_chip_create() - make what a GPU needs for as long as its driver is bound
 * @params: copied
 *
 * Managed: it goes with the device. The device's DMA masks are set.
 *
 * Return: chip or error pointer.
 */
struct tess_chip *tess_chip_create(const struct tess_chip_params *params);

/**
 * tess_chip_priv() - &tess_chip_params.priv
 * @chip: chip
 *
 * Any context.
 *
 * Return: as given.
 */
void *tess_chip_priv(const struct tess_chip *chip);

/**
 * tess_chip_backend() - what the core knows it by
 * @chip: chip
 *
 * Any context.
 *
 * Return: valid as long as the chip.
 */
struct tess_backend *tess_chip_backend(struct tess_chip *chip);

/**
 * tess_chip_info() - what GPU is it?
 * @chip: prepared chip
 *
 * Any context.
 *
 * Return: valid as long as the chip.
 */
const struct tess_gpu_info *tess_chip_info(const struct tess_chip *chip);

/**
 * tess_chip_generation() - number of the composition of a vGPU, as the host counts
 * @chip: prepared chip
 *
 * Any context.
 *
 * Return: the number; 0 if it is no vGPU.
 */
u64 tess_chip_generation(const struct tess_chip *chip);

/*
 * A GPU is started by tess_chip_prepare(), the beginning of interrupts, and tess_chip_add();
 * and stopped by the end of interrupts, tess_chip_remove() and tess_chip_finish(). Calls are
 * serialized by the back-end.
 */

/**
 * tess_chip_prepare() - reset and identify a GPU
 * @chip: chip that is not started; what it was doing does not matter
 *
 * On return it may access memory, and interrupts may come.
 *
 * Return: 0 or negative errno; the kernel log says what is wrong.
 */
int tess_chip_prepare(struct tess_chip *chip);

/**
 * tess_chip_add() - put a GPU in the pool
 * @chip: prepared chip, whose interrupts are delivered
 *
 * Return: as tess_gpu_register().
 */
int tess_chip_add(struct tess_chip *chip);

/**
 * tess_chip_remove() - take a GPU out of the pool
 * @chip: chip after tess_chip_add(); no interrupt comes
 *
 * On return it makes no access to memory for a client.
 */
void tess_chip_remove(struct tess_chip *chip);

/**
 * tess_chip_finish() - undo tess_chip_prepare()
 * @chip: chip that is in no pool and makes no access to memory
 */
void tess_chip_finish(struct tess_chip *chip);

/**
 * tess_chip_pause() - zero no freed VRAM until tess_chip_continue()
 * @chip: chip in the pool
 *
 * On return the worker does nothing, and need not be frozen. What it was at may not be zero.
 */
void tess_chip_pause(struct tess_chip *chip);

/**
 * tess_chip_continue() - zero what was freed meanwhile
 * @chip: chip, paused
 */
void tess_chip_continue(struct tess_chip *chip);

/**
 * tess_chip_suspend() - the GPU is about to lose its power
 * @chip: chip in the pool that can exchange clients, paused
 *
 * Its clients and VRAM are saved, and it is silent. Nothing is touched on an error.
 *
 * Return: 0; -ENOMEM; -ENODEV it is lost.
 */
int tess_chip_suspend(struct tess_chip *chip);

/**
 * tess_chip_crashed() - the GPU forgot all it had but VRAM, and may come back
 * @chip: chip in the pool, paused; it answers nothing, and accesses no memory any more
 *
 * As tess_chip_suspend(); clients that were on slices lose what was in progress, by a fault.
 *
 * Return: as tess_gpu_crashed(). On an error the chip has to be removed.
 */
int tess_chip_crashed(struct tess_chip *chip);

/**
 * tess_chip_resume() - the GPU has its power again
 * @chip: chip after tess_chip_suspend(), or tess_chip_crashed()
 * @present: it is there
 *
 * Its clients go on; if it is not the GPU that it was, they have lost it.
 */
void tess_chip_resume(struct tess_chip *chip, bool present);

/**
 * tess_chip_reset() - reset the GPU, as after power-on
 * @chip: chip
 */
void tess_chip_reset(struct tess_chip *chip);

/**
 * tess_chip_bury() - treat the GPU as gone
 * @chip: chip
 *
 * Silences it. No register is touched from now on until tess_chip_prepare(). Any context.
 */
void tess_chip_bury(struct tess_chip *chip);

/**
 * tess_chip_is_alive() - does the GPU answer?
 * @chip: chip
 *
 * Any context. If it does not, it is buried and the core is told.
 *
 * Return: true if it does.
 */
bool tess_chip_is_alive(struct tess_chip *chip);

/**
 * tess_chip_is_dead() - was it found not to answer?
 * @chip: chip
 *
 * Any context, no access to the device.
 *
 * Return: true: no register is touched any more.
 */
bool tess_chip_is_dead(const struct tess_chip *chip);

/**
 * tess_chip_irq() - a vector was raised
 * @chip: prepared chip
 * @vector: TESS_IRQ_*
 *
 * Hard interrupt context, not concurrently for one vector. Of a GPU whose registers are no memory,
 * only TESS_IRQ_COMPLETION; others in process context.
 *
 * Return: true: tess_chip_irq_thread() has to follow.
 */
bool tess_chip_irq(struct tess_chip *chip, unsigned int vector);

/**
 * tess_chip_irq_thread() - the part of an interrupt that may sleep
 * @chip: prepared chip
 * @vector: TESS_IRQ_*
 *
 * Process context, not concurrently for one vector.
 */
void tess_chip_irq_thread(struct tess_chip *chip, unsigned int vector);

#endif
