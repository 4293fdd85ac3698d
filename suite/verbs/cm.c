// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* librdmacm's calls, each with its record. */
#include "suite/verbs/cm.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "suite/oracle/recorder.h"

#define CM_LIBRARY "librdmacm.so.1"

enum { CM_ROUTE_MS = 2000 };

#define CM_FUNCTIONS(X)          \
	X(create_event_channel)  \
	X(destroy_event_channel) \
	X(create_id)             \
	X(destroy_id)            \
	X(bind_addr)             \
	X(listen)                \
	X(resolve_addr)          \
	X(resolve_route)         \
	X(connect)               \
	X(accept)                \
	X(establish)             \
	X(disconnect)            \
	X(init_qp_attr)          \
	X(set_option)            \
	X(get_cm_event)          \
	X(ack_cm_event)

/* As the library has them; empty until it is loaded. */
static struct {
	void *library;
#define CM_FUNCTION(name) __typeof__(rdma_##name) *name;
	CM_FUNCTIONS(CM_FUNCTION)
#undef CM_FUNCTION
} cm;

static const char *const cm_names[] = {
#define CM_NAME(name) "rdma_" #name,
	CM_FUNCTIONS(CM_NAME)
#undef CM_NAME
};

int verbs_cm_load(char *why, size_t size)
{
	void *library, *at[ARRAY_SIZE(cm_names)];
	size_t i;

	if (cm.library)
		return 0;
	library = dlopen(CM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		snprintf(why, size,
			 "the connection manager's library cannot be loaded: "
			 "%s; install librdmacm1",
			 dlerror());
		return -ELIBACC;
	}
	for (i = 0; i < ARRAY_SIZE(cm_names); i++) {
		at[i] = dlsym(library, cm_names[i]);
		if (at[i])
			continue;
		snprintf(why, size, CM_LIBRARY " is too old: it has no %s()",
			 cm_names[i]);
		dlclose(library);
		return -ELIBBAD;
	}
	i = 0;
#define CM_TAKE(name) memcpy(&cm.name, &at[i++], sizeof(cm.name));
	CM_FUNCTIONS(CM_TAKE)
#undef CM_TAKE
	cm.library = library;
	return 0;
}

void verbs_cm_warm_up(const char *device, uint8_t port)
{
	static const struct verbs_at nobody;
	const struct verbs_cm_place place = { .device = device, .port = port };
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	char why[256];

	/* What fails here fails again where it can be said. */
	if (!device || verbs_cm_load(why, sizeof(why)) ||
	    verbs_cm_open(&nobody, &channel))
		return;
	if (!verbs_cm_bind(&nobody, channel, &place, &id))
		(void)verbs_cm_destroy(&nobody, id);
	verbs_cm_close(&nobody, channel);
}

void verbs_cm_unload(void)
{
	if (cm.library)
		dlclose(cm.library);
	memset(&cm, 0, sizeof(cm));
}

static int cm_record(const struct verbs_at *at, const char *call,
		     const struct rdma_cm_id *id, uint64_t arg, int ret)
{
	struct recorder_record r = { .call = RECORDER_CM, .args = { arg } };
	int err = verbs_result(ret);

	if (id && id->verbs)
		r.object = id->port_num;
	snprintf(r.text, sizeof(r.text), "%s", call);
	verbs_record(at, &r, ret, err);
	return err;
}

int verbs_cm_open(const struct verbs_at *at,
		  struct rdma_event_channel **channel)
{
	struct rdma_event_channel *c;
	int flags, err;

	errno = 0;
	c = cm.create_event_channel();
	err = cm_record(at, "rdma_create_event_channel", NULL, 0, c ? 0 : -1);
	if (err)
		return err;
	flags = fcntl(c->fd, F_GETFL);
	if (flags < 0 || fcntl(c->fd, F_SETFL, flags | O_NONBLOCK) < 0) {
		err = -errno;
		verbs_cm_close(at, c);
		return err;
	}
	*channel = c;
	return 0;
}

void verbs_cm_close(const struct verbs_at *at,
		    struct rdma_event_channel *channel)
{
	cm.destroy_event_channel(channel);
	(void)cm_record(at, "rdma_destroy_event_channel", NULL, 0, 0);
}

int verbs_cm_try_bind(const struct verbs_at *at,
		      struct rdma_event_channel *channel,
		      const struct verbs_cm_place *place,
		      const struct sockaddr *address, struct rdma_cm_id **out)
{
	struct sockaddr_in6 copy;
	struct rdma_cm_id *id;
	int err;

	memcpy(&copy, address,
	       address->sa_family == AF_INET ? sizeof(struct sockaddr_in)
					     : sizeof(copy));
	errno = 0;
	err = cm_record(at, "rdma_create_id", NULL, 0,
			cm.create_id(channel, &id, NULL, RDMA_PS_TCP));
	if (err)
		return err;
	/* Whose address it is not is no error of anybody's. */
	errno = 0;
	err = verbs_result(cm.bind_addr(id, (struct sockaddr *)&copy));
	(void)cm_record(at, "rdma_bind_addr", id, err ? 0 : 1, 0);
	if (!err && id->verbs && id->port_num == place->port &&
	    !strcmp(ibv_get_device_name(id->verbs->device), place->device)) {
		*out = id;
		return 0;
	}
	(void)verbs_cm_destroy(at, id);
	return err ? err : -EADDRNOTAVAIL;
}

int verbs_cm_destroy(const struct verbs_at *at, struct rdma_cm_id *id)
{
	errno = 0;
	return cm_record(at, "rdma_destroy_id", NULL, 0, cm.destroy_id(id));
}

size_t verbs_cm_address(const struct rdma_cm_id *id, struct sockaddr_in6 *out)
{
	const struct sockaddr *from = &id->route.addr.src_addr;
	size_t len = from->sa_family == AF_INET ? sizeof(struct sockaddr_in)
						: sizeof(struct sockaddr_in6);

	memset(out, 0, sizeof(*out));
	memcpy(out, &id->route.addr.src_storage, len);
	return len;
}

int verbs_cm_timeout(const struct verbs_at *at, struct rdma_cm_id *id,
		     uint8_t code)
{
	errno = 0;
	return cm_record(at, "rdma_set_option: ACK timeout", id, code,
			 cm.set_option(id, RDMA_OPTION_ID,
				       RDMA_OPTION_ID_ACK_TIMEOUT, &code,
				       sizeof(code)));
}

int verbs_cm_resolve(const struct verbs_at *at, struct rdma_cm_id *id,
		     const struct sockaddr_in6 *peer, int ms)
{
	struct sockaddr_in6 copy = *peer;

	errno = 0;
	return cm_record(at, "rdma_resolve_addr", id, (uint64_t)ms,
			 cm.resolve_addr(id, NULL, (struct sockaddr *)&copy,
					 ms));
}

static int cm_act(struct rdma_cm_id *id, enum verbs_cm_act act,
		  struct rdma_conn_param *param)
{
	switch (act) {
	case VERBS_CM_LISTEN:
		return cm.listen(id, 1);
	case VERBS_CM_ROUTE:
		return cm.resolve_route(id, CM_ROUTE_MS);
	case VERBS_CM_CONNECT:
		return cm.connect(id, param);
	case VERBS_CM_ACCEPT:
		return cm.accept(id, param);
	case VERBS_CM_ESTABLISH:
		return cm.establish(id);
	case VERBS_CM_DISCONNECT:
		return cm.disconnect(id);
	}
	errno = EINVAL;
	return -1;
}

int verbs_cm_act(const struct verbs_at *at, struct rdma_cm_id *id,
		 enum verbs_cm_act act, struct rdma_conn_param *param)
{
	static const char *const names[] = {
		[VERBS_CM_LISTEN] = "rdma_listen",
		[VERBS_CM_ROUTE] = "rdma_resolve_route",
		[VERBS_CM_CONNECT] = "rdma_connect",
		[VERBS_CM_ACCEPT] = "rdma_accept",
		[VERBS_CM_ESTABLISH] = "rdma_establish",
		[VERBS_CM_DISCONNECT] = "rdma_disconnect",
	};

	errno = 0;
	return cm_record(at, names[act], id, param ? param->qp_num : 0,
			 cm_act(id, act, param));
}

int verbs_cm_attr(const struct verbs_at *at, struct rdma_cm_id *id,
		  struct ibv_qp_attr *attr, unsigned *mask)
{
	int bits = 0, err;

	errno = 0;
	err = cm_record(at, "rdma_init_qp_attr", id, attr->qp_state,
			cm.init_qp_attr(id, attr, &bits));
	*mask = (unsigned)bits;
	return err;
}

const char *verbs_cm_event_name(unsigned type)
{
	static const char *const names[] = {
#define CM_EVENT(name) [RDMA_CM_EVENT_##name] = #name
		CM_EVENT(ADDR_RESOLVED),   CM_EVENT(ADDR_ERROR),
		CM_EVENT(ROUTE_RESOLVED),  CM_EVENT(ROUTE_ERROR),
		CM_EVENT(CONNECT_REQUEST), CM_EVENT(CONNECT_RESPONSE),
		CM_EVENT(CONNECT_ERROR),   CM_EVENT(UNREACHABLE),
		CM_EVENT(REJECTED),	   CM_EVENT(ESTABLISHED),
		CM_EVENT(DISCONNECTED),	   CM_EVENT(DEVICE_REMOVAL),
		CM_EVENT(ADDR_CHANGE),	   CM_EVENT(TIMEWAIT_EXIT),
#undef CM_EVENT
	};

	return type < ARRAY_SIZE(names) && names[type] ? names[type] : "?";
}

int verbs_cm_take(const struct verbs_at *at, struct rdma_event_channel *channel,
		  struct verbs_cm_event *out)
{
	struct recorder_record r = { .call = RECORDER_CM_EVENT };
	struct rdma_cm_event *e;
	int ret, err;

	errno = 0;
	ret = cm.get_cm_event(channel, &e);
	err = verbs_result(ret);
	if (err == -EAGAIN)
		return err;
	if (!err) {
		*out = (struct verbs_cm_event){ .type = e->event,
						.status = e->status,
						.id = e->id,
						.qpn = e->param.conn.qp_num };
		r.args[0] = (uint64_t)e->event;
		r.args[1] = out->qpn;
		r.error = e->status < 0 ? -e->status : 0;
		snprintf(r.text, sizeof(r.text), "%s",
			 verbs_cm_event_name(e->event));
		cm.ack_cm_event(e);
	}
	verbs_record(at, &r, err ? ret : out->status, err ? err : -r.error);
	return err;
}
