package campaign

import (
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

func stopModule() registry.Module {
	return registry.Module{
		Name: "stop", Doc: "Conditions that end a campaign. The flags of `smtlark run` (--for, --cases, ...) take precedence over the file.",
		Types: []*registry.Type{solving.StopType},
		Members: []registry.Builtin{
			{Name: "after", Doc: "After a time.", Ret: "stop_condition", Example: "stop.after(\"8h\")  # -> <stop after 8h0m0s>", Do: registry.Into(stopAfter)},
			{Name: "quiet", Doc: "When the campaign, or one of its techniques, has found nothing new for a time.", Ret: "stop_condition", Example: "stop.quiet(\"1h\")  # -> <stop quiet for 1h0m0s>", Do: registry.Into(stopQuiet)},
			{Name: "findings", Doc: "After a number of findings that reproduce.", Ret: "stop_condition", Example: "stop.findings(50)  # -> <stop 50 findings>", Do: registry.Into(stopFindings)},
			{Name: "cases", Doc: "After a number of cases, made or skipped.", Ret: "stop_condition", Example: "stop.cases(1000)  # -> <stop 1000 cases>", Do: registry.Into(stopCases)},
			{Name: "any", Doc: "As soon as one of the conditions holds.", Ret: "stop_condition", Example: "stop.any(stop.after(\"8h\"), stop.findings(50))  # -> <stop after 8h0m0s or 50 findings>", Do: registry.Into(stopAny)},
			{Name: "all", Doc: "As soon as all of the conditions hold.", Ret: "stop_condition", Example: "stop.all(stop.after(\"1h\"), stop.quiet(\"10m\"))  # -> <stop (after 1h0m0s and quiet for 10m0s)>", Do: registry.Into(stopAll)},
		},
	}
}

// stopAfterArgs are the arguments of stop.after.
type stopAfterArgs struct {
	Time time.Duration `doc:"\"8h\", \"90s\", or seconds"`
}

func stopAfter(c *registry.Call, a *stopAfterArgs) (starlark.Value, error) {
	if a.Time <= 0 {
		return nil, c.Errorf(&a.Time, "it must be above 0")
	}
	return &solving.Stop{S: finding.Stop{After: a.Time}}, nil
}

// stopQuietArgs are the arguments of stop.quiet.
type stopQuietArgs struct {
	Time      time.Duration `doc:"\"8h\", \"90s\", or seconds"`
	Technique string        `default:"None" doc:"the name of one technique of the campaign, as reports show it: only its findings count"`
}

func stopQuiet(c *registry.Call, a *stopQuietArgs) (starlark.Value, error) {
	if a.Time <= 0 {
		return nil, c.Errorf(&a.Time, "it must be above 0")
	}
	quiet := finding.Stop{Quiet: a.Time, Technique: a.Technique}
	if a.Technique != "" {
		quiet = finding.Stop{Sets: &[][]finding.Stop{{quiet}}} // not to be one with the condition of another technique
	}
	return &solving.Stop{S: quiet}, nil
}

// stopFindingsArgs are the arguments of stop.findings.
type stopFindingsArgs struct {
	N int `doc:"above 0"`
}

func stopFindings(c *registry.Call, a *stopFindingsArgs) (starlark.Value, error) {
	if a.N < 1 {
		return nil, c.Errorf(&a.N, "%d is below 1", a.N)
	}
	return &solving.Stop{S: finding.Stop{Findings: a.N}}, nil
}

// stopCasesArgs are the arguments of stop.cases.
type stopCasesArgs struct {
	N int `doc:"above 0"`
}

func stopCases(c *registry.Call, a *stopCasesArgs) (starlark.Value, error) {
	if a.N < 1 {
		return nil, c.Errorf(&a.N, "%d is below 1", a.N)
	}
	return &solving.Stop{S: finding.Stop{Cases: uint64(a.N)}}, nil
}

// stopAnyArgs are the arguments of stop.any.
type stopAnyArgs struct {
	Conditions []*solving.Stop `name:"*conditions"`
}

func stopAny(c *registry.Call, a *stopAnyArgs) (starlark.Value, error) {
	var s finding.Stop
	for _, v := range a.Conditions {
		s = s.Any(v.S)
	}
	if s == (finding.Stop{}) {
		return nil, c.Errorf(&a.Conditions, "give at least one condition")
	}
	return &solving.Stop{S: s}, nil
}

// stopAllArgs are the arguments of stop.all.
type stopAllArgs struct {
	Conditions []*solving.Stop `name:"*conditions"`
}

func stopAll(c *registry.Call, a *stopAllArgs) (starlark.Value, error) {
	var parts []finding.Stop
	for _, v := range a.Conditions {
		parts = append(parts, v.S)
	}
	if len(parts) == 0 {
		return nil, c.Errorf(&a.Conditions, "give at least one condition")
	}
	return &solving.Stop{S: finding.All(parts...)}, nil
}

// checkTechniques returns an error if a condition is about a technique that the campaign does not have.
func checkTechniques(c *registry.Call, a *campaignArgs) error {
	var names []string
	for _, part := range parts(a.Technique) {
		names = append(names, techniqueName(part))
	}
	for _, name := range a.Stop.S.Techniques() {
		if !slices.Contains(names, name) {
			return c.Errorf(&a.Stop, "stop.quiet: no technique of the campaign is named %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}
