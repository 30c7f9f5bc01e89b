#!/bin/sh
# coverage.sh [FOLDER]
#
# Builds Boolector and Bitwuzla with the counters of edges that smtlark reads (AFL++) and with line tables, which
# "smtlark fuzz --change" needs: without defects into FOLDER/edges-sound/bin and with those of tools/planted into
# FOLDER/edges/bin, where SMTLARK_PLANTED=7 wakes the seventh. The sources and FOLDER (default: .planted beside this folder)
# are those of planted.sh, and so is what must be installed; in addition "apt-get install afl++ clang".
set -eu
tools=$(cd "$(dirname "$0")" && pwd)
[ $# -le 1 ] || { printf 'usage: coverage.sh [FOLDER]\n' >&2; exit 1; }
sh "$tools/planted.sh" --edges --sound "$@"
sh "$tools/planted.sh" --edges "$@"
