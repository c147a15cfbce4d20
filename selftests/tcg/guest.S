/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that is interrupted all the time, by its timer and by itself, and looks in the handler
 * whether interrupts were enabled where it was interrupted. 64-bit code for any address;
 * vmm.c made page tables, stack and interrupt table.
 */
#include "guest.h"

	.section .note.GNU-stack, "", @progbits
	.section .rodata
	.globl	guest_code, guest_tick, guest_bad, guest_end

	.macro	write_msr msr, value
	mov	$\msr, %ecx
	mov	$\value, %eax
	xor	%edx, %edx
	wrmsr
	.endm

guest_code:
	lidt	GUEST_IDT_POINTER
	/* x2APIC on, then its timer, every 300 us */
	mov	$0x1b, %ecx
	rdmsr
	or	$0xc00, %eax
	wrmsr
	write_msr 0x80f, 0x1ff
	write_msr 0x83e, 0xb
	write_msr 0x832, (0x20000 | GUEST_VECTOR)
	write_msr 0x838, 300000
	sti
0:	mov	$16, %ebp
1:	write_msr 0x83f, GUEST_VECTOR
	mov	$1, %eax
	cpuid
	hlt
	dec	%ebp
	jnz	1b
	/* Tell the VMM that there is something to look at */
	mov	$GUEST_PORT, %edx
	out	%eax, (%dx)
	jmp	0b

guest_tick:
	push	%rax
	push	%rcx
	push	%rdx
	incq	GUEST_TICKS
	testl	$0x200, 40(%rsp)
	jnz	2f
	incq	GUEST_TWICE
2:	write_msr 0x80b, 0
	pop	%rdx
	pop	%rcx
	pop	%rax
	iretq

	/* An exception */
guest_bad:
	incq	GUEST_BAD
	mov	$GUEST_PORT, %edx
	out	%eax, (%dx)
	jmp	guest_bad
guest_end:
