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
			      uint64_t value)
{
	for (size_t i = 0; i < count; i++) {
		if (rows[i].value == value)
			return rows[i].word;
	}
	return "?";
}

#define WORDS(name, ...)                                                \
	const char *words_##name(uint64_t value)                        \
	{                                                               \
		static const struct words_row rows[] = { __VA_ARGS__ }; \
                                                                        \
		return words_find(rows, ARRAY_SIZE(rows), value);       \
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
