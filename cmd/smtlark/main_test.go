package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/internal/fakesolver"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/confine"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/solvers/trust"
	script "github.com/smtlark/smtlark/starlark"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "native" { // the process that holds a C library is one of this program
		main()
		os.Exit(0)
	}
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// programs is the folder of smtlark and the fake solver, which is the first one of PATH.
var programs string

// runTests makes what tests share, runs them, and removes it.
func runTests(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "smtlark-test-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if built, err := exec.Command("go", "env", "GOCACHE").Output(); err == nil { // tests build programs, too
		os.Setenv("GOCACHE", strings.TrimSpace(string(built)))
	}
	programs = filepath.Join(dir, "bin")
	if err := buildPrograms(programs); err != nil {
		return 0, err
	}
	os.Setenv("PATH", programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	os.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache")) // facts about solvers are learned only once
	if err := trust.All(); err != nil {                      // in programs that tests start themselves; scripts have an environment of their own
		return 0, err
	}
	return m.Run(), nil
}

// buildPrograms builds smtlark and the fake solver into a folder. Tests run thousands of processes: if the test binary
// were used, each would repeat setup that only tests need.
func buildPrograms(dir string) error {
	args := []string{"build", "-buildvcs=false", "-o", dir + string(filepath.Separator)}
	if system.RaceDetector {
		args = append(args, "-race")
	}
	args = append(args, ".", "github.com/smtlark/smtlark/internal/fakesolver/cmd/fakesolver")
	if said, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, said)
	}
	return nil
}

// TestScripts runs the command lines in testdata/script/*.txtar. UPDATE=1 rewrites what
// they compare with cmp. "exits CODE smtlark ..." checks an exit code; the condition [library:z3] says that the system
// has libz3, [landlock] that the kernel confines solvers.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE") != "",
		RequireExplicitExec: true,
		Cmds:                map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "expected": expected},
		Condition: func(cond string) (bool, error) {
			if cond == "race" {
				return system.RaceDetector, nil
			}
			if cond == "landlock" {
				return strings.HasPrefix(confine.Describe(), "confined: "), nil
			}
			kind, ok := strings.CutPrefix(cond, "library:")
			if !ok {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			list := exec.Command("smtlark", "solvers")
			list.Dir = os.TempDir()
			out, err := list.Output()
			return regexp.MustCompile(`(?m)^lib` + regexp.QuoteMeta(kind) + `-\S+ .* native `).Match(out), err
		},
		Setup: project,
	})
}

// project makes the folder of a script a project of its own, whatever lies above it, that is trusted.
func project(e *testscript.Env) error {
	e.Setenv(trust.Env, e.WorkDir)
	e.Setenv("HOME", e.WorkDir)
	e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, ".config"))
	e.Setenv("XDG_CACHE_HOME", os.Getenv("XDG_CACHE_HOME"))
	noteTimes(e)
	if err := os.WriteFile(filepath.Join(e.WorkDir, "counting.c"), fakesolver.CountingSource(), 0o644); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Join(e.WorkDir, ".smtlark"), 0o755)
}

// noteTimes adds a line "SECONDS CPU SCRIPT" to the file SMTLARK_TIMES when a script ends: its duration, and the CPU
// seconds of its processes. With -parallel 1 they are those of this script alone; tools/times.sh asks for both.
func noteTimes(e *testscript.Env) {
	path := os.Getenv("SMTLARK_TIMES")
	if path == "" {
		return
	}
	begun, before := time.Now(), process.ChildrenCPU()
	e.Defer(func() {
		out, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(out, "%.2f %.2f %s\n", time.Since(begun).Seconds(), (process.ChildrenCPU() - before).Seconds(), filepath.Base(e.WorkDir))
		_ = out.Close()
	})
}

// expected runs a command that prints a case which rests on answers of solvers: without --expect a note names the one
// that is made here, and with that it is made again.
func expected(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: expected COMMAND [ARGUMENTS]")
	}
	ts.Check(ts.Exec(args[0], args[1:]...))
	named := regexp.MustCompile(`note: .*--expect ([0-9a-f.]+) names it`).FindStringSubmatch(ts.ReadFile("stderr"))
	if named == nil {
		ts.Fatalf("the note names no --expect")
	}
	ts.Check(ts.Exec(args[0], append(args[1:len(args):len(args)], "--expect", named[1])...))
}

// exits runs a command that must end with the given code; its output is then at hand as
// after exec.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENTS]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if code != args[0] {
		ts.Fatalf("%s exits with %s, want %s", args[1], code, args[0])
	}
}

// notInGate leaves a test to make test-all: another one of its kind is in the gate.
func notInGate(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("not in short tests")
	}
}

// runVerb runs a command line in this process.
func runVerb(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(context.Background(), &command.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}, args)
	return code, out.String(), errs.String()
}

// TestHelp compares the help of all verbs with testdata/help; UPDATE=1 rewrites it.
func TestHelp(t *testing.T) {
	golden := func(name, got string) {
		path := filepath.Join("testdata/help", name+".txt")
		if os.Getenv("UPDATE") != "" {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
			return
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err, "run UPDATE=1 go test ./cmd/smtlark")
		require.Equal(t, string(want), got, "run UPDATE=1 go test ./cmd/smtlark")
	}
	code, out, _ := runVerb("--help")
	require.Equal(t, command.ExitOK, code)
	golden("smtlark", out)
	for _, name := range command.Names(true) {
		code, out, errs := runVerb(name, "--help")
		require.Equal(t, command.ExitOK, code, name)
		require.Empty(t, errs, name)
		require.True(t, strings.HasPrefix(out, "Usage: smtlark "+name), name)
		golden(name, out)
		_, viaHelp, _ := runVerb("help", name)
		require.Equal(t, out, viaHelp, name)
	}
}

// TestFlags: the help names the argument of a flag by one word, a switch has none, and --solver takes the same
// everywhere.
func TestFlags(t *testing.T) {
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			what := c.CommandPath() + " --" + f.Name
			argument, help := pflag.UnquoteUsage(f)
			require.NotEmpty(t, help, what)
			require.NotContains(t, help, "`", "%s: one word in back quotes is the name of the argument", what)
			if strings.HasPrefix(f.Value.Type(), "bool") {
				require.Empty(t, argument, "%s: a switch has no argument", what)
			} else {
				require.Regexp(t, `^[A-Za-z]\S*$`, argument, what)
			}
			if f.Name == "solver" {
				require.Contains(t, help, catalogue.NameForms, what)
			}
		})
		for _, below := range c.Commands() {
			look(below)
		}
	}
	look(command.Program(&command.Env{}, ""))
}

func TestEveryVerbRefusesUnknownFlags(t *testing.T) {
	for _, name := range command.Names(true) {
		code, _, errs := runVerb(name, "--frobnicate")
		require.Equal(t, command.ExitUsage, code, name)
		require.Contains(t, errs, "unknown flag: --frobnicate", name)
	}
}

// panicking is an output that panics.
type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("boom") }

func TestPanicExits70(t *testing.T) {
	var errs bytes.Buffer
	require.Equal(t, command.ExitInternal, run(context.Background(), &command.Env{Stdout: panicking{}, Stderr: &errs}, []string{"version"}))
	require.Contains(t, errs.String(), "internal error: boom")
	require.Contains(t, errs.String(), "main_test.go")
}

// TestReferenceByTask checks that the entries named in the first table of the reference exist, that its operators are
// rows of tables, and that help finds them by their SMT-LIB names.
func TestReferenceByTask(t *testing.T) {
	reg, err := script.Registry()
	require.NoError(t, err)
	text := string(reg.Reference(nil))
	named := regexp.MustCompile("\\[`([a-z_.]+)`\\]\\(#(?:module-|type-|functions)").FindAllStringSubmatch(text[strings.Index(text, "## By task"):], -1)
	require.Greater(t, len(named), 60)
	for _, m := range named {
		_, known := reg.Help(m[1])
		require.True(t, known, m[1])
	}
	require.Contains(t, text, "| `smt.bvadd(*args)` | `term` | The operator `bvadd`")
	for name, want := range map[string]string{
		"bvadd": "Takes 2 arguments or more (:left-assoc).", "str.++": "smt.str_append(", "extract": "Takes one argument after 2 indices.", "ite": "`Bool A A -> A`. Takes 3 arguments.",
		"str_append": "smt.str_append(", "smt.not_": "`Bool -> Bool`. Takes one argument.",
	} {
		help, known := reg.Help(name)
		require.True(t, known, name)
		require.Contains(t, help, want)
	}
	_, known := reg.Help("bvaddd")
	require.False(t, known)
}

// TestGeneratedFiles fails when docs/reference.md or the stubs are stale.
func TestGeneratedFiles(t *testing.T) {
	code, out, errs := runVerb("docs", "--check", "../..")
	require.Equal(t, command.ExitOK, code, "run: go run ./cmd/smtlark docs\n%s%s", out, errs)
}
