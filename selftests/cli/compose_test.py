# SPDX-License-Identifier: GPL-2.0-or-later
"""tesseractl create, compose, remove, profile and watch, against a made-up kernel."""

import errno
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from cli import Tap, Tool, answer, has, has_not, same
from fake_kernel import Kernel

A = "7f2c1a2b-0000-4000-8000-00000000000a"
B = "0badcafe-0000-4000-8000-00000000000b"
PCI = "/devices/pci0000:00/0000:00:02.0/0000:01:00.0"
LOST = 0xffffffff


class Tests:
    def __init__(self, tool, directory):
        self.path = tool
        self.directory = directory
        self.shim = os.path.abspath(os.path.join(os.path.dirname(tool), "..", "fake_kernel.so"))
        self.count = 0

    def renew(self):
        self.count += 1
        self.kernel = Kernel(os.path.join(self.directory, str(self.count)))
        self.kernel.gpu(0, slices=8)
        self.tool = Tool(self.path, **self.kernel.environment(self.shim))

    def mdev(self, *parts):
        return self.kernel.path(self.kernel.parent(0, *parts))

    def writes(self):
        seen, self.kernel.seen = self.kernel.seen, []
        return seen

    # ---- create ----

    def create_words(self):
        out = self.tool.run("create", "--uuid", A.upper(), "slices=2", "max=4", "kind=compute")
        has(out, f"{A} on gpu0: created\n", "  given       2 of 4 vslices\n",
            "  kinds       2 compute\n", "  slices      0 1 (0) (1)\n",
            "  blueprint   slices=2 min=2 max=4 kind=compute ", "  compute    0:A      1:A      4:.")
        parent = "class/mdev_bus/0000:01:00.0"
        same(self.writes(),
             [(f"{parent}/mdev_supported_types/tessera_pci-blank/create", A + "\n"),
              (f"{parent}/{A}/blueprint", "slices=2 max=4 kind=compute\n")])

    def create_json(self):
        made = self.tool.json("create", "slices=1", "kind=render")
        same([made["gpu"], made["generation"], made["slices"], made["kinds"], made["withheld"]],
             ["gpu0", 1, [2], ["render"], 0])
        same(list(self.kernel.mdevs), [made["vgpu"]])
        other = self.tool.json("create", "slices=1")["vgpu"]
        if other == made["vgpu"] or other[14] != "4" or other[19] not in "89ab":
            raise AssertionError(f"{other} is no random UUID")

    def create_type(self):
        same(self.tool.json("create", "--type", "C2", "--uuid", A)["slices"], [0, 1])
        same(len(self.writes()), 1)
        self.tool.run("create", "--type", "tessera_pci-R1", "--uuid", B)
        has(self.tool.error("create", "--type", "C3"), "gpu0 has no type C3; did you mean C",
            "There are: C1, C2, R1, blank")
        has(self.tool.error("create", "--type", "nosuch"), "no type nosuch; there are: ")

    def create_blank(self):
        out = self.tool.run("create", "--type", "blank", "--uuid", A)
        has(out, f"{A} on gpu0: created\n", "given       0\n", "blueprint   none\n")
        has(self.tool.run("list"), f"A  {A}  gpu0  blank ", "\nA  none\n")
        shown = self.tool.json("show", A)
        same([shown["share"], shown["blueprint"], shown["last_error"], shown["vslices"]],
             ["blank", "none", "none", []])
        # It is not there for the class, but can be composed and removed
        same(self.tool.json("compose", A[:8], "slices=1")["before"]["slices"], [])
        self.tool.run("remove", A)
        same(self.kernel.mdevs, {})

    def create_refused(self):
        why = self.tool.json("create", "slices=9", "--uuid", A, status=1)
        same(why, {"error": "cannot create a vGPU on gpu0: insufficient slices of kind any: 8 free,"
                            " 9 asked", "errno": "ENOSPC", "line": None, "column": None})
        same(self.kernel.mdevs, {})
        same(self.writes()[-1], (f"class/mdev_bus/0000:01:00.0/{A}/remove", "1\n"))
        self.kernel.refuse = [("/blueprint", errno.EINVAL, 'column 10: unknown word "slcies"')]
        self.tool.run("create", "slices=1", "slcies=2", status=1)
        same(self.tool.err, "tesseractl: cannot create a vGPU on gpu0: column 10: unknown word "
             '"slcies"; did you mean slices?\n  slices=1 slcies=2\n           ^\n')
        same(self.kernel.mdevs, {})
        # What an errno of the file "create" means
        for code, text in ((errno.EEXIST, "this UUID already"), (errno.EUSERS, "no more vGPUs"),
                           (errno.ENODEV, "the GPU is gone"), (errno.EINVAL, "take this UUID"),
                           (errno.EACCES, "try again as root"), (errno.ENOMEM, "Cannot allocate")):
            self.kernel.refuse = [("/create", code, None)] * 2
            self.kernel.seen = []
            has(self.tool.json("create", "slices=1", status=1)["error"], text)
            same(len(self.kernel.seen), 1)

    def render_node(self):
        out = self.tool.run("create", "--render-node", "web", "slices=2", "kind=compute",
                            "memory=32M")
        has(out, "web on gpu0: created\n", "  given       2\n", "  slices      0 1\n",
            "  device      /dev/dri/renderD129\n", "  compute    0:A      1:A      4:.")
        same(self.writes(), [("class/tessera/gpu0/nodes/create",
                              "web slices=2 kind=compute memory=32M\n")])
        shown = self.tool.json("show", "web")
        same([shown[n] for n in ("share", "device", "vram_total", "vram_free", "memory", "given",
                                 "mdev_type")],
             ["exclusive", "renderD129", 2 << 25, 2 << 24, 2 << 25, 2, None])
        same([v["slice"] for v in shown["vslices"]], [0, 1])
        has(self.tool.run("show", "web"), "  device               renderD129\n")

        changed = self.tool.json("compose", "web", "slices=1", "kind=render")
        same([changed["changed"], changed["before"]["slices"], changed["after"]["slices"]],
             [True, [0, 1], [2]])
        same(self.writes(), [("class/tessera/gpu0/nodes/web/blueprint",
                              "slices=1 kind=render\n")])
        name = os.path.join(self.directory, "profile")
        with open(name, "w") as f:
            f.write("utilization=950\n")
        has(self.tool.error("compose", "web", "--profile", name), "takes WORD=VALUE")
        has(self.tool.error("move", "web", "gpu1"), "stays on its GPU")
        has(self.tool.run("remove", "web", "--dry-run"), 'would write "web" to ', "/nodes/remove\n")
        has(self.tool.run("remove", "web"), "web on gpu0: removed\n")
        same(self.kernel.nodes, {})

    def render_node_refused(self):
        why = self.tool.json("create", "--render-node", "web", "slices=9", "memory=2M", status=1)
        same([why["errno"], why["error"]], ["ENOSPC", "cannot create a vGPU on gpu0: insufficient "
                                            "slices: 8 free, 9 asked"])
        self.kernel.gpu(1, slices=12)
        same(self.tool.json("create", "--render-node", "web", "slices=9", "memory=2M")["gpu"], "gpu1")
        for options in (("--type", "C1"), ("--uuid", A), ("--profile", "-")):
            has(self.tool.error("create", "--render-node", "x", *options, status=2), "--render-node")
        shutil.rmtree(self.kernel.path("gpu0/nodes"))
        shutil.rmtree(self.kernel.path("gpu1/nodes"))
        has(self.tool.error("create", "--render-node", "x", "slices=1"), "modprobe tessera_drm")
        has(self.tool.run("create", "--gpu", "0", "--uuid", A, "slices=1"), "created")

    def create_where(self):
        self.kernel.gpu(1, slices=12)
        same(self.tool.json("create", "slices=9", "--uuid", A)["gpu"], "gpu1")
        same(self.kernel.mdevs[A].gpu, 1)
        for name in ("1", "gpu1"):
            same(self.tool.json("create", "--gpu", name, "slices=1")["gpu"], "gpu1")
        has(self.tool.json("create", "--gpu", "0", "slices=9", status=1)["error"], "on gpu0",
            "8 free")
        has(self.tool.json("create", "slices=99", status=1)["error"], "on gpu1", "1 free")
        has(self.tool.error("create", "--gpu", "7", "slices=1"), "no GPU gpu7; there are: gpu0")
        has(self.tool.error("create", "--gpu", "gpu0/slice1", "slices=1"), "is not a GPU")
        # What is a vGPU itself is passed over
        self.kernel.put("gpu0", type="vgpu")
        same(self.tool.json("create", "slices=1")["gpu"], "gpu1")

    def create_where_the_type_is(self):
        self.kernel.gpu(1)
        shutil.rmtree(self.mdev("mdev_supported_types", "tessera_pci-C1"))
        same(self.tool.json("create", "--type", "C1", "--uuid", A)["gpu"], "gpu1")
        has(self.tool.error("create", "--gpu", "0", "--type", "C1"), "gpu0 has no type C1")
        # Nor is the first GPU the last one if it gives no vGPUs at all
        shutil.rmtree(self.mdev("mdev_supported_types"))
        same(self.tool.json("create", "slices=1", "--uuid", B)["gpu"], "gpu1")
        has(self.tool.error("create", "--type", "C9"), "gpu0 does not support vGPUs")

    def create_64(self):
        self.kernel.gpu(1, slices=64)
        self.tool.run("create", "--gpu", "1", "slices=64", "--uuid", A)
        found = self.tool.json("show", A)
        vgpu = found["vgpus"][0] if "vgpus" in found else found
        same(vgpu["given"], 64)
        same(vgpu["withheld"], 0)
        same(len(vgpu["vslices"]), 64)
        same([v["given"] for v in vgpu["vslices"]], [True] * 64)

    def create_without_mdev(self):
        shutil.rmtree(self.mdev("mdev_supported_types", "tessera_pci-blank"))
        has(self.tool.error("create", "slices=1"), "older than this program", "C1, C2, R1")
        shutil.rmtree(self.mdev())
        has(self.tool.error("create", "slices=1"), "modprobe tessera_mdev")
        self.kernel.put("gpu0", name="../../..")
        self.tool.error("create", "slices=1")
        same(self.writes(), [])

    def dry_runs(self):
        out = self.tool.run("create", "--uuid", A, "slices=2", "--dry-run")
        where = self.kernel.root + "/class/mdev_bus/0000:01:00.0/"
        has(out, f'would write "{A}" to {where}mdev_supported_types/tessera_pci-blank/create\n',
            f'would write "slices=2" to {where}{A}/blueprint\n')
        self.tool.run("create", "--uuid", A, "slices=1")
        self.writes()
        same(self.tool.json("compose", A, "slices=2", "--dry-run"),
             {"dry_run": True, "writes": [{"file": where + A + "/blueprint", "text": "slices=2"}]})
        has(self.tool.run("remove", A, "--dry-run"), f'would write "1" to {where}{A}/remove\n')
        same(self.writes(), [])

    # ---- compose ----

    def compose(self):
        self.tool.run("create", "--uuid", A, "slices=2", "max=4", "kind=compute")
        out = self.tool.run("compose", "7f2c", "slices=4")
        has(out, f"{A} on gpu0: composed\n", "  generation  1 -> 2\n",
            "  given       2 of 4 vslices -> 4\n", "  kinds       2 compute -> 4 compute\n",
            "  slices      0 1 (0) (1) -> 0 1 4 5\n", "  blueprint   slices=2 ",
            "              -> slices=4 min=2 max=4 ", "  compute    0:A      1:A      4:A      5:A")
        change = self.tool.json("compose", A, "slices=1", "kind=mixed")
        same([change["changed"], change["before"]["kinds"], change["after"]["kinds"],
              change["after"]["slices"], change["after"]["withheld"]],
             [True, ["compute"] * 4, ["mixed"], [3], 3])
        self.kernel.refuse = [("/blueprint", 0, None)]
        has(self.tool.run("compose", A, "slices=1"), "nothing changed", "  generation  3\n")
        has(self.tool.run("compose", A, "none"), "  given       1 of 4 vslices -> 0\n",
            "              -> none\n")
        has(self.tool.error("profile", A), A + " has no profile")

    def compose_refused(self):
        self.tool.run("create", "--uuid", A, "slices=2", "kind=compute")
        has(self.tool.error_text("compose", A, "slices=5"),
            "cannot compose 7f2c1a2b-0000-4000-8000-00000000000a: insufficient slices of kind "
            "compute: 4 free, 5 asked")
        has(self.tool.run("list"), "\n   last refused: ENOSPC: insufficient slices of kind compute")
        has(self.tool.run("show", A), "last_error           ENOSPC: insufficient slices")
        same(self.tool.json("show", A)["given"], 2)
        # A reason that is of another time, and none at all
        self.kernel.refuse = [("/blueprint", errno.EBUSY, None)] * 2
        has(self.tool.error_text("compose", A, "memory=64M"), "it is in use: ")
        for code, text in ((errno.EACCES, "try again as root"), (errno.EIO, "nothing was changed"),
                           (errno.ENODEV, "the GPU is gone"), (errno.EOPNOTSUPP, "cannot do that"),
                           (errno.EINVAL, "refused the value"), (errno.ENOENT, "it went just now")):
            self.kernel.refuse = [("/blueprint", code, None)] * 2
            has(self.tool.error_text("compose", A, "slices=1"), text)

    def columns(self):
        self.tool.run("create", "--uuid", A, "slices=2")
        for column, mark in ((1, "  ^"), (10, "  " + " " * 9 + "^"), (16, "  " + " " * 15 + "^")):
            self.kernel.refuse = [("/blueprint", errno.EINVAL, f"column {column}: bad")] * 2
            why = self.tool.json("compose", A, "slices=2", "heads=x", status=1)
            same([why["line"], why["column"], why["errno"]], [1, column, "EINVAL"])
            self.tool.run("compose", A, "slices=2", "heads=x", status=1)
            same(self.tool.err.split("\n")[1:], ["  slices=2 heads=x", mark, ""])
        # Nonsense of the kernel's
        for reason in ("column 999: bad", "column -1: bad", "column x: bad", "line 2, column 1: bad",
                       "line 0, column 99: bad", "line 1: bad", "column : \x1b[2J"):
            self.kernel.refuse = [("/blueprint", errno.EINVAL, reason)]
            self.tool.run("compose", A, "slices=2", status=1)
            same(self.tool.err.count("\n"), 1)
            has_not(self.tool.err, "\x1b")

    def compose_profile(self):
        self.tool.run("create", "--uuid", A, "slices=1", "max=3")
        name = os.path.join(self.directory, "profile")
        with open(name, "w") as file:
            file.write("utilization=950 queue=3000\n shader=500\n")
        self.writes()
        same(self.tool.json("compose", A, "--profile", name)["after"]["slices"], [0, 1, 2])
        same(self.writes(), [(f"class/mdev_bus/0000:01:00.0/{A}/profile",
                              "utilization=950 queue=3000\n shader=500\n")])
        # The column is one of the second line
        self.kernel.refuse = [("/profile", errno.EINVAL, "line 2, column 2: bad")]
        self.tool.run("compose", A, "--profile", name, status=1)
        same(self.tool.err.split("\n")[1:], ["   shader=500", "   ^", ""])
        done = subprocess.run([self.path, "create", "--uuid", B, "--profile", "-"],
                              env=self.tool.env, input=b"utilization=1", capture_output=True)
        same([done.returncode, self.kernel.mdevs[B].slices], [0, [3]])
        for data, text in ((b"", "is empty"), (b" \n", "is empty"), (b"a\0b", "is not a text file"),
                           (b"x" * 5000, "too long")):
            with open(name, "wb") as file:
                file.write(data)
            has(self.tool.error("compose", A, "--profile", name), text)
        has(self.tool.error("compose", A, "--profile", "/nonexistent"), "cannot read /nonexistent")
        has(self.tool.error("compose", A, "--profile", self.directory), "Is a directory")

    def not_an_mdev(self):
        self.kernel.vgpu(0, "drm", [-1], share="elastic")
        for command in (["compose", "drm", "slices=1"], ["remove", "drm"]):
            has(self.tool.error(*command), "drm is not a mediated device")
        self.tool.run("create", "--uuid", A, "slices=1")
        os.remove(self.mdev(A, "blueprint"))
        has(self.tool.error("compose", A, "slices=2"), "older than this program")
        same(self.tool.json("show", A)["blueprint"], None)

    def near_names(self):
        self.tool.run("create", "--uuid", A, "slices=1")
        self.tool.run("create", "--uuid", B, "slices=1")
        has(self.tool.error("compose", "7f2d1a", "slices=2"), f"did you mean {A}? There are: ")
        has(self.tool.error("remove", "0badcofe"), f"did you mean {B}?")
        has_not(self.tool.error("remove", "nosuch"), "did you mean")
        has(self.tool.error("comopse", status=2), "unknown command comopse; did you mean compose?")
        has_not(self.tool.error("nosuch", status=2), "did you mean")

    # ---- remove, profile ----

    def remove(self):
        for name in (A, B):
            self.tool.run("create", "--uuid", name, "slices=1")
        # Nothing goes if one of the names is wrong
        has(self.tool.error("remove", A, "nosuch"), "no vGPU nosuch")
        has(self.tool.error("remove", A, "7f2c"), "is given twice")
        same(sorted(self.kernel.mdevs), [B, A])
        self.kernel.refuse = [("/remove", errno.EACCES, None)] * 2
        has(self.tool.error("remove", A), "permission denied")
        same(self.tool.run("remove", A, "0bad"), f"{A} on gpu0: removed\n{B} on gpu0: removed\n")
        same(self.kernel.mdevs, {})
        self.tool.run("create", "--uuid", A, "slices=1")
        same(self.tool.json("remove", A), {"removed": [A]})

    def remove_waits(self):
        self.tool.run("create", "--uuid", A, "slices=1")
        remove = self.kernel.remove
        self.kernel.remove = lambda gpu, uuid: time.sleep(4) or remove(gpu, uuid)
        has(self.tool.run("remove", A), "removed")
        same(self.tool.err, f"tesseractl: {A} is in use; waiting until its virtual machine closes "
             "it\n")

    def profile(self):
        self.tool.run("create", "--uuid", A, "slices=1", "max=3")
        out = self.tool.run("profile", A)
        words = "utilization=950 queue=1500 shader=300 memory=100 slices=1 engines=compute,copy"
        same(out, f"# {A} on gpu0\n{words}\n")
        same(self.tool.json("profile", A),
             {"vgpu": A, "gpu": "gpu0", "profile": {
                 "utilization": 950, "queue": 1500, "shader": 300, "memory": 100, "slices": 1,
                 "engines": ["compute", "copy"]}})
        # Of one that has no such file, from what is measured of its vslices
        self.kernel.vgpu(0, "drm", [0, 1], share="elastic")
        for i, busy in ((0, 300), (1, 500)):
            self.kernel.put(f"gpu0/vgpus/drm/vslice{i}", utilization=busy, queue_depth=500)
        same(self.tool.run("profile", "drm").splitlines()[1],
             "utilization=400 queue=500 shader=0 memory=0 slices=2")
        self.kernel.vgpu(0, "none", [])
        has(self.tool.error("profile", "none"), "none has no profile")
        # A file that lies
        self.kernel.put(self.kernel.parent(0, A), profile="\x1b[2J x=1 =2 y= z\nmore")
        same(self.tool.json("profile", A)["profile"], {"x": 1, "": 2, "y": ""})
        has_not(self.tool.run("profile", A), "\x1b")

    def usage(self):
        for args in (["create"], ["create", "slices"], ["create", "=2"], ["create", "1a=2"],
                     ["create", "--type", "C1", "slices=1"], ["create", "--uuid", "x", "slices=1"],
                     ["create", "--uuid", A + "0", "slices=1"], ["create", "--nosuch"],
                     ["create", "--type", "C1", "--profile", "x"],
                     ["create", "--profile", "x", "slices=1"],
                     ["compose"], ["compose", A], ["compose", A, "x"], ["compose", A, "none", "slices=1"],
                     ["compose", A, "slices=1", "--profile", "x"], ["remove"], ["profile"],
                     ["profile", A, B], ["watch", A], ["watch", "--count", "0"],
                     ["watch", "--count", "x"], ["watch", "--seconds", "0"],
                     ["watch", "--seconds", "x"]):
            has(self.tool.error(*args, status=2), "--help")
        has(self.tool.error("create", "a=" + "x" * 5000), "too long")
        for command in ("create", "compose", "remove", "profile", "watch"):
            has(self.tool.run(command, "--help"), f"usage: tesseractl {command} ", "--json")
            has(self.tool.run("--help"), "\n  " + command)
        same(self.writes(), [])

    def no_module(self):
        for command in (["create", "a=1"], ["compose", "x", "a=1"], ["remove", "x"],
                        ["profile", "x"]):
            has(self.tool.error(*command, "--sysfs", "/nonexistent"), "does not exist: load")
        self.tool.run("watch", "--sysfs", "/nonexistent", status=1)
        has(self.tool.err, "does not exist: load")

    def completion(self):
        complete = self.tool.complete
        self.tool.run("create", "--uuid", A, "--type", "blank")
        self.tool.run("create", "--uuid", B, "slices=1")
        self.kernel.vgpu(0, "drm", [-1], share="elastic")
        same(complete("co"), ["compose"])
        same(complete("create", "--type", ""), ["C1", "C2", "R1", "blank"])
        same(complete("create", "--gpu", ""), ["gpu0"])
        same(complete("create", "--gpu", "gpu0", "sl"), ["slices="])
        same(complete("create", "slices", "=", "2", "topology", "=", "r"), ["ring"])
        same(complete("create", "--d"), ["--dry-run"])
        same(complete("compose", ""), [B, A])
        same(complete("compose", A, "ki"), ["kind=any", "kind=compute", "kind=render",
                                            "kind=mixed"])
        same(complete("compose", A, "share", "=", ""), ["exclusive", "shared"])
        same(complete("compose", A, "--p"), ["--profile"])
        same(complete("remove", A, "0"), [B])
        same(complete("profile", "d"), ["drm"])
        same(complete("watch", "--"), ["--json", "--help", "--sysfs", "--count", "--seconds"])

    # ---- watch ----

    def watching(self, *args):
        watch = self.tool.start("watch", *args)
        end = time.monotonic() + 20
        while not os.path.exists(self.kernel.events):
            if time.monotonic() > end or watch.poll() is not None:
                watch.kill()
                raise AssertionError("it does not listen: " + watch.communicate()[1])
            time.sleep(0.02)
        # It looks at the pool after it began to listen
        time.sleep(0.3)
        return watch

    def ended(self, watch, status=0):
        out, err = watch.communicate(timeout=120)
        same([err, watch.returncode], ["", status])
        os.remove(self.kernel.events)
        return out

    def mdev_event(self, action, uuid=A, **words):
        self.kernel.announce(action, f"{PCI}/{uuid}", SUBSYSTEM="mdev", **words)

    def watch_text(self):
        watch = self.watching("--count", "4")
        # Other devices, before it has files, after it has none, of another parent, forged
        self.kernel.announce("change", PCI, SUBSYSTEM="pci")
        self.kernel.announce("add", f"{PCI}/{A}", SUBSYSTEM="mdev")
        self.kernel.announce("bind", f"/devices/virtual/mtty/mtty/{A}", SUBSYSTEM="mdev")
        self.kernel.announce("bind", f"{PCI}/{A}", port=77, SUBSYSTEM="mdev")
        self.kernel.announce("bind", f"{PCI}/driver", SUBSYSTEM="mdev")
        self.tool.run("create", "--uuid", A, "slices=2", "max=3", "kind=compute")
        self.mdev_event("bind", DRIVER="tessera_mdev")
        line = watch.stdout.readline()
        has(line, f"  gpu0/{A}  created   given 2 of 3 vslices (2 compute)  slices 0 1 (0)  6 of 8 "
            "slices available\n")
        same(line[2] + line[5] + line[8], "::.")
        self.tool.run("compose", A, "slices=1")
        self.mdev_event("change", TESSERA_EVENT="composition", TESSERA_GENERATION=2)
        has(watch.stdout.readline(), "  composed  generation 2  given 1 of 3 vslices (1 compute)")
        self.mdev_event("change")
        has(watch.stdout.readline(), "  changed   given 1")
        self.tool.run("remove", A)
        self.mdev_event("unbind")
        self.mdev_event("remove")
        has(self.ended(watch), f"  gpu0/{A}  removed   8 of 8 slices available\n")

    def watch_json(self):
        watch = self.watching("--json")
        self.tool.run("create", "--uuid", A, "slices=1")
        self.mdev_event("bind")
        event = answer("watch", watch.stdout.readline())
        if not abs(time.time() - event.pop("time")) < 60:
            raise AssertionError("time")
        same({k: event[k] for k in ("event", "gpu", "vgpu", "generation", "slices", "kinds",
                                    "withheld", "slices_free")},
             {"event": "created", "gpu": "gpu0", "vgpu": A, "generation": 1, "slices": [0],
              "kinds": ["compute"], "withheld": 0, "slices_free": 7})
        # The generation is that of the event, also if the next one has come
        self.mdev_event("change", TESSERA_EVENT="composition", TESSERA_GENERATION=77)
        same(answer("watch", watch.stdout.readline())["generation"], 77)
        self.kernel.send(struct.pack("I", LOST))
        same(answer("watch", watch.stdout.readline())["event"], "lost")
        self.kernel.gpu(1)
        self.kernel.announce("add", "/devices/pci/0000:02:00.0/tessera/gpu1", SUBSYSTEM="tessera")
        event = answer("watch", watch.stdout.readline())
        same([event["event"], event["gpu"], event["slices_free"]], ["added", "gpu1", 4])
        shutil.rmtree(self.kernel.path("gpu1"))
        self.kernel.announce("remove", "/devices/pci/0000:02:00.0/tessera/gpu1",
                             SUBSYSTEM="tessera")
        # One of a GPU that is gone
        self.kernel.announce("remove", f"/devices/pci/0000:02:00.0/{B}", SUBSYSTEM="mdev")
        same(answer("watch", watch.stdout.readline())["event"], "removed")
        event = answer("watch", watch.stdout.readline())
        same([event["event"], event["vgpu"], event["gpu"]], ["removed", B, None])
        watch.send_signal(signal.SIGINT)
        same(self.ended(watch), "")

    def watch_hostile(self):
        watch = self.watching("--json", "--seconds", "2")
        for data in (b"", b"\0" * 100, b"x" * 9000, b"add@/x\0" + b"A=1\0" * 2000,
                     b"bind@\0ACTION=bind\0DEVPATH=/\0SUBSYSTEM=mdev\0",
                     b"ACTION=bind\0DEVPATH=" + b"/" * 500 + b"\0SUBSYSTEM=mdev",
                     b"x\0ACTION=add\0DEVPATH=/gpu99999999999\0SUBSYSTEM=tessera",
                     b"x\0ACTION=\xff\0DEVPATH\0SUBSYSTEM=tessera\0=\0",
                     b"x\0ACTION=bind\0DEVPATH=" + PCI.encode() + b"/" + b"x" * 36 +
                     b"\0SUBSYSTEM=mdev"):
            self.kernel.send(struct.pack("I", 0) + data)
        same(self.ended(watch), "")

    def watch_ends(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            watch = self.watching()
            watch.send_signal(number)
            same(self.ended(watch), "")
        # "| head" ends it too
        watch = self.watching()
        self.mdev_event("remove")
        watch.stdout.readline()
        watch.stdout.close()
        self.mdev_event("remove")
        same(watch.wait(timeout=120), 1)
        same(watch.stderr.read(), "")
        watch.stderr.close()


TESTS = (
    ("create: from words", "create_words"),
    ("create: JSON, a random UUID", "create_json"),
    ("create: a type", "create_type"),
    ("create: blank, seen and composed", "create_blank"),
    ("create: refused, nothing is left", "create_refused"),
    ("create, compose, remove: a render node", "render_node"),
    ("create: a render node is refused", "render_node_refused"),
    ("create: on which GPU", "create_where"),
    ("create: on the GPU that has the type", "create_where_the_type_is"),
    ("create: 64 slices", "create_64"),
    ("create: no tessera_mdev, an old one", "create_without_mdev"),
    ("dry runs write nothing", "dry_runs"),
    ("compose: before and after", "compose"),
    ("compose: refused", "compose_refused"),
    ("a mark below the column", "columns"),
    ("profiles from files", "compose_profile"),
    ("what is no mediated device, or has no blueprint", "not_an_mdev"),
    ("names that are near", "near_names"),
    ("remove", "remove"),
    ("remove: of one in use", "remove_waits"),
    ("profile", "profile"),
    ("errors: wrong usage", "usage"),
    ("errors: no module", "no_module"),
    ("bash completion", "completion"),
    ("watch: text", "watch_text"),
    ("watch: JSON, lost events, GPUs", "watch_json"),
    ("watch: hostile messages", "watch_hostile"),
    ("watch: signals and a reader that goes", "watch_ends"),
)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        tests = Tests(os.path.abspath(sys.argv[1]), directory)
        for title, name in TESTS:
            if len(sys.argv) > 2 and name not in sys.argv[2:]:
                continue
            tests.renew()
            tap.run(title, getattr(tests, name))
    return tap.end()


sys.exit(main())
