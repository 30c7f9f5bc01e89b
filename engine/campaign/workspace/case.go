package workspace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/generate/derive"
	"github.com/smtlark/smtlark/engine/generate/mutate"
	"github.com/smtlark/smtlark/engine/ground/cells"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// AnalyzedCase is a test case, a seed or the product of a technique, with cached analysis results. It is immutable;
// methods return other cases over the same arena.
type AnalyzedCase struct {
	st  *TermStore
	gen uint32 // 0: permanent
	tc  *testcase.Case

	preamble *derive.Preamble  // of this case or of the one it was made from
	asserts  []smt.Term        // nil: not looked for
	frags    []mutate.Fragment // nil: not looked for
	subject  *mutate.Subject   // nil: not prepared
	models   Models
}

// NewCase wraps a case whose script lives in the store's arena.
func NewCase(st *TermStore, tc *testcase.Case) *AnalyzedCase {
	c := &AnalyzedCase{st: st, tc: tc}
	if !st.Clean() {
		c.gen = st.gen
	}
	return c
}

// ParseCase reads a script into an arena of its own. Its :status gives the known answers.
func ParseCase(name string, src []byte) (*AnalyzedCase, error) {
	tc, err := testcase.Parse(name, src)
	if err != nil {
		return nil, err
	}
	return NewCase(NewStore(tc.Script.Arena, name), tc), nil
}

// parseSeed is ParseCase for a text that cases are made from. A text that every solver refuses is an error, since
// solvers would also refuse all cases made from it.
func parseSeed(name string, src []byte) (*AnalyzedCase, error) {
	c, err := ParseCase(name, src)
	if err != nil {
		return nil, err
	}
	if err := c.tc.Script.Legal(); err != nil {
		return nil, err
	}
	return c, nil
}

// Store returns the store of the case's terms.
func (c *AnalyzedCase) Store() *TermStore { return c.st }

// TestCase returns the case itself, or an error when it is gone.
func (c *AnalyzedCase) TestCase() (*testcase.Case, error) {
	if !c.st.live(c.gen) {
		return nil, &overError{"case", c.st.Label}
	}
	return c.tc, nil
}

// Engine returns the case itself for those who know that it is not over.
func (c *AnalyzedCase) Engine() *testcase.Case { return c.tc }

// IsLive reports whether the case is not over.
func (c *AnalyzedCase) IsLive() bool { return c.st.live(c.gen) }

// HasFragments reports whether Fragments has been computed and is kept.
func (c *AnalyzedCase) HasFragments() bool { return c.frags != nil }

// String names the case in messages.
func (c *AnalyzedCase) String() string {
	if !c.st.live(c.gen) {
		return "<case that is over>"
	}
	return fmt.Sprintf("<case %s>", c.st.label())
}

// keep reports whether newly computed data about the case may be cached in it. For a permanent case, that requires that
// the arena contained only permanent terms before; then the new terms become permanent, too.
func (c *AnalyzedCase) keep(wasClean bool) bool {
	if c.gen == 0 && wasClean {
		c.st.Pin()
	}
	return c.gen != 0 || wasClean
}

// Asserts returns the assertions at the last check-sat, without names that annotations give to terms.
func (c *AnalyzedCase) Asserts() ([]smt.Term, error) {
	if c.asserts != nil {
		return c.asserts, nil
	}
	clean := c.st.Clean()
	ts, err := scope.StripNames(c.st.Arena, c.tc.Script.Asserts())
	if err == nil && c.keep(clean) {
		c.asserts = ts
	}
	return ts, err
}

// Fragments returns the fragments of the case, see mutate.Fragments.
func (c *AnalyzedCase) Fragments() ([]mutate.Fragment, error) {
	if c.frags != nil {
		return c.frags, nil
	}
	clean := c.st.Clean()
	asserts, err := scope.StripNames(c.st.Arena, c.tc.Script.Asserts())
	if err != nil {
		return nil, err
	}
	a := c.st.Arena
	frags := mutate.Fragments(a, asserts, -1)
	terms := make([]smt.Term, len(frags))
	for i := range frags {
		terms[i] = frags[i].Term
	}
	if terms, err = scope.StripNames(a, terms); err != nil {
		return nil, err
	}
	for i := range frags {
		frags[i].Term = terms[i]
	}
	if c.keep(clean) {
		c.frags = frags
	}
	return frags, nil
}

// Subject returns the case prepared for mutations.
func (c *AnalyzedCase) Subject() (*mutate.Subject, error) {
	if c.subject != nil {
		return c.subject, nil
	}
	clean := c.st.Clean()
	x, err := mutate.NewSubject(c.tc.Script)
	if err == nil && c.keep(clean) {
		c.subject = x
	}
	return x, err
}

// Mutant returns the case of a mutant of this one, of whose answers nothing is known.
func (c *AnalyzedCase) Mutant(m *mutate.Mutant) *AnalyzedCase {
	return c.Of(c.tc.With(m.Script, nil, nil))
}

// Of returns a case that was made of this one, over the same terms.
func (c *AnalyzedCase) Of(tc *testcase.Case) *AnalyzedCase {
	if tc == c.tc {
		return c
	}
	return &AnalyzedCase{st: c.st, gen: c.st.gen, tc: tc}
}

// Over is Of for a case that takes its declarations from a preamble.
func (c *AnalyzedCase) Over(p *derive.Preamble, tc *testcase.Case) *AnalyzedCase {
	out := c.Of(tc)
	out.preamble = p
	return out
}

// Undeclared returns declarations for the symbols that the terms use but the case does not declare, and the preamble
// that includes them. Symbols that are as old as the store are the script's own, so a case built of the seed's terms
// alone needs no walk.
func (c *AnalyzedCase) Undeclared(ts []smt.Term) ([]smtlib.Command, *derive.Preamble) {
	if c.preamble == nil {
		c.preamble = derive.PreambleOf(c.tc.Script)
	}
	if len(ts) == 0 || c.st.Arena.NumSymbols() == c.st.symbols && c.st.Label != "" {
		return nil, c.preamble
	}
	return c.preamble.Declaring(c.st.Arena, ts)
}

// WithAsserts returns the case with other assertions and one check-sat (or check-sat-using, as before), of which the
// answer is known (or None).
func (c *AnalyzedCase) WithAsserts(parts []smt.Term, answer smtlib.Answer, witness *model.Model) *AnalyzedCase {
	_, p := c.Undeclared(parts)
	s := p.Asserting(c.tc.Script, parts)
	return c.Over(p, c.tc.With(s, testcase.Following(s, answer), witness))
}

// MapTerms returns the case with each term of its assertions and checks replaced by what f makes of it. Nothing is
// known about the answers of the result.
func (c *AnalyzedCase) MapTerms(f func(smt.Term) (smt.Term, error)) (*AnalyzedCase, error) {
	cmds, fresh, err := derive.MapTerms(c.tc.Script, f)
	if err != nil {
		return nil, err
	}
	missing, p := c.Undeclared(fresh)
	return c.Over(p, c.tc.With(c.tc.Script.WithCommands(derive.Insert(cmds, missing)), nil, nil)), nil
}

// KeepAnswers is derive.KeepAnswers.
func (c *AnalyzedCase) KeepAnswers(from *AnalyzedCase) *AnalyzedCase {
	return c.Of(derive.KeepAnswers(c.tc, from.tc))
}

// ChangedFrom is derive.IsChanged.
func (c *AnalyzedCase) ChangedFrom(old *AnalyzedCase) bool { return derive.IsChanged(c.tc, old.tc) }

// KeepShifted is derive.KeepShifted.
func (c *AnalyzedCase) KeepShifted(from *AnalyzedCase, weaker bool) *AnalyzedCase {
	return c.Of(derive.KeepShifted(c.tc, from.tc, weaker))
}

// Renamed returns the case with other names for constants and functions, see derive.Rename.
func (c *AnalyzedCase) Renamed(names map[string]string) (*AnalyzedCase, error) {
	tc, err := derive.Rename(c.tc, names)
	if err != nil {
		return nil, err
	}
	return c.Over(derive.PreambleOf(tc.Script), tc), nil
}

// WithSetting returns the case with an option, whose value is SMT-LIB text, in front.
func (c *AnalyzedCase) WithSetting(name, text string) *AnalyzedCase {
	return c.Of(c.tc.With(c.tc.Script.WithOption(":"+name, text), c.tc.Expect, c.tc.Witness))
}

// UnderOption returns the case with the known facts about the single setting that applies to it.
func (c *AnalyzedCase) UnderOption(asked *cells.Asked) *AnalyzedCase {
	tc := *c.tc
	tc.Option = asked
	return c.Of(&tc)
}

// Valued calls add for each fragment of the case whose value in the model is known; outer leaves all but outer ones
// out. A negative maxDepth is no bound.
func (c *AnalyzedCase) Valued(m *StoredModel, maxDepth int, outer bool, add func(t smt.Term, value bool, depth int)) error {
	frags, err := c.Fragments()
	if err != nil {
		return err
	}
	if m.st != c.st {
		em, err := m.In(c)
		if err != nil {
			return err
		}
		m = NewModel(c.st, em)
	}
	if err := m.bound(); err != nil {
		return err
	}
	for i := range frags {
		f := &frags[i]
		if maxDepth >= 0 && f.Depth > maxDepth || outer && !f.Outer {
			continue
		}
		if v := m.truthOf(f.Term); v != value.Unknown {
			add(f.Term, v == value.True, f.Depth)
		}
	}
	return nil
}

// Said notes that the answer of the case rests only on the claim of the campaign file, or of solvers that the file
// asked while it made the case. method names how the file claimed it.
func (c *AnalyzedCase) Said(s *ThreadState, method string, answer smtlib.Answer, w *model.Model) *AnalyzedCase {
	if !answer.Decided() || answer == smtlib.Sat && w != nil {
		return c
	}
	by := "the campaign file (" + method + ")"
	if len(s.asked) > 0 {
		by = fmt.Sprintf("%s, asked while the case was made (%s)", strings.Join(s.asked, ", "), method)
	}
	c.tc.Origin = c.tc.Origin.Assume(by)
	return c
}

// ByConstruction returns the case without assumptions about its seeds, for answers that hold regardless of these.
func (c *AnalyzedCase) ByConstruction() *AnalyzedCase {
	known := *c.tc
	known.Origin.Assumed = nil
	return c.Of(&known)
}

// WithAnswer returns the case with other knowledge about the answer of its last check-sat, and of others where it
// follows from that.
func (c *AnalyzedCase) WithAnswer(answer smtlib.Answer, witness *model.Model) *AnalyzedCase {
	return c.Of(c.tc.With(c.tc.Script, testcase.Following(c.tc.Script, answer), witness))
}

// WithScript returns the case with another script over its terms, which means the same: the known facts about its
// answers stay.
func (c *AnalyzedCase) WithScript(s *smtlib.Script) *AnalyzedCase {
	return c.Of(c.tc.With(s, c.tc.Expect, c.tc.Witness))
}

// Stepwise returns the case that asserts the same step by step, with so many check-sats, see mutate.Stepwise. Each
// check-sat sees a part of the assertions. If the whole is known to be sat, so is each part, but a part of an unsat
// problem may be sat.
func (c *AnalyzedCase) Stepwise(r *rng.Source, checks int) *AnalyzedCase {
	s := c.tc.Script
	if s.CheckSats() != 1 {
		s = c.WithAsserts(s.Asserts(), smtlib.None, nil).tc.Script
	}
	last := c.tc.ExpectAt(c.tc.Script.CheckSats() - 1)
	s = mutate.Stepwise(s, r, checks)
	var expect []smtlib.Answer
	if last == smtlib.Sat {
		expect = slices.Repeat([]smtlib.Answer{last}, s.CheckSats())
	}
	return c.Of(c.tc.With(s, expect, c.tc.Witness))
}
