#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""screen_size.py WIDTHxHEIGHT: in a guest, its first screen prefers a size, at 60 Hz.

The EDID that the monitor has, with another detailed timing in front, is written over it in debugfs, and the
connector is looked at anew. Timings are those that VESA's DMT has for the size.
"""

import glob
import os
import struct
import subprocess
import sys

# Clock in 10 kHz; pixels, blank, front, sync; lines, blank, front, sync. Both syncs are positive
TIMINGS = {"800x600": (4000, 800, 256, 40, 128, 600, 28, 1, 4)}
TIMING_AT, SUM_AT, SIZE = 54, 127, 128
DEBUGFS = "/sys/kernel/debug"


def timing(size):
    """The 18 bytes of a detailed timing (EDID 1.4, 3.10.2)."""
    clock, width, h_blank, h_front, h_sync, height, v_blank, v_front, v_sync = TIMINGS[size]
    return struct.pack(
        "<H16B", clock,
        width & 0xff, h_blank & 0xff, width >> 8 << 4 | h_blank >> 8,
        height & 0xff, v_blank & 0xff, height >> 8 << 4 | v_blank >> 8,
        h_front & 0xff, h_sync & 0xff, (v_front & 0xf) << 4 | v_sync & 0xf,
        h_front >> 8 << 6 | h_sync >> 8 << 4 | v_front >> 4 << 2 | v_sync >> 4,
        0, 0, 0, 0, 0, 0x1e)


def main():
    connector = sorted(glob.glob("/sys/class/drm/card*-*"))[0]
    name = connector.rsplit("/", 1)[1]
    card, output = name.split("-", 1)
    with open(f"{connector}/edid", "rb") as f:
        edid = bytearray(f.read())
    if len(edid) < SIZE:
        sys.exit(f"{name} has no EDID")
    edid[TIMING_AT:TIMING_AT + 18] = timing(sys.argv[1])
    edid[SUM_AT] = -sum(edid[:SUM_AT]) & 0xff
    if not os.path.ismount(DEBUGFS):
        subprocess.run(["mount", "-t", "debugfs", "debugfs", DEBUGFS], check=True)
    with open(f"{DEBUGFS}/dri/{card[4:]}/{output}/edid_override", "wb", buffering=0) as f:
        f.write(edid)
    with open(f"{connector}/status", "w", encoding="ascii") as f:
        f.write("detect")
    with open(f"{connector}/modes", encoding="ascii") as f:
        modes = f.read().split()
    if modes[:1] != [sys.argv[1]]:
        sys.exit(f"{name} prefers {modes}")


if __name__ == "__main__":
    main()
