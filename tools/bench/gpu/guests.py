# SPDX-License-Identifier: GPL-2.0-or-later
"""In the host VM: four KVM guests at once, a vGPU each, and the completions of all.

usage: guests.py RESULT QUICK

Each guest checks for itself: a kernel adds one to a word in its memory, so that what
was lost or ran twice shows. Its driver's watchdog is off (hang_ms=0) and its programs
do not look in a loop, so that nothing makes up for an interrupt that does not come:
the guest would stand still. Interrupts that came are compared with what the host
signalled to this very vGPU: more of them would be somebody else's.
"""

import contextlib
import json
import sys

from machines import Guest, create_vgpu, read, remove_vgpu, settle

GUESTS = 4
VGPU_TYPE = "C1"
ORDER = 5000
DEPTH = 64
OPTIONS = ("--env", "HANG_MS=0", "--env", "TESSERA_SPIN_US=0")


def signalled(mdev):
    """Completion interrupts that the host sent to a vGPU so far."""
    return int(read(f"/sys/bus/mdev/devices/{mdev}/stats/completions"))


class Count:
    """What a guest did, and what it was told."""

    def __init__(self, guest, mdev):
        self.guest, self.mdev = guest, mdev
        self.interrupts = self.completions = self.wrong = self.lost = 0

    def start(self):
        self.guest.order("count", ORDER, DEPTH)

    def finish(self):
        """An answer that does not come is an interrupt that did not."""
        try:
            found = self.guest.answer()
        except TimeoutError:
            self.lost = 1
            return
        self.completions += found["count"]
        self.wrong += found["bad"]
        self.interrupts = found["interrupts"]

    def result(self):
        sent = signalled(self.mdev)
        return {"completions": self.completions, "wrong": self.wrong, "lost": self.lost,
                "interrupts": self.interrupts, "signalled": sent,
                "misrouted": max(0, self.interrupts - sent)}


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
            mdev = create_vgpu(VGPU_TYPE)
            stack.callback(remove_vgpu, mdev)
            guest = Guest(f"guest{i}", ["--vgpu", mdev], *OPTIONS)
            stack.callback(guest.stop)
            guest.start()
            counts.append(Count(guest, mdev))
        settle()
        result = run(counts, 40000 if quick else 1000000)
    with open(path, "w") as f:
        json.dump(result, f)
    return 0


if __name__ == "__main__":
    sys.exit(main())
