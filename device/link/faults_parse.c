// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The parser of fault rules: one row a setting, one function a kind of value;
 * each takes its whole word or refuses it. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "device/link/faults_private.h"

enum {
	FAULTS_REORDER_US = 1000,
	FAULTS_US_MAX = 60 * 1000 * 1000,
	FAULTS_BY_MAX = 128,
};

/* A stretch of the text. */
struct faults_word {
	const char *at;
	size_t len;
};

static bool faults_word_is(struct faults_word w, const char *text)
{
	return strlen(text) == w.len && !strncasecmp(w.at, text, w.len);
}

/* The text before the first @end in *@rest, which moves behind it. */
static struct faults_word faults_word_cut(struct faults_word *rest, char end)
{
	const char *stop = memchr(rest->at, end, rest->len);
	struct faults_word w = { rest->at,
				 stop ? (size_t)(stop - rest->at) : rest->len };
	size_t used = w.len + (stop ? 1 : 0);

	rest->at += used;
	rest->len -= used;
	return w;
}

static bool faults_number(struct faults_word w, uint64_t *out)
{
	uint64_t v = 0;

	if (w.len == 0)
		return false;
	for (size_t i = 0; i < w.len; i++) {
		unsigned digit = (unsigned)(w.at[i] - '0');

		if (digit > 9 || __builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, digit, &v))
			return false;
	}
	*out = v;
	return true;
}

static bool faults_number_in(struct faults_word w, uint64_t low, uint64_t high,
			     uint64_t *out)
{
	uint64_t v;

	if (!faults_number(w, &v) || v < low || v > high)
		return false;
	*out = v;
	return true;
}

static bool faults_set_dir(struct faults_word w, struct faults_rule *r)
{
	if (faults_word_is(w, "tx"))
		r->ways = 1u << FAULTS_TX;
	else if (faults_word_is(w, "rx"))
		r->ways = 1u << FAULTS_RX;
	else if (faults_word_is(w, "any"))
		r->ways = 1u << FAULTS_TX | 1u << FAULTS_RX;
	else
		return false;
	return true;
}

static bool faults_set_qp(struct faults_word w, struct faults_rule *r)
{
	uint64_t v;

	if (!faults_number_in(w, 0, PSN_MASK, &v))
		return false;
	r->has_qp = true;
	r->qp = (uint32_t)v;
	return true;
}

static bool faults_is_request(const struct wire_packet *p)
{
	return wire_opcode_is_request(p->opcode);
}

static bool faults_is_response(const struct wire_packet *p)
{
	return !wire_opcode_is_request(p->opcode) && p->opcode != WIRE_CNP;
}

static bool faults_syndrome_is(const struct wire_packet *p, unsigned kind)
{
	return p->opcode == WIRE_RC_ACK &&
	       (p->aeth.syndrome & WIRE_AETH_KIND_MASK) == kind;
}

static bool faults_is_ack(const struct wire_packet *p)
{
	return faults_syndrome_is(p, WIRE_AETH_ACK);
}

static bool faults_is_nak(const struct wire_packet *p)
{
	return faults_syndrome_is(p, WIRE_AETH_NAK);
}

static bool faults_is_rnr(const struct wire_packet *p)
{
	return faults_syndrome_is(p, WIRE_AETH_RNR_NAK);
}

static bool faults_is_send(const struct wire_packet *p)
{
	return wire_opcode_is_send(p->opcode);
}

static bool faults_is_write(const struct wire_packet *p)
{
	return wire_opcode_is_write(p->opcode);
}

static bool faults_is_read(const struct wire_packet *p)
{
	return wire_opcode_is_read_request(p->opcode) ||
	       wire_opcode_is_read_response(p->opcode);
}

static bool faults_is_atomic(const struct wire_packet *p)
{
	return wire_opcode_is_atomic(p->opcode) ||
	       p->opcode == WIRE_RC_ATOMIC_ACK;
}

static const struct {
	const char *name;
	faults_kind *kind;
} faults_kinds[] = {
	{ "request", faults_is_request }, { "response", faults_is_response },
	{ "ack", faults_is_ack },	  { "nak", faults_is_nak },
	{ "rnr", faults_is_rnr },	  { "send", faults_is_send },
	{ "write", faults_is_write },	  { "read", faults_is_read },
	{ "atomic", faults_is_atomic },
};

static bool faults_set_op(struct faults_word w, struct faults_rule *r)
{
	r->has_op = true;
	for (size_t i = 0; i < ARRAY_SIZE(faults_kinds); i++) {
		if (faults_word_is(w, faults_kinds[i].name)) {
			r->kind = faults_kinds[i].kind;
			return true;
		}
	}
	for (unsigned op = 0; op < 256; op++) {
		if (wire_opcode_known(op) &&
		    faults_word_is(w, wire_opcode_name((enum wire_opcode)op))) {
			r->kind = NULL;
			r->opcode = (enum wire_opcode)op;
			return true;
		}
	}
	return false;
}

static bool faults_set_psn(struct faults_word w, struct faults_rule *r)
{
	bool range = memchr(w.at, '-', w.len);
	struct faults_word first = faults_word_cut(&w, '-');
	uint64_t low, high;

	if (!faults_number_in(first, 0, PSN_MASK, &low))
		return false;
	high = low;
	if (range && !faults_number_in(w, 0, PSN_MASK, &high))
		return false;
	r->has_psn = true;
	r->psn_first = psn_make((uint32_t)low);
	r->psn_last = psn_make((uint32_t)high);
	return true;
}

static bool faults_set_nth(struct faults_word w, struct faults_rule *r)
{
	return !r->has_rate && faults_number_in(w, 1, UINT64_MAX, &r->nth);
}

/* "1", "0", "0.25", "1.0": to 18 places behind the point. */
static bool faults_set_rate(struct faults_word w, struct faults_rule *r)
{
	struct faults_word whole = faults_word_cut(&w, '.');
	bool fraction = whole.at + whole.len != w.at;
	uint64_t ones, parts = 0, unit = 1;

	if (r->nth || !faults_number_in(whole, 0, 1, &ones))
		return false;
	if (fraction && (w.len > 18 || !faults_number(w, &parts)))
		return false;
	for (size_t i = 0; fraction && i < w.len; i++)
		unit *= 10;
	if (ones && parts)
		return false;
	r->has_rate = true;
	r->threshold = UINT64_MAX;
	if (!ones)
		r->threshold =
			(uint64_t)(((unsigned __int128)parts << 64) / unit);
	return true;
}

static bool faults_set_seed(struct faults_word w, struct faults_rule *r)
{
	r->has_seed = faults_number(w, &r->seed);
	return r->has_seed;
}

static bool faults_set_count(struct faults_word w, struct faults_rule *r)
{
	return faults_number_in(w, 1, UINT64_MAX, &r->count);
}

static bool faults_set_us(struct faults_word w, struct faults_rule *r)
{
	uint64_t us;

	if (r->action != FAULTS_DELAY && r->action != FAULTS_REORDER)
		return false;
	if (!faults_number_in(w, 1, FAULTS_US_MAX, &us))
		return false;
	r->wait_ns = us * NS_PER_US;
	return true;
}

static bool faults_set_by(struct faults_word w, struct faults_rule *r)
{
	uint64_t by;

	if (r->action != FAULTS_REORDER ||
	    !faults_number_in(w, 1, FAULTS_BY_MAX, &by))
		return false;
	r->by = (uint32_t)by;
	return true;
}

static const struct {
	const char *name;
	bool (*set)(struct faults_word w, struct faults_rule *r);
	const char *accepted;
} faults_settings[] = {
	{ "dir", faults_set_dir, "tx, rx or any" },
	{ "qp", faults_set_qp, "the number of a queue pair" },
	{ "op", faults_set_op,
	  "request, response, ack, nak, rnr, send, write, read, atomic or an opcode such as RC_SEND_ONLY" },
	{ "psn", faults_set_psn, "a number up to 16777215, or two: 5-9" },
	{ "nth", faults_set_nth, "a number from 1 on, without rate" },
	{ "rate", faults_set_rate, "a probability such as 0.01, without nth" },
	{ "seed", faults_set_seed, "a number of up to 64 bits" },
	{ "count", faults_set_count, "a number from 1 on" },
	{ "us", faults_set_us,
	  "microseconds, 1 to 60000000, of a delay or reorder" },
	{ "by", faults_set_by, "1 to 128 packets, of a reorder" },
};

static const struct {
	const char *name;
	enum faults_action action;
} faults_actions[] = {
	{ "drop", FAULTS_DROP },       { "duplicate", FAULTS_DUPLICATE },
	{ "delay", FAULTS_DELAY },     { "reorder", FAULTS_REORDER },
	{ "corrupt", FAULTS_CORRUPT },
};

/* The offending word, at most so much of it, and on one line. */
static void faults_quote(struct strbuf *b, struct faults_word w)
{
	strbuf_add(b, "\"");
	for (size_t i = 0; i < w.len && i < 60; i++)
		strbuf_addf(b, "%c",
			    isprint((unsigned char)w.at[i]) ? w.at[i] : '?');
	strbuf_add(b, "\"");
}

static char *faults_complain(struct faults_word w, const char *what,
			     const char *expected)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_addf(&b, "%s ", what);
	faults_quote(&b, w);
	strbuf_addf(&b, " is not %s", expected);
	return strbuf_detach(&b);
}

static char *faults_parse_setting(struct faults_word w, struct faults_rule *r)
{
	struct faults_word name = faults_word_cut(&w, '=');

	for (size_t i = 0; i < ARRAY_SIZE(faults_settings); i++) {
		if (!faults_word_is(name, faults_settings[i].name))
			continue;
		if (faults_settings[i].set(w, r))
			return NULL;
		return faults_complain(w, faults_settings[i].name,
				       faults_settings[i].accepted);
	}
	return faults_complain(
		name, "setting",
		"dir, qp, op, psn, nth, rate, seed, count, us or by");
}

static bool faults_parse_action(struct faults_word w, struct faults_rule *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(faults_actions); i++) {
		if (faults_word_is(w, faults_actions[i].name)) {
			r->action = faults_actions[i].action;
			return true;
		}
	}
	return false;
}

char *faults_parse(const char *text, size_t len, struct faults_rule *rule)
{
	struct faults_word rest = { text, len };
	struct faults_word action = faults_word_cut(&rest, ':');
	bool settings = action.len < len;
	char *error;

	*rule = (struct faults_rule){
		.ways = 1u << FAULTS_TX,
		.threshold = UINT64_MAX,
		.by = 1,
	};
	if (!faults_parse_action(action, rule))
		return faults_complain(
			action, "action",
			"drop, duplicate, delay, reorder or corrupt");
	while (settings) {
		struct faults_word w = faults_word_cut(&rest, ',');

		error = faults_parse_setting(w, rule);
		if (error)
			return error;
		/* A comma at the end has an empty setting behind it. */
		settings = w.at + w.len < text + len;
	}
	if (rule->action == FAULTS_DELAY && !rule->wait_ns)
		return faults_complain((struct faults_word){ text, len },
				       "rule", "complete: delay needs us=");
	if (rule->action == FAULTS_REORDER && !rule->wait_ns)
		rule->wait_ns = FAULTS_REORDER_US * NS_PER_US;
	return NULL;
}
