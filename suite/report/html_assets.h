/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The page's own files as bytes in the program, and the charting library of
 * the system on which it was built: the report is one file and asks for no
 * other.
 */
#ifndef SUITE_REPORT_HTML_ASSETS_H
#define SUITE_REPORT_HTML_ASSETS_H

#include <stddef.h>

struct html_asset {
	const char *text; /* not terminated */
	size_t len;	  /* 0: it was not there when this was built */
};

struct html_asset html_asset_page(void);
struct html_asset html_asset_style(void);
/* Our own scripts: the next one after *@at, from 0 on; len 0 after the last. */
struct html_asset html_asset_script(size_t *at);
struct html_asset html_asset_library(void);
struct html_asset html_asset_library_licence(void);

#endif
