# SPDX-License-Identifier: GPL-2.0-or-later
"""tesseractl on sysfs and tracefs trees that this test makes; built with sanitizers."""

import csv
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from prometheus_client.openmetrics.parser import text_string_to_metric_families

from cli import COMMANDS, SCHEMA, Sysfs, Tap, Terminal, Tool, TREE, answer, has, has_not, same

A = "7f2c1a2b-0000-4000-8000-00000000000a"
B = "7f2c1a2b-0000-4000-8000-00000000000b"
C = "c0ffee00-0000-4000-8000-00000000000c"
D = "d0000000-0000-4000-8000-00000000000d"

# The name of a process can be anything; here it looks like the rest of a line
LINE = b"    a] b: tess_x-77      [001] d.h1.    55.123456: %s: gpu=%d slice=%d vgpu=%s vslice=1 %s\n"


def pool(root):
    """Two GPUs: C exclusive on two slices, A and B share one, drm has what is left."""
    fs = Sysfs(root)
    fs.gpu(0, slices=12)
    fs.gpu(1)
    fs.vgpu(0, C, [0, 1])
    fs.own(0, 0, C)
    fs.own(0, 1, C)
    fs.vgpu(0, A, [2], share="shared", weight=200)
    fs.vgpu(0, B, [2], share="shared", cap=50, policy="auto")
    fs.own(0, 2, A, state="shared", members=2)
    fs.own(0, 3, "", state="shared", members=1)
    fs.own(0, 4, "", state="faulty")
    for n in (0, 1):
        fs.vgpu(n, "drm", [-1], share="elastic")
    fs.own(0, 5, "drm", state="elastic")
    return fs


class Tests:
    def __init__(self, tool, directory):
        self.path = tool
        self.directory = directory
        self.count = 0
        self.renew()

    def renew(self):
        self.count += 1
        self.root = os.path.join(self.directory, str(self.count))
        self.fs = pool(self.root)
        self.tool = Tool(self.path, TESSERA_SYSFS=self.root, TERM="vt100")

    def take_away(self):
        """All at once: a tree that is half removed is that of a host without a GPU."""
        os.rename(self.root, self.root + ".gone")
        shutil.rmtree(self.root + ".gone")

    # ---- list, show ----

    def list_picture(self):
        out = self.tool.run("list")
        has(out, "gpu0 0000:01:00.0: 12 slices, 12 available, VRAM 384 MiB (192 free), 4000 kHz",
            "  compute    0:C      1:C      4:!      5:~      8:.      9:.\n",
            "  render     2:A2     6:.     10:.\n", "  mixed      3:_1     7:.     11:.\n")
        rows = [line.split() for line in out.splitlines() if line[:2] in ("A ", "B ", "C ", "~ ")]
        same(rows, [["A", A, "gpu0", "shared", "200", "0", "manual", "2"],
                    ["B", B, "gpu0", "shared", "100", "50", "auto", "2"],
                    ["C", C, "gpu0", "exclusive", "100", "0", "manual", "0", "1"],
                    ["~", "drm", "gpu0", "elastic", "100", "0", "manual", "-"],
                    ["~", "drm", "gpu1", "elastic", "100", "0", "manual", "-"]])
        has_not(out, "gpu0/slice0")
        has(self.tool.run("list", "--long"), "gpu0/slice2", "gpu1/slice3")

    def list_json(self):
        gpus = self.tool.json("list")["gpus"]
        same([g["gpu"] for g in gpus], ["gpu0", "gpu1"])
        same([s["slice"] for s in gpus[0]["slices"]], list(range(12)))
        same(gpus[0]["slices"][2]["owner"], A)
        same(gpus[0]["slices"][4]["owner"], None)
        same(gpus[0]["slices"][2]["engines"], ["compute", "copy"])
        same(gpus[0]["slices"][11]["bank_offset"], 11 << 25)
        same([v["vgpu"] for v in gpus[0]["vgpus"]], [A, B, C, "drm"])
        same([v["slice"] for v in gpus[0]["vgpus"][2]["vslices"]], [0, 1])
        same(gpus[0]["vram_free"], 12 << 24)
        same([gpus[0]["time_cycles"], gpus[0]["slices"][0]["busy_cycles"]], [1000, 0])
        same(gpus[0]["vgpus"][0]["vslices"][0]["run_cycles"], 0)
        same(self.tool.json("--json", "list")["gpus"], gpus)

    def wide_letters(self):
        for i in range(60):
            self.fs.vgpu(1, f"v{i:02}", [0], share="shared")
        self.fs.own(1, 0, "v59", state="shared", members=60)
        self.fs.own(1, 1, "v48", state="shared", members=60)
        has(self.tool.run("list"), "  compute    0:#60    1:z60\n")

    def show(self):
        has(self.tool.run("show", "gpu0/slice2"), "gpu0/slice2\n", "owner                " + A,
            "quantum_us           2000\n", "engines              compute copy\n",
            "instructions         5\n", "flops                -\n")
        out = self.tool.run("show", "c0")
        has(out, f"{C} on gpu0\n", "vslice0  vslice1")
        has(self.tool.run("show", "gpu1"), "time_cycles          1000\n", "render     2:.")
        same(self.tool.json("show", "gpu1/drm")["gpu"], "gpu1")
        same(self.tool.json("show", "gpu0/slice2")["instructions"], 5)
        same(self.tool.json("show", A)["weight"], 200)
        same(len(self.tool.json("show", "gpu0")["slices"]), 12)

    def mdev(self, **values):
        """C as a mediated device of type C2 that works."""
        where = f"../mdev_bus/0000:01:00.0/{C}"
        self.fs.make(where, blueprint="slices=2 memory=64M", last_error="none", gpu="gpu0",
                     features="composition reset", composition="generation=7 slices=2 "
                     "slice_mask=0x3 memory=67108864 heads=0x1 engines=compute", **values)
        self.fs.make(where + "/stats", pinned_pages=3, stage2_faults=11, stage2_refused=12,
                     client_faults=13, completions=14, traps=15, mmap_faults=16, zeroed_bytes=17,
                     still_bytes=18)
        os.symlink("../mdev_supported_types/tessera_pci-C2", self.fs.path(where, "mdev_type"))

    def heads(self, text):
        """What the heads of C show"""
        with open(self.fs.path(f"../mdev_bus/0000:01:00.0/{C}/heads"), "w") as f:
            f.write(text)

    def show_heads(self):
        self.mdev()
        same(self.tool.json("show", C)["displays"], [])
        self.heads("head=0 size=1024x768 shown=12 damaged=9876 last=1,2-3,4\n"
                   "head=2 size=0x0 shown=0 damaged=0 last=0,0-0,0\n")
        same(self.tool.json("show", C)["displays"],
             [{"head": 0, "width": 1024, "height": 768, "shown": 12, "damaged": 9876},
              {"head": 2, "width": 0, "height": 0, "shown": 0, "damaged": 0}])
        has(self.tool.run("show", C),
            "  head0                1024x768, 12 pictures, 9876 pixels of them damaged\n",
            "  head2                0x0, 0 pictures")
        pictures = self.values(self.metrics()["tessera_vgpu_head_pictures"], "vgpu", "head")
        same(pictures, {(C, "0"): 12, (C, "2"): 0})
        found = self.metrics()
        same(self.values(found["tessera_vgpu_head_damaged_pixels"], "head")["0",], 9876)
        same(self.values(found["tessera_vgpu_head_width_pixels"], "head")["0",], 1024)
        # Whatever is there
        self.heads("x\nhead= size=1x1\nhead=1 size=5 shown=y\n" + 9 * "head=3 size=2x3\n")
        same(self.tool.json("show", C)["displays"],
             [{"head": 1, "width": None, "height": None, "shown": None, "damaged": None}] +
             3 * [{"head": 3, "width": 2, "height": 3, "shown": None, "damaged": None}])
        self.heads("")
        same("tessera_vgpu_head_pictures" in self.metrics(), False)

    def show_mdev(self):
        self.mdev()
        seen = self.tool.json("show", C)
        same([seen[n] for n in ("mdev_type", "features", "generation", "memory", "heads", "given",
                                "pinned_pages", "stage2_faults", "stage2_refused", "client_faults",
                                "completions", "traps", "mmap_faults", "zeroed_bytes",
                                "still_bytes")],
             ["C2", "composition reset", 7, 64 << 20, 1, 2, 3, 11, 12, 13, 14, 15, 16, 17, 18])
        has(self.tool.run("show", C), "  mdev_type            C2\n",
            "  memory               67108864\n", "  completions          14\n")
        has_not(self.tool.run("show", A), "completions")
        same([self.tool.json("show", A)[n] for n in ("mdev_type", "traps")], [None, None])
        os.remove(self.fs.path(f"../mdev_bus/0000:01:00.0/{C}/stats/traps"))
        os.remove(self.fs.path(f"../mdev_bus/0000:01:00.0/{C}/mdev_type"))
        seen = self.tool.json("show", C)
        same([seen["mdev_type"], seen["traps"], seen["completions"]], [None, None, 14])

    # ---- queries ----

    def query(self, fields):
        return list(csv.reader(self.tool.run("list", "--query", fields).splitlines()))

    def query_rows(self):
        same(self.query("gpu,gpu.slices_total,gpu.name"),
             [["gpu", "gpu.slices_total", "gpu.name"], ["gpu0", "12", "0000:01:00.0"],
              ["gpu1", "4", "0000:02:00.0"]])
        rows = self.query("slice,slice.owner,slice.flops,slice.engines,gpu")
        same(len(rows), 17)
        same([rows[3], rows[4]], [["2", A, "", "compute copy", "gpu0"],
                                  ["3", "", "", "compute copy", "gpu0"]])
        same(self.query("vgpu.weight,vgpu,gpu")[1:],
             [["200", A, "gpu0"], ["100", B, "gpu0"], ["100", C, "gpu0"], ["100", "drm", "gpu0"],
              ["100", "drm", "gpu1"]])
        same(self.query("vgpu,vslice,vslice.slice")[3:5], [[C, "0", "0"], [C, "1", "1"]])
        rows = self.tool.json("list", "--query", "vgpu,vgpu.traps,vgpu.cap")["rows"]
        same(rows[1], {"vgpu": B, "vgpu.traps": None, "vgpu.cap": 50})
        same(self.tool.json("list", "--query", "gpu", "--format", "json")["rows"],
             [{"gpu": "gpu0"}, {"gpu": "gpu1"}])
        same(self.tool.run("list", "--query", "gpu", "--format", "csv"), "gpu\ngpu0\ngpu1\n")

    def query_spans(self):
        """Each vslice with the GPU that it is of, and once."""
        self.fs.vgpu(0, D, [6])
        self.fs.vgpu(1, D, [0, 1])
        self.fs.make(f"../mdev_bus/0000:01:00.0/{D}", blueprint="gpus=2", gpu="gpu0 gpu1",
                     composition="generation=5 slices=3 slice_mask=0x7")
        rows = [row for row in self.query("vgpu,gpu,gpu.name,vslice,vslice.slice") if row[0] == D]
        same(rows, [[D, "gpu0", "0000:01:00.0", "0", "6"], [D, "gpu1", "0000:02:00.0", "1", "0"],
                    [D, "gpu1", "0000:02:00.0", "2", "1"]])
        same(len([row for row in self.query("vgpu") if row == [D]]), 1)

    def query_quotes(self):
        self.mdev()
        self.fs.put(f"../mdev_bus/0000:01:00.0/{C}", last_error='EINVAL: "x", or y',
                    features="a,b")
        same(self.query("vgpu.last_error,vgpu.features,vgpu.given")[3],
             ['EINVAL: "x", or y', "a,b", "2"])
        has(self.tool.out, '"EINVAL: ""x"", or y","a,b",2\n')

    def query_fields(self):
        fields = self.tool.run("list", "--list-fields").split("\n")[:-1]
        same(fields, self.tool.json("list", "--list-fields")["fields"])
        same(len(set(fields)), len(fields))
        shown = {"gpu": "gpu1", "slice": "gpu0/slice2", "vgpu": C}
        self.mdev()
        self.heads("head=0 size=1x1 shown=0 damaged=0")
        for kind, name in shown.items():
            members = {m for m, v in self.tool.json("show", name).items()
                       if not (isinstance(v, list) and v and isinstance(v[0], dict))}
            known = {f.split(".")[1] for f in fields if f.startswith(kind + ".")} | {kind, "gpu"}
            same(members - known, set(), kind)
            same(known - members, set(), kind)
        for kind in ("gpu", "slice", "vgpu", "vslice"):
            mine = [f for f in fields if f.split(".")[0] == kind]
            same(self.query(",".join(mine))[0], mine)

    def query_errors(self):
        has(self.tool.error("list", "--query", "slice.owned", status=2), "did you mean slice.owner?")
        has(self.tool.error("list", "--query", "", status=2), 'no field ""')
        has(self.tool.error("list", "--query", "gpu,", status=2), "--list-fields")
        has(self.tool.error("list", "--query", "slice.kind,vslice.slice", status=2),
            "slice.kind and vslice.slice")
        has(self.tool.error("list", "--query", "gpu", "--format", "xml", status=2), "csv or json")
        has(self.tool.error("list", "--format", "csv", status=2), "--query")

    def query_reads_no_more(self):
        """Of a GPU that cannot be read, what needs no access is there."""
        has_not(self.trace_opens("list", "--query", "slice.state,gpu.vram_free"), "busy_cycles",
                "time_cycles", "instructions")
        opens = self.trace_opens("list", "--query", "slice.busy_cycles")
        has(opens, "busy_cycles")
        has_not(opens, "instructions")
        has(self.trace_opens("list", "--query", "slice.flops"), "instructions")

    def trace_opens(self, *args):
        out = os.path.join(self.directory, "opens")
        env = {**self.tool.env, "ASAN_OPTIONS": "detect_leaks=0"}
        subprocess.run(["strace", "-f", "-qq", "-e", "trace=openat", "-o", out, self.path, *args],
                       env=env, check=True, stdout=subprocess.DEVNULL)
        with open(out) as file:
            return file.read()

    # ---- metrics ----

    def metrics(self, *args):
        """By family: for the labels of each sample its value, and the type."""
        found = {}
        for family in text_string_to_metric_families(self.tool.run("metrics", *args)):
            same(family.name.startswith("tessera_") and family.name not in found, True, family.name)
            found[family.name] = family
            if not family.documentation or not family.samples:
                raise AssertionError(f"{family.name}: no help or no samples")
            if family.unit and not family.name.endswith("_" + family.unit):
                raise AssertionError(f"{family.name}: unit {family.unit}")
        return found

    @staticmethod
    def values(family, *labels):
        return {tuple(s.labels.get(n) for n in labels): s.value for s in family.samples}

    def metrics_values(self):
        self.mdev()
        self.fs.put("gpu0", time_cycles=6_000_000_001, clock_khz=4000)
        self.fs.put("gpu0/slices/slice2", busy_cycles=8_000_000, switches=9)
        self.fs.put(f"gpu0/vgpus/{C}/vslice0", utilization=500, run_cycles=2_000_000, moves=2,
                    queue_depth=1500, shader_intensity=250)
        self.fs.put(f"gpu0/vgpus/{C}/vslice1", utilization=1000, run_cycles=1, moves=3)
        found = self.metrics()
        values = self.values
        same(values(found["tessera_gpu"], "gpu", "name", "type"),
             {("gpu0", "0000:01:00.0", "gpu"): 1, ("gpu1", "0000:02:00.0", "gpu"): 1})
        same(values(found["tessera_gpu_vram_bytes"], "gpu"), {("gpu0",): 12 << 25,
                                                              ("gpu1",): 4 << 25})
        same(values(found["tessera_gpu_clock_hertz"], "gpu")["gpu0",], 4e6)
        same(values(found["tessera_gpu_time_seconds"], "gpu"),
             {("gpu0",): 1500.00000025, ("gpu1",): 0.00025})
        has(self.tool.out, 'tessera_gpu_time_seconds_total{gpu="gpu0"} 1500.000000250\n')
        same(found["tessera_gpu_time_seconds"].type, "counter")
        same(values(found["tessera_slice_busy_seconds"], "gpu", "slice")["gpu0", "2"], 2.0)
        same(values(found["tessera_slice_switches"], "gpu", "slice")["gpu0", "2"], 9)
        same(values(found["tessera_slice"], "slice", "kind", "owner")["2", "render", A], 1)
        states = values(found["tessera_slice_state"], "gpu", "slice", "tessera_slice_state")
        same([states["gpu0", "2", s] for s in ("shared", "free", "faulty")], [1, 0, 0])
        same(states["gpu0", "4", "faulty"], 1)
        infos = values(found["tessera_vgpu"], "gpu", "vgpu", "uuid", "type", "share")
        same(infos["gpu0", C, C, "C2", "exclusive"], 1)
        same(infos["gpu1", "drm", None, None, "elastic"], 1)
        expected = {"utilization_ratio": 0.75, "shader_intensity_ratio": 0.125,
                    "queue_packets": 1.5, "run_seconds": 0.50000025, "wait_seconds": 0, "moves": 5,
                    "vram_bytes": 64 << 20, "pinned_bytes": 3 * os.sysconf("SC_PAGESIZE"),
                    "slices": 2, "withheld": 0, "generation": 7, "weight": 100,
                    "stage2_faults": 11, "stage2_refused": 12, "client_faults": 13,
                    "completions": 14, "traps": 15, "mmap_faults": 16, "zeroed_bytes": 17,
                    "still_bytes": 18}
        same({n: values(found["tessera_vgpu_" + n], "vgpu")[C,] for n in expected}, expected)
        same(values(found["tessera_vgpu_cap_ratio"], "vgpu"), {(B,): 0.5})
        same("tessera_slice_instructions" in found, False)
        same(values(self.metrics("--counters")["tessera_slice_instructions"], "gpu",
                    "slice")["gpu1", "3"], 5)

    def metrics_unknown(self):
        """What is not known has no sample, and no head."""
        self.fs.put("gpu0", clock_khz="x", vram_free=-1, time_cycles=1 << 62)
        self.fs.put("gpu1", clock_khz=0)
        self.fs.put("gpu0/slices/slice0", switches="", state="nosuch", kind='a"b\\c')
        os.remove(self.fs.path(f"gpu0/vgpus/{A}/weight"))
        found = self.metrics("--counters")
        same([n for n in found if n.endswith("_seconds")], [])
        same(set(self.values(found["tessera_gpu_vram_free_bytes"], "gpu")), {("gpu1",)})
        same(("gpu0", "0") in self.values(found["tessera_slice_switches"], "gpu", "slice"), False)
        same(len(self.values(found["tessera_slice_switches"], "gpu", "slice")), 15)
        same(("gpu0", "0") in self.values(found["tessera_slice_state"], "gpu", "slice"), False)
        same(self.values(found["tessera_slice"], "gpu", "slice", "kind")["gpu0", "0", 'a"b\\c'], 1)
        same((A,) in self.values(found["tessera_vgpu_weight"], "vgpu"), False)
        same("tessera_vgpu_traps" in found or "tessera_slice_flops" in found, False)
        has_not(self.tool.out, "# HELP tessera_slice_flops")

    def metrics_reads_no_more(self):
        """A slice that nobody has is not read from the GPU."""
        opens = self.trace_opens("metrics")
        same(opens.count("busy_cycles"), 5)
        has_not(opens, "instructions")

    def metrics_errors(self):
        self.tool.run("metrics", "--json", status=2)
        has(self.tool.out, "list has JSON")
        self.tool.run("metrics", "x", status=2)
        has(self.tool.err, "metrics accepts no name")
        self.tool.run("metrics", "--sysfs", "/nonexistent", status=1)
        same(self.tool.out, "")
        with open("/dev/full", "w") as full:
            done = subprocess.run([self.path, "metrics"], env=self.tool.env, stdout=full,
                                  stderr=subprocess.PIPE)
        same([done.returncode, b"No space left" in done.stderr], [1, True])

    def schema(self):
        """It says no to what is not so; what is so is checked by each test that reads JSON."""
        line = self.tool.run("--json", "list")
        for old, new in (('"json_version": 1', '"json_version": 2'), (', "json_version": 1', ""),
                         ('"gpu": "gpu0"', '"gpu": 0'), ('"slices_total"', '"slices"'),
                         ('"members": 0', '"members": "0"'), ('"owner": null', '"owner": 1.5'),
                         ('"gpus": [', '"more": 1, "gpus": ['), ('"engines": [', '"engines": [1,')):
            same(old in line, True, old)
            try:
                answer("list", line.replace(old, new, 1))
            except Exception as reason:
                same(type(reason).__name__, "Mismatch", str(reason))
            else:
                raise AssertionError(f"the schema takes {new}")
        same(set(SCHEMA.root["$defs"]) > set(COMMANDS) - {"metrics", "dmon", "save"}, True)

    def several_gpus(self):
        self.fs.vgpu(0, D, [6])
        self.fs.vgpu(1, D, [0, 1])
        for gpu, index in ((0, 6), (1, 0), (1, 1)):
            self.fs.own(gpu, index, D)
        self.fs.make(f"../mdev_bus/0000:01:00.0/{D}", blueprint="slices=3 memory=0 gpus=2",
                     last_error="none", gpu="gpu0 gpu1",
                     composition="generation=5 slices=3 slice_mask=0x7")
        out = self.tool.run("list")
        has(out, "  render     2:A2     6:D ", "  compute    0:D      1:D\n",
            "\nD  slices=3 memory=0 gpus=2\n")
        rows = [line.split() for line in out.splitlines() if line[:2] == "D "]
        same(rows[0], ["D", D, "gpu0", "exclusive", "100", "0", "manual", "gpu0/6", "gpu1/0",
                       "gpu1/1"])
        same(len(rows), 2)
        gpus = self.tool.json("list")["gpus"]
        same([[v["vgpu"] for v in g["vgpus"]] for g in gpus], [[A, B, C, D, "drm"], ["drm"]])
        shown = self.tool.json("show", D)
        same([shown[k] for k in ("gpu", "generation", "given", "withheld")], ["gpu0", 5, 3, 0])
        same([(v["vslice"], v["gpu"], v["slice"]) for v in shown["vslices"]],
             [(0, "gpu0", 6), (1, "gpu1", 0), (2, "gpu1", 1)])
        has(self.tool.run("show", "d00"), f"{D} on gpu0, gpu1\n", "vslice0  vslice1  vslice2\n",
            "  gpu                   gpu0     gpu1     gpu1\n")
        # The part alone, if it is asked for
        same(self.tool.json("show", "gpu1/" + D)["vslices"][0]["slice"], 0)

    def names(self):
        has(self.tool.error("show", "nosuch"), "no vGPU nosuch; there are: ", A, B, C, "gpu1/drm")
        has(self.tool.error("show", "7f2c"), "2 vGPUs start with 7f2c")
        has(self.tool.error("show", "drm"), "2 GPUs have a vGPU drm; use gpuN/drm")
        has(self.tool.error("show", "gpu7"), "no GPU gpu7; there are: gpu0, gpu1")
        has(self.tool.error("show", "gpu0/slice12"), "gpu0 has no slice12; there are slice0 to "
            "slice11")
        has(self.tool.error("show", "gpu1/" + A), "no vGPU " + A)
        for name in ("", "gpu0/", "/", "../gpu0", "gpu0/../gpu1", "gpu00", "x" * 5000):
            self.tool.error("show", name)
        # A whole name is that one even if others start with it
        self.fs.vgpu(1, "drm2", [0])
        same(self.tool.json("show", "gpu1/drm")["vgpu"], "drm")

    # ---- errors ----

    def no_module(self):
        has(self.tool.error("--sysfs", self.directory, "list"), "modprobe tessera_pci")
        for command in (["list"], ["show", "x"], ["set", "x", "cap=1"], ["move", "x", "0", "0"],
                        ["top", "--batch", "1"], ["trace", "--vgpu", "x"]):
            has(self.tool.error(*command, "--sysfs", "/nonexistent"), "does not exist: load")

    def no_gpu(self):
        root = os.path.join(self.directory, "empty")
        Sysfs(root)
        has(self.tool.error("--sysfs", root, "list"), "there is no GPU")

    def usage(self):
        for args in ([], ["nosuch"], ["--nosuch", "list"], ["list", "x"], ["list", "--nosuch"],
                     ["show"], ["show", "a", "b"], ["set"], ["set", A], ["set", A, "weight"],
                     ["set", A, "nosuch=1"], ["set", A, "quantum_us=500"],
                     ["set", "gpu0", "weight=5"], ["set", A, "cap=1", "cap=2"],
                     ["set", A, "cap=1", "weight=2", "policy=auto", "cap=3"],
                     ["move", A], ["move", A, "0", "1", "2"], ["top", "x"],
                     ["top", "--batch", "-1"], ["top", "--batch", "x"],
                     ["top", "--interval", "0"], ["top", "--interval", "nan"],
                     ["top", "--interval", "1x"], ["top", "--sort", "nosuch"],
                     ["trace", "x"], ["trace", "--seconds", "0"], ["trace", "--seconds", "inf"]):
            has(self.tool.error(*args, status=2), "--help")
        self.tool.run("top", "--batch", status=2)
        has(self.tool.err, "--batch needs a value (try tesseractl top --help)")

    def helps(self):
        out = self.tool.run("--help")
        for command in ("list", "show", "set", "move", "top", "trace"):
            has(out, "\n  " + command)
            has(self.tool.run(command, "--help"), f"usage: tesseractl {command} ", "--json")
        has(self.tool.run("--version"), "tesseractl ")

    def unwritable_output(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([self.path, "list"], env=self.tool.env, stdout=full,
                                  stderr=subprocess.PIPE)
        same(done.returncode, 1)
        has(done.stderr.decode(), "No space left on device")

    # ---- set, move ----

    def set_vgpu(self):
        out = self.tool.run("set", A, "weight=10000", "cap=0", "policy=auto")
        has(out, f"{A}: weight 200 -> 10000\n", "cap 0 -> 0\n", "policy manual -> auto\n")
        where = f"gpu0/vgpus/{A}/"
        same([self.fs.get(where + f) for f in ("weight", "cap", "policy")],
             ["10000\n", "0\n", "auto\n"])
        same(self.tool.json("set", A, "weight=1"),
             {"name": A, "set": {"weight": {"from": "10000", "to": "1"}}})
        self.tool.run("set", "gpu1/drm", "cap=7")
        same(self.fs.get("gpu1/vgpus/drm/cap"), "7\n")
        same(self.fs.get("gpu0/vgpus/drm/cap"), "0\n")

    def set_slice(self):
        self.tool.run("set", "gpu1/slice3", "policy=besteffort", "quantum_us=1000000",
                      "preempt_timeout_us=1000")
        where = "gpu1/slices/slice3/"
        same([self.fs.get(where + f) for f in ("policy", "quantum_us", "preempt_timeout_us")],
             ["besteffort\n", "1000000\n", "1000\n"])

    def set_refuses(self):
        for name, setting in ((A, "weight=0"), (A, "weight=10001"), (A, "weight="),
                              (A, "weight=1x"), (A, "weight=1\n"), (A, "cap=101"), (A, "cap=-1"),
                              (A, "policy=fair"), (A, "policy="), (A, "weight=" + "1" * 99),
                              ("gpu0/slice2", "policy=auto"), ("gpu0/slice2", "quantum_us=99"),
                              ("gpu0/slice2", "quantum_us=1000001"),
                              ("gpu0/slice2", "preempt_timeout_us=999"),
                              ("gpu0/slice2", "preempt_timeout_us=10000001")):
            has(self.tool.error("set", name, setting), "; allowed: ")
        has(self.tool.error("set", A, "policy=nosuch"), "manual, auto")
        has(self.tool.error("set", "gpu0/slice2", "policy=x"), "fair, fixed, besteffort")
        # Nothing of a command that has one bad value
        self.tool.error("set", A, "weight=7", "cap=101")
        same(self.fs.get(f"gpu0/vgpus/{A}/weight"), "200\n")

    def set_undoes(self):
        os.remove(self.fs.path("gpu0", "vgpus", A, "cap"))
        has(self.tool.error("set", A, "weight=7", "cap=5"), "cannot set cap to 5",
            "nothing was changed")
        same(self.fs.get(f"gpu0/vgpus/{A}/weight"), "200\n")
        if os.path.exists(self.fs.path("gpu0", "vgpus", A, "cap")):
            raise AssertionError("set made a file")

    def set_without_permission(self):
        # As the kernel does for all but root, and in a container
        if os.geteuid():
            os.chmod(self.fs.path("gpu0", "vgpus", A, "weight"), 0o444)
            has(self.tool.error("set", A, "weight=7"), "permission denied: try again as root")
            return
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        done = subprocess.run(user + [self.path, "set", A, "weight=7"], env=self.tool.env,
                              capture_output=True, text=True)
        same(done.returncode, 1)
        has(done.stderr, "cannot set weight to 7: permission denied: try again as root")

    def move(self):
        has(self.tool.run("move", A, "0", "3"), f"{A}: vslice 0: slice 2 -> 3\n")
        same(self.fs.get(f"gpu0/vgpus/{A}/vslice0/slice"), "3\n")
        same(self.tool.json("move", "c0f", "vslice1", "gpu0/slice7"),
             {"vgpu": C, "vslice": 1, "from": 1, "to": 7})
        same(self.fs.get(f"gpu0/vgpus/{C}/vslice1/slice"), "7\n")
        has(self.tool.error("move", C, "2", "3"), "no vslice 2; it has 0 to 1")
        has(self.tool.error("move", C, "0", "12"), "gpu0 has no slice12")
        has(self.tool.error("move", C, "0", "gpu1/slice0"), "is on gpu0")
        has(self.tool.error("move", C, "0", "gpu1"), "is not a slice")
        has(self.tool.error("move", "gpu0/slice0", "0", "1"), "no vGPU")
        self.tool.error("move", C, "-1", "1", status=2)
        self.tool.error("move", C, "x", "1")
        self.tool.error("move", C, "0", "x")

    # ---- what an old kernel and a bad one have ----

    def old_kernel(self):
        shutil.rmtree(self.fs.path("gpu0", "vgpus"))
        new = ("members", "policy", "quantum_us", "switches", "moves_in")
        for i in range(12):
            for name in new:
                os.remove(self.fs.path("gpu0", "slices", f"slice{i}", name))
        has(self.tool.run("list", "--long"), A,
            "gpu0/slice2   render   shared")
        gpu = self.tool.json("list")["gpus"][0]
        same([s["members"] for s in gpu["slices"]], [None] * 12)
        same({v["vgpu"]: v["share"] for v in gpu["vgpus"]},
             {C: "exclusive", A: "exclusive", "drm": "elastic"})
        same([v["slice"] for v in gpu["vgpus"][0]["vslices"]], [0, 1])
        has(self.tool.run("top", "--batch", "1", "--interval", "0.05"), C)
        has(self.tool.error("set", C, "weight=5"), "older than this program")

    def hostile(self):
        where = "gpu0/slices/slice"
        self.fs.put(where + "0", owner=b"\x1b]0;pwned\x07\x9b31m\n" + b"x" * 100,
                    kind=b"\xff\xfe\"\\'\n", cores=b"999999999999999999999\n",
                    engines=b"0xffffffffffffffff\n")
        self.fs.put(where + "1", owner=b"A" * 5000, kind=b"", state=b"\0\0\n", cores=b"-5\n",
                    bank_size=b"12 34\n", busy_cycles=b"%s%n%d\n", engines=b"0x7fffffffffffffff")
        self.fs.put("gpu0", name=b"\xe2\x82\n", time_cycles=b"NaN\n", slices_total=b"4\n\n",
                    clock_khz=b"\xb2\n")
        os.remove(self.fs.path(where + "2", "owner"))
        os.mkdir(self.fs.path(where + "2", "owner"))
        os.remove(self.fs.path(where + "3", "kind"))
        os.mkfifo(self.fs.path(where + "3", "kind"))
        os.remove(self.fs.path(where + "4", "state"))
        os.symlink("/dev/zero", self.fs.path(where + "4", "state"))
        os.remove(self.fs.path(where + "5", "state"))
        os.symlink("state", self.fs.path(where + "5", "state"))
        for name in ("slice", "slice-1", "slice1x", "slice99999999999", "other", "slice007"):
            os.mkdir(self.fs.path("gpu0", "slices", name))
        os.mkdir(self.fs.path("gpux"))
        with open(self.fs.path("gpu9"), "w"):
            pass
        odd = os.fsdecode(b"\x1b[2J\xff\n$(reboot)")
        self.fs.vgpu(0, odd, [0], weight=b"\x1b[31m")
        for i in range(100):
            self.fs.make(f"gpu0/vgpus/many/vslice{i}", slice=i)
        for args in (["list"], ["list", "--long"], ["show", "gpu0"], ["show", "gpu0/slice0"],
                     ["show", "gpu0/slice1"], ["show", odd], ["show", "many"], ["show", "nosuch"],
                     ["top", "--batch", "1", "--interval", "0.05"]):
            status = 1 if args[-1] == "nosuch" else 0
            self.tool.run(*args, status=status)
            bad = [c for c in self.tool.out + self.tool.err if not ("\n" <= c <= "~" and
                                                                   (c == "\n" or c >= " "))]
            same(bad, [], str(args))
            self.tool.json(*args, status=status)
        gpu = self.tool.json("list")["gpus"][0]
        same(gpu["slices"][0]["kind"], "??\"\\'")
        same([gpu["slices"][0]["cores"], gpu["slices"][1]["bank_size"], gpu["slices_total"]],
             [None] * 3)
        same(len(gpu["slices"]), 12)
        same(len(gpu["slices"][1]["owner"]), 255)

    # ---- top ----

    def top_rates(self):
        tool = self.tool.start("top", "--batch", "3", "--interval", "1.5", "--sort",
                               "utilization", "--json")
        first = answer("top", tool.stdout.readline())
        # GPU time stands still, and so does everything else
        same({s["utilization"] for s in first["slices"]}, {0})
        same({v["run"] for v in first["vgpus"]}, {0})
        # It sleeps now. 2000 cycles pass, slice 2 is busy for 1500 of them
        self.fs.put("gpu0", time_cycles=3000)
        self.fs.put("gpu0/slices/slice2", busy_cycles=1500, switches=30)
        self.fs.put(f"gpu0/vgpus/{A}/vslice0", run_cycles=1000, wait_cycles=500, switches=15,
                    utilization=480, queue_depth=2500, shader_intensity=300, moves=2)
        self.fs.put(f"gpu0/vgpus/{B}/vslice0", run_cycles=500, utilization=900)
        second = answer("top", tool.stdout.readline())
        third = answer("top", tool.stdout.readline())
        same(tool.stdout.read() + tool.stderr.read(), "")
        same(tool.wait(), 0)
        slices = {(s["gpu"], s["slice"]): s for s in second["slices"]}
        same(slices["gpu0", 2]["utilization"], 750)
        same(slices["gpu0", 3]["utilization"], 0)
        same(slices["gpu1", 2]["utilization"], 0)
        if not 0.9 < slices["gpu0", 2]["switches_per_second"] * second["interval"] / 30 < 1.1:
            raise AssertionError(second)
        same([v["vgpu"] for v in second["vgpus"]][:2], [B, A])
        vgpu = second["vgpus"][1]
        same([vgpu[k] for k in ("run", "wait", "utilization", "queue_depth", "shader_intensity",
                                "moves", "weight", "share")],
             [500, 250, 480, 2500, 300, 2, 200, "shared"])
        same(third["vgpus"][1]["switches_per_second"], 0.0)

    def top_text(self):
        self.fs.put(f"gpu0/vgpus/{A}/vslice0", utilization=480, queue_depth=2500, moves=2)
        out = self.tool.run("top", "--batch", "2", "--interval", "0.05")
        same(out.count("SLICE "), 2)
        has(out, f"gpu0/slice2   render   shared   0.0%  {A}        2   0.0\n")
        rows = [line.split() for line in out.splitlines() if line.startswith(A)]
        same(rows, [[A, "gpu0", "shared", "200", "0", "48.0%", "0.0%", "0.0%", "2.5", "0.0%", "0.0%",
                     "0.0", "2"]] * 2)

    def top_unknown(self):
        """A counter that cannot be read, one that went back, one that grew without time."""
        tool = self.tool.start("top", "--batch", "2", "--interval", "1.5", "--json")
        tool.stdout.readline()
        os.remove(self.fs.path("gpu0/slices/slice0/busy_cycles"))
        os.remove(self.fs.path("gpu1/time_cycles"))
        self.fs.put("gpu0/slices/slice1", busy_cycles=5)
        self.fs.put("gpu0/slices/slice2", busy_cycles=-1)
        slices = answer("top", tool.stdout.readline())["slices"]
        tool.communicate()
        same([slices[i]["utilization"] for i in (0, 1, 2, 3, 12)], [None, None, None, 0, None])

    def top_without_permission(self):
        if os.geteuid():
            os.chmod(self.fs.path("gpu0/slices/slice1/busy_cycles"), 0)
            user = []
        else:
            self.fs.put("gpu0/slices/slice1", busy_cycles=7)
            os.chmod(self.fs.path("gpu0/slices/slice1/busy_cycles"), 0o440)
            user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        done = subprocess.run(user + [self.path, "top", "--batch", "1", "--interval", "0.05"],
                              env=self.tool.env, capture_output=True, text=True)
        same([done.returncode, done.stderr],
             [0, "tesseractl: what clients do is shown to root only: try again as root\n"])
        has(done.stdout, "gpu0/slice1   compute  used        -", "gpu0/slice0   compute  used     0.0%")

    def top_ends(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            tool = self.tool.start("top", "--batch", "0", "--interval", "0.05")
            tool.stdout.readline()
            tool.send_signal(number)
            tool.communicate(timeout=120)
            same(tool.returncode, 0)
        # "| head" ends it too
        tool = self.tool.start("top", "--json", "--interval", "0.05")
        tool.stdout.readline()
        tool.stdout.close()
        same(tool.wait(timeout=120), 1)
        same(tool.stderr.read(), "")
        tool.stderr.close()

    def top_gpu_goes(self):
        tool = self.tool.start("top", "--batch", "0", "--interval", "0.05")
        tool.stdout.readline()
        self.take_away()
        err = tool.communicate(timeout=120)[1]
        same(tool.returncode, 1)
        has(err, "does not exist")
        self.renew()

    def terminal(self, *args, **kwargs):
        return Terminal([self.path, "top", *args], self.tool.env, **kwargs)

    def top_screen(self):
        t = self.terminal("--interval", "0.3")
        text = t.shows("tesseractl top", "2 GPUs", "16 slices", "5 vGPUs", "by name", "MOVES",
                       "gpu0/slice11", "7f2c1a2b-0000-4000-8000-00000000000a  gpu0",
                       "c0ffee00 ", "UTIL")
        lines = text.splitlines()
        has(lines[1], "SLICE", "RESIDENT", "MEMBERS", "SW/s")
        has(next(line for line in lines if line.startswith("gpu0/slice2 ")), "render", "shared",
            "[                    ]", A)
        # Three quarters of a bar
        self.fs.put("gpu0", time_cycles=3000)
        self.fs.put("gpu0/slices/slice2", busy_cycles=1500)
        t.shows("75.0%  [|||||||||||||||     ]")
        t.type(b"w")
        t.shows("by weight")
        rows = [line.split()[0] for line in t.screen.text().splitlines()[18:]
                if line and line[0] in "7cd"]
        same(rows[0], A)
        t.type(b"f")
        t.until(lambda text: "gpu0/slice11" not in text and "gpu0/slice5" in text)
        t.type(b"\t")
        t.until(lambda text: "VGPU" not in text)
        t.type(b"\t")
        t.until(lambda text: "VGPU" in text and "gpu0/slice2" not in text)
        t.type(b"h")
        t.shows("Keys", "packets, on average")
        t.type(b"h+")
        t.shows("every 0.15 s", "VGPU")
        t.type(b"q")
        same(t.status(), 0)

    def top_pause(self):
        t = self.terminal("--interval", "0.1")
        t.shows("by name")
        t.type(b" ")
        t.shows("PAUSED")
        self.fs.put("gpu0/slices/slice0", kind="frozen")
        time.sleep(0.5)
        t.read(0.1)
        has_not(t.screen.text(), "frozen")
        t.type(b"p")
        t.shows("frozen")
        os.kill(t.pid, signal.SIGTERM)
        same(t.status(), 0)

    def top_small(self):
        t = self.terminal("--interval", "0.2", rows=6, columns=40)
        t.shows("gpu0/slice3")
        has_not(t.screen.text(), "VGPU")
        t.type(b"\x1bOB" * 3)
        t.until(lambda text: "gpu0/slice3" in text and "SLICE" not in text)
        for keys in (b"\x1b[6~", b"\x1bOB" * 99):
            t.type(keys)
        text = t.until(lambda text: "drm" in text.splitlines()[-1])
        has(text, A)
        t.type(b"\x1bOA" * 99)
        t.shows("SLICE")
        t.resize(30, 100)
        t.shows("gpu1/slice3", "RESIDENT")
        t.resize(1, 1)
        t.read(0.5)
        t.type(b"q")
        same(t.status(), 0)

    def top_gpu_goes_on_screen(self):
        t = self.terminal("--interval", "0.1")
        t.shows("by name")
        self.take_away()
        same(t.status(), 1)
        has(t.screen.text(), "does not exist")
        self.renew()

    def top_no_terminal(self):
        self.tool.run("top", status=1)
        has(self.tool.err, "use --batch N or --json")
        t = Terminal([self.path, "top"], {**self.tool.env, "TERM": "nosuch"})
        same(t.status(), 1)
        has(t.screen.text(), "TERM is unknown")

    # ---- trace ----

    def trace_errors(self):
        has(self.tool.error("--tracefs", self.directory, "trace"), "is not tracefs")
        root = os.path.join(self.root, "tracing")
        os.makedirs(os.path.join(root, "instances"))
        # A plain directory: the instance is made, is empty, and goes again
        has(self.tool.error("--tracefs", root, "trace"), "no events of tessera")
        same(os.listdir(os.path.join(root, "instances")), [])
        has(self.tool.error("trace", "--tracefs", root, "--vgpu", "nosuch"), A)
        has(self.tool.error("trace", "--tracefs", root, "--slice", "gpu0"), "is not a slice")
        has(self.tool.error("trace", "--tracefs", root, "--slice", "gpu1/slice0", "--vgpu", A),
            "is on gpu0")
        # What a killed one left goes, others' stay
        dead = subprocess.Popen(["true"])
        dead.wait()
        for name in (f"tesseractl-{dead.pid}", "tesseractl-1", "mine", "tesseractl-x"):
            os.mkdir(os.path.join(root, "instances", name))
        self.tool.error("--tracefs", root, "trace")
        same(sorted(os.listdir(os.path.join(root, "instances"))),
             ["mine", "tesseractl-1", "tesseractl-x"])

    def tracing(self, *args):
        """A trace whose trace_pipe is our end of a FIFO."""
        root = os.path.join(self.root, "tracing")
        shutil.rmtree(root, ignore_errors=True)
        self.instances = os.path.join(root, "instances")
        os.makedirs(self.instances)
        fifo = os.path.join(root, "fifo")
        os.mkfifo(fifo)
        pipe = os.open(fifo, os.O_RDWR)
        shim = os.path.join(os.path.dirname(self.path), "..", "fake_tracefs.so")
        tool = Tool(self.path, **{**self.tool.env, "LD_PRELOAD": shim, "FAKE_TRACE_PIPE": fifo,
                                  "ASAN_OPTIONS": "verify_asan_link_order=0"})
        return tool.start("trace", "--tracefs", root, *args), pipe

    def end_trace(self, trace, pipe, number=signal.SIGTERM):
        """What it prints after a signal, and nothing may be left."""
        if number:
            trace.send_signal(number)
        out, err = trace.communicate(timeout=120)
        os.close(pipe)
        same([err, trace.returncode, os.listdir(self.instances)], ["", 0, []])
        return out

    def trace_follows(self):
        trace, pipe = self.tracing()
        os.write(pipe, LINE % (b"tess_sched_in", 0, 2, A.encode(), b"waited=7") +
                 b"CPU:1 [LOST 33 EVENTS]\n" + b"x" * 5000 + b"\n# a comment\n\n")
        same(trace.stdout.readline(),
             f"   55.123456  gpu0/slice2: {A} vslice 1 runs now, after waiting for 7 cycles\n")
        has(trace.stdout.readline(), "33 events were lost")
        line = LINE % (b"tess_move", 0, 3, b"drm\x1b[2J", b"from=2 reason=swap")
        for at in range(0, len(line), 40):
            os.write(pipe, line[at:at + 40])
            time.sleep(0.02)
        has(trace.stdout.readline(), "gpu0/slice3: drm?[2J vslice 1 moved here from slice 2: ")
        same(self.end_trace(trace, pipe), "")

    def trace_json(self):
        trace, pipe = self.tracing("--json")
        os.write(pipe, LINE % (b"tess_save", 1, 0, b"drm", b"bytes=4096") +
                 b"CPU:1 [LOST 33 EVENTS]\n")
        same(answer("trace", trace.stdout.readline()),
             {"timestamp_us": 55123456, "cpu": 1, "process": "a] b: tess_x", "pid": 77,
              "event": "tess_save", "gpu": 1, "slice": 0, "vgpu": "drm", "vslice": 1,
              "bytes": 4096})
        same(answer("trace", trace.stdout.readline()), {"lost": 33, "cpu": 1})
        self.end_trace(trace, pipe, signal.SIGINT)

    def trace_filters(self):
        events = [(0, 2, A, b"waited=1"), (0, 2, B, b"waited=2"), (1, 2, A, b"waited=3"),
                  (0, 3, A, b"from=2 waited=4"), (0, 3, A, b"waited=5"),
                  (0, 2, A + "x", b"waited=6")]
        for args, wanted in (((), [1, 2, 3, 4, 5, 6]), (("--vgpu", A[:-1] + "a"), [1, 4, 5]),
                             (("--slice", "gpu0/slice2"), [1, 2, 4, 6]),
                             (("--slice", "gpu0/slice2", "--vgpu", A), [1, 4])):
            trace, pipe = self.tracing("--json", "--seconds", "0.4", *args)
            for gpu, index, vgpu, rest in events:
                os.write(pipe, LINE % (b"tess_sched_in", gpu, index, vgpu.encode(), rest))
            out = self.end_trace(trace, pipe, 0)
            same([answer("trace", line)["waited"] for line in out.splitlines()], wanted, str(args))

    def trace_reader_goes(self):
        trace, pipe = self.tracing()
        line = LINE % (b"tess_sched_in", 0, 2, b"drm", b"waited=7")
        os.write(pipe, line)
        trace.stdout.readline()
        trace.stdout.close()
        os.write(pipe, line)
        same(trace.wait(timeout=120), 1)
        os.close(pipe)
        same([trace.stderr.read(), os.listdir(self.instances)], ["", []])
        trace.stderr.close()

    # ---- completion ----

    def completion(self):
        """In bash, which cuts lines into words in its own way."""
        same(self.tool.complete(""), list(COMMANDS))
        same(self.tool.complete("t"), ["top", "trace"])
        same(self.tool.complete("show", "c"), [C])
        same(self.tool.complete("--json", "show", "gpu1/slice"), [f"gpu1/slice{i}" for i in range(4)])
        same(self.tool.complete("set", A, "w"), ["weight="])
        same(self.tool.complete("set", A, "policy", "="), ["manual", "auto"])
        same(self.tool.complete("set", "gpu0/slice1", "policy", "=", "f"), ["fair", "fixed"])
        same(self.tool.complete("list", "--query", "gpu,slice.own"), ["gpu,slice.owner"])
        same(self.tool.complete("list", "--format", "=", "c"), ["csv"])
        with open(os.path.join(self.root, "a.profile"), "w"):
            pass
        for words in (["--profile", self.root + "/a.p"], ["--profile", "=", self.root + "/a.p"]):
            same(self.tool.complete("create", *words), [self.root + "/a.profile"])
        same(self.tool.complete("--sysfs", self.root + "/cl"), [self.root + "/class"])
        same(self.tool.complete("show", "nosuch"), [])

    def completion_operands(self):
        got = self.tool.candidates
        has(self.tool.run("complete", "--", "s"), "show\tshow all ", "\nset\tset ")
        same(got("show", "gpu1/slice"), [f"gpu1/slice{i}" for i in range(4)])
        has(self.tool.run("complete", "--", "show", ""), C + "\tgpu0, exclusive\n",
            "gpu0/slice4\tcompute, faulty\n", "gpu1\t0000:02:00.0\n")
        same(got("show", "d"), ["drm"])
        same(got("move", C, ""), ["0", "1", "gpu0", "gpu1"])
        same(got("move", "c0", "1", "gpu"), [f"gpu0/slice{i}" for i in range(12)])
        same(got("move", "7f", ""), [])
        same(got("move", C, "1", "gpu0/slice1", ""), [])
        same(got("remove", ""), [])
        self.mdev()
        same([got("remove", ""), got("remove", C, "c")], [[C], [C]])
        same(got("create", "slices=1", "kind=r"), ["kind=render"])
        same(got("compose", C, "topology=r"), ["topology=ring"])
        same(got("trace", "--vgpu", "7"), [A, B])
        same(got("trace", "--slice", "gpu1/slice3"), ["gpu1/slice3"])
        same(got("top", "--sort", "m"), ["moves"])
        same(got("list", "--query", "gpu.vram"), ["gpu.vram_total", "gpu.vram_free"])
        same(got("list", "--query=gpu,slice.own"), ["--query=gpu,slice.owner"])
        same(got("list", "--nosuch="), [])
        same(got("--sysfs", "/nonexistent", "show", ""), [])
        same(got("--sysfs=/nonexistent", "list", "--format", "j"), ["json"])
        same([got("nosuch", ""), got("list", ""), got("top", "--batch", "")], [[], [], []])
        same(got("create", "--profile", "x"), [":files"])
        same(got("--tracefs", "x"), [":directories"])
        self.tool.run("complete", status=2)
        self.tool.run("complete", "--json", "--", "", status=2)

    def completion_options(self):
        """Those that the help of each command has."""
        for command in COMMANDS:
            helps = self.options_of(self.tool.run(command, "--help"))
            found = self.tool.candidates(command, "-")
            same(len(set(found)), len(found), command)
            same(set(found) | {"--json", "--tracefs"}, helps | {"--json", "--tracefs"}, command)
        same(set(self.tool.candidates("-")), self.options_of(self.tool.run("--help")))

    @staticmethod
    def options_of(text):
        lines = [line for line in text.splitlines() if line.startswith(("usage:", " " * 7, "  -"))]
        return set(re.findall("--[a-z][-a-z]*", " ".join(lines)))

    def completion_hostile(self):
        """A name that a shell would take for something else is not offered."""
        for name in (b"$(reboot)", b"a;b", b"a b", b"\x1b[2J", b"`x`", b"a\nb", b"~root", b"a*"):
            self.fs.vgpu(0, os.fsdecode(name), [0])
        same([n for n in self.tool.candidates("profile", "")], [A, B, C, "drm"])
        self.tool.run("complete", "--", "list", "--query", "x" * 5000)
        self.tool.run("complete", "--", "show", "\xff" * 300, "y" * 3000, "")


TESTS = (
    ("list: picture and table", "list_picture"),
    ("list: JSON", "list_json"),
    ("list: more vGPUs than letters", "wide_letters"),
    ("show", "show"),
    ("show: a mediated device and its counters", "show_mdev"),
    ("show, metrics: what display heads show", "show_heads"),
    ("query: rows of GPUs, slices, vGPUs, vslices", "query_rows"),
    ("query: slices of several GPUs", "query_spans"),
    ("query: CSV quotes", "query_quotes"),
    ("query: the list of fields is what show has", "query_fields"),
    ("query: errors", "query_errors"),
    ("query: reads what it needs", "query_reads_no_more"),
    ("metrics: values, by a parser that others wrote", "metrics_values"),
    ("metrics: what is unknown is left out", "metrics_unknown"),
    ("metrics: free slices are not read", "metrics_reads_no_more"),
    ("metrics: errors", "metrics_errors"),
    ("the schema refuses other JSON", "schema"),
    ("slices of several GPUs", "several_gpus"),
    ("names: whole, cut, ambiguous, unknown", "names"),
    ("errors: no module", "no_module"),
    ("errors: no GPU", "no_gpu"),
    ("errors: wrong usage", "usage"),
    ("errors: output that cannot be written", "unwritable_output"),
    ("help", "helps"),
    ("set: a vGPU", "set_vgpu"),
    ("set: a slice", "set_slice"),
    ("set: what is out of range", "set_refuses"),
    ("set: all or nothing", "set_undoes"),
    ("set: no permission", "set_without_permission"),
    ("move", "move"),
    ("files that a kernel does not have", "old_kernel"),
    ("hostile files and names", "hostile"),
    ("top: rates", "top_rates"),
    ("top: text", "top_text"),
    ("top: what cannot be known", "top_unknown"),
    ("top: no permission", "top_without_permission"),
    ("top: signals and a reader that goes", "top_ends"),
    ("top: the GPU goes", "top_gpu_goes"),
    ("top on a terminal: content and keys", "top_screen"),
    ("top on a terminal: pause, SIGTERM", "top_pause"),
    ("top on a terminal: small, scrolled, resized", "top_small"),
    ("top on a terminal: the GPU goes", "top_gpu_goes_on_screen"),
    ("top without a terminal that it knows", "top_no_terminal"),
    ("trace: errors, nothing left behind", "trace_errors"),
    ("trace: events in words, in pieces, lost", "trace_follows"),
    ("trace: JSON", "trace_json"),
    ("trace: one vGPU, one slice", "trace_filters"),
    ("trace: a reader that goes", "trace_reader_goes"),
    ("completion in bash", "completion"),
    ("completion: operands, values", "completion_operands"),
    ("completion: options are what help has", "completion_options"),
    ("completion: hostile names", "completion_hostile"),
)


def run(kind, entries):
    """All tests of a class, or those that the command line names."""
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        tests = kind(os.path.abspath(sys.argv[1]), directory)
        for title, name in entries:
            if len(sys.argv) > 2 and name not in sys.argv[2:]:
                continue
            tests.renew()
            tap.run(title, getattr(tests, name))
    return tap.end()


if __name__ == "__main__":
    sys.exit(run(Tests, TESTS))
