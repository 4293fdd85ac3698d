// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Files taken in by the assembler: no tool turns them into C, and what stands
 * in the tree is what a browser gets.  CMake names the folder, the library and
 * its licence.
 */
#include "suite/report/html_assets.h"

#include "base/compiler.h"

/* A section that is never written; the symbols stay inside the program. */
#define HTML_INCLUDE(name, file)                 \
	__asm__(".pushsection .rodata, \"a\"\n"  \
		".balign 16\n"                   \
		".globl html_" #name "_start\n"  \
		".hidden html_" #name "_start\n" \
		"html_" #name "_start:\n"        \
		".incbin \"" file "\"\n"         \
		".globl html_" #name "_end\n"    \
		".hidden html_" #name "_end\n"   \
		"html_" #name "_end:\n"          \
		".popsection\n");                \
	extern const char html_##name##_start[], html_##name##_end[]

#define HTML_ASSET(name, file) HTML_INCLUDE(name, VB_HTML_DIR "/" file);
#include "suite/report/html_assets.def"
#undef HTML_ASSET

#ifdef VB_HTML_LIBRARY
HTML_INCLUDE(library, VB_HTML_LIBRARY);
#endif
#ifdef VB_HTML_LICENCE
HTML_INCLUDE(licence, VB_HTML_LICENCE);
#endif

#define HTML_BYTES(name)             \
	((struct html_asset){        \
		html_##name##_start, \
		(size_t)(html_##name##_end - html_##name##_start) })

struct html_asset html_asset_page(void)
{
	return HTML_BYTES(page);
}

struct html_asset html_asset_style(void)
{
	return HTML_BYTES(style);
}

struct html_asset html_asset_script(size_t *at)
{
	const struct html_asset all[] = {
#define HTML_ASSET(name, file) HTML_BYTES(name),
#include "suite/report/html_assets.def"
#undef HTML_ASSET
	};
	/* Page and style stand before them. */
	const size_t first = 2;

	if (first + *at >= ARRAY_SIZE(all))
		return (struct html_asset){ "", 0 };
	return all[first + (*at)++];
}

struct html_asset html_asset_library(void)
{
#ifdef VB_HTML_LIBRARY
	return HTML_BYTES(library);
#else
	return (struct html_asset){ "", 0 };
#endif
}

struct html_asset html_asset_library_licence(void)
{
#ifdef VB_HTML_LICENCE
	return HTML_BYTES(licence);
#else
	return (struct html_asset){ "", 0 };
#endif
}
