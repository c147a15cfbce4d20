# SPDX-License-Identifier: GPL-2.0-or-later
"""What a machine that does not come to an end is doing.

Asks the kernel over the serial line (break, then a letter, as on a terminal server)
for blocked tasks and the stacks of its processors, and QEMU for their registers and
interrupt controllers: the first tells about a deadlock in the kernel, the second about a
kernel that does not run at all, or that no interrupt reaches. The stacks of QEMU and of the
GPU models tell about the rest; of a guest, KVM's trace of a moment tells what it does instead
of going on. lost.py tells from all that whether the emulator is to blame.
"""

import contextlib
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import time

import lost

PATIENCE = 5
STACKS_PATIENCE = 30
TRACING = "/sys/kernel/debug/tracing"
TRACE_S = 0.1
TRACE_LINES = 40
# Log everything, tasks that are blocked, what runs on each processor.
SYSRQ = "8wl"
REGISTERS = ("RIP", "RFL", "HLT", "CPL", "RSP", "CR2", "GS ")
INTERRUPTS = ("LVTT", "Timer", "SPIV", "ISR", "IRR", "APR")
# A processor sleeps if its thread does not run for so long.
SLEEP_S = 2
# Of KVM's own trace: exits of guests whose processors shut down (a fault in a double fault)
SHUTDOWNS = os.path.join(TRACING, "instances/shutdowns")
SVM_EXIT_SHUTDOWN = 0x7f
SHUTDOWN = re.compile(r"\(\s*(\d+)\) .*kvm_exit: .*\breason shutdown rip 0x([0-9a-f]+)")
VMRUN = "__svm_vcpu_run"
# An idle processor of a machine that waits for an answer is found soon.
IDLE_TRIES, IDLE_S = 5, 0.02


class Monitor:
    """A client of QEMU's monitor protocol that waits for answers, not for ever."""

    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(path)
        self.lines = self.sock.makefile("r")
        self.lines.readline()
        self.ask("qmp_capabilities")

    def request(self, command, **arguments):
        """The answer: an object with "return" or "error"."""
        self.sock.sendall(json.dumps({"execute": command, "arguments": arguments}).encode())
        while True:
            line = self.lines.readline()
            if not line:
                raise OSError("the emulator closed its monitor")
            answer = json.loads(line)
            if "return" in answer or "error" in answer:
                return answer

    def ask(self, command, **arguments):
        return self.request(command, **arguments).get("return")

    def tell(self, command, **arguments):
        """Lines that the monitor for people answers."""
        text = self.ask("human-monitor-command", **{"command-line": command}, **arguments) or ""
        return [line.strip() for line in text.splitlines()]

    def processors(self):
        """The processors, and lines with what tells whether they run."""
        lines = self.tell("info registers -a")
        shown = [line for line in lines
                 if line.startswith("CPU#") or any(r + "=" in line for r in REGISTERS)]
        return lost.processors(lines), shown

    def threads(self):
        """The thread of each processor."""
        return {cpu["cpu-index"]: cpu["thread-id"] for cpu in self.ask("query-cpus-fast") or []}

    def surroundings(self, cpu):
        """Add what a processor's interrupt controller waits for, and the code where it stands."""
        cpu.apic = [line for line in self.tell(f"info lapic {cpu.number}")
                    if line.startswith(INTERRUPTS)]
        cpu.code = self.tell("x /16xb $pc", **{"cpu-index": cpu.number})
        return [f"APIC of CPU#{cpu.number}"] + cpu.apic + cpu.code


def ran(threads):
    """How long the threads that sleep have run, exactly; none where the kernel does not say."""
    times = {}
    for n, thread in threads.items():
        with contextlib.suppress(OSError):
            with open(f"/proc/{thread}/stat") as f:
                asleep = f.read().rpartition(")")[2].split()[0] == "S"
            with open(f"/proc/{thread}/schedstat") as f:
                times.update({n: f.read().split()[0]} if asleep else {})
    return times


def sleepers(monitor):
    """Processors whose threads do not run. Whoever asks for registers may wake them up."""
    threads = monitor.threads()
    before = ran(threads)
    time.sleep(SLEEP_S)
    after = ran(threads)
    return {n for n in after if before.get(n) == after[n]}


def hypervisor():
    """Where the code of this machine's KVM is."""
    with contextlib.suppress(OSError), open("/proc/modules") as f:
        for line in f:
            words = line.split()
            if words[0] == "kvm_amd" and int(words[5], 16):
                return range(int(words[5], 16), int(words[5], 16) + int(words[1]))
    return None


def kernel_bases(monitor_path, number):
    """GS of the processors of a machine that waits, as the kernel has it; empty if not all say."""
    bases = {}
    with contextlib.suppress(OSError, ValueError):
        monitor = Monitor(monitor_path)
        for _ in range(IDLE_TRIES):
            for cpu in monitor.processors()[0]:
                if cpu.in_kernel and cpu["HLT"] and cpu.gs:
                    bases[cpu.number] = cpu.gs
            if len(bases) == number:
                return set(bases.values())
            time.sleep(IDLE_S)
    return set()


def press(monitor, serial):
    """Type the keys; the answer is on the console."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(PATIENCE)
        line.connect(serial)
        for key in SYSRQ:
            monitor.ask("chardev-send-break", id="console")
            time.sleep(0.3)
            line.sendall(key.encode())
            time.sleep(1)


def kvm_trace():
    """What KVM of this machine did last in a moment: why its guests leave and enter."""
    enable = os.path.join(TRACING, "events/kvm/enable")
    try:
        with open(enable, "w") as f:
            f.write("1")
        time.sleep(TRACE_S)
        with open(enable, "w") as f:
            f.write("0")
        with open(os.path.join(TRACING, "trace")) as f:
            return [line.strip() for line in f.readlines()[-TRACE_LINES:]]
    except OSError:
        return []


def trace_shutdowns():
    """Let KVM of this machine note where guests stand that shut down; their registers are gone then."""
    with contextlib.suppress(OSError):
        os.makedirs(SHUTDOWNS, exist_ok=True)
        for leaf, value in (("options/record-tgid", "1"),
                            ("events/kvm/kvm_exit/filter", f"exit_reason == {SVM_EXIT_SHUTDOWN}"),
                            ("events/kvm/kvm_exit/enable", "1")):
            with open(os.path.join(SHUTDOWNS, leaf), "w") as f:
                f.write(value)


def shutdowns(pid):
    """Instruction pointers at which processors of this emulator's guest shut down."""
    with contextlib.suppress(OSError), open(os.path.join(SHUTDOWNS, "trace")) as f:
        return [int(m[2], 16) for m in map(SHUTDOWN.search, f) if m and int(m[1]) == pid]
    return []


def world_switch():
    """Where this machine's KVM enters guests and gets back; empty if that is not known."""
    with contextlib.suppress(OSError), open("/proc/kallsyms") as f:
        symbols = [line.split()[:3] for line in f]
        starts = sorted(int(address, 16) for address, kind, _ in symbols if kind in "tT")
        for address, _, name in symbols:
            start = int(address, 16)
            if name == VMRUN and start:
                return range(start, next((s for s in starts if s > start), start))
    return range(0)


def look(monitor, is_guest):
    """Lines about the processors as they are, and what proves that they are lost."""
    asleep = sleepers(monitor)
    cpus, lines = monitor.processors()
    for cpu in cpus:
        cpu.slept = cpu.number in asleep
        lines += monitor.surroundings(cpu)
        lines += [f"its thread does not run for {SLEEP_S} s"] if cpu.slept else []
    proof = lost.by_state(cpus, hypervisor() if is_guest else None)
    return lines + (kvm_trace() if is_guest else []), proof


def examine(monitor_path, serial_path, is_guest):
    """Return lines about the processors, and proof that the emulator lost them, or None.

    The kernel's answer goes to its console. Without a serial line the kernel is not asked.
    """
    lines, proof = [], None
    with contextlib.suppress(OSError, ValueError):
        monitor = Monitor(monitor_path)
        lines, proof = look(monitor, is_guest)
        if serial_path:
            press(monitor, serial_path)
            lines += monitor.processors()[1]
    return lines or ["the emulator does not answer"], proof


def in_kernel(pid):
    """Where the kernel holds each thread of a process; all there is of one that is ending."""
    lines = []
    for task in sorted(glob.glob(f"/proc/{pid}/task/*"), key=lambda t: int(os.path.basename(t))):
        with contextlib.suppress(OSError):
            with open(os.path.join(task, "stat")) as f:
                name, state = re.search(r"\((.*)\) (\S)", f.read()).groups()
            lines.append(f"{name} ({os.path.basename(task)}), state {state}")
            with open(os.path.join(task, "stack")) as f:
                lines += ["  " + line.rstrip() for line in f]
    return lines


def stacks(pid):
    """The stacks of a process's threads; where no debugger can look, those in the kernel."""
    if not shutil.which("gdb"):
        return ["no debugger here for the stacks"] + in_kernel(pid)
    command = ["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "set debuginfod enabled off",
               "-ex", "thread apply all backtrace 16"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, errors="replace",
                              timeout=STACKS_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return [f"the debugger cannot stop process {pid}"] + in_kernel(pid)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("Thread ", "#"))]
    return lines or in_kernel(pid)
