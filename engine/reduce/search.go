package reduce

import (
	"context"
	"slices"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/rewrite"
	"github.com/smtlark/smtlark/engine/reduce/driver"
)

// proposal is a way to go on from the current candidate.
type proposal = driver.Proposal[state]

// search is one reduction of a script; passes work on it.
type search struct {
	*driver.Search[state]
	*subject
	// Rewriter holds the changes of the latest edit.
	Rewriter rewrite.Rewriter

	retyper   retypeMaker
	variables openTerms
}

// newSearch begins a reduction.
func newSearch(ctx context.Context, c *testcase.Case, cfg searchConfig, opt driver.SearchOptions[state]) *search {
	x, start := subjectOf(c, cfg)
	s := &search{subject: x, retyper: retypeMaker{Arena: x.Arena, Evaluator: x.Truth.Evaluator}}
	s.Search = driver.New(ctx, x, start, opt)
	return s
}

// Best is the current candidate as a case: the case itself if nothing could go.
func (s *search) Best() *testcase.Case {
	if s.Stats().Kept == 0 {
		return s.orig
	}
	return s.Case(s.Current())
}

// With is a candidate that has the current one's witness.
func (s *search) With(cmds []smtlib.Command, expect []smtlib.Answer) *state {
	return &state{Commands: cmds, Expect: expect, Witness: s.Current().Witness}
}

// ReplacedCommand is a candidate with another command number i.
func (s *search) ReplacedCommand(i int, c smtlib.Command) *state {
	cmds := slices.Clone(s.Current().Commands)
	cmds[i] = c
	return s.With(cmds, s.Current().Expect)
}

// Retyped is the candidate with a change of sorts made, nil if it cannot be.
func (s *search) Retyped(c retyping) *state {
	cmds, witness := s.retyper.Commands(s.Current().Commands, s.Current().Witness, c)
	if cmds == nil {
		return nil
	}
	return &state{Commands: cmds, Expect: s.Current().Expect, Witness: witness}
}

// Rewritten applies the rewriter to the current commands; changed is false if nothing differs or a sort does not fit.
func (s *search) Rewritten() (cmds []smtlib.Command, changed bool) {
	return s.Rewriter.Commands(s.Current().Commands, s.Wrapped())
}

// Roots returns the terms of all commands, and the bodies of definitions.
func (s *search) Roots() []smt.Term { return rewrite.Roots(s.Arena, s.Current().Commands) }

// Closed reports whether no variable is free in a term.
func (s *search) Closed(t smt.Term) bool { return s.variables.closed(s, t) }

// openTerms tells which terms of a candidate have a variable below them.
type openTerms struct {
	of         *state
	open, seen []bool // by term
}

// closed reports whether no variable is free in a term. It looks through all terms of a case at once.
func (o *openTerms) closed(s *search, t smt.Term) bool {
	if o.of != s.Current() {
		o.of = s.Current()
		o.open = make([]bool, s.Arena.Len())
		o.seen = make([]bool, s.Arena.Len())
		s.Arena.PostOrder(s.Roots(), func(t smt.Term) {
			o.seen[t] = true
			o.open[t] = s.Arena.Op(t) == smt.OpVar
			for _, x := range s.Arena.Args(t) {
				o.open[t] = o.open[t] || o.open[x]
			}
		})
	}
	if int(t) < len(o.seen) && o.seen[t] && !o.open[t] {
		return true // not even a bound one
	}
	return len(s.Arena.FreeVars(t)) == 0
}
