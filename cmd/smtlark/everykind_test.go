package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/judge/oracle"
)

// kindsCampaign provokes every kind of finding that the fake solver can show, a kind a case.
const kindsCampaign = `
MODE = setting("mode", "fresh")
PROGRAM = setting("program", "fakesolver")

def fake(name, args):
    return solver.profile(
        name = name, binaries = [PROGRAM], version_args = ["--version"], version = "version (\\S+)", args = args, env = ["MOOD=it's bad"],
        modes = ["fresh", "reset", "incremental"], has_reset = True, continues_after_error = True, multiline_tokens = True,
        model_options = ["(set-option :produce-models true)"],
    )

bad = fake("bad", ["--plant=bvmul:wrong,bvor:assert/rewriter.cpp:210: void rewriter::mk_or(expr*),bvshl:trace/get_sort<mk_shl<check,bvneg:glibc/free():_invalid_pointer,bvnot:segv", "--reply=get-model:((define-fun x () Int 0))", "--reply=get-value:((x 7))"])
good = fake("good", ["--reply=get-model:((define-fun x () Int 4))", "--reply=get-value:((x 4))"])

def vectors(op):
    return "(set-logic QF_BV)(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 8))(assert (= (%s) b))(check-sat)" % op

def fault(name):
    return "(set-logic QF_LIA)(set-info :fault %s)(declare-const x Int)(assert (> x 1))(check-sat)" % name

CASES = [
    vectors("bvmul a b"), vectors("bvor a b"), vectors("bvshl a b"), vectors("bvneg a"), vectors("bvnot a"),
    fault("segv"), fault("abort"), fault("fatal"), fault("exit139"), fault("unknown"), fault("abort-after"), fault("reset-segv"),
    "(set-logic QF_LIA)(declare-const x Int)(assert (> x 3))(check-sat)",
    "(set-logic QF_LIA)(set-info :status sat)(set-info :fault wrong)(declare-const x Int)(assert (= x 4))(check-sat)",
    "(set-logic QF_LIA)(set-info :status unsat)(set-info :fault wrong)(declare-const x Int)(declare-const y Int)(assert (> (+ x y) (+ y 4)))(assert (< x 3))(check-sat)",
    "(set-logic QF_LIA)(declare-const x Int)(assert (> x 3))(check-sat)(push 1)(assert (> x 5))(set-info :fault unknown)(check-sat)(pop 1)",
]

def technique(_seeds, rng):
    case = smt.case(CASES[rng.turn % len(CASES)])
    if ":status sat" in case.text:
        return case.with_answer("sat")
    return case.with_answer("unsat") if ":status unsat" in case.text else case

def undecided(_case, runs):
    """Names no target, and looks at all."""
    if [r for r in runs if r.answer == "unknown"]:
        return oracle.bug("undecided", "%s does not know" % ", ".join([r.target for r in runs]), group = "g")
    return None

campaign(
    technique = technique, targets = [solver(bad, mode = MODE, options = {"lie": True}), solver(good, mode = MODE)], seeds = corpus.texts(["(check-sat)"]),
    oracles = [oracle.crash(), oracle.known_answer(), oracle.agree(), oracle.model(), oracle.values(probability = 1), undecided],
    reduce = False, confirm = 1,
)
`

// historyCampaign has a solver that dies at the third check-sat of a process, whatever that is.
const historyCampaign = `
PROGRAM = setting("program", "fakesolver")
fake = solver.profile(
    name = "fake", binaries = [PROGRAM], version_args = ["--version"], version = "version (\\S+)", args = ["--fault=segv@3"],
    modes = ["fresh", "reset", "incremental"], has_reset = True, continues_after_error = True, multiline_tokens = True,
)

def technique(_seeds, rng):
    return smt.case("(set-logic QF_LIA)(declare-const x Int)(assert (> x %d))(check-sat)" % rng.turn)

campaign(technique = technique, targets = solver(fake, mode = setting("mode", "reset")), seeds = corpus.texts(["(check-sat)"]), reduce = False, confirm = 1)
`

// timeCampaign has a solver that hangs, and an oracle of the file that says so.
const timeCampaign = `
def fake(name, args):
    return solver.profile(name = name, binaries = ["fakesolver"], version_args = ["--version"], version = "version (\\S+)", args = args, modes = ["fresh"])

def technique(_seeds, _rng):
    return smt.case("(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(check-sat)")

def hangs(_case, runs):
    if runs[0].class_ == "timeout" and runs[1].answer == "sat":
        return oracle.bug("hangs", "%s has no end" % runs[0].target, target = runs[0])
    return None

campaign(technique = technique, targets = [solver(fake("slow", ["--fault=hang"])), solver(fake("good", []))], seeds = corpus.texts(["(check-sat)"]), oracles = [hangs], reduce = False, confirm = 1, limits = {"timeout": "1s"})
`

// wrapped writes a program that starts another one in the place of its own process, and returns its path.
func wrapped(t *testing.T, dir, name, command string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\nexec "+command+" \"$@\"\n"), 0o755))
	return path
}

// runCode runs a command and returns its exit code.
func runCode(t *testing.T, cmd *exec.Cmd) (code int, out string) {
	t.Helper()
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// replayEverything runs repro.sh, the command of the page, and smtlark repro of each finding in a folder, and repro.sh
// with a solver that does nothing: the first three must reproduce it, the last one must not. It returns how often each
// kind was there.
func replayEverything(t *testing.T, dir, out string) map[string]int {
	t.Helper()
	return replayAll(t, dir, out, math.MaxInt)
}

// replayAll is replayEverything, but for the solver that does nothing: it is tried with that many findings of a kind.
func replayAll(t *testing.T, dir, out string, enough int) map[string]int {
	t.Helper()
	findings, flaky := storedFindings(t, out)
	kinds := map[string]int{"flaky": len(flaky)}
	for _, f := range findings {
		kinds[f.Verdict.Kind]++
		folder := filepath.Join(out, "findings", f.Dir())
		shell := func(env ...string) (int, string) {
			cmd := exec.Command("sh", filepath.Join(folder, "repro.sh"))
			cmd.Env = append(smtlarkIn(dir).Env, append(env, "SMTLARK="+filepath.Join(dir, "smtlark"))...)
			return runCode(t, cmd)
		}
		name := fmt.Sprintf("%s: %s", f.Verdict.Kind, f.Verdict.Summary)
		if code, said := shell(); code != command.ExitFindings {
			script, _ := os.ReadFile(filepath.Join(folder, "repro.sh"))
			t.Errorf("repro.sh of %s ends with %d\n%s\n%s", name, code, said, script)
		}
		if code, said := runCode(t, smtlarkIn(dir, "repro", "--times", "1", folder)); code != command.ExitFindings {
			script, _ := os.ReadFile(filepath.Join(folder, "repro.star"))
			t.Errorf("smtlark repro of %s ends with %d\n%s\n%s", name, code, said, script)
		}
		shownCommand(t, dir, folder)
		if kinds[f.Verdict.Kind] > enough {
			continue
		}
		idle := idleSolver(t, dir)
		if code, said := shell("SOLVER="+idle, "SOLVER2="+idle, "LIBRARY=/dev/null"); code == command.ExitFindings {
			t.Errorf("repro.sh of %s reproduces it with a solver that does nothing\n%s", name, said)
		}
	}
	return kinds
}

// idleSolver returns a solver that does nothing. Tests that run side by side share it, so it is written once and never
// while it runs: the kernel refuses to write to a program that runs.
func idleSolver(t *testing.T, dir string) string {
	idle := filepath.Join(dir, "idle")
	if _, err := os.Stat(idle); err == nil {
		return idle
	}
	file, err := os.CreateTemp(dir, "idle-*")
	require.NoError(t, err)
	_, err = file.WriteString("#!/bin/sh\ncase \"$1\" in --version|-version) echo 'fake solver version 1.2.3 '; esac\n")
	require.NoError(t, errors.Join(err, file.Chmod(0o755), file.Close(), os.Rename(file.Name(), idle)))
	return idle
}

// TestEveryKindReplays provokes every kind of finding in every mode, of a program, of a start script and of a command
// of several words such as those that `make solvers` writes, and replays each by repro.sh and by smtlark repro.
func TestEveryKindReplays(t *testing.T) {
	t.Parallel()
	dir := fakeProject(t, "kinds.star", kindsCampaign)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "history.star"), []byte(historyCampaign), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "time.star"), []byte(timeCampaign), 0o644))
	real := filepath.Join(dir, "bin", "fakesolver")
	cases := strconv.Itoa(strings.Count(kindsCampaign, "(check-sat)") + 20)
	for wrapping, program := range map[string]string{
		"program":      "bin/fakesolver",
		"start script": wrapped(t, filepath.Join(dir, "bin"), "started", strconv.Quote(real)),
		"loader":       wrapped(t, filepath.Join(dir, "bin"), "loaded", "/usr/bin/env MORE=words "+strconv.Quote(real)),
	} {
		for _, mode := range []string{"fresh", "reset", "incremental"} {
			if testing.Short() && (wrapping != "loader" || mode != "incremental") {
				continue // one of all
			}
			t.Run(wrapping+" "+mode, func(t *testing.T) {
				t.Parallel()
				out := filepath.Join(dir, "out "+wrapping+" "+mode)
				code, said := runCode(t, smtlarkIn(dir, "run", "kinds.star", "--seed", "1", "--cases", cases, "-q", "-j", "1", "--out", out, "--set", "mode="+mode, "--set", "program="+program))
				require.Equal(t, command.ExitFindings, code, said)
				if mode != "fresh" {
					code, said = runCode(t, smtlarkIn(dir, "run", "history.star", "--seed", "1", "--cases", "4", "-q", "-j", "1", "--out", out+"/history", "--set", "mode="+mode, "--set", "program="+program))
					require.Equal(t, command.ExitFindings, code, said)
					require.Equal(t, map[string]int{oracle.KindCrash: 1, "flaky": 0}, replayEverything(t, dir, out+"/history"))
				}
				kinds := replayEverything(t, dir, out)
				if mode != "incremental" { // there what one case says of its status holds for the next, too
					require.Zero(t, kinds["flaky"], said)
				}
				for _, kind := range []string{oracle.KindCrash, oracle.KindAssumedAnswer, oracle.KindDisagreement, oracle.KindInvalidModel, oracle.KindInvalidValue, "undecided"} {
					require.Positive(t, kinds[kind], "%v\n%s", kinds, said)
				}
				require.Greater(t, kinds[oracle.KindCrash], 6, said)
			})
		}
	}
	t.Run("time limit", func(t *testing.T) {
		t.Parallel()
		out := filepath.Join(dir, "out time")
		code, said := runCode(t, smtlarkIn(dir, "run", "time.star", "--cases", "1", "-q", "-j", "1", "--out", out))
		require.Equal(t, command.ExitFindings, code, said)
		require.Equal(t, map[string]int{"hangs": 1, "flaky": 0}, replayEverything(t, dir, out))
	})
}

// realCampaign accuses whatever a real solver answers: by an oracle of the file, by a wrong claim that nobody can
// refute, by an action, and beside a liar.
const realCampaign = `
load("@std//smtlib_api.star", "smtlib_api")

ALL = solver.installed(modes = ["fresh", "reset", "incremental", "native"])
I = setting("target", 0)
T = ALL[I]
print("TARGET %d of %d: %s" % (I, len(ALL), T.name))

VECTORS = "(set-logic QF_BV)(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 8))"

def plain(_seeds, rng):
    if rng.turn % 2:
        return smt.case(VECTORS + "(assert (bvult a b))(check-sat)")
    return smt.case(VECTORS + "(assert (bvult a b))(assert (bvult b (bvadd a (bvudiv (bvmul a b) b) #x01)))(assert (not (= (bvmul a b) (bvmul b a))))(check-sat)").with_answer("sat")

def broken(s, _args):
    expect(s.check_sat() == "never", "it answers")

def machine():
    m = smtlib_api(theories = ["BV"])
    m.action("broken", generate = lambda walk, rng: [], run = broken)
    m.state("assert").add("broken", weight = 50, next = "push_pop", when = lambda walk: walk.has_assertions)
    return m

def accuse(_case, runs):
    bad = [r for r in runs if r.answer == "sat"]
    return oracle.bug("accused", "%s answers" % bad[0].target, target = bad[0], group = "g") if bad else None

campaign(
    technique = api.fuzz(machine()) if setting("actions", False) else plain,
    seeds = corpus.texts(["(check-sat)"]), targets = [T], full_timeout = True, oracles = [oracle.known_answer()] if setting("actions", False) else [oracle.known_answer(), accuse],
    reduce = False, confirm = 1, reduce_references = False,
)
`

// unpackedSolvers lets a folder find the solvers of make solvers.
func unpackedSolvers(t *testing.T, dir string) {
	root, err := filepath.Abs(filepath.Join("..", "..", ".solvers"))
	require.NoError(t, err)
	_ = os.Symlink(root, filepath.Join(dir, ".solvers"))
}

// TestEveryKindReplaysOnRealSolvers does so with each real solver of this machine in each of its modes, with findings
// that can be had on demand.
func TestEveryKindReplaysOnRealSolvers(t *testing.T) {
	t.Parallel()
	dir := fakeProject(t, "real.star", realCampaign)
	unpackedSolvers(t, dir)
	run := func(target int, out string, more ...string) (int, string) {
		args := append([]string{"run", "real.star", "--seed", "1", "-j", "1", "--out", out, "--set", "target=" + strconv.Itoa(target)}, more...)
		return runCode(t, smtlarkIn(dir, args...))
	}
	_, said := run(0, filepath.Join(dir, "first"), "--cases", "2")
	m := regexp.MustCompile(`TARGET 0 of (\d+): `).FindStringSubmatch(said)
	if m == nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "solvers are required in CI: %s", said)
		t.Skip("there is no solver on this machine")
	}
	count, _ := strconv.Atoi(m[1])
	if os.Getenv("CI") == "true" {
		require.GreaterOrEqual(t, count, 6, "z3 and cvc5 in three modes each are required in CI")
	}
	if testing.Short() {
		count = 2 // of all that there are
	}
	for i := range count {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(dir, "out"+strconv.Itoa(i))
			code, said := run(i, out, "--cases", "2")
			require.Equal(t, command.ExitFindings, code, said)
			kinds := replayEverything(t, dir, out)
			require.Equal(t, 1, kinds["accused"], said)
			t.Log(regexp.MustCompile(`TARGET .*`).FindString(said), kinds)
			if i%4 == 0 || os.Getenv("SMTLARK_DEEP") != "" { // a walk takes longer
				actions := out + "-actions"
				code, said := run(i, actions, "--cases", "12", "--findings", "1", "--set", "actions=True")
				require.Equal(t, command.ExitFindings, code, said)
				require.Positive(t, replayEverything(t, dir, actions)[oracle.KindExpectation], said)
			}
		})
	}
}
