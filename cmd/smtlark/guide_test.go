package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/starlark/lint"
	"github.com/smtlark/smtlark/stdlib"
)

var pythonBlock = regexp.MustCompile("(?s)```python\n(.*?)```")

// TestGuideCode reads the campaign files and functions that the guide and the README show: there is nothing to lint in them, and
// their tests pass.
func TestGuideCode(t *testing.T) {
	reg, err := script.Registry()
	require.NoError(t, err)
	libraries, err := registry.Libraries(stdlib.FS())
	require.NoError(t, err)
	for _, page := range []string{"README.md", "docs/guide.md", "docs/editor.md"} {
		text, err := os.ReadFile(filepath.Join("../..", page))
		require.NoError(t, err)
		tests := 0
		for _, m := range pythonBlock.FindAllStringSubmatch(string(text), -1) {
			code := m[1]
			if strings.Contains(code, "(...") { // with parts left out
				continue
			}
			require.Empty(t, lint.Check(page, []byte(code), reg, libraries), code)
			if strings.Contains(code, "def test_") {
				file := filepath.Join(t.TempDir(), "page.star")
				require.NoError(t, os.WriteFile(file, []byte(code), 0o644))
				status, out, errs := runVerb("test", file)
				require.Equal(t, command.ExitOK, status, "%s%s", out, errs)
				tests++
			}
		}
		if page == "docs/guide.md" {
			require.Positive(t, tests)
		}
	}
}

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
