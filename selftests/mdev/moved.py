#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A KVM guest that goes on in other QEMUs with other vGPUs, as TAP; in a host VM with two GPUs.

The guest keeps books of what the GPU does (ledger.c), and runs SGEMM and SHA-256 over and over. It
is sent from QEMU to QEMU by a socket, and through a file, between vGPUs of two GPUs that are composed
otherwise: other slices, fewer, shared. It stays where it is if the other vGPU cannot take it, or if
its QEMU is killed in the middle of what the vGPU sends. If TESSERA_FULL is set another guest does so
while it shows a picture. A guest that the emulator lost, on proof, is replaced by another one, which
begins again.
"""

import glob
import json
import os
import re
import socket
import subprocess
import sys
import threading
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from hostvm import GUESTS, TREE, VM, Tap, give_up, read, said, tell, wait_done, wait_until, write

GPUS = [os.path.basename(g) for g in sorted(glob.glob("/sys/class/tessera/gpu*"))]
SOCKET, RELAY, FILE = "/run/moved.sock", "/run/moved-relay.sock", "/run/moved.vm"
SHOT, PAINTER = "/run/moved.ppm", "out/selftests/mdev/painter"
MOVED = 122
MEMORY = "256M"
FRAME = "max=2 kind=compute memory=2M"
# What the guest finds at its ends, by turns
SHAPES = (f"slices=1 {FRAME} share=shared", f"slices=2 {FRAME}", f"slices=2 {FRAME} share=shared",
          f"slices=1 {FRAME}")
MOVES = int(os.environ.get("TESS_MOVES", "4"))
FULL = bool(os.environ.get("TESSERA_FULL"))
PATIENCE = int(os.environ.get("TESS_PATIENCE", "150"))
# On a kernel with which vGPUs log what they write, QEMU needs no permission to copy all that they have
# pinned ("on"), or does not ask them ("off"). Figures get the name
LOGS = os.environ.get("TESS_LOGS", "")
PROPERTIES = {"": "", "on": ",enable-migration=auto", "off": ",x-device-dirty-page-tracking=off"}
NAME = {"": "moved", "on": "logged", "off": "unlogged"}[LOGS]
TRIES = 3
# QEMU says in its stream: here begin data of a device
DEVICE_DATA = bytes.fromhex("ffffffffef100004")

SCRIPT = f"""
cd {TREE}
own=/run/moved
mkdir $own
examples() {{
	while [ ! -e $own/stop ]; do
		out/examples/sgemm --size 48 --json && out/examples/sha256 --json examples/*.c || return 1
	done
}}
(examples >$own/examples 2>&1; echo $? >$own/status) &
(out/selftests/mdev/ledger $own/stop; echo "done ledger $?") &
until read -r word && [ "$word" = stop ]; do sleep 1; done
: >$own/stop
wait
sed 's/^/examples /' $own/examples
echo "done examples $(cat $own/status)"
rmmod tessera_drm tessera_pci && insmod out/modules/$(uname -r)/tessera_pci.ko &&
	insmod out/modules/$(uname -r)/tessera_drm.ko && out/examples/sgemm --size 48
echo "done anew $?"
"""


def vm(*words, **options):
    return subprocess.run([VM, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, **options)


class Vgpu:
    """A vGPU that a guest can have."""

    def __init__(self, gpu, blueprint, properties=""):
        self.uuid = str(uuid.uuid4())
        self.properties = properties + PROPERTIES[LOGS]
        self.mdev = f"/sys/bus/mdev/devices/{self.uuid}"
        blank = glob.glob("/sys/class/mdev_bus/*/mdev_supported_types/*-blank/create")[0]
        write(blank, self.uuid)
        self.compose(blueprint)
        write(f"{self.mdev}/gpu", gpu)

    def compose(self, blueprint):
        write(f"{self.mdev}/blueprint", blueprint)

    def remove(self):
        write(f"{self.mdev}/remove", 1)


class Qemu:
    """A QEMU with a vGPU, which has the guest or waits for it."""

    count = 0

    def __init__(self, vgpu):
        Qemu.count += 1
        self.vgpu, self.name = vgpu, f"moved{Qemu.count}"

    def start(self, *words):
        """Status, and what was said if it is not 0."""
        done = vm("guest", "--migratable", "--vgpu", self.vgpu.uuid + self.vgpu.properties, "--mem",
                  MEMORY, "--detach", self.name, "--listen", "--timeout", str(6 * PATIENCE), *words)
        return done.returncode, done.stdout

    def must_start(self, *words):
        status, text = self.start(*words)
        if status:
            raise ValueError(f"{self.name} does not start: {text}")
        return self

    def end(self):
        """Its status, and what it said, when it has ended."""
        done = vm("wait", self.name, "--timeout", str(PATIENCE))
        return done.returncode, done.stdout

    def shows(self, picture):
        """Is what it has on its screen one of painter.c's?"""
        monitor = os.path.join(GUESTS, self.name, "monitor")
        subprocess.run(["selftests/mdev/qmp.py", monitor, "screendump",
                        json.dumps({"device": "vgpu0", "head": 0, "filename": SHOT})],
                       cwd=TREE, stdout=subprocess.DEVNULL, check=True)
        want = subprocess.run([PAINTER, str(picture)], cwd=TREE, stdout=subprocess.PIPE, check=True)
        with open(SHOT, "rb") as f:
            return f.read() == want.stdout

    def rounds(self):
        """How far the guest has come, by what it said here."""
        return int((said(self.name, "rounds") or [0])[-1])

    def works(self):
        """The guest gets on, from now on."""
        before = self.rounds()
        wait_until(lambda: self.rounds() >= before + 3, f"{self.name} goes on", PATIENCE)


class Journey:
    """A guest: the QEMU where it is, and figures of how it got there."""

    def __init__(self, vgpu):
        self.at, self.figures = Qemu(vgpu), []

    def begin(self):
        self.at.must_start("--", "sh", "-c", SCRIPT)
        wait_until(self.at.rounds, "the guest works", PATIENCE)

    def go(self, to):
        """To a QEMU that runs already; or ValueError."""
        qemu = Qemu(to).must_start("--incoming", f"unix:{SOCKET}")
        why = self.send(f"unix:{SOCKET}")
        if why is not None:
            raise ValueError(f"it does not go: {why}")
        self.at = qemu

    def send(self, uri):
        """None, or why it did not go."""
        done = vm("move", self.at.name, uri, timeout=4 * PATIENCE)
        if done.returncode:
            return done.stdout
        print(f"# {done.stdout.strip()}", flush=True)
        self.figures.append(json.loads(done.stdout))
        status, text = self.at.end()
        return None if status == MOVED else f"its QEMU ended with {status}: {text}"


def move(tap, journey, to, shape):
    to.compose(shape)
    before = journey.at
    journey.go(to)
    journey.at.works()
    tap.ok(True, f"it goes to {shape!r}")
    tap.ok(read(f"{before.vgpu.mdev}/stats/pinned_pages") == "0", "nothing is pinned where it was")


def refuse(tap, journey, what, blueprint, why):
    """Another frame: the reason is told, and the guest goes on where it is."""
    other = Vgpu(GPUS[1], blueprint)
    qemu = Qemu(other).must_start("--incoming", f"unix:{SOCKET}")
    here, there = journey.send(f"unix:{SOCKET}"), qemu.end()[1]
    tap.ok(here is not None and why in there, f"refused with {what}: {why}", f"{here}\n{there}")
    other.remove()
    journey.at.works()


class Relay(threading.Thread):
    """Passes a stream on until data of a device begin, and some bytes more; then calls over()."""

    def __init__(self, over):
        super().__init__(daemon=True)
        self.over, self.cut = over, False
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(RELAY)
        self.listener.listen()
        self.start()

    def run(self):
        source, _ = self.listener.accept()
        with source, socket.socket(socket.AF_UNIX) as to:
            to.connect(SOCKET)
            end = b""
            while not self.cut:
                data = source.recv(4096)
                if not data:
                    return
                to.sendall(data)
                end = (end + data)[-4096 - len(DEVICE_DATA):]
                self.cut = DEVICE_DATA in end
            self.over()

    def close(self):
        self.listener.close()
        os.unlink(RELAY)


def cut_off(tap, journey, to):
    """The other QEMU is killed while the vGPU's state is on its way."""
    qemu = Qemu(to).must_start("--incoming", f"unix:{SOCKET}")
    relay = Relay(lambda: vm("kill", qemu.name, "-9"))
    why = journey.send(f"unix:{RELAY}")
    tap.ok(why is not None and relay.cut, "the other QEMU is killed in the middle", why)
    relay.close()
    qemu.end()
    journey.at.works()
    tap.ok(True, "it goes on where it is")


def save(tap, journey, shape):
    """Into a file, and back with a vGPU that was composed anew."""
    vgpu = journey.at.vgpu
    why = journey.send(f"file:{FILE}")
    if not tap.ok(why is None, "it is saved", why):
        raise ValueError("it was not saved")
    print(f"# a file of {os.path.getsize(FILE)} bytes")
    vgpu.compose(shape)
    journey.at = Qemu(vgpu)
    status, text = journey.at.start("--incoming", f"file:{FILE}")
    tap.ok(status == 0, f"and restored with {shape!r}", text)
    journey.at.works()
    os.unlink(FILE)


def check_examples(tap, journey):
    status = wait_done(journey.at.name, "examples", PATIENCE)
    text = "\n".join(said(journey.at.name, "examples"))
    right = len(re.findall(r'"ok": true', text))
    tap.ok(status == 0 and right > 1 and not re.search(r'"ok": false', text),
           f"every result is right: {right} of SGEMM and SHA-256", text[-2000:])


def check_ledger(tap, journey):
    status = wait_done(journey.at.name, "ledger", PATIENCE)
    did = json.loads(said(journey.at.name, "ledger")[-1])
    print(f"# {did}")
    tap.ok(status == 0 and did["wrong"] == 0 and did["rounds"] > 0,
           f"{did['dispatches']} dispatches: none lost, none twice, no page wrong",
           "\n".join(said(journey.at.name, "wrong:")))
    print(f"# figure {NAME}_dispatches {did['dispatches']}")
    print(f"# figure {NAME}_wrong {did['wrong']}")


def check_figures(tap, journey):
    moves = journey.figures
    print(f"# figure {NAME}_times {len(moves)}")
    print(f"# figure {NAME}_vfio_bytes_max {max(m['vfio_bytes'] for m in moves)}")
    print(f"# figure {NAME}_ram_bytes_max {max(m['ram_bytes'] for m in moves)}")
    print(f"# figure {NAME}_rounds_max {max(m['rounds'] for m in moves)}")
    # VRAM and the guest's contexts
    tap.ok(all(m["vfio_bytes"] > 100 << 10 for m in moves), f"{len(moves)} times with its vGPU")


def work(tap):
    """A guest that computes."""
    vgpus = [Vgpu(gpu, f"slices=2 {FRAME}") for gpu in GPUS]
    journey = Journey(vgpus[0])
    try:
        journey.begin()
        refuse(tap, journey, "more memory", "slices=2 max=2 kind=compute memory=4M",
               "bytes of VRAM: 4194304 there, 8388608 here")
        refuse(tap, journey, "more vslices", "slices=2 max=3 kind=compute memory=2M",
               "vslices: 2 there, 3 here")
        cut_off(tap, journey, vgpus[1])
        for n in range(MOVES):
            move(tap, journey, vgpus[(n + 1) % 2], SHAPES[n % len(SHAPES)])
        save(tap, journey, SHAPES[0])
        tell(journey.at.name, "stop")
        check_ledger(tap, journey)
        check_examples(tap, journey)
        check_figures(tap, journey)
        tap.ok(wait_done(journey.at.name, "anew", PATIENCE) == 0,
               "drivers that find the vGPU at its last place work")
        status, text = journey.at.end()
        tap.ok(status == 0, "the guest ends in peace", text[-3000:])
    except (OSError, TimeoutError, ValueError) as err:
        return failed(tap, journey, err)
    return None


def picture(tap):
    """What a guest shows goes with it."""
    vgpus = [Vgpu(gpu, "slices=1 kind=render memory=4M heads=1", ",display=on") for gpu in GPUS]
    journey = Journey(vgpus[0])
    try:
        journey.at.must_start("--bare", "--", PAINTER)
        wait_until(lambda: said(journey.at.name, "shown"), "a picture", PATIENCE)
        tap.ok(journey.at.shows(1), "a guest shows a picture")
        journey.go(vgpus[1])
        tap.ok(journey.at.shows(1), "and the same where it goes")
        vgpus[1].compose("heads=2")
        wait_until(lambda: said(journey.at.name, "shown"), "another picture", PATIENCE)
        tap.ok(journey.at.shows(2), "and what it draws there")
        vgpus[1].compose("heads=0")
        status, text = journey.at.end()
        tap.ok(status == 0, "it ends in peace", text[-3000:])
    except (OSError, TimeoutError, ValueError, subprocess.CalledProcessError) as err:
        return failed(tap, journey, err)
    return None


def failed(tap, journey, err):
    """Why it has to be done again, if the emulator lost it."""
    print(f"# {err}")
    lost = give_up(journey.at.name)
    # One that waits for a guest that does not come
    for n in range(1, Qemu.count + 1):
        vm("kill", f"moved{n}", "-9")
        vm("wait", f"moved{n}", "--timeout", "60")
    if not lost:
        tap.ok(False, f"all acts are played: {err}")
    return lost


def slices_free():
    return sum(int(read(f"/sys/class/tessera/{g}/slices_free")) for g in GPUS)


def play(tap, act):
    """All with one guest: why it has to be done again, if the emulator lost it."""
    before = slices_free()
    lost = act(tap)
    for mdev in glob.glob("/sys/bus/mdev/devices/*"):
        write(f"{mdev}/remove", 1)
    tap.ok(slices_free() == before, f"all {before} slices are free again")
    return lost


def main():
    tap = Tap()
    for act in (work, picture) if FULL else (work,):
        for attempt in range(1, TRIES + 1):
            lost = play(tap, act)
            if not lost:
                break
            print(f"# try {attempt} of {TRIES}: emulator lost the guest: {lost}", flush=True)
        else:
            tap.ok(False, "a guest lives to the end")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
