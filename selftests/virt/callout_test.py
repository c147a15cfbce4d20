# SPDX-License-Identifier: GPL-2.0-or-later
"""The callout of mdevctl (argument: its binary) with a made-up sysfs."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from cli import Tap, has, same  # noqa: E402

UUID = "6a6a6b0e-1111-4222-8333-444455556666"
# Of the same length, as files do not get shorter when they are written
OLD = "slices=1 kind=compute"
NEW = "slices=2 kind=compute"


class Vgpu:
    """The directory of a vGPU, for the time of a test."""

    def __init__(self, **attrs):
        self.sysfs = tempfile.TemporaryDirectory()
        self.dir = os.path.join(self.sysfs.name, "bus/mdev/devices", UUID)
        os.makedirs(self.dir)
        for name, text in attrs.items():
            self.put(name, text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sysfs.cleanup()

    def put(self, name, text):
        with open(os.path.join(self.dir, name), "w") as f:
            f.write(text)

    def get(self, name):
        with open(os.path.join(self.dir, name)) as f:
            return f.read()

    def below(self, gpu):
        """It was made on this GPU."""
        os.makedirs(os.path.join(self.dir, "../tessera", gpu))

    def refuse(self, name):
        """Nobody can write to a directory."""
        os.mkdir(os.path.join(self.dir, name))


class Callout:
    def __init__(self, path):
        self.path = path

    def run(self, event, action, attrs=None, status=0, text=None, sysfs="/nowhere",
            kind="tessera_pci-C2", uuid=UUID):
        if text is None:
            text = json.dumps({"mdev_type": kind, "start": "manual", "attrs": attrs or []})
        argv = [self.path, "-t", kind, "-e", event, "-a", action, "-s", "none", "-u", uuid,
                "-p", "0000:01:00.0"]
        done = subprocess.run(argv, input=text, text=True, capture_output=True, timeout=20,
                              env={**os.environ, "TESSERA_SYSFS": sysfs, "LC_ALL": "C"})
        same(done.returncode, status, f"{event} {action}: {done.stderr}")
        self.err = done.stderr
        return done.stdout

    def live(self, vgpu, *attrs, status=0):
        return self.run("live", "modify", list(attrs), status, sysfs=vgpu.sysfs.name)

    # ---- tests ----

    def foreign_type(self):
        for event, action in (("get", "capabilities"), ("pre", "define"), ("live", "modify")):
            same(self.run(event, action, kind="i915-GVTg_V5_4", status=2), "")
            same(self.run(event, action, kind="tessera_pc", status=2), "")
        for kind in ("tessera_pci-C2", "tessera_user-C2"):
            has(self.run("get", "capabilities", text="{}", kind=kind), "supports")

    def capabilities(self):
        supports = json.loads(self.run("get", "capabilities", text="{}"))["supports"]
        same(supports["version"], 2)
        # mdevctl refuses to do what is not named here
        same(set(supports["actions"]), {"start", "stop", "define", "undefine", "modify",
                                        "attributes", "capabilities"})
        same(set(supports["events"]), {"pre", "post", "notify", "get", "live"})

    def attributes(self):
        with Vgpu(blueprint=OLD + "\n") as v:
            got = self.run("get", "attributes", text="", sysfs=v.sysfs.name)
            same(json.loads(got), [{"blueprint": OLD}])
            v.put("blueprint", "none\n")
            same(json.loads(self.run("get", "attributes", text="", sysfs=v.sysfs.name)), [])
        with Vgpu(blueprint=OLD + "\n", gpu="gpu1\n") as v:
            v.below("gpu0")
            got = self.run("get", "attributes", text="", sysfs=v.sysfs.name)
            same(json.loads(got), [{"blueprint": OLD}, {"gpu": "gpu1"}])
            # Its number may be another one after the next boot
            v.put("gpu", "gpu0\n")
            got = self.run("get", "attributes", text="", sysfs=v.sysfs.name)
            same(json.loads(got), [{"blueprint": OLD}])
        for plane, more in (("region", []), ("dmabuf", [{"plane": "dmabuf"}])):
            with Vgpu(blueprint=OLD + "\n", plane=plane + "\n") as v:
                got = self.run("get", "attributes", text="", sysfs=v.sysfs.name)
                same(json.loads(got), [{"blueprint": OLD}] + more)
        self.run("get", "attributes", text="", status=1)
        has(self.err, "No such file")

    def nothing_to_do(self):
        for action in ("start", "stop", "define", "undefine", "modify"):
            same(self.run("post", action), "")
        for action in ("stop", "undefine"):
            same(self.run("pre", action), "")

    def names_are_checked(self):
        for action in ("define", "modify", "start"):
            self.run("pre", action, [{"blueprint": OLD}, {"policy": "auto"}, {"weight": "1"},
                                     {"cap": "50"}, {"profile": "slices=1"}, {"gpu": "gpu1"},
                                     {"plane": "dmabuf"}])
            self.run("pre", action, [{"bluprint": OLD}], status=1)
            has(self.err, "bluprint")

    def configurations(self):
        self.run("pre", "define", text='{"mdev_type": "x", "start": "auto"}')
        for text in ("", "[", "[]", '"x"', "null", '{"attrs": {}}', '{"attrs": [1]}',
                     '{"attrs": [{}]}', '{"attrs": [[]]}', '{"attrs": [{"cap": 5}]}',
                     '{"attrs": [{"cap": null}]}', '{"attrs": [{"cap": "1", "weight": "2"}]}',
                     '{"attrs": [{"cap": "1\\u0000"}]}', "{" * 4000):
            self.run("pre", "define", text=text, status=1)
            same(bool(self.err), True, "a message about " + text[:40])

    def bad_uuids(self):
        for uuid in ("", "..", "x" * 36, "../../../../../../../../../../../etc", UUID + "0"):
            self.run("get", "attributes", text="", uuid=uuid, status=1)
            has(self.err, "Invalid argument")

    def live_writes(self):
        with Vgpu(blueprint=OLD, weight="", policy="") as v:
            self.live(v, {"blueprint": NEW}, {"weight": "300"})
            same((v.get("blueprint"), v.get("weight"), v.get("policy")), (NEW, "300", ""))
            self.live(v, {"policy": "auto"})
            same((v.get("blueprint"), v.get("policy")), (NEW, "auto"))
            v.put("gpu", "gpu0")
            self.live(v, {"gpu": "gpu1"})
            same((v.get("blueprint"), v.get("gpu")), (NEW, "gpu1"))
            self.live(v)

    def live_is_all_or_nothing(self):
        with Vgpu(blueprint=OLD, last_error="EBUSY: an old story\n") as v:
            v.refuse("cap")
            self.live(v, {"blueprint": NEW}, {"cap": "5"}, status=1)
            same(v.get("blueprint"), OLD)
            has(self.err, "cap: Is a directory")
            self.live(v, {"blueprint": NEW}, {"nosuch": "5"}, status=1)
            same(v.get("blueprint"), OLD)
            # A blueprint, too, can make it go to another GPU
            v.put("gpu", "gpu0")
            self.live(v, {"gpu": "gpu1"}, {"cap": "5"}, status=1)
            same((v.get("blueprint"), v.get("gpu")), (OLD, "gpu0"))
            self.live(v, {"blueprint": NEW}, {"gpu": "gpu1"}, {"cap": "5"}, status=1)
            same((v.get("blueprint"), v.get("gpu")), (OLD, "gpu0"))
            has(self.err, "cap: Is a directory")

    def live_says_why(self):
        with Vgpu(blueprint=OLD, last_error="ENOSPC: insufficient slices\n") as v:
            v.refuse("profile")
            self.live(v, {"profile": "slices=4"}, status=1)
            same(self.err, "profile: ENOSPC: insufficient slices\n")
            v.put("last_error", "none\n")
            self.live(v, {"profile": "slices=4"}, status=1)
            same(self.err, "profile: Is a directory\n")
            v.refuse("gpu")
            v.put("last_error", "EINVAL: gpu: gpu7 is not there, or gives no vGPUs\n")
            self.live(v, {"gpu": "gpu7"}, status=1)
            same(self.err, "gpu: EINVAL: gpu: gpu7 is not there, or gives no vGPUs\n")

    def live_without_device(self):
        self.run("live", "modify", [{"cap": "5"}], status=1)
        has(self.err, UUID, "No such file")


def main():
    tap, callout = Tap(), Callout(sys.argv[1])
    for title, test in (
            ("types of others are left to others", callout.foreign_type),
            ("capabilities", callout.capabilities),
            ("attributes of a vGPU, blank or not", callout.attributes),
            ("events at which there is nothing to do", callout.nothing_to_do),
            ("an attribute that no vGPU has is refused", callout.names_are_checked),
            ("what is no configuration is refused", callout.configurations),
            ("what is no UUID is refused", callout.bad_uuids),
            ("live: attributes are written, others stay", callout.live_writes),
            ("live: all or nothing", callout.live_is_all_or_nothing),
            ("live: the kernel's reason is told", callout.live_says_why),
            ("live: no such vGPU", callout.live_without_device)):
        tap.run("callout: " + title, test)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
