# SPDX-License-Identifier: GPL-2.0-or-later
"""tesseractl on the real pool, in a host VM with one GPU and all modules."""

import glob
import os
import signal
import subprocess
import sys
import time
import uuid

from cli import Tap, Terminal, Tool, TREE, answer, has, has_not, same

CLASS = "/sys/class/tessera"
TRACING = "/sys/kernel/debug/tracing"
SHARED = "C1S"


def read(*parts):
    with open(os.path.join(*parts)) as file:
        return file.read().rstrip("\n")


def types():
    for path in glob.glob("/sys/class/mdev_bus/*/mdev_supported_types"):
        if os.path.exists(os.path.join(path, "tessera_pci-C1")):
            return path
    raise AssertionError("no parent of mediated devices")


class Vgpu:
    """A mediated device for the time of a test."""

    def __init__(self, kind):
        self.uuid = str(uuid.uuid4())
        self.kind = kind

    def __enter__(self):
        with open(os.path.join(types(), f"tessera_pci-{self.kind}", "create"), "w") as file:
            file.write(self.uuid)
        return self.uuid

    def __exit__(self, *_):
        with open(f"/sys/bus/mdev/devices/{self.uuid}/remove", "w") as file:
            file.write("1")


def instances():
    return [n for n in os.listdir(TRACING + "/instances") if n.startswith("tesseractl-")]


class Tests:
    def __init__(self, path):
        self.path = path
        self.tool = Tool(path, TERM="vt100")

    def slices(self):
        return {s["slice"]: s for s in self.tool.json("list")["gpus"][0]["slices"]}

    # ---- reading ----

    def list_is_sysfs(self):
        gpus = self.tool.json("list")["gpus"]
        same([g["gpu"] for g in gpus], ["gpu0"])
        for name in ("slices_total", "slices_free", "vram_total", "vram_free", "clock_khz"):
            same(str(gpus[0][name]), read(CLASS, "gpu0", name), name)
        same(len(gpus[0]["slices"]), 16)
        for s in gpus[0]["slices"]:
            for name in ("kind", "state", "owner", "cores", "bank_offset"):
                seen = "" if s[name] is None else str(s[name])
                same(seen, read(CLASS, f"gpu0/slices/slice{s['slice']}", name), name)
        has(self.tool.run("list"), "gpu0 0000:01:00.0: 16 slices", "\n  compute ", "\n  render ",
            "\n  mixed ")

    def show_reads_all(self):
        slice_ = self.tool.json("show", "gpu0/slice5")
        there = {n for n in os.listdir(CLASS + "/gpu0/slices/slice5")}
        known = {n for n, value in slice_.items() if value is not None} - {"gpu", "slice"}
        empty = {n for n in ("owner",) if slice_[n] is None}
        same(known | empty, there - {"counters"})

    def exclusive(self):
        before = self.slices()
        with Vgpu("C2") as name:
            owned = [i for i, s in self.slices().items() if s["owner"] == name]
            same(len(owned), 2)
            has(self.tool.run("list"), f"A  {name}  gpu0  exclusive", f" {owned[0]}:A ",
                f" {owned[1]}:A")
            vgpu = self.tool.json("show", name[:13])
            same([v["slice"] for v in vgpu["vslices"]], owned)
            has(self.tool.error("show", "x"), name)
        same({i: s["owner"] for i, s in self.slices().items()},
             {i: s["owner"] for i, s in before.items()})
        has(self.tool.error("show", name), "no vGPU " + name)

    # ---- top ----

    def top_sees_work(self):
        work = subprocess.Popen([TREE + "/out/examples/sgemm", "--size", "256"],
                                stdout=subprocess.DEVNULL)
        top = self.tool.start("top", "--json", "--interval", "1")
        try:
            busy = []
            while work.poll() is None or not busy:
                busy.append(max(s["utilization"] or 0
                                for s in answer("top", top.stdout.readline())["slices"]))
        finally:
            top.terminate()
            top.communicate()
        same([work.returncode, top.returncode], [0, 0])
        if not 0 < max(busy) <= 1000:
            raise AssertionError(f"utilization {busy}")

    def top_screen(self):
        t = Terminal([self.path, "top", "--interval", "0.5"], self.tool.env)
        t.shows("1 GPU ", "16 slices", "gpu0/slice0 ", "gpu0/slice15", "RESIDENT", "VGPU")
        t.type(b"p")
        t.shows("PAUSED")
        t.type(b"q")
        same(t.status(), 0)

    # ---- trace ----

    def tracing(self, *args):
        """A trace that runs already."""
        trace = self.tool.start("trace", *args)
        enable = os.path.join(TRACING, "instances", f"tesseractl-{trace.pid}",
                              "events/tessera/enable")
        end = time.monotonic() + 30
        while not os.path.exists(enable) or read(enable) != "1":
            if time.monotonic() > end or trace.poll() is not None:
                trace.kill()
                raise AssertionError("no instance: " + trace.communicate()[1])
            time.sleep(0.05)
        return trace

    def trace_leaves_nothing(self):
        same(read(TRACING, "events/tessera/enable"), "0")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            trace = self.tracing()
            same(len(instances()), 1)
            same(read(TRACING, "events/tessera/enable"), "0")
            trace.send_signal(number)
            same(trace.communicate(timeout=120)[1], "")
            same([trace.returncode, instances()], [0, []])
        self.tool.run("trace", "--seconds", "0.3")
        same(instances(), [])

    def trace_after_a_kill(self):
        trace = self.tracing()
        trace.kill()
        trace.communicate()
        left = instances()
        same(len(left), 1)
        self.tool.run("trace", "--seconds", "0.1")
        same(instances(), [])

    def trace_two_at_once(self):
        traces = [self.tracing(), self.tracing("--json")]
        same(len(instances()), 2)
        for trace in traces:
            trace.terminate()
            same(trace.communicate(timeout=120)[1], "")
        same(instances(), [])

    def no_permission(self):
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", self.path]
        done = subprocess.run(user + ["list"], capture_output=True, text=True)
        same(done.returncode, 0)
        done = subprocess.run(user + ["trace", "--seconds", "1"], capture_output=True, text=True)
        same(done.returncode, 1)
        has(done.stderr, "try again as root")

    # ---- sharing ----

    def shared(self):
        with Vgpu(SHARED) as a, Vgpu(SHARED) as b:
            for name in (a, b):
                same(self.tool.json("show", name)["share"], "shared")
            where = self.tool.json("show", a)["vslices"][0]["slice"]
            self.tool.run("move", b, "0", str(where))
            same(self.tool.json("show", b)["vslices"][0]["slice"], where)
            same(self.slices()[where]["members"], 2)
            same(self.slices()[where]["state"], "shared")
            self.tool.run("set", a, "weight=300", "cap=40", "policy=auto")
            same([read(CLASS, "gpu0/vgpus", a, f) for f in ("weight", "cap", "policy")],
                 ["300", "40", "auto"])
            self.tool.run("set", f"gpu0/slice{where}", "policy=fixed", "quantum_us=500",
                          "preempt_timeout_us=20000")
            slice_ = self.slices()[where]
            same([slice_[n] for n in ("policy", "quantum_us", "preempt_timeout_us")],
                 ["fixed", 500, 20000])
            self.tool.run("set", f"gpu0/slice{where}", "policy=fair", "quantum_us=2000",
                          "preempt_timeout_us=10000")
            has(self.tool.run("top", "--batch", "1", "--interval", "0.2"), a, b)

    def move_is_traced(self):
        with Vgpu(SHARED) as a, Vgpu(SHARED) as b:
            here = self.tool.json("show", a)["vslices"][0]["slice"]
            there = next(i for i, s in self.slices().items()
                         if i != here and s["kind"] == "compute" and s["state"] in
                         ("free", "elastic"))
            words = self.tracing("--vgpu", a[:18])
            objects = self.tracing("--slice", f"gpu0/slice{there}", "--json")
            self.tool.run("move", a, "0", str(there))
            self.tool.run("move", b, "0", str(here))
            time.sleep(0.5)
            for trace in (words, objects):
                trace.terminate()
            out = words.communicate(timeout=120)[0]
            has(out, f"gpu0/slice{there}: {a} vslice 0 moved here from slice {here}: the administrator")
            has_not(out, b)
            moves = [answer("trace", line) for line in objects.communicate(timeout=120)[0].splitlines()]
            moves = [m for m in moves if m["event"] == "tess_move" and m["vgpu"] == a]
            same([(m["from"], m["slice"], m["reason"]) for m in moves],
                 [(here, there, "sysfs")])

    # ---- the end ----

    def no_gpu(self):
        with open("/sys/bus/pci/drivers/tessera_pci/unbind", "w") as file:
            file.write("0000:01:00.0")
        has(self.tool.error("list"), "there is no GPU")

    def no_module(self):
        subprocess.run(["rmmod", "tessera_mdev", "tessera_drm", "tessera_pci", "tessera_chip",
                        "tessera"], check=True)
        has(self.tool.error("list"), "modprobe tessera_pci")
        has(self.tool.error("trace", "--seconds", "1"), "no events of tessera")
        same(instances(), [])


TESTS = (
    ("list says what sysfs says", "list_is_sysfs"),
    ("show reads every file of a slice", "show_reads_all"),
    ("an exclusive vGPU comes and goes", "exclusive"),
    ("top sees work", "top_sees_work"),
    ("top on a terminal", "top_screen"),
    ("trace leaves nothing behind", "trace_leaves_nothing"),
    ("trace clears up behind one that was killed", "trace_after_a_kill"),
    ("two traces at once", "trace_two_at_once"),
    ("list needs no privilege, trace does", "no_permission"),
    ("shared vGPUs: list, show, set, move, top", "shared"),
    ("a move is traced", "move_is_traced"),
    ("no GPU", "no_gpu"),
    ("no module", "no_module"),
)


def main():
    tap = Tap()
    tests = Tests(TREE + "/out/tools/cli/tesseractl")
    can_share = os.path.exists(os.path.join(types(), "tessera_pci-" + SHARED))
    for title, name in TESTS:
        if name in ("shared", "move_is_traced") and not can_share:
            tap.skip(title, "this module has no shared types")
        else:
            tap.run(title, getattr(tests, name))
    return tap.end()


sys.exit(main())
