package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/api"
	"github.com/smtlark/smtlark/engine/target"
)

// learned remembers what was learned of options while the process lives, by the targets and the options. The user's cache folder
// remembers it for other processes: workers, those in the place of dead ones, and later campaigns.
var learned = struct {
	sync.Mutex
	m map[string]*engine.OptionModel
}{m: map[string]*engine.OptionModel{}}

// probes are asked behind options: the first one that the targets take without any. A walk pushes and pops; what cannot go
// with that is refused where a target can be asked so.
var probes = []string{
	"(declare-const p Bool)\n(push 1)\n(assert p)\n(check-sat)\n(pop 1)\n(check-sat)\n",
	"(declare-const p Bool)\n(assert p)\n(check-sat)\n",
}

// learn puts what the targets take into the options of a walk. It is a function of the targets and their options.
func (t *technique) learn(th *starlark.Thread, cfg *engine.Config, targets []*target.Solver) error {
	targets = target.Plain(targets)
	if len(cfg.Options.Specs) == 0 || len(targets) == 0 {
		return nil
	}
	var key strings.Builder
	for _, s := range targets {
		key.WriteString(s.Stamp() + "\x01")
	}
	fmt.Fprint(&key, cfg.Options.Specs, cfg.Options.Expert, cfg.Options.Conflicts, cfg.Standard())
	learned.Lock()
	defer learned.Unlock()
	if m := learned.m[key.String()]; m != nil {
		cfg.Options = m
		return nil
	}
	text, err := value.SessionOf(th).Models.Once("options 3\x00"+key.String(), func() (string, error) {
		if err := askOptions(registry.Context(th), cfg, targets); err != nil {
			return "", err
		}
		text, err := json.Marshal(cfg.Options)
		return string(text), err
	})
	if err != nil {
		return fmt.Errorf("asking which options are taken: %w", err)
	}
	m := &engine.OptionModel{}
	if err := json.Unmarshal([]byte(text), m); err != nil {
		return fmt.Errorf("what was remembered of options cannot be read, delete the cache folder: %w", err)
	}
	learned.m[key.String()], cfg.Options = m, m
	return nil
}

// askOptions asks the targets, behind the first of the probes that they take without options. If they take none, nothing is learned.
func askOptions(ctx context.Context, cfg *engine.Config, targets []*target.Solver) error {
	for _, probe := range probes {
		ok, err := allTake(ctx, targets, nil, probe)
		if err != nil {
			return err
		}
		if ok {
			return cfg.Options.Learn(cfg.Standard(), func(set []engine.Setting) (bool, error) { return allTake(ctx, targets, set, probe) })
		}
	}
	return nil
}

// allTake reports whether all targets take settings in front of a script.
func allTake(ctx context.Context, targets []*target.Solver, set []engine.Setting, script string) (bool, error) {
	for _, s := range targets {
		if ok, err := s.Takes(ctx, set, script); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}
