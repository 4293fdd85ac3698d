// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What all three engines share of a queue pair: completing, failing, flushing,
 * and who gets a packet or a timer.
 */
#include "device/engine/qp.h"

#include <string.h>

#include "device/engine/completer.h"
#include "device/engine/requester.h"
#include "device/engine/responder.h"
#include "device/engine/retry.h"

void qp_reset(struct sd_qp *qp)
{
	ring_clear(&qp->sq);
	ring_clear(&qp->rq);
	memset(&qp->req, 0, sizeof(qp->req));
	memset(&qp->resp, 0, sizeof(qp->resp));
	memset(&qp->attr, 0, sizeof(qp->attr));
	qp->state = IBV_QPS_RESET;
	qp->mtu_bytes = 0;
	qp->timeout_ns = 0;
	qp->drained_told = false;
	qp->host->ops->timer(qp->host, qp, 0);
}

static enum ibv_wc_opcode qp_wc_opcode(enum ibv_wr_opcode opcode)
{
	switch (opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return IBV_WC_RDMA_WRITE;
	case IBV_WR_RDMA_READ:
		return IBV_WC_RDMA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return IBV_WC_COMP_SWAP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return IBV_WC_FETCH_ADD;
	case IBV_WR_LOCAL_INV:
		return IBV_WC_LOCAL_INV;
	case IBV_WR_BIND_MW:
		return IBV_WC_BIND_MW;
	default:
		return IBV_WC_SEND;
	}
}

void qp_complete_send(struct sd_qp *qp, enum ibv_wc_status status)
{
	const struct sd_send_wqe *wqe = qp_send_wqe(qp, 0);
	struct sd_cqe cqe = {
		.wc.wr_id = wqe->wr_id,
		.wc.status = status,
		.wc.opcode = qp_wc_opcode(wqe->opcode),
		.wc.byte_len = wqe->length,
		.wc.qp_num = qp->qpn,
		.solicited = status != IBV_WC_SUCCESS,
	};
	/* An error is always told (IBA vol. 1, 10.7.3.1). */
	bool told = wqe->signaled || status != IBV_WC_SUCCESS;

	ring_pop(&qp->sq);
	if (qp->req.cursor > 0)
		qp->req.cursor--;
	else
		qp->req.cursor_packet = 0;
	if (told)
		qp->host->ops->complete(qp->host, qp->send_cq, &cqe);
}

void qp_complete_recv_error(struct sd_qp *qp, uint64_t wr_id,
			    enum ibv_wc_status status)
{
	struct sd_cqe cqe = {
		.wc.wr_id = wr_id,
		.wc.status = status,
		.wc.opcode = IBV_WC_RECV,
		.wc.qp_num = qp->qpn,
		.solicited = true,
	};

	qp->host->ops->complete(qp->host, qp->recv_cq, &cqe);
}

static void qp_flush(struct sd_qp *qp)
{
	while (qp->sq.count > 0)
		qp_complete_send(qp, IBV_WC_WR_FLUSH_ERR);
	if (qp->resp.recv_taken) {
		qp->resp.recv_taken = false;
		qp_complete_recv_error(qp, qp->resp.recv.wr_id,
				       IBV_WC_WR_FLUSH_ERR);
	}
	while (qp->rq.count > 0) {
		uint32_t slot = ring_pop(&qp->rq);

		qp_complete_recv_error(qp, qp->rq_wqe[slot].wr_id,
				       IBV_WC_WR_FLUSH_ERR);
	}
}

void qp_enter_error(struct sd_qp *qp)
{
	qp->state = IBV_QPS_ERR;
	qp->req.ack_deadline_ns = 0;
	qp->req.rnr_deadline_ns = 0;
	qp_timer_update(qp);
	qp->resp.in_message = false;
	qp_flush(qp);
}

void qp_fail_send(struct sd_qp *qp, enum ibv_wc_status status)
{
	qp_complete_send(qp, status);
	qp_enter_error(qp);
}

void qp_fail_recv(struct sd_qp *qp, enum ibv_wc_status status)
{
	if (qp->resp.recv_taken) {
		qp->resp.recv_taken = false;
		qp_complete_recv_error(qp, qp->resp.recv.wr_id, status);
	}
	qp_enter_error(qp);
}

void qp_timer_update(struct sd_qp *qp)
{
	struct sd_requester *req = &qp->req;
	uint64_t earliest = req->ack_deadline_ns;

	if (req->rnr_deadline_ns &&
	    (!earliest || req->rnr_deadline_ns < earliest))
		earliest = req->rnr_deadline_ns;
	if (earliest == req->timer_ns)
		return;
	req->timer_ns = earliest;
	qp->host->ops->timer(qp->host, qp, earliest);
}

void qp_timer(struct sd_qp *qp, uint64_t now_ns)
{
	retry_timer(qp, now_ns);
	qp_timer_update(qp);
}

void qp_receive(struct sd_qp *qp, const struct wire_packet *packet,
		uint64_t now_ns)
{
	if (wire_opcode_is_request(packet->opcode))
		responder_receive(qp, packet);
	else
		completer_receive(qp, packet, now_ns);
	qp_timer_update(qp);
}
