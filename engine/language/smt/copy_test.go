package smt_test

import (
	"errors"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// sample makes one term of most kinds that arenas tell apart, over a declared sort, a function and a datatype.
func sample(t *testing.T, a *smt.Arena) smt.Term {
	t.Helper()
	must := func(x smt.Term, err error) smt.Term {
		t.Helper()
		require.NoError(t, err)
		return x
	}
	s, err := a.SortApp(a.DeclareSort("S", 0))
	require.NoError(t, err)
	dts, _ := a.BeginDatatypes("list", []string{"List"}, [][]string{{"X"}})
	list := func(x smt.Sort) smt.Sort {
		r, err := a.SortApp(dts[0], x)
		require.NoError(t, err)
		return r
	}
	x := a.SortParam("X")
	require.NoError(t, a.DefineDatatype(dts[0], []smt.ConstructorDecl{{Name: "nil"},
		{Name: "cons", Selectors: []smt.SelectorDecl{{Name: "head", Sort: x}, {Name: "tail", Sort: list(x)}}}}))
	dt := a.Datatype(dts[0])
	nilS := must(a.ApplyAs(dt.Constructors[0].Symbol, list(s)))
	u := a.Const(a.Declare("u", nil, s))
	l := must(a.ApplyAs(dt.Constructors[1].Symbol, list(s), u, nilS))
	head := must(a.Apply(dt.Constructors[1].Selectors[0], l))
	f := a.Declare("f", []smt.Sort{s, smt.SortInt}, smt.SortReal)
	big1 := new(big.Int).Lsh(big.NewInt(1), 90)
	i := a.Var("i", smt.SortInt)
	fi := must(a.Apply(f, head, i))
	body := a.MustApp(smt.OpLt, fi, a.RealVal(big.NewRat(7, 4)))
	q := must(a.Quant(smt.OpForall, []smt.Term{i}, a.Annotate(body, []smt.Attr{{Keyword: ":pattern", Terms: []smt.Term{fi}}})))
	ext, err := a.App(smt.OpExtract, []smt.Index{a.NumIndex(7), a.NumIndex(0)}, a.BV(100, big1))
	require.NoError(t, err)
	arr := must(a.AppAs(smt.OpConstArray, a.Array(smt.SortInt, a.BitVec(8)), nil, ext))
	k := a.Const(a.Declare("k", nil, a.Sort(arr)))
	v := a.Var("v", s)
	rest := a.Var("r", list(s))
	c1, err := a.Case(dt.Constructors[0].Symbol, nil, a.False())
	require.NoError(t, err)
	c2, err := a.Case(dt.Constructors[1].Symbol, []smt.Term{v, rest}, a.Eq(v, u))
	require.NoError(t, err)
	return a.And(q, a.Eq(k, arr), must(a.Is(dt.Constructors[1].Symbol, l)), must(a.Match(l, []smt.Term{c1, c2})),
		a.Eq(a.Str([]rune("aé")), a.Str(nil)), a.Opaque("what", nil, smt.SortBool, a.IntVal(big1)))
}

// names copies declarations under the same names.
func names(c *smt.Copier) {
	c.SortSymbol = func(s smt.SortSymbol) (smt.SortSymbol, error) {
		name, arity := c.From.SortSymbolName(s)
		dt := c.From.Datatype(s)
		if dt == nil {
			return c.To.DeclareSort(name, arity), nil
		}
		syms, _ := c.To.BeginDatatypes(name, []string{name}, [][]string{{"X"}})
		c.BindSortSymbol(s, syms[0])
		var ctors []smt.ConstructorDecl
		for _, k := range dt.Constructors {
			d := smt.ConstructorDecl{Name: k.Name}
			for _, sel := range k.Selectors {
				sort, err := c.Sort(c.From.SymbolInfo(sel).Result)
				if err != nil {
					return 0, err
				}
				d.Selectors = append(d.Selectors, smt.SelectorDecl{Name: c.From.SymbolName(sel), Sort: sort})
			}
			ctors = append(ctors, d)
		}
		return syms[0], c.To.DefineDatatype(syms[0], ctors)
	}
	c.Symbol = func(f smt.Symbol) (smt.Symbol, error) {
		info := c.From.SymbolInfo(f)
		result, err := c.Sort(info.Result)
		if err != nil {
			return 0, err
		}
		if info.Datatype != 0 {
			k := c.To.Datatype(c.SortSymbolNow(info.Datatype)).Constructors[info.Ctor]
			if info.Kind == smt.SymSelector {
				return k.Selectors[info.Field], nil
			}
			return k.Symbol, nil
		}
		params, err := c.Sorts(info.Params)
		return c.To.Declare(info.Name, params, result), err
	}
}

func TestCopier(t *testing.T) {
	a := smt.NewArena()
	for i := range 5000 { // terms that are not copied
		a.Int64(int64(i))
	}
	root := sample(t, a)
	small := smt.NewArena()
	for name, tc := range map[string]struct {
		from  *smt.Arena
		root  smt.Term
		whole bool
	}{"few of many": {a, root, false}, "all of many": {a, root, true}, "of a small arena": {small, sample(t, small), false}} {
		t.Run(name, func(t *testing.T) {
			to := smt.NewArena()
			to.Declare("other", nil, to.BitVec(3)) // numbers differ
			to.Int64(1)
			c := smt.NewCopier(tc.from, to, tc.whole)
			names(c)
			got, err := c.Term(tc.root)
			require.NoError(t, err)
			require.Equal(t, tc.from.Brief(tc.root), to.Brief(got))
			require.Equal(t, tc.from.Size(tc.root), to.Size(got))
			again, err := c.Term(tc.root)
			require.NoError(t, err)
			require.Equal(t, got, again)
			// Copying yields the same terms as building them there: sorts and symbols are the destination's own.
			back := smt.NewCopier(to, tc.from, tc.whole)
			names(back)
			back.SortSymbol = func(s smt.SortSymbol) (smt.SortSymbol, error) {
				name, _ := to.SortSymbolName(s)
				if name == "List" {
					syms, done := tc.from.BeginDatatypes("list", []string{name}, [][]string{{"X"}})
					require.True(t, done)
					return syms[0], nil
				}
				return tc.from.DeclareSort(name, 0), nil
			}
			home, err := back.Term(got)
			require.NoError(t, err)
			require.Equal(t, tc.root, home)
		})
	}
}

// A hook that gives a symbol of another rank must not make ill-sorted terms.
func TestCopierChecksSymbols(t *testing.T) {
	a, to := smt.NewArena(), smt.NewArena()
	x := a.Const(a.Declare("x", nil, smt.SortInt))
	sum := a.MustApp(smt.OpAdd, x, a.Int64(1))
	c := smt.NewCopier(a, to, false)
	_, err := c.Term(sum)
	require.ErrorContains(t, err, "x is not declared")
	c.Symbol = func(smt.Symbol) (smt.Symbol, error) { return to.Declare("x", nil, smt.SortReal), nil }
	_, err = c.Term(sum)
	var sortErr *smt.SortError
	require.True(t, errors.As(err, &sortErr), "%v", err)
}
