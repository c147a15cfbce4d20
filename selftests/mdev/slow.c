// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file system of one file, whose reads are answered when the test says so. Whoever touches a
 * private mapping of the file waits until then, in the kernel and without a way out, with the
 * memory map of its process read-locked. So the server is a process of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "patience.h"
#include "slow.h"
#include "vgpu.h"

#define NODE_FILE 2
#define NAME "memory"
/* Of the VM: where the memory is, what is stored there, and how long that may take */
#define VM_GPA 0x600000000ULL
#define VM_WORD 0x51051051
#define VM_MS 20000
#define BUFFER_BYTES (FUSE_MIN_READ_BUFFER + (128 << 10))

static void answer(int fuse, uint64_t unique, int error, const void *data, size_t size)
{
	struct fuse_out_header out = { sizeof(out) + size, error, unique };
	struct iovec iov[2] = { { &out, sizeof(out) }, { (void *)data, size } };

	/* Fails if nobody waits for it any more */
	if (writev(fuse, iov, 2) < 0 && errno != ENOENT)
		_exit(1);
}

static struct fuse_attr attr_of(const struct slow *s, uint64_t node)
{
	struct fuse_attr attr = { .ino = node, .nlink = 1, .blksize = PAGE };

	attr.mode = node == NODE_FILE ? S_IFREG | 0600 : S_IFDIR | 0700;
	attr.size = node == NODE_FILE ? s->size : 0;
	return attr;
}

static void answer_read(struct slow *s, int fuse, const struct fuse_in_header *in)
{
	const struct fuse_read_in *read_in = (const void *)(in + 1);
	static char zero[BUFFER_BYTES];

	__atomic_store_n(&s->asked, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&s->released, __ATOMIC_ACQUIRE))
		usleep(1000);
	answer(fuse, in->unique, read_in->size > sizeof(zero) ? -EIO : 0, zero,
	       read_in->size > sizeof(zero) ? 0 : read_in->size);
}

static void serve(struct slow *s, int fuse, const struct fuse_in_header *in)
{
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
				      .minor = 31,
				      .max_write = PAGE };
	struct fuse_entry_out entry = { .nodeid = NODE_FILE,
					.attr_valid = 3600,
					.entry_valid = 3600 };
	struct fuse_attr_out attr = { .attr_valid = 3600 };
	struct fuse_open_out open_out = { .open_flags = FOPEN_KEEP_CACHE };

	switch (in->opcode) {
	case FUSE_INIT:
		answer(fuse, in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		entry.attr = attr_of(s, NODE_FILE);
		answer(fuse, in->unique, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		attr.attr = attr_of(s, in->nodeid);
		answer(fuse, in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		answer(fuse, in->unique, 0, &open_out, sizeof(open_out));
		break;
	case FUSE_READ:
		answer_read(s, fuse, in);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(fuse, in->unique, -ENOSYS, NULL, 0);
	}
}

static void __attribute__((noreturn)) run_server(struct slow *s, int fuse)
{
	static char buf[BUFFER_BYTES] __attribute__((aligned(8)));

	/* Without it whoever waits gets an error */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		ssize_t n = read(fuse, buf, sizeof(buf));

		if (n >= (ssize_t)sizeof(struct fuse_in_header))
			serve(s, fuse, (const void *)buf);
		else if (n >= 0 || (errno != EINTR && errno != ENOENT && errno != EAGAIN))
			_exit(0);
	}
}

static int mount_it(struct slow *s)
{
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[64];

	if (fuse < 0)
		return -1;
	snprintf(s->dir, sizeof(s->dir), "/tmp/slow.XXXXXX");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	if (mkdtemp(s->dir) && !mount("slow", s->dir, "fuse", MS_NOSUID | MS_NODEV, options))
		return fuse;
	close(fuse);
	return -1;
}

struct slow *slow_start(size_t size)
{
	struct slow *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t server;
	int fuse;

	if (s == MAP_FAILED)
		return NULL;
	s->size = size;
	fuse = mount_it(s);
	if (fuse < 0) {
		munmap(s, sizeof(*s));
		return NULL;
	}
	snprintf(s->path, sizeof(s->path), "%s/" NAME, s->dir);
	/* Both processes share what @s is */
	server = fork();
	if (!server)
		run_server(s, fuse);
	s->server = server;
	close(fuse);
	return s;
}

void *slow_map(struct slow *s)
{
	int fd = open(s->path, O_RDONLY | O_CLOEXEC);
	void *mem;

	if (fd < 0)
		return MAP_FAILED;
	mem = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	return mem;
}

bool slow_wait(struct slow *s, long ms)
{
	long end = now_ms() + ms;

	while (!__atomic_load_n(&s->asked, __ATOMIC_ACQUIRE)) {
		if (now_ms() > end)
			return false;
		usleep(1000);
	}
	return true;
}

static void __attribute__((noreturn)) run_vm(struct slow *s, const char *uuid)
{
	void *mem = slow_map(s);
	struct vgpu v;
	struct ring r;
	long end;

	if (mem == MAP_FAILED || vgpu_open(&v, uuid) || vgpu_map(&v, mem, VM_GPA, s->size, true))
		_exit(2);
	ring_start(&r, &v, 0);
	ring_fill(&r, VM_GPA, 64, VM_WORD);
	ring_fence(&r, false);
	while (!__atomic_load_n(&s->released, __ATOMIC_ACQUIRE))
		usleep(1000);
	end = now_ms() + VM_MS * patience();
	while (r.rec->seq != r.seq && reg32(&v, TESS_REG_ID) == TESS_ID_VALUE && now_ms() < end)
		usleep(1000);
	_exit(r.rec->seq != r.seq || *(volatile uint32_t *)mem != VM_WORD);
}

pid_t slow_vm_start(struct slow *s, const char *uuid)
{
	pid_t pid = fork();

	if (!pid)
		run_vm(s, uuid);
	return pid;
}

void slow_release(struct slow *s)
{
	__atomic_store_n(&s->released, true, __ATOMIC_RELEASE);
}

void slow_end(struct slow *s)
{
	slow_release(s);
	umount2(s->dir, MNT_DETACH);
	kill(s->server, SIGKILL);
	waitpid(s->server, NULL, 0);
	rmdir(s->dir);
	munmap(s, sizeof(*s));
}
