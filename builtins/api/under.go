package api

import (
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/target"
	engine "github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/ground/rng"
)

// underOptionsArgs are the arguments of api.under_options.
type underOptionsArgs struct {
	Technique  starlark.Callable `type:"callable(seeds: corpus, rng) -> case" doc:"the technique; its cases keep their known answers"`
	_          registry.KeywordOnly
	Expert     bool   `default:"False" doc:"use expert options"`
	MaxOptions int    `default:"4" doc:"greatest number of options of a case: 1 to 16"`
	Name       string `default:"\"\"" doc:"name in findings and statistics; empty: the name of the technique and \"under options\""`
}

// underOptions makes the technique.
func underOptions(c *registry.Call, a *underOptionsArgs) (starlark.Value, error) {
	all := &machine{Design: engine.Design{Machine: &engine.Machine{}}} // for no walk: only the machine's options are used
	most := a.MaxOptions
	if most < 1 || most > 16 {
		return nil, c.Errorf(&a.MaxOptions, "%d is not between 1 and 16", most)
	}
	inner := a.Technique
	name := a.Name
	if name == "" {
		name = inner.Name() + " under options"
	}
	walks := newTechnique(name, all, engine.Aim{Options: true, Expert: a.Expert, LibraryOptions: target.LibraryOptions})
	s := &settled{callable: callable{builtin: "api.under_options", name: name, parts: []starlark.Value{walks, inner}}, walks: walks, inner: inner, most: most}
	s.make = s.settle
	return s, nil
}

// settled is a technique that puts options of the targets in front of the cases of another one.
type settled struct {
	callable
	walks *technique // whose options they are
	inner starlark.Callable
	most  int // options of a case
}

// settle makes a case.
func (s *settled) settle(th *starlark.Thread, args starlark.Tuple, r *value.Rng, src *rng.Source) (starlark.Value, error) {
	draws := src.SplitString("options")
	cfg, err := s.walks.configOf(th)
	if err != nil {
		return nil, err
	}
	if err := target.LearnOptions(registry.Context(th), cfg, turnOf(r, src), solving.TargetsOf(th), value.SessionOf(th).Models); err != nil {
		return nil, err
	}
	made, err := s.invoke(th, s.inner, args...)
	if err != nil {
		return nil, err
	}
	for _, x := range slices.Backward(cfg.Options.Draw(draws, draws.Range(1, s.most))) { // each comes in front of what is there
		made = value.Case{AnalyzedCase: made.WithSetting(x.Name, x.Value)}
	}
	return made, nil
}
