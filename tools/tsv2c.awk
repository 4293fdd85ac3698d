# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Rows of a TSV file as C initialisers, every cell a string literal:
#	{ "RC", "RESET", "INIT", "STATE,...", "-" },
# The first line, the column names, becomes a comment.
BEGIN { FS = "\t" }
function literal(s) {
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	# "??" starts a trigraph
	gsub(/\?\?/, "?\\?", s)
	return "\"" s "\""
}
NR == 1 { columns = NF; print "/* " $0 " */"; next }
$0 == "" { next }
NF != columns {
	print FILENAME ":" NR ": " NF " cells, the header has " columns > "/dev/stderr"
	exit 1
}
{
	line = "{ "
	for (i = 1; i <= NF; i++)
		line = line literal($i) (i < NF ? ", " : " },")
	print line
}
