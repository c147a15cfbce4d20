#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Mandelbrot set by OpenCL: an ordinary program of pyopencl, for any device.

usage: mandelbrot.py [--width N] [--height N] [--steps N] [--output FILE] [--no-verify]

Computes the picture on the first device of the first platform, compares it with numpy's on the CPU,
pixel by pixel, and writes it as PNG. The last line says how many pixels differ. Ends with status 1 if
any does, or if OpenCL fails, 2 if the options are wrong.
"""

import argparse
import os
import struct
import sys
import zlib

import numpy as np
import pyopencl as cl

# Every operation is rounded by itself, as numpy does.
SOURCE = """
#pragma OPENCL FP_CONTRACT OFF
kernel void mandelbrot(global ushort *out, float left, float top, float pitch, ushort steps)
{
	const size_t x = get_global_id(0), y = get_global_id(1);
	const float cr = left + pitch * x, ci = top + pitch * y;
	float r = 0, i = 0;
	ushort n = 0;

	while (n < steps && r * r + i * i <= 4.0f) {
		const float old = r;

		r = r * r - i * i + cr;
		i = 2.0f * old * i + ci;
		n++;
	}
	out[y * get_global_size(0) + x] = n;
}
"""
WIDE = 3.0
LEFT = -2.25


def region(width, height):
    """Left, top and the distance of two pixels."""
    pitch = np.float32(WIDE / width)
    return np.float32(LEFT), np.float32(-float(pitch) * height / 2), pitch


def on_device(width, height, steps):
    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    kernel = cl.Kernel(cl.Program(context, SOURCE).build(), "mandelbrot")
    found = np.empty((height, width), np.uint16)
    buffer = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, found.nbytes)
    kernel(queue, (width, height), None, buffer, *region(width, height), np.uint16(steps))
    cl.enqueue_copy(queue, found, buffer)
    return device.name, found


def on_cpu(width, height, steps):
    left, top, pitch = region(width, height)
    cr = (left + pitch * np.arange(width, dtype=np.float32))[np.newaxis, :]
    ci = (top + pitch * np.arange(height, dtype=np.float32))[:, np.newaxis]
    r = np.zeros((height, width), np.float32)
    i = np.zeros_like(r)
    n = np.zeros((height, width), np.uint16)
    for _ in range(steps):
        inside = r * r + i * i <= np.float32(4)
        if not inside.any():
            break
        r, i = (np.where(inside, r * r - i * i + cr, r),
                np.where(inside, np.float32(2) * r * i + ci, i))
        n += inside
    return n


def colors(counts, steps):
    """Black inside, bands of color outside."""
    palette = np.zeros((steps + 1, 3), np.uint8)
    for n in range(steps):
        palette[n] = (n * 5 % 256, n * 11 % 256, 64 + n * 17 % 192)
    return palette[counts]


def png(pixels):
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def size(text):
    n = int(text)
    if not 1 <= n <= 16384:
        raise argparse.ArgumentTypeError("a number from 1 to 16384")
    return n


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    p.add_argument("--width", type=size, default=480, metavar="N")
    p.add_argument("--height", type=size, default=320, metavar="N")
    p.add_argument("--steps", type=size, default=128, metavar="N", help="iterations of a pixel")
    p.add_argument("--output", metavar="FILE", help="write the picture, as PNG")
    p.add_argument("--no-verify", action="store_true", help="do not compare with the CPU")
    return p.parse_args()


def main():
    args = arguments()
    shape = args.width, args.height, args.steps
    try:
        name, found = on_device(*shape)
        if args.output:
            with open(args.output, "wb") as f:
                f.write(png(colors(found, args.steps)))
                f.flush()
                os.fsync(f.fileno())
    except (cl.Error, OSError) as e:
        print(f"mandelbrot: {e}", file=sys.stderr)
        return 1
    print(f"mandelbrot: {args.width}x{args.height} on {name}")
    if args.no_verify:
        return 0
    bad = int((found != on_cpu(*shape)).sum())
    print(f"mandelbrot: {bad} of {found.size} pixels differ from the CPU")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
