package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	script "github.com/smtlark/smtlark/starlark"
)

func init() {
	command.Register("test", newTest)
}

const testAbout = `Runs the functions test_* of each file in their order, each with newly loaded modules, and prints
one line per test: "ok", "FAIL" or "skip", its name and its time. A test fails by expect(...), fail(...) or any error.

Exit codes: 0 all passed, 10 some failed, 65 a file could not be loaded.`

type testOptions struct {
	only    string
	verbose bool
	limit   time.Duration
	profile string
	filter  *regexp.Regexp
	read    []string
}

func testFlags(fs *pflag.FlagSet) *testOptions {
	o := &testOptions{}
	fs.StringVarP(&o.only, "run", "r", "", "run only tests whose name matches this regular `expression`")
	fs.BoolVarP(&o.verbose, "verbose", "v", false, "also show the output of passed tests")
	command.DurationFlag(fs, &o.limit, "limit", time.Minute, "`time` limit of a test")
	command.ReadFlag(fs, &o.read)
	fs.StringVar(&o.profile, "profile", "", "write a profile of the scripts to `FILE`, for: go tool pprof FILE")
	command.SafetyFlags(fs)
	return o
}

// Validate checks the flags together.
func (o *testOptions) Validate() (err error) {
	if o.only != "" {
		if o.filter, err = regexp.Compile(o.only); err != nil {
			return fmt.Errorf("--run: %w", err)
		}
	}
	if err := command.CheckFolders(o.read); err != nil {
		return err
	}
	if o.limit <= 0 {
		return fmt.Errorf("--limit: %s is not above 0", o.limit)
	}
	return nil
}

func newTest(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "test FILE... [flags]",
		Short:   "run the test_* functions of campaign files",
		Long:    testAbout,
		GroupID: command.GroupScripts,
	}
	fs := c.Flags()
	o := testFlags(fs)
	command.Does(c, func(ctx context.Context) (code int) {
		if err := o.Validate(); err != nil {
			return e.UsageError("test", "%v", err)
		}
		if fs.NArg() == 0 {
			return e.UsageError("test", "want the files to test")
		}
		if o.profile != "" {
			stop, err := startProfile(o.profile)
			if err != nil {
				return e.Fail(command.ExitDisk, "test", err)
			}
			defer func() {
				if err := stop(); err != nil {
					code = max(code, e.Fail(command.ExitDisk, "test", err))
				}
			}()
		}
		passed, failed, skipped := 0, 0, 0
		for _, file := range fs.Args() {
			err := o.runFile(ctx, e, file, func(r script.TestResult) {
				switch {
				case r.Err != nil:
					failed++
				case r.IsSkip:
					skipped++
				default:
					passed++
				}
			})
			if err != nil {
				// The other files are tested all the same.
				code = max(code, e.ScriptError(err))
			}
		}
		fmt.Fprintf(e.Stdout, "%d passed, %d failed, %d skipped\n", passed, failed, skipped)
		if code == command.ExitOK && failed > 0 {
			code = command.ExitFindings
		}
		return code
	})
	return c
}

func (o *testOptions) runFile(ctx context.Context, e *command.Env, file string, count func(script.TestResult)) error {
	if _, err := os.Stat(file); err != nil && !strings.HasPrefix(file, "@std//") {
		return fmt.Errorf("no such file: %s", file)
	}
	src, err := command.SourcesFor(file)
	if err != nil {
		return err
	}
	budget := script.DefaultBudget
	budget.Wall, budget.Steps = o.limit, script.Unbounded
	opts := script.InterpreterOptions{Setup: script.Slots, Budget: budget, Stuck: e.Stuck, Folders: o.read}
	return script.RunTests(ctx, src, opts, file, o.filter, func(r script.TestResult) {
		count(r)
		status := command.Green("ok  ")
		switch {
		case r.Err != nil:
			status = command.Red("FAIL")
		case r.IsSkip:
			status = command.Yellow("skip")
		}
		fmt.Fprintf(e.Stdout, "%s %-40s %6.3fs\n", status, display.Line(r.Name), r.Time.Seconds())
		if r.Output != "" && (r.Err != nil || o.verbose) {
			fmt.Fprint(e.Stdout, indent(display.Text(r.Output)))
		}
		if r.Err != nil {
			fmt.Fprint(e.Stdout, indent(display.Text(r.Err.Error())))
		} else if r.Skipped != "" {
			fmt.Fprint(e.Stdout, indent(display.Text(r.Skipped)))
		}
	})
}

// startProfile begins to profile all scripts of this process.
func startProfile(file string) (stop func() error, err error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := starlark.StartProfile(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() error { return errors.Join(starlark.StopProfile(), f.Close()) }, nil
}

// indent puts four spaces before each line and ends the last.
func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n"
}
