package solvers

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/solvers/rule"
)

// Configuration is one of Promises.Configurations.
type Configuration struct {
	Name string
	Args []string
}

// ConfigurationList returns the configurations.
func (p *Promises) ConfigurationList() (out []Configuration) {
	for _, text := range p.Configurations {
		name, args, _ := strings.Cut(text, ":") // Validate has looked at it
		out = append(out, Configuration{strings.TrimSpace(name), strings.Fields(args)})
	}
	return out
}

// Options returns the arguments of the configuration as options, for those who cannot be given arguments; ok is false
// if one is none of the form --NAME=VALUE.
func (c *Configuration) Options() (options []Option, ok bool) {
	for _, a := range c.Args {
		name, value, found := strings.Cut(strings.TrimPrefix(a, "--"), "=")
		if !found {
			return nil, false
		}
		options = append(options, Option{Name: name, Value: value})
	}
	return options, true
}

// ConfigurationOf returns the configuration that arguments and options put a solver into; nil for the default one.
func (p *Promises) ConfigurationOf(args []string, options []Option) *Configuration {
	for _, c := range p.ConfigurationList() {
		all := func() bool {
			set, ok := c.Options()
			return ok && !slices.ContainsFunc(set, func(o Option) bool { return !slices.Contains(options, o) })
		}
		if !slices.ContainsFunc(c.Args, func(a string) bool { return !slices.Contains(args, a) }) || all() {
			return &c
		}
	}
	return nil
}

// Configured returns the solver as it is in a configuration of its profile: without arguments that its developers call
// experimental, and without what the profile says it lacks there.
func (s *Solver) Configured(c *Configuration) (*Solver, error) {
	theories, exclude := slices.Clone(s.Profile.Theories), slices.Clone(s.Profile.APIExclude)
	for _, line := range s.Profile.ConfigurationExclude {
		r, err := rule.ParseConfigured(line)
		switch {
		case err != nil:
			return nil, fieldError(rule.ConfigurationField, "%v", err)
		case r.Configuration != c.Name:
		case r.Kind == rule.Theory && r.Bounds == rule.Bounds{}:
			theories = slices.DeleteFunc(theories, func(t string) bool { return t == r.Of })
		default:
			r.Configuration = ""
			exclude = append(exclude, r.String())
		}
	}
	p, err := ProfileFromMap(map[string]any{"name": s.Profile.Name, "base": s.Profile.Name, "doc": s.Profile.Doc,
		"binaries": s.Profile.Binaries, "debug_binaries": s.Profile.DebugBinaries, "theories": theories, "api_exclude": exclude}, s.Profile)
	if err != nil {
		return nil, err
	}
	out := *s
	out.Profile = p
	out.Args = slices.DeleteFunc(slices.Clone(s.Args), s.Profile.IsExperimental)
	return &out, nil
}
