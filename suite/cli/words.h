/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words for the enumerations among the limits, as people know them.  "?" for a
 * value without one. */
#ifndef SUITE_CLI_WORDS_H
#define SUITE_CLI_WORDS_H

#include <stdint.h>

const char *words_atomic_cap(uint64_t value);
const char *words_port_state(uint64_t value);
const char *words_phys_state(uint64_t value);
const char *words_link_layer(uint64_t value);
const char *words_mtu(uint64_t value);
const char *words_width(uint64_t value);
const char *words_speed(uint64_t value);

/* Of a flag, which is a single bit: NULL when it has no name. */
const char *words_device_flag(uint64_t flag);
const char *words_port_flag(uint64_t flag);

#endif
