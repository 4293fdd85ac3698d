/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where mutants that act are told of. */
#ifndef DEVICE_FRONT_SOFTDV_MUTANT_H
#define DEVICE_FRONT_SOFTDV_MUTANT_H

/* Append a line to the file at @path the first time that a mutant acts in this
 * process; NULL: nothing. */
void front_mutants_log(const char *path);

#endif
