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

// learnedOptions caches the learned option models by targets and options, for the lifetime of the process. The user's
// cache folder keeps them for other processes: other workers, replacements of dead ones, and later campaigns.
var learnedOptions = struct {
	sync.Mutex
	m map[string]*api.OptionModel
}{m: map[string]*api.OptionModel{}}

// optionProbes are scripts to run after the options under test. The first script that the targets accept without
// options is used. It pushes and pops like a walk if the targets allow that, so that options in conflict with push and
// pop are refused. Nearly all cases have a logic: libz3 has other parameters without one.
var optionProbes = []string{
	"(set-logic ALL)\n(declare-const p Bool)\n(push 1)\n(assert p)\n(check-sat)\n(pop 1)\n(check-sat)\n",
	"(declare-const p Bool)\n(push 1)\n(assert p)\n(check-sat)\n(pop 1)\n(check-sat)\n",
	"(declare-const p Bool)\n(assert p)\n(check-sat)\n",
}

// LearnOptions restricts the options of a walk to those of a slice that the targets accept. The turn determines the
// slice, so that a new build is asked about a few options at a time: asking about all options of cvc5 at once took a
// minute. The result depends only on the turn, the targets and their options.
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

// keyOf joins the identities of targets. Stamps require access to files, so they are used only for data that other
// processes read, and not computed for each case.
func keyOf(targets []*Solver, of func(*Solver) string) string {
	var key strings.Builder
	for _, s := range targets {
		key.WriteString(of(s) + "\x01")
	}
	return key.String()
}

// askOptions asks the targets about options, using the first of the optionProbes that they accept without options. If
// they accept none, nothing is learned.
func askOptions(ctx context.Context, cfg *api.WalkConfig, targets []*Solver) error {
	interviews, closeAll := interviewsOf(targets)
	defer closeAll()
	probe, err := probeTaken(ctx, interviews)
	if err != nil || probe == "" {
		return err
	}
	return cfg.Options.Learn(cfg.Standard(), func(set []rule.Setting) (bool, error) { return allTake(ctx, interviews, set, probe) })
}

// interviewsOf starts an Interview with each target.
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

// probeTaken returns the first of the optionProbes that all targets accept without options, "" if there is none.
func probeTaken(ctx context.Context, targets []*Interview) (string, error) {
	for _, probe := range optionProbes {
		if ok, err := allTake(ctx, targets, nil, probe); ok || err != nil {
			return probe, err
		}
	}
	return "", nil
}

// allTake reports whether all targets accept the settings in front of a script.
func allTake(ctx context.Context, targets []*Interview, set []rule.Setting, script string) (bool, error) {
	for _, s := range targets {
		if ok, err := s.Takes(ctx, set, script); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}
