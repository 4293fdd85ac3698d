// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pairing sends with receives by their place in the order. */
#include "suite/oracle/pairing.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/verbs_names.h"
#include "suite/oracle/wrid.h"

enum { PAIRING_GRH_BYTES = 40 };

/*
 *	numbers     ... received . . . . . sent ...
 *	            paired       under way
 */
struct pairing {
	char name[48];
	enum ibv_qp_type type;
	uint64_t mask; /* messages kept, less one */
	uint64_t sent, received;
	uint64_t acknowledged; /* all below have arrived */
	struct pairing_message *messages;
};

struct pairing *pairing_create(const char *name, enum ibv_qp_type type,
			       uint32_t window)
{
	struct pairing *p = calloc(1, sizeof(*p));
	uint64_t size = 2;

	if (!p)
		return NULL;
	while (size < window)
		size *= 2;
	p->messages = calloc(size, sizeof(*p->messages));
	if (!p->messages)
		goto err_free;
	p->mask = size - 1;
	p->type = type;
	snprintf(p->name, sizeof(p->name), "%s", name);
	return p;
err_free:
	free(p);
	return NULL;
}

void pairing_destroy(struct pairing *p)
{
	if (!p)
		return;
	free(p->messages);
	free(p);
}

void pairing_reset(struct pairing *p)
{
	p->sent = 0;
	p->received = 0;
	p->acknowledged = 0;
}

uint64_t pairing_next(const struct pairing *p)
{
	return p->sent;
}

int pairing_sent(struct pairing *p, struct pairing_message *m)
{
	if (!verbs_wr_takes_recv(m->opcode))
		return -EINVAL;
	if (p->sent - p->received > p->mask)
		return -ENOSPC;
	m->number = p->sent;
	p->messages[p->sent & p->mask] = *m;
	p->sent++;
	return 0;
}

void pairing_refused(struct pairing *p, uint64_t number)
{
	if (number >= p->received && number < p->sent)
		p->sent = number;
}

void pairing_acknowledged(struct pairing *p, uint64_t number)
{
	if (number < p->sent && number + 1 > p->acknowledged)
		p->acknowledged = number + 1;
}

int pairing_fields(const char *name, enum ibv_qp_type type,
		   const struct ibv_wc *wc, const struct pairing_message *m,
		   struct complaint *c)
{
	uint64_t len = m->len + (type == IBV_QPT_UD ? PAIRING_GRH_BYTES : 0);
	bool write = m->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	bool imm = verbs_wr_has_imm(m->opcode);
	bool inv = m->opcode == IBV_WR_SEND_WITH_INV;
	enum ibv_wc_opcode opcode = write ? IBV_WC_RECV_RDMA_WITH_IMM
					  : IBV_WC_RECV;

	/* What byte_len counts depends on the opcode. */
	if (wc->opcode != opcode)
		return complaint_set(c, VB_FIND_WRONG_FIELD, wc->wr_id,
				     "%s: message %" PRIu64
				     " (%s) came with opcode %s, must be %s",
				     name, m->number,
				     verbs_wr_opcode_name(m->opcode),
				     verbs_wc_opcode_name(wc->opcode),
				     verbs_wc_opcode_name(opcode));
	if (wc->byte_len != len)
		return complaint_set(c, VB_FIND_WRONG_LENGTH, wc->wr_id,
				     "%s: message %" PRIu64
				     " came with byte_len %u, must be %" PRIu64,
				     name, m->number, wc->byte_len, len);
	if (!!(wc->wc_flags & IBV_WC_WITH_IMM) != imm)
		return complaint_set(c, VB_FIND_WRONG_FIELD, wc->wr_id,
				     "%s: message %" PRIu64
				     " (%s) came %s WITH_IMM",
				     name, m->number,
				     verbs_wr_opcode_name(m->opcode),
				     imm ? "without" : "with");
	if (imm && wc->imm_data != m->imm_data)
		return complaint_set(
			c, VB_FIND_WRONG_FIELD, wc->wr_id,
			"%s: message %" PRIu64
			" came with imm_data 0x%08x, must be 0x%08x",
			name, m->number, be32toh(wc->imm_data),
			be32toh(m->imm_data));
	if (!!(wc->wc_flags & IBV_WC_WITH_INV) != inv)
		return complaint_set(c, VB_FIND_WRONG_FIELD, wc->wr_id,
				     "%s: message %" PRIu64
				     " (%s) came %s WITH_INV",
				     name, m->number,
				     verbs_wr_opcode_name(m->opcode),
				     inv ? "without" : "with");
	if (inv && wc->invalidated_rkey != m->invalidate_rkey)
		return complaint_set(c, VB_FIND_WRONG_FIELD, wc->wr_id,
				     "%s: message %" PRIu64
				     " invalidated rkey 0x%x, must be 0x%x",
				     name, m->number, wc->invalidated_rkey,
				     m->invalidate_rkey);
	return 0;
}

int pairing_received(struct pairing *p, const struct ibv_wc *wc,
		     struct pairing_message *m, struct complaint *complaint)
{
	char name[WRID_TEXT_MAX];

	if (p->received == p->sent)
		return complaint_set(
			complaint, VB_FIND_EARLY, wc->wr_id,
			"%s: %s completed with %u bytes, but all %" PRIu64
			" messages sent had been received",
			p->name, wrid_text(wc->wr_id, name), wc->byte_len,
			p->sent);
	*m = p->messages[p->received & p->mask];
	p->received++;
	return pairing_fields(p->name, p->type, wc, m, complaint);
}

uint64_t pairing_received_count(const struct pairing *p)
{
	return p->received;
}

uint64_t pairing_missing(const struct pairing *p)
{
	return p->acknowledged > p->received ? p->acknowledged - p->received
					     : 0;
}

int pairing_balance(const struct pairing *p, struct complaint *c)
{
	const struct pairing_message *m;

	if (pairing_missing(p) == 0)
		return 0;
	m = &p->messages[p->received & p->mask];
	return complaint_set(
		c, VB_FIND_LOST, m->wr_id,
		"%s: message %" PRIu64 " (%s, %" PRIu64
		" bytes) was acknowledged to its sender, but never received; %" PRIu64
		" missing",
		p->name, m->number, verbs_wr_opcode_name(m->opcode), m->len,
		pairing_missing(p));
}
