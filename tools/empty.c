// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Stands in where a folder has no sources yet. */
typedef int empty_translation_unit;
