# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's side of a made-up sysfs tree: mediated devices that are made, composed and
removed by writing files. It gives the first slices of the kind, and refuses what it is told."""

import errno
import os
import shutil
import socket
import struct
import threading

from cli import Sysfs

TYPES = {"blank": None, "C1": "slices=1 kind=compute", "C2": "slices=2 kind=compute",
         "R1": "slices=1 kind=render"}
ORDER = ("slices", "min", "max", "kind", "memory", "topology", "engines", "heads", "share",
         "policy", "gpus")
DEFAULTS = {"slices": "1", "kind": "any", "memory": "32M", "topology": "mesh",
            "engines": "compute,copy", "heads": "0", "share": "exclusive", "policy": "manual",
            "gpus": "1"}


class Mdev:
    def __init__(self, gpu):
        self.gpu = gpu
        self.blueprint = None
        self.generation = 0
        self.slices = []


class Kernel(Sysfs):
    """A tree with a socket behind it; writes are taken one at a time, as they come."""

    def __init__(self, root):
        super().__init__(root)
        self.mdevs = {}
        self.nodes = {}
        self.counts = {}
        self.refuse = []  # (end of the path, errno, reason or None)
        self.seen = []  # (path from the root on, text)
        self.events = os.path.join(root, "uevents")
        self.address = os.path.join(root, "kernel")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(self.address)
        self.socket.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def environment(self, shim):
        return {"TESSERA_SYSFS": self.root, "FAKE_SYSFS": self.root, "FAKE_KERNEL": self.address,
                "FAKE_UEVENTS": self.events, "LD_PRELOAD": shim,
                "ASAN_OPTIONS": "verify_asan_link_order=0"}

    def serve(self):
        while True:
            link = self.socket.accept()[0]
            with link:
                data = b""
                while chunk := link.recv(65536):
                    data += chunk
                path, text = data.split(b"\0", 1)
                path = os.path.relpath(path.decode(), self.root)
                self.seen.append((path, text.decode()))
                try:
                    code = self.write(path, text.decode().rstrip("\n"))
                except Exception as error:  # what the tool gets then is seen by its test
                    print("# fake kernel:", repr(error), flush=True)
                    code = errno.EIO
                link.sendall(struct.pack("i", code))

    # ---- the tree ----

    def parent(self, gpu, *parts):
        return os.path.join("..", "mdev_bus", f"0000:0{gpu + 1}:00.0", *parts)

    def gpu(self, n, slices=4):
        super().gpu(n, slices)
        self.counts[n] = slices
        self.make(self.parent(n), vendor="0x1234")
        for name in TYPES:
            self.make(self.parent(n, "mdev_supported_types", "tessera_pci-" + name), create="")
        self.make(self.parent(n, "power"), control="on")
        self.make(f"gpu{n}/nodes", create="", remove="", last_error="none")

    def taken(self, gpu):
        return [i for m in [*self.mdevs.values(), *self.nodes.values()] if m.gpu == gpu
                for i in m.slices]

    @staticmethod
    def kind(index):
        return ("compute", "compute", "render", "mixed")[index % 4]

    # ---- writes ----

    def refused(self, path):
        for entry in self.refuse:
            if path.endswith(entry[0]):
                self.refuse.remove(entry)
                return entry
        return None

    def write(self, path, text):
        entry = self.refused(path)
        parts = path.split("/")
        if parts[3] == "nodes":
            return self.write_node(int(parts[2][3:]), parts[4:], text)
        gpu, name = int(parts[2][6]) - 1, parts[-2]
        if entry:
            if entry[2]:
                self.put(self.parent(gpu, name),
                         last_error=f"{errno.errorcode[entry[1]]}: {entry[2]}")
            return entry[1]
        if parts[-1] == "create":
            return self.create(gpu, name.split("-")[-1], text)
        if parts[-1] == "remove":
            return self.remove(gpu, name)
        if parts[-1] == "profile":
            busy = int(dict(w.split("=") for w in text.split())["utilization"]) > 800
            bp = self.mdevs[name].blueprint or DEFAULTS
            text = f"slices={bp.get('max', bp['slices']) if busy else 1}"
        return self.compose(gpu, name, text)

    def create(self, gpu, kind, uuid):
        if uuid in self.mdevs:
            return errno.EEXIST
        self.mdevs[uuid] = Mdev(gpu)
        self.make(self.parent(gpu, uuid), blueprint="none", last_error="none", remove="",
                  profile="none", composition="generation=0 slices=0 slice_mask=0")
        return self.compose(gpu, uuid, TYPES[kind]) if TYPES[kind] else 0

    def remove(self, gpu, uuid):
        self.give_back(self.mdevs[uuid])
        del self.mdevs[uuid]
        self.update(gpu)
        shutil.rmtree(self.path(self.parent(gpu, uuid)))
        shutil.rmtree(self.path(f"gpu{gpu}/vgpus/{uuid}"), ignore_errors=True)
        return 0

    def write_node(self, gpu, parts, text):
        if parts[0] == "create":
            return self.shape_node(gpu, *text.split(" ", 1), "")
        if parts[0] == "remove":
            self.give_back(self.nodes.pop(text))
            self.update(gpu)
            shutil.rmtree(self.path(f"gpu{gpu}/nodes/{text}"))
            shutil.rmtree(self.path(f"gpu{gpu}/vgpus/{text}"))
            return 0
        return self.shape_node(gpu, parts[0], text, "/" + parts[0])

    def shape_node(self, gpu, name, text, where):
        node = self.nodes.get(name) or Mdev(gpu)
        words = {**(node.blueprint or DEFAULTS), **dict(w.split("=") for w in text.split())}
        count = int(words["slices"])
        fit = [i for i in range(self.counts[gpu])
               if words["kind"] in ("any", self.kind(i)) and i not in set(self.taken(gpu)) -
               set(node.slices)]
        if len(fit) < count:
            self.put(f"gpu{gpu}/nodes{where}",
                     last_error=f"ENOSPC: insufficient slices: {len(fit)} free, {count} asked")
            return errno.ENOSPC
        self.nodes[name] = node
        self.give_back(node)
        node.slices, node.blueprint = fit[:count], words
        node.generation += 1
        for i in node.slices:
            self.own(gpu, i, name)
        # It has a vslice for each slice of the GPU
        self.vgpu(gpu, name, [i if i in node.slices else -1 for i in range(self.counts[gpu])],
                  generation=node.generation, given=count)
        self.make(f"gpu{gpu}/nodes/{name}", last_error="none", device="renderD129",
                  vram_total=count << 25, vram_free=count << 24,
                  blueprint=" ".join(f"{n}={words[n]}" for n in ORDER if n in words))
        self.update(gpu)
        return 0

    def give_back(self, mdev):
        for i in mdev.slices:
            self.own(mdev.gpu, i, "", state="free")
        mdev.slices = []

    def update(self, gpu):
        self.put(f"gpu{gpu}", slices_free=self.counts[gpu] - len(self.taken(gpu)))

    def clear(self, gpu, uuid):
        mdev = self.mdevs[uuid]
        self.give_back(mdev)
        mdev.blueprint = None
        shutil.rmtree(self.path(f"gpu{gpu}/vgpus/{uuid}"))
        self.put(self.parent(gpu, uuid), blueprint="none", profile="none",
                 composition=f"generation={mdev.generation + 1} slices=0 slice_mask=0")
        return 0

    def compose(self, gpu, uuid, text):
        mdev = self.mdevs[uuid]
        if text == "none":
            return self.clear(gpu, uuid)
        words = {**(mdev.blueprint or DEFAULTS), **dict(w.split("=") for w in text.split())}
        count = int(words["slices"])
        most = int(words.setdefault("max", words["slices"]))
        words.setdefault("min", words["slices"])
        fit = [i for i in range(self.counts[gpu])
               if words["kind"] in ("any", self.kind(i)) and i not in set(self.taken(gpu)) -
               set(mdev.slices)]
        if len(fit) < count:
            self.put(self.parent(gpu, uuid), last_error=f"ENOSPC: insufficient slices of kind "
                     f"{words['kind']}: {len(fit)} free, {count} asked")
            return errno.ENOSPC
        self.give_back(mdev)
        mdev.slices = fit[:count]
        mdev.blueprint = words
        mdev.generation += 1
        for i in mdev.slices:
            self.own(gpu, i, uuid)
        self.vgpu(gpu, uuid, [mdev.slices[i % count] for i in range(most)], share=words["share"])
        self.put(self.parent(gpu, uuid), last_error="none",
                 profile=f"utilization=950 queue=1500 shader=300 memory=100 slices={count} "
                         "engines=compute,copy",
                 blueprint=" ".join(f"{n}={words[n]}" for n in ORDER),
                 composition=f"generation={mdev.generation} slices={count} "
                             f"slice_mask={(1 << count) - 1:#x} memory=0 heads=0 engines=none")
        self.update(gpu)
        return 0

    # ---- uevents ----

    def announce(self, action, path, port=0, **words):
        """As the kernel does; an event of another port is forged."""
        words = {"ACTION": action, "DEVPATH": path, **words, "SEQNUM": 7}
        text = "\0".join([f"{action}@{path}"] + [f"{k}={v}" for k, v in words.items()]) + "\0"
        self.send(struct.pack("I", port) + text.encode("latin-1"))

    def send(self, data):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as link:
            link.sendto(data, self.events)
