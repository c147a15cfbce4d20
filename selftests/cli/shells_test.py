# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion of tesseractl in bash, zsh and fish as somebody has it who types; needs all three."""

import os
import shutil
import subprocess
import sys
import tempfile

from cli import COMPLETION, Sysfs, Tap, Terminal, has, same

A = "7f2c1a2b-0000-4000-8000-00000000000a"
C = "c0ffee00-0000-4000-8000-00000000000c"

# What is typed up to the tab, and what the line is then
LINES = (
    ("met", "metrics "),
    ("show c", f"show {C} "),
    ("set 7", f"set {A} "),
    (f"set {A} we", f"set {A} weight="),
    ("set gpu0/slice1 policy=fi", "set gpu0/slice1 policy=fixed "),
    ("list --query gpu,slice.own", "list --query gpu,slice.owner "),
    ("list --format=c", "list --format=csv "),
    ("create --profile ROOT/a.pr", "create --profile ROOT/a.profile "),
    ("create --profile=ROOT/a.pr", "create --profile=ROOT/a.profile "),
    ("--sysfs ROOT/cla", "--sysfs ROOT/class/"),
)


class Shells:
    def __init__(self, tool, directory):
        self.root = os.path.join(directory, "sys")
        self.home = os.path.join(directory, "home")
        self.tool = tool
        fs = Sysfs(self.root)
        fs.gpu(0)
        fs.vgpu(0, A, [0])
        fs.vgpu(0, C, [1])
        os.mkdir(self.home)
        with open(os.path.join(self.root, "a.profile"), "w"):
            pass
        with open(os.path.join(self.home, "bashrc"), "w") as file:
            file.write(f". {COMPLETION}/tesseractl.bash\nPS1='> '\nbind 'set bell-style none'\n"
                       "bind 'set enable-bracketed-paste off'\n")
        with open(os.path.join(self.home, ".zshrc"), "w") as file:
            file.write(f"fpath=({COMPLETION} $fpath)\nautoload -U compinit\ncompinit -D -u\n"
                       "PS1='> '\nunsetopt prompt_sp\nzle_highlight=(none)\nunset zle_bracketed_paste\n")
        self.env = {**os.environ, "TESSERA_SYSFS": self.root, "TERM": "vt100", "HOME": self.home,
                    "ZDOTDIR": self.home, "LC_ALL": "C.UTF-8",
                    "PATH": os.path.dirname(tool) + ":" + os.environ["PATH"]}
        self.env.pop("ENV", None)

    def typed(self, *argv):
        """Each line in a shell of its own; what stands behind the prompt after the tab."""
        for typed, wanted in LINES:
            typed, wanted = (t.replace("ROOT", self.root) for t in (typed, wanted))
            t = Terminal([shutil.which(argv[0]), *argv[1:]], self.env, columns=160)
            t.shows(">")
            t.type(f"tesseractl {typed}\t@".encode())
            line = t.until(lambda text: "@" in text)
            has(line, f"> tesseractl {wanted}@")
            t.type(b"\x15exit\r")
            same(t.status(), 0, typed)

    def bash(self):
        self.typed("bash", "--noprofile", "--rcfile", os.path.join(self.home, "bashrc"), "-i")

    def zsh(self):
        self.typed("zsh", "-d", "-i")

    def fish(self):
        """fish says what it would offer."""
        for typed, wanted in LINES:
            typed, wanted = (t.replace("ROOT", self.root) for t in (typed, wanted))
            script = (f"source {COMPLETION}/tesseractl.fish; "
                      f"complete -C 'tesseractl {typed}'")
            done = subprocess.run(["fish", "--no-config", "-c", script], env=self.env,
                                  capture_output=True, text=True)
            same([done.returncode, done.stderr], [0, ""], typed)
            last = wanted.rstrip(" ").split(" ")[-1]
            same([line.split("\t")[0] for line in done.stdout.splitlines()], [last], typed)

    def descriptions(self):
        done = subprocess.run(["fish", "--no-config", "-c",
                               f"source {COMPLETION}/tesseractl.fish; "
                               "complete -C 'tesseractl show gpu0/slice2'"],
                              env=self.env, capture_output=True, text=True)
        same([done.stdout, done.stderr], ["gpu0/slice2\trender, free\n", ""])
        t = Terminal([shutil.which("zsh"), "-d", "-i"], self.env, columns=160)
        t.shows(">")
        t.type(b"tesseractl show gpu0/\t\t")
        t.shows("gpu0/slice2", "-- render, free")
        t.type(b"\x15exit\r")
        same(t.status(), 0)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        shells = Shells(os.path.abspath(sys.argv[1]), directory)
        for name in ("bash", "zsh", "fish"):
            if shutil.which(name):
                tap.run(f"completion in {name}", getattr(shells, name))
            else:
                tap.ok(False, f"completion in {name}", "it is not there: use the layer packages")
        tap.run("descriptions in zsh and fish", shells.descriptions)
    return tap.end()


sys.exit(main())
