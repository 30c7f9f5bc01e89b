package smt

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

func TestHashConsing(t *testing.T) {
	a := NewArena()
	x := a.Const(a.Declare("x", nil, SortInt))
	s := a.MustApp(OpAdd, x, a.Int64(1))
	require.Equal(t, s, a.MustApp(OpAdd, x, a.Int64(1)))
	require.NotEqual(t, s, a.MustApp(OpAdd, a.Int64(1), x))
	require.Equal(t, SortInt, a.Sort(s))
	require.Equal(t, "(+ x 1)", a.Brief(s))
}

func TestOperatorTypes(t *testing.T) {
	a := NewArena()
	bv := func(w int, v uint64) Term { return a.BVUint(w, v) }
	idx := func(ns ...uint64) []Index {
		var out []Index
		for _, n := range ns {
			out = append(out, a.NumIndex(n))
		}
		return out
	}
	arr := a.Const(a.Declare("arr", nil, a.Array(SortInt, SortBool)))
	f16 := a.Const(a.Declare("f", nil, a.Float(5, 11)))
	rne := a.MustApp(OpRNE)
	ok := []struct {
		name string
		idx  []Index
		args []Term
		sort Sort
	}{
		{"extract", idx(5, 2), []Term{bv(8, 1)}, a.BitVec(4)},
		{"concat", nil, []Term{bv(8, 1), bv(4, 1), bv(1, 0)}, a.BitVec(13)},
		{"repeat", idx(3), []Term{bv(8, 1)}, a.BitVec(24)},
		{"zero_extend", idx(0), []Term{bv(8, 1)}, a.BitVec(8)},
		{"bvadd", nil, []Term{bv(8, 1), bv(8, 1), bv(8, 3)}, a.BitVec(8)},
		{"bv2nat", nil, []Term{bv(8, 1)}, SortInt},
		{"int2bv", idx(7), []Term{a.Int64(3)}, a.BitVec(7)},
		{"fp", nil, []Term{bv(1, 0), bv(5, 3), bv(10, 3)}, a.Float(5, 11)},
		{"fp.add", nil, []Term{rne, f16, f16}, a.Float(5, 11)},
		{"to_fp", idx(8, 24), []Term{rne, f16}, a.Float(8, 24)},
		{"to_fp", idx(5, 11), []Term{bv(16, 3)}, a.Float(5, 11)},
		{"to_fp", idx(5, 11), []Term{rne, a.RealVal(big.NewRat(1, 2))}, a.Float(5, 11)},
		{"fp.to_ubv", idx(9), []Term{rne, f16}, a.BitVec(9)},
		{"select", nil, []Term{arr, a.Int64(1)}, SortBool},
		{"store", nil, []Term{arr, a.Int64(1), a.True()}, a.Array(SortInt, SortBool)},
		{"=", nil, []Term{arr, arr, arr}, SortBool},
		{"=>", nil, []Term{a.True(), a.False(), a.True()}, SortBool},
		{"ite", nil, []Term{a.True(), f16, f16}, a.Float(5, 11)},
		{"-", nil, []Term{a.Int64(1)}, SortInt},
		{"+", nil, []Term{a.Int64(1), a.RealVal(big.NewRat(1, 2)), a.Int64(2)}, SortReal},
		{"/", nil, []Term{a.Int64(1), a.Int64(2)}, SortReal},
		{"re.loop", idx(1, 3), []Term{a.MustApp(OpReAll)}, SortRegLan},
		{"re.loop", nil, []Term{a.MustApp(OpReAll), a.Int64(1), a.Int64(2)}, SortRegLan},
		{"set.insert", nil, []Term{a.Int64(1), a.Int64(2), a.Const(a.Declare("s", nil, a.Set(SortInt)))}, a.Set(SortInt)},
		{"and", nil, []Term{a.True()}, SortBool},
		{"divisible", []Index{a.BigIndex(new(big.Int).Lsh(big.NewInt(1), 90))}, []Term{a.Int64(4)}, SortBool},
	}
	for _, c := range ok {
		got, err := a.AppNamed(c.name, c.idx, c.args)
		require.NoError(t, err, c.name)
		require.Equal(t, a.SortString(c.sort), a.SortString(a.Sort(got)), c.name)
	}
	bad := []struct {
		name string
		idx  []Index
		args []Term
		err  string
	}{
		{"bvadd", nil, []Term{bv(8, 1), bv(9, 1)}, "bvadd: argument 2 has sort (_ BitVec 9), expected (_ BitVec 8): #b000000001"},
		{"bvadd", nil, []Term{bv(8, 1), bv(8, 1), a.Int64(1)}, "bvadd: argument 3 has sort Int, expected (_ BitVec 8): 1"},
		{"extract", idx(8, 0), []Term{bv(8, 1)}, "extract: index out of range: [i j] BV(m) -> BV(i-j+1) where j<=i i<m, given i=8 j=0 m=8"},
		{"extract", idx(1), []Term{bv(8, 1)}, "extract: takes 2 indices, given 1"},
		{"concat", nil, []Term{bv(8, 1), bv(4, 1), a.True()}, "concat: argument 3 has sort Bool, expected a bit vector: true"},
		{"not", nil, []Term{a.Int64(1)}, "not: argument 1 has sort Int, expected Bool: 1"},
		{"select", nil, []Term{arr, a.True()}, "select: argument 2 has sort Bool, expected Int: true"},
		{"+", nil, []Term{a.True(), a.True()}, "+: argument 1 has sort Bool, expected Int: true"},
		{"div", nil, []Term{a.Int64(1)}, "div: takes 2 or more arguments, given 1"},
		{"repeat", idx(1 << 30), []Term{bv(8, 1)}, "repeat: the result (_ BitVec 8589934592) is not a sort: [k] BV(m) -> BV(k*m) where 1<=k, given k=1073741824 m=8"},
		{"seq.empty", nil, nil, "seq.empty: needs its sort as in (as seq.empty SORT), given none"},
		{"nonsense", nil, nil, "nonsense: not an operator of the table, given AppNamed"},
	}
	for _, c := range bad {
		_, err := a.AppNamed(c.name, c.idx, c.args)
		require.EqualError(t, err, c.err)
	}
}

func TestReleaseRestores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := NewArena()
		build := func(seed int, n int) []Term {
			var ts []Term
			x := a.Const(a.Declare("x", nil, a.BitVec(8+seed%3)))
			ts = append(ts, x)
			for i := range n {
				s, u := ts[(i*7+seed)%len(ts)], ts[(i*3)%len(ts)]
				ts = append(ts, a.MustApp([]Op{OpBVAdd, OpBVMul, OpBVXor}[(i+seed)%3], s, u))
			}
			a.Str([]rune{rune(seed)})
			return ts
		}
		first := build(1, rapid.IntRange(0, 300).Draw(t, "n"))
		m := a.Mark()
		at := *a
		second := build(2, rapid.IntRange(0, 3000).Draw(t, "m"))
		a.Release(m)
		require.Equal(t, len(at.nodes), a.Len())
		require.Equal(t, first, build(1, len(first)-1), "what was before the mark is found again")
		a.Release(m)
		again := build(2, len(second)-1)
		require.Equal(t, second, again, "the same building gives the same ids after a release")
	})
}

func TestDatatypes(t *testing.T) {
	a := NewArena()
	syms, done := a.BeginDatatypes("list", []string{"List"}, [][]string{{"X"}})
	require.False(t, done)
	x := a.SortParam("X")
	list, _ := a.SortApp(syms[0], x)
	require.NoError(t, a.DefineDatatype(syms[0], []ConstructorDecl{{Name: "nil"}, {Name: "cons", Selectors: []SelectorDecl{{"head", x}, {"tail", list}}}}))
	dt := a.Datatype(syms[0])
	nilC, cons := dt.Constructors[0].Symbol, dt.Constructors[1].Symbol
	_, err := a.Apply(nilC)
	require.EqualError(t, err, "nil: needs its sort as in (as nil SORT), given none")
	ints, _ := a.SortApp(syms[0], SortInt)
	empty, err := a.ApplyAs(nilC, ints)
	require.NoError(t, err)
	one, err := a.Apply(cons, a.Int64(1), empty)
	require.NoError(t, err)
	require.Equal(t, "(List Int)", a.SortString(a.Sort(one)))
	_, err = a.Apply(cons, a.True(), empty)
	require.EqualError(t, err, "cons: argument 2 has sort (List Int), expected (List Bool): nil")
	head, err := a.Apply(dt.Constructors[1].Selectors[0], one)
	require.NoError(t, err)
	require.Equal(t, SortInt, a.Sort(head))
	is, err := a.Is(cons, one)
	require.NoError(t, err)
	require.Equal(t, "((_ is cons) (cons 1 nil))", a.Brief(is))
	h, tl := a.Var("h", SortInt), a.Var("tl", ints)
	c1, err := a.Case(cons, []Term{h, tl}, h)
	require.NoError(t, err)
	_, err = a.Match(one, []Term{c1})
	require.ErrorContains(t, err, "match: a pattern for every constructor of List, given none for nil")
	c2, err := a.Case(nilC, nil, a.Int64(0))
	require.NoError(t, err)
	match, err := a.Match(one, []Term{c1, c2})
	require.NoError(t, err)
	require.Empty(t, a.FreeVars(match))
	again, done := a.BeginDatatypes("list", []string{"List"}, [][]string{{"X"}})
	require.True(t, done)
	require.Equal(t, syms, again)
}

func TestSubstAvoidsCapture(t *testing.T) {
	a := NewArena()
	x, y := a.Var("x", SortInt), a.Var("y", SortInt)
	c := a.Const(a.Declare("c", nil, SortInt))
	body := a.MustApp(OpLt, x, c)
	q, err := a.Quant(OpForall, []Term{x}, body)
	require.NoError(t, err)
	r, err := a.Subst(q, map[Term]Term{c: x})
	require.NoError(t, err)
	require.Equal(t, "(forall x!1 (< x!1 x))", a.Brief(r))
	require.Equal(t, []Term{x}, a.FreeVars(r))
	r, err = a.Subst(q, map[Term]Term{x: y})
	require.NoError(t, err)
	require.Equal(t, q, r, "a bound variable is not free in its quantifier")
	r, err = a.Subst(a.And(body, q), map[Term]Term{x: y})
	require.NoError(t, err)
	require.Equal(t, "(and (< y c) (forall x (< x c)))", a.Brief(r))
}

func TestDeepTerms(t *testing.T) {
	a := NewArena()
	x := a.Const(a.Declare("x", nil, SortBool))
	s := x
	for range 200000 {
		s = a.Not(s)
	}
	require.Equal(t, 200000, a.Depth(s))
	require.Equal(t, 200001, a.Size(s))
	r, err := a.Subst(s, map[Term]Term{x: a.True()})
	require.NoError(t, err)
	require.Equal(t, 200000, a.Depth(r))
}

func TestSharedTermsAreNotTrees(t *testing.T) {
	a := NewArena()
	s := a.Const(a.Declare("x", nil, SortInt))
	for range 200 {
		s = a.MustApp(OpAdd, s, s)
	}
	require.Equal(t, 201, a.Size(s))
	require.Equal(t, 1000, a.TreeSize(s, 1000))
	r, err := a.Map(s, func(t Term) (Term, error) { return t, nil })
	require.NoError(t, err)
	require.Equal(t, s, r)
}

func TestAnnotations(t *testing.T) {
	a := NewArena()
	x := a.Const(a.Declare("x", nil, SortBool))
	in := []Attr{{Keyword: ":named", Value: "|a b|"}, {Keyword: ":pattern", Terms: []Term{x, a.Not(x)}}, {Keyword: ":weight", Value: "3"}}
	got := a.Annotations(a.Annotate(x, in))
	require.Len(t, got, 3)
	require.Equal(t, in[1].Terms, got[1].Terms)
	require.Equal(t, ":weight 3", got[2].Keyword+" "+got[2].Value)
}

func TestFiniteDecimal(t *testing.T) {
	for d := int64(1); d < 20000; d++ {
		r := d
		for r%2 == 0 {
			r /= 2
		}
		for r%5 == 0 {
			r /= 5
		}
		require.Equal(t, r == 1, finiteDecimal(big.NewInt(d)), d)
	}
	huge := new(big.Int).Exp(big.NewInt(10), big.NewInt(3000), nil)
	require.True(t, finiteDecimal(huge))
	require.False(t, finiteDecimal(new(big.Int).Add(huge, big.NewInt(5))))
}

func TestLiterals(t *testing.T) {
	a := NewArena()
	require.Equal(t, "(- 5)", a.Brief(a.IntVal(big.NewInt(-5))))
	require.Equal(t, "(- (/ 1.0 3.0))", a.Brief(a.RealVal(big.NewRat(-1, 3))))
	require.Equal(t, "0.125", a.Brief(a.RealVal(big.NewRat(1, 8))))
	require.Equal(t, "#xff", a.Brief(a.BV(8, big.NewInt(-1))))
	require.Equal(t, "#b011", a.Brief(a.BVUint(3, 11)))
	require.Equal(t, `"a""\u{5c}u\u{1f600}\n"`, a.Brief(a.Str([]rune{'a', '"', '\\', 'u', 0x1F600, '\\', 'n'})))
	big1 := new(big.Int).Lsh(big.NewInt(1), 100)
	n, ok := a.IntOf(a.IntVal(big1))
	require.True(t, ok)
	require.Equal(t, big1, n)
}

// TestTable checks the invariants of every row of the operator table.
func TestTable(t *testing.T) {
	for _, info := range Ops() {
		require.NotEmpty(t, info.Name)
		require.NotEmpty(t, info.Theory, info.Name)
		require.NotEmpty(t, info.sigs, info.Name)
		for _, s := range info.sigs {
			if info.Assoc != AssocNone {
				require.LessOrEqual(t, len(s.Args), 2, info.Name)
			}
		}
		if info.Name != "re.loop*" {
			op, ok := LookupOp(info.Name)
			require.True(t, ok)
			require.Equal(t, info.Op, op)
		}
	}
}

func BenchmarkNewNodes(b *testing.B) {
	a := NewArena()
	w := a.BitVec(32)
	var base []Term
	for i := range 1000 {
		base = append(base, a.BVUint(32, uint64(i)))
	}
	_ = w
	m := a.Mark()
	b.ResetTimer()
	for i := range b.N {
		if i%1000000 == 999999 {
			b.StopTimer()
			a.Release(m)
			b.StartTimer()
		}
		k := i % 1000000
		a.App(OpBVAdd, nil, base[k/1000], base[k%1000])
	}
}

func BenchmarkHits(b *testing.B) {
	a := NewArena()
	var base []Term
	for i := range 100 {
		base = append(base, a.BVUint(32, uint64(i)))
	}
	for i := range 10000 {
		a.App(OpBVAdd, nil, base[i/100], base[i%100])
	}
	b.ResetTimer()
	for i := range b.N {
		k := i % 10000
		a.App(OpBVAdd, nil, base[k/100], base[k%100])
	}
}

// TestReserve checks that a table of any size finds its entries, also after wrapping around its end and after newer
// entries were released.
func TestReserve(t *testing.T) {
	a := NewArena()
	made := func(from, to int) (ts []Term) {
		for i := from; i < to; i++ {
			ts = append(ts, a.Not(a.Eq(a.Int64(int64(i)), a.Int64(int64(i*i)))))
		}
		return ts
	}
	begun := a.Mark()
	first := made(2, 700)
	a.Reserve(begun, 3.7)
	size := a.Len()
	require.Equal(t, first, made(2, 700))
	require.Equal(t, size, a.Len())
	m := a.Mark()
	later := made(700, 5000)
	a.Release(m)
	require.Equal(t, size, a.Len())
	require.Equal(t, later, made(700, 5000))
	require.Equal(t, first, made(2, 700))
}
