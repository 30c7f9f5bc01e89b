package script

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
)

// TestResult is the outcome of one test_* function.
type TestResult struct {
	File, Name string
	Err        error  // why it failed: *ScriptError
	Skipped    string // the reason given to skip, with Err nil
	IsSkip     bool
	Output     string // the printed output
	Time       time.Duration
}

// maxTestOutput bounds the kept output of a test, in bytes.
const maxTestOutput = 1 << 20

// RunTests runs the test_* functions of a file in the order of their definition, each
// on modules that ran afresh, and reports each result. only selects by name; nil means
// all. The error is set when the file itself does not run.
func RunTests(ctx context.Context, src *Sources, opts InterpreterOptions, file string, only *regexp.Regexp, report func(TestResult)) error {
	var out strings.Builder
	left := 0
	opts.Print = func(msg string) {
		if out.Len()+len(msg) > maxTestOutput {
			left++
			return
		}
		out.WriteString(msg + "\n")
	}
	fresh := func() (*Interpreter, starlark.StringDict, error) {
		out.Reset()
		in := New(src, opts)
		globals, err := in.Exec(ctx, Test, file)
		return in, globals, err
	}
	_, globals, err := fresh()
	if err != nil {
		return err
	}
	for _, name := range testNames(globals, only) {
		// Each test has globals of its own, so that none depends on those before it.
		in, globals, err := fresh()
		if err != nil {
			return err
		}
		out.Reset() // discard output of the top level, which does not belong to the test
		left = 0
		r := TestResult{File: file, Name: name}
		start := time.Now()
		th := in.NewThread(Test, name)
		_, r.Err = th.Call(ctx, globals[name].(starlark.Callable), nil, nil)
		th.Close()
		r.Time, r.Output = time.Since(start), out.String()
		if left > 0 {
			r.Output += fmt.Sprintf("%d more lines that the test prints are left out\n", left)
		}
		var skip *registry.Skip
		if errors.As(r.Err, &skip) {
			r.Err, r.Skipped, r.IsSkip = nil, skip.Reason, true
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		report(r)
	}
	return nil
}

// testNames returns the names of functions test_* by their place in the file; those
// loaded from other files do not count.
func testNames(globals starlark.StringDict, only *regexp.Regexp) []string {
	var names []string
	line := map[string]int32{}
	for _, name := range globals.Keys() {
		f, ok := globals[name].(*starlark.Function)
		if !ok || f.Name() != name || !strings.HasPrefix(name, "test_") || only != nil && !only.MatchString(name) {
			continue
		}
		names = append(names, name)
		line[name] = f.Position().Line
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(line[a], line[b]) })
	return names
}
