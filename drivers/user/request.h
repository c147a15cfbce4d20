/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_USER_REQUEST_H_
#define _TESSERA_USER_REQUEST_H_

#include <linux/poll.h>
#include <linux/types.h>
#include <uapi/linux/tessera_user.h>

struct tess_user_requests;

void tess_user_requests_init(struct tess_user_requests *requests);
u64 tess_user_ask(struct tess_user_requests *requests, enum tessera_user_op op, u64 at, u64 val);
void tess_user_tell_kick(struct tess_user_requests *requests, unsigned int slice);
void tess_user_tell_result(struct tess_user_requests *requests, enum tessera_user_op op, int rc);
void tess_user_tell_lost(struct tess_user_requests *requests);
void tess_user_break(struct tess_user_requests *requests);
void tess_user_break_absent(struct tess_user_requests *requests);
bool tess_user_is_absent(struct tess_user_requests *requests);
void tess_user_mend(struct tess_user_requests *requests);
bool tess_user_is_broken(struct tess_user_requests *requests);

ssize_t tess_user_requests_read(struct tess_user_requests *requests, char __user *buf, size_t len,
				bool nonblock);
ssize_t tess_user_requests_write(struct tess_user_requests *requests, const char __user *buf,
				 size_t len);
__poll_t tess_user_requests_poll(struct tess_user_requests *requests, struct file *file,
				 poll_table *table);

#endif
