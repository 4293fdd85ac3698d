// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The status matrix's cells are written for people: "SUCCESS or none",
 * "WR_FLUSH for posted recvs", "none (SRQ: REM_ACCESS possible)".  A cell is
 * a list of terms split by "," " or " " then "; a term is a known word and a
 * remark after it; statuses in parentheses hold only under a condition.
 */
#include "suite/oracle/matrix.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/verbs_names.h"

enum { MATRIX_CELL_MAX = 256, MATRIX_WORD_MAX = 48 };

struct matrix_cells {
	const char *id, *scenario, *types;
	const char *canon, *requester, *responder;
	const char *requester_after, *responder_after;
	const char *seen, *note;
};

static const struct matrix_cells matrix_cells[] = {
#include "rules/status_matrix.inc"
};

uint32_t matrix_count(void)
{
	return ARRAY_SIZE(matrix_cells);
}

/* Every status named anywhere in @text. */
static uint32_t matrix_statuses_in(const char *text)
{
	uint32_t set = 0;

	while (*text) {
		char word[MATRIX_WORD_MAX];
		enum ibv_wc_status status;
		size_t len = 0;

		while (text[len] == '_' || isalpha((unsigned char)text[len]))
			len++;
		if (len > 0 && len < sizeof(word)) {
			memcpy(word, text, len);
			word[len] = '\0';
			if (!verbs_wc_status_parse(word, &status))
				set |= VERBS_STATUS_BIT(status);
		}
		text += len ? len : 1;
	}
	return set;
}

/* @cell without what stands in parentheses, which goes to @aside. */
static int matrix_part(const char *cell, char *plain, char *aside)
{
	size_t p = 0, a = 0;
	int depth = 0;

	if (strlen(cell) + 1 > MATRIX_CELL_MAX)
		return -EINVAL;
	for (; *cell; cell++) {
		if (*cell == '(')
			depth++;
		else if (*cell == ')')
			depth--;
		else if (depth > 0)
			aside[a++] = *cell;
		else
			plain[p++] = *cell;
	}
	plain[p] = '\0';
	aside[a] = '\0';
	return depth == 0 ? 0 : -EINVAL;
}

/* Cut the next term off *@rest, without blanks around it; NULL at the end. */
static char *matrix_term(char **rest)
{
	static const char *const separators[] = { ",", " or ", " then " };
	char *term = *rest;
	char *cut = NULL;
	size_t width = 0;

	if (!term)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(separators); i++) {
		char *at = strstr(term, separators[i]);

		if (at && (!cut || at < cut)) {
			cut = at;
			width = strlen(separators[i]);
		}
	}
	*rest = cut ? cut + width : NULL;
	if (cut)
		*cut = '\0';
	while (*term == ' ')
		term++;
	for (size_t n = strlen(term); n > 0 && term[n - 1] == ' '; n--)
		term[n - 1] = '\0';
	return term;
}

/* Does @term begin with @word, alone or before a remark? */
static bool matrix_begins(const char *term, const char *word)
{
	size_t len = strlen(word);

	return strncmp(term, word, len) == 0 &&
	       (term[len] == '\0' || term[len] == ' ');
}

static int matrix_accept_term(const char *term, struct matrix_accept *accept)
{
	enum ibv_wc_status status;
	char word[MATRIX_WORD_MAX];

	if (matrix_begins(term, "any error") || matrix_begins(term, "error")) {
		accept->statuses |= MATRIX_ANY_ERROR;
	} else if (matrix_begins(term, "any") ||
		   matrix_begins(term, "undefined")) {
		accept->statuses = UINT32_MAX;
		accept->post_error = true;
		accept->none = true;
	} else if (matrix_begins(term, "post error")) {
		accept->post_error = true;
	} else if (matrix_begins(term, "none")) {
		accept->none = true;
	} else if (matrix_begins(term, "n/a")) {
		accept->not_applicable = true;
	} else if (matrix_begins(term, "no NAK")) {
		/* What happens on the wire before the status. */
	} else {
		if (sscanf(term, "%47s", word) != 1 ||
		    verbs_wc_status_parse(word, &status))
			return -EINVAL;
		accept->statuses |= VERBS_STATUS_BIT(status);
	}
	return 0;
}

static int matrix_parse_accept(const char *cell, struct matrix_accept *accept)
{
	char plain[MATRIX_CELL_MAX], aside[MATRIX_CELL_MAX];
	char *rest = plain, *term;

	*accept = (struct matrix_accept){ .statuses = 0 };
	if (matrix_part(cell, plain, aside))
		return -EINVAL;
	while ((term = matrix_term(&rest)))
		if (matrix_accept_term(term, accept))
			return -EINVAL;
	accept->conditional = matrix_statuses_in(aside) & ~accept->statuses;
	return 0;
}

static int matrix_parse_states(const char *cell, struct matrix_states *states)
{
	char plain[MATRIX_CELL_MAX], aside[MATRIX_CELL_MAX];
	char *rest = plain, *term;

	*states = (struct matrix_states){ .states = 0 };
	if (matrix_part(cell, plain, aside))
		return -EINVAL;
	while ((term = matrix_term(&rest))) {
		enum ibv_qp_state state;

		if (matrix_begins(term, "any"))
			states->any = true;
		else if (matrix_begins(term, "unchanged"))
			states->unchanged = true;
		else if (matrix_begins(term, "n/a"))
			states->not_applicable = true;
		else if (!verbs_qp_state_parse(term, &state))
			states->states |= MATRIX_STATE_BIT(state);
		else
			return -EINVAL;
	}
	return 0;
}

static int matrix_parse_types(const char *cell, unsigned *types)
{
	char plain[MATRIX_CELL_MAX], aside[MATRIX_CELL_MAX];
	char *rest = plain, *term;

	*types = 0;
	if (matrix_part(cell, plain, aside))
		return -EINVAL;
	while ((term = matrix_term(&rest))) {
		enum ibv_qp_type type;

		if (verbs_qp_type_parse(term, &type))
			return -EINVAL;
		*types |= 1u << type;
	}
	return 0;
}

static int matrix_bad_cell(const char *id, const char *column, const char *cell,
			   char **error)
{
	struct strbuf text = STRBUF_INIT;

	if (error) {
		strbuf_addf(&text,
			    "status matrix, row %s: %s: cannot read \"%s\"", id,
			    column, cell);
		*error = strbuf_detach(&text);
	}
	return -EINVAL;
}

int matrix_parse(uint32_t index, struct matrix_row *row, char **error)
{
	const struct matrix_cells *cells;
	struct matrix_row r;

	if (index >= ARRAY_SIZE(matrix_cells))
		return -EINVAL;
	cells = &matrix_cells[index];
	r = (struct matrix_row){
		.id = cells->id,
		.scenario = cells->scenario,
		.note = cells->note,
	};
#define MATRIX_CELL(kind, name, cell)                                         \
	do {                                                                  \
		if (matrix_parse_##kind(cells->cell, &r.name))                \
			return matrix_bad_cell(cells->id, #cell, cells->cell, \
					       error);                        \
	} while (0)
	MATRIX_CELL(types, types, types);
	MATRIX_CELL(accept, canon, canon);
	MATRIX_CELL(accept, requester, requester);
	MATRIX_CELL(accept, responder, responder);
	MATRIX_CELL(states, requester_after, requester_after);
	MATRIX_CELL(states, responder_after, responder_after);
#undef MATRIX_CELL
	*row = r;
	return 0;
}

int matrix_row(const char *id, struct matrix_row *row)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(matrix_cells); i++)
		if (strcmp(matrix_cells[i].id, id) == 0)
			return matrix_parse(i, row, NULL);
	return -ENOENT;
}

bool matrix_accepts(const struct matrix_accept *accept,
		    enum ibv_wc_status status)
{
	return (unsigned)status < 32 &&
	       (accept->statuses & VERBS_STATUS_BIT(status));
}

uint32_t matrix_iwarp(enum ibv_wr_opcode opcode, uint32_t statuses)
{
	const uint32_t untold = VERBS_STATUS_BIT(IBV_WC_REM_INV_REQ_ERR) |
				VERBS_STATUS_BIT(IBV_WC_REM_ACCESS_ERR) |
				VERBS_STATUS_BIT(IBV_WC_REM_OP_ERR) |
				VERBS_STATUS_BIT(IBV_WC_RETRY_EXC_ERR);

	if (!(statuses & untold))
		return statuses;
	statuses |= VERBS_STATUS_BIT(IBV_WC_WR_FLUSH_ERR);
	if (opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM ||
	    opcode == IBV_WR_SEND_WITH_INV)
		statuses |= VERBS_STATUS_BIT(IBV_WC_SUCCESS);
	return statuses;
}

bool matrix_state_fits(const struct matrix_states *states,
		       enum ibv_qp_state before, enum ibv_qp_state after)
{
	if (states->any || states->not_applicable)
		return true;
	if (states->unchanged && before == after)
		return true;
	return states->states & MATRIX_STATE_BIT(after);
}

void matrix_accept_print(const struct matrix_accept *accept, struct strbuf *out)
{
	char set[512];

	if (accept->statuses == UINT32_MAX) {
		strbuf_add(out, "anything");
		return;
	}
	if (accept->not_applicable) {
		strbuf_add(out, "n/a");
		return;
	}
	if (accept->statuses == MATRIX_ANY_ERROR)
		strbuf_add(out, "any error");
	else if (accept->statuses)
		strbuf_add(out, verbs_status_set_text(accept->statuses, set,
						      sizeof(set)));
	if (accept->post_error)
		strbuf_addf(out, "%sa refused post",
			    accept->statuses ? " or " : "");
	if (accept->none)
		strbuf_addf(out, "%sno completion",
			    accept->statuses || accept->post_error ? " or "
								   : "");
	if (accept->conditional)
		strbuf_addf(out, " (under a condition: %s)",
			    verbs_status_set_text(accept->conditional, set,
						  sizeof(set)));
}
