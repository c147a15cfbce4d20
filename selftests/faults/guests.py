# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults of KVM guests, as TAP; runs in the host VM. With names only these.

A guest's kernel crashes in mid-work, and boots again; a vGPU is unplugged from a guest in
mid-work, and plugged in again; a guest falls asleep in mid-work; a guest unloads a driver while its
vGPU becomes larger. A bystander works beside them, and afterwards the pool has what it had.
"""

import glob
import os
import subprocess
import sys
import uuid

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "..", "scripts", "vm.d")]
from hostvm import GUESTS, TREE, VM, Tap, gpu, print_console, read, wait_until, write  # noqa: E402
from hung import Monitor  # noqa: E402

DIR = "/run/faults"
TYPES = glob.glob("/sys/class/mdev_bus/*/mdev_supported_types")[0]
PATIENCE = 120
WORK = "out/examples/sgemm --size 64 && out/examples/reduce --count 100000"
LOOP = "(while out/examples/sgemm --size 64; do :; done) >/dev/null 2>&1 &"

CRASH = f"""
if [ "$TESSERA_BOOT" = 1 ]; then
	{LOOP}
	until grep -q '[1-9].*tessera-completion' /proc/interrupts; do sleep 0.2; done
	sleep 2
	echo 1 >/proc/sys/kernel/panic
	echo c >/proc/sysrq-trigger
	sleep 100
	exit 1
fi
{WORK}
"""
REPLUG = f"""
{LOOP}
while [ -e /sys/class/tessera/gpu0 ]; do sleep 0.2; done
echo unplugged
until [ -e /dev/dri/renderD128 ]; do sleep 0.2; done
echo plugged in
{WORK}
"""


# Nothing can be read from the tree afterwards
DOZE = "cp out/selftests/faults/doze /run/doze && cd / && exec /run/doze"


# The driver of the DRM device leaves the vGPU, and its lanes of slice 1, which is not there, have
# ended, when the host gives that slice
LEAVE = f"""
hold=/sys/module/tessera/parameters/hold
held() {{ until [ "$(cat $hold)" = "lanes held" ]; do sleep 0.2; done; }}
echo lanes >$hold
rmmod tessera_drm &
held
echo lanes >$hold
held
echo held
until [ "$(cat /sys/class/tessera/gpu0/slices/slice1/state)" = elastic ]; do sleep 0.2; done
sleep 1
echo none >$hold
wait $! || exit 1
! dmesg | grep "left a ring behind" || exit 1
insmod out/modules/$(uname -r)/tessera_drm.ko
{WORK}
"""


class Bystander:
    """A vGPU at work on slices of its own."""

    def __init__(self):
        self.run = subprocess.Popen(["out/selftests/faults/bystander"], cwd=TREE, text=True,
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.run.stdout.readline() != "ready\n":
            raise OSError("the bystander does not work")

    def goes_on(self):
        self.run.stdin.write("go on\n")
        self.run.stdin.flush()
        return self.run.stdout.readline() == "went on\n"

    def end(self):
        """All of its results were right."""
        self.run.stdin.close()
        print(self.run.stdout.read(), end="", flush=True)
        return self.run.wait() == 0


class Guest:
    """A guest with a vGPU of two slices."""

    def __init__(self, name, script, *options, blueprint=None):
        self.name = name
        self.uuid = str(uuid.uuid4())
        self.mdev = f"/sys/bus/mdev/devices/{self.uuid}"
        write(f"{TYPES}/tessera_pci-{'blank' if blueprint else 'C2'}/create", self.uuid)
        if blueprint:
            self.compose(blueprint)
        subprocess.run([VM, "guest", "--vgpu", self.uuid, "--detach", name, "--timeout", "400",
                        "--qmp", self.qmp(), *options, "--", "sh", "-c", f"cd {TREE}\n{script}"],
                       check=True)

    def compose(self, blueprint):
        write(f"{self.mdev}/blueprint", blueprint)

    def qmp(self):
        return f"{DIR}/{self.name}.qmp"

    def stat(self, name):
        return int(read(f"{self.mdev}/stats/{name}"))

    def wait_working(self):
        wait_until(lambda: self.stat("completions") > 5, "work", PATIENCE)

    def ended(self):
        """It came to its end, and its command succeeded."""
        done = subprocess.run([VM, "wait", self.name, "--timeout", "300"], check=False)
        if done.returncode:
            print_console(self.name)
            subprocess.run([VM, "kill", self.name, "-9"], check=False)
        return done.returncode == 0

    def remove(self):
        write(f"{self.mdev}/remove", 1)


def crash(tap, bystander):
    guest = Guest("crash", CRASH, "--allow-reboot", "--allow-splat")
    tap.ok(guest.ended(), "a guest crashes in mid-work, and works after it has booted again")
    tap.ok(guest.stat("pinned_pages") == 0, "nothing of its memory is pinned")
    guest.remove()
    tap.ok(bystander.goes_on(), "who works beside it goes on")


def replug(tap, bystander):
    guest = Guest("replug", REPLUG)
    guest.wait_working()
    monitor = Monitor(guest.qmp())
    monitor.ask("device_del", id="vgpu0")
    # It has gone when its id is free; until then it cannot be plugged in
    wait_until(lambda: monitor.ask("qom-list", path="/machine/peripheral/vgpu0") is None,
               "the guest lets it go", PATIENCE)
    wait_until(lambda: guest.stat("pinned_pages") == 0, "memory is unpinned", PATIENCE)
    tap.ok(True, "a vGPU is unplugged in mid-work: nothing is pinned")
    tap.ok(bystander.goes_on(), "who works beside it goes on")
    monitor.ask("device_add", driver="vfio-pci", sysfsdev=guest.mdev, id="vgpu0", bus="port0")
    tap.ok(guest.ended(), "and plugged in again: the guest computes")
    guest.remove()


def doze(tap, bystander):
    guest = Guest("doze", DOZE)
    tap.ok(guest.ended(), "a guest falls asleep in mid-work: processes find a new vGPU")
    tap.ok(bystander.goes_on(), "who works beside it goes on")
    guest.remove()


def leave(tap, bystander):
    shape = "slices={} min=1 max=2 kind=compute memory=4M"
    guest = Guest("leave", LEAVE, blueprint=shape.format(1))
    wait_until(lambda: "held" in read(f"{GUESTS}/leave/stdout").split("\n"),
               "the guest's driver is held", PATIENCE)
    guest.compose(shape.format(2))
    tap.ok(guest.ended(), "a slice that comes while the guest's driver leaves makes no ring")
    tap.ok(bystander.goes_on(), "who works beside it goes on")
    guest.remove()


ACTS = {"crash": crash, "replug": replug, "doze": doze, "leave": leave}


def main():
    os.makedirs(DIR, exist_ok=True)
    tap = Tap()
    before = read(f"{gpu()}/slices_free"), read(f"{gpu()}/vram_free")
    bystander = Bystander()
    for act in [ACTS[name] for name in sys.argv[1:]] or ACTS.values():
        try:
            act(tap, bystander)
        except (OSError, TimeoutError, subprocess.CalledProcessError) as err:
            tap.ok(False, f"{act.__name__}: {err}")
    tap.ok(bystander.end(), "every result of the bystander was right")
    for mdev in glob.glob("/sys/bus/mdev/devices/*"):
        write(f"{mdev}/remove", 1)
    tap.ok((read(f"{gpu()}/slices_free"), read(f"{gpu()}/vram_free")) == before,
           "everything is back in the pool")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
