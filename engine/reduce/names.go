package reduce

import (
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/reduce/driver"

	"github.com/smtlark/smtlark/engine/semantics/eval/model"
)

// rename is a new name for a symbol or a bound variable.
type rename struct {
	sym  smt.Symbol
	v    smt.Term
	name string
}

// shortNames renames functions, constants and bound variables: all at once, else as many as can be.
func shortNames(s *search) {
	shortSortNames(s)
	list := renames(s)
	s.Sweep(len(list), func(at driver.Span) proposal {
		return proposal{Make: func() *state { return withNames(s, list[at.From:at.To]) }, Is: driver.Renamed}
	}, func(driver.Span) {
		for i := range list { // symbols that were renamed along with their definitions, or by now
			if f := s.Rewriter.Symbols[list[i].sym]; f != 0 {
				list[i].sym = f
			}
		}
	})
}

// renames plans a short name for everything that can have one: p, q for Bool constants, f, g for functions, x, y for
// variables in quantifiers, a, b for the rest. No name is given twice or taken already, so nothing is captured.
func renames(s *search) []rename {
	a := s.Arena
	taken := takenNames(s)
	var list []rename
	add := func(r rename, old, letters string) {
		n := shortName(letters, taken)
		if len(n) < len(smt.QuoteSymbol(old)) {
			taken[n] = true
			r.name = n
			list = append(list, r)
		}
	}
	for i := range s.Current().Commands {
		c := &s.Current().Commands[i]
		if c.Kind != smtlib.CmdDeclareConst && c.Kind != smtlib.CmdDeclareFun && !c.Kind.IsDefinition() {
			continue
		}
		for _, f := range c.Symbols {
			letters := "abcdefghijklmnopqrstuvwxyz"
			if info := a.SymbolInfo(f); len(info.Params) > 0 {
				letters = "fghabcdeijklmnopqrstuvwxyz"
			} else if info.Result == smt.SortBool {
				letters = "pqrstuvwabcdefghijklmnoxyz"
			}
			add(rename{sym: f}, a.SymbolName(f), letters)
		}
	}
	a.PostOrder(allTerms(s), func(t smt.Term) {
		if a.Op(t) == smt.OpVar {
			add(rename{v: t}, a.VarName(t), "xyzuvwabcdefghijklmnopqrst")
		}
	})
	return list
}

// allTerms returns the roots and the parameters of definitions.
func allTerms(s *search) []smt.Term {
	roots := s.Roots()
	for i := range s.Current().Commands {
		if c := &s.Current().Commands[i]; c.Kind.IsDefinition() {
			for _, f := range c.Symbols {
				roots = append(roots, s.Arena.SymbolInfo(f).Vars...)
			}
		}
	}
	return roots
}

// takenNames returns every name that occurs in the case.
func takenNames(s *search) map[string]bool {
	a := s.Arena
	taken := map[string]bool{}
	u := scope.UsesOf(a)
	defer u.Free()
	for i := range s.Current().Commands {
		c := &s.Current().Commands[i]
		u.Command(c)
		// The text of a command that is not understood may mention anything.
		u.Text(c.Text)
		for _, f := range c.Symbols {
			taken[a.SymbolName(f)] = true
		}
		for _, d := range c.Sorts {
			u.Sorts[d] = true
		}
		taken[c.Name] = true
	}
	for d := range u.Sorts {
		// All of its names, also those that nothing uses: they are declared with it.
		for _, name := range a.DeclaredNames(d) {
			taken[name] = true
		}
	}
	for f := range u.Symbols {
		taken[a.SymbolName(f)] = true
	}
	for w := range u.Words {
		taken[w] = true
	}
	a.PostOrder(allTerms(s), func(t smt.Term) {
		switch a.Op(t) {
		case smt.OpVar:
			taken[a.VarName(t)] = true
		case smt.OpOpaque:
			head, _ := a.OpaqueHead(t)
			taken[head] = true
		}
	})
	return taken
}

// shortName returns the first of a, b, ..., a1, b1, ... that is free and means nothing to a solver.
func shortName(letters string, taken map[string]bool) string {
	for n := 0; ; n++ {
		for _, l := range letters {
			name := string(l)
			if n > 0 {
				name += strconv.Itoa(n)
			}
			if _, isOp := smt.LookupOp(name); !isOp && !taken[name] {
				return name
			}
		}
	}
}

// withNames is the candidate with some renames made.
func withNames(s *search, list []rename) *state {
	s.Rewriter.Reset(s.Arena, nil)
	s.Rewriter.Names, s.Rewriter.Vars = map[smt.Symbol]string{}, map[smt.Term]smt.Term{}
	for _, r := range list {
		if r.sym != 0 {
			s.Rewriter.Names[r.sym] = r.name
		} else {
			s.Rewriter.Vars[r.v] = s.Arena.Var(r.name, s.Arena.Sort(r.v))
		}
	}
	s.Rewriter.Grow()
	cmds, changed := s.Rewritten()
	if !changed {
		return nil
	}
	return &state{Commands: cmds, Expect: s.Current().Expect, Witness: renameWitness(s)}
}

// renameWitness interprets the new symbols as the old ones were.
func renameWitness(s *search) *model.Model {
	if s.Current().Witness == nil {
		return nil
	}
	return s.Current().Witness.Renamed(s.Rewriter.Symbols)
}

// shortSortNames renames sorts, constructors and selectors.
func shortSortNames(s *search) {
	taken := takenNames(s)
	names := map[string]string{}
	add := func(old, letters string) {
		if n := shortName(letters, taken); len(n) < len(smt.QuoteSymbol(old)) && names[old] == "" {
			taken[n] = true
			names[old] = n
		}
	}
	for i := range s.Current().Commands {
		for _, d := range s.Current().Commands[i].Sorts {
			name, _ := s.Arena.SortSymbolName(d)
			add(name, "STUVWABCDEFGHIJKLMNOPQRXYZ")
			dt := s.Arena.Datatype(d)
			if dt == nil {
				continue
			}
			for _, k := range dt.Constructors {
				add(k.Name, "cdeabfghijklmnopqrstuvwxyz")
				for _, f := range k.Selectors {
					add(s.Arena.SymbolName(f), "stuvwabcdefghijklmnopqrxyz")
				}
			}
		}
	}
	if len(names) == 0 {
		return
	}
	s.FirstOf([]proposal{{Make: func() *state { return s.Retyped(retyping{Names: names}) }, Is: driver.Renamed}})
}
