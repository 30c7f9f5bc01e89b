package eval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// script reads the text of a script.
func script(t *testing.T, text string) *smtlib.Script {
	t.Helper()
	s, err := smtlib.Parse("s", []byte(text), smt.NewArena())
	require.NoError(t, err)
	return s
}

// A definition that needs its own value is unknown, in bounded memory, whatever it has beside it.
func TestEndlessDefinitions(t *testing.T) {
	for _, text := range []string{
		"(define-fun-rec b () Bool b)(assert b)",
		"(define-funs-rec ((a () Bool) (b () Bool)) ((and b b) (or (not a) a)))(assert a)",
		"(define-fun-rec n () Int (+ n n 1))(assert (= n 0))",
		"(define-fun-rec f ((x Int)) Int (+ (f (+ x 1)) (f (+ x 2))))(assert (= (f 0) 0))",
		`(define-fun-rec f ((s String)) String (f (str.++ s s "a")))(assert (= (f "b") "c"))`,
		"(define-fun-rec b () Bool (forall ((x Bool)) (or x b)))(assert b)",
	} {
		s := script(t, text)
		v := eval.CheckTerms(eval.New(s.Arena, nil), s.Asserts())
		require.Equal(t, value.Unknown, v.Result, text)
		require.Regexp(t, "too large|nest more than", v.Reason, text)
	}
	s := script(t, "(define-fun-rec b () Bool (or true b))(assert b)")
	require.Equal(t, value.True, eval.CheckTerms(eval.New(s.Arena, nil), s.Asserts()).Result, "it is true without its own value")
}

// The budget is that of a question, not of each of its assertions, and what asks nothing of it has a value all the
// same.
func TestBudgetIsOfAQuestion(t *testing.T) {
	const hard = "(forall ((x (_ BitVec 12))) (= (bvmul x x (_ bv%d 12)) (bvmul (_ bv%d 12) x x)))"
	var b strings.Builder
	const assertions = 40
	for i := range assertions {
		fmt.Fprintf(&b, "(assert "+hard+")", 2*i+1, 2*i+1)
	}
	b.WriteString("(assert (= 1 1))")
	s := script(t, b.String())
	ev := eval.New(s.Arena, nil)
	ev.Limits.Steps = 1 << 16
	known := 0
	for _, a := range s.Asserts() {
		if _, ok := ev.Holds(a); ok {
			known++
		}
	}
	require.Equal(t, assertions+1, known, "each by itself")
	ev.Reset(nil)
	before := ev.Visited()
	v := eval.CheckTerms(ev, s.Asserts())
	require.Equal(t, value.Unknown, v.Result)
	require.Contains(t, v.Reason, "the budget of steps for one question is spent")
	require.Positive(t, v.Assert)
	require.Less(t, ev.Visited()-before, int64(1<<19), "and nothing is spent on the rest")
	b.WriteString("(assert (= 1 2))")
	s = script(t, b.String())
	ev = eval.New(s.Arena, nil)
	ev.Limits.Steps = 1 << 16
	require.Equal(t, value.False, eval.CheckTerms(ev, s.Asserts()).Result, "a later assertion without quantifiers decides")
}

// The cost of products and fractions of large numbers grows with their size, also outside of definitions.
func TestLargeNumbersCost(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "(define-fun n0 () Int %s)", strings.Repeat("7", 90000))
	for i := range 2000 {
		fmt.Fprintf(&b, "(define-fun n%d () Int (mod (+ (* n%d n%d) 12345) (+ n0 %d)))", i+1, i, i, 2*i+1)
	}
	b.WriteString("(assert (> n2000 1))")
	s := script(t, b.String())
	v := eval.CheckTerms(eval.New(s.Arena, nil), s.Asserts())
	require.Equal(t, value.Unknown, v.Result)
	require.Contains(t, v.Reason, "the budget of steps for one question is spent")
}

// Questions with one allowance take no more together than it has, by whatever evaluator: later ones are unknown.
func TestAllowance(t *testing.T) {
	var b strings.Builder
	b.WriteString("(declare-const p Bool)")
	for k := range 60 {
		fmt.Fprintf(&b, "(assert (forall ((x (_ BitVec 14)) (y (_ BitVec 2))) (distinct (bvadd x ((_ zero_extend 12) y) #b%014b) (bvsub x #b00000000000001))))", k)
	}
	s, err := smtlib.Parse("many", []byte(b.String()+"(check-sat)"), smt.NewArena())
	require.NoError(t, err)
	all := eval.NewAllowance(1 << 18)
	unknown := 0
	for _, x := range s.Asserts() {
		ev := eval.New(s.Arena, model.New(s.Arena))
		ev.Limits.All = all
		before := all.Left()
		v := eval.CheckTerms(ev, []smt.Term{x})
		if v.Result == value.Unknown {
			unknown++
			require.Contains(t, v.Reason, "is spent")
		}
		if before < 0 {
			require.Equal(t, value.Unknown, v.Result, "nothing was left")
		}
	}
	require.Negative(t, all.Left())
	require.Greater(t, unknown, 30)
}

// Terms outside of functions and quantifiers are cheap, but their costs add up, too.
func TestAllowanceOfPlainTerms(t *testing.T) {
	var b strings.Builder
	b.WriteString("(declare-const x Int)(assert (> (+ x 0")
	for k := range 40000 {
		fmt.Fprintf(&b, " (* x %d)", k+1)
	}
	b.WriteString(") 0))(check-sat)")
	s, err := smtlib.Parse("plain", []byte(b.String()), smt.NewArena())
	require.NoError(t, err)
	ev := eval.New(s.Arena, model.New(s.Arena))
	ev.SetCompletion(true)
	ev.Limits.All = eval.NewAllowance(1000)
	v := eval.CheckTerms(ev, s.Asserts())
	require.Equal(t, value.Unknown, v.Result)
	require.Contains(t, v.Reason, "for all questions about the file is spent")
}

// An evaluator goes on knowing values however many large ones it has had: those that it forgot do not count.
func TestLargeValuesForgotten(t *testing.T) {
	s := script(t, "(set-logic ALL)")
	ev := eval.New(s.Arena, nil)
	ev.Limits.Words = 256
	for n := range 100 {
		text := fmt.Sprintf("(assert (= (bvnot (_ bv%d 4096)) (bvnot (_ bv%d 4096))))", n, n)
		own, err := smtlib.Parse("s", []byte(text), s.Arena)
		require.NoError(t, err)
		holds, known := ev.Holds(own.Asserts()[0])
		require.True(t, holds && known, n)
	}
	require.False(t, ev.FitsOneQuestion(), "all of them together are larger than one question may be")
	fresh := eval.New(s.Arena, nil)
	fresh.Holds(s.Arena.True())
	require.True(t, fresh.FitsOneQuestion())
}
