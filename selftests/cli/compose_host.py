# SPDX-License-Identifier: GPL-2.0-or-later
"""tesseractl create, compose, remove, profile and watch on the real stack, in a host VM with
one GPU of 16 slices and all modules."""

import glob
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid

from cli import Tap, Tool, TREE, answer, has, has_not, same

CLASS = "/sys/class/tessera/gpu0"
MDEVS = "/sys/bus/mdev/devices"
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def read(*parts):
    with open(os.path.join(*parts)) as file:
        return file.read().rstrip("\n")


def words(text):
    return dict(word.split("=") for word in text.split())


def owned(name):
    """What the class says about who has which slice."""
    slices = glob.glob(CLASS + "/slices/slice*")
    return sorted(int(s.rsplit("slice", 1)[1]) for s in slices if read(s, "owner") == name)


def listens(pid):
    """Has it a socket of uevents? NETLINK_KOBJECT_UEVENT is 15; its port is that of the
    first one of a process."""
    with open("/proc/net/netlink") as file:
        return any(line.split()[1:3] == ["15", str(pid)] for line in file)


class Tests:
    def __init__(self, path, directory):
        self.path = path
        self.directory = directory
        self.tool = Tool(path)

    def clean(self):
        """Whatever a test left."""
        for name in os.listdir(MDEVS):
            with open(os.path.join(MDEVS, name, "remove"), "w") as file:
                file.write("1")
        for name in glob.glob(CLASS + "/nodes/*/device"):
            with open(CLASS + "/nodes/remove", "w") as file:
                file.write(name.split("/")[-2])

    def name(self):
        return str(uuid.uuid4())

    def create(self, *args):
        made = self.tool.json("create", *args)
        same(made["blueprint"], read(MDEVS, made["vgpu"], "blueprint"))
        return made

    def books(self, name, count):
        """sysfs, list and show say the same about a vGPU of so many slices."""
        shown = self.tool.json("show", name)
        comp = words(read(MDEVS, name, "composition").splitlines()[0])
        same([str(shown["generation"]), str(shown["given"])],
             [comp["generation"], comp["slices"]])
        given = [v["slice"] for v in shown["vslices"] if v["given"]]
        same([len(given), sorted(given)], [count, owned(name)])
        same(shown["withheld"], len(shown["vslices"]) - count)
        same(words(shown["blueprint"])["slices"], str(count))
        same(shown["blueprint"], read(MDEVS, name, "blueprint"))
        has(self.tool.run("list"), shown["blueprint"])
        return shown

    # ---- tests ----

    def comes_and_goes(self):
        before = read(CLASS, "slices_free")
        name = self.name()
        out = self.tool.run("create", "--uuid", name, "slices=2", "max=4", "kind=compute",
                            "topology=ring")
        has(out, f"{name} on gpu0: created\n", "  given       2 of 4 vslices\n",
            "  kinds       2 compute\n", "max=4 kind=compute ")
        self.books(name, 2)
        same(int(read(CLASS, "slices_free")), int(before) - 2)
        has(self.tool.run("remove", name[:8]), f"{name} on gpu0: removed\n")
        same([os.path.exists(os.path.join(MDEVS, name)), owned(name),
              read(CLASS, "slices_free")], [False, [], before])

    def presets(self):
        for kind, count in (("C1", 1), ("R2", 2), ("M4", 4)):
            made = self.create("--type", kind)
            same([len(made["slices"]), len(set(made["kinds"]))], [count, 1])
            self.books(made["vgpu"], count)
            self.tool.run("remove", made["vgpu"])

    def compose(self):
        name = self.create("slices=2", "min=1", "max=4", "kind=compute")["vgpu"]
        generation = 1
        for count, kind in ((4, "compute"), (1, "compute"), (3, "compute"), (2, "render")):
            change = self.tool.json("compose", name, f"slices={count}", f"kind={kind}")
            same([len(change["after"]["slices"]), set(change["after"]["kinds"]),
                  change["changed"]], [count, {kind}, True])
            if change["after"]["generation"] <= generation:
                raise AssertionError(f"generation {change['after']['generation']}")
            generation = change["after"]["generation"]
            self.books(name, count)
        out = self.tool.run("compose", name, "slices=3")
        has(out, f"{name} on gpu0: composed\n", "  given       2 of 4 vslices -> 3 of 4 vslices\n",
            "  kinds       2 render -> 3 render\n")

    def refused(self):
        name = self.create("slices=2", "kind=render")["vgpu"]
        before = read(MDEVS, name, "composition")
        why = self.tool.json("compose", name, "slices=17", status=1)
        same(why["errno"], "ENOSPC")
        has(why["error"], "cannot compose " + name, "insufficient slices of kind render: ")
        same(read(MDEVS, name, "last_error"), "ENOSPC: " + why["error"].split(": ", 1)[1])
        has(self.tool.run("list"), "   last refused: ENOSPC: insufficient slices of kind render")
        self.tool.run("compose", name, "slices=1", "slcies=2", status=1)
        same(self.tool.err, f"tesseractl: cannot compose {name}: column 10: unknown word "
             '"slcies"; did you mean slices?\n  slices=1 slcies=2\n           ^\n')
        self.tool.run("compose", name, "slices=x", status=1)
        has(self.tool.err, '"x" is no number\n  slices=x\n         ^\n')
        same(self.tool.json("compose", name, "memory=0", "heads=1", status=1)["errno"],
             "EOPNOTSUPP")
        same([read(MDEVS, name, "composition"), self.tool.json("show", name)["given"]],
             [before, 2])
        self.tool.run("compose", name, "slices=1")
        same(read(MDEVS, name, "last_error"), "none")

    def create_refused(self):
        why = self.tool.json("create", "slices=17", "kind=compute", status=1)
        same(why["errno"], "ENOSPC")
        has(self.tool.json("create", "slices=1", "kind=fast", status=1)["error"],
            '"fast" is none of any, compute, render, mixed')
        same(os.listdir(MDEVS), [])
        name = self.create("slices=1")["vgpu"]
        has(self.tool.error_text("create", "--uuid", name, "slices=1"), "this UUID already")
        has(self.tool.error("create", "--type", "C3"), "no type C3; did you mean C")

    def blank(self):
        name = self.name()
        has(self.tool.run("create", "--uuid", name, "--type", "blank"), "blueprint   none\n")
        has(self.tool.error("profile", name), "has no profile")
        same(len(self.tool.json("compose", name, "slices=1", "kind=mixed")["after"]["slices"]), 1)
        self.books(name, 1)
        self.tool.run("compose", name, "none")
        same([read(MDEVS, name, "blueprint"), owned(name)], ["none", []])
        self.tool.run("compose", name, "slices=2")
        self.books(name, 2)

    def profile(self):
        name = self.create("slices=1", "min=1", "max=4", "kind=compute")["vgpu"]
        where = os.path.join(self.directory, "profile")
        out = self.tool.run("profile", name)
        has(out, f"# {name} on gpu0\n", "utilization=", " slices=1")
        same(self.tool.json("profile", name)["profile"]["slices"], 1)
        # What it prints can be read
        with open(where, "w") as file:
            file.write(out)
        self.tool.run("compose", name, "--profile", where)
        # A busy one gets more
        with open(where, "w") as file:
            file.write("# busy\nutilization=990 queue=8000\nshader=900 memory=100 slices=1\n")
        if len(self.tool.json("compose", name, "--profile", where)["after"]["slices"]) < 2:
            raise AssertionError("a busy vGPU got no more slices")
        with open(where, "w") as file:
            file.write("utilization=990\nqeue=1\n")
        self.tool.run("compose", name, "--profile", where, status=1)
        has(self.tool.err, "line 2, column 1: unknown word", "did you mean queue?", "\n  qeue=1\n  ^\n")

    def render_node(self):
        """As another user has it: one file, whose slices and VRAM change while it is open."""
        made = self.tool.json("create", "--render-node", "web", "slices=2", "kind=compute",
                              "memory=2M")
        device = "/dev/dri/" + made["device"]
        same(owned("web"), made["slices"])
        with open(device, "rb+", buffering=0):
            same(self.tool.json("compose", "web", "slices=1")["after"]["slices"], owned("web"))
            shown = self.tool.json("show", "web")
            same([shown["device"], shown["vram_total"], shown["last_error"]],
                 [made["device"], 2 << 20, "none"])
            why = self.tool.json("compose", "web", "slices=60", status=1)
            same([why["errno"], len(owned("web"))], ["ENOSPC", 1])
            has(why["error"], "insufficient slices")
            has(read(CLASS, "nodes/web/last_error"), "ENOSPC: insufficient slices")
            has(self.tool.run("top", "--batch", "1", "--interval", "0.2"), "\nweb   gpu0  exclusive ")
            has(self.tool.run("metrics"),
                f'tessera_vgpu_info{{gpu="gpu0",vgpu="web",device="{made["device"]}",',
                '\ntessera_vgpu_slices{gpu="gpu0",vgpu="web"} 1\n',
                f'\ntessera_vgpu_vram_bytes{{gpu="gpu0",vgpu="web"}} {2 << 20}\n',
                f'\ntessera_vgpu_vram_free_bytes{{gpu="gpu0",vgpu="web"}} {shown["vram_free"]}\n')
        why = self.tool.json("create", "--render-node", "web", "slices=1", status=1)
        same(why["errno"], "EEXIST")
        self.tool.run("remove", "web")
        same([owned("web"), os.path.exists(device)], [[], False])

    def dry_runs(self):
        name = self.create("slices=1")["vgpu"]
        before = read(MDEVS, name, "composition")
        for args in (["create", "slices=1"], ["compose", name, "slices=2"], ["remove", name]):
            for step in self.tool.json(*args, "--dry-run")["writes"]:
                same(args[0] == "create" or os.path.exists(step["file"]), True, step["file"])
        same([os.listdir(MDEVS), read(MDEVS, name, "composition")], [[name], before])

    def watching(self, *args, command=None):
        watch = subprocess.Popen([*(command or []), self.path, "watch", *args], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + 30
        while not listens(watch.pid):
            if time.monotonic() > end or watch.poll() is not None:
                watch.kill()
                raise AssertionError("it does not listen: " + watch.communicate()[1])
            time.sleep(0.1)
        time.sleep(1)
        return watch

    def watch(self):
        # As anybody
        watch = self.watching("--json", command=NOBODY)
        text = self.watching("--count", "1")
        name = self.create("slices=2", "max=4", "kind=compute")["vgpu"]
        change = self.tool.json("compose", name, "slices=4")
        self.tool.json("compose", name, "slices=17", status=1)
        self.tool.run("remove", name)
        time.sleep(1)
        watch.send_signal(signal.SIGINT)
        out, err = watch.communicate(timeout=120)
        same([err, watch.returncode], ["", 0])
        events = [answer("watch", line) for line in out.splitlines()]
        events = [e for e in events if e.get("vgpu") == name]
        same([events[0]["event"], events[-1]["event"]], ["created", "removed"])
        composed = [e["generation"] for e in events if e["event"] == "composed"]
        same(composed[-1], change["after"]["generation"])
        same(composed, sorted(set(composed)))
        out, err = text.communicate(timeout=120)
        same([err, text.returncode], ["", 0])
        has(out, f"  gpu0/{name}  created ")

    def permissions(self):
        name = self.create("slices=1")["vgpu"]
        for args in (["create", "slices=1"], ["compose", name, "slices=2"], ["remove", name]):
            done = subprocess.run(NOBODY + [self.path, *args], capture_output=True, text=True)
            same(done.returncode, 1)
            has(done.stderr, "permission denied: try again as root")
        same(os.listdir(MDEVS), [name])
        done = subprocess.run(NOBODY + [self.path, "list"], capture_output=True, text=True)
        has(done.stdout, name, "slices=1 ")

    def completion(self):
        name = self.create("slices=1")["vgpu"]
        same(self.tool.complete("compose", name[:4]), [name])
        same("blank" in self.tool.complete("create", "--type", ""), True)

    def no_mdev(self):
        subprocess.run(["rmmod", "tessera_mdev"], check=True)
        try:
            has(self.tool.error("create", "slices=1"), "modprobe tessera_mdev")
            has_not(self.tool.run("list"), "BLUEPRINT")
        finally:
            module = f"{TREE}/out/modules/{os.uname().release}/tessera_mdev.ko"
            subprocess.run(["insmod", module], check=True)
        same(self.tool.json("create", "slices=1")["gpu"], "gpu0")


TESTS = (
    ("a vGPU comes from a blueprint and goes", "comes_and_goes"),
    ("types are presets", "presets"),
    ("compose: more, fewer, another kind", "compose"),
    ("compose: refused, nothing changes", "refused"),
    ("create: refused, nothing is left", "create_refused"),
    ("a blank one", "blank"),
    ("a profile is printed, and makes a blueprint", "profile"),
    ("a render node comes, changes and goes", "render_node"),
    ("dry runs change nothing", "dry_runs"),
    ("watch sees all of it, without a privilege", "watch"),
    ("changes need root", "permissions"),
    ("completion", "completion"),
    ("without tessera_mdev", "no_mdev"),
)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        tests = Tests(TREE + "/out/tools/cli/tesseractl", directory)
        for title, name in TESTS:
            if len(sys.argv) > 1 and name not in sys.argv[1:]:
                continue
            tests.clean()
            tap.run(title, getattr(tests, name))
        tests.clean()
    return tap.end()


sys.exit(main())
