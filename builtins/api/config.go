package api

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/solving"
	engine "github.com/smtlark/smtlark/engine/api"
	"github.com/smtlark/smtlark/engine/gen"
	"github.com/smtlark/smtlark/engine/target"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native"
)

// leaveOut takes an excluding line into account; those about what walks make are returned.
func leaveOut(cfg *engine.Config, lines []string) (rest []string) {
	for _, line := range lines {
		switch {
		case line == "assumption term":
			cfg.Literals = true
		case line == "named term":
			cfg.NoNames = true
		case line == "echo quotes":
			cfg.NoQuotes = true
		case strings.HasPrefix(line, "conflict "):
			if w := strings.Fields(line); len(w) == 3 {
				cfg.Options.Conflicts = append(cfg.Options.Conflicts, [2]string{w[1], w[2]})
			}
		case strings.HasPrefix(line, "action "):
			cfg.Without = append(cfg.Without, strings.TrimPrefix(line, "action "))
		case strings.HasPrefix(line, "option "):
			cfg.Without = append(cfg.Without, line)
		default:
			rest = append(rest, line)
		}
	}
	return rest
}

// configOf makes what a walk needs for a case that a thread makes: what is avoided is left out as what the targets lack.
func (t *technique) configOf(th *starlark.Thread) (*engine.Config, error) {
	cfg, err := t.config(solving.TargetsOf(th))
	if err != nil {
		return nil, err
	}
	for _, name := range solving.AvoidedOf(th) {
		if command, ok := strings.CutPrefix(name, "("); ok {
			cfg.Without = append(cfg.Without, strings.TrimSuffix(command, ")"))
		} else {
			cfg.Gen.Rules.Exclude = append(slices.Clip(cfg.Gen.Rules.Exclude), "operator "+name)
		}
	}
	return cfg, nil
}

// config makes what a walk needs of the machine and of what the targets take.
func (t *technique) config(targets []*target.Solver) (*engine.Config, error) {
	targets = target.Plain(targets)
	cfg := &engine.Config{Gen: t.m.cfg, Truth: t.truth, AllTheories: t.m.all, Options: &engine.OptionModel{Expert: t.expert}, Machine: t.m.m.With(commonActions(targets))}
	oneKind := len(targets) > 0 && !slices.ContainsFunc(targets, func(s *target.Solver) bool { return s.Found.Profile.Name != targets[0].Found.Profile.Name })
	for _, s := range targets {
		p := s.Found.Profile
		if p.APIExclude == nil { // nothing is known of it: SMT-LIB's assumptions are literals
			cfg.Literals = true
		}
	}
	all, aboutWalks := target.RulesOf(targets)
	leaveOut(cfg, aboutWalks)
	own := leaveOut(cfg, t.m.excluded(targets))
	all.Exclude = slices.Concat(all.Exclude, t.m.cfg.Rules.Exclude, own)
	for op, kind := range t.m.only { // the order does not matter
		if slices.ContainsFunc(targets, func(s *target.Solver) bool { return s.Found.Profile.Name != kind }) {
			all.Exclude = append(all.Exclude, "operator "+op)
		}
	}
	slices.Sort(all.Exclude)
	cfg.Gen.Rules = all
	cfg.Gen.Sorts, cfg.Gen.Values = fitting(t.m.sorts, targets), fitting(t.m.values, targets)
	if oneKind { // options, operators and values of one kind of solver mean nothing to another
		if err := t.ofKind(cfg, targets[0].Found); err != nil {
			return nil, err
		}
	}
	return cfg, nil
}

// commonActions are the actions of profiles that all targets have, in the same words.
func commonActions(targets []*target.Solver) []solvers.Action {
	if len(targets) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(targets[0].Found.Profile.APIActions), func(x solvers.Action) bool {
		return slices.ContainsFunc(targets, func(s *target.Solver) bool {
			return !slices.ContainsFunc(s.Found.Profile.APIActions, func(y solvers.Action) bool { return reflect.DeepEqual(x, y) })
		})
	})
}

// ofKind adds what only one kind of solver has.
func (t *technique) ofKind(cfg *engine.Config, s *solvers.Solver) error {
	p := s.Profile
	bad := func(field string, err error) error { return fmt.Errorf("profile %s: %s: %w", p.Name, field, err) }
	for _, line := range p.APILimits {
		name, bounds, _ := strings.Cut(line, " ")
		o, err := engine.ParseOption(name + " int " + bounds)
		if err != nil {
			return bad("api_limits", fmt.Errorf("%q: want NAME LO HI", line))
		}
		cfg.Limits = append(cfg.Limits, o)
	}
	// The machine's own list must not grow by what is appended for this kind of solver.
	cfg.Gen.Extra = slices.Clip(cfg.Gen.Extra)
	for _, line := range p.APIOperators {
		x, err := gen.ReadExtra(line)
		if err != nil {
			return bad("api_operators", err)
		}
		cfg.Gen.Extra = append(cfg.Gen.Extra, x)
	}
	for _, line := range p.APIValues {
		v, err := gen.ReadValue(line)
		if err != nil {
			return bad("api_values", err)
		}
		cfg.Gen.Values = append(cfg.Gen.Values, v)
	}
	if !t.options {
		return nil
	}
	lines := p.APIOptions
	if s.Library != "" { // and what the library says it has, behind what the profile says of the same names
		more, err := native.OptionLines(context.Background(), s)
		if err != nil {
			return fmt.Errorf("the options of %s: %w", s.Name, err)
		}
		lines = slices.Concat(lines, more)
	}
	for _, line := range lines {
		o, err := engine.ParseOption(line)
		if err != nil {
			return bad("api_options", err)
		}
		if !slices.ContainsFunc(cfg.Options.Specs, func(x engine.OptionSpec) bool { return x.Name == o.Name }) {
			cfg.Options.Specs = append(cfg.Options.Specs, o)
		}
	}
	return nil
}
