package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// metaFakes makes solvers of the fake one.
const metaFakes = `
def fake(name, *args):
    p = solver.profile(name = "fake-" + name, binaries = ["fakesolver"], version_args = ["--version"], version = "version (\\S+)", args = list(args),
        modes = ["fresh", "reset"], session_args = [], time_limit = "", has_reset = True, continues_after_error = True, assertion = ["Assertion .* failed"])
    return solver(p, name = name, timeout = "1s")
`

// crossCampaign asks a crosscheck, of which one crashes, one hangs, one lies and one says unknown,
// and three that are right. Its settings choose the members.
const crossCampaign = `
KINDS = {
    "right": lambda: fake("right"), "right2": lambda: fake("right2"), "right3": lambda: fake("right3"),
    "crash": lambda: fake("crash", "--fault=segv"), "hang": lambda: fake("hang", "--fault=hang"),
    "liar": lambda: fake("liar", "--fault=wrong"), "shy": lambda: fake("shy", "--fault=unknown"),
}

def technique(seeds, rng):
    return smt.case("(set-logic QF_LIA)(set-info :status %s)(declare-const x Int)(assert (> x %d))(check-sat)" % (rng.pick(["sat", "unsat"]), rng.int(1, 999)))

x = solver.cross([KINDS[k]() for k in setting("members", "right").split("+")])
y = solver.tee(solver.writer(x, "asked/all.smt2"), "asked/{hash}.trace") if setting("write", False) else x
campaign(technique = technique, targets = y, oracles = [oracle.crash()], reduce = False)
`

// TestMetaSolvers runs campaigns of solvers made of fake ones.
func TestMetaSolvers(t *testing.T) {
	t.Parallel()
	bin := programs
	for name, test := range map[string]func(t *testing.T, bin string){"cross": crossTest, "checked": checkedTest, "live": liveTest} {
		if testing.Short() && name != "cross" {
			continue // one of all
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait for solvers that hang
			test(t, bin)
		})
	}
}

// metaRunner returns a function that runs the campaign of a text in a folder of its own, with settings, and returns the
// report and the folder. The programs, the fake solver among them, are in bin.
func metaRunner(t *testing.T, bin, campaign string) func(out string, settings ...string) (report, folder string) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "meta.star"), []byte(campaign), 0o644))
	return func(out string, settings ...string) (report, folder string) {
		args := []string{"run", "meta.star", "--seed", "7", "-j", "1", "--cases", "2", "--out", out}
		for _, s := range settings {
			args = append(args, "--set", s)
		}
		cmd := exec.Command(filepath.Join(bin, "smtlark"), args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "XDG_CACHE_HOME="+dir)
		text, err := cmd.CombinedOutput()
		if err != nil {
			require.Contains(t, []int{10, 69}, cmd.ProcessState.ExitCode(), "%s\n%s", err, text)
		}
		return string(text), filepath.Join(dir, out)
	}
}

// crossTest runs campaigns of solver.cross over solvers with faults: each member's fault is found, in its name,
// whatever the others do; one that hangs or says unknown is no finding.
func crossTest(t *testing.T, bin string) {
	runner := metaRunner(t, bin, metaFakes+crossCampaign)
	run := func(members string, more ...string) (report, asked string) {
		report, folder := runner(members, append(more, "members="+members)...)
		return report, filepath.Join(folder, "asked")
	}
	out, _ := run("crash+right+liar+hang+shy+right2")
	require.Contains(t, out, "2 new", out)
	require.Contains(t, out, "crashes: crash: SIGSEGV", out)
	require.Contains(t, out, "liar: disagreement: it says", out)

	out, _ = run("right+right2+right3+shy")
	require.Contains(t, out, "findings: 0 new", out)
	out, _ = run("right+liar")
	require.Contains(t, out, "disagreement:", out)
	require.Contains(t, out, "liar", out)

	out, asked := run("right", "write=True")
	require.Contains(t, out, "findings: 0 new", out)
	all, err := os.ReadFile(filepath.Join(asked, "all.smt2"))
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(all), "(check-sat)\n(reset)\n"), string(all))
	traces, err := filepath.Glob(filepath.Join(asked, "*.trace"))
	require.NoError(t, err)
	require.Len(t, traces, 2)
	text, err := os.ReadFile(traces[0])
	require.NoError(t, err)
	require.Contains(t, string(text), "check-sat")
}

// checkedCampaign asks a solver that is checked by a second one. Its settings are their arguments, separated by bars.
const checkedCampaign = `
def technique(seeds, rng):
    return smt.case("(set-logic QF_LIA)(declare-const x Int)(declare-const p Bool)(assert (> x 3))(assert (=> p (< x %d)))(check-sat-assuming (p))" % rng.int(1, 3))

first, second = [setting(s, "").split("|") for s in ("first", "second")]
x = solver.checked(fake("first", *[a for a in first if a]), by = fake("second", *[a for a in second if a]))
campaign(technique = technique, targets = x, oracles = [oracle.crash()], reduce = False)
`

// checkedTest: solver.checked finds wrong models by evaluating them, values that contradict the model, and cores and
// assumptions that a second solver calls sat; where that one says unknown, or dies, nothing is wrong.
func checkedTest(t *testing.T, bin string) {
	run := metaRunner(t, bin, metaFakes+checkedCampaign)
	const good, bad = "--reply=get-model:((define-fun x () Int 7) (define-fun p () Bool false))", "--reply=get-model:((define-fun x () Int 3) (define-fun p () Bool true))"
	for name, c := range map[string]struct{ first, second, want string }{
		"wrong model":          {bad, "", "first: invalid-model"},
		"unknown, wrong model": {"--answer=unknown|" + bad, "", ""},
		"wrong value":          {"--reply=get-value:((x 8))|--reply=get-model:((define-fun x () Int 7) (define-fun p () Bool true))", "", "first: invalid-"},
		"no values":            {"--reply=get-value:(error \"none\")|" + good, "", "first: invalid-model"}, // p is assumed
		"right core":           {"--answer=unsat|--reply=get-unsat-core:(core!0 core!1 core!2)", "--answer=unsat", ""},
		"wrong core":           {"--answer=unsat|--reply=get-unsat-core:(core!0)", "--answer=sat", "its unsat core is sat"},
		"core, unknown":        {"--answer=unsat|--reply=get-unsat-core:(core!0)", "--answer=unknown", ""},
		"core, crash":          {"--answer=unsat|--reply=get-unsat-core:(core!0)", "--fault=segv", ""},
		"core, no reply":       {"--answer=unsat|--reply=get-unsat-core:(error \"none\")", "--answer=sat", ""},
		"wrong assumptions":    {"--answer=unsat|--reply=get-unsat-assumptions:()", "--answer=sat", "its unsat assumptions are sat"},
		"foreign assumption":   {"--answer=unsat|--reply=get-unsat-assumptions:((not p))", "--answer=sat", "an unsat assumption that was not assumed"},
		"assumptions, unknown": {"--answer=unsat|--reply=get-unsat-assumptions:()", "--answer=unknown", ""},
		"answer unknown":       {"--answer=unknown|--reply=get-unsat-core:(core!0)", "--answer=sat", ""},
	} {
		out, _ := run(strings.ReplaceAll(name, " ", "-"), "first="+c.first, "second="+c.second)
		if c.want == "" {
			require.Contains(t, out, "findings: 0 new", "%s: %s", name, out)
		} else {
			require.Contains(t, out, c.want, "%s: %s", name, out)
		}
	}
}

// liveCampaign has an action that calls a live solver. Its settings choose the solver and the behavior of the action.
const liveCampaign = `
load("@std//smtlib_api.star", "smtlib_api")

KINDS = {
    "right": lambda: fake("right"), "right2": lambda: fake("right2"), "crash": lambda: fake("crash", "--fault=segv@1"),
    "hang": lambda: fake("hang", "--fault=hang@1"), "liar": lambda: fake("liar", "--answer=unsat"),
    "none": lambda: solver(solver.profile(name = "none", binaries = ["fakesolver"], version_args = ["--version"], version = "version (\\S+)", modes = ["fresh"], args = ["--fault=die-at-start"]), name = "none"),
}

def run(s, args):
    s.push(1)
    s.assert_(args[0])
    a = s.check_sat()
    s.pop(1)
    expect(a != "unsat", "it said " + a)

m = smtlib_api(theories = ["Core"], max_calls = 60)
m.action("ask", generate = lambda walk, rng: [walk.formula()], run = run)
for name in m.states:
    if name in ("new", "set_logic", "create_inputs", "check_sat", "delete", "final"):
        m.state(name).clear()
    else:
        m.remove(state = name)
m.state("new").add("new", next = "set_logic")
m.state("set_logic").add("set-logic", next = "create_inputs")
m.state("create_inputs").add("mk-const").add(None, next = "check_sat", when = lambda w: w.inputs > 0)
m.state("check_sat").add("ask", next = "delete")
m.state("delete").add("delete", next = "final")

def target():
    x = solver.cross([KINDS[k]() for k in setting("members", "right").split("+")])
    if setting("over", "") == "checked":
        return solver.checked(x, by = fake("second"))
    return solver.tee(solver.writer(x, "asked/{hash}.smt2"), "asked/{hash}.trace") if setting("over", "") == "tee" else x

campaign(technique = api.fuzz(m), targets = target(), oracles = [oracle.crash()], reduce = False)
`

// liveTest: a live solver may be a meta solver. Each member's fault shows, whatever the others do: the time that one
// hangs is not the others' time.
func liveTest(t *testing.T, bin string) {
	run := metaRunner(t, bin, metaFakes+liveCampaign)
	for _, c := range []struct {
		settings string
		want     []string
	}{
		{"members=right+right2", []string{"findings: 0 new", "actions 5/5"}},
		{"members=right over=checked", []string{"findings: 0 new", "actions 5/5"}},
		{"members=right over=tee", []string{"findings: 0 new", "actions 5/5"}},
		{"members=hang+crash+liar", []string{"2 new", "crash: crash: check-sat: crash: SIGSEGV", "ask: it said unsat"}},
		{"members=none over=tee", []string{"no target ever worked"}},
	} {
		out, folder := run(strings.ReplaceAll(c.settings, " ", "-"), strings.Split(c.settings, " ")...)
		for _, want := range c.want {
			require.Contains(t, out, want, "%s: %s", c.settings, out)
		}
		if c.settings == "members=right over=tee" {
			for glob, want := range map[string]string{"live-*.trace": "assert-formula", "live-*.smt2": "(check-sat)"} {
				files, err := filepath.Glob(filepath.Join(folder, "asked", glob))
				require.NoError(t, err)
				require.NotEmpty(t, files, out)
				text, err := os.ReadFile(files[0])
				require.NoError(t, err)
				require.Contains(t, string(text), want)
			}
		}
	}
}
