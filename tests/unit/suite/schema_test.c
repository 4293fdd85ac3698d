// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Structs as data: no field is forgotten, what goes out comes back, and what
 * does not fit is refused by name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "suite/end/remote.h"

static const struct schema *schema_named(const char *name)
{
	size_t i;

	for (i = 0; i < end_command_count; i++) {
		if (strcmp(end_commands[i].argument->name, name) == 0)
			return end_commands[i].argument;
		if (strcmp(end_commands[i].answer->name, name) == 0)
			return end_commands[i].answer;
	}
	fail_msg("no struct %s", name);
	return NULL;
}

/* Those that leave out what is a matter of one process. */
static bool schema_partial(const struct schema *s)
{
	return strcmp(s->name, "ibv_qp_init_attr") == 0 ||
	       strcmp(s->name, "end_opened") == 0;
}

/* Each byte of the struct is a field's, but for padding before a number. */
static void schema_covers(const struct schema *s)
{
	unsigned char *used = calloc(1, s->size);
	uint32_t i, at, gap = 0;

	assert_non_null(used);
	for (i = 0; i < s->count; i++) {
		const struct schema_field *f = &s->fields[i];

		assert_true(f->offset + f->size <= s->size);
		memset(used + f->offset, 1, f->size);
		if (f->of)
			schema_covers(f->of);
	}
	for (at = 0; at < s->size && !schema_partial(s); at++) {
		gap = used[at] ? 0 : gap + 1;
		if (gap >= 8 || (gap >= 4 && at + 1 < s->size && used[at + 1] &&
				 (at + 1) % 8))
			fail_msg("%s: no field has byte %u", s->name, at);
	}
	free(used);
}

static void no_field_is_forgotten(void **state)
{
	size_t i;

	for (i = 0; i < end_command_count; i++) {
		schema_covers(end_commands[i].argument);
		schema_covers(end_commands[i].answer);
	}
}

static struct end_wr schema_wr(uint32_t n)
{
	return (struct end_wr){
		.wr_id = UINT64_MAX - n,
		.place = { .mr = n, .sges = 3, .bytes = { 1, 2, UINT32_MAX } },
		.payload = { .key = n, .sequence = PATTERN_SEQUENCE_MAX },
		.op = IBV_WR_RDMA_READ,
		.imm_data = 0x12345678,
		.keep = true,
	};
}

static void pointers_come_back(void **state)
{
	const struct schema *s = schema_named("end_post");
	struct end_wr wrs[2] = { schema_wr(1), schema_wr(2) };
	struct end_post in = { .qp = 7, .count = 2, .wrs = wrs }, got;
	struct strbuf out = STRBUF_INIT, error = STRBUF_INIT;
	struct schema_room room = { 0 };
	struct cbor_reader r;

	schema_encode(s, &in, &out);
	r = (struct cbor_reader){ (unsigned char *)out.text,
				  (unsigned char *)out.text + out.len };
	assert_int_equal(schema_decode(s, &r, &got, &room, &error), 0);
	assert_ptr_equal(r.at, r.end);
	assert_int_equal(got.qp, 7);
	assert_int_equal(got.count, 2);
	assert_memory_equal(got.wrs[1].place.bytes, wrs[1].place.bytes,
			    sizeof(wrs[1].place.bytes));
	assert_true(got.wrs[0].wr_id == wrs[0].wr_id);
	assert_int_equal(got.wrs[1].imm_data, 0x12345678);
	assert_true(got.wrs[1].keep && !got.wrs[1].result);
	schema_room_free(&room);
	strbuf_free(&out);
}

static void schema_refused(const char *name, const void *bytes, size_t len,
			   const char *word)
{
	const struct schema *s = schema_named(name);
	struct cbor_reader r = { bytes, (const unsigned char *)bytes + len };
	struct strbuf error = STRBUF_INIT;
	struct schema_room room = { 0 };
	void *to = malloc(s->size);

	assert_non_null(to);
	assert_int_equal(schema_decode(s, &r, to, &room, &error), -EBADMSG);
	if (!strstr(strbuf_text(&error), word))
		fail_msg("'%s' is not in '%s'", word, strbuf_text(&error));
	schema_room_free(&room);
	strbuf_free(&error);
	free(to);
}

static void refused_by_name(void **state)
{
	/* poll: [cq, max]; arm_cq: [cq, solicited_only]; post: [qp, count,
	 * wrs]; counter: [name]. */
	schema_refused("end_poll", "\x82\x01", 2, "end_poll.max is no whole");
	schema_refused("end_poll", "\x81\x01", 2, "end_poll.max is missing");
	schema_refused("end_poll", "\x83\x01\x01\x01", 4, "has 3 fields");
	schema_refused("end_poll", "\x82\x01\x19\x04\x01", 5,
		       "end_poll.max is 1025, at most 1024");
	schema_refused("end_poll", "\x82\x1b\0\0\0\1\0\0\0\0\x01", 11,
		       "end_poll.cq is 4294967296, at most 4294967295");
	schema_refused("end_poll", "\x82\x18\x01\x01", 4, "end_poll.cq");
	schema_refused("end_poll", "\x01", 1, "not the fields of end_poll");
	schema_refused("end_arm", "\x82\x01\x01", 3,
		       "end_arm.solicited_only is not true or false");
	schema_refused("end_post", "\x83\x01\x02\x81\x00", 5,
		       "end_post.wrs has 1 elements, its count says 2");
	schema_refused("end_counter", "\x81\x62\x61\x00", 4,
		       "end_counter.name has 2 bytes");
	schema_refused("end_counter",
		       "\x81\x7b\xff\xff\xff\xff\xff\xff\xff\xff", 10,
		       "end_counter.name is no text");
	schema_refused("end_resize", "\x82\x01\x1a\xff\xff\xff\xff", 7,
		       "end_resize.cqe is 4294967295, it has 4 bytes");
}

static void numbers(void **state)
{
	static const uint64_t values[] = { 0,	       1,	 23,
					   24,	       255,	 256,
					   65535,      65536,	 1ull << 32,
					   UINT32_MAX, INT64_MAX };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		struct strbuf out = STRBUF_INIT;
		struct cbor_reader r;
		uint64_t n = 1;
		int64_t m = 1;

		cbor_add_uint(&out, values[i]);
		cbor_add_int(&out, -(int64_t)values[i]);
		r = (struct cbor_reader){ (unsigned char *)out.text,
					  (unsigned char *)out.text + out.len };
		assert_int_equal(cbor_take_uint(&r, &n), 0);
		assert_int_equal(cbor_take_int(&r, &m), 0);
		assert_true(n == values[i] && m == -(int64_t)values[i]);
		assert_ptr_equal(r.at, r.end);
		strbuf_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_field_is_forgotten),
		cmocka_unit_test(pointers_come_back),
		cmocka_unit_test(refused_by_name),
		cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
