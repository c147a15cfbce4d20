# SPDX-License-Identifier: GPL-2.0-or-later
"""What a machine that does not come to an end is doing.

Asks the kernel over the serial line (break, then a letter, as on a terminal server)
for blocked tasks and the stacks of its processors, and QEMU for their registers and
interrupt controllers: the first tells about a deadlock in the kernel, the second about a
kernel that does not run at all, or that no interrupt reaches. The stacks of QEMU and of the
GPU models tell about the rest; of a guest, KVM's trace of a moment tells what it does instead
of going on.
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

PATIENCE = 5
STACKS_PATIENCE = 30
TRACING = "/sys/kernel/debug/tracing"
TRACE_S = 0.1
TRACE_LINES = 40
# Log everything, tasks that are blocked, what runs on each processor.
SYSRQ = "8wl"
REGISTERS = ("RIP", "RFL", "HLT", "CPL", "RSP", "CR2")
INTERRUPTS = ("LVTT", "Timer", "ISR", "IRR", "TPR")


class Monitor:
    """A client of QEMU's monitor protocol that waits for answers, not for ever."""

    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(path)
        self.lines = self.sock.makefile("r")
        self.lines.readline()
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        self.sock.sendall(json.dumps({"execute": command, "arguments": arguments}).encode())
        while True:
            line = self.lines.readline()
            if not line:
                raise OSError("the emulator closed its monitor")
            answer = json.loads(line)
            if "return" in answer or "error" in answer:
                return answer.get("return")

    def tell(self, command):
        """Lines that the monitor for people answers."""
        text = self.ask("human-monitor-command", **{"command-line": command}) or ""
        return [line.strip() for line in text.splitlines()]

    def registers(self):
        """A line per processor with what tells whether it runs."""
        return [line for line in self.tell("info registers -a")
                if line.startswith("CPU#") or any(r + "=" in line for r in REGISTERS)]

    def interrupts(self):
        """What each processor's interrupt controller waits for."""
        lines = []
        for cpu in self.ask("query-cpus-fast") or []:
            n = cpu["cpu-index"]
            lines.append(f"APIC of CPU#{n}")
            lines += [line for line in self.tell(f"info lapic {n}")
                      if line.startswith(INTERRUPTS)]
        return lines


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


def look(monitor, is_guest):
    """Lines about the processors as they are."""
    lines = monitor.registers() + monitor.interrupts() + monitor.tell("x /16xb $pc")
    return lines + (kvm_trace() if is_guest else [])


def examine(monitor_path, serial_path, is_guest):
    """Return lines about the processors; the kernel's answer goes to its console.

    Without a serial line the kernel is not asked.
    """
    lines = []
    with contextlib.suppress(OSError, ValueError):
        monitor = Monitor(monitor_path)
        lines = look(monitor, is_guest)
        if serial_path:
            press(monitor, serial_path)
            lines += monitor.registers()
    return lines or ["the emulator does not answer"]


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
