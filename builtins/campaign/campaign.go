// Package campaign has the functions by which a file declares a campaign: campaign(...), reproduce(...), mix(...) and
// the module stop. A call of campaign fills a Spec, from which the host makes a plan.
package campaign

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/ground/spelling"
	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Spec has the arguments of campaign(...) in a campaign file, and its calls of reproduce(...).
type Spec struct {
	Called string // where campaign(...) was called: "file:line:col"; "" if it was not
	campaignArgs
	bounds        finding.Bounds // as the arguments say
	reproductions []*reproduction
}

// Preflights returns the solvers that are asked, before the campaign begins, whether they accept their options. Replays
// of findings have none: their options are known to have been accepted.
func (s *Spec) Preflights() []*solving.SolverValue {
	if s.Called == "" {
		return nil
	}
	return slices.Concat(s.Targets, s.References, s.reduceReferences())
}

// SpecKey is the slot of the spec that campaign(...) fills: of threads that run a campaign file.
var SpecKey = registry.NewKey[*Spec]("a campaign", "campaign(...) and reproduce(...) are called at the top level of the file that `smtlark run` is given, not in a module that it loads and not in a function that makes cases")

// Modules returns the predeclared functions campaign, reproduce and mix, and the module stop.
func Modules() []registry.Module {
	return []registry.Module{
		{Members: []registry.Builtin{campaignBuiltin(), mixBuiltin(), reproduceBuiltin(), settingBuiltin()}},
		stopModule(),
	}
}

const quickstart = "load(\"@std//storm.star\", \"storm\")\n\n"

func campaignBuiltin() registry.Builtin {
	return registry.Builtin{
		Name:    "campaign",
		Doc:     "Describes the campaign of this file: a technique makes cases, targets run on them, oracles judge the runs. Called once, at the top level.",
		Example: quickstart + "campaign(technique = storm(), seeds = corpus.bundled(), targets = solver.installed())",
		Needs:   "z3", Do: registry.Into(describe),
	}
}

// campaignArgs are the arguments of campaign.
type campaignArgs struct {
	_                registry.KeywordOnly
	Technique        starlark.Callable      `type:"callable(seeds: corpus, rng) -> case" doc:"a function of (seeds, rng) that returns a case: storm(), mutate.rounds(f), mix({...}), or a function of the file"`
	Targets          []*solving.SolverValue `type:"list[solver] | solver" doc:"the tested solvers: solver.installed(), or solvers. A solver without a mode is used in all its modes, each case in one of them (docs/guide.md)"`
	Seeds            *value.Corpus          `default:"None" doc:"the seeds of the technique: corpus.files(...); None is corpus.bundled(), or no seeds in API fuzzing"`
	Oracles          []starlark.Value       `type:"list[oracle | callable(case, runs: list[run]) -> (verdict | list[verdict] | None)] | None" default:"None" doc:"oracles and functions of (case, runs); None is [oracle.crash(), oracle.known_answer(), oracle.known_value(), oracle.agree(), oracle.claims()]"`
	Reduce           starlark.Value         `type:"callable(case, fails: callable(case) -> bool) -> case | bool | None" default:"None" doc:"reduces findings: a function of (case, fails) that returns a case; None is reduce.default(), False turns reduction off"`
	Stop             *solving.Stop          `default:"None" doc:"when the campaign ends: stop.after(\"8h\"), ...; None: when it is interrupted"`
	Limits           *starlark.Dict         `type:"dict[str, str | int | float] | None" default:"None" doc:"limits of one run of a target: \"timeout\" (wall time) and \"cpu\" (durations), \"memory\" and \"output\" (bytes, or \"2GB\")"`
	Confirm          int                    `default:"3" doc:"how often a finding is tried again in fresh processes"`
	ReduceFor        time.Duration          `default:"\"60s\"" doc:"time limit for reducing one finding"`
	Name             string                 `default:"None" doc:"a short name for folders; None is the file's name"`
	FullTimeout      *bool                  `default:"None" doc:"True gives every run its whole time limit; False gives most runs ten times the usual time of their target (C libraries four times the CPU time), if that is less; every 64th case gets more, up to a tenth of the total time. None is True if the file has its own oracles, else False"`
	Suppress         []starlark.Value       `type:"list[pattern | callable(case, verdict) -> bool] | None" default:"None" doc:"known verdicts to ignore: patterns (oracle.pattern) and functions of (case, verdict) that return True for them. They are counted and shown, but are not findings"`
	ReduceReferences starlark.Value         `type:"list[solver] | bool" default:"True" doc:"solvers that confirm, while a wrong sat is reduced, that the smaller case is still unsat, if no target does. They are asked in this order; True is the solvers of this machine, False none"`
	References       []*solving.SolverValue `default:"[]" doc:"reference solvers. If a target decides a case without a known answer, they are asked one after the other until one decides. They are also asked about one in fifty of the other cases. A solver that is also a target is not asked twice"`
	TakeTurns        bool                   `default:"False" doc:"True makes each case for one target, in turn, with features that this target supports: the solvers have equal shares, the configurations of a solver (such as cvc5's safe mode) have equal shares of these, then the modes. One case in fifty runs in all modes and configurations of a solver, to compare them. If the answer is not known, other solvers are references. False runs every case on every target"`
}

func describe(c *registry.Call, a *campaignArgs) (starlark.Value, error) {
	spec, err := SpecKey.Get(c.Thread)
	if err != nil {
		return nil, err
	}
	if spec.Called != "" {
		return nil, fmt.Errorf("a file is one campaign: it was called at %s already (to alternate techniques, use mix)", spec.Called)
	}
	// For the message about a second call, which may come from a function that was loaded.
	spec.Called = "the same place"
	if c.Thread.CallStackDepth() > 1 {
		spec.Called = c.Thread.CallFrame(1).Pos.String()
	}
	if err := checkTargets(c, a); err != nil {
		return nil, err
	}
	if a.Stop != nil {
		spec.bounds.Stop = a.Stop.S
		if err := checkTechniques(c, a); err != nil {
			return nil, err
		}
	}
	if spec.bounds.Limits, err = limits(c, &a.Limits); err != nil {
		return nil, err
	}
	if spec.bounds.Confirm = a.Confirm; a.Confirm < 1 {
		return nil, c.Errorf(&a.Confirm, "%d is below 1: a finding that was not seen again is none", a.Confirm)
	}
	if spec.bounds.ReduceFor = a.ReduceFor; a.ReduceFor <= 0 {
		return nil, c.Errorf(&a.ReduceFor, "it must be above 0; to leave findings as they are: reduce = False")
	}
	if strings.ContainsAny(a.Name, "/\\\x00") || a.Name == "." || a.Name == ".." {
		return nil, c.Errorf(&a.Name, "%q cannot be part of a folder's name", a.Name)
	}
	spec.bounds.FullTimeout = fullTimeout(a)
	a.References = otherBuilds(a.Targets, a.References)
	spec.campaignArgs = *a
	return starlark.None, nil
}

// otherBuilds returns the references that run another build than each target and each reference before. Running the
// same build in another way repeats its mistakes, so it would confirm nothing.
func otherBuilds(targets, references []*solving.SolverValue) (out []*solving.SolverValue) {
	for _, r := range references {
		same := func(t *solving.SolverValue) bool { return t.Name() == r.Name() || t.Product() == r.Product() }
		if !slices.ContainsFunc(targets, same) && !slices.ContainsFunc(out, same) {
			out = append(out, r)
		}
	}
	return out
}

// reduceReferences returns the solvers that the file names for reductions.
func (a *campaignArgs) reduceReferences() (named []*solving.SolverValue) {
	if list, ok := a.ReduceReferences.(starlark.Iterable); ok {
		for _, x := range registry.Elements(list) {
			named = append(named, x.(*solving.SolverValue))
		}
	}
	return named
}

// fullTimeout decides whether every run gets its full time: an oracle written in the file may look for slow runs.
func fullTimeout(a *campaignArgs) bool {
	if a.FullTimeout != nil {
		return *a.FullTimeout
	}
	return slices.ContainsFunc(a.oracles(), func(o *solving.Oracle) bool { return o.Fn != nil })
}

func checkTargets(c *registry.Call, a *campaignArgs) error {
	names := map[string]bool{}
	for k, s := range a.Targets {
		if names[s.Name()] {
			return c.Errorf(&a.Targets, "element %d: there are two targets %q; give one of them a name: solver(..., name = \"...\")", k, s.Name())
		}
		names[s.Name()] = true
	}
	if len(a.Targets) == 0 && !registry.ReplayKey.Has(c.Thread) {
		return &campaign.LoadError{Fault: campaign.FaultSolver, Err: fmt.Errorf("for parameter targets: there are none; `smtlark solvers` tells what was found on this machine and why it cannot be used, `smtlark solvers --fetch .solvers` unpacks some")}
	}
	return nil
}

// oracles returns the oracles of the file; if it names none, the default oracles.
func (a *campaignArgs) oracles() (out []*solving.Oracle) {
	if a.Oracles == nil {
		for _, o := range []oracle.Oracle{oracle.Crash(), oracle.KnownAnswer(), oracle.KnownValue(), oracle.Disagreement()} {
			out = append(out, &solving.Oracle{Name: o.Name(), Engine: o})
		}
		return append(out, solving.ClaimsOracle(nil))
	}
	for _, v := range a.Oracles {
		o, ok := v.(*solving.Oracle)
		if !ok {
			f := v.(starlark.Callable)
			o = &solving.Oracle{Name: f.Name(), Fn: f}
		}
		out = append(out, o)
	}
	return out
}

// limitNames are named as the arguments of solver are.
var limitNames = []string{"timeout", "cpu", "memory", "output"}

// limits reads the limits of a run from the field of an argument.
func limits(c *registry.Call, field **starlark.Dict) (solvers.Limits, error) {
	var lim solvers.Limits
	if *field == nil {
		return lim, nil
	}
	for _, kv := range (*field).Items() {
		name := string(kv[0].(starlark.String))
		var err error
		switch name {
		case "timeout":
			lim.Wall, err = registry.PositiveDuration(kv[1])
		case "cpu":
			lim.CPU, err = registry.PositiveDuration(kv[1])
		case "memory":
			lim.Memory, err = registry.ToBytes(kv[1])
		case "output":
			lim.Output, err = registry.ToBytes(kv[1])
		default:
			hint := fmt.Sprintf("there are %s", strings.Join(limitNames, ", "))
			if near := spelling.Nearest(name, limitNames); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			return lim, c.Errorf(field, "no limit is named %q (%s)", name, hint)
		}
		if err != nil {
			return lim, c.Errorf(field, "%s: %v", name, err)
		}
	}
	return lim, nil
}

func reproduceBuiltin() registry.Builtin {
	return registry.Builtin{
		Name:    "reproduce",
		Doc:     "Describes a finding, so that `smtlark repro FILE` can replay it: the answer of a target to a case, and the right answer.",
		Example: "reproduce(case = smt.case(\"(declare-const x Int)(assert (> x 1))(check-sat)\"), target = solver(\"z3\"), got = \"unsat\", truth = \"sat\")",
		Needs:   "z3", Do: registry.Into(reproduce),
	}
}

// oracleMaker makes an oracle that may ask the target further questions. They are asked in the same way as the target,
// which is made later.
type oracleMaker func(oracle.AskFunc) oracle.Oracle

// decidedBy maps a kind of finding to the oracle that decides whether it shows, for kinds that answers and the ends of
// runs do not decide.
var decidedBy = map[string]oracleMaker{
	oracle.KindInvalidModel: func(oracle.AskFunc) oracle.Oracle { return oracle.Model() },
	oracle.KindInvalidValue: func(ask oracle.AskFunc) oracle.Oracle {
		return oracle.Either(oracle.KnownValue(), oracle.Values(ask, 1))
	},
	oracle.KindInvalidCore:  func(ask oracle.AskFunc) oracle.Oracle { return oracle.Cores(ask, 1) },
	oracle.KindInvalidReply: func(ask oracle.AskFunc) oracle.Oracle { return &claim.Statements{Ask: ask} },
	oracle.KindRunaway:      oracle.RunawayAgain,
	oracle.KindExpectation:  func(oracle.AskFunc) oracle.Oracle { return oracle.Expectations() },
}

// relating makes the oracle that decides whether a case and its seed contradict each other.
func relating(r oracle.Relation) oracleMaker {
	return func(ask oracle.AskFunc) oracle.Oracle { return oracle.Metamorphic(r, oracle.NewSeedRuns(ask)) }
}

// reproduceArgs are the arguments of reproduce.
type reproduceArgs struct {
	_        registry.KeywordOnly
	Case     value.Case             `doc:"smt.read(\"min.smt2\")"`
	Target   *solving.SolverValue   `default:"None" doc:"the wrong solver; not with a campaign file"`
	Got      string                 `default:"None" doc:"what the wrong solver did: an answer (\"sat\", \"unsat\"), how it ended (\"crash\", \"assertion\", ... or \"fault\" for either of these), or \"invalid-model\", \"invalid-value\", \"invalid-core\", \"invalid-reply\", \"runaway\", \"expectation\" (of a further solver of a trace) or \"metamorphic\" (with seed and relation)"`
	Truth    string                 `type:"\"sat\" | \"unsat\" | None" default:"None" doc:"the right answer, if it is known"`
	Witness  value.Model            `default:"None" doc:"a model that shows that sat is right: smt.read_model(\"model.smt2\")"`
	Message  string                 `default:"\"\"" doc:"part of the message of a crash, of an expectation, or about a wrong core"`
	Against  *solving.SolverValue   `default:"None" doc:"another target, which gives the other answer"`
	Check    int                    `default:"0" doc:"number of the check-sat, from 0"`
	Seed     value.Case             `default:"None" doc:"the seed of the case, if the verdict is about both: smt.read(\"seed.smt2\")"`
	Relation string                 `default:"\"equisatisfiable\"" doc:"with got = \"metamorphic\": the relation between seed and case, as in oracle.metamorphic"`
	Before   []value.Case           `default:"None" doc:"cases that run first in the same process, in the modes that keep a process"`
	Repeat   int                    `default:"0" doc:"how often the case itself runs in the same process, after those cases and before the run that counts"`
	Campaign string                 `default:"None" doc:"the campaign file whose oracle or action shows the finding, such as \"campaign/slow.star\": the file is run only to define its functions. No campaign starts, and seeds and solvers that it names may be missing"`
	Verdict  *starlark.Dict         `type:"dict[str, str | list] | None" default:"None" doc:"with campaign: the verdict that the oracle must return again: its name (\"oracle\"), \"kind\", \"group\", the names of the \"targets\" that it blames; for oracles of the library also \"class\", \"message\", \"got\", \"want\", \"against\""`
	Expect   []string               `default:"None" doc:"with campaign: the known answers, one for each check-sat: sat, unsat or none"`
	Targets  []*solving.SolverValue `default:"None" doc:"with campaign: all targets whose runs the oracle gets, with their original order and names"`
	Settings *starlark.Dict         `type:"dict[str, str]" default:"{}" doc:"with campaign: the values given by --set"`
	Limits   *starlark.Dict         `type:"dict[str, str | int | float] | None" default:"None" doc:"limits of one run, as in campaign(...)"`
}

func reproduce(c *registry.Call, a *reproduceArgs) (starlark.Value, error) {
	spec, err := SpecKey.Get(c.Thread)
	if err != nil {
		return nil, err
	}
	k := a.Case
	tc, err := k.TestCase()
	if err != nil {
		return nil, err
	}
	own := *tc
	out := &reproduction{decider: decidedBy[a.Got]}
	r := &out.Reproduction
	*r = campaign.Reproduction{Case: &own, Check: a.Check, Message: a.Message}
	if r.Want, _ = smtlib.ParseAnswer(a.Truth); r.Want != smtlib.None {
		// On a copy: the case belongs to the script, which may use it for other calls.
		own.Expect = make([]smtlib.Answer, max(tc.Script.CheckSats(), r.Check+1))
		own.Expect[r.Check] = r.Want
	}
	if n := tc.Script.CheckSats(); r.Check < 0 || r.Check >= max(n, 1) {
		return nil, c.Errorf(&a.Check, "the case has %d check-sats, counted from 0", n)
	}
	if a.Got == oracle.KindMetamorphic {
		if a.Seed.AnalyzedCase == nil {
			return nil, c.Errorf(&a.Seed, "say what the case was made of: seed = smt.read(\"seed.smt2\")")
		}
		if !slices.Contains(oracle.Relations(), oracle.Relation(a.Relation)) {
			return nil, c.Errorf(&a.Relation, "%q is none of %s", a.Relation, oracle.RelationNames())
		}
		out.decider = relating(oracle.Relation(a.Relation))
	}
	if a.Seed.AnalyzedCase != nil {
		seed, err := a.Seed.TestCase()
		if err != nil {
			return nil, c.Errorf(&a.Seed, "%v", err)
		}
		own.Origin.SeedScript, own.Origin.Compared = testcase.ReadSeedScript("seed", string(seed.Text())), true
	}
	if got := a.Got; got != "" && out.decider == nil {
		var isAnswer, isClass bool
		if got == "fault" {
			r.Class, r.AnyFault = solvers.Crash, true
		} else if r.Got, isAnswer = smtlib.ParseAnswer(got); !isAnswer {
			if r.Class, isClass = solvers.ParseClass(got); !isClass {
				return nil, c.Errorf(&a.Got, "%q is neither an answer (sat, unsat, unknown) nor a way to end (crash, assertion, ...) nor invalid-model, invalid-value, invalid-core, invalid-reply, runaway, expectation or metamorphic", got)
			}
		}
	}
	if r.Limits, err = limits(c, &a.Limits); err != nil {
		return nil, err
	}
	if a.Expect != nil {
		if own.Expect, err = testcase.ParseAnswers(a.Expect); err != nil {
			return nil, c.Errorf(&a.Expect, "%v", err)
		}
	}
	if a.Witness.StoredModel != nil {
		if own.Witness, err = a.Witness.In(k.AnalyzedCase); err != nil {
			return nil, c.Errorf(&a.Witness, "%v", err)
		}
	}
	for _, v := range a.Before {
		b, err := v.TestCase()
		if err != nil {
			return nil, c.Errorf(&a.Before, "%v", err)
		}
		r.Before = append(r.Before, string(b.Text()))
	}
	if r.Repeat = a.Repeat; r.Repeat < 0 {
		return nil, c.Errorf(&a.Repeat, "%d is below 0", r.Repeat)
	}
	if err := out.setTargets(c, a); err != nil {
		return nil, err
	}
	spec.reproductions = append(spec.reproductions, out)
	return starlark.None, nil
}

// setTargets records which solvers a call of reproduce(...) asks and which ones judge the answers.
func (r *reproduction) setTargets(c *registry.Call, a *reproduceArgs) error {
	replay, err := ReplayKey.Get(c.Thread)
	if err != nil {
		replay = &Replay{}
	}
	if a.Campaign != "" {
		return r.setCampaign(c, a, replay)
	}
	if r.target, r.against = a.Target, a.Against; r.target == nil {
		return c.Errorf(&a.Target, "say who is wrong: target = solver(...)")
	}
	list := []**solving.SolverValue{&r.target}
	if r.against != nil {
		list = append(list, &r.against)
	}
	return replay.replace(registry.Context(c.Thread), list...)
}
