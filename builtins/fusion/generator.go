package fusion

import (
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/semantics/proof"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/generate/fusion"
	"github.com/smtlark/smtlark/engine/generate/fusion/operator"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers"
)

// scripted is a generator of fusion functions that a script wrote: a function of (rng, inputs) that returns a function
// of these inputs, or None. table.function is one.
type scripted struct {
	call *registry.Call
	rng  *value.Rng
	fn   starlark.Callable
	j    *joint
}

// Generate implements engine.Generator.
func (g *scripted) Generate(e *engine.Env, inputs []smt.Term, _ engine.Size) (*engine.Function, error) {
	terms := make([]starlark.Value, len(inputs))
	for i, x := range inputs {
		terms[i] = value.NewTerm(g.j.st, x)
	}
	th := g.call.Thread
	outer, _ := environmentKey.Get(th)
	environmentKey.Set(th, e)
	v, err := g.call.Invoke(g.fn, g.rng, starlark.NewList(terms))
	environmentKey.Set(th, outer)
	if err != nil {
		return nil, err
	}
	if v == starlark.None {
		return nil, engine.ErrNoFunction
	}
	f, ok := v.(*function)
	if !ok {
		return nil, fmt.Errorf("%s returned %s, want a fusion_function of its inputs, or None", g.fn.Name(), v.Type())
	}
	if _, err := f.check.ID(); err != nil {
		return nil, fmt.Errorf("%s: %w", g.fn.Name(), err)
	}
	if f.st != g.j.st || !sameTerms(f.f.Inputs, inputs) {
		return nil, fmt.Errorf("%s returned a function of %s, want one of its inputs %s", g.fn.Name(), names(f.st.Arena, f.f.Inputs), names(e.Arena, inputs))
	}
	if e.Allowed != 0 && f.f.Needs&^e.Allowed != 0 {
		return nil, engine.ErrNoFunction
	}
	return f.f, nil
}

// sameTerms reports whether two lists of different terms have the same ones.
func sameTerms(x, y []smt.Term) bool {
	return len(x) == len(y) && !slices.ContainsFunc(x, func(t smt.Term) bool { return !slices.Contains(y, t) })
}

// environmentKey is the slot for the environment in which functions are made while a script's generator is called for a
// joint script.
var environmentKey = registry.NewKey[*engine.Env]("where functions are made", "no scripts are being joined")

// environmentOf returns the environment in which a function of the store's terms is made: that of the joint script for
// which a generator is being called, or else a separate one.
func environmentOf(th *starlark.Thread, st *value.TermStore, alone func() *engine.Env) *engine.Env {
	if e, err := environmentKey.Get(th); err == nil && e != nil && e.Arena == st.Arena {
		return e
	}
	return alone()
}

// inGenerator reports whether a script's generator is being called.
func inGenerator(th *starlark.Thread) bool {
	e, err := environmentKey.Get(th)
	return err == nil && e != nil
}

// prove refuses a function of terms if one of its inverses is wrong or not proven. Proofs are remembered in the user's
// cache folder, like models of seeds. If recorded answers replace those of solvers, the function was proven before.
func prove(c *registry.Call, given *newFunctionArgs, op *operator.Operator) error {
	s := value.SessionOf(c.Thread)
	key, err := op.Key(c.Thread)
	if err != nil {
		return err
	}
	key = "fusion function " + key
	// Where recorded answers take the place of those of solvers, it was proven when the case was first made.
	if _, known := s.Models.Get(key); known || s.Given != nil {
		return nil
	}
	var asker workspace.Answerer
	if by, ok := given.By.(workspace.Answerer); ok {
		asker = by
	} else if given.By != starlark.None {
		return c.Errorf(&given.By, "this %s cannot be asked here", given.By.Type())
	} else if provers, err := solving.ProversKey.Get(c.Thread); err == nil {
		if known := provers(); len(known) > 0 {
			asker = known
		}
	}
	p := proof.Prover{Values: proof.DefaultValues}
	if asker != nil {
		p.Solvers = []proof.Reference{solvers.Prover(asker.AskerName(), asker.Ask)}
	}
	rules, at, err := op.Rules(c.Thread)
	if err != nil {
		return err
	}
	for i, r := range rules {
		obligations, err := r.Obligations(at[i])
		if err != nil {
			return err
		}
		for _, x := range obligations {
			v, err := p.Prove(registry.Context(c.Thread), &x.Claim, false)
			switch {
			case err != nil:
				return err
			case v.Refuted != "":
				return c.Errorf(&given.Inverse, "inverse %d is wrong: %s", x.Arg+1, v.Refuted)
			case v.Sure():
			case asker == nil:
				return c.Errorf(&given.Inverse, "inverse %d is not proven by evaluation, and neither z3 nor cvc5 is installed: name another solver that proves it (by)", x.Arg+1)
			default:
				return c.Errorf(&given.Inverse, "inverse %d is not proven within %v: %s; make it of simpler terms or of operators (fusion.node), or say proven = True to use it all the same", x.Arg+1, target.AskTime, v.Said)
			}
		}
	}
	s.Models.Put(key, "proven")
	return nil
}
