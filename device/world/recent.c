// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A ring of packets' headers. */
#include "device/world/recent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/wire/dissect.h"
#include "device/wire/packet.h"

enum { RECENT_TEXT = WIRE_DISSECT_MAX + 64, RECENT_GID = 16 };

struct recent_packet {
	uint64_t when_ns;
	uint8_t from[RECENT_GID], to[RECENT_GID];
	uint32_t len; /* of the whole packet */
	bool turned;  /* a bit of it is to be turned on its way */
	uint8_t head[WIRE_HEADERS_MAX];
};

struct recent {
	uint64_t written;
	uint32_t size;
	struct recent_packet at[];
};

struct recent *recent_create(uint32_t count)
{
	struct recent *r = calloc(1, sizeof(*r) + count * sizeof(r->at[0]));

	if (r)
		r->size = count;
	return r;
}

void recent_destroy(struct recent *r)
{
	free(r);
}

void recent_put(struct recent *r, const struct link_packet *p, uint64_t now_ns)
{
	struct recent_packet *at = &r->at[r->written++ % r->size];

	at->when_ns = now_ns;
	memcpy(at->from, p->from.gid, sizeof(at->from));
	memcpy(at->to, p->to.gid, sizeof(at->to));
	at->len = p->len;
	at->turned = p->turn != 0;
	memcpy(at->head, p->bytes,
	       p->len < sizeof(at->head) ? p->len : sizeof(at->head));
}

/* The IPv4 address in a GID, in which adapters differ. */
static void recent_text(const struct recent_packet *p, char *text, size_t room)
{
	const uint8_t *f = p->from + RECENT_GID - 4;
	const uint8_t *t = p->to + RECENT_GID - 4;
	char what[WIRE_DISSECT_MAX];
	struct wire_packet packet;
	enum wire_decode d = wire_packet_decode(p->head, p->len, &packet);

	if (d == WIRE_DECODE_OK)
		wire_dissect(&packet, what, sizeof(what));
	else
		snprintf(what, sizeof(what), "%u bytes, %s", p->len,
			 wire_decode_name(d));
	snprintf(text, room, "%u.%u.%u.%u > %u.%u.%u.%u %s%s", f[0], f[1], f[2],
		 f[3], t[0], t[1], t[2], t[3], what,
		 p->turned ? " (spoilt)" : "");
}

void recent_show(const struct recent *r,
		 void (*line)(void *arg, uint64_t when_ns, const char *text),
		 void *arg)
{
	uint64_t first = r->written > r->size ? r->written - r->size : 0;
	char text[RECENT_TEXT];

	for (uint64_t i = first; i < r->written; i++) {
		const struct recent_packet *p = &r->at[i % r->size];

		recent_text(p, text, sizeof(text));
		line(arg, p->when_ns, text);
	}
}
