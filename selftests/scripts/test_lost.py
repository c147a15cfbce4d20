# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of what counts as proof that the emulator lost a machine, as TAP.

RECORDED are machines as scripts/vm printed them. The others differ from those in what is
said of them only; where it says so they are made after what was seen of a lost machine.
"""

import os
import sys

sys.dont_write_bytecode = True
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TREE, "selftests/lib"), os.path.join(TREE, "scripts/vm.d")]

import lost  # noqa: E402
from tap import Tap  # noqa: E402

# A KVM guest that sleeps; so does one that waits for an interrupt that no device raises.
RECORDED_GUEST = """\
CPU#0
RSI=0000000000000087 RDI=000000000000182c RBP=ffffffff82c10940 RSP=ffffffff82c03e88
RIP=ffffffff81d0fa3f RFL=00000212 [----A--] CPL=0 II=0 A20=1 SMM=0 HLT=1
GS =0000 ffff88801f000000 00000000 00000000
CR0=80050033 CR2=00007f74f97bccd0 CR3=0000000005738000 CR4=00750ef0
APIC of CPU#0
LVTTHMR\t 0x00010000 active-hi edge  masked                      Fixed  (vec 0)
LVTT\t 0x000400ec active-hi edge                 tsc-deadline Fixed  (vec 236)
Timer\t DCR=0x0 (divide by 2) initial_count = 0 current_count = 0
SPIV\t 0x000001ff APIC enabled, focus=off, spurious vec 255
ISR\t (none)
IRR\t (none)
APR 0x00 TPR 0x10 DFR 0x0f LDR 0x00 PPR 0x10
ffffffff81d0fa3f: 0xc3 0xcc 0xcc 0xcc 0xcc 0x66 0x66 0x2e
"""
# Its kernel at work, with interrupts held off
RECORDED_BUSY = """\
CPU#0
RSI=0000000000000000 RDI=ffffffff838aede0 RBP=ffffffff8379b272 RSP=ffffc90000003e58
RIP=ffffffff818c298b RFL=00000002 [-------] CPL=0 II=0 A20=1 SMM=0 HLT=0
GS =0000 ffff88801f000000 00000000 00000000
CR0=80050033 CR2=00007f94d90cbcd0 CR3=0000000005738000 CR4=00750ef0
"""
# A host VM that is asked what its processors do
RECORDED_TRACE = """\
[  149.863651] CPU: 1 UID: 0 PID: 0 Comm: swapper/1 Not tainted 6.12.117+deb13-amd64 #1
[  149.863896] Call Trace:
[  149.864067]  <IRQ>
[  149.864423]  nmi_cpu_backtrace.cold+0x19/0x68
[  149.865703]  __handle_irq_event_percpu+0x47/0x190
[  149.865766]  common_interrupt+0x80/0xa0
[  149.865899]  </IRQ>
[  149.865914]  <TASK>
[  149.865922]  asm_common_interrupt+0x26/0x40
[  149.866010] RIP: 0010:pv_native_safe_halt+0xf/0x20
[  149.866142] Code: 09 c3 cc cc cc cc 0f 1f 44 00 00 90 90 90 90 90 90 90 90 90 90 90 90
[  149.866196] RSP: 0018:ffffc900000c3ed8 EFLAGS: 00010206
[  149.866560] RAX: 0000000000000001 RBX: 0000000000000000 RCX: 0000000000000001
[  149.866664]  default_idle+0x9/0x20
"""
WORLD_SWITCH = range(0xffffffffc05f19a0, 0xffffffffc05f1b90)
KVM_AMD = range(0xffffffffc05e2000, 0xffffffffc05e2000 + 229376)
RIP = "RIP=ffffffff81d0fa3f"
# Made after what was seen of guests with the host's registers
STRAY = RECORDED_GUEST.replace(RIP, "RIP=ffffffffc05f1a3c").replace("HLT=1", "HLT=0").replace(
    "ffffffff81d0fa3f: 0xc3 0xcc 0xcc 0xcc 0xcc 0x66 0x66 0x2e",
    "ffffffffc05f1a3c: Cannot access memory")
PENDING = RECORDED_GUEST.replace("IRR\t (none)", "IRR\t 236")
# Made after a host VM's panic: an interrupt right behind VMRUN, GS still the guest's
BEHIND_VMRUN = RECORDED_TRACE.replace("pv_native_safe_halt+0xf/0x20", "__svm_vcpu_run+0x98/0x150") \
    .replace("EFLAGS: 00010206", "EFLAGS: 00010046")
# Recorded of another one, with the calls above left out
BEHIND_VMEXIT = """\
[  261.934539]  sysvec_apic_timer_interrupt+0xe/0x90
[  261.934567]  asm_sysvec_apic_timer_interrupt+0x1a/0x20
[  261.934581] RIP: 0010:__svm_vcpu_run+0xa0/0x220 [kvm_amd]
[  261.934672] Code: 88 01 00 00 4c 8b af 90 01 00 00 4c 8b b7 98 01 00 00 4c 8b bf a0 01
[  261.934683] RSP: 0018:ffffc90000923900 EFLAGS: 00010246
[  261.934697] RAX: 0000000106a6b000 RBX: 00007f54e3df2800 RCX: 00000000cd0cea52
"""
OOPS = """\
[   88.1] BUG: unable to handle page fault for address: ffffffff00000010
[   88.1] RIP: {at}
[   88.1] RSP: 0018:ffffc900000c3ed8 EFLAGS: 00010046
[   88.1] FS:  00007f0e5a7f8640(0000) GS:{gs}(0000) knlGS:0000000000000000
"""
BASES = {0xffff88803e800000, 0xffff88803e900000}
OURS, GUESTS = "ffff88803e900000", "ffff88801f000000"
IN_KERNEL, IN_USER = "0010:tess_switch+0x1a/0x2f0 [tessera]", "0033:0x7f0e5a8f8640"


def state(text, slept=True, is_guest=True):
    """What is proven of a machine in this state."""
    lines = text.splitlines()
    cpus = lost.processors(lines)
    for cpu in cpus:
        cpu.slept = slept
        cpu.apic = lines
        cpu.code = lines
    return lost.by_state(cpus, KVM_AMD if is_guest else None)


def words(console="", emulator="", bases=BASES):
    return lost.by_words(console, emulator, bases)


# name, what is proven
LOST = (
    ("a guest with the host's registers", state(STRAY)),
    ("an interrupt that a halted processor sleeps through", state(PENDING)),
    ("the same in a host VM", state(PENDING, is_guest=False)),
    ("a level-triggered one", state(PENDING.replace("IRR\t 236", "IRR\t 33 36(level)"))),
    ("an interrupt with interrupts held off", words(BEHIND_VMRUN)),
    ("the same, held off by the global flag alone", words(BEHIND_VMEXIT)),
    ("the kernel with the GS of a guest", words(OOPS.format(at=IN_KERNEL, gs=GUESTS))),
    ("a VM exit in the middle of a delivery",
     words(emulator="KVM internal error. Suberror: 3\nextra data[0]: 0x800000ec\n")),
    ("a guest that shut down in the host's code",
     lost.by_shutdown([0xffffffffc05f1a3c], WORLD_SWITCH)),
)
ALIVE = (
    ("a guest that waits for an interrupt that no device raises", state(RECORDED_GUEST)),
    ("a kernel that holds interrupts off for ever", state(RECORDED_BUSY)),
    ("one that halts with interrupts off", state(PENDING.replace("RFL=00000212", "RFL=00000012"))),
    ("an interrupt that has just come to a processor that runs", state(PENDING, slept=False)),
    ("one that the processor does not take yet", state(PENDING.replace("TPR 0x10", "TPR 0xf0"))),
    ("one behind another that is served", state(PENDING.replace("ISR\t (none)", "ISR\t 237"))),
    ("a controller that is off", state(PENDING.replace("APIC enabled", "APIC disabled"))),
    ("a guest that stands in code of its own at such an address",
     state(STRAY.replace("Cannot access memory", "0xeb 0xfe"))),
    ("one that jumped to nowhere", state(STRAY.replace("RIP=ffffffffc05f", "RIP=ffffffffd05f"))),
    ("a host VM is nobody's guest", state(STRAY, is_guest=False)),
    ("no answer", state("")),
    ("a trace of an idle processor", words(RECORDED_TRACE)),
    ("a stale line in a trace", words(BEHIND_VMRUN.replace("asm_common", "? asm_common"))),
    ("an interrupt with the flag set, elsewhere",
     words(BEHIND_VMEXIT.replace("__svm_vcpu_run", "svm_vcpu_run"))),
    ("an oops in code of ours", words(OOPS.format(at=IN_KERNEL, gs=OURS))),
    ("an oops with a GS that nobody knows", words(OOPS.format(at=IN_KERNEL, gs=GUESTS), bases=())),
    ("registers of a program", words(OOPS.format(at=IN_USER, gs="00007f0e5a7f8640"))),
    ("a guest that shut down in its own code",
     lost.by_shutdown([0xffffffff81d0fa3f, 0xffffffffc05f1b90], WORLD_SWITCH)),
    ("one whose host does not tell where it enters guests",
     lost.by_shutdown([0xffffffffc05f1a3c], range(0))),
    ("an instruction that KVM cannot emulate", words(emulator="KVM internal error. Suberror: 1\n")),
)


def main():
    tap = Tap()
    for name, proof in LOST:
        tap.ok(proof is not None, f"lost: {name}: {proof}")
    for name, proof in ALIVE:
        tap.ok(proof is None, f"no proof: {name}", proof)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
