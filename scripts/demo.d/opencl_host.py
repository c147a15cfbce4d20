# SPDX-License-Identifier: GPL-2.0-or-later
"""The OpenCL demo inside the host VM: a vGPU and a server, a guest for each, the same programs."""

import contextlib
import glob
import json
import os
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True

from host import (POOL, TRIES, DemoError, create, exits, free_slices,  # noqa: E402
                  print_pool, read, remove)
from opencl_guest import PROGRAMS  # noqa: E402
from told import Lost, Told  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
REMOTE = os.path.join(TREE, "scripts", "remote")
TYPE = "C4"
CID = "3"
PROGRAM_SECONDS = 1000
WAYS = {"vgpu": f"vGPU ({TYPE})", "remote": "server of the host"}


def cycles(owner):
    """GPU cycles in which slices ran work of a client."""
    return sum(int(read(path)) for path in
               glob.glob(os.path.join(POOL, "gpu*", "vgpus", owner, "vslice*", "run_cycles")))


class Guest(threading.Thread, Told):
    """A guest, which runs one program after the other and is asked in between what it cost."""

    def __init__(self, name, options, command, owner):
        threading.Thread.__init__(self, name=name)
        Told.__init__(self, name, options, command)
        self.owner = owner
        self.results, self.error = {}, None

    def counters(self):
        return cycles(self.owner), exits(read(self.file("pid"))).get("exits", 0)

    def run_program(self, number, name):
        before = self.counters()
        self.tell(name)
        found = json.loads(self.answer("done", number, PROGRAM_SECONDS))
        found["cycles"], found["exits"] = (a - b for a, b in zip(self.counters(), before))
        self.results[name] = found
        self.say(f"{number + 1} of {len(PROGRAMS)}, {name}: {'ok' if found['ok'] else 'FAILED'}, "
                 f"{found['result']}; {found['seconds']} s, {found['cycles']} GPU cycles, "
                 f"{found['exits']} exits")

    def once(self):
        self.results = {}
        self.boot("ready")
        for number, name in enumerate(PROGRAMS):
            self.run_program(number, name)
        self.tell("end")
        status, text = self.wait()
        if status:
            raise DemoError(f"guest {self.name} ended with status {status}: {text}")

    def run(self):
        for attempt in range(1, TRIES + 1):
            self.error = None
            try:
                self.once()
                return
            except Lost as e:
                self.error = str(e)
                if attempt < TRIES:
                    print(f"the emulator lost a guest: {e}: it begins again, "
                          f"try {attempt + 1} of {TRIES}", flush=True)
            except (DemoError, OSError, ValueError, KeyError, subprocess.CalledProcessError) as e:
                self.error = str(e)
                return


@contextlib.contextmanager
def server(out):
    """The server of remoting, while guests run."""
    path = os.path.join(out, "server.log")
    with open(path, "w", encoding="utf-8") as log, \
            subprocess.Popen([REMOTE, "serve"], stdout=log, stderr=log) as run:
        time.sleep(3)

        def lost():
            if run.poll() is None:
                return ""
            with open(path, encoding="utf-8", errors="replace") as f:
                return f"the server ended with status {run.returncode}: {f.read()[-400:].strip()}"

        try:
            if lost():
                raise DemoError(lost())
            print("serving the host's own slices by scripts/remote serve, over VSOCK", flush=True)
            yield
            if lost():
                raise DemoError(lost())
        except DemoError as e:
            raise DemoError("\n".join(t for t in dict.fromkeys((str(e), lost())) if t)) from e
        finally:
            run.kill()


def table(guests):
    rows = [("program", "guest", "device", "result", "seconds", "GPU cycles", "exits")]
    for name in PROGRAMS:
        for g in guests:
            r = g.results[name]
            rows.append((name, g.name, WAYS[g.name], r["result"] if r["ok"] else f"FAILED: {r['result']}",
                         f"{r['seconds']:.1f}", str(r["cycles"]), str(r["exits"])))
    width = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    print()
    for r in rows:
        print("  ".join(c.rjust(w) if i > 3 else c.ljust(w)
                        for i, (c, w) in enumerate(zip(r, width))).rstrip())
    print("GPU cycles: of the vGPU, or of the server's slices; exits: of KVM, for whatever reason")


def compute(vgpu, out):
    """Run both guests to their end."""
    in_tree = f"cd {TREE} && . selftests/opencl/env.sh && exec \"$@\""
    program = ("python3", os.path.join(HERE, "opencl_guest.py"))
    guests = [
        Guest("vgpu", ["--vgpu", vgpu],
              ["sh", "-c", in_tree, "sh", *program, os.path.join(out, "vgpu")], vgpu),
        Guest("remote", ["--vsock", CID],
              [REMOTE, "run", *program, os.path.join(out, "remote")], "drm"),
    ]
    for g in guests:
        g.start()
    for g in guests:
        g.join()
    errors = [g.error for g in guests if g.error]
    if errors:
        raise DemoError("\n".join(errors))
    return guests


def verdict(guests, out):
    """The last lines; 0 if all went well."""
    for g in guests:
        path = os.path.join(out, g.name, "mandelbrot.png")
        print(f"picture computed by {g.name}: {path}")
    results = [r for g in guests for r in g.results.values()]
    bad = sum(not r["ok"] for r in results)
    pictures = {r.get("picture") for r in (g.results["mandelbrot.py"] for g in guests)}
    same = len(pictures) == 1 and None not in pictures
    print(f"demo-opencl {'failed' if bad or not same else 'ok'}: {len(guests)} guests, "
          f"{len(results)} programs, {bad} failed, {'the same picture' if same else 'PICTURES DIFFER'}")
    return 1 if bad or not same else 0


def run(out):
    print_pool("the pool (a dot is a free slice):")
    before = free_slices()
    vgpu = create(TYPE)
    try:
        with server(out):
            print_pool("the pool with a vGPU; the host's own device has the rest:")
            guests = compute(vgpu, out)
    finally:
        remove(vgpu)
    if free_slices() != before:
        raise DemoError(f"slices or memory did not come back: {before} before, {free_slices()} now")
    with open(os.path.join(out, "results.json"), "w", encoding="utf-8") as f:
        json.dump({g.name: g.results for g in guests}, f, indent=1)
    table(guests)
    return verdict(guests, out)


def main():
    started = time.monotonic()
    try:
        return run(sys.argv[1])
    except (DemoError, OSError, subprocess.CalledProcessError, ValueError, KeyError) as e:
        print(f"demo-opencl failed after {time.monotonic() - started:.0f} s: {e}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
