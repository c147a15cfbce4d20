# SPDX-License-Identifier: GPL-2.0-or-later
"""Two KVM guests on one shared slice, as TAP; runs in the host VM.

Both boot once and go through the same acts: one works beside an idle one, an endless
kernel runs beside random jobs, random jobs run in both at the shortest quantum while their
vGPUs are moved between slices of different kinds, and libtessera's examples in one of
them. What the jobs must leave in memory was recorded on this host's own slices, where
nobody disturbed them.

A guest that stands still as a whole, as a translated KVM lets one now and then, is told from
one that waits for its vGPU by its heartbeat; the acts begin again with new guests then.
"""

import glob
import os
import subprocess
import sys
import time
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from hostvm import (TREE, VM, Tap, gpu, print_console, print_said, read, said, silence, tell,
                    wait_done, wait_until, write)

DIR = os.path.join(TREE, "out", "sched-guests")
SOAK = "out/selftests/sched/soak"
GPU = gpu()
JOBS = 12
# Guests that may stand still, and seconds without a heartbeat that mean it
LOST_MAX, SILENCE_S = 3, 40
WORK_S = int(os.environ.get("TESS_GUEST_SECONDS", "10"))

# An act begins when the guest is told so, and is over when it says "done ACT STATUS"
GUEST = """
cd {tree}
go() {{ read -r word arg && [ "$word" = "$1" ] || exit 3; }}
act() {{ a=$1; shift; "$@" >/run/$a 2>&1 </dev/null; status=$?
	sed -u "s/^/$a /" /run/$a; echo "done $a $status"; }}
while sleep 1; do echo "alive $({{ uptime; grep tessera /proc/interrupts; }} | tr '\\n' ';')"; done &
echo up
{acts}
go end
"""
ALPHA = f"""
go endless; act endless {SOAK} endless $arg
go random; act random {SOAK} check {DIR}/jobs {WORK_S}
"""
BETA = f"""
go beside; act beside {SOAK} check {DIR}/jobs {WORK_S // 2}
go random; act random {SOAK} check {DIR}/jobs {WORK_S}
act lib sh -c 'out/examples/sgemm --size 64 && out/examples/reduce --count 100000 && out/examples/sha256 README.md'
"""


class Guest:
    """A guest with one shared vGPU."""

    def __init__(self, name, acts):
        self.name, self.acts = name, acts
        self.uuid = str(uuid.uuid4())
        types = glob.glob("/sys/class/mdev_bus/*/mdev_supported_types/*-C1S")[0]
        write(os.path.join(types, "create"), self.uuid)
        self.vslice = os.path.join(GPU, "vgpus", self.uuid, "vslice0")

    def boot(self):
        script = GUEST.format(tree=TREE, acts=self.acts)
        subprocess.run([VM, "guest", "--vgpu", self.uuid, "--detach", self.name, "--listen",
                        "--timeout", "400", "--", "sh", "-c", script], check=True)

    def value(self, name):
        return int(read(os.path.join(self.vslice, name)))

    def move(self, number):
        write(os.path.join(self.vslice, "slice"), number)

    def done(self, act, seconds=120):
        """Status of an act, when it is over."""
        status = wait_done(self.name, act, seconds)
        for line in said(self.name, act):
            print(f"# [{self.name}] {line}")
        return status

    def is_done(self, act):
        return any(d.split()[0] == act for d in said(self.name, "done"))

    def silence(self):
        """Seconds since its last heartbeat."""
        return silence(self.name) if said(self.name, "alive") else 0

    def kill(self):
        subprocess.run([VM, "kill", self.name, "-9"], check=False)
        subprocess.run([VM, "wait", self.name, "--timeout", "20"], stdout=subprocess.DEVNULL,
                       check=False)

    def describe(self):
        """What is known of a guest that did not come to an end."""
        values = (f"{os.path.basename(p)}={read(p)}" for p in sorted(glob.glob(f"{self.vslice}/*")))
        print(f"# {self.name}: {' '.join(values)}")
        values = (f"{os.path.basename(p)}={read(p)}"
                  for p in sorted(glob.glob(f"/sys/bus/mdev/devices/{self.uuid}/stats/*")))
        print(f"# {self.name}: {' '.join(values)}, host up {read('/proc/uptime')}")
        print_said(self.name)
        print_console(self.name)

    def remove(self):
        write(f"/sys/bus/mdev/devices/{self.uuid}/remove", 1)


def slice_dir(number):
    return os.path.join(GPU, "slices", f"slice{number}")


def slice_value(number, name):
    return int(read(os.path.join(slice_dir(number), name)))


def of_kind(kind):
    return [n for n in range(int(read(os.path.join(GPU, "slices_total"))))
            if read(os.path.join(slice_dir(n), "kind")) == kind]


def gpu_time():
    return int(read(os.path.join(GPU, "time_cycles")))


def window(guests, cycles, limit=60):
    """Cycles that guests had and waited for, in so much GPU time."""
    def sample():
        return [(g.value("run_cycles"), g.value("wait_cycles")) for g in guests], gpu_time()
    end = time.monotonic() + limit
    before, start = sample()
    while gpu_time() - start < cycles:
        if time.monotonic() > end:
            raise TimeoutError("GPU time stands still")
        time.sleep(0.05)
    after, now = sample()
    return [(a[0] - b[0], a[1] - b[1]) for a, b in zip(after, before)], now - start


def beside_idle(tap, alpha, beta):
    """One works all the time, the other one's driver is loaded and has nothing to do."""
    tell(alpha.name, "endless", 3 * WORK_S)
    before = alpha.value("run_cycles")
    end = time.monotonic() + 60
    while alpha.value("run_cycles") - before < 4000 * 100:
        if time.monotonic() > end:
            raise TimeoutError("the endless kernel does not begin")
        time.sleep(0.1)
    switches = slice_value(alpha.value("slice"), "switches")
    ((busy, _), (idle, _)), cycles = window([alpha, beta], 4000 * 2000)
    switches = slice_value(alpha.value("slice"), "switches") - switches
    print(f"# share {busy / cycles:.4f}, of the idle one {idle / cycles:.4f}, "
          f"{switches} switches in {cycles / 4000:.0f} ms of GPU time")
    tap.ok(busy / cycles >= 0.98, "the busy guest has 98 % of the slice beside an idle one")


def beside_endless(tap, alpha, beta):
    """The first one's kernel does not end; the second one's jobs do, correctly."""
    before = [(g.value("run_cycles"), g.value("wait_cycles")) for g in (alpha, beta)]
    tell(beta.name, "beside")
    status = beta.done("beside")
    run, wait = beta.value("run_cycles") - before[1][0], beta.value("wait_cycles") - before[1][1]
    print(f"# beside an endless kernel: {run / 4000:.0f} ms of work, {wait / 4000:.0f} ms of "
          f"waiting, {run / max(run + wait, 1):.3f} of the time in which it wanted the slice")
    tap.ok(status == 0, "random jobs beside an endless kernel of another guest")
    # Each of its jobs is short, so it is not even made to wait for its whole half
    tap.ok(run / max(run + wait, 1) >= 0.45, "it gets its half")


def random_and_moved(tap, guests):
    """Both run random jobs, preempted as often as can be, on slices of all kinds."""
    home = guests[0].value("slice")
    spots = [home, of_kind("render")[-1], of_kind("mixed")[-1]]
    for number in spots:
        write(os.path.join(slice_dir(number), "quantum_us"), 100)
    before = sum(slice_value(n, "preemptions") for n in spots)
    moves = sum(g.value("moves") for g in guests)
    for guest in guests:
        tell(guest.name, "random")
    start = turn = 0
    while not all(g.is_done("random") for g in guests):
        start = start or time.monotonic()
        if time.monotonic() - start > 150:
            raise TimeoutError("random jobs do not end")
        # On one slice for most of the time, so that there is somebody to be preempted by
        time.sleep(0.5)
        if turn % 2:
            spot = spots[turn // 2 % 3]
            for guest in guests:
                guest.move(spot)
        turn += 1
    preemptions = sum(slice_value(n, "preemptions") for n in spots) - before
    moves = sum(g.value("moves") for g in guests) - moves
    status = [g.done("random") for g in guests]
    lost = sum(g.value("lost") for g in guests)
    print(f"# figure guest_preemptions {preemptions}\n# {moves} moves, {lost} contexts lost")
    for guest, s in zip(guests, status):
        tap.ok(s == 0, f"guest {guest.name}: no job differs")
    tap.ok(preemptions >= 100, f"they were preempted {preemptions} times")
    tap.ok(moves >= 6 and lost == 0, f"they were moved {moves} times, and nothing was lost")
    for number in spots:
        write(os.path.join(slice_dir(number), "quantum_us"), 2000)


def acts(tap, guests):
    alpha, beta = guests
    for guest in guests:
        guest.boot()
    for guest in guests:
        wait_until(lambda name=guest.name: said(name, "up"), f"guest {guest.name} is up", 150)
    if beta.value("slice") != alpha.value("slice"):
        beta.move(alpha.value("slice"))
    beside_idle(tap, alpha, beta)
    beside_endless(tap, alpha, beta)
    tap.ok(alpha.done("endless") == 0, "the endless one was left alone")
    random_and_moved(tap, guests)
    tap.ok(beta.done("lib") == 0, "libtessera's examples in a guest that was moved about")
    for guest in guests:
        tell(guest.name, "end")
        ended = subprocess.run([VM, "wait", guest.name, "--timeout", "60"],
                               stdout=subprocess.DEVNULL, check=False)
        tap.ok(ended.returncode == 0, f"guest {guest.name} ends in peace")


def play(tap):
    """All acts with two new guests; False if one of these stood still."""
    guests = []
    lost = False
    try:
        for name, script in (("alpha", ALPHA), ("beta", BETA)):
            guests.append(Guest(name, script))
        acts(tap, guests)
    except (OSError, TimeoutError, subprocess.CalledProcessError) as err:
        silent = [f"{g.name} for {g.silence():.0f} s" for g in guests if g.silence() > SILENCE_S]
        lost = isinstance(err, TimeoutError) and silent
        if lost:
            print(f"# {err}: no sign of life of guest {', '.join(silent)}", flush=True)
        else:
            tap.ok(False, f"all acts are played: {err}")
        for guest in guests:
            guest.describe()
            guest.kill()
    for guest in guests:
        try:
            guest.remove()
        except OSError as err:
            tap.ok(False, f"vGPU of {guest.name}: {err}")
    return not lost


def main():
    seed = int(os.environ.get("TESS_SEED", time.time()))
    print(f"# TESS_SEED={seed}")
    tap = Tap()
    lost = 0
    while True:
        subprocess.run(["rm", "-rf", DIR], check=True)
        os.makedirs(DIR)
        subprocess.run([SOAK, "record", f"{DIR}/jobs", str(seed), str(JOBS)], check=True, cwd=TREE)
        if play(tap):
            break
        lost += 1
        if lost > LOST_MAX:
            tap.ok(False, f"{lost} times a guest stood still")
            break
    print(f"# figure guests_lost {lost}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
