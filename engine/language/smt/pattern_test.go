package smt

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPatterns(t *testing.T) {
	for _, text := range []string{"Int", "BV(m)", "BV(m+n)", "FP(e,s+1)", "Array(A,B)", "Seq(Array(Int,BV(m)))", "A", "FF(p)", "FF(7)"} {
		p, err := ParsePattern(text)
		require.NoError(t, err)
		require.Equal(t, text, p.String())
	}
	for _, text := range []string{"", "Foo", "BV", "BV(m", "BV(m,n)", "Array(A)", "Int)", "BV(M)", "BV(-m)", "BV(k*m)", "FF(H)", "FF"} {
		_, err := ParsePattern(text)
		require.Error(t, err, text)
	}
	a := NewArena()
	p, err := ParsePattern("BV(m+n)")
	require.NoError(t, err)
	b := &Bindings{}
	require.False(t, p.Match(a, a.BitVec(8), b), "two open numbers")
	b.BindNumber('n', 3)
	require.True(t, p.Match(a, a.BitVec(8), b))
	m, ok := b.Number('m')
	require.True(t, ok)
	require.EqualValues(t, 5, m)
	require.False(t, p.Match(a, a.BitVec(9), b))

	p, err = ParsePattern("FF(p)")
	require.NoError(t, err)
	b = &Bindings{}
	require.True(t, p.Match(a, a.FiniteField(big.NewInt(7)), b))
	require.False(t, p.Match(a, a.FiniteField(big.NewInt(5)), b))
	require.Equal(t, a.FiniteField(big.NewInt(7)), p.Build(a, b))
	require.False(t, p.Match(a, a.FiniteField(new(big.Int).Lsh(big.NewInt(1), 80)), &Bindings{}), "larger than any number of a pattern")
}

// The table's own: products, and finite fields as a whole.
func TestTablePatterns(t *testing.T) {
	a := NewArena()
	p := tablePattern("BV(k*m)")
	b := &Bindings{}
	b.BindNumber('k', 3)
	b.BindNumber('m', 4)
	require.Equal(t, a.BitVec(12), p.Build(a, b))
	require.Zero(t, p.Build(a, &Bindings{}), "open")
	extract := tablePattern("BV(i-j+1)")
	require.False(t, extract.Match(a, a.BitVec(3), &Bindings{}), "two open numbers")
	require.PanicsWithValue(t, `operator table: there is no sort "Nat"`, func() { tablePattern("Nat") })
}
