# SPDX-License-Identifier: GPL-2.0-or-later
"""A libvirt domain that computes migrates live between two hosts, as TAP; in a pair of host VMs.

Stock virsh and libvirtd, by TCP. The guest keeps books of what the GPU does (ledger.c), and runs
SGEMM and SHA-256 over and over, while the domain goes back and forth, to vGPUs with the same UUID
that are composed otherwise: fewer slices, shared ones. It stays where it is if the other host's
vGPU has another frame.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True

from place import FIRST, FRAME, LAST, NAME, READY, UUID  # noqa: E402
from run import TREE, Tap, has, run, same, wait_for  # noqa: E402

VM = os.path.join(TREE, "scripts", "vm")
PLACE = os.path.join(TREE, "selftests", "virt", "place.py")
MDEV = f"/sys/bus/mdev/devices/{UUID}"
DOWNTIME_MS = "60000"
# What the guest finds where it goes, by turns
SHAPES = (f"slices=1 {FRAME}", f"slices=2 {FRAME}", f"slices=2 {FRAME} share=shared",
          f"slices=1 {FRAME} share=shared")
MOVES = int(os.environ.get("TESS_MOVES", "4"))
SETUP_S = 400
BOOT_S = 400
PATIENCE_S = 150
MOVE_S = 400


class Place:
    """A host, and what the guest says there."""

    def __init__(self, name, here):
        self.name, self.text = name, ""
        self.prefix = () if here else (VM, "on", name, "--")
        self.process = subprocess.Popen([*self.prefix, "python3", PLACE], text=True, bufsize=1,
                                        errors="replace", stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            self.text += line

    def run(self, *argv, **options):
        return run(*self.prefix, *argv, **options)

    def state(self):
        return self.run("virsh", "domstate", NAME, status=None).strip()

    def attr(self, name):
        return self.run("cat", f"{MDEV}/{name}").strip()

    def compose(self, blueprint):
        self.run("sh", "-c", f"echo '{blueprint}' >{MDEV}/blueprint || {{ cat {MDEV}/last_error; exit 1; }}")

    def tell(self, word):
        self.process.stdin.write(word + "\n")

    def said(self, word):
        """What was said after this word, line by line."""
        return [line[len(word) + 1:] for line in self.text.split("\n")[:-1]
                if line.startswith(word + " ")]

    def rounds(self):
        return int((self.said("rounds") or [0])[-1])

    def works(self, seconds=PATIENCE_S):
        """The guest gets on here, from now on."""
        before = self.rounds()
        wait_for(f"work on {self.name}", lambda: self.rounds() >= before + 3, seconds)

    def ready(self):
        wait_for(f"{self.name} to be ready", lambda: READY in self.text or
                 self.process.poll() is not None, SETUP_S)
        has(self.text, READY)

    def explain(self):
        self.tell("explain")
        wait_for("an explanation", lambda: "place: explained" in self.text, 120)

    def end(self):
        """What it prints after its last word."""
        self.process.stdin.close()
        same(self.process.wait(120), 0, f"status of {self.name}")
        return self.said("place: the guest complained:")


class AcrossTests:
    """Tests of one domain's life."""

    def __init__(self):
        self.hosts = [Place("host1", True), Place("host2", False)]
        self.at, self.moves = 0, 0

    @property
    def here(self):
        return self.hosts[self.at]

    @property
    def other(self):
        return self.hosts[1 - self.at]

    def migrate(self, **options):
        self.here.run("virsh", "migrate-setmaxdowntime", NAME, DOWNTIME_MS)
        return self.here.run("virsh", "migrate", "--live", "--persistent", "--undefinesource", NAME,
                             f"qemu+tcp://{self.other.name}/system", timeout=MOVE_S, **options)

    def set_up(self):
        for host in self.hosts:
            host.ready()
        disks = [h.run("sh", "-c", "sha256sum /run/tessera/tree-*.erofs") for h in self.hosts]
        same(disks[0], disks[1], "the guest's disk on both hosts")

    def start(self):
        self.here.tell("start")
        self.here.works(BOOT_S)

    def stays(self):
        """It is here, and works, and is not there."""
        same((self.here.state(), NAME in self.other.run("virsh", "list", "--all")),
             ("running", False))
        self.here.works()

    def refused(self):
        """The other host's reason is in its last_error."""
        self.other.compose(f"slices=2 {FRAME.replace('2M', '4M')}")
        said = self.migrate(status=1)
        print(f"# {said.strip()}")
        has(self.other.attr("last_error"), "bytes of VRAM: 6291456 there, 12582912 here")
        self.stays()

    def missing(self):
        self.other.run("mdevctl", "stop", "-u", UUID)
        has(self.migrate(status=1), UUID)
        self.stays()
        self.other.run("mdevctl", "start", "-u", UUID)

    def move(self, shape):
        self.other.compose(shape)
        start = time.monotonic()
        self.migrate()
        print(f"# {self.here.name} to {self.other.name}: {time.monotonic() - start:.0f} s")
        self.at, self.moves = 1 - self.at, self.moves + 1
        self.stays()
        wait_for("the end of pinning", lambda: self.other.attr("stats/pinned_pages") == "0")

    def books(self):
        """The guest ends its work when its vGPU has its last shape."""
        self.here.compose(f"slices={LAST} {FRAME}")
        wait_for("the end of the work", lambda: self.here.said("done examples"), PATIENCE_S)
        did = json.loads(self.here.said("ledger")[-1])
        right, wrong = map(int, self.here.said("examples")[-1].split())
        print(f"# {did}, examples: {right} right, {wrong} wrong")
        for name, value in (("moves", self.moves), ("dispatches", did["dispatches"]),
                            ("wrong", did["wrong"] + wrong), ("examples", right)):
            print(f"# figure across_{name} {value}")
        same([h.said("wrong:") for h in self.hosts], [[], []])
        same((did["wrong"], wrong), (0, 0), "what is wrong")
        same((self.here.said("done ledger"), self.here.said("done examples")), (["0"], ["0"]))
        same(right > 1 and did["rounds"] > 3 * self.moves, True, "work was done")

    def end(self):
        wait_for("the end of the domain", lambda: self.here.state() == "shut off", PATIENCE_S)
        self.here.run("virsh", "undefine", NAME)
        for host in self.hosts:
            same(host.attr("stats/pinned_pages"), "0", host.name)
            same(host.end(), [], f"complaints of the guest on {host.name}")

    def explain(self):
        """Why it has not got on: scripts/check looks if the emulator lost it."""
        for host in self.hosts:
            print("".join(f"# [{host.name}] {line}\n" for line in host.text.splitlines()[-20:]))
        self.here.explain()
        for host in self.hosts:
            host.process.stdin.close()
            host.process.wait(60)

    def tests(self):
        yield "two hosts with libvirtd, and the same vGPU defined by mdevctl", self.set_up
        yield "a domain computes on the first one", self.start
        yield "refused by a vGPU of another frame: it stays, and the reason is told", self.refused
        yield "refused without a vGPU of its UUID", self.missing
        for n in range(MOVES):
            shape = SHAPES[n % len(SHAPES)]
            yield (f"virsh migrate --live, {n + 1}: to {shape!r}",
                   lambda shape=shape: self.move(shape))
        yield "no dispatch was lost or done twice, and no result is wrong", self.books
        yield "domain and hosts end in peace", self.end


def main():
    tap, tests = Tap(), AcrossTests()
    for title, test in tests.tests():
        before = tap.failed
        tap.run(title, test)
        if tap.failed > before:
            tests.explain()
            break
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
