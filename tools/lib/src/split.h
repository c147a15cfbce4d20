/* SPDX-License-Identifier: MIT */
#ifndef TESS_LIB_SPLIT_H
#define TESS_LIB_SPLIT_H

#include <stdint.h>

/*
 * Split @total units of work over @n workers in proportion to @weight, so that the
 * one with the most work for its weight has as little as possible. @count receives
 * the units of each worker; a worker of weight 0 gets none. Returns 0 or -EINVAL if
 * there is work and nobody to do it.
 */
int tess_split(uint64_t total, const uint32_t *weight, unsigned int n, uint64_t *count);

#endif
