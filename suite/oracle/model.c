// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The QP state table, parsed once from its rows, and attribute masks as text. */
#include "suite/oracle/model.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/verbs_names.h"

struct model_cells {
	const char *type, *from, *to, *required, *optional;
};

static const struct model_cells model_cells[] = {
#include "rules/qp_states.inc"
};

struct model_parsed {
	enum ibv_qp_type type;
	enum ibv_qp_state from, to;
	unsigned required, optional;
};

static struct model_parsed model_rows[ARRAY_SIZE(model_cells)];
static pthread_once_t model_once = PTHREAD_ONCE_INIT;

static const struct {
	unsigned bit;
	const char *name;
} model_attrs[] = {
#define MODEL_ATTR(name) { IBV_QP_##name, #name },
#include "suite/oracle/attr_masks.def"
#undef MODEL_ATTR
};

/* The table is ours: a row that does not parse is our own fault. */
static void model_parse(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(model_cells); i++) {
		const struct model_cells *cells = &model_cells[i];
		struct model_parsed *row = &model_rows[i];
		int err;

		err = verbs_qp_type_parse(cells->type, &row->type);
		assert(!err);
		err = verbs_qp_state_parse(cells->from, &row->from);
		assert(!err);
		err = verbs_qp_state_parse(cells->to, &row->to);
		assert(!err);
		err = model_mask_parse(cells->required, &row->required);
		assert(!err);
		err = model_mask_parse(cells->optional, &row->optional);
		assert(!err);
	}
}

static const struct model_parsed *
model_find(enum ibv_qp_type type, enum ibv_qp_state from, enum ibv_qp_state to)
{
	pthread_once(&model_once, model_parse);
	for (size_t i = 0; i < ARRAY_SIZE(model_rows); i++) {
		const struct model_parsed *row = &model_rows[i];

		if (row->type == type && row->from == from && row->to == to)
			return row;
	}
	return NULL;
}

bool model_transition(enum ibv_qp_type type, enum ibv_qp_state from,
		      enum ibv_qp_state to, unsigned mask,
		      struct model_transition *answer)
{
	const struct model_parsed *row = model_find(type, from, to);

	*answer = (struct model_transition){ .legal = row != NULL };
	if (!row)
		return false;
	answer->required = row->required;
	answer->optional = row->optional;
	answer->missing = row->required & ~mask;
	answer->foreign = mask & ~(row->required | row->optional);
	return answer->missing == 0 && answer->foreign == 0;
}

bool model_modify(enum ibv_qp_type type, enum ibv_qp_state from,
		  const struct ibv_qp_attr *attr, unsigned mask,
		  struct model_transition *answer)
{
	bool moves = mask & IBV_QP_STATE;

	/* No STATE means "stay", and is not itself a missing bit. */
	return model_transition(type, from, moves ? attr->qp_state : from,
				mask | IBV_QP_STATE, answer);
}

size_t model_count(void)
{
	return ARRAY_SIZE(model_rows);
}

void model_row(size_t index, enum ibv_qp_type *type, enum ibv_qp_state *from,
	       enum ibv_qp_state *to, unsigned *required, unsigned *optional)
{
	const struct model_parsed *row = &model_rows[index];

	assert(index < ARRAY_SIZE(model_rows));
	pthread_once(&model_once, model_parse);
	*type = row->type;
	*from = row->from;
	*to = row->to;
	*required = row->required;
	*optional = row->optional;
}

bool model_may_post_send(enum ibv_qp_state state)
{
	return state == IBV_QPS_RTS || state == IBV_QPS_SQD ||
	       state == IBV_QPS_SQE || state == IBV_QPS_ERR;
}

bool model_may_post_recv(enum ibv_qp_state state)
{
	return state != IBV_QPS_RESET && state < IBV_QPS_UNKNOWN;
}

const char *model_mask_bit_name(unsigned bit)
{
	for (size_t i = 0; i < ARRAY_SIZE(model_attrs); i++)
		if (model_attrs[i].bit == bit)
			return model_attrs[i].name;
	return "?";
}

unsigned model_mask_all(void)
{
	unsigned all = 0;

	for (size_t i = 0; i < ARRAY_SIZE(model_attrs); i++)
		all |= model_attrs[i].bit;
	return all;
}

void model_mask_print(unsigned mask, struct strbuf *out)
{
	const char *comma = "";

	for (size_t i = 0; i < ARRAY_SIZE(model_attrs); i++) {
		if (!(mask & model_attrs[i].bit))
			continue;
		strbuf_addf(out, "%s%s", comma, model_attrs[i].name);
		mask &= ~model_attrs[i].bit;
		comma = ",";
	}
	if (mask)
		strbuf_addf(out, "%s0x%x", comma, mask);
	else if (!comma[0])
		strbuf_add(out, "none");
}

static unsigned model_mask_bit(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(model_attrs); i++)
		if (strlen(model_attrs[i].name) == len &&
		    memcmp(model_attrs[i].name, name, len) == 0)
			return model_attrs[i].bit;
	return 0;
}

int model_mask_parse(const char *text, unsigned *mask)
{
	unsigned bits = 0;

	if (strcmp(text, "-") == 0) {
		*mask = 0;
		return 0;
	}
	for (;;) {
		size_t len = strcspn(text, ",");
		unsigned bit = model_mask_bit(text, len);

		if (!bit)
			return -EINVAL;
		bits |= bit;
		if (!text[len])
			break;
		text += len + 1;
	}
	*mask = bits;
	return 0;
}
