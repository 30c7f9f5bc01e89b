package solvers

import (
	"path"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/solvers/rule"
)

// Promises says which sorts, configurations and arguments the developers of a solver support. Findings that need others
// say so and rank last.
type Promises struct {
	Contracts            []rule.Contract      `star:"contracts" of:"solver.contract" doc:"operators that it accepts for more sorts than its documentation says: a list of solver.contract(...). API fuzzing uses only the documented sorts, and a finding with other sorts says so and ranks last"`
	Configurations       []rule.Configuration `star:"configurations" of:"solver.configuration" doc:"further configurations that its developers support, the safest first: a list of solver.configuration(...); every reduced finding is tried in them"`
	ConfigurationExclude []rule.VersionedLack `star:"configuration_exclude" of:"solver.lacks" doc:"features that a configuration lacks: a list of solver.lacks(..., configuration = NAME)"`
	Experimental         []string             `star:"experimental" doc:"arguments that its developers call experimental, with * as in a shell; a finding that needs one says so"`
}

func (p *Promises) check() error {
	for _, r := range p.ConfigurationExclude {
		if r.Configuration == "" {
			return fieldError("configuration_exclude", "has %s, which names no configuration", r.Call())
		}
	}
	for _, e := range p.Experimental {
		if _, err := path.Match(e, ""); err != nil {
			return fieldError("experimental", "has %q, which is no pattern: %v", e, err)
		}
	}
	return p.checkContracts()
}

// IsExperimental reports whether the developers call an argument experimental.
func (p *Promises) IsExperimental(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return slices.ContainsFunc(p.Experimental, func(pattern string) bool {
		ok, _ := path.Match(pattern, name) // Validate has checked the pattern
		return ok
	})
}
