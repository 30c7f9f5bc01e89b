package workspace

import (
	"maps"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/generate/acceptance"
	"github.com/smtlark/smtlark/engine/generate/mutate"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/rule"
)

// scratchMax is the number of nodes beyond which a scratch arena is replaced and not reused.
const scratchMax = 1 << 20

// ThreadState keeps the state of a thread of a campaign file between and during cases: the arena of terms that belong
// to no case yet, the parsed seeds, and the seeds and answers used by the case being made. It belongs to the goroutine
// of its thread.
type ThreadState struct {
	// Model is the solver that seed.model() asks when the script names none; nil when there is none. A campaign sets it.
	Model Answerer
	// Accepted has the facts about the targets for which the case at hand is made: other seeds are not used. nil: any
	// are.
	Accepted *acceptance.Targets
	// Avoided are shapes that the case at hand does without: seeds that have one are not used.
	Avoided []rule.Lack
	// Grown are cases of the campaign from which some cases are made in the place of seeds; nil: none.
	Grown *corpus.Grown
	// Models remembers what solvers found; nil remembers nothing beyond this thread.
	Models *memo.Cache
	// Given are recorded answers that take the place of those of solvers; nil: solvers are asked.
	Given testcase.Answers

	scratch *TermStore
	used    map[*smt.Arena]*TermStore
	locals  map[*AnalyzedCase]*AnalyzedCase // frozen cases and their copies for this thread
	seeds   seedCache
	broken  map[string]finding.BrokenSeed
	pools   []*mutate.Pool // free ones, for the memory they have
	// poolsUsed are those of the case that is being made.
	poolsUsed []*mutate.Pool
	others    []string // names of the cases that terms were brought over from
	steps     []string
	answers   testcase.Answers // that the case being made depends on
	asked     []string         // names of the solvers whose answers the case being made may depend on
}

// NewSession returns an empty session.
func NewSession() *ThreadState {
	return &ThreadState{scratch: NewStore(smt.NewArena(), ""), used: map[*smt.Arena]*TermStore{}, locals: map[*AnalyzedCase]*AnalyzedCase{}}
}

// Begin ends the case that was made last and begins a new one: terms of the last one are gone.
func (s *ThreadState) Begin() {
	for _, st := range s.used {
		st.Release()
	}
	clear(s.used)
	if s.scratch.frozen || s.scratch.Arena.Len() > scratchMax {
		s.scratch = NewStore(smt.NewArena(), "")
	} else {
		s.scratch.Release()
	}
	s.pools, s.poolsUsed = append(s.pools, s.poolsUsed...), s.poolsUsed[:0]
	s.others, s.steps, s.asked, s.answers = nil, nil, nil, nil
	s.seeds.trim()
}

// Scratch returns the store for terms of no case.
func (s *ThreadState) Scratch() *TermStore {
	if s.scratch.frozen { // a global was made from it: its module is loaded
		s.scratch = NewStore(smt.NewArena(), "")
	}
	return s.scratch
}

// Use notes that the case being made builds on a store.
func (s *ThreadState) Use(st *TermStore) {
	if !st.frozen {
		s.used[st.Arena] = st
	}
}

// Pool returns an empty pool of terms of the store, for use during this case.
func (s *ThreadState) Pool(st *TermStore) *mutate.Pool {
	var p *mutate.Pool
	if n := len(s.pools); n > 0 {
		p, s.pools = s.pools[n-1], s.pools[:n-1]
		p.Reset(st.Arena)
	} else {
		p = mutate.NewPool(st.Arena)
	}
	s.poolsUsed = append(s.poolsUsed, p)
	return p
}

// noteBroken notes a seed that cannot be used.
func (s *ThreadState) noteBroken(name string, err error) {
	if s.broken == nil {
		s.broken = map[string]finding.BrokenSeed{}
	}
	if _, known := s.broken[name]; !known {
		s.broken[name] = corpus.Broken(name, err)
	}
}

// Broken returns the seeds that could not be used so far, by name.
func (s *ThreadState) Broken() []finding.BrokenSeed {
	out := slices.Collect(maps.Values(s.broken))
	slices.SortFunc(out, func(a, b finding.BrokenSeed) int { return strings.Compare(a.File, b.File) })
	return out
}

// Adopted notes that the case being made uses terms of another case.
func (s *ThreadState) Adopted(from *TermStore) {
	if from.Label != "" && !slices.Contains(s.others, from.Label) {
		s.others = append(s.others, from.Label)
	}
}

// Step notes a change of the case being made.
func (s *ThreadState) Step(what string) { s.steps = append(s.steps, what) }

// NoteAsked notes that a solver was asked for an answer while the case is made.
func (s *ThreadState) NoteAsked(name string) {
	if !slices.Contains(s.asked, name) {
		s.asked = append(s.asked, name)
	}
}

// NoteAnswer notes an answer that the case being made depends on.
func (s *ThreadState) NoteAnswer(a *testcase.Answer) {
	if !slices.ContainsFunc(s.answers, func(b testcase.Answer) bool { return b.What == a.What && b.By == a.By && b.Question == a.Question }) {
		s.answers = append(s.answers, *a)
	}
}

// Origin adds the session's knowledge about the finished case to an origin.
func (s *ThreadState) Origin(o testcase.Origin) testcase.Origin {
	o.Seeds = append(slices.Clone(o.Seeds), s.others...)
	if o.Steps == nil {
		o.Steps = s.steps
	}
	o.Answers = s.answers
	if o.SeedScript != nil { // each case gets its own copy, so that an oracle's use of it does not affect the next case
		own := *o.SeedScript
		o.SeedScript = &own
	}
	return o
}

// Wrap returns a case of the engine with its store.
func (s *ThreadState) Wrap(tc *testcase.Case) *AnalyzedCase {
	st := s.used[tc.Script.Arena]
	if st == nil {
		st = NewStore(tc.Script.Arena, tc.Script.Name)
	}
	return NewCase(st, tc)
}

// Local returns a case that this thread may build on: the case itself, or, if it is a global of a module, a copy of
// it.
func (s *ThreadState) Local(c *AnalyzedCase) (*AnalyzedCase, error) {
	if !c.st.frozen {
		s.Use(c.st)
		return c, nil
	}
	if l := s.locals[c]; l != nil {
		s.Use(l.st)
		return l, nil
	}
	var w *testcase.Wire
	c.st.Walk(func(*smt.Arena) { w = c.tc.Wire() })
	tc, err := w.Case(nil)
	if err != nil {
		return nil, err
	}
	l := NewCase(NewStore(tc.Script.Arena, c.st.Label), tc)
	s.locals[c] = l
	s.Use(l.st)
	return l, nil
}
