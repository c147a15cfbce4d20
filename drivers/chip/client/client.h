/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_CLIENT_H_
#define _TESSERA_CHIP_CLIENT_H_

#include <tessera/backend.h>

extern const struct tess_reg_ops tess_chip_reg_ops;

int tess_chip_client_get(struct tess_backend *be, unsigned int slice, enum tess_client_value what,
			 u64 *val);

/**
 * tess_chip_client_has_work() - TESS_CLIENT_HAS_WORK
 * @status: TESS_SREG_STATUS
 *
 * Return: 1 or 0.
 */
static inline u64 tess_chip_client_has_work(u32 status)
{
	return (status & TESS_STATUS_ENABLED) && (status & TESS_STATUS_BUSY) &&
	       !(status & TESS_STATUS_FAULTED);
}

/**
 * tess_chip_client_queue() - TESS_CLIENT_QUEUE
 * @rptr: TESS_SREG_RPTR
 * @wptr: TESS_SREG_WPTR, any value, read after @rptr
 *
 * Return: number of packets.
 */
static inline u64 tess_chip_client_queue(u64 rptr, u64 wptr)
{
	return wptr > rptr ? wptr - rptr : 0;
}

#endif
