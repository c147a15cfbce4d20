# SPDX-License-Identifier: GPL-2.0-or-later
"""Stock mdevctl and stock libvirt drive vGPUs; in a host VM with a GPU, as root."""

import subprocess
import sys

sys.dont_write_bytecode = True

from libvirt_test import LibvirtTests  # noqa: E402
from mdevctl_test import TESTS  # noqa: E402
from run import Tap, run, same, start_daemons, stop_daemons, types  # noqa: E402


def mdevctl_tests(tap):
    for title, test in TESTS:
        tap.run("mdevctl: " + title, test)


def libvirt_tests(tap, pool):
    tests = LibvirtTests(pool)
    try:
        for title, test in tests.tests():
            tap.run("libvirt: " + title, test)
    finally:
        tests.close()


def main():
    tap, pool = Tap(), types()
    run("modprobe", "-a", "kvm_amd", "vfio_pci", "vfio_iommu_type1")
    tap.run("libvirt: the daemons start without a service manager", start_daemons)
    # libvirt asks QEMU what it can do, which takes long under emulation
    probe = subprocess.Popen(["virsh", "version"], stdout=subprocess.DEVNULL)
    mdevctl_tests(tap)
    tap.run("libvirt: it knows QEMU", lambda: same(probe.wait(120), 0))
    libvirt_tests(tap, pool)
    tap.run("libvirt: the daemons stop", stop_daemons)
    tap.run("everything is back in the pool", lambda: same(types(), pool))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
