# SPDX-License-Identifier: GPL-2.0-or-later
"""In a guest of the OpenCL demo: runs the programs that the host names, one after the other.

usage: opencl_guest.py OUT

Nothing here knows whether the OpenCL device is a vGPU or a server's. A line "PROGRAM" on standard
input runs it; the answer is a line "done " with JSON.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import time

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYOPENCL = "/usr/share/doc/python-pyopencl-doc/examples"
CLBLAST = ("-platform", "0", "-device", "0", "-precision", "32")
LIMIT = 900
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")

# Command, and what of its output is its result: the first group of the expression. A program whose
# output does not match has failed.
PROGRAMS = {
    "clinfo": (("clinfo", "--raw"), r"CL_DEVICE_NAME +(.*)"),
    "mandelbrot.py": ((os.path.join(TREE, "examples", "opencl", "mandelbrot.py"), "--output", "{picture}"),
                      r"mandelbrot: (0 of \d+ pixels differ)"),
    "pyopencl demo.py": (("python3", os.path.join(PYOPENCL, "demo.py")), r"(Norm: 0\.0+e\+00)"),
    "clblast xaxpy": (("clblast_test_xaxpy", *CLBLAST), r"(\d+ passed / 0 skipped / 0 failed)"),
    "clblast xdot": (("clblast_test_xdot", *CLBLAST), r"(\d+ passed / 0 skipped / 0 failed)"),
}


def run(name, picture):
    command, pattern = PROGRAMS[name]
    began = time.monotonic()
    try:
        done = subprocess.run([w.format(picture=picture) for w in command], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                              errors="replace", timeout=LIMIT, check=False)
        said, status = ESCAPES.sub("", done.stdout), f"status {done.returncode}"
    except subprocess.TimeoutExpired as e:
        said = ESCAPES.sub("", str(e.stdout or ""))
        status = f"no end after {LIMIT} s"
    found = re.search(pattern, said)
    ok = bool(found) and status == "status 0"
    if not ok:
        print("".join(f"{name}: {line}\n" for line in said.splitlines()[-20:]), end="")
    return {"ok": ok, "result": found[1] if ok else status,
            "seconds": round(time.monotonic() - began, 1)}


def checksum(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    picture = os.path.join(sys.argv[1], "mandelbrot.png")
    os.environ.update(PYOPENCL_CTX="0", HOME="/tmp", PYTHONDONTWRITEBYTECODE="1")
    print("ready", flush=True)
    for line in sys.stdin:
        name = line.strip()
        if name not in PROGRAMS:
            break
        found = run(name, picture)
        if os.path.exists(picture):
            found["picture"] = checksum(picture)
        print("done " + json.dumps(found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
