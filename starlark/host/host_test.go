package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/starlark/host"
)

// project makes a folder with files and a fake solver that answers sat, or unsat where "7" occurs in the case.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, ".cache"))
	files[".smtlark"] = ""
	files["fake"] = `#!/bin/sh
case "$1" in --version) echo "fake version 1.0"; exit;; esac
for f; do :; done
if grep -q 7 "$f"; then echo unsat; else echo sat; fi
`
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	}
	return dir
}

// head makes the fake solver known to a campaign file.
func head(dir string) string {
	return fmt.Sprintf(`fake = solver.profile(name = "fake", base = "generic", binaries = [%q], modes = ["fresh"], version = "version (.*)")
def one(seeds, rng):
    return smt.case("(declare-const x Int)(assert (> x %%d))(check-sat)" %% rng.int(0, 9))
`, filepath.Join(dir, "fake"))
}

// load runs a campaign file that begins with head.
func load(t *testing.T, text string, o finding.Inputs) (*campaign.Plan, string, error) {
	t.Helper()
	dir := project(t, map[string]string{})
	file := filepath.Join(dir, "test.star")
	require.NoError(t, os.WriteFile(file, []byte(head(dir)+text), 0o644))
	var printed strings.Builder
	p, err := host.Load(context.Background(), file, o, func(s string) { printed.WriteString(s + "\n") })
	if p != nil {
		t.Cleanup(func() {
			for _, target := range p.Targets {
				_ = target.Close()
			}
			require.NoError(t, p.Close())
		})
	}
	return p, printed.String(), err
}

func mustLoad(t *testing.T, text string) *campaign.Plan {
	t.Helper()
	p, _, err := load(t, text, finding.Inputs{Seed: 7})
	require.NoError(t, err)
	require.NoError(t, p.Validate())
	return p
}

func TestPlan(t *testing.T) {
	p, printed, err := load(t, `
print("hello", setting("depth", 3))
campaign(
    technique = one, targets = [solver(fake), solver(fake, name = "other", args = ["-v"])],
    seeds = corpus.texts({"good": "(check-sat)", "bad": "(check-sat"}),
    stop = stop.any(stop.after("2h"), stop.findings(5), stop.after("1h")),
    limits = {"timeout": "5s", "memory": "1GB"}, reduce_for = 10, name = "mine", confirm = 2,
)`, finding.Inputs{Set: map[string]string{"depth": "9"}, Limits: solvers.Limits{Wall: 1}})
	require.NoError(t, err)
	require.Equal(t, "hello 9\n", printed)
	require.Equal(t, "mine", p.Name)
	require.Equal(t, "one", p.Technique.Name())
	require.Equal(t, finding.Stop{After: 3600e9, Findings: 5}, p.Stop)
	require.Equal(t, solvers.Limits{Wall: 1, Memory: 1 << 30}, p.Limits, "flags come before the file")
	require.Equal(t, 2, p.Confirm)
	require.EqualValues(t, 10e9, p.ReduceFor)
	require.Equal(t, []string{"crash", "known-answer", "known-value", "disagreement", "claims"}, names(p.Oracles))
	require.Equal(t, 1, p.Seeds)
	require.Len(t, p.BrokenSeeds, 1)
	require.Regexp(t, `^bad:1:\d+: `, p.BrokenSeeds[0].Error)
	require.Len(t, p.Targets, 2)
	require.Equal(t, "other", p.Targets[1].Name())
	require.NotNil(t, p.Reducer)
	fresh, err := p.InMode(p.Targets[1], solvers.Fresh)
	require.NoError(t, err)
	require.Equal(t, "other", fresh.Name())
	_, err = p.InMode(p.Targets[1], solvers.Reset)
	require.ErrorContains(t, err, "has no mode reset")
	require.Regexp(t, `^solver\(solver\.profile\(base = "generic", binaries = \[".*fake"\], .*\), version = "1.0", mode = "fresh", args = \["-v"\]\)$`, p.Expr(p.Targets[1]))
}

func names(os []oracle.Oracle) (out []string) {
	for _, o := range os {
		out = append(out, o.Name())
	}
	return out
}

// Every mistake in a campaign file is said where it is, with what to do.
func TestErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		text  string
		fault campaign.Blame
		want  []string
	}{
		"keyword":         {`campaign(technique = one, target = [solver(fake)])`, campaign.FaultScript, []string{"test.star:4:9: in <toplevel>", "did you mean 'targets'?"}},
		"missing":         {`campaign(technique = one)`, campaign.FaultScript, []string{"missing argument for targets"}},
		"no targets":      {`campaign(technique = one, targets = [])`, campaign.FaultSolver, []string{"for parameter targets: there are none", "smtlark solvers"}},
		"no solver":       {`campaign(technique = one, targets = [solver("z4")])`, campaign.FaultSolver, []string{`no solver is named "z4"`, `did you mean "z3"?`}},
		"not found":       {`solver(solver.profile(name = "q", binaries = ["no-such-program"]))`, campaign.FaultSolver, []string{"no usable q on this machine: looked for no-such-program", "install it"}},
		"path":            {`solver("z3", path = "/nowhere/z3")`, campaign.FaultSolver, []string{"there is no program /nowhere/z3"}},
		"mode":            {`solver(fake, mode = "reset")`, campaign.FaultScript, []string{`fake-1.0 has no mode "reset", it has [fresh]`}},
		"mode's name":     {`solver(fake, mode = "rest")`, campaign.FaultScript, []string{`did you mean "reset"?`}},
		"version":         {`solver(fake, version = "2")`, campaign.FaultSolver, []string{"no usable fake 2", "found fake-1.0"}},
		"factory":         {"def make(depth = 3):\n    return one\n\ncampaign(technique = make, targets = [solver(fake)])", campaign.FaultScript, []string{"is make() meant?"}},
		"parameters":      {"campaign(technique = lambda a, b, c: 1, targets = [solver(fake)])", campaign.FaultScript, []string{"lambda takes (a, b, c), want a function of (seeds, rng)"}},
		"technique":       {`campaign(technique = 3, targets = [solver(fake)])`, campaign.FaultScript, []string{"for parameter technique: got int 3, want a function of (seeds, rng)"}},
		"oracles":         {`campaign(technique = one, targets = [solver(fake)], oracles = [3])`, campaign.FaultScript, []string{"for parameter oracles: element 0: got int 3, want oracle or a function of (case, runs)"}},
		"twice":           {"campaign(technique = one, targets = [solver(fake)])\ncampaign(technique = one, targets = [solver(fake)])", campaign.FaultScript, []string{"a file is one campaign: it was called at", "test.star:4:9"}},
		"same targets":    {`campaign(technique = one, targets = [solver(fake), solver(fake)])`, campaign.FaultScript, []string{"element 1: there are two targets", `name = "..."`}},
		"stop":            {`campaign(technique = one, targets = [solver(fake)], stop = "8h")`, campaign.FaultScript, []string{`for parameter stop: got string "8h", want stop_condition`}},
		"stop 0":          {`stop.cases(0)`, campaign.FaultScript, []string{"stop.cases: for parameter n: 0 is below 1"}},
		"limit's name":    {`campaign(technique = one, targets = [solver(fake)], limits = {"memroy": 1})`, campaign.FaultScript, []string{`no limit is named "memroy" (did you mean "memory"?)`}},
		"limit":           {`campaign(technique = one, targets = [solver(fake)], limits = {"memory": "1XB"})`, campaign.FaultScript, []string{`memory: "1XB" is no size`}},
		"name":            {`campaign(technique = one, targets = [solver(fake)], name = "a/b")`, campaign.FaultScript, []string{`"a/b" cannot be part of a folder's name`}},
		"confirm":         {`campaign(technique = one, targets = [solver(fake)], confirm = 0)`, campaign.FaultScript, []string{"for parameter confirm: 0 is below 1"}},
		"mix":             {`mix({one: -1})`, campaign.FaultScript, []string{"the weight of <function one> is -1"}},
		"setting":         {`campaign(technique = one, targets = [solver(fake)])`, campaign.FaultUsage, []string{"--set detph=...: no setting has that name"}},
		"setting's value": {`setting("detph", 3)`, campaign.FaultScript, []string{"--set detph=x: want a whole number"}},
		"got":             {`reproduce(case = smt.case("(check-sat)"), target = solver(fake), got = "wrong")`, campaign.FaultScript, []string{`"wrong" is neither an answer`}},
		"check":           {`reproduce(case = smt.case("(check-sat)"), target = solver(fake), check = 1)`, campaign.FaultScript, []string{"for parameter check: the case has 1 check-sats"}},
		"options":         {`solver(fake, options = {"a b": 1})`, campaign.FaultScript, []string{`for parameter options: "a b" is no option's name`}},
	} {
		o := finding.Inputs{}
		if strings.HasPrefix(name, "setting") {
			o.Set = map[string]string{"detph": "3"}
			if name != "setting" {
				o.Set["detph"] = "x"
			}
		}
		p, _, err := load(t, tc.text, o)
		var fault *campaign.LoadError
		if name == "setting" && err == nil {
			t.Fatal(name, p)
		}
		require.ErrorAs(t, err, &fault, "%s: %v", name, err)
		require.Equal(t, tc.fault, fault.Fault, "%s: %v", name, err)
		for _, w := range tc.want {
			require.ErrorContains(t, err, w, name)
		}
	}
}

// A module that is loaded cannot start a campaign.
func TestCampaignInModule(t *testing.T) {
	dir := project(t, map[string]string{"lib.star": "def go(t, s):\n    campaign(technique = t, targets = [s])\n\ncampaign(technique = go, targets = [])\n"})
	file := filepath.Join(dir, "x.star")
	require.NoError(t, os.WriteFile(file, []byte(`load("lib.star", "go")`), 0o644))
	_, err := host.Load(context.Background(), file, finding.Inputs{}, nil)
	require.ErrorContains(t, err, "a campaign is not available here")
	require.ErrorContains(t, err, "not in a module that it loads")
}

func TestTechnique(t *testing.T) {
	p := mustLoad(t, `
def pick(seeds, rng):
    n = rng.int(0, 5)
    if n == 0: return skip("no luck")
    if n == 1: return None
    if n == 2: return one
    if n == 3: return undefined_method(rng)
    if n == 4: return smt.bool(True)
    return one(seeds, rng)

def undefined_method(rng):
    return rng.nothing

campaign(technique = pick, targets = [solver(fake)])`)
	seen := map[string]bool{}
	for n := range uint64(60) {
		c, err := p.Technique.Make(context.Background(), n, rng.New(7).Split(n))
		switch kind := rng.New(7).Split(n).Range(0, 5); kind {
		case 0:
			var skip *campaign.SkipError
			require.ErrorAs(t, err, &skip)
			require.Equal(t, "no luck", skip.Reason)
		case 1:
			require.ErrorContains(t, err, "pick returned None, want a case; to make no case, say why: return skip(")
		case 2:
			require.ErrorContains(t, err, "returned function, want a case; is pick() meant?")
		case 3:
			require.ErrorContains(t, err, "in undefined_method\n")
			require.ErrorContains(t, err, "rng has no field or method 'nothing'")
			require.Regexp(t, fmt.Sprintf(`\ncase %d, seed 0x7; replay: smtlark run \S+test.star --seed 0x7 --case %d$`, n, n), err.Error())
		case 4:
			require.ErrorContains(t, err, "terms become a case by case.with_asserts")
		case 5:
			require.NoError(t, err)
			again, err := p.Technique.Make(context.Background(), n, rng.New(7).Split(n))
			require.NoError(t, err)
			require.Equal(t, string(c.Text()), string(again.Text()))
			seen[string(c.Text())] = true
		}
	}
	require.Greater(t, len(seen), 2)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := p.Technique.Make(ctx, 5, rng.New(7))
	require.ErrorIs(t, err, context.Canceled)
}

func TestMix(t *testing.T) {
	p := mustLoad(t, `
def other(seeds, rng):
    return smt.case("(check-sat) ; %d" % rng.int(0, 1000))

def never(seeds, rng):
    return 1

campaign(technique = mix({one: 3, other: 1.0, never: 0}), targets = [solver(fake)])`)
	require.Equal(t, "mix(one, other)", p.Technique.Name())
	count := map[string]int{}
	for n := range uint64(400) {
		c, err := p.Technique.Make(context.Background(), n, rng.New(1).Split(n))
		require.NoError(t, err)
		count[c.Origin.Technique]++
	}
	require.Len(t, count, 2)
	require.InDelta(t, 300, count["one"], 40)
}

func judge(t *testing.T, p *campaign.Plan, c *testcase.Case) ([]oracle.Verdict, error) {
	t.Helper()
	run := p.Targets[0].Run(context.Background(), c.Query(), solvers.Limits{})
	vs := oracle.Judge(p.Oracles, c, []*solvers.Run{run})
	return vs, oracle.Errors(p.Oracles)
}

func TestOracle(t *testing.T) {
	p := mustLoad(t, `
def suspicious(case, runs):
    r = runs[0]
    if len(case.find(op = ">")) == 0:
        return [None, oracle.bug("shape", "no comparison", target = r, group = "g", check = 0)]
    if r.answer == "unsat":
        return oracle.bug("", "says " + r.answer, target = [r, "x"])
    if "5" in case.text:
        return "five"
    if "6" in case.text:
        return skip("six")
    return None

campaign(technique = one, targets = [solver(fake, name = "fake")], oracles = [suspicious, oracle.custom(lambda case, runs: None, name = "quiet", models = True)])`)
	require.Equal(t, []string{"suspicious", "quiet"}, names(p.Oracles))
	require.True(t, oracle.NeedsModels(p.Oracles))
	require.False(t, oracle.NeedsModels(p.Oracles[:1]))
	wire := func(text string) *testcase.Case {
		c, err := (&testcase.Wire{Script: text, Origin: testcase.Origin{Number: 12}}).Case(nil)
		require.NoError(t, err)
		return c
	}
	vs, err := judge(t, p, wire("(check-sat)"))
	require.NoError(t, err)
	require.Equal(t, []oracle.Verdict{{Oracle: "suspicious", Kind: "shape", Summary: "no comparison", Target: "fake", Targets: []string{"fake"}, Group: "g"}}, vs)
	vs, err = judge(t, p, wire("(assert (> 7 1))(check-sat)"))
	require.NoError(t, err)
	require.Equal(t, []oracle.Verdict{{Oracle: "suspicious", Kind: oracle.KindCustom, Summary: "says unsat", Target: "fake", Targets: []string{"fake", "x"}, Check: -1}}, vs)
	vs, err = judge(t, p, wire("(assert (> 5 1))(check-sat)"))
	require.Empty(t, vs)
	require.ErrorContains(t, err, "suspicious returned string, want None, oracle.bug(...) or a list of them")
	vs, err = judge(t, p, wire("(assert (> 6 1))(check-sat)"))
	require.NoError(t, err, "an error does not stay")
	require.Empty(t, vs)
}

const toReduce = "(declare-const x Int)(declare-const long_name Int)(assert (< long_name 3))(assert (and (> (* x x) 49) (distinct x long_name)))(check-sat)"

func reduceWith(t *testing.T, p *campaign.Plan, expect []smtlib.Answer, fails func(*testcase.Case) bool) (*testcase.Case, error) {
	t.Helper()
	c, err := (&testcase.Wire{Script: toReduce}).Case(nil)
	require.NoError(t, err)
	c.Expect = expect
	return p.Reducer.Reduce(context.Background(), c, fails, nil)
}

func TestReducers(t *testing.T) {
	keeps := func(c *testcase.Case) bool { return strings.Contains(string(c.Text()), "(* ") }
	for name, tc := range map[string]struct{ reduce, want, err string }{
		"default":     {"None", "(assert (> (* 0 0) 0))\n", ""},
		"default()":   {"reduce.default()", "(assert (> (* 0 0) 0))\n", ""},
		"own":         {"lambda case, fails: reduce.names(reduce.ddmin(case, fails), fails)", "(declare-const x Int)\n(declare-const a Int)\n(assert (and (> (* x x) 49) (distinct x a)))\n(check-sat)\n", ""},
		"asks itself": {"lambda case, fails: case if fails(case) and not fails(smt.case(\"(check-sat)\")) else None", "", ""},
		"no case":     {"lambda case, fails: fails", "", "lambda returned function, want a case"},
		"error":       {"lambda case, fails: case.nothing", "", "case has no field or method 'nothing'"},
	} {
		p := mustLoad(t, fmt.Sprintf("campaign(technique = one, targets = [solver(fake)], reduce = %s)", tc.reduce))
		c, err := reduceWith(t, p, nil, keeps)
		if tc.err != "" {
			require.ErrorContains(t, err, tc.err, name)
			continue
		}
		require.NoError(t, err, name)
		require.True(t, keeps(c), name)
		if tc.want != "" {
			require.Equal(t, tc.want, string(c.Text()), name)
		}
	}
	require.Nil(t, mustLoad(t, "campaign(technique = one, targets = [solver(fake)], reduce = False)").Reducer)
}

// What is known about the answer is kept when it matters, and only then.
func TestReducerKeepsTruthWhereItMatters(t *testing.T) {
	p := mustLoad(t, "campaign(technique = one, targets = [solver(fake)])")
	sat := []smtlib.Answer{smtlib.Sat}
	keeps := func(c *testcase.Case) bool { return strings.Contains(string(c.Text()), "(* ") }
	crash, err := reduceWith(t, p, sat, keeps)
	require.NoError(t, err)
	require.Equal(t, "(assert (> (* 0 0) 0))\n", string(crash.Text()))
	wrong, err := reduceWith(t, p, sat, func(c *testcase.Case) bool { return keeps(c) && len(c.Expect) == 1 })
	require.NoError(t, err)
	require.Contains(t, string(wrong.Text()), "(assert (and (> (* x x) 49) (distinct x a)))", "no witness: nothing but dropping assertions is safe")
	require.NotContains(t, string(wrong.Text()), "3")
}

func TestReproduce(t *testing.T) {
	dir := project(t, map[string]string{
		"min.smt2":    "(declare-const x Int)(assert (> x 7))(check-sat)",
		"model.smt2":  "((define-fun x () Int 8))",
		"crash.smt2":  "(check-sat)",
		"broken.smt2": "(check-sat",
	})
	file := filepath.Join(dir, "repro.star")
	text := head(dir) + `
reproduce(case = smt.read("min.smt2"), target = solver(fake), got = "unsat", truth = "sat", witness = smt.read_model("model.smt2"))
reproduce(case = smt.read("crash.smt2"), target = solver(fake), got = "assertion", message = "bad", against = solver(fake, name = "b"))`
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	p, err := host.Load(context.Background(), file, finding.Inputs{}, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	require.NoError(t, p.Validate())
	require.Len(t, p.Reproductions, 2)
	r := p.Reproductions[0]
	require.Equal(t, smtlib.Unsat, r.Got)
	require.Equal(t, smtlib.Sat, r.Want)
	require.Equal(t, []smtlib.Answer{smtlib.Sat}, r.Case.Expect)
	require.NotNil(t, r.Case.Witness)
	run := r.Target.Run(context.Background(), r.Case.Query(), solvers.Limits{})
	require.Equal(t, []smtlib.Answer{smtlib.Unsat}, run.Answers)
	r = p.Reproductions[1]
	require.Equal(t, solvers.Assertion, r.Class)
	require.Equal(t, "bad", r.Message)
	require.Equal(t, "b", r.Against.Name())

	require.NoError(t, os.WriteFile(file, []byte(head(dir)+`reproduce(case = smt.read("broken.smt2"), target = solver(fake))`), 0o644))
	_, err = host.Load(context.Background(), file, finding.Inputs{}, nil)
	require.ErrorContains(t, err, "broken.smt2:1:")
}

// A campaign may be given as text.
func TestText(t *testing.T) {
	dir := project(t, map[string]string{})
	p, err := host.Load(context.Background(), "storm.star", finding.Inputs{Dir: dir, Text: head(dir) + "campaign(technique = lambda seeds, rng: rng.nothing, targets = solver(fake))"}, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	require.Equal(t, "storm", p.Name)
	require.Equal(t, "storm", p.Technique.Name(), "a function without a name bears that of its file")
	_, err = p.Technique.Make(context.Background(), 3, rng.New(1))
	require.ErrorContains(t, err, "\ncase 3, seed 0x0")
	require.NotContains(t, err.Error(), "replay", "there is no file to run again")
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := project(t, map[string]string{"x.star": "pass"})
	_, err := host.Load(ctx, filepath.Join(dir, "x.star"), finding.Inputs{}, nil)
	require.ErrorIs(t, err, context.Canceled)
	var fault *campaign.LoadError
	require.False(t, errors.As(err, &fault))
}

// need finds a real solver; in CI it must be there.
func need(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "%s must be installed in CI", name)
		t.Skipf("needs %s", name)
	}
}

// A technique, an oracle and a reducer in Starlark work together on real solvers: the "bug" is that z3 answers sat to a
// case with a product.
func TestRealSolvers(t *testing.T) {
	need(t, "z3")
	need(t, "cvc5")
	p := mustLoad(t, `
def grow(case, rng):
    x, y = case.constants[:2]
    return case.with_asserts(list(case.asserts) + [smt.distinct(x * y, rng.int(-5, 5))])

def products(case, runs):
    answers = [r.answer for r in runs]
    if answers == ["sat", "sat"] and case.find(op = "*"):
        model = runs[0].model
        expect(smt.satisfies(case, model) == True, "z3's model holds: %s" % model)
        return oracle.bug("product", "both say sat to a product", target = runs)
    return None

def smaller(case, fails):
    return reduce.names(reduce.terms(reduce.ddmin(case, fails), fails, passes = ["child", "constant", "variable"]), fails)

campaign(
    technique = mutate.rounds(grow, between = (3, 3)),
    seeds = corpus.texts(["(declare-const first Int)(declare-const second Int)(assert (> first second))(check-sat)"]),
    targets = [solver("z3", name = "z3", mode = "reset"), solver("cvc5", name = "cvc5", mode = "reset")],
    oracles = [oracle.custom(products, models = True), oracle.model()],
    reduce = smaller,
)`)
	ctx := context.Background()
	ask := func(c *testcase.Case) []oracle.Verdict {
		q := c.Query().WithModel()
		var runs []*solvers.Run
		for _, target := range p.Targets {
			runs = append(runs, target.Run(ctx, q, solvers.Limits{}))
		}
		vs := oracle.Judge(p.Oracles, c, runs)
		require.NoError(t, oracle.Errors(p.Oracles), "%+v", runs[0])
		return vs
	}
	c, err := p.Technique.Make(ctx, 1, rng.New(1))
	require.NoError(t, err)
	require.Equal(t, []string{"grow", "grow", "grow"}, c.Origin.Steps)
	vs := ask(c)
	require.Len(t, vs, 1, "%s", c.Text())
	require.Equal(t, []string{"z3", "cvc5"}, vs[0].Targets)
	small, err := p.Reducer.Reduce(ctx, c, func(c *testcase.Case) bool { return len(ask(c)) == 1 }, nil)
	require.NoError(t, err)
	require.Len(t, ask(small), 1)
	require.Less(t, len(small.Text()), 90, "%s", small.Text())
	require.NotContains(t, string(small.Text()), "first")
}
