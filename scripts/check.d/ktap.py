# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads KTAP (Documentation/dev-tools/ktap.rst of the kernel) and plain TAP.

A test that passed only when it was run again says so with "# RETRIED why"; such
tests count as passed and are listed.

Counts tests that have no tests of their own below them; the line that sums up
nested tests counts only when it fails and none of those did. A plan that is
not met is a failure, and so is none where a version line began a document, so
that a program that dies half way never passes. Below a line that sums them up
tests need none: KUnit does not know how many parameters there will be.
"""

import re

RESULT = re.compile(r"^(?P<indent>(?: {2}|\t)*)(?P<bad>not )?ok\s+(?P<number>\d+)\b\s*-?\s*"
                    r"(?P<name>[^#]*?)\s*(?:#\s*(?P<note>.*))?$")
PLAN = re.compile(r"^(?P<indent>(?: {2}|\t)*)1\.\.(?P<count>\d+)\s*(?:#\s*(?P<note>.*))?$")
VERSION = re.compile(r"^(?P<indent>(?: {2}|\t)*)K?TAP version \d+\s*$")
BAIL = re.compile(r"^\s*Bail out!\s*(?P<why>.*)$")
# A kernel log line, and the mark of a test run by another runner.
PREFIX = re.compile(r"^(?:\[ *\d+\.\d+\] )?")


class Level:
    """The tests at one depth, since the line that opened it."""

    def __init__(self):
        self.begun = False
        self.plan = None
        self.seen = 0
        self.failed = False


class Parser:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures = []
        self.skips = []
        self.retries = []
        self.levels = {}

    @property
    def total(self):
        return self.passed + self.failed + self.skipped

    def feed(self, line):
        line = line.rstrip("\r\n")
        line = line[PREFIX.match(line).end():]
        for pattern, take in ((RESULT, self.result), (PLAN, self.plan),
                              (VERSION, self.version), (BAIL, self.bail)):
            found = pattern.match(line)
            if found:
                take(found)
                return

    def finish(self):
        self.close(-1)

    def fail(self, name):
        self.failed += 1
        self.failures.append(name)

    def close(self, depth, summed=False):
        """Leave the levels below depth, of which a line sums up the first; true if any had tests,
        or failed ones."""
        had = failed = False
        below = sorted((d for d in self.levels if d > depth), reverse=True)
        for d in below:
            level = self.levels.pop(d)
            if level.plan is None and level.begun and not (summed and d == below[-1] and level.seen):
                self.fail(f"no plan, saw {level.seen} tests")
                level.failed = True
            elif level.plan is not None and level.plan != level.seen:
                self.fail(f"planned {level.plan} tests, saw {level.seen}")
                level.failed = True
            had |= level.seen > 0
            failed |= level.failed
        return had, failed

    def level(self, found):
        depth = len(found["indent"].expandtabs(4))
        return depth, self.levels.setdefault(depth, Level())

    def result(self, found):
        depth = len(found["indent"].expandtabs(4))
        nested, nested_failed = self.close(depth, summed=True)
        level = self.level(found)[1]
        level.seen += 1
        name = found["name"] or f"test {found['number'] or level.seen}"
        note = (found["note"] or "").strip()
        if found["bad"]:
            level.failed = True
            if not nested_failed:
                self.fail(name)
        elif nested:
            level.failed |= nested_failed
        elif note.upper().startswith("SKIP"):
            self.skipped += 1
            self.skips.append(f"{name}: {note[4:].strip(' :')}")
        else:
            self.passed += 1
            if note.upper().startswith("RETRIED"):
                self.retries.append(f"{name}: {note[7:].strip(' :')}")

    def plan(self, found):
        depth, level = self.level(found)
        if level.plan is not None and level.seen >= level.plan:
            self.close(depth - 1)
            level = self.level(found)[1]
        level.plan = int(found["count"])
        if level.plan == 0:
            self.skipped += 1
            self.skips.append(f"all: {(found['note'] or '').strip()}")

    def version(self, found):
        """A new document starts; what came before at this depth is complete."""
        depth = len(found["indent"].expandtabs(4))
        nested, nested_failed = self.close(depth - 1)
        if nested and depth:
            parent = self.levels.setdefault(max(0, depth - 4), Level())
            parent.failed |= nested_failed
        self.levels.setdefault(depth, Level()).begun = True

    def bail(self, found):
        self.fail(f"bailed out: {found['why']}")
