// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Scripts of walks: drawn, written, read back, refused, and shrunk. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "suite/oracle/walk_script.h"
#include "suite/oracle/walk_shrink.h"

static const unsigned every = WALK_MIX_RC | WALK_MIX_UC | WALK_MIX_UD |
			      WALK_MIX_SRQ | WALK_MIX_ATOMIC | WALK_MIX_BUILDER;

static char *printed(const struct walk_script *s)
{
	struct strbuf text = STRBUF_INIT;

	walk_script_print(s, &text);
	return strbuf_detach(&text);
}

static void refused(const char *text, const char *why)
{
	struct walk_script s;
	char *error = NULL;

	assert_int_equal(walk_script_parse(text, &s, &error), -EINVAL);
	assert_string_equal(error, why);
	free(error);
}

static void test_reads_back(void **state)
{
	for (uint64_t seed = 1; seed < 20; seed++) {
		struct walk_script s, back;
		char *text, *again, *error = NULL;

		assert_int_equal(walk_generate(&s, "walk/x", every, seed, 300),
				 0);
		assert_int_equal(s.count, 300);
		assert_int_equal(s.steps[0].kind, WALK_CONNECT);
		text = printed(&s);
		assert_int_equal(walk_script_parse(text, &back, &error), 0);
		again = printed(&back);
		assert_string_equal(text, again);
		assert_int_equal(back.seed, seed);
		free(text);
		free(again);
		walk_script_free(&s);
		walk_script_free(&back);
	}
}

static void test_same_seed_same_walk(void **state)
{
	struct walk_script a, b, c;
	char *ta, *tb, *tc;

	assert_int_equal(walk_generate(&a, "walk/x", every, 5, 50), 0);
	assert_int_equal(walk_generate(&b, "walk/x", every, 5, 50), 0);
	assert_int_equal(walk_generate(&c, "walk/x", every, 6, 50), 0);
	ta = printed(&a);
	tb = printed(&b);
	tc = printed(&c);
	assert_string_equal(ta, tb);
	assert_string_not_equal(ta, tc);
	free(ta);
	free(tb);
	free(tc);
	walk_script_free(&a);
	walk_script_free(&b);
	walk_script_free(&c);
}

/* Of a mix without them there is no UC pair, atomic or SRQ. */
static void test_mix(void **state)
{
	struct walk_script s;

	assert_int_equal(walk_generate(&s, "walk/x", WALK_MIX_UD, 9, 2000), 0);
	for (uint32_t i = 0; i < s.count; i++) {
		if (s.steps[i].kind == WALK_CONNECT) {
			assert_int_equal(s.steps[i].type, 2);
			assert_int_equal(s.steps[i].srq, 0);
		}
		if (s.steps[i].kind == WALK_SEND)
			assert_true(s.steps[i].op < 5);
	}
	walk_script_free(&s);
}

static void test_as_people_read_it(void **state)
{
	static const char text[] =
		"# verbatim walk\ncase walk/rc\nseed 7\n"
		"ab: connect depth=4 rnr_retry=1\n"
		"b: ibv_post_recv len=64\n"
		"a: ibv_post_send op=SEND_WITH_IMM len=64 wrong=rkey "
		"unsignaled\n"
		"a: ibv_modify_qp to=ERR wrong=foreign\n"
		"ab: wait\n";
	struct walk_script s;
	char *error = NULL;

	assert_int_equal(walk_script_parse(text, &s, &error), 0);
	assert_string_equal(s.id, "walk/rc");
	assert_int_equal(s.count, 5);
	assert_int_equal(s.steps[0].rnr_retry, WALK_RNR_1);
	assert_int_equal(s.steps[1].side, 1);
	assert_int_equal(s.steps[2].send_wrong, WALK_SEND_RKEY);
	assert_int_equal(s.steps[2].unsignaled, 1);
	assert_int_equal(s.steps[3].attr_wrong, WALK_ATTR_FOREIGN);
	assert_int_equal(s.steps[4].kind, WALK_WAIT);
	walk_script_free(&s);
}

static void test_refused(void **state)
{
	refused("", "line 0: it names no case");
	refused("case walk/rc\n", "line 1: it has no steps");
	refused("case walk/rc\nnonsense\n",
		"line 2: \"nonsense\": a step is \"a: ...\", \"b: ...\" or "
		"\"ab: ...\"");
	refused("c: wait\n", "line 1: \"c\" is no end: a, b or ab");
	refused("a: wait\n", "line 1: wait is a step of both ends: ab");
	refused("ab: ibv_query_qp\n",
		"line 1: ibv_query_qp is a step of one end: a or b");
	refused("a: ibv_pray\n", "line 1: there is no step \"ibv_pray\"");
	refused("ab: connect type=XRC\n",
		"line 1: type=XRC: it must be one of RC|UC|UD");
	refused("ab: connect depth=65\n",
		"line 1: depth=65: a number of 0 to 64");
	refused("ab: connect depth=-1\n",
		"line 1: depth=-1: a number of 0 to 64");
	refused("ab: connect depth\n", "line 1: depth takes a value");
	refused("ab: connect srq=1\n", "line 1: srq takes no value");
	refused("ab: connect len=1\n", "line 1: connect takes no \"len\"");
	refused("seed x\n", "line 1: seed \"x\": a number");
}

/* --- Shrinking ----------------------------------------------------------- */

struct toy {
	unsigned runs, runs_max;
};

/* Two certain steps in their order, the second with enough bytes. */
static bool toy_fails(void *arg, const struct walk_script *s)
{
	struct toy *toy = arg;
	bool armed = false;

	toy->runs++;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct walk_step *step = &s->steps[i];

		armed |= step->kind == WALK_NOTIFY;
		if (armed && step->kind == WALK_SEND && step->len >= 1000)
			return true;
	}
	return false;
}

static bool toy_go_on(void *arg)
{
	const struct toy *toy = arg;

	return toy->runs < toy->runs_max;
}

static void test_shrinks(void **state)
{
	unsigned worst = 0;

	for (uint64_t seed = 1; seed < 40; seed++) {
		struct toy toy = { .runs_max = 800 };
		struct walk_shrink w = { toy_fails, toy_go_on, &toy, 0 };
		struct walk_script s;

		assert_int_equal(walk_generate(&s, "walk/x", every, seed, 500),
				 0);
		assert_true(toy_fails(&toy, &s));
		assert_int_equal(walk_shrink(&w, &s), 0);
		assert_int_equal(s.count, 2);
		assert_int_equal(s.steps[0].kind, WALK_NOTIFY);
		assert_int_equal(s.steps[1].kind, WALK_SEND);
		assert_true(s.steps[1].len >= 1000 && s.steps[1].len < 1150);
		assert_int_equal(s.steps[1].sges, 0);
		assert_int_equal(s.steps[1].unsignaled, 0);
		worst = w.tries > worst ? w.tries : worst;
		walk_script_free(&s);
	}
	assert_true(worst < 200);
}

/* As many sends as the queue of the last pair has room for. */
static bool toy_fills(void *arg, const struct walk_script *s)
{
	uint32_t depth = UINT32_MAX, sends = 0;

	((struct toy *)arg)->runs++;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct walk_step *step = &s->steps[i];

		if (step->kind == WALK_CONNECT)
			depth = step->depth ? step->depth : 16;
		sends += step->kind == WALK_SEND;
	}
	return sends >= depth;
}

static void test_shrinks_queues(void **state)
{
	for (uint64_t seed = 1; seed < 10; seed++) {
		struct toy toy = { .runs_max = 800 };
		struct walk_shrink w = { toy_fills, toy_go_on, &toy, 0 };
		struct walk_script s;

		assert_int_equal(walk_generate(&s, "walk/x", every, seed, 500),
				 0);
		assert_int_equal(walk_shrink(&w, &s), 0);
		assert_in_range(s.count, 2, 6);
		walk_script_free(&s);
	}
}

static bool toy_never(void *arg, const struct walk_script *s)
{
	((struct toy *)arg)->runs++;
	return false;
}

/* What cannot be made smaller stays, and the bound holds. */
static void test_shrinks_to_a_bound(void **state)
{
	struct toy toy = { .runs_max = 50 };
	struct walk_shrink w = { toy_never, toy_go_on, &toy, 0 };
	struct walk_script s;

	assert_int_equal(walk_generate(&s, "walk/x", every, 3, 500), 0);
	assert_int_equal(walk_shrink(&w, &s), 0);
	assert_int_equal(s.count, 500);
	assert_true(toy.runs <= 50);
	walk_script_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_back),
		cmocka_unit_test(test_same_seed_same_walk),
		cmocka_unit_test(test_mix),
		cmocka_unit_test(test_as_people_read_it),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_shrinks),
		cmocka_unit_test(test_shrinks_queues),
		cmocka_unit_test(test_shrinks_to_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
