package eval_test

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

// TestMutualDatatypes values quantifiers over datatypes that nest each other, also below arrays: their values were
// once looked for without end.
func TestMutualDatatypes(t *testing.T) {
	a := smt.NewArena()
	script, err := smtlib.Parse("mutual.smt2", []byte(`
(declare-datatypes ((Tree 0) (Forest 0)) (((node (children Forest))) ((empty) (grow (first Tree) (rest Forest)))))
(declare-datatypes ((Env 0)) (((none) (env (table (Array Int Env))))))
(declare-const f Forest)
(assert (exists ((x Tree) (y Forest)) (distinct (grow x y) f)))
(assert (forall ((e Env)) (or ((_ is none) e) ((_ is env) e))))
(assert (exists ((e Env) (d Env)) (distinct d e)))
(check-sat)`), a)
	require.NoError(t, err)
	for seed := range uint64(20) {
		m := search.RandomModel(script, rng.New(seed))
		require.NotEqual(t, value.False, eval.CheckModel(script, m).Result)
	}
}
