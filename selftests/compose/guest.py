# SPDX-License-Identifier: GPL-2.0-or-later
"""A KVM guest that works while its vGPU is composed anew, as TAP; runs in the host VM.

The guest runs one long-lived program whose dispatches depend on each other (guest_work),
and SGEMM and SHA-256 over and over, while other slices and other kinds of slices are given
to its vGPU at random: more, fewer, those of the other GPU, at once one after the other, or
when the guest has seen the last change. Then, undisturbed, it multiplies on one slice and on
four. A guest that the emulator lost, on proof, is replaced by another one, which begins again.
"""

import glob
import json
import os
import random
import subprocess
import sys
import time
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from hostvm import TREE, VM, Tap, give_up, read, said, tell, wait_done, wait_until, write

NAME = "composed"
DIR = os.path.join(TREE, "out", "compose-guest")
BIN = "out/selftests/compose"
GPUS = sorted(glob.glob("/sys/class/tessera/gpu*"))
CHANGES = int(os.environ.get("TESS_RECOMPOSITIONS", "12"))
MEMORY = "4M"
# A busy machine emulates a processor that emulates a processor
PATIENCE = 90
TRIES = 3

# Says "seen N" (guest_work), "done WHAT STATUS", and results behind the name of what they are of
SCRIPT = f"""
cd {TREE}
own=/run/composed
mkdir $own
examples() {{
	while [ ! -e $own/stop ]; do
		out/examples/sgemm --size 48 --json && out/examples/sha256 --json {DIR}/input* || return 1
	done
}}
(examples >$own/examples 2>&1; echo $? >$own/status) &
({BIN}/guest_work {BIN}/guest_kernel.elf $own/stop; echo "done work $?") &
while read -r word slices generation; do
	case $word in
	stop)
		: >$own/stop
		wait
		sed 's/^/examples /' $own/examples
		echo "done examples $(cat $own/status)" ;;
	sgemm)
		until [ "$(cat /sys/bus/pci/drivers/tessera_pci/*/generation)" -ge "$generation" ]; do
			sleep 0.2
		done
		out/examples/sgemm --size 128 --repeat 3 --no-verify --json >$own/sgemm 2>&1 </dev/null
		status=$?
		sed "s/^/sgemm$slices /" $own/sgemm
		echo "done sgemm$slices $status" ;;
	end) exit 0 ;;
	esac
done
"""


class Guest:
    """A guest with one vGPU whose shape is written to sysfs."""

    def __init__(self):
        self.uuid = str(uuid.uuid4())
        self.mdev = f"/sys/bus/mdev/devices/{self.uuid}"
        blank = glob.glob("/sys/class/mdev_bus/*/mdev_supported_types/*-blank/create")[0]
        write(blank, self.uuid)
        self.slices, self.kind = 2, "compute"
        self.compose(2, "compute")

    def compose(self, slices, kind):
        write(f"{self.mdev}/blueprint",
              f"slices={slices} min=1 max=4 kind={kind} memory={MEMORY}")
        self.slices, self.kind = slices, kind

    def gpu(self):
        """Directory of the GPU that carries it."""
        return f"/sys/class/tessera/{read(f'{self.mdev}/gpu')}"

    def go_to_other_gpu(self):
        write(f"{self.mdev}/gpu", next(os.path.basename(g) for g in GPUS if g != self.gpu()))

    def generation(self):
        words = dict(w.split("=", 1) for w in read(f"{self.mdev}/composition").split() if "=" in w)
        return int(words["generation"])

    def boot(self):
        subprocess.run([VM, "guest", "--vgpu", self.uuid, "--detach", NAME, "--listen",
                        "--timeout", str(320 + 4 * CHANGES), "--", "sh", "-c", SCRIPT], check=True)

    def wait_seen(self):
        """Wait until the guest's driver follows what was composed last."""
        wait_until(lambda: int(said(NAME, "seen")[-1]) >= self.generation(), "the guest sees it",
                   PATIENCE)

    def done(self, what, seconds=PATIENCE):
        return wait_done(NAME, what, seconds)

    def describe(self):
        """What is known of a guest that did not come to an end."""
        for name in ("blueprint", "composition", "last_error"):
            print(f"# {name}: " + read(f"{self.mdev}/{name}").replace("\n", " | "))
        for path in sorted(glob.glob(f"{self.gpu()}/vgpus/{self.uuid}/vslice*")):
            values = (f"{f}={read(os.path.join(path, f))}" for f in sorted(os.listdir(path)))
            print(f"# {os.path.basename(path)}: {' '.join(values)}")

    def remove(self):
        write(f"{self.mdev}/remove", 1)


def change_at_random(guest, dice):
    """Another GPU, now and then; another number of slices, or another kind."""
    if dice.randrange(5) == 0:
        guest.go_to_other_gpu()
        return True
    slices, kind = dice.randint(1, 4), dice.choice(("compute", "mixed"))
    if (slices, kind) == (guest.slices, guest.kind):
        slices = slices % 4 + 1
    guest.compose(slices, kind)
    return False


def recompose(guest, dice):
    """All kinds of changes, every other one awaited."""
    guest.wait_seen()
    first = guest.generation()
    awaited = transfers = 0
    for n in range(CHANGES):
        transfers += change_at_random(guest, dice)
        # 0: on top of the one before, before anybody can have adapted
        time.sleep(dice.choice((0, 0.2, 1)))
        if n % 2 or n == CHANGES - 1:
            guest.wait_seen()
            awaited += 1
    print(f"# {CHANGES} recompositions, {transfers} of them to the other GPU, generations {first} "
          f"to {guest.generation()}")
    print(f"# figure guest_recompositions {guest.generation() - first}")
    print(f"# figure guest_transfers {transfers}")
    return awaited


def results_of(name):
    """What examples printed: JSON objects, one behind the other."""
    text, decoder, results = "\n".join(said(NAME, name)).strip(), json.JSONDecoder(), []
    while text:
        value, end = decoder.raw_decode(text)
        results.append(value.get("result", value))
        text = text[end:].lstrip()
    return results


def check_examples(tap, guest):
    status = guest.done("examples")
    results = results_of("examples") if status == 0 else []
    right = [r for r in results if r["ok"] and r["verified"] and not r["mismatches"]]
    counts = {name: sum(r["name"] == name for r in right) for name in ("sgemm", "sha256")}
    used = sorted({r["slices"] for r in right})
    tap.ok(status == 0 and len(right) == len(results) and min(counts.values()) > 0,
           f"every result is right: {counts['sgemm']} SGEMM, {counts['sha256']} SHA-256, "
           f"on {used} slices")


def check_work(tap, guest, awaited):
    status = guest.done("work")
    print(f"# {said(NAME, 'work')}")
    work = json.loads(said(NAME, "work")[-1]) if status == 0 else {}
    if work:
        print(f"# figure guest_dispatches {work['dispatches']}")
        print(f"# figure guest_mismatches {work['mismatches']}")
    tap.ok(status == 0 and work["mismatches"] == 0,
           f"{work.get('dispatches')} dispatches that depend on each other: none lost, none twice")
    tap.ok(work.get("last") == guest.generation() and work["generations"] > awaited,
           f"the guest followed {work.get('generations')} generations to the last one")
    tap.ok(work.get("uevents", 0) >= awaited and work["changes"] > 0,
           f"its user space was told: {work.get('uevents')} uevents, {work.get('changes')} times "
           "by the library")
    used = [n for n in range(1, 5) if work.get("slice_counts", 0) >> n & 1]
    tap.ok(len(used) >= 3, f"the program used what there was: {used} slices")


def scale(tap, guest):
    """SGEMM on one slice and on four of the same kind."""
    cycles = {}
    for n in (1, 4):
        guest.compose(n, "compute")
        tell(NAME, "sgemm", n, guest.generation())
        tap.ok(guest.done(f"sgemm{n}") == 0, f"SGEMM with {n} slices")
        result = results_of(f"sgemm{n}")[-1]
        cycles[n] = result["best_cycles"]
        tap.ok(result["slices"] == n, f"it used {result['slices']}: {cycles[n]} cycles")
    ratio = cycles[1] / max(cycles[4], 1)
    print(f"# figure guest_scale_4_over_1 {ratio:.3f}")
    tap.ok(ratio >= 3.6, f"four slices do {ratio:.2f} times the work of one")


def acts(tap, guest, dice):
    guest.boot()
    wait_until(lambda: said(NAME, "seen"), "the guest works", 200)
    awaited = recompose(guest, dice)
    tell(NAME, "stop")
    check_work(tap, guest, awaited)
    check_examples(tap, guest)
    scale(tap, guest)
    tell(NAME, "end")
    ended = subprocess.run([VM, "wait", NAME, "--timeout", str(PATIENCE)],
                           stdout=subprocess.DEVNULL, check=False)
    tap.ok(ended.returncode == 0, "the guest ends in peace")


def slices_free():
    return sum(int(read(f"{g}/slices_free")) for g in GPUS)


def play(tap, dice):
    """All acts with one guest: why it has to be done again, if the emulator lost it."""
    before = slices_free()
    guest, lost = Guest(), None
    try:
        acts(tap, guest, dice)
    except (OSError, TimeoutError, ValueError, subprocess.CalledProcessError) as err:
        print(f"# {err}")
        guest.describe()
        lost = give_up(NAME)
        if not lost:
            tap.ok(False, f"all acts are played: {err}")
    guest.remove()
    tap.ok(slices_free() == before, f"all {before} slices are free again")
    return lost


def main():
    subprocess.run(["rm", "-rf", DIR], check=True)
    os.makedirs(DIR)
    seed = int(os.environ.get("TESS_SEED", time.time()))
    print(f"# TESS_SEED={seed}")
    dice = random.Random(seed)
    for n in range(3):
        with open(f"{DIR}/input{n}", "wb") as f:
            f.write(dice.randbytes(3000 + 4000 * n))
    tap = Tap()
    for attempt in range(1, TRIES + 1):
        lost = play(tap, dice)
        if not lost:
            return tap.end()
        print(f"# try {attempt} of {TRIES}: emulator lost the guest: {lost}", flush=True)
    tap.ok(False, "a guest lives to the end")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
