package scope

import (
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Uses collects the symbols and sorts that must be declared for terms and commands.
type Uses struct {
	Symbols map[smt.Symbol]bool
	Sorts   map[smt.SortSymbol]bool
	Words   map[string]bool // of commands that are kept as text

	a     *smt.Arena
	seen  *smt.Stamps
	known map[smt.Sort]bool
	// The members of Symbols and Sorts in order of first occurrence, so that the latest are found without a walk over
	// all.
	metSymbols []smt.Symbol
	metSorts   []smt.SortSymbol
}

// UsesOf returns the sorts and symbols that some terms use. More terms can be added; Free returns the memory to the
// arena.
func UsesOf(a *smt.Arena, ts ...smt.Term) *Uses {
	u := &Uses{a: a, seen: a.Stamps(), Symbols: map[smt.Symbol]bool{}, Sorts: map[smt.SortSymbol]bool{},
		known: map[smt.Sort]bool{}, Words: map[string]bool{}}
	for _, t := range ts {
		u.Term(t)
	}
	return u
}

// Free ends the use of the arena's memory.
func (u *Uses) Free() { u.seen.Free() }

// Term notes the sorts and symbols that a term uses.
func (u *Uses) Term(root smt.Term) {
	if u.seen.Has(root) {
		return
	}
	stack := []smt.Term{root}
	u.seen.Add(root)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		u.sort(u.a.Sort(t))
		if f := u.a.SymbolOf(t); f != 0 {
			u.symbol(f)
		}
		for _, x := range u.a.Args(t) {
			if u.seen.Add(x) {
				stack = append(stack, x)
			}
		}
	}
}

func (u *Uses) symbol(f smt.Symbol) {
	if u.Symbols[f] {
		return
	}
	u.Symbols[f] = true
	u.metSymbols = append(u.metSymbols, f)
	info := u.a.SymbolInfo(f)
	for _, s := range info.Params {
		u.sort(s)
	}
	u.sort(info.Result)
	if info.Datatype != 0 {
		u.sortSymbol(info.Datatype)
	}
}

func (u *Uses) sort(s smt.Sort) {
	if s == 0 || u.known[s] {
		return
	}
	u.known[s] = true
	if sym := u.a.SortSymbolOf(s); sym != 0 {
		u.sortSymbol(sym)
	}
	for _, x := range u.a.SortArgs(s) {
		u.sort(x)
	}
}

func (u *Uses) sortSymbol(s smt.SortSymbol) {
	if !u.Sorts[s] {
		u.Sorts[s] = true
		u.metSorts = append(u.metSorts, s)
	}
}

// Text notes the names in a command that is kept as text.
func (u *Uses) Text(s string) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("() \t\r\n|\"", r) }) {
		u.Words[w] = true
	}
}

// Command notes the sorts and symbols that a command uses but does not declare itself.
func (u *Uses) Command(c *smtlib.Command) {
	for _, t := range c.Terms {
		u.Term(t)
	}
	switch {
	case c.Kind == smtlib.CmdOther || c.Kind == smtlib.CmdCheckSatUsing:
		u.Text(c.Text)
	case c.Kind == smtlib.CmdDefineSort:
		u.sort(c.Sort)
	}
	for _, f := range c.Symbols {
		info := u.a.SymbolInfo(f)
		for _, s := range info.Params {
			u.sort(s)
		}
		u.sort(info.Result)
		if c.Kind.IsDefinition() && info.Body != 0 {
			u.Term(info.Body)
		}
	}
	for _, d := range c.Sorts {
		dt := u.a.Datatype(d)
		if dt == nil {
			continue
		}
		for _, k := range dt.Constructors {
			for _, s := range u.a.SymbolInfo(k.Symbol).Params {
				u.sort(s)
			}
		}
	}
}

// Wants reports whether a noted term or command uses a symbol or sort of this declaration.
func (u *Uses) Wants(c *smtlib.Command) bool {
	switch {
	case c.Kind == smtlib.CmdDefineSort:
		return len(u.Words) > 0 // expanded wherever a term used it
	case c.Kind == smtlib.CmdDeclareSortParameter:
		return true
	}
	for _, f := range c.Symbols {
		if u.Symbols[f] || u.Words[u.a.SymbolName(f)] {
			return true
		}
	}
	for _, d := range c.Sorts {
		if name, _ := u.a.SortSymbolName(d); u.Sorts[d] || u.Words[name] {
			return true
		}
		if dt := u.a.Datatype(d); dt != nil {
			for _, k := range dt.Constructors {
				if u.Words[k.Name] {
					return true
				}
			}
		}
	}
	return false
}
