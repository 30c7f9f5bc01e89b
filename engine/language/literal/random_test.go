package literal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/literal"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Literals have the sort they are drawn for, and the boundaries of bit vectors come often.
func TestRandom(t *testing.T) {
	a, r := smt.NewArena(), rng.New(1)
	bv, wide := a.BitVec(8), a.BitVec(100)
	boundaries := 0
	for range 400 {
		for _, s := range []smt.Sort{smt.SortBool, smt.SortInt, smt.SortReal, smt.SortString, smt.SortRoundingMode, bv, wide, a.Float(5, 11)} {
			x := literal.Random(a, r, s)
			require.NotZero(t, x)
			require.Equal(t, s, a.Sort(x))
		}
		switch literal.Random(a, r, bv) {
		case a.BVUint(8, 0), a.BVUint(8, 1), a.BVUint(8, 255), a.BVUint(8, 128), a.BVUint(8, 127):
			boundaries++
		}
	}
	require.Greater(t, boundaries, 400/3)
	require.Zero(t, literal.Random(a, r, a.Array(smt.SortInt, bv)), "a sort without literals")
	require.Zero(t, literal.Boundary(a, r, smt.SortInt))
}
