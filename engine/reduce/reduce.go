package reduce

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/reduce/driver"

	"github.com/smtlark/smtlark/engine/reduce/weight"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
)

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
	Asker driver.Asker
	Jobs  int
	// Helpers, if set, are given candidates ahead of their turn, where no Asker is.
	Helpers driver.Helpers
	// Wrap, if set, makes of a candidate the case that is asked about and returned, where the commands of a script stand
	// for something else. Commands keep their Pos, new ones have none.
	Wrap func(*testcase.Case) *testcase.Case
	// Calls says that the commands stand for the calls of a trace, of which there shall be few: terms and sorts are calls,
	// too.
	Calls bool
	// Setting, if set, tells the known facts about an option of the solver, by its name without a colon.
	Setting func(name string) (weight.KnownOption, bool)
	// Laws, if set, returns the laws by which terms are simplified. It is called when they are needed first.
	Laws func() (*rewrite.Rules, error)
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

// Result is the smallest case found, with how it was found.
type Result struct {
	Case  *testcase.Case
	Stats driver.Stats
}

// Run makes c smaller while fails holds. It assumes that fails holds for c. The result lives in the arena of c and is
// never heavier; it is c itself if nothing could go. When ctx is done, Run returns what it has so far. It returns an
// error for an unknown pass and for errors in the laws.
func Run(ctx context.Context, c *testcase.Case, fails driver.Predicate, opt Options) (*Result, error) {
	passes, err := opt.passes()
	if err != nil {
		return nil, err
	}
	var s *search
	search := driver.SearchOptions[state]{Tests: opt.Tests, Keep: opt.Keep, Asker: opt.Asker, Jobs: opt.Jobs, Helpers: opt.Helpers, Done: opt.Done}
	if opt.Progress != nil {
		search.Progress = func(pass string, st *state) {
			opt.Progress(Step{Pass: pass, Weight: s.Weight(st), Tests: s.Stats().Tests, Case: s.Case(st)})
		}
	}
	var failed error
	laws := sync.OnceValue(func() (r *rewrite.Rules) {
		if opt.Laws != nil {
			r, failed = opt.Laws()
		}
		return r
	})
	s = newSearch(ctx, c, searchConfig{Fails: fails, Wrap: opt.Wrap, Calls: opt.Calls, Setting: opt.Setting, Laws: laws}, search)
	defer s.Close()
	run := make([]*driver.Pass, len(passes))
	for i, p := range passes {
		run[i] = &driver.Pass{Name: p.name, First: p.commands, Last: p.last, Run: func() { p.run(s) }}
	}
	s.Rounds(run)
	s.Confirm()
	if failed != nil {
		return nil, failed
	}
	return &Result{Case: s.Best(), Stats: s.Stats()}, nil
}

// passes returns the passes to use, in order.
func (o *Options) passes() ([]*pass, error) {
	names := o.Passes
	if names == nil {
		names = defaultPasses()
		for _, k := range o.Custom {
			names = append(names, k.Name)
		}
	}
	var passes []*pass
	for _, n := range names {
		p := passByName(n)
		if i := slices.IndexFunc(o.Custom, func(k Custom) bool { return k.Name == n }); p == nil && i >= 0 {
			p = o.Custom[i].pass()
		}
		if p == nil {
			return nil, fmt.Errorf("no pass is named %q; there are %v", n, PassNames())
		}
		passes = append(passes, p)
	}
	return passes, nil
}
