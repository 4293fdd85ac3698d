// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Completion channels and asynchronous events; nothing here blocks. */
#include <errno.h>
#include <fcntl.h>

#include "base/verbs_names.h"
#include "suite/oracle/recorder.h"
#include "suite/verbs/verbs.h"

static int verbs_fd_prepare(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	return 0;
}

int verbs_channel_create(const struct verbs_at *at, struct ibv_context *context,
			 struct ibv_comp_channel **channel)
{
	struct recorder_record r = { .call = RECORDER_CREATE_CHANNEL };
	int err;

	errno = 0;
	*channel = ibv_create_comp_channel(context);
	err = *channel ? 0 : verbs_errno();
	if (*channel)
		r.object = (uint32_t)(*channel)->fd;
	verbs_record(at, &r, err ? -1 : 0, err);
	if (err)
		return err;
	err = verbs_fd_prepare((*channel)->fd);
	if (err)
		(void)verbs_channel_destroy(at, *channel);
	return err;
}

int verbs_channel_destroy(const struct verbs_at *at,
			  struct ibv_comp_channel *channel)
{
	struct recorder_record r = { .call = RECORDER_DESTROY_CHANNEL,
				     .object = (uint32_t)channel->fd };
	int ret, err;

	errno = 0;
	ret = ibv_destroy_comp_channel(channel);
	err = verbs_result(ret);
	verbs_record(at, &r, ret, err);
	return err;
}

int verbs_channel_get(const struct verbs_at *at,
		      struct ibv_comp_channel *channel, struct ibv_cq **cq,
		      void **cookie)
{
	struct recorder_record r = { .call = RECORDER_GET_CQ_EVENT };
	int ret, err;

	errno = 0;
	ret = ibv_get_cq_event(channel, cq, cookie);
	err = verbs_result(ret);
	if (err == -EAGAIN)
		return err;
	if (!err)
		r.object = (*cq)->handle;
	verbs_record(at, &r, ret, err);
	return err;
}

void verbs_cq_ack(const struct verbs_at *at, struct ibv_cq *cq, unsigned count)
{
	struct recorder_record r = { .call = RECORDER_ACK_CQ_EVENTS,
				     .object = cq->handle,
				     .args = { count } };

	ibv_ack_cq_events(cq, count);
	verbs_record(at, &r, 0, 0);
}

int verbs_channel_take(const struct verbs_at *at,
		       struct ibv_comp_channel *channel, void **cookie)
{
	struct ibv_cq *cq;
	int err = verbs_channel_get(at, channel, &cq, cookie);

	if (!err)
		verbs_cq_ack(at, cq, 1);
	return err;
}

int verbs_async_prepare(struct ibv_context *context)
{
	return verbs_fd_prepare(context->async_fd);
}

/* The number of what the event is about: of a QP its QP number. */
static uint32_t verbs_async_object(const struct ibv_async_event *event)
{
	switch (verbs_event_about(event->event_type)) {
	case VERBS_ABOUT_CQ:
		return event->element.cq->handle;
	case VERBS_ABOUT_QP:
		return event->element.qp->qp_num;
	case VERBS_ABOUT_SRQ:
		return event->element.srq->handle;
	case VERBS_ABOUT_PORT:
		return (uint32_t)event->element.port_num;
	default:
		return 0;
	}
}

int verbs_async_get(const struct verbs_at *at, struct ibv_context *context,
		    struct ibv_async_event *event)
{
	struct recorder_record r = { .call = RECORDER_GET_ASYNC_EVENT };
	int ret, err;

	errno = 0;
	ret = ibv_get_async_event(context, event);
	err = verbs_result(ret);
	if (err == -EAGAIN)
		return err;
	if (!err) {
		r.object = verbs_async_object(event);
		r.args[0] = event->event_type;
	}
	verbs_record(at, &r, ret, err);
	return err;
}

void verbs_async_ack(const struct verbs_at *at, struct ibv_async_event *event)
{
	struct recorder_record r = {
		.call = RECORDER_ACK_ASYNC_EVENT,
		.object = verbs_async_object(event),
		.args = { event->event_type },
	};

	ibv_ack_async_event(event);
	verbs_record(at, &r, 0, 0);
}

int verbs_async_take(const struct verbs_at *at, struct ibv_context *context,
		     struct ibv_async_event *event)
{
	int err = verbs_async_get(at, context, event);

	if (!err)
		verbs_async_ack(at, event);
	return err;
}
