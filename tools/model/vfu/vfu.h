/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A vfio-user server for one PCI device.
 *
 * The server is single-threaded and never blocks unless told to: the owner
 * calls vfu_poll() between slices of its own work, and every callback in
 * struct vfu_ops runs inside that call (or inside vfu_destroy()).  All input
 * from the client is untrusted; lengths, indices and file descriptors are
 * checked before a callback sees them.
 */
#ifndef TESS_MODEL_VFU_H
#define TESS_MODEL_VFU_H

#include <linux/vfio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/** VFU_MAX_IRQS - vectors one interrupt index can have at most */
#define VFU_MAX_IRQS 64

/** VFU_MAX_DMA - DMA mappings a client can have at a time */
#define VFU_MAX_DMA 65535

/** VFU_MAX_XFER - bytes of data in one region read or write message */
#define VFU_MAX_XFER (1u << 20)

struct vfu;

/**
 * enum vfu_reset - why the device is reset
 * @VFU_RESET_DEVICE: the client asked for it (DEVICE_RESET)
 * @VFU_RESET_GONE: the client went away; its DMA map and interrupts are
 *	already dropped
 */
enum vfu_reset {
	VFU_RESET_DEVICE,
	VFU_RESET_GONE,
};

/**
 * struct vfu_area - part of a region that the client may map
 * @offset: start inside the region, page-aligned
 * @size: bytes, page-aligned
 */
struct vfu_area {
	uint64_t offset;
	uint64_t size;
};

/**
 * struct vfu_region - one device region
 * @size: bytes; 0 means that the region does not exist
 * @flags: VFIO_REGION_INFO_FLAG_READ, _WRITE, and _MMAP if @fd is set
 * @fd: what the client maps, or -1. Stays the owner's; has to be sealed
 *	against shrinking (see vfu_memfd()), for the client gets it
 * @fd_offset: where the region starts in @fd, page-aligned
 * @areas: parts that may be mapped; NULL with _MMAP means all of it
 * @nr_areas: number of entries in @areas
 * @mem: memory behind the region's start, or NULL. Accesses by message that
 *	lie wholly inside @mem_size are served from it without a callback
 * @mem_size: bytes at @mem
 */
struct vfu_region {
	uint64_t size;
	uint32_t flags;
	int fd;
	uint64_t fd_offset;
	const struct vfu_area *areas;
	uint32_t nr_areas;
	void *mem;
	uint64_t mem_size;
};

/**
 * struct vfu_desc - what the device consists of
 * @regions: by VFIO PCI region index; copied, @areas has to stay valid
 * @nr_msix: MSI-X vectors, at most VFU_MAX_IRQS
 * @log: where to report events such as protocol errors; may be NULL
 */
struct vfu_desc {
	struct vfu_region regions[VFIO_PCI_NUM_REGIONS];
	uint32_t nr_msix;
	void (*log)(void *opaque, const char *msg);
};

/**
 * struct vfu_ops - the device behind the server
 *
 * Callbacks must not call vfu_poll() or vfu_destroy(); they may call all
 * other functions. Each is mandatory unless said otherwise.
 */
struct vfu_ops {
	/**
	 * @region_read: fill @buf with @len bytes at @off of @region.
	 *
	 * [@off, @off + @len) lies inside the region and 0 < @len <=
	 * VFU_MAX_XFER; any other length or alignment can come. Returns 0 or
	 * a negative errno, which the client gets as an error reply.
	 */
	int (*region_read)(void *opaque, unsigned int region, uint64_t off, void *buf, size_t len);

	/** @region_write: the same for writing */
	int (*region_write)(void *opaque, unsigned int region, uint64_t off, const void *buf,
			    size_t len);

	/** @reset: bring the device to its power-on state */
	void (*reset)(void *opaque, enum vfu_reset why);

	/**
	 * @dma_map: [@iova, @iova + @size) has become accessible with @prot
	 * (PROT_READ | PROT_WRITE; 0 if the client passed no descriptor).
	 * Optional.
	 */
	void (*dma_map)(void *opaque, uint64_t iova, uint64_t size, int prot);

	/**
	 * @dma_unmap: everything mapped inside [@iova, @iova + @size) is about
	 * to disappear: forget every pointer that vfu_dma_ptr() returned for
	 * it. Called before the mapping goes. The range can be larger than
	 * what was mapped; 0 with UINT64_MAX means all.
	 */
	void (*dma_unmap)(void *opaque, uint64_t iova, uint64_t size);

	/** @client_new: a client has negotiated a version. Optional. */
	void (*client_new)(void *opaque);

	/** @client_gone: called after @reset with VFU_RESET_GONE. Optional. */
	void (*client_gone)(void *opaque);
};

/**
 * struct vfu_stats - counters since vfu_create()
 * @clients: connections accepted
 * @messages: messages handled
 * @errors: error replies sent (or suppressed by NO_REPLY)
 * @drops: connections closed because of a protocol violation
 * @sigbus: mappings lost because the client had truncated the file behind them
 */
struct vfu_stats {
	uint64_t clients;
	uint64_t messages;
	uint64_t errors;
	uint64_t drops;
	uint64_t sigbus;
};

/**
 * vfu_create() - make a server and listen
 * @path: socket to create; an old socket nobody listens on is replaced
 * @desc: the device; copied
 * @ops: callbacks; has to stay valid
 * @opaque: first argument of every callback
 *
 * Installs the SIGBUS handler that vfu_dma_ptr() describes.
 *
 * Returns the server, or NULL with errno set.
 */
struct vfu *vfu_create(const char *path, const struct vfu_desc *desc, const struct vfu_ops *ops,
		       void *opaque);

/**
 * vfu_destroy() - drop the client, remove the socket, free the server
 * @v: server or NULL
 *
 * A client that is connected is dropped as if it had gone away, callbacks
 * included.
 */
void vfu_destroy(struct vfu *v);

/**
 * vfu_fd() - file descriptor for the owner's own event loop
 * @v: server
 *
 * Readable whenever vfu_poll() has something to do.
 */
int vfu_fd(const struct vfu *v);

/**
 * vfu_poll() - accept a client and handle its messages
 * @v: server
 * @timeout_ms: how long to wait for the first event; 0 does not wait, -1
 *	waits for ever
 *
 * Handles at most a bounded number of messages, so that a client that sends
 * without pause cannot keep the owner from its work.
 *
 * Returns the number of messages handled, or a negative errno if the server
 * itself is broken (-EINTR if a signal ended the wait).
 */
int vfu_poll(struct vfu *v, int timeout_ms);

/** vfu_connected() - has a client negotiated a version? */
bool vfu_connected(const struct vfu *v);

/** vfu_get_stats() - copy the counters */
void vfu_get_stats(const struct vfu *v, struct vfu_stats *stats);

/**
 * vfu_dma_ptr() - host address of client memory
 * @v: server
 * @iova: DMA address
 * @len: bytes, not 0
 * @prot: PROT_READ, PROT_WRITE or both: what the caller will do
 *
 * The pointer is good until the dma_unmap callback names a range that covers
 * it. The memory is shared with the client, which may change it at any time:
 * read each value once, then check it.
 *
 * A client may truncate the file behind its memory. Accesses then hit SIGBUS;
 * the server's handler puts zeroed private memory in the place of the mapping,
 * counts the event, and the mapping is dropped at the next vfu_poll().
 *
 * Returns NULL unless all of [@iova, @iova + @len) lies inside one mapping
 * that was passed with a file descriptor and has all of @prot.
 */
void *vfu_dma_ptr(struct vfu *v, uint64_t iova, uint64_t len, int prot);

/** vfu_dma_count() - number of DMA mappings */
unsigned int vfu_dma_count(const struct vfu *v);

/**
 * vfu_irq_raise() - send an MSI-X interrupt
 * @v: server
 * @vector: MSI-X vector
 *
 * A vector that has no eventfd or is masked becomes pending, and is sent as
 * soon as neither holds.
 *
 * Returns true if the interrupt was sent now.
 */
bool vfu_irq_raise(struct vfu *v, unsigned int vector);

/** vfu_irq_configured() - has @vector an eventfd? */
bool vfu_irq_configured(const struct vfu *v, unsigned int vector);

/** vfu_irq_pending() - bit mask of the vectors that are pending */
uint64_t vfu_irq_pending(const struct vfu *v);

/**
 * vfu_irq_clear() - forget what is pending (device reset)
 *
 * Eventfds and masks stay: they are the client's.
 */
void vfu_irq_clear(struct vfu *v);

/**
 * vfu_memfd() - make memory that can be given to a client as a region
 * @name: shown in /proc
 * @size: bytes, rounded up to pages
 * @ptr: set to the mapping
 *
 * The memory is sealed: its size is fixed, so that the client cannot pull it
 * away. Returns the descriptor, or a negative errno.
 */
int vfu_memfd(const char *name, size_t size, void **ptr);

#endif /* TESS_MODEL_VFU_H */
