# SPDX-License-Identifier: GPL-2.0-or-later
"""A libvirt domain that boots like "scripts/vm guest": same kernel, root and ports.

libvirt starts and ends QEMU, as its own user and with its own devices; the Machine of
scripts/vm.d only serves the ports, through pipes that the domain's channels are.
"""

import argparse
import os
import threading
import time

from run import read, running, virsh

import guest  # of scripts/vm.d, which run.py puts on the path
import hung
import kernlog
import machine
import moving

# Where QEMU finds the tree: the way to the tree itself may be closed to its user
SHARE = "/run/tessera-share"
# What QEMU prints, and why libvirt says that it ended
LOG = "/var/log/libvirt/qemu/{}.log"
LOG_TAIL = 10
CONSOLE_TAIL = 30
DOWNTIME_MS = 600 * 1000

# Without a layer, and with one, whose programs need more
MEMORY_MIB = (512, 1024)

XML = """
<domain type='kvm' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>
  <name>{name}</name>
  <memory unit='MiB'>{memory}</memory>
  <vcpu>1</vcpu>
  <os>
    <type arch='x86_64' machine='q35'>hvm</type>
    <kernel>{kernel}</kernel>
    <initrd>{initrd}</initrd>
    <cmdline>{append}</cmdline>
  </os>
  <features><acpi/><apic/><ioapic driver='qemu'/><smm state='off'/><vmport state='off'/></features>
  <cpu mode='host-passthrough'><feature policy='disable' name='svm'/></cpu>
  <clock offset='utc'><timer name='hpet' present='no'/></clock>
  <on_reboot>destroy</on_reboot>
  <devices>
    <emulator>/usr/bin/qemu-system-x86_64</emulator>
    <disk type='block' device='disk'>
      <driver name='qemu' type='raw'/>
      <source dev='{disk}'/>
      <target dev='vda' bus='virtio'/>
      <readonly/>
      <address type='pci' bus='0x00' slot='0x03'/>
    </disk>
    {layer}{tree}
    <controller type='virtio-serial' index='0'>
      <address type='pci' bus='0x00' slot='0x05'/>
    </controller>
    <controller type='usb' model='none'/>
    {channels}
    <serial type='file'><source path='{console}'/></serial>
    <memballoon model='none'/>
    {hostdevs}{graphics}
  </devices>
  <qemu:commandline>
    <qemu:arg value='-qmp'/>
    <qemu:arg value='unix:{monitor},server=on,wait=off'/>{environment}
  </qemu:commandline>
  {override}
</domain>
"""

TREE_SHARED = """<filesystem type='mount' accessmode='squash' multidevs='remap'>
      <source dir='{share}'/>
      <target dir='tree'/>
      <address type='pci' bus='0x00' slot='0x04'/>
    </filesystem>"""

# A domain that shares a folder cannot be saved
TREE_DISK = """<disk type='file' device='disk'>
      <driver name='qemu' type='raw'/>
      <source file='{image}'/>
      <target dev='vdc' bus='virtio'/>
      <readonly/>
      <address type='pci' bus='0x00' slot='0x06'/>
    </disk>"""

# What comes on top of the root file system: that of the host VM
LAYER_DISK = """<disk type='block' device='disk'>
      <driver name='qemu' type='raw'/>
      <source dev='{image}'/>
      <target dev='vdb' bus='virtio'/>
      <readonly/>
      <address type='pci' bus='0x00' slot='0x04'/>
    </disk>
    """

# Nor one whose vGPU's pinned memory counts as written, unless that is allowed
OVERRIDE = """<qemu:override>
    <qemu:device alias='hostdev0'>
      <qemu:frontend>
        <qemu:property name='enable-migration' type='string' value='on'/>
      </qemu:frontend>
    </qemu:device>
  </qemu:override>"""

CHANNEL = """
    <channel type='pipe'>
      <source path='{path}'/>
      <target type='virtio' name='{name}'/>
    </channel>"""

HOSTDEV = """
    <hostdev mode='subsystem' type='mdev' model='vfio-pci'{display}>
      <source><address uuid='{uuid}'/></source>
    </hostdev>"""

ENV = """
    <qemu:env name='{name}' value='{value}'/>"""

# libvirt wants somebody who could look at a display
GRAPHICS = """
    <graphics type='vnc'><listen type='socket'/></graphics>
    <video><model type='none'/></video>"""


class Process:
    """QEMU, which is a child of libvirt's and not ours."""

    def __init__(self, pid):
        self.pid = pid
        self.args = ["qemu-system-x86_64"]
        self.returncode = 0

    def poll(self):
        return None if running(self.pid) else self.returncode

    def wait(self, timeout=30):
        end = time.monotonic() + timeout
        while running(self.pid) and time.monotonic() < end:
            time.sleep(0.1)
        return self.returncode


class Domain(machine.Machine):
    """A domain with vGPUs that runs a command. Its end is close().

    With display its screen is that of its vGPU, for which it has no drivers; one without can be
    saved, and migrated, if it has one vGPU. With layer it has that of the host VM. Its files are
    in folder: where it migrates to they have to have the same names. Its QEMU has environment.
    """

    def __init__(self, name, uuids, command, timeout, display=False, folder=None, layer=False,
                 graphics=GRAPHICS, environment=()):
        outer = guest.outer_config()
        opts = argparse.Namespace(
            kernel=".".join(os.uname().release.split(".")[:2]), accel="kvm", smp=1,
            mem=MEMORY_MIB[layer], timeout=timeout, env=[], command=command, qmp=None, verbose=False,
            allow_splat=False, tsc_khz=outer["TSC_KHZ"])
        release = machine.kernel(opts.kernel)[0]
        super().__init__(opts, "guest", guest.ROOT_DISK, guest.LAYER_DISK if layer else None,
                         tree_image=None if display else moving.tree_image(release, guest.MODULES))
        if folder:
            os.rename(self.dir, folder)
            self.dir, self.console = folder, os.path.join(folder, "console")
        self.name, self.uuids, self.display = name, uuids, display
        self.graphics, self.environment = graphics, dict(environment)
        self.text = ""
        self.news = threading.Condition()
        self.streams["out"].sink = self.streams["err"].sink = self.take_text
        self.thread = None
        self.stopped = False
        self.closing = False
        self.translated = outer["ACCEL"] == "tcg"
        self.lost = None

    @property
    def monitor(self):
        """Beside libvirt's own, in a directory where QEMU, which is another user, can make it."""
        return self.path("monitors/qmp")

    def take_text(self, data):
        with self.news:
            self.text += data.decode(errors="replace")
            self.news.notify_all()

    def xml(self):
        _, image, initramfs = machine.kernel(self.opts.kernel)
        machine.make_initrd(initramfs, self.path("initrd"),
                            self.config(() if self.display else guest.MODULES),
                            machine.command_text(self.opts.command))
        os.chmod(self.dir, 0o755)
        os.makedirs(os.path.dirname(self.monitor), exist_ok=True)
        os.chmod(os.path.dirname(self.monitor), 0o777)
        display = " display='on'" if self.display else ""
        return XML.format(
            name=self.name, kernel=image, initrd=self.path("initrd"), append=machine.APPEND,
            disk=self.root_image, console=self.console, monitor=self.monitor,
            override="" if self.display else OVERRIDE,
            memory=self.opts.mem,
            layer=LAYER_DISK.format(image=self.layer_image) if self.layer_image else "",
            tree=(TREE_DISK.format(image=self.tree_image) if self.tree_image else
                  TREE_SHARED.format(share=SHARE)),
            channels="".join(CHANNEL.format(path=self.path(n), name=n) for n in machine.PORTS),
            hostdevs="".join(HOSTDEV.format(uuid=u, display=display) for u in self.uuids),
            environment="".join(ENV.format(name=n, value=v) for n, v in self.environment.items()),
            graphics=self.graphics if self.display else "").lstrip()

    def define(self):
        path = self.path("domain.xml")
        with open(path, "w") as f:
            f.write(self.xml())
        virsh("define", "--validate", path)

    def open_ports(self):
        """Their pipes never end, whoever opens and closes them before QEMU is up, or after it."""
        super().open_ports()
        for name in machine.PORTS:
            self.fds[f"{name} held"] = os.open(self.path(f"{name}.out"), os.O_WRONLY)

    def launch(self):
        """Start it and serve its ports until it is gone."""
        self.open_ports()
        virsh("start", self.name, timeout=300)
        self.follow()

    def save(self, path):
        """Into a file; it is gone then. All that was pinned counts as written, so it takes time."""
        virsh("migrate-setmaxdowntime", self.name, str(DOWNTIME_MS))
        self.closing = True
        virsh("save", self.name, path, timeout=300)
        self.thread.join(30)
        self.closing = False

    def restore(self, path):
        """It goes on, and so does what its command prints.

        Past the cache libvirt hands over a pipe; a file is what QEMU does not take from it any more.
        """
        virsh("restore", path, "--bypass-cache", timeout=300)
        self.follow()

    def follow(self):
        """Serve its ports until it is gone from here."""
        self.stopped, self.heard = False, time.monotonic()
        self.qemu = Process(int(read(f"/run/libvirt/qemu/{self.name}.pid")))
        self.thread = threading.Thread(target=self.serve_ports, daemon=True)
        self.thread.start()

    def serve_ports(self):
        pidfd = os.pidfd_open(self.qemu.pid)
        try:
            ended = self.pump(pidfd, time.monotonic() + self.opts.timeout)
            if not self.closing:
                self.explain("died before the command ended" if ended else
                             f"no end after {self.opts.timeout} s")
        finally:
            os.close(pidfd)
            with self.news:
                self.stopped = True
                self.news.notify_all()

    def emulator_text(self):
        with open(LOG.format(self.name), errors="replace") as f:
            return f.read()

    def explain(self, what):
        """Say what the domain does, or how it ended, and if the emulator lost it."""
        self.say(what)
        proof = None
        lines = self.emulator_text().splitlines()[-LOG_TAIL:]
        if self.qemu.poll() is None:
            state, proof = hung.examine(self.monitor, None, True)
            lines += state
        else:
            lines += self.console_text().splitlines()[-CONSOLE_TAIL:]
        for line in lines:
            self.say("| " + line)
        self.tell_lost(proof or self.last_words() or self.where_it_shut_down())

    def tell_lost(self, proof):
        self.lost = proof if self.translated else None
        super().tell_lost(proof)

    def expect(self, word, timeout):
        """Wait for a word in what the command prints; returns all of it so far."""
        with self.news:
            if not self.news.wait_for(lambda: word in self.text or self.stopped, timeout) or \
                    word not in self.text:
                if not self.stopped:
                    self.explain(f"no {word!r} after {timeout} s")
                raise AssertionError(f"the guest did not say {word!r}, but:\n{self.text}"
                                     f"\nconsole:\n{self.console_text()[-3000:]}")
            return self.text

    def splats(self):
        return kernlog.splats(self.console_text())

    def destroy(self, **how):
        self.closing = True
        virsh("destroy", self.name, **how)

    def close(self):
        if self.qemu is not None and self.qemu.poll() is None:
            self.destroy(status=None)
        if self.thread is not None:
            self.thread.join(30)
        virsh("undefine", self.name, status=None)
        self.qemu = None
        self.__exit__()
