package claim

import (
	"context"
	"slices"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
)

// Comparison is a relation that must hold between a case and its seed for a verdict about the two to be right.
type Comparison struct {
	Relation oracle.Relation
	// Sat and Unsat are the two scripts, named by the solver's answers.
	Sat, Unsat Claim
}

// ComparisonOf returns the claim of a verdict about a case and its seed; nil if the verdict does not compare the two.
func ComparisonOf(c *testcase.Case, v *oracle.Verdict) *Comparison {
	if v.Kind != oracle.KindMetamorphic || c.Origin.SeedScript == nil {
		return nil
	}
	seed, err := c.Origin.SeedScript.Script()
	if err != nil {
		return nil
	}
	at := oracle.CheckOfSeed(seed.CheckSats(), c.Script.CheckSats(), v.Check)
	if at < 0 {
		return nil
	}
	out := &Comparison{
		Relation: v.Relation,
		Sat:      Claim{Script: seed, Check: at, Want: smtlib.Sat},
		Unsat:    Claim{Script: c.Script, Check: v.Check, Want: smtlib.Unsat},
	}
	if v.Got == smtlib.Sat {
		out.Sat.Script, out.Sat.Check, out.Unsat.Script, out.Unsat.Check = c.Script, v.Check, seed, at
	}
	return out
}

// Settle finds out whether the relation between a case and its seed holds, as far as one model shows it. The relation
// is refuted if both answers are right, or if a model of one script has to be a model of the other one and is not. The
// solver is proven wrong, whatever the relation, if a model satisfies the script that was answered unsat. Models are
// evaluated, as in Claim.Settle.
func (p *Comparison) Settle(ctx context.Context, targets []solvers.Target, lim solvers.Limits) Ruling {
	shown := p.Sat.Settle(ctx, targets, lim)
	if shown.Standing != Proven {
		return Ruling{}
	}
	unsat := p.Unsat.Script.AssertsAt(p.Unsat.Check)
	if contradictory(p.Unsat.Script.Arena, unsat) {
		return Ruling{Refuted, shown.Model, shown.By}
	}
	there, err := modelreader.Parse(p.Unsat.Script, shown.Model.Text())
	if err != nil {
		if !declaresNothing(p.Unsat.Script) {
			return Ruling{}
		}
		there = model.New(p.Unsat.Script.Arena)
	}
	ev := eval.New(p.Unsat.Script.Arena, there)
	ev.Limits.Steps = maxEvaluation
	switch eval.CheckTerms(ev, unsat).Result {
	case value.True:
		return Ruling{Proven, there, shown.By}
	case value.False:
		if p.Relation.Carries() && declaresNoMore(p.Unsat.Script, p.Sat.Script) {
			return Ruling{Refuted, shown.Model, shown.By}
		}
	}
	return Ruling{}
}

// declared returns the names of the symbols that a script declares.
func declared(s *smtlib.Script) (names []string) {
	for i := range s.Commands {
		for _, f := range s.Commands[i].Symbols {
			names = append(names, s.Arena.SymbolInfo(f).Name)
		}
	}
	return names
}

func declaresNothing(s *smtlib.Script) bool { return len(declared(s)) == 0 }

// declaresNoMore reports whether other declares everything that s declares, so that a model of other covers all of s.
func declaresNoMore(s, other *smtlib.Script) bool {
	there := map[string]bool{}
	for _, name := range declared(other) {
		there[name] = true
	}
	return !slices.ContainsFunc(declared(s), func(name string) bool { return !there[name] })
}
