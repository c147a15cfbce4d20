# SPDX-License-Identifier: GPL-2.0-or-later
"""A libvirt domain that computes migrates live between two hosts, as TAP; in a pair of host VMs.

Stock virsh and libvirtd, by ssh if the host VMs have that layer, else by TCP. The guest keeps books of what the GPU does (ledger.c), and runs
SGEMM, SHA-256 and random kernels over and over, and an OpenCL program if the host VMs have that
layer, while the domain goes back and forth, to vGPUs with the same UUID that are composed otherwise:
fewer slices, shared ones. It stays where it is if the other host's vGPU has another frame. On both
hosts a process works on the same GPU. A domain that the emulator lost, on proof, is replaced by
another one, which makes the moves that are left.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True

from place import FIRST, FRAME, LAST, MEMORY_MIB, NAME, OPENCL, READY, SSH, UUID  # noqa: E402
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
# With OpenCL the guest compiles a kernel first
BOOT_S = 1300 if OPENCL else 400
PATIENCE_S = 150
MOVE_S = 400
TRIES = 3 + MOVES // 5


class Place:
    """A host, and what the guest says there."""

    def __init__(self, name, here):
        self.name, self.text, self.since = name, "", 0
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

    def may_enter(self, other):
        """Root of this host knows the other one and may log in there."""
        public = self.run("sh", "-c", "mkdir -p -m 700 ~/.ssh && ssh-keygen -q -t ed25519 -N '' "
                          f"-f ~/.ssh/id_ed25519 && ssh-keyscan -t ed25519 {other.name} "
                          "2>/dev/null >>~/.ssh/known_hosts && cat ~/.ssh/id_ed25519.pub").strip()
        other.run("sh", "-c", f"mkdir -p -m 700 ~/.ssh && echo '{public}' >>~/.ssh/authorized_keys")

    def tell(self, word):
        self.process.stdin.write(word + "\n")

    def ever_said(self, word, since=0):
        """What was said after this word, line by line."""
        return [line[len(word) + 1:] for line in self.text[since:].split("\n")[:-1]
                if line.startswith(word + " ")]

    def said(self, word):
        """The same, of this domain."""
        return self.ever_said(word, self.since)

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
        """Why the emulator lost the domain, if it did."""
        begin = len(self.text)
        self.tell("explain")
        wait_for("an explanation", lambda: "place: explained" in self.text[begin:], 120)
        return (self.ever_said("place: lost:", begin) or [None])[0]

    def forget(self):
        """The domain, wherever it is."""
        self.run("virsh", "destroy", NAME, status=None)
        self.run("virsh", "undefine", NAME, status=None)
        self.since = len(self.text)

    def end(self):
        """What it prints after its last word."""
        self.process.stdin.close()
        same(self.process.wait(120), 0, f"status of {self.name}")
        return self.said("place: the guest complained:")


class AcrossTests:
    """Tests of a domain's life, or of more than one."""

    def __init__(self):
        self.hosts = [Place("host1", True), Place("host2", False)]
        self.at, self.moves, self.dispatches, self.refusals = 0, 0, 0, False

    @property
    def here(self):
        return self.hosts[self.at]

    @property
    def other(self):
        return self.hosts[1 - self.at]

    def migrate(self, **options):
        self.here.run("virsh", "migrate-setmaxdowntime", NAME, DOWNTIME_MS)
        uri = f"qemu+{'ssh' if SSH else 'tcp'}://{self.other.name}/system"
        return self.here.run("virsh", "migrate", "--live", "--persistent", "--undefinesource", NAME,
                             uri, timeout=MOVE_S, **options)

    def set_up(self):
        for host in self.hosts:
            host.ready()
        disks = [h.run("sh", "-c", "sha256sum /run/tessera/tree-*.erofs") for h in self.hosts]
        same(disks[0], disks[1], "the guest's disk on both hosts")
        if SSH:
            self.here.may_enter(self.other)
            self.other.may_enter(self.here)

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
        self.other.compose(f"slices=2 {FRAME.replace(f'={MEMORY_MIB}M', f'={2 * MEMORY_MIB}M')}")
        said = self.migrate(status=1)
        print(f"# {said.strip()}")
        vram = 3 * MEMORY_MIB << 20
        has(self.other.attr("last_error"), f"bytes of VRAM: {vram} there, {2 * vram} here")
        self.stays()

    def missing(self):
        self.other.run("mdevctl", "stop", "-u", UUID)
        has(self.migrate(status=1), UUID)
        self.stays()
        self.other.run("mdevctl", "start", "-u", UUID)
        self.refusals = True

    def move(self, shape):
        self.other.compose(shape)
        start = time.monotonic()
        self.migrate()
        print(f"# {self.here.name} to {self.other.name}: {time.monotonic() - start:.0f} s")
        self.at, self.moves = 1 - self.at, self.moves + 1
        self.stays()
        self.bystanders()
        wait_for("the end of pinning", lambda: self.other.attr("stats/pinned_pages") == "0")

    def bystanders(self):
        """Who works on the GPUs of both hosts gets on, and all that came of it is right."""
        before = [len(h.ever_said("bystander")) for h in self.hosts]
        wait_for("bystanders to get on", lambda: all(len(h.ever_said("bystander")) > n for h, n in
                                                     zip(self.hosts, before)), PATIENCE_S)
        same({what for h in self.hosts for what in h.ever_said("bystander")}, {"right"})

    def books(self):
        """The guest ends its work when its vGPU has its last shape."""
        self.here.compose(f"slices={LAST} {FRAME}")
        wait_for("the end of the work", lambda: self.here.said("done examples"), PATIENCE_S)
        did = json.loads(self.here.said("ledger")[-1])
        right, wrong = map(int, self.here.said("examples")[-1].split())
        mix = [re.fullmatch(r"soak: (\d+) jobs, (\d+) mismatches", line)
               for line in self.here.said("mix")]
        jobs, mismatches = (sum(int(m[n]) for m in mix if m) for n in (1, 2))
        launches = [re.fullmatch(r"ok 1 (\d+) launches: 0 failed, 0 values are wrong", line)
                    for line in self.here.said("opencl") if " launches: " in line]
        bystanders = sum(len(h.ever_said("bystander")) for h in self.hosts)
        print(f"# {did}, examples: {right} right, {wrong} wrong")
        for name, value in (("moves", self.moves), ("dispatches", self.dispatches + did["dispatches"]),
                            ("wrong", did["wrong"] + wrong + mismatches), ("examples", right),
                            ("random_kernels", jobs), ("bystanders", bystanders),
                            ("opencl_launches", sum(int(m[1]) for m in launches if m))):
            print(f"# figure across_{name} {value}")
        same([h.ever_said("wrong:") for h in self.hosts], [[], []])
        same((did["wrong"], wrong, mismatches), (0, 0, 0), "what is wrong")
        same([self.here.said(f"done {w}") for w in ("ledger", "examples", "mix", "opencl")],
             [["0"]] * 4)
        same(all(mix) and jobs > 0, True, "random kernels ran")
        same(all(launches) and bool(launches) == OPENCL, True, f"OpenCL ran: {OPENCL}")
        same(right > 1 and self.dispatches + did["rounds"] > 3 * self.moves, True, "work was done")

    def end(self):
        wait_for("the end of the domain", lambda: self.here.state() == "shut off", PATIENCE_S)
        self.here.run("virsh", "undefine", NAME)
        for host in self.hosts:
            same(host.attr("stats/pinned_pages"), "0", host.name)
            same(host.end(), [], f"complaints of the guest on {host.name}")

    def lost(self):
        """Why the emulator lost the domain, on proof, which did not get on; or None."""
        for host in self.hosts:
            print("".join(f"# [{host.name}] {line}\n" for line in host.text.splitlines()[-20:]))
        reasons = [host.explain() for host in self.hosts]
        # As many as are known to be done: two on the first slice in each round
        self.dispatches += 2 * max(h.rounds() for h in self.hosts)
        return next(filter(None, reasons), None)

    def begin_again(self):
        """Without a domain, and the vGPU as at first."""
        for host in self.hosts:
            host.forget()
        wait_for("the end of pinning", lambda: self.here.attr("stats/pinned_pages") == "0")
        self.here.compose(FIRST)

    def close(self):
        for host in self.hosts:
            host.process.stdin.close()
            host.process.wait(120)

    def tests(self):
        yield "a domain computes on one of two hosts", self.start
        if not self.refusals:
            yield "refused by a vGPU of another frame: it stays, and the reason is told", self.refused
            yield "refused without a vGPU of its UUID", self.missing
        for n in range(self.moves, MOVES):
            shape = SHAPES[n % len(SHAPES)]
            yield (f"virsh migrate --live, {n + 1}: to {shape!r}",
                   lambda shape=shape: self.move(shape))
        yield "no dispatch was lost or done twice, and no result is wrong", self.books
        yield "domain and hosts end in peace", self.end


def live(tap, tests):
    """The life of a domain: why it has to be replaced, if the emulator lost it."""
    for title, test in tests.tests():
        try:
            test()
        except Exception as error:  # whatever it is, it is this test's
            lost = tests.lost()
            if not lost:
                tap.ok(False, title, f"{type(error).__name__}: {error}")
                tests.close()
            return lost
        tap.ok(True, title)
    return None


def main():
    tap, tests = Tap(), AcrossTests()
    tap.run("two hosts with libvirtd, and the same vGPU defined by mdevctl", tests.set_up)
    for attempt in range(1, TRIES + 1):
        lost = None if tap.failed else live(tap, tests)
        if not lost:
            return tap.end()
        print(f"# try {attempt} of {TRIES}: emulator lost the domain: {lost}", flush=True)
        tests.begin_again()
    tap.ok(False, "a domain lives to the end")
    tests.close()
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
