package eval_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

// allSorts returns sorts of every kind that has values, nested ones among them.
func allSorts(a *smt.Arena) []smt.Sort {
	bv3, fp := a.BitVec(3), a.Float(3, 4)
	s := []smt.Sort{smt.SortBool, smt.SortInt, smt.SortReal, smt.SortString, smt.SortRoundingMode, a.BitVec(1), bv3, a.BitVec(64), a.BitVec(65),
		a.BitVec(130), fp, a.Float(11, 53), a.Float(15, 113), a.Float(60, 3), a.FiniteField(big.NewInt(7)), a.Seq(smt.SortInt), a.Seq(a.Seq(smt.SortBool)),
		a.Set(bv3), a.Set(smt.SortInt), a.Bag(smt.SortString), a.Tuple(smt.SortInt, bv3), a.Array(smt.SortInt, smt.SortReal),
		a.Array(smt.SortBool, bv3), a.Array(bv3, a.Array(smt.SortBool, smt.SortBool)), a.Array(a.Array(smt.SortBool, bv3), smt.SortInt)}
	user, _ := a.SortApp(a.DeclareSort("U", 0))
	return append(s, user)
}

// TestValuesProperties checks that equality, hashes, order, texts and terms of values agree with each other.
func TestValuesProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := smt.NewArena()
		sorts := allSorts(a)
		sort := rapid.SampledFrom(sorts).Draw(t, "sort")
		m := model.New(a)
		m.SetUniverse(sorts[len(sorts)-1], 3)
		g := search.NewGenerator(a, m, rng.New(rapid.Uint64().Draw(t, "seed")))
		v, w := g.Value(sort), g.Value(sort)
		require.True(t, v.IsValue())
		require.Equal(t, sort, v.Sort())
		same := value.Equal(v, w)
		require.NotEqual(t, value.Unknown, same)
		require.Equal(t, same, value.Equal(w, v))
		require.Equal(t, value.True, value.Equal(v, v))
		if same == value.True {
			require.Equal(t, value.HashAll([]value.Value{v}), value.HashAll([]value.Value{w}))
		}
		require.Equal(t, same == value.True, value.Compare(v, w) == 0)
		require.Equal(t, value.Compare(v, w) < 0, value.Compare(w, v) > 0)

		text := v.Text(a)
		back, err := smtlib.ParseTerm(a, nil, text)
		if a.SortKind(sort) == smt.KindUser {
			return // the parser knows no sort U here
		}
		require.NoError(t, err, text)
		read, err := eval.New(a, m).Eval(back)
		require.NoError(t, err, text)
		require.Equal(t, value.True, value.Equal(v, read), text)
		if term, err := value.ToTerm(a, v); err == nil {
			again, err := eval.New(a, m).Eval(term)
			require.NoError(t, err, text)
			require.Equal(t, value.True, value.Equal(v, again), text)
		} else {
			require.Equal(t, smt.KindTuple, a.SortKind(sort))
		}
	})
}

// TestDomains lists all values of small sorts: they are different, and random values are among them.
func TestDomains(t *testing.T) {
	s := parseScript(t, `(declare-datatypes ((E 0) (P 1)) (((x) (y) (z)) (par (T) ((pair (l T) (r Bool)) (no)))))
		(declare-const a (P E))(declare-const b (P (P Bool)))(declare-const c (Set E))(declare-const d (Array E Bool))`)
	a := s.Arena
	sizes := map[smt.Sort]uint64{smt.SortBool: 2, smt.SortRoundingMode: 5, a.BitVec(4): 16, a.Float(2, 3): 2*(3*4+1) + 1, a.FiniteField(big.NewInt(5)): 5,
		a.Array(smt.SortBool, a.BitVec(2)): 16, a.Set(smt.SortRoundingMode): 32, a.Array(a.BitVec(1), a.Array(smt.SortBool, smt.SortBool)): 16,
		a.Tuple(smt.SortBool, a.BitVec(2)): 8}
	for i, n := range []uint64{7, 11, 8, 8} {
		sizes[a.SymbolInfo(s.Declarations()[i+1].Symbols[0]).Result] = n
	}
	ev := eval.New(a, nil)
	g := search.NewGenerator(a, nil, rng.New(5))
	for sort, want := range sizes {
		dom := ev.Domains().Of(sort)
		n, ok := dom.Size()
		require.True(t, ok, a.SortString(sort))
		require.Equal(t, want, n, a.SortString(sort))
		seen := value.Map{}
		for i := range n {
			v := dom.At(i)
			_, dup := seen.Get(v)
			require.False(t, dup, "%s twice", v.Text(a))
			seen = seen.Set(v, v)
		}
		for range 200 {
			v := g.Value(sort)
			_, known := seen.Get(v)
			require.True(t, known, "%s %s", a.SortString(sort), v.Text(a))
		}
	}
	for _, sort := range allSorts(a) {
		dom := ev.Domains().Of(sort)
		var seen value.Map
		for i := range uint64(20) {
			v, ok := dom.Some(i)
			if !ok {
				break
			}
			_, dup := seen.Get(v)
			require.False(t, dup, "%s: %s twice", a.SortString(sort), v.Text(a))
			seen = seen.Set(v, v)
		}
		if dom.Infinite() {
			require.NotZero(t, seen.Len(), a.SortString(sort))
		}
	}
}

// TestSubstitution checks that evaluating a term in a model is evaluating the ground term with the values put in.
func TestSubstitution(t *testing.T) {
	for _, th := range theories {
		if th.assert || th.prepare != nil {
			continue
		}
		r := rng.New(11).SplitString(th.name)
		for range 60 {
			a := smt.NewArena()
			g := newTermGen(a, r, th.operatorsOf("z3"), th.sorts(a))
			ground, err := smtlib.ParseTerm(a, nil, g.term(th.result(g), 4))
			require.NoError(t, err)
			// Literals become constants with that value.
			m := model.New(a)
			swap := map[smt.Term]smt.Term{}
			a.PostOrder([]smt.Term{ground}, func(x smt.Term) {
				if a.IsLiteral(x) && len(swap) < 20 && !(a.Op(x) == smt.OpTrue || a.Op(x) == smt.OpFalse) {
					c := a.Declare("c"+a.SortString(a.Sort(x))+smtlib.TermText(a, x), nil, a.Sort(x))
					v, err := eval.New(a, nil).Eval(x)
					require.NoError(t, err)
					m.Set(c, v)
					swap[x] = a.Const(c)
				}
			})
			open, err := a.Subst(ground, swap)
			require.NoError(t, err)
			v, err1 := eval.New(a, nil).Eval(ground)
			w, err2 := eval.New(a, m).Eval(open)
			require.Equal(t, err1 == nil, err2 == nil, "%v %v", err1, err2)
			if err1 == nil {
				require.Equal(t, v.Text(a), w.Text(a))
			}
		}
	}
}
