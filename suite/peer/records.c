// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Records out, in, and sorted into one time line. */
#include "suite/peer/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suite/control/schema.h"

struct records_batch {
	uint32_t count;
	struct recorder_record record[RECORDS_BATCH];
};

#define RECORD(f, k)                                                        \
	{                                                                   \
		.name = #f, .kind = (k),                                    \
		.offset = (uint32_t)offsetof(struct recorder_record, f),    \
		.size = (uint32_t)sizeof(((struct recorder_record *)0)->f), \
		.max = 0                                                    \
	}

/* Without its ticket, which is given anew, and its sum. */
static const struct schema_field records_fields[] = {
	RECORD(when_ns, SCHEMA_UINT),
	{ .name = "args",
	  .kind = SCHEMA_ARRAY,
	  .offset = (uint32_t)offsetof(struct recorder_record, args),
	  .max = RECORDER_ARGS,
	  .element = sizeof(uint64_t) },
	RECORD(result, SCHEMA_INT),
	RECORD(object, SCHEMA_UINT),
	RECORD(error, SCHEMA_INT),
	RECORD(vendor_err, SCHEMA_UINT),
	{ .name = "call",
	  .kind = SCHEMA_UINT,
	  .offset = (uint32_t)offsetof(struct recorder_record, call),
	  .size = sizeof(uint16_t),
	  .max = RECORDER_CALLS - 1 },
	RECORD(end, SCHEMA_UINT),
	RECORD(flags, SCHEMA_UINT),
	RECORD(text, SCHEMA_CHARS),
};

static const struct schema records_schema = {
	.name = "record",
	.size = sizeof(struct recorder_record),
	.count = ARRAY_SIZE(records_fields),
	.fields = records_fields,
};

static const struct schema_field records_batch_fields[] = {
	{ .name = "count",
	  .kind = SCHEMA_UINT,
	  .offset = (uint32_t)offsetof(struct records_batch, count),
	  .size = sizeof(uint32_t) },
	{ .name = "record",
	  .kind = SCHEMA_ARRAY,
	  .offset = (uint32_t)offsetof(struct records_batch, record),
	  .max = RECORDS_BATCH,
	  .counter = (uint32_t)offsetof(struct records_batch, count),
	  .counter_size = sizeof(uint32_t),
	  .element = sizeof(struct recorder_record),
	  .of = &records_schema },
};

static const struct schema records_batch_schema = {
	.name = "records",
	.size = sizeof(struct records_batch),
	.count = ARRAY_SIZE(records_batch_fields),
	.fields = records_batch_fields,
};

struct records_sender {
	struct channel *c;
	struct records_batch *batch;
	struct strbuf *error;
	int err;
};

enum { RECORDS_SEND_MS = 10000 };

static int records_flush(struct records_sender *s)
{
	struct strbuf *out = channel_begin(s->c);

	schema_encode(&records_batch_schema, s->batch, out);
	s->batch->count = 0;
	s->err = channel_send(s->c, RECORDS_SEND_MS, s->error);
	return s->err;
}

static int records_visit(void *arg, const struct recorder_record *record)
{
	struct records_sender *s = arg;

	s->batch->record[s->batch->count++] = *record;
	return s->batch->count == RECORDS_BATCH ? records_flush(s) : 0;
}

int records_send(struct channel *c, const void *area, size_t bytes,
		 struct strbuf *error)
{
	const struct recorder *r = recorder_attach(area, bytes);
	struct records_sender s = {
		.c = c,
		.batch = calloc(1, sizeof(*s.batch)),
		.error = error,
	};

	if (!s.batch || !r) {
		free(s.batch);
		strbuf_add(error, "no records to be sent");
		return -ENOMEM;
	}
	if (!recorder_walk(r, records_visit, &s))
		(void)!records_flush(&s);
	free(s.batch);
	return s.err;
}

static int records_add(struct records *r, const struct recorder_record *record,
		       size_t count)
{
	struct recorder_record *more;

	if (r->count + count > r->room) {
		r->room = 2 * r->room + RECORDS_BATCH;
		more = realloc(r->all, r->room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		r->all = more;
	}
	memcpy(r->all + r->count, record, count * sizeof(*record));
	r->count += count;
	return 0;
}

int records_receive(struct channel *c, int wait_ms, struct records *out,
		    struct strbuf *error)
{
	enum { RECORDS_MAX = 1 << 16 };
	struct records_batch *batch = malloc(sizeof(*batch));
	struct schema_room none = { 0 };
	const unsigned char *payload = NULL;
	struct cbor_reader reader;
	size_t len = 0;
	int err;

	*out = (struct records){ 0 };
	if (!batch)
		return -ENOMEM;
	do {
		err = channel_receive(c, wait_ms, &payload, &len, error);
		if (err)
			break;
		reader = (struct cbor_reader){ payload, payload + len };
		err = schema_decode(&records_batch_schema, &reader, batch,
				    &none, error);
		if (!err)
			err = records_add(out, batch->record, batch->count);
	} while (!err && batch->count == RECORDS_BATCH &&
		 out->count < RECORDS_MAX);
	free(batch);
	return err;
}

void records_free(struct records *r)
{
	free(r->all);
	*r = (struct records){ 0 };
}

uint64_t records_here(const struct records_clock *clock, uint64_t there_ns)
{
	int64_t here = (int64_t)there_ns - clock->offset_ns;
	double since = (double)(here - (int64_t)clock->at_ns);

	return (uint64_t)(here - (int64_t)(since * clock->drift));
}

static int records_keep(void *arg, const struct recorder_record *record)
{
	return records_add(arg, record, 1);
}

static int records_compare(const void *a, const void *b)
{
	const struct recorder_record *x = a, *y = b;

	if (x->when_ns != y->when_ns)
		return x->when_ns < y->when_ns ? -1 : 1;
	return x->ticket < y->ticket ? -1 : x->ticket > y->ticket;
}

const struct recorder *records_merge(const struct recorder *own,
				     const struct records *others,
				     const struct records_clock *clock,
				     void **memory)
{
	struct records all = { 0 };
	struct recorder *r = NULL;
	size_t bytes;

	*memory = NULL;
	if (own && recorder_walk(own, records_keep, &all))
		goto free_all;
	for (size_t i = 0; i < others->count; i++) {
		struct recorder_record record = others->all[i];

		record.when_ns = records_here(clock, record.when_ns);
		if (records_keep(&all, &record))
			goto free_all;
	}
	if (all.count)
		qsort(all.all, all.count, sizeof(all.all[0]), records_compare);
	bytes = recorder_bytes((uint32_t)all.count + 1);
	*memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
	r = *memory ? recorder_init(*memory, bytes) : NULL;
	for (size_t i = 0; r && i < all.count; i++)
		recorder_write(r, &all.all[i]);
free_all:
	records_free(&all);
	return r;
}
