# SPDX-License-Identifier: GPL-2.0-or-later
"""KVM exits per dispatch of a guest with an exclusive vGPU, in the host VM.

The guest runs the same program twice, with few and with many dispatches; what the
program costs besides its dispatches (start, set-up, the handshake with this
script) is in both counts, so that the difference is that of the dispatches.
"""

import glob
import json
import os
import subprocess
import sys
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from hostvm import TREE, VM, give_up, read, tell, wait_done  # noqa: E402
from tap import Tap  # noqa: E402

FEW, MANY = 200, 2200
COUNTERS = ("exits", "mmio_exits", "io_exits", "halt_exits", "irq_injections")

GUEST = """
cd {tree}
run() {{ out/tools/run/tessera-run out/selftests/exits/empty.elf --grid 1 --repeat $1 \
	--arg u32:0 --json >/run/result </dev/null; echo "done $2 $?"; }}
run {few} warm && read -r _ || exit 1
run {few} few && read -r _ || exit 1
run {many} many && read -r _
"""


def counters(pid, mdev):
    found = {}
    for base in glob.glob(f"/sys/kernel/debug/kvm/{pid}-*"):
        for name in COUNTERS:
            for path in (os.path.join(base, name), os.path.join(base, "vcpu0", name)):
                if os.path.exists(path):
                    found[name] = int(read(path))
    found["mdev_traps"] = int(read(f"/sys/bus/mdev/devices/{mdev}/stats/traps"))
    return found


def measure(mdev):
    """Counters before and after each of the two runs."""
    script = GUEST.format(tree=TREE, few=FEW, many=MANY)
    subprocess.run([VM, "guest", "--vgpu", mdev, "--detach", "exits", "--listen", "--timeout",
                    "500", "--", "sh", "-c", script], check=True)
    pid = subprocess.run([VM, "pid", "exits"], stdout=subprocess.PIPE, text=True,
                         check=True).stdout.strip()
    points = []
    try:
        for done in ("warm", "few", "many"):
            if wait_done("exits", done, 240):
                raise RuntimeError(f"the guest's run {done} failed")
            points.append(counters(pid, mdev))
            tell("exits", "go")
        subprocess.run([VM, "wait", "exits", "--timeout", "60"], check=True)
    except (TimeoutError, RuntimeError, subprocess.CalledProcessError):
        give_up("exits")
        raise
    if "exits" not in points[0]:
        raise KeyError("KVM has no exit counters in debugfs")
    return points


def per_10k(points):
    few = {k: points[1][k] - points[0][k] for k in points[0]}
    many = {k: points[2][k] - points[1][k] for k in points[0]}
    return {k: (many[k] - few[k]) * 10000 / (MANY - FEW) for k in few}


def main():
    out = os.path.join(TREE, "out", "exits")
    subprocess.run(["rm", "-rf", out], check=True)
    os.makedirs(out)
    mdev = str(uuid.uuid4())
    kind = glob.glob("/sys/class/mdev_bus/*/mdev_supported_types/*-C1")[0]
    with open(os.path.join(kind, "create"), "w") as f:
        f.write(mdev)
    try:
        rate = per_10k(measure(mdev))
    finally:
        with open(f"/sys/bus/mdev/devices/{mdev}/remove", "w") as f:
            f.write("1")
    # Highest rate; the guest's console and disks make an MMIO exit now and then
    limits = {"mmio_exits": 50, "mdev_traps": 0}
    rows = []
    print(f"\nper 10,000 dispatches, from {MANY - FEW} in one guest:")
    for name, value in rate.items():
        limit = limits.get(name)
        print(f"  {name:16} {value:12.1f}" + (f"  at most {limit}" if limit is not None else ""))
        rows.append({"name": f"{name}_per_10k", "value": value, "unit": "exits",
                     "target": limit, "ok": None if limit is None else value <= limit})
    with open(os.path.join(out, "exits.json"), "w") as f:
        json.dump(rows, f, indent=1)
    tap = Tap()
    for name, limit in limits.items():
        tap.ok(rate[name] <= limit,
               f"submission: {name} per 10,000 dispatches = {rate[name]:.1f}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
