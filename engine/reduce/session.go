package reduce

import (
	"context"
	"crypto/sha256"
	"slices"
	"strconv"

	"github.com/smtlark/smtlark/engine/claim"
	"github.com/smtlark/smtlark/engine/eval/model"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/smtlib/scope"
	"github.com/smtlark/smtlark/engine/testcase"
)

// state is a candidate: commands, and what is known about the answer of each (None for what is no check-sat).
type state struct {
	cmds    []smtlib.Command
	expect  []smtlib.Answer
	witness *model.Model
	weight  int
}

// session is one reduction.
type session struct {
	ctx   context.Context
	a     *smt.Arena
	orig  *testcase.Case
	fails Predicate
	opt   Options
	cur   *state
	stats Stats
	pass  int // index into stats.Passes
	known map[[16]byte]bool
	// unused are the replies to candidates that were asked about ahead of time, and were not needed then.
	unused map[[16]byte]chan Reply
	text   []byte

	rw         rewriter
	openOf     *state // what open and seen are about: terms of the case, and those with a variable below them
	open, seen []bool
	prune      bool // declarations that nothing uses go by themselves
	global     bool // declarations outlive pop
	truth      *claim.Truth
	monotone   bool // sat must be kept without a witness: only by asserting less
	lax        bool // the original breaks the rules of scoping itself
	exhausted  bool
	patience   int  // how many of them end a pass over terms; 0: no bound
	bounded    bool // the pass at work is such a pass
	wasted     int  // candidates in a row that did not hold, of the pass at work
	gaveUp     bool // a pass of this round ended early
	trail      Trail[*state]
	recursions int        // symbols made for edited recursive definitions
	drop       smt.Symbol // a function that is no longer to be defined
}

func newSession(ctx context.Context, c *testcase.Case, fails Predicate, opt Options) *session {
	s := &session{ctx: ctx, a: c.Script.Arena, orig: c, fails: fails, opt: opt, known: map[[16]byte]bool{}, unused: map[[16]byte]chan Reply{}}
	s.cur = &state{cmds: c.Script.Commands, expect: make([]smtlib.Answer, len(c.Script.Commands)), witness: c.Witness}
	check := 0
	for i := range s.cur.cmds {
		if s.cur.cmds[i].Kind.IsCheck() {
			s.cur.expect[i] = c.ExpectAt(check)
			check++
		}
	}
	s.global = scope.GlobalDeclarations(s.cur.cmds)
	s.lax = !scope.WellScoped(s.a, s.cur.cmds, s.global)
	s.cur.weight = s.weigh(s.cur.cmds)
	s.stats.Before = s.cur.weight
	s.known[s.hash(s.cur)] = true
	s.truth = claim.TruthOf(c)
	if answers := answersOf(s.cur); slices.Contains(answers, smtlib.Sat) && (c.Witness == nil || !s.truth.Witnessed(c.Script, answers, c.Witness)) {
		s.monotone, s.cur.witness = true, nil
	}
	s.truth.Pin(s.cur.witness)
	return s
}

// answersOf lists what is known about the answer of each check.
func answersOf(st *state) (out []smtlib.Answer) {
	for i := range st.cmds {
		if st.cmds[i].Kind.IsCheck() {
			out = append(out, st.expect[i])
		}
	}
	return out
}

// best is the current state as a case.
func (s *session) best() *testcase.Case {
	if s.stats.Kept == 0 {
		return s.orig
	}
	return s.toCase(s.cur)
}

func (s *session) toCase(st *state) *testcase.Case {
	c := &testcase.Case{Script: s.orig.Script.WithCommands(st.cmds), Witness: st.witness, Origin: s.orig.Origin}
	c.Expect = answersOf(st)
	if s.opt.Wrap != nil {
		return s.opt.Wrap(c)
	}
	return c
}

// stopped reports that nothing more should be tried.
func (s *session) stopped() bool {
	return s.exhausted || s.ctx.Err() != nil || s.opt.Done != nil && s.opt.Done()
}

// tired reports that the pass at work has wasted enough.
func (s *session) tired() bool {
	if !s.bounded || s.wasted < s.patience {
		return false
	}
	s.gaveUp = true
	return true
}

// kind tells candidates apart.
type kind uint8

const (
	ordinary  kind = iota
	cosmetic       // may be as heavy as the current case when its text is plainer
	renamed        // cosmetic, and the same up to names, so that sat stays sat
	reprinted      // the same in other words
)

// with is a candidate that has the current one's witness.
func (s *session) with(cmds []smtlib.Command, expect []smtlib.Answer) *state {
	return &state{cmds: cmds, expect: expect, witness: s.cur.witness}
}

// offer tries one candidate.
func (s *session) offer(make func() *state) bool {
	return s.firstOf([]proposal{{make: make}}) == 0
}

// firstOf is first for a list.
func (s *session) firstOf(list []proposal) int {
	i := -1
	return s.first(func() (proposal, bool) {
		if i++; i >= len(list) {
			return proposal{}, false
		}
		return list[i], true
	})
}

// finish drops what nothing uses and weighs.
func (s *session) finish(st *state) {
	if s.prune {
		st.cmds, st.expect = scope.Prune(s.a, st.cmds, st.expect)
	}
	st.weight = s.weigh(st.cmds)
}

// examined is what can be said about a candidate without asking.
type examined struct {
	ask              bool
	noted            bool // its hash was not known before
	repeated, untrue bool
	hash             [16]byte
}

// examine finishes a candidate and refuses what is not lighter, ill-scoped, known already, or no longer known to have
// its answer.
func (s *session) examine(st *state, is kind) (x examined) {
	s.finish(st)
	if !s.lax && !scope.WellScoped(s.a, st.cmds, s.global) {
		return x
	}
	if st.weight > s.cur.weight || st.weight == s.cur.weight && is != reprinted && (is == ordinary || !s.plainer(st)) {
		return x
	}
	x.hash = s.hash(st)
	if s.known[x.hash] {
		x.repeated = true
		return x
	}
	s.known[x.hash] = true
	x.noted = true
	x.untrue = is != reprinted && !(s.monotone && is == renamed) && !s.truth.Keeps(s.orig.Script.WithCommands(st.cmds), answersOf(st), st.witness)
	x.ask = !x.untrue
	return x
}

// plainer compares the texts of cases that weigh the same: by length, then by the order of bytes, so that a change of
// looks cannot be undone by the next one.
func (s *session) plainer(st *state) bool {
	before := string(s.render(s.cur))
	after := s.render(st)
	if len(after) != len(before) {
		return len(after) < len(before)
	}
	return string(after) < before
}

func (s *session) count(x examined) {
	if x.repeated {
		s.stats.Repeated++
	}
	if x.untrue {
		s.stats.Untrue++
	}
}

// accept makes a candidate the current case.
func (s *session) accept(st *state) {
	p := &s.stats.Passes[s.pass]
	s.wasted = 0
	s.stats.Kept++
	p.Kept++
	p.Gain += s.cur.weight - st.weight
	if s.opt.Asker != nil {
		s.trail.Accept(s.cur)
	}
	s.cur = st
	s.truth.Pin(s.cur.witness)
	if s.opt.Progress != nil {
		s.opt.Progress(Step{Pass: p.Name, Weight: st.weight, Tests: s.stats.Tests, Case: s.toCase(st)})
	}
}

// release drops the terms of a candidate that was rejected.
func (s *session) release(m smt.Mark) {
	if !s.opt.Keep {
		s.a.Release(m)
	}
}

func (s *session) render(st *state) []byte {
	s.text = s.orig.Script.WithCommands(st.cmds).AppendTo(s.text[:0])
	return s.text
}

// hash names a candidate by its text; where commands stand for something else, also by which they are, and by the terms
// of those whose text does not show them.
func (s *session) hash(st *state) (h [16]byte) {
	text := s.render(st)
	if s.opt.Wrap != nil {
		for i := range st.cmds {
			c := &st.cmds[i]
			text = strconv.AppendInt(append(text, ' '), int64(c.Pos.Line), 10)
			if c.Kind != smtlib.CmdOther {
				continue
			}
			for _, t := range c.Terms {
				text = append(append(text, ' '), smtlib.TermText(s.a, t)...)
			}
		}
		s.text = text
	}
	sum := sha256.Sum256(text)
	copy(h[:], sum[:])
	return h
}
