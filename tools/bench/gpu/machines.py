# SPDX-License-Identifier: GPL-2.0-or-later
"""The machines that are compared: each takes orders for tessera-bench and answers.

A machine is the host VM itself, a guest with a whole GPU, or a guest with a vGPU.
All of them live at the same time, so that they can be measured in turn; those that
are not asked wait in read(2) and cost nothing.
"""

import glob
import json
import os
import socket
import subprocess
import time
import uuid

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))))
VM = os.path.join(TREE, "scripts", "vm")
BENCH = os.path.join(TREE, "out", "tools", "bench", "gpu")
PROGRAM = (os.path.join(BENCH, "tessera-bench"), BENCH, os.path.join(TREE, "out", "examples"))
BOOT_SECONDS = 900
ANSWER_SECONDS = 300

# A guest finds its port by its name. $HANG_MS: Documentation/uapi.rst.
IN_GUEST = """
[ -z "$HANG_MS" ] || echo "$HANG_MS" >/sys/module/tessera_drm/parameters/hang_ms || exit 125
for p in /sys/class/virtio-ports/*; do
	[ "$(cat "$p/name")" = bench ] && exec "$@" "/dev/${p##*/}"
done
exit 125
"""


class BenchError(Exception):
    """What went wrong, in words."""


def read(*path):
    with open(os.path.join(*path)) as f:
        return f.read().strip()


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def create_vgpu(kind):
    """Create a vGPU of a type on the first GPU that offers it."""
    for path in sorted(glob.glob(f"/sys/class/mdev_bus/*/mdev_supported_types/*-{kind}")):
        if int(read(path, "available_instances")):
            name = str(uuid.uuid4())
            write(os.path.join(path, "create"), name)
            return name
    raise BenchError(f"no GPU has room for a vGPU of type {kind}")


def remove_vgpu(name):
    write(f"/sys/bus/mdev/devices/{name}/remove", "1")


class Machine:
    """Something that runs tessera-bench, or another program that takes such orders."""

    def __init__(self, name, program):
        self.name = name
        self.program = program
        self.reader = self.writer = None

    def hello(self):
        """First line of the program: what slice it found."""
        self.slice = self.answer()

    def answer(self):
        line = self.reader.readline()
        try:
            found = json.loads(line)
        except ValueError as e:
            raise BenchError(f"{self.name}: no answer: {line!r}") from e
        if "error" in found:
            raise BenchError(f"{self.name}: {found['error']}")
        return found

    def order(self, load, count, depth):
        """Start a load."""
        self.writer.write(f"{load} {count} {depth}\n")
        self.writer.flush()

    def run(self, load, count, depth):
        """Run a load; the answer of tessera-bench."""
        self.order(load, count, depth)
        found = self.answer()
        if found["bad"]:
            raise BenchError(f"{self.name}: {load}: {found['bad']} wrong results")
        return found

    def again(self):
        """The program starts over, at addresses of other luck."""
        self.writer.write("again\n")
        self.writer.flush()
        self.hello()

    def quit(self):
        if self.writer:
            try:
                self.writer.write("quit\n")
                self.writer.flush()
            except OSError:
                pass


class Host(Machine):
    """This machine, on its own DRM node: the first one, or the one that is named."""

    def __init__(self, name, node="", program=PROGRAM):
        super().__init__(name, program)
        self.child = None
        self.node = node

    def start(self):
        self.child = subprocess.Popen(self.program, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      text=True, env={**os.environ, "TESSERA_DEVICE": self.node})
        self.reader, self.writer = self.child.stdout, self.child.stdin
        self.hello()

    def processor_threads(self):
        return [self.child.pid]

    def stop(self):
        self.quit()
        if self.child:
            self.child.wait(30)


class Guest(Machine):
    """A KVM guest with a GPU of some sort."""

    def __init__(self, name, device, *options, program=PROGRAM):
        super().__init__(name, program)
        self.options = [*device, *options]
        self.socket = None

    def start(self):
        path = f"/run/tessera-bench-{self.name}"
        chardev = f"socket,id=bench,path={path},server=on,wait=off"
        argv = [VM, "guest", *self.options, "--detach", self.name, "--timeout", "3000",
                "--qemu-arg=-chardev", f"--qemu-arg={chardev}",
                "--qemu-arg=-device", "--qemu-arg=virtserialport,chardev=bench,name=bench",
                "--", "sh", "-c", IN_GUEST, "bench", *self.program]
        subprocess.run(argv, check=True, timeout=BOOT_SECONDS)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(ANSWER_SECONDS)
        self.socket.connect(path)
        self.reader, self.writer = self.socket.makefile("r"), self.socket.makefile("w")
        self.hello()
        self.pid = int(subprocess.run([VM, "pid", self.name], stdout=subprocess.PIPE, text=True,
                                      check=True).stdout)

    def processor_threads(self):
        base = f"/proc/{self.pid}/task"
        return [int(t) for t in os.listdir(base) if "/KVM" in read(base, t, "comm")]

    def stop(self):
        self.quit()
        subprocess.run([VM, "wait", self.name, "--timeout", "60"], check=False)
        if self.socket:
            self.socket.close()


def pin(machines):
    """Programs and virtual processors to processor 1, interrupts of GPUs to 0.

    Left to the scheduler, whether the two meet changes from one second to the next, and
    with it the cost of a short dispatch.
    """
    for m in machines:
        for thread in m.processor_threads():
            os.sched_setaffinity(thread, {1})
    for path in glob.glob("/proc/irq/*/*"):
        if os.path.basename(path).startswith(("tessera-", "vfio-msi")):
            write(os.path.join(os.path.dirname(path), "smp_affinity_list"), "0")


def settle():
    """Let what the start of a machine left behind come to an end."""
    time.sleep(3)
