// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/verbs_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct verbs_row {
	int value;
	const char *name;
};

#define VERBS_ROW(prefix, name)           \
	{                                 \
		IBV_##prefix##name, #name \
	}

static const struct verbs_row verbs_wc_statuses[] = {
#define VERBS_WC_STATUS(name) VERBS_ROW(WC_, name),
#include "base/verbs_names.def"
};

static const struct verbs_row verbs_wc_opcodes[] = {
#define VERBS_WC_OPCODE(name) VERBS_ROW(WC_, name),
#include "base/verbs_names.def"
};

static const struct verbs_row verbs_wr_opcodes[] = {
#define VERBS_WR_OPCODE(name) VERBS_ROW(WR_, name),
#include "base/verbs_names.def"
};

static const struct verbs_row verbs_qp_states[] = {
#define VERBS_QP_STATE(name) VERBS_ROW(QPS_, name),
#include "base/verbs_names.def"
};

static const struct verbs_row verbs_qp_types[] = {
#define VERBS_QP_TYPE(name) VERBS_ROW(QPT_, name),
#include "base/verbs_names.def"
};

static const struct verbs_row verbs_events[] = {
#define VERBS_EVENT(name, about) VERBS_ROW(EVENT_, name),
#include "base/verbs_names.def"
};

static const struct verbs_row verbs_port_states[] = {
#define VERBS_PORT_STATE(name) VERBS_ROW(PORT_, name),
#include "base/verbs_names.def"
};

static const struct {
	enum ibv_mtu mtu;
	unsigned bytes;
} verbs_mtus[] = {
#define VERBS_MTU(bytes) { IBV_MTU_##bytes, bytes },
#include "base/verbs_names.def"
};

static const char *verbs_row_name(const struct verbs_row *rows, size_t count,
				  int value)
{
	/* Nearly every row stands at its own value. */
	if (value >= 0 && (size_t)value < count && rows[value].value == value)
		return rows[value].name;
	for (size_t i = 0; i < count; i++)
		if (rows[i].value == value)
			return rows[i].name;
	return "?";
}

static int verbs_row_parse(const struct verbs_row *rows, size_t count,
			   const char *prefix, const char *name, int *value)
{
	size_t len = strlen(prefix);

	if (strncmp(name, prefix, len) == 0)
		name += len;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(rows[i].name, name) == 0) {
			*value = rows[i].value;
			return 0;
		}
	}
	return -EINVAL;
}

#define VERBS_DEFINE_NAME(what, type, rows)                                \
	const char *verbs_##what##_name(enum type value)                   \
	{                                                                  \
		return verbs_row_name(rows, ARRAY_SIZE(rows), (int)value); \
	}

#define VERBS_DEFINE_PARSE(what, type, rows, prefix)                      \
	int verbs_##what##_parse(const char *name, enum type *value)      \
	{                                                                 \
		int found;                                                \
		int err = verbs_row_parse(rows, ARRAY_SIZE(rows), prefix, \
					  name, &found);                  \
                                                                          \
		if (!err)                                                 \
			*value = (enum type)found;                        \
		return err;                                               \
	}

VERBS_DEFINE_NAME(wc_status, ibv_wc_status, verbs_wc_statuses)
VERBS_DEFINE_NAME(wc_opcode, ibv_wc_opcode, verbs_wc_opcodes)
VERBS_DEFINE_NAME(wr_opcode, ibv_wr_opcode, verbs_wr_opcodes)
VERBS_DEFINE_NAME(qp_state, ibv_qp_state, verbs_qp_states)
VERBS_DEFINE_NAME(qp_type, ibv_qp_type, verbs_qp_types)
VERBS_DEFINE_NAME(event, ibv_event_type, verbs_events)
VERBS_DEFINE_NAME(port_state, ibv_port_state, verbs_port_states)

VERBS_DEFINE_PARSE(qp_state, ibv_qp_state, verbs_qp_states, "IBV_QPS_")
VERBS_DEFINE_PARSE(qp_type, ibv_qp_type, verbs_qp_types, "IBV_QPT_")

int verbs_wc_status_parse(const char *name, enum ibv_wc_status *value)
{
	char whole[32];
	int found;
	int err;

	err = verbs_row_parse(verbs_wc_statuses, ARRAY_SIZE(verbs_wc_statuses),
			      "IBV_WC_", name, &found);
	if (err && strlen(name) + sizeof("_ERR") <= sizeof(whole)) {
		snprintf(whole, sizeof(whole), "%s_ERR", name);
		err = verbs_row_parse(verbs_wc_statuses,
				      ARRAY_SIZE(verbs_wc_statuses), "IBV_WC_",
				      whole, &found);
	}
	if (!err)
		*value = (enum ibv_wc_status)found;
	return err;
}

unsigned verbs_mtu_bytes(enum ibv_mtu mtu)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs_mtus); i++)
		if (verbs_mtus[i].mtu == mtu)
			return verbs_mtus[i].bytes;
	return 0;
}

int verbs_mtu_from_bytes(unsigned bytes, enum ibv_mtu *mtu)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs_mtus); i++) {
		if (verbs_mtus[i].bytes == bytes) {
			*mtu = verbs_mtus[i].mtu;
			return 0;
		}
	}
	return -EINVAL;
}

enum ibv_wc_opcode verbs_wc_opcode_of(enum ibv_wr_opcode opcode)
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
	case IBV_WR_TSO:
		return IBV_WC_TSO;
	default:
		return IBV_WC_SEND;
	}
}

bool verbs_wr_takes_recv(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM ||
	       opcode == IBV_WR_SEND_WITH_INV ||
	       opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

bool verbs_wr_has_imm(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_SEND_WITH_IMM ||
	       opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

enum verbs_about verbs_event_about(enum ibv_event_type event)
{
	switch (event) {
#define VERBS_EVENT(name, about) \
	case IBV_EVENT_##name:   \
		return VERBS_ABOUT_##about;
#include "base/verbs_names.def"
	default:
		return VERBS_ABOUT_DEVICE;
	}
}

const char *verbs_status_set_text(uint32_t set, char *text, size_t room)
{
	size_t used = 0;

	if (room == 0)
		return text;
	snprintf(text, room, "%s", set ? "" : "none");
	for (size_t i = 0; i < ARRAY_SIZE(verbs_wc_statuses); i++) {
		int n;

		if (!(set & VERBS_STATUS_BIT(verbs_wc_statuses[i].value)))
			continue;
		n = snprintf(text + used, room - used, "%s%s", used ? "," : "",
			     verbs_wc_statuses[i].name);
		if (n < 0 || (size_t)n >= room - used)
			break;
		used += (size_t)n;
	}
	return text;
}
