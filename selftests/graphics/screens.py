#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In a host VM with two GPUs and the layer "gl-apps": displays of QEMU that draw by OpenGL, on the
render node of a GPU, and planes of a vGPU, a region or dma-bufs. A guest without drivers draws
(selftests/mdev/painter.c); its pictures are compared pixel by pixel. TAP.

Arguments choose parts: region, egl, dbus. QEMU 11.1 gives nobody a picture that egl-headless has
from a dma-buf: its VNC refuses such a console, and screendump finds no surface."""

import glob
import os
import subprocess
import sys
import tempfile
import traceback
import uuid

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(HERE, "../lib"), os.path.join(HERE, "../view")]

import rfb  # noqa: E402
from hostvm import (TREE, VM, Tap, give_up, print_console, print_said, read, said,  # noqa: E402
                    wait_until, write)
from listener import Listener  # noqa: E402

PAINTER = os.path.join(TREE, "out/selftests/mdev/painter")
BOOT_S, SHOWN_S = 300, 90
CURSOR = 64
VNC_PORT = 5907
# Page faults of a program that reads picture 2 once: 120 pages, of which each fault inserts 16
READ_FAULTS = 120 // 16
SIZES = ((800, 600), (1000, 700))


def painted(n, *cursor):
    return subprocess.run([PAINTER, str(n), *cursor], check=True, capture_output=True).stdout


def cursor_image():
    """As painter.c has it"""
    return b"".join((0 if x > y else 0xff000000 | 255 - x << 16 | y << 8 | 0x55)
                    .to_bytes(4, "little") for y in range(CURSOR) for x in range(CURSOR))


class Drawing:
    """What a guest draws on a vGPU, and says of it"""

    def heads(self, n):
        write(f"{self.mdev}/blueprint", f"heads={n}")
        if n:
            wait_until(lambda: self.said("shown")[-1] == str(n), f"picture {n}", SHOWN_S)

    def has_monitor(self, size):
        """Is the last one that the guest saw of that size?"""
        return self.said("monitor")[-1] == "{}x{}".format(*size)


class Guest(Drawing):
    """A guest that draws on a vGPU, and displays of its QEMU"""

    def __init__(self, name, plane, display, *arguments):
        self.name, self.uuid = name, str(uuid.uuid4())
        self.mdev = f"/sys/bus/mdev/devices/{self.uuid}"
        self.dir = tempfile.mkdtemp(prefix="screens-")
        self.qmp = os.path.join(self.dir, "qmp")
        parent = os.path.realpath("/sys/class/tessera/gpu0/device")
        write(glob.glob(f"{parent}/mdev_supported_types/*-blank/create")[0], self.uuid)
        write(f"{self.mdev}/plane", plane)
        write(f"{self.mdev}/blueprint", "slices=1 kind=mixed memory=16M heads=1")
        node = os.path.basename(glob.glob(f"{parent}/drm/renderD*")[0])
        # Pictures of other clients are drawn by the CPU, so the GPU is left to the tests
        env = dict(os.environ, TESSERA_GL_MODULE="")
        subprocess.run(
            [VM, "guest", "--bare", "--timeout", "900", "--vgpu", f"{self.uuid},display=on",
             "--qmp", self.qmp, "--detach", name, "--qemu-arg=-display",
             f"--qemu-arg={display},rendernode=/dev/dri/{node}",
             *(f"--qemu-arg={a}" for a in arguments), "--", PAINTER],
            check=True, env=env)
        wait_until(lambda: self.said("shown"), "the guest shows nothing", BOOT_S)

    def said(self, word):
        return said(self.name, word)

    def faults(self):
        return int(read(f"{self.mdev}/stats/mmap_faults"))

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
        if status == 124:
            print_console(self.name)
            give_up(self.name)
        pinned = read(f"{self.mdev}/stats/pinned_pages")
        write(f"{self.mdev}/remove", 1)
        return status == 0 and pinned == "0"


def differing(have, want):
    """Pixels of two pictures that are not the same; None: they have not the same size"""
    if have[:15] != want[:15] or len(have) != len(want):
        return None
    return sum(have[i:i + 3] != want[i:i + 3] for i in range(15, len(have), 3))


def egl_region(tap):
    guest = Guest("region", "region", "egl-headless", "-vnc", f"127.0.0.1:{VNC_PORT - 5900}")
    client = rfb.Client(VNC_PORT, (rfb.RAW, rfb.DESKTOP_SIZE))
    for n in (1, 2):
        guest.heads(n)
        want = painted(n)
        wrong = differing(guest.screen(), want)
        tap.ok(wrong == 0, f"egl-headless, region: picture {n}", f"{wrong} pixels differ")
        client.follow(lambda: client.rgb() == want[15:], SHOWN_S)
        tap.ok(True, f"egl-headless, region: a viewer of VNC has picture {n}")
    client.close()
    tap.ok(guest.end(), "egl-headless, region: the guest ends, and all is back")


def egl_dmabuf(tap):
    guest = Guest("egl", "dmabuf", "egl-headless")
    for n in (1, 2):
        guest.heads(n)
    # The guest draws no more, so it is QEMU's Mesa that reads what a move has taken from it
    for gpu in ("gpu1", "gpu0"):
        before = guest.faults()
        write(f"{guest.mdev}/gpu", gpu)
        wait_until(lambda: guest.faults() >= before + READ_FAULTS, "QEMU reads no dma-buf", SHOWN_S)
    tap.ok(True, "egl-headless, dma-bufs: QEMU reads them, also when the vGPU has moved")
    tap.ok(guest.end(), "egl-headless, dma-bufs: the guest ends, and all is back")


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
    for size in SIZES:
        listener.resize(*size)
        listener.wait(lambda: guest.has_monitor(size), f"a monitor of {size}", SHOWN_S)
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
            guest = Guest("dbus", "dmabuf", f"dbus,gl=on,addr={address}")
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
    parts = {"region": egl_region, "egl": egl_dmabuf, "dbus": dbus}
    for name, part in parts.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        try:
            part(tap)
        except Exception:
            tap.ok(False, name, traceback.format_exc())
            print_said(name)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
