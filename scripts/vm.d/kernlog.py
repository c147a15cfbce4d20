# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds in a kernel log what no correct run leaves there."""

import re

SPLAT = re.compile(
    r"(\bBUG: |\bWARNING: |\bOops\b|\bKASAN: |\bUBSAN: |kmemleak: [1-9]\d* new|refcount_t: "
    r"|general protection fault|unable to handle (page fault|kernel)"
    r"|Kernel panic|possible (circular|recursive) locking|suspicious RCU usage"
    r"|sleeping function called from invalid context|scheduling while atomic"
    r"|unreferenced object|Object .* not freed|list_(add|del) corruption"
    r"|blocked for more than \d+ seconds)")

# Lines that an emulated machine prints without anything being wrong.
HARMLESS = re.compile(
    r"(WARNING: Spectre|tainting kernel|taints kernel"
    r"|TSC ADJUST|\[Firmware (Bug|Warn)\])")

# A function of one of our modules in a call trace
OURS = re.compile(r"\+0x[0-9a-f]+/0x[0-9a-f]+ \[tessera\w*\]")

CONTEXT = 40


def splats(text):
    """Return the splats in a kernel log, each with the lines that follow it."""
    lines = text.splitlines()
    found = []
    skip_to = 0
    for i, line in enumerate(lines):
        if i < skip_to or not SPLAT.search(line) or HARMLESS.search(line):
            continue
        end = i + 1
        while end < min(len(lines), i + CONTEXT) and "---[ end trace" not in lines[end - 1]:
            end += 1
        found.append("\n".join(lines[i:end]))
        skip_to = end
    return found


def names_tessera(text):
    """Whether a call trace in a kernel log has a function of Tessera's modules."""
    return bool(OURS.search(text))
