package reduce_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/reduce/weight"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func parse(t require.TestingT, text string) *testcase.Case {
	s, err := smtlib.Parse("test.smt2", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return &testcase.Case{Script: s}
}

// checked wraps a predicate: every candidate must parse again, to the same commands, and no text may come twice.
func checked(t require.TestingT, fails func(text string) bool) driver.Predicate {
	seen := map[string]bool{}
	return func(c *testcase.Case) bool {
		text := string(c.Text())
		require.False(t, seen[text], "asked twice about %s", text)
		seen[text] = true
		again, err := smtlib.Parse("candidate.smt2", []byte(text), smt.NewArena())
		require.NoError(t, err, text)
		require.Equal(t, text, again.Text())
		return fails(text)
	}
}

func run(t require.TestingT, c *testcase.Case, fails func(text string) bool, passes ...string) *reduce.Result {
	require.True(t, fails(string(c.Text())), "the predicate must hold at first: %s", c.Text())
	r, err := reduce.Run(context.Background(), c, checked(t, fails), reduce.Options{Laws: laws, Passes: passes})
	require.NoError(t, err)
	require.True(t, fails(string(r.Case.Text())))
	require.LessOrEqual(t, weightOf(r.Case.Script), weightOf(c.Script))
	return r
}

func has(parts ...string) func(string) bool {
	return func(text string) bool {
		for _, p := range parts {
			if !strings.Contains(text, p) {
				return false
			}
		}
		return true
	}
}

const mixed = `(set-logic ALL)
(set-option :produce-models true)
(set-info :status sat)
(declare-sort U 0)
(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))
(declare-fun f (U Int) U)
(declare-const u U)
(declare-const first_string String)
(declare-const second_string String)
(declare-const n Int)
(declare-const l L)
(define-fun twice ((k Int)) Int (+ k k))
(assert (= (f u (twice n)) u))
(assert (or (> (+ n (str.len (str.replace first_string second_string "abc"))) 100) (= l (cons n nil)) (< (twice 7) 3)))
(push 1)
(assert (forall ((i Int)) (=> (> i 0) (distinct (f u i) u))))
(check-sat)
(pop 1)
(assert (! (and (= first_string "hello") (> n 3) (not (= n 12345))) :named foo))
(check-sat)
(get-model)
(exit)
`

// A localized cause is isolated: nothing unneeded stays.
func TestLocalized(t *testing.T) {
	r := run(t, parse(t, mixed), has("str.replace", "str.len"))
	require.True(t, r.Stats.Done)
	require.Equal(t, `(assert (= 0 (str.len (str.replace "" "" ""))))`+"\n", dropPlain(string(r.Case.Text())))
	require.Less(t, r.Stats.Tests, 150)
}

// dropPlain makes the comparison independent of which of several equally light relations stayed.
func dropPlain(text string) string {
	for _, rel := range []string{">", "<", ">=", "<="} {
		text = strings.ReplaceAll(text, "("+rel+" (str.len (str.replace \"\" \"\" \"\")) 0)", `(= 0 (str.len (str.replace "" "" "")))`)
	}
	return text
}

func TestEachPassAlone(t *testing.T) {
	for _, tc := range []struct {
		pass, text, want string
		keep             []string
	}{
		{"declarations", "(declare-const x Int)(declare-const y Int)(declare-sort S 0)(assert (> x 0))", "(declare-const x Int)\n(assert (> x 0))\n", nil},
		{"asserts", "(assert true)(assert false)(assert (not true))", "(assert false)\n", []string{"(assert false)"}},
		{"scopes", "(push 2)(assert true)(pop 1)(assert false)(pop 1)(check-sat)", "(assert false)\n(check-sat)\n", []string{"false"}},
		{"commands", "(assert true)(check-sat)(get-model)(check-sat)(echo \"x\")(exit)", "(assert true)\n(get-model)\n", []string{"get-model"}},
		{"options", "(set-option :a true)(set-logic ALL)(set-info :x 1)(check-sat)", "(set-logic ALL)\n(check-sat)\n", []string{"ALL"}},
		{"checks", "(declare-const p Bool)(declare-const q Bool)(check-sat-using smt)(check-sat-assuming (p q))", "(declare-const p Bool)\n(declare-const q Bool)\n(check-sat)\n(check-sat-assuming (q))\n", []string{"assuming (", "q)"}},
		{"constant", "(declare-const x Int)(assert (and (> x 5) (= (* x x) 3)))", "(declare-const x Int)\n(assert (and true (= (* 0 0) 0)))\n", []string{"*"}},
		{"child", "(declare-const x Int)(assert (or (not (and (= (abs x) 1) (> x 7))) (< x 3)))", "(declare-const x Int)\n(assert (= (abs x) 1))\n", []string{"abs"}},
		{"argument", "(declare-const x Int)(assert (< 0 (+ 1 2 x 3 4) 9))", "", []string{"(< 0 (+"}},
		{"join", "(declare-const x Int)(assert (= x 1))(assert true)(assert (< x 2 3))(assert (= \"\" \"\"))(assert (distinct x 4))", "(declare-const x Int)\n(assert true)\n(assert (= \"\" \"\"))\n(assert (= x 1 x 2 3 x 4))\n", nil},
		{"join", "(declare-const x Int)(assert (< x 1))(push 1)(declare-const y Int)(assert (< y 2))(assert (< y 3))(pop 1)(assert (< x 4))", "(declare-const x Int)\n(push 1)\n(declare-const y Int)\n(assert (< x 1 y 2 y 3))\n(pop 1)\n(assert (< x 4))\n", nil},
		{"join", "(declare-const x Int)(declare-const p Bool)(assert (=> p (or (= x 1) (< 2 x))))(assert (and p (= x 3)))", "(declare-const x Int)\n(declare-const p Bool)\n(assert (=> p (= x 1 2 x)))\n(assert (and p (= x 3)))\n", nil},
		{"quantifier", "(declare-const x Int)(assert (forall ((i Int) (j Int) (b Bool)) (or b (= (abs i) (div j j)))))", "", []string{"div"}},
		{"variable", "(declare-const x Int)(declare-const y Int)(assert (= (+ y x 1) (mod y x)))", "(declare-const x Int)\n(declare-const y Int)\n(assert (= x (mod x x)))\n", []string{"mod"}},
		{"definition", "(define-fun d ((k Int)) Int (abs k))(declare-const x Int)(assert (> (d x) 0))", "", []string{"abs", "declare"}},
		{"annotation", "(declare-const x Int)(assert (! (! (> x 0) :named a) :weight 3))", "(declare-const x Int)\n(assert (> x 0))\n", nil},
		{"literal", `(assert (= (str.len "\u{20ac}xyz") 1000))(assert (= (_ bv200 8) #xff))(assert (> 3.75 1.0))`, "", []string{"str.len", "#x"}},
		{"fold", "(declare-const x Int)(assert (= x (+ 3 (* 2 (str.len \"abc\")))))", "(declare-const x Int)\n(assert (= x 9))\n", nil},
		{"simplify", "(declare-const p Bool)(declare-const q Bool)(assert (not (or (not p) (not q))))", "(declare-const p Bool)\n(declare-const q Bool)\n(assert (and p q))\n", []string{"p", "q", "assert ("}},
		{"simplify", "(declare-const p Bool)(assert (= 0 (ite p 1 0)))", "(declare-const p Bool)\n(assert (not p))\n", nil},
		{"simplify", "(declare-const x (_ BitVec 8))(assert (= ((_ extract 7 0) ((_ zero_extend 8) x)) (bvadd x #x00 x)))", "(declare-const x (_ BitVec 8))\n(assert (= x (bvadd x x)))\n", []string{"bvadd"}},
		{"simplify", "(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))(assert (= #b1 (bvcomp x y)))(assert (bvult ((_ zero_extend 4) x) ((_ zero_extend 4) y)))", "(declare-const x (_ BitVec 8))\n(declare-const y (_ BitVec 8))\n(assert (= x y))\n(assert (bvult x y))\n", nil},
		{"simplify", "(declare-const p Bool)(declare-const q Bool)(assert (xor p false (and q (and p q))))", "(declare-const p Bool)\n(declare-const q Bool)\n(assert (distinct p (and q p)))\n", []string{"q", "and"}},
		{"simplify", "(assert (not (forall ((x Int)) (not (> x 0)))))", "(assert (exists ((x Int)) (> x 0)))\n", nil},
		{"undefine", "(define-fun f ((x Int)) Int (+ x 1))(assert (= (f 1) 2))", "(declare-fun f (Int) Int)\n(assert (= (f 1) 2))\n", nil},
		{"undefine", "(define-funs-rec ((f ((x Int)) Int) (g ((x Int)) Int)) ((g x) (f x)))(assert (= (f 1) 2))", "(declare-fun f (Int) Int)\n(define-funs-rec ((g ((x Int)) Int)) ((f x)))\n(assert (= (f 1) 2))\n", []string{"rec"}},
		{"equality", "(declare-const x Int)(declare-const y Int)(assert (= x (* y 3)))(assert (> (+ x 1) x))", "", []string{"(* y 3)", ">"}},
		{"width", "(declare-const x (_ BitVec 32))(declare-fun f ((_ BitVec 32)) (_ BitVec 16))(assert (= ((_ extract 31 16) (bvmul x #x12345678)) (f x)))(assert (= (concat (f x) (f x)) x))", "(declare-const x (_ BitVec 2))\n(declare-fun f ((_ BitVec 2)) (_ BitVec 1))\n(assert (= ((_ extract 1 1) (bvmul x #b00)) (f x)))\n(assert (= (concat (f x) (f x)) x))\n", []string{"bvmul", "concat"}},
		{"format", "(declare-const x Float64)(declare-const m RoundingMode)(assert (fp.lt (fp.add m x (fp #b0 #b01111111111 #x0000000000000)) ((_ to_fp 11 53) m 0.5)))", "(declare-const x (_ FloatingPoint 2 3))\n(declare-const m RoundingMode)\n(assert (fp.lt (fp.add m x (fp #b0 #b01 #b00)) ((_ to_fp 2 3) m 0.5)))\n", nil},
		{"parameter", "(declare-fun f (Int Bool Int) Int)(declare-const y Int)(assert (= (f 1 true y) (f 2 false 3)))", "(declare-fun f (Int) Int)\n(declare-const y Int)\n(assert (= (f y) (f 3)))\n", []string{"y)", "3)"}},
		{"datatype", "(declare-datatypes ((T 0) (U 0)) (((a) (b (s Int) (u U)) (c)) ((d))))(declare-const x T)(assert ((_ is b) x))", "(declare-datatypes ((T 0)) (((b))))\n(declare-const x T)\n(assert ((_ is b) x))\n", nil},
		{"sort", "(declare-sort U 0)(declare-datatypes ((E 0)) (((e))))(declare-fun f (U E) U)(declare-const x U)(declare-const y E)(assert (= x (f x y)))", "(declare-sort U 0)\n(declare-datatypes ((E 0)) (((e))))\n(declare-fun f (Int Int) Int)\n(declare-const x Int)\n(declare-const y Int)\n(assert (= x (f x y)))\n", nil},
		{"operator", `(declare-const s String)(declare-const m RoundingMode)(assert (str.contains s (str.replace_all s "a" "b")))(assert (= m RTZ))`, "(declare-const s String)\n(declare-const m RoundingMode)\n(assert (= s (str.replace s \"a\" \"b\")))\n(assert (= m RNE))\n", nil},
		{"index", `(declare-const s String)(declare-const x (_ BitVec 16))(assert (str.in_re s ((_ re.loop 5 19) re.allchar)))(assert (= ((_ extract 11 8) x) #x3))`, "(declare-const s String)\n(declare-const x (_ BitVec 16))\n(assert (str.in_re s ((_ re.loop 0 0) re.allchar)))\n(assert (= ((_ extract 3 0) x) #x3))\n", []string{"re.loop"}},
		{"fresh", "(declare-const x Int)(assert (> (+ (* x x x) (div x 7 3) (mod x 5)) 2))", "(declare-const x Int)\n(declare-const v Int)\n(assert (> v 2))\n", []string{">", "2"}},
		{"logic", "(set-logic QF_UFBV)(declare-const x (_ BitVec 8))(assert (= x x))", "(set-logic QF_BV)\n(declare-const x (_ BitVec 8))\n(assert (= x x))\n", []string{"BV)"}},
		{"names", "(declare-sort Element 0)(declare-datatypes ((List 0)) (((nil_of_it) (insert (first_of Element) (rest List)))))(declare-fun list () List)(assert (= (first_of list) (first_of (rest list))))", "(declare-sort S 0)\n(declare-datatypes ((T 0)) (((c) (d (s S) (t T)))))\n(declare-fun a () T)\n(assert (= (s a) (s (t a))))\n", nil},
		{"order", "(declare-const x Int)(declare-const y Int)(assert (= (+ y 3 x) 7))", "(declare-const x Int)\n(declare-const y Int)\n(assert (= (+ x y 3) 7))\n", nil},
		{"names", "(declare-const first Int)(declare-const second Int)(assert (! (> first second) :named larger))(assert (=> larger (= first 1)))", "(declare-const a Int)\n(declare-const b Int)\n(assert (! (> a b) :named larger))\n(assert (=> larger (= a 1)))\n", nil},
		{"names", "(declare-const alpha Int)(declare-const |b c| Bool)(declare-fun |g h| (Int) Int)(assert (exists ((index Int)) (and |b c| (= index (|g h| alpha)))))", "(declare-const a Int)\n(declare-const p Bool)\n(declare-fun f (Int) Int)\n(assert (exists ((x Int)) (and p (= x (f a)))))\n", nil},
	} {
		t.Run(tc.pass, func(t *testing.T) {
			r := run(t, parse(t, tc.text), has(tc.keep...), tc.pass)
			if tc.want != "" {
				require.Equal(t, tc.want, string(r.Case.Text()))
			}
			require.Len(t, r.Stats.Passes, 1)
			require.Positive(t, r.Stats.Kept)
		})
	}
}

// TestNameWithinItself: no variable is eliminated where a name would come to stand for a term with itself in it.
func TestNameWithinItself(t *testing.T) {
	const text = "(declare-const x Int)\n(assert (! (> x 0) :named n))\n(assert (= x (ite n 1 2)))\n"
	r := run(t, parse(t, text), has(), "equality")
	require.Equal(t, text, string(r.Case.Text()))
	require.Zero(t, r.Stats.Kept)
}

// A core that cannot be reduced stays, and is all that stays.
func TestCore(t *testing.T) {
	var b strings.Builder
	b.WriteString("(declare-const x Int)\n(declare-const y Int)\n")
	for i := range 60 {
		if i%3 == 0 {
			b.WriteString("(assert (distinct (abs x) (* 3 y) 17))\n")
		} else {
			b.WriteString("(assert (and (> x 3) (< y 5) (or (= x y) (= y 7))))\n")
		}
	}
	c := parse(t, b.String())
	r := run(t, c, func(text string) bool { return strings.Count(text, "abs") >= 15 })
	require.Equal(t, 15, strings.Count(string(r.Case.Text()), "abs"))
	require.NotContains(t, string(r.Case.Text()), "*")
	require.Less(t, r.Stats.Tests, 900)
}

// The witness keeps sat true: the predicate here would accept anything with an equation in it, so without the witness
// the case would end as (assert (= 0 1)) or so.
func TestKeepsSatByWitness(t *testing.T) {
	c := parse(t, `(declare-const x Int)(declare-const y Int)(assert (and (> x 3) (= (* x y) 35)))(assert (distinct x 4))(check-sat)(assert (< y x 9))(check-sat)`)
	c.Expect = []smtlib.Answer{smtlib.Sat, smtlib.Sat}
	m, err := modelreader.Parse(c.Script, "((define-fun x () Int 7) (define-fun y () Int 5))")
	require.NoError(t, err)
	c.Witness = m
	holds := func(c *testcase.Case) bool {
		for i := range c.Script.CheckSats() {
			if c.ExpectAt(i) != smtlib.Sat {
				continue
			}
			ev := eval.New(c.Script.Arena, c.Witness)
			for _, a := range c.Script.AssertsAt(i) {
				if v, known := ev.Holds(a); !known || !v {
					return false
				}
			}
		}
		return true
	}
	r, err := reduce.Run(context.Background(), c, func(c *testcase.Case) bool {
		require.True(t, holds(c), "%s", c.Text())
		return has("(=", "(check-sat)", "*")(string(c.Text())) && len(c.Expect) > 0
	}, reduce.Options{Laws: laws})
	require.NoError(t, err)
	require.True(t, holds(r.Case))
	require.Equal(t, []smtlib.Answer{smtlib.Sat}, r.Case.Expect)
	require.Positive(t, r.Stats.Untrue)
	require.Less(t, len(r.Case.Text()), 80, "%s", r.Case.Text())
}

// Without a witness sat is kept by asserting less, and in no other way.
func TestKeepsSatWithoutWitness(t *testing.T) {
	c := parse(t, `(declare-const x Int)(assert (= x 3))(assert (> (* x x) 5))(check-sat)`)
	c.Expect = []smtlib.Answer{smtlib.Sat}
	r, err := reduce.Run(context.Background(), c, func(c *testcase.Case) bool { return has(">", "check")(string(c.Text())) }, reduce.Options{Laws: laws})
	require.NoError(t, err)
	require.Equal(t, "(declare-const a Int)\n(assert (> (* a a) 5))\n(check-sat)\n", strings.ReplaceAll(string(r.Case.Text()), "x", "a"))
}

func TestStopsAtItsBounds(t *testing.T) {
	c := parse(t, mixed)
	r, err := reduce.Run(context.Background(), c, func(*testcase.Case) bool { return true }, reduce.Options{Laws: laws, Tests: 1})
	require.NoError(t, err)
	require.Equal(t, 1, r.Stats.Tests)
	require.False(t, r.Stats.Done)

	ctx, cancel := context.WithCancel(context.Background())
	tests := 0
	r, err = reduce.Run(ctx, c, func(c *testcase.Case) bool {
		if tests++; tests == 5 {
			cancel()
		}
		return tests == 5 || has("str.len")(string(c.Text())) // the fifth reply must not count
	}, reduce.Options{Laws: laws})
	require.NoError(t, err)
	require.Equal(t, 5, tests)
	require.False(t, r.Stats.Done)

	_, err = reduce.Run(ctx, c, nil, reduce.Options{Laws: laws, Passes: []string{"nope"}})
	require.ErrorContains(t, err, `no pass is named "nope"`)
}

// A case that cannot be reduced is returned unchanged.
func TestNothingToDo(t *testing.T) {
	c := parse(t, mixed)
	r, err := reduce.Run(context.Background(), c, func(*testcase.Case) bool { return false }, reduce.Options{Laws: laws})
	require.NoError(t, err)
	require.Same(t, c, r.Case)
	require.True(t, r.Stats.Done)
	require.Zero(t, r.Stats.Kept)
}

// The same case and replies give the same result.
func TestDeterministic(t *testing.T) {
	var first string
	for range 3 {
		r := run(t, parse(t, mixed), has("forall"))
		if first == "" {
			first = string(r.Case.Text())
		}
		require.Equal(t, first, string(r.Case.Text()))
	}
}

// Recursive definitions are edited as a whole, and their names can change.
func TestRecursiveDefinition(t *testing.T) {
	c := parse(t, `(define-funs-rec ((even ((n Int)) Bool) (odd ((n Int)) Bool)) ((ite (= n 0) true (odd (- n 1))) (ite (= n (* 2 (abs n))) false (even (- n 1)))))
(declare-const k Int)(assert (and (> k 3) (even (+ k 1))))(check-sat)`)
	r := run(t, c, has("define-fun", "abs", "check-sat"))
	require.NotContains(t, string(r.Case.Text()), ">")
	require.NotContains(t, string(r.Case.Text()), "*")
}

// Depth does not matter, neither for the machine's stack nor for the number of tests.
func TestDeep(t *testing.T) {
	a := smt.NewArena()
	x := a.Const(a.Declare("x", nil, smt.SortInt))
	in := a.MustApp(smt.OpEq, a.MustApp(smt.OpAbs, x), a.Int64(1))
	for i := range 20000 {
		in = a.MustApp(smt.OpAnd, a.MustApp(smt.OpGt, x, a.Int64(int64(i))), a.Not(in))
	}
	s := &smtlib.Script{Arena: a, Commands: []smtlib.Command{smtlib.DeclareCommand(a, a.SymbolOf(x)), smtlib.AssertCommand(in)}}
	tests := 0
	r, err := reduce.Run(context.Background(), &testcase.Case{Script: s}, func(c *testcase.Case) bool {
		tests++
		return has("abs")(string(c.Text()))
	}, reduce.Options{Laws: laws})
	require.NoError(t, err)
	require.Less(t, len(r.Case.Text()), 60, "%.200s", r.Case.Text())
	require.Less(t, tests, 200)
}

// weightOf is the measure that reduction lowers.
func weightOf(s *smtlib.Script) int {
	return (&weight.Measure{Arena: s.Arena}).Commands(s.Commands)
}

// The logic of a reduced case allows its terms if the property holds in such a logic.
func TestTheLogicAllowsTheCase(t *testing.T) {
	for _, c := range []struct{ text, keep, logic string }{
		{"(set-logic QF_AUFLIA)(declare-fun f (Int) Int)(declare-const x Int)(assert (= (f x) x))(check-sat)", "(f ", "QF_UFIDL"},
		{"(set-logic QF_IDL)(declare-const a (Array Int Int))(declare-const x Int)(assert (= (select a x) (div x 2)))(check-sat)", "select", "QF_ALIA"},
		{"(set-logic QF_NIA)(declare-fun f (Int) Int)(declare-const x Int)(assert (= (f (* x x)) x))(check-sat)", "(f (*", "QF_UFLIA"},
		{"(set-logic QF_LRA)(declare-const b (_ BitVec 4))(assert (= b (bvneg b)))(check-sat)", "bvneg", "QF_BV"},
		{"(set-logic ALL)(declare-const x Int)(assert (< 0 x))(check-sat)", "<", "ALL"},
	} {
		r := run(t, parse(t, c.text), has(c.keep, "set-logic"))
		require.Equal(t, c.logic, r.Case.Script.Logic(), "%s\n%s", c.text, r.Case.Script.Text())
	}
	// If the case shows the property only in a logic that does not allow its terms, it keeps that logic.
	r := run(t, parse(t, "(set-logic QF_IDL)(declare-const a (Array Int Int))(assert (= (select a 0) 1))(check-sat)"), has("select", "QF_IDL"))
	require.Equal(t, "QF_IDL", r.Case.Script.Logic())
}
