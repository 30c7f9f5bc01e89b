package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/campaign/roster"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Plan is a campaign as its file describes it. A Loader returns it, inside a worker.
type Plan struct {
	finding.Declared
	Technique Technique
	// BrokenSoFar returns the broken seeds found so far, if seeds are read when they are first used. It may be nil, and
	// is called by the goroutine that makes the cases.
	BrokenSoFar func() []finding.BrokenSeed
	Targets     []solvers.Target // names are unique
	Oracles     []oracle.Oracle
	Reducer     Reducer // nil: findings are not reduced
	// Reproductions lists the replays that a repro.star asks for; such a plan has no Technique.
	Reproductions []Reproduction
	// Roster selects the targets that are asked about a case. If it is nil, all are. Its members are Targets, in their
	// order.
	Roster *roster.Roster
	// Modes records which targets are one target in several modes. Targets that stand for others follow the members of
	// the Roster. It is nil if there are none.
	Modes *roster.Modes
	// Takes reports whether a target accepts a case, by the known facts about features that it lacks. Of a Roster or of
	// Modes, references that do not accept the case are not asked. It may be nil, and is called by the goroutine that
	// asks the targets.
	Takes func(target int, c *testcase.Case) bool
	Variants
	// Seed returns a seed by its name in Origin.Seeds, with the answers that its label claims, so that the label can be
	// checked. It may be nil.
	Seed func(name string) (*testcase.Case, error)
	// SeedAt returns the seed of one of the first SeedsFirst cases.
	SeedAt func(i int) (*testcase.Case, error)
	// Trier makes the targets that reduced cases are tried with, for reports to the developers of the solver. If it is
	// nil, reduced cases are not tried.
	Trier Trier
	// Suppress says which verdicts are known and of no interest: they are counted by name and become no findings.
	Suppress []Suppressor
	// Sources are the texts that the campaign file consists of; nil where they are of no matter.
	Sources *finding.Sources
	// Close frees the resources of the plan other than its targets. It may be nil.
	Close func() error
}

// Variants makes further targets for a campaign: its own targets in other modes and without some of their options, and
// solvers whose answers are more reliable. Each field may be nil.
type Variants struct {
	// InMode makes another target of the same solver and options in another mode; in modes reset and incremental it has a
	// process of its own. Confirmation and reduction use it: mode fresh comes first. When it is nil, or fails for a
	// target, the target may implement ModeChanger; else it is used as it is, after Close.
	InMode func(t solvers.Target, m solvers.Mode) (solvers.Target, error)
	// Expr returns the expression of a campaign file that makes the target, for repro.star; nil: one is made from the
	// solver's name, version and the mode.
	Expr func(t solvers.Target) string
	// Options returns the names of the options and arguments that a target has beyond its solver's defaults, and Without
	// makes a target that lacks some of them. They may be nil.
	Options func(t solvers.Target) []string
	Without func(t solvers.Target, m solvers.Mode, drop []string) (solvers.Target, error)
	// References are the names of the targets that are not under test but decide which answers are right.
	References []string
	// ReduceReferences makes solvers that check whether an answer known by construction still holds in a smaller case,
	// if that answer is unsat and no target of the campaign can check it. They are asked when a wrong sat is reduced,
	// and closed afterwards. It may be nil.
	ReduceReferences func() []solvers.Target
}

// Suppressor knows verdicts that are of no interest. It is used by one goroutine at a time.
type Suppressor interface {
	Name() string
	Suppresses(c *testcase.Case, v *oracle.Verdict) (bool, error)
	// Shape returns the operators of the reduced case that the suppressor is about, or nil if it is not about one.
	Shape() []string
}

// SuppressorFunc is a Suppressor of a function.
type SuppressorFunc struct {
	Label     string
	Operators []string // what Shape returns
	Matches   func(c *testcase.Case, v *oracle.Verdict) (bool, error)
}

// Name implements Suppressor.
func (k *SuppressorFunc) Name() string { return k.Label }

// Shape implements Suppressor.
func (k *SuppressorFunc) Shape() []string { return k.Operators }

// Suppresses implements Suppressor.
func (k *SuppressorFunc) Suppresses(c *testcase.Case, v *oracle.Verdict) (bool, error) {
	return k.Matches(c, v)
}

// Technique makes cases. It is used by one goroutine at a time.
type Technique interface {
	Name() string
	// Make makes case n. All its choices come from r (which is rng.New(seed).Split(n)) and n: it must return the same
	// case whatever was made before, on any machine. The case is used until the next call of Make, which may reuse its
	// arena. A *SkipError says that there is no case n. Any other error ends the campaign as an error of the campaign
	// file, unless it wraps ctx.Err().
	Make(ctx context.Context, n uint64, r *rng.Source) (*testcase.Case, error)
}

// Avoider is a technique that can make cases without certain shapes (acceptance.Shapes).
type Avoider interface {
	// Generates reports whether any of its cases are generated, and not made of seeds: then shapes on which a target fails
	// in most cases that have them are drawn less.
	Generates() bool
	// SetAvoided sets the shapes that later cases must not have.
	SetAvoided(shapes []rule.Lack)
}

// MaxSeedsFirst bounds how many seeds are tried as they are before any case is made.
const MaxSeedsFirst = 4096

// Grower is a technique that can make cases of others that have become seeds.
type Grower interface {
	// SetGrown sets the grown seeds for later cases, with their texts; nil means none. led reports whether the campaign
	// is directed to a part of a solver.
	SetGrown(seeds []finding.GrownSeed, led bool)
}

// ErrSkip is wrapped by every *SkipError.
var ErrSkip = errors.New("case skipped")

// SkipError says that a case was not made. It is counted by its reason and is no error.
type SkipError struct {
	Reason string
	By     string // the technique that skipped, where it is not the plan's own
}

func (e *SkipError) Error() string {
	if e.Reason == "" {
		return "skip"
	}
	return "skip: " + e.Reason
}

func (e *SkipError) Unwrap() error { return ErrSkip }

// ErrOverBudget is wrapped by errors of calls that took more time, steps or memory than a call may.
var ErrOverBudget = errors.New("over budget")

// StopError ends the campaign after the running cases: a Technique returns it, or an oracle raises it.
type StopError struct{ Reason string }

func (e *StopError) Error() string { return "stop: " + e.Reason }

// Reducer makes a case smaller as long as fails is true of it; fails is true of c. It returns the smallest case it
// found, immediately if ctx is done. The campaign itself remembers the smallest case for which fails said true, so an
// error or a death loses nothing. fails never changes the case; it is memoised by the case's text. helpers, where there
// are any, can be given what fails may be asked about soon; nil is none.
type Reducer interface {
	Reduce(ctx context.Context, c *testcase.Case, fails driver.Predicate, helpers driver.Helpers) (*testcase.Case, error)
}

// ReducerFunc is a function as a Reducer.
type ReducerFunc func(ctx context.Context, c *testcase.Case, fails driver.Predicate, helpers driver.Helpers) (*testcase.Case, error)

// Reduce calls f.
func (f ReducerFunc) Reduce(ctx context.Context, c *testcase.Case, fails driver.Predicate, helpers driver.Helpers) (*testcase.Case, error) {
	return f(ctx, c, fails, helpers)
}

// Reproduction is one case of a repro.star: the behavior of a target, and the right answer.
type Reproduction struct {
	Case    *testcase.Case
	Target  solvers.Target
	Check   int            // number of the check-sat that Got and Want are about
	Got     smtlib.Answer  // the wrong answer; None for a crash
	Want    smtlib.Answer  // the right one; None when not known
	Class   solvers.Class  // the class of a crash; Invalid for a wrong answer
	Message string         // part of the normalised message of a crash or of the oracle; "" for any
	Against solvers.Target // the target that answered otherwise, or nil
	// Oracle, if set, decides instead of Got, Class and Message: the finding is reproduced if the oracle finds fault
	// with the target. An invalid model is replayed with oracle.Model.
	Oracle oracle.Oracle
	// AnyFault makes every crash and every failed check count, whatever its class and message.
	AnyFault         bool
	finding.Sequence // input that the process gets before the case, in modes that keep a process
	// Verdict, if set, must be reported again by one of Oracles, the oracles of the campaign that found it, about the
	// runs of Targets. Target is then the first target that the verdict blames, or the first of all. The fields above
	// that say what counts as reproduced are then unused.
	Verdict *oracle.Verdict
	Oracles []oracle.Oracle
	Targets []solvers.Target
	// Limits of each run; zero fields: the target's own.
	Limits solvers.Limits
}

// ModeChanger is a target that can do what Variants.InMode describes.
type ModeChanger interface {
	InMode(m solvers.Mode) (solvers.Target, error)
}

// Loader runs a campaign file and returns its plan. Errors are *LoadError, or count as errors of the campaign file.
// print receives the lines that the file prints.
type Loader func(ctx context.Context, file string, o finding.Inputs, print func(string)) (*Plan, error)

// Blame says whose mistake an error is; each has its exit code.
type Blame string

// The faults of loading a campaign.
const (
	FaultScript   Blame = "script"   // the campaign file; exit code 65
	FaultUsage    Blame = "usage"    // flags; 64
	FaultTrust    Blame = "trust"    // the file names programs to run and lies in no trusted folder; 65
	FaultSolver   Blame = "solver"   // no usable solver; 69
	FaultInternal Blame = "internal" // smtlark; 70
	FaultDisk     Blame = "disk"     // reading or writing; 74
)

// LoadError is a campaign that cannot start.
type LoadError struct {
	Fault Blame
	Err   error
}

func (e *LoadError) Error() string { return e.Err.Error() }
func (e *LoadError) Unwrap() error { return e.Err }

// Validate checks a plan that a Loader made. The error says what to do.
func (p *Plan) Validate() error {
	if len(p.Reproductions) > 0 {
		return nil
	}
	if p.Technique == nil {
		return &LoadError{FaultScript, fmt.Errorf("%s:1:1\nError: the file calls neither campaign(...) nor reproduce(...); a campaign file says campaign(technique = ..., targets = ...) at its top level", p.File)}
	}
	if len(p.Targets) == 0 {
		return &LoadError{FaultSolver, errors.New("no usable solver; `smtlark solvers` tells what was found and why it cannot be used, `smtlark solvers --fetch .solvers` unpacks some")}
	}
	seen := map[string]bool{}
	for _, t := range p.Targets {
		if seen[t.Name()] {
			return &LoadError{FaultScript, fmt.Errorf("two targets are named %q; give one of them a name", t.Name())}
		}
		seen[t.Name()] = true
	}
	return nil
}

// OraclesNamed returns the oracles with a name.
func (p *Plan) OraclesNamed(name string) []oracle.Oracle {
	var out []oracle.Oracle
	for _, o := range p.Oracles {
		if o.Name() == name {
			out = append(out, o)
		}
	}
	return out
}

// scriptedBy is an oracle that a campaign file defines.
type scriptedBy interface{ OfCampaignFile() bool }

// Scripted describes which parts of a verdict the campaign file itself defines. custom reports whether the case has
// actions that the file defines.
func (p *Plan) Scripted(v *oracle.Verdict, custom bool) string {
	for _, o := range p.OraclesNamed(v.Oracle) {
		if by, ok := o.(scriptedBy); ok && by.OfCampaignFile() {
			return finding.ScriptedOracle
		}
	}
	if custom {
		return finding.ScriptedActions
	}
	return ""
}

// Info describes a plan for those who have not loaded it.
func (p *Plan) Info() *finding.Plan {
	i := &finding.Plan{
		Declared: p.Declared,
		Reduces:  p.Reducer != nil, Reproductions: len(p.Reproductions), Machine: machine(), Modes: p.Modes.Parts(),
	}
	i.BrokenSeeds = p.BrokenSeeds[:min(len(p.BrokenSeeds), finding.MaxBroken)]
	if p.Technique != nil {
		i.Technique = p.Technique.Name()
		if m, ok := p.Technique.(Mixture); ok {
			i.Parts = m.Parts()
		}
		if a, ok := p.Technique.(Avoider); ok {
			i.Generates = a.Generates()
		}
	}
	for _, o := range p.Oracles {
		i.Oracles = append(i.Oracles, o.Name())
	}
	for _, s := range p.Suppress {
		if shape := s.Shape(); len(shape) > 0 {
			i.Shapes = append(i.Shapes, shape)
		}
	}
	for _, t := range p.Targets {
		i.Targets = append(i.Targets, p.target(t))
	}
	return i
}

// target describes a target.
func (p *Plan) target(t solvers.Target) finding.Target {
	i := finding.Target{Name: t.Name(), Mode: string(t.Mode()), Exec: 1, Reference: slices.Contains(p.References, t.Name())}
	if s := t.Solver(); s != nil {
		i.Exec = max(1, len(s.Exec))
		i.Solver, i.Version, i.Path = s.Name, s.Version, s.Path
		if s.Profile != nil {
			i.Kind, i.CheckSatUsing, i.ChecksStatus, i.Env = s.Profile.Name, s.Profile.CheckSatUsing, s.Profile.ChecksStatus, s.Environ()
			i.Files = s.Files()
		}
	}
	if i.Kind == "" {
		i.Kind = oracle.KindOfSolver(i.Solver, i.Version)
	}
	if p.Expr != nil {
		i.Expr = p.Expr(t)
	}
	if i.Expr == "" {
		i.Expr = fmt.Sprintf("solver(%q, version = %q, mode = %q)", i.Kind, i.Version, i.Mode)
	}
	return i
}
