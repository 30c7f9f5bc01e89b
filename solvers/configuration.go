package solvers

import (
	"slices"

	"github.com/smtlark/smtlark/solvers/rule"
)

// ConfigurationOf returns the configuration that arguments and options put a solver into; nil for the default one.
func (p *Promises) ConfigurationOf(args []string, options []rule.Setting) *rule.Configuration {
	for _, c := range p.Configurations {
		all := func() bool {
			set, ok := c.Options()
			return ok && !slices.ContainsFunc(set, func(o rule.Setting) bool { return !slices.Contains(options, o) })
		}
		if !slices.ContainsFunc(c.Args, func(a string) bool { return !slices.Contains(args, a) }) || all() {
			return &c
		}
	}
	return nil
}

// Configured returns the solver in a configuration of its profile: without experimental arguments, and without the
// features that the profile says it lacks in that configuration.
func (s *Solver) Configured(c *rule.Configuration) (*Solver, error) {
	theories, exclude := slices.Clone(s.Profile.Theories), slices.Clone(s.Profile.APIExclude)
	for _, r := range s.Profile.ConfigurationExclude {
		switch {
		case r.Configuration != c.Name:
		case r.Kind == rule.Theory && r.Bounds == rule.Bounds{}:
			theories = slices.DeleteFunc(theories, func(t string) bool { return t == r.Of })
		default:
			r.Configuration = ""
			exclude = append(exclude, r)
		}
	}
	p, err := ProfileFromMap(map[string]any{"name": s.Profile.Name, "base": s.Profile.Name, "doc": s.Profile.Doc,
		"binaries": s.Profile.Binaries, "debug_binaries": s.Profile.DebugBinaries, "theories": theories,
		"api_exclude": exclude}, s.Profile)
	if err != nil {
		return nil, err
	}
	out := *s
	out.Profile = p
	out.Args = slices.DeleteFunc(slices.Clone(s.Args), s.Profile.IsExperimental)
	return &out, nil
}
