// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The server's side of /dev/tessera-user, on a device that is made up here: its system calls are
 * those below (-Wl,--wrap). What others do while the server makes one is done in read_fake().
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/tessera_user.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "tap.h"
#include "tessera/hw/tess_regs.h"
#include "user_dev.h"

#define PATH "/dev/tessera-user"
#define FD 1000
#define PAGE 4096
#define VRAM_BYTES (2u << 20)
#define SLICES 2
#define CTX_OP (TESS_HOST_PAGE(0) + TESS_HREG_CTX_OP)
#define DOORBELL(n) (TESS_DOORBELL_PAGE(n) + TESS_DOORBELL_WPTR)

int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off);
ssize_t __wrap_read(int fd, void *buf, size_t len);
ssize_t __wrap_write(int fd, const void *buf, size_t len);
void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off);
ssize_t __real_write(int fd, const void *buf, size_t len);

/* What happens while the server is in read(), and what it finds; nothing if @op is 0 */
struct step {
	unsigned int slice;
	uint64_t store;
	struct tessera_user_request req;
};

static struct {
	const struct step *steps;
	unsigned int nr_steps;
	uint8_t *doorbells;
	uint32_t replied;
	struct {
		uint32_t at;
		uint64_t val;
	} writes[8];
	unsigned int nr_writes;
} fake;

static _Atomic uint64_t *doorbell(unsigned int slice)
{
	return (_Atomic uint64_t *)(fake.doorbells + slice * PAGE + TESS_DOORBELL_WPTR);
}

int __wrap_open(const char *path, int flags, ...)
{
	(void)flags;
	errno = ENOENT;
	return strcmp(path, PATH) ? -1 : FD;
}

int __wrap_close(int fd)
{
	(void)fd;
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	(void)fd;
	(void)request;
	return 0;
}

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	void *p;

	if (fd != FD)
		return __real_mmap(addr, len, prot, flags, fd, off);
	p = __real_mmap(NULL, len, off == TESSERA_USER_BUS ? PROT_NONE : prot,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (off == TESSERA_USER_DOORBELLS && p != MAP_FAILED) {
		fake.doorbells = p;
		for (unsigned int i = 0; i < SLICES; i++)
			*doorbell(i) = TESSERA_USER_NO_DOORBELL;
	}
	return p;
}

ssize_t __wrap_read(int fd, void *buf, size_t len)
{
	const struct step *s = fake.steps;

	(void)fd;
	errno = EAGAIN;
	if (!fake.nr_steps || len < sizeof(s->req))
		return -1;
	fake.nr_steps--;
	fake.steps++;
	*doorbell(s->slice) = s->store;
	if (!s->req.op)
		return -1;
	memcpy(buf, &s->req, sizeof(s->req));
	return sizeof(s->req);
}

ssize_t __wrap_write(int fd, const void *buf, size_t len)
{
	const struct tessera_user_reply *reply = buf;

	if (fd != FD)
		return __real_write(fd, buf, len);
	fake.replied = reply->tag;
	return (ssize_t)len;
}

static uint64_t reg_read(void *opaque, uint32_t off, unsigned int size)
{
	(void)opaque;
	(void)off;
	(void)size;
	return 0;
}

static void reg_write(void *opaque, uint32_t off, uint64_t val, unsigned int size)
{
	(void)opaque;
	(void)size;
	if (fake.nr_writes == sizeof(fake.writes) / sizeof(fake.writes[0]))
		return;
	fake.writes[fake.nr_writes].at = off;
	fake.writes[fake.nr_writes++].val = val;
}

static void flush(void *opaque)
{
	(void)opaque;
}

static void log_event(void *opaque, bool trouble, const char *msg)
{
	(void)opaque;
	printf("# %s%s\n", trouble ? "trouble: " : "", msg);
}

static const struct user_dev_ops ops = {
	.reg_read = reg_read,
	.reg_write = reg_write,
	.flush = flush,
	.log = log_event,
};

static bool wrote(unsigned int n, uint32_t at, uint64_t val)
{
	return n < fake.nr_writes && fake.writes[n].at == at && fake.writes[n].val == val;
}

static void poll_steps(struct user_dev *d, const struct step *steps, unsigned int n)
{
	fake.steps = steps;
	fake.nr_steps = n;
	fake.nr_writes = 0;
	fake.replied = 0;
	ok(!user_dev_poll(d), "the server looks");
}

/* A client stores to its doorbell, and then the kernel asks for an exchange of clients */
static void test_store_before_request(struct user_dev *d)
{
	static const struct step step = {
		.store = 7,
		.req = { .tag = 1,
			 .op = TESSERA_USER_WRITE32,
			 .at = CTX_OP,
			 .val = TESS_CTX_SWITCH },
	};

	poll_steps(d, &step, 1);
	ok(fake.nr_writes == 2, "a store and a request: two writes");
	ok(wrote(0, DOORBELL(0), 7), "the doorbell is that of the client that leaves");
	ok(wrote(1, CTX_OP, TESS_CTX_SWITCH), "the exchange comes after that");
	ok(fake.replied == 1, "and is replied to");
	ok(*doorbell(0) == TESSERA_USER_NO_DOORBELL, "the value was taken");
}

/* The guest of a virtual machine stores, and nobody says so */
static void test_store_without_request(struct user_dev *d)
{
	static const struct step step = { .slice = 1, .store = 9 };

	poll_steps(d, &step, 1);
	ok(fake.nr_writes == 1 && wrote(0, DOORBELL(1), 9),
	   "a store without a request is seen by the same look");
	poll_steps(d, NULL, 0);
	ok(!fake.nr_writes, "and once");
}

int main(void)
{
	struct user_dev *d = user_dev_create(PATH, -1, VRAM_BYTES, SLICES, &ops, NULL);

	ok(d, "a device");
	if (d) {
		test_store_before_request(d);
		test_store_without_request(d);
	}
	user_dev_destroy(d);
	return done();
}
