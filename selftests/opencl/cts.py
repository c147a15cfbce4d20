#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of Khronos' conformance tests of OpenCL, on the first GPU or on a server's, as TAP.

usage: cts.py DIR [--all] [--timeout SECONDS] [PROGRAM[:TEST,...]...]

DIR is a build directory of OpenCL-CTS (Documentation/opencl.rst). Programs: basic, computeinfo,
atomics, events, which is also the default, or some TESTs of one. Without --all the tests that LONG
names are left out.
Where KNOWN says that one fails, it has to.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "selftests", "lib"))

from tap import Tap  # noqa: E402

PROGRAMS = ("computeinfo", "atomics", "events", "basic")
# Thousands of images or buffers, up to the largest ones
LONG = {"basic": {"imagedim_pow2", "imagedim_non_pow2"}}
KNOWN = {
    ("computeinfo", "conformance_version"): "no version has passed conformance",
}
# As a program names its tests
NAME = re.compile(r"^\t(\w+)$")


def find(build, program):
    """Path of a program of the build, or None."""
    for directory, _dirs, files in os.walk(build):
        if f"test_{program}" in files:
            return os.path.join(directory, f"test_{program}")
    return None


def names(path):
    """Of all tests of a program."""
    done = subprocess.run([path, "--help"], stdout=subprocess.PIPE, text=True, check=False)
    return [found[1] for line in done.stdout.splitlines() if (found := NAME.match(line))]


def run(path, tests, seconds):
    """({test: pass, fail or skip}, end of the output, what happened to the program or None)"""
    with tempfile.TemporaryDirectory() as d, tempfile.TemporaryFile("w+", errors="replace") as out:
        results, ended = os.path.join(d, "results"), None
        env = {**os.environ, "CL_CONFORMANCE_RESULTS_FILENAME": results, "CL_WIMPY_MODE": "1"}
        try:
            done = subprocess.run([path, *tests], cwd=d, env=env, stdout=out, stderr=out,
                                  stdin=subprocess.DEVNULL, timeout=seconds, check=False)
            if done.returncode < 0:
                ended = f"ended by signal {-done.returncode}"
        except subprocess.TimeoutExpired:
            ended = f"not over after {seconds} s"
        found = {}
        if os.path.exists(results):
            with open(results, encoding="utf-8") as f:
                found = json.load(f)["results"]
        out.seek(0)
        return found, out.read().splitlines(), ended


def about(lines, test):
    """What a program said of a test."""
    start = [i for i, line in enumerate(lines) if line == f"{test}..."]
    said = lines[start[-1]:] if start else []
    for i, line in enumerate(said):
        if line.startswith((f"{test} passed", f"{test} FAILED", f"{test} test not supported")):
            return said[:i + 1]
    return said


def choose(program, every, some, everything):
    """The tests to run of all those of a program: "test,..." or, if that is empty, the short ones."""
    if some:
        return some.split(",")
    return [n for n in every if everything or n not in LONG.get(program, set())]


def judge(tap, program, path, some, args):
    """Returns how many passed, failed as known, were not supported."""
    every = names(path)
    tests = choose(program, every, some, args.all)
    counts = {"pass": 0, "fail": 0, "skip": 0}
    if not tap.ok(tests and set(tests) <= set(every), f"{program}: it has the tests",
                  f"wanted: {tests}, it has: {every}"):
        return counts
    found, lines, ended = run(path, tests, args.timeout)
    tap.ok(ended is None and set(found) == set(tests), f"{program}: it comes to its end",
           "\n".join([str(ended), *lines[-20:]]))
    for test, result in found.items():
        known = KNOWN.get((program, test))
        counts[result] += 1
        name = f"{program}: {test}"
        if result == "skip":
            tap.skip(name, "not supported")
        elif known:
            tap.ok(result == "fail", f"{name} fails: {known}", "it passes: KNOWN is wrong")
        else:
            tap.ok(result == "pass", name, "\n".join(about(lines, test)[-30:]))
    for test in sorted(set(every) - set(tests)):
        tap.skip(f"{program}: {test}", "not chosen")
    return counts


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="DIR")
    parser.add_argument("program", nargs="*", default=PROGRAMS)
    parser.add_argument("--all", action="store_true", help="long tests, too")
    parser.add_argument("--timeout", type=int, default=3000, help="seconds for each program")
    args = parser.parse_args()
    tap = Tap()
    for word in args.program:
        program, _, some = word.partition(":")
        path = find(os.path.abspath(args.build), program)
        if not tap.ok(path, f"{program}: the build has it", f"no test_{program} in {args.build}"):
            continue
        counts = judge(tap, program, path, some, args)
        print(f"# {program}: {counts['pass']} passed, {counts['fail']} failed, "
              f"{counts['skip']} not supported", flush=True)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
