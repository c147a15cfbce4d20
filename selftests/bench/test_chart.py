# SPDX-License-Identifier: GPL-2.0-or-later
"""The charts of make bench and make bench-api, from given figures, as TAP.

Looks at the pixels: bars are as long as the values say, in the colours of their series.
"""

import importlib.machinery
import importlib.util
import json
import os
import struct
import sys
import tempfile
import zlib

sys.dont_write_bytecode = True
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TREE, "selftests", "lib"), os.path.join(TREE, "tools", "bench")]

import chart  # noqa: E402
from tap import Tap  # noqa: E402

MACHINES = ["host", "passthrough", "guest"]
# Of make bench, as it writes them
GPU = {"loads": {"empty_depth1": dict.fromkeys(MACHINES), "sgemm": dict.fromkeys(MACHINES)}}
RATES = {"host_empty_depth1_per_s": 200, "passthrough_empty_depth1_per_s": 100,
         "guest_empty_depth1_per_s": 150, "host_sgemm_per_s": 10, "guest_sgemm_per_s": 10}
ROUTER = {"page": {"1": [], "16": []}}
COSTS = {f"route_{route}_ns_{count}{suffix}": cost
         for route, cost in (("page", 1000), ("register", 20000))
         for count in (1, 16) for suffix in ("", "_of_64", "_shared")}


def program(name):
    """A benchmark as a module."""
    path = os.path.join(TREE, "tools", "bench", name)
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def predicted(kind, left, above, corner):
    """What a byte of a PNG is added to: PNG's filters 0 to 4."""
    if kind == 3:
        return (left + above) // 2
    if kind == 4:
        guess = left + above - corner
        return min((left, above, corner), key=lambda v: abs(guess - v))
    return (0, left, above)[kind]


def pixels(path):
    """(width, height, {colour: pixels}) of a PNG of 8-bit RGB; raises if it is none."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG")
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + length]
        if struct.unpack_from(">I", data, at + 8 + length)[0] != zlib.crc32(kind + body):
            raise ValueError(f"wrong sum of {kind}")
        if kind == b"IHDR":
            width, height, depth, color, *_rest = struct.unpack(">IIBBBBB", body)
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    if (depth, color) != (8, 2):
        raise ValueError(f"depth {depth}, type {color}")
    raw, stride, found = zlib.decompress(packed), 3 * width, {}
    above = bytearray(stride)
    for y in range(height):
        kind, *row = raw[y * (stride + 1):(y + 1) * (stride + 1)]
        for i in range(stride if kind else 0):
            left, corner = (row[i - 3], above[i - 3]) if i >= 3 else (0, 0)
            row[i] = (row[i] + predicted(kind, left, above[i], corner)) & 0xff
        for i in range(0, stride, 3):
            key = tuple(row[i:i + 3])
            found[key] = found.get(key, 0) + 1
        above = row
    return width, height, found


def rgb(color):
    return tuple(bytes.fromhex(color[1:]))


def area(found, color):
    return found.get(rgb(color), 0)


def drawn(draw):
    """Pixels of a chart that a function draws."""
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "chart.png")
        draw(path)
        return pixels(path)


def close(a, b):
    return abs(a - b) <= 0.05 * b


def bars(tap):
    panels = [chart.Panel("one", "unit", ["a", "b"], [("x", [100, 50]), ("y", [100, 50])]),
              chart.Panel("two", "unit", ["c"], [("z_{1}", [0])], colors=chart.COLORS[4:], log=True)]
    width, height, found = drawn(lambda path: chart.draw(path, "title", panels))
    tap.ok((width, height) == chart.size(panels), "the picture has the expected size",
           (width, height))
    # Entries of the legend have the same areas: two numbers of bars tell that of a bar.
    longer = drawn(lambda path: chart.draw(path, "title", [
        chart.Panel("one", "unit", ["a", "b"], [("x", [100, 50])])]))[2]
    bar = [area(found, c) - area(longer, c) for c in chart.COLORS[:2]]
    tap.ok(bar[1] > 1000 and close(bar[0], 2 * bar[1]), "a bar is as long as its value", bar)
    tap.ok(area(found, chart.COLORS[3]) == 0, "colours of other series do not occur")
    for values in ([1, None], [None, None]):
        panel = chart.Panel("one", "unit", ["a", "b"], [("x", values)])
        found = drawn(lambda path, p=panel: chart.draw(path, "title", [p]))[2]
        have = [area(found, c) > 1000 for c in chart.COLORS[:2]]
        tap.ok(have == [v is not None for v in values], f"values {values}: no bar without one",
               have)


def of_bench(tap, figures, name, expected):
    """expected: bars of the first panel that are not there."""
    bench = program("bench-gpu")
    results = {"gpu": GPU, **{stage: {"router": ROUTER} for stage in
                              ("route-16", "route-64", "route-shared")}}
    _w, _h, found = drawn(lambda path: bench.draw(path, results, figures))
    areas = [area(found, c) for c in chart.COLORS[:3]]
    tap.ok(expected(areas), f"bench: {name}", areas)


def of_api(tap, figures, name, expected):
    bench = program("bench-api")
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(figures, f)
        f.flush()
        _w, _h, found = drawn(lambda path: bench.draw(path, bench.load(f.name)))
    areas = [area(found, c) for c in chart.COLORS[:4]]
    tap.ok(expected(areas), f"bench-api: {name}", areas)


def main():
    tap = Tap()
    bars(tap)
    of_bench(tap, RATES | COSTS, "a bar for each machine, none that is missing",
             lambda a: a[0] > a[2] > a[1] > 1000)
    of_bench(tap, {}, "no figures at all", lambda a: max(a) < 1000)
    rates = {f"{m}_{load}_per_s": rate for load in ("launch", "sha256")
             for m, rate in (("host", 100), ("passthrough", 80), ("vgpu", 90), ("remote", 20))}
    of_api(tap, rates, "a bar for each machine", lambda a: a[0] > a[2] > a[1] > a[3] > 1000)
    of_api(tap, {k: v for k, v in rates.items() if "remote" not in k}, "no server",
           lambda a: a[0] > a[2] > a[1] > 1000 > a[3])
    of_api(tap, {}, "no figures at all", lambda a: max(a) < 1000)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
