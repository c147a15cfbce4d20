# SPDX-License-Identifier: GPL-2.0-or-later
"""Guests that go on in another QEMU: scripts/vm guest --migratable, --incoming, and move.

A guest that shares a folder with its host cannot leave it. So a migratable guest has what it needs
of the tree on a disk, which is made once in each host VM.
"""

import fcntl
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import hung
import machine
from machine import fail

# What such a guest sees of the tree, besides its modules: as little as it needs, as each file that
# a host VM opens takes its time
PARTS = ("scripts/vm.d/init.sh", "examples/*.[ch]", "out/examples/*", "out/tools/lib/*.so*",
         "out/selftests/mdev/ledger", "out/selftests/mdev/painter", "out/selftests/sched/soak",
         "selftests/opencl/env.sh", "out/tools/opencl/lib*.so", "out/tools/opencl/test_steady",
         "out/tools/opencl/tessera-opencl-entry.o", "out/tools/opencl/tessera-opencl-rt.a")
# Of what is meant by a pattern
OBJECTS = (".o", ".d", ".elf")
IMAGES = "/run/tessera"
# A disk is the same on all hosts with this tree.
ALIKE = ("-T0", "-U7e55e7a0-6c1d-4b6e-9a55-000000000000")
# The monitor answers nothing while the last part of a guest is on its way.
MONITOR_PATIENCE = 300
POLL_S = 0.1
# All memory that the GPU has pinned, and VRAM, goes while the guest stands still, however long.
DOWNTIME_MS = 600 * 1000


class Monitor(hung.Monitor):
    """One that says what was wrong."""

    def __init__(self, path):
        super().__init__(path)
        self.sock.settimeout(MONITOR_PATIENCE)

    def do(self, command, **arguments):
        answer = self.request(command, **arguments)
        if "error" in answer:
            fail(f"{command}: {answer['error'].get('desc')}")
        return answer["return"]

    def close(self):
        self.lines.close()
        self.sock.close()


# ---- the tree ---------------------------------------------------------------

def stage(folder, release, modules):
    """Copy what a guest needs; links stay as they are."""
    for path in (p for part in PARTS for p in glob.glob(part, root_dir=machine.TREE)):
        source, target = os.path.join(machine.TREE, path), os.path.join(folder, path)
        if os.path.isfile(source) and (path in PARTS or not path.endswith(OBJECTS)):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target, follow_symlinks=False)
    into = os.path.join(folder, "out/modules", release)
    os.makedirs(into)
    for name in modules:
        source = os.path.join(machine.TREE, "out/modules", release, name + ".ko")
        if not os.path.exists(source):
            fail(f"{os.path.relpath(source, machine.TREE)} is not built (make modules)")
        shutil.copy(source, into)


def tree_image(release, modules):
    """The disk with the tree for guests of a kernel; several guests may begin at once."""
    path = os.path.join(IMAGES, f"tree-{release}.erofs")
    with open(path + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(path):
            with tempfile.TemporaryDirectory(dir=IMAGES) as folder:
                stage(folder, release, modules)
                if subprocess.run(["mkfs.erofs", "--quiet", *ALIKE, path + ".new", folder],
                                  stdout=subprocess.DEVNULL, check=False).returncode:
                    fail("cannot make the disk with the tree")
            os.rename(path + ".new", path)
    return path


# ---- arriving ---------------------------------------------------------------

def await_incoming(m):
    """Wait until QEMU listens for the guest, or runs it if it comes from a file; or has ended."""
    done = ("running",) if m.opts.incoming.startswith("file:") else ("running", "inmigrate")
    while m.qemu.poll() is None:
        try:
            monitor = Monitor(m.monitor)
        except OSError:
            time.sleep(POLL_S)
            continue
        try:
            if monitor.do("query-status")["status"] in done:
                return
        except (OSError, ValueError):
            pass
        finally:
            monitor.close()
        time.sleep(POLL_S)


def tell_refused(m, uuids):
    """Why vGPUs did not take what came."""
    for uuid in uuids:
        try:
            with open(f"/sys/bus/mdev/devices/{uuid}/last_error") as f:
                m.say(f"vGPU {uuid}: {f.read().strip()}")
        except OSError as e:
            m.say(f"vGPU {uuid}: {e.strerror}")


# ---- leaving ----------------------------------------------------------------

def moved_figures(answer):
    """What is of interest of a migration: a line of JSON."""
    ram = answer.get("ram", {})
    return json.dumps({
        "status": answer["status"], "ram_bytes": ram.get("transferred", 0),
        "vfio_bytes": answer.get("vfio", {}).get("transferred", 0),
        "rounds": ram.get("dirty-sync-count", 0)})


def send(monitor, uri, bandwidth):
    """Returns QEMU's last word about it."""
    monitor.do("migrate-set-parameters", **{"downtime-limit": DOWNTIME_MS,
                                            "max-bandwidth": bandwidth})
    monitor.do("migrate", uri=uri)
    while True:
        answer = monitor.do("query-migrate")
        if answer.get("status") in ("completed", "failed", "cancelled"):
            return answer
        time.sleep(POLL_S)


def move(monitor_path, uri, bandwidth, on_moved):
    """Send a guest and end its QEMU; if it cannot go, it goes on where it is."""
    monitor = Monitor(monitor_path)
    answer = send(monitor, uri, bandwidth)
    print(moved_figures(answer), flush=True)
    if answer["status"] != "completed":
        print(f"vm: not moved: {answer.get('error-desc', answer['status'])}", file=sys.stderr)
        return 1
    on_moved()
    monitor.do("quit")
    return 0
