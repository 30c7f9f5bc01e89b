// Package ground asks real solvers for the values of ground Boolean terms. Tests of the exact semantics compare these
// values with ours.
package ground

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

	"github.com/smtlark/smtlark/internal/processtest"
)

// Binary is one solver binary found on this machine.
type Binary struct {
	Name    string // z3, cvc5 or bitwuzla
	Version string
	path    string
	args    []string
	lines   []string // first lines of each script
}

// String returns the name and version.
func (s Binary) String() string { return s.Name + " " + s.Version }

var withModels = []string{"(set-option :produce-models true)", "(set-logic ALL)"}

var known = []Binary{
	{Name: "z3", args: []string{"-in"}},
	{Name: "cvc5", args: []string{"--incremental", "--fp-exp", "--strings-exp"}, lines: withModels},
	{Name: "bitwuzla", lines: withModels},
}

var versionPattern = regexp.MustCompile(`\d+\.\d+(\.\d+)?`)

// Solvers finds the named solvers on PATH and every build of them (name, name-*)
// in .solvers/bin of the checkout; one of each name in short tests. With CI=true a missing z3 or cvc5 fails the
// test; else the test is skipped if there is none at all.
func Solvers(t testing.TB, names ...string) []Binary {
	t.Helper()
	var found []Binary
	seen := map[string]bool{}
	add := func(s Binary, path string) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || seen[real] {
			return
		}
		seen[real] = true
		out, err := exec.Command(path, "--version").Output()
		if err != nil {
			t.Logf("%s --version: %v", path, err)
			return
		}
		s.path, s.Version = path, versionPattern.FindString(string(out))
		found = append(found, s)
	}
	for _, name := range names {
		for _, s := range known {
			if s.Name != name {
				continue
			}
			before := len(found)
			if path, err := exec.LookPath(name); err == nil {
				add(s, path)
			}
			for _, dir := range solverDirs() {
				paths, _ := filepath.Glob(filepath.Join(dir, name+"*")) // sorted
				for _, path := range paths {
					if base := filepath.Base(path); base == name || strings.HasPrefix(base, name+"-") {
						add(s, path)
					}
				}
			}
			if testing.Short() && len(found) > before {
				found = found[:before+1]
			}
			if len(found) == before && os.Getenv("CI") == "true" && name != "bitwuzla" {
				t.Fatalf("%s is not installed: CI must have it", name)
			}
		}
	}
	if len(found) == 0 {
		t.Skipf("none of %v is installed", names)
	}
	return found
}

// solverDirs returns .solvers/bin of the module that holds the working directory.
func solverDirs() []string {
	dir, err := os.Getwd()
	if err != nil {
		return nil
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return []string{filepath.Join(dir, ".solvers", "bin")}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil
		}
		dir = parent
	}
}

// Values asks for the values of ground Boolean terms in one process: "true", "false", or the solver's message for a
// term that it refuses or fails on. The batch is halved to find such a term, so the others still get their values.
func (s Binary) Values(t testing.TB, terms []string, limit time.Duration) []string {
	t.Helper()
	values, problem := s.ask(terms, limit)
	if problem == "" {
		return values
	}
	if len(terms) == 1 {
		return []string{problem}
	}
	half := len(terms) / 2
	return append(s.Values(t, terms[:half], limit), s.Values(t, terms[half:], limit)...)
}

var answerPattern = regexp.MustCompile(`\(e(\d+) (true|false)\)`)

func (s Binary) ask(terms []string, limit time.Duration) (values []string, problem string) {
	var script strings.Builder
	for _, line := range s.lines {
		script.WriteString(line + "\n")
	}
	for i, term := range terms {
		fmt.Fprintf(&script, "(define-fun e%d () Bool %s)\n", i, term)
	}
	script.WriteString("(check-sat)\n(get-value (")
	for i := range terms {
		fmt.Fprintf(&script, " e%d", i)
	}
	script.WriteString("))\n")

	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.path, s.args...)
	// A child of the solver may hold its output open.
	cmd.WaitDelay = time.Second
	cmd.Stdin = strings.NewReader(script.String())
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	err := processtest.RunGroup(cmd)
	if ctx.Err() != nil {
		return nil, "no answer within " + limit.String()
	}
	text := out.String()
	found := answerPattern.FindAllStringSubmatch(text, -1)
	if len(found) != len(terms) || strings.Contains(text, "error") || !strings.HasPrefix(strings.TrimSpace(text), "sat") {
		text += errors.String()
		if len(text) > 300 {
			text = text[:300]
		}
		return nil, fmt.Sprintf("%v: %s", err, strings.TrimSpace(text))
	}
	for i, m := range found {
		if m[1] != fmt.Sprint(i) {
			return nil, "values out of order"
		}
		values = append(values, m[2])
	}
	return values, ""
}
