#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A viewer that others wrote, TigerVNC's, on a screen in memory, as TAP: each pixel of a head that this
test draws is on that screen. Needs the layer "viewers"."""

import os
import random
import struct
import subprocess
import sys
import tempfile
import time
import traceback

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(HERE, "../lib")]

from server import Head  # noqa: E402
from tap import Tap  # noqa: E402
from watched import secure, start  # noqa: E402

SIZE = (640, 480)
PATIENCE_S = 120
# The header of a picture as xwd writes it (X11/XWDFile.h), and the size of a colour behind it
XWD = struct.Struct(">25I")
XWD_COLOUR = 12


class Screen:
    """An X server without a screen."""

    def __init__(self):
        read, write = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1024x768x24"], pass_fds=[write],
            stderr=subprocess.DEVNULL)
        os.close(write)
        with open(read) as f:
            self.name = f":{int(f.readline())}"

    def lines(self):
        """Bytes of a line, and all pixels XRGB8888"""
        picture = subprocess.run(["xwd", "-root", "-silent", "-display", self.name],
                                 check=True, capture_output=True).stdout
        header = XWD.unpack(picture[:XWD.size])
        pixels = bytearray(picture[header[0] + header[19] * XWD_COLOUR:])
        pixels[3::4] = bytes(len(pixels) // 4)
        return header[12], pixels

    def has(self, head):
        """All of what a head shows, at some place"""
        pitch, pixels = self.lines()
        want, n = head.xrgb(), head.line_bytes()
        at = pixels.find(want[:n])
        return at >= 0 and all(pixels[at + y * pitch:at + y * pitch + n] == want[y * n:(y + 1) * n]
                               for y in range(head.height))

    def end(self):
        self.process.terminate()
        self.process.wait()


class Shown:
    """A head, a server, and the viewer on a screen; what the viewer said if that goes wrong."""

    def __init__(self, screen, *options, access=False):
        self.screen, self.head = screen, Head(*SIZE)
        self.head.draw_random(random.Random(1))
        self.head.flip()
        env = dict(os.environ, DISPLAY=screen.name, HOME=tempfile.mkdtemp())
        arguments = []
        if access:
            certificate, arguments = secure(self.head)
            env |= {"VNC_USERNAME": "ali", "VNC_PASSWORD": "open sesame"}
            options += ("-SecurityTypes=X509Plain", f"-X509CA={certificate}")
        self.server = start(self.head, *arguments)
        self.log = os.path.join(self.head.dir, "viewer")
        with open(self.log, "w") as log:
            self.viewer = subprocess.Popen(
                ["xtigervncviewer", "-AutoSelect=0", "-FullColor=1", "-NoJPEG=1", "-ViewOnly=1",
                 "-AlertOnFatalError=0", *options, f"localhost::{self.server.port}"],
                env=env, stdout=log, stderr=log)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.viewer.kill()
        self.viewer.wait()
        self.server.end()
        if kind:
            with open(self.log) as f:
                print("".join(f"# {line}" for line in f))

    def same(self):
        end = time.monotonic() + PATIENCE_S
        while not self.screen.has(self.head):
            assert self.viewer.poll() is None, "the viewer ended"
            assert time.monotonic() < end, f"not there after {PATIENCE_S} s"
            time.sleep(0.5)

    def change(self, step):
        self.head.fill(100 + step, 100 + 50 * step, 200, 30, 0x123456 * (step + 1) & 0xffffff)
        self.head.flip()
        self.same()


def test_pictures(screen, *options, **how):
    with Shown(screen, *options, **how) as s:
        s.same()
        for step in range(3):
            s.change(step)


def test_size(screen):
    with Shown(screen) as s:
        s.same()
        s.head.shape(400, 300)
        s.head.draw_random(random.Random(2))
        s.head.flip()
        s.same()


TESTS = {
    "ZRLE": lambda s: test_pictures(s, "-PreferredEncoding=ZRLE"),
    "Tight without JPEG": lambda s: test_pictures(s, "-PreferredEncoding=Tight"),
    "Raw": lambda s: test_pictures(s, "-PreferredEncoding=Raw"),
    "TLS with a user and a password": lambda s: test_pictures(s, access=True),
    "another size": test_size,
}


def main():
    tap, screen = Tap(), Screen()
    for name, test in TESTS.items():
        try:
            test(screen)
            tap.ok(True, name)
        except Exception:
            tap.ok(False, name, traceback.format_exc())
    screen.end()
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
