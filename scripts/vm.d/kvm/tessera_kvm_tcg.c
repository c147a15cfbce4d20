// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: KVM on the processor that QEMU translates
 *
 * Two mistakes of QEMU's emulation of SVM are kept from KVM. scripts/vm loads this into
 * host VMs under TCG, where guests with KVM need it.
 *
 * *What was about to be delivered.* At a VM exit, hardware leaves in EXITINTINFO what it was
 * about to deliver, or nothing. QEMU leaves the guest's last exception there, marked as not
 * valid. KVM up to 6.12 looks at the mark. Newer ones look, before they emulate an access that
 * faulted, only at the type, take the fault for one in the middle of a delivery, and give the
 * guest up at its first access to a device. The check is only made for faults of pages, so KVM
 * is told there that this is none. The function asks nothing else of that bit. Real deliveries
 * that touch a device are not told from others any more; no sane guest has its stack there.
 *
 * *Interrupts that come twice.* QEMU delivers an interrupt of EVENTINJ at VMRUN, but also notes
 * it as the processor's pending exception, and forgets that note only at the guest's next
 * exception or exit. If the emulator leaves its loop before, for the other processor or for its
 * own housekeeping, it finds the note and delivers the interrupt again, wherever the guest is,
 * whether it takes interrupts there or not: guests stand still with a lock that they hold, or
 * lose their stack. So the processor sends itself an interrupt before a VMRUN that injects one,
 * as KVM does when it wants an exit at once: QEMU looks for interrupts first, after the
 * delivery and before the guest's next instruction, and the exit takes the note away.
 */
#include <linux/kprobes.h>
#include <linux/kvm_host.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <asm/svm.h>

/* void kvm_wait_lapic_expire(vcpu), the last call before VMRUN; interrupts are held off */
static int tess_kvm_tcg_enter(struct kprobe *kp, struct pt_regs *regs)
{
	/* struct vcpu_svm begins with the vcpu, and this pointer */
	const struct vmcb *vmcb = *(struct vmcb **)((struct kvm_vcpu *)regs->di + 1);

	if ((vmcb->control.event_inj & (SVM_EVTINJ_VALID | SVM_EVTINJ_TYPE_MASK)) ==
	    (SVM_EVTINJ_VALID | SVM_EVTINJ_TYPE_INTR))
		arch_smp_send_reschedule(smp_processor_id());
	return 0;
}

/* int svm_check_emulate_instruction(vcpu, int emul_type, insn, insn_len) */
static int tess_kvm_tcg_check(struct kprobe *kp, struct pt_regs *regs)
{
	regs->si &= ~EMULTYPE_PF;
	return 0;
}

static struct kprobe tess_kvm_tcg_entry = {
	.symbol_name = "kvm_wait_lapic_expire",
	.pre_handler = tess_kvm_tcg_enter,
};

static struct kprobe tess_kvm_tcg_emulation = {
	.symbol_name = "svm_check_emulate_instruction",
	.pre_handler = tess_kvm_tcg_check,
};

static struct kprobe *tess_kvm_tcg_probes[] = { &tess_kvm_tcg_entry, &tess_kvm_tcg_emulation };

static int __init tess_kvm_tcg_init(void)
{
	return register_kprobes(tess_kvm_tcg_probes, ARRAY_SIZE(tess_kvm_tcg_probes));
}

static void __exit tess_kvm_tcg_exit(void)
{
	unregister_kprobes(tess_kvm_tcg_probes, ARRAY_SIZE(tess_kvm_tcg_probes));
}

module_init(tess_kvm_tcg_init);
module_exit(tess_kvm_tcg_exit);

MODULE_DESCRIPTION("Lets KVM run guests on a processor that QEMU translates");
MODULE_LICENSE("GPL");
