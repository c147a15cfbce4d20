# SPDX-License-Identifier: GPL-2.0-or-later
"""In the host VM: four KVM guests at once, a vGPU each, and the completions of all.

usage: guests.py RESULT QUICK

Each guest checks for itself: a kernel adds one to a word in its memory, so that what
was lost or ran twice shows. Its driver's watchdog is off (hang_ms=0) and its programs
do not look in a loop, so that nothing makes up for an interrupt that does not come:
the guest would stand still, alive. Interrupts that came are compared with what the host
signalled to this very vGPU: more of them would be somebody else's.

A machine that is lost, as a translated KVM loses one now and then, is told from that by
its own end. Another one takes its place, a few times, and is counted.
"""

import contextlib
import json
import sys

from machines import BenchError, Guest, create_vgpu, read, remove_vgpu, settle

GUESTS = 4
VGPU_TYPE = "C1"
ORDER = 5000
DEPTH = 64
MACHINES_LOST_MAX = 3
OPTIONS = ("--env", "HANG_MS=0", "--env", "TESSERA_SPIN_US=0")


def signalled(mdev):
    """Completion interrupts that the host sent to a vGPU so far."""
    return int(read(f"/sys/bus/mdev/devices/{mdev}/stats/completions"))


class Count:
    """A vGPU, the guest that has it, what that did and what it was told."""

    def __init__(self, name):
        self.name, self.machines = name, 0
        self.mdev = create_vgpu(VGPU_TYPE)
        self.interrupts = self.completions = self.wrong = self.lost = self.misrouted = 0

    def boot(self):
        """The guest, also one in the place of one that was lost."""
        self.machines += 1
        self.guest = Guest(f"{self.name}-{self.machines}", ["--vgpu", self.mdev], *OPTIONS)
        self.before, self.seen = signalled(self.mdev), 0
        self.guest.start()

    def stop(self):
        self.interrupts += self.seen
        self.guest.stop()

    def start(self):
        self.guest.order("count", ORDER, DEPTH)

    def finish(self):
        """A guest that lives and does not answer waits for an interrupt that did not come."""
        try:
            found = self.guest.answer()
        except TimeoutError:
            self.lost = 1
            return
        except BenchError:
            if self.machines > MACHINES_LOST_MAX:
                raise
            self.stop()
            self.boot()
            return
        self.completions += found["count"]
        self.wrong += found["bad"]
        self.seen = found["interrupts"]
        self.misrouted += max(0, self.seen - (signalled(self.mdev) - self.before))

    def result(self):
        return {"completions": self.completions, "wrong": self.wrong, "lost": self.lost,
                "misrouted": self.misrouted, "interrupts": self.interrupts + self.seen,
                "signalled": signalled(self.mdev), "machines_lost": self.machines - 1}


def run(counts, wanted):
    """Orders to all at once, until they have done what is wanted or one is lost."""
    while sum(c.completions for c in counts) < wanted and not any(c.lost for c in counts):
        for c in counts:
            c.start()
        for c in counts:
            c.finish()
        print(f"# {sum(c.completions for c in counts)} of {wanted} completions",
              file=sys.stderr, flush=True)
    return [c.result() for c in counts]


def main():
    path, quick = sys.argv[1], sys.argv[2] == "1"
    with contextlib.ExitStack() as stack:
        counts = []
        for i in range(GUESTS):
            counts.append(Count(f"guest{i}"))
            stack.callback(remove_vgpu, counts[i].mdev)
            counts[i].boot()
            stack.callback(counts[i].stop)
        settle()
        result = run(counts, 20000 if quick else 100000)
    with open(path, "w") as f:
        json.dump(result, f)
    return 0


if __name__ == "__main__":
    sys.exit(main())
