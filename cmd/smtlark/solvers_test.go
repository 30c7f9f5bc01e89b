package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
)

// unpackedWith returns the folder of make solvers. Where it, or one of the files in it that are needed, is missing, the
// test is skipped; the folder itself is required in CI.
func unpackedWith(t *testing.T, needed ...string) string {
	t.Helper()
	bin := solvers.Unpacked("bin")
	if len(bin) == 0 {
		require.NotEqual(t, "true", os.Getenv("CI"), "no solvers are unpacked: make solvers")
		t.Skip("no solvers are unpacked")
	}
	unpacked := filepath.Dir(bin[0])
	for _, name := range needed {
		if _, err := os.Stat(filepath.Join(unpacked, name)); err != nil {
			t.Skip(err)
		}
	}
	return unpacked
}

// toySolver writes a shell script that passes for z3: it says unsat where it saw distinct.
func toySolver(t *testing.T, path, version string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(`#!/bin/sh
if [ "$1" = --version ]; then echo "Z3 version `+version+` - 64 bit"; exit; fi
file=$1
[ "$file" = -in ] && file=/dev/stdin
`+toyAnswers+`<"$file"
`), 0o755))
}

// toyAnswers is the part of a shell script that reads SMT-LIB and answers unsat where a term is distinct.
const toyAnswers = `answer=sat
while read -r line; do
	case $line in
	*distinct*) answer=unsat ;;
	"(check-sat)") echo $answer ;;
	"(reset)"* | "(pop"*) answer=sat ;;
	"(echo "*) line=${line#*\"}; echo "${line%\")}" ;;
	esac
done `

func TestSolversVerb(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("PATH", "/nowhere")
	t.Setenv("SMTLARK_SOLVERS", dir)

	code, out, errs := runVerb("solvers")
	require.Equal(t, command.ExitSolver, code)
	require.Equal(t, confine.Describe()+"\n\n", out)
	require.Contains(t, errs, "no usable solver")
	require.Contains(t, errs, "smtlark solvers --fetch .solvers")

	toySolver(t, filepath.Join(dir, "z3"), "9.8.7")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cvc5"), []byte("#!/bin/sh\necho no such library >&2\nexit 127\n"), 0o755))
	code, out, errs = runVerb("solvers")
	require.Equal(t, command.ExitOK, code, errs)
	require.Regexp(t, `(?m)^z3-9\.8\.7 +9\.8\.7 +fresh reset incremental +`+dir+`/z3$`, out)
	require.Regexp(t, `theories: Core Ints`, out)
	require.Regexp(t, `(?m)^cvc5 +unusable +`+dir+`/cvc5\n.*why: cvc5 --version: exit status 127: no such library$`, out)

	code, out, _ = runVerb("solvers", "--json")
	require.Equal(t, command.ExitOK, code)
	var list []listed
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	require.Len(t, list, 2)
	require.Equal(t, "z3-9.8.7", list[1].Name)
	require.Len(t, list[1].Modes, 3)
	require.NotEmpty(t, list[0].Unusable)
	require.Empty(t, list[0].Modes)

	// A solver that works in some modes only, or answers wrongly.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bitwuzla"), []byte("#!/bin/sh\nif [ \"$1\" = --version ]; then echo 0.9; exit; fi\na=sat\nwhile read -r l; do case $l in *distinct*) a=unsat;; esac; done <\"$1\"\necho $a\n"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "boolector"), []byte("#!/bin/sh\nif [ \"$1\" = --version ]; then echo 3.9; exit; fi\necho sat\n"), 0o755))
	_, out, _ = runVerb("solvers")
	require.Regexp(t, `(?m)^bitwuzla-0\.9 +0\.9 +fresh +`, out)
	require.Regexp(t, `no mode incremental: start-failure: `, out)
	require.Regexp(t, `(?m)^boolector-3\.9 +3\.9 +unusable .*\n.*why: fails a tiny query: answers sat where unsat is right$`, out)

	code, _, _ = runVerb("solvers", "--dir", filepath.Join(dir, "none"), "x")
	require.Equal(t, command.ExitSolver, code)
}
