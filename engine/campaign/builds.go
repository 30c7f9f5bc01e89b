package campaign

import (
	"slices"

	"github.com/smtlark/smtlark/solvers/build"
)

// identifyBuilds finds out which builds the targets of a plan are. It is done once a campaign, by the coordinator: to hash
// all files of all solvers takes a few tenths of a second, which no worker should spend. A target whose files cannot be
// read stays without.
func (p *PlanInfo) identifyBuilds() {
	for i := range p.Targets {
		t := &p.Targets[i]
		if t.Build != nil || len(t.Files) == 0 {
			continue
		}
		if info, err := build.Of(t.Files); err == nil {
			t.Build = info
		}
	}
}

// identifyChecks says of which builds checks are, that the targets of the plan made.
func (p *PlanInfo) identifyChecks(checks []Check) {
	for i := range checks {
		c := &checks[i]
		if at := slices.IndexFunc(p.Targets, func(t TargetInfo) bool { return t.Name == c.Target }); at >= 0 && c.Build == nil {
			c.Build = p.Targets[at].Build
		}
	}
}
