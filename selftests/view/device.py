#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In a host VM: tessera-view of heads of vGPUs, as TAP. A program plays VMM and guest (screen.c);
with "guest" a KVM guest draws, too."""

import glob
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(HERE, "../lib")]

import rfb  # noqa: E402
from server import BUILT, TREE, Server, colour565, cover, premultiplied, wait_for  # noqa: E402
from tap import Tap  # noqa: E402

XRGB8888, ARGB8888, RGB565 = (int.from_bytes(code, "little")
                              for code in (b"XR24", b"AR24", b"RG16"))
UUID = "71e30000-0000-4000-8000-00000000{:04x}"
MDEV = "/sys/bus/mdev/devices"
DRIVER = os.environ.get("TESSERA_DRIVER", "tessera_pci")


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


class Device:
    """A mediated device with heads, and what shows something on them"""

    count = 0

    def __init__(self, heads):
        Device.count += 1
        self.uuid = UUID.format(Device.count)
        gpu = glob.glob(f"/sys/class/mdev_bus/*/mdev_supported_types/{DRIVER}-blank")[0]
        write(f"{gpu}/create", self.uuid)
        self.compose(heads)
        self.screen = subprocess.Popen([os.path.join(TREE, "out/selftests/view/screen"), self.uuid],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.dir = tempfile.mkdtemp(prefix="screen-")
        self.servers = []

    def compose(self, heads):
        write(f"{MDEV}/{self.uuid}/blueprint", f"slices=1 kind=mixed memory=32M heads={heads}")

    def do(self, *words):
        self.screen.stdin.write(" ".join(map(str, words)) + "\n")
        self.screen.stdin.flush()
        answer = self.screen.stdout.readline().strip()
        assert answer.startswith("ok"), f"{words}: {answer}"
        return answer[3:]

    def load(self, data, address=0):
        path = os.path.join(self.dir, "data")
        with open(path, "wb") as f:
            f.write(data)
        self.do("load", address, path)

    def show(self, width, height, head=0, form=XRGB8888, pitch=None, address=0, damage=()):
        self.do("show", head, form, width, height, pitch or width * (2 if form == RGB565 else 4),
                address, *damage)

    def serve(self, *options):
        self.servers.append(Server(self.uuid, *options))
        return self.servers[-1]

    def path(self):
        """Of its frames"""
        with open(f"{MDEV}/{self.uuid}/profile") as f:
            return dict(word.split("=") for word in f.read().split() if "=" in word)["path"]

    def shut(self):
        """The VMM ends."""
        if self.screen.poll() is None:
            self.screen.stdin.close()
            self.screen.wait(60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.end()
        self.shut()
        if os.path.exists(f"{MDEV}/{self.uuid}"):
            write(f"{MDEV}/{self.uuid}/remove", "1")


def without_x(data):
    out = bytearray(data)
    out[3::4] = bytes(len(out) // 4)
    return bytes(out)


def sees(client, width, height, want):
    client.follow(lambda: (client.width, client.height) == (width, height) and
                  client.xrgb() == want)


def test_pictures():
    noise = random.Random(1)
    with Device(1) as d:
        first = noise.randbytes(200 * 150 * 4)
        d.load(first)
        d.show(200, 150)
        server = d.serve()
        client = rfb.Client(server.port)
        client.whole()
        sees(client, 200, 150, without_x(first))
        # Another buffer, other bytes in a line, and another format
        second = noise.randbytes(150 * 1024)
        d.load(second, 1 << 20)
        d.show(200, 150, form=ARGB8888, pitch=1024, address=1 << 20)
        sees(client, 200, 150, without_x(b"".join(second[y * 1024:y * 1024 + 800]
                                                  for y in range(150))))
        third = noise.randbytes(101 * 52 * 2)
        d.load(third, 2 << 20)
        d.show(101, 52, form=RGB565, pitch=204, address=2 << 20)
        third += bytes(52 * 2)
        want = b"".join(colour565(int.from_bytes(third[y * 204 + x:y * 204 + x + 2], "little"))
                        for y in range(52) for x in range(0, 202, 2))
        sees(client, 101, 52, want)
        d.do("dark", 0)
        client.follow(lambda: not any(client.xrgb()))


def test_damage():
    with Device(1) as d:
        picture = bytearray(random.Random(2).randbytes(640 * 480 * 4))
        d.load(picture)
        d.show(640, 480)
        server = d.serve()
        client = rfb.Client(server.port)
        client.whole()
        sees(client, 640, 480, without_x(picture))
        before = server.stats()
        for i in range(10):
            picture[0:16] = bytes([i]) * 16
            d.load(picture[0:16])
            d.show(640, 480, damage=(0, 0, 4, 1))
            sees(client, 640, 480, without_x(picture))
        after = server.stats()
        differs = after["different_pixels"] - before["different_pixels"]
        told = after["damaged_pixels"] - before["damaged_pixels"]
        assert 4 <= told <= 40, f"{told} pixels were told of"
        assert 0 < differs <= 10 * 64 * 64, f"{differs} pixels differed"
        # All of it again, and nothing differs
        d.show(640, 480)
        assert client.settle(2) == 0, "bytes of a picture that is the same"


def test_untold():
    with Device(1) as d:
        picture = bytearray(640 * 480 * 4)
        d.load(picture)
        d.show(640, 480)
        client = rfb.Client(d.serve().port)
        client.whole()
        picture[40000:40400] = b"\x5a" * 400
        d.load(picture[40000:40400], 40000)
        sees(client, 640, 480, without_x(picture))
        assert client.settle(3) == 0, "bytes of a still picture"


def test_heads():
    """Two servers for two heads; a third head comes later"""
    with Device(2) as d:
        for head in 0, 1:
            d.load(bytes([head + 1]) * (64 * 64 * 4), head << 20)
            d.show(64, 64, head=head, address=head << 20)
        servers = [d.serve("--head", str(head)) for head in range(3)]
        clients = [rfb.Client(server.port) for server in servers]
        for client in clients:
            client.whole()
        for head in 0, 1:
            sees(clients[head], 64, 64, without_x(bytes([head + 1]) * (64 * 64 * 4)))
            assert clients[head].name.endswith(f"{d.uuid} head {head}"), clients[head].name
        assert "does not exist" in servers[2].log()
        d.compose(3)
        d.show(64, 64, head=2)
        sees(clients[2], 64, 64, without_x(b"\1" * (64 * 64 * 4)))


def test_cursor():
    """On top of a head that the VMM does not show; a move is no picture"""
    noise = random.Random(4)
    with Device(2) as d:
        picture, image = noise.randbytes(200 * 150 * 4), premultiplied(noise)
        d.load(picture)
        d.load(image, 1 << 20)
        d.show(200, 150, head=1)
        server = d.serve("--head", "1")
        client = rfb.Client(server.port)
        client.whole()
        sees(client, 200, 150, without_x(picture))
        for where in (20, 30), (-30, 120), (150, -1):
            want = bytearray(without_x(picture))
            cover(want, 200, 150, image, *where)
            d.do("cursor", 1, *where, 1 << 20)
            sees(client, 200, 150, bytes(want))
        assert server.stats()["cursor_changes"] >= 3


def test_resize():
    """A client asks for a size, and the guest finds a monitor of it"""
    with Device(2) as d:
        d.show(200, 150, head=1)
        server = d.serve("--head", "1", "--resize")
        client = rfb.Client(server.port, (rfb.ZRLE, rfb.DESKTOP_SIZE, rfb.EXTENDED_SIZE))
        client.whole()
        assert d.do("monitor", 1) == "1024x768"
        client.want_size(1366, 768)
        wait_for("a monitor", lambda: d.do("monitor", 1) == "1366x768")
        d.show(1366, 768, head=1)
        client.follow(lambda: (client.width, client.height) == (1366, 768))
        # That of the first head is the VMM's
        server = d.serve("--resize")
        client = rfb.Client(server.port, (rfb.ZRLE, rfb.DESKTOP_SIZE, rfb.EXTENDED_SIZE))
        client.whole()
        client.want_size(1366, 768)
        wait_for("a word", lambda: "the monitor of its VMM" in server.log())
        assert d.do("monitor", 0) == "1024x768"


def test_capture():
    """Slices that no vGPU has read the picture, and the CPU nothing of VRAM"""
    noise = random.Random(5)
    with Device(1) as d:
        picture = bytearray(noise.randbytes(1024 * 768 * 4))
        d.load(picture)
        d.load(picture, 8 << 20)
        d.show(1024, 768)
        server = d.serve("--capture", "gpu")
        client = rfb.Client(server.port)
        client.whole()
        sees(client, 1024, 768, without_x(picture))
        assert d.path() == "local", server.log()
        for i in range(8):
            # Two buffers, some lines in both, and one tile and a bit of the other
            at = (8 << 20) * (i % 2)
            spot = noise.randrange(700) * 4096 + 4 * noise.randrange(1000)
            picture[spot:spot + 80] = noise.randbytes(80)
            for where in 0, 8 << 20:
                d.load(picture[spot:spot + 80], where + spot)
            d.show(1024, 768, address=at)
            sees(client, 1024, 768, without_x(picture))
        stats = server.stats()
        assert stats["capture"] == "gpu" and not stats["gpu_failures"], stats
        assert not stats["vram_bytes_read"], stats
        assert stats["gpu_tiles_taken"] < stats["gpu_tiles"] / 2, stats
        print(f"# {stats['gpu_jobs']} jobs, {stats['gpu_tiles']} tiles, of which "
              f"{stats['gpu_tiles_taken']} were read, {stats['gpu_cycles']} cycles")
        # Other formats, and a width that is no whole number of words
        third = noise.randbytes(204 * 52)
        d.load(third, 2 << 20)
        d.show(101, 52, form=RGB565, pitch=204, address=2 << 20)
        want = b"".join(colour565(int.from_bytes(third[y * 204 + x:y * 204 + x + 2], "little"))
                        for y in range(52) for x in range(0, 202, 2))
        sees(client, 101, 52, want)
        assert server.stats()["capture"] == "gpu", server.log()


def test_capture_cursor():
    """What is on top moves, and nothing under it"""
    noise = random.Random(6)
    with Device(2) as d:
        picture, image = noise.randbytes(200 * 150 * 4), premultiplied(noise)
        d.load(picture)
        d.load(image, 1 << 20)
        d.show(200, 150, head=1)
        server = d.serve("--head", "1", "--capture", "gpu")
        client = rfb.Client(server.port)
        client.whole()
        for where in (20, 30), (-30, 120), (150, -1):
            want = bytearray(without_x(picture))
            cover(want, 200, 150, image, *where)
            d.do("cursor", 1, *where, 1 << 20)
            sees(client, 200, 150, bytes(want))
        assert server.stats()["capture"] == "gpu", server.log()


def free(what):
    """What nobody has of the GPU"""
    with open(f"/sys/class/tessera/gpu0/{what}_free") as f:
        return int(f.read())


def take_slices():
    """vGPUs that have all that are left"""
    gpu = glob.glob(f"/sys/class/mdev_bus/*/mdev_supported_types/{DRIVER}-blank")[0]
    while free("slices"):
        Device.count += 1
        uuid = UUID.format(Device.count)
        write(f"{gpu}/create", uuid)
        write(f"{MDEV}/{uuid}/blueprint", "slices=1 kind=any memory=0")
        yield uuid


def test_capture_ends():
    """Slices are taken away, and the vGPU: the CPU goes on, and nothing is kept"""
    vram = free("vram")
    with Device(1) as d:
        picture = bytearray(random.Random(7).randbytes(640 * 480 * 4))
        d.load(picture)
        d.show(640, 480)
        server = d.serve("--capture", "gpu")
        client = rfb.Client(server.port)
        client.whole()
        sees(client, 640, 480, without_x(picture))
        assert server.stats()["capture"] == "gpu", server.log()
        others = list(take_slices())
        picture[0:4000] = b"\x33" * 4000
        d.load(picture[0:4000])
        d.show(640, 480)
        sees(client, 640, 480, without_x(picture))
        stats = server.stats()
        for uuid in others:
            write(f"{MDEV}/{uuid}/remove", "1")
        assert stats["capture"] == "cpu" and stats["gpu_failures"], stats
        assert stats["vram_bytes_read"], stats
        d.shut()
        write(f"{MDEV}/{d.uuid}/remove", "1")
        assert server.wait() == 0
        wait_for("all VRAM to be free", lambda: free("vram") == vram)


def test_idle():
    with Device(1) as d:
        d.show(64, 64)
        server = d.serve()
        before = server.stats()
        for _ in range(5):
            d.show(64, 64)
        time.sleep(1)
        assert server.stats()["looks"] == before["looks"], "looked for nobody"


def test_path():
    with Device(1) as d:
        d.show(64, 64)
        server = d.serve()
        assert d.path() == "local", "a server alone copies nothing"
        client = rfb.Client(server.port)
        client.whole()
        assert d.path() == "remote"
        client.close()
        end = time.monotonic() + 60
        while d.path() != "local":
            assert time.monotonic() < end, "remote after the last client has gone"
            time.sleep(0.1)


def test_removed():
    with Device(1) as d:
        d.load(b"\7" * (640 * 480 * 4))
        d.show(640, 480)
        server = d.serve()
        client = rfb.Client(server.port)
        client.whole()
        # The VMM takes its VRAM with it
        d.shut()
        client.follow(lambda: not any(client.xrgb()))
        write(f"{MDEV}/{d.uuid}/remove", "1")
        assert server.wait() == 0
        assert "was removed" in server.log()
        try:
            client.settle()
            raise AssertionError("the client is still there")
        except rfb.Closed:
            """As it has to be"""


def test_killed():
    """The VMM is killed while it shows something, and another one comes"""
    with Device(1) as d:
        d.show(640, 480)
        server = d.serve()
        client = rfb.Client(server.port)
        client.whole()
        d.screen.kill()
        d.screen.wait(60)
        client.settle()
        assert server.process.poll() is None, server.log()


def fails(word, *arguments):
    done = subprocess.run([os.path.join(BUILT, "tessera-view"), *arguments], text=True,
                          stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 1 and word in done.stderr, f"{done.returncode}: {done.stderr}"


def test_names():
    with Device(1) as d, Device(1) as other:
        fails("no vGPU", "ffff")
        fails("say more", d.uuid[:8])
        assert other.serve().port


def test_guest():
    """What a KVM guest draws through DRM, pixel by pixel"""
    with Device(1) as d:
        d.shut()
        subprocess.run(["scripts/vm", "guest", "--vgpu", d.uuid, "--detach", "view", "--",
                        "out/selftests/drm/kms_pattern", "-t", "30"], cwd=TREE, check=True)
        wait_for("a picture", lambda: b"head 0 shows 1024x768" in open(
            "/run/tessera/guests/view/stdout", "rb").read(), 200)
        want = subprocess.run(["out/selftests/drm/kms_pattern", "-p", "1024x768"], cwd=TREE,
                              check=True, stdout=subprocess.PIPE).stdout
        client = rfb.Client(d.serve().port)
        client.whole()
        client.follow(lambda: want.endswith(client.rgb()))
        subprocess.run(["scripts/vm", "wait", "view", "--timeout", "100"], cwd=TREE, check=True)


TESTS = {
    "clients see what the guest shows": test_pictures,
    "damage that the guest tells": test_damage,
    "what is drawn without a flip is seen": test_untold,
    "each head has its server, and may come later": test_heads,
    "a cursor that viewers show": test_cursor,
    "a client chooses the size": test_resize,
    "a GPU reads the picture": test_capture,
    "a GPU reads the picture under a cursor": test_capture_cursor,
    "a GPU that cannot read any more": test_capture_ends,
    "nothing is looked at without clients": test_idle,
    "a remote path while there are clients": test_path,
    "the vGPU is removed": test_removed,
    "the VMM is killed": test_killed,
    "vGPUs are named as far as it takes": test_names,
}


def main():
    tests = dict(TESTS)
    if sys.argv[1:] == ["guest"]:
        tests["what a KVM guest draws"] = test_guest
    subprocess.run(["modprobe", "vfio_iommu_type1"], check=True)
    tap = Tap()
    for name, test in tests.items():
        try:
            test()
            tap.ok(True, name)
        except Exception:
            tap.ok(False, name, traceback.format_exc())
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
