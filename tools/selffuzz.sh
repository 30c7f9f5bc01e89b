#!/bin/sh
# Runs every fuzz target of smtlark's own parsers, each for the given time (default 60s). A crasher stays in the
# package's testdata/fuzz as a regression test.
set -eu
cd "$(dirname "$0")/.."
time=${1:-60s}
grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' . | while read -r file; do
	dir=$(dirname "$file")
	grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | sed 's/^func //' | while read -r target; do
		echo "== $dir $target"
		go test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time" </dev/null
	done
done
