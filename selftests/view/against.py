#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In a host VM: tessera-view and QEMU's VNC server show the same head of a KVM guest, as TAP, with
figures for make bench-view.

The guest plays something (content.sh), once for a client of each server: what is sent, what it costs
the host, how many pictures the client sees, and how long after each was shown. What the client has
in the end is compared with what the head shows.
"""

import contextlib
import fcntl
import json
import mmap
import os
import select
import statistics
import struct
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(HERE, "../lib")]

import hostvm  # noqa: E402
import rfb  # noqa: E402
from device import MDEV, UUID, write  # noqa: E402
from hostvm import TREE, Tap  # noqa: E402
from server import Server  # noqa: E402

GUEST, MONITOR = "against", "/run/against-qmp"
QEMU_SCREEN = 7
QEMU_PORT = 5900 + QEMU_SCREEN
DRIVER = os.environ.get("TESSERA_DRIVER", "tessera_pci")
TIMES = int(os.environ.get("TESS_TIMES", "1"))
# What the guest plays, and how much of it each time
PLAYS = {"text": (60 * TIMES, 0.2), "window": (60 * TIMES, 10), "video": (40 * TIMES, 5)}
# Of both clients. QEMU copies what its own graphics adapters say has moved, so nothing of a vGPU
ENCODINGS = (rfb.ZRLE, rfb.COPY_RECT, rfb.DESKTOP_SIZE)
BOOT_S, PLAY_S, IDLE_S = 300, 120 * TIMES, 10
LOOK = struct.Struct("=2IQ4I3Q6I")
LOOK_IOCTL = 3 << 30 | LOOK.size << 16 | ord("T") << 8 | 0x60
SHOWN = 4


class Head:
    """What head 0 shows, and when it showed what (linux/tessera_view.h)."""

    def __init__(self, uuid):
        self.file = os.open(f"/dev/tessera/view/{uuid}", os.O_RDWR)
        self.shown, self.memory = {}, None
        self.end = threading.Event()

    def look(self):
        """Width, height, pitch, time in ns; None if it is dark."""
        data = bytearray(LOOK.size)
        fcntl.ioctl(self.file, LOOK_IOCTL, data)
        _, state, _, _, width, height, pitch, offset, size, when, *_ = LOOK.unpack(data)
        if not state & SHOWN:
            return None
        if self.memory is None:
            self.memory = mmap.mmap(self.file, size, mmap.MAP_SHARED, mmap.PROT_READ, offset=offset)
        return width, height, pitch, when

    def xrgb(self):
        """As rfb.Client has it."""
        width, height, pitch, _ = self.look()
        out = bytearray()
        for y in range(height):
            out += self.memory[y * pitch:y * pitch + width * 4]
        out[3::4] = bytes(width * height)
        return bytes(out)

    def watch(self):
        """Note when each frame of a play was shown, until the end."""
        while not self.end.is_set():
            if select.select([self.file], [], [], 0.2)[0] and (seen := self.look()):
                self.shown.setdefault(int.from_bytes(self.memory[:3], "little"), seen[3])

    @contextlib.contextmanager
    def watched(self):
        self.shown.clear()
        self.end.clear()
        self.look()
        thread = threading.Thread(target=self.watch)
        thread.start()
        try:
            yield self.shown
        finally:
            self.end.set()
            thread.join()


# ---- what it costs ----

def ticks(path):
    """Of the processor, in user and in kernel mode."""
    with open(path) as f:
        fields = f.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def vcpus():
    done = subprocess.run(["selftests/mdev/qmp.py", MONITOR, "query-cpus-fast"], cwd=TREE, text=True,
                          stdout=subprocess.PIPE, check=True)
    return {cpu["thread-id"] for cpu in json.loads(done.stdout)}


class Costs:
    """Of all that serves: QEMU without its virtual processors, and tessera-view."""

    def __init__(self, server):
        self.server = server
        with open(os.path.join(hostvm.GUESTS, GUEST, "pid")) as f:
            self.qemu = f.read().strip()
        self.without = vcpus()

    def now(self):
        """Seconds of the processor, with those of threads that have ended."""
        pids = self.qemu, self.server.process.pid, *self.server.children()
        spent = sum(ticks(f"/proc/{pid}/stat") for pid in pids)
        spent -= sum(ticks(f"/proc/{self.qemu}/task/{thread}/stat") for thread in self.without)
        return spent / os.sysconf("SC_CLK_TCK")


# ---- a play ----

class Watcher:
    """A client that looks while the guest plays."""

    def __init__(self, port, head):
        self.client, self.head = rfb.Recorder(port, ENCODINGS), head
        self.seen, self.updates = {}, 0
        self.client.whole()
        self.client.settle(2)
        self.client.record()

    def take(self, seconds):
        """An update, if one comes within that time."""
        self.client.ask()
        if self.client.comes(seconds) and self.client.update():
            self.client.asked = False
            return True
        return False

    def look_back(self):
        """When each frame of the play came, by its number."""
        for when in self.client.play():
            self.updates += 1
            self.seen.setdefault(int.from_bytes(self.client.picture[:3], "little"), when)

    def follow(self, done):
        """Until that is so, and for two seconds nothing came."""
        end, quiet = time.monotonic() + PLAY_S, None
        while quiet is None or time.monotonic() < quiet + 2:
            if time.monotonic() > end:
                raise TimeoutError(f"the play does not end within {PLAY_S} s")
            if self.take(0.1) or quiet is None and done():
                quiet = time.monotonic() if done() else None

    def wrong_pixels(self):
        want, got = self.head.xrgb(), self.client.xrgb()
        if len(want) != len(got):
            return len(want) // 4
        return sum(want[i:i + 4] != got[i:i + 4] for i in range(0, len(want), 4))

    def latencies(self, shown):
        """Milliseconds, of frames with a number that were shown and seen."""
        return [(self.seen[n] - shown[n]) / 1e6 for n in self.seen.keys() & shown.keys()
                if n and self.seen[n] > shown[n]]


def played():
    return len(hostvm.said(GUEST, "played"))


def play(what, port, head, costs):
    """Bytes, seconds of the processor, pictures, latencies, pixels that are wrong in the end."""
    watcher, before = Watcher(port, head), played()
    got, spent = watcher.client.received, costs.now()
    with head.watched() as shown:
        hostvm.tell(GUEST, what, *PLAYS[what])
        watcher.follow(lambda: played() > before)
    spent = costs.now() - spent
    watcher.look_back()
    result = {"bytes": watcher.client.received - got, "cpu": spent, "pictures": watcher.updates,
              "latencies": watcher.latencies(shown) if what != "text" else (),
              "wrong": watcher.wrong_pixels()}
    watcher.client.close()
    hostvm.tell(GUEST, "next")
    return result


def idle(port):
    """Bytes for a picture that stays."""
    client = rfb.Client(port, ENCODINGS)
    client.whole()
    client.settle(3)
    before = client.received
    client.settle(IDLE_S)
    client.close()
    return client.received - before


# ---- what comes of it ----

def figure(name, value):
    print(f"# figure {name} {value:.6g}", flush=True)


def middle(values):
    return statistics.median(values) if values else float("nan")


def compare(tap, what, ours, qemu):
    for name, of in ("view", ours), ("qemu", qemu):
        print(f"# {what} by {name}: {of['bytes']} bytes, {of['cpu']:.2f} s of the processor, "
              f"{of['pictures']} pictures, {middle(of['latencies']):.0f} ms (median of "
              f"{len(of['latencies'])})")
    figure(f"bytes_over_qemu_{what}", ours["bytes"] / qemu["bytes"])
    figure(f"cpu_over_qemu_{what}", ours["cpu"] / qemu["cpu"])
    figure(f"pictures_over_qemu_{what}", ours["pictures"] / qemu["pictures"])
    if ours["latencies"] and qemu["latencies"]:
        figure(f"latency_over_qemu_p50_{what}", middle(ours["latencies"]) / middle(qemu["latencies"]))
    tap.ok(ours["bytes"] and qemu["bytes"] and not qemu["wrong"],
           f"both servers show {what}", f"{qemu['wrong']} pixels are wrong by QEMU")
    tap.ok(not ours["wrong"], f"the client of tessera-view has {what} as the head does",
           f"{ours['wrong']} pixels are wrong")
    return ours["wrong"]


def start(uuid):
    subprocess.run(["modprobe", "vfio_iommu_type1"], check=True)
    parent = os.listdir("/sys/class/mdev_bus")[0]
    write(f"/sys/class/mdev_bus/{parent}/mdev_supported_types/{DRIVER}-blank/create", uuid)
    write(f"{MDEV}/{uuid}/blueprint", "slices=1 kind=mixed memory=32M heads=1")
    subprocess.run(["scripts/vm", "guest", "--vgpu", f"{uuid},display=on", "--qmp", MONITOR,
                    "--qemu-arg=-vnc", f"--qemu-arg=127.0.0.1:{QEMU_SCREEN}", "--listen",
                    "--timeout", "3000", "--detach", GUEST, "--", "selftests/view/content.sh"],
                   cwd=TREE, check=True)
    hostvm.wait_until(lambda: hostvm.said(GUEST, "ready"), "the guest is ready", BOOT_S)


def main():
    tap, uuid = Tap(), UUID.format(0xa9)
    start(uuid)
    server = Server(uuid)
    costs, head, wrong = Costs(server), Head(uuid), 0
    try:
        for what in PLAYS:
            ours = play(what, server.port, head, costs)
            wrong += compare(tap, what, ours, play(what, QEMU_PORT, head, costs))
        still = idle(server.port)
        figure("idle_bytes", still)
        figure("wrong_pixels", wrong)
        tap.ok(still == 0, "a picture that stays sends no byte", f"{still} bytes")
        hostvm.tell(GUEST, "end")
        ended = subprocess.run([hostvm.VM, "wait", GUEST, "--timeout", "120"], check=False)
        tap.ok(ended.returncode == 0, "the guest ends in peace")
    except (AssertionError, OSError, TimeoutError, rfb.Closed) as err:
        tap.ok(False, f"all is played: {err}", server.log())
        hostvm.print_said(GUEST)
        hostvm.give_up(GUEST)
    os.close(head.file)
    server.end()
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
