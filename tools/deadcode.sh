#!/bin/sh
# Fails if a function cannot be reached from a command. What only tests need belongs into files of tests, or below internal/.
# The package typed is for programs of others: no command of ours needs it.
set -eu
cd "$(dirname "$0")/.."
found=$(${GO:-go} tool deadcode -filter '^github.com/smtlark/smtlark/(builtins|cmd|engine|solvers|starlark|stdlib|tools)' ./...)
found=$(printf '%s\n' "$found" | grep -v '^solvers/frontend/typed/' || :)
if [ -n "$found" ]; then
	printf '%s\n' "$found"
	exit 1
fi
