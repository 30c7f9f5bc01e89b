package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/builtins/registry"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/starlark/lint"
	"github.com/smtlark/smtlark/stdlib"
)

var pythonBlock = regexp.MustCompile("(?s)```python\n(.*?)```")

// TestCodeOfPages reads the campaign files and functions that the pages show: there is nothing to lint in them, they
// load, their tests pass, and campaigns make cases where the solvers that they name are here. The examples of the
// reference are tests of the builtins.
func TestCodeOfPages(t *testing.T) {
	reg, err := script.Registry()
	require.NoError(t, err)
	libraries, err := registry.Libraries(stdlib.FS())
	require.NoError(t, err)
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, page := range append(pages, "../../README.md") {
		if filepath.Base(page) == "reference.md" {
			continue
		}
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for n, m := range pythonBlock.FindAllStringSubmatch(string(text), -1) {
			code := m[1]
			if strings.Contains(code, "(...") { // with parts left out
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(page), n+1), func(t *testing.T) {
				require.Empty(t, lint.Check(page, []byte(code), reg, libraries), code)
				tryCode(t, code)
			})
		}
	}
}

// tryCode runs a file that a page shows.
func tryCode(t *testing.T, code string) {
	dir := t.TempDir()
	file := filepath.Join(dir, "page.star")
	run := func(code string, verb ...string) {
		require.NoError(t, os.WriteFile(file, []byte(code), 0o644))
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a campaign of two cases takes a second
		defer cancel()
		// A program of its own: the workers of a campaign are started as it was.
		out, err := exec.CommandContext(ctx, filepath.Join(programs, "smtlark"), verb...).CombinedOutput()
		require.NoError(t, err, "%s\n%s", code, out)
	}
	seeds := filepath.Join(dir, "seeds")
	require.NoError(t, os.Mkdir(seeds, 0o755))
	seed := "(declare-const x Int)(assert (= x (ite (> x 0) 1 2)))(set-info :status sat)(check-sat)"
	require.NoError(t, os.WriteFile(filepath.Join(seeds, "a.smt2"), []byte(seed), 0o644))
	switch {
	case strings.Contains(code, "path = "): // of a build of the reader's
	case !strings.Contains(code, "campaign("):
		run(code+"\ndef test_it_loads():\n    pass\n", "test", file)
	case hasSolvers(t, code):
		if strings.Contains(code, "\nlaw(") {
			run(code, "law", "check", file)
		}
		run(code, "run", file, "--cases", "2", "--seed", "1", "--out", filepath.Join(dir, "out"), "-q", "-j", "1", "--fail-on", "none")
		fallthrough
	default:
		if strings.Contains(code, "def test_") {
			run(code, "test", file)
		}
	}
}

// hasSolvers reports whether the solvers that a file names are here.
func hasSolvers(t *testing.T, code string) bool {
	for _, m := range solverNamed.FindAllStringSubmatch(code, -1) {
		if _, err := script.Supply().Find(m[1], ""); err != nil {
			t.Logf("not run: %v", err)
			return false
		}
	}
	return true
}

var solverNamed = regexp.MustCompile(`solver\("([a-z0-9]+)"`)

// TestLinks follows the links between our pages: each leads to a file, and its anchor to a heading there.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	pages = append(pages, "../../README.md")
	headings := map[string]map[string]bool{}
	anchors := func(file string) map[string]bool {
		if headings[file] == nil {
			headings[file] = map[string]bool{}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, line := range strings.Split(string(text), "\n") {
				if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
					headings[file][anchorOf(title)] = true
				}
			}
		}
		return headings[file]
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(string(text), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") || page == "../../docs/reference.md" {
				continue
			}
			file := page
			if to != "" {
				file = filepath.Join(filepath.Dir(page), to)
			}
			_, err := os.Stat(file)
			require.NoError(t, err, "%s: %s", page, m[1])
			if anchor != "" {
				require.True(t, anchors(file)[anchor], "%s: %s has no such heading", page, m[1])
			}
		}
	}
}

// anchorOf is the anchor of a heading as GitHub makes it.
func anchorOf(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(title)) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127:
			b.WriteRune(r)
		}
	}
	return b.String()
}
