package solvers

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// Transferrer is a session that takes terms over from another one by a function of its library, such as Z3_translate, or
// because both share the library's terms. The terms are of the arena that both sessions have, and what they are made of
// was declared to the session before (Known.Missing). The session keeps the objects as if it had made them itself.
//
// from may be of any kind: what a session cannot take over it makes anew, so that a transfer means the same for all.
type Transferrer interface {
	Transfer(from Session, ts []smt.Term) error
}

// Transfer takes terms over from one session to another: it declares what the receiver lacks, and then asks it to take
// the terms over, or to make them where it has no way of its own. Over text that is all there is to a transfer: the
// declarations are sent, and the terms come when they are used. known is what the receiver was told so far, and learns
// what is declared now.
func Transfer(from, to Session, ts []smt.Term, known *Known) error {
	missing := known.Missing(to.Arena(), ts)
	for i := range missing {
		if err := Do(to, &missing[i]); err != nil {
			return err
		}
		known.Note(&missing[i])
	}
	return TakeOver(from, to, ts)
}

// TakeOver is the second part of Transfer: the receiver has all declarations.
func TakeOver(from, to Session, ts []smt.Term) error {
	switch x := to.(type) {
	case Transferrer:
		return x.Transfer(from, ts)
	case TermMaker:
		for _, t := range ts {
			if err := x.MakeTerm(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// Known is what a solver was told: the sorts, constants and functions that it has now, with the number of the assertion
// level of each. The zero value is that of a new solver.
type Known struct {
	sorts  map[smt.SortSymbol]int
	funs   map[smt.Symbol]int
	level  int
	global bool // declarations outlive their level
}

// Note takes a command that the solver has accepted into account.
func (k *Known) Note(c *smtlib.Command) {
	if k.sorts == nil {
		k.sorts, k.funs = map[smt.SortSymbol]int{}, map[smt.Symbol]int{}
	}
	level := k.level
	if k.global {
		level = 0
	}
	for _, s := range c.Sorts {
		k.sorts[s] = level
	}
	for _, f := range slices.Concat(c.Symbols, c.Named) {
		k.funs[f] = level
	}
	switch c.Kind {
	case smtlib.CmdPush:
		k.level += c.N
	case smtlib.CmdPop:
		k.level = max(0, k.level-c.N)
		k.forget()
	case smtlib.CmdResetAssertions:
		k.level = -1
		if k.global {
			k.level = 0
		}
		k.forget()
		k.level = 0
	case smtlib.CmdReset:
		*k = Known{}
	case smtlib.CmdSetOption:
		if c.Name == ":global-declarations" {
			k.global = c.Text == "true"
		}
	}
}

// forget drops what belongs to levels that are closed.
func (k *Known) forget() {
	for s, n := range k.sorts {
		if n > k.level {
			delete(k.sorts, s)
		}
	}
	for f, n := range k.funs {
		if n > k.level {
			delete(k.funs, f)
		}
	}
}

// Missing returns the commands that declare and define what the terms are made of and the solver was not told, in an order
// in which it takes them.
func (k *Known) Missing(a *smt.Arena, ts []smt.Term) []smtlib.Command {
	m := &missing{k: k, a: a, seenSort: map[smt.Sort]bool{}, seen: map[smt.Symbol]bool{}}
	for _, t := range ts {
		m.term(t)
	}
	var out []smtlib.Command
	for _, s := range m.user {
		out = append(out, smtlib.Command{Kind: smtlib.CmdDeclareSort, Sorts: []smt.SortSymbol{s}})
	}
	if len(m.datatypes) > 0 { // they may refer to one another
		out = append(out, smtlib.Command{Kind: smtlib.CmdDeclareDatatypes, Sorts: m.datatypes})
	}
	return append(out, m.out...)
}

// missing collects what Known lacks.
type missing struct {
	k               *Known
	a               *smt.Arena
	seenSort        map[smt.Sort]bool
	seen            map[smt.Symbol]bool
	user, datatypes []smt.SortSymbol
	out             []smtlib.Command
}

func (m *missing) term(root smt.Term) {
	m.a.PostOrder([]smt.Term{root}, func(t smt.Term) {
		if m.a.Op(t) != smt.OpCase {
			m.sort(m.a.Sort(t))
		}
	})
	for _, f := range m.a.Symbols(root) {
		m.symbol(f)
	}
}

func (m *missing) sort(s smt.Sort) {
	if s == 0 || s == smt.SortUnknown || m.seenSort[s] {
		return
	}
	m.seenSort[s] = true
	for _, x := range m.a.SortArgs(s) {
		m.sort(x)
	}
	kind := m.a.SortKind(s)
	if kind != smt.KindUser && kind != smt.KindDatatype {
		return
	}
	sym := m.a.SortSymbolOf(s)
	if _, ok := m.k.sorts[sym]; ok || slices.Contains(m.user, sym) || slices.Contains(m.datatypes, sym) {
		return
	}
	if kind == smt.KindUser {
		m.user = append(m.user, sym)
		return
	}
	m.datatypes = append(m.datatypes, sym)
	for _, c := range m.a.Datatype(sym).Constructors {
		for _, p := range m.a.SymbolInfo(c.Symbol).Params {
			m.sort(p)
		}
	}
}

func (m *missing) symbol(f smt.Symbol) {
	if m.seen[f] {
		return
	}
	m.seen[f] = true
	if _, ok := m.k.funs[f]; ok {
		return
	}
	info := *m.a.SymbolInfo(f)
	for _, s := range info.Params {
		m.sort(s)
	}
	m.sort(info.Result)
	switch info.Kind {
	case smt.SymDeclared:
		m.out = append(m.out, smtlib.DeclareCommand(m.a, f))
	case smt.SymDefined, smt.SymNamed:
		group := []smt.Symbol{f}
		if info.Recursive {
			group = m.recursive(group)
		}
		for _, g := range group {
			m.seen[g] = true
		}
		for _, g := range group {
			if body := m.a.SymbolInfo(g).Body; body != 0 {
				m.term(body)
			}
		}
		m.out = append(m.out, smtlib.DefineCommand(m.a, group...))
	}
}

// recursive adds the recursive functions that those of the group call, and that they call, to the group.
func (m *missing) recursive(group []smt.Symbol) []smt.Symbol {
	for i := 0; i < len(group); i++ {
		body := m.a.SymbolInfo(group[i]).Body
		if body == 0 {
			continue
		}
		for _, g := range m.a.Symbols(body) {
			if m.a.SymbolInfo(g).Recursive && !m.seen[g] && !slices.Contains(group, g) {
				group = append(group, g)
			}
		}
	}
	return group
}
