package typed_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/typed"
)

// TestMistakes: each is an error of the term, which names the operator and its operands.
func TestMistakes(t *testing.T) {
	c, end := newContext()
	defer end()
	other, endOther := newContext()
	defer endOther()
	a, n := c.BitVec("a", 8), c.Int("n")
	for _, m := range []struct {
		x    typed.Expression
		want string
	}{
		{a.And(c.BitVec("b", 7)), "bvand: argument 2 has sort (_ BitVec 7), expected (_ BitVec 8): b"},
		{a.Concat(a).Add(a), "given (concat a a) of sort (_ BitVec 16), a of sort (_ BitVec 8)"},
		{typed.Equal(a, a.ExtendZero(1)), "given a of sort (_ BitVec 8), ((_ zero_extend 1) a) of sort (_ BitVec 9)"},
		{typed.IfThenElse(c.Truth(true), a, a.Extract(3, 0)), "ite: argument 3 has sort (_ BitVec 4)"},
		{a.ExtendSign(-1), "the index -1 is negative"},
		{c.BitVec("w", 0), "a bit vector has 1 to 16777216 bits, not 0"},
		{c.Bits(-3, big.NewInt(1)), "a bit vector has 1 to 16777216 bits, not -3"},
		{c.Int("a"), "a is declared already with other sorts: (declare-const a (_ BitVec 8))"},
		{n.Add(other.Int("n")), "operand 2, n: the term is of another context"},
		{n.Add(typed.Int{}), "operand 2 was not made by a context"},
		{typed.Int{}.Add(n), "operand 1 was not made by a context"},
		{typed.Apply("select", n, n), "given n of sort Int, n of sort Int"},
		{typed.Apply("selct", n), `"selct" is no operator`},
		{typed.Apply("re.none"), "re.none: an operator without operands"},
		{typed.TermOf(n).Bool(), "n has sort Int, which is no Bool"},
		{typed.Expr{}.Int(), "not made by a context"},
		{c.Literal("\U00030000"), "beyond those of SMT-LIB"},
		{a.Add(c.BitVec("b", 7)).Mul(a).Not(), "bvadd: argument 2"},
	} {
		require.Error(t, m.x.Err(), m.want)
		require.Contains(t, m.x.Err().Error(), m.want)
		require.Equal(t, m.x.Err().Error(), m.x.String())
	}
	require.ErrorContains(t, c.Assert(typed.Equal(a.Add(c.BitVec("b", 7)), a)), "bvadd: argument 2")
	_, err := c.Check(context.Background(), a.LessSigned(c.BitVec("b", 7)))
	require.ErrorContains(t, err, "bvslt: argument 2")
	_, err = n.Value(context.Background())
	require.ErrorContains(t, err, "no answer to ask about")
	r, err := c.Check(context.Background())
	require.NoError(t, err)
	require.Equal(t, smtlib.Sat, r.Answer, "nothing of all that was asserted")
}

// TestValues: each type gives its values back.
func TestValues(t *testing.T) {
	ctx := context.Background()
	c, end := newContext()
	defer end()
	n, r, p, s, a := c.Int("n"), c.Real("r"), c.Bool("p"), c.Text("s"), c.BitVec("a", 8)
	big70 := new(big.Int).Lsh(big.NewInt(1), 70)
	require.NoError(t, c.Assert(
		typed.Equal(n, c.BigInteger(big70).Neg()), typed.Equal(r.Mul(c.Rational(big.NewRat(3, 1))), c.Rational(big.NewRat(-1, 7))), p.Not(),
		typed.Equal(s, c.Literal("é\"\\{1}").Concat(c.Literal("x"))), typed.Equal(a, c.Bits(8, big.NewInt(-1))),
	))
	result, err := c.Check(ctx)
	require.NoError(t, err)
	require.Equal(t, smtlib.Sat, result.Answer)
	whole, err := n.Value(ctx)
	require.NoError(t, err)
	require.Zero(t, whole.Cmp(new(big.Int).Neg(big70)))
	ratio, err := r.Value(ctx)
	require.NoError(t, err)
	require.Equal(t, "-1/21", ratio.String())
	truth, err := p.Or(p.Not()).Xor(p).Value(ctx)
	require.NoError(t, err)
	require.True(t, truth)
	text, err := s.Value(ctx)
	require.NoError(t, err)
	require.Equal(t, "é\"\\{1}x", text)
	bits, err := a.ShiftRight(c.Bits(8, big.NewInt(4))).Value(ctx)
	require.NoError(t, err)
	require.Equal(t, int64(15), bits.Int64())
	require.Equal(t, 8, a.Width())
}

// TestLevels: assertions end with their level, names do not, and a reset makes a name free again.
func TestLevels(t *testing.T) {
	ctx := context.Background()
	c, end := newContext()
	defer end()
	require.NoError(t, c.Push())
	x := c.Int("x")
	f := c.Function("f", nil, mustSort(t, c, "Bool"))
	require.NoError(t, c.Assert(x.Less(x), f.Of().Bool()))
	r, err := c.Check(ctx)
	require.NoError(t, err)
	require.Equal(t, smtlib.Unsat, r.Answer)
	require.NoError(t, c.Pop(1))
	require.NoError(t, c.Assert(x.Less(c.Integer(3))))
	r, err = c.Check(ctx)
	require.NoError(t, err)
	require.Equal(t, smtlib.Sat, r.Answer)
	require.Error(t, c.Pop(1))
	require.NoError(t, c.Reset())
	y := c.Real("x")
	require.NoError(t, c.Assert(y.Less(y)))
	r, err = c.Check(ctx)
	require.NoError(t, err)
	require.Equal(t, smtlib.Unsat, r.Answer)
}

func mustSort(t *testing.T, c *typed.Context, text string) smt.Sort {
	t.Helper()
	s, err := c.Sort(text)
	require.NoError(t, err)
	return s
}

// TestCancelled: a question ends with its context, and the next one is answered.
func TestCancelled(t *testing.T) {
	c, end := newContext()
	defer end()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := c.Check(ctx)
	require.ErrorIs(t, err, context.Canceled)
	r, err := c.Check(context.Background())
	require.NoError(t, err)
	require.Equal(t, smtlib.Sat, r.Answer)
	pool := typed.NewPool(1, z3, frontend.Options{})
	require.NoError(t, pool.Do(context.Background(), func(*typed.Context) error {
		require.ErrorIs(t, pool.Do(ctx, func(*typed.Context) error { return nil }), context.Canceled, "the only context is lent")
		return nil
	}))
	require.NoError(t, pool.Close())
}

// TestOptimiseAgain: the search leaves nothing behind, though names of a context live as long as it does.
func TestOptimiseAgain(t *testing.T) {
	c, end := newContext()
	defer end()
	ctx := context.Background()
	x := c.BitVec("x", 4)
	require.NoError(t, c.Prefer(typed.Equal(x, c.Bits(4, big.NewInt(3))), big.NewRat(1, 1), "g"))
	require.NoError(t, c.Prefer(typed.Equal(x, c.Bits(4, big.NewInt(5))), big.NewRat(-7, 4), "g"))
	for range 3 {
		out, err := c.Optimise(ctx)
		require.NoError(t, err)
		require.Equal(t, smtlib.Sat, out.Result.Answer, out.Result.Reason)
		require.Equal(t, "(- (/ 7.0 4.0))", out.Values[0].High.String())
		text, err := c.Solver().ModelText(ctx)
		require.NoError(t, err)
		require.NotContains(t, text, "smtlark")
		require.NoError(t, c.Push())
		y := c.BitVec("y", 4) // lives on
		require.NoError(t, c.Assert(typed.Equal(x, y)))
		require.NoError(t, c.Pop(1))
	}
	require.ErrorContains(t, c.Prefer(c.Truth(true), big.NewRat(1, 3), ""), "1/3 is no decimal number")
	require.NoError(t, c.Maximize(x))
	require.ErrorContains(t, c.Minimize(c.Text("s")), "an objective is an Int")
	out, err := c.Optimise(ctx)
	require.NoError(t, err)
	require.Equal(t, "3", out.Values[1].High.String())
}
