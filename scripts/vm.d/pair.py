# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/vm pair: two host VMs that share a network.

A process for each of them. The second VM runs a command that waits for the end of a pipe, which the
first process holds, so that it ends in peace with it, however that one ends.
"""

import copy
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback

import host
import remote
from machine import INFRASTRUCTURE, Failure

FIRST, SECOND = remote.NAMES
# Boots may take long where the emulator translates two VMs at once
COMING_S = 300
# What the second one needs for its end
ENDING_S = 90
# libvirt tells hosts apart by this
UUID = "7e55e7a0-6c1d-4b6e-9a55-00000000000{}"
LOST = signal.SIGUSR1
# The first one's command begins when the second one can run commands, too.
AFTER = f'"$0" on --wait {COMING_S} {SECOND} -- true </dev/null && exec "$@"'


def network_args(folder, name):
    """A cable: each end has a socket, and needs no connection before it boots.

    Large frames, as each one costs an emulated exit.
    """
    n = remote.NAMES.index(name) + 1
    other = remote.NAMES[n % 2]
    return ["-uuid", UUID.format(n),
            "-netdev", f"dgram,id=pair,local.type=unix,local.path={folder}/{name},"
            f"remote.type=unix,remote.path={folder}/{other}",
            "-device", f"virtio-net-pci,netdev=pair,mac=52:54:00:00:00:0{n},host_mtu=9000,"
            "romfile=,disable-legacy=on"]


def options(opts, folder, name, command):
    """Those of one of the two."""
    mine = copy.copy(opts)
    mine.pair, mine.command = name, command
    mine.qemu_arg = opts.qemu_arg + network_args(folder, name)
    gpus = opts.gpus * len(host.BACKENDS[opts.backend])
    if len(opts.model_args) == 2 * gpus:
        first = gpus * remote.NAMES.index(name)
        mine.model_args = opts.model_args[first:first + gpus]
    if name == SECOND:
        # Its time is that of the first one
        mine.interactive, mine.listen, mine.timeout = False, True, 0
        for path in ("qmp", "keep_log"):
            if getattr(opts, path):
                setattr(mine, path, f"{getattr(opts, path)}.{SECOND}")
    return mine


class Second:
    """The process of the second VM."""

    def __init__(self, opts, folder):
        self.opts = options(opts, folder, SECOND, ["sh", "-c", "read -r end"])
        self.machine = None
        self.told = False
        self.ended, self.end = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.end)
            self.live()
        os.close(self.ended)

    def live(self):
        """Never returns."""
        status = INFRASTRUCTURE
        threading.Thread(target=self.await_end, daemon=True).start()
        try:
            status = host.run(self.opts, self.prepare)
        except Failure as e:
            print(f"vm: {SECOND}: {e}", file=sys.stderr, flush=True)
        except SystemExit as e:
            self.told, status = True, e.code
        except Exception:
            traceback.print_exc()
        finally:
            if not self.told:
                os.kill(os.getppid(), LOST)
            os._exit(status)

    def prepare(self, m):
        m.name = SECOND
        self.machine = m

    def await_end(self):
        while os.read(self.ended, 1):
            pass
        self.told = True
        try:
            port = os.open(self.machine.path("in.in"), os.O_RDWR | os.O_NONBLOCK)
            os.write(port, b"end\n")
        except (AttributeError, OSError):
            os.kill(os.getpid(), signal.SIGTERM)

    def stop(self):
        """Its status, when it has ended."""
        os.close(self.end)
        deadline = time.monotonic() + ENDING_S
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            if deadline and time.monotonic() > deadline:
                print(f"vm: {SECOND}: does not end", file=sys.stderr, flush=True)
                os.kill(self.pid, signal.SIGTERM)
                deadline = None
            time.sleep(0.05)


def run(opts):
    """Status of the command; that of the second VM, if only that is bad."""
    machines, lost = [], []
    signal.signal(LOST, lambda *_: lost.append(True))
    os.makedirs("/run/tessera-vm", mode=0o1777, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="pair-", dir="/run/tessera-vm")
    opts.accel = host.choose_accel()

    def prepare(m):
        m.name = FIRST
        m.give_up_on(LOST)
        m.given_up = bool(lost)
        machines.append(m)

    vm = os.path.join(host.TREE, "scripts/vm")
    first = options(opts, folder, FIRST, ["sh", "-c", AFTER, vm, *opts.command])
    second = None
    status = INFRASTRUCTURE
    try:
        second = Second(opts, folder)
        status = host.run(first, prepare)
    finally:
        other = second.stop() if second else 0
        shutil.rmtree(folder, ignore_errors=True)
    if lost or any(m.given_up for m in machines):
        print(f"vm: pair: {SECOND} ended before CMD, with status {other}", file=sys.stderr)
        return other or INFRASTRUCTURE
    return status or other
