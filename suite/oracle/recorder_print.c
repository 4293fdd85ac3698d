// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Records as text, for people and for machines. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/verbs_names.h"
#include "suite/oracle/model.h"
#include "suite/oracle/recorder.h"
#include "suite/oracle/wrid.h"

struct recorder_row {
	const char *name;
	const char *object;
	const char *args[RECORDER_ARGS];
};

static const struct recorder_row recorder_rows[RECORDER_CALLS] = {
#define RECORDER_CALL(id, name, object, ...) { name, object, { __VA_ARGS__ } },
#include "suite/oracle/calls.def"
#undef RECORDER_CALL
};

static const struct recorder_row *recorder_row(unsigned call)
{
	static const struct recorder_row unknown = { "?", "", { NULL } };

	return call < RECORDER_CALLS ? &recorder_rows[call] : &unknown;
}

const char *recorder_call_name(enum recorder_call call)
{
	return recorder_row(call)->name;
}

/* Values that have a name; NULL for kinds that are numbers. */
static const char *recorder_value_name(char kind, uint64_t value)
{
	switch (kind) {
	case 's':
		return verbs_wc_status_name((enum ibv_wc_status)value);
	case 'c':
		return verbs_wc_opcode_name((enum ibv_wc_opcode)value);
	case 'o':
		return verbs_wr_opcode_name((enum ibv_wr_opcode)value);
	case 'q':
		return verbs_qp_state_name((enum ibv_qp_state)value);
	case 't':
		return verbs_qp_type_name((enum ibv_qp_type)value);
	case 'e':
		return verbs_event_name((enum ibv_event_type)value);
	default:
		return NULL;
	}
}

static void recorder_add_value(struct strbuf *out, char kind, uint64_t value)
{
	const char *name = recorder_value_name(kind, value);
	char wrid[WRID_TEXT_MAX];

	if (name && strcmp(name, "?") != 0)
		strbuf_add(out, name);
	else if (kind == 'w')
		strbuf_addf(out, "\"%s\"", wrid_text(value, wrid));
	else if (kind == 'm')
		model_mask_print((unsigned)value, out);
	else if (kind == 'u')
		strbuf_addf(out, "%u", verbs_mtu_bytes((enum ibv_mtu)value));
	else if (kind == 'x')
		strbuf_addf(out, "0x%" PRIx64, value);
	else
		strbuf_addf(out, "%" PRIu64, value);
}

static char recorder_end_name(uint8_t end)
{
	return end < 2 ? (char)('a' + end) : '-';
}

/* What was asked of a query is nearly everything, and no news. */
static bool recorder_arg_is_noise(uint16_t call, char kind)
{
	return call == RECORDER_QUERY_QP && kind == 'm';
}

void recorder_print_record(const struct recorder_record *record,
			   uint64_t zero_ns, struct strbuf *out)
{
	const struct recorder_row *row = recorder_row(record->call);
	int64_t ns = (int64_t)(record->when_ns - zero_ns);

	strbuf_addf(out, "%+.6fs %c %s", (double)ns / (double)NS_PER_S,
		    recorder_end_name(record->end), row->name);
	if (row->object[0])
		strbuf_addf(out, " %s 0x%x", row->object, record->object);
	for (int i = 0; i < RECORDER_ARGS; i++) {
		if (!row->args[i] ||
		    recorder_arg_is_noise(record->call, row->args[i][0]))
			continue;
		strbuf_addf(out, " %s=", row->args[i] + 2);
		recorder_add_value(out, row->args[i][0], record->args[i]);
	}
	strbuf_addf(out, " = %" PRId64, record->result);
	if (record->error)
		strbuf_addf(out, " errno %d (%s)", record->error,
			    strerrordesc_np(record->error)
				    ? strerrordesc_np(record->error)
				    : "?");
	if (record->vendor_err)
		strbuf_addf(out, " vendor_err 0x%x", record->vendor_err);
	if (record->text[0])
		strbuf_addf(out, " \"%s\"", record->text);
}

struct recorder_print_state {
	struct strbuf *out;
	uint64_t skip; /* tickets up to here are left out */
	uint64_t zero_ns;
	bool begun;
};

static int recorder_print_one(void *arg, const struct recorder_record *record)
{
	struct recorder_print_state *state = arg;

	if (!state->begun) {
		state->begun = true;
		state->zero_ns = record->when_ns;
	}
	if (record->ticket <= state->skip)
		return 0;
	recorder_print_record(record, state->zero_ns, state->out);
	strbuf_add(state->out, "\n");
	return 0;
}

void recorder_print(const struct recorder *r, uint64_t last_max,
		    struct strbuf *out)
{
	uint64_t written = recorder_written(r);
	struct recorder_print_state state = { .out = out };

	if (last_max > 0 && written > last_max)
		state.skip = written - last_max;
	recorder_walk(r, recorder_print_one, &state);
}

struct recorder_errors_state {
	struct strbuf *out;
	uint64_t zero_ns;
	bool begun;
	/* By end; those of neither are a third. */
	bool completion_seen[3], call_seen[3];
};

/* Is it the first of its end?  Then note that it was. */
static bool recorder_is_first_error(struct recorder_errors_state *state,
				    const struct recorder_record *record)
{
	unsigned end = record->end < 2 ? record->end : 2;
	bool completion = record->call == RECORDER_COMPLETION;
	bool *seen = completion ? &state->completion_seen[end]
				: &state->call_seen[end];
	bool bad = completion ? record->result != IBV_WC_SUCCESS &&
					record->result != IBV_WC_WR_FLUSH_ERR
			      : record->error != 0;

	if (!bad || *seen)
		return false;
	*seen = true;
	return true;
}

static int recorder_errors_one(void *arg, const struct recorder_record *record)
{
	struct recorder_errors_state *state = arg;

	if (!state->begun) {
		state->begun = true;
		state->zero_ns = record->when_ns;
	}
	if (!recorder_is_first_error(state, record))
		return 0;
	recorder_print_record(record, state->zero_ns, state->out);
	strbuf_add(state->out, "\n");
	return 0;
}

void recorder_print_first_errors(const struct recorder *r, struct strbuf *out)
{
	struct recorder_errors_state state = { .out = out };
	size_t before = out->len;

	recorder_walk(r, recorder_errors_one, &state);
	if (out->len == before)
		strbuf_add(out, "none\n");
}

/* A JSON string; bytes that are not printable ASCII as \u00XX. */
static void recorder_json_text(struct strbuf *out, const char *text)
{
	strbuf_add(out, "\"");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			strbuf_addf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			strbuf_addf(out, "\\u%04x", c);
		else
			strbuf_addf(out, "%c", c);
	}
	strbuf_add(out, "\"");
}

static void recorder_json_value(struct strbuf *out, char kind, uint64_t value)
{
	struct strbuf text = STRBUF_INIT;
	char wrid[WRID_TEXT_MAX];

	switch (kind) {
	case 'd':
	case 'n':
	case 'u':
		recorder_add_value(out, kind, value);
		return;
	case 'w':
		recorder_json_text(out, wrid_text(value, wrid));
		return;
	default:
		recorder_add_value(&text, kind, value);
		recorder_json_text(out, strbuf_text(&text));
		strbuf_free(&text);
	}
}

void recorder_json_record(const struct recorder_record *record,
			  struct strbuf *out)
{
	const struct recorder_row *row = recorder_row(record->call);

	strbuf_addf(out,
		    "{\"record\":%" PRIu64 ",\"when_ns\":%" PRIu64
		    ",\"end\":\"%c\",\"call\":\"%s\"",
		    record->ticket, record->when_ns,
		    recorder_end_name(record->end), row->name);
	if (row->object[0])
		strbuf_addf(out, ",\"object\":\"%s\",\"object_id\":%u",
			    row->object, record->object);
	for (int i = 0; i < RECORDER_ARGS; i++) {
		if (!row->args[i])
			continue;
		strbuf_addf(out, ",\"%s\":", row->args[i] + 2);
		recorder_json_value(out, row->args[i][0], record->args[i]);
	}
	strbuf_addf(out, ",\"result\":%" PRId64 ",\"errno\":%d", record->result,
		    record->error);
	if (record->vendor_err)
		strbuf_addf(out, ",\"vendor_err\":%u", record->vendor_err);
	if (record->text[0]) {
		strbuf_add(out, ",\"text\":");
		recorder_json_text(out, record->text);
	}
	strbuf_add(out, "}");
}

struct recorder_line_state {
	void (*line)(void *arg, const char *json);
	void *arg;
	struct strbuf buf;
};

static int recorder_line_one(void *arg, const struct recorder_record *record)
{
	struct recorder_line_state *state = arg;

	strbuf_reset(&state->buf);
	recorder_json_record(record, &state->buf);
	state->line(state->arg, strbuf_text(&state->buf));
	return 0;
}

void recorder_to_jsonl(const struct recorder *r,
		       void (*line)(void *arg, const char *json), void *arg)
{
	struct recorder_line_state state = { .line = line, .arg = arg };

	recorder_walk(r, recorder_line_one, &state);
	strbuf_free(&state.buf);
}
