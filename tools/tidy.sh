#!/bin/sh
# Fails if go.mod or go.sum are not tidy. Where modules of other people's tests cannot be fetched, which only this question
# needs, it says so and passes.
set -eu
cd "$(dirname "$0")/.."
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
if diff=$(${GO:-go} mod tidy -diff 2>"$errors"); then
	exit 0
fi
if [ -n "$diff" ]; then
	printf '%s\n' "$diff"
	exit 1
fi
cat "$errors"
echo "tidy: not asked, since modules could not be fetched"
