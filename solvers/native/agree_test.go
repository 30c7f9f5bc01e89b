package native

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	machine "github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/internal/standardmachine"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// walk makes a case whose answers are known.
func walk(t *testing.T, kind string, seed uint64, th []string) (*machine.Walk, *solvers.Query) {
	cfg := &machine.WalkConfig{Machine: standardmachine.New(t), Truth: machine.ByBoth, Gen: gen.Config{Rules: gen.Exclusions{Kinds: []string{kind}, Theories: th}}}
	w, err := machine.NewWalk(smt.NewArena(), rng.New(seed), cfg)
	require.NoError(t, err)
	trace := w.Trace("")
	return w, trace.ConditionalQuery(trace.Script("case"))
}

// agreeing are theories in which random walks are decided at once and show no known bug.
var agreeing = []string{"Core", "FixedSizeBitVectors", "UF"}

// TestWalks checks that a library gives the answers that a trace has by construction, both in a run and in a live
// session.
func TestWalks(t *testing.T) {
	for _, s := range libraries(t, false) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			target := New(s, process.TargetOptions{})
			defer target.Close()
			decided := 0
			for seed := range uint64(25) {
				w, q := walk(t, s.Profile.Name, seed, agreeing)
				run := target.Run(context.Background(), q, solvers.Limits{Wall: 2 * time.Second})
				if run.Class == solvers.Timeout {
					continue
				}
				require.False(t, run.Class.IsBug(), "seed %d: %s\n%s", seed, run.Message, run.Stderr)
				expect := w.Case("case").Expect
				trusted := len(run.Answers)
				if s.Profile.Name == "yices2" { // 2.6.5 says sat to a false assertion after a check under assumptions
					trusted = min(trusted, checksToAssumptions(q.Script))
				}
				for i, got := range run.Answers[:trusted] {
					if got.Decided() && i < len(expect) && expect[i].Decided() {
						require.Equal(t, expect[i], got, "seed %d, check %d", seed, i)
						decided++
					}
				}
				if seed%5 == 0 {
					live := solvers.RunLive(context.Background(), target, q, solvers.Limits{Wall: 5 * time.Second}, nil)
					if live.Class != solvers.Timeout {
						require.Equal(t, run.Answers, live.Answers, "seed %d: live: %s %s", seed, live.Class, live.Message)
						require.Equal(t, run.Class, live.Class, live.Message)
					}
				}
			}
			require.Greater(t, decided, 15)
		})
	}
}

// checksToAssumptions is the number of checks of a script up to the first one under assumptions.
func checksToAssumptions(s *smtlib.Script) (n int) {
	for _, c := range s.Commands {
		switch c.Kind {
		case smtlib.CmdCheckSatAssuming:
			return n + 1
		case smtlib.CmdCheckSat:
			n++
		}
	}
	return n
}

// TestCores: names come back as a core, assumptions as failed ones, and neither holds what has nothing to do with it.
func TestCores(t *testing.T) {
	const text = `(set-option :produce-unsat-cores true)(set-option :produce-unsat-assumptions true)(set-option :produce-models true)
(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)
(assert (! p :named a))(assert (! (=> p q) :named b))(assert (! r :named |c d|))
(check-sat-assuming (r (not q)))(get-unsat-assumptions)
(assert (! (not q) :named e))(check-sat)(get-unsat-core)`
	for _, s := range libraries(t, false) {
		t.Run(s.Name, func(t *testing.T) {
			target := New(s, process.TargetOptions{})
			defer target.Close()
			script, err := smtlib.Parse("cores", []byte(text), smt.NewArena())
			require.NoError(t, err)
			q := solvers.FromScript(script)
			for _, run := range []*solvers.Run{target.Run(context.Background(), q, solvers.Limits{}),
				solvers.RunLive(context.Background(), target, q, solvers.Limits{}, nil)} {
				require.Equal(t, solvers.OK, run.Class, "%s %s", run.Message, run.Stderr)
				require.Equal(t, []smtlib.Answer{smtlib.Unsat, smtlib.Unsat}, run.Answers)
				require.Len(t, run.Values, 2)
				require.Contains(t, run.Values[0], "(not q)")
				if s.Profile.Name == "cvc5" { // its cores are not minimal
					require.Contains(t, run.Values[1], "a b ")
					continue
				}
				require.Equal(t, []string{"((not q))", "(a b e)"}, run.Values)
			}
		})
	}
}

// TestRefusedLists: a list that the library refuses is no empty list: an empty core would be a false one.
func TestRefusedLists(t *testing.T) {
	for _, s := range libraries(t, false) {
		target := New(s, process.TargetOptions{})
		run := ask(t, target, "(reset)(check-sat-assuming (false))(get-unsat-assumptions)(get-unsat-core)")
		require.Equal(t, smtlib.Unsat, run.Answers[0], s.Name)
		require.Contains(t, []string{"", "(false)"}, run.Values[0], "%s: refused, or right", s.Name)
		require.Empty(t, run.Values[1], s.Name)
		require.NoError(t, target.Close())
	}
}

// TestRestarts: a child serves as many runs as it may, then another one goes on.
func TestRestarts(t *testing.T) {
	s := libraries(t, false)[0]
	tg := New(s, process.TargetOptions{MaxRuns: 2}).(*target)
	defer tg.Close()
	pids := map[int]bool{}
	for range 5 {
		require.Equal(t, smtlib.Sat, ask(t, tg, oneCheck).Answer())
		pids[tg.worker.PID()] = true
	}
	require.Len(t, pids, 3)
}

// TestPartialTables: what libboolector says of an array or function at some indices is no claim about the others.
func TestPartialTables(t *testing.T) {
	for _, s := range libraries(t, false) {
		if s.Profile.Name != "boolector" {
			continue
		}
		const models = "(set-option :produce-models true)(set-logic QF_AUFBV)"
		for text, want := range map[string][]string{
			"(declare-fun f (Bool) Bool)(check-sat-assuming ((f false)))(check-sat-assuming ((=> false (f false))))(get-model)": {"(\n)"},
			"(declare-const a (Array (_ BitVec 2) (_ BitVec 1)))(assert (= (select a #b00) #b1))(check-sat)(get-model)(get-value (a))": {
				"(\n)", "((a a))"},
			"(declare-fun f ((_ BitVec 1)) (_ BitVec 1))(assert (distinct (f #b0) (f #b1)))(assert (= (f #b0) #b1))(check-sat)(get-model)": {
				"(\n(define-fun f ((x0 (_ BitVec 1))) (_ BitVec 1) (ite (= x0 #b0) #b1 (ite (= x0 #b1) #b0 #b1)))\n)"},
		} {
			target := New(s, process.TargetOptions{}) // a child each, so a solver each
			run := ask(t, target, models+text)
			require.Equal(t, solvers.OK, run.Class, run.Message)
			require.Equal(t, want, run.Values)
			require.NoError(t, target.Close())
		}
	}
}

// TestDifficulty: cvc5 says of the assertions how difficult they were.
func TestDifficulty(t *testing.T) {
	for _, s := range libraries(t, false) {
		if s.Profile.Name != "cvc5" {
			continue
		}
		target := New(s, process.TargetOptions{})
		defer target.Close()
		run := ask(t, target, `(set-option :produce-difficulty true)(set-logic QF_UFLIA)(declare-const x Int)(declare-const y Int)(declare-fun f (Int) Int)
(assert (or (= (f x) 1) (= (f y) 2)))(assert (distinct (f x) (f y) 7))
(assert (or (= x y) (> (f x) 9) (< (f y) (- 3))))(assert (or (= x (f y)) (= y (f x))))(check-sat)(get-difficulty)`)
		require.Equal(t, solvers.OK, run.Class, run.Message)
		require.Regexp(t, `^\(.*\(\(or \(= \(f x\) 1\) \(= \(f y\) 2\)\) [1-9]\d*\).*\)$`, run.Values[0])
	}
}

// TestActionsOfProfiles: what profiles declare beyond SMT-LIB is a call of the library where it has one.
func TestActionsOfProfiles(t *testing.T) {
	replies := map[string]map[string]string{
		"z3": {
			"(apply (then simplify solve-eqs))":            `^\(goals \(goal .*\) \)$`,
			"(apply (then simplify propagate-values nnf))": `^\(goals \(goal .*\) \)$`,
			"(simplify (bvadd x #x00))":                    `^x$`,
		},
		"cvc5":      {"(get-learned-literals)": `^\(.*\)$`},
		"bitwuzla":  {"(simplify-assertions)": `^$`, "(simplify (bvadd x #x00))": `^x$`},
		"boolector": {"(simplify-assertions)": `^$`},
	}
	for _, s := range libraries(t, false) {
		for command, want := range replies[s.Profile.Name] {
			target := New(s, process.TargetOptions{})
			run := ask(t, target, "(set-option :produce-models true)(set-option :produce-learned-literals true)(set-logic QF_BV)(declare-const x (_ BitVec 8))(assert (bvult #x03 x))(check-sat)"+command)
			require.Equal(t, solvers.OK, run.Class, "%s: %s: %s", s.Name, command, run.Message)
			if want != `^$` {
				require.Regexp(t, want, run.Values[0], "%s: %s", s.Name, command)
			}
			require.NoError(t, target.Close())
		}
	}
}
