package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/reduce/weight"
)

// edit replaces a term, wherever it occurs, by another of its sort whose free variables are among its own. The
// replacement is edited too, so many edits can be applied at once; By never contains Term.
type edit struct{ Term, By smt.Term }

// Targets returns every term that may be replaced, breadth first, so that large terms near a root come first. Match
// cases and the variables in binders are not among them.
func (s *search) Targets() []smt.Term {
	a := s.Arena
	seen := a.Stamps()
	defer seen.Free()
	var queue []smt.Term
	for _, r := range s.Roots() {
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

// Edited is the candidate with some edits made, and without command number gone if that is not negative; nil if nothing
// changes. Rewriter keeps the changes until the next call.
func (s *search) Edited(edits []edit, gone int) *state {
	repl := make(map[smt.Term]smt.Term, len(edits))
	for _, e := range edits {
		if e.Term != 0 && e.Term != e.By && !s.escapes(e) {
			repl[e.Term] = e.By
		}
	}
	if len(repl) == 0 {
		return nil
	}
	s.Rewriter.Reset(s.Arena, repl)
	cmds, changed := s.Rewritten()
	if !changed {
		return nil
	}
	expect := s.Current().Expect
	if gone >= 0 {
		cmds, expect = slices.Delete(cmds, gone, gone+1), slices.Delete(slices.Clone(expect), gone, gone+1)
	}
	return s.With(cmds, expect)
}

// escapes reports whether an edit would bring a variable where nothing binds it. Passes make no such edits, but other
// edits may have changed the terms that an edit refers to.
func (s *search) escapes(e edit) bool {
	if s.Arena.NumArgs(e.By) == 0 && s.Arena.Op(e.By) != smt.OpVar || s.Closed(e.By) {
		return false
	}
	free := s.Arena.FreeVars(e.By)
	have := s.Arena.FreeVars(e.Term)
	for _, v := range free {
		if !slices.Contains(have, v) {
			return true
		}
	}
	return false
}

// ApplyRounds edits every term for which there are alternatives: the first alternative of each at once, then in chunks
// down to single terms, then the second ones, and so on. An accepted edit changes the terms that later edits refer to,
// so these are translated.
func (s *search) ApplyRounds(alternatives func(t smt.Term) []smt.Term) {
	s.ApplyAs(driver.Ordinary, alternatives)
}

// ApplyAs is ApplyRounds for candidates of a kind.
func (s *search) ApplyAs(is driver.Change, alternatives func(t smt.Term) []smt.Term) {
	var rounds [][]edit
	for _, t := range s.Targets() {
		if s.Arena.Sort(t) == smt.SortUnknown {
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
		s.Sweep(len(edits), func(at driver.Span) proposal {
			return proposal{Make: func() *state { return s.Edited(edits[at.From:at.To], -1) }, Is: is}
		}, func(driver.Span) {
			for _, later := range rounds[k:] {
				for i := range later {
					later[i] = s.carry(later[i])
				}
			}
		})
		if s.Stopped() {
			return
		}
	}
}

// carry maps an edit through the rewriting that was just kept; an edit of nothing if its term is gone.
func (s *search) carry(e edit) edit {
	t := s.Rewriter.To(e.Term)
	if _, replaced := s.Rewriter.Replaced[e.Term]; t == 0 || replaced {
		return edit{}
	}
	if by := s.Rewriter.To(e.By); by != 0 {
		return edit{t, by}
	}
	return edit{t, e.By}
}

// lighter drops edits that cannot make the case lighter: those whose replacement alone weighs more than the term it
// replaces.
func (s *search) lighter(edits []edit) []edit {
	return slices.DeleteFunc(edits, func(e edit) bool {
		if s.Measure.Calls { // a term that exists already is lighter in any case
			return e.Term == e.By || e.Term == 0
		}
		return e.Term == e.By || e.Term == 0 || weight.Node(s.Arena, e.By) > weight.Node(s.Arena, e.Term) && s.Arena.NumArgs(e.Term) == 0
	})
}
