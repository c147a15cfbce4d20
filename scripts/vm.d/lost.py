# SPDX-License-Identifier: GPL-2.0-or-later
"""Proof that the emulator, and nothing that runs in it, lost a machine.

A machine that stands still or dies may have a mistake of ours behind it: an interrupt that
never came looks from outside as one that the emulator forgot. So only states count that a
processor cannot come to, whatever its memory holds and whatever devices do:

- it is halted, accepts interrupts, has one that it would take, and its thread sleeps;
- it is a guest's, stands in the code of the KVM below it, and its own page tables do not lead
  there: a VM exit left the host's registers in it;
- its KVM says that a VM exit came in the middle of a delivery;
- it is a guest's, and shut down where the KVM below it enters guests and gets back;
- it took an interrupt while it held interrupts off, by its flags, or by KVM's way into a guest and
  back, where the global interrupt flag is clear until KVM sets it;
- it ran the kernel with a GS that belongs to none of its processors.

All of this is only asked of machines that are translated, or whose KVM is.
"""

import re

REGISTER = re.compile(r"\b(RIP|RFL|CPL|HLT|CR3|RSP)=([0-9a-f]+)")
GS_BASE = re.compile(r"^GS =[0-9a-f]{4} ([0-9a-f]{16})")
PROCESSOR = re.compile(r"^CPU#(\d+)")
APIC_ENABLED = re.compile(r"^SPIV\s+\S+ APIC enabled")
PRIORITY = re.compile(r"\bTPR 0x([0-9a-f]+)")
UNREADABLE = "Cannot access memory"
INTERRUPTS_ON = 0x200
DELIVERY = "KVM internal error. Suberror: 3"
# In an oops: what interrupted, and the registers of what it interrupted.
INTERRUPT = re.compile(r"(?<!\? )\basm_(?:sysvec_|common_interrupt)\w*\+0x")
KERNEL_AT = re.compile(r"\bRIP: 0010:(\S+)")
VMRUN = "__svm_vcpu_run+"
FLAGS = re.compile(r"\bEFLAGS: ([0-9a-f]{8})")
KERNEL_GS = re.compile(r"\bGS:([0-9a-f]{16})\(")
FRAME_LINES = 4


class Processor:
    """What a monitor says of a processor.

    slept: its thread has not run for a while before it was asked; code: what is at its
    instruction pointer, by its own page tables.
    """

    def __init__(self, number, lines):
        self.number = number
        self.values = {}
        self.gs = None
        self.apic = []
        self.code = []
        self.slept = False
        for line in lines:
            self.values.update((k, int(v, 16)) for k, v in REGISTER.findall(line))
            found = GS_BASE.search(line)
            self.gs = int(found[1], 16) if found else self.gs

    def __getitem__(self, register):
        return self.values.get(register, 0)

    @property
    def in_kernel(self):
        return "CPL" in self.values and not self["CPL"]

    def vectors(self, name):
        """Interrupts in a register of the controller: IRR, ISR."""
        for line in self.apic:
            words = line.replace("(level)", " ").split()
            if words and words[0] == name:
                return [int(w) for w in words[1:] if w.isdigit()]
        return []

    def deliverable(self):
        """The interrupt that this processor would take now, or 0."""
        if not any(APIC_ENABLED.search(line) for line in self.apic):
            return 0
        task = next((int(m[1], 16) for m in map(PRIORITY.search, self.apic) if m), 0)
        busy = max([task] + self.vectors("ISR"))
        wanted = max(self.vectors("IRR"), default=0)
        return wanted if wanted >> 4 > busy >> 4 else 0

    def forgotten(self):
        """An interrupt that it sleeps through."""
        if self.slept and self["HLT"] and self["RFL"] & INTERRUPTS_ON:
            return self.deliverable()
        return 0

    def strays(self, hypervisor):
        """Whether it stands where only the hypervisor below it has code."""
        return hypervisor is not None and self["RIP"] in hypervisor and \
            any(UNREADABLE in line for line in self.code)


def processors(lines):
    """Read what "info registers -a" printed."""
    starts = [n for n, line in enumerate(lines) if PROCESSOR.match(line)]
    return [Processor(int(PROCESSOR.match(lines[start])[1]), lines[start:end])
            for start, end in zip(starts, starts[1:] + [len(lines)])]


def by_state(cpus, hypervisor=None):
    """What proves of a machine that stands still that it is lost, or None."""
    for cpu in cpus:
        if cpu.forgotten():
            return f"processor {cpu.number} sleeps, halted, with interrupt {cpu.forgotten()} pending"
        if cpu.strays(hypervisor):
            return f"processor {cpu.number} has the host's registers"
    return None


def by_shutdown(addresses, world_switch):
    """The same of where a guest's processors shut down, none of which reported a fault before."""
    for address in addresses:
        if address in world_switch:
            return f"a processor shut down in the host's code, at {address:#x}"
    return None


def by_words(console, emulator="", bases=()):
    """The same of a kernel's last words and those of its emulator.

    bases: what GS may be while a processor runs the kernel; none if that is not known.
    """
    if DELIVERY in emulator:
        return "a VM exit in the middle of a delivery"
    lines = console.splitlines()
    for n, line in enumerate(lines):
        at = KERNEL_AT.search(line)
        if not at:
            continue
        flags = FLAGS.search("\n".join(lines[n:n + FRAME_LINES]))
        if n and INTERRUPT.search(lines[n - 1]) and flags and \
                (at[1].startswith(VMRUN) or not int(flags[1], 16) & INTERRUPTS_ON):
            return f"an interrupt with interrupts held off, at {at[1]}"
    for found in KERNEL_GS.finditer(console) if bases else ():
        if int(found[1], 16) not in bases and oops_in_kernel(console, found.start()):
            return f"the kernel ran with GS {found[1]}, which is no processor's"
    return None


def oops_in_kernel(console, position):
    """Whether the registers printed at a position are those of the kernel itself."""
    places = list(re.finditer(r"\bRIP: (00\w\w):", console[:position]))
    return bool(places) and places[-1][1] == "0010"
