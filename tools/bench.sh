#!/bin/sh
# The figures of docs/performance.md: micro benchmarks of the core, then STORM against real solvers, one worker.
# SMTLARK_SEEDS names a folder of seeds by LOGIC/sat; without it the bundled seeds are used and figures by logic left out.
# FOR (default 60s) is the time of each campaign.
set -eu
cd "$(dirname "$0")/.."
time=${FOR:-60s}
go build -o bin/smtlark ./cmd/smtlark
echo "== machine: $(uname -m), $(nproc) processors, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2), $(go version)"
echo "== core"
go test -run '^$' -bench . -benchmem ./engine/smt ./engine/smtlib ./engine/eval ./engine/mutate ./builtins/mutate ./starlark ./solvers/process
[ -n "${SMTLARK_SEEDS:-}" ] || exit 0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
echo "== STORM with its tool's bounds, 10 sat seeds a logic, one worker, z3 in mode reset"
for logic in QF_LIA QF_LRA QF_SLIA QF_NRA QF_S; do
	mkdir -p "$out/$logic"
	find "$SMTLARK_SEEDS/$logic/sat" -name '*.smt2' -size +0 | sort | head -n 10 | while read -r f; do cp "$f" "$out/$logic/"; done
	for target in z3:reset; do
		printf '%s %s: ' "$logic" "$target"
		bin/smtlark fuzz storm_tool --seeds "$out/$logic" --solver "$target" --workers 1 --seed 1 --timeout 3s \
			--for "$time" --quiet --out "$out/run" 2>&1 | grep -E 'cases in|engine|reset ' | tr '\n' ';'
		echo
	done
done
