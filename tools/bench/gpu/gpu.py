# SPDX-License-Identifier: GPL-2.0-or-later
"""In the host VM: the same loads on the host, in a guest with a GPU, in one with a vGPU.

usage: gpu.py RESULT QUICK

Each round runs each load on each machine in turn; before, the programs start over, for
the addresses that one is loaded to are luck, and decide how fast an emulated processor runs
it, two times or more, for as long as it lives. Figures are medians over the samples;
ratios are medians of the ratios of neighbours, so that a machine that gets slower
during the run does not favour anybody.
"""

import contextlib
import json
import sys

import counters
from machines import Guest, Host, create_vgpu, pin, remove_vgpu, settle

PASSED_THROUGH = "0000:02:00.0"
VGPU_TYPE = "C1"

# Load, how often in one sample, how many in flight, key, samples in a round: more where
# an emulated host makes one sample twice another
LOADS = (
    ("empty", 150, 1, "empty_depth1", 1),
    ("empty", 384, 64, "empty_depth64", 3),
    ("work", 64, 16, "100k", 1),
    ("sgemm", 4, 4, "sgemm", 1),
    ("sha256", 4, 4, "sha256", 1),
    ("copy_to_vram", 8, 4, "copy_to_vram", 1),
    ("copy_to_system", 8, 4, "copy_to_system", 1),
    ("copy_vram", 16, 4, "copy_vram", 1),
)
FEW = 200
BURN_US = 3000000


def rounds(machines, number, loads=LOADS, again=True):
    """{key: {machine: [answers]}}; the first round warms up, every other goes backwards.

    again: programs start over before each.
    """
    found = {key: {m.name: [] for m in machines} for _l, _c, _d, key, _n in loads}
    for i in range(number + 1):
        for m in machines if again else ():
            m.again()
        for load, count, depth, key, samples in loads:
            for n in range(samples):
                for m in machines[::1 if (i + n) % 2 else -1]:
                    answer = m.run(load, count, depth)
                    if i:
                        found[key][m.name].append(answer)
        print(f"# round {i} of {number}", file=sys.stderr, flush=True)
    return found


def dispatch_cost(guest, mdev, dispatches):
    """What dispatches cost the host, per 10,000: the difference of many and few.

    "idle_" is what the guest costs if it computes for the same time without its GPU:
    its timer interrupts and those of the host.
    """
    points, answer = [counters.all_of(guest, mdev)], {}
    for order in (("empty", FEW, 64), ("empty", FEW + dispatches, 64)):
        answer = guest.run(*order)
        points.append(counters.all_of(guest, mdev))
    each_ns = answer["ns"] / answer["count"]
    burnt = guest.run("cpu", BURN_US, 1)
    points.append(counters.all_of(guest, mdev))
    few, many, idle = (counters.difference(b, a) for a, b in zip(points, points[1:]))
    found = {k: (many[k] - few.get(k, 0)) * 10000 / dispatches for k in many}
    found.update({f"idle_{k}": idle[k] * 10000 * each_ns / burnt["ns"] for k in idle})
    return found


def costs(guests, dispatches, repeats):
    """{machine: [costs of each repeat]}, in turn."""
    found = {guest.name: [] for guest, _mdev in guests}
    counters.trace_exits(True)
    try:
        for _ in range(repeats):
            for guest, mdev in guests:
                found[guest.name].append(dispatch_cost(guest, mdev, dispatches))
    finally:
        counters.trace_exits(False)
    return found


def main():
    path, quick = sys.argv[1], sys.argv[2] == "1"
    with contextlib.ExitStack() as stack:
        mdev = create_vgpu(VGPU_TYPE)
        stack.callback(remove_vgpu, mdev)
        # In the order of the report; a guest that uses the GPU by remote calls goes last
        machines = (Host("host"), Guest("passthrough", ["--host", PASSED_THROUGH]),
                    Guest("guest", ["--vgpu", mdev]))
        for m in machines:
            stack.callback(m.stop)
            m.start()
        pin(machines)
        settle()
        guests = ((machines[1], None), (machines[2], mdev))
        result = {
            "loads": rounds(machines, 3 if quick else 30),
            "costs": costs(guests, 2000 if quick else 5000, 1 if quick else 3),
            "slices": {m.name: m.slice for m in machines},
        }
    with open(path, "w") as f:
        json.dump(result, f)
    return 0


if __name__ == "__main__":
    sys.exit(main())
