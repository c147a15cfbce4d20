#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: compare.py IMAGES OUT.json SLICES BENCH [BEFORE]

Runs slices-bench, then isa-bench, and in turns with it the one with the engine of an older commit, on the kernels'
IMAGES. Prints and writes the best of several runs of each, and what
has become of it; exits 1 if a target is missed. Without BEFORE there are no ratios."""

import itertools
import json
import subprocess
import sys

RUNS = 7
# Millions of instructions per second
SPEEDS = {"sgemm": 350, "sha256": 350}
# What the engine does now for each instruction that it did before
RATIOS = {"sgemm": 1.15, "sha256": 1.15, "divergent16": 3, "amo_uniform": 3, "rounding": 20,
          "partial_1": 2, "partial_15": 2, "partial_17": 2}
# Of slices side by side
AT_LEAST = {"threads_2_over_1": 1.8}
AT_MOST = {"neighbour_wall_ratio": 1.25}


def run(program, images):
    text = subprocess.run([program, images], check=True, text=True, stdout=subprocess.PIPE).stdout
    return {name: float(mips) for name, mips in map(str.split, text.splitlines())}


def best_of(programs, images):
    """In turns, so that whatever else the machine does hits both."""
    best = [{} for _ in programs]
    for _ in range(RUNS):
        for program, found in zip(programs, best):
            for name, mips in run(program, images).items():
                found[name] = max(found.get(name, 0), mips)
    return best


def rows(best):
    for name, mips in best[0].items():
        yield f"mips_{name}", mips, "MIPS", SPEEDS.get(name)
    if len(best) == 1:
        return
    ratios = {name: mips / best[1][name] for name, mips in best[0].items()}
    for name, ratio in ratios.items():
        if not name.startswith("partial_"):
            yield f"{name}_over_before", ratio, "1", RATIOS[name]
    yield ("partial_wave_over_before", min(ratios[name] for name in ratios if "partial_" in name),
           "1", RATIOS["partial_1"])


def slices(program, images):
    for name, value in run(program, images).items():
        yield name, value, "1", AT_LEAST.get(name, AT_MOST.get(name))


def main(images, path, of_slices, *programs):
    table, missed = [], 0
    print(f"{'name':<28} {'value':>10} {'unit':>6} {'target':>8}  ok")
    for name, value, unit, target in itertools.chain(slices(of_slices, images),
                                                     rows(best_of(programs, images))):
        good = target is None or (value <= target if name in AT_MOST else value >= target)
        missed += not good
        table.append({"name": name, "value": round(value, 2), "unit": unit, "target": target,
                      "ok": good})
        print(f"{name:<28} {value:>10.2f} {unit:>6} {target or '':>8}  {'yes' if good else 'NO'}")
    with open(path, "w") as f:
        json.dump(table, f, indent=1)
        f.write("\n")
    return bool(missed)


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
