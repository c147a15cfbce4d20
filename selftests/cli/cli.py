# SPDX-License-Identifier: GPL-2.0-or-later
"""For the tests of tesseractl: TAP, running it, a sysfs tree, a terminal."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPLETION = os.path.join(TREE, "tools/cli/completion")
sys.path.insert(0, os.path.join(TREE, "selftests/lib"))
import tap  # noqa: E402
from schema import Schema  # noqa: E402


class Tap(tap.Tap):
    """Tests are functions that raise; what they raise is the reason."""

    def run(self, title, function):
        try:
            function()
        except Exception as error:  # whatever it is, it is this test's
            self.ok(False, title, f"{type(error).__name__}: {error}")
        else:
            self.ok(True, title)


def same(seen, expected, what=""):
    if seen != expected:
        raise AssertionError(f"{what} {seen!r}, expected {expected!r}")


def has(text, *parts):
    for part in parts:
        if part not in text:
            raise AssertionError(f"no {part!r} in:\n{text}")


def has_not(text, *parts):
    for part in parts:
        if part in text:
            raise AssertionError(f"{part!r} in:\n{text}")


SCHEMA = Schema()
COMMANDS = ("list", "show", "create", "compose", "remove", "profile", "set", "apply", "save",
            "move", "drain", "clear", "reset", "top", "dmon", "metrics", "watch", "trace")


def answer(name, line):
    """What a command printed, or "error", held against the schema and without its version."""
    obj = json.loads(line)
    SCHEMA.check(obj, name)
    SCHEMA.check(obj)
    del obj["json_version"]
    return obj


class Tool:
    """tesseractl with an environment, run to its end."""

    def __init__(self, path, **env):
        self.path = path
        self.env = {**os.environ, "LC_ALL": "C.UTF-8", **env}

    def run(self, *args, status=0, timeout=180):
        done = subprocess.run([self.path, *args], env=self.env, capture_output=True,
                              timeout=timeout, stdin=subprocess.DEVNULL)
        self.out = done.stdout.decode("ascii")
        self.err = done.stderr.decode("ascii")
        if done.returncode != status:
            raise AssertionError(f"{args}: status {done.returncode}, expected {status}\n"
                                 f"{self.out}{self.err}")
        return self.out

    def json(self, *args, status=0):
        self.run(*args, "--json", status=status)
        same(self.err, "", "standard error")
        same(self.out.count("\n"), 1, "lines")
        name = next((a for a in args if a in COMMANDS), "error")
        return answer("error" if status else name, self.out)

    def error(self, *args, status=1):
        """The message as text; the same must come as JSON."""
        obj = self.json(*args, status=status)
        self.run(*args, status=status)
        same(self.out, "", "standard output")
        same(self.err, f"tesseractl: {obj['error']}\n")
        return obj["error"]

    def error_text(self, *args):
        """As error(), of a refusal: JSON has more then, and text may have a mark."""
        obj = self.json(*args, status=1)
        self.run(*args, status=1)
        same([self.out, self.err.split("\n")[0]], ["", f"tesseractl: {obj['error']}"])
        return obj["error"]

    def complete(self, *words):
        """What bash offers for the last word."""
        env = {k: v for k, v in self.env.items() if k != "LD_PRELOAD"}
        script = (f". {COMPLETION}/tesseractl.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
                  "_tesseractl \"$1\"; printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-euc", script, "bash", self.path, *words], env=env,
                              capture_output=True, text=True)
        same(done.stderr, "")
        return done.stdout.split()

    def candidates(self, *words):
        """What the program offers for the last word, without what it says about it."""
        return [line.split("\t")[0] for line in self.run("complete", "--", *words).splitlines()]

    def start(self, *args, **kwargs):
        return subprocess.Popen([self.path, *args], env=self.env, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                                **kwargs)


class Sysfs:
    """A tree as the module tessera makes it."""

    SLICE = {"kind": "compute", "state": "free", "owner": "", "service": "in", "cores": 4, "engines": "0x3",
             "bank_offset": 0, "bank_size": 1 << 25, "busy_cycles": 0, "instructions": 5,
             "members": 0, "policy": "fair", "quantum_us": 2000, "preempt_timeout_us": 10000,
             "switches": 0, "preemptions": 0, "timeouts": 0, "moves_in": 0, "moves_out": 0}
    VGPU = {"share": "exclusive", "weight": 100, "cap": 0, "policy": "manual"}
    VSLICE = {"slice": -1, "resident": 0, "runnable": 0, "run_cycles": 0, "wait_cycles": 0,
              "switches": 0, "wakeups": 0, "moves": 0, "lost": 0, "utilization": 0,
              "shader_intensity": 0, "memory_intensity": 0, "queue_depth": 0}

    def __init__(self, root):
        self.root = root
        os.makedirs(os.path.join(root, "class", "tessera"))

    def path(self, *parts):
        return os.path.join(self.root, "class", "tessera", *parts)

    def put(self, where, **values):
        """Whole files, at once: whoever reads sees the old or the new one."""
        for name, value in values.items():
            data = value if isinstance(value, bytes) else f"{value}\n".encode()
            with open(self.path(where, ".new"), "wb") as file:
                file.write(data)
            os.rename(self.path(where, ".new"), self.path(where, name))

    def make(self, where, **values):
        os.makedirs(self.path(where), exist_ok=True)
        self.put(where, **values)

    def get(self, where):
        with open(self.path(where)) as file:
            return file.read()

    def gpu(self, n, slices=4):
        self.make(f"gpu{n}", name=f"0000:0{n + 1}:00.0", type="gpu", slices_total=slices,
                  slices_free=slices, vram_total=slices << 25, vram_free=slices << 24,
                  clock_khz=4000, time_cycles=1000, generation=1)
        os.makedirs(self.path(f"gpu{n}", "vgpus"))
        for i in range(slices):
            kind = ("compute", "compute", "render", "mixed")[i % 4]
            self.make(f"gpu{n}/slices/slice{i}", **{**self.SLICE, "kind": kind,
                                                    "bank_offset": i << 25})

    def vgpu(self, n, name, slices, **values):
        self.make(f"gpu{n}/vgpus/{name}", **{**self.VGPU, **values})
        for i, where in enumerate(slices):
            self.make(f"gpu{n}/vgpus/{name}/vslice{i}", **{**self.VSLICE, "slice": where})

    def own(self, n, index, owner, state="used", **values):
        self.put(f"gpu{n}/slices/slice{index}", owner=owner, state=state, **values)


class Screen:
    """What a VT100 shows: as much of one as curses uses."""

    SEQUENCE = re.compile(rb"\x1b\[([?0-9;]*)([A-Za-z])|\x1b[()][A-Z0-9]|\x1b[=>78HM]")

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.lines = [[" "] * columns for _ in range(rows)]
        self.y = self.x = 0
        self.top, self.bottom = 0, rows - 1

    def scroll(self, start, end):
        """Take line start out and insert an empty one at end."""
        del self.lines[start]
        self.lines.insert(end, [" "] * self.columns)

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.lines)

    def erase(self, first, last):
        for at in range(first, last):
            self.lines[at // self.columns][at % self.columns] = " "

    def control(self, args, final):
        numbers = [int(a) if a.isdigit() else 0 for a in args.split(";")] + [0]
        count = numbers[0] or 1
        at, row = self.y * self.columns + self.x, self.y * self.columns
        if final == "H":
            self.y = min(count, self.rows) - 1
            self.x = min(numbers[1] or 1, self.columns) - 1
        elif final in "AB":
            self.y = max(0, min(self.rows - 1, self.y + (count if final == "B" else -count)))
        elif final in "CD":
            self.x = max(0, min(self.columns - 1, self.x + (count if final == "C" else -count)))
        elif final in "JK":
            start, end = (0, self.rows * self.columns) if final == "J" else (row,
                                                                            row + self.columns)
            self.erase(start if numbers[0] else at, at + 1 if numbers[0] == 1 else end)
        elif final == "r":
            self.top, self.bottom = count - 1, min(numbers[1] or self.rows, self.rows) - 1
            self.y = self.x = 0
        elif final not in "mhl":
            raise AssertionError(f"unknown sequence {args}{final}")

    def line_feed(self):
        if self.y == self.bottom:
            self.scroll(self.top, self.bottom)
        else:
            self.y = min(self.y + 1, self.rows - 1)

    def reverse_feed(self):
        if self.y == self.top:
            self.scroll(self.bottom, self.top)
        else:
            self.y = max(self.y - 1, 0)

    def put(self, char):
        if char == "\r":
            self.x = 0
        elif char == "\n":
            self.line_feed()
        elif char == "\b":
            self.x = max(0, self.x - 1)
        elif char == "\t":
            self.x = min(self.columns - 1, self.x // 8 * 8 + 8)
        elif " " <= char <= "~":
            if self.x == self.columns:
                self.line_feed()
                self.x = 0
            self.lines[self.y][self.x] = char
            self.x += 1
        elif char not in "\0\a\x0e\x0f":
            raise AssertionError(f"the terminal got {char!r}")

    def feed(self, data):
        """Returns what is left: a sequence that is not complete."""
        at = 0
        while at < len(data):
            if data[at] != 0x1B:
                self.put(chr(data[at]))
                at += 1
                continue
            match = self.SEQUENCE.match(data, at)
            if not match:
                if len(data) - at > 16:
                    raise AssertionError(f"unknown sequence {data[at:at + 16]!r}")
                break
            if match[2]:
                self.control(match[1].decode(), match[2].decode())
            elif match[0] == b"\x1bM":
                self.reverse_feed()
            at = match.end()
        return data[at:]


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, argv, env, rows=40, columns=120):
        self.screen = Screen(rows, columns)
        self.rest = b""
        self.pid, self.fd = pty.fork()
        if not self.pid:
            self.set_size(0, rows, columns)
            os.execve(argv[0], argv, env)

    @staticmethod
    def set_size(fd, rows, columns):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))

    def resize(self, rows, columns):
        self.read(0.1)
        self.screen = Screen(rows, columns)
        self.set_size(self.fd, rows, columns)

    def read(self, seconds):
        """Until nothing more comes for that time, or the program is at its end."""
        while select.select([self.fd], [], [], seconds)[0]:
            try:
                data = os.read(self.fd, 4096)
            except OSError:
                return
            self.rest = self.screen.feed(self.rest + data)

    def until(self, condition, seconds=20):
        """Read until the text of the screen fulfils a condition."""
        end = time.monotonic() + seconds
        while not condition(self.screen.text()):
            if time.monotonic() > end:
                raise AssertionError(f"the screen has:\n{self.screen.text()}")
            self.read(0.1)
        return self.screen.text()

    def shows(self, *parts):
        return self.until(lambda text: all(part in text for part in parts))

    def type(self, keys):
        os.write(self.fd, keys)

    def status(self, seconds=20):
        """Exit status; negative: the signal that ended it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise AssertionError("it does not end")
