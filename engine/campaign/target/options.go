package target

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/solvers/rule"
)

// learnedOptions remembers what was learned of options while the process lives, by the targets and the options. The
// user's cache folder remembers it for other processes: workers, those in the place of dead ones, and later campaigns.
var learnedOptions = struct {
	sync.Mutex
	m map[string]*api.OptionModel
}{m: map[string]*api.OptionModel{}}

// optionProbes are asked behind options: the first one that the targets take without any. A walk pushes and pops; what
// cannot go with that is refused where a target can be asked so. Nearly all cases have a logic: libz3 has other
// parameters without one.
var optionProbes = []string{
	"(set-logic ALL)\n(declare-const p Bool)\n(push 1)\n(assert p)\n(check-sat)\n(pop 1)\n(check-sat)\n",
	"(declare-const p Bool)\n(push 1)\n(assert p)\n(check-sat)\n(pop 1)\n(check-sat)\n",
	"(declare-const p Bool)\n(assert p)\n(check-sat)\n",
}

// LearnOptions replaces the options of a walk by those options of a slice that the targets accept. The turn determines
// the slice. So a build that was never asked is asked a little at a time: asking about all options of cvc5 together
// took a minute. It is a function of the turn, the targets and their options.
func LearnOptions(ctx context.Context, cfg *api.WalkConfig, turn uint64, targets []*Solver, cache *memo.Cache) error {
	targets = Plain(targets)
	if len(cfg.Options.Specs) == 0 || len(targets) == 0 {
		return nil
	}
	cfg.Options = cfg.Options.Slice(turn)
	slice := fmt.Sprint(cfg.Options.Specs, cfg.Options.Expert, cfg.Options.Conflicts, cfg.Standard())
	key := keyOf(targets, (*Solver).SameAs) + slice
	learnedOptions.Lock()
	defer learnedOptions.Unlock()
	if m := learnedOptions.m[key]; m != nil {
		cfg.Options = m
		return nil
	}
	text, err := cache.Once("options 5\x00"+keyOf(targets, (*Solver).Stamp)+slice, func() (string, error) {
		if err := askOptions(ctx, cfg, targets); err != nil {
			return "", err
		}
		text, err := json.Marshal(cfg.Options)
		return string(text), err
	})
	if err != nil {
		return fmt.Errorf("asking which options are taken: %w", err)
	}
	m := &api.OptionModel{}
	if err := json.Unmarshal([]byte(text), m); err != nil {
		return fmt.Errorf("what was remembered of options cannot be read, delete the cache folder: %w", err)
	}
	learnedOptions.m[key], cfg.Options = m, m
	return nil
}

// keyOf joins what tells targets from others. Stamps look at files: they are for what other processes read, and are not
// made for each case.
func keyOf(targets []*Solver, of func(*Solver) string) string {
	var key strings.Builder
	for _, s := range targets {
		key.WriteString(of(s) + "\x01")
	}
	return key.String()
}

// askOptions asks the targets, behind the first of the optionProbes that they take without options. If they take none,
// nothing is learned.
func askOptions(ctx context.Context, cfg *api.WalkConfig, targets []*Solver) error {
	interviews, closeAll := interviewsOf(targets)
	defer closeAll()
	probe, err := probeTaken(ctx, interviews)
	if err != nil || probe == "" {
		return err
	}
	return cfg.Options.Learn(cfg.Standard(), func(set []rule.Setting) (bool, error) { return allTake(ctx, interviews, set, probe) })
}

// interviewsOf begins to ask targets.
func interviewsOf(targets []*Solver) (out []*Interview, closeAll func()) {
	for _, s := range targets {
		out = append(out, s.Interview())
	}
	return out, func() {
		for _, i := range out {
			i.Close()
		}
	}
}

// probeTaken returns the first of the optionProbes that targets take without options; "" for none.
func probeTaken(ctx context.Context, targets []*Interview) (string, error) {
	for _, probe := range optionProbes {
		if ok, err := allTake(ctx, targets, nil, probe); ok || err != nil {
			return probe, err
		}
	}
	return "", nil
}

// allTake reports whether all targets take settings in front of a script.
func allTake(ctx context.Context, targets []*Interview, set []rule.Setting, script string) (bool, error) {
	for _, s := range targets {
		if ok, err := s.Takes(ctx, set, script); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}
