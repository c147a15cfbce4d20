# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest of a demo that is told what to do line by line, and answers in lines."""

import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True

from host import LOST, VM, DemoError, names_tessera, read  # noqa: E402

GUESTS = "/run/tessera/guests"
BOOT_SECONDS = 600


class Lost(Exception):
    """The emulator lost a guest."""


class Told:
    """A guest: a name, options of scripts/vm guest, and the command that is told."""

    def __init__(self, name, options, command):
        self.name, self.options, self.command = name, options, command

    def say(self, text):
        print(f"  [{self.name}] {text}", flush=True)

    def file(self, leaf):
        return os.path.join(GUESTS, self.name, leaf)

    def boot(self, word):
        """Until its command says a line that begins with these words; the rest of it."""
        self.say(f"booting with {' '.join(self.options)}")
        subprocess.run([VM, "guest", *self.options, "--mem", "1G", "--timeout", "3000",
                        "--detach", self.name, "--listen", "--", *self.command], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return self.answer(word, 0, BOOT_SECONDS)

    def lines(self):
        """What it printed, in whole lines."""
        with open(self.file("stdout"), encoding="utf-8", errors="replace") as f:
            return f.read().split("\n")[:-1]

    def answer(self, word, number, seconds):
        """Wait for the line with this number of those that begin with words; the rest of it."""
        end = time.monotonic() + seconds
        while True:
            ended = bool(read(self.file("status")))
            found = [line for line in self.lines() if f"{line} ".startswith(f"{word} ")]
            if len(found) > number:
                return found[number][len(word) + 1:]
            if ended:
                self.ended()
            if time.monotonic() > end:
                subprocess.run([VM, "give-up", self.name], stderr=subprocess.DEVNULL, check=False)
                self.ended(f"no answer for {seconds} s")
            time.sleep(0.2)

    def tell(self, line):
        subprocess.run([VM, "tell", self.name, line], check=True)

    def wait(self):
        """Its status, and what it said since it was told the last line, and before."""
        done = subprocess.run([VM, "wait", self.name, "--timeout", "120"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        return done.returncode, done.stdout

    def ended(self, why=""):
        """It ended too early: Lost if scripts/vm says that the emulator is to blame."""
        status, text = self.wait()
        said = text.splitlines()
        for line in said[-40:]:
            self.say(line)
        reason = next((line for line in said if line.startswith("vm: ")), "")
        text = f"guest {self.name} ended with status {status}; {why or reason}"
        if any(LOST.search(line) for line in said) and not names_tessera("\n".join(said)):
            raise Lost(text)
        raise DemoError(text)
