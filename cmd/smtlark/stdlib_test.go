package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/starlark/lint"
	"github.com/smtlark/smtlark/stdlib"
)

// shippedScripts returns the campaign files and modules of this repository by the name
// that smtlark takes.
func shippedScripts(t *testing.T) map[string][]byte {
	t.Helper()
	scripts := map[string][]byte{}
	require.NoError(t, fs.WalkDir(stdlib.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".star") {
			scripts["@std//"+path], err = fs.ReadFile(stdlib.FS(), path)
		}
		return err
	}))
	campaigns, err := filepath.Glob("../../scripts/*.star")
	require.NoError(t, err)
	for _, file := range campaigns {
		scripts[file], err = os.ReadFile(file)
		require.NoError(t, err)
	}
	return scripts
}

// TestShippedScripts checks that what we ship is formatted, has nothing to lint, has
// documentation on each public function, and passes its own tests.
func TestShippedScripts(t *testing.T) {
	t.Parallel()
	reg, err := script.Registry()
	require.NoError(t, err)
	libraries, err := registry.Libraries(stdlib.FS())
	require.NoError(t, err)
	for name, src := range shippedScripts(t) {
		t.Run(strings.TrimPrefix(name, "../../"), func(t *testing.T) {
			formatted, err := lint.Format(name, src)
			require.NoError(t, err)
			require.Empty(t, string(lint.Diff(name, src, formatted)), "run: smtlark fmt -w")
			require.Empty(t, lint.Check(name, src, reg, libraries))
			tree, err := registry.Dialect().Parse(name, src, 0)
			require.NoError(t, err)
			requireDocs(t, tree)
			if !strings.Contains(string(src), "def test_") {
				return
			}
			code, out, errs := runVerb("test", name)
			require.Equal(t, command.ExitOK, code, "%s%s", out, errs)
			require.NotContains(t, out, "0 passed", "%s", out)
		})
	}
}

func requireDocs(t *testing.T, tree *syntax.File) {
	t.Helper()
	require.True(t, startsWithString(tree.Stmts), "the file has no docstring")
	for _, stmt := range tree.Stmts {
		if def, ok := stmt.(*syntax.DefStmt); ok && !strings.HasPrefix(def.Name.Name, "_") && !strings.HasPrefix(def.Name.Name, "test_") {
			require.True(t, startsWithString(def.Body), "%s: %s has no docstring", def.Def, def.Name.Name)
		}
	}
}

func startsWithString(stmts []syntax.Stmt) bool {
	if len(stmts) == 0 {
		return false
	}
	expr, ok := stmts[0].(*syntax.ExprStmt)
	if !ok {
		return false
	}
	lit, ok := expr.X.(*syntax.Literal)
	return ok && lit.Token == syntax.STRING
}
