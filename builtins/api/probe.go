package api

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/target"
	engine "github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/generate/probe"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/solvers/rule"
)

// probingArgs are the arguments of api.probe.
type probingArgs struct {
	Machine *machine `doc:"the machine whose theories, widths, exclusions and targets are used"`
	_       registry.KeywordOnly
	Probes  int    `default:"24" doc:"probes of a case: 1 to 64"`
	Name    string `default:"\"api.probe\"" doc:"name of the technique in findings and statistics"`
}

// probing makes the technique.
func probing(c *registry.Call, a *probingArgs) (starlark.Value, error) {
	var (
		machine = a.Machine
		probes  = a.Probes
	)
	if probes < 1 || probes > 64 {
		return nil, c.Errorf(&a.Probes, "%d is not between 1 and 64", probes)
	}
	walks := newTechnique(a.Name, machine, engine.Aim{})
	p := &prober{callable: callable{builtin: "api.probe", name: a.Name, parts: []starlark.Value{walks}}, walks: walks, probes: probes}
	p.make = p.probe
	return p, nil
}

// prober is a function of (seeds, rng) that makes probes of the constructs that a machine's walks generate.
type prober struct {
	callable
	walks  *technique
	probes int
}

// tables holds the tables of a thread's techniques: they are the same for all cases.
var tables = registry.NewKey[map[tableOf]*probe.Table]("tables of probes", "this thread has none")

// tableOf identifies a table. Options that a case leaves out do not change the table.
type tableOf struct {
	probes *prober
	of     string // names of the targets, and of what terms are without
}

// tableOf returns the table for the cases that a generator makes for the targets of a thread.
func (p *prober) tableOf(th *starlark.Thread, cfg *gen.Config) (*probe.Table, error) {
	known, err := tables.Get(th)
	if err != nil {
		known = map[tableOf]*probe.Table{}
		tables.Set(th, known)
	}
	key := tableOf{probes: p}
	for _, s := range solving.TargetsOf(th) {
		key.of += s.Name() + "\x00"
	}
	key.of += fmt.Sprint(cfg.Rules.Exclude)
	if known[key] == nil {
		if known[key], err = probe.NewTable(cfg); err != nil {
			return nil, err
		}
	}
	return known[key], nil
}

// configuration returns what to probe on the targets of a thread.
func (p *prober) configuration(th *starlark.Thread) (*probe.ProbeConfig, error) {
	walks, err := p.walks.configOf(th)
	if err != nil {
		return nil, err
	}
	cfg := &probe.ProbeConfig{Gen: walks.Gen, Probes: p.probes, NoPush: walks.Lacks(rule.Action.Of("push")),
		NoAssumptions: walks.Lacks(rule.Action.Of("check-sat-assuming")), Literals: walks.Literals,
		NoValues: walks.Lacks(rule.Action.Of("get-value")) || walks.Lacks(rule.Option.Of("produce-models")),
		NoNeeded: walks.Lacks(rule.Action.Of("get-unsat-assumptions")) ||
			walks.Lacks(rule.Option.Of("produce-unsat-assumptions")),
		NoNames: walks.NoNames,
		NoCores: walks.Lacks(rule.Action.Of("get-unsat-core")) || walks.Lacks(rule.Option.Of("produce-unsat-cores")),
		NoAssignment: walks.Lacks(rule.Action.Of("get-assignment")) ||
			walks.Lacks(rule.Option.Of("produce-assignments")),
		MinimalCores: haveOption(solving.TargetsOf(th), minimalCores) && !walks.Lacks(rule.Option.Of(minimalCores)),
	}
	if cfg.Table, err = p.tableOf(th, &cfg.Gen); err != nil {
		return nil, err
	}
	return cfg, nil
}

// minimalCores is an option of SMT-LIB solvers that makes cores minimal, under the name that most have.
const minimalCores = "minimal-unsat-cores"

// haveOption reports whether the profiles of all targets list an option.
func haveOption(targets []*target.Solver, name string) bool {
	for _, s := range targets {
		if !slices.ContainsFunc(s.Found.Profile.APIOptions, func(o rule.OptionSpec) bool { return o.Name == name }) {
			return false
		}
	}
	return len(targets) > 0
}

// probe makes a case.
func (p *prober) probe(th *starlark.Thread, _ starlark.Tuple, r *value.Rng, src *rng.Source) (starlark.Value, error) {
	cfg, err := p.configuration(th)
	if err != nil {
		return nil, err
	}
	number := src.Uint64() >> 1 // outside of a campaign: any cell
	if turn := r.Turn(); turn != nil {
		number = turn.Number
	}
	scratch := value.SessionOf(th).Scratch()
	c, err := probe.Make(scratch.Arena, src, number, cfg)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, &registry.Skip{Reason: "SMT-LIB leaves the values of these probes open"}
	}
	return value.NewCase(scratch, c), nil
}
