// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Connection parameters as JSON.  Every number is judged against its field's
 * width: a value that does not fit is refused, never cut. */
#include "suite/control/exchange.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "suite/control/frames.h"

json_t *exchange_hello_make(const struct exchange_params *p)
{
	json_t *o = frame_make("hello");
	char gid[33], address[19];
	int i;

	for (i = 0; i < 16; i++)
		snprintf(gid + 2 * i, 3, "%02x", p->gid[i]);
	/* As text: a JSON number of ours has 63 bits. */
	snprintf(address, sizeof(address), "0x%" PRIx64, p->address);
	json_object_set_new(o, "qpn", json_integer(p->qpn));
	json_object_set_new(o, "psn", json_integer(p->psn));
	json_object_set_new(o, "lid", json_integer(p->lid));
	json_object_set_new(o, "gid_index", json_integer(p->gid_index));
	json_object_set_new(o, "gid", json_string(gid));
	json_object_set_new(o, "mtu", json_integer(p->mtu));
	json_object_set_new(o, "pkey_index", json_integer(p->pkey_index));
	json_object_set_new(o, "qp_index", json_integer(p->qp_index));
	json_object_set_new(o, "generation", json_integer(p->generation));
	json_object_set_new(o, "address", json_string(address));
	json_object_set_new(o, "rkey", json_integer(p->rkey));
	return o;
}

static int exchange_number(const json_t *object, const char *name, uint64_t low,
			   uint64_t high, uint64_t *out, struct strbuf *error)
{
	const json_t *v = json_object_get(object, name);
	json_int_t n = json_integer_value(v);

	if (!json_is_integer(v) || n < 0 || (uint64_t)n < low ||
	    (uint64_t)n > high) {
		char *text = v ? json_dumps(v, JSON_ENCODE_ANY) : NULL;

		strbuf_addf(error,
			    "hello: %s is %.40s, expected %" PRIu64
			    " to %" PRIu64,
			    name, text ? text : "missing", low, high);
		free(text);
		return -EBADMSG;
	}
	*out = (uint64_t)n;
	return 0;
}

static int exchange_nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

static int exchange_gid(const json_t *object, uint8_t gid[16],
			struct strbuf *error)
{
	const char *text = json_string_value(json_object_get(object, "gid"));
	size_t i;

	if (!text || strlen(text) != 32)
		goto err_form;
	for (i = 0; i < 16; i++) {
		int high = exchange_nibble(text[2 * i]);
		int low = exchange_nibble(text[2 * i + 1]);

		if (high < 0 || low < 0)
			goto err_form;
		gid[i] = (uint8_t)(high << 4 | low);
	}
	return 0;

err_form:
	strbuf_addf(error,
		    "hello: gid is \"%.40s\", expected 32 digits 0-9 a-f",
		    text ? text : "(missing)");
	return -EBADMSG;
}

static int exchange_address(const json_t *object, uint64_t *address,
			    struct strbuf *error)
{
	const char *text =
		json_string_value(json_object_get(object, "address"));
	uint64_t value = 0;
	const char *c;

	if (!text || strncmp(text, "0x", 2) != 0 || strlen(text) < 3 ||
	    strlen(text) > 18)
		goto err_form;
	for (c = text + 2; *c; c++) {
		int nibble = exchange_nibble(*c);

		if (nibble < 0)
			goto err_form;
		value = value << 4 | (uint64_t)nibble;
	}
	*address = value;
	return 0;

err_form:
	strbuf_addf(error,
		    "hello: address is \"%.40s\", expected 0x and 1 to 16 "
		    "digits 0-9 a-f",
		    text ? text : "(missing)");
	return -EBADMSG;
}

static int exchange_mtu(const json_t *object, uint32_t *mtu,
			struct strbuf *error)
{
	uint64_t n = 0;
	int err = exchange_number(object, "mtu", 256, 4096, &n, error);

	if (err)
		return err;
	if (n & (n - 1)) {
		strbuf_addf(error,
			    "hello: mtu is %" PRIu64
			    ", expected 256, 512, 1024, 2048 or 4096",
			    n);
		return -EBADMSG;
	}
	*mtu = (uint32_t)n;
	return 0;
}

static int exchange_type(const json_t *object, const char *type,
			 struct strbuf *error)
{
	if (strcmp(frame_type(object), type) == 0)
		return 0;
	strbuf_addf(error, "the peer sent \"%.40s\" where \"%s\" is due",
		    frame_type(object), type);
	return -EBADMSG;
}

int exchange_hello_read(const json_t *object, struct exchange_params *p,
			struct strbuf *error)
{
	enum { QPN, PSN, LID, GID_INDEX, PKEY_INDEX, RKEY, INDEX, GENERATION };
	static const struct {
		const char *name;
		uint64_t low, high;
	} numbers[] = {
		[QPN] = { "qpn", 1, 0xffffff },
		[PSN] = { "psn", 0, 0xffffff },
		[LID] = { "lid", 0, 0xffff },
		[GID_INDEX] = { "gid_index", 0, 0xff },
		[PKEY_INDEX] = { "pkey_index", 0, 0xffff },
		[RKEY] = { "rkey", 0, 0xffffffff },
		[INDEX] = { "qp_index", 0, 0x3fff },
		[GENERATION] = { "generation", 0, 0xfff },
	};
	uint64_t n[ARRAY_SIZE(numbers)];
	struct exchange_params got = { 0 };
	size_t i;
	int err;

	err = exchange_type(object, "hello", error);
	for (i = 0; !err && i < ARRAY_SIZE(numbers); i++)
		err = exchange_number(object, numbers[i].name, numbers[i].low,
				      numbers[i].high, &n[i], error);
	if (!err)
		err = exchange_gid(object, got.gid, error);
	if (!err)
		err = exchange_mtu(object, &got.mtu, error);
	if (!err)
		err = exchange_address(object, &got.address, error);
	if (err)
		return err;
	got.qpn = (uint32_t)n[QPN];
	got.psn = (uint32_t)n[PSN];
	got.lid = (uint16_t)n[LID];
	got.gid_index = (uint8_t)n[GID_INDEX];
	got.pkey_index = (uint16_t)n[PKEY_INDEX];
	got.rkey = (uint32_t)n[RKEY];
	got.qp_index = (uint32_t)n[INDEX];
	got.generation = (uint32_t)n[GENERATION];
	*p = got;
	return 0;
}

json_t *exchange_barrier_make(const char *name)
{
	json_t *o = frame_make("barrier");

	json_object_set_new(o, "name", json_string(name));
	return o;
}

int exchange_barrier_read(const json_t *object, const char *name,
			  struct strbuf *error)
{
	const char *got = json_string_value(json_object_get(object, "name"));
	int err = exchange_type(object, "barrier", error);

	if (err)
		return err;
	if (got && strcmp(got, name) == 0)
		return 0;
	strbuf_addf(error, "the peer is at the barrier \"%.40s\", we at \"%s\"",
		    got ? got : "", name);
	return -EBADMSG;
}

json_t *exchange_figure_make(uint64_t value)
{
	json_t *o = frame_make("figure");

	json_object_set_new(o, "value", json_integer((json_int_t)value));
	return o;
}

int exchange_figure_read(const json_t *object, uint64_t *value,
			 struct strbuf *error)
{
	const json_t *v = json_object_get(object, "value");
	int err = exchange_type(object, "figure", error);

	if (err)
		return err;
	if (!json_is_integer(v) || json_integer_value(v) < 0) {
		strbuf_add(error, "figure: value must be a number from 0 on");
		return -EBADMSG;
	}
	*value = (uint64_t)json_integer_value(v);
	return 0;
}
