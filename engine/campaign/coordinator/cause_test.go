package coordinator

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/backtrace"
)

// crashes are the parts of a campaign that is shown one crash after the other.
type crashes struct {
	t *testing.T
	*parts
	store *joining
	n     uint64
}

func newCrashes(t *testing.T) *crashes {
	x := &crashes{t: t, store: &joining{}}
	plan := &finding.Plan{Reduces: true, Targets: []finding.Target{{Name: "a", Solver: "cvc5-1.4.2", Version: "1.4.2"}, {Name: "b", Solver: "libcvc5-1.4.2", Version: "1.4.2"}}}
	x.parts = newParts(plan, x.store)
	x.s.ledger.Tally = metrics.Tally{Cases: 100, With: map[string]float64{"+": 90}}
	return x
}

func (x *crashes) verdict(target, message, script string) *finding.SignedVerdict {
	parsed, err := smtlib.Parse("case", []byte(script+"(check-sat)"), smt.NewArena())
	require.NoError(x.t, err)
	v := oracle.Verdict{Oracle: "crash", Kind: oracle.KindCrash, Class: solvers.Crash, Target: target, Targets: []string{target}, Message: message}
	return &finding.SignedVerdict{Verdict: v, Signature: triage.Of(&v, x.s.plan.Signed()), Operators: triage.Operators(parsed)}
}

// see lets a verdict come, be confirmed with a stack of functions, and be reduced to its own case.
func (x *crashes) see(target, message, script string, functions ...string) {
	x.n++
	v := x.verdict(target, message, script)
	parsed, err := smtlib.Parse("case", []byte(script+"(check-sat)"), smt.NewArena())
	require.NoError(x.t, err)
	text := (&testcase.Case{Script: parsed, Origin: testcase.Origin{Number: x.n}}).Wire()
	x.s.takeVerdict(v, &wire.CaseResult{N: x.n, Case: text})
	x.s.nextCandidates()
	g := x.s.queue.nextConfirm(always)
	if g == nil {
		return
	}
	var stack *backtrace.CallStack
	if len(functions) > 0 {
		stack = &backtrace.CallStack{Signal: "SIGSEGV"}
		for _, f := range functions {
			stack.Frames = append(stack.Frames, backtrace.Frame{Function: f, Module: "libcvc5.so"})
		}
	}
	x.s.takeConfirmation(g, &wire.Confirmed{Repetitions: wire.Repetitions{Hits: 3, Tries: 3}, Stack: stack}, "")
	if x.s.queue.nextReduce(always) != nil {
		x.s.takeReduction(g, &wire.Reduced{Smallest: wire.Smallest{Case: text}}, false, "")
	}
}

// Crashes of cvc5 1.4.2 after int.pow2, as four minutes of walks found them: one finding in the place of eight,
// whatever call died of them in the program and in the library.
func TestCrashesInOnePlaceAreOne(t *testing.T) {
	x := newCrashes(t)
	const p = "(declare-const x Int)"
	x.see("b", "SIGSEGV in cvc5_check_sat", p+"(assert (= x (int.log2 (int.pow2 384))))", "getLiteral()", "lookupValue()", "getNextJustifyNode()")
	x.see("b", "SIGSEGV in cvc5_check_sat_assuming", p+"(assert (= x (div (int.pow2 512) x)))", "getLiteral()", "lookupValue()", "getNextJustifyNode()")
	x.see("a", "SIGSEGV", p+"(assert (= x (mod (int.pow2 512) x)))", "getLiteral()", "lookupValue()", "getNextJustifyNode()")
	require.Equal(t, 1, x.s.stats.Findings.New)
	require.Equal(t, 1, x.store.saved)
	require.Equal(t, 3, x.s.ledger.Groups()[0].Finding.Count)
	require.Empty(t, x.store.joined, "nothing was reduced in vain")
	// Its callers differ where its cases do.
	x.see("b", "SIGSEGV in cvc5_check_sat", p+"(assert (= x (abs (int.pow2 512))))", "getLiteral()", "lookupValue()", "getNextInternal()")
	require.Equal(t, 1, x.s.stats.Findings.New)
	require.Len(t, x.store.joined, 1)
	x.see("b", "SIGSEGV in cvc5_check_sat", p+"(assert (= x (abs (int.log2 x))))", "toInteger()", "rewrite()")
	require.Equal(t, 2, x.s.stats.Findings.New, "another place")
	// Without a stack the one operator tells that both need.
	x.see("b", "SIGSEGV in cvc5_mk_term", p+"(assert (= x (+ 1 (int.pow2 512))))")
	require.Equal(t, 2, x.s.stats.Findings.New)
	require.Len(t, x.store.joined, 2)
	x.see("b", "SIGSEGV in cvc5_mk_term", p+"(assert (= x (+ 1 x)))")
	require.Equal(t, 3, x.s.stats.Findings.New, "they share what nearly every case has")
	// A library ends where it was called, a program goes on.
	x.see("a", "SIGSEGV", p+"(assert (= x (abs (int.log2 (div x x)))))", "toInteger()", "rewrite()", "main")
	require.Equal(t, 3, x.s.stats.Findings.New)
	// From then on they are known in every call.
	count := x.s.ledger.Groups()[0].Finding.Count
	for _, message := range []string{"SIGSEGV", "SIGSEGV in cvc5_check_sat", "SIGSEGV in cvc5_check_sat_assuming"} {
		target := "b"
		if message == "SIGSEGV" {
			target = "a"
		}
		x.see(target, message, p+"(assert (= x (int.log2 (int.pow2 999))))", "getLiteral()", "lookupValue()", "getNextJustifyNode()")
	}
	require.Equal(t, count+3, x.s.ledger.Groups()[0].Finding.Count)
	require.Equal(t, 3, x.s.stats.Findings.New)
}

// A finding that hides another cause behind its place is suppressed by its shape, and the other one gets out.
func TestBehindASuppressedShape(t *testing.T) {
	for _, suppressed := range []bool{false, true} {
		x := newCrashes(t)
		if suppressed {
			x.s.plan.Shapes = [][]string{{"int.pow2"}}
		}
		const p = "(declare-const x Int)"
		x.see("a", "SIGSEGV", p+"(assert (= x (int.pow2 384)))", "getLiteral()", "lookupValue()")
		x.see("a", "SIGSEGV", p+"(assert (= x (div x x)))", "getLiteral()", "lookupValue()")
		x.see("a", "SIGSEGV", p+"(assert (= x (mod x x)))", "getLiteral()", "lookupValue()")
		want := 1
		if suppressed {
			want = 2
		}
		require.Equal(t, want, x.s.stats.Findings.New)
		require.Empty(t, x.store.joined)
	}
}

// A finding of the store whose stack could not be unwound is known by its stack once it was looked at again.
func TestAKnownFindingGetsItsStack(t *testing.T) {
	x := newCrashes(t)
	v := x.verdict("b", "SIGSEGV in cvc5_check_sat", "(declare-const b (_ BitVec 3))(assert (bvslt b b))")
	f := &finding.Finding{SignedVerdict: finding.SignedVerdict{Verdict: v.Verdict, Signature: v.Signature.Refine([]string{"bvslt"})}, Number: 7, Dir: "7", Known: true, Plan: x.s.plan}
	x.s.ledger.AddKnown(f)
	require.NotNil(t, x.s.ledger.Group(v.Signature.Key), "before its case was reduced")
	x.see("b", "SIGSEGV in cvc5_check_sat", "(declare-const b (_ BitVec 3))(assert (bvslt b b))")
	require.Equal(t, 0, x.s.stats.Findings.New)
	require.Equal(t, 1, x.s.stats.Findings.Known)
	again := *f
	again.Case = &testcase.Wire{}
	x.s.stillThere(&again, &backtrace.CallStack{Signal: "SIGSEGV", Frames: []backtrace.Frame{{Function: "f()"}, {Function: "g()"}}})
	x.see("a", "SIGSEGV", "(declare-const b (_ BitVec 3))(assert (= b (bvudiv b b)))", "f()", "g()")
	require.Equal(t, 0, x.s.stats.Findings.New)
	second := *f
	second.Number, second.Dir = 8, "8"
	second.Signature.Key, second.Signature.Text = "other", "crash | cvc5 | crash | SIGSEGV in cvc5_get_values | reduced to bvadd"
	x.s.ledger.AddKnown(&second)
	second.Plan, second.Case = x.s.plan, &testcase.Wire{}
	x.s.stillThere(&second, &backtrace.CallStack{Signal: "SIGSEGV", Frames: []backtrace.Frame{{Function: "f()"}, {Function: "g()"}}})
	require.Equal(t, []string{"8 into 7: they died in the same functions: f < g"}, x.store.joined)
	x.see("a", "SIGSEGV", "(declare-const b (_ BitVec 3))(assert (= b (bvurem b b)))", "f()", "h()")
	require.Equal(t, 1, x.s.stats.Findings.New)
}

// A reduction whose worker dies is tried once more: the campaign finds the same as without the death. The second time
// the finding stays as it is, and says why.
func TestLostReduction(t *testing.T) {
	x := newCrashes(t)
	v := x.verdict("a", "", `(declare-const x Int)(assert (= x (+ x 1)))`)
	x.s.takeVerdict(v, &wire.CaseResult{N: 1, Case: &testcase.Wire{}})
	g := x.s.queue.nextConfirm(always)
	x.s.lostConfirm(g, "killed")
	require.Same(t, g, x.s.queue.nextConfirm(always))
	x.s.takeConfirmation(g, &wire.Confirmed{Repetitions: wire.Repetitions{Hits: 1, Tries: 1}}, "")
	require.Same(t, g, x.s.queue.nextReduce(always))
	x.s.lostReduction(g, "killed", false)
	require.Zero(t, x.s.queue.reducing)
	require.Same(t, g, x.s.queue.nextReduce(always), "also where a confirmation was lost before")
	x.s.lostReduction(g, "killed", false)
	require.Nil(t, x.s.queue.nextReduce(always))
	require.Equal(t, "its worker died: killed", g.Finding.Reduced.Reason)
}
