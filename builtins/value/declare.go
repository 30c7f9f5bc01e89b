package value

import (
	"context"
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// declarer collects what must be declared for terms: sorts, datatypes, then functions, each after what it needs.
type declarer struct {
	a     *smt.Arena
	syms  map[smt.Symbol]bool     // declared or collected
	sorts map[smt.SortSymbol]bool // declared or collected

	sortCmds  []smtlib.Command
	datatypes []smt.SortSymbol
	funcs     []smtlib.Command
}

func (d *declarer) commands() []smtlib.Command {
	out := d.sortCmds
	if len(d.datatypes) > 0 {
		out = append(out, smtlib.Command{Kind: smtlib.CmdDeclareDatatypes, Sorts: d.datatypes})
	}
	return append(out, d.funcs...)
}

func (d *declarer) terms(ts []smt.Term) {
	var order []smt.Term
	d.a.PostOrder(ts, func(t smt.Term) { order = append(order, t) })
	for _, t := range order {
		d.sort(d.a.Sort(t))
		if f := d.a.SymbolOf(t); f != 0 {
			d.symbol(f)
		}
	}
}

func (d *declarer) symbol(f smt.Symbol) {
	if d.syms[f] {
		return
	}
	d.syms[f] = true
	info := d.a.SymbolInfo(f)
	for _, s := range info.Params {
		d.sort(s)
	}
	d.sort(info.Result)
	switch info.Kind {
	case smt.SymDeclared:
		d.funcs = append(d.funcs, smtlib.DeclareCommand(d.a, f))
	case smt.SymDefined:
		kind := smtlib.CmdDefineFun
		if info.Recursive {
			kind = smtlib.CmdDefineFunRec
		}
		if info.Body != 0 {
			d.terms([]smt.Term{info.Body})
		}
		d.funcs = append(d.funcs, smtlib.Command{Kind: kind, Symbols: []smt.Symbol{f}})
	}
}

func (d *declarer) sort(s smt.Sort) {
	for _, x := range d.a.SortArgs(s) {
		d.sort(x)
	}
	sym := d.a.SortSymbolOf(s)
	if sym == 0 || d.sorts[sym] {
		return
	}
	d.sorts[sym] = true
	dt := d.a.Datatype(sym)
	if dt == nil {
		d.sortCmds = append(d.sortCmds, smtlib.Command{Kind: smtlib.CmdDeclareSort, Sorts: []smt.SortSymbol{sym}})
		return
	}
	d.datatypes = append(d.datatypes, sym)
	for _, c := range dt.Constructors {
		for _, f := range d.a.SymbolInfo(c.Symbol).Params {
			d.sort(f)
		}
	}
}

// Decide asks a solver whether the terms of a store can hold together.
func Decide(ctx context.Context, by Asker, st *Store, ts []smt.Term) (smtlib.Answer, error) {
	d := &declarer{a: st.Arena, syms: map[smt.Symbol]bool{}, sorts: map[smt.SortSymbol]bool{}}
	d.terms(ts)
	s := &smtlib.Script{Arena: st.Arena, Name: "query", Commands: []smtlib.Command{{Kind: smtlib.CmdSetLogic, Text: "ALL"}}}
	s.Commands = append(s.Commands, d.commands()...)
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

// declaring returns commands for what the terms use and the head lacks, and the head with them.
func (h *head) declaring(a *smt.Arena, ts []smt.Term) ([]smtlib.Command, *head) {
	d := &declarer{a: a, syms: cloneSet(h.syms), sorts: cloneSet(h.sorts)}
	d.terms(ts)
	cmds := d.commands()
	if len(cmds) == 0 {
		return nil, h
	}
	return cmds, &head{cmds: append(slices.Clone(h.cmds), cmds...), syms: d.syms, sorts: d.sorts}
}
