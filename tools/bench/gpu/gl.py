#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In a host VM with two GPUs: the GPU's time for frames of a guest with a whole GPU, to that for the
same frames of a guest with a vGPU that has as many slices.

usage: gl.py SLICES

Prints figures for vmtests.py.
"""

import os
import re
import subprocess
import sys
import uuid

from api import bdf, figure
from machines import TREE, VM, BenchError

CTL = os.path.join(TREE, "out", "tools", "cli", "tesseractl")
SCENES = ("bilinear", "lit-cube", "triangles")
DRAW = ('cd "$1" && shift && . selftests/graphics/env.sh && export TESSERA_DEBUG=stats && '
        'exec out/tools/mesa/scenes "$@"')
STATS = re.compile(r"^tessera: scenes \d+ gpu (\d+) cpu (\d+) .*\bcycles (\d+)", re.M)


def draw(name, *device):
    """Cycles for all frames, which have to be the GPU's, and the lines of the pictures."""
    run = subprocess.run([VM, "guest", "--mem", "1G", "--timeout", "700", *device, "--", "sh", "-c", DRAW,
                          "sh", TREE, *SCENES], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, check=False)
    print(f"# {name}\n{run.stdout}{run.stderr}", flush=True)
    found = STATS.search(run.stderr)
    if run.returncode or not found:
        raise BenchError(f"{name}: status {run.returncode}")
    by_gpu, by_cpu, cycles = map(int, found.groups())
    if not by_gpu or by_cpu:
        raise BenchError(f"{name}: the CPU drew {by_cpu} scenes")
    return cycles, run.stdout


def main():
    mdev = str(uuid.uuid4())
    subprocess.run(["modprobe", "-a", "vfio_iommu_type1", "vfio-pci"], check=True)
    subprocess.run([CTL, "create", "--uuid", mdev, f"slices={sys.argv[1]}", "kind=mixed",
                    "memory=16M"], check=True)
    whole, pictures = draw("passthrough", "--host", bdf(1))
    vgpu, same = draw("vgpu", "--vgpu", mdev)
    if pictures != same:
        raise BenchError("the pictures are not the same")
    figure("passthrough_cycles", whole)
    figure("vgpu_cycles", vgpu)
    figure("vgpu_over_passthrough_frames", whole / vgpu)


if __name__ == "__main__":
    main()
