# SPDX-License-Identifier: GPL-2.0-or-later
"""What guests cost their host: KVM exits by reason, interrupts, CPU time, bytes of VSOCK."""

import glob
import os

from machines import BenchError, read
from router import TRACING, mount_tracefs

EXIT = os.path.join(TRACING, "events/kvm/kvm_exit")
HIST = "hist:keys=common_pid,exit_reason"

# Packets of VSOCK, of which the kernel counts bytes: those that this host gets, and makes
VSOCK = {"sent": os.path.join(TRACING, "events/vsock/virtio_transport_recv_pkt"),
         "received": os.path.join(TRACING, "events/vsock/virtio_transport_alloc_pkt")}
VSOCK_HIST = "hist:keys=src_cid,dst_cid:vals=len"
# Of struct virtio_vsock_hdr
VSOCK_HEADER = 44

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


def trigger(event, hist, on):
    """Let the kernel make a histogram of an event; False if it does not have the event."""
    mount_tracefs()
    path = os.path.join(event, "trigger")
    if not os.path.exists(path):
        return False
    with open(path, "w") as f:
        f.write(("" if on else "!") + hist)
    return True


def trace_exits(on):
    """Let the kernel count exits by reason."""
    return trigger(EXIT, HIST, on)


def trace_vsock(on):
    """Let the kernel count packets of VSOCK, whose modules are loaded."""
    if not all([trigger(event, VSOCK_HIST, on) for event in VSOCK.values()]):
        raise BenchError("this kernel does not tell of packets of VSOCK")


def entries(event):
    """Of a histogram: what follows each name."""
    for line in read(event, "hist").splitlines():
        words = line.replace(",", " ").split()
        if line.startswith("{"):
            yield {k[:-1]: int(v) for k, v in zip(words, words[1:]) if k.endswith(":")}


def vsock(cid):
    """Packets and bytes, with their headers, that a guest sent and received since trace_vsock()."""
    found = {}
    for way, event in VSOCK.items():
        mine = [e for e in entries(event) if cid in (e["src_cid"], e["dst_cid"])]
        packets = sum(e["hitcount"] for e in mine)
        found[f"{way}_packets"] = packets
        found[f"{way}_bytes"] = sum(e["len"] for e in mine) + VSOCK_HEADER * packets
    return found


def threads(pid):
    return {int(t) for t in os.listdir(f"/proc/{pid}/task")}


def exits_by_reason(pid):
    """{reason: number} of a machine since trace_exits()."""
    names, found = reasons(), {}
    if not os.path.exists(os.path.join(EXIT, "hist")):
        return found
    mine = threads(pid)
    for e in entries(EXIT):
        if e.get("common_pid") in mine:
            name = names.get(e["exit_reason"], f"exit_{e['exit_reason']:#x}")
            found[name] = found.get(name, 0) + e["hitcount"]
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
