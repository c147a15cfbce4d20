# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs test lanes, two at the same time where they may; adds up their results."""

import argparse
import collections
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True

import screen  # noqa: E402
from ktap import Parser  # noqa: E402

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LANE_TIMEOUT = 900
GRACE = 20
# Of GPUs that the host VM serves: kHz, and how many times as long tests may take
SERVED_CLOCK = "1000"
SERVED_SLOWER = 3
# What a test said last before it failed, and a lane before it ended badly; shown again at the end.
SAID_LINES, LANE_SAID_LINES, SAID_WIDTH = 3, 12, 160
# What scripts/vm says when it has proof that a machine was lost for no fault of a test's
# (scripts/vm.d/lost.py): a lane that failed with one is run again, once.
LOST = re.compile(r"vm: (?:host|guest): emulator lost this machine: .*")
STILLBORN = re.compile(r"^vm: (host|guest): stillborn")
# And how each of a lane's machines ended, if not well (scripts/vm.d/machine.py): a later one's
# tests may have passed since.
MACHINE = re.compile(r"vm: (?:host|guest): (?P<quote>\| )?")


class Lane:
    """An executable NN-NAME.sh; its head says what it tests and how long it may take."""

    def __init__(self, path):
        self.path = path
        self.name = re.sub(r"^\d+-|\.sh$", "", os.path.basename(path))
        with open(path, errors="replace") as f:
            head = f.read(2000)
        found = re.search(r"^# lane: (.*)$", head, re.M)
        self.about = found[1] if found else ""
        found = re.search(r"^# timeout: (\d+)$", head, re.M)
        self.timeout = int(found[1]) if found else LANE_TIMEOUT
        # "yes": runs beside others; "no": nothing runs beside it; else: some may
        found = re.search(r"^# beside: (yes|no)$", head, re.M)
        self.beside = found[1] if found else ""
        # Runs only if it is asked for: "by name"; "full": or for everything
        found = re.search(r"^# only: (by name|full)$", head, re.M)
        self.only = found[1] if found else ""
        # What it tests is the same with GPUs of another back-end
        self.any_backend = bool(re.search(r"^# backend: any$", head, re.M))
        self.results = Parser()
        self.said = []
        self.seconds = self.cpu_seconds = 0.0
        self.child = None
        self.display = None
        self.late = False
        self.lost = None
        # What its machines said of their ends; whether the last line was one that they quote
        self.machines, self.quoting = collections.deque(maxlen=LANE_SAID_LINES), False

    def run(self, log_dir, display):
        """Run it; once more if it failed and lost a machine."""
        self.display = display
        display.begin(self, self.about)
        self.run_once(log_dir, "w")
        if self.results.failed and self.lost:
            self.run_again(log_dir)
        display.end(self)

    def run_again(self, log_dir):
        self.display.begin(self, "once more, it lost a machine")
        why, self.lost = self.lost, None
        self.results, self.said, self.late = Parser(), [], False
        self.machines.clear()
        self.results.retries.append(f"the lane: {why}")
        self.run_once(log_dir, "a")

    def run_once(self, log_dir, mode):
        start = time.monotonic()
        with open(os.path.join(log_dir, self.name + ".log"), mode) as log:
            self.child = subprocess.Popen(
                [self.path], cwd=TREE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
            timer = threading.Timer(self.timeout, self.expire)
            timer.start()
            recent = collections.deque(maxlen=LANE_SAID_LINES)
            try:
                for line in self.child.stdout:
                    log.write(line)
                    self.feed(line, recent)
                    self.display.line(self, time.monotonic() - start, line)
                status = self.wait()
            finally:
                timer.cancel()
                self.stop()
        self.seconds += time.monotonic() - start
        self.judge(status, [line for line in self.machines if line not in recent] + list(recent))

    def wait(self):
        """Its status; and count the processor time of all that it waited for."""
        try:
            _, status, usage = os.wait4(self.child.pid, 0)
        except ChildProcessError:
            # stop() was faster
            return self.child.wait()
        self.child.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_seconds += usage.ru_utime + usage.ru_stime
        return self.child.returncode

    def feed(self, line, recent):
        """Count the results of a line, and keep what was said before a failure."""
        found = LOST.search(line)
        self.lost = found[0] if found else self.lost
        found = STILLBORN.search(line)
        if found:
            self.results.retries.append(f"a {found[1]} that died or stood still while it booted")
        self.feed_machine(line)
        failed, total = self.results.failed, self.results.total
        self.results.feed(line)
        if self.results.failed > failed:
            last = list(recent)[-SAID_LINES:]
            self.said += [last] + [[]] * (self.results.failed - failed - 1)
            self.display.failed(self, last)
        if self.results.total > total:
            recent.clear()
        elif line.strip():
            recent.append(line.strip()[:SAID_WIDTH])

    def feed_machine(self, line):
        """Keep what a machine says of its end, and the first line that it quotes."""
        found = MACHINE.match(line)
        quotes = bool(found and found["quote"])
        if found and not (quotes and self.quoting):
            self.machines.append(line.strip()[:SAID_WIDTH])
        self.quoting = quotes

    def expire(self):
        self.late = True
        self.stop()

    def stop(self):
        """End the lane's own process group, politely first."""
        if self.child is None or self.child.poll() is not None:
            return
        try:
            os.killpg(self.child.pid, signal.SIGTERM)
            self.child.wait(GRACE)
        except subprocess.TimeoutExpired:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def judge(self, status, recent):
        failed = self.results.failed
        self.results.finish()
        if self.late:
            self.results.fail(f"lane ran out of time after {self.timeout} s")
        elif status and not self.results.failed:
            self.results.fail(f"lane ended with status {status}")
        elif not self.results.total:
            self.results.fail("lane ran no test")
        if self.results.failed > failed:
            self.said += [[]] * (self.results.failed - failed - 1) + [recent]

    def summary(self):
        r = self.results
        return (f"{self.name:16} {r.passed:6} passed {r.failed:4} failed {r.skipped:4} skipped "
                f"{self.seconds:7.0f} s {self.cpu_seconds:7.0f} s of processors")


class Beside(threading.Thread):
    """Lanes that do not mind others, the longest first: one after the other, and a second one
    at the same time when the caller has nothing else to do."""

    def __init__(self, lanes, log_dir, display):
        super().__init__(daemon=True)
        self.all = lanes
        # Taken from by two threads
        self.left = collections.deque(sorted(lanes, key=lambda lane: -lane.timeout))
        self.log_dir = log_dir
        self.display = display
        self.start()

    def run(self):
        try:
            while True:
                self.left.popleft().run(self.log_dir, self.display)
        except IndexError:
            """None is left."""

    def help(self):
        """Take lanes until none is left, and wait for the other thread's last one."""
        self.run()
        self.join()

    def end(self):
        self.left.clear()
        for lane in self.all:
            lane.stop()
        self.join()


def run_all(lanes, log_dir):
    display = screen.make(lanes)
    beside = Beside([lane for lane in lanes if lane.beside == "yes"], log_dir, display)
    try:
        for lane in lanes:
            if not lane.beside:
                lane.run(log_dir, display)
        beside.help()
        for lane in lanes:
            if lane.beside == "no":
                lane.run(log_dir, display)
    finally:
        beside.end()
    for lane in lanes:
        if not lane.results.total:
            lane.results.fail("lane ran no test")


def find_lanes(directory):
    paths = sorted(os.path.join(directory, n) for n in os.listdir(directory) if n.endswith(".sh"))
    return [Lane(p) for p in paths]


def choose(lanes, names, backend=None):
    if backend:
        lanes = [lane for lane in lanes if lane.any_backend]
    known = {lane.name: lane for lane in lanes}
    unknown = [n for n in names if n not in known]
    if unknown:
        sys.exit(f"check: no lane {' '.join(unknown)}; there are: {' '.join(known)}")
    wanted = ("", "full") if os.environ.get("TESSERA_FULL") else ("",)
    return [known[n] for n in names] if names else [lane for lane in lanes if lane.only in wanted]


def use_backend(name, lanes):
    """For scripts/vm host, and for lanes whose GPUs follow wall time."""
    os.environ["TESSERA_BACKEND"] = name
    if name == "user":
        # The GPU is a program in the host VM, which may be translated
        os.environ.setdefault("TESSERA_CLOCK", SERVED_CLOCK)
        for lane in lanes:
            lane.timeout *= SERVED_SLOWER


def report(lanes):
    print("\nlanes:")
    for lane in lanes:
        print("  " + lane.summary())
    for title, attribute in (("skipped", "skips"), ("passed at the second try only", "retries"),
                             ("failed", "failures")):
        rows = [(lane.name, name, said) for lane in lanes
                for name, said in itertools.zip_longest(
                    getattr(lane.results, attribute),
                    lane.said if attribute == "failures" else [], fillvalue=[])]
        if rows:
            print(f"\n{title}:")
        for lane_name, name, said in rows:
            print(f"  {lane_name}: {name}")
            for line in said:
                print(f"      {line}")
    passed, failed, skipped = (sum(getattr(lane.results, k) for lane in lanes)
                               for k in ("passed", "failed", "skipped"))
    print()
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""),
          flush=True)
    return 0 if passed and not failed else 1


def interrupted(number, _frame):
    raise SystemExit(128 + number)


def main():
    parser = argparse.ArgumentParser(prog="scripts/check", description=__doc__)
    parser.add_argument("--list", action="store_true", help="name the lanes")
    parser.add_argument("--backend", choices=("pci", "user"),
                        help="of the GPUs, for lanes that are about GPUs of any back-end")
    parser.add_argument("--lanes-dir", default=os.path.join(TREE, "selftests/lanes"),
                        help=argparse.SUPPRESS)
    parser.add_argument("lane", nargs="*", help="run these only (default: all)")
    opts = parser.parse_args()
    lanes = find_lanes(opts.lanes_dir)
    if opts.list:
        for lane in lanes:
            print(f"{lane.name:16} {lane.about}" + (f" (only {lane.only})" if lane.only else ""))
        return 0
    lanes = choose(lanes, opts.lane, opts.backend)
    if opts.backend:
        use_backend(opts.backend, lanes)
    log_dir = os.path.join(TREE, "out/check")
    os.makedirs(log_dir, exist_ok=True)
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(s, interrupted)
    run_all(lanes, log_dir)
    return report(lanes)


if __name__ == "__main__":
    sys.exit(main())
