// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "patience.h"
#include "vmm.h"

#define CLOSE_MS 10000

void vmm_hang(struct vgpu *v)
{
	unsigned int i;

	for (i = 0; i < v->vslices; i++) {
		struct ring r;

		ring_start(&r, v, i);
		ring_fill(&r, DATA_GPA + (i + 1) * (1 << 20), 1 << 20, i);
		/* What never comes */
		ring_await(&r, DATA_GPA);
		ring_fence(&r, true);
	}
}

static void work(const char *uuid, int ready)
{
	struct vgpu v;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(0);
	if (vgpu_open(&v, uuid))
		_exit(1);
	vmm_hang(&v);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

pid_t vmm_start(const char *uuid)
{
	int pipes[2];
	pid_t pid;
	char c;

	if (pipe(pipes))
		return -1;
	pid = fork();
	if (!pid)
		work(uuid, pipes[1]);
	close(pipes[1]);
	if (pid > 0 && read(pipes[0], &c, 1) != 1)
		pid = -1;
	close(pipes[0]);
	return pid;
}

void vmm_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int vmm_open_again(struct vgpu *v, const char *uuid)
{
	long end = now_ms() + CLOSE_MS * patience();
	int ret;

	while ((ret = vgpu_open(v, uuid)) == -EBUSY && now_ms() < end)
		usleep(5000);
	return ret;
}
