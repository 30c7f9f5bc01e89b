package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/smtlark/smtlark/internal/leaktest"
	"github.com/smtlark/smtlark/internal/processtest"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/process"
	"github.com/smtlark/smtlark/engine/campaign/worker"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/solvers"
)

// The test binary is its own worker: with this variable it serves a coordinator and loads the fake campaign below.
const workerEnv = "SMTLARK_TEST_WORKER"

// With this variable a worker writes of each case when it begins, as on systems where it shares no memory with the
// coordinator.
const everyCaseEnv = "SMTLARK_TEST_EVERY_CASE"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(memberEnv) != "" && os.Getenv(workerEnv) == "":
		joinCluster()
	case os.Getenv(crowdEnv) != "":
		joinCrowd()
	case os.Getenv(coordinatorEnv) != "" && os.Getenv(workerEnv) == "":
		coordinate()
	case os.Getenv(workerEnv) == "":
		leaktest.Main(m)
	}
	number := process.InheritedNumber()
	if os.Getenv(everyCaseEnv) != "" {
		number = nil
	}
	if err := worker.Work(context.Background(), os.Stdin, os.Stdout, fakeLoad, number, func() { os.Exit(70) }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(70)
	}
	os.Exit(0)
}

// With this variable the test binary runs a campaign without end whose settings it names, and says when it has begun.
const coordinatorEnv = "SMTLARK_TEST_COORDINATOR"

func coordinate() {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	name, value, _ := strings.Cut(os.Getenv(coordinatorEnv), "=")
	_, err = coordinator.Run(context.Background(), coordinator.Config{
		File: "fake.star", Options: finding.Inputs{Set: map[string]string{name: value}}, Command: []string{exe}, Env: []string{workerEnv + "=1"}, Workers: 3,
		Publish: func(st *metrics.Stats) {
			if st.Cases > 0 {
				fmt.Println("begun")
			}
		},
	})
	panic(fmt.Sprint("the campaign ended: ", err))
}

// fake is a campaign that misbehaves on demand: each setting of Options.Set is a fault, mostly at the case with that
// number.
type fake struct {
	set    map[string]string
	print  func(string)
	broken []finding.BrokenSeed
}

func (f *fake) at(key string, n uint64) bool {
	for _, v := range strings.Split(f.set[key], ",") {
		if v != "" && v == strconv.FormatUint(n, 10) {
			return true
		}
	}
	return false
}

func (f *fake) every(key string, n uint64) bool {
	m, _ := strconv.ParseUint(f.set[key], 10, 64)
	return m > 0 && n%m == 0
}

// once reports whether the fault has not happened yet in the folder named by the setting "mark".
func (f *fake) once(name string) bool {
	file, err := os.OpenFile(filepath.Join(f.set["mark"], name), os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false
	}
	file.Close()
	return true
}

func fakeLoad(_ context.Context, file string, o finding.Inputs, print func(string)) (*campaign.Plan, error) {
	f := &fake{set: o.Set, print: print}
	switch f.set["load"] {
	case "error":
		return nil, errors.New("bad.star:3:1: in <toplevel>\n    campain()\nError: undefined: campain (did you mean 'campaign'?)")
	case "nosolver":
		return nil, &campaign.LoadError{Fault: campaign.FaultSolver, Err: errors.New("no usable solver")}
	case "die":
		os.Exit(3)
	case "panic":
		panic("loader")
	case "hang":
		select {}
	}
	print("loading")
	var broken []finding.BrokenSeed
	for i := range 12 {
		broken = append(broken, finding.BrokenSeed{File: fmt.Sprintf("s%d.smt2", i), Error: fmt.Sprintf("s%d.smt2:1:%d: no such thing", i, i+1)})
	}
	p := &campaign.Plan{
		Declared: finding.Declared{
			Name: "fake", File: file,
			Bounds:       finding.Bounds{Limits: solvers.Limits{Wall: 50 * time.Millisecond}, Confirm: 3, ReduceFor: 5 * time.Second},
			PlannedSeeds: finding.PlannedSeeds{Seeds: 3, Broken: len(broken), BrokenSeeds: broken},
		},
		Technique: f,
		Targets: []solvers.Target{
			&fakeTarget{f: f, name: "good-1.0/fresh", mode: solvers.Fresh, solver: &solvers.Solver{Name: "good-1.0", Version: "1.0", Path: "/bin/good"}},
			&fakeTarget{f: f, name: "bad-2.0/reset", mode: solvers.Reset, solver: &solvers.Solver{Name: "bad-2.0", Version: "2.0", Path: "/bin/bad"}},
		},
		Oracles: []oracle.Oracle{oracle.Crash(), oracle.KnownAnswer(), oracle.Disagreement()},
	}
	if f.set["lazy"] != "" {
		p.BrokenSoFar = func() []finding.BrokenSeed { return append(broken[:2:2], f.broken...) }
	}
	if f.set["reproduce"] != "" {
		c, err := f.Make(context.Background(), 10, rng.New(1))
		if err != nil {
			return nil, err
		}
		p = &campaign.Plan{Declared: finding.Declared{File: file}, Reproductions: []campaign.Reproduction{{Case: c, Target: p.Targets[1], Got: smtlib.Unsat, Want: smtlib.Sat}}}
	}
	if f.set["asked"] != "" {
		p.Oracles = append(p.Oracles, oracle.Model())
	}
	if f.set["vouch"] != "" {
		p.Targets, p.ReduceReferences = p.Targets[1:], f.vouchers
	}
	if f.set["pause"] != "" {
		f.note("loaded")
	}
	switch f.set["reduce"] {
	case "":
	case "default":
		p.Reducer, p.ReduceFor = campaign.DefaultReducer(nil), 10*time.Minute
	default:
		p.Reducer = campaign.ReducerFunc(f.reduce)
	}
	return p, nil
}

func (f *fake) Name() string { return "fake" }

// Make makes a case of some assertions about x; its first names the number of the case.
func (f *fake) Make(ctx context.Context, n uint64, r *rng.Source) (*testcase.Case, error) {
	if ms, _ := strconv.Atoi(f.set["slow"]); ms > 0 {
		time.Sleep(time.Duration(ms) * time.Millisecond)
	}
	switch {
	case f.at("exit", n):
		os.Exit(3)
	case f.at("kill", n) && f.once(fmt.Sprint("kill", n)):
		_ = processtest.KillProcess(os.Getpid())
	case f.at("hang", n):
		select {}
	case f.at("child", n) && f.once(fmt.Sprint("child", n)): // leaves a solver behind
		cmd := exec.Command("sleep", "1000")
		ownGroup(cmd)
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(f.set["mark"], "pid"), []byte(strconv.Itoa(cmd.Process.Pid)), 0o600); err != nil {
			return nil, err
		}
		_ = processtest.KillProcess(os.Getpid())
	case f.at("grow", n):
		var all [][]byte
		for {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = byte(i)
			}
			all = append(all, b)
			if len(all) > 1<<12 {
				return nil, errors.New("nobody stopped me")
			}
		}
	case f.at("garbage", n):
		fmt.Println(`{"type":"result","n":"what"} and more`)
		select {} // until it is killed
	case f.at("lie", n):
		fmt.Printf("{\"type\":\"result\",\"n\":%d,\"runs\":\"1:s:1:1 1:s:1:1\"}\n", n+5)
		select {} // until it is killed
	case f.at("flood", n):
		for {
			if _, err := os.Stdout.WriteString(strings.Repeat("x", 1<<20)); err != nil {
				os.Exit(4)
			}
		}
	case f.at("panic", n):
		panic("technique")
	case f.at("greedy", n):
		return nil, fmt.Errorf("fake.star:9:2: in technique: %w", campaign.ErrOverBudget)
	case f.at("error", n):
		return nil, fmt.Errorf("fake.star:9:2: in technique\nError: boom")
	case f.every("lazy", n):
		f.broken = append(f.broken, finding.BrokenSeed{File: fmt.Sprintf("late%d.smt2", n), Error: "late"})
	case f.every("skip", n):
		return nil, &campaign.SkipError{Reason: "not this one"}
	case f.at("stop", n):
		return nil, &campaign.StopError{Reason: "enough"}
	case f.at("print", n):
		f.print(fmt.Sprintf("case %d \x1b[31m", n))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "(set-logic QF_LIA)\n(declare-const x Int)\n(assert (not (= x %d)))\n", n)
	for range r.Range(3, 8) {
		fmt.Fprintf(&b, "(assert (> x (- %d)))\n", r.Intn(1000))
	}
	many, _ := strconv.Atoi(f.set["scattered"])
	for i := range many {
		fmt.Fprintf(&b, "(assert (< x %d))\n", 1000+i)
	}
	expect := smtlib.Sat
	if f.set["vouch"] != "" { // no assertion contradicts another one at sight
		b.WriteString("(assert (< x 5))\n(assert (> x 10))\n(get-info :name)\n")
		expect = smtlib.Unsat
	}
	b.WriteString("(check-sat)\n")
	script, err := smtlib.Parse(fmt.Sprintf("case%d", n), []byte(b.String()), smt.NewArena())
	if err != nil {
		return nil, err
	}
	return &testcase.Case{Script: script, Expect: []smtlib.Answer{expect}, Origin: testcase.Origin{Seeds: []string{"seed.smt2"}}}, nil
}

// reduce drops one assertion after the other.
func (f *fake) reduce(ctx context.Context, c *testcase.Case, fails driver.Predicate, helpers driver.Helpers) (*testcase.Case, error) {
	for i := 1; ctx.Err() == nil; {
		asserts := c.Script.Asserts()
		if i >= len(asserts) {
			break
		}
		if f.set["reduce"] == "die" && len(asserts) < 3 {
			os.Exit(5)
		}
		rest := append(append([]smt.Term{}, asserts[:i]...), asserts[i+1:]...)
		small := &testcase.Case{Script: scope.WithAsserts(c.Script, rest), Expect: c.Expect, Origin: c.Origin}
		if fails(small) {
			c = small
		} else {
			i++
		}
	}
	if f.set["reduce"] == "hang" {
		select {}
	}
	return c, nil
}

// fakeTarget answers sat, but for the faults.
type fakeTarget struct {
	f      *fake
	name   string
	mode   solvers.Mode
	solver *solvers.Solver
	runs   int
	had    []uint64 // numbers of the cases of this process

	confirms bool // in fresh processes, as a confirmation asks
}

func (t *fakeTarget) Name() string            { return t.name }
func (t *fakeTarget) Solver() *solvers.Solver { return t.solver }
func (t *fakeTarget) Mode() solvers.Mode      { return t.mode }
func (t *fakeTarget) Close() error            { t.runs, t.had = 0, nil; return nil }

func (t *fakeTarget) InMode(m solvers.Mode) (solvers.Target, error) {
	return &fakeTarget{f: t.f, name: t.name, mode: m, solver: t.solver, confirms: true}, nil
}

func (t *fakeTarget) Run(ctx context.Context, q *solvers.Query, _ solvers.Limits) *solvers.Run {
	t.runs++
	r := &solvers.Run{
		Target: t.name, Solver: t.solver.Name, Version: t.solver.Version, Mode: t.mode, Class: solvers.OK,
		Answers: []smtlib.Answer{smtlib.Sat}, Stdout: "sat\n", Argv: []string{t.solver.Path, "case.smt2"}, CPU: time.Millisecond, Wall: 2 * time.Millisecond,
	}
	if !strings.HasPrefix(t.name, "bad") {
		return r
	}
	n := caseNumber(q.Text())
	f := t.f
	if t.confirms {
		f.pause(ctx)
	}
	t.had = append(t.had, n)
	if f.set["hangconfirm"] != "" && t.confirms {
		select {}
	}
	switch {
	case f.set["scattered"] != "":
		if f.hasScattered(q.Text()) {
			r.Answers[0], r.Stdout = smtlib.Unsat, "unsat\n"
		}
	case f.every("after", n) && slices.ContainsFunc(t.had, func(h uint64) bool { return n > 0 && h > 0 && f.every("after", h+3) && h != n }):
		r.Answers[0], r.Stdout = smtlib.Unsat, "unsat\n"
	case f.every("wrong", n), f.every("wronghere", n) && t.mode == solvers.Reset, f.every("flaky", n) && t.runs > 1:
		r.Answers[0], r.Stdout = smtlib.Unsat, "unsat\n"
	case f.every("first", n) && (t.mode == solvers.Reset || f.once("first")):
		r.Answers[0], r.Stdout = smtlib.Unsat, "unsat\n"
	case f.every("asked", n) && strings.Contains(q.Text(), "(get-model)"):
		r.Answers[0], r.Stdout = smtlib.Unsat, "unsat\n"
	case f.every("sometimes", n) && t.runs%2 == 1, f.every("chance", n) && (strings.Count(string(q.Text()), "(assert") > 1 || f.once("chance")):
		r.Answers[0], r.Stdout = smtlib.Unsat, "unsat\n"
	case f.every("once", n) && f.once(fmt.Sprint("once", n)):
		r.Answers[0], r.Stdout = smtlib.Unsat, "unsat\n"
	case f.at("onceat", n) && f.once(fmt.Sprint("onceat", n)):
		r.Answers[0], r.Stdout = smtlib.Unsat, "unsat\n"
	case f.every("crash", n):
		r.Class, r.Message, r.Signal, r.Answers[0] = solvers.Crash, fmt.Sprintf("SIGSEGV in f%d", n%3), "SIGSEGV", smtlib.None
	case f.every("parse", n):
		r.Class, r.Message, r.Answers[0] = solvers.ParseError, "no", smtlib.None
	case f.set["unknown"] != "":
		r.Answers[0] = smtlib.Unknown
	case f.set["nostart"] != "":
		r.Class, r.Answers[0] = solvers.StartFailure, smtlib.None
	}
	return r
}

// hasScattered reports whether those of the many assertions of a case are there that are needed.
func (f *fake) hasScattered(text string) bool {
	many, _ := strconv.Atoi(f.set["scattered"])
	from, step := 0, 10
	if f.set["needed"] == "last" {
		from, step = many-many/10, 1
	}
	for i := from; i < many; i += step {
		if !strings.Contains(text, fmt.Sprintf("(< x %d)", 1000+i)) {
			return false
		}
	}
	return true
}

// pause simulates the time that a solver takes. It waits longer until all expected workers have started and run
// something.
func (f *fake) pause(ctx context.Context) {
	pause, _ := time.ParseDuration(f.set["pause"])
	workers, _ := strconv.Atoi(f.set["workers"])
	if pause == 0 {
		return
	}
	for end := time.Now().Add(time.Minute); f.noted("loaded") < workers && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
	}
	if f.noted("runs") < workers {
		pause = max(pause, 50*time.Millisecond)
	}
	select {
	case <-time.After(pause):
	case <-ctx.Done():
	}
	f.note("runs")
}

// noted is how many processes have noted something.
func (f *fake) noted(what string) int {
	files, err := filepath.Glob(filepath.Join(f.set["mark"], what+"-*"))
	if err != nil {
		panic(err)
	}
	return len(files)
}

// note notes in the folder named by the setting "mark" that this process has done something once more.
func (f *fake) note(what string) {
	file, err := os.OpenFile(filepath.Join(f.set["mark"], fmt.Sprintf("%s-%d", what, os.Getpid())), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = file.WriteString("x")
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		panic(err)
	}
}

// caseNumber finds the number in a query of the fake technique.
func caseNumber(text string) uint64 {
	_, rest, _ := strings.Cut(text, "(= x ")
	digits, _, _ := strings.Cut(rest, ")")
	n, _ := strconv.ParseUint(digits, 10, 64)
	return n
}

// memStore keeps findings in memory.
type memStore struct {
	saved, updated []finding.Finding
	known          []*finding.Finding
	fail           error
}

func (s *memStore) Known() ([]*finding.Finding, error) { return s.known, nil }

func (s *memStore) Save(f *finding.Finding) error {
	if s.fail != nil {
		return s.fail
	}
	f.Number = len(s.saved) + 1
	f.Dir = fmt.Sprintf("findings/%04d", f.Number)
	s.saved = append(s.saved, *f)
	return nil
}

func (s *memStore) Update(f *finding.Finding) error {
	s.updated = append(s.updated, *f)
	return s.fail
}

// final returns the findings as they were stored last.
func (s *memStore) final() map[int]finding.Finding {
	out := map[int]finding.Finding{}
	for _, f := range append(append([]finding.Finding{}, s.saved...), s.updated...) {
		out[f.Number] = f
	}
	return out
}

// memLog keeps events in memory.
type memLog struct {
	mu     sync.Mutex
	events []string
}

func (l *memLog) Event(name string, fields map[string]any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, fmt.Sprint(name, " ", fields))
	return nil
}

func (l *memLog) Stats(*metrics.Stats) error { return nil }

// config is a campaign over the fake.
func config(t *testing.T, cases uint64, set map[string]string) coordinator.Config {
	exe, err := os.Executable()
	require.NoError(t, err)
	if set == nil {
		set = map[string]string{}
	}
	set["mark"] = t.TempDir()
	return coordinator.Config{
		File: "fake.star", Options: finding.Inputs{Seed: 7, Set: set}, Command: []string{exe}, Env: []string{workerEnv + "=1"},
		Workers: 2, Stop: finding.Stop{Cases: cases}, Watchdog: 2 * time.Second, Drain: 10 * time.Second, Store: &memStore{}, Log: &memLog{},
	}
}
