# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Rows of several TSV files with the same columns as C initialisers, each with
# the name of its file (without folder and .tsv) as first cell:
#	{ "rxe", "rnr/late", "wrong-status", "*", "reason", "source" },
# The first file sets the columns.
BEGIN { FS = "\t" }
function literal(s) {
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	# "??" starts a trigraph
	gsub(/\?\?/, "?\\?", s)
	return "\"" s "\""
}
FNR == 1 {
	kind = FILENAME
	sub(/.*\//, "", kind)
	sub(/\.tsv$/, "", kind)
	if (!header) {
		header = $0
		columns = NF
	}
	if ($0 != header) {
		print FILENAME ": other columns than the first file" > "/dev/stderr"
		exit 1
	}
	next
}
$0 == "" { next }
NF != columns {
	print FILENAME ":" FNR ": " NF " cells, the header has " columns > "/dev/stderr"
	exit 1
}
{
	line = "{ " literal(kind)
	for (i = 1; i <= NF; i++)
		line = line ", " literal($i)
	print line " },"
}
