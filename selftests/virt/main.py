# SPDX-License-Identifier: GPL-2.0-or-later
"""Stock mdevctl and stock libvirt drive vGPUs; in a host VM with a GPU, as root."""

import sys

sys.dont_write_bytecode = True

from libvirt_test import LibvirtTests  # noqa: E402
from mdevctl_test import TESTS  # noqa: E402
from run import Tap, run, same, start_daemons, stop_daemons, types, virsh  # noqa: E402


def run_tests(tap, tool, tests):
    for title, test in tests:
        tap.run(f"{tool}: {title}", test)


def libvirt_tests(tap, pool):
    tests = LibvirtTests(pool)
    try:
        run_tests(tap, "libvirt", tests.tests())
    finally:
        tests.close()


def main():
    """libvirt first: it is a second behind for each device that mdevctl makes and removes."""
    tap, pool = Tap(), types()
    run("modprobe", "-a", "kvm_amd", "vfio_pci", "vfio_iommu_type1")
    run_tests(tap, "mdevctl", TESTS[:1])
    tap.run("libvirt: the daemons start without a service manager", start_daemons)
    tap.run("libvirt: it knows QEMU", lambda: virsh("version", timeout=300))
    libvirt_tests(tap, pool)
    run_tests(tap, "mdevctl", TESTS[1:])
    tap.run("libvirt: the daemons stop", stop_daemons)
    tap.run("everything is back in the pool", lambda: same(types(), pool))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
