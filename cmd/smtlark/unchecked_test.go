package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
)

// unchecked are the profiles that were written from manuals, and those of OpenSMT and Golem, which CI has no programs
// of: what their programs are called, what they print for a version, and what they are to be given beside a file or
// before a dialogue.
var unchecked = []struct {
	name, binary, prints, version string
	fresh, session                string
	modes                         []solvers.Mode
}{
	{"mathsat", "mathsat", "MathSAT5 version 5.6.10 (93f8c8b4d5c3) (Sep 22 2023 12:00:00, gmp 6.2.0, gcc 7.5.0, 64-bit)", "5.6.10", "-input=smt2", "-input=smt2", []solvers.Mode{solvers.Fresh, solvers.Incremental}},
	{"opensmt", "opensmt", "v2.9.2-31-ge4c80308", "2.9.2-31-ge4c80308", "", "-p", []solvers.Mode{solvers.Fresh, solvers.Incremental}},
	{"stp", "stp", "STP version: 2.3.3\nSTP version SHA string: 1234", "2.3.3", "--SMTLIB2", "", []solvers.Mode{solvers.Fresh}},
	{"verit", "veriT", "This is veriT, version 2021.06.2-rmx.", "2021.06.2-rmx.", "--disable-banner --disable-print-success", "--disable-banner --disable-print-success --input=smtlib2", []solvers.Mode{solvers.Fresh, solvers.Incremental}},
	{"alt-ergo", "alt-ergo", "v2.6.2", "2.6.2", "", "", []solvers.Mode{solvers.Fresh}},
	{"colibri2", "colibri2", "0.6", "0.6", "", "", []solvers.Mode{solvers.Fresh}},
	{"golem", "golem", "Golem 0.9.1", "0.9.1", "", "", []solvers.Mode{solvers.Fresh}},
	{"eldarica", "eld", "Eldarica v2.1. (C) Copyright 2012-2024 Hossein Hojjat and Philipp Ruemmer", "2.1", "", "", []solvers.Mode{solvers.Fresh}},
	{"smtrat", "smtrat-static", "SMT-RAT version 24.06", "24.06", "", "", []solvers.Mode{solvers.Fresh}},
}

// TestUncheckedProfiles: the profiles that no solver of this machine was held against are spoken by a toy: they are
// found by the names of their programs, tell their versions, are given the arguments of their manuals, and answer in
// all of their modes.
func TestUncheckedProfiles(t *testing.T) {
	dir := fakeProject(t, "none.star", "")
	for _, u := range unchecked {
		// All arguments except the file must be those of the profile.
		script := `#!/bin/sh
case "$1" in --version|-version|-h) printf '%s\n' '` + u.prints + `'; exit;; esac
file= args=
for a; do case $a in -*) args="$args $a" ;; *) file=$a ;; esac; done
want=" ` + u.fresh + `"; [ -n "$file" ] || want=" ` + u.session + `"
[ "$args" = "$want" ] || [ "$args$want" = " " ] || { echo "(error \"got$args, want$want\")"; exit 1; }
` + toyAnswers + `<"${file:-/dev/stdin}"
`
		require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", u.binary), []byte(script), 0o755))
	}
	out, err := smtlarkIn(dir, "solvers", "--json").Output()
	require.NoError(t, err)
	var list []listed
	require.NoError(t, json.Unmarshal(out, &list))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "t.smt2"), []byte("(set-logic QF_UF)(set-info :status unsat)(declare-const a Bool)\n(assert (distinct a a))\n(check-sat)\n"), 0o600))
	for _, u := range unchecked {
		t.Run(u.name, func(t *testing.T) {
			var found *listed
			for i := range list {
				if list[i].Kind == u.name {
					require.Nil(t, found, "%v", list[i])
					found = &list[i]
				}
			}
			require.NotNil(t, found)
			require.Empty(t, found.Unusable)
			require.Equal(t, u.version, found.Version)
			require.Equal(t, u.modes, found.Modes, "%v", found.Broken)
			require.Equal(t, u.name != "opensmt" && u.name != "golem", found.Unchecked)
			for _, mode := range u.modes {
				out, _ := smtlarkIn(dir, "check", "t.smt2", "--solver", u.name+":"+string(mode)).CombinedOutput()
				require.Equal(t, found.Name+"/"+string(mode)+": unsat\n", string(out))
			}
		})
	}
}
