package api

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// scoped is an action made of actions: it asserts anything in a level of its own, and asks before, inside and after.
func scoped(t *testing.T) *Action {
	return &Action{Name: "scoped", Do: func(r *Walk) Outcome {
		r.Check(nil)
		if !r.Push(1) {
			return NotDone
		}
		for range 2 {
			if f := r.Gen.Build(smt.SortBool, 2); f != 0 {
				r.Assert(f)
			}
		}
		out, err := r.Perform("check-sat")
		require.NoError(t, err)
		require.Equal(t, Done, out)
		require.True(t, r.Pop(1))
		r.Check(nil)
		return Done
	}}
}

// TestActionsOfActions checks that the answers claimed around and inside of levels with arbitrary formulas are right.
func TestActionsOfActions(t *testing.T) {
	m := standard()
	m.AddAction(scoped(t))
	m.State("assert").On("scoped", 6, "")
	known, unknown := 0, 0
	for seed := range uint64(60) {
		cfg := &WalkConfig{Machine: m, Truth: ByBoth, Gen: gen.Config{Rules: gen.Exclusions{Kinds: []string{"cvc5"}}}}
		w, text := walkCase(t, seed, cfg)
		_, again := walkCase(t, seed, cfg)
		require.Equal(t, text, again)
		c, err := w.Case("case").Wire().Case(nil)
		require.NoError(t, err)
		for i, want := range c.Expect {
			v := eval.CheckTerms(eval.New(c.Script.Arena, c.Witness), c.Script.AssertsAt(i))
			switch want {
			case smtlib.Sat:
				known++
				require.Equal(t, value.True, v.Result, "seed %d, check %d: %s\n%s", seed, i, v.Text, text)
			case smtlib.Unsat:
				require.NotEqual(t, value.True, v.Result, "seed %d, check %d\n%s", seed, i, text)
			default:
				unknown++
			}
		}
	}
	require.Greater(t, known, 60)
	require.Greater(t, unknown, 30)
}

// TestNestedActionsAreCounted: a part of an action counts like an action of its own.
func TestNestedActionsAreCounted(t *testing.T) {
	m := standard()
	m.AddAction(scoped(t))
	m.State("assert").On("scoped", 30, "")
	m.SetWeight("check-sat", 0) // it comes up as a part alone
	done := 0
	for seed := range uint64(20) {
		w, _ := walkCase(t, seed, &WalkConfig{Machine: m, Truth: ByBoth, Gen: gen.Config{Rules: gen.Exclusions{Kinds: []string{"cvc5"}}}})
		part, whole := w.Stats["check-sat"], w.Stats["scoped"]
		if whole == nil || whole.Done == 0 {
			require.Nil(t, part)
			continue
		}
		require.Equal(t, whole.Done, part.Done)
		done += part.Done
	}
	require.Positive(t, done)
}

func TestPerformErrors(t *testing.T) {
	m := standard()
	m.AddAction(&Action{Name: "again", Do: func(r *Walk) Outcome {
		_, err := r.Perform("again")
		if err != nil {
			require.ErrorContains(t, err, "17 actions inside each other")
		}
		return Done
	}})
	w, err := NewWalk(smt.NewArena(), rng.New(1), everything(ByBoth))
	require.NoError(t, err)
	_, err = w.Perform("no-such-action")
	require.ErrorContains(t, err, `there is no action "no-such-action"`)
	w.Cfg.Machine = m
	_, err = w.Perform("again")
	require.NoError(t, err)
	require.False(t, w.Pop(w.Level()+1))
}
