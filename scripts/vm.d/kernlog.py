# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds in a kernel log what no correct run leaves there."""

import re

SPLAT = re.compile(
    r"(\bBUG: |\bWARNING: |\bOops\b|\bKASAN: |\bUBSAN: |\bKMEMLEAK\b|refcount_t: "
    r"|general protection fault|unable to handle (page fault|kernel)"
    r"|Kernel panic|possible (circular|recursive) locking|suspicious RCU usage"
    r"|sleeping function called from invalid context|scheduling while atomic"
    r"|unreferenced object|Object .* not freed|list_(add|del) corruption"
    r"|blocked for more than \d+ seconds)")

# Lines that an emulated machine prints without anything being wrong.
HARMLESS = re.compile(
    r"(WARNING: Spectre|tainting kernel|taints kernel"
    r"|TSC ADJUST|\[Firmware (Bug|Warn)\])")

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
