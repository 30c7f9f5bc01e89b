package store_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// repro stores a finding and runs its repro.sh.
func repro(t *testing.T, f *campaign.Finding, env ...string) (code int, out string) {
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
	code, out := repro(t, finding("k", path))
	require.Equal(t, 10, code, out)
	require.Contains(t, out, "REPRODUCED")
	code, out = repro(t, finding("k", path), "SOLVER="+liar(t, "echo sat"))
	require.Equal(t, 0, code, out)
	code, out = repro(t, finding("k", path), "SOLVER=/nowhere/liar")
	require.Equal(t, 69, code, out)
}

func TestReproOfALaterCheckSat(t *testing.T) {
	path := liar(t, "echo sat; echo unsat; echo sat")
	f := finding("k", path)
	f.Case.Script += "(check-sat)\n(check-sat)\n"
	f.Verdict.Check = 1
	code, out := repro(t, f)
	require.Equal(t, 10, code, out)
	f = finding("k", path)
	f.Case.Script += "(check-sat)\n(check-sat)\n"
	f.Verdict.Check = 2
	code, out = repro(t, f)
	require.Equal(t, 0, code, out)
	f.Min = &testcase.Wire{Script: script, Expect: []string{"sat"}}
	code, _ = repro(t, f, "SOLVER="+liar(t, "echo unsat"))
	require.Equal(t, 10, code, "the reduced case has one check-sat")
}

func TestReproWithPreambleAndInput(t *testing.T) {
	// Answers unsat only if the options come first, then push, then the case.
	path := liar(t, `[ "$(tr '\n' ' ' | tr -d '\000')" = "(set-option :a b) (set-logic QF_LIA) (set-info :source |a ; b|) (push 1) (declare-const x Int) (assert (> x 1)) (check-sat) (pop 1) " ] && echo unsat`)
	f := finding("k", path)
	f.Mode = "own"
	f.Plan.Targets[0].Mode = "incremental"
	f.Confirm[0].Mode, f.Confirm[0].Preamble, f.Confirm[0].Argv = "incremental", "(set-option :a b)\n", []string{path, "-in"}
	code, out := repro(t, f)
	require.Equal(t, 10, code, out)
	page := read(t, f.Dir, "README.md")
	require.Contains(t, page, "$ liar -in < case.smt2\nunsat\n")
	require.Contains(t, page, "The input was given with `(set-option :a b)` before the input, between `(push 1)` and `(pop 1)`.")
}

func TestReproOfACrash(t *testing.T) {
	crash := func(message, stderr, signal string, exit int) *campaign.Finding {
		f := finding("k", liar(t, "echo 'Fatal failure within foo::bar() at a.cpp:3' >&2; kill -SEGV $$"))
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
	f := finding("k", liar(t, "echo unsat"))
	f.Verdict.Kind, f.Verdict.Against = oracle.KindDisagreement, []string{"good-2.0/reset"}
	f.Plan.Targets[1].Path = liar(t, "cat >/dev/null; echo sat")
	other := f.Confirm[0]
	other.Target, other.Mode, other.Argv = "good-2.0/reset", "reset", []string{f.Plan.Targets[1].Path}
	f.Confirm = append(f.Confirm, other)
	code, out := repro(t, f)
	require.Equal(t, 10, code, out)
	require.Contains(t, read(t, f.Dir, "repro.star"), `against = solver("good", mode = "fresh")`)
	code, out = repro(t, f, "SOLVER2="+liar(t, "echo unsat"))
	require.Equal(t, 0, code, out)
}

func TestReproStar(t *testing.T) {
	f := finding("k", "/bin/liar")
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
	f := finding("k", path)
	f.Verdict.Kind, f.Verdict.Got, f.Verdict.Want, f.Verdict.Check = oracle.KindInvalidModel, smtlib.Sat, smtlib.None, 0
	f.Confirm[0].Preamble, f.Confirm[0].Stdout = "(set-option :produce-models true)\n", "sat\n(\n(define-fun x () Int 0)\n)\n"
	code, out := repro(t, f)
	require.Equal(t, 10, code, out)
	require.Contains(t, read(t, f.Dir, "repro.star"), `got = "invalid-model"`)
	code, out = repro(t, f, "SOLVER="+liar(t, "printf 'sat\n((define-fun x () Int 2))\n'"))
	require.Equal(t, 0, code, out)
}
