// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs the guest in guest.S with KVM until it was interrupted N times.
 * usage: vmm N SECONDS
 *
 * Ends with 0 if each interrupt came once, 1 if the guest is lost (an interrupt came twice, an
 * exception, or KVM gives up), 2 if KVM does not work here, 3 if time was up before.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

#define CPUID_ENTRIES 100

extern const char guest_code[], guest_tick[], guest_bad[], guest_end[];

struct gate {
	uint16_t low, selector, type, middle;
	uint32_t high, zero;
};

struct idt_pointer {
	uint16_t limit;
	uint64_t base;
} __attribute__((packed));

/* Nothing, 64-bit code, data */
static const uint64_t gdt[] = { 0, 0x00af9b000000ffff, 0x00cf93000000ffff };

static char *memory;
static struct kvm_run *shared;
static int vcpu;

static void fatal(const char *what)
{
	fprintf(stderr, "vmm: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int kvm(int fd, unsigned long request, void *arg, const char *what)
{
	int ret = ioctl(fd, request, arg);

	if (ret < 0)
		fatal(what);
	return ret;
}

static uint64_t counter(uint64_t address)
{
	return *(volatile uint64_t *)(memory + address);
}

static void fill_memory(void)
{
	struct gate *idt = (struct gate *)(memory + GUEST_IDT);
	struct idt_pointer pointer = { .limit = 256 * sizeof(*idt) - 1, .base = GUEST_IDT };

	memcpy(memory + GUEST_CODE, guest_code, guest_end - guest_code);
	/* The first 2 MiB, as they are */
	*(uint64_t *)(memory + GUEST_PML4) = GUEST_PDPT | 3;
	*(uint64_t *)(memory + GUEST_PDPT) = GUEST_PD | 3;
	*(uint64_t *)(memory + GUEST_PD) = 0x83;
	for (int n = 0; n < 256; n++)
		idt[n] = (struct gate){
			.low = GUEST_CODE +
			       ((n == GUEST_VECTOR ? guest_tick : guest_bad) - guest_code),
			.selector = 8,
			.type = 0x8e00,
		};
	memcpy(memory + GUEST_GDT, gdt, sizeof(gdt));
	memcpy(memory + GUEST_IDT_POINTER, &pointer, sizeof(pointer));
}

static void set_registers(void)
{
	struct kvm_regs regs = { .rip = GUEST_CODE, .rsp = GUEST_STACK, .rflags = 2 };
	struct kvm_segment code = {
		.limit = ~0u, .selector = 8, .present = 1, .type = 11, .s = 1, .l = 1, .g = 1
	};
	struct kvm_segment data = {
		.limit = ~0u, .selector = 16, .present = 1, .type = 3, .s = 1, .db = 1, .g = 1
	};
	struct kvm_sregs sregs;

	kvm(vcpu, KVM_GET_SREGS, &sregs, "KVM_GET_SREGS");
	sregs.cr0 = 0x80010033; /* PG, WP, NE, ET, MP, PE */
	sregs.cr3 = GUEST_PML4;
	sregs.cr4 = 0x20; /* PAE */
	sregs.efer = 0x500; /* LMA, LME */
	sregs.gdt.base = GUEST_GDT;
	sregs.gdt.limit = sizeof(gdt) - 1;
	sregs.cs = code;
	sregs.ds = sregs.es = sregs.fs = sregs.gs = sregs.ss = data;
	kvm(vcpu, KVM_SET_SREGS, &sregs, "KVM_SET_SREGS");
	kvm(vcpu, KVM_SET_REGS, &regs, "KVM_SET_REGS");
}

/* Let the guest have all that KVM can do. */
static void set_cpuid(int dev)
{
	struct kvm_cpuid2 *cpuid;

	cpuid = calloc(1, sizeof(*cpuid) + CPUID_ENTRIES * sizeof(cpuid->entries[0]));
	if (!cpuid)
		fatal("no memory");
	cpuid->nent = CPUID_ENTRIES;
	kvm(dev, KVM_GET_SUPPORTED_CPUID, cpuid, "KVM_GET_SUPPORTED_CPUID");
	kvm(vcpu, KVM_SET_CPUID2, cpuid, "KVM_SET_CPUID2");
	free(cpuid);
}

static void create(void)
{
	struct kvm_userspace_memory_region region = { .memory_size = GUEST_MEMORY };
	int dev = open("/dev/kvm", O_RDWR | O_CLOEXEC), vm, size;

	if (dev < 0)
		fatal("/dev/kvm");
	memory = mmap(NULL, GUEST_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (memory == MAP_FAILED)
		fatal("no memory");
	fill_memory();

	vm = kvm(dev, KVM_CREATE_VM, NULL, "KVM_CREATE_VM");
	kvm(vm, KVM_CREATE_IRQCHIP, NULL, "KVM_CREATE_IRQCHIP");
	region.userspace_addr = (uintptr_t)memory;
	kvm(vm, KVM_SET_USER_MEMORY_REGION, &region, "KVM_SET_USER_MEMORY_REGION");
	vcpu = kvm(vm, KVM_CREATE_VCPU, NULL, "KVM_CREATE_VCPU");
	size = kvm(dev, KVM_GET_VCPU_MMAP_SIZE, NULL, "KVM_GET_VCPU_MMAP_SIZE");
	shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	if (shared == MAP_FAILED)
		fatal("vCPU");
	set_cpuid(dev);
	set_registers();
}

static int lost(const char *why)
{
	struct kvm_sregs sregs = {};
	struct kvm_regs regs = {};

	ioctl(vcpu, KVM_GET_REGS, &regs);
	ioctl(vcpu, KVM_GET_SREGS, &sregs);
	printf("lost after %llu interrupts: %s; rip %#llx rsp %#llx rflags %#llx cr3 %#llx\n",
	       (unsigned long long)counter(GUEST_TICKS), why, regs.rip, regs.rsp, regs.rflags,
	       sregs.cr3);
	return 1;
}

static int run(uint64_t wanted, time_t seconds)
{
	time_t end = time(NULL) + seconds;

	for (;;) {
		if (ioctl(vcpu, KVM_RUN, NULL) < 0 && errno != EINTR)
			return lost("KVM_RUN fails");
		if (counter(GUEST_TWICE))
			return lost("an interrupt came twice");
		if (counter(GUEST_BAD))
			return lost("an exception");
		if (shared->exit_reason != KVM_EXIT_IO)
			return lost("KVM gives up");
		if (counter(GUEST_TICKS) >= wanted) {
			printf("%llu interrupts, each came once\n",
			       (unsigned long long)counter(GUEST_TICKS));
			return 0;
		}
		if (time(NULL) >= end) {
			printf("only %llu interrupts\n", (unsigned long long)counter(GUEST_TICKS));
			return 3;
		}
	}
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: vmm N SECONDS\n");
		return 2;
	}
	create();
	return run(strtoull(argv[1], NULL, 0), strtoul(argv[2], NULL, 0));
}
