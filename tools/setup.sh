#!/bin/sh
# Installs what the quick start and the tests need and this machine lacks: Debian's z3 and cvc5, and the Go modules; with
# CI=true or BROWSER=1 also Chromium, in which the tests open the pages of reports (without it they are skipped). With CI=true
# the solvers of tools/solvers.pins and the Python package pysmt, too, which tests use where they are there: without a network it goes on
# without them.
# Safe to run again: it does nothing where nothing is missing.
set -eu
cd "$(dirname "$0")/.."

if ! command -v go >/dev/null 2>&1; then
	echo "setup: the Go toolchain is missing; install Go 1.26 or newer (https://go.dev/dl) and put it on PATH" >&2
	exit 69
fi

missing=
for solver in z3 cvc5; do
	command -v "$solver" >/dev/null 2>&1 || missing="$missing $solver"
done
if [ "${CI:-}" = true ] || [ "${BROWSER:-}" = 1 ]; then
	command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || missing="$missing chromium"
fi
if [ -n "$missing" ]; then
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "setup: not found:$missing; install them with your system's packages, or run: make solvers" >&2
		exit 69
	fi
	sudo=
	if [ "$(id -u)" -ne 0 ]; then
		sudo="sudo -n"
		if ! $sudo true 2>/dev/null; then
			echo "setup: installing$missing needs root; unpacking solvers into .solvers/ instead"
			sh tools/fetch-solvers.sh .solvers
			go mod download
			exit 0
		fi
	fi
	echo "setup: installing$missing"
	export DEBIAN_FRONTEND=noninteractive
	$sudo apt-get -qq install -y $missing >/dev/null 2>&1 || {
		$sudo apt-get -qq update
		$sudo apt-get -qq install -y $missing
	}
fi

go mod download

if [ "${CI:-}" = true ] && [ ! -d .solvers/bin ]; then
	echo "setup: unpacking more solvers into .solvers/"
	limit=
	if command -v timeout >/dev/null 2>&1; then limit="timeout 300"; fi
	PINS=tools/solvers.pins $limit sh tools/fetch-solvers.sh .solvers || echo "setup: not all solvers could be fetched; tests go on with those that are there" >&2
fi

if [ "${CI:-}" = true ] && [ ! -d .solvers/python/pysmt ]; then
	python3 -m pip --disable-pip-version-check -q install --root-user-action ignore --no-deps --only-binary :all: --target .solvers/python pysmt ||
		echo "setup: pip could not fetch pysmt; the test with it is left out" >&2
fi
