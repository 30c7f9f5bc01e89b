package api

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Design is a machine and a description of the terms and calls of its walks, before the targets are known.
type Design struct {
	Machine *Machine
	Gen     gen.Config
	// AllTheories keeps all theories in every walk.
	AllTheories bool
	// Sorts and Values are made beside those of walks' own choice, Excludes are left out.
	Sorts    []OnlyFor[gen.Weighted]
	Values   []OnlyFor[gen.SpecialValue]
	Excludes []OnlyFor[rule.Lack]
	// Operators are those that one kind of solver has, with its name.
	Operators map[string]string
}

// OnlyFor is something that counts for one kind of solver only; an empty kind is for all.
type OnlyFor[T any] struct {
	What T
	Kind string
}

// Aim is a technique's wish about the walks of a design.
type Aim struct {
	Truth Certainty
	// Options: options of the targets are set at random; Expert: those of the tier expert, too.
	Options, Expert bool
	// LibraryOptions returns the options that a library says it has; nil: those of profiles count alone.
	LibraryOptions func(s *solvers.Solver) ([]rule.OptionSpec, error)
}

// areOther reports whether any of the targets is of another kind.
func areOther(targets []*solvers.Solver, kind string) bool {
	return slices.ContainsFunc(targets, func(s *solvers.Solver) bool { return s.Profile.Name != kind })
}

// fitting returns the items of a list that apply to all of some targets.
func fitting[T any](list []OnlyFor[T], targets []*solvers.Solver) (out []T) {
	for _, x := range list {
		if x.Kind == "" || !areOther(targets, x.Kind) {
			out = append(out, x.What)
		}
	}
	return out
}

// excluded returns the features that the design excludes for some targets: one target that lacks a feature suffices to
// exclude it.
func (d *Design) excluded(targets []*solvers.Solver) (out []rule.Lack) {
	for _, x := range d.Excludes {
		if x.Kind == "" || slices.ContainsFunc(targets, func(s *solvers.Solver) bool { return s.Profile.Name == x.Kind }) {
			out = append(out, x.What)
		}
	}
	return out
}

// Config makes the configuration of a walk from the design and from the features that the targets accept: rules lists
// the terms that they do not accept, aboutWalks the features of walks that they lack.
func (d *Design) Config(aim Aim, targets []*solvers.Solver, rules gen.Exclusions, aboutWalks []rule.Lack) (*WalkConfig, error) {
	cfg := &WalkConfig{Gen: d.Gen, Truth: aim.Truth, AllTheories: d.AllTheories, Options: &OptionModel{Expert: aim.Expert},
		Machine: d.Machine.With(commonActions(targets))}
	for _, s := range targets {
		if s.Profile.APIExclude == nil { // nothing is known of it: SMT-LIB's assumptions are literals
			cfg.Literals = true
		}
	}
	cfg.leaveOut(aboutWalks)
	own := cfg.leaveOut(d.excluded(targets))
	rules.Exclude = slices.Concat(rules.Exclude, d.Gen.Rules.Exclude, own)
	for op, kind := range d.Operators { // the order does not matter
		if areOther(targets, kind) {
			rules.Exclude = append(rules.Exclude, rule.Operator.Of(op))
		}
	}
	slices.SortFunc(rules.Exclude, rule.Lack.Compare)
	cfg.Gen.Rules = rules
	cfg.Gen.Sorts, cfg.Gen.Values = fitting(d.Sorts, targets), fitting(d.Values, targets)
	// Options, operators and values of one kind of solver mean nothing to another.
	if len(targets) > 0 && !areOther(targets, targets[0].Profile.Name) {
		if err := cfg.ofKind(targets[0], aim); err != nil {
			return nil, err
		}
	}
	return cfg, nil
}

// Avoid leaves out shapes as if the targets lacked them.
func (c *WalkConfig) Avoid(shapes []rule.Lack) {
	c.Gen.Rules.Exclude = append(slices.Clip(c.Gen.Rules.Exclude), c.leaveOut(shapes)...)
}

// leaveOut takes the lacks of targets into account; it returns those that are not about walks.
func (c *WalkConfig) leaveOut(lacks []rule.Lack) (rest []rule.Lack) {
	for _, l := range lacks {
		switch l {
		case rule.Feature.Of(rule.AssumptionTerm):
			c.Literals = true
		case rule.Feature.Of(rule.NamedTerm):
			c.NoNames = true
		case rule.Feature.Of(rule.EchoQuotes):
			c.NoQuotes = true
		default:
			switch l.Kind {
			case rule.Conflict:
				c.Options.Conflicts = append(c.Options.Conflicts, [2]string{l.Of, l.With})
			case rule.Action, rule.Option:
				c.Without = append(c.Without, l)
			default:
				rest = append(rest, l)
			}
		}
	}
	return rest
}

// Lacks reports whether walks do without an action or an option.
func (c *WalkConfig) Lacks(l rule.Lack) bool { return slices.Contains(c.Without, l) }

// commonActions are the actions of profiles that all targets have, in the same words.
func commonActions(targets []*solvers.Solver) []solvers.Action {
	if len(targets) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(targets[0].Profile.APIActions), func(x solvers.Action) bool {
		return slices.ContainsFunc(targets, func(s *solvers.Solver) bool {
			return !slices.ContainsFunc(s.Profile.APIActions, func(y solvers.Action) bool { return reflect.DeepEqual(x, y) })
		})
	})
}

// ofKind adds the settings that only one kind of solver has.
func (c *WalkConfig) ofKind(s *solvers.Solver, aim Aim) error {
	p := s.Profile
	c.Limits = p.APILimits
	// Clip, so that appending operators of this kind of solver does not change the machine's own list.
	c.Gen.Extra = slices.Clip(c.Gen.Extra)
	for _, o := range p.APIOperators {
		c.Gen.Extra = append(c.Gen.Extra, gen.Extra{OperatorSpec: o, Weight: 1})
	}
	for _, v := range p.APIValues {
		c.Gen.Values = append(c.Gen.Values, gen.SpecialValue{SpecialValue: v, Weight: 1})
	}
	if !aim.Options {
		return nil
	}
	options := p.APIOptions
	// The options that a library reports come after the profile's options with the same names.
	if s.Library != "" && aim.LibraryOptions != nil {
		more, err := aim.LibraryOptions(s)
		if err != nil {
			return fmt.Errorf("the options of %s: %w", s.Name, err)
		}
		options = slices.Concat(options, more)
	}
	for _, o := range options {
		if !slices.ContainsFunc(c.Options.Specs, func(x rule.OptionSpec) bool { return x.Name == o.Name }) {
			c.Options.Specs = append(c.Options.Specs, o)
		}
	}
	return nil
}
