package native

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// badLibrary is a libboolector that answers sat, or does what $FAULT says.
const badLibrary = `
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <pthread.h>
static void (*on_abort)(const char*);
static int deep(volatile int n) { volatile char pad[4096]; pad[n % 4096] = 1; return deep(n + 1) + pad[7]; }
static void *crash_thread(void *p) { *(volatile int*)8 = 1; return p; }
void *boolector_new(void) { return malloc(1); }
static int asked;
void boolector_delete(void *b) {
  const char *f = getenv("FAULT");
  if (asked && f && !strcmp(f, "undying")) for (;;);
  free(b);
}
void boolector_release_all(void *b) {}
const char *boolector_version(void *b) { return "3.9.9"; }
void boolector_set_abort(void (*f)(const char*)) { on_abort = f; }
static int (*told_to_end)(void*);
static void *told_state;
void boolector_set_term(void *b, void *f, void *s) { told_to_end = f; told_state = s; }
int boolector_first_opt(void *b) { return 0; }
int boolector_next_opt(void *b, int o) { return o + 1; }
_Bool boolector_has_opt(void *b, int o) { return o < 3; }
const char *boolector_get_opt_lng(void *b, int o) { return o == 0 ? "incremental" : o == 1 ? "auto-cleanup" : "model-gen"; }
const char *boolector_get_opt_desc(void *b, int o) { return ""; }
uint32_t boolector_get_opt_min(void *b, int o) { return 0; }
uint32_t boolector_get_opt_max(void *b, int o) { return 1; }
uint32_t boolector_get_opt_dflt(void *b, int o) { return 0; }
void boolector_set_opt(void *b, int o, uint32_t v) {}
void *boolector_bool_sort(void *b) { return b; }
void *boolector_var(void *b, void *s, const char *n) { return b; }
void boolector_assert(void *b, void *n) {}
int boolector_sat(void *b) {
  asked = 1;
  const char *f = getenv("FAULT");
  if (!f) return 10;
  if (!strcmp(f, "segv")) *(volatile int*)8 = 1;
  if (!strcmp(f, "abort")) { fprintf(stderr, "boolector: something is rotten\n"); abort(); }
  if (!strcmp(f, "assert")) assert(!"the sky is up");
  if (!strcmp(f, "deep")) return deep(0);
  if (!strcmp(f, "exit")) exit(3);
  if (!strcmp(f, "thread")) { pthread_t t; pthread_create(&t, 0, crash_thread, 0); pthread_join(t, 0); }
  if (!strcmp(f, "hang")) for (;;);
  if (!strcmp(f, "stopped")) { while (!told_to_end(told_state)); abort(); }
  if (!strcmp(f, "refuse")) on_abort("[boolector] boolector_sat: not today");
  if (!strcmp(f, "chatter")) for (int i = 0; i < 200; i++) { printf("stdout %d\n", i); fprintf(stderr, "stderr %d\n", i); fflush(stdout); }
  if (!strcmp(f, "second")) { static int n; if (n++) abort(); fprintf(stderr, "error: of the first run\n"); }
  if (!strcmp(f, "memory")) for (;;) { char *p = malloc(1 << 20); if (!p) { fprintf(stderr, "out of memory\n"); abort(); } memset(p, 1, 1 << 20); }
  return 10;
}
`

func buildBadLibrary(t *testing.T) *solvers.Solver {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no C compiler here")
	}
	dir := t.TempDir()
	src, lib := filepath.Join(dir, "bad.c"), filepath.Join(dir, "libboolector.so")
	require.NoError(t, os.WriteFile(src, []byte(badLibrary), 0o600))
	out, err := exec.Command(gcc, "-shared", "-fPIC", "-O0", "-w", "-o", lib, src, "-lpthread").CombinedOutput()
	require.NoError(t, err, string(out))
	s := At(context.Background(), &solvers.Profile{Name: "boolector", Program: solvers.Program{Binaries: []string{}}}, lib)
	require.Empty(t, s.Unusable)
	require.Equal(t, "libboolector-3.9.9", s.Name)
	return s
}

const oneCheck = "(declare-const p Bool)(assert p)(check-sat)"

// TestFaults checks that for any fault of a library, the run names the fault and the call, and the next run works.
func TestFaults(t *testing.T) {
	s := buildBadLibrary(t)
	type end struct {
		class   solvers.Class
		message string
		signal  string
	}
	cases := map[string]end{
		"segv":    {solvers.Crash, "SIGSEGV in boolector_sat", "SIGSEGV"},
		"abort":   {solvers.Crash, "SIGABRT: boolector: something is rotten in boolector_sat", "SIGABRT"},
		"assert":  {solvers.Assertion, "the sky is up", "SIGABRT"},
		"deep":    {solvers.Crash, "SIGSEGV in boolector_sat", "SIGSEGV"},
		"thread":  {solvers.Crash, "SIGSEGV in boolector_sat", "SIGSEGV"},
		"exit":    {solvers.SolverError, "exit code 3", ""},
		"hang":    {solvers.Timeout, "killed after", "SIGKILL"},
		"stopped": {solvers.Timeout, "died of SIGABRT when it was told to end", "SIGABRT"},
		"refuse":  {solvers.Refusal, "not today", ""},
		"chatter": {solvers.OK, "", ""},
		"memory":  {solvers.OutOfMemory, "out of memory", "SIGABRT"},
	}
	if system.RaceDetector { // the library can have more than what may be resident
		cases["memory"] = end{solvers.OutOfMemory, "killed at", "SIGKILL"}
	}
	for fault, want := range cases {
		t.Run(fault, func(t *testing.T) {
			target := New(s, process.TargetOptions{})
			defer target.Close()
			t.Setenv("FAULT", fault)
			lim := solvers.Limits{Wall: 20 * time.Second, Memory: 400 << 20}
			if fault == "hang" || fault == "stopped" {
				lim.Wall = time.Second // in which the library is asked, also beside other work
			}
			script, err := smtlib.Parse("x", []byte(oneCheck), smt.NewArena())
			require.NoError(t, err)
			run := target.Run(context.Background(), solvers.FromScript(script), lim)
			require.Equal(t, want.class, run.Class, "%s\n%s", run.Message, run.Stderr)
			require.Contains(t, run.Message, want.message)
			require.Equal(t, want.signal, run.Signal)
			require.Len(t, run.Answers, 1)
			if fault == "chatter" {
				require.Equal(t, smtlib.Sat, run.Answer())
				require.Contains(t, run.Stderr, "stdout 199")
				require.Contains(t, run.Stderr, "stderr 199")
			}
			os.Unsetenv("FAULT")
			dropChild(target)
			require.Equal(t, smtlib.Sat, ask(t, target, oneCheck).Answer(), "the next run")
		})
	}
}

// TestOnlyTheRunsOwnOutput checks that output of earlier runs of a process is not attributed to the run that dies.
func TestOnlyTheRunsOwnOutput(t *testing.T) {
	t.Setenv("FAULT", "second")
	target := New(buildBadLibrary(t), process.TargetOptions{})
	defer target.Close()
	require.Contains(t, ask(t, target, oneCheck).Stderr, "of the first run")
	run := ask(t, target, oneCheck)
	require.Equal(t, solvers.Crash, run.Class, run.Message)
	require.NotContains(t, run.Message+run.Stderr, "of the first run")
}

// TestCancelled: a run whose context ends is cancelled, and the child with it.
func TestCancelled(t *testing.T) {
	s := buildBadLibrary(t)
	t.Setenv("FAULT", "hang")
	target := New(s, process.TargetOptions{})
	defer target.Close()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	script, err := smtlib.Parse("x", []byte(oneCheck), smt.NewArena())
	require.NoError(t, err)
	run := target.Run(ctx, solvers.FromScript(script), solvers.Limits{})
	require.Equal(t, solvers.Cancelled, run.Class)
	require.Equal(t, []smtlib.Answer{smtlib.None}, run.Answers)
}

// TestUndyingSolver: a library that does not come to the end of a solver is killed when the session is closed.
func TestUndyingSolver(t *testing.T) {
	s := buildBadLibrary(t)
	t.Setenv("FAULT", "undying")
	target := New(s, process.TargetOptions{})
	session, err := target.(solvers.Opener).Open(t.Context(), smt.NewArena(), solvers.Limits{Wall: time.Hour})
	require.NoError(t, err)
	answer, err := solvers.Check(t.Context(), session)
	require.NoError(t, err)
	require.Equal(t, smtlib.Sat, answer)
	closed := make(chan error, 1)
	go func() {
		_, err := session.Close()
		closed <- err
	}()
	select {
	case err := <-closed:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("it is waited for")
	}
}

// hard is factoring the product of two primes of 31 bits.
const hard = `(set-logic QF_BV)(declare-const x (_ BitVec 64))(declare-const y (_ BitVec 64))
(assert (= (bvmul x y) (_ bv3999999874000000993 64)))(assert (bvult x #x00000000ffffffff))(assert (bvult y #x00000000ffffffff))
(assert (bvugt x #x0000000000000001))(assert (bvugt y #x0000000000000001))(check-sat)(check-sat)`

// TestTimeLimits: a library is stopped, or its child killed; both are a timeout, and the next run is served.
func TestTimeLimits(t *testing.T) {
	for _, s := range libraries(t, false) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			target := New(s, process.TargetOptions{})
			defer target.Close()
			script, err := smtlib.Parse("hard", []byte(hard), smt.NewArena())
			require.NoError(t, err)
			run := target.Run(context.Background(), solvers.FromScript(script), solvers.Limits{Wall: 300 * time.Millisecond})
			require.Equal(t, solvers.Timeout, run.Class, "%s %v", run.Message, run.Answers)
			require.Equal(t, []smtlib.Answer{smtlib.None, smtlib.None}, run.Answers)
			again := ask(t, target, oneCheck)
			require.Equal(t, smtlib.Sat, again.Answer(), "%s %s %s", again.Class, again.Message, again.Stderr)

			if s.Profile.Name == "boolector" {
				return // its search does not look whether it should end; only the child can be killed
			}
			soft := New(s, process.TargetOptions{TimeLimit: 200 * time.Millisecond})
			defer soft.Close()
			run = soft.Run(context.Background(), solvers.FromScript(script), solvers.Limits{Wall: 30 * time.Second})
			require.Equal(t, solvers.OK, run.Class, run.Message)
			require.Equal(t, []smtlib.Answer{smtlib.Unknown, smtlib.Unknown}, run.Answers, "its own limit ends in unknown")
		})
	}
}

// TestErrors checks that a refusal by a library affects only its own run.
func TestErrors(t *testing.T) {
	refused := map[string]string{
		"z3":        "(set-option :no.such.thing 1)(declare-const p Bool)(assert p)(check-sat)",
		"cvc5":      "(declare-const a (Array Int Int))(assert (= a ((as const (Array Int Int)) 0)))(check-sat)",
		"bitwuzla":  "(set-option :sat-solver none-such)(declare-const p Bool)(assert p)(check-sat)",
		"yices2":    "(declare-const x Int)(declare-const y Int)(assert (= (* x y) 6))(check-sat)",
		"boolector": "(declare-const p (Array (_ BitVec 4) (_ BitVec 4)))(assert (exists ((x (_ BitVec 4))) (= (select p x) #x1)))(check-sat)",
	}
	for _, s := range libraries(t, false) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			target := New(s, process.TargetOptions{})
			defer target.Close()
			for range 5 {
				run := ask(t, target, refused[s.Profile.Name])
				require.Contains(t, []solvers.Class{solvers.Refusal, solvers.Unsupported, solvers.OK}, run.Class, "%s %s", run.Message, run.Stderr)
				if s.Profile.Name == "cvc5" {
					require.Contains(t, run.Message, "--arrays-exp")
				}
				run = ask(t, target, oneCheck)
				require.Equal(t, solvers.OK, run.Class, "%s %s", run.Message, run.Stderr)
				require.Equal(t, smtlib.Sat, run.Answer())
			}
		})
	}
}

// TestNoLibrary checks that the error for a file that is not a library of the kind names its path.
func TestNoLibrary(t *testing.T) {
	p := &solvers.Profile{Name: "z3", Program: solvers.Program{Binaries: []string{}}}
	text := filepath.Join(t.TempDir(), "libz3.so")
	require.NoError(t, os.WriteFile(text, []byte("no library"), 0o600))
	for path, want := range map[string]string{text: "libz3.so", "/no/such/libz3.so": "/no/such/libz3.so", "libc.so.6": "has no function Z3_mk_context_rc"} {
		s := At(context.Background(), p, path)
		require.Contains(t, s.Unusable, want)
		run := ask(t, New(s, process.TargetOptions{}), oneCheck)
		require.Equal(t, solvers.StartFailure, run.Class)
	}
	s := At(context.Background(), &solvers.Profile{Name: "mathsat", Program: solvers.Program{Binaries: []string{}}}, "libc.so.6")
	require.Contains(t, s.Unusable, "there is no binding for a library of mathsat")
}

func dropChild(t solvers.Target) { t.(*target).dropWorker() }
