package normal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/normal"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

func parse(t require.TestingT, text string) *smtlib.Script {
	s, err := smtlib.Parse("test", []byte(text), smt.NewArena())
	require.NoError(t, err, text)
	return s
}

func keyOf(t require.TestingT, text string) normal.Key { return normal.OfScript(parse(t, text)) }

// TestSame: queries that say the same in other words have one key.
func TestSame(t *testing.T) {
	for _, pair := range [][2]string{
		{`(declare-const x Int)(declare-const y Int)(assert (< x y))(assert (> (+ x y) 3))`, `(declare-const b Int)(declare-const a Int)(assert (> (+ b a) 3))(assert (< a b))`},
		{`(declare-const x Int)(declare-const y Int)(declare-const z Int)(assert (= (+ x (+ y z)) 1))`, `(declare-const x Int)(declare-const y Int)(declare-const z Int)(assert (= 1 (+ (+ z x) y)))`},
		{`(declare-const p Bool)(declare-const q Bool)(assert (and p (or q p)))`, `(declare-const p Bool)(declare-const q Bool)(assert (or q p))(assert (! q :named n))(assert q)`},
		{`(assert (forall ((x Int)) (exists ((y Int)) (< x y))))`, `(assert (forall ((y Int)) (exists ((x Int)) (< y x))))`},
		{`(assert (forall ((x Int)) (and (> x 0) (forall ((y Int)) (> y 0)))))`, `(assert (forall ((x Int)) (and (forall ((x Int)) (> x 0)) (> x 0))))`},
		{`(declare-sort A 0)(declare-fun f (A) A)(declare-const x A)(assert (= (f x) x))`, `(declare-sort B 0)(declare-fun g (B) B)(declare-const y B)(assert (= y (g y)))`},
		{`(declare-datatype D ((c (s Int)) (d)))(declare-const x D)(assert (= (s x) 0))`, `(declare-datatype E ((e (u Int)) (v)))(declare-const y E)(assert (= 0 (u y)))`},
		{`(define-fun f ((x Int)) Int (+ x 1))(assert (= (f 1) 2))`, `(define-fun g ((y Int)) Int (+ 1 y))(assert (= 2 (g 1)))`},
		{`(declare-fun f (Int) Int)(declare-fun g (Int) Int)(declare-const x Int)(declare-const y Int)(assert (= (f (+ x y)) (g (+ x y))))`,
			`(declare-fun f (Int) Int)(declare-fun g (Int) Int)(declare-const x Int)(declare-const y Int)(assert (= (f (+ y x)) (g (+ x y))))`},
		{`(declare-const x Int)(assert (> x 0))(push 1)(assert (< x 5))(check-sat)(pop 1)(check-sat)`, `(declare-const y Int)(assert (> y 0))(push 1)(assert (< y 5))(check-sat)(pop 1)(check-sat)`},
		{`(set-option :a true)(set-option :b 1)(set-info :c d)`, `(set-option :b 1)(set-option :a true)`},
		{`(assert (= (+ 1 2) 3))(assert (< (+ 1 2) 4))`, `(assert (< (+ 2 1) 4))(assert (= (+ 1 2) 3))`},
	} {
		require.Equal(t, keyOf(t, pair[0]), keyOf(t, pair[1]), "%s\n%s", pair[0], pair[1])
		one, other := parse(t, pair[0]), parse(t, pair[1])
		require.Equal(t, textsOf(t, one.Arena, one.Asserts()), textsOf(t, other.Arena, other.Asserts()), "%s\n%s", pair[0], pair[1])
	}
}

// TestDifferent: queries that do not say the same have different keys, those that colours alone do not tell apart among
// them.
func TestDifferent(t *testing.T) {
	graph := func(edges ...string) string {
		var b strings.Builder
		for _, v := range "abcdef" {
			fmt.Fprintf(&b, "(declare-const %c Int)", v)
		}
		for _, e := range edges {
			fmt.Fprintf(&b, "(assert (not (= %c %c)))", e[0], e[1])
		}
		return b.String() + "(assert (= 0 (* a b c d e f)))"
	}
	texts := []string{
		graph("ab", "bc", "ca", "de", "ef", "fd"), graph("ab", "bc", "cd", "de", "ef", "fa"),
		`(declare-const x Int)(declare-const y Int)(assert (< x y))(assert (> x 3))`,
		`(declare-const x Int)(declare-const y Int)(assert (< y x))(assert (> x 3))`,
		`(declare-sort A 0)(declare-sort B 0)(declare-const x A)(declare-const y A)(declare-const z B)(declare-const w B)(assert (not (= x y)))(assert (not (= z w)))`,
		`(declare-sort A 0)(declare-const x A)(declare-const y A)(declare-const z A)(declare-const w A)(assert (not (= x y)))(assert (not (= z w)))`,
		`(assert (forall ((x Int)) (exists ((y Int)) (< x y))))`, `(assert (forall ((x Int)) (exists ((y Int)) (< y x))))`,
		`(assert (exists ((x Int)) (forall ((y Int)) (< y x))))`, `(assert (exists ((x Real)) (forall ((y Real)) (< y x))))`,
		`(declare-const x Int)(assert (> x 0))(push 1)(assert (< x 5))(check-sat)(pop 1)(check-sat)`,
		`(declare-const x Int)(assert (> x 0))(check-sat)(push 1)(assert (< x 5))(check-sat)`,
		`(set-logic ALL)`, `(set-logic QF_BV)`, `(assert (= 1 2))`, `(assert (= 2 2))`, `(assert (= "\u{41}" "b"))`,
		`(declare-const x Int)(assert (< x 1))(check-sat)(get-value (x))`, `(declare-const x Int)(declare-const y Int)(assert (< x 1))(check-sat)(get-value (y))`,
	}
	seen := map[normal.Key]string{}
	for _, text := range texts {
		k := keyOf(t, text)
		require.Empty(t, seen[k], text)
		seen[k] = text
	}
}

// textsOf returns the texts of the slices of a query in their order.
func textsOf(t require.TestingT, a *smt.Arena, asserts []smt.Term) (out []string) {
	for _, group := range normal.Apart(a, asserts) {
		f, ok := normal.FormOf(a, group)
		require.True(t, ok)
		require.Len(t, f.Sorts, len(f.Symbols))
		out = append(out, string(f.Text))
	}
	slices.Sort(out)
	return out
}

// TestForms checks that assertions of different meaning have different texts, and that equal numbers in equal texts
// stand for corresponding symbols.
func TestForms(t *testing.T) {
	const declarations = `(declare-const x Int)(declare-const y Int)(declare-const r Real)(declare-const b (_ BitVec 8))(declare-const c (_ BitVec 8))
(declare-const s String)(declare-fun f (Int Int) Int)(declare-sort A 0)(declare-const u A)(declare-const v A)(declare-datatype D ((k (h Int) (t D)) (n)))(declare-const d D)`
	seen := map[string]string{}
	for _, text := range []string{"(< x y)", "(<= x y)", "(< x 1)", "(< x 2)", "(< 1 x)", "(= (f x y) 1)", "(= (f x x) 1)", "(= (f x 1) y)", "(= r 0.5)", "(= r 0.25)",
		"(= b #x01)", "(= b #x10)", "(bvult b c)", "(= ((_ extract 3 0) b) #x1)", "(= ((_ extract 4 1) b) #x1)", "(= s \"1\")", "(= s \"\")", "(= u v)", "(not (= u v))",
		"((_ is k) d)", "((_ is n) d)", "(= (h d) 1)", "(= (h (t d)) 1)", "(= x 12345678901234567890)", "(= x 12345678901234567891)",
		"(forall ((z Int)) (< z x))", "(forall ((z Int)) (< x z))", "(exists ((z Int)) (< z x))", "(forall ((z Int) (w Int)) (< z w))", "(forall ((z Int) (w Int)) (< w z))",
		"(forall ((z Int)) (exists ((w Int)) (< z w)))", "(forall ((z Int)) (exists ((w Int)) (< w z)))", "(forall ((z Int)) (exists ((w Int)) (< w w)))",
		"(= (+ x x y) 0)", "(= (+ x y) 0)", "(= (+ x x) 0)", "(= (* x y) 0)", "(= (- x y) 0)", "(= ((as const (Array Int Int)) 0) ((as const (Array Int Int)) x))"} {
		script := parse(t, declarations+"(assert "+text+")")
		key := strings.Join(textsOf(t, script.Arena, script.Asserts()), "\n")
		require.Empty(t, seen[key], text)
		seen[key] = text
	}
	one := parse(t, `(declare-sort A 0)(declare-fun f (A) A)(declare-const x A)(declare-const y A)(assert (= (f x) y))`)
	other := parse(t, `(declare-sort B 0)(declare-const p B)(declare-const q B)(declare-fun g (B) B)(assert (= p (g q)))`)
	f, ok1 := normal.FormOf(one.Arena, one.Asserts())
	g, ok2 := normal.FormOf(other.Arena, other.Asserts())
	require.True(t, ok1 && ok2)
	require.Equal(t, f.Text, g.Text)
	same := map[string]string{}
	for i := range f.Symbols {
		if f.Symbols[i] != 0 {
			same[one.Arena.SymbolName(f.Symbols[i])] = other.Arena.SymbolName(g.Symbols[i])
		} else {
			name, _ := one.Arena.SortSymbolName(f.Sorts[i])
			same[name], _ = other.Arena.SortSymbolName(g.Sorts[i])
		}
	}
	require.Equal(t, map[string]string{"f": "g", "x": "q", "y": "p", "A": "B"}, same)
	x := one.Arena.Var("loose", smt.SortBool)
	_, ok := normal.FormOf(one.Arena, []smt.Term{x})
	require.False(t, ok, "a variable that nothing binds has no meaning")
}

// TestTower checks that sums of sums cost time linear in their number of nodes.
func TestTower(t *testing.T) {
	a := smt.NewArena()
	x := a.Const(a.Declare("x", nil, smt.SortInt))
	for range 10000 {
		x = a.MustApp(smt.OpAdd, x, x)
	}
	k := normal.OfQuery(a, []smt.Term{a.MustApp(smt.OpLt, x, a.Int64(0))})
	y := a.MustApp(smt.OpAdd, x, a.Int64(1))
	require.NotEqual(t, k, normal.OfQuery(a, []smt.Term{a.MustApp(smt.OpLt, y, a.Int64(0))}))
	var many []smt.Term
	for i := range 3000 {
		many = append(many, a.Const(a.Declare(fmt.Sprint("c", i), nil, smt.SortInt)))
	}
	require.NotZero(t, normal.OfQuery(a, []smt.Term{a.MustApp(smt.OpDistinct, many...)}))
}

// other writes a script in another way: assertions and arguments in another order, sums nested in another way, other
// names.
type other struct {
	t       *rapid.T
	a, to   *smt.Arena
	copier  *smt.Copier
	symbols map[smt.Symbol]smt.Symbol
}

func (o *other) term(t smt.Term) smt.Term {
	a, to := o.a, o.to
	op, args := a.Look(t)
	if op.IsBinder() || op == smt.OpMatch || op == smt.OpVar || len(args) == 0 && a.SymbolOf(t) == 0 {
		return must(o.t, func() (smt.Term, error) { return o.copier.Term(t) })
	}
	var out []smt.Term
	for _, x := range args {
		out = append(out, o.term(x))
	}
	if f := a.SymbolOf(t); op == smt.OpApply && a.SymbolInfo(f).Kind == smt.SymDeclared {
		return must(o.t, func() (smt.Term, error) { return to.Apply(o.symbols[f], out...) })
	}
	if a.SymbolOf(t) != 0 || op.Structural() || op.Info().Qualified {
		return must(o.t, func() (smt.Term, error) { return o.copier.Term(t) })
	}
	if info := op.Info(); info.Commutative && !strings.HasPrefix(info.Theory, "Ext") {
		out = rapid.Permutation(out).Draw(o.t, "order")
		if info.Assoc == smt.AssocLeft && len(out) > 2 && rapid.Bool().Draw(o.t, "nest") {
			at := rapid.IntRange(1, len(out)-2).Draw(o.t, "at")
			out = append(out[:at:at], must(o.t, func() (smt.Term, error) { return to.App(op, nil, out[at:]...) }))
		}
	}
	var idx []smt.Index
	for _, i := range a.Indices(t) {
		u, ok := a.IndexUint(i)
		if !ok {
			return must(o.t, func() (smt.Term, error) { return o.copier.Term(t) })
		}
		idx = append(idx, to.NumIndex(u))
	}
	return must(o.t, func() (smt.Term, error) { return to.App(op, idx, out...) })
}

func must(t *rapid.T, f func() (smt.Term, error)) smt.Term {
	x, err := f()
	require.NoError(t, err)
	return x
}

// rewrite returns the assertions of a script in another arena, written in another way.
func rewrite(t *rapid.T, s *smtlib.Script) (*smt.Arena, []smt.Term) {
	a := s.Arena
	o := &other{t: t, a: a, to: smt.NewArena(), symbols: map[smt.Symbol]smt.Symbol{}}
	o.copier = smt.NewCopier(a, o.to, true)
	for i := range s.Commands {
		if c := &s.Commands[i]; c.Kind == smtlib.CmdDeclareSort {
			_, arity := a.SortSymbolName(c.Sorts[0])
			o.copier.BindSortSymbol(c.Sorts[0], o.to.DeclareSort(fmt.Sprintf("s%d", i), arity))
		}
	}
	symbols := a.Symbols(s.Asserts()...)
	symbols = rapid.Permutation(symbols).Draw(t, "symbols")
	for i, f := range symbols {
		info := a.SymbolInfo(f)
		if info.Kind != smt.SymDeclared {
			continue
		}
		var params []smt.Sort
		for _, p := range info.Params {
			x, err := o.copier.Sort(p)
			require.NoError(t, err)
			params = append(params, x)
		}
		result, err := o.copier.Sort(info.Result)
		require.NoError(t, err)
		o.symbols[f] = o.to.Declare(fmt.Sprintf("n%d", i), params, result)
		o.copier.BindSymbol(f, o.symbols[f])
	}
	var out []smt.Term
	for _, x := range rapid.Permutation(s.Asserts()).Draw(t, "asserts") {
		out = append(out, o.term(x))
	}
	return o.to, out
}

// seeds returns the bundled seeds that are small.
func seeds(t *testing.T) (out []*smtlib.Script) {
	files, err := filepath.Glob("../../../stdlib/seeds/*.smt2")
	require.NoError(t, err)
	more, err := filepath.Glob("../../../stdlib/seeds/*/*.smt2")
	require.NoError(t, err)
	for _, file := range append(files, more...) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		s, err := smtlib.Parse(file, text, smt.NewArena())
		if err != nil || len(text) > 4000 || len(s.Asserts()) == 0 {
			continue
		}
		out = append(out, s)
	}
	require.NotEmpty(t, out)
	return out
}

// TestRewritten: seeds written in another way keep their keys.
func TestRewritten(t *testing.T) {
	all := slices.DeleteFunc(seeds(t), func(s *smtlib.Script) bool { // definitions and datatypes are those of TestSame
		return slices.ContainsFunc(s.Commands, func(c smtlib.Command) bool {
			if len(c.Named) > 0 {
				return true
			}
			return c.Kind.IsDefinition() || c.Kind == smtlib.CmdDeclareDatatype || c.Kind == smtlib.CmdDeclareDatatypes
		})
	})
	rapid.Check(t, func(t *rapid.T) {
		s := all[rapid.IntRange(0, len(all)-1).Draw(t, "seed")]
		a, asserts := rewrite(t, s)
		want := normal.OfQuery(s.Arena, s.Asserts())
		require.Equal(t, want, normal.OfQuery(a, asserts), s.Name)
		require.Equal(t, textsOf(t, s.Arena, s.Asserts()), textsOf(t, a, asserts), s.Name)
		require.Equal(t, want, normal.OfQuery(s.Arena, rapid.Permutation(s.Asserts()).Draw(t, "again")), s.Name)
	})
}

// TestOneMeaning: terms with one key, names counted, have the same value in random models; changed terms have other
// keys.
func TestOneMeaning(t *testing.T) {
	for _, s := range seeds(t) {
		a := s.Arena
		byKey := map[normal.Key]smt.Term{}
		var terms []smt.Term
		a.PostOrder(s.Asserts(), func(x smt.Term) {
			if a.Sort(x) == smt.SortBool && len(terms) < 40 && len(a.FreeVars(x)) == 0 {
				terms = append(terms, x)
			}
		})
		m := search.RandomModel(s, rng.New(1))
		ev := eval.New(a, m)
		for _, x := range terms {
			for _, y := range []smt.Term{x, a.Not(x)} {
				k := normal.OfTerm(a, y, true)
				z, ok := byKey[k]
				if !ok {
					byKey[k] = y
					continue
				}
				if p, q := ev.Truth(y), ev.Truth(z); p != value.Unknown && q != value.Unknown {
					require.Equal(t, p, q, "%s\n%s", a.Brief(y), a.Brief(z))
				}
			}
		}
	}
}

// TestSlices: parts that share no function and no declared sort are apart, and each has its key.
func TestSlices(t *testing.T) {
	s := parse(t, `(declare-const x Int)(declare-const y Int)(declare-sort A 0)(declare-const u A)(declare-const v A)(declare-const w A)
(assert (and (< x 1) (= u v)))(assert (< y 1))(assert (< 2 3))(assert (not (= v w)))`)
	slices := normal.Slices(s.Arena, s.Asserts())
	require.Len(t, slices, 4)
	require.Len(t, slices[1].Asserts, 2)
	require.Equal(t, slices[0].Key, slices[2].Key)
	require.NotEqual(t, slices[0].Key, slices[1].Key)
}
