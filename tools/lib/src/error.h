/* SPDX-License-Identifier: MIT */
#ifndef TESS_LIB_ERROR_H
#define TESS_LIB_ERROR_H

#include <pthread.h>
#include <stdint.h>

#define TESS_ERROR_MAX 512

struct tess_device;

/**
 * struct tess_error_state - last error of a device
 * @lock: protects @text
 * @serial: tells devices apart whose memory was reused
 * @text: last error of any thread
 */
struct tess_error_state {
	pthread_mutex_t lock;
	uint64_t serial;
	char text[TESS_ERROR_MAX];
};

void tess_error_init(struct tess_error_state *state);

/*
 * Remember why a call on @dev (NULL: none) fails and return @err, a negative errno
 * value. "%m" in the format is the text of @err.
 */
int tess_fail(struct tess_device *dev, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
