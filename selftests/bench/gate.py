# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of make bench that can be gated in a short time, in a host VM; TAP.

What is gated are counts and ratios of medians that were measured in turn.
"""

import contextlib
import json
import os
import subprocess
import sys

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "tools", "bench", "gpu"))

import counters  # noqa: E402
import figures  # noqa: E402
import router  # noqa: E402
from gpu import dispatch_cost  # noqa: E402
from machines import Guest, create_vgpu, remove_vgpu  # noqa: E402
from route import clients, prepare  # noqa: E402

COUNTS = (1, 16)
COMPLETIONS = {"page": 20000, "register": 4000}
DISPATCHES = 1000
ROUTE_ATTEMPTS = 4


class Tap:
    """Counts and prints tests."""

    def __init__(self):
        self.count = self.failed = 0

    def check(self, what, good, value):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} {what}: {value}", flush=True)


def route_ratios():
    """Cost of a completion: page route with 16 vGPUs to 1, register to page route with 16."""
    measured = router.measure(COUNTS, 24, 11)
    page, register = measured["page"], measured["register"]
    for route, by_count in measured.items():
        for count, samples in by_count.items():
            print(f"# {route} route, {count} vGPUs: {router.median(samples):.0f} ns")
    return router.ratio(page[16], page[1]), router.ratio(register[16], page[16])


def gate_router(tap):
    """Durations on a machine that others use: what is too dear is so each time."""
    for _ in range(ROUTE_ATTEMPTS):
        growth, advantage = route_ratios()
        if growth <= 1.3 and advantage >= 10:
            break
        print(f"# {growth:.2f} and {advantage:.1f}: once more")
    tap.check("page route, 16 vGPUs to 1, at most 1.3", growth <= 1.3, f"{growth:.2f}")
    tap.check("register to page route with 16 vGPUs, at least 10", advantage >= 10,
              f"{advantage:.1f}")


def gate_completions(tap, name):
    want = COMPLETIONS[name]
    run = clients("completions", want, 8)
    print(f"# {json.dumps(run)}")
    tap.check(f"{name} route: completions over 4 clients", run["completions"] >= want,
              run["completions"])
    tap.check(f"{name} route: interrupts lost", not run["lost"], run["lost"])
    tap.check(f"{name} route: interrupts without reason", not run["misrouted"], run["misrouted"])


def gate_storm(tap):
    storm = clients("storm", 250, 6)
    print(f"# {json.dumps(storm)}")
    delay = figures.storm_delay(storm)
    if delay > 2 and not storm["lost"] and not storm["misrouted"]:
        print(f"# {delay:.2f}: once more")
        storm = clients("storm", 250, 6)
        delay = figures.storm_delay(storm)
    tap.check("storms: the attacker attacked", storm["attacks"] > 1000, storm["attacks"])
    tap.check("storms: interrupts of others lost", not storm["lost"], storm["lost"])
    tap.check("storms: interrupts without reason", not storm["misrouted"], storm["misrouted"])
    tap.check("storms: median latency of others, to calm, at most 2", delay <= 2, f"{delay:.2f}")


def gate_exits(tap):
    with contextlib.ExitStack() as stack:
        mdev = create_vgpu("C1")
        stack.callback(remove_vgpu, mdev)
        guest = Guest("bench", ["--vgpu", mdev])
        stack.callback(guest.stop)
        guest.start()
        counters.trace_exits(True)
        stack.callback(counters.trace_exits, False)
        guest.run("empty", 200, 64)
        cost = dispatch_cost(guest, mdev, DISPATCHES)
    for name, value in sorted(cost.items()):
        print(f"# {name} per 10,000 dispatches: {value:.0f}")
    for name in ("mmio_exits", "io_exits", "mdev_traps"):
        tap.check(f"{name} per 10,000 dispatches", cost[name] == 0, f"{cost[name]:.0f}")


def main():
    tap = Tap()
    print("TAP version 13")
    prepare()
    gate_router(tap)
    for name in router.ROUTES:
        router.set_route(name)
        gate_completions(tap, name)
    router.set_route("page")
    gate_storm(tap)
    gate_exits(tap)
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, RuntimeError, KeyError, subprocess.SubprocessError) as e:
        print(f"Bail out! {e}")
        sys.exit(1)
