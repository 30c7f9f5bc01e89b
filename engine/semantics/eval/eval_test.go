package eval_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

func parseScript(t testing.TB, text string) *smtlib.Script {
	t.Helper()
	s, err := smtlib.Parse("test.smt2", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return s
}

const decls = `
(declare-datatypes ((Color 0) (List 1) (Tree 0)) (((red) (green) (blue))
  (par (X) ((nil) (cons (head X) (tail (List X)))))
  ((leaf) (node (left Tree) (val Int) (right Tree)))))
(declare-sort U 0)
(declare-const x Int) (declare-const y Int) (declare-const b Bool)
(declare-const u U) (declare-const v U)
(declare-fun f (Int) Int)
(define-fun twice ((n Int)) Int (* 2 n))
(define-fun-rec fact ((n Int)) Int (ite (<= n 0) 1 (* n (fact (- n 1)))))
(define-fun-rec fib ((n Int)) Int (ite (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(define-fun-rec count ((n Int)) Int (ite (<= n 0) 0 (+ 1 (count (- n 1)))))
(define-fun-rec loop ((n Int)) Int (+ 1 (loop (+ n 1))))
(define-fun-rec len ((l (List Int))) Int (match l ((nil 0) ((cons h t) (+ 1 (len t))))))
(define-fun seven () Int (+ 3 4))
`

func TestValues(t *testing.T) {
	s := parseScript(t, decls)
	a := s.Arena
	m := model.New(a)
	for _, c := range s.Declarations() {
		for _, f := range c.Symbols {
			switch a.SymbolName(f) {
			case "x":
				m.Set(f, value.Int64(5))
			case "u", "v":
				sort := a.SymbolInfo(f).Result
				m.SetUniverse(sort, 2)
				m.Set(f, value.Element(sort, uint64(len(a.SymbolName(f))-1)+uint64(a.SymbolName(f)[0]-'u')))
			case "f":
				fn := model.NewFunc(a.SymbolInfo(f).Params, value.Int64(9))
				fn.Set([]value.Value{value.Int64(5)}, value.Int64(1))
				m.SetFunc(f, fn)
			}
		}
	}
	for _, c := range []struct{ term, want string }{
		{"(+ x 1)", "6"},
		{"y", "unknown: y: the model gives no value"},
		{"(and b (= x 6))", "false"},
		{"(or b (= x 5))", "true"},
		{"(=> b true)", "true"},
		{"(=> (= x 5) b false)", "unknown: b: the model gives no value"},
		{"(ite b 3 3)", "3"},
		{"(ite b 3 4)", "unknown: b: the model gives no value"},
		{"(* 0 y)", "0"},
		{"(distinct y y)", "false"},
		{"(+ (f 5) (f 6))", "10"},
		{"(f y)", "unknown: y: the model gives no value"},
		{"(! (+ x 1) :named n1)", "6"},
		{"(let ((x 1) (z x)) (+ x z))", "6"},
		{"(twice (twice x))", "20"},
		{"seven", "7"},
		{"(fact 20)", "2432902008176640000"},
		{"(fact 25)", "15511210043330985984000000"},
		{"(fib 90)", "2880067194370816120"},
		{"(count 30000)", "30000"},
		{"(loop 0)", "unknown: application: too large: calls within one another bind more than 1048576 variables"},
		{"(len (cons 1 (cons 2 (as nil (List Int)))))", "2"},
		{"(head (cons 1 (as nil (List Int))))", "1"},
		{"(head (as nil (List Int)))", "unknown: head: a selector of another constructor has no interpretation in the model"},
		{"((_ is cons) (cons red (as nil (List Color))))", "true"},
		{"((_ update head) (cons 1 (as nil (List Int))) 4)", "((as cons (List Int)) 4 (as nil (List Int)))"},
		{"((_ update head) (as nil (List Int)) 4)", "(as nil (List Int))"},
		{"(match (node leaf 3 leaf) ((leaf 0) ((node l n r) n)))", "3"},
		{"(match green ((red 1) (c (ite (= c green) 2 3))))", "2"},
		{"(node leaf 1 (node leaf 2 leaf))", "(node leaf 1 (node leaf 2 leaf))"},
		{"u", "(as @U!0 U)"},
		{"(= u v)", "false"},
		{"(select (store (store ((as const (Array Int Int)) 0) 1 2) 1 3) 1)", "3"},
		{"(= (store ((as const (Array Bool Int)) 0) true 1) (store ((as const (Array Bool Int)) 1) false 0))", "true"},
		{"(= (store ((as const (Array Int Int)) 0) 1 1) (store ((as const (Array Int Int)) 0) 1 0))", "false"},
		{"(= (store ((as const (Array U Int)) 0) u 1) (store ((as const (Array U Int)) 1) v 0))", "true"},
		{"(select ((as const (Array Int Int)) 4) y)", "4"},
		{"(select (store ((as const (Array (Array Bool Int) Int)) 0) (store ((as const (Array Bool Int)) 0) true 1) 7) (store ((as const (Array Bool Int)) 1) false 0))", "7"},
		{"(forall ((p Bool) (q Bool)) (= (and p q) (not (or (not p) (not q)))))", "true"},
		{"(forall ((c (_ BitVec 8))) (= (bvadd c c) (bvshl c #x01)))", "true"},
		{"(exists ((c Color)) (and (distinct c red) (distinct c green)))", "true"},
		{"(forall ((z U)) (or (= z u) (= z v)))", "true"},
		{"(forall ((z Int)) (>= z x))", "false"},
		{"(exists ((z Int)) (= (* z z) 25))", "true"},
		{"(forall ((z Int)) (= (+ z 0) z))", "unknown: forall: a quantifier over Int that no bounds limit"},
		{"(forall ((z Int)) (=> (and (<= 0 z) (< z 100)) (< (* z z) 10000)))", "true"},
		// Some likely instances decide; all of them together take more than the budget.
		{"(forall ((i Int)) (=> (and (<= (- 8192) i) (<= i 3)) (forall ((j Int)) (=> (and (<= (- 8192) j) (<= j i)) (<= (* j (- 1 j)) (* i (- 1 i)))))))", "false"},
		{"(forall ((i Int) (j Int)) (=> (and (<= 0 i) (< i j) (<= j 20)) (< (* i i) (* j j))))", "true"},
		{"(exists ((z Int)) (and (> z 3) (< z 5) (= z 4)))", "true"},
		{"(exists ((z Int)) (and (> z 3) (< z 4)))", "false"},
		{"(forall ((z Real)) (=> (= z 1.5) (> z 1.0)))", "true"},
		{"(forall ((z Int)) (=> (or (= z 1) (= z 7)) (= (mod z 6) 1)))", "true"},
		{"(forall ((z Int)) true)", "true"},
		{"(forall ((z Int) (p Bool)) (or p (not p)))", "true"},
		{"(exists ((g (Array Bool Bool))) (and (select g true) (not (select g false))))", "true"},
		{"(forall ((r RoundingMode)) (fp.isZero (fp.mul r (_ +zero 5 11) (_ -zero 5 11))))", "true"},
		{"(forall ((z Int)) (or (= (f z) 9) (= z 5)))", "true"},
		{"(forall ((z Int)) (=> (> (f z) 3) (distinct z 5)))", "true"},
		{"(forall ((z Int)) (= (f z) 9))", "false"},
		{"(exists ((z Int)) (and (distinct z 5) (= (f z) 1)))", "false"},
		{"(forall ((z Int) (w Int)) (=> (and (< z w) (distinct z 5) (distinct w 5)) (= (f z) (f w))))", "true"},
		{"(forall ((z Int) (w Int)) (or (< z w) (= z w) (< w z)))", "true"},
		{"(exists ((z Int) (w Int) (v2 Int)) (and (< 3 z) (< z w) (< w v2) (< v2 7)))", "true"},
		{"(exists ((z Int) (w Int) (v2 Int)) (and (< 3 z) (< z w) (< w v2) (< v2 6)))", "false"},
		{"(exists ((z Int) (w Int)) (and (< z 3) (< 3 w) (= (f z) (f w))))", "true"},
		{"(forall ((z Real) (w Real)) (=> (< 1.0 z w) (> w 1.0)))", "true"},
		{"(exists ((z Real) (w Real)) (and (< 1.0 z w 1.5)))", "true"},
		{"(forall ((z (_ BitVec 64))) (or (bvule z #x00000000000000ff) (bvult #x00000000000000fe z)))", "true"},
		{"(exists ((z (_ BitVec 64))) (and (bvugt z #x00000000000000ff) (bvult z #x0000000000000100)))", "false"},
		{"(forall ((z (_ BitVec 64))) (bvuge z #x0000000000000000))", "true"},
		{"(forall ((z String)) (or (= z \"a\") (distinct z \"a\")))", "true"},
		{"(exists ((z (List Int)) (w (List Int))) (distinct z w (as nil (List Int))))", "true"},
		{"(forall ((z Int)) (= (select (store (store ((as const (Array Int Int)) 1) x 2) 9 2) z) (ite (or (= z 5) (= z 9)) 2 1)))", "true"},
		{"(forall ((z Int)) (exists ((w Int)) (< z w)))", "unknown: forall: a quantifier over Int that no bounds limit"},
		{"(exists ((z Int) (w Int)) (and (= z w) (= w 77) (distinct (f z) 1)))", "true"},
		{"(exists ((z Int) (w Int)) (and (> z 100) (= z w) (not (distinct w 777))))", "true"},
		{"(exists ((z Int) (w Int)) (and (> z 3) (> (f z) 8) (distinct z 6) (not (distinct w (f z))) (not (<= z w))))", "true"},
		{"(select (lambda ((z Int)) (+ z x)) 10)", "15"},
		{"(= (lambda ((z Int)) (ite (= z 3) 1 2)) (store ((as const (Array Int Int)) 2) 3 1))", "true"},
		{"(= (lambda ((z Int)) (+ z 1)) ((as const (Array Int Int)) 2))", "false"},
		{"(= (lambda ((z Int)) (+ z 1)) (lambda ((z Int)) (+ 1 z)))", "unknown: =: values of sort (Array Int Int) that cannot be compared"},
		{"(select (store (lambda ((z Int)) (* z z)) 3 0) 3)", "0"},
		{"(select (store (lambda ((z Int)) (* z z)) 3 0) 4)", "16"},
		{"(select (select (lambda ((z Int) (w Int)) (- z w)) 10) 4)", "6"},
		{"(sin 1.0)", "unknown: sin: irrational or not defined"},
		{"(^ 2 100)", "1267650600228229401496703205376"},
		{"(^ 2 (^ 2 30))", "unknown: ^: too large: an integer of more bits than the limit"},
		{"(= (re.++ (str.to_re \"a\") re.all) (re.union (str.to_re \"a\") (re.++ (str.to_re \"a\") re.allchar re.all)))", "true"},
		{"(= (bag ((as const (Array Int RegLan)) (re.* re.allchar)) 1) (bag ((as const (Array Int RegLan)) re.all) 1))", "unknown: bag: the elements are or contain values that cannot always be compared"},
		{"(set.member 1 (set.singleton 1))", "true"},
		{"(set.subset (set.singleton (seq.unit re.all)) (set.singleton (seq.unit re.all)))", "unknown: set.singleton: the elements are or contain values that cannot always be compared"},
		{"(foo x)", "unknown: foo: opaque operator: not in the operator table"},
		{"((_ fp.to_ubv 8) RNE (fp.neg (_ +oo 5 11)))", "unknown: fp.to_ubv: (_ fp.to_ubv 8) of (_ -oo 5 11), out of range: unspecified by the theory FloatingPoint has no interpretation in the model"},
		{"(fp.min (_ +zero 5 11) (_ -zero 5 11))", "unknown: fp.min: the sign of a zero has no interpretation in the model"},
		{"(fp.isZero (fp.min (_ +zero 5 11) (_ +zero 5 11)))", "true"},
		{"(seq.nth (seq.++ (seq.unit 4) (seq.unit 5)) 1)", "5"},
		{"(seq.nth (seq.unit 4) 1)", "unknown: seq.nth: an index out of range has no interpretation in the model"},
		{"(set.card (set.insert 1 2 1 (as set.empty (Set Int))))", "2"},
		{"(set.subset (set.singleton 1) (set.complement (set.singleton 2)))", "unknown: set.complement: cvc5 takes the universe for what is in the sets of the problem, not for all of the sort"},
		{"(set.card (as set.universe (Set Bool)))", "unknown: set.universe: cvc5 takes the universe for what is in the sets of the problem, not for all of the sort"},
		{"(bag.card (bag.union_max (bag 1 2) (bag 2 3)))", "5"},
		{"(ff.mul (as ff5 (_ FiniteField 7)) (as ff3 (_ FiniteField 7)))", "(as ff1 (_ FiniteField 7))"},
		{"((_ tuple.select 1) (tuple 1 true))", "true"},
		{"((_ tuple.select 0) ((_ tuple.update 0) (tuple 1 true) 7))", "7"},
		{"((_ tuple.select 2) (tuple 1 true))", "unknown: tuple.select: opaque operator: not in the operator table"},
		{"((_ tuple.select 0 1) (tuple 1 true))", "unknown: tuple.select: opaque operator: not in the operator table"},
		{"(tuple.select (tuple 1 true))", "unknown: tuple.select: opaque operator: not in the operator table"},
		{"((_ tuple.select 0) 1)", "unknown: tuple.select: opaque operator: not in the operator table"},
		{"(+ 1 ((_ tuple.select 0) (tuple 1 true)))", "2"},
		{"((_ tuple.update 0) (tuple 1 true) false)", "unknown: tuple.update: opaque operator: not in the operator table"},
		{"((as tuple (Tuple Int Bool)) true 1)", "unknown: tuple: opaque operator: not in the operator table"},
		{"(bvmul (_ bv18446744073709551615 65) (_ bv2 65))", "#b11111111111111111111111111111111111111111111111111111111111111110"},
	} {
		t.Run(c.term, func(t *testing.T) { require.Equal(t, c.want, evalText(t, a, m, s, c.term)) })
	}
}

func TestDepth(t *testing.T) {
	const n = 100_000
	a := smt.NewArena()
	x := a.Const(a.Declare("x", nil, smt.SortInt))
	m := model.New(a)
	m.Set(a.SymbolOf(x), value.Int64(1))
	sum := x
	for range n {
		sum = a.MustApp(smt.OpAdd, x, sum)
	}
	v, err := eval.New(a, m).Eval(sum)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(n+1), v.Text(a))

	p := a.Const(a.Declare("p", nil, smt.SortBool))
	chain := p
	m.Set(a.SymbolOf(p), value.Bool(true))
	for range n {
		chain = a.Not(a.And(p, chain))
	}
	holds, known := eval.New(a, m).Holds(chain)
	require.True(t, known)
	require.True(t, holds)

	// A list as long is built, compared, printed and made a term without deep recursion.
	s := parseScript(t, "(declare-datatype L ((nil) (cons (hd Int) (tl L))))(declare-const l L)(define-fun-rec up ((n Int) (acc L)) L (ite (<= n 0) acc (up (- n 1) (cons n acc))))")
	term, err := smtlib.ParseTerm(s.Arena, s, "(up 100000 nil)")
	require.NoError(t, err)
	v, err = eval.New(s.Arena, nil).Eval(term)
	require.NoError(t, err)
	require.Contains(t, v.Text(s.Arena), "(cons 1 (cons 2 (cons 3 ")
	w, err := eval.New(s.Arena, nil).Eval(term)
	require.NoError(t, err)
	require.Equal(t, value.True, value.Equal(v, w))
	back, err := value.ToTerm(s.Arena, v)
	require.NoError(t, err)
	w, err = eval.New(s.Arena, nil).Eval(back)
	require.NoError(t, err)
	require.Equal(t, value.True, value.Equal(v, w))
}

// TestRelease reuses the numbers of released terms: their remembered values must be gone, older ones may stay.
func TestRelease(t *testing.T) {
	a := smt.NewArena()
	x := a.Const(a.Declare("x", nil, smt.SortInt))
	m := model.New(a)
	m.Set(a.SymbolOf(x), value.Int64(7))
	kept := a.MustApp(smt.OpAdd, x, a.Int64(1))
	ev := eval.New(a, m)
	v, err := ev.Eval(kept)
	require.NoError(t, err)
	require.Equal(t, "8", v.Text(a))
	for i := range 5 {
		mark := a.Mark()
		t1 := a.MustApp(smt.OpMul, kept, a.Int64(int64(i+2)))
		v, err := ev.Eval(t1)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(8*(i+2)), v.Text(a))
		y := a.Var("y", smt.SortBool)
		q, err := a.Quant(smt.OpForall, []smt.Term{y}, a.Or(y, a.BoolVal(i%2 == 0)))
		require.NoError(t, err)
		value, known := ev.Holds(q)
		require.True(t, known)
		require.Equal(t, i%2 == 0, value)
		a.Release(mark)
	}
	v, err = ev.Eval(kept)
	require.NoError(t, err)
	require.Equal(t, "8", v.Text(a))

	m.Set(a.SymbolOf(x), value.Int64(1))
	ev.Reset(m)
	v, err = ev.Eval(kept)
	require.NoError(t, err)
	require.Equal(t, "2", v.Text(a))
}

func TestPartialFollowsTheModel(t *testing.T) {
	a := smt.NewArena()
	zero := func(op smt.Op, sort smt.Sort, v value.Value) *model.Model {
		m := model.New(a)
		m.SetPartial(op, model.NewFunc([]smt.Sort{sort, sort}, v))
		return m
	}
	require.Equal(t, "5", evalText(t, a, zero(smt.OpIntDiv, smt.SortInt, value.Int64(5)), nil, "(div 3 0)"))
	require.Equal(t, "5", evalText(t, a, zero(smt.OpIntDiv, smt.SortInt, value.Int64(5)), nil, "(div 3 0 1)"))
	require.Equal(t, "(- 1.5)", evalText(t, a, zero(smt.OpDiv, smt.SortReal, value.Real(big.NewRat(-3, 2))), nil, "(/ 3.0 0.0)"))
	m := zero(smt.OpIntDiv, smt.SortInt, value.Int64(5))
	term, err := smtlib.ParseTerm(a, nil, "(+ (div 3 0) (mod 3 0))")
	require.NoError(t, err)
	ev := eval.New(a, m)
	_, err = ev.Eval(term)
	require.ErrorContains(t, err, "mod: division by zero")
	ev.SetCompletion(true)
	v, err := ev.Eval(term)
	require.NoError(t, err)
	require.Equal(t, "5", v.Text(a))
	// Values that only solvers fix, not the standard, stay unknown: the bits of NaN are not those of zero.
	ev = eval.New(a, nil)
	ev.SetCompletion(true)
	for _, text := range []string{"(fp.to_ieee_bv (_ NaN 5 11))", "(^ 0 0)"} {
		term, err := smtlib.ParseTerm(a, nil, text)
		require.NoError(t, err)
		_, err = ev.Eval(term)
		require.ErrorIs(t, err, value.ErrUnknown, text)
	}
}

// TestBudgetOfQuantifiers: a quantifier that spends the budget hides nothing that stands beside it.
func TestBudgetOfQuantifiers(t *testing.T) {
	s, err := smtlib.Parse("t", []byte(`(declare-const x Int)
(assert (and (forall ((z (_ BitVec 12))) (= (bvand z z) z)) (= x 4)))
(assert (or (forall ((z (_ BitVec 12))) (= (bvand z z) z)) (= x 5)))
(assert (and (forall ((z (_ BitVec 12))) (= (bvand z z) z)) (= x 5)))
(assert (forall ((z (_ BitVec 2))) (= (bvand z z) z)))
`), smt.NewArena())
	require.NoError(t, err)
	m, err := modelreader.Parse(s, "((define-fun x () Int 5))")
	require.NoError(t, err)
	ev := eval.New(s.Arena, m)
	ev.Limits.Steps = 1000
	var got []value.Truth
	for _, a := range s.Asserts() {
		got = append(got, ev.Truth(a))
	}
	require.Equal(t, []value.Truth{value.False, value.True, value.Unknown, value.True}, got)
	_, err = ev.Eval(s.Asserts()[2])
	require.ErrorContains(t, err, "too large: the budget of steps")
	ev.Limits.Steps = 1 << 20
	require.Equal(t, value.True, ev.Truth(s.Asserts()[2]), "with more of it, the value is found")
}
