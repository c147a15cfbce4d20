// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: KVM on the processor that QEMU translates
 *
 * At a VM exit, hardware leaves what it was about to deliver in EXITINTINFO, or nothing.
 * QEMU's emulation of SVM leaves the guest's last exception there, marked as not valid.
 * KVM up to 6.12 looks at the mark. Newer ones look, before they emulate an access that
 * faulted, only at the type, take the fault for one in the middle of a delivery, and
 * give the guest up at its first access to a device.
 *
 * The check is only made for faults of pages, so KVM is told there that this is none.
 * The function asks nothing else of that bit. Real deliveries that touch a device are
 * not told from others any more; no sane guest has its stack there.
 *
 * scripts/vm loads this into host VMs under TCG, where guests with KVM need it.
 */
#include <linux/kprobes.h>
#include <linux/kvm_host.h>
#include <linux/module.h>

static int tess_kvm_tcg_check(struct kprobe *kp, struct pt_regs *regs)
{
	/* int svm_check_emulate_instruction(vcpu, int emul_type, insn, insn_len) */
	regs->si &= ~EMULTYPE_PF;
	return 0;
}

static struct kprobe tess_kvm_tcg_probe = {
	.symbol_name = "svm_check_emulate_instruction",
	.pre_handler = tess_kvm_tcg_check,
};

static int __init tess_kvm_tcg_init(void)
{
	return register_kprobe(&tess_kvm_tcg_probe);
}

static void __exit tess_kvm_tcg_exit(void)
{
	unregister_kprobe(&tess_kvm_tcg_probe);
}

module_init(tess_kvm_tcg_init);
module_exit(tess_kvm_tcg_exit);

MODULE_DESCRIPTION("Lets KVM run guests on a processor that QEMU translates");
MODULE_LICENSE("GPL");
