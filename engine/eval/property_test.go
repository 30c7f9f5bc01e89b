package eval

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
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
		m := NewModel(a)
		m.SetUniverse(sorts[len(sorts)-1], 3)
		g := NewGenerator(a, m, rng.New(rapid.Uint64().Draw(t, "seed")))
		v, w := g.Value(sort), g.Value(sort)
		require.True(t, v.IsValue())
		require.Equal(t, sort, v.Sort())
		same := Equal(v, w)
		require.NotEqual(t, Unknown, same)
		require.Equal(t, same, Equal(w, v))
		require.Equal(t, True, Equal(v, v))
		if same == True {
			require.Equal(t, v.hash(), w.hash())
		}
		require.Equal(t, same == True, compare(v, w) == 0)
		require.Equal(t, compare(v, w) < 0, compare(w, v) > 0)

		text := v.Text(a)
		back, err := smtlib.ParseTerm(a, nil, text)
		if a.SortKind(sort) == smt.KindUser {
			return // the parser knows no sort U here
		}
		require.NoError(t, err, text)
		read, err := New(a, m).Eval(back)
		require.NoError(t, err, text)
		require.Equal(t, True, Equal(v, read), text)
		if term, err := ToTerm(a, v); err == nil {
			again, err := New(a, m).Eval(term)
			require.NoError(t, err, text)
			require.Equal(t, True, Equal(v, again), text)
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
	ev := New(a, nil)
	g := NewGenerator(a, nil, rng.New(5))
	for sort, want := range sizes {
		dom := ev.Domain(sort)
		n, ok := dom.Size()
		require.True(t, ok, a.SortString(sort))
		require.Equal(t, want, n, a.SortString(sort))
		seen := trie{}
		for i := range n {
			v := dom.At(i)
			_, dup := seen.get(v)
			require.False(t, dup, "%s twice", v.Text(a))
			seen = seen.set(v, v)
		}
		for range 200 {
			v := g.Value(sort)
			_, known := seen.get(v)
			require.True(t, known, "%s %s", a.SortString(sort), v.Text(a))
		}
	}
	for _, sort := range allSorts(a) {
		dom := ev.Domain(sort)
		var seen trie
		for i := range uint64(20) {
			v, ok := dom.Some(i)
			if !ok {
				break
			}
			_, dup := seen.get(v)
			require.False(t, dup, "%s: %s twice", a.SortString(sort), v.Text(a))
			seen = seen.set(v, v)
		}
		if dom.Infinite() {
			require.NotZero(t, seen.n, a.SortString(sort))
		}
	}
}

// TestTables compares arrays over a finite sort with plain maps, whatever order of stores and default made them.
func TestTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := smt.NewArena()
		dom := New(a, nil).Domain(a.BitVec(3))
		make := func(name string) (*table, [8]int64) {
			var plain [8]int64
			def := rapid.Int64Range(0, 2).Draw(t, name)
			for i := range plain {
				plain[i] = def
			}
			tab := newTable(dom, int64Value(def))
			for range rapid.IntRange(0, 20).Draw(t, "stores") {
				i, v := rapid.Uint64Range(0, 7).Draw(t, "i"), rapid.Int64Range(0, 2).Draw(t, "v")
				plain[i] = v
				tab = tab.put(dom.At(i), int64Value(v))
			}
			return tab, plain
		}
		x, px := make("x")
		y, py := make("y")
		for i := range uint64(8) {
			require.Equal(t, px[i], x.get(dom.At(i)).signed())
		}
		require.Equal(t, truth(px == py), equalTables(x, y))
		require.Equal(t, px == py, compareTables(x, y) == 0)
		if px == py {
			require.Equal(t, x.contentHash(), y.contentHash())
		}
	})
}

// TestTrie compares with Go's map under stores and removals, also of keys with one hash.
func TestTrie(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, plain := trie{}, map[int64]int64{}
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			k, v := rapid.Int64Range(0, 60).Draw(t, "k"), rapid.Int64Range(0, 9).Draw(t, "v")
			if rapid.Bool().Draw(t, "remove") {
				tr = tr.remove(int64Value(k))
				delete(plain, k)
			} else {
				tr = tr.set(int64Value(k), int64Value(v))
				plain[k] = v
			}
		}
		require.Equal(t, len(plain), tr.n)
		seen := 0
		tr.each(func(k, v Value) bool {
			seen++
			require.Equal(t, plain[k.signed()], v.signed())
			return true
		})
		require.Equal(t, len(plain), seen)
	})
	// Keys that collide.
	var leaf *trieLeaf
	for i := range int64(4) {
		leaf = leaf.without(int64Value(i)).push(&trieLeaf{hash: 1, key: int64Value(i), val: int64Value(i)})
	}
	n := &trieNode{bitmap: 2, kids: []trieKid{{leaf: leaf}}}
	n = n.remove(0, 1, int64Value(2))
	found := 0
	n.each(func(k, _ Value) bool { found++; return k.signed() != 2 })
	require.Equal(t, 3, found)
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
			m := NewModel(a)
			swap := map[smt.Term]smt.Term{}
			a.PostOrder([]smt.Term{ground}, func(x smt.Term) {
				if a.IsLiteral(x) && len(swap) < 20 && !(a.Op(x) == smt.OpTrue || a.Op(x) == smt.OpFalse) {
					c := a.Declare("c"+a.SortString(a.Sort(x))+smtlib.TermText(a, x), nil, a.Sort(x))
					v, err := New(a, nil).Eval(x)
					require.NoError(t, err)
					m.Set(c, v)
					swap[x] = a.Const(c)
				}
			})
			open, err := a.Subst(ground, swap)
			require.NoError(t, err)
			v, err1 := New(a, nil).Eval(ground)
			w, err2 := New(a, m).Eval(open)
			require.Equal(t, err1 == nil, err2 == nil, "%v %v", err1, err2)
			if err1 == nil {
				require.Equal(t, v.Text(a), w.Text(a))
			}
		}
	}
}
