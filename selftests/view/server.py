# SPDX-License-Identifier: GPL-2.0-or-later
"""tessera-view as a process, what it counts, and a head that a test draws
(tools/view/tests/drawn.h)."""

import json
import mmap
import os
import re
import signal
import struct
import subprocess
import tempfile
import time

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILT = os.path.join(TREE, "out/tools/view")
GIVEN, SHOWN, GONE, CURSOR = 1, 2, 4, 8
# Pixels from edge to edge of one
CURSOR_SIZE = 64


def wait_for(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not after {seconds} s")
        time.sleep(0.02)
    return value


class Server:
    """A server of a vGPU, on a port that was free."""

    def __init__(self, vgpu, *options, program="tessera-view"):
        self.dir = tempfile.mkdtemp(prefix="view-")
        self.stats_file = os.path.join(self.dir, "stats")
        self.log_file = os.path.join(self.dir, "log")
        with open(self.log_file, "w") as log:
            self.process = subprocess.Popen(
                [os.path.join(BUILT, program), vgpu, "--port", "0", "--stats", self.stats_file,
                 *options], stderr=log)
        self.port = int(wait_for("a port", self.find_port))

    def log(self):
        with open(self.log_file) as f:
            return f.read()

    def find_port(self):
        found = re.search(r" on \S+ port (\d+)", self.log())
        if self.process.poll() is not None:
            raise AssertionError(f"it ended: {self.log()}")
        return found and found[1]

    def stats(self):
        """What it counts now."""
        if os.path.exists(self.stats_file):
            os.unlink(self.stats_file)
        self.process.send_signal(signal.SIGUSR1)
        return wait_for("counters", self.read_stats)

    def read_stats(self):
        try:
            with open(self.stats_file) as f:
                return json.load(f)
        except FileNotFoundError:
            return None

    def children(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as f:
            return [int(pid) for pid in f.read().split()]

    def memory(self):
        """KiB of it and its children that are not shared"""
        total = 0
        for pid in [self.process.pid, *self.children()]:
            try:
                with open(f"/proc/{pid}/status") as f:
                    total += int(re.search(r"^RssAnon:\s+(\d+)", f.read(), re.M)[1])
            except (FileNotFoundError, ProcessLookupError, TypeError):
                """It ended, or is about to."""
        return total

    def wait(self, seconds=60):
        return self.process.wait(seconds)

    def end(self):
        """Its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.wait()


class Head:
    """A head whose pixels are a file, and whose flips go through a pipe."""

    def __init__(self, width, height, pitch=None, rgb565=False, room=1 << 24):
        self.dir = tempfile.mkdtemp(prefix="head-")
        self.file = os.path.join(self.dir, "pixels")
        with open(self.file, "wb") as f:
            f.truncate(room)
        with open(self.file, "r+b") as f:
            self.memory = mmap.mmap(f.fileno(), room)
        os.mkfifo(os.path.join(self.dir, "flips"))
        self.pipe = os.open(os.path.join(self.dir, "flips"), os.O_RDWR)
        self.cursor, self.image = None, bytes(CURSOR_SIZE * CURSOR_SIZE * 4)
        self.point(None)
        self.shape(width, height, pitch, rgb565)

    def shape(self, width, height, pitch=None, rgb565=False):
        """What pictures are like from the next flip on"""
        self.width, self.height, self.rgb565 = width, height, rgb565
        self.pitch = pitch or width * (2 if rgb565 else 4)

    def say(self, state, damage=(0, 0, 0, 0)):
        os.write(self.pipe, struct.pack("=9I2i", state | (CURSOR if self.cursor else 0), self.rgb565,
                                        self.width, self.height, self.pitch, *damage,
                                        *(self.cursor or (0, 0))))

    def flip(self, damage=None):
        self.say(GIVEN | SHOWN, damage or (0, 0, self.width, self.height))

    def point(self, where, image=None):
        """A cursor from the next flip on; None: none"""
        self.cursor, self.image = where, image or self.image
        with open(os.path.join(self.dir, "cursor"), "wb") as f:
            f.write(self.image)

    def line_bytes(self):
        return self.width * (2 if self.rgb565 else 4)

    def draw(self, pixels):
        """All of the picture, as it is in memory but for the pitch"""
        n = self.line_bytes()
        for y in range(self.height):
            self.memory[y * self.pitch:y * self.pitch + n] = pixels[y * n:(y + 1) * n]

    def draw_random(self, random):
        self.draw(random.randbytes(self.line_bytes() * self.height))

    def fill(self, x, y, width, height, colour):
        """XRGB8888 only"""
        for line in range(y, y + height):
            at = line * self.pitch + x * 4
            self.memory[at:at + width * 4] = struct.pack("<I", colour) * width

    def lines(self, x, y, width, height):
        """Part of the picture; XRGB8888 only"""
        return [self.memory[at:at + width * 4] for at in
                range(y * self.pitch + x * 4, (y + height) * self.pitch, self.pitch)]

    def put(self, x, y, lines):
        for i, line in enumerate(lines):
            at = (y + i) * self.pitch + x * 4
            self.memory[at:at + len(line)] = line

    def move(self, x, y, width, height, to_x, to_y):
        self.put(to_x, to_y, self.lines(x, y, width, height))

    def xrgb(self):
        """What a client is to see"""
        out = bytearray()
        for y in range(self.height):
            out += self.memory[y * self.pitch:y * self.pitch + self.line_bytes()]
        if self.rgb565:
            return b"".join(colour565(v) for (v,) in struct.iter_unpack("<H", out))
        out[3::4] = bytes(self.width * self.height)
        if self.cursor:
            cover(out, self.width, self.height, self.image, *self.cursor)
        return bytes(out)

    def cut(self):
        os.truncate(self.file, 0)


def premultiplied(noise):
    """A cursor with holes, glass, and colours"""
    out = bytearray()
    for _ in range(CURSOR_SIZE * CURSOR_SIZE):
        alpha = noise.choice((0, 255, noise.randrange(256)))
        out += bytes((*(noise.randrange(alpha + 1) for _ in range(3)), alpha))
    return bytes(out)


def cover(pixels, width, height, image, left, top):
    """A cursor on top of a picture"""
    for at in range(CURSOR_SIZE * CURSOR_SIZE):
        x, y = left + at % CURSOR_SIZE, top + at // CURSOR_SIZE
        if not (0 <= x < width and 0 <= y < height):
            continue
        *colours, alpha = image[at * 4:at * 4 + 4]
        to = (y * width + x) * 4
        for i, colour in enumerate(colours):
            pixels[to + i] = min(255, colour + (pixels[to + i] * (255 - alpha) + 127) // 255)


def colour565(value):
    red, green, blue = value >> 11, value >> 5 & 63, value & 31
    return bytes((blue << 3 | blue >> 2, green << 2 | green >> 4, red << 3 | red >> 2, 0))
