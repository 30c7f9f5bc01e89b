package api

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
)

// matters reports whether an assertion of a case would be false if a term had another value.
func matters(t *testing.T, asserts []smt.Term, a *smt.Arena, model *model.Model, values *search.Generator, term smt.Term) bool {
	sort := a.Sort(term)
	other := a.Declare("other value", nil, sort)
	for range 2 {
		v := values.Value(sort)
		if !v.IsValue() {
			return false
		}
		model.Set(other, v)
		ev := eval.New(a, model)
		for _, assert := range asserts {
			changed, err := a.Subst(assert, map[smt.Term]smt.Term{term: a.Const(other)})
			require.NoError(t, err)
			if changed == assert {
				continue
			}
			if holds, known := ev.Holds(changed); known && !holds {
				return true
			}
		}
	}
	return false
}

// matterCount counts applications that were made, and those that can change the truth of an assertion.
type matterCount struct{ made, shown int }

func (c matterCount) share() float64 { return float64(c.shown) / float64(max(1, c.made)) }

// termsThatMatter counts the applications of walks by operator; "" is all of them together.
func termsThatMatter(t *testing.T, walks uint64, theories []string, kind string) map[string]matterCount {
	out := map[string]matterCount{}
	for seed := range walks {
		a := smt.NewArena()
		cfg := &WalkConfig{Machine: standard(), Truth: BySat, Gen: gen.Config{Theories: theories, Rules: gen.Exclusions{Kinds: []string{kind}}}}
		run, err := NewWalk(a, rng.New(seed), cfg)
		require.NoError(t, err)
		var asserts []smt.Term
		terms := map[smt.Term]bool{}
		for _, c := range run.calls {
			if c.Command.Kind == smtlib.CmdAssert {
				asserts = append(asserts, c.Command.Terms[0])
			}
		}
		for x := range run.Gen.DB.Applications() {
			terms[x] = true
		}
		values := search.NewGenerator(a, run.Gen.Model, rng.New(seed))
		for x := range terms { // the order does not matter
			shown := 0
			if matters(t, asserts, a, run.Gen.Model, values, x) {
				shown = 1
			}
			for _, name := range []string{"", gen.OperatorName(a, x)} {
				c := out[name]
				out[name] = matterCount{c.made + 1, c.shown + shown}
			}
		}
	}
	return out
}

// TestTermsOfWalksMatter measures how many of the terms that a walk makes could change an answer. It was 0.077 of 300
// walks before terms were pinned to their values.
func TestTermsOfWalksMatter(t *testing.T) {
	theories := []string{"BV", "Array", "UF", "Int"}
	walks := uint64(25)
	if os.Getenv("SMTLARK_DEEP") != "" {
		walks = 300
		for _, theory := range []string{"BV", "FP", "Int", "Real", "String", "Seq", "Array", "UF", "DT", "Set", "FF"} {
			kind := "z3"
			if theory == "Set" || theory == "FF" {
				kind = "cvc5"
			}
			counts := termsThatMatter(t, 60, []string{theory}, kind)
			names := slices.Collect(maps.Keys(counts))
			slices.SortFunc(names, func(x, y string) int {
				return cmp.Or(cmp.Compare(counts[x].share(), counts[y].share()), cmp.Compare(x, y))
			})
			worst := ""
			for _, name := range names {
				if counts[name].made >= 30 && name != "" && len(worst) < 150 {
					worst += fmt.Sprintf(" %s %.2f", name, counts[name].share())
				}
			}
			t.Logf("%s: %.3f of %d terms; worst:%s", theory, counts[""].share(), counts[""].made, worst)
		}
	}
	share := termsThatMatter(t, walks, theories, "z3")[""].share()
	t.Logf("%.3f of the terms of walks can change the truth of an assertion", share)
	require.Greater(t, share, 0.18)
}
