# SPDX-License-Identifier: GPL-2.0-or-later
"""What a person sees of lanes that run: every line, or on a terminal what is going on now."""

import os
import shutil
import sys
import threading


class Lines:
    """Everything that lanes print, with lane and time: for logs, and for V=1."""

    def begin(self, lane, text):
        print(f"\n== {lane.name}: {text}", flush=True)

    def line(self, lane, seconds, line):
        print(f"[{lane.name} {seconds:6.1f}] {line}", end="", flush=True)

    def failed(self, lane, said):
        """Part of what line() printed."""

    def end(self, lane):
        """The report at the end has it."""


class Terminal:
    """A line for each lane that ended and each test that failed; the last line shows what runs."""

    def __init__(self, total):
        self.total = total
        self.ended = 0
        self.running = {}
        self.lock = threading.Lock()

    def begin(self, lane, text):
        with self.lock:
            self.running[lane.name] = text
            self.show()

    def line(self, lane, seconds, line):
        r = lane.results
        with self.lock:
            self.running[lane.name] = f"{r.total} tests, {r.failed} failed, {seconds:.0f} s"
            self.show()

    def failed(self, lane, said):
        with self.lock:
            self.print(f"{lane.name}: not ok: {lane.results.failures[-1]}")
            for line in said:
                self.print(f"    {line}")
            self.show()

    def end(self, lane):
        with self.lock:
            self.ended += 1
            self.running.pop(lane.name, None)
            self.print(lane.summary())
            self.show()

    @staticmethod
    def print(text):
        print("\r\033[K" + text)

    def show(self):
        now = "; ".join(f"{name}: {text}" for name, text in self.running.items())
        text = f"[{self.ended} of {self.total} lanes] {now}" if self.running else ""
        width = shutil.get_terminal_size().columns - 1
        sys.stdout.write("\r\033[K" + text[:width])
        sys.stdout.flush()


def make(lanes):
    """For this output: a terminal that can erase a line shows progress, if V=1 is not set."""
    if sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb" and \
            os.environ.get("V", "") != "1":
        return Terminal(len(lanes))
    return Lines()
