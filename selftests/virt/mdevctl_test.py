# SPDX-License-Identifier: GPL-2.0-or-later
"""Stock mdevctl with vGPUs: the whole life of a device, and changes while it runs."""

import json
import os
import tempfile

from run import TREE, attr, exists, has, mdevctl, parent, read, run, same, types, wait_for

UUID = "0f6ed1c5-2d5a-4f7c-9d2c-000000000001"
OTHER = "0f6ed1c5-2d5a-4f7c-9d2c-000000000002"
SHAPE = "slices=2 min=1 max=4 kind=compute memory=4M topology=ring"
CALLOUT = "/usr/lib/mdevctl/scripts.d/callouts/tessera"
# Where the rules of Debian's package look for it, while it is in /usr/bin
SBIN = "/usr/sbin/mdevctl"


def device(uuid, *attrs, kind="blank", start="manual"):
    """A configuration as a file for --jsonfile."""
    path = os.path.join(tempfile.gettempdir(), f"{uuid}.json")
    with open(path, "w") as f:
        json.dump({"mdev_type": "tessera_pci-" + kind, "start": start,
                   "attrs": [{name: value} for name, value in attrs]}, f)
    return path


def define(uuid, *attrs, **more):
    mdevctl("define", "-u", uuid, "-p", parent(), "--jsonfile", device(uuid, *attrs, **more))


def dumped(uuid, *options):
    return json.loads(mdevctl("list", *options, "--dumpjson", "-u", uuid))


def live(uuid, *attrs, options=(), status=0):
    return mdevctl("modify", "-u", uuid, "-p", parent(), "--live", *options, "--jsonfile",
                   device(uuid, *attrs), status=status)


def words(text):
    return dict(word.split("=", 1) for word in text.split())


def has_words(text, expected):
    """A blueprint has these words, whatever else it has."""
    got = words(text)
    same({name: got.get(name) for name in words(expected)}, words(expected), text)


def clean(*uuids):
    for uuid in uuids:
        if exists(uuid):
            mdevctl("stop", "-u", uuid)
        mdevctl("undefine", "-u", uuid)
        same(exists(uuid), False, uuid)


# ---- tests ----

def install():
    run("make", "-s", "-C", os.path.join(TREE, "tools/mdevctl"), "install",
        f"O={TREE}/out/tools/mdevctl")
    same(os.access(CALLOUT, os.X_OK), True, CALLOUT)


def list_types():
    listed = {}
    for gpu in json.loads(mdevctl("types", "--dumpjson")):
        for kind in gpu[parent()]:
            listed.update(kind)
    same({name: kind["available_instances"] for name, kind in listed.items()}, types())
    for name, kind in listed.items():
        same(kind["device_api"], "vfio-pci")
        path = f"/sys/class/mdev_bus/{parent()}/mdev_supported_types/{name}"
        same(kind["description"], read(path, "description"))
        same(kind["name"], read(path, "name"))
    has(listed, "tessera_pci-C1", "tessera_pci-blank")


def life():
    """Definition attribute by attribute, as people type it."""
    before = types()
    mdevctl("define", "-u", UUID, "-p", parent(), "-t", "tessera_pci-C2S")
    mdevctl("modify", "-u", UUID, "--addattr", "weight", "--value", "300")
    mdevctl("modify", "-u", UUID, "--addattr", "policy", "--value", "auto")
    same(exists(UUID), False)
    same(dumped(UUID, "-d"), {"mdev_type": "tessera_pci-C2S", "start": "manual",
                              "attrs": [{"weight": "300"}, {"policy": "auto"}]})
    mdevctl("start", "-u", UUID)
    same((attr(UUID, "weight"), attr(UUID, "policy")), ("300", "auto"))
    has(mdevctl("list"), f"{UUID} {parent()} tessera_pci-C2S manual (defined)")
    same(types()["tessera_pci-C2S"], before["tessera_pci-C2S"] - 1)
    mdevctl("modify", "-u", UUID, "--delattr", "--index", "1")
    mdevctl("modify", "-u", UUID, "--auto")
    same(attr(UUID, "policy"), "auto", "of the one that runs")
    same(dumped(UUID, "-d")["start"], "auto")
    mdevctl("stop", "-u", UUID)
    same(exists(UUID), False)
    mdevctl("start", "-u", UUID)
    same((attr(UUID, "weight"), attr(UUID, "policy")), ("300", "manual"))
    mdevctl("stop", "-u", UUID)
    mdevctl("undefine", "-u", UUID)
    same(mdevctl("list", "-d"), "")
    same(types(), before)


def blueprint():
    before = types()
    define(UUID, ("blueprint", SHAPE))
    mdevctl("start", "-u", UUID)
    has_words(attr(UUID, "blueprint"), SHAPE)
    same(types() != before, True, "instances that are left change")
    clean(UUID)
    same(types(), before)


def round_trip():
    """What the list says of a vGPU that runs makes another one like it."""
    define(UUID, ("blueprint", SHAPE + " share=shared weight=7 cap=50"), ("policy", "auto"))
    mdevctl("start", "-u", UUID)
    text = attr(UUID, "blueprint")
    has_words(text, "slices=2 share=shared weight=7 cap=50 policy=auto")
    config = dumped(UUID)
    same(config, {"mdev_type": "tessera_pci-blank", "start": "manual",
                  "attrs": [{"blueprint": text}]})
    has(mdevctl("list", "-v", "-u", UUID), f'@{{0}}: {{"blueprint":"{text}"}}')
    path = device(OTHER)
    with open(path, "w") as f:
        json.dump(config, f)
    mdevctl("define", "-u", OTHER, "-p", parent(), "--jsonfile", path)
    same(dumped(OTHER, "-d"), config)
    mdevctl("start", "-u", OTHER)
    same(attr(OTHER, "blueprint"), text)
    same(dumped(OTHER), config)
    clean(UUID, OTHER)


def adopt():
    """A definition from a vGPU that somebody started without."""
    mdevctl("start", "-u", UUID, "-p", parent(), "--jsonfile", device(UUID, ("blueprint", SHAPE)))
    same(mdevctl("list", "-d"), "")
    mdevctl("define", "-u", UUID)
    same(dumped(UUID, "-d")["attrs"], [{"blueprint": attr(UUID, "blueprint")}])
    clean(UUID)


def unknown_attribute():
    define(UUID, ("blueprint", SHAPE))
    before = dumped(UUID, "-d")
    has(mdevctl("modify", "-u", UUID, "--addattr", "bluprint", "--value", SHAPE, status=1),
        "tessera: a vGPU has no attribute bluprint to write")
    same(dumped(UUID, "-d"), before)
    mdevctl("define", "-u", OTHER, "-p", parent(), "--jsonfile", device(OTHER, ("colour", "red")),
            status=1)
    has(mdevctl("list", "-d"), UUID)
    same(OTHER in mdevctl("list", "-d"), False)
    clean(UUID)


def refused_start():
    """A value that the kernel refuses leaves nothing behind."""
    before = types()
    for value, why in (("slices=15 kind=render", "No space left"), ("slices=2 min=3", "Invalid"),
                       ("slices=2 memory=0 heads=1", "not supported")):
        define(UUID, ("blueprint", value))
        has(mdevctl("start", "-u", UUID, status=1), why, "attribute blueprint")
        same(exists(UUID), False, value)
        same(types(), before, value)
        clean(UUID)


def live_change():
    define(UUID, ("blueprint", SHAPE + " share=shared"))
    mdevctl("start", "-u", UUID)
    live(UUID, ("weight", "400"), ("cap", "30"))
    has_words(attr(UUID, "blueprint"), "slices=2 weight=400 cap=30")
    live(UUID, ("blueprint", SHAPE.replace("slices=2", "slices=4") + " share=shared"),
         ("policy", "auto"))
    has_words(attr(UUID, "blueprint"), "slices=4 min=1 max=4 policy=auto")
    has_words(dumped(UUID, "-d")["attrs"][0]["blueprint"], "slices=2")
    clean(UUID)


def live_and_defined():
    define(UUID, ("blueprint", SHAPE))
    mdevctl("start", "-u", UUID)
    text = SHAPE.replace("slices=2", "slices=3")
    live(UUID, ("blueprint", text), options=["--defined"])
    has_words(attr(UUID, "blueprint"), "slices=3")
    same(dumped(UUID, "-d")["attrs"], [{"blueprint": text}])
    clean(UUID)


def live_refused():
    """All or nothing, with the kernel's reason, and the definition stays too."""
    define(UUID, ("blueprint", SHAPE))
    mdevctl("start", "-u", UUID)
    text, config, pool = attr(UUID, "blueprint"), dumped(UUID, "-d"), types()
    has(live(UUID, ("blueprint", "slices=15 max=15 kind=render"), status=1), "blueprint: ENOSPC: ")
    has(live(UUID, ("blueprint", "slcies=1"), status=1), 'column 1: unknown word "slcies"')
    # A weight is for one that is shared; the blueprint before it was good
    has(live(UUID, ("blueprint", SHAPE.replace("slices=2", "slices=1")), ("weight", "5"),
             options=["--defined"], status=1), "weight: ")
    same((attr(UUID, "blueprint"), dumped(UUID, "-d"), types()), (text, config, pool))
    clean(UUID)


def gpu():
    """The GPU that carries it; this machine has one."""
    define(UUID, ("blueprint", SHAPE), ("gpu", "gpu0"))
    mdevctl("start", "-u", UUID)
    same(attr(UUID, "gpu"), "gpu0")
    same(dumped(UUID, "-d")["attrs"], [{"blueprint": SHAPE}, {"gpu": "gpu0"}])
    # It is where it was made: a definition from the device does not name it
    same(dumped(UUID)["attrs"], [{"blueprint": attr(UUID, "blueprint")}])
    before = attr(UUID, "blueprint")
    has(live(UUID, ("blueprint", SHAPE.replace("slices=2", "slices=1")), ("gpu", "gpu7"),
             status=1), "gpu: EINVAL: gpu: gpu7 is not there")
    same(attr(UUID, "blueprint"), before)
    live(UUID, ("gpu", "gpu0"))
    mdevctl("stop", "-u", UUID)
    mdevctl("modify", "-u", UUID, "--addattr", "gpu", "--value", "gpu7")
    has(mdevctl("start", "-u", UUID, status=1), "Invalid")
    same(exists(UUID), False)
    clean(UUID)


def rebind():
    """The GPU goes and comes, as at a boot."""
    driver = os.path.realpath(f"/sys/bus/pci/devices/{parent()}/driver")
    gpu = parent()
    for verb in ("unbind", "bind"):
        with open(os.path.join(driver, verb), "w") as f:
            f.write(gpu)


def autostart():
    """The rule of mdevctl's package has udev start what is defined so."""
    if not os.path.exists(SBIN):
        os.symlink("/usr/bin/mdevctl", SBIN)
    define(UUID, ("blueprint", SHAPE), start="auto")
    define(OTHER, kind="C1")
    rebind()
    wait_for("the start by udev", lambda: exists(UUID))
    run("udevadm", "settle", "--timeout", "30")
    has_words(attr(UUID, "blueprint"), SHAPE)
    same(exists(OTHER), False)
    mdevctl("stop", "-u", UUID)
    mdevctl("modify", "-u", OTHER, "--auto")
    mdevctl("start-parent-mdevs", parent())
    same((exists(UUID), exists(OTHER)), (True, True))
    clean(UUID, OTHER)


TESTS = (
    ("the callout is installed", install),
    ("types", list_types),
    ("define, modify, start, stop, undefine", life),
    ("a blueprint", blueprint),
    ("list --dumpjson and back", round_trip),
    ("define from one that runs", adopt),
    ("an unknown attribute is refused", unknown_attribute),
    ("a start that is refused leaves nothing", refused_start),
    ("live: weight, cap, blueprint", live_change),
    ("live and defined", live_and_defined),
    ("live: all or nothing", live_refused),
    ("the GPU that carries it", gpu),
    ("udev starts at the arrival of the GPU", autostart),
)
