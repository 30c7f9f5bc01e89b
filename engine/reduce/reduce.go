package reduce

import (
	"context"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/testcase"
)

// Predicate reports whether a case still shows what is to be kept. It must not change the case or hold on to it, and
// should give the same reply for the same text: it is asked once for each text.
type Predicate func(*testcase.Case) bool

// Options say how to reduce. The zero value means all passes, no bound on tests.
type Options struct {
	// Passes are the names of the passes to use, see Passes; nil means defaultPasses.
	Passes []string
	// Custom are further passes. Those that Passes names run in its order; where it is nil, all of them run behind the
	// others.
	Custom []Custom
	// Tests bounds how often the predicate is asked; 0 means no bound.
	Tests int
	// Keep leaves the terms of rejected candidates in the arena: for predicates that may hold on to candidates.
	Keep bool
	// Asker, if set, is asked in place of the predicate, about Jobs candidates at a time. What comes out does not depend
	// on Jobs as long as its replies do not.
	Asker Asker
	Jobs  int
	// Wrap, if set, makes of a candidate the case that is asked about and returned, where the commands of a script stand
	// for something else. Commands keep their Pos, new ones have none.
	Wrap func(*testcase.Case) *testcase.Case
	// Calls says that the commands stand for the calls of a trace, of which there shall be few: terms and sorts are calls, too.
	Calls bool
	// Setting, if set, tells what is known of an option of the solver, by its name without a colon.
	Setting func(name string) (Setting, bool)
	// Done, if set, ends the search as soon as it reports true.
	Done func() bool
	// Progress, if set, is called after every step that was kept.
	Progress func(Step)
}

// Step is one edit that was kept.
type Step struct {
	Pass   string
	Weight int // of the case now
	Tests  int // asked so far
	Case   *testcase.Case
}

// Stats say what a reduction did.
type Stats struct {
	Before, After int // weights
	Tests         int // times the predicate was asked
	Kept          int // edits kept
	Repeated      int // candidates not asked about since their text had been
	Untrue        int // candidates not asked about since the known answer would have been lost
	// What follows is counted with an Asker only.
	Runs     int // how often the targets ran
	Ahead    int // candidates begun whose reply was not needed
	TimedOut int // replies with a run that ended at its limit
	Rechecks int // times the current case was asked about again
	Flaky    int // cases given up since they did not show it when asked again
	// Done reports that no pass can make the case smaller; else the context or the bound on tests ended the search.
	Done   bool
	Passes []PassStats // in the order of their first use
}

// PassStats say what one pass did.
type PassStats struct {
	Name              string
	Tests, Kept, Gain int // gain in weight
}

// Result is the smallest case found, with how it was found.
type Result struct {
	Case  *testcase.Case
	Stats Stats
}

// Run makes c smaller while fails holds. It takes for granted that fails holds of c. The result lives in the arena of
// c and is never heavier; it is c itself if nothing could go. When ctx is done, Run returns what it has so far. The
// error is a pass that does not exist.
func Run(ctx context.Context, c *testcase.Case, fails Predicate, opt Options) (*Result, error) {
	names := opt.Passes
	if names == nil {
		names = defaultPasses()
		for _, k := range opt.Custom {
			names = append(names, k.Name)
		}
	}
	var passes []*pass
	for _, n := range names {
		p := passByName(n)
		if i := slices.IndexFunc(opt.Custom, func(k Custom) bool { return k.Name == n }); p == nil && i >= 0 {
			p = opt.Custom[i].pass()
		}
		if p == nil {
			return nil, fmt.Errorf("no pass is named %q; there are %v", n, PassNames())
		}
		passes = append(passes, p)
	}
	s := newSession(ctx, c, fails, opt)
	s.stats.Done = s.rounds(passes)
	if opt.Asker != nil && s.stats.Kept > 0 && !s.stopped() {
		s.recheck()
	}
	s.stats.After = s.cur.weight
	return &Result{Case: s.best(), Stats: s.stats}, nil
}

// firstPatience is how many candidates in a row a pass over terms may waste while others still make the case much
// smaller. Where much of a case has to stay, that leaves fewer terms to try in vain. The last rounds know no such bound.
const firstPatience = 48

// rounds runs the passes in turn until none of them changes anything, the most profitable first from the second round
// on. Cosmetic passes run once, at the end.
func (s *session) rounds(passes []*pass) (done bool) {
	var work, last []*pass
	for _, p := range passes {
		if p.last {
			last = append(last, p)
		} else {
			work = append(work, p)
		}
	}
	for s.patience = firstPatience; ; {
		before := s.cur
		s.gaveUp = false
		for _, p := range work {
			s.use(p)
			if s.stopped() {
				return false
			}
		}
		if s.cur == before && !s.gaveUp {
			break
		}
		if s.cur.weight > before.weight-before.weight/8 {
			s.patience = 0
		}
		s.byYield(work)
	}
	s.patience = 0
	for _, p := range last {
		s.use(p)
	}
	return !s.stopped()
}

// use runs one pass on the current case.
func (s *session) use(p *pass) {
	s.pass = slices.IndexFunc(s.stats.Passes, func(x PassStats) bool { return x.Name == p.name })
	if s.pass < 0 {
		s.pass = len(s.stats.Passes)
		s.stats.Passes = append(s.stats.Passes, PassStats{Name: p.name})
	}
	s.bounded = s.patience > 0 && !p.commands
	s.wasted = 0
	p.run(s)
}

// byYield orders passes by the weight they took away for each test so far. Passes over commands stay in front: they are
// the cheapest, and what they remove nobody else has to look at.
func (s *session) byYield(work []*pass) {
	yield := func(p *pass) float64 {
		for _, x := range s.stats.Passes {
			if x.Name == p.name {
				return float64(x.Gain) / float64(x.Tests+1)
			}
		}
		return 0
	}
	slices.SortStableFunc(work, func(p, q *pass) int {
		if p.commands != q.commands {
			if p.commands {
				return -1
			}
			return 1
		}
		switch a, b := yield(p), yield(q); {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
}

// pass is one way to make the case smaller.
type pass struct {
	name     string
	doc      string
	commands bool // works on commands, not on terms
	last     bool // cosmetic: run once when all others are done
	traces   bool // does nothing unless calls count
	optional bool // not among the default passes
	run      func(*session)
}

// PassInfo describes a pass.
type PassInfo struct {
	Name, Doc string
	// Terms reports that the pass replaces terms, as opposed to removing or renaming commands and names.
	Terms bool
}

// Passes lists all passes in their default order.
func Passes() []PassInfo {
	out := make([]PassInfo, len(allPasses))
	for i, p := range allPasses {
		out[i] = PassInfo{Name: p.name, Doc: p.doc, Terms: !p.commands && !p.last && !p.traces}
	}
	return out
}

// PassNames lists the names of all passes in their default order.
func PassNames() []string {
	var out []string
	for _, p := range allPasses {
		out = append(out, p.name)
	}
	return out
}

// defaultPasses lists the passes that Run uses when it is not told which.
func defaultPasses() []string {
	var out []string
	for _, p := range allPasses {
		if !p.optional {
			out = append(out, p.name)
		}
	}
	return out
}

func passByName(name string) *pass {
	for _, p := range allPasses {
		if p.name == name {
			return p
		}
	}
	return nil
}
