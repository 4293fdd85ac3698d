// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Families and samples as text. */
#include "suite/report/metrics.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>

/* Beyond it a double does not know every integer. */
#define METRICS_EXACT 9007199254740992.0

enum metrics_type {
	METRICS_COUNTER,
	METRICS_GAUGE,
	METRICS_HISTOGRAM,
	METRICS_INFO,
};

static const struct metrics_row {
	const char *name;
	enum metrics_type type;
	const char *unit, *help;
} metrics_rows[METRICS_NAMES] = {
#define METRIC(name, text, type, unit, help) \
	[METRICS_##name] = { text, METRICS_##type, unit, help },
#include "suite/report/metrics.def"
#undef METRIC
};

static const struct {
	const char *open, *plain; /* what each form calls the type */
	const char *suffix;	  /* of its samples */
} metrics_types[] = {
	[METRICS_COUNTER] = { "counter", "counter", "_total" },
	[METRICS_GAUGE] = { "gauge", "gauge", "" },
	[METRICS_HISTOGRAM] = { "histogram", "histogram", "" },
	[METRICS_INFO] = { "info", "gauge", "_info" },
};

void metrics_family(struct metrics_text *t, enum metrics_name name)
{
	const struct metrics_row *row = &metrics_rows[name];
	bool open = t->form == METRICS_OPEN;
	/* The older form knows no family: the name is that of the samples. */
	const char *suffix = open ? "" : metrics_types[row->type].suffix;

	t->family = name;
	strbuf_addf(t->out, "# HELP %s%s %s\n", row->name, suffix, row->help);
	strbuf_addf(t->out, "# TYPE %s%s %s\n", row->name, suffix,
		    open ? metrics_types[row->type].open
			 : metrics_types[row->type].plain);
	if (open && row->unit[0])
		strbuf_addf(t->out, "# UNIT %s %s\n", row->name, row->unit);
}

static void metrics_label(struct strbuf *out, const char *value)
{
	for (; *value; value++) {
		switch (*value) {
		case '\\':
		case '"':
			strbuf_addf(out, "\\%c", *value);
			break;
		case '\n':
			strbuf_add(out, "\\n");
			break;
		default:
			strbuf_add_bytes(out, value, 1);
		}
	}
}

static void metrics_put(struct metrics_text *t, const char *suffix,
			double value, va_list labels)
{
	const char *name, *before = "{";

	strbuf_addf(t->out, "%s%s", metrics_rows[t->family].name, suffix);
	while ((name = va_arg(labels, const char *))) {
		strbuf_addf(t->out, "%s%s=\"", before, name);
		metrics_label(t->out, va_arg(labels, const char *));
		strbuf_add(t->out, "\"");
		before = ",";
	}
	if (before[0] == ',')
		strbuf_add(t->out, "}");
	if (value == floor(value) && fabs(value) < METRICS_EXACT)
		strbuf_addf(t->out, " %.0f\n", value);
	else
		strbuf_addf(t->out, " %.9g\n", value);
}

void metrics_sample(struct metrics_text *t, double value, ...)
{
	va_list labels;

	va_start(labels, value);
	metrics_put(t, metrics_types[metrics_rows[t->family].type].suffix,
		    value, labels);
	va_end(labels);
}

void metrics_part(struct metrics_text *t, const char *suffix, double value, ...)
{
	va_list labels;

	va_start(labels, value);
	metrics_put(t, suffix, value, labels);
	va_end(labels);
}

void metrics_end(struct metrics_text *t)
{
	if (t->form == METRICS_OPEN)
		strbuf_add(t->out, "# EOF\n");
}

const char *metrics_content_type(enum metrics_form form)
{
	return form == METRICS_OPEN
		       ? "application/openmetrics-text; version=1.0.0; "
			 "charset=utf-8"
		       : "text/plain; version=0.0.4; charset=utf-8";
}
