#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In a host VM with three GPUs: one OpenCL program, and four ways to a GPU.

usage: api.py ROUNDS DISPATCHES

The program runs on the host, in a guest with a whole GPU, in a guest with a vGPU, and in a guest
without a GPU whose calls a server of the host carries out. Prints figures for vmtests.py.
"""

import contextlib
import glob
import os
import statistics
import subprocess
import sys
import time

import counters
import figures
from gpu import rounds
from machines import TREE, Guest, Host, create_vgpu, pin, read, remove_vgpu, settle

BENCH = os.path.join(TREE, "out", "tools", "opencl", "opencl-bench")
IN_TREE = 'cd "$1" && shift && . selftests/opencl/env.sh && exec "$@"'
PROGRAM = ("sh", "-c", IN_TREE, "sh", TREE, BENCH)
REMOTE = os.path.join(TREE, "scripts", "remote")
VGPU_TYPE = "C1"

REMOTE_CID = 3

# Load, how often in one sample, how many in flight, key, samples in a round
LOADS = (
    ("launch", 40, 1, "launch_depth1", 1),
    ("launch", 256, 64, "launch", 1),
    ("work", 8, 4, "1m", 1),
    ("copy_64k", 16, 4, "copy_64k", 1),
    ("copy_4m", 2, 1, "copy_4m", 1),
    ("sha256", 4, 4, "sha256", 1),
)
LOCAL_LOADS = (("sgemm", 4, 1, "sgemm", 1),)
FEW = 200
# KVM's reasons for an access of a guest to a device, a kick of a queue among them
DEVICE_EXITS = ("exit_npf", "exit_io", "exit_ept_violation", "exit_ept_misconfig")
SERVER_SECONDS = 60


def figure(name, value):
    print(f"# figure {name} {value:.4f}", flush=True)


def node(number):
    """DRM node of a GPU."""
    found = glob.glob(f"/sys/class/tessera/gpu{number}/device/drm/renderD*")
    return os.path.join("/dev/dri", os.path.basename(found[0]))


def bdf(number):
    return os.path.basename(os.path.realpath(f"/sys/class/tessera/gpu{number}/device"))


@contextlib.contextmanager
def server(gpu):
    """A server of remoting for guests, while it is needed."""
    with subprocess.Popen([REMOTE, "serve"], env={**os.environ, "TESSERA_DEVICE": gpu}) as run:
        end = time.monotonic() + SERVER_SECONDS
        while "pocld" not in read(f"/proc/{run.pid}/comm") and time.monotonic() < end:
            time.sleep(0.2)
        settle()
        try:
            yield
        finally:
            run.kill()


def report(loads, over):
    """Rates, and ratios of pairs (machine, machine that it is compared with)."""
    for key, answers in loads.items():
        rates = {name: [figures.per_second(a) for a in found] for name, found in answers.items()}
        for name, values in rates.items():
            figure(f"{name}_{key}_per_s", statistics.median(values))
        for name, base in over:
            if name in rates and base in rates:
                figure(f"{name}_over_{base}_{key}", figures.ratio(rates[name], rates[base]))


def exits(guest, mdev, dispatches):
    """Exits of launches alone, by kind."""
    points = []
    for count in (FEW, FEW + dispatches):
        before = counters.all_of(guest, mdev)
        guest.run("launch", count, 64)
        points.append(counters.difference(counters.all_of(guest, mdev), before))
    few, many = points
    return {k: many[k] - few.get(k, 0) for k in many}


def report_exits(guests, dispatches):
    """guests: (machine, its vGPU or None); what a launch costs each of them.

    Those of a server are slow: fewer of them.
    """
    counters.trace_exits(True)
    try:
        counts = {guest.name: dispatches // (10 if guest.name == "remote" else 1)
                  for guest, _mdev in guests}
        found = {guest.name: exits(guest, mdev, counts[guest.name]) for guest, mdev in guests}
    finally:
        counters.trace_exits(False)
    for name, cost in found.items():
        of_devices = sum(cost.get(n, 0) for n in DEVICE_EXITS)
        figure(f"{name}_exits_per_launch", cost["exits"] / counts[name])
        figure(f"{name}_device_exits_per_launch", of_devices / counts[name])
    cost = found["vgpu"]
    figure("vgpu_exits_per_10k", (cost["mmio_exits"] + cost["mdev_traps"]) * 10000 / dispatches)


def sent_bytes(guest, load, count, depth):
    """Packets and bytes of some commands, and of what else an order to the program costs."""
    before = counters.vsock(REMOTE_CID)
    guest.run(load, count, depth)
    return counters.difference(counters.vsock(REMOTE_CID), before)


def report_bytes(guest):
    """What each load sends to its server and receives from it, as the host's kernel counts."""
    counters.trace_vsock(True)
    try:
        for load, count, depth, key, _samples in LOADS:
            few = sent_bytes(guest, load, count, depth)
            many = sent_bytes(guest, load, 5 * count, depth)
            for name, value in counters.difference(many, few).items():
                figure(f"remote_{name}_per_{key}", value / (4 * count))
    finally:
        counters.trace_vsock(False)


def sgemm_ratio(opencl, number):
    """GPU time of the same matrices by libtessera, to that by OpenCL: in turn, on the host."""
    khz = int(read("/sys/class/tessera/gpu0/clock_khz"))
    native = Host("libtessera", node(0))
    with contextlib.ExitStack() as stack:
        stack.callback(native.stop)
        native.start()
        pairs = [(native.run("sgemm", 4, 1), opencl.run("sgemm", 4, 1))
                 for _ in range(number + 1)][1:]
    return figures.ratio([a["cycles"] * 1e6 / khz / a["count"] for a, _b in pairs],
                         [b["gpu_ns"] / b["count"] for _a, b in pairs])


def main():
    number, dispatches = (int(a) for a in sys.argv[1:3])
    with contextlib.ExitStack() as stack:
        mdev = create_vgpu(VGPU_TYPE)
        stack.callback(remove_vgpu, mdev)
        stack.enter_context(server(node(0)))
        run_remote = ("sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", TREE, REMOTE, "run", BENCH)
        mem = ("--mem", "1G")
        machines = (Host("host", node(0), program=PROGRAM),
                    Guest("passthrough", ["--host", bdf(1)], *mem, program=PROGRAM),
                    Guest("vgpu", ["--vgpu", mdev], *mem, program=PROGRAM),
                    Guest("remote", ["--vsock", str(REMOTE_CID)], *mem, program=run_remote))
        for m in machines:
            stack.callback(m.stop)
            m.start()
        pin(machines)
        settle()
        report(rounds(machines, number, LOADS, again=False),
               (("vgpu", "passthrough"), ("vgpu", "host"), ("remote", "vgpu")))
        report(rounds(machines[:3], number, LOCAL_LOADS, again=False),
               (("vgpu", "passthrough"), ("vgpu", "host")))
        report_exits(tuple(zip(machines[1:], (None, mdev, None))), dispatches)
        report_bytes(machines[3])
        figure("opencl_over_libtessera_sgemm", sgemm_ratio(machines[0], number))


if __name__ == "__main__":
    main()
