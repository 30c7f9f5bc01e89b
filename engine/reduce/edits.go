package reduce

import (
	"slices"
	"strconv"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// edit replaces a term, wherever it occurs, by another of its sort whose free variables are among its own. What stands
// for it is edited too, so many edits can be applied at once; by never contains t.
type edit struct{ t, by smt.Term }

// roots returns the terms of all commands, and the bodies of definitions.
func (s *session) roots() []smt.Term {
	var roots []smt.Term
	for i := range s.cur.cmds {
		c := &s.cur.cmds[i]
		roots = append(roots, c.Terms...)
		if c.Kind.IsDefinition() {
			for _, f := range c.Symbols {
				if b := s.a.SymbolInfo(f).Body; b != 0 {
					roots = append(roots, b)
				}
			}
		}
	}
	return roots
}

// targets returns every term that may be replaced, breadth first, so that what is near a root, and so is large, comes
// first. Match cases and the variables in binders are not among them.
func (s *session) targets() []smt.Term {
	a := s.a
	seen := a.Stamps()
	defer seen.Free()
	var queue []smt.Term
	for _, r := range s.roots() {
		if seen.Add(r) {
			queue = append(queue, r)
		}
	}
	for i := 0; i < len(queue); i++ {
		t := queue[i]
		args := a.Args(t)
		for _, x := range args[len(a.BoundVars(t)):] {
			if seen.Add(x) {
				queue = append(queue, x)
			}
		}
	}
	return slices.DeleteFunc(queue, func(t smt.Term) bool { return a.Op(t) == smt.OpCase })
}

// edited is the candidate with some edits made, and without command number gone if that is not negative; nil if nothing
// changes. What it did stays in s.rw until the next one.
func (s *session) edited(edits []edit, gone int) *state {
	repl := make(map[smt.Term]smt.Term, len(edits))
	for _, e := range edits {
		if e.t != 0 && e.t != e.by && !s.escapes(e) {
			repl[e.t] = e.by
		}
	}
	if len(repl) == 0 {
		return nil
	}
	s.rw.reset(s.a, repl)
	cmds, changed := s.rewriteCommands()
	if !changed {
		return nil
	}
	expect := s.cur.expect
	if gone >= 0 {
		cmds, expect = slices.Delete(cmds, gone, gone+1), slices.Delete(slices.Clone(expect), gone, gone+1)
	}
	return s.with(cmds, expect)
}

// closed reports whether no variable is free in a term. It looks through all terms of a case at once.
func (s *session) closed(t smt.Term) bool {
	if s.openOf != s.cur {
		s.openOf = s.cur
		s.open = make([]bool, s.a.Len())
		s.seen = make([]bool, s.a.Len())
		s.a.PostOrder(s.roots(), func(t smt.Term) {
			s.seen[t] = true
			s.open[t] = s.a.Op(t) == smt.OpVar
			for _, x := range s.a.Args(t) {
				s.open[t] = s.open[t] || s.open[x]
			}
		})
	}
	if int(t) < len(s.seen) && s.seen[t] && !s.open[t] {
		return true // not even a bound one
	}
	return len(s.a.FreeVars(t)) == 0
}

// escapes reports whether an edit would bring a variable where nothing binds it. Edits are made without that; it can
// come about when other edits have changed what they are about.
func (s *session) escapes(e edit) bool {
	if s.a.NumArgs(e.by) == 0 && s.a.Op(e.by) != smt.OpVar || s.closed(e.by) {
		return false
	}
	free := s.a.FreeVars(e.by)
	have := s.a.FreeVars(e.t)
	for _, v := range free {
		if !slices.Contains(have, v) {
			return true
		}
	}
	return false
}

// rewriteCommands applies the rewriter to the current commands; changed is false if nothing differs or a sort does not
// fit.
func (s *session) rewriteCommands() (cmds []smtlib.Command, changed bool) {
	cmds = slices.Clone(s.cur.cmds)
	s.renameNamed()
	for i := range cmds {
		c := &cmds[i]
		switch {
		case c.Kind.IsDefinition() && len(c.Symbols) == 1 && c.Symbols[0] == s.drop:
			changed = true // the caller puts a declaration here
			continue
		case c.Kind.IsDefinition():
			did, err := s.redefine(c)
			if err != nil {
				return nil, false
			}
			changed = changed || did
		case c.Kind == smtlib.CmdDeclareConst || c.Kind == smtlib.CmdDeclareFun || c.Kind == smtlib.CmdOther && s.opt.Wrap != nil:
			changed = s.redeclare(c) || changed
		}
		if len(c.Terms) == 0 {
			continue
		}
		terms := slices.Clone(c.Terms)
		same := true
		for k, t := range terms {
			to, err := s.rw.term(t)
			if err != nil {
				return nil, false
			}
			terms[k] = to
			same = same && to == t
		}
		if !same {
			c.Terms = terms
			changed = true
		}
	}
	return cmds, changed
}

// renameNamed gives the uses of a name that :named gave to a term the term's image.
func (s *session) renameNamed() {
	for _, f := range s.a.Symbols(s.roots()...) {
		info := s.a.SymbolInfo(f)
		if info.Kind != smt.SymNamed {
			continue
		}
		name, body := info.Name, info.Body
		if to, err := s.rw.term(body); err == nil && to != body {
			s.rw.syms[f] = s.a.Name(name, to)
		}
	}
}

// redeclare renames what a command declares.
func (s *session) redeclare(c *smtlib.Command) (changed bool) {
	for i, f := range c.Symbols {
		name, ok := s.rw.names[f]
		if !ok {
			continue
		}
		if !changed {
			c.Symbols = slices.Clone(c.Symbols)
			changed = true
		}
		info := *s.a.SymbolInfo(f)
		c.Symbols[i] = s.a.Declare(name, info.Params, info.Result)
		s.rw.syms[f] = c.Symbols[i]
	}
	return changed
}

// newName returns the name and the parameters that a definition gets.
func (s *session) newName(f smt.Symbol) (name string, vars []smt.Term, changed bool) {
	info := s.a.SymbolInfo(f)
	name, vars = info.Name, info.Vars
	if n, ok := s.rw.names[f]; ok {
		name, changed = n, true
	}
	for i, v := range vars {
		if to := s.rw.vars[v]; to != 0 {
			if !changed || &vars[0] == &info.Vars[0] {
				vars = slices.Clone(vars)
			}
			vars[i], changed = to, true
		}
	}
	return name, vars, changed
}

// redefine rewrites the bodies of a definition. A definition is its body, so a changed one is another symbol, which
// takes the place of the old one from here on.
func (s *session) redefine(c *smtlib.Command) (changed bool, err error) {
	if c.Kind.IsRecursive() {
		return s.redefineRecursive(c)
	}
	info := *s.a.SymbolInfo(c.Symbols[0])
	if info.Body == 0 {
		return false, nil
	}
	name, vars, renamed := s.newName(c.Symbols[0])
	body, err := s.rw.term(info.Body)
	if err != nil || body == info.Body && !renamed {
		return false, err
	}
	f, err := s.a.Define(name, vars, info.Result, body)
	if err != nil {
		return false, err
	}
	s.rw.syms[c.Symbols[0]] = f
	c.Symbols = []smt.Symbol{f}
	return true, nil
}

// redefineRecursive makes new symbols first, since their bodies use them.
func (s *session) redefineRecursive(c *smtlib.Command) (changed bool, err error) {
	touched := slices.Contains(c.Symbols, s.drop)
	for _, f := range c.Symbols {
		_, _, renamed := s.newName(f)
		touched = touched || renamed
		s.a.PostOrder([]smt.Term{s.a.SymbolInfo(f).Body}, func(t smt.Term) {
			_, edited := s.rw.repl[t]
			_, renamed := s.rw.syms[s.a.SymbolOf(t)]
			touched = touched || edited || renamed || s.rw.vars[t] != 0
		})
	}
	if !touched {
		return false, nil
	}
	c.Symbols = slices.DeleteFunc(slices.Clone(c.Symbols), func(f smt.Symbol) bool { return f == s.drop })
	symbols := make([]smt.Symbol, len(c.Symbols))
	for i, f := range c.Symbols {
		name, vars, _ := s.newName(f)
		s.recursions++
		symbols[i] = s.a.DeclareRecursive("reduce "+strconv.Itoa(s.recursions), name, vars, s.a.SymbolInfo(f).Result)
		s.rw.syms[f] = symbols[i]
	}
	for i, f := range c.Symbols {
		body, err := s.rw.term(s.a.SymbolInfo(f).Body)
		if err != nil {
			return false, err
		}
		if err := s.a.DefineRecursive(symbols[i], body); err != nil {
			return false, err
		}
	}
	c.Symbols = symbols
	return true, nil
}

// applyRounds edits every term for which there are alternatives: the first alternative of each at once, then in chunks
// down to single terms, then the second ones, and so on. What was kept changes the terms that later edits are about, so
// these are carried over.
func (s *session) applyRounds(alternatives func(t smt.Term) []smt.Term) {
	s.applyAs(ordinary, alternatives)
}

func (s *session) applyAs(is kind, alternatives func(t smt.Term) []smt.Term) {
	var rounds [][]edit
	for _, t := range s.targets() {
		if s.a.Sort(t) == smt.SortUnknown {
			continue
		}
		for k, by := range alternatives(t) {
			if k == len(rounds) {
				rounds = append(rounds, nil)
			}
			rounds[k] = append(rounds[k], edit{t, by})
		}
	}
	for k := range rounds {
		edits := s.lighter(rounds[k])
		s.sweep(len(edits), func(at span) proposal {
			return proposal{make: func() *state { return s.edited(edits[at.from:at.to], -1) }, is: is}
		}, func(span) {
			for _, later := range rounds[k:] {
				for i := range later {
					later[i] = s.carry(later[i])
				}
			}
		})
		if s.stopped() {
			return
		}
	}
}

// sweep is sweep over proposals for ranges of n edits.
func (s *session) sweep(n int, propose func(span) proposal, accepted func(span)) {
	sweep(n, func(next func() (span, bool)) int {
		return s.first(func() (proposal, bool) {
			at, ok := next()
			if !ok {
				return proposal{}, false
			}
			return propose(at), true
		})
	}, accepted)
}

// carry maps an edit through the rewriting that was just kept; an edit of nothing if its term is gone.
func (s *session) carry(e edit) edit {
	t := s.rw.to(e.t)
	if _, replaced := s.rw.repl[e.t]; t == 0 || replaced {
		return edit{}
	}
	if by := s.rw.to(e.by); by != 0 {
		return edit{t, by}
	}
	return edit{t, e.by}
}

// lighter drops edits that cannot make the case lighter: those whose replacement, alone, outweighs what it replaces.
func (s *session) lighter(edits []edit) []edit {
	return slices.DeleteFunc(edits, func(e edit) bool {
		if s.opt.Calls { // what is there already is lighter whatever it is
			return e.t == e.by || e.t == 0
		}
		return e.t == e.by || e.t == 0 || nodeWeight(s.a, e.by) > nodeWeight(s.a, e.t) && s.a.NumArgs(e.t) == 0
	})
}
