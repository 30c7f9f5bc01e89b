package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/campaign/lineup"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Host is the part of the interpreter that turning a spec into a plan needs.
type Host struct {
	// Thread makes a thread for the functions of the campaign; patient threads have time for a whole reduction.
	Thread func(name string, patient bool) registry.Thread
	// Installed returns the solvers found on this machine that can be used; it may be nil.
	Installed func() []*solvers.Solver
	// Builds returns the builds that were found of a kind of solver, and Debug its debug builds, including unusable
	// ones; both may be nil.
	Builds, Debug func(p *solvers.Profile) []*solvers.Solver
	// Known returns all solvers that the campaign may use; it may be nil.
	Known func() []*solvers.Solver
	// Models remembers models of seeds; it may be nil.
	Models *memo.Cache
	// Answers are the recorded solver answers with which cases are made; if nil, solvers are asked.
	Answers testcase.Answers
	// Seeds returns the seeds of campaigns that name none; it may be nil.
	Seeds func() *value.Corpus
	// SeedBudget bounds how many bytes of seeds are read beforehand.
	SeedBudget int64
	Led        bool   // to changed lines of a solver: first come the seeds as they are
	Seed       uint64 // of the campaign
	File       string // the campaign file as the user would name it, "" when there is none
	Again      string // the command that runs the campaign, without its seed
}

// wantsSeeds reports whether the campaign has a technique other than API fuzzing, which needs no seeds.
func (s *Spec) wantsSeeds() bool {
	return s.Technique != nil && slices.ContainsFunc(parts(s.Technique), func(t starlark.Callable) bool { _, calls := t.(solving.Claimer); return !calls })
}

// MakePlan returns the plan of a campaign file that has run. The functions of the file are called with ctx, except
// where the plan's interfaces bring their own. It returns an error if a target could not be asked all questions about
// which input it accepts.
func (s *Spec) MakePlan(ctx context.Context, h Host) (*campaign.Plan, error) {
	p := &campaign.Plan{Declared: finding.Declared{Name: s.Name, File: h.File, Bounds: s.bounds}}
	m := &maker{h: h}
	p.InMode, p.Expr, p.Close = m.targets.InMode, m.targets.Expr, m.close
	p.Options, p.Without = m.targets.Options, m.targets.Without
	p.Trier = &lineup.Builds{Targets: &m.targets, Installed: h.Installed, Of: h.Builds, Debug: h.Debug, All: h.Known}
	if len(s.reproductions) > 0 {
		for _, r := range s.reproductions {
			opened, err := m.open(ctx, r)
			if err != nil {
				return nil, err
			}
			p.Reproductions = append(p.Reproductions, opened)
		}
		return p, nil
	}
	if m.player = m.playerFor(s.Technique); m.player != nil {
		m.targets.Wrap = m.player.wrap
	}
	tested := solving.Engines(s.Targets)
	if s.Technique != nil && generates(s.Technique) {
		if err := target.LearnFacts(ctx, tested, h.Models, h.Answers); err != nil {
			return nil, err
		}
	}
	all, turns := lineup.Members(tested, solving.Engines(s.References), s.TakeTurns)
	p.Deadly = target.Deadly(tested, turns != nil)
	further, modes := lineup.InEveryMode(ctx, all, len(tested))
	asked := slices.Concat(all, further)
	for _, v := range asked {
		p.Targets = append(p.Targets, m.targets.Open(v))
		if !slices.ContainsFunc(tested, func(t *target.Solver) bool { return t.Product() == v.Product() }) {
			p.References = append(p.References, v.Name())
		}
	}
	if p.Roster, p.Modes = turns, modes; turns != nil || modes != nil {
		p.Takes = lineup.Takers(asked)
	}
	if m.player != nil {
		p.Oracles = append(p.Oracles, &expectations{oracle.Expectations(), m.player})
	}
	switch {
	case s.Seeds != nil:
		p.PlannedSeeds = s.Seeds.Check(h.SeedBudget, h.Models.ForProgram())
		p.Seed = s.Seeds.Named
	case s.wantsSeeds() && h.Seeds != nil:
		s.Seeds = h.Seeds()
		p.PlannedSeeds = s.Seeds.Check(0, nil)
		p.Seed = s.Seeds.Named
	}
	if h.Led && s.Seeds != nil {
		first := s.Seeds.Engine().Where(func(logic, _ string) bool {
			return slices.ContainsFunc(tested, func(v *target.Solver) bool { return v.Found.Profile.Takes(logic) })
		}).Seeds()
		p.SeedsFirst = min(len(first), campaign.MaxSeedsFirst)
		p.SeedAt = func(i int) (*testcase.Case, error) { return workspace.Alone(first[i]) }
	}
	if s.Technique == nil { // campaign(...) was not called; the plan's Validate says so
		return p, nil
	}
	meta := slices.ContainsFunc(tested, func(v *target.Solver) bool { return v.Members != nil })
	if p.Claims = claims(parts(s.Technique), lineup.Groups(tested, s.TakeTurns)); (p.Claims != nil || meta) && m.player == nil { // answers of further solvers, findings of meta solvers
		p.Oracles = append(p.Oracles, oracle.Expectations())
	}
	t := m.technique(s, lineup.NewAudience(all, turns, s.Seeds.Engine()))
	if len(all) > 0 {
		t.session.Model = target.AskersOf(all)
	}
	p.Technique, p.BrokenSoFar = t, t.session.Broken
	byName := map[string]*target.Solver{}
	for _, v := range asked {
		byName[v.Name()] = v
	}
	again := target.AskAgain(ctx, byName)
	seeds := oracle.NewSeedRuns(again)
	for _, o := range s.oracles() {
		switch {
		case o.Engine != nil:
			p.Oracles = append(p.Oracles, o.Engine)
			continue
		case o.Make != nil:
			p.Oracles = append(p.Oracles, o.Make(again))
			continue
		case o.OfSeed != nil:
			p.Oracles = append(p.Oracles, o.OfSeed(seeds))
			continue
		}
		j := &judge{ctx: ctx, o: o, h: h, seeds: seeds}
		j.th, j.session = m.thread("oracle " + o.Name)
		p.Oracles = append(p.Oracles, j)
	}
	for _, v := range s.Suppress {
		if pat, ok := v.(*solving.PatternValue); ok {
			p.Suppress = append(p.Suppress, &campaign.SuppressorFunc{Label: pat.Label, Operators: pat.Shape, Matches: func(c *testcase.Case, v *oracle.Verdict) (bool, error) { return pat.Matches(c, v), nil }})
			continue
		}
		p.Suppress = append(p.Suppress, m.knownBy(ctx, v.(starlark.Callable)))
	}
	named := s.reduceReferences()
	if named != nil || s.ReduceReferences == starlark.True {
		p.ReduceReferences = func() []solvers.Target { return lineup.References(solving.Engines(named), h.Installed) }
	}
	switch f := s.Reduce.(type) { // nil, True, False or a function
	case starlark.Callable:
		p.Reducer = &reducer{fn: f, h: h}
	default:
		if f == starlark.False {
			break
		}
		p.Reducer = campaign.DefaultReducer(func() (*rewrite.Rules, error) {
			th := h.Thread("reduce", true)
			defer th.Close()
			return value.LawsOf(th.Starlark())
		})
	}
	return p, nil
}

// open makes the targets of a reproduction, and the oracles that decide it.
func (m *maker) open(ctx context.Context, r *reproduction) (campaign.Reproduction, error) {
	if r.loaded != nil {
		return m.openReplay(ctx, r)
	}
	out := r.Reproduction
	out.Target = m.targets.Open(r.target.Solver)
	m.targets.Keep(out.Target)
	if r.decider != nil {
		out.Oracle = r.decider(target.AskAgain(ctx, map[string]*target.Solver{out.Target.Name(): r.target.Solver}))
	}
	if judge, ok := out.Oracle.(*claim.Statements); ok && r.against != nil { // it is asked about the reply, not about the case
		judge.Others = []claim.Referee{refereeOf(ctx, r.against.Solver)}
		return out, nil
	}
	if r.against != nil {
		out.Against = m.targets.Open(r.against.Solver)
		m.targets.Keep(out.Against)
	}
	return out, nil
}

// refereeOf returns a solver that is asked about replies of others.
func refereeOf(ctx context.Context, s *target.Solver) claim.Referee {
	name := s.Name()
	ask := target.AskAgain(ctx, map[string]*target.Solver{name: s})
	return claim.Referee{Kind: oracle.KindOfSolver(s.Found.Name, s.Found.Version), Target: name, Ask: func(q *solvers.Query, lim solvers.Limits) *solvers.Run { return ask(name, q, lim) }}
}

// maker is a plan being made, with the resources that end with it.
type maker struct {
	player  *player // nil: the technique has no actions of its own
	h       Host
	targets lineup.Set
	threads []registry.Thread
	pools   []*target.TargetPool
	plans   []func() error // ends the plans of campaign files of findings
}

// thread makes a thread for a function of the file, with a session and a pool of solver processes.
func (m *maker) thread(name string) (registry.Thread, *value.ThreadState) {
	th, session, pool := m.h.Thread(name, false), workspace.NewSession(), target.NewPool()
	value.SessionKey.Set(th.Starlark(), session)
	solving.PoolKey.Set(th.Starlark(), pool)
	m.threads, m.pools = append(m.threads, th), append(m.pools, pool)
	return th, session
}

// knownBy makes a suppressor of a function of (case, verdict).
func (m *maker) knownBy(ctx context.Context, f starlark.Callable) campaign.Suppressor {
	th, session := m.thread("suppress " + f.Name())
	return &campaign.SuppressorFunc{Label: f.Name(), Matches: func(c *testcase.Case, v *oracle.Verdict) (bool, error) {
		defer session.Begin()
		x, err := th.Call(ctx, f, starlark.Tuple{value.Case{AnalyzedCase: session.Wrap(c)}, &solving.VerdictValue{V: *v}}, nil)
		if err != nil {
			return false, registry.AddContext(err, m.h.replay(c.Origin.Number))
		}
		b, ok := x.(starlark.Bool)
		if !ok {
			return false, registry.AddContext(th.Explain(registry.WrongResult(f, x, "True or False", "")), m.h.replay(c.Origin.Number))
		}
		return bool(b), nil
	}}
}

func (m *maker) close() error {
	errs := []error{m.targets.Close()}
	for _, end := range m.plans {
		errs = append(errs, end())
	}
	for i, th := range m.threads {
		th.Close()
		errs = append(errs, m.pools[i].Close())
	}
	return errors.Join(errs...)
}

// replay is the line below an error that says which case it was.
func (h *Host) replay(n uint64) string {
	line := fmt.Sprintf("case %d, seed %#x", n, h.Seed)
	if h.Again != "" {
		line += fmt.Sprintf("; replay: %s --seed %#x --case %d", h.Again, h.Seed, n)
	}
	return line
}

// technique is a function of a campaign file as a technique. It has one thread, which is used again for every case.
type technique struct {
	name     string
	fn       starlark.Callable
	seeds    starlark.Value
	th       registry.Thread
	session  *value.ThreadState
	chosen   string
	weights  []uint32 // of a mixture's parts; nil: their own
	h        Host
	called   string // where the campaign file gives it to campaign(...)
	audience *lineup.Audience
}

func (m *maker) technique(s *Spec, audience *lineup.Audience) *technique {
	t := &technique{name: techniqueName(s.Technique), fn: s.Technique, seeds: starlark.None, h: m.h, called: s.Called, audience: audience}
	if s.Seeds != nil {
		t.seeds = s.Seeds
	}
	t.th, t.session = m.thread("technique " + t.name)
	t.session.Models, t.session.Given = m.h.Models, m.h.Answers
	solving.TargetsKey.Set(t.th.Starlark(), solving.Engines(s.Targets))
	chosenKey.Set(t.th.Starlark(), &t.chosen)
	weightsKey.Set(t.th.Starlark(), &t.weights)
	return t
}

func (t *technique) Name() string { return t.name }

// Parts implements campaign.Mixture.
func (t *technique) Parts() []finding.Part {
	if m, ok := t.fn.(*mixed); ok && m.adapt {
		return slices.Clone(m.named)
	}
	return nil
}

// SetWeights implements campaign.Mixture.
func (t *technique) SetWeights(weights []uint32) { t.weights = weights }

// Generates implements campaign.Avoider.
func (t *technique) Generates() bool { return t.fn != nil && generates(t.fn) }

// generates reports whether any part of a technique generates cases based on the features that the targets report to
// accept.
func generates(technique starlark.Callable) bool {
	return slices.ContainsFunc(parts(technique), func(t starlark.Callable) bool { _, depends := t.(solving.Learner); return depends })
}

// SetAvoided implements campaign.Avoider.
func (t *technique) SetAvoided(shapes []rule.Lack) {
	solving.AvoidedKey.Set(t.th.Starlark(), shapes)
	t.session.Avoided = shapes
}

// SetGrown implements campaign.Grower.
func (t *technique) SetGrown(seeds []finding.GrownSeed, led bool) {
	t.session.Grown = corpus.NewGrown(seeds, led)
}

// Make implements campaign.Technique.
func (t *technique) Make(ctx context.Context, n uint64, r *rng.Source) (*testcase.Case, error) {
	from := t.seeds
	targets, madeFor, seeds := t.audience.At(t.h.Seed, n)
	if t.audience.TakesTurns() {
		solving.TargetsKey.Set(t.th.Starlark(), targets)
	}
	if seeds != nil {
		from = value.CorpusOf(seeds)
	}
	t.session.Accepted = t.audience.Accepted(madeFor)
	return lineup.MakeTaken(t.session.Accepted, t.session.Avoided, r, func(r *rng.Source) (*testcase.Case, error) { return t.once(ctx, n, from, r) })
}

// once makes a case from some seeds.
func (t *technique) once(ctx context.Context, n uint64, from starlark.Value, r *rng.Source) (*testcase.Case, error) {
	t.session.Begin()
	t.chosen = ""
	v, err := t.th.Call(ctx, t.fn, starlark.Tuple{from, value.NewCaseRng(r, t.h.Seed, n)}, nil)
	if err != nil {
		return nil, t.failure(ctx, n, err)
	}
	k, ok := v.(value.Case)
	if !ok {
		return nil, registry.AddContext(t.th.Explain(value.NoCase(t.fn, v)), t.h.replay(n))
	}
	tc, err := k.TestCase()
	if err != nil {
		return nil, registry.AddContext(t.th.Explain(&registry.ResultError{Fn: t.fn, Msg: err.Error()}), t.h.replay(n))
	}
	out := *tc
	out.Origin = t.session.Origin(tc.Origin)
	if t.chosen != "" {
		out.Origin.Technique = t.chosen
	}
	if out.LiveTrace() == nil {
		out.Script = t.session.Accepted.Fit(&out)
	}
	return &out, nil
}

func (t *technique) failure(ctx context.Context, n uint64, err error) error {
	switch sig := registry.AsSignal(err).(type) {
	case *registry.Skip:
		return &campaign.SkipError{Reason: sig.Reason, By: t.chosen}
	case *registry.StopRequest:
		return &campaign.StopError{Reason: sig.Reason}
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	context := t.h.replay(n)
	if e, ok := err.(interface{ InLibrary() bool }); ok && e.InLibrary() {
		context = fmt.Sprintf("the technique is that of the campaign at %s\n%s", t.called, context)
	}
	return registry.AddContext(err, context)
}

// judge is a function of a campaign file as an oracle.
type judge struct {
	ctx     context.Context
	o       *solving.Oracle
	th      registry.Thread
	session *value.ThreadState
	h       Host
	seeds   *oracle.SeedRuns
	err     error
}

func (j *judge) Name() string      { return j.o.Name }
func (j *judge) NeedsModels() bool { return j.o.Models }
func (j *judge) Err() error        { return j.err }

// OfCampaignFile implements campaign.ScriptedBy.
func (j *judge) OfCampaignFile() bool { return true }

// Judge implements oracle.Oracle.
func (j *judge) Judge(c *testcase.Case, runs []*solvers.Run) []oracle.Verdict {
	defer j.session.Begin() // drops the terms that the oracle made in the arena of the case, before others go on with it
	k := value.Case{AnalyzedCase: j.session.Wrap(c)}
	list := make([]starlark.Value, len(runs))
	for i, r := range runs {
		list[i] = &solving.RunValue{R: r, Case: k, Query: func() *solvers.Query { return c.Query().WithModel() }, Seeds: j.seeds, Models: j.o.Models}
	}
	compared := c.Origin.Compared // by another oracle
	c.Origin.Compared = false
	defer func() { c.Origin.Compared = c.Origin.Compared || compared }()
	var vs []oracle.Verdict
	v, err := j.th.Call(j.ctx, j.o.Fn, starlark.Tuple{k, starlark.NewList(list)}, nil)
	if err == nil {
		if vs, err = solving.Verdicts(j.o, v); err != nil {
			err = j.th.Explain(err)
		}
		for i := range vs {
			if c.Origin.Compared {
				vs[i].Relation = oracle.RelationScripted
			}
		}
	}
	switch sig := registry.AsSignal(err).(type) {
	case *registry.Skip:
		err = nil
	case *registry.StopRequest:
		err = &campaign.StopError{Reason: sig.Reason}
	case nil:
		if err != nil {
			err = registry.AddContext(err, j.h.replay(c.Origin.Number))
		}
	}
	j.err = err
	return vs
}

// fileError marks an error as one of the campaign file.
func fileError(err error) error { return &campaign.LoadError{Fault: campaign.FaultScript, Err: err} }

// reducer is a function of a campaign file as a reducer.
type reducer struct {
	fn starlark.Callable
	h  Host
}

// Reduce implements campaign.Reducer.
func (r *reducer) Reduce(ctx context.Context, c *testcase.Case, fails driver.Predicate, helpers driver.Helpers) (*testcase.Case, error) {
	th := r.h.Thread("reduce", true)
	defer th.Close()
	session, pool := workspace.NewSession(), target.NewPool()
	defer pool.Close()
	value.SessionKey.Set(th.Starlark(), session)
	solving.PoolKey.Set(th.Starlark(), pool)
	k := value.Case{AnalyzedCase: session.Wrap(campaign.Freed(c, fails))}
	v, err := th.Call(ctx, r.fn, starlark.Tuple{k, &solving.Fails{F: fails, Helpers: helpers}}, nil)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, fileError(registry.AddContext(err, r.h.replay(c.Origin.Number)))
	}
	out, ok := v.(value.Case)
	if !ok {
		return nil, fileError(registry.AddContext(th.Explain(value.NoCase(r.fn, v)), r.h.replay(c.Origin.Number)))
	}
	return out.TestCase()
}
