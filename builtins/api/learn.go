package api

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/api"
)

// learned remembers what was learned of options while the process lives: by the targets, which say their versions, and the
// options.
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
func (t *technique) learn(th *starlark.Thread, cfg *engine.Config, targets []*value.Solver) error {
	targets = value.Plain(targets)
	if len(cfg.Options.Specs) == 0 || len(targets) == 0 {
		return nil
	}
	var key strings.Builder
	for _, s := range targets {
		key.WriteString(s.SameAs() + "\x01")
	}
	fmt.Fprint(&key, cfg.Options.Specs, cfg.Options.Expert, cfg.Options.Conflicts, cfg.Standard())
	learned.Lock()
	defer learned.Unlock()
	if m := learned.m[key.String()]; m != nil {
		cfg.Options = m
		return nil
	}
	ctx := registry.Context(th)
	probe := ""
	for _, text := range probes {
		ok, err := allTake(ctx, targets, nil, text)
		if err != nil {
			return err
		}
		if ok {
			probe = text
			break
		}
	}
	if probe != "" {
		err := cfg.Options.Learn(cfg.Standard(), func(set []engine.Setting) (bool, error) { return allTake(ctx, targets, set, probe) })
		if err != nil {
			return fmt.Errorf("asking which options are taken: %w", err)
		}
	}
	learned.m[key.String()] = cfg.Options
	return nil
}

// allTake reports whether all targets take settings in front of a script.
func allTake(ctx context.Context, targets []*value.Solver, set []engine.Setting, script string) (bool, error) {
	list := make([][2]string, len(set))
	for i, s := range set {
		list[i] = [2]string{s.Name, s.Value}
	}
	for _, s := range targets {
		if ok, err := s.Takes(ctx, list, script); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}
