# SPDX-License-Identifier: GPL-2.0-or-later
"""The OpenGL demo inside the host VM: what a vGPU's head shows while the vGPU changes."""

import glob
import json
import os
import re
import subprocess
import sys
import time
import uuid

sys.dont_write_bytecode = True

from host import POOL, TRIES, DemoError, free_slices, print_pool, read, remove  # noqa: E402
from told import Lost, Told  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
QMP = os.path.join(TREE, "selftests", "mdev", "qmp.py")
MDEVS = "/sys/bus/mdev/devices"
SHAPE = "slices={} min=1 max=4 kind=mixed memory=16M heads=1 share=shared"
SIZE = "1024x768"
FRAME_SECONDS = 400
# What glcube says of a frame begins so
SHOWN = "glcube: frame"
WIDTH, HEIGHT = map(int, SIZE.split("x"))
DAMAGE = re.compile(r"^head=0 .* last=(\d+),(\d+)-(\d+),(\d+)$", re.M)

# What happens while a frame is drawn: text, and what is called with the demo
STEPS = (
    ("one slice", None),
    ("one slice", None),
    ("1 to 4 slices", lambda demo: demo.compose(4)),
    ("four slices", None),
    ("another vGPU shares them", lambda demo: demo.share()),
    ("the other is gone, 4 to 2 slices", lambda demo: demo.back_to_two()),
    ("two slices", None),
    ("to the other GPU", lambda demo: demo.move()),
    ("on the other GPU", None),
)


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{text}\n")


def picture(frame):
    """The file with what the head showed."""
    return os.path.join("/tmp", f"frame{frame}.ppm")


def cpu_picture(frame, path):
    """A frame as the CPU of the host draws it, with the code that the GPU would have."""
    subprocess.run(["sh", "-c", f"cd {TREE} && . selftests/graphics/env.sh && TESSERA_DEBUG=cpu "
                    f"out/examples/gl/glcube --picture {path} --size {SIZE} --first {frame}"],
                   check=True, stderr=subprocess.DEVNULL)


def differs_outside(before, now, damage):
    """Of two pictures as QEMU writes them: another pixel that is not in the rectangle."""
    with open(before, "rb") as a, open(now, "rb") as b:
        a, b = (f.read()[-WIDTH * HEIGHT * 3:] for f in (a, b))
    left, top, right, bottom = damage
    for y in range(HEIGHT):
        row = y * WIDTH * 3
        x1, x2 = (left, right) if top <= y < bottom else (0, 0)
        for begin, end in ((0, x1), (x2, WIDTH)):
            part = slice(row + begin * 3, row + end * 3)
            if a[part] != b[part]:
                return True
    return False


def blank():
    """A vGPU without a composition yet."""
    name = str(uuid.uuid4())
    write(glob.glob("/sys/class/mdev_bus/*/mdev_supported_types/*-blank/create")[0], name)
    return name


class Demo:
    """A vGPU with a head, and the guest that draws on it."""

    def __init__(self, out):
        self.out, self.rows, self.other = out, [], None
        self.qmp = os.path.join("/tmp", "demo-gl-qmp")
        self.vgpu = blank()
        self.compose(1)

    def compose(self, slices):
        write(f"{MDEVS}/{self.vgpu}/blueprint", SHAPE.format(slices))

    def share(self):
        """A vGPU of another client, on the same slices; nobody works on it, but it has a turn."""
        self.other = blank()
        write(f"{MDEVS}/{self.other}/blueprint", "slices=4 kind=mixed memory=0 share=shared")

    def back_to_two(self):
        remove(self.other)
        self.other = None
        self.compose(2)

    def gpu(self):
        return read(MDEVS, self.vgpu, "gpu")

    def move(self):
        write(f"{MDEVS}/{self.vgpu}/gpu",
              next(g for g in sorted(os.listdir(POOL)) if g != self.gpu()))

    def slices(self):
        found = glob.glob(os.path.join(POOL, self.gpu(), "vgpus", self.vgpu, "vslice*", "slice"))
        given = read(POOL, self.gpu(), "vgpus", self.vgpu, "given")
        places = sorted({int(read(path)) for path in found})
        return f"{self.gpu()}: {given} of {places}"

    def cycles(self):
        return sum(int(read(path)) for path in
                   glob.glob(os.path.join(POOL, "gpu*", "vgpus", self.vgpu, "vslice*", "run_cycles")))

    def shot(self, path):
        subprocess.run([QMP, self.qmp, "screendump", json.dumps(
            {"device": "vgpu0", "head": 0, "filename": path})], check=True, stdout=subprocess.DEVNULL)

    def damage(self):
        """Of the frame that the head shows."""
        return tuple(map(int, DAMAGE.search(read(MDEVS, self.vgpu, "heads")).groups()))

    def compare(self, frame):
        """QEMU's picture of the head and the CPU's of the frame; true if they are the same."""
        shown = picture(frame)
        wanted = os.path.join("/tmp", f"frame{frame}-cpu.ppm")
        self.shot(shown)
        cpu_picture(frame, wanted)
        with open(shown, "rb") as a, open(wanted, "rb") as b:
            same = a.read() == b.read()
        subprocess.run(["cp", shown, *([] if same else [wanted]), self.out], check=True)
        return same

    def step(self, guest, frame, text, act):
        before = self.cycles()
        if frame:
            guest.tell("next")
        if act:
            act(self)
        guest.answer(SHOWN, frame, FRAME_SECONDS)
        cycles = self.cycles() - before
        same, damage = self.compare(frame), self.damage()
        if frame and differs_outside(picture(frame - 1), picture(frame), damage):
            raise DemoError(f"frame {frame} differs from the one before outside of {damage}")
        self.rows.append((frame, text, self.slices(), cycles, damage, same))
        guest.say(f"frame {frame}, {text}: {'the same picture' if same else 'ANOTHER PICTURE'}; "
                  f"{self.slices()}, {cycles} GPU cycles")

    def run(self):
        command = (f"cd {TREE} && . selftests/graphics/env.sh && export TESSERA_DEBUG=stats && "
                   f"exec out/examples/gl/glcube --wait --frames {len(STEPS)} 2>&1")
        guest = Told("gl", ["--vgpu", f"{self.vgpu},display=on", "--qmp", self.qmp],
                     ["sh", "-c", command])
        guest.boot(SHOWN)
        for frame, (text, act) in enumerate(STEPS):
            self.step(guest, frame, text, act)
        guest.tell("end")
        status, said = guest.wait()
        if status:
            raise DemoError(f"the guest ended with status {status}: {said[-1000:]}")
        stats = [line for line in said.splitlines() if line.startswith("tessera: scenes ")]
        if not stats:
            raise DemoError(f"the guest did not say what drew its scenes: {said[-1000:]}")
        words = stats[-1].split()[1:]
        return dict(zip(words[::2], map(int, words[1::2])))

    def end(self):
        for vgpu in (self.other, self.vgpu):
            if vgpu:
                remove(vgpu)


def table(rows, stats):
    lines = [("frame", "while it was drawn", "vslices and slices afterwards", "GPU cycles", "damage",
              "picture")]
    lines += [(str(frame), text, slices, str(cycles), "{}x{} at {},{}".format(x2 - x1, y2 - y1, x1, y1),
               "the same" if same else "ANOTHER")
              for frame, text, slices, cycles, (x1, y1, x2, y2), same in rows]
    width = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    print()
    for line in lines:
        print("  ".join(c.rjust(w) if c.isdigit() else c.ljust(w)
                        for c, w in zip(line, width)).rstrip())
    print(f"scenes drawn by the GPU: {stats['gpu']}, by the CPU: {stats['cpu']}; "
          f"{stats['instructions'] // len(rows)} instructions and {stats['cycles'] // len(rows)} "
          "cycles per frame; damage: what its guest said that differs from the frame before, outside of "
          "which nothing did; picture: that of the head, by QEMU, against the CPU's")


def play(out):
    """All steps with one guest."""
    demo = Demo(out)
    try:
        print_pool("the pool with the vGPU:")
        return demo.run(), demo.rows
    finally:
        demo.end()


def run(out):
    print_pool("the pool (a dot is a free slice):")
    before = free_slices()
    for attempt in range(1, TRIES + 1):
        try:
            stats, rows = play(out)
            break
        except Lost as e:
            if attempt == TRIES:
                raise DemoError(str(e)) from e
            print(f"the emulator lost the guest: {e}: it begins again, "
                  f"try {attempt + 1} of {TRIES}", flush=True)
    if free_slices() != before:
        raise DemoError(f"slices or memory did not come back: {before} before, {free_slices()} now")
    table(rows, stats)
    with open(os.path.join(out, "results.json"), "w", encoding="utf-8") as f:
        json.dump({"frames": rows, "stats": stats}, f, indent=1)
    bad = sum(not same for *_rest, same in rows)
    known = sum(damage != (0, 0, WIDTH, HEIGHT) for *_rest, damage, _same in rows)
    failed = bad or stats["cpu"] or not stats["gpu"] or not known
    print(f"demo-gl {'failed' if failed else 'ok'}: {len(rows)} frames compared, {bad} differ, "
          f"{stats['gpu']} scenes on the GPU, {stats['cpu']} on the CPU, {known} with a part damaged")
    return 1 if failed else 0


def main():
    started = time.monotonic()
    try:
        return run(sys.argv[1])
    except (DemoError, OSError, subprocess.CalledProcessError, ValueError, KeyError,
            StopIteration) as e:
        print(f"demo-gl failed after {time.monotonic() - started:.0f} s: {e}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
