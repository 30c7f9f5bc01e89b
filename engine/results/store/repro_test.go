package store_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/solvers"
)

// repro stores a finding and runs its repro.sh.
func repro(t *testing.T, f *finding.Finding, env ...string) (code int, out string) {
	t.Helper()
	require.NoError(t, open(t, t.TempDir()).Save(f))
	cmd := exec.Command("sh", filepath.Join(f.Dir, "repro.sh"))
	cmd.Env = append(cmd.Environ(), env...)
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), string(text)
	}
	require.NoError(t, err)
	return 0, string(text)
}

func TestReproOfAWrongAnswer(t *testing.T) {
	path := liar(t, `[ "$1" = "--opt=a b" ] && grep -q "(check-sat)" "$2" && echo unsat`)
	code, out := repro(t, testFinding("k", path))
	require.Equal(t, 10, code, out)
	require.Contains(t, out, "REPRODUCED")
	code, out = repro(t, testFinding("k", path), "SOLVER="+liar(t, "echo sat"))
	require.Equal(t, 0, code, out)
	code, out = repro(t, testFinding("k", path), "SOLVER=/nowhere/liar")
	require.Equal(t, 69, code, out)
}

func TestReproOfALaterCheckSat(t *testing.T) {
	path := liar(t, "echo sat; echo unsat; echo sat")
	f := testFinding("k", path)
	f.Case.Script += "(check-sat)\n(check-sat)\n"
	f.Verdict.Check = 1
	code, out := repro(t, f)
	require.Equal(t, 10, code, out)
	f = testFinding("k", path)
	f.Case.Script += "(check-sat)\n(check-sat)\n"
	f.Verdict.Check = 2
	code, out = repro(t, f)
	require.Equal(t, 0, code, out)
	f.Min = &testcase.Wire{Script: script, Expect: []string{"sat"}}
	code, _ = repro(t, f, "SOLVER="+liar(t, "echo unsat"))
	require.Equal(t, 10, code, "the reduced case has one check-sat")
	f.Min = &testcase.Wire{Script: script + "(check-sat)\n", Expect: []string{"none", "sat"}}
	code, _ = repro(t, f, "SOLVER="+liar(t, "echo sat; echo unsat"))
	require.Equal(t, 10, code, "it has two, and nobody noted which of them it was")
	zero := 0
	f.MinCheck = &zero
	code, _ = repro(t, f, "SOLVER="+liar(t, "echo sat; echo unsat"))
	require.Equal(t, 0, code, "it is the first one")
	code, _ = repro(t, f, "SOLVER="+liar(t, "echo unsat; echo sat"))
	require.Equal(t, 10, code)
}

func TestReproWithPreambleAndInput(t *testing.T) {
	// Answers unsat only if the options come first, then push, then the case.
	path := liar(t, `[ "$(tr '\n' ' ' | tr -d '\000')" = "(set-option :a b) (set-logic QF_LIA) (set-info :source |a ; b|) (push 1) (declare-const x Int) (assert (> x 1)) (check-sat) (pop 1) " ] && echo unsat`)
	f := incremental(path)
	code, out := repro(t, f)
	require.Equal(t, 10, code, out)
	page := read(t, f.Dir, "README.md")
	require.Contains(t, page, "$ "+path+" -in < input.smt2\nunsat\n")
	require.Contains(t, page, "`input.smt2` is `case.smt2` with `(set-option :a b)` before it, between `(push 1)` and `(pop 1)`.")
}

func TestReproOfACrash(t *testing.T) {
	crash := func(message, stderr, signal string, exit int) *finding.Finding {
		f := testFinding("k", liar(t, "echo 'Fatal failure within foo::bar() at a.cpp:3' >&2; kill -SEGV $$"))
		f.Verdict.Kind, f.Verdict.Class, f.Verdict.Message = oracle.KindCrash, solvers.Crash, message
		f.Verdict.Got, f.Verdict.Want, f.Verdict.Check = smtlib.None, smtlib.None, -1
		r := &f.Confirm[0]
		r.Class, r.Message, r.Stderr, r.Signal, r.ExitCode, r.Stdout = solvers.Crash, message, stderr, signal, exit, ""
		return f
	}
	f := crash("Fatal failure within foo::bar() at a.cpp:3", "Fatal failure within foo::bar() at a.cpp:3\n", "SIGSEGV", -1)
	code, out := repro(t, f)
	require.Equal(t, 10, code, out)
	require.Contains(t, read(t, f.Dir, "repro.star"), `got = "crash"`)
	code, out = repro(t, crash("SIGSEGV", "", "SIGSEGV", -1))
	require.Equal(t, 10, code, out)
	code, out = repro(t, crash("Fatal failure within other()", "Fatal failure within other()\n", "SIGSEGV", -1))
	require.Equal(t, 0, code, out, "another message")
	long := "ASSERTION VIOLATION File: rewriter.cpp Line: 388"
	printing := func(line int) string {
		return "SOLVER=" + liar(t, fmt.Sprintf("printf 'ASSERTION VIOLATION\\nFile: ../src/rewriter.cpp\\nLine: %d\\n'; kill -ABRT $$", line))
	}
	f = crash(long, "ASSERTION VIOLATION\nFile: ../src/rewriter.cpp\nLine: 388\n", "SIGABRT", -1)
	code, out = repro(t, f, printing(388))
	require.Equal(t, 10, code, out)
	code, out = repro(t, f, printing(389))
	require.Equal(t, 0, code, out, "another place")
	code, out = repro(t, crash("exit code 3", "", "", 3), "SOLVER="+liar(t, "exit 3"))
	require.Equal(t, 10, code, out)
}

func TestReproOfADisagreement(t *testing.T) {
	f := testFinding("k", liar(t, "echo unsat"))
	f.Verdict.Kind, f.Verdict.Against = oracle.KindDisagreement, []string{"good-2.0/reset"}
	f.Plan.Targets[1].Path = liar(t, "cat >/dev/null; echo sat")
	other := f.Confirm[0]
	other.Target, other.Mode, other.Argv = "good-2.0/reset", "reset", []string{f.Plan.Targets[1].Path}
	f.Confirm = append(f.Confirm, other)
	code, out := repro(t, f)
	require.Equal(t, 10, code, out)
	require.Contains(t, read(t, f.Dir, "repro.star"), `against = solver("good", mode = "fresh")`)
	code, out = repro(t, f, "SOLVER2="+liar(t, "echo unsat"))
	require.Equal(t, 70, code, out)
	require.Contains(t, out, "It does not reproduce with everything in one file. smtlark sends it piece by piece, as the campaign did. That was not done: smtlark takes one other build")
}

func TestReproStar(t *testing.T) {
	f := testFinding("k", "/bin/liar")
	require.NoError(t, open(t, t.TempDir()).Save(f))
	require.Equal(t, `"liar-1.0 (fresh) answers unsat, the answer is sat"

reproduce(
    case = smt.read("case.smt2"),
    target = solver("liar"),
    got = "unsat",
    truth = "sat",
    witness = smt.read_model("model.smt2"),
)
`, read(t, f.Dir, "repro.star"))
}

func TestReproOfAnInvalidModel(t *testing.T) {
	path := liar(t, `[ "$(tail -n 2 "$2" | tr -d '\n')" = "(check-sat)(get-model)" ] && head -n 1 "$2" | grep -q produce-models && printf 'sat\n((define-fun x () Int\n   0))\n'`)
	f := testFinding("k", path)
	f.Verdict.Kind, f.Verdict.Got, f.Verdict.Want, f.Verdict.Check = oracle.KindInvalidModel, smtlib.Sat, smtlib.None, 0
	f.Confirm[0].Preamble, f.Confirm[0].Stdout = "(set-option :produce-models true)\n", "sat\n(\n(define-fun x () Int 0)\n)\n"
	code, out := repro(t, f)
	require.Equal(t, 10, code, out)
	require.Contains(t, read(t, f.Dir, "repro.star"), `got = "invalid-model"`)
	other := "SOLVER=" + liar(t, "printf 'sat\n((define-fun x () Int 2))\n'")
	code, out = repro(t, f, other)
	require.Equal(t, 70, code, "nobody has judged the model")
	require.Contains(t, out, "smtlark judges the one that comes now. That was not done: set SMTLARK to the path of smtlark")
	for exit, want := range map[string]int{"0": 0, "10": 10, "69": 70, "65": 70} {
		code, out = repro(t, f, other, "SMTLARK="+liar(t, "exit "+exit))
		require.Equal(t, want, code, out)
	}
}

// incremental makes a finding of mode incremental.
func incremental(path string) *finding.Finding {
	f := testFinding("k", path)
	f.Mode = "own"
	f.Plan.Targets[0].Mode = "incremental"
	f.Confirm[0].Mode, f.Confirm[0].Preamble, f.Confirm[0].Argv = "incremental", "(set-option :a b)\n", []string{path, "-in"}
	return f
}

// The argument vector begins with one word, the start script, however many words that script executes.
func TestReproKeepsAllArguments(t *testing.T) {
	path := liar(t, `[ "$1 $2 $3" = "-in --strings-exp smt.random_seed=7" ] && [ $# -eq 3 ] && cat >/dev/null && echo unsat`)
	f := testFinding("k", path)
	f.Plan.Targets[0].Exec = 4
	f.Confirm[0].Mode, f.Confirm[0].Argv = "reset", []string{path, "-in", "--strings-exp", "smt.random_seed=7"}
	code, out := repro(t, f)
	require.Equal(t, 10, code, out)
	require.Contains(t, read(t, f.Dir, "README.md"), "$ "+path+" -in --strings-exp smt.random_seed=7 < case.smt2\n")
}

func TestReproSetsTheEnvironment(t *testing.T) {
	f := testFinding("k", liar(t, `[ "$MOOD" = "a 'bad' one" ] && echo unsat`))
	f.Plan.Targets[0].Env = []string{"MOOD=a 'bad' one"}
	code, out := repro(t, f)
	require.Equal(t, 10, code, out)
	require.Contains(t, read(t, f.Dir, "README.md"), `$ MOOD='a '\''bad'\'' one' `+f.Plan.Targets[0].Path+` '--opt=a b' case.smt2`)
}

// The output of a solver need not be text.
func TestReproOfBinaryOutput(t *testing.T) {
	code, out := repro(t, testFinding("k", liar(t, `printf '\000\377\033[2J(\n'; echo unsat; printf '\000\200'`)))
	require.Equal(t, 10, code, out)
	require.NotContains(t, out, "\x1b")
	require.NotContains(t, out, "\x00")

	f := testFinding("k", liar(t, `printf 'free(): \000\377invalid pointer\n' >&2; kill -ABRT $$`))
	f.Verdict.Kind, f.Verdict.Class, f.Verdict.Message = oracle.KindCrash, solvers.Crash, "free(): \x00\ufffdinvalid pointer"
	f.Verdict.Got, f.Verdict.Want, f.Verdict.Check = smtlib.None, smtlib.None, -1
	r := &f.Confirm[0]
	r.Class, r.Message, r.Stderr, r.Signal, r.ExitCode, r.Stdout = solvers.Crash, f.Verdict.Message, "free(): \x00\ufffdinvalid pointer\n", "SIGABRT", -1, ""
	code, out = repro(t, f)
	require.Equal(t, 10, code, out)
}

// A solver that hangs until it is killed has not died of a fault.
func TestReproOfACrashIsNoTimeout(t *testing.T) {
	f := testFinding("k", liar(t, "trap '' TERM; while :; do sleep 0.1; done"))
	f.Verdict.Kind, f.Verdict.Class, f.Verdict.Message = oracle.KindCrash, solvers.Crash, "SIGSEGV"
	f.Verdict.Got, f.Verdict.Want, f.Verdict.Check = smtlib.None, smtlib.None, -1
	r := &f.Confirm[0]
	r.Class, r.Message, r.Signal, r.ExitCode, r.Stdout = solvers.Crash, "SIGSEGV", "SIGSEGV", -1, ""
	for _, signal := range []string{"SIGSEGV", ""} {
		r.Signal = signal
		code, out := repro(t, f, "TIMEOUT=0.2")
		require.Equal(t, 0, code, out)
	}
}

// Answers of the cases before are not taken for those of the case, however many they are.
func TestReproAfterOtherCases(t *testing.T) {
	f := incremental(liar(t, `grep -a -o 'smtlark: the case itself\|first\|check-sat' | while read -r x; do
case $x in first) echo sat; echo unknown;; smtlark*) echo "$x"; past=1;; *) [ -z "$past" ] || echo unsat;; esac; done`))
	f.Before = []string{"(set-info :source |first|)\n(declare-const first Int)\n(check-sat)\n"}
	code, out := repro(t, f)
	require.Equal(t, 10, code, out)
	require.Contains(t, read(t, f.Dir, "README.md"), "`input.smt2` is `case.smt2` after 1 other case with `(pop 1)` in between")
}

// A case that one process needs to have had twice.
func TestReproOfARepeatedCase(t *testing.T) {
	f := incremental(liar(t, `[ "$(grep -c 'check-sat')" -eq 3 ] && { echo unsat; echo 'smtlark: the case itself'; echo unsat; }`))
	f.Repeat = 2
	code, out := repro(t, f)
	require.Equal(t, 10, code, out)
	page := read(t, f.Dir, "README.md")
	require.Contains(t, page, "It needs a process that has run this case 2 times before, with `(pop 1)` in between.")
	require.Contains(t, page, "liar -in < input.smt2")
	require.Contains(t, read(t, f.Dir, "repro.star"), "    repeat = 2,\n")
}

// Nothing that comes from a seed, a solver or an oracle is ever read by the shell.
func TestReproRunsNothingElse(t *testing.T) {
	dir := t.TempDir()
	seen := filepath.Join(dir, "seen")
	canary := filepath.Join(dir, "canary")
	path := filepath.Join(dir, "li'ar $(touch "+filepath.Base(canary)+")")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\nfor a; do printf '%s\\0' \"$a\"; done > '"+seen+"'\ncat > /dev/null\necho unsat\n"), 0o755))
	attack := rapid.SampledFrom([]string{
		"\n", "\r", "'", "\"", "\\", "$(touch " + canary + ")", "`touch " + canary + "`", "\ntouch " + canary + "\n", ";touch " + canary + ";", "|", "&", "<", ">", "#", "}", "%s", "\\c",
		"SMTLARK_END\ntouch " + canary + "\n", "-e", "é", "\u202e", " ", "x",
	})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(attack, 1, 6).Draw(t, "parts"), "") })
	s := open(t, t.TempDir())
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		f := testFinding(fmt.Sprint("k", n), path)
		f.Verdict.Summary, f.Plan.Targets[0].Version, f.Plan.Targets[0].Kind = text.Draw(rt, "summary"), text.Draw(rt, "version"), text.Draw(rt, "kind")
		f.Plan.Targets[0].Env = []string{"SMTLARK_X=" + text.Draw(rt, "env")}
		args := rapid.SliceOfN(text, 0, 3).Draw(rt, "args")
		symbol := strings.NewReplacer("|", "", "\\", "").Replace(text.Draw(rt, "symbol"))
		f.Case.Script = "(declare-const |" + symbol + "| Bool)\n(assert |" + symbol + "|)\n(check-sat)\n"
		r := &f.Confirm[0]
		r.Argv = append(append([]string{path}, args...), "/tmp/x.smt2")
		r.Preamble, r.Mode = "(set-option :x |"+symbol+"|)\n", rapid.SampledFrom([]string{"fresh", "reset", "incremental"}).Draw(rt, "mode")
		if r.Mode != "fresh" {
			r.Argv = r.Argv[:len(r.Argv)-1]
		}
		f.Verdict.Kind = rapid.SampledFrom([]string{oracle.KindKnownAnswer, oracle.KindCrash, oracle.KindInvalidModel, oracle.KindInvalidValue, "own"}).Draw(rt, "kind of finding")
		if f.Verdict.Kind == "own" {
			f.Verdict.Oracle, f.Verdict.Message = text.Draw(rt, "oracle"), text.Draw(rt, "message")
			f.Scripted, f.Sources = finding.ScriptedOracle, &finding.Sources{File: "a " + strings.NewReplacer("/", "", "\x00", "").Replace(text.Draw(rt, "file")) + ".star"}
		}
		f.Verdict.Asked, f.Verdict.Reply = text.Draw(rt, "asked"), text.Draw(rt, "reply")
		r.Message, r.Stdout = text.Draw(rt, "run's message"), text.Draw(rt, "stdout")
		require.NoError(rt, s.Save(f))
		cmd := exec.Command("sh", filepath.Join(f.Dir, "repro.sh"))
		cmd.Env = append(cmd.Environ(), "SMTLARK=/nowhere/smtlark")
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		require.True(rt, err == nil || errors.As(err, &exit), "%v", err)
		require.Contains(rt, []int{0, 10, 69, 70}, cmd.ProcessState.ExitCode(), "%s", out)
		for _, where := range []string{canary, filepath.Join(dir, "canary"), filepath.Join(f.Dir, "canary"), "canary"} {
			require.NoFileExists(rt, where, read(t, f.Dir, "repro.sh"))
		}
		got, err := os.ReadFile(seen)
		require.NoError(rt, err, "%s", out)
		want := strings.Join(args, "\x00")
		if len(args) > 0 {
			want += "\x00"
		}
		if r.Mode == "fresh" {
			want += fileOf(string(got)) + "\x00"
		}
		require.Equal(rt, want, string(got))
	})
}

// fileOf returns the last of the words that each end with a NUL.
func fileOf(words string) string {
	words = strings.TrimSuffix(words, "\x00")
	return words[strings.LastIndexByte(words, 0)+1:]
}
