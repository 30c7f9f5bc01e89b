#!/bin/sh
# quick.sh [COMMIT]: what changed since a commit (default: what is not on the branch of origin, else the last commit) in a minute: format,
# vet, the map of packages, the tests of docs, the packages that changed and those that import them, and the scripts that changed or show a
# verb that did. Changes of comments and docs alone need no more; everything else needs `make test` before it is pushed.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
base=${1:-$(git merge-base HEAD '@{upstream}' 2>/dev/null || git rev-parse HEAD)}
changed=$({ git diff --name-only "$base"; git ls-files --others --exclude-standard; } | sort -u)
if [ -z "$changed" ]; then
	base=$(git rev-parse HEAD~1)
	changed=$(git diff --name-only "$base")
fi
echo "quick: $(printf '%s\n' "$changed" | wc -l) files changed since $(git rev-parse --short "$base")"

unformatted=$(gofmt -l $(git ls-files '*.go'))
if [ -n "$unformatted" ]; then printf 'not gofmt-ed:\n%s\n' "$unformatted"; exit 1; fi
$go vet ./...

# Packages that changed, and those that import them, themselves or in their tests.
module=$($go list -m)
direct=$(printf '%s\n' "$changed" | sed -n 's|/testdata/.*||p; s|/[^/]*\.go$||p' | sort -u | while read -r dir; do
	if ls "$dir"/*.go >/dev/null 2>&1; then echo "$module/$dir"; fi
done | paste -sd ' ' -)
packages=$($go list -f '{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}
{{end}}{{range .TestImports}}{{$p}} {{.}}
{{end}}{{range .XTestImports}}{{$p}} {{.}}
{{end}}' ./... | awk -v direct="$direct" '
	BEGIN { n = split(direct, d, " "); for (i = 1; i <= n; i++) { is[d[i]] = 1; out[d[i]] = 1 } }
	is[$2] { out[$1] = 1 }
	END { for (p in out) if (p != "" && p !~ /\/cmd\/smtlark$/) print p }' | sort)

# Scripts that changed, and those named like a verb that did: check.txtar shows cmd/smtlark/check.go.
scripts=$(printf '%s\n' "$changed" | sed -n 's|^cmd/smtlark/testdata/script/\(.*\)\.txtar$|\1|p; s|^cmd/smtlark/\(.*/\)\{0,1\}\([a-z]*\)\.go$|\2|p' | sort -u | while read -r name; do
	if [ -f "cmd/smtlark/testdata/script/$name.txtar" ]; then echo "$name"; fi
done | paste -sd '|' -)

export RAPID_SEED=1
# Heavy ones are for the gate: guards of whole campaigns.
heavy="$module/internal/unchanged"
printf '%s\n' "$packages" | grep -vx "$heavy" | { cat; echo "$module/internal/archtest"; } | sort -u |
	xargs $go tool gotestsum --format pkgname-and-test-fails --hide-summary skipped --packages "" -- -short -timeout 10m
docs='Help|Flags|EveryVerb|GeneratedFiles|ReferenceByTask|ShownCommandsExist|CodeOfPages|Links|Stubs|SchemasSayNo|ManPages|Completion'
$go test ./engine/results/store -run Documented
$go test -short ./cmd/smtlark -run "^Test($docs)${scripts:+|^TestScripts\$/^($scripts)\$}"
