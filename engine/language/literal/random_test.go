package literal_test

import (
	"math/big"
	"math/bits"
	"slices"
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
		n, _ := a.BVSmall(literal.Random(a, r, bv))
		// All boundaries of 8 bits are a power of two or beside one; of the numbers are 24 so.
		if bits.OnesCount64(n) <= 1 || bits.OnesCount64(n+1) <= 1 || bits.OnesCount64(n-1) <= 1 {
			boundaries++
		}
	}
	require.Greater(t, boundaries, 400/3)
	require.Zero(t, literal.Random(a, r, a.Array(smt.SortInt, bv)), "a sort without literals")
	require.Zero(t, literal.Boundary(a, r, smt.SortInt))
}

// Each class of each kind has a literal of the sort, and a number that is no class draws one.
func TestOfClass(t *testing.T) {
	a, r := smt.NewArena(), rng.New(1)
	field := a.FiniteField(big.NewInt(7))
	for _, s := range []smt.Sort{smt.SortBool, smt.SortInt, smt.SortReal, smt.SortString, smt.SortRoundingMode, a.BitVec(1), a.BitVec(70), a.Float(5, 11), field} {
		for class := range len(literal.Classes(a.SortKind(s))) + 1 {
			require.Equal(t, s, a.Sort(literal.OfClass(a, r, s, class)))
		}
		require.Equal(t, s, a.Sort(literal.OfClass(a, r, s, literal.AnyClass)))
	}
	require.Equal(t, a.BVUint(70, 71), literal.OfClass(a, r, a.BitVec(70), slices.Index(literal.Classes(smt.KindBitVec), "width + 1")))
	require.Zero(t, literal.OfClass(a, r, smt.SortRegLan, 0))
}
