package search_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// A search whose allowance is spent looks at nothing: it does not even see that its model is none.
func TestGuidedModelWithin(t *testing.T) {
	const text = `(declare-const a (_ BitVec 12))(assert (forall ((x (_ BitVec 12))) (distinct (bvadd x a) #x003)))(check-sat)`
	script, err := smtlib.Parse("no model", []byte(text), smt.NewArena())
	require.NoError(t, err)
	for allowance, want := range map[int64]value.Truth{-1: value.Unknown, 0: value.Unknown, 1: value.Unknown, 1 << 20: value.False} {
		_, result := search.GuidedModelWithin(eval.NewAllowance(allowance), script, rng.New(1), 1<<10)
		require.Equal(t, want, result, "allowance %d", allowance)
	}
}

// TestUnknownHeads: a search goes on beside functions that nobody declared, whose sort is not known.
func TestUnknownHeads(t *testing.T) {
	script, err := smtlib.Parse("", []byte("(declare-const x Int)(assert (= ((_ extract 1 0) (its-own x)) #b01))(assert (= (bvadd (its-own x) #b01) (bvnot (its-own x))))"), smt.NewArena())
	require.NoError(t, err)
	for seed := range uint64(20) {
		_, truth := search.GuidedModel(script, rng.New(seed), 100)
		require.Equal(t, value.Unknown, truth)
	}
}
