# SPDX-License-Identifier: GPL-2.0-or-later
"""Just enough of drawing and of PNG for a bar chart, without a library."""

import struct
import zlib

# 5 columns of 7 dots per character, the lowest bit on top; lower case only.
FONT = {c: bytes.fromhex(h) for c, h in (e.split("=", 1) for e in """
%=2313086462 (=001c224100 )=0041221c00 ,=0050300000 -=0808080808 .=0060600000 /=2010080402
0=3e5149453e 1=00427f4000 2=4261514946 3=2141454b31 4=1814127f10 5=2745454539 6=3c4a494930
7=0171090503 8=3649494936 9=064949291e :=0036360000 a=2054545478 b=7f48444438 c=3844444420
d=384444487f e=3854545418 f=087e090102 g=0c5252523e h=7f08040478 i=00447d4000 j=2040443d00
k=7f10284400 l=00417f4000 m=7c04180478 n=7c08040478 o=3844444438 p=7c14141408 q=081414187c
r=7c08040408 s=4854545420 t=043f444020 u=3c4040207c v=1c2040201c w=3c4030403c x=4428102844
y=0c5050503c z=4464544c44""".split())}


class Picture:
    """A picture of pixels, white at first."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.rows = [bytearray(b"\xff" * 3 * width) for _ in range(height)]

    def rect(self, x, y, w, h, color):
        x, y, w, h = int(x), int(y), max(int(w), 1), max(int(h), 1)
        for row in self.rows[max(y, 0):max(y + h, 0)]:
            end = min(x + w, self.width)
            if x < end:
                row[3 * x:3 * end] = bytes(color) * (end - x)

    def text(self, x, y, text, color=(40, 40, 40), scale=2):
        for c in text.lower():
            for column, bits in enumerate(FONT.get(c, bytes(5))):
                for dot in range(7):
                    if bits >> dot & 1:
                        self.rect(x + column * scale, y + dot * scale, scale, scale, color)
            x += 6 * scale

    def write(self, path):
        def chunk(kind, data):
            body = kind + data
            return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        data = zlib.compress(b"".join(b"\0" + bytes(r) for r in self.rows), 9)
        with open(path, "wb") as f:
            f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) +
                    chunk(b"IEND", b""))


def text_width(text, scale=2):
    return 6 * scale * len(text)
