# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the KTAP reader and of the kernel log reader, as TAP."""

import os
import sys

sys.dont_write_bytecode = True
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TREE, "scripts/check.d"), os.path.join(TREE, "scripts/vm.d")]

from kernlog import names_tessera, splats  # noqa: E402
from ktap import Parser  # noqa: E402

# name, what a lane prints, (passed, failed, skipped)
KTAP = (
    ("plain results", "TAP version 13\n1..2\nok 1 a\nok 2 - b\n", (2, 0, 0)),
    ("a failure", "1..2\nok 1 a\nnot ok 2 b\n", (1, 1, 0)),
    ("skips are told apart", "1..3\nok 1 a # SKIP no GPU\nok 2 b #skip\nok 3 c\n", (1, 0, 2)),
    ("trailing plan", "ok 1 a\nok 2 b\n1..2\n", (2, 0, 0)),
    ("plan not met", "1..3\nok 1 a\n", (1, 1, 0)),
    ("more tests than planned", "1..1\nok 1 a\nok 2 b\n", (2, 1, 0)),
    ("two documents", "TAP version 13\n1..1\nok 1 a\nTAP version 13\n1..2\nok 1 b\nok 2 c\n",
     (3, 0, 0)),
    ("first document cut short", "TAP version 13\n1..2\nok 1 a\nTAP version 13\n1..1\nok 1 b\n",
     (2, 1, 0)),
    ("a document without a plan", "TAP version 13\nok 1 a\n", (1, 1, 0)),
    ("such a one before another", "TAP version 13\nok 1 a\nTAP version 13\n1..1\nok 1 b\n",
     (2, 1, 0)),
    ("a document without anything", "TAP version 13\n", (0, 1, 0)),
    ("second plan without a version line", "1..1\nok 1 a\n1..1\nok 1 b\n", (2, 0, 0)),
    ("whole program skipped", "TAP version 13\n1..0 # SKIP no device\n", (0, 0, 1)),
    ("nested: leaves count once",
     "KTAP version 1\n1..2\n    KTAP version 1\n    1..2\n    ok 1 x\n    ok 2 y\nok 1 s\n"
     "    KTAP version 1\n    1..1\n    not ok 1 z\nnot ok 2 t\n", (2, 1, 0)),
    ("nested: parent fails by itself",
     "KTAP version 1\n1..1\n    KTAP version 1\n    1..1\n    ok 1 x\nnot ok 1 s\n", (1, 1, 0)),
    ("nested: plan not met", "1..1\n    1..2\n    ok 1 x\nok 1 s\n", (1, 1, 0)),
    ("nested: parameters without a plan",
     "KTAP version 1\n1..1\n    KTAP version 1\n    1..1\n        KTAP version 1\n        ok 1 a\n"
     "        ok 2 b\n    ok 1 x\nok 1 s\n", (2, 0, 0)),
    ("nested: neither a plan nor a sum", "KTAP version 1\n1..1\n    KTAP version 1\n    ok 1 a\n",
     (1, 2, 0)),
    ("nested: no plan and no test", "1..1\n    KTAP version 1\nok 1 s\n", (1, 1, 0)),
    ("three levels", "1..1\n  1..1\n    1..2\n    ok 1 a\n    ok 2 b\n  ok 1 m\nok 1 s\n", (2, 0, 0)),
    ("kernel log prefix", "[    1.234567] ok 1 a\n[   12.000000] not ok 2 b\n", (1, 1, 0)),
    ("bail out", "1..1\nok 1 a\nBail out! no memory\n", (1, 1, 0)),
    ("words are no results", "ok then\nnot ok\nokay 1\nit is ok 1\ndemo ok: 2 guests\n", (0, 0, 0)),
    ("diagnostics are no results", "# ok 1 a\n# not ok 2 b\n", (0, 0, 0)),
    ("carriage returns", "ok 1 a\r\nnot ok 2 b\r\n", (1, 1, 0)),
)

# name, kernel log, number of splats
LOGS = (
    ("a clean log", "[    1.0] Run /init as init process\n", 0),
    ("WARN()", "[ 1.0] WARNING: CPU: 0 PID: 1 at drivers/x.c:3 f+0x1/0x2\n[ 1.1] Call Trace:\n"
     "[ 1.2] ---[ end trace 0 ]---\n[ 1.3] fine\n", 1),
    ("an oops", "[ 1.0] BUG: kernel NULL pointer dereference\n[ 1.1] Oops: 0002 [#1]\n"
     "[ 1.2] ---[ end trace 0 ]---\n", 1),
    ("two separate ones", "[ 1.0] BUG: a\n[ 1.1] ---[ end trace 0 ]---\n[ 1.2] refcount_t: underflow\n",
     2),
    ("KASAN", "[ 1.0] BUG: KASAN: slab-use-after-free in f\n", 1),
    ("lockdep", "[ 1.0] WARNING: possible circular locking dependency detected\n", 1),
    ("leaks", "[ 9.0] kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)\n", 1),
    ("no leaks", "[ 0.9] kmemleak: Kernel memory leak detector initialized\n", 0),
    ("taint notes are none", "[ 1.0] tessera: module verification failed: tainting kernel\n", 0),
)

# name, kernel log, whether it names our code
DEATHS = (
    ("our function", "[ 1.0]  ? tess_switch+0x1a/0x2f0 [tessera]\n", True),
    ("only loaded", "[ 1.0] Modules linked in: tessera_mdev(OE) tessera(OE) kvm\n"
     "[ 1.1]  ? kvm_arch_vcpu_load+0x75/0xa0 [kvm]\n", False),
)


def tests():
    for name, text, want in KTAP:
        parser = Parser()
        for line in text.splitlines(keepends=True):
            parser.feed(line)
        parser.finish()
        yield "ktap: " + name, (parser.passed, parser.failed, parser.skipped), want
    for name, text, want in LOGS:
        yield "kernel log: " + name, len(splats(text)), want
    for name, text, want in DEATHS:
        yield "kernel log: last words: " + name, names_tessera(text), want


def main():
    failed = 0
    print("TAP version 13")
    for number, (name, got, want) in enumerate(tests(), 1):
        failed += got != want
        print(f"{'ok' if got == want else 'not ok'} {number} {name}")
        if got != want:
            print(f"# got {got}, expected {want}")
    print(f"1..{len(KTAP) + len(LOGS) + len(DEATHS)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
