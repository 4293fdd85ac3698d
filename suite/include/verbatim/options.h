/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of a run, as one struct; fields and meaning: options.def. */
#ifndef VERBATIM_OPTIONS_H
#define VERBATIM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Message sizes in bytes: one, a list, a range, or drawn per message. */
struct vb_sizes {
	enum { VB_SIZES_RANDOM, VB_SIZES_LIST, VB_SIZES_RANGE } kind;
	uint32_t count; /* LIST: entries; RANGE: 2, low and high */
	uint32_t bytes[64];
};

struct vb_options {
#define VB_OPTION_STRING(field, ...) const char *field;
#define VB_OPTION_UINT(field, ...)   uint64_t field;
#define VB_OPTION_REAL(field, ...)   double field;
#define VB_OPTION_SIZES(field, ...)  struct vb_sizes field;
#define VB_OPTION_CHOICE(field, ...) const char *field;
#define VB_OPTION_FLAG(field, ...)   bool field;
#include "verbatim/options.def"
#undef VB_OPTION_STRING
#undef VB_OPTION_UINT
#undef VB_OPTION_REAL
#undef VB_OPTION_SIZES
#undef VB_OPTION_CHOICE
#undef VB_OPTION_FLAG
};

#endif
