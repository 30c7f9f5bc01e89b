package catalogue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
)

// TestNames: all forms of a name, and that a name is read as it is spelled.
func TestNames(t *testing.T) {
	for text, want := range map[string]catalogue.Name{
		"z3":                               {Solver: "z3"},
		"z3-4.13.3:reset":                  {Solver: "z3-4.13.3", Mode: solvers.Reset},
		"z3=/my builds/z3:fresh":           {Solver: "z3", Path: "/my builds/z3", Mode: solvers.Fresh},
		"cvc5 --sets-exp":                  {Solver: "cvc5", Args: []string{"--sets-exp"}},
		"cvc5:reset --sets-exp -i":         {Solver: "cvc5", Mode: solvers.Reset, Args: []string{"--sets-exp", "-i"}},
		"z3 sat.random_seed=42 -T:5":       {Solver: "z3", Args: []string{"sat.random_seed=42", "-T:5"}},
		"z3=/my builds/z3 smt.arith=6":     {Solver: "z3", Path: "/my builds/z3", Args: []string{"smt.arith=6"}},
		"z3=/a=b/my z3:incremental -T:5 x": {Solver: "z3", Path: "/a=b/my z3", Mode: solvers.Incremental, Args: []string{"-T:5", "x"}},
		"/builds/a=b/z3":                   {Solver: "/builds/a=b/z3"},
		"./z3:reset -v:1":                  {Solver: "./z3", Mode: solvers.Reset, Args: []string{"-v:1"}},
	} {
		n, err := catalogue.ParseName(text)
		require.NoError(t, err)
		require.Equal(t, want, n)
		require.Equal(t, text, n.String())
	}
	for _, text := range []string{"", "=x", "z3=", " ", "z3:quick", "libz3:native -T:5", "z3=/x/libz3.so -T:5"} {
		_, err := catalogue.ParseName(text)
		require.Error(t, err, text)
	}
}
