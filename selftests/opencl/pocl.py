#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""PoCL's own tests on the first GPU, where the layer "opencl" is: natively, in a host VM, in a guest.

usage: selftests/opencl/pocl.py [--sim] [quick | NAME...]

They are those of out/opencl/pocl (pocl-build.sh). --sim: on the simulated GPU. quick: a choice that
needs little time, for the GPU of a virtual machine. A test of pocl.known is expected to fail, for the
reason given there: it is skipped if it fails, and one that passes is a failure. TAP.
"""

import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
BUILT = os.path.join(TREE, "out", "opencl", "pocl")
# Where the tests were built: what they run and read is named by its path there
PLACE = "/usr/src/opencl/build"
# The other implementation of work-group functions, for CPUs, which the driver does not use
NOT_OURS = "_cbs$"
LIMIT = 240
LINES = 15
# " 12/150 Test  #12: kernel/test_as_type ........   Passed    4.02 sec"
RESULT = re.compile(r"\s*\d+/\d+ Test\s+#\d+: (\S+) \.*\s*\**\s*(\S.*?)\s+\d+\.\d+ sec")
BETWEEN = re.compile(r"\s+Start\s+\d+: |\d+% tests passed|The following tests")


class Bad(Exception):
    """What is wrong, in words."""


def names_of(path):
    """{name: rest of its line}"""
    found = {}
    with open(os.path.join(HERE, path), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, _, rest = line.strip().partition(" ")
                found[name] = rest.strip()
    return found


def prepare(sim):
    """Put the tests where they were built; the environment in which they run."""
    if not os.path.exists(os.path.join(BUILT, "made-for")):
        raise Bad("the tests are not built: selftests/opencl/pocl-build.sh")
    shutil.copytree(BUILT, PLACE, dirs_exist_ok=True, symlinks=True)
    # PoCL's choice of tests for the drivers that it knows
    custom = os.path.join(PLACE, "CTestCustom.cmake")
    if os.path.exists(custom):
        os.unlink(custom)
    env = {**os.environ, "OCL_ICD_VENDORS": "/etc/OpenCL/vendors/tessera.icd"}
    script = f"opencl_gpu={'sim' if sim else ''}; . selftests/opencl/env.sh; env"
    said = subprocess.run(["sh", "-c", script], cwd=TREE, stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    for line in said.splitlines():
        name, _, value = line.partition("=")
        if name in ("LD_LIBRARY_PATH", "POCL_CACHE_DIR"):
            env[name] = value
    return env


class Results:
    """TAP of what ctest says."""

    def __init__(self, known):
        self.known, self.seen, self.failed, self.noise = known, [], 0, []

    def line(self, line):
        found = RESULT.match(line)
        if found:
            self.flush()
            self.result(found[1], found[2])
        elif BETWEEN.match(line):
            self.flush()
        elif line.strip():
            self.noise.append(line.rstrip())

    def flush(self):
        """What the test of the last result printed, if that is of interest."""
        if self.failed_last():
            for line in self.noise[-LINES:]:
                print(f"# {line}")
        self.noise = []

    def failed_last(self):
        return bool(self.seen) and self.seen[-1][1]

    def result(self, name, result):
        number, note, bad = len(self.seen) + 1, "", False
        if result == "Passed":
            bad = name in self.known
            note = ": it passes, take it out of pocl.known" if bad else ""
        elif result in ("Skipped", "Not Run (Disabled)"):
            note = f" # SKIP by PoCL: {result}"
        elif name in self.known:
            note = f" # SKIP fails: {self.known[name]}"
        else:
            bad, note = True, f": {result}"
        print(f"{'not ok' if bad else 'ok'} {number} {name}{note}", flush=True)
        self.seen.append((name, bad))
        self.failed += bad


def run(sim, wanted):
    env, known = prepare(sim), names_of("pocl.known")
    choice = []
    if wanted == ["quick"]:
        wanted = list(names_of("pocl.quick"))
    if wanted:
        choice = ["-R", "^(" + "|".join(map(re.escape, wanted)) + ")$"]
    results = Results(known)
    print("TAP version 13", flush=True)
    with subprocess.Popen(["ctest", "--timeout", str(LIMIT), "--output-on-failure", "-E", NOT_OURS,
                           *choice], cwd=PLACE, env=env, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as ctest:
        for line in ctest.stdout:
            results.line(line)
    results.flush()
    seen = [name for name, _bad in results.seen]
    missing = [name for name in wanted or known if name not in seen]
    for name in missing:
        print(f"not ok {len(seen) + 1} {name}: PoCL has no such test")
        seen.append(name)
    print(f"1..{len(seen)}")
    return 1 if results.failed or missing or not seen else 0


def main():
    words = sys.argv[1:]
    if words[:1] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    sim = words[:1] == ["--sim"]
    words = words[sim:]
    if any(w.startswith("-") for w in words):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        return run(sim, words)
    except (Bad, OSError, subprocess.CalledProcessError) as e:
        print(f"pocl: {e}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
