// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/engine/datagram.h"

#include <string.h>

#include "device/engine/responder.h"
#include "device/mutant/mutant.h"

static bool datagram_wanted(const struct sd_qp *qp,
			    const struct wire_packet *packet)
{
	if (qp->state < IBV_QPS_RTR || qp->state == IBV_QPS_ERR)
		return false;
	if (wire_opcode_transport(packet->opcode) != WIRE_UD)
		return false;
	/* One packet is all that a datagram can be: more than a port's MTU has
	 * not come through it (rules.tsv, UD-03). */
	if (packet->payload_len > qp->mtu_bytes)
		return false;
	if (MUTANT_ACTS(D84, qp->mutants.qkey_kept))
		return packet->deth.qkey == qp->mutants.qkey;
	return packet->deth.qkey == qp->attr.qkey || MUTANT_ACTS(D41, true);
}

/* Is the oldest receive long enough?  One that is not is left for a shorter
 * datagram: this one is dropped (rules.tsv, UD-07). */
static bool datagram_fits(const struct sd_qp *qp,
			  const struct wire_packet *packet)
{
	uint64_t need = DATAGRAM_HEADER_BYTES + packet->payload_len;

	if (qp->srq)
		return qp->srq->ring.count > 0 &&
		       qp->srq->wqe[ring_at(&qp->srq->ring, 0)].length >= need;
	return qp->rq.count > 0 &&
	       qp->rq_wqe[ring_at(&qp->rq, 0)].length >= need;
}

static enum ibv_wc_status datagram_place(struct sd_qp *qp, uint64_t offset,
					 const void *bytes, size_t len)
{
	const struct sd_recv_wqe *recv = &qp->resp.recv;

	if (len == 0)
		return IBV_WC_SUCCESS;
	return qp->host->ops->scatter(qp->host, responder_recv_pd(qp),
				      recv->sge, recv->num_sge, offset, bytes,
				      len);
}

/*
 * What kind of header the area begins with, in the service level, which RoCE
 * has no other use for: 1 IPv6, 2 IPv4 (in the second half of the area).  Some
 * programs read it there, because some adapters have it there; without it they
 * take the 16 bytes at the end for a GID, which over IPv4 they are not.
 */
static uint8_t datagram_header_kind(const uint8_t *header)
{
	return header[0] >> 4 == 6 ? 1 : 2;
}

static void datagram_complete(struct sd_qp *qp,
			      const struct wire_packet *packet,
			      const uint8_t *header)
{
	bool imm = wire_opcode_headers(packet->opcode) & WIRE_HAS_IMM;
	struct sd_cqe cqe = {
		.wc.wr_id = qp->resp.recv.wr_id,
		.wc.status = IBV_WC_SUCCESS,
		.wc.opcode = IBV_WC_RECV,
		.wc.byte_len = DATAGRAM_HEADER_BYTES + packet->payload_len,
		.wc.qp_num = qp->qpn,
		.wc.src_qp = packet->deth.src_qpn,
		.wc.sl = datagram_header_kind(header),
		.wc.wc_flags = IBV_WC_GRH | (imm ? IBV_WC_WITH_IMM : 0),
		.solicited = packet->solicited,
	};

	if (imm)
		cqe.wc.imm_data = packet->imm;
	if (MUTANT_ACTS(D49, imm && cqe.solicited))
		cqe.solicited = false;
	if (MUTANT_ACTS(M39, qp->srq)) {
		cqe.wc.src_qp = 0;
		cqe.wc.wc_flags &= ~(unsigned)IBV_WC_GRH;
	}
	qp->resp.recv_taken = false;
	qp->host->counters.rdma_recvs++;
	qp->host->ops->complete(qp->host, qp->recv_cq, &cqe);
}

/* D78: it was for another key, and is taken off the SRQ all the same. */
static MUTANT_COLD bool datagram_costs(const struct sd_qp *qp,
				       const struct wire_packet *packet)
{
	return qp->state >= IBV_QPS_RTR && qp->state != IBV_QPS_ERR &&
	       qp->srq && qp->srq->ring.count > 0 &&
	       packet->deth.qkey != qp->attr.qkey;
}

/* R15: the addresses are the last eight bytes, of IPv4. */
static MUTANT_COLD const uint8_t *datagram_source_lost(const uint8_t *header,
						       uint8_t spoilt[40])
{
	const uint8_t *source = header + DATAGRAM_HEADER_BYTES - 8;

	if (!MUTANT_ACTS(R15, memcmp(source, source + 4, 4)))
		return header;
	memcpy(spoilt, header, DATAGRAM_HEADER_BYTES);
	memcpy(spoilt + (source - header), (const uint8_t[]){ 127, 0, 0, 1 },
	       4);
	return spoilt;
}

void datagram_receive(struct sd_qp *qp, const struct wire_packet *packet,
		      const uint8_t *header)
{
	uint8_t spoilt[DATAGRAM_HEADER_BYTES];
	enum ibv_wc_status status;

	if (!datagram_wanted(qp, packet) || !datagram_fits(qp, packet)) {
		qp->host->counters.dropped_pkts++;
		if (MUTANT_ACTS(D78, datagram_costs(qp, packet)))
			ring_pop(&qp->srq->ring);
		if (MUTANT_ACTS(M39, datagram_wanted(qp, packet) &&
					     qp->rq.count > 0))
			qp_enter_error(qp);
		return;
	}
	if (!responder_take_recv(qp))
		return;
	if (MUTANT_ON(R15))
		header = datagram_source_lost(header, spoilt);
	status = datagram_place(qp, 0, header, DATAGRAM_HEADER_BYTES);
	if (status == IBV_WC_SUCCESS)
		status = datagram_place(qp, DATAGRAM_HEADER_BYTES,
					packet->payload, packet->payload_len);
	if (status == IBV_WC_SUCCESS)
		datagram_complete(qp, packet, header);
	else
		qp_fail_recv(qp, status);
}
