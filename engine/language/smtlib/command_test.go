package smtlib

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// roundTrip reads a script, prints it, and requires that the text reads as the same commands and prints the same.
func roundTrip(t require.TestingT, src string) (*Script, string) {
	a := smt.NewArena()
	s, err := Parse("test.smt2", []byte(src), a)
	require.NoError(t, err, src)
	text := s.Text()
	again, err := Parse("printed.smt2", []byte(text), a)
	require.NoError(t, err, text)
	sameScript(t, a, s, again, text)
	require.Equal(t, text, again.Text())
	return s, text
}

// Each line is a command as it is read; behind => how it is printed, where that differs. A line that begins with
// blanks belongs to the script of the line before.
const commandCases = `
(set-logic QF_LIA)
(set-logic   QF_LIA ; comment
(set-option :produce-models true)
(set-option :smt.random_seed 7)
(set-info :status sat)
(set-info :smt-lib-version 2.7)
(set-info :flag)
(set-info :list (a (b "c ; d") |e ; f| :g))
(set-info :authors "A ""quoted"" name")
(declare-const x Int)
(declare-fun f (Int Bool) Real)
(declare-fun |a b| () Int)
(declare-fun |abc| () Int) => (declare-fun abc () Int)
(declare-fun |let| () Int)
(declare-fun || () Int)
(declare-sort U 0)
(declare-sort U) => (declare-sort U 0)
(declare-sort P 2)
(declare-sort-parameter X)
(declare-datatype Color ((red) (green)))
(declare-datatype List (par (X) ((nil) (cons (head X) (tail (List X))))))
(declare-datatypes ((Tree 1) (Forest 1)) ((par (X) ((node (value X) (children (Forest X))))) (par (Y) ((none) (more (first (Tree Y)) (rest (Forest Y)))))))
(declare-datatypes ((A 0)) ((mkA (n Int)))) => error
(declare-datatypes ((A 0)) (((mkA (n Int)))))
(declare-datatypes () ((L nil (cons (hd Int) (tl L))))) => (declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))
(declare-datatypes (T) ((Lst nil2 (insert (hd T) (tl Lst))))) => (declare-datatypes ((Lst 1)) ((par (T) ((nil2) (insert (hd T) (tl (Lst T)))))))
(declare-codatatypes ((Stream 0)) (((scons (shd Int) (stl Stream)))))
(define-const c Int 5)
(define-fun g ((x Int) (y Int)) Bool (< x y))
(define-fun half () Real 1) => (define-fun half () Real 1.0)
(define-fun-rec fac ((n Int)) Int (ite (<= n 0) 1 (* n (fac (- n 1)))))
(define-funs-rec ((ev ((n Int)) Bool) (od ((n Int)) Bool)) ((ite (= n 0) true (od (- n 1))) (ite (= n 0) false (ev (- n 1)))))
(define-sort Word () (_ BitVec 32))
(define-sort Map (K V) (Array K (Array Int V)))
(assert true)
(check-sat)
(check-sat-assuming (true (not true)))
(check-sat true) => (check-sat-assuming (true))
(check-sat-using (then simplify (using-params smt :timeout 5)))
(push 1)
(push) => (push 1)
(push 3) (pop 2) => (push 3)|(pop 2)
(reset)
(reset-assertions)
(get-model)
(get-value (true (+ 1 2)))
(get-unsat-core)
(get-unsat-assumptions)
(get-proof)
(get-proof sub)
(get-assertions)
(get-assignment)
(get-info :all-statistics)
(get-option :verbosity)
(echo "say ""hi"" ; no comment")
(exit)
(simplify (+ 1 2) :som true)
(minimize (+ 1 2) :id a)
(|unknown command| 1)
`

func TestCommands(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(commandCases), "\n") {
		src, want, differs := strings.Cut(line, " => ")
		switch {
		case !differs:
			want = strings.TrimSuffix(src, "   QF_LIA ; comment")
			if want != src {
				src, want = src+"\n)", "(set-logic QF_LIA)"
			}
		case want == "error":
			_, err := Parse("test.smt2", []byte(src), smt.NewArena())
			require.Error(t, err, src)
			continue
		}
		_, text := roundTrip(t, src)
		require.Equal(t, strings.ReplaceAll(want, "|(", "\n("), strings.TrimSuffix(text, "\n"))
	}
}

func TestSetInfoOnOneLine(t *testing.T) {
	s, text := roundTrip(t, "(set-info :source |first\r\nsecond ; \"third|)\n(set-info :x (a\n  ; gone\n b))(set-info :status unsat)")
	require.Equal(t, "(set-info :source |first second ; \"third|)\n(set-info :x (a b))\n(set-info :status unsat)\n", text)
	require.Equal(t, Unsat, s.Status())
}

func TestOtherBytes(t *testing.T) {
	_, text := roundTrip(t, "; caf\xc3\xa9 \xff\r\n(set-info :source |\xc3\xa9 \xff|)\r\n(assert (= \"\xe9\" \"\"))")
	require.Equal(t, "(set-info :source |\xc3\xa9 \xff|)\n(assert (= \"\\u{e9}\" \"\"))\n", text)
}

func TestQuotedSymbols(t *testing.T) {
	s, text := roundTrip(t, "(declare-fun x () Bool)(assert |x|)(assert x)(declare-fun |x y| () Bool)(assert |x y|)(assert (|and| x |x y|))")
	require.Equal(t, s.Commands[1].Terms, s.Commands[2].Terms)
	require.Contains(t, text, "(assert (and x |x y|))")
}

func TestUnknownSurvives(t *testing.T) {
	s, text := roundTrip(t, "(declare-const x Int)\n(assert (sep.wand (foo x 2) ((_ bar 1 y) x)))(declare-heap (Int Int))(assert sep.emp)(assert (as thing Bool))(assert (= x (foo (foo x))))")
	require.Equal(t, `(declare-const x Int)
(assert (sep.wand (foo x 2) ((_ bar 1 y) x)))
(declare-heap (Int Int))
(assert sep.emp)
(assert (as thing Bool))
(assert (= x (foo (foo x))))
`, text)
	var notes []string
	for _, n := range s.Notes {
		notes = append(notes, n.Msg)
	}
	require.Equal(t, []string{"unknown operator foo", "unknown indexed operator bar", "unknown operator sep.wand", "unknown command declare-heap",
		"unknown constant sep.emp", "unknown constant thing"}, notes)
	require.Equal(t, Pos{Line: 2, Col: 20, Offset: 41}, s.Notes[0].Pos)
}

func TestScopes(t *testing.T) {
	s, _ := roundTrip(t, `(declare-fun x () Int)(push 1)(declare-fun x () Bool)(declare-sort U 0)(assert x)(check-sat)
		(pop 1)(assert (= x 1))(push 1)(assert (< x 2))(check-sat-assuming ((> x 0)))(pop 1)(check-sat)`)
	a := s.Arena
	brief := func(ts []smt.Term) (out []string) {
		for _, x := range ts {
			out = append(out, a.Brief(x))
		}
		return out
	}
	require.Equal(t, 3, s.CheckSats())
	require.Equal(t, []string{"x"}, brief(s.AssertsAt(0)))
	require.Equal(t, []string{"(= x 1)", "(< x 2)", "(> x 0)"}, brief(s.AssertsAt(1)))
	require.Equal(t, []string{"(= x 1)"}, brief(s.AssertsAt(2)))
	require.Equal(t, []string{"(= x 1)"}, brief(s.Asserts()))
	_, err := Parse("t", []byte("(push 1)(declare-sort U 0)(pop 1)(declare-const u U)"), smt.NewArena())
	require.ErrorContains(t, err, "unknown sort U")
	roundTrip(t, "(set-option :global-declarations true)(push 1)(declare-sort U 0)(pop 1)(declare-const u U)")
	_, err = Parse("t", []byte("(declare-const u Int)(reset)(assert (= u 1))"), smt.NewArena())
	require.ErrorContains(t, err, "unknown constant u")
}

func TestExitEndsTheAsserts(t *testing.T) {
	s, _ := roundTrip(t, "(assert true)(exit)(assert false)")
	require.Len(t, s.Asserts(), 1)
}

func TestScriptHelpers(t *testing.T) {
	s, _ := roundTrip(t, `(set-info :status sat)(set-option :produce-models false)(set-logic QF_LIA)(declare-const x Int)
		(assert (> x 0))(check-sat)(get-model)(exit)`)
	require.Equal(t, "QF_LIA", s.Logic())
	require.Equal(t, Sat, s.Status())
	require.Len(t, s.Declarations(), 1)
	w := s.WithOption(":produce-models", "true")
	require.Equal(t, "(set-option :produce-models true)", w.CommandText(0))
	require.Contains(t, w.Text(), "(set-option :produce-models true)")
}

func TestScopeReadsTerms(t *testing.T) {
	a := smt.NewArena()
	s, err := Parse("t", []byte("(set-logic QF_LRA)(declare-fun f (Real) Real)(define-sort R () Real)(assert (! true :named n))"), a)
	require.NoError(t, err)
	x, err := ParseTerm(a, s, "(f 1)")
	require.NoError(t, err)
	require.Equal(t, "(f 1.0)", a.Brief(x))
	_, err = ParseTerm(a, s, "(and n n) true")
	require.ErrorContains(t, err, "term:1:11: expected the end of the term, found `true`")
	r, err := ParseSort(a, s, "(Array R Int)")
	require.NoError(t, err)
	require.Equal(t, "(Array Real Int)", a.SortString(r))
	sc := s.Scope()
	defer sc.Close()
	m := sc.Mark()
	sc.BindVar(a.Var("v", smt.SortReal))
	_, err = sc.Term("(forall ((w Int)) (= v (g w)")
	require.ErrorContains(t, err, "this ( has no )")
	v, err := sc.Term("(f v)")
	require.NoError(t, err)
	require.Equal(t, []smt.Term{a.Var("v", smt.SortReal)}, a.FreeVars(v))
	sc.Reset(m)
	_, err = sc.Term("w")
	require.ErrorContains(t, err, "unknown constant w")
	_, err = sc.Term("v")
	require.ErrorContains(t, err, "unknown constant v")
	sc.Lenient = true
	_, err = sc.Term("(= (as @a1 Int) v)")
	require.NoError(t, err)
	cmds, err := sc.Commands("(define-fun h ((k Real)) Real (+ k 1)) (declare-fun U!0 () Real)")
	require.NoError(t, err)
	require.Len(t, cmds, 2)
	_, err = sc.Term("(= (h 1) U!0)")
	require.NoError(t, err)
}

func TestScopeSurvivesRelease(t *testing.T) {
	a := smt.NewArena()
	s, err := Parse("t", []byte("(declare-fun x () Int)"), a)
	require.NoError(t, err)
	sc := s.Scope()
	for i := range 3 {
		m := a.Mark()
		if i == 1 {
			a.Str([]rune("something else"))
		}
		x, err := sc.Term("(+ x 1)")
		require.NoError(t, err)
		require.Equal(t, "(+ x 1)", a.Brief(x))
		a.Release(m)
	}
}

func TestScopeFollowsCommands(t *testing.T) {
	a := smt.NewArena()
	s, err := Parse("t", []byte(`(set-logic QF_UFLRA)(declare-sort U 0)(declare-sort-parameter X)(define-sort M (K) (Array K Real))
		(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (hd T) (tl (L T)))))))(define-fun-rec g ((x Real)) Real (g x))
		(push 1)(declare-const p Bool)(define-const c Real 1)(push 2)(declare-const q Bool)(pop 1)(pop 1)(assert (! p :named n))`), a)
	require.NoError(t, err)
	sc := s.Scope()
	for _, text := range []string{"(= (g c) 1)", "(and p n)", "(= (as nil (L U)) (cons (hd (as nil (L U))) (as nil (L U))))", "(forall ((m (M U)) (x X)) true)"} {
		_, err := sc.Term(text)
		require.NoError(t, err)
	}
	_, err = sc.Term("q")
	require.ErrorContains(t, err, "unknown constant q")
	sc.Add(&Command{Kind: CmdPop, N: 1})
	_, err = sc.Term("p")
	require.ErrorContains(t, err, "unknown constant p")
	sc.Add(&Command{Kind: CmdReset})
	_, err = sc.Sort("U")
	require.ErrorContains(t, err, "sort:1:1: unknown sort U")
	x, err := sc.Term("1")
	require.NoError(t, err)
	require.Equal(t, smt.SortInt, a.Sort(x))
}

func TestMadeCommands(t *testing.T) {
	a := smt.NewArena()
	c, f := a.Declare("c", nil, smt.SortInt), a.Declare("f g", []smt.Sort{smt.SortInt}, smt.SortBool)
	x := a.Var("x", smt.SortInt)
	d, err := a.Define("d", []smt.Term{x}, smt.SortInt, a.MustApp(smt.OpAdd, x, a.Const(c)))
	require.NoError(t, err)
	fc, err := a.Apply(f, a.Const(c))
	require.NoError(t, err)
	s := &Script{Arena: a, Commands: []Command{DeclareCommand(a, c), DeclareCommand(a, f), DefineCommand(a, d), AssertCommand(fc), {Kind: CmdCheckSat}}}
	require.Equal(t, "(declare-const c Int)\n(declare-fun |f g| (Int) Bool)\n(define-fun d ((x Int)) Int (+ x c))\n(assert (|f g| c))\n(check-sat)\n", s.Text())
}

func TestAnswers(t *testing.T) {
	for _, a := range []Answer{Sat, Unsat, Unknown} {
		got, ok := ParseAnswer(a.String())
		require.True(t, ok)
		require.Equal(t, a, got)
		require.Equal(t, a != Unknown, a.Decided())
	}
	_, ok := ParseAnswer("none")
	require.False(t, ok)
}

// TestWideInputs reads inputs that would take minutes if any part of reading or printing took quadratic time.
func TestWideInputs(t *testing.T) {
	const n = 20000
	each := func(format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "$", strconv.Itoa(i)))
		}
		return b.String()
	}
	rep := strings.Repeat
	for name, src := range map[string]string{
		"datatypes":   "(declare-datatypes (" + each("(D$ 0)") + ") (" + each("((c$ (s$ D$)) (n$))") + "))",
		"definitions": "(define-funs-rec (" + each("(f$ ((x Int)) Int)") + ") (" + each("(f$ x)") + "))",
		"names":       "(assert " + rep("(let ((x true)) ", n) + "(and true" + each(" (! true :named n$)") + rep(")", n+2),
		"unknown":     each("(assert (foo$ 1))\n"),
		"clashes":     "(declare-fun x () Int)(assert (and (= x 1) " + rep("(forall ((x Int)) (exists ((x Bool)) ", n/2) + "x" + rep("))", n/2) + "))",
		"variables":   "(assert (forall (" + each("(x$ Int)") + ") (and" + each("(= x$ 1)") + ")))",
		"binders":     "(assert " + each("(forall ((x$ Int)) ") + "(and" + each("(= x$ 1)") + rep(")", n+2),
		"cases":       "(declare-datatype D (" + each("(c$)") + "))(declare-fun d () D)(assert (match d (" + each("(c$ true)") + ")))",
		"overloads":   each("(declare-fun f ((_ BitVec 1$)) Bool)(declare-fun x$ () (_ BitVec 1$))"),
		"numeral":     "(assert (= 1 " + rep("7", n) + "))",
		"decimal":     "(assert (= 1.0 0." + rep("7", n) + "))",
	} {
		t.Run(name, func(t *testing.T) {
			roundTrip(t, src)
		})
	}
}
