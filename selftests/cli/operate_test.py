# SPDX-License-Identifier: GPL-2.0-or-later
"""tesseractl for operators, on the trees of native_test.py: lines, settings, service, metrics."""

import csv
import json
import os
import re
import stat
import subprocess
import sys
import time

from prometheus_client.parser import text_string_to_metric_families as prometheus_text

import native_test
from cli import TREE, has, has_not, same
from native_test import A, B, C


class Tests(native_test.Tests):
    # ---- metrics, counters ----

    def counters_in_one_look(self):
        """The file with all of them is read in place of the others, where a kernel has it."""
        self.fs.put("gpu0/slices/slice2", flops=1, texels=2, compute_rate=9, counters="time_cycles 7\n"
                    "flops 70\nbusy_cycles 30\n  \nnosuch 5\nkind 6\npixels\npackets x\ntexels 3 4")
        seen = self.tool.json("show", "gpu0/slice2")
        same([seen[n] for n in ("flops", "busy_cycles", "texels", "pixels", "packets", "kind",
                                "compute_rate", "instructions")],
             [70, 30, 2, None, None, "render", 9, 5])
        self.fs.put("gpu0/slices/slice2", counters="".join(
            f"{n} 1\n" for n in ("active_cycles", "busy_cycles", "stall_cycles", "instructions",
                                 "flops", "texels", "pixels", "copy_bytes", "link_bytes", "groups",
                                 "packets", "dispatches", "faults")))
        opens = [line for line in self.trace_opens("list", "--query", "slice.flops").splitlines()
                 if "ENOENT" not in line]
        same([sum(f'"{n}"' in line for line in opens) for n in ("counters", "flops", "instructions")],
             [1, 0, 15])

    def metrics_prometheus(self):
        """The older format, which node_exporter reads, has the same samples."""
        self.mdev()
        self.fs.put("gpu0", time_cycles=6_000_000_001)
        self.fs.put("gpu0/slices/slice0", kind='a"b\\c')
        modern = {(s.name, tuple(sorted(s.labels.items()))): s.value
                  for f in self.metrics("--counters").values() for s in f.samples}
        old = {}
        for family in prometheus_text(self.tool.run("metrics", "--counters", "--format",
                                                    "prometheus")):
            same(family.type in ("counter", "gauge") and bool(family.documentation), True,
                 family.name)
            old.update({(s.name, tuple(sorted(s.labels.items()))): s.value for s in family.samples})
        same(old, modern)
        has_not(self.tool.out, "# UNIT", "# EOF", "stateset", " info\n")
        has(self.tool.out, "# TYPE tessera_gpu_time_seconds_total counter\n",
            "# TYPE tessera_gpu_info gauge\n")

    def metrics_output(self):
        """The file is there whole, or as it was."""
        path = os.path.join(self.root, "tessera.prom")
        same(self.tool.run("metrics", "--output", path), "")
        with open(path) as file:
            same(file.read(), self.tool.run("metrics"))
        same(os.stat(path).st_mode & 0o777, 0o644)
        self.tool.run("metrics", "--output", path, "--sysfs", "/nonexistent", status=1)
        with open(path) as file:
            same(file.read(), self.tool.run("metrics"))
        same([n for n in os.listdir(self.root) if n.startswith("tessera.prom")], ["tessera.prom"])
        self.tool.run("metrics", "--output", "/nonexistent/x", status=1)
        has(self.tool.err, "cannot write /nonexistent/x: No such file")
        os.mkfifo(path + ".fifo")
        self.tool.run("metrics", "--output", path + ".fifo", status=1)
        has(self.tool.err, "is not a regular file")
        same(stat.S_ISFIFO(os.stat(path + ".fifo").st_mode), True)
        self.tool.run("metrics", "--format", "xml", status=2)

    def dashboard(self):
        """It asks for nothing that is not there."""
        self.mdev()
        self.metrics()
        with open(os.path.join(TREE, "tools/host/tessera-dashboard.json")) as file:
            text = file.read()
        board = json.loads(text)
        asked = [t["expr"] for p in board["panels"] for t in p["targets"]]
        names = {n for e in asked for n in re.findall(r"tessera_\w+(?=\{)", e)}
        same(len(names) > 10 and len({p["id"] for p in board["panels"]}), len(board["panels"]))
        has(self.tool.out, *(f"\n{name}{{" for name in names))

    # ---- dmon ----

    def dmon_lines(self):
        tool = self.tool.start("dmon", "--count", "2", "--interval", "1.5", "--format", "csv",
                               "gpu0/slice2", "gpu1")
        rows = csv.DictReader(iter(tool.stdout.readline, ""))
        first = [next(rows) for _ in range(5)]
        same([r["slice"] for r in first], ["gpu0/slice2"] + [f"gpu1/slice{i}" for i in range(4)])
        same(list(first[0])[1:], ["slice", "kind", "state", "owner", "members",
                                  "utilization_percent", "switches_per_second"])
        same(list(first[0].values())[1:], ["gpu0/slice2", "render", "shared", A, "2", "0.0", "0.0"])
        time.strptime(first[0]["time"], "%Y-%m-%dT%H:%M:%S")
        self.fs.put("gpu0", time_cycles=3000)
        self.fs.put("gpu0/slices/slice2", busy_cycles=1500)
        os.remove(self.fs.path("gpu1/slices/slice0/busy_cycles"))
        second = [next(rows) for _ in range(5)]
        same([r["utilization_percent"] for r in second], ["75.0", "", "0.0", "0.0", "0.0"])
        same([tool.stdout.read(), tool.stderr.read(), tool.wait()], ["", "", 0])

    def dmon_text(self):
        self.fs.put(f"gpu0/vgpus/{A}/vslice0", utilization=480, queue_depth=2500, moves=2)
        out = self.tool.run("dmon", "--count", "2", "--interval", "0.05", A, B)
        lines = out.splitlines()
        same([len(lines), lines[0].split()],
             [5, ["TIME", "VGPU", "GPU", "SHARE", "UTIL%", "RUN%", "WAIT%", "QUEUE", "SHDR%", "MEM%",
                  "SW/s", "MOVES"]])
        same([line.split()[1] for line in lines[1:]], [A, B] * 2)
        same(lines[1].split()[2:], ["gpu0", "shared", "48.0", "0.0", "0.0", "2.5", "0.0", "0.0",
                                    "0.0", "2"])
        same({len(line) for line in lines}, {len(lines[0])})
        out = self.tool.run("dmon", "--vgpus", "--count", "1", "--interval", "0.05")
        same(len(out.splitlines()), 6)
        out = self.tool.run("dmon", "--count", "2", "--interval", "0.05")
        same([out.count("TIME "), out.count("gpu0/slice11 ")], [2, 2])
        out = self.tool.run("dmon", "--count", "1", "--interval", "0.05", "gpu0/slice1", "gpu1/slice3")
        same([line.split()[1] for line in out.splitlines()[1:]], ["gpu0/slice1", "gpu1/slice3"])
        out = self.tool.run("dmon", "--count", "1", "--interval", "0.05", "gpu1/drm")
        same([line.split()[1:3] for line in out.splitlines()[1:]], [["drm", "gpu1"]])

    def dmon_errors(self):
        for args in (["--count", "0"], ["--count", "x"], ["--interval", "0"], ["--format", "json"],
                     [A, "gpu0"], ["--vgpus", "gpu0/slice1"], ["--json"]):
            self.tool.run("dmon", *args, status=2)
        self.tool.run("dmon", "nosuch", status=1)
        has(self.tool.err, "no vGPU nosuch")
        tool = self.tool.start("dmon", "--interval", "0.05")
        tool.stdout.readline()
        tool.terminate()
        tool.communicate(timeout=120)
        same(tool.returncode, 0)

    # ---- save, apply ----

    def file(self, text):
        path = os.path.join(self.root, "settings")
        with open(path, "w") as file:
            file.write(text)
        return path

    def save_and_apply(self):
        plain = "policy=fair quantum_us=2000 preempt_timeout_us=10000 service=in\n"
        self.fs.put("gpu0/slices/slice3", policy="fixed", quantum_us=500)
        self.fs.put("gpu0/slices/slice4", service="draining")
        self.fs.put("gpu0/slices/slice5", service="out")
        os.remove(self.fs.path("gpu1/slices/slice3/policy"))
        saved = self.tool.run("save")
        same(saved, '# Settings of slices, for "tesseractl apply"\n'
             f"0000:01:00.0 slices=0-2 {plain}"
             "0000:01:00.0 slices=3 policy=fixed quantum_us=500 preempt_timeout_us=10000 "
             f"service=in\n0000:01:00.0 slices=4-5 {plain.replace('=in', '=out')}"
             f"0000:01:00.0 slices=6-11 {plain}0000:02:00.0 slices=0-2 {plain}"
             f"0000:02:00.0 slices=3 {plain[12:]}")
        path = self.file(saved)
        same(self.tool.run("apply", path), "")
        self.renew()
        path = self.file(saved)
        dry = self.tool.run("apply", path, "--dry-run")
        same([dry, self.fs.get("gpu0/slices/slice3/policy")],
             ["gpu0/slice3: policy fair -> fixed\ngpu0/slice3: quantum_us 2000 -> 500\n"
              "gpu0/slice4: service in -> out\ngpu0/slice5: service in -> out\n", "fair\n"])
        same(self.tool.run("apply", path), dry)
        same(self.tool.json("apply", path), {"changes": []})
        same([self.fs.get(f"gpu0/slices/slice{i}/{n}") for i, n in
              ((3, "policy"), (3, "quantum_us"), (4, "service"), (6, "service"))],
             ["fixed\n", "500\n", "out\n", "in\n"])

    def apply_one_gpu(self):
        path = self.file("0000:01:00.0 slices=1 policy=fixed # a comment\n\n"
                         "  0000:02:00.0\tslices=0-1 quantum_us=300\n0000:99:00.0 slices=0 policy=fixed")
        same(self.tool.json("apply", "--gpu", "gpu1", path),
             {"changes": [{"name": f"gpu1/slice{i}", "setting": "quantum_us", "from": "2000",
                           "to": "300"} for i in (0, 1)]})
        # The GPU that is not there keeps nobody else from theirs
        self.tool.run("apply", path, status=1)
        same(self.tool.out, "gpu0/slice1: policy fair -> fixed\n")
        has(self.tool.err, ":4: there is no GPU 0000:99:00.0 now")
        done = subprocess.run([self.path, "apply", "-"], env=self.tool.env, capture_output=True,
                              input=b"0000:02:00.0 slices=2 policy=besteffort")
        same([done.returncode, self.fs.get("gpu1/slices/slice2/policy")], [0, "besteffort\n"])

    def apply_errors(self):
        good = "0000:01:00.0 slices=0 policy=fixed\n"
        for bad, why in (("0000:01:00.0", "slices=N"), ("0000:01:00.0 slices=5-1", "slices=N"),
                         ("0000:01:00.0 slices= policy=fair", "slices=N"),
                         ("0000:01:00.0 slices=0-99 policy=fair", "has no slice 12"),
                         ("0000:01:00.0 slices=0 nosuch=1", "no setting nosuch=1"),
                         ("0000:01:00.0 slices=0 policy", "no setting policy"),
                         ("0000:01:00.0 slices=0 policy=auto", "fair, fixed, besteffort"),
                         ("0000:01:00.0 slices=0 quantum_us=99", "100 to 1000000"),
                         ("0000:01:00.0 slices=0 service=draining", "allowed: in, out"),
                         ("0000:01:00.0 slices=" + "1" * 99, "slices=N")):
            has(self.tool.error("apply", self.file(good + bad)), "settings:2: ", why)
        same(self.fs.get("gpu0/slices/slice0/policy"), "fair\n")
        has(self.tool.error("apply", "/nonexistent"), "cannot read /nonexistent: No such file")
        has(self.tool.error("apply", self.root), "Is a directory")
        has(self.tool.error("apply", "--gpu", "gpu0/slice1", "x", status=2), "is not a GPU")
        self.tool.run("apply", status=2)
        self.tool.run("save", "--json", status=2)
        self.tool.run("save", "x", status=2)

    # ---- service ----

    def drain_and_clear(self):
        out = self.tool.run("drain", "gpu1/slice2", "gpu0/slice2")
        same(out, "gpu1/slice2: out, free\ngpu0/slice2: out, shared by " + A + "\n")
        same(self.fs.get("gpu0/slices/slice2/service"), "out\n")
        same(self.tool.json("clear", "gpu0/slice2"),
             {"slices": [{"name": "gpu0/slice2", "service": "in", "state": "shared", "owner": A}]})
        same(len(self.tool.json("drain", "gpu1")["slices"]), 4)
        same({self.fs.get(f"gpu1/slices/slice{i}/service") for i in range(4)}, {"out\n"})
        self.fs.put("gpu1/slices/slice1", state="offline")
        has(self.tool.run("list"), "  compute    0:.      1:x\n", "x: out of service")
        same(self.tool.json("list", "--query", "slice.service")["rows"][-1], {"slice.service": "out"})

    def drain_errors(self):
        has(self.tool.error("drain", A, status=2), "is a vGPU; give slices")
        has(self.tool.error("clear", status=2), "is required")
        # Nothing changes if one of the names is wrong
        has(self.tool.error("drain", "gpu0/slice0", "gpu0/slice99"), "gpu0 has no slice99")
        same(self.fs.get("gpu0/slices/slice0/service"), "in\n")
        os.remove(self.fs.path("gpu0/slices/slice0/service"))
        has(self.tool.error("drain", "gpu0/slice0"), "gpu0/slice0: ", "older than this program")

    def reset(self):
        """Files keep the last word only: a slice that was out is out again."""
        same(self.tool.run("reset", "gpu1/slice2"), "gpu1/slice2: reset\n")
        same(self.fs.get("gpu1/slices/slice2/service"), "in\n")
        self.fs.put("gpu1/slices/slice2", service="out", state="offline")
        same(self.tool.json("reset", "gpu1/slice2"), {"reset": "gpu1/slice2"})
        same(self.fs.get("gpu1/slices/slice2/service"), "out\n")
        has(self.tool.error("reset", "gpu0/slice0"), "belongs to " + C, "drain the slice")
        has(self.tool.error("reset", "gpu0/slice3"), "vGPUs that share it")
        has(self.tool.error("reset", "gpu1"), "gpu1 cannot be reset: its bus")
        for n in (0, 1):
            self.fs.make(f"gpu{n}/device", reset="0")
        has(self.tool.error("reset", "gpu0"), "gpu0 has 3 vGPUs, which would lose their work",
            "--force")
        same(self.fs.get("gpu0/device/reset"), "0\n")
        same(self.tool.run("reset", "gpu1"), "gpu1: reset\n")
        same(self.tool.json("reset", "--force", "gpu0"), {"reset": "gpu0"})
        same([self.fs.get(f"gpu{n}/device/reset") for n in (0, 1)], ["1\n"] * 2)
        has(self.tool.error("reset", C, status=2), "is a vGPU")
        self.tool.error("reset", "gpu0", "gpu1", status=2)


TESTS = (
    ("counters of a slice in one look", "counters_in_one_look"),
    ("metrics: the format of Prometheus", "metrics_prometheus"),
    ("metrics: into a file", "metrics_output"),
    ("metrics: the dashboard", "dashboard"),
    ("dmon: CSV", "dmon_lines"),
    ("dmon: aligned lines, names", "dmon_text"),
    ("dmon: errors, signals", "dmon_errors"),
    ("save, apply", "save_and_apply"),
    ("apply: one GPU, one that is not there", "apply_one_gpu"),
    ("apply: errors", "apply_errors"),
    ("drain, clear", "drain_and_clear"),
    ("drain, clear: errors", "drain_errors"),
    ("reset", "reset"),
)

if __name__ == "__main__":
    sys.exit(native_test.run(Tests, TESTS))
