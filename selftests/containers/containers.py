# SPDX-License-Identifier: GPL-2.0-or-later
"""Containers with a render node of a GPU, run by crun in a host VM with one GPU: what they have,
beside a virtual machine on the same GPU, while they are resized, and when one is hostile."""

import glob
import json
import os
import re
import subprocess
import sys
import time

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "selftests/cli"))
from cli import Tap, Tool, has, has_not, same  # noqa: E402

CLASS = "/sys/class/tessera/gpu0"
DRM_MAJOR = 226
USER = 1000
PATIENCE = int(os.environ.get("TESSERA_PATIENCE", "1"))
INFO = TREE + "/out/tools/run/tessera-info"
RUN = TREE + "/out/tools/run/tessera-run"
SGEMM = TREE + "/out/examples/sgemm"
ENDLESS = TREE + "/out/selftests/containers/endless.elf"
# Prints how often it was right until its standard input ends, or why it was not
AGAIN = f"""n=0
while :; do
	{SGEMM} --size 48 >/tmp/sgemm 2>&1 || {{ echo "wrong: $(cat /tmp/sgemm)"; exit 1; }}
	n=$((n + 1)); echo "right $n"
done"""


def device_of(name):
    with open(f"{CLASS}/nodes/{name}/device") as file:
        return file.read().strip()


def minor_of(device):
    return os.minor(os.stat("/dev/dri/" + device).st_rdev)


class Container:
    """What podman would hand to crun for "--device NODE --read-only --user": no network, no right
    of root unless asked for, 256 MiB of memory, and of all devices one."""

    def __init__(self, name, node, root=False):
        self.name = name
        self.node = node
        self.bundle = f"/run/containers/{name}"
        self.user = 0 if root else USER
        self.rights = ["CAP_MKNOD"] if root else []
        os.makedirs(self.bundle + "/rootfs", exist_ok=True)
        for link in ("bin", "sbin", "lib", "lib64"):
            if not os.path.lexists(f"{self.bundle}/rootfs/{link}"):
                os.symlink("usr/" + link, f"{self.bundle}/rootfs/{link}")

    def config(self, script):
        def mount(where, kind, source, *options):
            return {"destination": where, "type": kind, "source": source,
                    "options": list(options)}

        node = {"path": "/dev/dri/" + self.node, "type": "c", "major": DRM_MAJOR,
                "minor": minor_of(self.node), "fileMode": 0o600, "uid": self.user,
                "gid": self.user}
        rights = {kind: self.rights for kind in ("bounding", "effective", "permitted")}
        return {
            "ociVersion": "1.0.0",
            "process": {"user": {"uid": self.user, "gid": self.user}, "cwd": "/",
                        "args": ["/bin/sh", "-c", script], "env": ["PATH=/usr/bin"],
                        "capabilities": rights, "noNewPrivileges": True},
            "root": {"path": "rootfs", "readonly": True},
            "mounts": [
                mount("/proc", "proc", "proc"),
                mount("/sys", "sysfs", "sysfs", "nosuid", "noexec", "nodev", "ro"),
                mount("/dev", "tmpfs", "tmpfs", "nosuid", "mode=755", "size=64k"),
                mount("/tmp", "tmpfs", "tmpfs", "nosuid", "mode=1777", "size=16m"),
                mount("/usr", "bind", "/usr", "rbind", "ro"),
                mount("/etc", "bind", "/etc", "rbind", "ro"),
                mount(TREE, "bind", TREE, "rbind", "ro"),
            ],
            "linux": {
                "namespaces": [{"type": kind} for kind in
                               ("pid", "ipc", "uts", "mount", "network", "cgroup")],
                "cgroupsPath": "/" + self.name,
                "devices": [node],
                "resources": {
                    "memory": {"limit": 256 << 20},
                    "devices": [{"allow": False, "access": "rwm"},
                                {"allow": True, "type": "c", "major": DRM_MAJOR,
                                 "minor": minor_of(self.node), "access": "rwm"},
                                {"allow": True, "type": "c", "access": "m"}],
                },
            },
        }

    def start(self, script):
        with open(self.bundle + "/config.json", "w") as file:
            json.dump(self.config(script), file)
        self.log = open(self.bundle + "/log", "w+")
        self.child = subprocess.Popen(
            ["crun", "--cgroup-manager=cgroupfs", "run", "--bundle", self.bundle, self.name],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)

    def said(self):
        with open(self.bundle + "/log") as file:
            return file.read()

    def wait(self, seconds=120):
        status = self.child.wait(seconds * PATIENCE)
        self.log.close()
        return status

    def run(self, script):
        """What it prints; it must end well."""
        self.start(script)
        same(self.wait(), 0, self.said())
        return self.said()

    def kill(self):
        subprocess.run(["crun", "--cgroup-manager=cgroupfs", "kill", self.name, "KILL"],
                       check=True)
        self.wait()


def rights_in(text):
    return [int(n) for n in re.findall(r"^right (\d+)$", text, re.M)]


def goes_on(said, least=2):
    """It is right more often than before, and never wrong."""
    before = len(rights_in(said()))
    end = time.monotonic() + 120 * PATIENCE
    while len(rights_in(said())) < before + least:
        if "wrong" in said() or time.monotonic() > end:
            raise AssertionError(said())
        time.sleep(0.2)
    has_not(said(), "wrong")


class Guest:
    """A virtual machine that works on a vGPU of the same GPU."""

    def __init__(self, uuid):
        subprocess.run(["scripts/vm", "guest", "--vgpu", uuid, "--timeout", "500", "--detach",
                        "beside", "--", "sh", "-c", AGAIN], check=True, cwd=TREE)

    @staticmethod
    def said():
        with open("/run/tessera/guests/beside/stdout") as file:
            return file.read()

    @staticmethod
    def end():
        subprocess.run(["scripts/vm", "kill", "beside", "-9"], cwd=TREE, check=True)


class Tests:
    def __init__(self):
        self.tool = Tool(TREE + "/out/tools/cli/tesseractl")

    def node(self, name, *words):
        return self.tool.json("create", "--render-node", name, *words)

    def busy(self, slices):
        """Cycles that slices have worked."""
        total = 0
        for index in slices:
            with open(f"{CLASS}/slices/slice{index}/busy_cycles") as file:
                total += int(file.read())
        return total

    def sees_its_own(self):
        made = self.node("web", "slices=2", "kind=compute", "memory=4M")
        web = Container("web", made["device"])
        out = web.run(f"id -u; ls /dev/dri; {SGEMM} --size 48")
        has(out, f"{USER}\n{made['device']}\n", ": ok")
        gpus = json.loads(web.run(f"{INFO} --json"))
        same([len(gpus), gpus[0]["node"], len(gpus[0]["slices"]), gpus[0]["vram_size"]],
             [1, "/dev/dri/" + made["device"], 2, 8 << 20])

    def others_are_closed(self):
        """Root in the container can make the file of another node, but not open it."""
        mine = self.node("web", "slices=1", "memory=2M")["device"]
        other = self.node("other", "slices=1", "memory=2M")["device"]
        out = Container("web", mine, root=True).run(
            f"mknod /tmp/other c {DRM_MAJOR} {minor_of(other)} && ! (: <>/tmp/other)\n"
            f"mknod /tmp/gpu c {DRM_MAJOR} 128 && ! (: <>/tmp/gpu)\n"
            f"mknod /tmp/mine c {DRM_MAJOR} {minor_of(mine)} && : <>/tmp/mine && echo open")
        same(out.count("Operation not permitted"), 2)
        has(out, "open\n")

    def resized_beside_a_vm(self):
        uuid = self.tool.json("create", "slices=2", "kind=mixed")["vgpu"]
        web = Container("web", self.node("web", "slices=1", "memory=4M")["device"])
        guest = Guest(uuid)
        try:
            web.start(AGAIN)
            goes_on(guest.said)
            for slices in (4, 2, 6, 1):
                same(len(self.tool.json("compose", "web", f"slices={slices}")["after"]["slices"]),
                     slices)
                goes_on(web.said)
            same(len(self.tool.json("compose", uuid, "slices=1")["after"]["slices"]), 1)
            goes_on(web.said)
            goes_on(guest.said)
            web.kill()
        finally:
            guest.end()
        print(f"# right: {len(rights_in(web.said()))} in the container, "
              f"{len(rights_in(guest.said()))} in the virtual machine")

    def hostile(self):
        """Endless jobs on all that it has, by many processes, and all VRAM that it can get: a
        program on another node takes as many cycles as alone, and gets all of its VRAM."""
        bad = self.node("bad", "slices=4", "kind=compute", "memory=4M")
        good = self.node("good", "slices=2", "kind=compute", "memory=4M")

        def cycles():
            before = self.busy(good["slices"])
            has(Container("good", good["device"]).run(SGEMM + " --size 96"), ": ok")
            return self.busy(good["slices"]) - before

        alone = [cycles(), cycles()]
        flood = Container("bad", bad["device"])
        endless = f"{RUN} {ENDLESS} --grid 4096 --group 64 --arg zero:1M"
        flood.start(f"for n in 1 2 3 4 5 6; do (while :; do {endless}; done) & done; wait")
        try:
            end = time.monotonic() + 60 * PATIENCE
            while self.tool.json("show", "bad")["vram_free"] > 12 << 20:
                same(time.monotonic() < end, True, flood.said())
                time.sleep(0.2)
            before = self.busy(bad["slices"])
            beside = [cycles(), cycles()]
            same(self.busy(bad["slices"]) > before, True, "the flood does not work")
            shown = self.tool.json("show", "good")
            same(shown["vram_free"], shown["vram_total"])
        finally:
            flood.kill()
        print(f"# cycles alone {alone}, beside the flood {beside}")
        same(max(beside) <= 1.02 * max(alone), True, f"alone {alone}, beside {beside}")
        shown = self.tool.json("show", "bad")
        same(shown["vram_free"], shown["vram_total"])


TESTS = (
    ("a container has its slices and computes", "sees_its_own"),
    ("nodes of others are closed to it", "others_are_closed"),
    ("a flood changes nothing for another container", "hostile"),
    ("it is resized beside a virtual machine", "resized_beside_a_vm"),
)


def clean(tool):
    """Whatever a test left."""
    names = [path.split("/")[-2] for path in glob.glob(CLASS + "/nodes/*/device")]
    names += os.listdir("/sys/bus/mdev/devices")
    if names:
        tool.run("remove", *names)


def main():
    tap = Tap()
    tests = Tests()
    for title, name in TESTS:
        if len(sys.argv) == 1 or name in sys.argv[1:]:
            tap.run(title, getattr(tests, name))
            clean(tests.tool)
    return tap.end()


sys.exit(main())
