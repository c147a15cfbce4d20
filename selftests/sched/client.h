/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A client of a shared or exclusive slice: a vslice of a vGPU that this process opens
 * through VFIO, an address space, and work for it. Functions return 0 or a negative errno
 * unless they say otherwise.
 */
#ifndef TESS_SELFTESTS_SCHED_CLIENT_H
#define TESS_SELFTESTS_SCHED_CLIENT_H

#include <stdio.h>

#include "tess_kernels.h"
#include "vgpu.h"

/*
 * Address space: VA 0 is RAM_GPA, in pages of 2 MiB; at BANK_VA is the VRAM that is
 * nearest to the vslice. Rings and records are below DATA_GPA (vgpu.h); then
 */
#define VA(gpa) ((gpa) - RAM_GPA)
#define BANK_VA (512ULL << 20)
#define CODE_GPA DATA_GPA /* tess_kernels, then what tests bring along */
#define CODE_FREE_GPA (CODE_GPA + 0x1000)
/* Of each vslice, of CLIENT_VSLICES at most: */
#define CLIENT_GPA(vslice) (DATA_GPA + 0x80000 + (vslice) * 0x4000)
#define TABLES_GPA(vslice) CLIENT_GPA(vslice) /* two pages */
#define ARGS_GPA(vslice) (CLIENT_GPA(vslice) + 0x2000) /* one entry for each place in the ring */
#define ARGS_BYTES 64u
#define SUM_GPA(vslice) (CLIENT_GPA(vslice) + 0x3000) /* what jobs of client_delay() count in */
#define MARK_GPA(vslice) (CLIENT_GPA(vslice) + 0x3800) /* up to the end of the page: tests */
#define CLIENT_VSLICES 16u
#define WORK_GPA (RAM_GPA + 0x200000) /* up to the end of the memory */

/* Wall time after which something that has to happen never will */
#define CLIENT_WAIT_MS 60000

/**
 * struct client - a vslice at work
 * @v: device
 * @r: ring of the vslice, number 0 but for client_sibling()
 * @items: work-items of all jobs of client_delay() so far, which all count in SUM_GPA
 */
struct client {
	struct vgpu v;
	struct ring r;
	uint64_t items;
};

/* New vGPU of this type, ring running, address space chosen */
int client_open(struct client *c, const char *type);
/* For a vGPU that is there already, as after a VMM has died */
int client_open_uuid(struct client *c, const char *uuid);
/*
 * Another vslice of the vGPU of @first, which has to be closed and stays where it is. Each has
 * its own ring, arguments and counts; all have the same memory.
 */
void client_sibling(struct client *c, const struct client *first, unsigned int vslice);
/* Close and remove it, with all siblings */
void client_close(struct client *c);
/* Let the host map all memory that client_delay() needs, which takes time: 0, -ETIME */
int client_warm(struct client *c);
/* Begin again after a client RESET */
void client_start(struct client *c);
/* Room for that many packets and a FENCE */
bool client_room(const struct client *c, unsigned int packets);

/* Dispatch code at @code (client address) with @args of up to ARGS_BYTES as kernarg */
void client_dispatch(struct client *c, uint64_t code, uint32_t groups, uint32_t items,
		     const void *args, size_t size);
/* A dispatch with more to say; the address of the kernarg is filled in */
void client_dispatch_packet(struct client *c, struct tess_pkt_dispatch *pkt, const void *args,
			    size_t size);
/* One of the small kernels; ends never if it is TESS_K_LOOP */
void client_kernel(struct client *c, enum tess_kernel k, uint32_t groups, uint32_t items);
/* Each item counts @count down, then counts itself at SUM_GPA; about 2 * count cycles */
void client_delay(struct client *c, uint32_t groups, uint32_t items, uint64_t count);
/* FENCE without waiting */
void client_fence(struct client *c);
/* Has the last FENCE completed? */
bool client_idle(const struct client *c);
/* Wait for it, all but without touching a register: -ETIME, -EFAULT */
int client_wait(struct client *c);
/* All jobs of client_delay() left their mark, none did so twice */
bool client_counted(const struct client *c);
/* RESET, as after a fault that ended it, and a job that must be right: 0, -ETIME, -EFAULT, -EIO */
int client_starts_over(struct client *c);

uint64_t client_counter(struct client *c, unsigned int counter);
/* GPU time, in cycles */
uint64_t client_time(struct client *c);

/* ---- sysfs of the core ---- */

/* Path of a file of the vGPU in /sys/class/tessera */
void client_path(const struct client *c, const char *file, char *path, size_t size);
long long client_value(const struct client *c, const char *file);
int client_set(const struct client *c, const char *file, const char *text);
int client_set_value(const struct client *c, const char *file, long long value);
/* Files of slice @n of the GPU of the client */
long long slice_value(const struct client *c, int n, const char *file);
int slice_set(const struct client *c, int n, const char *file, const char *text);
int slice_set_value(const struct client *c, int n, const char *file, long long value);
int slice_string(const struct client *c, int n, const char *file, char *buf, size_t size);
int slice_count(const struct client *c);
/* Number of the slice that the client is assigned to, -1 */
int client_slice(const struct client *c);
/* Bring it to that slice */
int client_move(const struct client *c, int slice);
/* The slice of the first for all of them: number, or negative errno */
int clients_together(struct client *c, unsigned int n);

/* No vGPUs, and all slices as after the driver was loaded */
void fresh_start(void);

/* ---- results ---- */

/* What was measured: "# figure NAME VALUE" on standard output */
void figure(const char *name, double value);
void sleep_ms(long ms);
double now_us(void);
/* A number from the environment */
long setting(const char *name, long otherwise);

#endif
