# SPDX-License-Identifier: GPL-2.0-or-later
"""Stock libvirt with vGPUs: node devices, and a domain that has one and computes on it."""

import json
import os
import struct
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

from domain import SHARE, Domain
from mdevctl_test import has_words
from run import TREE, attr, exists, has, parent, run, same, types, virsh, wait_for

UUID = "0f6ed1c5-2d5a-4f7c-9d2c-000000000003"
OTHER = "0f6ed1c5-2d5a-4f7c-9d2c-000000000004"
SHAPE = "slices=2 min=1 max=4 kind=compute memory=4M"
NAME = "tessera-test"
SCREEN_NAME = "tessera-screen"
SAVED = "/run/tessera-saved"

# Prints "done N" when all results were right while there were N slices
WORK = """
shape() { cat /sys/class/tessera/gpu0/slices/*/state | grep -cv absent; }
until_shape() { until [ "$(shape)" = "$1" ]; do sleep 0.5; done; }
hashes() { grep -E '^[0-9a-f]{64} ' /tmp/sums | sha256sum -c --quiet; }
work() { out/examples/sha256 examples/*.c >/tmp/sums && hashes &&
	out/examples/sgemm --size 64 && echo "done $1"; }
for n in 2 4 1 3; do
	until_shape $n && work $n || { echo "failed $n"; exit 1; }
done
while :; do out/examples/sgemm --size 96; done
"""

DEVICE = """
<device>
  <name>{name}</name>
  <parent>{parent}</parent>
  <capability type='mdev'>
    <type id='tessera_pci-{kind}'/>
    <uuid>{uuid}</uuid>
    {attrs}
  </capability>
</device>
"""


def gpu_name():
    return "pci_" + parent().replace(":", "_").replace(".", "_")


def mdev_name(uuid):
    return f"mdev_{uuid}_{parent()}".replace("-", "_").replace(":", "_").replace(".", "_")


def device_file(uuid, kind, *attrs):
    path = os.path.join(tempfile.gettempdir(), f"{uuid}.xml")
    text = "".join(f"<attr name='{name}' value='{value}'/>" for name, value in attrs)
    with open(path, "w") as f:
        f.write(DEVICE.format(name=mdev_name(uuid), parent=gpu_name(), kind=kind, uuid=uuid,
                              attrs=text).lstrip())
    return path


def dumped(name, *options):
    return ElementTree.fromstring(virsh("nodedev-dumpxml", name, *options))


def attrs_of(uuid, *options):
    capability = dumped(mdev_name(uuid), *options).find("capability")
    return [(a.get("name"), a.get("value")) for a in capability.findall("attr")]


def instances():
    """Available instances, as libvirt tells them."""
    found = {}
    for kind in dumped(gpu_name()).iter("type"):
        found[kind.get("id")] = int(kind.find("availableInstances").text)
        same(kind.find("deviceAPI").text, "vfio-pci")
    return found


def forget(uuid):
    virsh("nodedev-destroy", mdev_name(uuid), status=None)
    virsh("nodedev-undefine", mdev_name(uuid), status=None)


def screenshot(name):
    """As a PNG file: that is what libvirt asks QEMU for."""
    path = os.path.join(tempfile.gettempdir(), "screen.png")
    has(virsh("screenshot", name, path), "image/png")
    with open(path, "rb") as f:
        return f.read()


def screendump(name):
    """As a PPM file, written by QEMU, which is another user."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o777)
        path = os.path.join(directory, "screen.ppm")
        command = {"execute": "screendump", "arguments": {"filename": path}}
        virsh("qemu-monitor-command", name, json.dumps(command))
        with open(path, "rb") as f:
            return f.read()


class LibvirtTests:
    """Tests of one life: later ones use what earlier ones made."""

    def __init__(self, pool):
        self.pool = pool
        self.domain = None

    def gpu(self):
        has(virsh("nodedev-list", "--cap", "mdev_types"), gpu_name())
        same(instances(), types())

    def define_device(self):
        virsh("nodedev-define", device_file(UUID, "blank", ("blueprint", SHAPE)), "--validate")
        has(virsh("nodedev-list", "--cap", "mdev", "--inactive"), mdev_name(UUID))
        same(attrs_of(UUID), [("blueprint", SHAPE)])
        same((exists(UUID), types()), (False, self.pool))

    def start_device(self):
        virsh("nodedev-start", mdev_name(UUID))
        # libvirt follows the kernel's events, with mdevctl, in its own time
        wait_for("the device in the list of active ones",
                 lambda: mdev_name(UUID) in virsh("nodedev-list", "--cap", "mdev"))
        text = attr(UUID, "blueprint")
        has_words(text, SHAPE)
        wait_for("the blueprint of what runs", lambda: attrs_of(UUID) == [("blueprint", text)])
        same(attrs_of(UUID, "--inactive"), [("blueprint", SHAPE)], "what is defined")
        same(instances(), types())
        same(types() != self.pool, True, "instances that are left change")

    def autostart_device(self):
        virsh("nodedev-autostart", mdev_name(UUID))
        has(virsh("nodedev-info", mdev_name(UUID)), "Autostart:      yes")
        virsh("nodedev-autostart", mdev_name(UUID), "--disable")
        has(virsh("nodedev-info", mdev_name(UUID)), "Autostart:      no")

    def refused_devices(self):
        before = types()
        path = device_file(OTHER, "blank", ("bluprint", SHAPE))
        has(virsh("nodedev-define", path, status=1), "no attribute bluprint")
        path = device_file(OTHER, "blank", ("blueprint", "slices=15 kind=render"))
        has(virsh("nodedev-create", path, status=1), "No space left")
        virsh("nodedev-define", path)
        self.refused_start()
        same((exists(OTHER), types()), (False, before))
        forget(OTHER)

    @staticmethod
    def refused_start():
        """The device that could not be created existed for a moment.

        libvirt hears of its end from the kernel in its own time, and until then takes it for
        one that runs.
        """
        said = []

        def refused():
            said[:] = [virsh("nodedev-start", mdev_name(OTHER), status=1)]
            return "already active" not in said[0]

        wait_for("the end of a device that could not be created", refused)
        has(said[0], "No space left")

    def start_domain(self):
        os.makedirs(SHARE, exist_ok=True)
        run("mount", "--bind", TREE, SHARE)
        self.domain = Domain(NAME, [UUID], ["sh", "-c", WORK], 600)
        self.domain.define()
        has(virsh("list", "--all", "--name"), NAME)
        self.domain.launch()
        same(virsh("domstate", NAME).strip(), "running")
        self.domain.expect("done 2", 400)

    def in_use(self):
        """Neither can another domain have it, nor more memory be asked for."""
        text, pool = attr(UUID, "blueprint"), types()
        path = device_file(UUID, "blank", ("blueprint", SHAPE.replace("memory=4M", "memory=8M")))
        has(virsh("nodedev-update", mdev_name(UUID), path, "--live", status=1), "EBUSY: ")
        same((attr(UUID, "blueprint"), types()), (text, pool))

    def recompose(self):
        """The definition is changed along with the device, or not."""
        for slices, options in ((4, ["--live"]), (1, ["--live", "--config"])):
            shape = SHAPE.replace("slices=2", f"slices={slices}")
            path = device_file(UUID, "blank", ("blueprint", shape))
            virsh("nodedev-update", mdev_name(UUID), path, *options)
            has_words(attr(UUID, "blueprint"), shape)
            self.domain.expect(f"done {slices}", 200)
        same(attrs_of(UUID, "--inactive"), [("blueprint", shape)])

    def save_and_restore(self):
        """Its vGPU is composed anew while the domain is a file."""
        self.domain.save(SAVED)
        same(virsh("domstate", NAME).strip(), "shut off")
        wait_for("the end of pinning", lambda: attr(UUID, "stats/pinned_pages") == "0")
        shape = SHAPE.replace("slices=2", "slices=3")
        virsh("nodedev-update", mdev_name(UUID), device_file(UUID, "blank", ("blueprint", shape)),
              "--live")
        self.domain.restore(SAVED)
        os.unlink(SAVED)
        same(virsh("domstate", NAME).strip(), "running")
        self.domain.expect("done 3", 200)

    def destroy_domain(self):
        """In the middle of its work."""
        self.domain.destroy()
        same(virsh("domstate", NAME).strip(), "shut off")
        same(self.domain.splats(), [])
        wait_for("the end of pinning", lambda: attr(UUID, "stats/pinned_pages") == "0")
        virsh("undefine", NAME)
        same(virsh("list", "--all", "--name").strip(), "")

    def screen(self):
        """A domain's screen is what its guest draws on its vGPU."""
        painter = os.path.join(TREE, "out/selftests/mdev/painter")
        virsh("nodedev-create", device_file(OTHER, "D1"))
        if self.domain is not None:
            self.domain.close()
        self.domain = Domain(SCREEN_NAME, [OTHER], [painter], 400, display=True)
        self.domain.define()
        self.domain.launch()
        self.domain.expect("shown 1", 300)
        same(screenshot(SCREEN_NAME)[16:24], struct.pack(">II", 640, 480))
        same(screendump(SCREEN_NAME) == subprocess.check_output([painter, "1"]), True, "picture 1")
        self.domain.destroy()
        same(self.domain.splats(), [])
        virsh("undefine", SCREEN_NAME)
        virsh("nodedev-destroy", mdev_name(OTHER))

    def destroy_device(self):
        virsh("nodedev-destroy", mdev_name(UUID))
        same(exists(UUID), False)
        virsh("nodedev-undefine", mdev_name(UUID))
        # libvirt hears of both ends in its own time, even of what it was asked for
        wait_for("the end of the device in the list",
                 lambda: virsh("nodedev-list", "--cap", "mdev", "--all").strip() == "")
        same((types(), instances()), (self.pool, self.pool))

    def close(self):
        if self.domain is not None:
            self.domain.close()
        for uuid in (UUID, OTHER):
            forget(uuid)

    def tests(self):
        return (
            ("the GPU and its types", self.gpu),
            ("a device is defined with a blueprint", self.define_device),
            ("and started", self.start_device),
            ("and started automatically, or not", self.autostart_device),
            ("devices that are refused", self.refused_devices),
            ("a domain with it computes", self.start_domain),
            ("what cannot change while it is in use", self.in_use),
            ("the domain computes on while it is recomposed", self.recompose),
            ("the domain is saved, and restored into another composition", self.save_and_restore),
            ("the domain is destroyed", self.destroy_domain),
            ("the screen of a domain is what its vGPU shows", self.screen),
            ("all is back in the pool", self.destroy_device),
        )
