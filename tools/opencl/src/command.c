// SPDX-License-Identifier: MIT
/**
 * DOC: commands
 *
 * PoCL gives a command to the driver at once, and says through events what it waits for. One that
 * waits for nothing any more goes to the device's list, from which a few threads take commands
 * and run them to their end. So commands of one in-order queue run one after the other, and
 * others side by side, on the GPU as well: libtessera is told that they do not depend on
 * each other.
 */
#include <errno.h>
#include <stdlib.h>

#include "driver.h"

#include "common.h"
#include "pocl_timing.h"
#include "pocl_util.h"

/**
 * struct tess_cl_worker - a thread that runs commands
 * @d: constant
 * @thread: constant
 * @record: memory for the kernel that it runs
 */
struct tess_cl_worker {
	struct tess_cl_device *d;
	pthread_t thread;
	struct tess_cl_record record;
};

/**
 * struct event_data - what the driver knows of an event
 * @done: the event is complete; with the event's lock
 * @doomed: it fails with another one, or already did; with the event's lock
 * @times: of the kernel
 */
struct event_data {
	pthread_cond_t done;
	bool doomed;
	struct tess_cl_times times;
};

/* ---- running them ---- */

/* PoCL touches the event once more after everybody was told that it is over. */
static void fail(cl_event event, int err)
{
	POname(clRetainEvent)(event);
	POCL_LOCK_OBJ(event);
	if (err == CL_DEVICE_NOT_AVAILABLE)
		pocl_update_event_device_lost(event);
	else
		pocl_update_event_failed(event);
	POCL_UNLOCK_OBJ(event);
	POname(clReleaseEvent)(event);
}

static void run_kernel(struct tess_cl_worker *w, _cl_command_node *node)
{
	cl_event event = node->sync.event.event;
	struct event_data *data = event->data;
	int ret;

	pocl_update_event_running(event);
	ret = tess_cl_launch(w->d, node, &w->record, &data->times);
	if (ret)
		fail(event, ret);
	else
		POCL_UPDATE_EVENT_COMPLETE(event);
}

static void run(struct tess_cl_worker *w, _cl_command_node *node)
{
	if (node->type == CL_COMMAND_NDRANGE_KERNEL || node->type == CL_COMMAND_TASK)
		run_kernel(w, node);
	else
		pocl_exec_command(node);
}

static _cl_command_node *next_command(struct tess_cl_device *d)
{
	_cl_command_node *node;

	pthread_mutex_lock(&d->lock);
	while (!d->first && !d->stop)
		pthread_cond_wait(&d->work, &d->lock);
	node = d->first;
	if (node) {
		d->first = node->next;
		node->next = NULL;
	}
	pthread_mutex_unlock(&d->lock);
	return node;
}

static void *work(void *arg)
{
	struct tess_cl_worker *w = arg;
	_cl_command_node *node;

	while ((node = next_command(w->d)))
		run(w, node);
	return NULL;
}

static struct tess_cl_worker *start_one(struct tess_cl_device *d)
{
	struct tess_cl_worker *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->d = d;
	if (tess_cl_record_init(d, &w->record))
		goto err_free;
	if (pthread_create(&w->thread, NULL, work, w))
		goto err_record;
	return w;

err_record:
	tess_cl_record_fini(&w->record);
err_free:
	free(w);
	return NULL;
}

cl_int tess_cl_workers_start(struct tess_cl_device *d)
{
	d->stop = false;
	while (d->worker_count < TESS_CL_WORKERS) {
		struct tess_cl_worker *w = start_one(d);

		if (!w) {
			tess_cl_workers_stop(d);
			return CL_OUT_OF_HOST_MEMORY;
		}
		d->workers[d->worker_count++] = w;
	}
	return CL_SUCCESS;
}

void tess_cl_workers_stop(struct tess_cl_device *d)
{
	pthread_mutex_lock(&d->lock);
	d->stop = true;
	pthread_cond_broadcast(&d->work);
	pthread_mutex_unlock(&d->lock);
	while (d->worker_count) {
		struct tess_cl_worker *w = d->workers[--d->worker_count];

		pthread_join(w->thread, NULL);
		tess_cl_record_fini(&w->record);
		free(w);
	}
}

/* ---- taking them from PoCL ---- */

/* The event is locked. */
static struct event_data *data_of(cl_event event)
{
	struct event_data *data = event->data;

	if (!data) {
		data = calloc(1, sizeof(*data));
		if (!data)
			abort();
		pthread_cond_init(&data->done, NULL);
		event->data = data;
	}
	return data;
}

static void push(struct tess_cl_device *d, _cl_command_node *node)
{
	pthread_mutex_lock(&d->lock);
	node->next = NULL;
	if (d->first)
		d->last->next = node;
	else
		d->first = node;
	d->last = node;
	pthread_cond_signal(&d->work);
	pthread_mutex_unlock(&d->lock);
}

/* The event is locked, here and in notify(). */
static void push_if_ready(_cl_command_node *node)
{
	cl_event event = node->sync.event.event;

	if (!pocl_command_is_ready(event))
		return;
	pocl_update_event_submitted(event);
	push(node->device->data, node);
}

/* With an event that it waits for. PoCL gives the lock up meanwhile: another one may fail, too. */
static void fail_with(cl_event event, struct event_data *data)
{
	data->doomed = true;
	pocl_update_event_failed(event);
}

/* PoCL tells nobody of a failure who begins to wait after it. */
static bool waits_for_failed(cl_event event)
{
	const event_node *item;

	for (item = event->wait_list; item; item = item->next) {
		if (item->event->status < CL_COMPLETE)
			return true;
	}
	return false;
}

static void submit(_cl_command_node *node, cl_command_queue queue)
{
	cl_event event = node->sync.event.event;
	struct event_data *data = event->data;

	(void)queue;
	node->ready = 1;
	if (!data->doomed && !waits_for_failed(event)) {
		push_if_ready(node);
		POCL_UNLOCK_OBJ(event);
		return;
	}
	POCL_RETAIN_OBJECT_UNLOCKED(event);
	fail_with(event, data);
	POCL_UNLOCK_OBJ(event);
	POname(clReleaseEvent)(event);
}

/* Something that @event waits for is over, maybe even before @event was submitted. */
static void notify(cl_device_id device, cl_event event, cl_event finished)
{
	struct event_data *data = data_of(event);
	bool ready = event->command->ready;

	(void)device;
	if (data->doomed)
		return;
	if (finished->status >= CL_COMPLETE) {
		if (ready && event->status == CL_QUEUED)
			push_if_ready(event->command);
	} else if (ready) {
		fail_with(event, data);
	} else {
		data->doomed = true;
	}
}

static void flush(cl_device_id device, cl_command_queue queue)
{
	(void)device;
	(void)queue;
}

/* ---- waiting for them ---- */

static void join(cl_device_id device, cl_command_queue queue)
{
	(void)device;
	POCL_LOCK_OBJ(queue);
	while (queue->command_count)
		pthread_cond_wait(queue->data, &queue->pocl_lock);
	POCL_UNLOCK_OBJ(queue);
}

static void notify_queue_finished(cl_command_queue queue)
{
	pthread_cond_broadcast(queue->data);
}

static void wait_event(cl_device_id device, cl_event event)
{
	struct event_data *data = event->data;

	(void)device;
	POCL_LOCK_OBJ(event);
	while (event->status > CL_COMPLETE)
		pthread_cond_wait(&data->done, &event->pocl_lock);
	POCL_UNLOCK_OBJ(event);
}

static void notify_event_finished(cl_event event)
{
	struct event_data *data = event->data;

	pthread_cond_broadcast(&data->done);
}

/* ---- what belongs to queues and events ---- */

static int init_queue(cl_device_id device, cl_command_queue queue)
{
	pthread_cond_t *done = malloc(sizeof(*done));

	(void)device;
	if (!done)
		return CL_OUT_OF_HOST_MEMORY;
	pthread_cond_init(done, NULL);
	queue->data = done;
	return CL_SUCCESS;
}

static int free_queue(cl_device_id device, cl_command_queue queue)
{
	(void)device;
	pthread_cond_destroy(queue->data);
	free(queue->data);
	queue->data = NULL;
	return CL_SUCCESS;
}

static void stamp_end(cl_event event, const struct tess_cl_times *t)
{
	event->time_end = pocl_gettimemono_ns();
	if (!t->known)
		return;
	/* The clock of the GPU runs at a pace of its own: that must not make time run backwards. */
	event->time_start = t->start > event->time_submit ? t->start : event->time_submit;
	event->time_end = event->time_start + t->duration;
}

static void update_event(cl_device_id device, cl_event event)
{
	struct event_data *data = data_of(event);

	(void)device;
	switch (event->status) {
	case CL_QUEUED:
		event->time_queue = pocl_gettimemono_ns();
		break;
	case CL_SUBMITTED:
		event->time_submit = pocl_gettimemono_ns();
		break;
	case CL_RUNNING:
		event->time_start = pocl_gettimemono_ns();
		break;
	default:
		stamp_end(event, &data->times);
	}
}

static void free_event_data(cl_event event)
{
	struct event_data *data = event->data;

	if (!data)
		return;
	pthread_cond_destroy(&data->done);
	free(data);
	event->data = NULL;
}

void tess_cl_command_ops(struct pocl_device_ops *ops)
{
	ops->submit = submit;
	ops->notify = notify;
	ops->broadcast = pocl_broadcast;
	ops->flush = flush;
	ops->join = join;
	ops->wait_event = wait_event;
	ops->notify_event_finished = notify_event_finished;
	ops->notify_cmdq_finished = notify_queue_finished;
	ops->update_event = update_event;
	ops->free_event_data = free_event_data;
	ops->init_queue = init_queue;
	ops->free_queue = free_queue;
}
