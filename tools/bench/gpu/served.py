#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In a host VM: a GPU that a process serves, beside one on PCI; what a guest of it exits for.

usage: served.py speed|exits ROUNDS

speed: the same loads on the DRM nodes of both GPUs, in turn, as gpu.py measures machines.
exits: what dispatches of a guest with an exclusive vGPU of the served GPU cost.
Prints figures for vmtests.py.
"""

import contextlib
import glob
import os
import statistics
import sys

import counters
import figures
from gpu import dispatch_cost, rounds
from machines import BenchError, Guest, Host, create_vgpu, pin, remove_vgpu, settle

# As in gpu.py
LOADS = (
    ("work", 64, 16, "100k", 1),
    ("empty", 384, 64, "empty_depth64", 3),
)
DISPATCHES = 5000


def figure(name, value):
    print(f"# figure {name} {value:.4f}", flush=True)


def node(driver):
    """DRM node of the GPU of this driver."""
    for gpu in glob.glob("/sys/class/tessera/gpu*"):
        if os.path.basename(os.path.realpath(f"{gpu}/device/driver")) == driver:
            found = glob.glob(f"{gpu}/device/drm/renderD*")
            return os.path.join("/dev/dri", os.path.basename(found[0]))
    raise BenchError(f"no GPU of {driver}")


def speed(number):
    machines = (Host("pci", node("tessera_pci")), Host("user", node("tessera_user")))
    with contextlib.ExitStack() as stack:
        for m in machines:
            stack.callback(m.stop)
            m.start()
        pin(machines)
        settle()
        loads = rounds(machines, number, LOADS)
    for key, answers in loads.items():
        rates = {name: [figures.per_second(a) for a in found] for name, found in answers.items()}
        for name, values in rates.items():
            figure(f"{name}_{key}_per_s", statistics.median(values))
            cycles = statistics.median(a["cycles"] / a["count"] for a in answers[name])
            figure(f"{name}_{key}_cycles", cycles)
        figure(f"user_over_pci_{key}", figures.ratio(rates["user"], rates["pci"]))


def exits(number):
    with contextlib.ExitStack() as stack:
        mdev = create_vgpu("C1")
        stack.callback(remove_vgpu, mdev)
        guest = Guest("served", ["--vgpu", mdev])
        stack.callback(guest.stop)
        guest.start()
        settle()
        counters.trace_exits(True)
        stack.callback(counters.trace_exits, False)
        costs = [dispatch_cost(guest, mdev, DISPATCHES) for _ in range(number)]
    for name in ("mmio_exits", "mdev_traps", "halt_exits", "irq_injections"):
        figure(f"user_{name}_per_10k", statistics.median(c[name] for c in costs))
    figure("user_exits_per_10k",
           statistics.median(c["mmio_exits"] + c["mdev_traps"] for c in costs))


if __name__ == "__main__":
    {"speed": speed, "exits": exits}[sys.argv[1]](int(sys.argv[2]))
