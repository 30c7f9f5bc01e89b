package api

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/engine/campaign/target"
	engine "github.com/smtlark/smtlark/engine/generate/api"
)

// configOf makes what a walk needs for a case that a thread makes: what is avoided is left out as what the targets
// lack.
func (t *technique) configOf(th *starlark.Thread) (*engine.WalkConfig, error) {
	cfg, err := t.config(solving.TargetsOf(th))
	if err != nil {
		return nil, err
	}
	cfg.Avoid(solving.AvoidedOf(th))
	return cfg, nil
}

// config makes what a walk needs of the machine and of what the targets take.
func (t *technique) config(targets []*target.Solver) (*engine.WalkConfig, error) {
	targets = target.Plain(targets)
	rules, aboutWalks := target.RulesOf(targets)
	return t.m.Config(t.aim, target.Found(targets), rules, aboutWalks)
}
