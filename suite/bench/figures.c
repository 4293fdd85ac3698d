// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Figures in memory and as JSON; the store is figures_store.c. */
#include "suite/bench/figures.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct figures *figures_new(void)
{
	struct figures *f = calloc(1, sizeof(*f));

	if (!f)
		abort();
	f->settings = json_object();
	return f;
}

void figures_free(struct figures *f)
{
	if (!f)
		return;
	json_decref(f->settings);
	free(f);
}

const struct figure *figures_find(const struct figures *f, const char *name)
{
	for (uint32_t i = 0; i < f->count; i++)
		if (strcmp(f->list[i].name, name) == 0)
			return &f->list[i];
	return NULL;
}

struct figure *figures_get(struct figures *f, const char *name,
			   const char *unit, bool more_is_better, bool tail)
{
	struct figure *figure = (struct figure *)figures_find(f, name);

	if (figure || f->count == FIGURES_MAX)
		return figure;
	figure = &f->list[f->count++];
	snprintf(figure->name, sizeof(figure->name), "%s", name);
	snprintf(figure->unit, sizeof(figure->unit), "%s", unit);
	figure->more_is_better = more_is_better;
	figure->tail = tail;
	return figure;
}

void figure_add(struct figure *f, double value)
{
	if (f && f->count < FIGURE_VALUES_MAX)
		f->values[f->count++] = value;
}

static int figure_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The value at a part of the way through the values in their order. */
static double figure_quantile(const struct figure *f, double part)
{
	double sorted[FIGURE_VALUES_MAX], at;
	uint32_t low;

	if (f->count == 0)
		return 0;
	memcpy(sorted, f->values, f->count * sizeof(sorted[0]));
	qsort(sorted, f->count, sizeof(sorted[0]), figure_order);
	at = part * (f->count - 1);
	low = (uint32_t)at;
	if (low + 1 >= f->count)
		return sorted[f->count - 1];
	return sorted[low] + (at - low) * (sorted[low + 1] - sorted[low]);
}

double figure_median(const struct figure *f)
{
	return figure_quantile(f, 0.5);
}

double figure_spread(const struct figure *f)
{
	double median = figure_median(f);

	if (median == 0)
		return 0;
	return 50 * fabs((figure_quantile(f, 0.75) - figure_quantile(f, 0.25)) /
			 median);
}

json_t *figures_json(const struct figures *f)
{
	json_t *list = json_array(), *o = json_object();

	for (uint32_t i = 0; i < f->count; i++) {
		const struct figure *figure = &f->list[i];
		json_t *values = json_array();

		for (uint32_t n = 0; n < figure->count; n++)
			json_array_append_new(values,
					      json_real(figure->values[n]));
		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:s, s:b, s:f, s:f, s:o}", "name",
				  figure->name, "unit", figure->unit, "better",
				  figure->more_is_better ? "more" : "less",
				  "tail", figure->tail, "median",
				  figure_median(figure), "spread_percent",
				  figure_spread(figure), "values", values));
	}
	json_object_set_new(o, "verbatim_bench", json_integer(FIGURES_VERSION));
	json_object_set_new(o, "name", json_string(f->name));
	json_object_set_new(o, "when", json_string(f->when));
	json_object_set_new(o, "host", json_string(f->host));
	json_object_set_new(o, "version", json_string(f->version));
	json_object_set_new(o, "measured", json_integer(f->measured));
	json_object_set_new(o, "disturbed", json_integer(f->disturbed));
	json_object_set(o, "settings", f->settings);
	json_object_set_new(o, "figures", list);
	return o;
}

static int figures_refuse(struct strbuf *error, const char *what)
{
	strbuf_add(error, what);
	return -EBADMSG;
}

static int figure_read(const json_t *json, struct figures *f,
		       struct strbuf *error)
{
	const char *name = json_string_value(json_object_get(json, "name"));
	const char *unit = json_string_value(json_object_get(json, "unit"));
	const char *better = json_string_value(json_object_get(json, "better"));
	const json_t *values = json_object_get(json, "values");
	struct figure *figure;
	const json_t *value;
	size_t i;

	if (!name || !unit || !better || !json_is_array(values))
		return figures_refuse(error,
				      "a figure lacks name, unit, better or "
				      "values");
	figure = figures_get(f, name, unit, strcmp(better, "more") == 0,
			     json_is_true(json_object_get(json, "tail")));
	if (!figure || figure->count)
		return figures_refuse(error,
				      "a figure comes twice, or there are more "
				      "than 512");
	if (json_array_size(values) == 0 ||
	    json_array_size(values) > FIGURE_VALUES_MAX) {
		strbuf_addf(error, "figure '%s' has %zu values, not 1 to 50",
			    name, json_array_size(values));
		return -EBADMSG;
	}
	json_array_foreach(values, i, value)
	{
		if (!json_is_number(value)) {
			strbuf_addf(error,
				    "figure '%s': value %zu is no number", name,
				    i + 1);
			return -EBADMSG;
		}
		figure_add(figure, json_number_value(value));
	}
	return 0;
}

static void figures_text(const json_t *json, const char *name, char *out,
			 size_t room)
{
	const char *text = json_string_value(json_object_get(json, name));

	snprintf(out, room, "%s", text ? text : "");
}

static uint32_t figures_number(const json_t *json, const char *name)
{
	json_int_t n = json_integer_value(json_object_get(json, name));

	return n < 0 || n > UINT32_MAX ? 0 : (uint32_t)n;
}

int figures_read(const json_t *json, struct figures **out, struct strbuf *error)
{
	const json_t *version = json_object_get(json, "verbatim_bench");
	const json_t *settings = json_object_get(json, "settings");
	const json_t *list = json_object_get(json, "figures");
	const json_t *entry;
	struct figures *f;
	int err = 0;
	size_t i;

	if (!json_is_integer(version))
		return figures_refuse(error,
				      "it is no file of 'verbatim bench'");
	if (json_integer_value(version) != FIGURES_VERSION) {
		strbuf_addf(error,
			    "it has version %lld of this file's form, and this "
			    "program reads version %d; measure anew",
			    (long long)json_integer_value(version),
			    FIGURES_VERSION);
		return -EBADMSG;
	}
	if (!json_is_object(settings) || !json_is_array(list))
		return figures_refuse(error, "settings or figures are missing");
	f = figures_new();
	figures_text(json, "name", f->name, sizeof(f->name));
	figures_text(json, "when", f->when, sizeof(f->when));
	figures_text(json, "host", f->host, sizeof(f->host));
	figures_text(json, "version", f->version, sizeof(f->version));
	f->measured = figures_number(json, "measured");
	f->disturbed = figures_number(json, "disturbed");
	json_decref(f->settings);
	f->settings = json_deep_copy(settings);
	json_array_foreach(list, i, entry)
	{
		err = figure_read(entry, f, error);
		if (err)
			break;
	}
	if (err) {
		figures_free(f);
		return err;
	}
	*out = f;
	return 0;
}
