package fakesolver

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMainAnswers(t *testing.T) {
	const input = `; a comment (
(set-info :status unsat) (declare-const x Int)
(assert (= |a ) b| "q ) (")) (check-sat) (get-model) (echo "m 1") (foo)
(reset) (push 1) (check-sat) (pop 2) (get-model) (exit) (check-sat)`
	for _, c := range []struct {
		args, stdout, stderr string
		code                 int
	}{
		{"", "unsat\n(error \"line 1 column 1: model is not available\")\nm 1\nunsupported\nsat\n(error \"line 1 column 1: pop without push\")\n(\n)\n", "", 0},
		{"--answer=unknown --quoted --silent-model", "unsat\n\"m 1\"\nunsupported\nunknown\n(error \"line 1 column 1: pop without push\")\n", "", 0},
		{"--errors=stderr", "unsat\n", "[error] <stdin>:1:1: model is not available\n", 1},
		{"--errors=stop", "unsat\n(error \"model is not available\")\n", "", 1},
		{"--silent-model --no-reset --errors=stderr", "unsat\nm 1\nunsupported\n", "[error] <stdin>:1:1: expected command at 'reset'\n", 1},
		{"--fault=wrong@1 --silent-model", "sat\n(\n  (define-fun x () Int 0)\n)\nm 1\nunsupported\nsat\n(error \"line 1 column 1: pop without push\")\n(\n)\n", "", 0},
		{"--reply=get-model:(m) --fault=wrong@1", "sat\n(m)\nm 1\nunsupported\nsat\n(error \"line 1 column 1: pop without push\")\n(m)\n", "", 0},
		{"--version", "fake solver version 1.2.3\n", "", 0},
		{"--nonsense", "", "fakesolver: unknown option --nonsense\n", 2},
		{"/nowhere.smt2", "", "fakesolver: open /nowhere.smt2: no such file or directory\n", 1},
	} {
		var out, errs bytes.Buffer
		code := Main(strings.Fields(c.args), strings.NewReader(input), &out, &errs)
		require.Equal(t, c.stdout, out.String(), c.args)
		require.Equal(t, c.stderr, errs.String(), c.args)
		require.Equal(t, c.code, code, c.args)
	}
}

// The tests of the process targets go through the faults one by one; here they only must be told apart.
func TestFaultsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range faultNames {
		require.False(t, seen[f.Name], f.Name)
		require.NotEmpty(t, f.Doc)
		seen[f.Name] = true
	}
}
