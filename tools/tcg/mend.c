// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mends one mistake of QEMU's SVM emulation in the memory of a QEMU that translates a host VM;
 * the program's file stays as it is. scripts/vm loads this library with LD_PRELOAD.
 *
 * VMRUN that injects an interrupt stores the vector in the processor's exception_index,
 * delivers the interrupt itself, and leaves the vector there. Every VM exit and exception
 * overwrites it. But another thread may ask the processor to leave its loop before the next of
 * those: an exclusive section of another processor does, and an RCU grace period that waits for
 * this one. Then the loop takes the vector for a pending exception and delivers the interrupt
 * a second time, in a handler that runs with interrupts disabled.
 *
 * The store serves nothing else: nothing reads exception_index before the delivery, and a fault
 * in the delivery stores its own. So it becomes a no-op. It is found from the names that
 * the program exports, and left alone unless the instructions around it are exactly those that
 * are known: same function, one such place, followed by the call that delivers, and a store
 * to the same field to which cpu_vmexit() stores that a VM exit is pending.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* No function searched here is longer, and the code goes on for so long */
#define SEARCHED 4096
/* In a pattern: any byte */
#define ANY 0x100

/*
 * helper_vmrun(): %rbx is the processor's state, %esi the vector.
 *	mov	%esi,exception_index(%rbx)
 *	movl	$0,exception_is_int(%rbx)
 *	movq	$-1,exception_next_eip(%rbx)
 *	testb	$2,qemu_loglevel(%rip); jne somewhere
 *	mov	$1,%edx; mov %rbx,%rdi; call do_interrupt_x86_hardirq
 */
static const uint16_t vmrun_code[] = {
	0x89, 0xb3, ANY,  ANY,	ANY,  ANY,  0xc7, 0x83, ANY, ANY,  ANY,	 ANY,  0,    0,
	0,    0,    0x48, 0xc7, 0x83, ANY,  ANY,  ANY,	ANY, 0xff, 0xff, 0xff, 0xff, 0xf6,
	0x05, ANY,  ANY,  ANY,	ANY,  0x02, 0x0f, 0x85, ANY, ANY,  ANY,	 ANY,  0xba, 1,
	0,    0,    0,	  0x48, 0x89, 0xdf, 0xe8, ANY,	ANY, ANY,  ANY,
};

/* cpu_vmexit(): movl $EXCP_VMEXIT,exception_index(%rbx) */
static const uint16_t vmexit_code[] = { 0xc7, 0x83, ANY, ANY, ANY, ANY, 0, 1, 0, 0 };

/* Where the displacement of exception_index is in both, and the length of the store. */
#define DISPLACEMENT 2
#define STORE_LEN 6
#define LEN(pattern) (sizeof(pattern) / sizeof((pattern)[0]))
static const uint8_t nop[STORE_LEN] = { 0x66, 0x0f, 0x1f, 0x44, 0, 0 };

static int matches(const uint8_t *code, const uint16_t *pattern, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (pattern[i] != ANY && pattern[i] != code[i])
			return 0;
	return 1;
}

/* The only place from the beginning of the function on that matches, or NULL. */
static uint8_t *find(uint8_t *function, const uint16_t *pattern, size_t len)
{
	uint8_t *found = NULL;

	for (uint8_t *code = function; code < function + SEARCHED; code++) {
		if (!matches(code, pattern, len))
			continue;
		if (found)
			return NULL;
		found = code;
	}
	return found;
}

/* Where the call instruction in front of this address goes. */
static uint8_t *target(const uint8_t *end)
{
	int32_t distance;

	memcpy(&distance, end - sizeof(distance), sizeof(distance));
	return (uint8_t *)end + distance;
}

static const char *mend(void)
{
	uint8_t *vmrun = dlsym(RTLD_DEFAULT, "helper_vmrun");
	uint8_t *vmexit = dlsym(RTLD_DEFAULT, "cpu_vmexit");
	uint8_t *deliver = dlsym(RTLD_DEFAULT, "do_interrupt_x86_hardirq");
	uintptr_t page = sysconf(_SC_PAGESIZE), first, last;
	uint8_t *store, *other;

	if (!vmrun || !vmexit || !deliver)
		return "not a QEMU that can be mended";
	store = find(vmrun, vmrun_code, LEN(vmrun_code));
	other = find(vmexit, vmexit_code, LEN(vmexit_code));
	if (!store || !other || target(store + LEN(vmrun_code)) != deliver ||
	    memcmp(store + DISPLACEMENT, other + DISPLACEMENT, sizeof(int32_t)))
		return "nothing to mend: VMRUN is not the one that is known";

	first = (uintptr_t)store & -page;
	last = ((uintptr_t)store + STORE_LEN - 1) & -page;
	if (mprotect((void *)first, last + page - first, PROT_READ | PROT_WRITE | PROT_EXEC))
		return "cannot be mended: its code is not writable";
	memcpy(store, nop, STORE_LEN);
	mprotect((void *)first, last + page - first, PROT_READ | PROT_EXEC);
	return "VMRUN is mended";
}

/* Before main(), when there is one thread. What the program starts is not to be mended. */
__attribute__((constructor)) static void start(void)
{
	fprintf(stderr, "tcg: %s\n", mend());
	unsetenv("LD_PRELOAD");
}
