package native

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/solvers/rule"
)

// sharing are scripts that use the same names differently, or use state that is kept with a context: proofs, operators
// made by the parser.
var sharing = []string{
	`(set-option :produce-models true)(declare-datatypes ((D 0)) (((red) (box (v Int)))))(declare-const x D)
	 (assert (= x (box 7)))(check-sat)(get-value (x (v x)))(get-model)`,
	`(set-option :produce-models true)(declare-datatypes ((D 0)) (((nil) (red (w Bool) (v D)))))(declare-const x D)
	 (assert (= x (red true (red false nil))))(check-sat)(get-value (x (v x) (w x)))(get-model)`,
	`(set-option :produce-models true)(declare-datatypes ((P 1)) ((par (T) ((mk (a T) (b T))))))(declare-const x (P Int))
	 (declare-const D Bool)(assert (= x (mk 1 2)))(assert D)(check-sat)(get-value (x (b x) D))(get-model)`,
	`(set-option :produce-models true)(declare-sort D 0)(declare-const x D)(declare-const y D)(declare-fun f (D) Int)
	 (assert (and (= (f x) 3) (= (f y) 4)))(check-sat)(get-value ((f x) (= x y)))`,
	`(set-option :produce-models true)(declare-const s String)(assert (= s (str.replace_all "aba" "a" "cc")))
	 (check-sat)(get-value (s))`,
	`(declare-const x Int)(assert (< 3 x 9))(push 1)(minimize x)(pop 1)(maximize x)(assert-soft (< x 5) :weight 2 :id g)(check-sat)(get-objectives)`,
	`(set-option :produce-proofs true)(declare-const p Bool)(assert (and p (not p)))(check-sat)`,
}

// TestContextsAreShared checks that declarations of a run in a shared z3 context do not change replies of other runs.
func TestContextsAreShared(t *testing.T) {
	for _, s := range libraries(t, false) {
		if s.Profile.Name != "z3" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			var want []*solvers.Run
			shared := New(s, process.TargetOptions{})
			defer shared.Close()
			for round := range 4 {
				for i, text := range sharing {
					script, err := smtlib.Parse("x", []byte(text), smt.NewArena())
					require.NoError(t, err)
					q := solvers.FromScript(script)
					if round == 0 {
						alone := New(s, process.TargetOptions{})
						want = append(want, alone.Run(context.Background(), q, solvers.Limits{Wall: 10 * time.Second}))
						alone.Close()
						require.True(t, slices.ContainsFunc(want[i].Answers, smtlib.Answer.Decided), "%s: %s", want[i].Class, want[i].Message)
					}
					run := shared.Run(context.Background(), q, solvers.Limits{Wall: 10 * time.Second})
					require.Equal(t, want[i].Class, run.Class, run.Message)
					require.Equal(t, want[i].Answers, run.Answers, text)
					require.Equal(t, want[i].Values, run.Values, text)
				}
			}
		})
	}
}

// TestParametersOfAnyKindOfSolver: a run makes one of several kinds of solvers of z3, and not each of them has all
// parameters.
func TestParametersOfAnyKindOfSolver(t *testing.T) {
	for _, s := range libraries(t, true) {
		if s.Profile.Name != "z3" {
			continue
		}
		target := New(s, process.TargetOptions{})
		defer target.Close()
		options, err := Options(context.Background(), s)
		require.NoError(t, err)
		require.NotEmpty(t, options)
		for i, o := range options {
			if o.Kind != rule.Bool {
				continue
			}
			script, err := smtlib.Parse("x", fmt.Appendf(nil, "(set-option :%s true)(set-logic ALL)(declare-const x%d Int)(assert (< x%d 0))(check-sat)", o.Name, i, i), smt.NewArena())
			require.NoError(t, err)
			run := target.Run(context.Background(), solvers.FromScript(script), solvers.Limits{Wall: 10 * time.Second})
			require.NotContains(t, run.Message, "unknown parameter", "%s: %s", s.Name, o.Name)
		}
	}
}
