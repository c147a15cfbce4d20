# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests in Python that boot guests in the host VM have in common: sysfs, waiting."""

import glob
import os
import re
import subprocess
import time

from tap import Tap  # noqa: F401

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VM = os.path.join(TREE, "scripts", "vm")
GUESTS = "/run/tessera/guests"
LOST = re.compile(r"^vm: guest: emulator lost this machine: (.*)", re.MULTILINE)


def gpu():
    """Directory of the first GPU."""
    return sorted(glob.glob("/sys/class/tessera/gpu*"))[0]


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read().strip()


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{text}\n")


def wait_until(true, what, seconds):
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not after {seconds} s")
        time.sleep(0.1)


def tell(name, *words):
    """A line for the command of a guest that listens."""
    subprocess.run([VM, "tell", name, *map(str, words)], check=True)


def said(name, word):
    """What the command of a detached guest said after this first word so far, line by line."""
    with open(os.path.join(GUESTS, name, "stdout"), encoding="utf-8", errors="replace") as f:
        lines = f.read().split("\n")[:-1]
    return [line[len(word) + 1:] for line in lines if line == word or line.startswith(word + " ")]


def wait_done(name, what, seconds):
    """Wait until the guest says "done WHAT STATUS"; that status."""
    def found():
        return [d.split()[1] for d in said(name, "done") if d.split()[0] == what]
    wait_until(found, f"guest {name} did not say that {what} is done", seconds)
    return int(found()[-1])


def silence(name):
    """Seconds since a guest said something."""
    return time.time() - os.stat(os.path.join(GUESTS, name, "stdout")).st_mtime


def print_said(name, lines=40):
    """The end of what the command of a guest said."""
    for leaf in ("stdout", "stderr"):
        with open(os.path.join(GUESTS, name, leaf), encoding="utf-8", errors="replace") as f:
            for line in f.read().splitlines()[-lines:]:
                print(f"# [{name} {leaf}] {line}")


def give_up(name, seconds=120):
    """End a guest that does not get on, and print what it did: why, if the emulator lost it."""
    subprocess.run([VM, "give-up", name], stderr=subprocess.DEVNULL, check=False)
    ended = subprocess.run([VM, "wait", name, "--timeout", str(seconds)], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    print("".join(f"# {line}\n" for line in ended.stdout.splitlines()[-200:]), flush=True)
    found = LOST.search(ended.stdout)
    return found[1] if found else None


def print_console(name, lines=20):
    """The end of the console of a guest that did not come to an end."""
    console = subprocess.run([VM, "console", name], stdout=subprocess.PIPE, text=True,
                             check=False).stdout
    print("".join(f"# {line}\n" for line in console.splitlines()[-lines:]), flush=True)
