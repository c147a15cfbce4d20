# SPDX-License-Identifier: GPL-2.0-or-later
"""TAP of tests in Python, as the kernel's ksft.py prints it, but for a plan at the end."""


class Tap:
    """Counts and prints tests."""

    def __init__(self):
        self.count = self.failed = 0
        print("TAP version 13", flush=True)

    def ok(self, good, name, seen=None):
        """A test that passed or failed; what was seen is told of one that failed."""
        self.count += 1
        self.failed += not good
        if not good and seen is not None:
            for line in str(seen).splitlines():
                print(f"# {line}")
        print(f"{'ok' if good else 'not ok'} {self.count} {name}", flush=True)
        return good

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} {name} # SKIP {why}", flush=True)

    def end(self):
        """Print the plan; the status to exit with."""
        print(f"1..{self.count}")
        return 1 if self.failed else 0
