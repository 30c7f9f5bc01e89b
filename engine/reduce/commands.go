package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/reduce/driver"
)

// keepUnits tries candidates that have only some of the given groups of commands, by delta debugging. Commands outside
// every group stay.
func keepUnits(s *search, units [][]int) {
	if len(units) == 0 {
		return
	}
	base := s.Current()
	keep := make([]bool, len(base.Commands))
	s.Minimize(len(units), func(kept []int) *state {
		for i := range keep {
			keep[i] = true
		}
		for _, u := range units {
			for _, i := range u {
				keep[i] = false
			}
		}
		for _, k := range kept {
			for _, i := range units[k] {
				keep[i] = true
			}
		}
		cmds, expect := scope.Selected(base.Commands, base.Expect, keep)
		return s.With(withoutNames(s.Arena, base.Commands, keep, cmds), expect)
	}, nil)
}

// withoutNames returns the kept commands without the names of dropped assertions in texts, such as those of the
// partitions of get-interpolants: a partition that loses all its names goes, too.
func withoutNames(a *smt.Arena, all []smtlib.Command, keep []bool, kept []smtlib.Command) []smtlib.Command {
	gone := map[string]bool{}
	for i := range all {
		if keep[i] || all[i].Kind != smtlib.CmdAssert {
			continue
		}
		for _, f := range all[i].Named {
			gone[smt.QuoteSymbol(a.SymbolName(f))] = true
		}
	}
	if len(gone) == 0 {
		return kept
	}
	for i := range kept {
		c := &kept[i]
		if c.Kind != smtlib.CmdOther || len(c.Terms) > 0 {
			continue
		}
		read, err := smtlib.ParseSExprs(c.Text)
		if err != nil || len(read) != 1 || !dropAtoms(&read[0], gone) {
			continue
		}
		c.Text = string(read[0].Append(nil))
	}
	return kept
}

// dropAtoms removes atoms from an expression and reports whether there were any. Lists that become empty go; a
// conjunction of one element becomes that element.
func dropAtoms(e *smtlib.SExpr, gone map[string]bool) (changed bool) {
	var list []smtlib.SExpr
	for i := range e.List {
		x := e.List[i]
		switch {
		case !x.IsList():
			if gone[x.Atom] {
				changed = true
				continue
			}
		case dropAtoms(&x, gone):
			changed = true
			isAnd := x.Head() == "and"
			if len(x.List) == 0 || isAnd && len(x.List) == 1 {
				continue
			}
			if isAnd && len(x.List) == 2 {
				x = x.List[1]
			}
		}
		list = append(list, x)
	}
	e.List = list
	return changed
}

// unitsOf returns one group for each command for which want is true, last ones first, since later commands depend on
// earlier ones.
func unitsOf(s *search, want func(c *smtlib.Command) bool) [][]int {
	var units [][]int
	for i := len(s.Current().Commands) - 1; i >= 0; i-- {
		if want(&s.Current().Commands[i]) {
			units = append(units, []int{i})
		}
	}
	return units
}

// dropDeclarations removes unused declarations, at first all at once: if that succeeds, no later candidate has unused
// declarations. If one of them matters, they are removed one by one.
func dropDeclarations(s *search) {
	if s.Prune {
		return
	}
	cmds, expect := scope.Prune(s.Arena, s.Current().Commands, s.Current().Expect)
	if len(cmds) == len(s.Current().Commands) || s.Offer(func() *state { return s.With(cmds, expect) }) {
		s.Prune = true
		return
	}
	keepUnits(s, unitsOf(s, func(c *smtlib.Command) bool { return c.Kind.IsDeclaration() }))
}

func dropAsserts(s *search) {
	keepUnits(s, unitsOf(s, func(c *smtlib.Command) bool { return c.Kind == smtlib.CmdAssert }))
}

// dropCommands removes anything but assertions and declarations: check-sats, get-commands, resets, scopes.
func dropCommands(s *search) {
	keepUnits(s, unitsOf(s, func(c *smtlib.Command) bool {
		switch c.Kind {
		case smtlib.CmdAssert, smtlib.CmdPush, smtlib.CmdPop, smtlib.CmdSetOption, smtlib.CmdSetLogic, smtlib.CmdSetInfo:
			return false
		}
		return !c.Kind.IsDeclaration()
	}))
}

func dropOptions(s *search) {
	keepUnits(s, unitsOf(s, func(c *smtlib.Command) bool {
		return c.Kind.IsSetting()
	}))
}

// level is a push with its pop, or without one (to == len(cmds)).
type level struct{ from, to int }

// scopes returns the pushes of one level with their pops, outermost first.
func scopes(cmds []smtlib.Command) []level {
	var open []int
	var out []level
	for i := range cmds {
		switch c := &cmds[i]; c.Kind {
		case smtlib.CmdPush:
			for range c.N {
				open = append(open, i)
			}
		case smtlib.CmdPop:
			for range min(c.N, len(open)) {
				out = append(out, level{open[len(open)-1], i})
				open = open[:len(open)-1]
			}
		case smtlib.CmdReset, smtlib.CmdResetAssertions:
			for _, p := range open {
				out = append(out, level{p, i})
			}
			open = nil
		}
	}
	for _, p := range open {
		out = append(out, level{p, len(cmds)})
	}
	slices.SortStableFunc(out, func(x, y level) int { return (y.to - y.from) - (x.to - x.from) })
	return out
}

// dropScopes removes push and pop with all commands between them, then pairs of push and pop alone.
func dropScopes(s *search) {
	for _, whole := range []bool{true, false} {
		for again := true; again; {
			var list []proposal
			for _, p := range scopes(s.Current().Commands) {
				list = append(list, proposal{Make: func() *state { return s.With(without(s, p, whole)) }})
			}
			again = s.FirstOf(list) >= 0
		}
	}
}

// without removes one level from a push and its pop, and all commands between them if whole is set. A push or pop of
// several levels stays with one level less.
func without(s *search, p level, whole bool) ([]smtlib.Command, []smtlib.Answer) {
	var cmds []smtlib.Command
	var expect []smtlib.Answer
	for i, c := range s.Current().Commands {
		isPop := i == p.to && c.Kind == smtlib.CmdPop
		switch {
		case i == p.from || isPop:
			if c.N--; c.N == 0 {
				continue
			}
		case whole && i > p.from && i < p.to:
			continue
		}
		cmds = append(cmds, c)
		expect = append(expect, s.Current().Expect[i])
	}
	return cmds, expect
}

// simplifyCommands replaces commands by plainer ones: check-sat-using and check-sat-assuming by check-sat, lists of
// terms by shorter ones.
func simplifyCommands(s *search) {
	for i := 0; i < len(s.Current().Commands) && !s.Stopped(); i++ {
		c := s.Current().Commands[i]
		switch {
		case c.Kind == smtlib.CmdCheckSatUsing || c.Kind == smtlib.CmdCheckSatAssuming:
			assumeLess(s, i)
		case c.Kind == smtlib.CmdGetValue && len(c.Terms) > 1:
			fewerTerms(s, i)
		}
	}
}

// assumeLess turns a check with a tactic or assumptions into a plain one, or drops assumptions. A plain check-sat may
// weigh the same but is simpler, so the candidate is cosmetic.
func assumeLess(s *search, i int) {
	plain := smtlib.Command{Kind: smtlib.CmdCheckSat}
	if s.FirstOf([]proposal{{Make: func() *state { return s.ReplacedCommand(i, plain) }, Is: driver.Cosmetic}}) < 0 {
		fewerTerms(s, i)
	}
}

// fewerTerms drops terms of a command that has a list of them.
func fewerTerms(s *search, i int) {
	if i >= len(s.Current().Commands) {
		return
	}
	c := s.Current().Commands[i]
	terms := c.Terms
	s.Minimize(len(terms), func(keep []int) *state {
		if len(keep) == 0 || i >= len(s.Current().Commands) {
			return nil
		}
		less := c
		less.Terms = make([]smt.Term, len(keep))
		for k, at := range keep {
			less.Terms[k] = terms[at]
		}
		return s.ReplacedCommand(i, less)
	}, nil)
}

// reprint prints commands that have their own text (smtlib.Script.AsWritten) as all others are, as many as can be; the
// rest of them loses its comments.
func reprint(s *search) {
	for _, plain := range []func(*smtlib.Command) smtlib.Command{(*smtlib.Command).Reprinted, (*smtlib.Command).WithoutComments} {
		var own []int
		for i := range s.Current().Commands {
			if s.Current().Commands[i].IsAsWritten() {
				own = append(own, i)
			}
		}
		s.Sweep(len(own), func(at driver.Span) proposal {
			return proposal{Is: driver.Reprinted, Make: func() *state {
				cmds := slices.Clone(s.Current().Commands)
				for _, i := range own[at.From:at.To] {
					cmds[i] = plain(&cmds[i])
				}
				return s.With(cmds, s.Current().Expect)
			}}
		}, nil)
	}
}
