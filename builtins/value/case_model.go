package value

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
)

func coreBuiltin() registry.Builtin {
	return registry.Builtin{
		Name: "core", Doc: "The assertions that a solver names as an unsatisfiable core, in their order; None if it finds none. Like model, it works under a deterministic resource limit, and workers share the result. The core is not proven.",
		Ret: "list[term] | None", Needs: "z3",
		Example: "c = smt.case(\"(declare-const x Int)(assert (> x 1))(assert (< x 9))(assert (< x 0))(check-sat)\")\nc.core(by = solver(\"z3\"))  # -> [(> x 1), (< x 0)]",
		Do: caseMethod(func(call *registry.Call, s *ThreadState, c Case, a *byArgs) (starlark.Value, error) {
			by, err := a.asker(call, s)
			if err != nil || by == nil {
				return starlark.None, err
			}
			s.NoteAsked(by.AskerName())
			core, err := c.Models().Core(registry.Context(call.Thread), s, by)
			if err != nil || core == nil {
				return starlark.None, err
			}
			out := make([]starlark.Value, len(core))
			for i, t := range core {
				out[i] = NewTerm(c.Store(), t)
			}
			return starlark.NewList(out), nil
		}),
	}
}
