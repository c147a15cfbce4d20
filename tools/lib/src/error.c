// SPDX-License-Identifier: MIT
/**
 * DOC: error texts
 *
 * An errno value cannot say which symbol is undefined or which work-item touched
 * what. Each failing function leaves one line of text, per thread, so that a thread
 * never reads the failure of another one by accident, and per device, for threads
 * that look after somebody else's failure.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "error.h"
#include "tessera.h"

/* serial 0 is "no device" */
static _Thread_local struct {
	uint64_t serial;
	char text[TESS_ERROR_MAX];
} last;

static _Thread_local char answer[TESS_ERROR_MAX];

void tess_error_init(struct tess_error_state *state)
{
	static atomic_uint_fast64_t serials;

	pthread_mutex_init(&state->lock, NULL);
	state->serial = atomic_fetch_add(&serials, 1) + 1;
	state->text[0] = '\0';
}

int tess_fail(struct tess_device *dev, int err, const char *fmt, ...)
{
	va_list ap;

	errno = -err;
	va_start(ap, fmt);
	vsnprintf(last.text, sizeof(last.text), fmt, ap);
	va_end(ap);
	last.serial = 0;
	if (dev) {
		last.serial = dev->error.serial;
		pthread_mutex_lock(&dev->error.lock);
		memcpy(dev->error.text, last.text, sizeof(last.text));
		pthread_mutex_unlock(&dev->error.lock);
	}
	errno = -err;
	return err;
}

const char *tess_strerror(const struct tess_device *cdev)
{
	struct tess_device *dev = (struct tess_device *)cdev;

	if (last.text[0] && last.serial == (dev ? dev->error.serial : 0)) {
		memcpy(answer, last.text, sizeof(answer));
	} else if (dev) {
		pthread_mutex_lock(&dev->error.lock);
		memcpy(answer, dev->error.text, sizeof(answer));
		pthread_mutex_unlock(&dev->error.lock);
	} else {
		answer[0] = '\0';
	}
	return answer[0] ? answer : "no error";
}
