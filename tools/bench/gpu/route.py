# SPDX-License-Identifier: GPL-2.0-or-later
"""In a host VM: the completion router with vGPUs on all slices of a GPU.

usage: route.py RESULT QUICK [shared]

The clients are processes that are VMM and guest in one (selftests/bench): they see
each interrupt with nothing in between, and count the ones that are missing, early or
somebody else's. A guest's own driver would hide them, because it looks again.
"""

import json
import os
import subprocess
import sys

import router


def slices():
    """Of the only GPU."""
    with open("/sys/class/tessera/gpu0/slices_total") as f:
        return int(f.read())


def clients(*args):
    """Result of a run of the clients."""
    done = subprocess.run([router.CLIENTS, *(str(a) for a in args)], stdout=subprocess.PIPE,
                          text=True, check=True)
    return json.loads(done.stdout)


def prepare():
    """vGPUs only: the host's own DRM node would have records on all slices."""
    subprocess.run(["modprobe", "vfio_iommu_type1"], check=True)
    if os.path.exists("/sys/module/tessera_drm"):
        subprocess.run(["rmmod", "tessera_drm"], check=True)


def main():
    path, quick, shared = sys.argv[1], sys.argv[2] == "1", "shared" in sys.argv[3:]
    prepare()
    most = slices()
    counts = (1, 64) if shared else [n for n in (1, 4, 16, 64) if n <= most]
    how = "shared" if shared else "resident"
    stages = [("router", lambda: router.measure(counts, 60, 5 if quick else 25, how))]
    if most == 16 and not shared:
        stages += [("completions", lambda: clients("completions",
                                                   20000 if quick else 1000000, 8)),
                   ("storm", lambda: clients("storm", 300, 5 if quick else 30))]
    result = {}
    for key, measure in stages:
        result[key] = measure()
        print(f"# {key} done", file=sys.stderr, flush=True)
    with open(path, "w") as f:
        json.dump(result, f)
    return 0


if __name__ == "__main__":
    sys.exit(main())
