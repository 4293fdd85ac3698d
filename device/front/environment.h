/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The variables by which a user of the preloaded library tells it things; the
 * rows are in environment.def. */
#ifndef DEVICE_FRONT_ENVIRONMENT_H
#define DEVICE_FRONT_ENVIRONMENT_H

#include "base/compiler.h"
#include "device/world/settings.h"

/*
 * Read all variables, set up the log, and fill in @settings, whose texts belong
 * to the environment.  -EINVAL when a value is wrong, with a line for each that
 * names variable, value and what would be right.
 */
int environment_read(struct sd_settings *settings) MUST_USE;

#endif
