#!/bin/sh
# liar-1.0 (fresh) answers unsat, the answer is sat
#
# Needs nothing but the solver. Exit code 10: it reproduces; 0: it does not; 69: the solver is not there; 70: it could not be asked.
# TIMEOUT bounds each run, in seconds (default 60).
cd "$(dirname "$0")" || exit 70
tmp=$(mktemp -d) || exit 74
trap 'rm -rf "$tmp"' EXIT
limit=
if command -v timeout >/dev/null 2>&1; then limit="timeout -k 1 ${TIMEOUT:-60}"; fi
hits=0
said() { LC_ALL=C tr -d '\000' < "$out"; }
has() { said | LC_ALL=C grep -F -e "$1" >/dev/null; }
own() { said | LC_ALL=C sed -n '/smtlark: the case itself/,$p' | LC_ALL=C grep -v -F 'smtlark: the case itself'; }
answer() { own | LC_ALL=C grep -xE 'sat|unsat|unknown' | sed -n "$1p"; }
silent() { ! own | LC_ALL=C grep -vxE '(sat|unsat|unknown|success|Segmentation fault|Bus error|Illegal instruction|Floating point exception|Aborted)?( \(core dumped\))?' >/dev/null; }
show() { LC_ALL=C tr -c '\n\t -~' '?' < "$out"; }

# liar 1.0; another build: SOLVER=/path/to/liar sh repro.sh
solver=${SOLVER:-}
[ -n "$solver" ] || solver=/nowhere/liar
command -v "$solver" >/dev/null 2>&1 || { echo "the solver is not there: set SOLVER to its path" >&2; exit 69; }
out="$tmp/out1"
$limit "$solver" '--opt=a b' min.smt2 > "$out" 2>&1
status=$?
printf '%s\n' '--- liar 1.0, to see the bug again: the wrong answer unsat (sat is right)'
show
if [ "$(answer 1)" = unsat ]; then hits=$((hits + 1)); fi
if [ $hits -eq 1 ]; then echo REPRODUCED; exit 10; fi
echo 'not reproduced'
exit 0
