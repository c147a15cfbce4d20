# SPDX-License-Identifier: GPL-2.0-or-later
"""For the tests of stock mdevctl and libvirt: running commands, files of sysfs, daemons."""

import glob
import os
import signal
import subprocess
import sys
import time

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path += [os.path.join(TREE, "selftests", "cli"), os.path.join(TREE, "scripts", "vm.d")]
from cli import Tap, has, same  # noqa: E402, F401
MDEVS = "/sys/bus/mdev/devices"
DAEMONS = ("virtlogd", "libvirtd")
TCP = "/run/libvirtd-tcp.conf"


def read(*parts):
    with open(os.path.join(*parts)) as f:
        return f.read().rstrip("\n")


def run(*argv, status=0, timeout=180, text=None):
    """Run a command to its end; status None: whatever it is. Returns what it printed."""
    done = subprocess.run(argv, input=text, text=True, timeout=timeout,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL if text is None else None)
    if status is not None and done.returncode != status:
        raise AssertionError(f"{' '.join(argv)}: status {done.returncode}, expected {status}\n"
                             f"{done.stdout}")
    return done.stdout


def mdevctl(*argv, **options):
    return run("mdevctl", *argv, **options)


def virsh(*argv, **options):
    return run("virsh", *argv, **options)


def wait_for(what, condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not after {seconds} s")
        time.sleep(0.2)


# ---- the GPU ----

def parent():
    """Address of the GPU that can give vGPUs."""
    for path in glob.glob("/sys/class/mdev_bus/*/mdev_supported_types/tessera_pci-C1"):
        return path.split("/")[4]
    raise AssertionError("no GPU that gives vGPUs")


def types():
    """Available instances of each type."""
    found = {}
    for path in glob.glob(f"/sys/class/mdev_bus/{parent()}/mdev_supported_types/*"):
        found[os.path.basename(path)] = int(read(path, "available_instances"))
    return found


def attr(uuid, name):
    return read(MDEVS, uuid, name)


def exists(uuid):
    return os.path.exists(os.path.join(MDEVS, uuid))


# ---- libvirt without a service manager ----

def pid_of(daemon):
    return int(read(f"/run/{daemon}.pid"))


def running(pid):
    try:
        return read(f"/proc/{pid}/stat").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def start_daemons(listen=False):
    """The image of the environment has no logs, and so not their directories.

    With listen, libvirtd serves everyone who can reach this host by TCP.
    """
    for path in ("/var/log/libvirt/qemu", "/var/cache/libvirt/qemu"):
        os.makedirs(path, exist_ok=True)
    with open(TCP, "w") as f:
        f.write('listen_tls = 0\nlisten_tcp = 1\nauth_tcp = "none"\n')
    for daemon in DAEMONS:
        open_to_all = ("--listen", "--config", TCP) if listen and daemon == "libvirtd" else ()
        run(daemon, "-d", *open_to_all, timeout=300)
    wait_for("libvirt's socket", lambda: os.path.exists("/run/libvirt/libvirt-sock"), 60)


def stop_daemons():
    """libvirtd first, as it logs through virtlogd."""
    for daemon in reversed(DAEMONS):
        pid = pid_of(daemon)
        os.kill(pid, signal.SIGTERM)
        wait_for(f"the end of {daemon}", lambda: not running(pid), 60)
