// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fault rules: what each word of the grammar does to a stream of packets, and
 * what is said about rules that are none. */
#include <stdlib.h>

#include "device/link/faults.h"
#include "pair.h"

enum { QPN = 0x123, STREAM = 1000 };

/* A stream of numbered packets goes through the rules, and this is what comes
 * out: their PSNs in order. */
struct outcome {
	unsigned count;
	uint32_t psn[2 * STREAM];
	unsigned turned;
	uint32_t turn_last;
};

static struct faults *open_rules(const char *text)
{
	struct faults *f;
	char *error = NULL;

	assert_int_equal(faults_open(1, &f), 0);
	if (text && faults_add(f, text, &error))
		fail_msg("%s: %s", text, error);
	return f;
}

static struct link_packet make(enum wire_opcode op, uint32_t psn,
			       uint8_t syndrome, uint8_t *bytes)
{
	struct wire_packet w = {
		.opcode = op,
		.pkey = WIRE_PKEY_DEFAULT,
		.dest_qpn = QPN,
		.psn = psn_make(psn),
		.aeth.syndrome = syndrome,
	};

	return (struct link_packet){
		.bytes = bytes,
		.len = (uint32_t)wire_packet_encode(&w, bytes),
	};
}

static void note(struct outcome *o, const struct link_packet *p)
{
	struct wire_packet w;

	assert_int_equal(wire_packet_decode(p->bytes, p->len, &w),
			 WIRE_DECODE_OK);
	assert_true(o->count < ARRAY_SIZE(o->psn));
	o->psn[o->count++] = w.psn.v;
	if (p->turn) {
		assert_true(p->turn <= p->len * 8);
		o->turned++;
		o->turn_last = p->turn;
	}
}

static void take_due(struct faults *f, enum faults_way way, uint64_t now_ns,
		     struct outcome *o)
{
	struct link_packet *late;

	while ((late = faults_take(f, way, now_ns)))
		note(o, late);
}

/* One packet a microsecond, PSNs from 0 on. */
static void run_stream(struct faults *f, enum faults_way way,
		       enum wire_opcode op, unsigned packets, struct outcome *o)
{
	memset(o, 0, sizeof(*o));
	for (uint32_t psn = 0; psn < packets; psn++) {
		uint8_t bytes[WIRE_PACKET_MAX];
		uint64_t now_ns = NS_PER_S + psn * NS_PER_US;
		struct link_packet p = make(op, psn, 0, bytes);

		take_due(f, way, now_ns, o);
		if (faults_judge(f, way, QPN, &p, now_ns) == FAULTS_PASSES)
			note(o, &p);
		take_due(f, way, now_ns, o);
	}
}

static struct outcome stream(const char *rules, unsigned packets)
{
	struct faults *f = open_rules(rules);
	struct outcome o;

	run_stream(f, FAULTS_TX, WIRE_RC_SEND_ONLY, packets, &o);
	faults_close(f);
	return o;
}

static void without_rules_nothing_is_active(void **state)
{
	struct faults *f = open_rules(NULL);

	assert_false(faults_active(f));
	assert_int_equal(faults_next_ns(f), 0);
	faults_close(f);
}

static void drop_drops_the_nth(void **state)
{
	struct outcome o = stream("drop:nth=3", 5);

	assert_int_equal(o.count, 4);
	assert_int_equal(o.psn[1], 1);
	assert_int_equal(o.psn[2], 3);
}

static void psn_and_its_range_wrap(void **state)
{
	struct outcome o = stream("drop:psn=2-4", 8);

	assert_int_equal(o.count, 5);
	assert_int_equal(o.psn[2], 5);
	o = stream("drop:psn=16777214-1", 4);
	assert_int_equal(o.count, 2);
	assert_int_equal(o.psn[0], 2);
}

static void nth_counts_transmissions_of_one_psn(void **state)
{
	struct faults *f = open_rules("drop:psn=5,nth=2");
	struct outcome o;

	run_stream(f, FAULTS_TX, WIRE_RC_SEND_ONLY, 10, &o);
	assert_int_equal(o.count, 10);
	run_stream(f, FAULTS_TX, WIRE_RC_SEND_ONLY, 10, &o);
	assert_int_equal(o.count, 9);
	run_stream(f, FAULTS_TX, WIRE_RC_SEND_ONLY, 10, &o);
	assert_int_equal(o.count, 10);
	faults_close(f);
}

static void duplicate_sends_twice_in_a_row(void **state)
{
	struct outcome o = stream("duplicate:nth=2", 3);

	assert_int_equal(o.count, 4);
	assert_int_equal(o.psn[1], 1);
	assert_int_equal(o.psn[2], 1);
	assert_int_equal(o.psn[3], 2);
}

static void delay_waits_for_its_time(void **state)
{
	struct outcome o = stream("delay:us=3,nth=1", 6);

	assert_int_equal(o.count, 6);
	assert_int_equal(o.psn[0], 1);
	assert_int_equal(o.psn[1], 2);
	assert_int_equal(o.psn[2], 0);
	assert_int_equal(o.psn[3], 3);
}

static void reorder_lets_others_pass(void **state)
{
	struct outcome o = stream("reorder:nth=2", 4);

	assert_int_equal(o.count, 4);
	assert_int_equal(o.psn[1], 2);
	assert_int_equal(o.psn[2], 1);
	assert_int_equal(o.psn[3], 3);
	o = stream("reorder:nth=2,by=2", 5);
	assert_int_equal(o.psn[1], 2);
	assert_int_equal(o.psn[2], 3);
	assert_int_equal(o.psn[3], 1);
}

static void reorder_does_not_wait_for_ever(void **state)
{
	struct faults *f = open_rules("reorder:us=7");
	struct outcome o = { 0 };
	uint8_t bytes[WIRE_PACKET_MAX];
	struct link_packet p = make(WIRE_RC_SEND_ONLY, 9, 0, bytes);

	assert_int_equal(faults_judge(f, FAULTS_TX, QPN, &p, 1000),
			 FAULTS_IS_GONE);
	assert_int_equal(faults_next_ns(f), 8000);
	take_due(f, FAULTS_TX, 7999, &o);
	assert_int_equal(o.count, 0);
	take_due(f, FAULTS_TX, 8000, &o);
	assert_int_equal(o.count, 1);
	assert_int_equal(faults_next_ns(f), 0);
	faults_close(f);
}

static void corrupt_turns_a_bit_of_the_packet(void **state)
{
	struct outcome o = stream("corrupt:nth=2", 3);
	struct outcome again = stream("corrupt:nth=2", 3);

	assert_int_equal(o.count, 3);
	assert_int_equal(o.turned, 1);
	assert_int_equal(o.turn_last, again.turn_last);
}

static void rate_is_kept_and_the_seed_repeats_it(void **state)
{
	struct outcome a = stream("drop:rate=0.1,seed=7", STREAM);
	struct outcome b = stream("drop:rate=0.1,seed=7", STREAM);
	struct outcome c = stream("drop:rate=0.1,seed=8", STREAM);

	assert_in_range(a.count, STREAM * 85 / 100, STREAM * 95 / 100);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_true(memcmp(&a, &c, sizeof(a)) != 0);
	assert_int_equal(stream("drop:rate=0", STREAM).count, STREAM);
	assert_int_equal(stream("drop:rate=1", STREAM).count, 0);
	assert_int_equal(stream("drop:rate=1.0", STREAM).count, 0);
}

static void count_ends_a_rule(void **state)
{
	assert_int_equal(stream("drop:count=3", 10).count, 7);
}

static void way_and_queue_pair_are_told_apart(void **state)
{
	struct faults *f = open_rules("drop:dir=rx,qp=291");
	struct outcome o;

	run_stream(f, FAULTS_TX, WIRE_RC_SEND_ONLY, 5, &o);
	assert_int_equal(o.count, 5);
	run_stream(f, FAULTS_RX, WIRE_RC_SEND_ONLY, 5, &o);
	assert_int_equal(o.count, 0);
	faults_close(f);
	f = open_rules("drop:dir=any,qp=292");
	run_stream(f, FAULTS_RX, WIRE_RC_SEND_ONLY, 5, &o);
	assert_int_equal(o.count, 5);
	faults_close(f);
}

static bool dropped(const char *rules, enum wire_opcode op, uint8_t syndrome)
{
	struct faults *f = open_rules(rules);
	uint8_t bytes[WIRE_PACKET_MAX];
	struct link_packet p = make(op, 1, syndrome, bytes);
	bool gone = faults_judge(f, FAULTS_TX, QPN, &p, 1) == FAULTS_IS_GONE;

	faults_close(f);
	return gone;
}

static void operations_are_told_apart(void **state)
{
	static const struct {
		const char *rules;
		enum wire_opcode hit, miss;
		uint8_t hit_syndrome, miss_syndrome;
	} rows[] = {
		{ "drop:op=request", WIRE_RC_READ_REQUEST, WIRE_RC_ACK },
		{ "drop:op=response", WIRE_RC_ATOMIC_ACK, WIRE_UD_SEND_ONLY },
		{ "drop:op=ACK", WIRE_RC_ACK, WIRE_RC_ACK, 0x1f, 0x60 },
		{ "drop:op=nak", WIRE_RC_ACK, WIRE_RC_ACK, 0x61, 0x21 },
		{ "drop:op=rnr", WIRE_RC_ACK, WIRE_RC_ACK, 0x21, 0x1f },
		{ "drop:op=send", WIRE_UC_SEND_ONLY, WIRE_RC_WRITE_ONLY },
		{ "drop:op=write", WIRE_RC_WRITE_ONLY, WIRE_RC_SEND_ONLY },
		{ "drop:op=read", WIRE_RC_READ_RESP_ONLY, WIRE_RC_ACK },
		{ "drop:op=atomic", WIRE_RC_FETCH_ADD, WIRE_RC_SEND_ONLY },
		{ "drop:op=RC_SEND_ONLY", WIRE_RC_SEND_ONLY,
		  WIRE_RC_SEND_ONLY_IMM },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!dropped(rows[i].rules, rows[i].hit, rows[i].hit_syndrome))
			fail_msg("%s does not hit", rows[i].rules);
		if (dropped(rows[i].rules, rows[i].miss, rows[i].miss_syndrome))
			fail_msg("%s hits too much", rows[i].rules);
	}
}

static void the_first_rule_acts_and_all_count(void **state)
{
	struct faults *f = open_rules("drop:nth=2;corrupt:nth=2;drop:nth=4");
	uint64_t matches, hits;
	const char *text;
	struct outcome o;

	run_stream(f, FAULTS_TX, WIRE_RC_SEND_ONLY, 5, &o);
	assert_int_equal(o.count, 3);
	assert_int_equal(o.turned, 0);
	assert_int_equal(faults_rule(f, 0, &text, &matches, &hits), 0);
	assert_string_equal(text, "drop:nth=2");
	assert_int_equal(matches, 5);
	assert_int_equal(hits, 1);
	assert_int_equal(faults_rule(f, 1, &text, &matches, &hits), 0);
	assert_int_equal(matches, 5);
	assert_int_equal(hits, 0);
	assert_int_equal(faults_rule(f, 3, &text, &matches, &hits), -ENOENT);
	faults_close(f);
}

static void clearing_lets_go_what_is_held(void **state)
{
	struct faults *f = open_rules("delay:us=60000000");
	struct outcome o;

	run_stream(f, FAULTS_TX, WIRE_RC_SEND_ONLY, 4, &o);
	assert_int_equal(o.count, 0);
	faults_clear(f);
	assert_true(faults_active(f));
	take_due(f, FAULTS_TX, 0, &o);
	assert_int_equal(o.count, 4);
	assert_int_equal(o.psn[3], 3);
	assert_false(faults_active(f));
	faults_close(f);
}

static void what_is_held_has_a_limit(void **state)
{
	struct faults *f = open_rules("delay:us=60000000");
	struct outcome o;

	run_stream(f, FAULTS_TX, WIRE_RC_SEND_ONLY, STREAM, &o);
	assert_int_equal(o.count, 0);
	run_stream(f, FAULTS_TX, WIRE_RC_SEND_ONLY, STREAM, &o);
	assert_int_equal(o.count, 2 * STREAM - FAULTS_HELD_MAX);
	faults_close(f);
}

static void what_is_no_packet_has_no_opcode(void **state)
{
	struct faults *f = open_rules("drop:op=request;drop:psn=0-16777215");
	uint8_t rubbish[20] = { 0xff };
	struct link_packet p = { .bytes = rubbish, .len = sizeof(rubbish) };
	char *error;

	assert_int_equal(faults_judge(f, FAULTS_TX, QPN, &p, 1), FAULTS_PASSES);
	assert_int_equal(faults_add(f, "drop", &error), 0);
	assert_int_equal(faults_judge(f, FAULTS_TX, QPN, &p, 1),
			 FAULTS_IS_GONE);
	faults_close(f);
}

static void bad_rules_are_told_in_one_line(void **state)
{
	static const struct {
		const char *text, *word, *expected;
	} bad[] = {
		{ "", "\"\"", "drop" },
		{ "lose", "\"lose\"", "reorder" },
		{ "drop;", "\"\"", "duplicate" },
		{ "drop:", "\"\"", "nth" },
		{ "drop:nth=1,", "\"\"", "rate" },
		{ "drop:when=2", "\"when\"", "psn" },
		{ "drop:nth=0", "nth \"0\"", "from 1" },
		{ "drop:nth=x", "\"x\"", "number" },
		{ "drop:nth=18446744073709551616", "nth", "number" },
		{ "drop:rate=2", "\"2\"", "0.01" },
		{ "drop:rate=1.5", "\"", "0.01" },
		{ "drop:rate=.5", "rate", "probability" },
		{ "drop:rate=0.", "rate", "probability" },
		{ "drop:rate=-1", "rate", "probability" },
		{ "drop:nth=1,rate=0.5", "rate", "without nth" },
		{ "drop:op=ACKK", "\"ACKK\"", "RC_SEND_ONLY" },
		{ "drop:dir=up", "\"up\"", "rx" },
		{ "drop:qp=16777216", "\"16777216\"", "queue pair" },
		{ "drop:psn=5-", "psn", "5-9" },
		{ "drop:us=5", "us \"5\"", "delay" },
		{ "reorder:by=0", "\"0\"", "128" },
		{ "delay", "\"delay\"", "us=" },
		{ "drop:nth=1\n", "\"1?\"", "from 1" },
		{ "drop;drop:nth", "nth \"\"", "from 1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char *error = faults_check(bad[i].text);

		if (!error)
			fail_msg("\"%s\" is accepted", bad[i].text);
		if (!strstr(error, bad[i].word) ||
		    !strstr(error, bad[i].expected) || strchr(error, '\n'))
			fail_msg("\"%s\": %s", bad[i].text, error);
		free(error);
	}
	assert_null(faults_check("drop:op=ack,nth=3;corrupt:rate=0.01,seed=7;"
				 "delay:us=500,rate=0.1"));
}

static void a_list_is_added_whole_or_not_at_all(void **state)
{
	struct faults *f = open_rules("drop");
	uint64_t matches, hits;
	const char *text;
	char *error;

	assert_int_equal(faults_add(f, "drop;drop;no", &error), -EINVAL);
	free(error);
	assert_int_equal(faults_rule(f, 1, &text, &matches, &hits), -ENOENT);
	for (unsigned i = 1; i < FAULTS_RULES_MAX; i++)
		assert_int_equal(faults_add(f, "drop", &error), 0);
	assert_int_equal(faults_add(f, "drop", &error), -ENOSPC);
	assert_non_null(strstr(error, "64"));
	free(error);
	faults_close(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_rules_nothing_is_active),
		cmocka_unit_test(drop_drops_the_nth),
		cmocka_unit_test(psn_and_its_range_wrap),
		cmocka_unit_test(nth_counts_transmissions_of_one_psn),
		cmocka_unit_test(duplicate_sends_twice_in_a_row),
		cmocka_unit_test(delay_waits_for_its_time),
		cmocka_unit_test(reorder_lets_others_pass),
		cmocka_unit_test(reorder_does_not_wait_for_ever),
		cmocka_unit_test(corrupt_turns_a_bit_of_the_packet),
		cmocka_unit_test(rate_is_kept_and_the_seed_repeats_it),
		cmocka_unit_test(count_ends_a_rule),
		cmocka_unit_test(way_and_queue_pair_are_told_apart),
		cmocka_unit_test(operations_are_told_apart),
		cmocka_unit_test(the_first_rule_acts_and_all_count),
		cmocka_unit_test(clearing_lets_go_what_is_held),
		cmocka_unit_test(what_is_held_has_a_limit),
		cmocka_unit_test(what_is_no_packet_has_no_opcode),
		cmocka_unit_test(bad_rules_are_told_in_one_line),
		cmocka_unit_test(a_list_is_added_whole_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
