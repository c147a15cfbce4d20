// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to a server and its replies.
 *
 * DOC: Requests
 *
 * A register access is a request on the stack of the thread that makes it, which waits for the
 * reply: nothing is allocated, and accesses take effect in the order in which they are made. The
 * server has a limited time. When it is over, the server is *broken*, as it is when its file is
 * closed: what is asked then is answered with ones at once, as by a device that was pulled, and
 * the drivers do what they do in that case.
 *
 * A server whose file is closed may be followed by another one. Until that is decided the GPU is
 * *absent*: what is asked is answered with ones, and says nothing of the GPU.
 *
 * What needs no answer is no request with a place in the queue, but bits that are told together
 * with the requests.
 */
#include <linux/completion.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "request.h"
#include "user.h"

/* At once, at most */
#define REQUEST_BATCH	16
#define ANSWER_PARTS	16

static unsigned int answer_ms = 10000;
module_param(answer_ms, uint, 0644);
MODULE_PARM_DESC(answer_ms, "time in which a server must answer, in ms");

/**
 * struct user_request - a request that somebody waits for
 * @link: in a list of struct tess_user_requests; empty: it is in none
 * @done: it was replied to, or nobody will
 * @req: what is asked
 * @val: reply
 */
struct user_request {
	struct list_head link;
	struct completion done;
	struct tessera_user_request req;
	u64 val;
};

void tess_user_requests_init(struct tess_user_requests *requests)
{
	spin_lock_init(&requests->lock);
	init_waitqueue_head(&requests->wait);
	INIT_LIST_HEAD(&requests->queue);
	INIT_LIST_HEAD(&requests->asked);
}

static void request_end(struct user_request *r, u64 val)
{
	list_del_init(&r->link);
	r->val = val;
	complete(&r->done);
}

static void request_end_all(struct list_head *list)
{
	struct user_request *r, *next;

	list_for_each_entry_safe(r, next, list, link)
		request_end(r, U64_MAX);
}

static void requests_break(struct tess_user_requests *requests, bool absent)
{
	unsigned long flags;

	spin_lock_irqsave(&requests->lock, flags);
	/* What was broken before is known to be lost */
	if (!requests->broken)
		WRITE_ONCE(requests->absent, absent);
	WRITE_ONCE(requests->broken, true);
	request_end_all(&requests->queue);
	request_end_all(&requests->asked);
	spin_unlock_irqrestore(&requests->lock, flags);
}

/**
 * tess_user_break() - the server answers no more
 * @requests: requests, which all end
 *
 * Any context.
 */
void tess_user_break(struct tess_user_requests *requests)
{
	requests_break(requests, false);
}

/**
 * tess_user_break_absent() - the server is gone, and another may come
 * @requests: requests, which all end
 */
void tess_user_break_absent(struct tess_user_requests *requests)
{
	requests_break(requests, true);
}

bool tess_user_is_absent(struct tess_user_requests *requests)
{
	return READ_ONCE(requests->absent);
}

/**
 * tess_user_mend() - another server answers
 * @requests: broken requests
 */
void tess_user_mend(struct tess_user_requests *requests)
{
	spin_lock_irq(&requests->lock);
	requests->kicks = 0;
	requests->events = 0;
	WRITE_ONCE(requests->absent, false);
	WRITE_ONCE(requests->broken, false);
	spin_unlock_irq(&requests->lock);
}

bool tess_user_is_broken(struct tess_user_requests *requests)
{
	return READ_ONCE(requests->broken);
}

static bool request_enqueue(struct tess_user_requests *requests, struct user_request *r)
{
	bool queued;

	spin_lock_irq(&requests->lock);
	queued = !requests->broken;
	if (queued) {
		r->req.tag = ++requests->tag;
		list_add_tail(&r->link, &requests->queue);
	}
	spin_unlock_irq(&requests->lock);
	return queued;
}

/* In parts: if this host stands still, the server does, too, and only one part is over */
static bool request_wait(struct user_request *r)
{
	unsigned long part = msecs_to_jiffies(DIV_ROUND_UP(READ_ONCE(answer_ms), ANSWER_PARTS));
	unsigned int n;

	for (n = 0; n < ANSWER_PARTS; n++)
		if (wait_for_completion_timeout(&r->done, part))
			return true;
	return false;
}

/**
 * tess_user_ask() - make a request and wait for the reply
 * @requests: requests
 * @op: READ or WRITE
 * @at: offset of the register
 * @val: value to be written
 *
 * Process context, for a limited time.
 *
 * Return: the reply; all ones if none comes.
 */
u64 tess_user_ask(struct tess_user_requests *requests, enum tessera_user_op op, u64 at, u64 val)
{
	struct user_request r = { .req = { .op = op, .at = at, .val = val } };

	init_completion(&r.done);
	if (!request_enqueue(requests, &r))
		return U64_MAX;
	wake_up_interruptible(&requests->wait);
	if (!request_wait(&r)) {
		/* Ends this one, too, if it was not replied to by now */
		tess_user_break(requests);
		wait_for_completion(&r.done);
	}
	return r.val;
}

static void requests_tell(struct tess_user_requests *requests, u64 kicks, u32 events)
{
	unsigned long flags;

	spin_lock_irqsave(&requests->lock, flags);
	requests->kicks |= kicks;
	requests->events |= events;
	spin_unlock_irqrestore(&requests->lock, flags);
	wake_up_interruptible(&requests->wait);
}

/**
 * tess_user_tell_kick() - a doorbell was stored to
 * @requests: requests
 * @slice: number
 *
 * Any context.
 */
void tess_user_tell_kick(struct tess_user_requests *requests, unsigned int slice)
{
	requests_tell(requests, BIT_ULL(slice), 0);
}

/**
 * tess_user_tell_result() - a call of the server has come to its end
 * @requests: requests
 * @op: TESSERA_USER_STARTED or LEFT; the server waits for one of them at a time
 * @rc: 0 or negative errno
 */
void tess_user_tell_result(struct tess_user_requests *requests, enum tessera_user_op op, int rc)
{
	WRITE_ONCE(requests->result, rc);
	requests_tell(requests, 0, BIT(op));
}

void tess_user_tell_lost(struct tess_user_requests *requests)
{
	requests_tell(requests, 0, BIT(TESSERA_USER_LOST));
}

/* ---- the server's side ---- */

static bool requests_wait(const struct tess_user_requests *requests)
{
	return !list_empty_careful(&requests->queue) || READ_ONCE(requests->kicks) ||
	       READ_ONCE(requests->events);
}

static bool requests_take_event(struct tess_user_requests *requests,
				struct tessera_user_request *req)
{
	lockdep_assert_held(&requests->lock);
	if (requests->kicks) {
		req->op = TESSERA_USER_KICK;
		req->val = requests->kicks;
		requests->kicks = 0;
	} else if (requests->events) {
		req->op = __ffs(requests->events);
		requests->events &= ~BIT(req->op);
		if (req->op != TESSERA_USER_LOST)
			req->val = (u64)READ_ONCE(requests->result);
	} else {
		return false;
	}
	return true;
}

static bool requests_take(struct tess_user_requests *requests, struct tessera_user_request *req)
{
	struct user_request *r;

	lockdep_assert_held(&requests->lock);
	memset(req, 0, sizeof(*req));
	if (requests_take_event(requests, req))
		return true;
	r = list_first_entry_or_null(&requests->queue, struct user_request, link);
	if (!r)
		return false;
	*req = r->req;
	list_move_tail(&r->link, &requests->asked);
	return true;
}

/**
 * tess_user_requests_read() - read() of the server
 * @requests: requests
 * @buf: its buffer
 * @len: bytes of that
 * @nonblock: do not wait
 *
 * What was taken and cannot be copied is lost: its maker is answered when the server is broken.
 *
 * Return: bytes; -EINVAL no room for one request; -EAGAIN, -EINTR, -EFAULT.
 */
ssize_t tess_user_requests_read(struct tess_user_requests *requests, char __user *buf, size_t len,
				bool nonblock)
{
	struct tessera_user_request batch[REQUEST_BATCH];
	size_t max = min_t(size_t, len / sizeof(*batch), REQUEST_BATCH), n = 0;
	int rc;

	if (!max)
		return -EINVAL;
	while (!n) {
		spin_lock_irq(&requests->lock);
		while (n < max && requests_take(requests, &batch[n]))
			n++;
		spin_unlock_irq(&requests->lock);
		if (!n && nonblock)
			return -EAGAIN;
		if (!n) {
			rc = wait_event_interruptible(requests->wait, requests_wait(requests));
			if (rc)
				return rc;
		}
	}
	return copy_to_user(buf, batch, n * sizeof(*batch)) ? -EFAULT : n * sizeof(*batch);
}

static int requests_reply(struct tess_user_requests *requests,
			  const struct tessera_user_reply *reply)
{
	struct user_request *r;
	int rc = -EINVAL;

	spin_lock_irq(&requests->lock);
	list_for_each_entry(r, &requests->asked, link) {
		if (r->req.tag == reply->tag && !reply->pad) {
			request_end(r, reply->val);
			rc = 0;
			break;
		}
	}
	spin_unlock_irq(&requests->lock);
	return rc;
}

/**
 * tess_user_requests_write() - write() of the server
 * @requests: requests
 * @buf: replies
 * @len: their bytes
 *
 * Return: bytes of the replies that were taken; -EINVAL no whole reply, or one to nothing that was
 * asked, as the first; -EFAULT.
 */
ssize_t tess_user_requests_write(struct tess_user_requests *requests, const char __user *buf,
				 size_t len)
{
	struct tessera_user_reply reply;
	size_t done = 0;
	int rc = -EINVAL;

	while (len - done >= sizeof(reply)) {
		rc = copy_from_user(&reply, buf + done, sizeof(reply)) ? -EFAULT :
			requests_reply(requests, &reply);
		if (rc)
			break;
		done += sizeof(reply);
	}
	return done ?: rc;
}

__poll_t tess_user_requests_poll(struct tess_user_requests *requests, struct file *file,
				 poll_table *table)
{
	poll_wait(file, &requests->wait, table);
	return EPOLLOUT | EPOLLWRNORM |
	       (requests_wait(requests) ? EPOLLIN | EPOLLRDNORM : 0);
}
