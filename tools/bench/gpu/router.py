# SPDX-License-Identifier: GPL-2.0-or-later
"""What a completion interrupt costs the host, by route and by number of vGPUs.

The function_graph tracer of the stock kernel takes the time at the entry and at the
exit of tess_gpu_completion_irq() and of nothing inside of it. Its own cost is in each
sample, the same for all; the figures are ratios of medians of one run.
"""

import os
import re
import statistics
import subprocess

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))))
CLIENTS = os.path.join(TREE, "out", "selftests", "bench", "clients")
TRACING = "/sys/kernel/tracing"
HANDLER = "tess_gpu_completion_irq"
ROUTE = "/sys/module/tessera/parameters/route"
ROUTES = ("page", "register")
DURATION = re.compile(rf"([0-9.]+) us +\|  {HANDLER}")


def tracefs(name, text=None):
    path = os.path.join(TRACING, name)
    if text is None:
        with open(path) as f:
            return f.read()
    with open(path, "w") as f:
        return f.write(text)


def mount_tracefs():
    if not os.path.exists(os.path.join(TRACING, "trace")):
        subprocess.run(["mount", "-t", "tracefs", "tracefs", TRACING], check=True)


def start_tracer():
    mount_tracefs()
    tracefs("current_tracer", "nop")
    tracefs("set_ftrace_filter", HANDLER)
    tracefs("buffer_size_kb", "4096")
    tracefs("current_tracer", "function_graph")


def stop_tracer():
    tracefs("current_tracer", "nop")
    tracefs("set_ftrace_filter", "")


def durations():
    """Nanoseconds of each call since the trace was cleared."""
    return [float(m) * 1000 for m in DURATION.findall(tracefs("trace"))]


def set_route(name):
    with open(ROUTE, "w") as f:
        f.write(name)


class Resident:
    """Clients in a process of their own, of which some have a record."""

    def __init__(self, most, how):
        self.child = subprocess.Popen([CLIENTS, how, str(most)], text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.expect("ready\n")

    def expect(self, word):
        if self.child.stdout.readline() != word:
            raise RuntimeError(f"clients ended with status {self.child.wait()}")

    def sample(self, count, interrupts):
        """Durations of the handler with the records of some clients to look at."""
        for rounds in (1, interrupts):
            tracefs("trace", "")
            self.child.stdin.write(f"{count} {rounds}\n")
            self.child.stdin.flush()
            self.expect("done\n")
        return durations()

    def end(self):
        self.child.stdin.close()
        self.child.wait(60)


def measure(counts, interrupts, repeats, how="resident"):
    """{route: {count: [durations of each repeat, ns]}}, all in turn; the first is dropped.

    @how: "resident" clients have a slice each, of "shared" ones most are parked.
    """
    found = {route: {n: [] for n in counts} for route in ROUTES}
    clients = Resident(max(counts), how)
    start_tracer()
    try:
        for _ in range(repeats + 1):
            for route in ROUTES:
                set_route(route)
                for n in counts:
                    found[route][n].append(clients.sample(n, interrupts))
    finally:
        set_route("page")
        stop_tracer()
        clients.end()
    return {route: {n: s[1:] for n, s in by_count.items()} for route, by_count in found.items()}


def median(samples):
    """Of all durations of all repeats."""
    return statistics.median(d for repeat in samples for d in repeat)


def ratio(over, under):
    """Median of the ratios of medians that were taken one after the other."""
    return statistics.median(statistics.median(a) / statistics.median(b)
                             for a, b in zip(over, under))
