// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables of words: see the header. */
#include "suite/cli/words.h"

#include <infiniband/verbs.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/verbs_names.h"

struct words_row {
	uint64_t value;
	const char *word;
};

static const char *words_find(const struct words_row *rows, size_t count,
			      uint64_t value, const char *none)
{
	for (size_t i = 0; i < count; i++) {
		if (rows[i].value == value)
			return rows[i].word;
	}
	return none;
}

#define WORDS(name, ...)                                                \
	const char *words_##name(uint64_t value)                        \
	{                                                               \
		static const struct words_row rows[] = { __VA_ARGS__ }; \
                                                                        \
		return words_find(rows, ARRAY_SIZE(rows), value, "?");  \
	}

WORDS(atomic_cap, { IBV_ATOMIC_NONE, "none" },
      { IBV_ATOMIC_HCA, "within the device" },
      { IBV_ATOMIC_GLOB, "with processors and other devices" })

WORDS(phys_state, { 1, "Sleep" }, { 2, "Polling" }, { 3, "Disabled" },
      { 4, "Training" }, { 5, "LinkUp" }, { 6, "LinkErrorRecovery" },
      { 7, "PhyTest" })

WORDS(link_layer, { IBV_LINK_LAYER_UNSPECIFIED, "unspecified" },
      { IBV_LINK_LAYER_INFINIBAND, "InfiniBand" },
      { IBV_LINK_LAYER_ETHERNET, "Ethernet" })

WORDS(mtu, { IBV_MTU_256, "256 bytes" }, { IBV_MTU_512, "512 bytes" },
      { IBV_MTU_1024, "1024 bytes" }, { IBV_MTU_2048, "2048 bytes" },
      { IBV_MTU_4096, "4096 bytes" })

WORDS(width, { 1, "1X" }, { 2, "4X" }, { 4, "8X" }, { 8, "12X" }, { 16, "2X" })

/* Of one lane. */
WORDS(speed, { 1, "2.5 Gb/s SDR" }, { 2, "5 Gb/s DDR" }, { 4, "10 Gb/s QDR" },
      { 8, "10 Gb/s FDR10" }, { 16, "14 Gb/s FDR" }, { 32, "25 Gb/s EDR" },
      { 64, "50 Gb/s HDR" }, { 128, "100 Gb/s NDR" })

const char *words_port_state(uint64_t value)
{
	return verbs_port_state_name((enum ibv_port_state)value);
}

/* Flags as verbs.h has them. */
#define DEVICE(name)                     \
	{                                \
		IBV_DEVICE_##name, #name \
	}
#define PORT(name)                     \
	{                              \
		IBV_PORT_##name, #name \
	}

const char *words_device_flag(uint64_t flag)
{
	static const struct words_row rows[] = {
		DEVICE(RESIZE_MAX_WR),	    DEVICE(BAD_PKEY_CNTR),
		DEVICE(BAD_QKEY_CNTR),	    DEVICE(RAW_MULTI),
		DEVICE(AUTO_PATH_MIG),	    DEVICE(CHANGE_PHY_PORT),
		DEVICE(UD_AV_PORT_ENFORCE), DEVICE(CURR_QP_STATE_MOD),
		DEVICE(SHUTDOWN_PORT),	    DEVICE(INIT_TYPE),
		DEVICE(PORT_ACTIVE_EVENT),  DEVICE(SYS_IMAGE_GUID),
		DEVICE(RC_RNR_NAK_GEN),	    DEVICE(SRQ_RESIZE),
		DEVICE(N_NOTIFY_CQ),	    DEVICE(MEM_WINDOW),
		DEVICE(UD_IP_CSUM),	    DEVICE(XRC),
		DEVICE(MEM_MGT_EXTENSIONS), DEVICE(MEM_WINDOW_TYPE_2A),
		DEVICE(MEM_WINDOW_TYPE_2B), DEVICE(RC_IP_CSUM),
		DEVICE(RAW_IP_CSUM),	    DEVICE(MANAGED_FLOW_STEERING),
	};

	return words_find(rows, ARRAY_SIZE(rows), flag, NULL);
}

const char *words_port_flag(uint64_t flag)
{
	static const struct words_row rows[] = {
		PORT(SM),
		PORT(NOTICE_SUP),
		PORT(TRAP_SUP),
		PORT(OPT_IPD_SUP),
		PORT(AUTO_MIGR_SUP),
		PORT(SL_MAP_SUP),
		PORT(MKEY_NVRAM),
		PORT(PKEY_NVRAM),
		PORT(LED_INFO_SUP),
		PORT(SYS_IMAGE_GUID_SUP),
		PORT(PKEY_SW_EXT_PORT_TRAP_SUP),
		PORT(EXTENDED_SPEEDS_SUP),
		PORT(CAP_MASK2_SUP),
		PORT(CM_SUP),
		PORT(SNMP_TUNNEL_SUP),
		PORT(REINIT_SUP),
		PORT(DEVICE_MGMT_SUP),
		PORT(VENDOR_CLASS_SUP),
		PORT(DR_NOTICE_SUP),
		PORT(CAP_MASK_NOTICE_SUP),
		PORT(BOOT_MGMT_SUP),
		PORT(LINK_LATENCY_SUP),
		PORT(CLIENT_REG_SUP),
		PORT(IP_BASED_GIDS),
	};

	return words_find(rows, ARRAY_SIZE(rows), flag, NULL);
}
