# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures that test programs in a host VM print, as a table and as JSON.

A program prints "# figure NAME VALUE" for each; what it judges is KTAP.
"""

import argparse
import json
import operator
import os
import re
import subprocess
import sys

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
AT_LEAST, AT_MOST, EXACTLY = operator.ge, operator.le, operator.eq
SIGNS = {AT_LEAST: ">=", AT_MOST: "<=", EXACTLY: "="}
FIGURE = re.compile(r"^# figure (\w+) (\S+)$")
RESULT = re.compile(r"^(not )?ok \d+ (\S.*)")
# What scripts/vm says when it has proof that the emulator lost the host VM
LOST = re.compile(r"^vm: host: emulator lost this machine: (.*)")
# What a program says that begins again with another guest
AGAIN = re.compile(r"^# (try \d+ of \d+: emulator lost .*)")
TRIES = 3


def arguments(doc, argv=None, parts=(), again=False):
    """--quick and --kernel, which all of these take, --only PART if there are parts, --report."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="as short as in the tests")
    parser.add_argument("--kernel", default="6.12", choices=("6.12", "7.2"))
    if parts:
        parser.add_argument("--only", choices=parts, help="this part")
    if again:
        parser.add_argument("--report", action="store_true", help="measure nothing again")
    return parser.parse_args(argv)


def vm_command(kernel, timeout, settings, program, *args, gpus=1, backend="pci",
               clock="nominal", options=()):
    """A command in a host VM whose GPUs follow wall time; program is a path in the tree.

    clock: None if their time stands still where they have nothing to do; options: more of scripts/vm.
    """
    cmd = [os.path.join(TREE, "scripts", "vm"), "host", "--kernel", kernel, "--timeout",
           str(timeout), "--gpus", str(gpus), "--backend", backend, *options]
    cmd += ["--model-args", f"--clock {clock}"] if clock else []
    for name, value in settings.items():
        cmd += ["--env", f"{name}={value}"]
    return [*cmd, "--", os.path.join(TREE, *program.split("/")), *args]


def progress(line):
    """Which test has ended."""
    if found := RESULT.match(line):
        print(f"{'failed' if found[1] else 'done'}: {found[2]}", file=sys.stderr, flush=True)
    elif found := AGAIN.match(line):
        print(found[1], file=sys.stderr, flush=True)
    elif line.startswith("vm: ") and "| " not in line:
        sys.stderr.write(line)


def measure_once(cmd, log):
    """Figures, the tests that failed, and the proof that the host VM was lost, if it was."""
    figures, failed, lost = {}, [], None
    with subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", cwd=TREE) as run:
        for line in run.stdout:
            log.write(line)
            progress(line)
            if found := FIGURE.match(line):
                figures[found[1]] = float(found[2])
            elif found := LOST.match(line):
                lost = found[1]
            elif line.startswith("not ok "):
                failed.append(line.strip())
    if run.returncode and not failed:
        failed.append(f"status {run.returncode} of {os.path.basename(cmd[0])}")
    return figures, failed, lost if run.returncode else None


def measure(cmd, log):
    """Run a command, its output goes to log: figures, and the tests that failed.

    It begins again, and says so, if the emulator lost the host VM, on proof.
    """
    for attempt in range(1, TRIES + 1):
        figures, failed, lost = measure_once(cmd, log)
        if not lost:
            break
        print(f"try {attempt} of {TRIES}: emulator lost the host VM: {lost}", file=sys.stderr,
              flush=True)
    return figures, failed


def number(value):
    return int(value) if value == int(value) else value


def table(limits, figures):
    """Print it; limits: (name, comparison or None, limit, what it is). Names that missed theirs."""
    bad = []
    print(f"{'figure':34}{'value':>10}   limit")
    for name, compare, limit, what in limits:
        value = figures.get(name)
        good = value is not None and (compare is None or compare(value, limit))
        if not good:
            bad.append(name)
        shown = "missing" if value is None else f"{value:.5g}"
        bound = f"{SIGNS[compare]:>2} {limit:<6}" if compare else " " * 9
        print(f"{name:34}{shown:>10}   {bound}{'' if good else ' MISSED'}  {what}")
    return bad


def report(limits, figures, failed, out, log, more=()):
    """Table and JSON; the status that the program ends with. more: names for the JSON alone."""
    bad = table(limits, figures)
    names = [name for name, *_ in limits]
    names += [name for name in more if name not in names]
    with open(out, "w", encoding="utf-8") as f:
        json.dump({name: number(figures[name]) for name in names if name in figures}, f, indent=1)
        f.write("\n")
    print(f"\nfigures: {os.path.relpath(out)}, all that was measured: {os.path.relpath(log)}")
    for line in failed:
        print(line)
    return 1 if bad or failed else 0
