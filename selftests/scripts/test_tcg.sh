#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What scripts/vm mends in a QEMU that translates (tools/tcg), as TAP: that it finds the mistake in
# the environment's QEMU, and that a KVM guest gets each interrupt once, whatever the processors
# of its host VM are asked to do. Without the mend the same guest is lost soon.

. scripts/ktap.sh
mend=$PWD/out/tools/tcg/mend.so
# Interrupts; seconds that they may take
interrupts=5000
patience=150

mends()
{
	LD_PRELOAD=$mend qemu-system-x86_64 --version >out/tcg-out 2>&1 &&
		grep -q '^tcg: VMRUN is mended$' out/tcg-out
}

spares()
{
	LD_PRELOAD=$mend /bin/true 2>out/tcg-out &&
		grep -q '^tcg: not a QEMU that can be mended$' out/tcg-out
}

# Seconds: not before kick.c begins, also where a host VM boots in less
later=6

# guest MEND: status of a guest in a host VM whose processors leave their loops all the time
guest()
{
	TESSERA_ACCEL=tcg TESSERA_TCG_MEND=$1 TESSERA_TCG_PRELOAD=$PWD/out/selftests/tcg/kick.so \
		scripts/vm host --bare --gpus 0 --timeout 300 --allow-splat -- \
		sh -c "modprobe kvm_amd || exit 2; sleep $later; out/selftests/tcg/vmm $interrupts $patience"
}

ktap_begin
check "the environment's QEMU is mended" mends
check "another program is left alone" spares
expect "a guest gets each interrupt once" 0 guest 1
expect "without the mend some come twice" 1 guest 0
ktap_end
