package probe

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// Operands that share a part have their intended values, and the shared part is one term.
func TestSharedPartsKeepValues(t *testing.T) {
	cfg := gen.Config{MaxWidth: 64, Rules: gen.Exclusions{Kinds: []string{"cvc5"}}}
	table, err := NewTable(&cfg)
	require.NoError(t, err)
	seen := map[smt.Op]int{}
	for seed := range uint64(400) {
		a := smt.NewArena()
		m := &maker{cfg: &ProbeConfig{Gen: cfg}, table: table}
		m.g, err = gen.New(a, rng.New(seed), cfg, m)
		require.NoError(t, err)
		sorts := []smt.Sort{a.BitVec(1), a.BitVec(4), a.BitVec(33), smt.SortBool, smt.SortInt, smt.SortReal, smt.SortString, a.Float(3, 5)}
		s := sorts[int(seed)%len(sorts)]
		one, other := m.boundary(s, anyClass), m.boundary(s, anyClass)
		x, y, ok := m.sharing(one, other)
		require.True(t, ok)
		for _, pair := range [][2]smt.Term{{one, x}, {other, y}} {
			want, err := m.g.Ev.Eval(pair[0])
			require.NoError(t, err)
			got, err := m.g.Ev.Eval(pair[1])
			require.NoError(t, err)
			require.Equal(t, value.True, value.Equal(want, got), "%s", a.Op(x).Info().Name)
		}
		require.Equal(t, a.Op(x), a.Op(y))
		common := 0
		for _, p := range a.Args(x) {
			for _, q := range a.Args(y) {
				if p == q {
					common++
				}
			}
		}
		require.Positive(t, common)
		seen[a.Op(x)]++
	}
	for _, op := range []smt.Op{smt.OpConcat, smt.OpBVAdd, smt.OpBVXor, smt.OpBVMul, smt.OpXor, smt.OpAdd, smt.OpSub, smt.OpStrConcat, smt.OpIte} {
		require.Positive(t, seen[op], op.Info().Name)
	}
}
