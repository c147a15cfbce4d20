#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In a host VM with the layer "gl-apps": stock libvirt gives a domain a D-Bus display that draws by
OpenGL, and planes of its vGPU as dma-bufs. The guest has no drivers and draws
(selftests/mdev/painter.c); its pictures are compared pixel by pixel. TAP."""

import contextlib
import glob
import os
import sys
import traceback
import uuid

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(HERE, "../lib"), os.path.join(HERE, "../virt")]

from domain import SHARE, Domain  # noqa: E402
from hostvm import TREE, Tap, write  # noqa: E402
from listener import Listener  # noqa: E402
from run import attr, parent, read, run, start_daemons, stop_daemons  # noqa: E402
from machine import BIRTH  # noqa: E402, of scripts/vm.d, which run.py puts on the path
from screens import PAINTER, Drawing, dbus_pictures, dbus_resizes  # noqa: E402

NAME = "tessera-dbus"
BUS = f"/run/libvirt/qemu/dbus/*-{NAME}-dbus.sock"
GRAPHICS = """
    <graphics type='dbus'><gl enable='yes' rendernode='{node}'/></graphics>
    <video><model type='none'/></video>"""
# What QEMU needs to find the Mesa of the layer; pictures of other clients are drawn by the CPU
ENVIRONMENT = ("__EGL_VENDOR_LIBRARY_FILENAMES", "LD_LIBRARY_PATH", "GBM_BACKENDS_PATH")


class Guest(Drawing):
    """A domain whose guest draws on a vGPU"""

    def __init__(self):
        self.uuid = str(uuid.uuid4())
        self.mdev = f"/sys/bus/mdev/devices/{self.uuid}"
        write(f"/sys/class/mdev_bus/{parent()}/mdev_supported_types/tessera_pci-blank/create", self.uuid)
        write(f"{self.mdev}/plane", "dmabuf")
        write(f"{self.mdev}/blueprint", "slices=1 kind=mixed memory=16M heads=1")
        node = glob.glob(f"/sys/bus/pci/devices/{parent()}/drm/renderD*")[0]
        node = "/dev/dri/" + os.path.basename(node)
        # As udev has it, which the host VM does not run
        os.chmod(node, 0o666)
        self.domain = Domain(NAME, [self.uuid], [PAINTER], 900, display=True,
                             graphics=GRAPHICS.format(node=node),
                             environment={name: os.environ[name] for name in ENVIRONMENT})

    def start(self):
        self.domain.define()
        self.domain.launch()
        self.domain.expect("shown", BIRTH)

    def said(self, word):
        return [line[len(word) + 1:] for line in self.domain.text.split("\n")[:-1]
                if line.startswith(word + " ")]

    def end(self, listener):
        """By itself, as it has no head any more"""
        self.domain.closing = True
        self.heads(0)
        listener.wait(lambda: self.domain.stopped, "the domain ends", 200)
        return (self.domain.splats(), attr(self.uuid, "stats/pinned_pages")) == ([], "0")

    def close(self):
        self.domain.close()
        write(f"{self.mdev}/remove", 1)


def start():
    """A guest that draws; another one if that never ran a program, as the emulated KVM loses guests
    that boot (Documentation/testing.rst). And what is to be said of that."""
    note = ""
    while True:
        guest = Guest()
        try:
            guest.start()
            return guest, note
        except AssertionError:
            guest.close()
            if guest.domain.boots or note:
                raise
        note = " # RETRIED the first guest did not come up"


def test(tap):
    guest, note = start()
    with contextlib.closing(guest):
        buses = glob.glob(BUS)
        tap.ok(len(buses) == 1, f"libvirt: a domain with a D-Bus display starts{note}", buses)
        listener = Listener(f"unix:path={buses[0]}")
        dbus_pictures(tap, guest, listener)
        dbus_resizes(tap, guest, listener)
        tap.ok(guest.end(listener), "libvirt: the domain ends, and all is back")
        tap.ok(listener.copied == 0, "libvirt: QEMU copied no picture", listener.copied)


def main():
    tap = Tap()
    run("modprobe", "-a", "kvm_amd", "vfio_pci", "vfio_iommu_type1")
    os.makedirs(SHARE, exist_ok=True)
    run("mount", "--bind", TREE, SHARE)
    start_daemons()
    try:
        test(tap)
    except Exception:
        tap.ok(False, "libvirt", traceback.format_exc())
        print(read(f"/var/log/libvirt/qemu/{NAME}.log"))
    stop_daemons()
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
