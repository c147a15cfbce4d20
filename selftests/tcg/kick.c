// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In a QEMU that translates (LD_PRELOAD): asks its processors to leave their loops, a
 * thousand times a second, as RCU and exclusive sections do now and then. A correct emulation
 * does not mind.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define PERIOD_US 1000
/* The list of processors is not looked at while it grows. test_tcg.sh waits for it */
#define START_S 5

static void *(*get_cpu)(int index);
static void (*kick)(void *cpu);

static void *kick_all(void *arg)
{
	sleep(START_S);
	fprintf(stderr, "kick: begins\n");
	for (;;) {
		void *cpu;

		for (int n = 0; (cpu = get_cpu(n)); n++)
			kick(cpu);
		usleep(PERIOD_US);
	}
	return arg;
}

__attribute__((constructor)) static void start(void)
{
	pthread_t thread;

	get_cpu = (void *(*)(int))dlsym(RTLD_DEFAULT, "qemu_get_cpu");
	kick = (void (*)(void *))dlsym(RTLD_DEFAULT, "tcg_kick_vcpu_thread");
	if (get_cpu && kick && !pthread_create(&thread, NULL, kick_all, NULL))
		return;
	fprintf(stderr, "kick: not a QEMU that can be kicked\n");
}
