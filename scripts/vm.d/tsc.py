# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures this machine's time stamp counter.

A translated (TCG) machine reads the counter of the machine below it, but its
kernel would find out the frequency by timing, which goes wrong by a factor when
the processors are busy: its clock then runs too fast or too slow for good. So
the frequency is measured here and handed to the kernel.
"""

import ctypes
import mmap
import time

# rdtsc; shl rdx, 32; or rax, rdx; ret
CODE = bytes.fromhex("0f3148c1e2204809d0c3")
INTERVAL = 0.05
ATTEMPTS = 20


def counter():
    """Return a function that reads the counter."""
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(CODE)
    function = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    function.page = page
    return function


def sample(read):
    """Counter and time of one moment: the best of several tries, as any may be interrupted."""
    best = None
    for _ in range(ATTEMPTS):
        before = time.monotonic_ns()
        ticks = read()
        after = time.monotonic_ns()
        if best is None or after - before < best[0]:
            best = (after - before, ticks, (before + after) // 2)
    return best[1:]


def khz():
    read = counter()
    ticks, start = sample(read)
    time.sleep(INTERVAL)
    ticks_after, end = sample(read)
    return round((ticks_after - ticks) * 1_000_000 / (end - start))
