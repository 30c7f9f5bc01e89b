package api

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/engine/campaign/target"
	engine "github.com/smtlark/smtlark/engine/generate/api"
)

// configOf makes the configuration of a walk for a thread's case. Avoided features are left out, like those that the
// targets lack.
func (t *technique) configOf(th *starlark.Thread) (*engine.WalkConfig, error) {
	cfg, err := t.config(solving.TargetsOf(th))
	if err != nil {
		return nil, err
	}
	cfg.Avoid(solving.AvoidedOf(th))
	return cfg, nil
}

// config returns the configuration of a walk, made from the machine and the features that the targets accept.
func (t *technique) config(targets []*target.Solver) (*engine.WalkConfig, error) {
	targets = target.Plain(targets)
	rules, aboutWalks := target.RulesOf(targets)
	return t.m.Config(t.aim, target.Found(targets), rules, aboutWalks)
}
