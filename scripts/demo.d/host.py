# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo inside the host VM: compose, run two guests, check, take down."""

import glob
import itertools
import json
import os
import re
import subprocess
import sys
import time
import uuid

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "vm.d"))
from kernlog import names_tessera  # noqa: E402

VM = os.path.join(os.path.dirname(HERE), "vm")
POOL = "/sys/class/tessera"
GUESTS = (("alpha", "C2"), ("beta", "M1"))
# What scripts/vm says of a guest that stands still, does not end, or died
LOST = re.compile(r"^vm: guest: (no sign of life for|no end after|did not come up|died before)")
TRIES = 3
REASONS = 4
FAILED = re.compile(r"failed with status|MISMATCH|not those of|^vm: ")
RESULTS = "results "


class DemoError(Exception):
    """What went wrong, in words."""


def read(*path):
    with open(os.path.join(*path)) as f:
        return f.read().strip()


def slices(gpu):
    """Slice directories of a GPU in order."""
    found = glob.glob(os.path.join(POOL, gpu, "slices", "slice*"))
    return sorted(found, key=lambda p: int(os.path.basename(p)[5:]))


def print_gpu(gpu):
    """A line per kind of slices with a letter for each slice: who has it."""
    base = os.path.join(POOL, gpu)
    print(f"  {gpu}: {read(base, 'slices_free')} of {read(base, 'slices_total')} slices and"
          f" {int(read(base, 'vram_free')) >> 20} of {int(read(base, 'vram_total')) >> 20} MiB"
          f" free, {read(base, 'clock_khz')} kHz")
    letters, kinds = {}, {}
    for path in slices(gpu):
        letter = "."
        if read(path, "state") == "used":
            letter = letters.setdefault(read(path, "owner"), chr(ord("A") + len(letters)))
        key = f"{read(path, 'kind'):8} {read(path, 'cores')} cores"
        kinds[key] = kinds.get(key, "") + letter
    for key, row in kinds.items():
        print(f"    {key}  [{row}]")
    for owner, letter in letters.items():
        print(f"    {letter} = {owner}")


def print_pool(title):
    print(f"\n{title}")
    for gpu in sorted(os.listdir(POOL)):
        print_gpu(gpu)
    sys.stdout.flush()


def free_slices():
    return {gpu: (read(POOL, gpu, "slices_free"), read(POOL, gpu, "vram_free"))
            for gpu in os.listdir(POOL)}


def create(kind):
    """Compose a vGPU of a type through sysfs."""
    types = glob.glob(f"/sys/class/mdev_bus/*/mdev_supported_types/*-{kind}")
    if not types:
        raise DemoError(f"no GPU offers vGPUs of type {kind}")
    name = str(uuid.uuid4())
    try:
        with open(os.path.join(types[0], "create"), "w") as f:
            f.write(name)
    except OSError as e:
        raise DemoError(f"cannot create a vGPU of type {kind}: {e.strerror}") from e
    print(f"created vGPU {name} of type {kind}:"
          f" {read('/sys/bus/mdev/devices', name, 'composition').splitlines()[0]}")
    return name


def remove(name):
    with open(f"/sys/bus/mdev/devices/{name}/remove", "w") as f:
        f.write("1")


def start(guest, vgpu, out):
    """Boot a guest; it may be lost before its command runs, which finish() finds."""
    print(f"booting guest {guest} with -device vfio-pci,sysfsdev=/sys/bus/mdev/devices/{vgpu}",
          flush=True)
    subprocess.run([VM, "guest", "--vgpu", vgpu, "--detach", guest, "--timeout", "600", "--",
                    "python3", os.path.join(HERE, "guest.py"), guest, out], check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class End:
    """How a guest ended: its status, what it said, and the results that it printed."""

    def __init__(self, guest):
        self.guest = guest
        done = subprocess.run([VM, "wait", guest, "--timeout", "660"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        self.status, self.said, self.results = done.returncode, [], None
        for line in done.stdout.splitlines():
            if line.startswith(RESULTS):
                self.results = json.loads(line[len(RESULTS):])
            else:
                self.said.append(line)
                print(f"  [{guest}] {line}")

    def lost(self):
        """The emulator lost its machine: that did not come to an end, and not in our modules."""
        return self.status != 0 and any(LOST.search(line) for line in self.said) and \
            not names_tessera("\n".join(self.said))

    def why(self):
        reasons = [line for line in self.said if FAILED.search(line)][:REASONS]
        return f"guest {self.guest} ended with status {self.status}" + "".join(
            f"; {r}" for r in reasons)


def compute(vgpus, out):
    """Run the guests; how each of them ended.

    KVM on a translated processor loses a guest now and then (testing.rst): such a guest begins
    again, and that is said.
    """
    ends, todo = {}, [guest for guest, _kind in GUESTS]
    for attempt in itertools.count(1):
        for guest in todo:
            start(guest, vgpus[guest], os.path.join(out, guest))
        ends |= {guest: End(guest) for guest in todo}
        todo = [guest for guest in todo if ends[guest].lost()]
        if not todo or attempt == TRIES:
            return ends
        for guest in todo:
            print(f"the emulator lost a guest: {ends[guest].why()}: it begins again, "
                  f"try {attempt + 1} of {TRIES}")


def exits(pid):
    """KVM's counters of the machine that a process runs."""
    found = glob.glob(f"/sys/kernel/debug/kvm/{pid}-*")
    return {name: int(read(found[0], name)) for name in ("exits", "mmio_exits")} if found else {}


def table(results):
    rows = [("guest", "vGPU", "workload", "dispatches", "GPU cycles", "instructions", "result")]
    for guest, kind in GUESTS:
        for r in results[guest]:
            rows.append((guest, kind, r["name"], str(r["dispatches"]), str(r["cycles"]),
                         str(r["instructions"]), "ok" if r["ok"] else "MISMATCH"))
    width = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    print()
    for r in rows:
        print("  ".join(c.rjust(w) if c.isdigit() else c.ljust(w) for c, w in zip(r, width)))


def run(out):
    print_pool("the pool (a dot is a free slice):")
    before = free_slices()
    vgpus = {}
    try:
        for guest, kind in GUESTS:
            vgpus[guest] = create(kind)
            os.makedirs(os.path.join(out, guest))
        print_pool("the pool with two vGPUs:")
        ends = compute(vgpus, out)
        reasons = [end.why() for end in ends.values() if end.status or not end.results]
        if reasons:
            raise DemoError("\n".join(reasons))
    finally:
        for vgpu in vgpus.values():
            remove(vgpu)
    print_pool("the pool after the vGPUs were removed:")
    if free_slices() != before:
        raise DemoError(f"slices or memory did not come back: {before} before, {free_slices()} now")
    results = {guest: end.results for guest, end in ends.items()}
    for guest, found in results.items():
        with open(os.path.join(out, guest, "results.json"), "w") as f:
            json.dump(found, f, indent=1)
    table(results)
    every = [r for rs in results.values() for r in rs]
    for guest, _kind in GUESTS:
        print(f"picture computed by {guest}: {os.path.join(out, guest, 'mandelbrot.png')}")
    bad = sum(not r["ok"] for r in every)
    print(f"demo {'failed' if bad else 'ok'}: {len(GUESTS)} guests,"
          f" {sum(r['dispatches'] for r in every)} dispatches, {bad} mismatches")
    return 1 if bad else 0


def main():
    started = time.monotonic()
    try:
        status = run(sys.argv[1])
    except (DemoError, OSError, subprocess.CalledProcessError, ValueError, KeyError) as e:
        print(f"demo failed after {time.monotonic() - started:.0f} s: {e}")
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
