# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests in Python that boot guests in the host VM have in common: sysfs, waiting."""

import glob
import os
import subprocess
import time

from tap import Tap  # noqa: F401

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VM = os.path.join(TREE, "scripts", "vm")


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


def wait_for(path, seconds):
    """Wait for a file."""
    wait_until(lambda: os.path.exists(path), f"no {os.path.basename(path)}", seconds)


def print_console(name, lines=20):
    """The end of the console of a guest that did not come to an end."""
    console = subprocess.run([VM, "console", name], stdout=subprocess.PIPE, text=True,
                             check=False).stdout
    print("".join(f"# {line}\n" for line in console.splitlines()[-lines:]), flush=True)
