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
go test -run '^$' -bench . -benchmem ./engine/language/smt ./engine/language/smtlib ./engine/semantics/eval/... ./engine/generate/mutate ./builtins/mutate ./builtins/fusion \
	./engine/campaign ./starlark ./solvers/process
[ -n "${SMTLARK_SEEDS:-}" ] || exit 0
echo "== reduction"
go test -run '^$' -bench Reduce -benchtime 1x ./engine/reduce
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# ten_seeds LOGIC DIR: the first ten sat seeds by the hash of their name, of at least 600 bytes, that z3 decides in 0.4 s
ten_seeds() {
	find "$SMTLARK_SEEDS/$1/sat" -name '*.smt2' -size +600c | while read -r f; do
		printf '%s %s\n' "$(basename "$f" | tr -d '\n' | md5sum | cut -c1-32)" "$f"
	done | sort | while read -r _ f; do
		[ "$(find "$2" -name '*.smt2' | wc -l)" -lt 10 ] || break
		[ "$(timeout 0.4 z3 "$f" 2>/dev/null | head -n 1)" != sat ] || cp "$f" "$2/"
	done
}

echo "== STORM with its tool's bounds, 10 sat seeds a logic, one worker, z3 in mode reset"
for logic in QF_LIA QF_LRA QF_SLIA QF_NRA QF_S; do
	mkdir -p "$out/$logic"
	ten_seeds "$logic" "$out/$logic"
	printf '%s: ' "$logic"
	bin/smtlark fuzz storm_tool --seeds "$out/$logic" --solver z3:reset --workers 1 --seed 1 --timeout 3s \
		--for "$time" --quiet --out "$out/run-$logic" 2>&1 | grep -E 'cases in|engine|reset ' | tr '\n' ';'
	echo
done
