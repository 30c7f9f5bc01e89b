package campaign

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/finding"
)

func stopModule() registry.Module {
	duration := []registry.Param{{Name: "time", Type: "duration", Doc: "\"8h\", \"90s\", or seconds"}}
	count := []registry.Param{{Name: "n", Type: "int", Doc: "above 0"}}
	all := []registry.Param{{Name: "*conditions", Type: "stop_condition"}}
	return registry.Module{
		Name: "stop", Doc: "When a campaign ends. The flags of `smtlark run` (--for, --cases, ...) come before what the file says.",
		Types: []*registry.Type{value.StopType},
		Members: []registry.Builtin{
			{Name: "after", Doc: "After a time.", Params: duration, Ret: "stop_condition", Example: "stop.after(\"8h\")  # -> <stop after 8h0m0s>", Fn: stopAfter},
			{Name: "quiet", Doc: "When nothing new was found for a time.", Params: duration, Ret: "stop_condition", Example: "stop.quiet(\"1h\")  # -> <stop quiet for 1h0m0s>", Fn: stopQuiet},
			{Name: "findings", Doc: "After a number of findings that reproduce.", Params: count, Ret: "stop_condition", Example: "stop.findings(50)  # -> <stop 50 findings>", Fn: stopFindings},
			{Name: "cases", Doc: "After a number of cases, made or skipped.", Params: count, Ret: "stop_condition", Example: "stop.cases(1000)  # -> <stop 1000 cases>", Fn: stopCases},
			{Name: "any", Doc: "As soon as one of the conditions holds.", Params: all, Ret: "stop_condition", Example: "stop.any(stop.after(\"8h\"), stop.findings(50))  # -> <stop after 8h0m0s or 50 findings>", Fn: stopAny},
			{Name: "all", Doc: "As soon as all of the conditions hold.", Params: all, Ret: "stop_condition", Example: "stop.all(stop.after(\"1h\"), stop.quiet(\"10m\"))  # -> <stop (after 1h0m0s and quiet for 10m0s)>", Fn: stopAll},
		},
	}
}

func stopAfter(c *registry.Call) (starlark.Value, error) {
	if c.Duration(0) <= 0 {
		return nil, c.ArgErrorf(0, "it must be above 0")
	}
	return &value.Stop{S: finding.Stop{After: c.Duration(0)}}, nil
}

func stopQuiet(c *registry.Call) (starlark.Value, error) {
	if c.Duration(0) <= 0 {
		return nil, c.ArgErrorf(0, "it must be above 0")
	}
	return &value.Stop{S: finding.Stop{Quiet: c.Duration(0)}}, nil
}

func stopFindings(c *registry.Call) (starlark.Value, error) {
	if c.Int(0) < 1 {
		return nil, c.ArgErrorf(0, "%d is below 1", c.Int(0))
	}
	return &value.Stop{S: finding.Stop{Findings: c.Int(0)}}, nil
}

func stopCases(c *registry.Call) (starlark.Value, error) {
	if c.Int(0) < 1 {
		return nil, c.ArgErrorf(0, "%d is below 1", c.Int(0))
	}
	return &value.Stop{S: finding.Stop{Cases: c.Uint64(0)}}, nil
}

func stopAny(c *registry.Call) (starlark.Value, error) {
	var s finding.Stop
	for _, v := range c.List(0) {
		s = s.Any(v.(*value.Stop).S)
	}
	if s == (finding.Stop{}) {
		return nil, c.ArgErrorf(0, "give at least one condition")
	}
	return &value.Stop{S: s}, nil
}

func stopAll(c *registry.Call) (starlark.Value, error) {
	var parts []finding.Stop
	for _, v := range c.List(0) {
		parts = append(parts, v.(*value.Stop).S)
	}
	if len(parts) == 0 {
		return nil, c.ArgErrorf(0, "give at least one condition")
	}
	return &value.Stop{S: finding.All(parts...)}, nil
}
