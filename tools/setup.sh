#!/bin/sh
# Installs what the quick start and the tests need and this machine lacks: Debian's z3 and cvc5, and the Go modules; with
# CI=true or BROWSER=1 also Chromium, in which the tests open the pages of reports (without it they are skipped). With CI=true
# the solvers of tools/solvers.pins and the Python package pysmt, too, which tests use where they are there: without a network it goes on
# without them. Where apt cannot install, solvers are unpacked into .solvers/.
# Safe to run again: it does nothing where nothing is missing.
set -eu
cd "$(dirname "$0")/.."

if ! command -v go >/dev/null 2>&1; then
	echo "setup: the Go toolchain is missing; install Go 1.26 or newer (https://go.dev/dl) and put it on PATH" >&2
	exit 69
fi

# has KIND: whether a solver of a kind is here. Without CI=true any will do that smtlark finds, whatever its name.
has() {
	command -v "$1" >/dev/null 2>&1 && return 0
	[ "${CI:-}" != true ] && [ -x bin/smtlark ] && bin/smtlark solvers --json 2>/dev/null | grep -q "\"kind\": \"$1\""
}

# unpack REASON: solvers into .solvers/, where packages cannot be installed.
unpack() {
	echo "setup: $1; unpacking solvers into .solvers/ instead" >&2
	sh tools/fetch-solvers.sh .solvers && return 0
	if has z3 || has cvc5; then
		echo "setup: none could be fetched; going on with those that are here" >&2
		return 0
	fi
	echo "setup: none could be fetched. Put z3 or cvc5 on the PATH, or name a folder that has some in SMTLARK_SOLVERS, and run this again" >&2
	exit 69
}

# install PACKAGE...: as root, with the lists of packages that are here, else with new ones. Another apt may hold the
# lock: a fresh Ubuntu upgrades itself.
install() {
	export DEBIAN_FRONTEND=noninteractive LC_ALL=C
	apt="$sudo apt-get -qq -o DPkg::Lock::Timeout=60"
	said=$($apt install -y "$@" 2>&1) && return 0
	case $said in *"Could not get lock"* | *"Unable to acquire"*)
		echo "another apt has held the lock for a minute"
		return 1
		;;
	esac
	said=$($apt update 2>&1 && $apt install -y "$@" 2>&1) && return 0
	echo "apt cannot install$missing ($(echo "$said" | tail -n 1))"
	return 1
}

missing=
for solver in z3 cvc5; do
	has "$solver" || missing="$missing $solver"
done
if [ "${CI:-}" = true ] || [ "${BROWSER:-}" = 1 ]; then
	command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || missing="$missing chromium"
fi
if [ -n "$missing" ]; then
	sudo=
	[ "$(id -u)" -eq 0 ] || sudo="sudo -n"
	if ! command -v apt-get >/dev/null 2>&1; then
		unpack "not found:$missing, and there is no apt here"
	elif [ -n "$sudo" ] && ! $sudo true 2>/dev/null; then
		unpack "installing$missing needs root"
	else
		echo "setup: installing$missing"
		# shellcheck disable=SC2086 # a list of words
		if why=$(install $missing); then :; elif [ "${CI:-}" = true ]; then
			echo "setup: $why" >&2
			exit 69
		else
			unpack "$why"
		fi
	fi
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
