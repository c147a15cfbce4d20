/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A vfio-user client that speaks the raw protocol, well or badly, and a device
 * to talk to, in one thread: whenever the client waits, the server is polled.
 */
#ifndef TESS_MODEL_TESTS_VFU_CLIENT_H
#define TESS_MODEL_TESTS_VFU_CLIENT_H

#include "vfu/proto.h"
#include "vfu/vfu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DEV_BAR0_SIZE 0x2000u
#define DEV_BAR2_SIZE 0x100000u
#define DEV_BAR3_SIZE 0x10000u
#define DEV_AREA_OFFSET 0x4000u
#define DEV_AREA_SIZE 0x1000u
#define DEV_NR_MSIX 4u

/**
 * struct dev - a device that remembers what the server asked of it
 * @bar0: trapped registers
 * @bar2: memory, all mappable
 * @bar3: mappable at DEV_AREA_OFFSET only
 * @fail: errno that region callbacks return, 0 for none
 * @logged: the last message that the server logged
 * @poll: how the client has the server polled; dev_open() sets vfu_poll()
 */
struct dev {
	struct vfu *vfu;
	int (*poll)(struct dev *d, int timeout_ms);
	char path[64];
	uint8_t bar0[DEV_BAR0_SIZE];
	uint8_t *bar2;
	int bar2_fd;
	uint8_t *bar3;
	int bar3_fd;
	int fail;
	unsigned int reads;
	unsigned int writes;
	unsigned int resets;
	unsigned int resets_gone;
	unsigned int maps;
	unsigned int unmaps;
	uint64_t unmap_iova;
	uint64_t unmap_size;
	unsigned int mapped_at_unmap;
	unsigned int news;
	unsigned int gones;
	char logged[256];
};

struct client {
	int fd;
	uint16_t id;
};

#define CLIENT_MAX_FDS 4

/**
 * struct reply - what came back
 * @fds: descriptors that came with it; client_call() closes what an earlier
 *	call left here, so begin with a zeroed structure
 */
struct reply {
	struct vfu_hdr hdr;
	uint8_t data[VFU_MAX_XFER + 64];
	size_t len;
	int fds[CLIENT_MAX_FDS];
	unsigned int nr_fds;
};

/* Both exit with a message if the environment does not let them. */
void dev_open(struct dev *d);
void dev_close(struct dev *d);

/* The server alone, at @path; NULL with errno set if it cannot be. */
struct vfu *dev_serve(struct dev *d, const char *path);

/* Poll the server until it has nothing to do. */
void dev_run(struct dev *d);

void client_connect(struct dev *d, struct client *c);
void client_close(struct dev *d, struct client *c);
/* Drop replies and descriptors that came with them; closes if the server has */
void client_drain(struct dev *d, struct client *c);
bool client_is_closed(struct dev *d, struct client *c);

/* connect and negotiate with every capability */
void client_start(struct dev *d, struct client *c);

/* One sendmsg() without polling the server; returns what it returned. */
ssize_t send_fds(int sock, const void *buf, size_t len, const int *fds, unsigned int nr_fds);

/* Send bytes and descriptors as they are; false if the server hung up. */
bool client_send(struct dev *d, struct client *c, const void *buf, size_t len, const int *fds,
		 unsigned int nr_fds);

/* Receive one message; false if the server hung up or none comes. */
bool client_recv(struct dev *d, struct client *c, struct reply *r);

/*
 * Send a command and receive the reply: returns 0, the errno of an error reply,
 * or -1 if there is no (proper) reply.
 */
int client_call(struct dev *d, struct client *c, unsigned int command, const void *payload,
		size_t len, const int *fds, unsigned int nr_fds, struct reply *r);

/* One command each, for what many tests need. */
int client_version(struct dev *d, struct client *c, unsigned int major, const char *json,
		   struct reply *r);
int client_map(struct dev *d, struct client *c, uint64_t iova, uint64_t size, uint32_t flags,
	       int fd, uint64_t offset);
int client_unmap(struct dev *d, struct client *c, uint64_t iova, uint64_t size);
int client_set_irqs(struct dev *d, struct client *c, uint32_t flags, uint32_t start, uint32_t count,
		    const int *fds, unsigned int nr_fds);

/* Number of open descriptors of this process. */
unsigned int count_fds(void);

/* A file of @size bytes in memory, without any seal. */
int make_file(size_t size);

#endif /* TESS_MODEL_TESTS_VFU_CLIENT_H */
