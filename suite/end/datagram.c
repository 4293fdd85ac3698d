// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * UC and UD: address handles, where a datagram goes, and which of the messages
 * under way has come: some may be lost, so what came is compared with each
 * that it can be, oldest first.
 */
#include <string.h>

#include "base/clock.h"
#include "suite/end/ends.h"

enum {
	DATAGRAM_HOPS = 64,
	DATAGRAM_QKEY = 0x0badcafe,
};

static void datagram_attr(const struct vb_end *e, const struct vb_ah_args *args,
			  struct ibv_ah_attr *a)
{
	const struct end_opened *to = args->to ? &args->to->end->opened
					       : &e->opened;

	*a = (struct ibv_ah_attr){
		.port_num = (uint8_t)e->ends->t->options->port,
		.dlid = to->port.lid,
		.is_global = e->opened.port.link_layer ==
			     IBV_LINK_LAYER_ETHERNET,
		.grh = { .dgid = args->dgid ? *args->dgid : to->gid,
			 .sgid_index = (uint8_t)e->opened.gid_index,
			 .hop_limit = DATAGRAM_HOPS,
			 .traffic_class = (uint8_t)args->traffic_class.value,
			 .flow_label = (uint32_t)args->flow_label.value },
		.sl = (uint8_t)args->sl.value,
	};
	if (args->gid_index.set)
		a->grh.sgid_index = (uint8_t)args->gid_index.value;
	if (args->dlid.set)
		a->dlid = (uint16_t)args->dlid.value;
	if (args->is_global.set)
		a->is_global = (uint8_t)args->is_global.value;
	if (args->port.set)
		a->port_num = (uint8_t)args->port.value;
	if (args->hop_limit.set)
		a->grh.hop_limit = (uint8_t)args->hop_limit.value;
}

struct vb_object *vb_try_create_ah_args(struct vb_object *pd,
					const struct vb_ah_args *args)
{
	struct end_ah in = { .pd = pd->id };
	struct end_made out;
	struct vb_object *o;

	datagram_attr(pd->end, args, &in.attr);
	if (pd->end->ops->create_ah(pd->end->host, &in, &out))
		return NULL;
	o = ends_object_add(pd->end, END_AH, out.id);
	o->in_pd = pd;
	o->dgid = in.attr.grh.dgid;
	o->dgid_known = in.attr.is_global;
	return o;
}

struct vb_object *vb_try_create_ah_from_wc(struct vb_object *pd,
					   const struct vb_wr *recv)
{
	struct end_ah in = { .pd = pd->id,
			     .from_wc = true,
			     .port = (uint8_t)pd->end->ends->t->options->port,
			     .wc = recv->wc,
			     .place = recv->place };
	struct end_made out;
	struct vb_object *o;

	if (pd->end->ops->create_ah(pd->end->host, &in, &out))
		return NULL;
	o = ends_object_add(pd->end, END_AH, out.id);
	o->in_pd = pd;
	return o;
}

struct vb_object *vb_create_ah_args(struct vb_object *pd,
				    const struct vb_ah_args *args)
{
	struct vb_object *o = vb_try_create_ah_args(pd, args);

	if (!o)
		vb_broken(pd->end->ends->t,
			  "end %s: creating an address handle",
			  ends_side(pd->end));
	return o;
}

void vb_create_ah_refused_args(struct vb_object *pd,
			       const struct vb_ah_args *args)
{
	vb_check(pd->end->ends->t, VB_FIND_WRONG_RETURN,
		 !vb_try_create_ah_args(pd, args),
		 "end %s: an address handle was created, it must be refused",
		 ends_side(pd->end));
}

/* The queue pair's own handle for the port of @dest. */
static struct vb_object *datagram_ah(struct vb_qp *qp, const struct vb_qp *dest)
{
	struct vb_object **ah = &qp->ah[dest->end->side];

	if (!*ah || (*ah)->gone)
		*ah = vb_create_ah(qp->pd, .to = dest);
	return *ah;
}

/* The same for the port of a queue pair in another process. */
static struct vb_object *datagram_far_ah(struct vb_qp *qp)
{
	struct vb_object **ah = &qp->ah[!qp->end->side];
	union ibv_gid gid;

	memcpy(gid.raw, qp->remote.gid, sizeof(gid.raw));
	if (!*ah || (*ah)->gone)
		*ah = vb_create_ah(qp->pd, .dgid = &gid,
				   .dlid = VB_SET(qp->remote.lid));
	return *ah;
}

void ends_datagram_form(struct vb_qp *qp, const struct vb_send_args *args,
			struct vb_wr *wr, struct end_wr *form)
{
	struct vb_qp *dest = args->dest ? args->dest : qp->peer;

	wr->dest = dest;
	if (qp->type != IBV_QPT_UD)
		return;
	if (args->ah)
		form->ah = args->ah->id;
	else if (dest)
		form->ah = datagram_ah(qp, dest)->id;
	else if (qp->introduced)
		form->ah = datagram_far_ah(qp)->id;
	form->remote_qpn = dest ? dest->qpn : qp->remote.qpn;
	form->remote_qkey = dest && dest->set_mask & IBV_QP_QKEY
				    ? dest->set.qkey
				    : DATAGRAM_QKEY;
	if (args->dest_qpn.set)
		form->remote_qpn = (uint32_t)args->dest_qpn.value;
	if (args->remote_qkey.set)
		form->remote_qkey = (uint32_t)args->remote_qkey.value;
}

/* --- What has come ------------------------------------------------------- */

static void datagram_nobody(const struct vb_wr *wr)
{
	struct complaint c;

	complaint_set(&c, VB_FIND_WRONG_FIELD, wr->wr_id,
		      "a datagram came with src_qp 0x%x, which is no queue "
		      "pair of ours",
		      wr->wc.src_qp);
	ends_complain(wr->qp->ends, &c);
}

/*
 * Who may have sent it: two devices give the same numbers, so a queue pair of
 * either end, the other one first.  How many; 0: nobody of the case.
 */
static unsigned datagram_senders(struct vb_wr *wr, struct vb_qp *from[2])
{
	struct vb_qp *qp = wr->qp, *found;
	struct ends *e = qp->ends;
	unsigned i, side, count = 0;

	if (qp->type != IBV_QPT_UD) {
		from[0] = qp->peer;
		return qp->peer ? 1 : 0;
	}
	for (i = 0; i < 2; i++) {
		side = i ? qp->end->side : !qp->end->side;
		found = e->end[side] ? ends_qp_by_number(e, e->end[side],
							 wr->wc.src_qp)
				     : NULL;
		if (found && found->type == IBV_QPT_UD)
			from[count++] = found;
	}
	if (!count && qp->peer)
		datagram_nobody(wr);
	return count;
}

/* Does its header say that it comes from the port of @end? */
static bool datagram_from(struct vb_wr *wr, const struct vb_end *end)
{
	struct end_verify in = {
		.place = wr->place,
		.len = wr->wc.byte_len,
		.datagram = true,
		.grh = true,
		.sgid = end->opened.gid,
		.dgid = wr->qp->end->opened.gid,
		.addresses_only = true,
	};
	struct complaint ignored;

	return ends_holds(wr, &in, &ignored);
}

/*
 * None of @from has it under way: leave out those of the other device, if it
 * is known from which one it came; a queue pair of that number may have been
 * destroyed there.  How many are left.
 */
static unsigned datagram_narrow(struct vb_wr *wr, struct vb_qp *from[2],
				unsigned count)
{
	struct ends *e = wr->qp->ends;
	const struct vb_end *origin = NULL;
	unsigned i, left = 0;

	if (wr->qp->type != IBV_QPT_UD || !(wr->wc.wc_flags & IBV_WC_GRH))
		return count;
	for (i = 0; i < 2 && !origin; i++)
		if (e->end[i] && datagram_from(wr, e->end[i]))
			origin = e->end[i];
	if (!origin)
		return count;
	for (i = 0; i < count; i++)
		if (!memcmp(&from[i]->end->opened.gid, &origin->opened.gid,
			    sizeof(origin->opened.gid)))
			from[left++] = from[i];
	if (!left && wr->qp->peer)
		datagram_nobody(wr);
	return left;
}

/* On Ethernet there is a header before each datagram (CMP-18). */
static void datagram_grh(const struct vb_wr *wr)
{
	struct complaint c;

	if (wr->qp->type != IBV_QPT_UD || wr->wc.wc_flags & IBV_WC_GRH ||
	    wr->qp->end->opened.port.link_layer != IBV_LINK_LAYER_ETHERNET)
		return;
	complaint_set(&c, VB_FIND_WRONG_FIELD, wr->wr_id,
		      "a datagram came to qp 0x%x without IBV_WC_GRH in its "
		      "completion",
		      wr->qp->qpn);
	ends_complain(wr->qp->ends, &c);
}

/* Is it that one?  False, and *@c why not. */
static bool datagram_fits(struct vb_wr *wr, struct vb_qp *from,
			  const struct pairing_message *m,
			  struct end_verify *in, struct complaint *c)
{
	const struct vb_wr *send = m->user;

	/* To a queue pair of the same number at the other end. */
	if (send->dest && send->dest != wr->qp &&
	    send->dest->qpn == wr->qp->qpn)
		return complaint_set(c, VB_FIND_EARLY, wr->wr_id,
				     "a message of %u bytes came to qp 0x%x, "
				     "but qp 0x%x has none under way to it",
				     wr->wc.byte_len, wr->qp->qpn,
				     from->qpn) == 0;
	if (pairing_fields("a message", wr->qp->type, &wr->wc, m, c))
		return false;
	in->payload = send->payload;
	in->datagram = wr->qp->type == IBV_QPT_UD;
	in->grh = in->datagram && wr->wc.wc_flags & IBV_WC_GRH;
	in->sgid = from->end->opened.gid;
	in->dgid = wr->qp->end->opened.gid;
	if (verbs_wr_takes_recv(m->opcode) &&
	    m->opcode == IBV_WR_RDMA_WRITE_WITH_IMM) {
		in->len = 0;
		in->payload.len = 0;
	}
	return ends_holds(wr, in, c);
}

static void datagram_odd(struct vb_wr *wr, struct vb_qp *from,
			 struct end_verify *in, struct complaint *c,
			 bool any) NO_RETURN;

/* It is none of those under way: has it come before? */
static void datagram_odd(struct vb_wr *wr, struct vb_qp *from,
			 struct end_verify *in, struct complaint *c, bool any)
{
	struct pairing_message m;
	struct complaint none;
	uint64_t n = 0;

	while (lossy_candidate(from->loose, wr->qp->qpn, n, true, &m)) {
		if (datagram_fits(wr, from, &m, in, &none)) {
			complaint_set(c, VB_FIND_DUPLICATED, wr->wr_id,
				      "message %llu of qp 0x%x has come twice",
				      (unsigned long long)m.number, from->qpn);
			ends_complain(wr->qp->ends, c);
		}
		n = m.number + 1;
	}
	if (!any)
		complaint_set(c, VB_FIND_EARLY, wr->wr_id,
			      "a message of %u bytes came to qp 0x%x, but qp "
			      "0x%x has none under way to it",
			      wr->wc.byte_len, wr->qp->qpn, from->qpn);
	ends_complain(wr->qp->ends, c);
}

/* One of those under way from @from; false and *@first: the first of them is
 * not it, *@any: there were some. */
static bool datagram_take(struct vb_wr *wr, struct vb_qp *from,
			  struct complaint *first, bool *any)
{
	struct pattern_context context;
	struct pairing_message m;
	struct end_verify in;
	struct complaint c;
	uint64_t n = 0;

	while (lossy_candidate(from->loose, wr->qp->qpn, n, false, &m)) {
		ends_verify_begin(wr, &context, &in);
		if (datagram_fits(wr, from, &m, &in, &c)) {
			wr->met = m.user;
			lossy_take(from->loose, m.number);
			return true;
		}
		if (!*any)
			*first = c;
		*any = true;
		n = m.number + 1;
	}
	return false;
}

/*
 * The sender is in another process, which has told who it is: datagrams are
 * taken for coming in order, as between two processes of one host they do.
 */
static void datagram_far(struct vb_wr *wr)
{
	struct vb_qp *qp = wr->qp;
	struct pattern_context context;
	struct end_verify in;
	struct complaint c;

	if (wr->wc.src_qp != qp->remote.qpn) {
		complaint_set(&c, VB_FIND_WRONG_FIELD, wr->wr_id,
			      "a datagram of another process came with src_qp "
			      "0x%x, its queue pair is 0x%x",
			      wr->wc.src_qp, qp->remote.qpn);
		ends_complain(qp->ends, &c);
	}
	ends_verify_begin(wr, &context, &in);
	in.datagram = true;
	in.grh = wr->wc.wc_flags & IBV_WC_GRH;
	memcpy(in.sgid.raw, qp->remote.gid, sizeof(in.sgid.raw));
	in.dgid = qp->end->opened.gid;
	in.payload.key = pattern_key(qp->ends->t->seed, &qp->origin);
	in.payload.sequence = qp->received++;
	in.payload.qp_num = qp->remote.qpn;
	in.payload.len = in.len < END_GRH ? 0 : in.len - END_GRH;
	if (!ends_holds(wr, &in, &c))
		ends_complain(qp->ends, &c);
}

void ends_loose_received(struct vb_wr *wr)
{
	struct vb_qp *from[2] = { NULL, NULL };
	unsigned count = datagram_senders(wr, from), i;
	struct pattern_context context;
	struct complaint first;
	struct end_verify in;
	bool any = false;

	datagram_grh(wr);
	if (!wr->qp->peer && wr->qp->origin_known) {
		datagram_far(wr);
		return;
	}
	for (i = 0; i < count; i++)
		if (datagram_take(wr, from[i], &first, &any))
			return;
	if (count)
		count = datagram_narrow(wr, from, count);
	ends_verify_begin(wr, &context, &in);
	if (count)
		datagram_odd(wr, from[0], &in, &first, any);
	in.guards_only = true;
	if (!ends_holds(wr, &in, &first))
		ends_complain(wr->qp->ends, &first);
}

/* --- Expectations -------------------------------------------------------- */

uint64_t vb_lost(struct vb_qp *qp)
{
	return qp->loose ? lossy_missing(qp->loose) : 0;
}

struct vb_wr *vb_expect_some_message(struct vb_wr *recv)
{
	vb_expect_wc(recv, IBV_WC_SUCCESS);
	vb_check(recv->end->ends->t, VB_FIND_FOREIGN, recv->met,
		 "end %s: a receive completed with a message that nobody of "
		 "the case has sent",
		 ends_side(recv->end));
	return recv->met;
}

static bool datagram_came(void *arg)
{
	const struct vb_wr *send = arg;

	return lossy_taken(send->qp->loose, send->number);
}

void vb_expect_dropped(struct vb_wr *send, unsigned ms)
{
	struct vb_test *t = ends_test(send->qp);
	char text[ENDS_TEXT];

	if (!send->qp->loose)
		vb_broken(t, "only UC and UD drop messages");
	vb_check(t, VB_FIND_EARLY,
		 !ends_wait(send->qp->ends, vb_deadline(t, ms), datagram_came,
			    send),
		 "%s was received, it must be dropped",
		 ends_wr_text(send, text, sizeof(text)));
}
