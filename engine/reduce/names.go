package reduce

import (
	"strconv"

	"github.com/smtlark/smtlark/engine/eval/model"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/smtlib/scope"
)

// inline replaces the uses of a definition by its body, one definition at a time, the last first.
func (s *session) inline() {
	for i := len(s.cur.cmds) - 1; i >= 0 && !s.stopped(); i-- {
		if i >= len(s.cur.cmds) {
			continue
		}
		c := &s.cur.cmds[i]
		if !c.Kind.IsDefinition() || c.Kind.IsRecursive() {
			continue
		}
		f := c.Symbols[0]
		info := *s.a.SymbolInfo(f)
		if info.Body == 0 {
			continue
		}
		var edits []edit
		for _, t := range s.targets() {
			if s.a.Op(t) != smt.OpApply || s.a.SymbolOf(t) != f {
				continue
			}
			params := map[smt.Term]smt.Term{}
			for k, v := range info.Vars {
				params[v] = s.a.Arg(t, k)
			}
			if by, err := s.a.Subst(info.Body, params); err == nil {
				edits = append(edits, edit{t, by})
			}
		}
		s.offer(func() *state { return s.edited(edits, i) })
	}
}

// rename is a new name for a symbol or a bound variable.
type rename struct {
	sym  smt.Symbol
	v    smt.Term
	name string
}

// shortNames renames functions, constants and bound variables: all at once, else as many as can be.
func (s *session) shortNames() {
	s.shortSortNames()
	list := s.renames()
	s.sweep(len(list), func(at span) proposal {
		return proposal{make: func() *state { return s.withNames(list[at.from:at.to]) }, is: renamed}
	}, func(span) {
		for i := range list { // symbols that were renamed along with their definitions, or by now
			if f := s.rw.syms[list[i].sym]; f != 0 {
				list[i].sym = f
			}
		}
	})
}

// renames plans a short name for everything that can have one: p, q for Bool constants, f, g for functions, x, y for
// variables in quantifiers, a, b for the rest. No name is given twice or taken already, so nothing is captured.
func (s *session) renames() []rename {
	a := s.a
	taken := s.takenNames()
	var list []rename
	add := func(r rename, old, letters string) {
		n := shortName(letters, taken)
		if len(n) < len(smt.QuoteSymbol(old)) {
			taken[n] = true
			r.name = n
			list = append(list, r)
		}
	}
	for i := range s.cur.cmds {
		c := &s.cur.cmds[i]
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
	a.PostOrder(s.allTerms(), func(t smt.Term) {
		if a.Op(t) == smt.OpVar {
			add(rename{v: t}, a.VarName(t), "xyzuvwabcdefghijklmnopqrst")
		}
	})
	return list
}

// allTerms returns the roots and the parameters of definitions.
func (s *session) allTerms() []smt.Term {
	roots := s.roots()
	for i := range s.cur.cmds {
		if c := &s.cur.cmds[i]; c.Kind.IsDefinition() {
			for _, f := range c.Symbols {
				roots = append(roots, s.a.SymbolInfo(f).Vars...)
			}
		}
	}
	return roots
}

// takenNames returns every name that occurs in the case.
func (s *session) takenNames() map[string]bool {
	a := s.a
	taken := map[string]bool{}
	u := scope.UsesOf(a)
	defer u.Free()
	for i := range s.cur.cmds {
		c := &s.cur.cmds[i]
		u.Command(c)
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
		name, _ := a.SortSymbolName(d)
		taken[name] = true
		if dt := a.Datatype(d); dt != nil {
			for _, k := range dt.Constructors {
				taken[k.Name] = true
				for _, f := range k.Selectors {
					taken[a.SymbolName(f)] = true
				}
			}
		}
	}
	for f := range u.Symbols {
		taken[a.SymbolName(f)] = true
	}
	for w := range u.Words {
		taken[w] = true
	}
	a.PostOrder(s.allTerms(), func(t smt.Term) {
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
func (s *session) withNames(list []rename) *state {
	s.rw.reset(s.a, nil)
	s.rw.names, s.rw.vars = map[smt.Symbol]string{}, map[smt.Term]smt.Term{}
	for _, r := range list {
		if r.sym != 0 {
			s.rw.names[r.sym] = r.name
		} else {
			s.rw.vars[r.v] = s.a.Var(r.name, s.a.Sort(r.v))
		}
	}
	s.rw.grow()
	cmds, changed := s.rewriteCommands()
	if !changed {
		return nil
	}
	return &state{cmds: cmds, expect: s.cur.expect, witness: s.renameWitness()}
}

// renameWitness interprets the new symbols as the old ones were.
func (s *session) renameWitness() *model.Model {
	if s.cur.witness == nil {
		return nil
	}
	w := s.cur.witness.Clone()
	for _, f := range w.Symbols() {
		to, ok := s.rw.syms[f]
		if !ok {
			continue
		}
		if v, ok := s.cur.witness.Value(f); ok {
			w.Set(to, v)
		}
		if fn := s.cur.witness.Func(f); fn != nil {
			w.SetFunc(to, fn)
		}
	}
	for _, f := range s.cur.witness.Symbols() {
		if to, ok := s.rw.syms[f]; ok && to != f {
			w.Unset(f)
		}
	}
	return w
}
