# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo inside a guest: the example workloads, one after the other."""

import glob
import json
import os
import subprocess
import sys

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(TREE, "out", "examples")


def run(name, *args):
    """One example; its result as the dictionary that it prints, or None."""
    done = subprocess.run([os.path.join(EXAMPLES, name), "--json", *args],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    try:
        printed = json.loads(done.stdout)
    except ValueError:
        print(f"{name} failed with status {done.returncode}: {done.stderr.strip()}")
        return None
    result = printed.pop("result", {}) | printed
    result["ok"] = bool(result["ok"] and done.returncode == 0)
    print(f"{name}: {'ok' if result['ok'] else 'MISMATCH'}, {result['dispatches']} dispatches,"
          f" {result['cycles']} GPU cycles", flush=True)
    return result


def sha256(files):
    """The digests that the GPU computed are compared with those of sha256sum."""
    result = run("sha256", *files)
    if result:
        theirs = subprocess.run(["sha256sum", "--", *files], stdout=subprocess.PIPE, text=True,
                                check=True).stdout.split()[::2]
        ours = [entry["sha256"] for entry in result["files"]]
        if ours != theirs:
            print("sha256: the digests are not those of sha256sum")
            result["ok"] = False
    return result


def main():
    guest, out = sys.argv[1:]
    files = sorted(glob.glob(os.path.join(TREE, "include", "*", "*", "*.h")) +
                   glob.glob(os.path.join(TREE, "Documentation", "*.rst")))
    results = [
        sha256(files),
        run("sgemm", "--size", "128"),
        run("mandelbrot", "--output", os.path.join(out, "mandelbrot.png")),
        run("reduce"),
        run("bandwidth"),
    ]
    # Not as a file in the tree: what one machine writes there, another may see too late
    print("results " + json.dumps([r for r in results if r]), flush=True)
    good = sum(bool(r and r["ok"]) for r in results)
    if good != len(results):
        subprocess.run("dmesg | tail -n 15", shell=True, check=False)
    print(f"guest {guest}: {good} of {len(results)} workloads ok")
    return 0 if good == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
