#!/bin/sh
# test.sh [FLAGS OF GO TEST]: runs the tests of all packages through gotestsum. A test that fails is run twice again, up to five of
# them: one that then passes does not fail the whole, and stands at the end under "flaky". It is a defect to be mended next.
set -eu
cd "$(dirname "$0")/.."
report=$(mktemp)
trap 'rm -f "$report"' EXIT
case " $* " in *" -short "*) export RAPID_SEED=1 ;; esac # the result of the gate depends on no chance
# Tests of processes wait more than they work: one package more than there are processors runs at a time.
at_once=$(($(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1) + 1))
passed=0
${GO:-go} tool gotestsum --format standard-quiet --hide-summary skipped --rerun-fails=2 --rerun-fails-max-failures=5 \
	--rerun-fails-report "$report" --packages ./... -- -timeout 45m -p "$at_once" "$@" || passed=$?
# A line is "PACKAGE.TEST: RUNS runs, FAILURES failures".
flaky=$(sed -n 's/^\(.*\): \([0-9]*\) runs, \([0-9]*\) failures\{0,1\}$/\2 \3 \1/p' "$report" | awk '$2 < $1 { print "  " $3 ": failed " $2 " of " $1 " times" }')
if [ -n "$flaky" ]; then printf 'flaky:\n%s\n' "$flaky"; fi
exit "$passed"
