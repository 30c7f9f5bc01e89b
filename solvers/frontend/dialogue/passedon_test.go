package dialogue_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/dialogue"
)

// choosing is a solver whose answer is unsat where somebody speaks of a choice.
func choosing(t *testing.T) []solvers.Target {
	return []solvers.Target{fakeTarget(t, "choosing", "--plant=choice:wrong")}
}

// chosen has an assertion that is not understood here.
const chosen = "(declare-fun p (Int) Bool)(assert (p 3))(push 1)(assert (not (p (choice ((x Int) y) (p x)))))"

// TestPassedOn checks that assertions that only the solver understands are passed on to it in every mode, and reported
// once.
func TestPassedOn(t *testing.T) {
	for _, mode := range []frontend.Mode{frontend.Incremental, frontend.Batch, frontend.Cached} {
		var events []string
		o := frontend.Options{Mode: mode, Notify: func(e frontend.Event) { events = append(events, string(e.Kind)+": "+e.Message) }}
		got := talk(t, o, choosing(t), "(check-sat)"+chosen+"(check-sat)(get-info :smtlark-passed-on)"+chosen[strings.Index(chosen, "(assert (not"):]+"(check-sat)(pop 1)(get-info :smtlark-passed-on)(reset)(check-sat)")
		require.Equal(t, "sat\nunsat\n(:smtlark-passed-on 1)\nunsat\n(:smtlark-passed-on 0)\nsat\n", got, mode)
		require.Len(t, events, 1, "%v", events)
		require.Regexp(t, `^passed on: line 1 column \d+: .*; it stands as it is, and as long as it does, answers are those of the solver below, unchecked$`, events[0])
	}
}

// TestPassedOnIsBegun: who keeps a log of the commands has those that were passed on, and none that were refused.
func TestPassedOnIsBegun(t *testing.T) {
	s, err := frontend.New(smt.NewArena(), choosing(t), frontend.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	var out bytes.Buffer
	d := dialogue.New(s, strings.NewReader("(declare-const x Int)(assert (= x yonder))(push y)(include \"z\")(check-sat)"), &out)
	var begun []string
	d.Began = func(text []byte) { begun = append(begun, string(text)) }
	require.NoError(t, d.Run(context.Background()))
	require.Equal(t, []string{"(declare-const x Int)", "(assert (= x yonder))", "(check-sat)"}, begun, out.String())
}

// TestPassedOnDeclarations: names that are not known here are those of the solver below, also for values.
func TestPassedOnDeclarations(t *testing.T) {
	got := talk(t, frontend.Options{}, choosing(t), "(declare-const n (Tray Int))(assert (is-empty n))(check-sat)(get-value ((size n)))(define-fun both ((m (Tray Int))) Bool (is-two m))(assert (both n))(assert (choice n))(check-sat)(get-info :smtlark-passed-on)")
	require.Regexp(t, `^sat\n\(.*\)\nunsat\n\(:smtlark-passed-on 5\)\n$`, got)
}

// TestPassedOnIsUnchecked: no answer is confirmed, taken from the cache or raced for as long as something stands that
// is not understood.
func TestPassedOnIsUnchecked(t *testing.T) {
	got := talk(t, frontend.Options{Check: true}, []solvers.Target{fakeTarget(t, "fake")}, "(declare-fun p (Int) Bool)(assert (p (pick x)))(check-sat)(get-info :reason-unknown)")
	require.Equal(t, "unknown\n(:reason-unknown \"fake says sat, but the problem has commands that only a solver understands\")\n", got)
	// Two members, of which the first does not read it.
	got = talk(t, frontend.Options{Portfolio: true}, append(targetsOf(t, "z3"), choosing(t)...), chosen+"(check-sat)")
	require.Equal(t, "unsat\n", got)
}

// TestPassedOnAssumptions: assumptions that are not understood here are those of the solver below, and known by the
// client's words. z3 takes true for 1 where it wants a number.
func TestPassedOnAssumptions(t *testing.T) {
	got := talk(t, frontend.Options{}, targetsOf(t, "z3-5.4.1"), `(set-option :produce-unsat-assumptions true)(declare-fun p (Int) Bool)(declare-const q Bool)(assert (p 3))
(push 1)(check-sat-assuming (q (not (p (+ 2 true)))))(get-unsat-assumptions)(check-sat-assuming (q (p (+ 2 true))))(get-model)(get-info :smtlark-passed-on)(pop 1)
(check-sat-assuming (q))(get-info :smtlark-passed-on)(check-sat-assuming ((p nosuch)))`)
	require.Equal(t, `unsat
((not (p (+ 2 true))))
sat
(
  (define-fun q () Bool true)
  (define-fun p ((x!0 Int)) Bool true)
)
(:smtlark-passed-on 4)
sat
(:smtlark-passed-on 0)
(error "line 3 column 78: unknown constant nosuch: neither declared nor an operator")
`, got)
}

// TestRefusedByAll: what no solver takes is refused with the place, and changes nothing.
func TestRefusedByAll(t *testing.T) {
	got := talk(t, frontend.Options{}, targetsOf(t, "z3"), "(declare-const p Bool)\n(assert (p nosuch))\n(assert p)(check-sat)(get-value ((p nosuch)))(include \"x\")(push x)(get-info :smtlark-passed-on)")
	require.Equal(t, `(error "line 2 column 12: unknown constant nosuch: neither declared nor an operator")
sat
(error "line 3 column 37: unknown constant nosuch: neither declared nor an operator")
(error "line 3 column 46: include reads another file; put its content here")
(error "line 3 column 65: expected a numeral, found `+"`x`"+`")
(:smtlark-passed-on 0)
`, got)
}

// TestSeparationLogic checks that problems that a solver cannot handle incrementally are sent whole each time.
func TestSeparationLogic(t *testing.T) {
	const heap = "(set-logic ALL)(declare-heap (Int Int))(declare-const x Int)(declare-const y Int)(assert (sep (pto x 1) (pto y 2)))"
	got := talk(t, frontend.Options{}, targetsOf(t, "cvc5"), heap+"(check-sat)(push 1)(assert (= x y))(check-sat)(pop 1)(check-sat)(reset)(declare-const p Bool)(assert p)(check-sat)(get-value (p))")
	require.Equal(t, "sat\nunsat\nsat\nsat\n((p true))\n", got)
}

// TestWordsOfTheClient checks that a solver gets the client's text unchanged, even if the front end names assertions.
func TestWordsOfTheClient(t *testing.T) {
	for _, mode := range []frontend.Mode{frontend.Incremental, frontend.Cached} {
		// z3 knows no @ and no partial application, and reads a lambda as an array.
		got := talk(t, frontend.Options{Mode: mode}, targetsOf(t, "z3"), `(declare-const a (Array Int Int)) ; an array
(define-sort Word () Int)(declare-fun rank ((Array Int Int)) Word)
(push 1)
(assert ; it is
  (= a (lambda ((i Int)) (* 2 i))) ; doubled
)
(assert (distinct (select a 3) 6))
(check-sat)(pop 1)(check-sat)`)
		require.Equal(t, "unsat\nsat\n", got, mode)
	}
}
