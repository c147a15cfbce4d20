/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_CONTEXT_H_
#define _TESSERA_CORE_CONTEXT_H_

#include <tessera/backend.h>

struct tess_context;
struct tess_gpu;

struct tess_context *tess_context_create(struct tess_gpu *gpu);
void tess_context_destroy(struct tess_context *ctx);
struct tess_hw_context *tess_context_hw(const struct tess_context *ctx);

void tess_context_clear(struct tess_context *ctx);
void tess_context_copy(struct tess_context *to, const struct tess_context *from);
ssize_t tess_context_pack(const struct tess_context *ctx, void *buf, size_t size);
int tess_context_unpack(struct tess_context *ctx, const void *buf, size_t size);
int tess_context_read(const struct tess_context *ctx, u32 off, unsigned int width, u64 *val);
int tess_context_get(const struct tess_context *ctx, enum tess_client_value what, u64 *val);
u64 tess_context_value(const struct tess_context *ctx, enum tess_client_value what);
int tess_context_counters(const struct tess_context *ctx, u64 counters[TESS_COUNTS]);
bool tess_context_has_work(const struct tess_context *ctx);
bool tess_context_fault(const struct tess_context *ctx, struct tess_fault *fault);

#endif
