package smt_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"

	"github.com/smtlark/smtlark/engine/language/smtlib"
)

func parse(t *testing.T, text string) *smtlib.Script {
	t.Helper()
	s, err := smtlib.Parse("case", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return s
}

const pairs = "(declare-datatypes ((Pair 0)) (((pair (left Int) (right Bool)))))"

var formulas = []string{
	"(declare-fun f (Int) Real)(declare-const x Int)(assert (> (f (+ x 1)) (/ 1.0 3.0)))",
	`(declare-const s String)(assert (= (str.++ s "a\u{1f600}") "b"))`,
	"(declare-sort U 1)(declare-const u (U Int))(assert (forall ((v (U Int)) (n Int)) (=> (= u v) (= n n))))",
	"(declare-const b (_ BitVec 8))(assert (bvult ((_ extract 3 0) b) #x5))",
	pairs + "(declare-const p Pair)(assert (and ((_ is pair) p) (= ((_ update left) p 1) (pair 1 (right p)))))",
	"(define-fun g ((i Int)) Int (* i i))(assert (= (g 2) 4))",
}

// A copy is the same term by its names, and its text is the same.
func TestCopies(t *testing.T) {
	for _, text := range formulas {
		from := parse(t, text)
		to := smt.NewArena()
		if strings.HasPrefix(text, pairs) { // datatypes are found there, and not made
			to = parse(t, pairs).Arena
		}
		term := from.Asserts()[0]
		got, err := smt.NewNameCopier(from.Arena, to).Term(term)
		require.NoError(t, err, text)
		require.True(t, smt.SameTerm(from.Arena, term, to, got), text)
		require.Equal(t, smtlib.TermText(from.Arena, term), smtlib.TermText(to, got))
		for _, other := range formulas {
			if other != text {
				o := parse(t, other)
				require.False(t, smt.SameTerm(o.Arena, o.Asserts()[0], to, got), "%s and %s", text, other)
			}
		}
	}
}

// A copier can rename symbols. It finds a symbol that To already declares under the new name.
func TestRenames(t *testing.T) {
	from := parse(t, "(declare-const x Int)(assert (= x 1))")
	to := parse(t, "(declare-const y Int)(assert (= y 1))")
	c := smt.NewNameCopier(from.Arena, to.Arena)
	c.Rename = func(string) string { return "y" }
	got, err := c.Term(from.Asserts()[0])
	require.NoError(t, err)
	require.Equal(t, to.Asserts()[0], got)
	require.False(t, smt.SameTerm(from.Arena, from.Asserts()[0], to.Arena, got))
}

// A datatype that is not there is an error that names it.
func TestMissingDatatypes(t *testing.T) {
	from := parse(t, pairs+"(declare-const p Pair)(assert (right p))")
	_, err := smt.NewNameCopier(from.Arena, smt.NewArena()).Term(from.Asserts()[0])
	require.ErrorContains(t, err, "Pair")
	other := parse(t, "(declare-datatypes ((Pair 0)) (((pair (left Int)))))")
	_, err = smt.NewNameCopier(from.Arena, other.Arena).Term(from.Asserts()[0])
	require.ErrorContains(t, err, "the datatype Pair with right is not declared there")
}
