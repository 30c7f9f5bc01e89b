package dialogue_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/fakesolver"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/process"
	script "github.com/smtlark/smtlark/starlark"
)

// dyingZ3 makes a target of z3 of which one process dies of the N-th command of a kind that it is given, or hangs, and
// no later one.
func dyingZ3(t testing.TB, command string, at int, fault string) solvers.Target {
	t.Helper()
	real, err := script.Supply().Find("z3", "")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	r := real.Profile
	p := solvers.Profile{Name: r.Name, Program: r.Program, OptionSyntax: r.OptionSyntax, Dialect: r.Dialect, Replies: r.Replies, Support: r.Support, Promises: r.Promises}
	p.Env = append([]string{fakesolver.EnvRun + "=1"}, p.Env...)
	// The file is in the folder that all processes of the target share, and only they.
	p.Args = append([]string{"--front=" + real.Path, fmt.Sprintf("--once=%s@%d:%s", command, at, fault)}, p.Args...)
	require.NoError(t, p.Validate())
	s := *real
	s.Profile, s.Path, s.Exec = &p, self, []string{self}
	x := process.New(&s, process.TargetOptions{Mode: solvers.Incremental, Name: "z3"})
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// dyingText has all kinds of commands that a session below may be told.
const dyingText = `(set-option :produce-unsat-cores true)(set-option :produce-unsat-assumptions true)(set-option :produce-assignments true)
(set-option :smt.random_seed 7)(get-option :smt.random_seed)
(set-logic ALL)
(declare-sort S 0)(declare-datatype E ((red) (green)))(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))
(declare-const x Int)(declare-fun f (S) E)(declare-const s S)(declare-const p Bool)(declare-const q Bool)
(define-const two Int 2)(define-fun twice ((n Int)) Int (* two n))(define-fun-rec down ((n Int)) Int (ite (<= n 0) 0 (down (- n 1))))
(assert (! (= (twice x) 6) :named six))(assert (= (f s) green))
(check-sat)(get-value (x (f s)))(get-assignment)(eval (+ x 1))(simplify (+ x 0 (* 1 x)))
(check-sat-assuming (p (not q)))(get-value (p q))
(push 1)(assert (! (< x 2) :named small))(check-sat)(get-unsat-core)(pop 1)
(check-sat-assuming ((not p) q p))(get-unsat-assumptions)
(push 1)(assert ((_ at-most 1) p q))(assert p)(check-sat)(get-value (q))(get-info :reason-unknown)(get-info :rlimit)(pop 1)
(push 2)(declare-const y Int)(assert (> y x))(check-sat)(declare-const z Int)(define-fun w () Int (+ x 1))(get-value (x w))(pop 2)
(push 1)(maximize (- 5 (* x x)))(assert-soft p :weight 2)(check-sat)(get-objectives)(get-value (x p))(pop 1)
(set-option :smt.arith.random_initial_value false)(declare-tactic-like-thing x)(assert (no-such-function x))
(apply (then simplify solve-eqs))(get-model-like-thing)
(reset-assertions)(check-sat)
(reset)(set-option :timeout 60000)(set-logic QF_LIA)(declare-const x Int)(assert (= x 4))(check-sat)(get-model)(check-sat-using smt)(get-value (x))
(reset)(declare-fun g (Real) Real)(declare-fun h (Real) Real)(assert (forall ((a Real)) (and (< (g (h a)) (g a)) (> (* (h a) (h a) (g a)) (+ a (g (g a)))))))
(set-option :rlimit 1000)(check-sat)(get-info :reason-unknown)(echo "end")
`

// TestDeathsAtEachCommand: whatever command a solver below dies of, the client sees the replies that it sees without.
// It is the first command of each kind, and with SMTLARK_DEEP each command.
func TestDeathsAtEachCommand(t *testing.T) {
	least := map[string]int{"get-value": 1, "check-sat": 1, "assert": 1, "set-option": 1}
	counted := regexp.MustCompile(`:rlimit \d+`) // a count for the life of a process, which restarts in a replacement
	kinds := []string{"set-option", "set-logic", "declare-sort", "declare-datatype", "declare-datatypes", "declare-const", "declare-fun", "define-const", "define-fun",
		"define-fun-rec", "assert", "check-sat", "check-sat-assuming", "check-sat-using", "get-value", "get-model", "get-info", "get-unsat-core", "get-unsat-assumptions", "eval", "simplify",
		"apply", "push", "pop", "reset", "echo", "no-such-function", "declare-tactic-like-thing", "get-model-like-thing"}
	places := []int{1}
	if os.Getenv("SMTLARK_DEEP") != "" {
		places = nil
		for at := range 80 {
			places = append(places, at+1)
		}
	}
	modes := []frontend.Mode{frontend.Cached, frontend.Incremental, frontend.Batch}
	if testing.Short() {
		modes = modes[:1]
	}
	for _, mode := range modes {
		want := counted.ReplaceAllString(talk(t, frontend.Options{Mode: mode}, []solvers.Target{dyingZ3(t, "none", 1, "died")}, dyingText), "")
		for _, kind := range kinds {
			for _, at := range places {
				died := 0
				o := frontend.Options{Mode: mode, Notify: func(e frontend.Event) {
					if e.Kind == frontend.Replaced {
						died++
					}
				}}
				got := counted.ReplaceAllString(talk(t, o, []solvers.Target{dyingZ3(t, kind, at, "died")}, dyingText), "")
				if got != want {
					t.Errorf("%s, death at %s %d:\n%s\nwithout:\n%s", mode, kind, at, got, want)
				}
				if died == 0 {
					require.Greater(t, at, least[kind], "%s: no process died of %s", mode, kind)
					break // there are fewer such commands
				}
			}
		}
	}
}
