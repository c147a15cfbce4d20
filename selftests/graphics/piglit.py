#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""piglit's tests of OpenGL by Debian's Mesa and on the simulated GPU, compared, as TAP.

usage: piglit.py [--every N] [--first K] [--timeout SECONDS] [--out DIR] [REGEX...]

In the layer "gl-apps". Of the profile quick_gl: every Nth test (default: 1, all), of those whose names a
REGEX is found in. What Debian's Mesa (llvmpipe, on the CPU) passes has to pass on the GPU, too, but for
what piglit.known names, with the reason; what is skipped there and not here has to be named, too.
The results of both are left in DIR.
"""

import argparse
import collections
import fnmatch
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TREE, "selftests", "lib"))

from tap import Tap  # noqa: E402

SUITE = "quick_gl"
KNOWN = os.path.join(HERE, "piglit.known")
STATS = re.compile(r"^tessera: scenes (\d+) gpu (\d+) cpu (\d+)", re.M)
WHY = re.compile(r"^tessera: cpu (\d+): (.*)$", re.M)
# At most so many of a hundred scenes are the CPU's
CPU_PERCENT = 5
# From good to bad
ORDER = ("pass", "skip", "notrun", "warn", "fail", "timeout", "incomplete", "crash")


def names(patterns, every, first):
    """Of the tests that are chosen."""
    done = subprocess.run(["piglit", "print-cmd", "--format", "{name}", SUITE], check=True,
                          stdout=subprocess.PIPE, text=True)
    found = [line for line in done.stdout.splitlines()
             if "@" in line and (not patterns or any(re.search(p, line) for p in patterns))]
    return sorted(found)[first::every]


def run(out, tests, seconds, script):
    """{test: result of piglit}, with the environment that a piece of shell makes."""
    os.makedirs(out, exist_ok=True)
    chosen = f"{out}.list"
    with open(chosen, "w", encoding="utf-8") as f:
        f.writelines(f"{name}\n" for name in tests)
    command = (f'{script} exec piglit run -p surfaceless_egl --timeout {seconds} -l verbose '
               f'--overwrite --test-list "$1" {SUITE} "$2"')
    env = {**os.environ, "PIGLIT_COMPRESSION": "none"}
    subprocess.run(["sh", "-c", command, "sh", chosen, out], cwd=TREE, env=env, check=False,
                   stdout=sys.stderr)
    with open(os.path.join(out, "results.json"), encoding="utf-8") as f:
        return json.load(f)["tests"]


def flat(results):
    """{(test, subtest or ""): status}"""
    found = {}
    for name, result in results.items():
        found[name, ""] = result["result"]
        for sub, status in result.get("subtests", {}).items():
            # That one is not a subtest
            if sub != "__type__":
                found[name, sub] = status
    return found


def known():
    """[(pattern, reason)] of the file."""
    with open(KNOWN, encoding="utf-8") as f:
        rows = [line.rstrip("\n").split(" ", 1) for line in f if line[0] not in "#\n"]
    return [(pattern.replace("%20", " "), reason) for pattern, reason in rows]


def worse(stock, ours):
    """[(test, subtest, before, now)], what does not get as far as with the other."""
    return [(*key, stock[key], ours.get(key, "notrun")) for key in sorted(stock)
            if ORDER.index(ours.get(key, "notrun")) > ORDER.index(stock[key])]


def tell(tap, stock, ours):
    reasons, named = known(), collections.Counter()
    bad = []
    for test, sub, before, now in worse(stock, ours):
        reason = next((r for p, r in reasons if fnmatch.fnmatchcase(f"{test}#{sub}".rstrip("#"), p)),
                      None)
        if reason:
            named[reason] += 1
        else:
            bad.append(f"{test} {sub}: {before}, on the GPU {now}")
    for reason, count in named.items():
        print(f"# {count} results are worse: {reason}")
    tap.ok(not bad, "what passes by Debian's Mesa passes on the GPU", "\n".join(bad))


def scenes(results):
    """How many scenes were drawn by the GPU and by the CPU, and why by that."""
    by_gpu = by_cpu = 0
    why = collections.Counter()
    for result in results.values():
        for _all, gpu, cpu in STATS.findall(result.get("err", "")):
            by_gpu += int(gpu)
            by_cpu += int(cpu)
        for count, reason in WHY.findall(result.get("err", "")):
            why[reason] += int(count)
    return by_gpu, by_cpu, why


def table(title, results):
    counts = collections.Counter(result["result"] for result in results.values())
    print(f"# {title}: " + ", ".join(f"{counts[s]} {s}" for s in ORDER if counts[s]), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regex", nargs="*")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--timeout", type=int, default=120, help="seconds for a test")
    parser.add_argument("--out", default=os.path.join(TREE, "out", "piglit"))
    args = parser.parse_args()
    tap = Tap()
    tests = names(args.regex, args.every, args.first)
    stock = run(os.path.join(args.out, "stock"), tests, args.timeout, "")
    table("by Debian's Mesa", stock)
    ours = run(os.path.join(args.out, "gpu"), tests, args.timeout,
               "graphics_gpu=sim; . selftests/graphics/env.sh; TESSERA_DEBUG=stats; "
               "export TESSERA_DEBUG;")
    table("on the GPU", ours)
    tap.ok(tests and set(stock) == set(ours) == set(tests), "all tests were run",
           f"{len(tests)} chosen, {len(stock)} and {len(ours)} run")
    tell(tap, flat(stock), flat(ours))
    by_gpu, by_cpu, why = scenes(ours)
    print(f"# scenes: {by_gpu} by the GPU, {by_cpu} by the CPU")
    for reason, count in why.most_common():
        print(f"# by the CPU: {count}, {reason}")
    tap.ok(by_gpu and by_cpu * 100 <= (by_gpu + by_cpu) * CPU_PERCENT, "its scenes are the GPU's")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
