package scope

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Told records which sorts and symbols are declared already.
type Told struct {
	Sort   func(smt.SortSymbol) bool
	Symbol func(smt.Symbol) bool
	Named  bool // terms with a name (:named) come with their assertions, which give it; else the name is defined
}

// Missing returns the commands that declare and define the symbols and sorts of terms that are not in told, in an order
// that a solver accepts: sorts, datatypes, then functions, each after those that its definition needs.
func Missing(a *smt.Arena, ts []smt.Term, told Told) []smtlib.Command {
	m := &missing{told: told, a: a, seenSort: map[smt.Sort]bool{}, seen: map[smt.Symbol]bool{}}
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

// missing collects the symbols and sorts that are not in told.
type missing struct {
	told            Told
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
	if m.told.Sort(sym) || slices.Contains(m.user, sym) || slices.Contains(m.datatypes, sym) {
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
	if m.told.Symbol(f) {
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
		if m.told.Named && info.Kind == smt.SymNamed {
			return
		}
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

// recursive adds to the group the recursive functions that its members call, directly or indirectly.
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
