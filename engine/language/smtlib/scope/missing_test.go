package scope_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
)

// Missing declares the symbols that terms need in an order that solvers accept. It declares mutually recursive
// functions together, and omits symbols that are declared already.
func TestMissing(t *testing.T) {
	const text = `(declare-sort S 0)
(declare-datatypes ((T 0)) (((leaf (of S)) (node (left T)))))
(declare-fun g (S) Int)
(define-funs-rec ((even ((n Int)) Bool) (odd ((n Int)) Bool)) ((or (= n 0) (odd (- n 1))) (and (> n 0) (even (- n 1)))))
(define-fun h ((x S)) Int (+ 1 (g x)))
(declare-const t T)
(assert (! (even (h (of t))) :named a))
(assert a)
`
	script, err := smtlib.Parse("x", []byte(text), smt.NewArena())
	require.NoError(t, err)
	a, asserts := script.Arena, script.Asserts()
	nothing := scope.Told{Sort: func(smt.SortSymbol) bool { return false }, Symbol: func(smt.Symbol) bool { return false }}
	textOf := func(told scope.Told) string {
		return script.WithCommands(scope.Missing(a, asserts, told)).Text()
	}
	whole := textOf(nothing)
	again, err := smtlib.Parse("again", []byte(whole), smt.NewArena())
	require.NoError(t, err, whole)
	require.Len(t, again.Commands, 7, whole)
	require.Contains(t, whole, "(define-funs-rec ")
	require.Contains(t, whole, "(define-fun a ")

	named := nothing
	named.Named = true
	require.NotContains(t, textOf(named), "(define-fun a ", "its assertion gives the name")

	some := named
	some.Symbol = func(f smt.Symbol) bool { return a.SymbolName(f) != "h" }
	some.Sort = func(smt.SortSymbol) bool { return true }
	require.Equal(t, "(define-fun h ((x S)) Int (+ 1 (g x)))\n", textOf(some))
}
