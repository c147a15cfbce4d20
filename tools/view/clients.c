// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clients.h"
#include "door.h"
#include "say.h"

/* A peer that is gone without a word is noticed after some minutes. */
static void prepare(int fd)
{
	int one = 1, idle = 60;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
}

static bool make(struct client *client)
{
	client->share = mmap(NULL, sizeof(*client->share), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (client->share == MAP_FAILED)
		return false;
	client->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (client->wake >= 0)
		return true;
	munmap(client->share, sizeof(*client->share));
	return false;
}

static void unmake(struct client *client)
{
	munmap(client->share, sizeof(*client->share));
	close(client->wake);
	client->pid = 0;
}

/* In the process of one client: it has nothing of the others */
static void forget_others(struct clients *clients, const struct client *own)
{
	struct client *c;

	for (c = clients->each; c < clients->each + CLIENTS_MAX; c++)
		if (c->pid && c != own)
			unmake(c);
}

static struct client *room(struct clients *clients)
{
	struct client *c;

	for (c = clients->each; c < clients->each + CLIENTS_MAX; c++)
		if (!c->pid)
			return c;
	return NULL;
}

static void start(struct clients *clients, struct client *client, int fd,
		  const struct serve *common, void (*forget)(void *data), void *data)
{
	struct serve serve = *common;

	client->pid = fork();
	if (!client->pid) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		forget_others(clients, client);
		forget(data);
		serve.connection = fd;
		serve.client = client->share;
		serve.wake = client->wake;
		_exit(serve_run(&serve));
	}
	if (client->pid > 0) {
		clients->accepted++;
		return;
	}
	say("cannot start a process for %s: %m", client->name);
	clients->refused++;
	unmake(client);
}

void clients_accept(struct clients *clients, int door, const struct serve *serve,
		    void (*forget)(void *data), void *data)
{
	int fd = accept4(door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct client *client = room(clients);

	if (fd < 0)
		return;
	prepare(fd);
	if (client && make(client)) {
		door_name(client->name, fd, true);
		start(clients, client, fd, serve, forget, data);
	} else {
		clients->refused++;
	}
	close(fd);
}

static void add(struct clients *to, const struct share_client *share)
{
	to->frames += atomic_load(&share->frames);
	to->sent += atomic_load(&share->sent);
	to->received += atomic_load(&share->received);
}

void clients_reap(struct clients *clients)
{
	struct client *c;
	int status;

	for (c = clients->each; c < clients->each + CLIENTS_MAX; c++) {
		if (!c->pid || waitpid(c->pid, &status, WNOHANG) != c->pid)
			continue;
		if (WIFSIGNALED(status) && WTERMSIG(status) != SIGTERM)
			say("the process of %s ended by signal %d; the others go on", c->name,
			    WTERMSIG(status));
		add(clients, c->share);
		unmake(c);
	}
}

unsigned int clients_count(const struct clients *clients, bool ready)
{
	const struct client *c;
	unsigned int count = 0;

	for (c = clients->each; c < clients->each + CLIENTS_MAX; c++)
		count += c->pid && (!ready || atomic_load(&c->share->ready));
	return count;
}

uint64_t clients_wanted(struct clients *clients)
{
	uint64_t wanted = 0;
	struct client *c;

	for (c = clients->each; c < clients->each + CLIENTS_MAX; c++)
		if (c->pid)
			wanted = atomic_exchange(&c->share->wanted, 0) ?: wanted;
	return wanted;
}

void clients_tell(struct clients *clients, const struct shadow_tiles *tiles)
{
	struct client *c;

	for (c = clients->each; c < clients->each + CLIENTS_MAX; c++) {
		if (!c->pid)
			continue;
		share_add(c->share, tiles);
		eventfd_write(c->wake, 1);
	}
}

struct clients clients_totals(const struct clients *clients)
{
	struct clients totals = *clients;
	const struct client *c;

	for (c = clients->each; c < clients->each + CLIENTS_MAX; c++)
		if (c->pid)
			add(&totals, c->share);
	return totals;
}

void clients_end(struct clients *clients)
{
	struct client *c;

	for (c = clients->each; c < clients->each + CLIENTS_MAX; c++)
		if (c->pid)
			kill(c->pid, SIGTERM);
	for (c = clients->each; c < clients->each + CLIENTS_MAX; c++) {
		if (!c->pid)
			continue;
		waitpid(c->pid, NULL, 0);
		add(clients, c->share);
		unmake(c);
	}
}
