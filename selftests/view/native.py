#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tessera-view with heads that this test draws, and clients that it is, as TAP: what clients see,
what is sent, access, and hostile clients. It needs no GPU and no kernel module."""

import os
import random
import signal
import struct
import subprocess
import sys
import time
import traceback

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(HERE, "../lib")]

import messages  # noqa: E402
import rfb  # noqa: E402
from server import BUILT, GIVEN, GONE, Head, premultiplied, wait_for  # noqa: E402
from tap import Tap  # noqa: E402
from watched import Watched, raw_connection, same, secure, start  # noqa: E402

# KiB that the processes may grow by for a client that asks and does not read
MEMORY_OF_CLIENT = 64 << 10
# KiB that may wait for a client, and what else its process has
MEMORY_AHEAD = 4 << 10


# ---- pictures ----

def test_shapes():
    for shape in ({"size": (333, 77), "pitch": 1500}, {"size": (1, 1)}, {"size": (65, 129)},
                  {"size": (320, 200), "rgb565": True},
                  {"size": (63, 5), "pitch": 132, "rgb565": True}):
        with Watched(**shape) as w:
            w.head.draw_random(w.random)
            w.head.flip()
            same(w.client, w.head)


def test_many_flips():
    with Watched() as w:
        for _ in range(60):
            x, y = w.random.randrange(600), w.random.randrange(440)
            w.head.fill(x, y, 40, 40, w.random.randrange(1 << 24))
            w.head.flip((x, y, x + 40, y + 40))
            time.sleep(w.random.random() / 50)
        same(w.client, w.head)


def test_sizes():
    with Watched() as w:
        for size in (800, 600), (320, 200), (1024, 768), (640, 480):
            w.head.shape(*size)
            w.head.draw_random(w.random)
            w.head.flip()
            same(w.client, w.head)


def test_cursor():
    """It is on top of the picture, wherever it is, and leaves nothing behind"""
    with Watched(size=(200, 150)) as w:
        for where in (30, 40), (31, 40), (-20, -5), (170, 130), (400, 20), None, (60, 60):
            w.head.point(where, premultiplied(w.random))
            w.head.flip((0, 0, 0, 0))
            same(w.client, w.head)
        w.head.fill(50, 50, 40, 40, 0x336699)
        w.head.flip((50, 50, 90, 90))
        same(w.client, w.head)
        assert w.client.settle(3) == 0, "bytes of a cursor that stays"


def monitors(head):
    with open(os.path.join(head.dir, "monitor")) as f:
        return f.read().split()


def sized(head, *options):
    """A server, and a client that knows how to ask for a size"""
    head.draw_random(random.Random(5))
    head.flip()
    server = start(head, *options)
    client = rfb.Client(server.port, (rfb.ZRLE, rfb.DESKTOP_SIZE, rfb.EXTENDED_SIZE))
    client.whole()
    same(client, head)
    return server, client


def test_resize():
    """A client asks for a size, the guest takes it, and the client has the picture"""
    head = Head(640, 480)
    open(os.path.join(head.dir, "monitor"), "w").close()
    server, client = sized(head, "--resize")
    client.want_size(800, 600)
    wait_for("a monitor", lambda: monitors(head) == ["800x600"])
    head.shape(800, 600)
    head.draw_random(random.Random(6))
    head.flip()
    same(client, head)
    # Many wishes: one each second, and the last one is what counts
    begin = time.monotonic()
    for i in range(100):
        client.want_size(1000 + i, 700)
    client.follow(lambda: monitors(head)[-1] == "1099x700")
    assert len(monitors(head)) <= 3 + time.monotonic() - begin, monitors(head)
    for size in (0, 100), (100, 0), (65535, 65535):
        client.want_size(*size)
    time.sleep(2)
    assert monitors(head)[-1] in ("1099x700", "65535x65535"), monitors(head)
    same(client, head)
    assert server.end() == 0


def test_no_resize():
    """Nobody may, unless it was said; and not if the monitor is somebody else's"""
    head = Head(640, 480)
    open(os.path.join(head.dir, "monitor"), "w").close()
    server, client = sized(head)
    client.want_size(800, 600)
    time.sleep(1)
    assert monitors(head) == [] and server.end() == 0
    os.unlink(os.path.join(head.dir, "monitor"))
    server, client = sized(head, "--resize")
    client.want_size(800, 600)
    wait_for("a word", lambda: "the monitor of its VMM" in server.log())
    same(client, head)
    assert server.end() == 0


def test_dark():
    with Watched() as w:
        w.head.say(GIVEN)
        w.client.follow(lambda: not any(w.client.xrgb()))
        assert (w.client.width, w.client.height) == (640, 480)
        assert "shows nothing" in w.server.log()
        w.head.flip()
        same(w.client, w.head)


def test_waits():
    head = Head(400, 300)
    server = start(head)
    client = rfb.Client(server.port)
    client.whole()
    assert "does not exist" in server.log()
    head.draw_random(random.Random(2))
    head.flip()
    same(client, head)
    assert server.end() == 0


# ---- what is looked at and sent ----

def test_still():
    with Watched() as w:
        before = w.server.stats()
        assert w.client.settle(3) == 0, "bytes of a still picture"
        after = w.server.stats()
        assert after["sent_bytes"] == before["sent_bytes"]
        assert after["whole_looks"] > before["whole_looks"], "nobody looked"


def test_same_again():
    """Guests that damage all of each picture"""
    with Watched() as w:
        before = w.server.stats()
        for _ in range(10):
            w.head.flip()
            time.sleep(0.05)
        assert w.client.settle() == 0, "bytes of a picture that is the same"
        w.head.fill(10, 10, 1, 1, 0xffffff)
        w.head.flip()
        sent = w.client.settle()
        assert 0 < sent < 64 * 64 * 4, f"{sent} bytes for a pixel"
        after = w.server.stats()
        assert after["different_pixels"] - before["different_pixels"] == 64 * 64
        assert after["damaged_pixels"] - before["damaged_pixels"] >= 2 * 640 * 480


def test_damage():
    with Watched(size=(1024, 768)) as w:
        before = w.server.stats()
        for i in range(20):
            w.head.fill(128, 128, 10, 10, i)
            w.head.flip((128, 128, 138, 138))
            time.sleep(0.05)
        same(w.client, w.head)
        after = w.server.stats()
        looks = after["looks"] - before["looks"]
        whole = after["whole_looks"] - before["whole_looks"]
        tiles = 16 * 12
        assert after["damaged_pixels"] - before["damaged_pixels"] <= 20 * 100
        compared = after["compared_tiles"] - before["compared_tiles"]
        assert compared <= whole * tiles + looks, \
            f"{compared} tiles in {looks} looks, {whole} whole"
        assert after["skipped_tiles"] > before["skipped_tiles"]


def test_untold():
    with Watched() as w:
        w.head.fill(300, 200, 20, 20, 0xabcdef)
        same(w.client, w.head)


def test_idle():
    with Watched() as w:
        w.client.close()
        wait_for("the end of the client", lambda: not w.server.children())
        before = w.server.stats()
        for _ in range(5):
            w.head.flip()
            time.sleep(0.3)
        after = w.server.stats()
        assert after["looks"] == before["looks"], "looked for nobody"
        w.head.draw_random(w.random)
        client = rfb.Client(w.server.port)
        client.whole()
        same(client, w.head)


def test_rate():
    with Watched("--rate", "5") as w:
        before = w.server.stats()["looks"]
        begin = time.monotonic()
        for i in range(100):
            w.head.fill(0, 0, 10, 10, i)
            w.head.flip((0, 0, 10, 10))
            time.sleep(0.01)
        looks = w.server.stats()["looks"] - before
        most = (time.monotonic() - begin) * 5 + 2
        assert 2 <= looks <= most, f"{looks} looks, {most} allowed"
        same(w.client, w.head)


COLOURS = [0x10203 * i for i in range(200)]


def sent_of_text(level):
    """Bytes for a picture with lines of something like text, in many colours"""
    with Watched("--compression", level) as w:
        letters = [[w.random.choices(COLOURS, k=8) for _ in range(16)] for _ in range(40)]
        for row in range(30):
            line = [w.random.choice(letters) for _ in range(80)]
            for y in range(16):
                pixels = b"".join(struct.pack("<8I", *letter[y]) for letter in line)
                at = (row * 16 + y) * w.head.pitch
                w.head.memory[at:at + len(pixels)] = pixels
        before = w.client.received
        w.head.flip()
        same(w.client, w.head)
        return w.client.received - before


def test_compression():
    fast, small = sent_of_text("1"), sent_of_text("9")
    assert small < 0.9 * fast, f"{small} bytes, and {fast} if that is to be fast"


# ---- access ----

def refused(*arguments, **options):
    try:
        rfb.Client(*arguments, **options)
    except (rfb.Refused, rfb.Closed):
        return True
    return False


def test_tls():
    head = Head(640, 480)
    head.draw_random(random.Random(3))
    head.flip()
    cert, options = secure(head)
    server = start(head, "--listen", "0.0.0.0", *options)
    for user, password in ("ali", "open sesam"), ("ali", ""), ("al", "open sesame"), ("", ""):
        assert refused(server.port, user=user, password=password, certificate=cert), \
            f"{user}:{password} came in"
    assert refused(server.port), "no password, and came in"
    client = rfb.Client(server.port, user="ali", password="open sesame", certificate=cert)
    client.whole()
    same(client, head)
    head.fill(1, 2, 30, 40, 0x55aa55)
    head.flip()
    same(client, head)
    assert server.end() == 0


def fails(status, word, *arguments):
    done = subprocess.run([os.path.join(BUILT, "view-drawn"), *arguments], text=True,
                          stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == status, f"{arguments}: status {done.returncode}: {done.stderr}"
    assert word in done.stderr, f"{arguments}: {done.stderr}"


def test_refusals():
    head = Head(64, 64)
    _, options = secure(head)
    fails(1, "--anyone", head.dir, "--listen", "0.0.0.0", "--port", "0")
    fails(1, "--anyone", head.dir, "--listen", "::", "--port", "0")
    for missing in range(0, 8, 2):
        fails(1, "belong together", head.dir, *options[:missing], *options[missing + 2:])
    os.chmod(options[7], 0o644)
    fails(1, "chmod 600", head.dir, *options)
    fails(2, "0 to 3", head.dir, "--head", "4")
    fails(2, "1 to 250", head.dir, "--rate", "0")
    fails(2, "1 to 9", head.dir, "--compression", "0")
    fails(2, "0 to 65535", head.dir, "--port", "65536")
    fails(2, "one vGPU")
    fails(2, "unknown option", head.dir, "--nothing")
    fails(2, "needs a value", head.dir, "--head")


def test_not_as_root():
    with Watched() as w:
        for pid in w.server.children():
            with open(f"/proc/{pid}/status") as f:
                status = f.read()
            uids = status.split("Uid:")[1].split()[:4]
            assert os.geteuid() or "0" not in uids, f"a client's process is {uids}"
            assert "NoNewPrivs:\t1" in status


# ---- hostile clients ----

def throw(port, data):
    """Say it after a greeting, until the server has enough"""
    client = raw_connection(port)
    try:
        client.send(data)
        client.socket.settimeout(2)
        while client.socket.recv(1 << 16):
            """What it says does not matter."""
    except OSError:
        """Enough."""
    client.close()


def test_rubbish():
    hello = b"RFB 003.008\n\1\1"
    messages = [b"", b"\xff" * 100,
                b"\0\0\0\0" + b"\xff" * 16,                           # a format of no sense
                b"\0\0\0\0" + bytes(16),
                struct.pack(">BBHII", 255, 0, 1, 1, 0xffffffff),      # a key that is none
                struct.pack(">BxH", 2, 65535),
                struct.pack(">B3xI", 6, 0x80000000) + b"x" * 5000,    # a clipboard of 2 GiB
                struct.pack(">BxHHBx", 251, 65535, 65535, 255)]
    ask = struct.pack(">BBHHHH", 3, 0, 0, 0, 65535, 65535)
    with Watched() as w:
        for message in messages:
            throw(w.server.port, hello + message + ask)
        for length in (1, 11, 12, 13, 14, 1000, 100000):
            throw(w.server.port, w.random.randbytes(length))
            throw(w.server.port, hello + w.random.randbytes(length))
        w.head.draw_random(w.random)
        w.head.flip()
        same(w.client, w.head)
        wait_for("the end of the others", lambda: len(w.server.children()) == 1)
        assert "by signal" not in w.server.log(), w.server.log()


def test_stalled():
    """A client that asks and does not read, while another one watches"""
    with Watched(size=(1024, 768)) as w:
        stalled = rfb.Client(w.server.port, (rfb.RAW, rfb.DESKTOP_SIZE), receive_buffer=4096)
        before = w.server.memory()
        for i in range(40):
            if i < 20:
                stalled.request(incremental=False)
            w.head.draw_random(w.random)
            w.head.flip()
            time.sleep(0.05)
        same(w.client, w.head)
        grown = w.server.memory() - before
        assert grown < MEMORY_OF_CLIENT, f"{grown} KiB more"
        # It was not forgotten: when it reads, it gets what is there now
        while stalled.update() and stalled.comes(2):
            """Older ones"""
        same(stalled, w.head)


def test_slow():
    """A client that takes a large update in small bites: what waits for it stays small"""
    size = 2048, 1024
    with Watched(size=size) as w:
        before = w.server.memory()
        slow = rfb.Client(w.server.port, (rfb.RAW, rfb.DESKTOP_SIZE), receive_buffer=4096)
        slow.request(incremental=False)
        grown = 0
        for _ in range(60):
            slow.read(1 << 16)
            grown = max(grown, w.server.memory() - before)
            time.sleep(0.02)
        picture = size[0] * size[1] * 4 >> 10
        assert grown < picture + MEMORY_AHEAD, f"{grown} KiB more for a picture of {picture} KiB"


def test_flood():
    """A client that has the server answer, and reads nothing"""
    with Watched(size=(1280, 1024)) as w:
        flood = rfb.Client(w.server.port, (rfb.RAW,), receive_buffer=4096)
        before = w.server.memory()
        message = struct.pack(">BBHHHH", 3, 0, 0, 0, 65535, 65535) * 4096
        flood.socket.settimeout(1)
        said = 0
        try:
            while said < 64 << 20:
                said += flood.socket.send(message)
        except TimeoutError:
            """It does not listen any more."""
        assert said < 64 << 20, "all of it was taken"
        grown = w.server.memory() - before
        assert grown < MEMORY_OF_CLIENT, f"{grown} KiB more"
        w.head.draw_random(w.random)
        w.head.flip()
        same(w.client, w.head)


def test_fixed_size():
    """A client that does not know other sizes cannot stay, and takes nobody along"""
    with Watched() as w:
        fixed = rfb.Client(w.server.port, (rfb.ZRLE,))
        fixed.whole()
        fixed.request()
        w.head.shape(320, 200)
        w.head.draw_random(w.random)
        w.head.flip()
        same(w.client, w.head)
        try:
            fixed.settle(5)
            raise AssertionError("it is still there")
        except rfb.Closed:
            """As it has to be"""


def test_crowd():
    with Watched() as w:
        crowd = [rfb.Client(w.server.port) for _ in range(15)]
        assert refused(w.server.port), "one more"
        assert w.server.stats()["refused"] == 1
        w.head.draw_random(w.random)
        w.head.flip()
        for client in crowd[::7] + [w.client]:
            same(client, w.head)
        crowd.pop().close()
        wait_for("room", lambda: len(w.server.children()) == 15)
        assert not refused(w.server.port), "there is room again"


# ---- the end ----

def test_removed():
    with Watched() as w:
        w.head.say(GONE)
        assert w.server.wait() == 0
        assert "was removed" in w.server.log()
        try:
            w.client.settle()
            raise AssertionError("the client is still there")
        except rfb.Closed:
            """As it has to be"""


def test_bus_error():
    """The memory is gone before anybody said so"""
    with Watched() as w:
        w.head.cut()
        w.head.flip()
        time.sleep(1.5)
        assert w.server.process.poll() is None, w.server.process.returncode
        w.head.say(GONE)
        assert w.server.wait() == 0


def test_signals():
    with Watched() as w:
        os.kill(w.server.children()[0], signal.SIGKILL)
        wait_for("that it is noticed", lambda: not w.server.children())
        stats = w.server.stats()
        assert stats["clients"] == 0 and stats["accepted"] == 1 and stats["frames"] >= 1, stats
        assert stats["sent_bytes"] >= w.client.received, stats
        assert w.server.end() == 0
        assert w.server.read_stats()["accepted"] == 1


TESTS = messages.TESTS | {
    "odd sizes, long lines, 16 bits a pixel": test_shapes,
    "many flips with damage": test_many_flips,
    "other sizes": test_sizes,
    "a cursor is on top of the picture": test_cursor,
    "a client chooses the size": test_resize,
    "unless it may not": test_no_resize,
    "a dark head is black": test_dark,
    "a head that is not there is waited for": test_waits,
    "a still picture sends no byte": test_still,
    "a picture that is the same sends no byte, a pixel few": test_same_again,
    "only what is damaged is compared": test_damage,
    "changes that nobody told of are seen": test_untold,
    "nothing is looked at without clients": test_idle,
    "not more looks than the rate": test_rate,
    "as small as was asked for": test_compression,
    "TLS and a password": test_tls,
    "what is refused at the start": test_refusals,
    "clients' processes are not root": test_not_as_root,
    "rubbish ends none but its client": test_rubbish,
    "a client that stalls": test_stalled,
    "a client that is slow": test_slow,
    "a client that floods": test_flood,
    "a client that knows no other size": test_fixed_size,
    "as many clients as there may be": test_crowd,
    "the vGPU is removed": test_removed,
    "the picture's memory is gone": test_bus_error,
    "signals, and what was counted": test_signals,
}


def main():
    tap = Tap()
    for name, test in TESTS.items():
        if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
            continue
        try:
            test()
            tap.ok(True, name)
        except Exception:
            tap.ok(False, name, traceback.format_exc())
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
