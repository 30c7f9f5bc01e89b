package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/smtlib/scope"
)

// minimize is delta debugging over n parts; build makes the candidate that has only the parts given, nil if there is none.
func (s *session) minimize(n int, build func(keep []int) *state) []int {
	return minimize(n, func(next func() (func() []int, bool)) int {
		return s.first(func() (proposal, bool) {
			keep, ok := next()
			if !ok {
				return proposal{}, false
			}
			return proposal{make: func() *state { return build(keep()) }}, true
		})
	})
}

// keepUnits tries candidates that have only some of the given groups of commands, by delta debugging. Commands outside
// every group stay.
func (s *session) keepUnits(units [][]int) {
	if len(units) == 0 {
		return
	}
	base := s.cur
	keep := make([]bool, len(base.cmds))
	s.minimize(len(units), func(kept []int) *state {
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
		return s.with(scope.Selected(base.cmds, base.expect, keep))
	})
}

// unitsOf returns one group for each command that is of the kind wanted, last ones first: what comes last depends on
// what comes first.
func (s *session) unitsOf(want func(c *smtlib.Command) bool) [][]int {
	var units [][]int
	for i := len(s.cur.cmds) - 1; i >= 0; i-- {
		if want(&s.cur.cmds[i]) {
			units = append(units, []int{i})
		}
	}
	return units
}

// dropDeclarations removes what nothing uses, at first all of it: if that is fine, no candidate has unused
// declarations from now on. Where one of them matters, they are removed one by one.
func (s *session) dropDeclarations() {
	if s.prune {
		return
	}
	cmds, expect := scope.Prune(s.a, s.cur.cmds, s.cur.expect)
	if len(cmds) == len(s.cur.cmds) || s.offer(func() *state { return s.with(cmds, expect) }) {
		s.prune = true
		return
	}
	s.keepUnits(s.unitsOf(func(c *smtlib.Command) bool { return c.Kind.IsDeclaration() }))
}

func (s *session) dropAsserts() {
	s.keepUnits(s.unitsOf(func(c *smtlib.Command) bool { return c.Kind == smtlib.CmdAssert }))
}

// dropCommands removes anything but assertions and declarations: check-sats, get-commands, resets, scopes.
func (s *session) dropCommands() {
	s.keepUnits(s.unitsOf(func(c *smtlib.Command) bool {
		switch c.Kind {
		case smtlib.CmdAssert, smtlib.CmdPush, smtlib.CmdPop, smtlib.CmdSetOption, smtlib.CmdSetLogic, smtlib.CmdSetInfo:
			return false
		}
		return !c.Kind.IsDeclaration()
	}))
}

func (s *session) dropOptions() {
	s.keepUnits(s.unitsOf(func(c *smtlib.Command) bool {
		return c.Kind == smtlib.CmdSetInfo || c.Kind == smtlib.CmdSetOption || c.Kind == smtlib.CmdSetLogic
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

// dropScopes removes push and pop with all between them, then pairs of push and pop around what stays.
func (s *session) dropScopes() {
	for _, whole := range []bool{true, false} {
		for again := true; again; {
			var list []proposal
			for _, p := range scopes(s.cur.cmds) {
				list = append(list, proposal{make: func() *state { return s.with(s.without(p, whole)) }})
			}
			again = s.firstOf(list) >= 0
		}
	}
}

// without takes one level off a push and its pop, and what is between them if whole. A push or pop of several levels
// stays with one level less.
func (s *session) without(p level, whole bool) ([]smtlib.Command, []smtlib.Answer) {
	var cmds []smtlib.Command
	var expect []smtlib.Answer
	for i, c := range s.cur.cmds {
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
		expect = append(expect, s.cur.expect[i])
	}
	return cmds, expect
}

// simplifyCommands replaces commands by plainer ones: check-sat-using and check-sat-assuming by check-sat, lists of
// terms by shorter ones.
func (s *session) simplifyCommands() {
	for i := 0; i < len(s.cur.cmds) && !s.stopped(); i++ {
		c := s.cur.cmds[i]
		switch {
		case c.Kind == smtlib.CmdCheckSatUsing || c.Kind == smtlib.CmdCheckSatAssuming:
			s.assumeLess(i)
		case c.Kind == smtlib.CmdGetValue && len(c.Terms) > 1:
			s.fewerTerms(i)
		}
	}
}

// replaced is a candidate with another command number i.
func (s *session) replaced(i int, c smtlib.Command) *state {
	cmds := slices.Clone(s.cur.cmds)
	cmds[i] = c
	return s.with(cmds, s.cur.expect)
}

// assumeLess turns a check with a tactic or assumptions into a plain one, or drops assumptions. A plain check-sat may
// weigh the same; it is simpler all the same, so the candidate is cosmetic.
func (s *session) assumeLess(i int) {
	plain := smtlib.Command{Kind: smtlib.CmdCheckSat}
	if s.firstOf([]proposal{{make: func() *state { return s.replaced(i, plain) }, is: cosmetic}}) < 0 {
		s.fewerTerms(i)
	}
}

// fewerTerms drops terms of a command that has a list of them.
func (s *session) fewerTerms(i int) {
	if i >= len(s.cur.cmds) {
		return
	}
	c := s.cur.cmds[i]
	terms := c.Terms
	s.minimize(len(terms), func(keep []int) *state {
		if len(keep) == 0 || i >= len(s.cur.cmds) {
			return nil
		}
		less := c
		less.Terms = make([]smt.Term, len(keep))
		for k, at := range keep {
			less.Terms[k] = terms[at]
		}
		return s.replaced(i, less)
	})
}

// reprint prints commands that have their own text (smtlib.Script.AsWritten) as all others are, as many as can be; what is left
// of them loses its comments.
func (s *session) reprint() {
	for _, plain := range []func(*smtlib.Command) smtlib.Command{(*smtlib.Command).Reprinted, (*smtlib.Command).WithoutComments} {
		var own []int
		for i := range s.cur.cmds {
			if s.cur.cmds[i].IsAsWritten() {
				own = append(own, i)
			}
		}
		s.sweep(len(own), func(at span) proposal {
			return proposal{is: reprinted, make: func() *state {
				cmds := slices.Clone(s.cur.cmds)
				for _, i := range own[at.from:at.to] {
					cmds[i] = plain(&cmds[i])
				}
				return s.with(cmds, s.cur.expect)
			}}
		}, nil)
	}
}
