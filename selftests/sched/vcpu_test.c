// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A virtual processor of KVM touches a doorbell that comes and goes: by the touch itself its
 * vslice gets a turn, and the mapping that KVM just asked for is withdrawn. KVM must not be left
 * without one, as it fails with EFAULT then, which for a VMM is the end of the machine.
 *
 * The guest is a loop of two instructions, so that all it does is that; needs /dev/kvm.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "harness.h"
#include "client.h"

#define QUANTUM_US 200
#define SWITCHES 500
#define CODE_BASE 0x1000u
#define DOORBELL_BASE 0x20000u
#define CODE_BYTES 0x10000u

/**
 * struct vcpu - a guest in real mode
 * @kvm: /dev/kvm
 * @vm: machine
 * @fd: its processor
 * @run: shared with KVM
 * @run_bytes: size of it
 * @code: its memory
 * @thread: runs it
 * @stop: it shall end
 * @error: why it ended by itself, errno of KVM_RUN, or -1: an exit that cannot be
 */
struct vcpu {
	int kvm, vm, fd;
	struct kvm_run *run;
	size_t run_bytes;
	uint8_t *code;
	pthread_t thread;
	bool stop;
	int error;
};

FIXTURE(vcpu)
{
	struct client c[2];
	unsigned int n;
	struct vcpu cpu;
};

static int add_memory(struct vcpu *cpu, unsigned int slot, uint64_t gpa, void *addr, size_t bytes)
{
	struct kvm_userspace_memory_region region = {
		.slot = slot,
		.guest_phys_addr = gpa,
		.memory_size = bytes,
		.userspace_addr = (uintptr_t)addr,
	};

	return ioctl(cpu->vm, KVM_SET_USER_MEMORY_REGION, &region) ? -errno : 0;
}

/* DS leads to the doorbell; registers are as after a reset otherwise */
static int set_registers(struct vcpu *cpu)
{
	struct kvm_regs regs = { .rip = CODE_BASE, .rflags = 2 };
	struct kvm_sregs sregs;

	if (ioctl(cpu->fd, KVM_GET_SREGS, &sregs))
		return -errno;
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	sregs.ds.base = DOORBELL_BASE;
	sregs.ds.selector = DOORBELL_BASE >> 4;
	if (ioctl(cpu->fd, KVM_SET_SREGS, &sregs) || ioctl(cpu->fd, KVM_SET_REGS, &regs))
		return -errno;
	return 0;
}

static int make_memory(struct vcpu *cpu, struct vgpu *v)
{
	/* again: mov eax, [TESS_DOORBELL_WPTR]; jmp again */
	static const uint8_t loop[] = {
		0x66, 0xa1, TESS_DOORBELL_WPTR & 0xff, TESS_DOORBELL_WPTR >> 8, 0xeb, 0xfa
	};
	void *doorbell = vgpu_mmap(v, TESS_BAR_REGS, TESS_DOORBELL_PAGE(0), PAGE);
	int ret;

	cpu->code =
		mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (cpu->code == MAP_FAILED || doorbell == MAP_FAILED)
		return -ENOMEM;
	memcpy(cpu->code + CODE_BASE, loop, sizeof(loop));
	ret = add_memory(cpu, 0, 0, cpu->code, CODE_BYTES);
	return ret ?: add_memory(cpu, 1, DOORBELL_BASE, doorbell, PAGE);
}

static int vcpu_make(struct vcpu *cpu, struct vgpu *v)
{
	int ret;

	cpu->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (cpu->kvm < 0)
		return -errno;
	cpu->vm = ioctl(cpu->kvm, KVM_CREATE_VM, 0);
	if (cpu->vm < 0)
		return -errno;
	cpu->fd = ioctl(cpu->vm, KVM_CREATE_VCPU, 0);
	if (cpu->fd < 0)
		return -errno;
	cpu->run_bytes = ioctl(cpu->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	cpu->run = mmap(NULL, cpu->run_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, cpu->fd, 0);
	if (cpu->run == MAP_FAILED)
		return -errno;
	ret = make_memory(cpu, v);
	return ret ?: set_registers(cpu);
}

static void on_signal(int number)
{
	(void)number;
}

static void *vcpu_loop(void *arg)
{
	struct vcpu *cpu = arg;

	while (!__atomic_load_n(&cpu->stop, __ATOMIC_ACQUIRE) && !cpu->error) {
		if (!ioctl(cpu->fd, KVM_RUN, 0))
			cpu->error = -1;
		else if (errno != EINTR && errno != EAGAIN)
			cpu->error = errno;
	}
	return NULL;
}

static int vcpu_start(struct vcpu *cpu)
{
	/* No SA_RESTART: it ends KVM_RUN */
	struct sigaction act = { .sa_handler = on_signal };

	if (sigaction(SIGUSR1, &act, NULL))
		return -errno;
	return -pthread_create(&cpu->thread, NULL, vcpu_loop, cpu);
}

static void vcpu_end(struct vcpu *cpu)
{
	__atomic_store_n(&cpu->stop, true, __ATOMIC_RELEASE);
	/* Whatever moment it is in, the next entry ends at once */
	cpu->run->immediate_exit = 1;
	pthread_kill(cpu->thread, SIGUSR1);
	pthread_join(cpu->thread, NULL);
}

FIXTURE_SETUP(vcpu)
{
	int slice;

	fresh_start();
	for (self->n = 0; self->n < 2; self->n++)
		ASSERT_EQ(0, client_open(&self->c[self->n], "C1S"));
	slice = clients_together(self->c, 2);
	ASSERT_LE(0, slice);
	ASSERT_EQ(0, slice_set_value(&self->c[0], slice, "quantum_us", QUANTUM_US));
	ASSERT_EQ(0, vcpu_make(&self->cpu, &self->c[0].v));
}

FIXTURE_TEARDOWN(vcpu)
{
	munmap(self->cpu.run, self->cpu.run_bytes);
	close(self->cpu.fd);
	close(self->cpu.vm);
	close(self->cpu.kvm);
	munmap(self->cpu.code, CODE_BYTES);
	while (self->n)
		client_close(&self->c[--self->n]);
}

TEST_F_TIMEOUT(vcpu, touches_a_doorbell_that_comes_and_goes, 150)
{
	long end = now_ms() + 2 * CLIENT_WAIT_MS;
	long long before, switches = 0;

	/* The other one has the slice whenever this one has nothing to do, which is always */
	client_kernel(&self->c[1], TESS_K_LOOP, 8, 64);
	client_fence(&self->c[1]);
	before = client_value(&self->c[0], "vslice0/switches");
	ASSERT_EQ(0, vcpu_start(&self->cpu));
	while (switches < SWITCHES && now_ms() < end &&
	       !__atomic_load_n(&self->cpu.error, __ATOMIC_ACQUIRE)) {
		sleep_ms(10);
		switches = client_value(&self->c[0], "vslice0/switches") - before;
	}
	vcpu_end(&self->cpu);
	TH_LOG("%lld turns", switches);
	EXPECT_EQ(0, self->cpu.error);
	EXPECT_LE(SWITCHES, switches);
}

TEST_HARNESS_MAIN
