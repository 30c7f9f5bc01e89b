package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/system"
)

// mistakes is a folder of campaign files with one mistake each. What smtlark says of each is in mistakesGolden, for
// people to read as a whole: is the place that of the mistake, and does the text say what to write instead?
const (
	mistakes       = "testdata/mistakes"
	mistakesGolden = "testdata/mistakes.txt"
)

// told are the files that run in spite of their mistake, or without one: what must be said is part of a summary then.
var told = map[string]struct {
	code int
	text string
}{
	"no-seeds":                {command.ExitOK, "ended: all cases are done"}, // the bundled ones are the default
	"mutator-changes-nothing": {command.ExitScript, "not one of the first 30 cases was made: the technique skipped them all"},
	"reducer-result":          {command.ExitFindings, "in smaller"},
	"solver-unknown":          {command.ExitSolver, ""},
	"targets-empty":           {command.ExitSolver, ""},
	"solver-path":             {command.ExitSolver, ""},
}

var (
	place      = regexp.MustCompile(`(?m)^(?:smtlark run: )?((?:\w+/)?[\w-]+\.star:\d+:\d+)`)
	versions   = regexp.MustCompile(`\b(z3|cvc5)-\d[\w.]*`)
	found      = regexp.MustCompile(`found here: [^;]*;`)
	identity   = regexp.MustCompile(`--expect [0-9a-f.]+`) // of a case that rests on a model of the z3 that is here
	allSkipped = regexp.MustCompile(`(?m)^smtlark run: nothing was tested: .*\n.*$`)
	folders    = regexp.MustCompile(`campaign's folders \([^)]*\)`)
)

// TestMistakes runs each campaign file with a mistake. UPDATE=1 rewrites the golden file.
func TestMistakes(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("z3"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("z3 is required")
		}
		t.Skip("z3 is not on PATH")
	}
	files, err := filepath.Glob(filepath.Join(mistakes, "*.star"))
	require.NoError(t, err)
	require.Greater(t, len(files), 100)
	said := make([]string, len(files))
	t.Run("all", func(t *testing.T) {
		for i, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".star")
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				said[i] = runMistake(t, name, file)
			})
		}
	})
	if t.Failed() {
		return
	}
	var all bytes.Buffer
	all.WriteString("What smtlark says of campaign files with a mistake: the file, then the message.\n")
	for i, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all.WriteString("\n=== " + strings.TrimSuffix(filepath.Base(file), ".star") + "\n\n" + string(text) + "\n---\n" + said[i])
	}
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(mistakesGolden, all.Bytes(), 0o644))
		return
	}
	want, err := os.ReadFile(mistakesGolden)
	require.NoError(t, err, "run UPDATE=1 go test ./cmd/smtlark -run Mistakes")
	got := all.String()
	if system.RaceDetector { // half a billion steps take minutes then, and the clock ends them
		want, got = []byte(withoutSection(string(want), "loop-without-end")), withoutSection(got, "loop-without-end")
	}
	require.Equal(t, string(want), got, "run UPDATE=1 go test ./cmd/smtlark -run Mistakes")
}

// withoutSection removes the section of one mistake from the text of the golden file.
func withoutSection(text, name string) string {
	before, rest, _ := strings.Cut(text, "\n=== "+name+"\n")
	_, after, _ := strings.Cut(rest, "\n=== ")
	return before + "\n=== " + after
}

// runMistake runs a file in a project of its own and returns the lines about the mistake.
func runMistake(t *testing.T, name, file string) string {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".smtlark"), 0o755))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	at := name + ".star"
	if name == "load-from-root" {
		at = "sub/" + at
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "lib.star"), []byte("def f():\n    return 1\n"), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, at), text, 0o644))
	cmd := exec.Command("smtlark", "run", at, "--seed", "1", "--cases", "30", "-j", "1", "-q")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "SMTLARK_TRUST="+dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	out := stderr.String()
	want, special := told[name]
	if !special {
		want.code = command.ExitScript
	}
	require.Equal(t, want.code, cmd.ProcessState.ExitCode(), "%s%s", &stdout, out)
	if special && want.text != "" {
		require.Contains(t, stdout.String()+out, want.text)
		if name == "mutator-changes-nothing" { // it has no place
			return allSkipped.FindString(out) + "\n"
		}
		if want.code == command.ExitOK {
			lines := slices.DeleteFunc(strings.SplitAfter(stdout.String(), "\n"), func(l string) bool { return !strings.Contains(l, "warning:") })
			return strings.Join(lines, "")
		}
		stdout.Reset()
	}
	require.NotContains(t, stdout.String(), "runs   sat", "a table of zeros stands between")
	require.Equal(t, 1, strings.Count(out, "Error: "), "said once:\n%s", out)
	require.NotContains(t, out, "@std//storm.star:", "a place in the library")
	require.Regexp(t, place, out)
	out = versions.ReplaceAllString(out, "$1-VERSION")
	out = identity.ReplaceAllString(out, "--expect HASH")
	out = found.ReplaceAllString(out, "found here: ...;")
	return folders.ReplaceAllString(out, "campaign's folders (...)")
}
