#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In a host VM with two GPUs and the layer "gl-apps": displays of QEMU that draw by OpenGL, on the
render node of a GPU, and take planes of a vGPU as dma-bufs. A guest without drivers draws
(selftests/mdev/painter.c); its pictures are compared pixel by pixel. TAP."""

import glob
import os
import subprocess
import sys
import tempfile
import traceback
import uuid

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(HERE, "../lib")]

from hostvm import TREE, VM, Tap, print_said, read, said, wait_until, write  # noqa: E402
from listener import Listener  # noqa: E402

PAINTER = os.path.join(TREE, "out/selftests/mdev/painter")
BOOT_S, SHOWN_S = 300, 90
CURSOR = 64


def painted(n, *cursor):
    return subprocess.run([PAINTER, str(n), *cursor], check=True, capture_output=True).stdout


def cursor_image():
    """As painter.c has it"""
    return b"".join((0 if x > y else 0xff000000 | 255 - x << 16 | y << 8 | 0x55)
                    .to_bytes(4, "little") for y in range(CURSOR) for x in range(CURSOR))


class Guest:
    """A guest that draws on a vGPU whose planes are dma-bufs, and a display of its QEMU"""

    def __init__(self, name, display):
        self.name, self.uuid = name, str(uuid.uuid4())
        self.mdev = f"/sys/bus/mdev/devices/{self.uuid}"
        self.dir = tempfile.mkdtemp(prefix="screens-")
        self.qmp = os.path.join(self.dir, "qmp")
        parent = os.path.realpath("/sys/class/tessera/gpu0/device")
        write(glob.glob(f"{parent}/mdev_supported_types/*-blank/create")[0], self.uuid)
        write(f"{self.mdev}/plane", "dmabuf")
        write(f"{self.mdev}/blueprint", "slices=1 kind=mixed memory=16M heads=1")
        node = os.path.basename(glob.glob(f"{parent}/drm/renderD*")[0])
        # Pictures of other clients are drawn by the CPU, so the GPU is left to the tests
        env = dict(os.environ, TESSERA_GL_MODULE="")
        subprocess.run(
            [VM, "guest", "--bare", "--timeout", "900", "--vgpu", f"{self.uuid},display=on",
             "--qmp", self.qmp, "--detach", name, "--qemu-arg=-display",
             f"--qemu-arg={display},rendernode=/dev/dri/{node}", "--", PAINTER],
            check=True, env=env)
        wait_until(lambda: self.said("shown"), "the guest shows nothing", BOOT_S)

    def said(self, word):
        return said(self.name, word)

    def heads(self, n):
        write(f"{self.mdev}/blueprint", f"heads={n}")
        if n:
            wait_until(lambda: self.said("shown")[-1] == str(n), f"picture {n}", SHOWN_S)

    def screen(self):
        shot = os.path.join(self.dir, "shot.ppm")
        subprocess.run([os.path.join(TREE, "selftests/mdev/qmp.py"), self.qmp, "screendump",
                        f'{{"device": "vgpu0", "head": 0, "filename": "{shot}"}}'],
                       check=True, stdout=subprocess.DEVNULL)
        with open(shot, "rb") as f:
            return f.read()

    def end(self):
        """Of a guest that has no head any more"""
        self.heads(0)
        status = subprocess.run([VM, "wait", self.name, "--timeout", "200"], check=False).returncode
        pinned = read(f"{self.mdev}/stats/pinned_pages")
        write(f"{self.mdev}/remove", 1)
        return status == 0 and pinned == "0"


def differing(have, want):
    """Pixels of two pictures that are not the same; None: they have not the same size"""
    if have[:15] != want[:15] or len(have) != len(want):
        return None
    return sum(have[i:i + 3] != want[i:i + 3] for i in range(15, len(have), 3))


def egl(tap):
    guest = Guest("egl", "egl-headless")
    for n in (1, 2):
        guest.heads(n)
        wrong = differing(guest.screen(), painted(n, "cursor"))
        tap.ok(wrong == 0, f"egl-headless: picture {n}, with the cursor", f"{wrong} pixels differ")
    write(f"{guest.mdev}/gpu", "gpu1")
    wrong = differing(guest.screen(), painted(2, "cursor"))
    tap.ok(wrong == 0, "egl-headless: the same, when the vGPU has moved", f"{wrong} pixels differ")
    tap.ok(guest.end(), "egl-headless: the guest ends, and all is back")


def dbus_pictures(tap, guest, listener):
    for n in (1, 2):
        guest.heads(n)
        want = painted(n)
        listener.wait(lambda: listener.pictures and
                      differing(listener.pictures[-1].ppm(), want) == 0, f"picture {n}", SHOWN_S)
        tap.ok(listener.pictures[-1].fourcc == "XR24", f"D-Bus: a dma-buf of picture {n}")
    listener.wait(lambda: listener.cursors and listener.places, "the cursor", SHOWN_S)
    width, height, hot_x, hot_y, image = listener.cursors[-1]
    tap.ok((width, height, hot_x, hot_y) == (CURSOR, CURSOR, 0, 0) and
           bytes(image) == cursor_image() and listener.places[-1] == (40, 30, 1),
           "D-Bus: the cursor", (listener.cursors[-1][:4], listener.places[-1]))


def dbus_resizes(tap, guest, listener):
    for size in ((800, 600), (1000, 700)):
        listener.resize(*size)
        text = f"{size[0]}x{size[1]}"
        listener.wait(lambda: guest.said("monitor")[-1] == text, f"a monitor of {text}", SHOWN_S)
    tap.ok(True, "D-Bus: a window with another size is another monitor")


def dbus_moves(tap, guest, listener):
    before, count = listener.pictures[-1], len(listener.pictures)
    write(f"{guest.mdev}/gpu", "gpu1")
    listener.wait(lambda: len(listener.pictures) > count, "a dma-buf of the other GPU", SHOWN_S)
    tap.ok([differing(p.ppm(), painted(2)) for p in (before, listener.pictures[-1])] == [0, 0],
           "D-Bus: another dma-buf when the vGPU has moved, and that of before shows the same")
    return before


def dbus(tap):
    address = "unix:path=" + os.path.join(tempfile.mkdtemp(prefix="bus-"), "bus")
    with subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--nopidfile",
                           "--address", address]) as daemon:
        try:
            wait_until(lambda: os.path.exists(address[10:]), "a bus", 30)
            guest = Guest("dbus", f"dbus,gl=on,addr={address}")
            listener = Listener(address)
            dbus_pictures(tap, guest, listener)
            dbus_resizes(tap, guest, listener)
            old = dbus_moves(tap, guest, listener)
            ended = guest.end()
            tap.ok(ended and not any(old.memory[:]),
                   "D-Bus: who has a dma-buf when the guest has ended reads zeros")
            tap.ok(listener.copied == 0, "D-Bus: QEMU copied no picture", listener.copied)
        finally:
            daemon.terminate()


def main():
    subprocess.run(["modprobe", "vfio_iommu_type1"], check=True)
    tap = Tap()
    for name, part in (("egl", egl), ("dbus", dbus)):
        try:
            part(tap)
        except Exception:
            tap.ok(False, name, traceback.format_exc())
            print_said(name)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
