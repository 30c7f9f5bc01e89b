package search_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// TestRepair checks that the model that a repairer returns satisfies the conjuncts, that the given model stays
// unchanged, and that unsatisfiable conjuncts give no model.
func TestRepair(t *testing.T) {
	const names = `(declare-const x Int)(declare-const y Int)(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 8))(declare-const p Bool)
		(declare-fun f (Int) Int)(declare-const s String)`
	for _, c := range []struct {
		text  string
		finds bool
	}{
		{"(assert (> x y))(assert (> y 7))", true},
		{"(assert (bvult a b))(assert (bvult b #x09))(assert (or p (= a #x01)))", true},
		{"(assert (distinct (f x) (f y)))", false}, // functions without an interpretation get none
		{"(assert (= x 2))(assert (= y 3))(assert (= (+ x y) 5))", true},
		{"(assert (> x 3))(assert (< x 3))", false},
		{"(assert (bvult a a))", false},
		{"(assert (not (= s s)))", false},
		{"(assert p)(assert (not p))(assert (= x 1))", false},
	} {
		script, err := smtlib.Parse("repair", []byte(names+c.text+"(check-sat)"), smt.NewArena())
		require.NoError(t, err)
		from := model.New(script.Arena)
		before := from.Text()
		r := search.NewRepairer(script.Arena, 1)
		var found *model.Model
		for range 20 { // the steps are random
			if found == nil {
				found = r.Repair(from, script.Asserts(), 24)
			}
		}
		require.Equal(t, c.finds, found != nil, c.text)
		require.Equal(t, before, from.Text())
		if found != nil {
			ev := eval.New(script.Arena, found)
			ev.SetCompletion(true)
			require.Equal(t, value.True, ev.AllTrue(script.Asserts()), c.text)
		}
	}
}
