package value

import (
	"context"
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/smtlib/scope"
	"github.com/smtlark/smtlark/solvers"
)

// Decide asks a solver whether the terms of a store can hold together.
func Decide(ctx context.Context, by Asker, st *Store, ts []smt.Term) (smtlib.Answer, error) {
	s := &smtlib.Script{Arena: st.Arena, Name: "query", Commands: []smtlib.Command{{Kind: smtlib.CmdSetLogic, Text: "ALL"}}}
	s.Commands = append(s.Commands, DeclarationsOf(st.Arena, ts)...)
	for i := range ts {
		s.Commands = append(s.Commands, smtlib.AssertCommand(ts[i]))
	}
	s.Commands = append(s.Commands, smtlib.Command{Kind: smtlib.CmdCheckSat})
	run, err := by.Ask(ctx, solvers.FromScript(s))
	if err != nil {
		return smtlib.None, err
	}
	return run.Answer(), ctx.Err()
}

// cloneSet copies a set.
func cloneSet[K comparable](m map[K]bool) map[K]bool {
	out := make(map[K]bool, len(m)+4)
	for k := range m {
		out[k] = true
	}
	return out
}

// told is what the head declares. Names of terms come with the assertions of the case.
func (h *head) told() scope.Told {
	return scope.Told{Named: true, Sort: func(s smt.SortSymbol) bool { return h.sorts[s] }, Symbol: func(f smt.Symbol) bool { return h.syms[f] }}
}

// DeclarationsOf returns the declarations that terms need where nothing was declared.
func DeclarationsOf(a *smt.Arena, ts []smt.Term) []smtlib.Command {
	told := (&head{}).told()
	told.Named = false // their assertions are not there
	return scope.Missing(a, ts, told)
}

// declaring returns commands for what the terms use and the head lacks, and the head with them.
func (h *head) declaring(a *smt.Arena, ts []smt.Term) ([]smtlib.Command, *head) {
	cmds := scope.Missing(a, ts, h.told())
	if len(cmds) == 0 {
		return nil, h
	}
	more := &head{cmds: append(slices.Clone(h.cmds), cmds...), syms: cloneSet(h.syms), sorts: cloneSet(h.sorts)}
	for _, c := range cmds {
		for _, f := range c.Symbols {
			more.syms[f] = true
		}
		for _, s := range c.Sorts {
			more.sorts[s] = true
		}
	}
	return cmds, more
}
