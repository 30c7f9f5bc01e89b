package value

import (
	"context"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/learn"
)

func coreBuiltin() registry.Builtin {
	return registry.Builtin{
		Name: "core", Doc: "Those of the assertions that a solver names as an unsatisfiable core, in their order; None if it finds none. As model does, it works under a deterministic resource limit, and workers share what was found. The core is the solver's word and no proof.",
		Params: []registry.Param{{Name: "by", Type: "solver | None", Default: "None", Doc: "the solver; None stands for the campaign's first target"}},
		Ret:    "list[term] | None", Needs: "z3",
		Example: "c = smt.case(\"(declare-const x Int)(assert (> x 1))(assert (< x 9))(assert (< x 0))(check-sat)\")\nc.core(by = solver(\"z3\"))  # -> [(> x 1), (< x 0)]",
		Do: caseMethod(func(call *registry.Call, s *Session, c *Case, a *byArgs) (starlark.Value, error) {
			by, err := a.asker(call, s)
			if err != nil || by == nil {
				return starlark.None, err
			}
			s.NoteAsked(by.AskerName())
			core, err := c.coreBy(registry.Context(call.Thread), s, by)
			if err != nil || core == nil {
				return starlark.None, err
			}
			out := make([]starlark.Value, len(core))
			for i, t := range core {
				out[i] = c.st.Term(t)
			}
			return starlark.NewList(out), nil
		}),
	}
}

// coreBy returns the assertions of a core that the solver finds; nil if it finds none.
func (c *Case) coreBy(ctx context.Context, s *Session, by Asker) ([]smt.Term, error) {
	asserts, err := c.Asserts()
	if err != nil {
		return nil, err
	}
	name := "core of " + by.AskerName()
	a, err := c.askOnce(s, "core", by, func() (string, error) { return c.askCore(ctx, by, s.Models, name, asserts) })
	if err != nil {
		return nil, err
	}
	exprs, err := smtlib.ParseSExprs(a.Text)
	if err != nil || len(exprs) != 1 || !exprs[0].IsList() || exprs[0].Head() == "error" {
		return nil, nil
	}
	in := map[string]bool{}
	for i := range exprs[0].List {
		in[exprs[0].List[i].Symbol()] = true
	}
	var core []smt.Term
	for i, t := range asserts {
		if in[coreName(i)] {
			core = append(core, t)
		}
	}
	return core, nil
}

func coreName(i int) string { return fmt.Sprintf("core!%d", i) }

// askCore returns the solver's reply; "" where there is no core.
func (c *Case) askCore(ctx context.Context, by Asker, cache *learn.Cache, name string, asserts []smt.Term) (string, error) {
	key := name + "\n" + c.tc.Script.Text()
	if text, ok := cache.Get(key); ok {
		return text, nil
	}
	defer account.Begin(ctx, account.Models, c.tc.Script.Name)()
	named := make([]smt.Term, len(asserts))
	for i, t := range asserts {
		named[i] = c.st.Arena.Annotate(t, []smt.Attr{{Keyword: ":named", Value: coreName(i)}})
	}
	s := c.WithAsserts(named, smtlib.None, nil).tc.Script
	q := solvers.FromScript(s.WithCommands(append(s.Commands, smtlib.Command{Kind: smtlib.CmdGetUnsatCore})))
	q.Cores = true
	run, err := by.Ask(ctx, q)
	if err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	text := ""
	if n := len(run.Answers); n > 0 && run.Answers[n-1] == smtlib.Unsat && len(run.Values) > 0 {
		text = strings.TrimSpace(run.Values[len(run.Values)-1])
	}
	return cache.Put(key, text), nil
}
