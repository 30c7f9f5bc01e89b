// Package tools embeds scripts that the installed program runs, too.
package tools

import _ "embed"

// FetchSolvers is the shell script that unpacks solvers into a folder, without root: fetch-solvers.sh [--force] PREFIX.
//
//go:embed fetch-solvers.sh
var FetchSolvers string
