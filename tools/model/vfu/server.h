/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the vfio-user server; users include vfu.h. */
#ifndef TESS_MODEL_VFU_SERVER_H
#define TESS_MODEL_VFU_SERVER_H

#include "proto.h"
#include "vfu.h"

#include <limits.h>
#include <sys/un.h>

/* File descriptors one message may carry; QEMU accepts no larger offer. */
#define VFU_MAX_MSG_FDS 16

/* The largest message: a region write with its data. */
#define VFU_MAX_PAYLOAD (sizeof(struct vfu_msg_region_access) + VFU_MAX_XFER)

#define VFU_PAGE_SIZE 4096u

/**
 * struct vfu_conn - the connection to the client
 * @fd: socket, or -1
 * @negotiated: VERSION was exchanged
 * @broken: the stream cannot be trusted any more; close it
 * @client_xfer: most data the client takes in a reply
 * @multi: REGION_WRITE_MULTI was negotiated
 * @hdr: header being received or handled
 * @in: payload being received or handled, VFU_MAX_PAYLOAD bytes
 * @in_got: bytes received of header and payload together
 * @fds: descriptors that came with the message; -1 once somebody took one
 * @nr_fds: valid entries of @fds
 * @excess_fds: more came than fit; the rest is closed already
 * @out: reply being made or sent, header included; as large as @in and a header
 * @out_len: bytes of the reply
 * @out_sent: how many of them are sent
 * @out_fd: descriptor to send with the first byte, or -1; not owned
 */
struct vfu_conn {
	int fd;
	bool negotiated;
	bool broken;
	uint32_t client_xfer;
	bool multi;

	struct vfu_hdr hdr;
	uint8_t *in;
	size_t in_got;
	int fds[VFU_MAX_MSG_FDS];
	unsigned int nr_fds;
	bool excess_fds;

	uint8_t *out;
	size_t out_len;
	size_t out_sent;
	int out_fd;
};

/**
 * struct vfu_dma - one DMA mapping
 * @iova: first DMA address
 * @last: last DMA address (inclusive, so that it can end at 2^64 - 1)
 * @host: mapped memory, or NULL if the client passed no descriptor
 * @prot: PROT_READ | PROT_WRITE
 * @lost: the file was truncated under it; drop it at the next poll
 */
struct vfu_dma {
	uint64_t iova;
	uint64_t last;
	uint8_t *host;
	int prot;
	bool lost;
};

/**
 * struct vfu_dma_map - all of them
 * @v: array sorted by @iova, without overlaps
 * @nr: valid entries
 * @nr_host: those with memory; each is a mapping of the process
 * @max_host: limit of @nr_host
 * @size: allocated entries
 * @hint: entry that was hit last
 * @lost: some entry has @lost set; written by the SIGBUS handler
 */
struct vfu_dma_map {
	struct vfu_dma *v;
	unsigned int nr;
	unsigned int nr_host;
	unsigned int max_host;
	unsigned int size;
	unsigned int hint;
	volatile bool lost;
};

/* MSI-X vectors, and one for the error interrupt. */
#define VFU_IRQ_SLOTS (VFU_MAX_IRQS + 1)

/**
 * struct vfu_irqs - interrupts
 * @fd: eventfd by slot, or -1
 * @masked: MSI-X vectors masked with SET_IRQS
 * @pending: MSI-X vectors raised, but not sent yet
 */
struct vfu_irqs {
	int fd[VFU_IRQ_SLOTS];
	uint64_t masked;
	uint64_t pending;
};

/**
 * struct vfu - the server
 * @path: of the socket
 * @listen_fd: accepts one client at a time
 * @epoll_fd: watches @wake_fd, and @listen_fd, or the client while there is one
 * @wake_fd: eventfd that the SIGBUS handler signals
 * @watched: what @epoll_fd watches the client for
 * @next: in the list that the SIGBUS handler walks
 */
struct vfu {
	struct vfu_desc desc;
	const struct vfu_ops *ops;
	void *opaque;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	int listen_fd;
	int epoll_fd;
	int wake_fd;
	uint32_t watched;
	struct vfu_conn conn;
	struct vfu_dma_map dma;
	struct vfu_irqs irq;
	struct vfu_stats stats;
	struct vfu *next;
};

void vfu_log(struct vfu *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* conn.c: bytes in, bytes out */
int vfu_conn_init(struct vfu_conn *c);
void vfu_conn_fini(struct vfu_conn *c);
void vfu_conn_open(struct vfu_conn *c, int fd);
void vfu_conn_close(struct vfu_conn *c);
int vfu_conn_recv(struct vfu_conn *c);
void vfu_conn_next(struct vfu_conn *c);
int vfu_conn_flush(struct vfu_conn *c);
void *vfu_conn_reply_buf(struct vfu_conn *c);
void vfu_conn_reply(struct vfu_conn *c, int err, size_t len, int fd);

/* msg.c: one complete message */
void vfu_msg_handle(struct vfu *v);

/*
 * Handlers of single commands. The payload has at least the size that the
 * table in msg.c names, and need not be aligned. They return the length of the
 * reply payload, made in vfu_conn_reply_buf(), or a negative errno; *reply_fd
 * is a descriptor to send with it.
 */
int vfu_version(struct vfu *v, const void *payload, size_t len, int *reply_fd);
int vfu_region_info(struct vfu *v, const void *payload, size_t len, int *reply_fd);
int vfu_region_do_read(struct vfu *v, const void *payload, size_t len, int *reply_fd);
int vfu_region_do_write(struct vfu *v, const void *payload, size_t len, int *reply_fd);
int vfu_region_do_write_multi(struct vfu *v, const void *payload, size_t len, int *reply_fd);
int vfu_irq_info(struct vfu *v, const void *payload, size_t len, int *reply_fd);
int vfu_irq_set(struct vfu *v, const void *payload, size_t len, int *reply_fd);
int vfu_dma_do_map(struct vfu *v, const void *payload, size_t len, int *reply_fd);
int vfu_dma_do_unmap(struct vfu *v, const void *payload, size_t len, int *reply_fd);

void vfu_irq_init(struct vfu *v);
void vfu_irq_drop_all(struct vfu *v);

void vfu_dma_init(struct vfu *v);
void vfu_dma_drop_all(struct vfu *v);
void vfu_dma_drop_lost(struct vfu *v);

/* sigbus.c */
int vfu_sigbus_register(struct vfu *v);
void vfu_sigbus_unregister(struct vfu *v);

#endif /* TESS_MODEL_VFU_SERVER_H */
