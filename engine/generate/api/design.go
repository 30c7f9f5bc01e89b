package api

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/solvers"
)

// Design is a machine with what its walks make, before it is known for which targets.
type Design struct {
	Machine *Machine
	Gen     gen.Config
	// AllTheories keeps all theories in every walk.
	AllTheories bool
	// Sorts and Values are made beside those of walks' own choice, Excludes are lines of what is left out.
	Sorts    []OnlyFor[gen.Weighted]
	Values   []OnlyFor[gen.Value]
	Excludes []OnlyFor[string]
	// Operators are those that one kind of solver has, with its name.
	Operators map[string]string
}

// OnlyFor is something that counts for one kind of solver only; an empty kind is for all.
type OnlyFor[T any] struct {
	What T
	Kind string
}

// Aim is what a technique wants of the walks of a design.
type Aim struct {
	Truth Truth
	// Options: options of the targets are set at random; Expert: those of the tier expert, too.
	Options, Expert bool
	// LibraryOptions returns the options that a library says it has, as lines of a profile's api_options; nil: those of profiles count alone.
	LibraryOptions func(s *solvers.Solver) ([]string, error)
}

// areOther reports whether any of the targets is of another kind.
func areOther(targets []*solvers.Solver, kind string) bool {
	return slices.ContainsFunc(targets, func(s *solvers.Solver) bool { return s.Profile.Name != kind })
}

// fitting returns what all of some targets take.
func fitting[T any](list []OnlyFor[T], targets []*solvers.Solver) (out []T) {
	for _, x := range list {
		if x.Kind == "" || !areOther(targets, x.Kind) {
			out = append(out, x.What)
		}
	}
	return out
}

// excluded returns the lines of the design that count for some targets: one target that does not take a thing suffices.
func (d *Design) excluded(targets []*solvers.Solver) (out []string) {
	for _, x := range d.Excludes {
		if x.Kind == "" || slices.ContainsFunc(targets, func(s *solvers.Solver) bool { return s.Profile.Name == x.Kind }) {
			out = append(out, x.What)
		}
	}
	return out
}

// CheckExcluded is the error of a line that leaves nothing out of walks.
func CheckExcluded(line string) error {
	if AboutWalks(line) {
		return nil
	}
	return gen.CheckExclusion(line)
}

// AboutWalks reports whether an excluding line is about walks and not about what they make.
func AboutWalks(line string) bool {
	return line == "assumption term" || line == "named term" || line == "echo quotes" ||
		slices.ContainsFunc([]string{"conflict ", "action ", "option "}, func(p string) bool { return strings.HasPrefix(line, p) })
}

// Config makes what a walk needs of the design and of what the targets take: rules of what they do not take of terms, and the excluding lines
// of their profiles that are about walks.
func (d *Design) Config(aim Aim, targets []*solvers.Solver, rules gen.Rules, aboutWalks []string) (*Config, error) {
	cfg := &Config{Gen: d.Gen, Truth: aim.Truth, AllTheories: d.AllTheories, Options: &OptionModel{Expert: aim.Expert}, Machine: d.Machine.With(commonActions(targets))}
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
			rules.Exclude = append(rules.Exclude, "operator "+op)
		}
	}
	slices.Sort(rules.Exclude)
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

// Avoid leaves out operators, commands and options, named as triage.Operators does: (check-sat) is a command, (option produce-models) an option.
func (c *Config) Avoid(names []string) {
	for _, name := range names {
		if command, ok := strings.CutPrefix(name, "("); ok {
			c.Without = append(c.Without, strings.TrimSuffix(command, ")"))
		} else {
			c.Gen.Rules.Exclude = append(slices.Clip(c.Gen.Rules.Exclude), "operator "+name)
		}
	}
}

// leaveOut takes excluding lines into account; those about what walks make are returned.
func (c *Config) leaveOut(lines []string) (rest []string) {
	for _, line := range lines {
		switch {
		case line == "assumption term":
			c.Literals = true
		case line == "named term":
			c.NoNames = true
		case line == "echo quotes":
			c.NoQuotes = true
		case strings.HasPrefix(line, "conflict "):
			if w := strings.Fields(line); len(w) == 3 {
				c.Options.Conflicts = append(c.Options.Conflicts, [2]string{w[1], w[2]})
			}
		case strings.HasPrefix(line, "action "):
			c.Without = append(c.Without, strings.TrimPrefix(line, "action "))
		case strings.HasPrefix(line, "option "):
			c.Without = append(c.Without, line)
		default:
			rest = append(rest, line)
		}
	}
	return rest
}

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

// ofKind adds what only one kind of solver has.
func (c *Config) ofKind(s *solvers.Solver, aim Aim) error {
	p := s.Profile
	bad := func(field string, err error) error { return fmt.Errorf("profile %s: %s: %w", p.Name, field, err) }
	for _, line := range p.APILimits {
		name, bounds, _ := strings.Cut(line, " ")
		o, err := ParseOption(name + " int " + bounds)
		if err != nil {
			return bad("api_limits", fmt.Errorf("%q: want NAME LO HI", line))
		}
		c.Limits = append(c.Limits, o)
	}
	// The machine's own list must not grow by what is appended for this kind of solver.
	c.Gen.Extra = slices.Clip(c.Gen.Extra)
	for _, line := range p.APIOperators {
		x, err := gen.ReadExtra(line)
		if err != nil {
			return bad("api_operators", err)
		}
		c.Gen.Extra = append(c.Gen.Extra, x)
	}
	for _, line := range p.APIValues {
		v, err := gen.ReadValue(line)
		if err != nil {
			return bad("api_values", err)
		}
		c.Gen.Values = append(c.Gen.Values, v)
	}
	if !aim.Options {
		return nil
	}
	lines := p.APIOptions
	if s.Library != "" && aim.LibraryOptions != nil { // and what the library says it has, behind what the profile says of the same names
		more, err := aim.LibraryOptions(s)
		if err != nil {
			return fmt.Errorf("the options of %s: %w", s.Name, err)
		}
		lines = slices.Concat(lines, more)
	}
	for _, line := range lines {
		o, err := ParseOption(line)
		if err != nil {
			return bad("api_options", err)
		}
		if !slices.ContainsFunc(c.Options.Specs, func(x OptionSpec) bool { return x.Name == o.Name }) {
			c.Options.Specs = append(c.Options.Specs, o)
		}
	}
	return nil
}
