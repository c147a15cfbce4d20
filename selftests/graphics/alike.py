#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""alike.py A.ppm B.ppm: whether two pictures of a screen look the same; prints how much they differ.

Another renderer rounds in another way, and puts an edge on the pixel beside. So all but one of a hundred
pixels have to be within 8 of 255 in each colour, and it has to show something: more than one colour.
"""

import sys

NEAR, FAR_PERCENT = 8, 1


def read(path):
    with open(path, "rb") as f:
        kind, size, depth, pixels = f.read().split(b"\n", 3)
    if kind != b"P6" or depth != b"255":
        sys.exit(f"{path}: not a picture as QEMU writes them")
    return size, pixels


def main():
    (size, a), (other, b) = (read(path) for path in sys.argv[1:3])
    if size != other or len(a) != len(b):
        sys.exit(f"{size.decode()} and {other.decode()}: not of one size")
    far = sum(max(abs(x - y) for x, y in zip(a[i:i + 3], b[i:i + 3])) > NEAR
              for i in range(0, len(a), 3) if a[i:i + 3] != b[i:i + 3])
    differ = sum(a[i:i + 3] != b[i:i + 3] for i in range(0, len(a), 3))
    colours = len({a[i:i + 3] for i in range(0, len(a), 3)})
    print(f"{len(a) // 3} pixels, {colours} colours, {differ} differ, {far} by more than {NEAR}")
    return 0 if colours > 1 and far * 100 <= len(a) // 3 * FAR_PERCENT else 1


if __name__ == "__main__":
    sys.exit(main())
