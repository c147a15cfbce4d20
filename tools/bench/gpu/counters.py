# SPDX-License-Identifier: GPL-2.0-or-later
"""What guests cost their host: KVM exits by reason, interrupts, CPU time."""

import glob
import os

from machines import read
from router import TRACING, mount_tracefs

EXIT = os.path.join(TRACING, "events/kvm/kvm_exit")
HIST = "hist:keys=common_pid,exit_reason"

# From KVM's debugfs; what a given kernel does not have is left out.
KVM = ("exits", "mmio_exits", "io_exits", "halt_exits", "irq_exits", "signal_exits",
       "irq_injections", "request_irq_exits", "halt_wakeup", "halt_successful_poll")

# Exit codes of SVM and of VMX (reasons as in the architectures' manuals).
SVM = {0x52: "excp", 0x60: "interrupt", 0x61: "nmi", 0x64: "vintr", 0x6e: "rdtsc",
       0x72: "cpuid", 0x77: "pause", 0x78: "hlt", 0x7b: "io", 0x7c: "msr", 0x81: "vmmcall",
       0x400: "npf"}
VMX = {0: "excp", 1: "interrupt", 7: "vintr", 10: "cpuid", 12: "hlt", 18: "vmcall", 30: "io",
       31: "msr", 32: "msr", 40: "pause", 48: "ept_violation", 49: "ept_misconfig",
       52: "preemption_timer"}


def reasons():
    with open("/proc/cpuinfo") as f:
        return SVM if " svm" in f.read() else VMX


def trace_exits(on):
    """Let the kernel count exits by reason."""
    mount_tracefs()
    trigger = os.path.join(EXIT, "trigger")
    if not os.path.exists(trigger):
        return False
    with open(trigger, "w") as f:
        f.write(("" if on else "!") + HIST)
    return True


def threads(pid):
    return {int(t) for t in os.listdir(f"/proc/{pid}/task")}


def exits_by_reason(pid):
    """{reason: number} of a machine since trace_exits()."""
    names, found = reasons(), {}
    path = os.path.join(EXIT, "hist")
    if not os.path.exists(path):
        return found
    mine = threads(pid)
    for line in read(path).splitlines():
        words = line.replace(",", " ").split()
        if not line.startswith("{") or "common_pid:" not in words:
            continue
        if int(words[words.index("common_pid:") + 1]) not in mine:
            continue
        code = int(words[words.index("exit_reason:") + 1])
        name = names.get(code, f"exit_{code:#x}")
        found[name] = found.get(name, 0) + int(words[words.index("hitcount:") + 1])
    return found


def kvm(pid):
    """KVM's own counters of a machine."""
    found = {}
    for base in glob.glob(f"/sys/kernel/debug/kvm/{pid}-*"):
        for name in KVM:
            for path in (os.path.join(base, name), os.path.join(base, "vcpu0", name)):
                if os.path.exists(path):
                    found[name] = int(read(path))
    return found


def host_cpu_ns():
    """CPU time of this host so far, without what its processors spent as a guest's."""
    words = read("/proc/stat").splitlines()[0].split()[1:]
    user, nice, system, _idle, _iowait, irq, softirq, _steal, guest, guest_nice = \
        (int(w) for w in words[:10])
    ticks = user - guest + nice - guest_nice + system + irq + softirq
    return ticks * 1000000000 // os.sysconf("SC_CLK_TCK")


def all_of(guest, mdev=None):
    """Every counter of a guest, in one dictionary."""
    found = {f"exit_{k}": v for k, v in exits_by_reason(guest.pid).items()}
    found.update(kvm(guest.pid))
    found["host_cpu_ns"] = host_cpu_ns()
    if mdev:
        for name in ("traps", "completions"):
            found[f"mdev_{name}"] = int(read(f"/sys/bus/mdev/devices/{mdev}/stats/{name}"))
    return found


def difference(after, before):
    return {k: after[k] - before.get(k, 0) for k in after}
