# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests that native.py runs: encodings, what has moved, and what clients can say."""

import contextlib
import os
import random
import struct

import rfb
from server import Head, wait_for
from watched import Watched, raw_connection, same, secure, start


def test_encodings():
    for encodings in (rfb.RAW,), (rfb.ZRLE,), (rfb.TIGHT,):
        with Watched(encodings=encodings) as w:
            w.head.fill(100, 100, 200, 30, 0x123456)
            w.head.flip()
            same(w.client, w.head)


def test_jpeg():
    """Those who ask for it get something that is like the picture, in fewer bytes"""
    sent = []
    for encodings in (rfb.TIGHT,), (rfb.TIGHT, rfb.QUALITY + 7):
        with Watched(encodings=(rfb.RAW,)) as w:
            w.head.draw(b"".join(struct.pack("<I", x // 3 << 16 | y // 2 << 8 | (x ^ y) & 15)
                                 for y in range(480) for x in range(640)))
            w.head.flip()
            client = rfb.Client(w.server.port, encodings)
            before = client.received
            client.whole()
            client.settle()
            sent.append(client.received - before)
            far = sum(abs(a - b) for a, b in zip(client.xrgb(), w.head.xrgb())) / len(client.xrgb())
            assert client.jpegs if rfb.QUALITY + 7 in encodings else far == 0
            assert far < 4, f"{far} of 255 away"
    assert sent[1] < sent[0], sent


def test_versions():
    """Clients of older versions, and what they are told where they cannot come in"""
    with Watched() as w:
        for version in 3, 7, 8, 889:
            client = rfb.Client(w.server.port, version=version)
            client.whole()
            same(client, w.head)
    head = Head(64, 64)
    cert, options = secure(head)
    server = start(head, *options)
    try:
        rfb.Client(server.port, user="ali", password="open sesame", certificate=cert, version=3)
        raise AssertionError("no password, and came in")
    except rfb.Refused as why:
        assert "VeNCrypt" in str(why), why
    client = rfb.Client(server.port, user="ali", password="open sesame", certificate=cert, version=7)
    client.whole()
    assert server.end() == 0


# ---- what has moved ----

def bytes_until_same(w):
    before, copies = w.client.received, w.client.copies
    w.head.flip()
    same(w.client, w.head)
    return w.client.received - before, w.client.copies - copies


def moved_window(encodings):
    """Bytes and copies for a window that goes from one place to another over a picture"""
    with Watched(encodings=encodings) as w:
        under = bytes(w.head.memory[:w.head.pitch * w.head.height])
        w.head.move(300, 200, 200, 150, 50, 60)
        bytes_until_same(w)
        w.head.draw(under)
        w.head.move(300, 200, 200, 150, 87, 39)
        return bytes_until_same(w)


def scrolled_lines(encodings):
    with Watched(encodings=encodings) as w:
        w.head.move(0, 16, 640, 464, 0, 0)
        w.head.fill(0, 464, 640, 16, 0)
        return bytes_until_same(w)


def test_copies():
    """What has moved is not sent again, if the client knows how to copy"""
    for play, least in (moved_window, 200 * 150), (scrolled_lines, 640 * 464):
        sent, copies = play((rfb.ZRLE, rfb.DESKTOP_SIZE))
        assert copies == 0 and sent > 3 * least, f"{sent} bytes, {copies} copies"
        for encoding in rfb.ZRLE, rfb.TIGHT, rfb.RAW:
            fewer, copies = play((encoding, rfb.COPY_RECT, rfb.DESKTOP_SIZE))
            assert copies, f"no copy among {fewer} bytes"
            assert fewer < sent / 2, f"{fewer} bytes with copies, {sent} without"


def test_beside():
    """What is as it was, between what scrolls on both sides of it, stays right"""
    with Watched(encodings=(rfb.ZRLE, rfb.COPY_RECT, rfb.DESKTOP_SIZE)) as w:
        w.head.fill(64, 0, 64, 480, 0x808080)
        for y in range(20, 480, 40):
            w.head.fill(64, y, 64, 4, w.random.randrange(1 << 24))
        bytes_until_same(w)
        for x in 0, 128:
            w.head.move(x, 16, 64, 464, x, 0)
        assert bytes_until_same(w)[1], "no copy"


def change_somehow(w):
    """A move or a fill, somewhere"""
    noise, head = w.random, w.head
    width, height = noise.randrange(1, 200), noise.randrange(1, 150)
    x, y = noise.randrange(head.width - width), noise.randrange(head.height - height)
    if noise.random() < 0.7:
        head.move(noise.randrange(head.width - width), noise.randrange(head.height - height), width,
                  height, x, y)
    else:
        head.fill(x, y, width, height, noise.randrange(1 << 24))


def test_random_moves():
    """Right in the end, and on the way, for clients that follow and for one that is slow"""
    for encoding in rfb.ZRLE, rfb.TIGHT, rfb.RAW:
        with Watched(encodings=(encoding, rfb.COPY_RECT, rfb.DESKTOP_SIZE), size=(500, 370)) as w:
            slow = rfb.Client(w.server.port, (encoding, rfb.COPY_RECT, rfb.DESKTOP_SIZE))
            slow.whole()
            same(slow, w.head)
            # What stays where it is while the rest moves, as a pointer does
            stays = [(x, y, w.head.lines(x, y, 24, 16)) for x in range(20, 450, 90)
                     for y in range(30, 340, 70)]
            for step in range(60):
                for _ in range(w.random.randrange(1, 4)):
                    change_somehow(w)
                for part in stays:
                    w.head.put(*part)
                w.head.flip()
                if step % 20 == 19:
                    same(w.client, w.head)
                    same(slow, w.head)
                elif w.client.comes(0.02):
                    w.client.asked = not w.client.update()
                    w.client.ask()
            assert w.client.copies and slow.copies, (w.client.copies, slow.copies)


# ---- what clients say ----

def any_message(noise):
    """One that is complete, with values that may make no sense"""
    small = [noise.choice((0, 0, 1, 2, noise.randrange(100), noise.randrange(65536))) for _ in range(4)]
    kind = noise.randrange(6)
    if kind == 0:
        bits = noise.choice((8, 16, 32))
        most = noise.choice((1, 3, 7, 31, 255))
        return struct.pack(">B3xBBBBHHHBBB3x", 0, bits, noise.choice((bits, 24)), noise.randrange(2),
                           noise.random() < 0.9, most, most, most,
                           *(noise.randrange(max(1, bits - most.bit_length() + 1)) for _ in range(3)))
    if kind == 1:
        known = [rfb.RAW, rfb.COPY_RECT, rfb.TIGHT, rfb.ZRLE, rfb.DESKTOP_SIZE, rfb.EXTENDED_SIZE,
                 rfb.QUALITY + 3, noise.randrange(-1000, 1000)]
        chosen = noise.choices(known, k=noise.randrange(6)) + [rfb.DESKTOP_SIZE]
        return struct.pack(f">BxH{len(chosen)}i", 2, len(chosen), *chosen)
    if kind == 2:
        return struct.pack(">BBHHHH", 3, noise.randrange(2), *small)
    if kind == 3:
        return struct.pack(">BBHI", 4, 1, 0, noise.randrange(1 << 32))
    if kind == 4:
        return struct.pack(">B3xI", 6, small[0]) + bytes(small[0])
    return struct.pack(">BxHHBx", 251, *small[:2], 1) + noise.randbytes(16)


def test_any_messages():
    """Clients that say all that there is, in any order"""
    with Watched("--resize", size=(321, 223)) as w:
        open(os.path.join(w.head.dir, "monitor"), "w").close()
        for _ in range(30):
            client = raw_connection(w.server.port)
            client.send(b"RFB 003.008\n\1\1")
            client.socket.settimeout(0.02)
            try:
                for _ in range(60):
                    client.send(b"".join(any_message(w.random) for _ in range(3)))
                    change_somehow(w)
                    w.head.flip()
                    with contextlib.suppress(TimeoutError):
                        while client.socket.recv(1 << 16):
                            """What it says does not matter."""
                        break
            except OSError:
                """It said what made no sense."""
            client.close()
        same(w.client, w.head)
        wait_for("the end of the others", lambda: len(w.server.children()) == 1)
        assert "by signal" not in w.server.log(), w.server.log()


TESTS = {
    "each encoding shows the picture": test_encodings,
    "JPEG for those who ask for it": test_jpeg,
    "clients of older versions": test_versions,
    "what has moved is copied": test_copies,
    "what is between moves stays": test_beside,
    "moves and other changes, as they come": test_random_moves,
    "any messages, in any order": test_any_messages,
}
