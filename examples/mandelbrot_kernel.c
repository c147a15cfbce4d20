// SPDX-License-Identifier: MIT
/* A work-item per pixel. Neighbours mostly agree on how long the loop runs. */
#include <tessera_device.h>

#include "mandelbrot.h"

TESS_KERNEL(mandelbrot)
void mandelbrot(const struct mandelbrot_args *args)
{
	uint32_t x = tess_get_global_id(0), y = tess_get_global_id(1);

	if (x < args->width && y < args->height)
		args->out[y * args->width + x] = mandelbrot_point(
			args->left + x * args->step, args->top + y * args->step, args->limit);
}
