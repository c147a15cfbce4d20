# SPDX-License-Identifier: GPL-2.0-or-later
"""An RFB client (RFC 6143, and what others added) that keeps the picture: raw, CopyRect, ZRLE
and Tight, other sizes of the desktop, VeNCrypt with TLS and a password."""

import select
import socket
import ssl
import struct
import subprocess
import time
import zlib

RAW, COPY_RECT, TIGHT, ZRLE, DESKTOP_SIZE, EXTENDED_SIZE = 0, 1, 7, 16, -223, -308
SECURITY_NONE, SECURITY_VENCRYPT = 1, 19
X509_PLAIN = 262
# XRGB8888, as a GPU has it in memory
# Levels of quality that a client may ask for, 0 to 9, from this one on
QUALITY = -32
PIXEL_FORMAT = struct.pack(">BBBBHHHBBB3x", 32, 24, 0, 1, 255, 255, 255, 16, 8, 0)


class Refused(Exception):
    """The server said why it does not go on."""


class Closed(Exception):
    """The server closed the connection."""


class Client:
    def __init__(self, port, encodings=(ZRLE, DESKTOP_SIZE), user=None, password=None,
                 certificate=None, timeout=60, receive_buffer=None, version=8):
        self.received = 0
        self.updates = self.copies = self.jpegs = 0
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        self.socket.connect(("127.0.0.1", port))
        self.zrle, self.tight = zlib.decompressobj(), [zlib.decompressobj() for _ in range(4)]
        self.version = version
        self.hello(user, password, certificate)
        self.begin(encodings)

    # ---- bytes ----

    def read(self, count):
        data = bytearray()
        while len(data) < count:
            try:
                more = self.socket.recv(min(count - len(data), 1 << 20))
            except ConnectionResetError:
                more = b""
            if not more:
                raise Closed
            data += more
        self.received += count
        return bytes(data)

    def unpack(self, form):
        return struct.unpack(">" + form, self.read(struct.calcsize(">" + form)))

    def send(self, data):
        self.socket.sendall(data)

    def close(self):
        self.socket.close()

    # ---- the beginning ----

    def reason(self):
        return self.read(self.unpack("I")[0]).decode(errors="replace")

    def hello(self, user, password, certificate):
        if self.read(12) != b"RFB 003.008\n":
            raise Refused("version")
        self.send(b"RFB 003.%03d\n" % self.version)
        if self.version < 7:
            if not (kind := self.unpack("I")[0]):
                raise Refused(self.reason())
            self.kinds = [kind]
            return
        kinds = self.read(self.read(1)[0])
        self.kinds = list(kinds)
        wanted = SECURITY_NONE if user is None else SECURITY_VENCRYPT
        if wanted not in kinds:
            raise Refused(f"security types {list(kinds)}")
        self.send(bytes([wanted]))
        if user is not None:
            self.vencrypt(user.encode(), password.encode(), certificate)
        if (user is not None or self.version > 7) and self.unpack("I")[0]:
            raise Refused(self.reason())

    def vencrypt(self, user, password, certificate):
        self.read(2)
        self.send(b"\0\2")
        if self.read(1) != b"\0":
            raise Refused("version of VeNCrypt")
        kinds = struct.unpack(f">{(n := self.read(1)[0])}I", self.read(4 * n))
        if X509_PLAIN not in kinds:
            raise Refused(f"kinds of VeNCrypt {kinds}")
        self.send(struct.pack(">I", X509_PLAIN))
        if self.read(1) != b"\1":
            raise Refused("TLS")
        context = ssl.create_default_context(cafile=certificate)
        self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        self.send(struct.pack(">II", len(user), len(password)) + user + password)

    def begin(self, encodings):
        self.send(b"\1")
        width, height, _, length = self.unpack("HH16sI")
        self.name = self.read(length).decode()
        self.resize(width, height)
        self.send(b"\0\0\0\0" + PIXEL_FORMAT)
        self.send(struct.pack(">BxH", 2, len(encodings)) +
                  b"".join(struct.pack(">i", e) for e in encodings))

    # ---- pictures ----

    def resize(self, width, height):
        self.width, self.height = width, height
        self.picture = bytearray(width * height * 4)

    def put(self, x, y, width, height, pixels):
        """Pixels of four bytes, of which the last one does not count."""
        for line in range(height):
            at = ((y + line) * self.width + x) * 4
            self.picture[at:at + width * 4] = pixels[line * width * 4:(line + 1) * width * 4]

    def rgb(self):
        """The picture, three bytes a pixel."""
        out = bytearray(self.width * self.height * 3)
        for colour in range(3):
            out[colour::3] = self.picture[2 - colour::4]
        return bytes(out)

    def xrgb(self):
        """The picture, four bytes a pixel as in memory, the highest one 0."""
        out = bytearray(self.picture)
        out[3::4] = bytes(len(out) // 4)
        return bytes(out)

    def request(self, incremental=True):
        self.send(struct.pack(">BBHHHH", 3, incremental, 0, 0, self.width, self.height))

    def want_size(self, width, height):
        self.send(struct.pack(">BxHHBxIHHHHI", 251, width, height, 1, 0, 0, 0, width, height, 0))

    def update(self):
        """Take a message; true if it was an update of the picture."""
        kind = self.read(1)[0]
        if kind == 0:
            for _ in range(self.unpack("xH")[0]):
                self.rectangle()
            self.updates += 1
            return True
        if kind == 3:
            self.read(self.unpack("3xI")[0])
        elif kind != 2:
            raise AssertionError(f"message {kind}")
        return False

    def rectangle(self):
        x, y, width, height, encoding = self.unpack("HHHHi")
        if encoding == DESKTOP_SIZE:
            self.resize(width, height)
        elif encoding == EXTENDED_SIZE:
            self.read(16 * self.unpack("Bxxx")[0])
            # x is who asked for it, y an error
            if not y and (width, height) != (self.width, self.height):
                self.resize(width, height)
        elif encoding == RAW:
            self.put(x, y, width, height, self.read(width * height * 4))
        elif encoding == COPY_RECT:
            self.copies += 1
            self.take_copy(x, y, width, height, *self.unpack("HH"))
        elif encoding == ZRLE:
            self.put_zrle(x, y, width, height)
        elif encoding == TIGHT:
            self.put_tight(x, y, width, height)
        else:
            raise AssertionError(f"encoding {encoding}")

    def take_copy(self, x, y, width, height, from_x, from_y):
        if from_x + width > self.width or from_y + height > self.height:
            raise AssertionError(f"a copy from {from_x},{from_y} of {width}x{height}")
        n = self.width * 4
        pixels = b"".join(self.picture[(from_y + line) * n + from_x * 4:][:width * 4]
                          for line in range(height))
        self.put(x, y, width, height, pixels)

    def put_zrle(self, x, y, width, height):
        self.take_zrle(x, y, width, height, self.read(self.unpack("I")[0]))

    def take_zrle(self, x, y, width, height, data):
        tiles = Bytes(self.zrle.decompress(data))
        for ty in range(0, height, 64):
            for tx in range(0, width, 64):
                w, h = min(64, width - tx), min(64, height - ty)
                self.put(x + tx, y + ty, w, h, zrle_tile(tiles, w * h, w))

    def compact(self):
        length = shift = 0
        for shift in (0, 7, 14):
            byte = self.read(1)[0]
            length |= (byte & (0x7f if shift < 14 else 0xff)) << shift
            if byte < 0x80:
                break
        return length

    def put_tight(self, x, y, width, height):
        control = self.read(1)[0]
        for stream in range(4):
            if control & 1 << stream:
                self.tight[stream] = zlib.decompressobj()
        control >>= 4
        if control == 8:
            red, green, blue = self.read(3)
            self.put(x, y, width, height, bytes((blue, green, red, 0)) * (width * height))
            return
        if control == 9:
            self.jpegs += 1
            self.put(x, y, width, height, from_jpeg(self.read(self.compact())))
            return
        if control > 7:
            raise AssertionError(f"control {control:#x} of Tight")
        if control > 3:
            self.put(x, y, width, height, self.tight_palette(control & 3, width, height))
            return
        data = self.tight_data(control, width * height * 3)
        pixels = bytearray(width * height * 4)
        for colour in range(3):
            pixels[2 - colour::4] = data[colour::3]
        self.put(x, y, width, height, pixels)

    def tight_data(self, stream, size):
        return self.read(size) if size < 12 else \
            self.tight[stream].decompress(self.read(self.compact()))

    def tight_palette(self, stream, width, height):
        if self.read(1) != b"\1":
            raise AssertionError("a filter of Tight")
        colours = self.read(1)[0] + 1
        palette = [bytes((*self.read(3)[::-1], 0)) for _ in range(colours)]
        if colours > 2:
            return b"".join(palette[i] for i in self.tight_data(stream, width * height))
        n = (width + 7) // 8
        data = self.tight_data(stream, n * height)
        return b"".join(palette[data[y * n + x // 8] >> 7 - x % 8 & 1]
                        for y in range(height) for x in range(width))

    def whole(self):
        """Ask for all of it, and take it."""
        self.request(incremental=False)
        while not self.update():
            """Something else came before."""

    def settle(self, quiet=1.0, seconds=60):
        """Ask for updates until none comes for that long. Returns bytes that came meanwhile."""
        end = time.monotonic() + seconds
        before = self.received
        self.ask()
        while self.comes(quiet):
            if time.monotonic() > end:
                raise AssertionError(f"updates still come after {seconds} s")
            if self.update():
                self.asked = False
                self.ask()
        return self.received - before

    def follow(self, done, seconds=90):
        """Ask for updates until that is so."""
        end = time.monotonic() + seconds
        while not done():
            if time.monotonic() > end:
                raise AssertionError(f"another picture, after {seconds} s")
            self.ask()
            while self.comes(0.2) and time.monotonic() < end:
                if self.update():
                    self.asked = False
                    self.ask()

    asked = False

    def ask(self):
        if not self.asked:
            self.request()
            self.asked = True

    def comes(self, seconds):
        """Is there something to read within that time?"""
        if isinstance(self.socket, ssl.SSLSocket) and self.socket.pending():
            return True
        return bool(select.select([self.socket], [], [], seconds)[0])


class Recorder(Client):
    """One that is fast: it keeps what comes, with the time, and looks at it when it is told to."""

    def __init__(self, *args, **options):
        self.kept = None
        super().__init__(*args, **options)

    def record(self):
        self.kept = [[None, []]]

    def take_zrle(self, *rectangle):
        if self.kept is None:
            super().take_zrle(*rectangle)
        else:
            self.kept[-1][1].append((self.take_zrle, rectangle))

    def take_copy(self, *rectangle):
        if self.kept is None:
            super().take_copy(*rectangle)
        else:
            self.kept[-1][1].append((self.take_copy, rectangle))

    def update(self):
        done = super().update()
        if done and self.kept is not None:
            self.kept[-1][0] = time.monotonic_ns()
            self.kept.append([None, []])
        return done

    def play(self):
        """The picture becomes that of each update in turn; yields its time in ns."""
        kept, self.kept = self.kept[:-1], None
        for when, rectangles in kept:
            for take, rectangle in rectangles:
                take(*rectangle)
            yield when


def from_jpeg(data):
    """Pixels of four bytes; by a program of netpbm"""
    made = subprocess.run(["jpegtopnm"], input=data, capture_output=True, check=True).stdout
    colours = made.split(b"\n", 3)[3]
    out = bytearray(len(colours) // 3 * 4)
    for colour in range(3):
        out[2 - colour::4] = colours[colour::3]
    return out


class Bytes:
    """Taken out from the beginning on"""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        if self.at > len(self.data):
            raise AssertionError("a tile ends too early")
        return self.data[self.at - count:self.at]

    def pixel(self):
        return self.take(3) + b"\0"


def run_length(tiles):
    length = 1
    while True:
        byte = tiles.take(1)[0]
        length += byte
        if byte != 255:
            return length


def packed(tiles, palette, pixels, width):
    bits = 1 if len(palette) == 2 else 2 if len(palette) <= 4 else 4
    out = []
    for _ in range(pixels // width):
        line = tiles.take((width * bits + 7) // 8)
        for x in range(width):
            at = x * bits
            out.append(palette[line[at // 8] >> 8 - bits - at % 8 & (1 << bits) - 1])
    return b"".join(out)


def zrle_tile(tiles, pixels, width):
    kind = tiles.take(1)[0]
    if kind == 0:
        out = bytearray(pixels * 4)
        data = tiles.take(pixels * 3)
        for colour in range(3):
            out[colour::4] = data[colour::3]
        return out
    if kind == 1:
        return tiles.pixel() * pixels
    palette = [tiles.pixel() for _ in range(kind & 0x7f)]
    if 2 <= kind <= 16:
        return packed(tiles, palette, pixels, width)
    out = bytearray()
    while len(out) < pixels * 4:
        if kind == 128:
            colour, length = tiles.pixel(), run_length(tiles)
        else:
            index = tiles.take(1)[0]
            colour = palette[index & 0x7f]
            length = run_length(tiles) if index & 0x80 else 1
        out += colour * length
    return out
